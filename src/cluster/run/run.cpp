// run.hpp explains the words used here.
#include "cluster/run/run.hpp"

#include "cluster/run/closed.hpp"
#include "cluster/run/dual.hpp"
#include "cluster/run/edits.hpp"
#include "cluster/run/message_unit.hpp"
#include "cluster/run/polish.hpp"
#include "cluster/run/regroup.hpp"
#include "cluster/run/repair.hpp"
#include "cluster/run/rounds.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace chorale {
namespace {

// If all messages together, as doubles, need fewer bytes than this, they are stored as doubles.
constexpr std::size_t kSmallMessages = std::size_t{1} << 18;

// Lays out the state, the memory of the inputs and the Worker structs.
void place(Layout &layout, const Model &model, const RunOptions &options, RunState &state,
           Inputs &inputs, gsl::span<Worker> &workers) noexcept {
  state = RunState(layout, model, options);
  workers = layout.take_span<Worker>(options.executor.workers);
  inputs.take(layout, options.edits, options.restrict_range);
}

// Returns the bytes that place() lays out.
std::size_t state_bytes(const Model &model, const RunOptions &options) noexcept {
  Layout layout;
  RunState state;
  Inputs inputs(Memory(), model);
  gsl::span<Worker> workers;
  place(layout, model, options, state, inputs, workers);
  return layout.bytes();
}

} // namespace
} // namespace chorale

using namespace chorale;

chorale_run::chorale_run(const Memory &from, const Model &of, const RunOptions &with) noexcept
    : memory(from), model(retain(&of)), options(with), inputs(from, of),
      rooms(from, of, options, inputs), setting_{of, options, inputs, rooms, call} {
  // Joint::reach() (chain/joint.hpp) gives only bounds for entries far below the greatest entry
  // of a message. With restricted columns a clique may need such entries.
  options.joint.may_reach = !options.restrict_range &&
                            (options.joint.mode == CHORALE_JOINT_AUTO ||
                             options.joint.mode == CHORALE_JOINT_EXACT);
  inputs.expect_edits(options.edits);
}

chorale_run::~chorale_run() { release(model); }

// ---- Memory ------------------------------------------------------------------------------------

// Chooses doubles if messages are few (kSmallMessages), or if, with doubles, model, run and scores
// together need at most twice the memory of the scores; otherwise 16 bits. Assumes one worker, no
// bound and no edits, so that these options change neither the format nor the results.
void chorale_run::choose_messages() noexcept {
  if (options.messages != CHORALE_MESSAGES_AUTO)
    return;
  options.messages = CHORALE_MESSAGES_FLOAT64;
  const std::size_t all =
      saturating_product(2 * sizeof(double), static_cast<std::size_t>(model->message_count));
  if (all < kSmallMessages || model->score_bytes == 0)
    return;
  // A derived model shares the chains of its base model (exchange.hpp). The memory of the base model is
  // counted in its place, so that runs of both use the same format.
  const Model *holder = model;
  while (holder->base)
    holder = holder->base;
  const std::int32_t workers = std::exchange(options.executor.workers, 1);
  const bool edits = inputs.expect_edits(false);
  const std::size_t rooms_of_one = rooms.total(rooms.measure());
  inputs.expect_edits(edits);
  options.executor.workers = workers;
  const std::size_t others =
      saturating_sum(saturating_sum(holder->bytes(), sizeof(chorale_run)), rooms_of_one);
  RunOptions lean = options;
  lean.executor.workers = 1;
  lean.bound_steps = 0;
  lean.edits = false;
  if (saturating_sum(others, state_bytes(*model, lean)) >
      model->score_bytes + holder->copied_score_bytes)
    options.messages = CHORALE_MESSAGES_MAGNITUDE16;
}

std::size_t chorale_run::estimate() const noexcept {
  const std::size_t bytes =
      std::max<std::size_t>(state_bytes(*model, options), 1); // 0 bytes are allocated as 1
  return saturating_sum(saturating_sum(bytes, sizeof(chorale_run)), rooms.total(rooms.measure()));
}

bool chorale_run::prepare() noexcept {
  const std::size_t bytes = state_bytes(*model, options);
  if (bytes == SIZE_MAX)
    return false;
  block_ = Block(memory, bytes);
  if (!block_)
    return false;
  Layout layout(block_.data());
  place(layout, *model, options, state, inputs, rooms.workers);
  for (Worker &worker : rooms.workers)
    new (&worker) Worker();
  inputs.restore_all();
  if (!rooms.make(rooms.measure()))
    return false;
  reset();
  return true;
}

