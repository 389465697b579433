// chain_program.hpp explains the words used here.
#include "cluster/run/chain_program.hpp"

#include "potential/member_row.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

namespace chorale {
namespace {

// Sums over labellings may leave out some labellings. Such sums are rejected if an upper bound on
// the share of the total that is left out exceeds this.
constexpr double kMostLost = 0.1;
// Greatest width of the beam for sums: how many configurations it keeps at a position.
constexpr std::int32_t kWidestSums = 256;

// A dynamic program and the scores on which it runs, placed in one layout.
template <class Program> struct Placed {
  Placed(Layout &layout, const ChainView &view) noexcept
      : scores(layout, view), program(layout, view) {}
  Scores scores;
  Program program;
};

template <class Program> std::size_t bytes_of(const ChainView &view) noexcept {
  Layout layout;
  const Placed<Program> placed(layout, view);
  return layout.bytes();
}

std::size_t joint_bytes(const ChainView &view, const Attachments &attachments,
                        const JointOptions &options, JointUse use) noexcept {
  Layout layout;
  BoundTables shared; // only its address matters: Joint then measures no tables of its own
  const Joint joint(layout, view, attachments, options, use, &shared);
  return layout.bytes();
}

JointOptions exactly(JointOptions options) noexcept {
  options.mode = CHORALE_JOINT_EXACT;
  return options;
}
// Options for sums over the configurations that a beam keeps.
JointOptions thinned(JointOptions options) noexcept {
  options.mode = CHORALE_JOINT_BEAM;
  options.beam_width = std::min(options.budget, kWidestSums);
  return options;
}
JointOptions by_local_scores(JointOptions options) noexcept {
  options.mode = CHORALE_JOINT_LOCAL_SCORES;
  return options;
}

} // namespace

ChainProgram::ChainProgram(Layout &layout, const Model &model, const Inputs &inputs,
                           std::int32_t chain, const JointOptions &joint) noexcept
    : model_(&model), inputs_(&inputs), number_(chain), chain_(model.chains[chain]),
      slots_(layout.take_span<Slot>(chain_.slots)), cliques_(layout.take<Clique>(chain_.slots)),
      view_(layout.measuring() ? inputs.widest_view_of(chain) : inputs.view_of(chain)),
      joint_(joint) {
  const std::int32_t slots = chain_.slots;
  const std::int64_t grid = std::int64_t{chain_.length} * chain_.labels;
  labels = layout.take_span<std::int32_t>(chain_.length);
  shown = layout.take_span<std::int32_t>(slots);
  row_begin_ = layout.take<std::int64_t>(slots + 1);
  std::int64_t entries = 0;
  for (std::int32_t s = 0; s < slots; ++s) {
    const Slot slot = model.slot(chain, s);
    const Clique clique = inputs.clique(slot.clique);
    if (!layout.measuring()) {
      slots_.data()[s] = slot;
      cliques_[s] = clique;
      row_begin_[s] = entries;
    }
    entries += clique.width(slot.member);
  }
  if (!layout.measuring())
    row_begin_[slots] = entries;
  incoming = layout.take_span<double>(entries);
  outgoing = layout.take_span<double>(entries);
  if (chain_.is_instance) {
    incoming_rows_ = layout.take<const double *>(slots);
    outgoing_rows_ = layout.take<double *>(slots);
    widths_ = layout.take<std::int64_t>(slots);
    return;
  }
  if (has_positions())
    added_ = layout.take<double>(grid);
  if (slots > 0)
    marginals_ = layout.take<double>(grid);
  if (has_whole()) {
    forced_ = layout.take<std::int32_t>(chain_.length);
    outgoing_rows_ = layout.take<double *>(chain_.wholes());
    reach_ = layout.take<double>(chain_.wholes());
    bound_ = layout.take<BoundTables>(chain_.wholes());
    for (std::int32_t k = 0; k < chain_.wholes(); ++k) {
      const BoundTables tables(layout, model.attached(model.slot(chain, k)), view_.parents);
      if (!layout.measuring()) {
        new (bound_ + k) BoundTables(tables);
        outgoing_rows_[k] = outgoing.data() + row_begin_[k];
      }
    }
  }
}

std::size_t ChainProgram::room_bytes() const noexcept {
  Layout alone;
  alone.take<std::int64_t>(2 * std::int64_t{model_->most_columns}); // fill_alone()
  if (chain_.is_instance)
    return alone.bytes();
  // Sizes depend on which arrays exist, not on what they contain.
  static constexpr double kSome = 0;
  ChainView view = view_;
  if (has_positions())
    view.added = &kSome;
  static constexpr std::int32_t kLabel = 0;
  if (has_whole())
    view.forced = &kLabel;
  if (!has_whole())
    return std::max({alone.bytes(), bytes_of<BestLabelling>(view), bytes_of<MaxMarginals>(view)});
  const Attachments all = attachments();
  std::size_t bytes = std::max({alone.bytes(), bytes_of<BestLabelling>(view),
                                joint_bytes(view, all, joint_, JointUse::messages)});
  if (reaches())
    bytes = std::max(bytes, joint_bytes(view, all, joint_, JointUse::reach));
  for (const JointOptions &options : {joint_, exactly(joint_)})
    bytes = std::max(bytes, joint_bytes(view, all, options, JointUse::decoding));
  if (!view.parents)
    bytes = std::max(bytes, joint_bytes(view, all, joint_, JointUse::marginals));
  for (const JointOptions &options : {exactly(joint_), thinned(joint_), by_local_scores(joint_)})
    bytes = std::max(bytes, joint_bytes(view, all, options, JointUse::sums));
  return std::max(bytes, joint_bytes(view, attachments(1), exactly(joint_), JointUse::decoding));
}

// Returns the k-th property with its incoming row as message. While sizes are only added up (slots_
// is empty), there are no rows; the result is then without message, since sizes do not depend on
// it.
Attached ChainProgram::read_attached(const void *program, std::int32_t k) noexcept {
  const auto &self = *static_cast<const ChainProgram *>(program);
  if (self.slots_.empty())
    return self.model_->attached(self.model_->slot(self.number_, k));
  Attached attached = self.model_->attached(self.slot(k));
  attached.message = self.incoming.data() + self.row_begin_[k];
  return attached;
}

void ChainProgram::add_positions(std::int32_t but, Limits &limits) noexcept {
  if (!has_positions())
    return;
  const std::int64_t m = chain_.labels;
  if (!in_stretches(limits, chain_.length, m, [&](std::int64_t begin, std::int64_t end) {
        std::fill(added_ + begin * m, added_ + end * m, 0.0);
      }))
    return;
  for (std::int32_t s = chain_.wholes(); s < chain_.slots; ++s) {
    if (s == but)
      continue;
    if (!limits.spend(16 + 2 * m))
      return;
    const Clique &clique = clique_of(s);
    const double *row = incoming.data() + row_begin_[s];
    double *to = added_ + std::int64_t{slot(s).position} * m;
    if (clique.shows_labels(slot(s).member))
      for (std::int32_t y = 0; y < m; ++y)
        to[y] += row[y];
    else
      for (std::int32_t y = 0; y < m; ++y)
        to[y] += row[clique.column_of(slot(s).member, y)];
  }
  view_.added = added_;
}

bool ChainProgram::show(Limits &limits) noexcept {
  for (std::int32_t s = 0; s < chain_.slots; ++s) {
    const Slot &of = slot(s);
    const bool whole = of.position < 0;
    if (!limits.spend(whole ? 8 * std::int64_t{chain_.length} : 16))
      return false;
    shown.data()[s] = whole ? model_->attached(of).evaluate(labels, view_.all_parents())
                            : clique_of(s).column_of(of.member, labels.data()[of.position]);
  }
  if (!limits.spend(8 * std::int64_t{chain_.length}))
    return false;
  score = view_.score(labels);
  return true;
}

bool ChainProgram::decode(Limits &limits, const Assignment *known) noexcept {
  score = kForbidden;
  if (chain_.is_instance)
    return finish(decode_instance(), limits);
  add_positions(-1, limits);
  if (!has_whole())
    return finish(decode_plain(limits), limits);
  bool found = false;
  if (within_reach(true, false, known, found, nullptr, limits))
    return finish(found, limits);
  score = kForbidden;
  return finish(decode_joint(attachments(), joint_, nullptr, limits), limits);
}

bool ChainProgram::reaches() const noexcept {
  return joint_.may_reach && !chain_.is_instance && has_whole() && !view_.parents &&
         view_.length > 0;
}

// Tells `pass` how the clique of whole-chain slot k will use the message it gets, so that the pass
// may leave out entries without effect (chain/joint.hpp explains steady part and reach). When
// a member joins column v, the potential changes by a number from middle(v) - half(v) to
// middle(v) + half(v), whatever the other members show (MemberMoves in potential/member_row.hpp).
// So the steady part of the entry for v is middle(v), and the rest of the change is at most half(v)
// in magnitude. The reach, the most by which the rest can differ between two columns, is the sum of
// the two greatest halves. Both are multiplied by the clique's strength. The reach is infinite, so
// that no entry is left out, if the clique has a centre or these bounds are not known.
void ChainProgram::set_reach(std::int32_t k, const Joint &pass) noexcept {
  const Clique &clique = clique_of(k);
  reach_[k] = kInfinity;
  if (clique.centred())
    return;
  const MemberMoves moves(*clique.potential(), clique.total(), clique.weight(slot(k).member));
  if (!moves.known())
    return;
  const double strength = inputs_->strength(slot(k).clique);
  double *steady = pass.steady(k).data();
  double half[2] = {0, 0}; // the greatest half, and the second greatest
  for (std::int32_t e = 0; e < pass.entries(k); ++e) {
    const MemberMoves::Steps steps = moves.of(pass.column(k, e));
    steady[e] = strength * steps.middle;
    half[1] = std::max(half[1], std::min(half[0], steps.half));
    half[0] = std::max(half[0], steps.half);
  }
  reach_[k] = strength * (half[0] + half[1]);
}

// Uses Joint::reach() to find the best labelling (`decodes`), to compute the messages of
// whole-chain slots (`sends`), or both. `known`: a labelling of the model with its scores, or NULL.
// Without `decodes`, `labels`, `shown` and `score` must hold the best labelling without messages,
// and are not changed. With `decodes`, sets `found` to true if some labelling is allowed, and
// *value, unless `value` is NULL, to the score of the best labelling with messages. Returns false
// if Joint::reach() cannot be used here or overflows; the caller must then use another program.
// True also if interrupted.
bool ChainProgram::within_reach(bool decodes, bool sends, const Assignment *known, bool &found,
                                double *value, Limits &limits) noexcept {
  if (!reaches())
    return false;
  if (value)
    *value = kForbidden;
  Layout layout(room_);
  Joint pass(layout, view_, attachments(), joint_, JointUse::reach, bound_);
  pass.prepare(&limits);
  const bool is_possible = pass.guide();
  if (limits.interruption() != Interruption::none)
    return true;
  const std::int32_t wholes = chain_.wholes();
  if (!is_possible) {
    for (std::int32_t k = 0; k < wholes && sends; ++k)
      std::fill_n(outgoing_row(k).data(), columns_of(k), kForbidden);
    return true;
  }
  for (std::int32_t k = 0; k < wholes && sends; ++k)
    set_reach(k, pass);
  const auto offer = [&]() noexcept {
    double total = score;
    for (std::int32_t t = 0; t < chain_.length && view_.added; ++t)
      total += view_.added[std::int64_t{t} * chain_.labels + labels.data()[t]];
    return pass.offer(labels, total, shown);
  };
  const auto take = [&]() noexcept {
    std::copy_n(pass.labelling.data(), chain_.length, labels.data());
    return show(limits);
  };
  // Offers the best labelling without messages, then the known labelling. If the two are equally
  // good, the known labelling is kept.
  if (decodes && !take())
    return true;
  bool is_offered = score > kForbidden && offer();
  if (known && known->phi(number_) > kForbidden) {
    known->get(number_, labels);
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      shown.data()[s] = known->shown(slot(s));
    score = known->phi(number_);
    if (offer())
      is_offered = true;
    else if (!take())
      return true;
  }
  const double offered = pass.offered();
  if (!pass.reach(span_of(sends ? reach_ : nullptr, wholes)))
    return limits.interruption() != Interruption::none;
  if (value)
    *value = pass.best();
  for (std::int32_t k = 0; k < wholes && sends; ++k)
    pass.write_message(k, outgoing_row(k));
  if (!decodes)
    return true;
  found = pass.best() > kForbidden;
  if (!found)
    score = kForbidden;
  if (!found || (is_offered && pass.best() - offered <= 1e-12 * std::fabs(offered)))
    return true;
  if (!pass.trace())
    return limits.interruption() != Interruption::none;
  take();
  return true;
}

bool ChainProgram::send(Limits &limits) noexcept {
  if (chain_.slots == 0)
    return finish(true, limits);
  if (chain_.is_instance) {
    send_instance();
    return finish(failure == RunFailure::none, limits);
  }
  add_positions(-1, limits);
  if (has_whole())
    send_whole(limits);
  if (has_positions() && failure == RunFailure::none) {
    find_marginals(false, limits);
    write_positions(limits);
  }
  return finish(failure == RunFailure::none, limits);
}

bool ChainProgram::decode_own(Limits &limits) noexcept {
  std::fill(incoming.data(), incoming.data() + incoming.size(), 0.0);
  score = kForbidden;
  if (chain_.is_instance)
    return finish(decode_instance(), limits);
  view_.added = nullptr;
  return finish(decode_plain(limits), limits);
}

bool ChainProgram::decode_and_send(bool own, const Assignment *known, Limits &limits) noexcept {
  if (chain_.is_instance || has_whole() || chain_.slots == 0 || view_.parents) {
    bool found = own && decode_own(limits);
    if (!own && reaches())
      add_positions(-1, limits);
    if (within_reach(!own, true, own ? nullptr : known, found, nullptr, limits)) {
      if (has_positions() && limits.interruption() == Interruption::none) {
        find_marginals(false, limits);
        write_positions(limits);
      }
      return finish(found, limits);
    }
    if (!own)
      found = decode(limits);
    if (failure == RunFailure::none && !interrupted_)
      send(limits);
    return finish(found, limits);
  }
  add_positions(-1, limits);
  score = kForbidden;
  Layout layout(room_);
  Placed<MaxMarginals> placed(layout, view_);
  if (!placed.scores.load(&limits) || !placed.program.sweep(placed.scores, slot(0).position))
    return finish(false, limits);
  for (std::int32_t s = 0; s < chain_.slots; ++s)
    if (const std::int32_t t = slot(s).position; s == 0 || t != slot(s - 1).position) {
      if (!limits.spend(8 + 4 * std::int64_t{chain_.labels}))
        return finish(false, limits);
      placed.program.write_row(placed.scores, t, own_marginals().row(t));
    }
  double best = 0;
  const bool found = placed.program.trace(placed.scores, labels, best);
  if (limits.interruption() != Interruption::none)
    return finish(false, limits);
  if (found && known && known->phi(number_) > kForbidden && known->has(chain_, labels))
    score = known->phi(number_);
  else if (found)
    show(limits);
  write_positions(limits);
  return finish(found, limits);
}

bool ChainProgram::decode_plain(Limits &limits) noexcept {
  Layout layout(room_);
  Placed<BestLabelling> placed(layout, view_);
  if (!placed.scores.load(&limits) || !placed.program.run(placed.scores))
    return false;
  std::copy_n(placed.program.labelling.data(), chain_.length, labels.data());
  return show(limits);
}

bool ChainProgram::decode_joint(const Attachments &of, const JointOptions &joint, double *value,
                                Limits &limits) noexcept {
  Layout layout(room_);
  Joint program(layout, view_, of, joint, JointUse::decoding, bound_);
  program.prepare(&limits);
  JointSummary summary;
  program.decode(summary);
  if (limits.interruption() != Interruption::none)
    return false;
  if (summary.outcome.overflow) {
    failure = RunFailure::of(RunFailure::Kind::state_space, number_);
    return false;
  }
  if (value)
    *value = summary.score;
  if (summary.score == kForbidden)
    return false;
  std::copy_n(program.labelling.data(), chain_.length, labels.data());
  if (!show(limits))
    return false;
  // With local scores, the labelling found may show a value whose message is minus infinity. Then
  // the chain counts as having no allowed labelling.
  double messages = 0;
  for (std::int32_t k = 0; k < chain_.wholes(); ++k) {
    const std::int32_t column = shown.data()[k];
    if (column < 0)
      return false;
    messages += incoming_row(k).data()[column];
  }
  return score > kForbidden && messages > kForbidden;
}

// Computes the messages of the slots at positions: max-marginals under all incoming rows, minus the
// slot's own row. Entries of minus infinity cannot be subtracted: if the slot's own row has such
// entries, another forward-backward pass leaves the row out.
void ChainProgram::write_positions(Limits &limits) noexcept {
  const std::int32_t m = chain_.labels;
  const auto forbids = [&](std::int32_t s) {
    const Clique &clique = clique_of(s);
    const std::int32_t member = slot(s).member;
    const double *row = incoming_row(s).data();
    bool any = false;
    for (std::int32_t y = 0; y < m; ++y)
      any |= row[clique.shows_labels(member) ? y : clique.column_of(member, y)] == kForbidden;
    return any;
  };
  const auto write = [&](std::int32_t s, bool subtract) {
    const Clique &clique = clique_of(s);
    const std::int32_t member = slot(s).member;
    const double *own = incoming_row(s).data();
    const double *from = marginals_ + std::int64_t{slot(s).position} * m;
    double *to = outgoing_row(s).data();
    if (subtract && clique.shows_labels(member) && columns_of(s) == m) {
      for (std::int32_t y = 0; y < m; ++y)
        to[y] = from[y] - own[y];
      return;
    }
    std::fill_n(to, columns_of(s), kForbidden);
    for (std::int32_t y = 0; y < m; ++y) {
      const std::int32_t v = clique.column_of(member, y);
      to[v] = std::max(to[v], subtract ? from[y] - own[v] : from[y]);
    }
  };
  bool again = false;
  for (std::int32_t s = chain_.wholes(); s < chain_.slots; ++s) {
    if (!limits.spend(16 + 4 * std::int64_t{m}))
      return;
    if (forbids(s))
      again = true;
    else
      write(s, true);
  }
  for (std::int32_t s = chain_.wholes(); again && s < chain_.slots; ++s) {
    if (!forbids(s))
      continue;
    add_positions(s, limits);
    find_marginals(false, limits);
    if (limits.interruption() != Interruption::none)
      return;
    write(s, false);
  }
}

void ChainProgram::run_marginals(const Matrix<double> &to, gsl::span<double> margins,
                                 Limits &limits) noexcept {
  Layout layout(room_);
  Placed<MaxMarginals> placed(layout, view_);
  if (placed.scores.load(&limits))
    placed.program.run(placed.scores, {to, {}, margins});
}

void ChainProgram::send_whole(Limits &limits) noexcept {
  Layout layout(room_);
  Joint program(layout, view_, attachments(), joint_, JointUse::messages, bound_);
  program.prepare(&limits);
  JointSummary summary;
  program.send({outgoing_rows_, to_size(chain_.wholes())}, summary);
  if (summary.outcome.overflow)
    failure = RunFailure::of(RunFailure::Kind::state_space, number_);
}

template <class Body>
double ChainProgram::with_forced(std::int32_t t, std::int32_t y, Limits &limits,
                                 Body &&body) noexcept {
  if (!view_.allows(t, y) || !limits.spend(chain_.length))
    return kForbidden;
  const std::int32_t *given = view_.forced;
  for (std::int32_t u = 0; u < chain_.length; ++u)
    forced_[u] = given ? given[u] : -1;
  forced_[t] = y;
  view_.forced = forced_;
  const double value = body();
  view_.forced = given;
  return value;
}

// Returns the best score, with messages, of a labelling with label y at t; minus infinity if there
// is none.
double ChainProgram::forced_value(std::int32_t t, std::int32_t y, Limits &limits) noexcept {
  return with_forced(t, y, limits, [&]() noexcept {
    Layout layout(room_);
    Joint program(layout, view_, attachments(), joint_, JointUse::decoding, bound_);
    program.prepare(&limits);
    JointSummary summary;
    program.decode(summary);
    if (summary.outcome.overflow)
      failure = RunFailure::of(RunFailure::Kind::state_space, number_);
    return summary.score;
  });
}

void ChainProgram::find_marginals(bool all, Limits &limits) noexcept {
  if (has_whole())
    find_joint_marginals(all, limits);
  else
    run_marginals(own_marginals(), {}, limits);
}

void ChainProgram::find_joint_marginals(bool all, Limits &limits) noexcept {
  const std::int32_t m = chain_.labels;
  JointOutcome outcome;
  outcome.pruned = true; // stays true for trees, whose max-marginals all come from separate decodes
  if (!view_.parents) {
    Layout layout(room_);
    Joint program(layout, view_, attachments(), joint_, JointUse::marginals, bound_);
    program.prepare(&limits);
    JointSummary summary;
    program.marginals(own_marginals(), summary);
    outcome = summary.outcome;
  }
  if ((!outcome.pruned && !outcome.overflow) || limits.interruption() != Interruption::none)
    return;
  if (view_.parents || outcome.overflow)
    std::fill_n(marginals_, std::int64_t{chain_.length} * m, kForbidden);
  std::int32_t s = chain_.wholes();
  for (std::int32_t t = 0; t < chain_.length; ++t) {
    if (!limits.spend(std::int64_t{chain_.labels}))
      return;
    while (s < chain_.slots && slot(s).position < t)
      ++s;
    if (!all && (s == chain_.slots || slot(s).position != t))
      continue;
    for (std::int32_t y = 0; y < m && failure == RunFailure::none; ++y)
      if (double &lost = marginals_[std::int64_t{t} * m + y]; lost == kForbidden)
        lost = forced_value(t, y, limits);
  }
}

bool ChainProgram::marginals(const Matrix<double> &to, gsl::span<double> margins,
                             Limits &limits) noexcept {
  Expects(!to || (to.rows >= chain_.length && to.columns >= chain_.labels));
  Expects(margins.empty() || margins.size() >= to_size(chain_.length));
  add_positions(-1, limits);
  if (!has_whole()) {
    run_marginals(to, margins, limits);
    return finish(failure == RunFailure::none, limits);
  }
  find_joint_marginals(true, limits);
  for (std::int32_t t = 0; t < chain_.length && failure == RunFailure::none; ++t) {
    if (!limits.spend(8 + 4 * std::int64_t{chain_.labels}))
      break;
    const double *row = marginals_ + std::int64_t{t} * chain_.labels;
    if (to)
      std::copy_n(row, chain_.labels, to.row(t).data());
    TwoBest top;
    for (std::int32_t y = 0; y < chain_.labels; ++y)
      top.add(row[y]);
    if (!margins.empty())
      margins.data()[t] = top.margin();
  }
  return finish(failure == RunFailure::none, limits);
}

bool ChainProgram::sum_joint(const LogSums &sums, const JointOptions &joint, bool &exact,
                             Limits &limits) noexcept {
  exact = joint.mode == CHORALE_JOINT_EXACT;
  if (view_.parents)
    return sum_joint_tree(sums, joint, limits);
  Layout layout(room_);
  Joint program(layout, view_, attachments(), joint, JointUse::sums, bound_);
  program.prepare(&limits);
  JointSummary summary;
  program.sums(sums, own_marginals(), summary);
  exact = summary.exact;
  return !summary.outcome.overflow && summary.lost <= kMostLost;
}

// For trees: computes for each label at each position the sum over the labellings that have it, by
// forcing this label.
bool ChainProgram::sum_joint_tree(const LogSums &sums, const JointOptions &joint,
                                  Limits &limits) noexcept {
  const std::int32_t m = chain_.labels;
  bool fits = true;
  for (std::int32_t t = 0; t < chain_.length; ++t)
    for (std::int32_t y = 0; y < m && fits; ++y)
      marginals_[std::int64_t{t} * m + y] = with_forced(t, y, limits, [&]() noexcept {
        Layout layout(room_);
        Joint program(layout, view_, attachments(), joint, JointUse::sums, bound_);
        JointSummary summary;
        program.prepare(&limits);
        program.sum(sums, summary);
        fits = !summary.outcome.overflow;
        return summary.score;
      });
  return fits;
}

bool ChainProgram::probabilities(double temperature, const Matrix<double> &to, bool &exact,
                                 Limits &limits) noexcept {
  const std::int32_t m = chain_.labels;
  Expects(chain_.length == 0 || (to && to.rows >= chain_.length && to.columns >= m));
  const LogSums sums(temperature);
  add_positions(-1, limits);
  exact = true;
  // Without slots there are no messages and no memory for marginals, so the results go to `to`
  // directly.
  const Matrix<double> rows = marginals_ ? own_marginals() : to;
  if (!has_whole()) {
    Layout layout(room_);
    Placed<MaxMarginals> placed(layout, view_);
    if (placed.scores.load(&limits))
      placed.program.run_sums(placed.scores, sums, rows);
  } else if (!sum_joint(sums, exactly(joint_), exact, limits) &&
             (view_.parents || !sum_joint(sums, thinned(joint_), exact, limits)) &&
             !sum_joint(sums, by_local_scores(joint_), exact, limits)) {
    failure = RunFailure::of(RunFailure::Kind::state_space, number_);
    return finish(false, limits);
  }
  bool found = true;
  for (std::int32_t t = 0; t < chain_.length && found; ++t)
    found =
        limits.spend(LogSums::kWork * m) && sums.to_probabilities(rows.row(t).first(to_size(m)));
  for (std::int32_t t = 0; t < chain_.length && found && marginals_; ++t)
    std::copy_n(rows.row(t).data(), m, to.row(t).data());
  return finish(found, limits);
}

bool ChainProgram::decode_instance() noexcept {
  score = kForbidden;
  for (std::int32_t s = 0; s < chain_.slots; ++s) {
    incoming_rows_[s] = incoming_row(s).data();
    widths_[s] = columns_of(s);
  }
  double own = kForbidden;
  const chorale_instance &instance = *chain_.instance();
  if (instance.decode(instance.user, chain_.slots, widths_, incoming_rows_, labels.data(),
                      shown.data(), &own) != 0) {
    failure = RunFailure::of(RunFailure::Kind::instance_stopped, number_);
    return false;
  }
  if (own == kForbidden)
    return false;
  bool fine = is_answer(own);
  for (std::int32_t s = 0; s < chain_.slots; ++s)
    fine = fine && shown.data()[s] >= 0 && shown.data()[s] < columns_of(s);
  for (std::int32_t t = 0; t < chain_.length; ++t)
    fine = fine && labels.data()[t] >= 0 && labels.data()[t] < chain_.labels;
  if (!fine)
    failure = RunFailure::of(RunFailure::Kind::instance_value, number_);
  score = own;
  return fine;
}

void ChainProgram::send_instance() noexcept {
  for (std::int32_t s = 0; s < chain_.slots; ++s) {
    incoming_rows_[s] = incoming_row(s).data();
    outgoing_rows_[s] = outgoing_row(s).data();
    widths_[s] = columns_of(s);
  }
  double *const first = outgoing.data();
  double *const last = first + outgoing.size();
  std::fill(first, last, kForbidden);
  const chorale_instance &instance = *chain_.instance();
  if (instance.messages(instance.user, chain_.slots, widths_, incoming_rows_, outgoing_rows_) != 0)
    failure = RunFailure::of(RunFailure::Kind::instance_stopped, number_);
  if (!std::all_of(first, last, is_answer))
    failure = RunFailure::of(RunFailure::Kind::instance_value, number_);
}

// ---- Cliques with the chain as their only member -----------------------------------------------

// True if a labelling may fire a value that has no column, since a dictionary without UNLISTED
// lacks it. Decodes with messages do not find such labellings, so they cannot prove that there is
// none.
bool ChainProgram::may_fire_outside() const noexcept {
  for (std::int32_t k = 0; k < chain_.wholes(); ++k)
    if (const Dictionary *of = clique_of(k).dictionary(); of && !of->has_unlisted)
      return true;
  return false;
}

// Fills the incoming row of a slot whose clique has no other member: minus infinity for the values
// that the potential forbids, 0 for all others. False if interrupted or on failure.
bool ChainProgram::fill_alone(std::int32_t s, Limits &limits) noexcept {
  const Clique &clique = clique_of(s);
  const std::int64_t K = clique.columns();
  const gsl::span<double> row = incoming_row(s);
  if (!limits.spend(8 * K))
    return false;
  for (std::int32_t c = 0; c < clique.centre_values(); ++c) {
    if (!limits.spend(4 * K))
      return false;
    row.data()[c] = clique.potential_at(c).evaluate_empty(0);
  }
  if (!clique.centred()) {
    Layout layout(room_);
    const auto others = layout.take_span<std::int64_t>(K);
    const auto varied = layout.take_span<std::int64_t>(K);
    std::fill_n(others.data(), K, std::int64_t{0});
    CallbackFailure failed = CallbackFailure::none;
    if (!fill_member_row(*clique.potential(), others, clique.full_total, clique.weight(0),
                         varied, row, &failed, &limits))
      return false;
    if (failed != CallbackFailure::none)
      failure = RunFailure::of(failed, clique);
  }
  std::transform(row.data(), row.data() + row.size(), row.data(),
                 [](double entry) { return entry == kForbidden ? kForbidden : 0.0; });
  return failure == RunFailure::none;
}

// True if `incoming` and the chain are proven to forbid every labelling.
bool ChainProgram::forbids_all(Limits &limits) noexcept {
  double value = 0;
  return bound(&value, limits) && value == kForbidden;
}

bool ChainProgram::is_shut_out(Limits &limits) noexcept {
  bool is_broken = false;
  bool any = false;
  for (std::int32_t s = 0; s < chain_.slots; ++s) {
    if (!limits.spend(8))
      return finish(false, limits);
    if (!clique_of(s).may_forbid_alone())
      continue;
    if (!std::exchange(any, true))
      std::fill_n(incoming.data(), incoming.size(), 0.0);
    if (!fill_alone(s, limits))
      return finish(false, limits);
    const std::int32_t column = shown.data()[s];
    is_broken = is_broken || (column >= 0 && incoming_row(s).data()[column] == kForbidden);
  }
  return is_broken && !may_fire_outside() && forbids_all(limits);
}

std::int32_t ChainProgram::shutting_slot(Limits &limits) noexcept {
  std::fill_n(incoming.data(), incoming.size(), 0.0);
  for (std::int32_t s = 0; s < chain_.slots; ++s)
    if (clique_of(s).may_forbid_alone() && fill_alone(s, limits) && forbids_all(limits))
      return s;
  return -1;
}

bool ChainProgram::bound(double *value, Limits &limits, const Assignment *known) noexcept {
  *value = kForbidden;
  bool found = false;
  if (chain_.is_instance) {
    found = decode_instance();
  } else {
    add_positions(-1, limits);
    if (has_whole())
      *value = bound_joint(known, limits);
    else
      found = decode_plain(limits);
  }
  if (found) {
    *value = score;
    for (std::int32_t s = 0; s < chain_.slots; ++s)
      *value += incoming_row(s).data()[shown.data()[s]];
  }
  return finish(failure == RunFailure::none, limits);
}

// bound() for a chain with properties: returns the bound. If the joint states exceed the budget,
// the bound is the best score under the first property alone plus the greatest incoming entry of
// each other property; plus infinity if even the first property has too many states.
double ChainProgram::bound_joint(const Assignment *known, Limits &limits) noexcept {
  double value = kForbidden;
  bool found = false;
  if (within_reach(true, false, known, found, &value, limits))
    return value;
  score = kForbidden;
  decode_joint(attachments(), exactly(joint_), &value, limits);
  if (failure == RunFailure::none || limits.interruption() != Interruption::none)
    return value;
  failure = RunFailure::none;
  decode_joint(attachments(1), exactly(joint_), &value, limits);
  if (failure != RunFailure::none) {
    failure = RunFailure::none;
    return kInfinity;
  }
  for (std::int32_t k = 1; k < chain_.wholes() && value > kForbidden; ++k)
    value += *std::max_element(incoming_row(k).data(), incoming_row(k).data() + columns_of(k));
  return value;
}

} // namespace chorale
