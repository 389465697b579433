// regroup.hpp explains the words used here.
#include "cluster/run/regroup.hpp"

#include "base/random.hpp"
#include "cluster/run/improve.hpp"
#include "potential/clique_potential.hpp"

#include <algorithm>
#include <limits>

namespace chorale {
namespace {

// Models with more than this many slots and chains together are not searched, since an interrupted
// search evaluates its labelling before it returns.
constexpr std::int64_t kMostSearched = 1 << 20;
// Cliques with more members than this are not shifted, and a change in them does not queue the chains
// of their other members.
constexpr std::int32_t kMostShifted = 256;
// A shift concerns at most kMostSpread cliques, and a move has at most kMostShifts after the first.
constexpr std::int64_t kMostSpreadLog = 6;
constexpr std::int64_t kMostSpread = 1 << kMostSpreadLog;
constexpr std::int64_t kMostShifts = 4;
// A move that changes more chains than this, or queues more at once, is given up.
constexpr std::int64_t kMostMoved = 1 << 12;
// Limits of the search, multiplied by the effort. A *visit* is the number of steps
// (GroupMoves::cost) of improving once each chain that has a member in a clique where moves begin.
// The search ends after kVisitsInAll visits in all, or when the steps since the latest gain exceed
// those before it by kVisitsAlone visits, or by kMostAlone steps if these are fewer.
constexpr double kVisitsAlone = 200;
constexpr double kMostAlone = 1 << 22;
constexpr double kVisitsInAll = 1000;
// The effort if the caller gives none. The search then takes at most kMostAlone steps in all.
constexpr double kUsualEffort = 0.4;
// Searches of models with crowded cliques (is_crowded) begin with moves of all members of a clique
// to one value, one for each of at most kMostWide values. The limits above do not end the search
// before these moves.
constexpr std::int32_t kMostWide = 16;

bool is_searched(const Model &model) noexcept {
  return model.slots.size() > model.closed_slots &&
         model.slots.size() + model.chains.size() <= kMostSearched;
}

// True if the clique has more than two members for each chain of the model, so that some chain has
// three or more. Messages treat the members in one chain as if they were independent, so runs may
// converge far from the optimum. False in a model of one chain, where there are no moves of several
// chains.
bool is_crowded(const Model &model, const Clique &clique) noexcept {
  return model.chains.size() > 1 && clique.members > 2 * model.chains.size();
}

// True if all potentials of the clique are convex SUMs. Messages then rarely end far from the optimum.
bool is_convex(const Clique &clique) noexcept {
  for (std::int32_t c = 0; c < std::max(clique.centre_values(), 1); ++c)
    if (!CliqueKind(clique.potential_at(c), clique.total()).convex)
      return false;
  return true;
}

// Draws moves and does them on RunState::now, which equals `best` between two moves.
class GroupMoves {
public:
  GroupMoves(const Setting &setting, RunState &state) noexcept
      : setting_(setting), model_(setting.model), state_(state), course_(state.course.regroup),
        worker_(setting.worker(0)), layout_(setting.rooms.behind(setting.rooms.bytes().chain)),
        memory_(layout_, model_) {}

  // Lists the cliques in which moves begin. `all`: all that are not closed. Otherwise the crowded
  // cliques, and those with a potential that is not convex if their messages have not converged, or if
  // the polish raised the score of converged rounds: where neither holds, the labelling is nearly always
  // best.
  void list(bool all) noexcept {
    const Standing &standing = state_.standing;
    const bool any = standing.converged && standing.local_search_score > standing.rounds_score;
    for (std::int32_t c = 0; c < model_.cliques.size(); ++c) {
      const Clique clique = setting_.inputs.clique(c);
      if (clique.closed() || clique.all_members() == 0)
        continue;
      const bool open = all || ((any || state_.clique_needs.data()[c] != 0) && !is_convex(clique));
      const bool crowded = is_crowded(model_, clique);
      if (crowded)
        wide_ = std::max(wide_, std::min(clique.columns(), kMostWide));
      if (open || crowded)
        memory_.begins.data()[begins_++] = c;
      any_open_ = any_open_ || open;
    }
  }