// True unless the joint program of a chain exceeds its budget in the modes EXACT and LOCAL_SCORES.
// Tests the budget without messages, since messages rarely change the number of configurations. They
// may change it in two cases: properties with local scores have more configurations if their message
// forbids EMPTY (if these exceed the budget, a beam keeps only the best), and pruning in the mode EXACT
// depends on all scores.
bool chorale_run::fits_joint_state(std::int32_t number) noexcept {
  const Chain &chain = model->chains[number];
  const bool tries = options.joint.mode == CHORALE_JOINT_EXACT ||
                     options.joint.mode == CHORALE_JOINT_LOCAL_SCORES;
  if (chain.is_instance || chain.wholes() == 0 || !tries)
    return true;
  JointOptions strict = options.joint;
  strict.is_strict = true;
  Layout layout(rooms.workers[0].room);
  ChainProgram program(layout, *model, inputs, number, strict);
  program.set_room(rooms.workers[0].room + layout.bytes());
  std::fill_n(program.incoming.data(), program.incoming.size(), 0.0);
  Limits none;
  program.decode(none);
  if (program.failure == RunFailure::none)
    program.send(none);
  return program.failure == RunFailure::none;
}

std::int32_t chorale_run::try_joint_states() noexcept {
  for (std::int32_t i = 0; !model->wholes.empty() && i < model->chains.size(); ++i)
    if (!fits_joint_state(i))
      return i;
  options.joint.is_strict = false;
  return -1;
}

// ---- Restricted ranges -------------------------------------------------------------------------

// Sets kept[v] to 1 for each column v whose value some member fires in its best labelling without
// messages. Returns true if a member is an instance, since it may show any column.
bool chorale_run::find_fired(std::int32_t clique, gsl::span<std::uint8_t> kept) noexcept {
  for (std::int32_t i = 0; i < model->cliques[clique].members; ++i) {
    const Slot slot = model->member(clique, i);
    if (model->chains[slot.chain].is_instance)
      return true;
    PlacedChain placed(setting_, rooms.workers[0].room, slot.chain);
    Limits none;
    if (!placed.program.decode_own(none)) {
      call.fail(placed.program.failure);
      continue;
    }
    const Attached attached = model->attached(slot);
    attached.each_firing(placed.program.labels, model->chains[slot.chain].view().all_parents(),
                         [&](std::int32_t value) {
                           if (const std::int32_t v = attached.number(value); v >= 0)
                             kept.data()[v] = 1;
                         });
  }
  return false;
}

void chorale_run::restrict_ranges() noexcept {
  for (std::int32_t c = 0; options.restrict_range && c < model->cliques.size(); ++c) {
    if (!model->cliques[c].property())
      continue;
    const gsl::span<std::uint8_t> kept = inputs.keep_columns(c);
    std::fill_n(kept.data(), kept.size() - 2, std::uint8_t{0});
    std::fill_n(kept.data() + kept.size() - 2, 2, std::uint8_t{1}); // EMPTY and CONFLICT
    if (find_fired(c, kept))
      std::fill_n(kept.data(), kept.size(), std::uint8_t{1});
  }
}

// ---- Starts ------------------------------------------------------------------------------------

void chorale_run::reset() noexcept {
  inputs.restore_all();
  state.reset(*model);
  call.forget();
}

// From the labels of a chain in `of`, computes its phi and the columns that its whole-chain slots
// show.
void chorale_run::judge_chain(Assignment &of, std::int32_t number) noexcept {
  if (of.lacks(number))
    return; // the chain has no labels
  Layout layout(rooms.workers[0].room);
  const auto labels = layout.take_span<std::int32_t>(model->chains[number].length);
  of.get(number, labels);
  of.judge(number, inputs.view_of(number), labels);
}

// Copies the messages of the cliques that have the same columns and equally many members and values of
// the centre in both models.
void chorale_run::copy_messages(const chorale_run &earlier) noexcept {
  for (std::int64_t c = 0; c < model->cliques.size(); ++c) {
    const Clique &clique = model->cliques[c];
    const Clique &from = earlier.model->cliques[c];
    if (clique.closed() || from.closed() || !from.has_columns_of(clique) ||
        from.members != clique.members || from.centre_values() != clique.centre_values())
      continue;
    for (std::int32_t i = 0; i < clique.all_members(); ++i) {
      Layout layout(rooms.workers[0].room);
      const auto row = layout.take_span<double>(clique.width(i));
      earlier.state.to_chain.load(from.row(i), row);
      state.to_chain.write(clique.row(i), row);
      earlier.state.to_clique.load(from.row(i), row);
      state.to_clique.write(clique.row(i), row);
    }
  }
}

