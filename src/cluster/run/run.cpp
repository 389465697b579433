// Memory of a run, and what it starts from.
#include "cluster/run/run.hpp"

#include "potential/recolumn.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace chorale {
namespace {

// Messages below so many bytes keep all their digits.
constexpr std::size_t kSmallMessages = std::size_t{1} << 18;
// Chains that propose at a time in the polish: so many labels, a share of all where these are few,
// so that what they propose weighs little beside what the run remembers.
constexpr std::int64_t kProposals = 1 << 17;
constexpr std::int64_t kProposedShare = 16;
constexpr std::int64_t kLeastBatch = 64;
constexpr std::int64_t kMostBatch = 4096;
// So many properties of a chain fit into a key whatever they are.
constexpr std::int32_t kAlwaysFit = 2 * kKeyWords;

std::size_t aligned(std::size_t bytes) noexcept {
  const std::size_t padded = saturating_sum(bytes, kAlignment - 1);
  return padded == SIZE_MAX ? SIZE_MAX : padded / kAlignment * kAlignment;
}

std::int32_t most_columns(const Model &model) noexcept {
  std::int32_t most = 1;
  for (const Clique &clique : model.cliques)
    most = std::max(most, clique.columns());
  return most;
}

} // namespace

RunMemory::RunMemory(Layout &layout, const Model &model, const RunOptions &options) noexcept
    : own(layout, model), best(layout, model), now(layout, model),
      to_chain(layout, model.message_count, model.members.size(), options.messages),
      to_clique(layout, model.message_count, model.members.size(), options.messages),
      chain_needs(layout.take<std::uint8_t>(model.chains.size())),
      clique_needs(layout.take<std::uint8_t>(model.cliques.size())),
      bounds(options.bound_steps > 0
                 ? layout.take<double>(model.cliques.size() + model.chains.size())
                 : nullptr),
      order(nullptr), disagreement(nullptr), gathered(nullptr),
      workers(layout.take<Worker>(options.executor.workers)) {
  if (options.schedule == CHORALE_SCHEDULE_DISAGREEMENT) {
    std::int32_t members = 0;
    for (const Clique &clique : model.cliques)
      members = std::max(members, clique.all_members());
    order = layout.take<std::int32_t>(model.cliques.size());
    disagreement = layout.take<std::int32_t>(model.cliques.size());
    gathered = layout.take<std::int32_t>(members);
  }
}

PolishMemory::PolishMemory(Layout &layout, const Model &model) noexcept {
  std::int32_t longest = 0;
  std::int32_t most_wholes = 0;
  for (const Chain &chain : model.chains) {
    longest = std::max(longest, chain.length);
    most_wholes = std::max(most_wholes, chain.wholes());
  }
  const auto share = [](std::int64_t all, std::int64_t least, std::int64_t most) {
    return std::max(least, std::min(most, all / kProposedShare));
  };
  longest += longest % 2;
  proposal_labels = share(model.chains.sites(), longest, kProposals);
  proposal_wholes = share(model.wholes.size(), most_wholes, kProposals);
  batch_chains = std::min(model.chains.size(), share(model.chains.size(), kLeastBatch, kMostBatch));
  counts = CountStore(layout, model);
  changed_at = layout.take<std::int32_t>(model.cliques.size());
  visited_at = layout.take<std::int32_t>(model.chains.size());
  proposed_labels = LabelStore(layout, proposal_labels, model.most_labels, model.pairs_labels);
  proposed_wholes = layout.take<std::int32_t>(proposal_wholes);
  batch = layout.take<Proposal>(batch_chains);
}

double score_of_clique(const Clique &clique, const Assignment &of, std::int64_t *counts,
                       CallbackFailure *failure) noexcept {
  *failure = CallbackFailure::none;
  count_columns(clique, counts, [&](std::int32_t i) noexcept { return of.shown(clique, i); });
  const std::int32_t centre = clique.centred() ? of.shown(clique, clique.members) : 0;
  return clique_score(clique, counts, centre, failure);
}

} // namespace chorale

using namespace chorale;

chorale_run::~chorale_run() {
  for (const KeptColumns &columns : kept)
    release(columns.potential);
  release(model);
}