  bool has_any() const noexcept { return begins_ > 0; }
  // True if only moves of all members of a clique to one value are likely to gain.
  bool only_wide() const noexcept { return !any_open_; }
  // Returns how many moves of all members of a clique to one value the search begins with.
  std::int32_t wide() const noexcept { return wide_; }

  // Prepares moves from RunState::best. Stores in `visit` the steps of a visit (see kVisitsInAll). False
  // if interrupted.
  bool start(double &visit) noexcept {
    for (WorkList *list : {&memory_.touched, &memory_.forced, &memory_.region})
      list->initialise();
    memory_.queue.initialise();
    state_.now.copy(state_.best);
    if (!memory_.counts.count(model_, state_.now, worker_.limits))
      return false;
    // Here `touched` is scratch: it lists the chains that have a member in a clique where moves
    // begin, so that each counts once.
    for (std::int64_t k = 0; k < begins_; ++k) {
      const Clique clique = model_.cliques[memory_.begins.data()[k]];
      for (std::int32_t i = 0; i < clique.all_members(); ++i)
        memory_.touched.add(model_.chain_of(clique, i));
    }
    visit = 0;
    for (const std::int32_t chain : memory_.touched)
      visit += static_cast<double>(cost(model_.chains[chain]));
    memory_.touched.clear();
    return true;
  }

  // Does one move. True if it is kept; otherwise it is undone, also if the call must end.
  bool move() noexcept {
    gain_ = {};
    bool done = false;
    for (std::int64_t left = 1 + draw_halved(kMostShifts); left > 0; --left) {
      const Shift shift = draw();
      course_.spent += 1;
      if (shift.to >= 0)
        done = force(shift);
      memory_.region.clear();
      if (!done)
        break;
    }
    done = done && settle() && release() && settle();
    const bool kept = done && gain_.total > 1e-12 * gain_.magnitude;
    close(kept);
    return kept;
  }

private:
  // Returns the steps of improving a chain, as they are counted in RegroupCourse::spent.
  static std::int64_t cost(const Chain &chain) noexcept {
    return std::int64_t{4} + chain.length + chain.slots;
  }

  std::int64_t random(std::int64_t below) noexcept { return draw_below(course_.random, below); }

  // Returns a random clique of the chain of a random member of the given clique.
  std::int32_t near(std::int32_t number) noexcept {
    const Clique &clique = model_.cliques[number];
    const std::int32_t chain = model_.chain_of(
        clique, static_cast<std::int32_t>(random(clique.all_members())));
    return model_.clique_of(model_.chains[chain].first_slot + random(model_.chains[chain].slots));
  }

  bool may_shift(const Clique &clique) const noexcept {
    return !clique.closed() && clique.all_members() <= kMostShifted;
  }

  // Draws a shift and the cliques that it concerns (RegroupMemory::region). The first shift of a
  // move begins at any clique of `begins`, each further one near the clique of the shift before.
  // shift.to is -1 if the draw gave none.
  Shift draw() noexcept {
    const std::int32_t number = last_ =
        !memory_.touched.empty() ? near(last_) : memory_.begins.data()[random(begins_)];
    const Clique clique = model_.cliques[number];
    const auto member = static_cast<std::int32_t>(random(clique.all_members()));
    Shift shift{ShiftKind::one, &memory_.region, member, state_.now.shown(clique, member), -1};
    if (!may_shift(clique) || shift.from < 0)
      return shift;
    memory_.region.add(number);
    if (course_.moves < wide_) {
      shift.kind = ShiftKind::all;
      shift.to = course_.moves < clique.columns() ? static_cast<std::int32_t>(course_.moves) : -1;
      spread(kMostSpread);
      return shift;
    }
    std::int32_t to = static_cast<std::int32_t>(random(clique.width(member)));
    if (member < clique.members) {
      shift.kind = static_cast<ShiftKind>(random(4));
      // Values that other members show are drawn more often.
      if (random(2) == 0)
        to = state_.now.shown(clique, static_cast<std::int32_t>(random(clique.members)));
    }
    shift.to = to == shift.from ? -1 : to;
    if (shift.kind != ShiftKind::one)
      spread(random(2) == 0 ? 0 : 1 << draw_halved(kMostSpreadLog));
    return shift;
  }