// Copies the labels of the chains that have the same length and number of labels in both models.
// Round 0 fills in the others and the instances, whose phi becomes minus infinity.
void chorale_run::copy_labels(const chorale_run &earlier) noexcept {
  state.best.labels.clear();
  for (std::int32_t i = 0; i < model->chains.size(); ++i) {
    const Chain &chain = model->chains[i];
    const Chain &from = earlier.model->chains[i];
    if (chain.is_instance || from.is_instance || chain.length != from.length ||
        chain.labels != from.labels) {
      state.best.set_phi(i, kForbidden);
      continue;
    }
    for (std::int32_t t = 0; t < chain.length; ++t)
      state.best.labels.set(chain.first_label + t,
                            earlier.state.best.labels.get(from.first_label + t));
    judge_chain(state.best, i);
  }
  state.go_on_from_best();
}

void chorale_run::set_labels(gsl::span<const std::int32_t> labels) noexcept {
  state.leave_edits();
  state.take_back_aside();
  for (std::int32_t i = 0; i < model->chains.size(); ++i) {
    const std::size_t length = to_size(model->chains[i].length);
    const gsl::span<const std::int32_t> given = labels.first(length);
    if (model->chains[i].is_instance || std::count(given.data(), given.data() + length, -1) > 0)
      state.best.set_phi(i, kForbidden);
    else
      state.best.judge(i, inputs.view_of(i), given);
    labels = labels.subspan(length);
  }
  state.go_on_from_best();
}

void chorale_run::start_from(const chorale_run &earlier) noexcept {
  const bool same_model = earlier.model == model;
  state.standing.zero_messages = false;
  state.standing.has_unit = same_model ? earlier.state.standing.has_unit : true;
  state.set_unit(same_model ? earlier.state.to_chain.unit() : message_unit(*model, inputs));
  copy_messages(earlier);
  if (same_model && !earlier.inputs.replaces_any())
    state.take_over(earlier.state, *model, inputs);
  else if (earlier.state.standing.has_labelling)
    copy_labels(earlier);
}

Replacement chorale_run::replace(std::int32_t chain, const ChainView &view) noexcept {
  const bool was_replaced = inputs.replaces(chain);
  const ChainView before = inputs.view_of(chain);
  if (!inputs.replace(chain, view))
    return Replacement::no_memory;
  const bool has_room = rooms.make_for(chain);
  if (!has_room || !fits_joint_state(chain)) {
    if (was_replaced)
      inputs.replace(chain, before);
    else
      inputs.restore(chain);
    return has_room ? Replacement::state_space : Replacement::no_memory;
  }
  renew_chain(chain);
  return Replacement::done;
}

// Prepares the run for the next step or solve after scores or allowed labels of a chain have
// changed.
void chorale_run::renew_chain(std::int32_t chain) noexcept {
  if (state.is_settled())
    Edits(setting_, state).note_chain(chain);
  else
    state.replaced_scores();
  std::uint8_t &needs = state.chain_needs.data()[chain];
  needs = static_cast<std::uint8_t>(kNeedsOwn | (needs & kNeedsUpdate) |
                                    (model->chains[chain].slots > 0 ? kNeedsUpdate : 0));
  if (!state.standing.has_labelling)
    return;
  judge_chain(state.best, chain);
  judge_chain(state.now, chain);
  if ((options.edits || state.best.is_partial) && state.best.phi(chain) == kForbidden)
    state.standing.fill_in_own = true;
}

void chorale_run::set_allowed(std::int32_t chain, std::int32_t position,
                              gsl::span<const std::uint8_t> allowed) noexcept {
  inputs.set_allowed(chain, position, allowed);
  renew_chain(chain);
}

void chorale_run::set_strength(std::int32_t clique, double factor) noexcept {
  inputs.set_strength(clique, factor);
  if (state.is_settled())
    Edits(setting_, state).note_clique(clique);
  else
    state.replaced_scores();
  if (model->cliques[clique].all_members() > 0)
    state.clique_needs.data()[clique] = kAnswersNow;
}

// ---- Work --------------------------------------------------------------------------------------