ChainView chorale_run::view_of(std::int32_t chain) const noexcept {
  if (!replaced.empty()) {
    const Replaced *at_chain =
        std::lower_bound(replaced.begin(), replaced.end(), chain,
                         [](const Replaced &a, std::int32_t b) { return a.chain < b; });
    if (at_chain != replaced.end() && at_chain->chain == chain)
      return at_chain->view;
  }
  return model->chains[chain].view();
}

std::size_t chorale_run::measure_chain(std::int32_t chain) const noexcept {
  Layout layout;
  const ChainProgram program(layout, *model, chain, view_of(chain), options.joint);
  return saturating_sum(saturating_sum(layout.bytes(), program.room_bytes()),
                        std::max(polish_bytes(*model, chain), repair_bytes(*model, chain)));
}

std::size_t chorale_run::count_bytes() const noexcept {
  return aligned(saturating_product(static_cast<std::size_t>(most_columns(*model)),
                                    sizeof(std::int64_t)));
}

std::size_t chorale_run::value_bytes() const noexcept {
  return static_cast<std::size_t>(std::min(model->cliques.size(), kScoredCliques)) * sizeof(double);
}

RoomBytes chorale_run::measure_rooms() const noexcept {
  RoomBytes bytes;
  for (std::int32_t i = 0; i < model->chains.size(); ++i)
    bytes.chain = std::max(bytes.chain, measure_chain(i));
  bytes.chain = std::max(bytes.chain, saturating_sum(count_bytes(), value_bytes()));
  bytes.worker = bytes.chain;
  Clique before{};
  for (std::int64_t c = 0; c < model->cliques.size(); ++c) {
    const Clique &clique = model->cliques[c];
    const KeptColumns *columns = kept.empty() || kept[c].count == 0 ? nullptr : &kept[c];
    // Cliques of equal shape come in rows.
    if (before.type && !columns && !clique.centred() &&
        before.potential() == clique.potential() && before.members == clique.members)
      continue;
    before = columns ? Clique{} : clique;
    Layout layout;
    const CliqueProgram program(layout, clique, options.clique, columns);
    // Before the columns are known that a clique keeps, room to gather all.
    if (options.restrict_range && kept.empty() && clique.property())
      for (int k = 0; k < 2; ++k)
        layout.take<double>(std::int64_t{clique.members} * clique.columns());
    bytes.worker = std::max(bytes.worker, saturating_sum(layout.bytes(), program.room_bytes()));
  }
  bytes.chain = aligned(bytes.chain);
  bytes.worker = aligned(bytes.worker);
  return bytes;
}

std::size_t chorale_run::all_rooms(const RoomBytes &bytes) const noexcept {
  Layout polish;
  const PolishMemory measured(polish, *model);
  Layout repair;
  const RepairMemory measured_repair(repair, *model);
  const std::size_t last = std::max({bytes.worker, saturating_sum(bytes.chain, polish.bytes()),
                                     saturating_sum(bytes.chain, repair.bytes())});
  return saturating_sum(saturating_product(bytes.worker,
                                           static_cast<std::size_t>(options.executor.workers) - 1),
                        last);
}

bool chorale_run::make_rooms(const RoomBytes &bytes) noexcept {
  const std::size_t all = all_rooms(bytes);
  if (all == SIZE_MAX)
    return false;
  Block grown(memory, all);
  if (!grown)
    return false;
  rooms.swap(grown);
  room_bytes = bytes;
  for (std::int32_t w = 0; w < options.executor.workers; ++w)
    at.workers[w].room = rooms.data() + static_cast<std::size_t>(w) * bytes.worker;
  return true;
}

// The widest with which model, run and scores stay within twice the bytes of the scores; 16 bits
// where none does. What this weighs does not depend on how the run is carried out: one worker, no
// bound.
void chorale_run::choose_messages() noexcept {
  if (options.messages != MessageNumber::automatic)
    return;
  options.messages = MessageNumber::float64;
  const std::size_t all =
      saturating_product(2 * sizeof(double), static_cast<std::size_t>(model->message_count));
  if (all < kSmallMessages || model->score_bytes == 0)
    return;
  // A reweighed model has its chains from another one, and stores messages as that one does.
  const Model &holder = model->base ? *model->base : *model;
  const std::int32_t workers = std::exchange(options.executor.workers, 1);
  const std::size_t rooms_of_one = all_rooms(measure_rooms());
  options.executor.workers = workers;
  const std::size_t others =
      saturating_sum(saturating_sum(holder.bytes(), sizeof(chorale_run)), rooms_of_one);
  RunOptions lean = options;
  lean.executor.workers = 1;
  lean.bound_steps = 0;
  for (const MessageNumber number : {MessageNumber::float64, MessageNumber::float32,
                                     MessageNumber::magnitude16, MessageNumber::magnitude8}) {
    lean.messages = options.messages = number;
    Layout layout;
    const RunMemory measured(layout, *model, lean);
    if (saturating_sum(others, layout.bytes()) <= model->score_bytes + holder.copied_score_bytes)
      return;
  }
  options.messages = MessageNumber::magnitude16;
}