  // Returns each k below `most` with probability 2^-(k + 1), otherwise `most`.
  std::int64_t draw_halved(std::int64_t most) noexcept {
    std::int64_t k = 0;
    while (k < most && random(2) == 0)
      ++k;
    return k;
  }

  // Makes the shift concern up to `tries` more cliques, each near one that it concerns already, and
  // with as many columns as the first.
  void spread(std::int64_t tries) noexcept {
    WorkList &region = memory_.region;
    const std::int32_t columns = model_.cliques[region[0]].columns();
    const std::int64_t most = std::min(model_.cliques.size(), kMostSpread);
    for (; tries > 0 && region.size() < most; --tries) {
      const std::int32_t number = near(region[random(region.size())]);
      const Clique &clique = model_.cliques[number];
      if (may_shift(clique) && clique.columns() == columns)
        region.add(number);
    }
  }

  // Forces the members that the shift concerns. False if the move is given up: a member cannot be
  // forced, too many chains change, or no shift of the move has forced any yet.
  bool force(const Shift &shift) noexcept {
    for (const std::int32_t number : memory_.region)
      if (!force_clique(shift, model_.cliques[number]))
        return false;
    return !memory_.touched.empty();
  }

  bool force_clique(const Shift &shift, const Clique &clique) noexcept {
    const std::int32_t first = shift.kind == ShiftKind::one ? shift.member : 0;
    const std::int32_t end = shift.kind == ShiftKind::one ? first + 1 : clique.members;
    for (std::int32_t i = first; i < end; ++i) {
      const std::int32_t chain = model_.chain_of(clique, i);
      // A chain is forced once in a move, at all its slots that the shift concerns.
      if (memory_.forced.has(chain) ||
          shift.wanted(i, state_.now.shown(clique, i)) < 0 || state_.own.lacks(chain))
        continue;
      course_.spent += cost(model_.chains[chain]);
      const Improvement found =
          improve_chain(setting_, state_.own, state_.now, memory_.counts, chain, true, worker_, &shift);
      if (!found.gains || !set(chain, found))
        return false;
      memory_.forced.add(chain);
    }
    return true;
  }

  // Lets the forced chains be improved too: queues them. False if the move is given up.
  bool release() noexcept {
    for (const std::int32_t chain : memory_.forced)
      if (!memory_.queue.push(chain))
        return false;
    memory_.forced.clear();
    return true;
  }

  // Queues a chain, unless the move forced it or it is left out. False if the queue is full.
  bool queue(std::int32_t chain) noexcept {
    return memory_.forced.has(chain) || state_.own.lacks(chain) || memory_.queue.push(chain);
  }

  // Improves the chains of the queue until it is empty. False if the move is given up.
  bool settle() noexcept {
    while (!memory_.queue.empty()) {
      const std::int32_t chain = memory_.queue.front();
      memory_.queue.pop();
      course_.spent += cost(model_.chains[chain]);
      const Improvement found =
          improve_chain(setting_, state_.own, state_.now, memory_.counts, chain, true, worker_);
      if (was_cut_short(setting_, worker_) || (found.gains && !set(chain, found)))
        return false;
    }
    return true;
  }