bool chorale_run::step() noexcept {
  state.leave_edits();
  state.course.settling = Settling::none;
  return Rounds(setting_, state).step();
}

// In a run with edits, prepares a complete solution for them (Edits::settle), if the call has time
// left and no chain is left out. after: the kind of the call. If limits end the preparation, the
// next call of this kind does it, by resumes().
void chorale_run::settle(Settling after) noexcept {
  const bool settles = options.edits && !call.must_end() && !state.standing.pending &&
                       has_result() && state.found() && state.standing.left_out == 0;
  state.course.settling =
      settles && !Edits(setting_, state).settle() ? after : Settling::none;
}

// If limits ended the last call of this kind while it prepared a solution for edits, prepares it and
// returns true: nothing else is left of that call.
bool chorale_run::resumes(Settling kind) noexcept {
  if (state.course.settling != kind)
    return false;
  settle(kind);
  return true;
}

void chorale_run::solve() noexcept {
  Course &course = state.course;
  const Standing &standing = state.standing;
  if (standing.infeasible && !standing.pending) {
    course.solving = false;
    return;
  }
  if (resumes(Settling::solve))
    return;
  if (state.edits && Edits(setting_, state).serves())
    switch (Edits(setting_, state).run()) {
    case EditEnd::stopped:
      return;
    case EditEnd::done:
      course.solving = true;
      course.rounds_left = 0;
      break;
    case EditEnd::whole:
      break;
    }
  do {
    if (!course.solving) {
      course.solving = true;
      course.rounds_left = options.rounds;
      state.standing.alternation = {};
    }
    Rounds rounds(setting_, state);
    while (standing.pending || course.round.stage != RoundStage::none ||
           (course.rounds_left > 0 && !standing.at_end())) {
      state.leave_edits();
      if (!rounds.step()) {
        course.solving = call.must_end();
        return;
      }
    }
    if (course.dual.stage == DualStage::none) {
      if (options.polish && !standing.is_polished) {
        state.leave_edits();
        Polish(setting_, state).run();
      }
      if (!call.must_end())
        Repair(setting_, state).run();
    }
  } while (standing.pending && !call.must_end()); // the repair has set chains aside
  if (course.dual.stage == DualStage::none && options.polish && options.effort >= 0 &&
      !standing.is_regrouped && !call.must_end()) {
    state.leave_edits();
    Regroup(setting_, state).run();
  }
  if (options.bound_steps > 0 && !call.must_end()) {
    state.leave_edits();
    Dual(setting_, state).run(options.bound_steps);
  }
  course.solving = call.must_end() && !standing.pending;
  settle(Settling::solve);
}

void chorale_run::polish() noexcept {
  if (resumes(Settling::polish))
    return;
  do {
    if (state.standing.pending && !step())
      return;
    state.leave_edits();
    if (state.course.repair.stage == RepairStage::none)
      Polish(setting_, state).run();
    if (!call.must_end())
      Repair(setting_, state).run();
  } while (state.standing.pending && !call.must_end()); // the repair has set chains aside
  settle(Settling::polish);
}

void chorale_run::tighten(std::int64_t steps) noexcept {
  if (resumes(Settling::bound))
    return;
  if (state.standing.pending && !step())
    return;
  state.leave_edits();
  Dual(setting_, state).run(steps);
  settle(Settling::bound);
}

RunFailure chorale_run::chain_marginals(std::int32_t chain, const Matrix<double> &marginals,
                                        gsl::span<double> margins) noexcept {
  if (model->is_closed(model->chains[chain]))
    return closed_marginals(setting_, state, chain,
                            marginals ? marginals.row(0) : gsl::span<double>(), margins.data());
  PlacedChain placed(setting_, rooms.workers[0].room, chain);
  Limits none;
  placed.load(state.to_chain, none);
  placed.program.marginals(marginals, margins, none);
  return placed.program.failure;
}

RunFailure chorale_run::chain_probabilities(std::int32_t chain, double temperature,
                                            const Matrix<double> &probabilities, bool &exact,
                                            bool &found) noexcept {
  if (model->is_closed(model->chains[chain])) {
    exact = true;
    return closed_probabilities(setting_, state, chain, temperature, probabilities.row(0), found);
  }
  PlacedChain placed(setting_, rooms.workers[0].room, chain);
  Limits none;
  placed.load(state.to_chain, none);
  found = placed.program.probabilities(temperature, probabilities, exact, none);
  return placed.program.failure;
}