std::size_t chorale_run::estimate() const noexcept {
  Layout layout;
  const RunMemory measured(layout, *model, options);
  std::size_t bytes = std::max<std::size_t>(layout.bytes(), 1); // no block is empty
  if (options.bound_steps > 0) {
    Layout more;
    const DualMemory measured_dual(more, *model);
    bytes = saturating_sum(bytes, std::max<std::size_t>(more.bytes(), 1));
  }
  // Columns that are kept grow by halves; a potential over some of them is no larger than the
  // whole.
  if (options.restrict_range) {
    bytes += static_cast<std::size_t>(model->cliques.size()) * sizeof(KeptColumns);
    std::size_t columns = 8;
    for (const Clique &clique : model->cliques)
      if (clique.property()) {
        columns += static_cast<std::size_t>(clique.columns());
        bytes += sizeof(Potential) + clique.potential()->storage.bytes() +
                 static_cast<std::size_t>(clique.columns());
      }
    bytes += columns * 2 * sizeof(std::int32_t);
  }
  return saturating_sum(saturating_sum(bytes, sizeof(chorale_run)), all_rooms(measure_rooms()));
}

bool chorale_run::prepare() noexcept {
  Layout measure;
  const RunMemory measured(measure, *model, options);
  if (measure.bytes() == SIZE_MAX)
    return false;
  block = Block(memory, measure.bytes());
  if (!block)
    return false;
  Layout layout(block.data());
  at = RunMemory(layout, *model, options);
  for (std::int32_t w = 0; w < options.executor.workers; ++w)
    new (at.workers + w) Worker();
  if (!make_rooms(measure_rooms()))
    return false;
  if (options.bound_steps > 0) {
    Layout more;
    const DualMemory measured_dual(more, *model);
    dual_block = Block(memory, more.bytes());
    if (!dual_block)
      return false;
    Layout place(dual_block.data());
    dual = DualMemory(place, *model);
  }
  reset();
  return true;
}

// How many configurations are alive does not depend on messages, with two exceptions: properties
// that are absorbed remember more where EMPTY is forbidden (the best configurations are kept then),
// and bounds on what can win, which spare the exact mode some, depend on all scores.
bool chorale_run::fits_joint_state(std::int32_t number) noexcept {
  const Chain &chain = model->chains[number];
  const bool tries = options.joint.mode == CHORALE_JOINT_EXACT ||
                     options.joint.mode == CHORALE_JOINT_ABSORPTION;
  if (chain.is_instance || chain.wholes() == 0 || (!tries && chain.wholes() <= kAlwaysFit))
    return true;
  JointOptions strict = options.joint;
  strict.is_strict = true;
  Layout layout(at.workers[0].room);
  ChainProgram program(layout, *model, number, view_of(number), strict);
  if (!program.fits())
    return false;
  if (!tries)
    return true;
  program.set_room(at.workers[0].room + layout.bytes());
  std::fill_n(program.incoming, program.row_entries, 0.0);
  Limits none;
  program.decode(none);
  if (program.failure == RunFailure::none)
    program.send(none);
  return program.failure == RunFailure::none;
}

std::int32_t chorale_run::try_joint_states() noexcept {
  for (std::int32_t i = 0; i < model->chains.size(); ++i)
    if (!fits_joint_state(i))
      return i;
  options.joint.is_strict = false;
  return -1;
}