  // Sets the labels of a chain in `now`, and queues the chains that may gain because of that. False if
  // the move is given up.
  bool set(std::int32_t chain, const Improvement &found) noexcept {
    if (!memory_.touched.has(chain) && memory_.touched.size() == kMostMoved)
      return false;
    memory_.touched.add(chain);
    gain_.total += found.after.total - found.before.total;
    gain_.magnitude += found.after.magnitude + found.before.magnitude;
    bool fits = true;
    memory_.counts.set_chain(
        model_, chain, state_.now, found.labels, found.shown, found.score,
        [&](const Slot &slot) noexcept {
          const Clique &clique = model_.cliques[slot.clique];
          const std::int32_t members = clique.all_members() > kMostShifted ? 0 : clique.all_members();
          for (std::int32_t i = 0; fits && i < members; ++i)
            if (const std::int32_t other = model_.chain_of(clique, i); other != chain)
              fits = queue(other);
        });
    return fits;
  }

  // Ends a move: makes `best` equal to `now` if it is kept, otherwise `now` equal to `best`.
  void close(bool kept) noexcept {
    for (const std::int32_t chain : memory_.touched)
      if (kept)
        state_.best.take_chain(chain, state_.now);
      else
        memory_.counts.take_chain(model_, chain, state_.now, state_.best, [](const Slot &) {});
    memory_.touched.clear();
    memory_.forced.clear();
    memory_.queue.clear();
  }

  const Setting &setting_;
  const Model &model_;
  RunState &state_;
  RegroupCourse &course_;
  Worker &worker_;
  Layout layout_;
  RegroupMemory memory_;
  MeasuredSum gain_;          // of the move: its total, and the magnitude of all terms that changed
  std::int64_t begins_ = 0;   // number of cliques in which moves begin
  bool any_open_ = false;
  std::int32_t wide_ = 0;     // see wide()
  std::int32_t last_ = 0;     // clique of the shift drawn most recently
};

} // namespace

RegroupMemory::RegroupMemory(Layout &layout, const Model &model) noexcept {
  if (!is_searched(model))
    return;
  const std::int64_t chains = model.chains.size();
  const std::int64_t cliques = model.cliques.size();
  const std::int64_t most = std::min(chains, kMostMoved);
  counts = CountStore(layout, model);
  queue = ChainQueue(layout, chains, most);
  touched = WorkList(layout, chains);
  forced = WorkList(layout, chains, most);
  begins = layout.take_span<std::int32_t>(cliques);
  region = WorkList(layout, cliques, std::min(cliques, kMostSpread));
}

void Regroup::run() noexcept {
  RegroupCourse &course = state_.course.regroup;
  Standing &standing = state_.standing;
  const bool is_given = setting_.options.effort > 0;
  if (!is_searched(setting_.model) || !state_.found() ||
      closes_gap(state_.best.total(), state_.best.magnitude, standing.upper_bound))
    return;
  GroupMoves moves(setting_, state_);
  moves.list(is_given);
  if (!moves.has_any())
    return;
  if (!course.started) {
    course = {};
    course.started = true;
  }
  double visit = 0;
  if (!moves.start(visit)) {
    setting_.check(0);
    return;
  }
  const double effort = is_given ? setting_.options.effort : kUsualEffort;
  const double alone = moves.only_wide() ? 0 : effort * std::min(kVisitsAlone * visit, kMostAlone);
  const double most = is_given ? std::numeric_limits<double>::infinity() : kMostAlone;
  const double in_all = std::min(effort * kVisitsInAll * visit, most);
  const auto goes_on = [&]() noexcept {
    const auto spent = static_cast<double>(course.spent);
    const auto gained_at = static_cast<double>(course.gained_at);
    return course.moves < moves.wide() || (spent < in_all && spent - gained_at < alone + gained_at);
  };
  bool changed = false;
  while (goes_on()) {
    const RegroupCourse before = course;
    if (!setting_.check(0))
      break;
    const bool kept = moves.move();
    ++course.moves;
    changed = changed || kept;
    if (was_cut_short(setting_, setting_.worker(0))) {
      setting_.call.check(setting_.worker(0));
      course = before;
      break;
    }
    setting_.call.finish_step();
    if (kept)
      course.gained_at = course.spent;
  }
  if (changed)
    evaluation_.renew_best(state_.tally.rounds);
  if (setting_.call.must_end())
    return;
  course = {};
  standing.is_regrouped = true;
}

} // namespace chorale