bool chorale_run::restrict_ranges() noexcept {
  const std::int64_t cliques = model->cliques.size();
  if (!options.restrict_range || cliques == 0)
    return true;
  if (!kept.resize(cliques))
    return false;
  std::fill(kept.begin(), kept.end(), KeptColumns{});
  Array<std::int32_t> fired(memory);
  for (std::int64_t c = 0; c < cliques; ++c) {
    const Clique &clique = model->cliques[c];
    if (!clique.property() || !may_leave_out(*clique.potential()))
      continue;
    fired.truncate(0);
    bool fits = true;
    bool all = false; // an instance may show anything
    for (std::int32_t i = 0; i < clique.members && fits && !all; ++i) {
      const std::int32_t chain = model->chain_of(clique, i);
      all = model->chains[chain].is_instance != 0;
      if (all)
        break;
      Layout layout(at.workers[0].room);
      ChainProgram program(layout, *model, chain, view_of(chain), options.joint);
      program.set_room(at.workers[0].room + layout.bytes());
      Limits none;
      if (!program.decode_own(none)) {
        fail(program.failure);
        continue;
      }
      const WholeSlot &whole = model->wholes[-1 - model->site(clique, i)];
      const Attached attached{clique.property(), clique.numbering(),
                              whole.classes,     whole.table,
                              nullptr,           model->chains[chain].length};
      attached.each_firing(program.labels, model->chains[chain].view().parents,
                           [&](std::int32_t value) {
                             if (const std::int32_t v = attached.number(value); v >= 0)
                               fits = fits && fired.push(v);
                           });
    }
    fits = fits && fired.push(clique.columns() - 2) && fired.push(clique.columns() - 1);
    if (!fits)
      return false;
    std::sort(fired.begin(), fired.end());
    fired.truncate(std::unique(fired.begin(), fired.end()) - fired.begin());
    if (all || fired.size() == clique.columns())
      continue;
    const Potential *potential = recolumn(memory, *clique.potential(), fired.begin(),
                                          static_cast<std::int32_t>(fired.size()));
    if (!potential)
      return false;
    kept[c] = {nullptr, static_cast<std::int32_t>(fired.size()), potential};
    for (const std::int32_t v : fired)
      if (!kept_columns.push(v))
        return false;
  }
  const std::int32_t *next = kept_columns.begin();
  for (KeptColumns &columns : kept) {
    columns.columns = next;
    next += columns.count;
  }
  const RoomBytes bytes = measure_rooms();
  return bytes.worker <= room_bytes.worker || make_rooms(bytes);
}

void chorale_run::reset() noexcept {
  replaced.truncate(0);
  at.to_chain.clear();
  at.to_clique.clear();
  for (std::int64_t i = 0; i < model->chains.size(); ++i)
    at.chain_needs[i] =
        static_cast<std::uint8_t>(kNeedsOwn | (model->chains[i].slots > 0 ? kNeedsUpdate : 0));
  for (std::int64_t c = 0; c < model->cliques.size(); ++c)
    at.clique_needs[c] = model->cliques[c].all_members() > 0 ? 1 : 0;
  for (Assignment *assignment : {&at.own, &at.best, &at.now}) {
    assignment->chain_total = kForbidden;
    assignment->clique_total = 0;
  }
  pending = true;
  infeasible = converged = has_labelling = is_polished = false;
  zero_messages = true;
  has_unit = false;
  rounds = best_round = messages_changed = chain_updates = clique_updates = 0;
  own_score = rounds_score = polished_score = polished_own_score = kForbidden;
  forget_bound();
  dual_started = false;
  course = {};
  stop.store(0, std::memory_order_relaxed);
  failure.store(RunFailure::none, std::memory_order_relaxed);
}

void chorale_run::forget_bound() noexcept {
  upper_bound = dual_bound = kInfinity;
  dual_pace = 1;
  dual_stalled = 0;
}

// Positions, properties and scores of a labelling of one chain that is there already.
void chorale_run::judge_chain(Assignment &of, std::int32_t number) noexcept {
  Layout layout(at.workers[0].room);
  ChainProgram program(layout, *model, number, view_of(number), options.joint);
  of.get(number, program.labels);
  Limits none;
  program.show(none);
  of.set(number, program.labels, program.shown, program.score);
}

void chorale_run::start_from(const chorale_run &earlier) noexcept {
  const bool same_model = earlier.model == model;
  const std::int64_t cliques = model->cliques.size();
  const std::int64_t chains = model->chains.size();
  zero_messages = false;
  if (same_model) {
    has_unit = earlier.has_unit;
    at.to_chain.set_unit(earlier.at.to_chain.unit());
    at.to_clique.set_unit(earlier.at.to_clique.unit());
  } else {
    choose_unit();
  }
  double *row = reinterpret_cast<double *>(at.workers[0].room);
  for (std::int64_t c = 0; c < cliques; ++c) {
    const Clique &clique = model->cliques[c];
    const Clique &from = earlier.model->cliques[c];
    if (!from.has_columns_of(clique) || from.members != clique.members ||
        from.centre_values() != clique.centre_values())
      continue;
    for (std::int32_t i = 0; i < clique.all_members(); ++i) {
      earlier.at.to_chain.load(from.row_place(i), from.width(i), row);
      at.to_chain.write(clique.row_place(i), clique.width(i), row);
      earlier.at.to_clique.load(from.row_place(i), from.width(i), row);
      at.to_clique.write(clique.row_place(i), clique.width(i), row);
    }
  }
  if (!same_model || !earlier.replaced.empty()) {
    if (!earlier.has_labelling)
      return;
    // Of what cannot be taken over the chains' own labellings take the place, once they are known.
    for (std::int32_t i = 0; i < chains; ++i) {
      const Chain &chain = model->chains[i];
      const Chain &from = earlier.model->chains[i];
      at.best.score[i] = at.now.score[i] = kForbidden;
      if (chain.is_instance || from.is_instance || chain.length != from.length ||
          chain.labels != from.labels)
        continue;
      for (std::int32_t t = 0; t < chain.length; ++t)
        at.best.labels.set(chain.first_label + t, earlier.at.best.labels.get(from.first_label + t));
      judge_chain(at.best, i);
    }
    fill_in_own = true;
    has_labelling = true;
    return;
  }
  at.own.copy(earlier.at.own);
  at.best.copy(earlier.at.best);
  at.now.copy(earlier.at.now);
  std::copy_n(earlier.at.chain_needs, chains, at.chain_needs);
  std::copy_n(earlier.at.clique_needs, cliques, at.clique_needs);
  drop_round();
  zero_messages = earlier.zero_messages;
  pending = earlier.pending;
  infeasible = earlier.infeasible;
  converged = earlier.converged;
  has_labelling = earlier.has_labelling;
  is_polished = earlier.is_polished;
  best_round = earlier.best_round;
  own_score = earlier.own_score;
  rounds_score = earlier.rounds_score;
  polished_score = earlier.polished_score;
  polished_own_score = earlier.polished_own_score;
  upper_bound = earlier.upper_bound;
}

Replacement chorale_run::replace(std::int32_t chain, const ChainView &view) noexcept {
  Replaced *place = std::lower_bound(replaced.begin(), replaced.end(), chain,
                                     [](const Replaced &a, std::int32_t b) { return a.chain < b; });
  const std::int64_t index = place - replaced.begin();
  const bool there = place != replaced.end() && place->chain == chain;
  const Replaced before = there ? *place : Replaced{};
  if (there) {
    *place = {chain, view};
  } else {
    if (!replaced.push({chain, view}))
      return Replacement::no_memory;
    std::rotate(replaced.begin() + index, replaced.end() - 1, replaced.end());
  }
  const std::size_t bytes = aligned(measure_chain(chain));
  Replacement result = Replacement::done;
  if (bytes > room_bytes.chain && !make_rooms({bytes, std::max(bytes, room_bytes.worker)}))
    result = Replacement::no_memory;
  else if (!fits_joint_state(chain))
    result = Replacement::state_space;
  if (result != Replacement::done) {
    if (there) {
      replaced[index] = before;
    } else {
      std::rotate(replaced.begin() + index, replaced.begin() + index + 1, replaced.end());
      replaced.truncate(replaced.size() - 1);
    }
    return result;
  }
  at.chain_needs[chain] = static_cast<std::uint8_t>(
      at.chain_needs[chain] | kNeedsOwn | (model->chains[chain].slots > 0 ? kNeedsUpdate : 0));
  if (has_labelling) {
    judge_chain(at.best, chain);
    judge_chain(at.now, chain);
  }
  pending = true;
  converged = infeasible = is_polished = false;
  drop_round();
  course = {};
  forget_bound();
  return result;
}
