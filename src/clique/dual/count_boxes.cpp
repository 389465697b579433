// count_boxes.hpp explains the words used here.
#include "clique/dual/count_boxes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace chorale {
namespace {

constexpr std::int64_t kRootSteps = 300; // default limit of subgradient steps at the root
constexpr std::int64_t kNodeSteps = 60;  // default limit at other nodes

} // namespace

CountBoxes::CountBoxes(Layout &layout, const Instance &instance,
                       const SolveOptions &options) noexcept
    : instance_(&instance), dual_(layout, instance.members, instance.columns),
      ascent_(layout, instance), flow_(layout, instance),
      plan_(layout, instance.members, instance.columns),
      pool_(layout, instance.members, instance.columns, options.node_pool),
      path_(layout.take<Cut>(std::int64_t{instance.columns} *
                             (std::bit_width(static_cast<std::uint32_t>(instance.members)) + 1))),
      prices_(layout.take_span<double>(instance.members)),
      root_prices_(layout.take_span<double>(instance.members)),
      labelling_(layout.take<std::int32_t>(instance.members)),
      own_row_(layout.take<double>(instance.columns)),
      magnitudes_(layout.take<double>(product_of_counts(instance.members, instance.columns))),
      counts_(layout.take<std::int32_t>(instance.columns)) {}

bool CountBoxes::Search::must_stop() noexcept {
  if (options.node_limit > 0 && nodes >= options.node_limit)
    node_limit_hit = true;
  return node_limit_hit || !limits.spend(in.members) || interrupted();
}

bool CountBoxes::Search::reaches_gap(double bound) const noexcept {
  return incumbent.found() && closes_gap(incumbent.score, incumbent.magnitude, bound, options.gap);
}

bool CountBoxes::is_fixed() const noexcept {
  return std::equal(dual_.lo(), dual_.lo() + instance_->columns, dual_.hi());
}

double CountBoxes::bound_box(Search &s, double inherited) noexcept {
  const std::int64_t own_limit = s.nodes == 0 ? kRootSteps : kNodeSteps;
  const std::int64_t limit = s.options.iteration_limit > 0 ? s.options.iteration_limit : own_limit;
  ++s.nodes;
  if (s.interrupted())
    return inherited;
  if (!dual_.tighten_box())
    return kForbidden;
  double bound = inherited;
  if (!is_fixed()) {
    bound = std::min(inherited, ascent_.run(dual_, s.in, prices_, s.incumbent, s.cutoff,
                                            s.options.gap, limit, false, s.limits, &s.closed));
    if (bound <= s.cutoff.level)
      return bound;
    if (!is_fixed())
      return instance_->potential.convex ? bound : plan_counts(s, bound);
  }
  const double score = flow_.transport(s.in.scores, s.in.by_column(dual_.lo()), s.limits);
  if (s.interrupted())
    return bound;
  if (score == kForbidden)
    return kForbidden;
  ascent_.offer(s.in, flow_.assignment(), s.incumbent, s.cutoff);
  return std::min(bound, score + s.in.clique_score(s.in.by_column(dual_.lo())));
}

// Returns the lower of two upper bounds on a box: `bound`, that of the dual, and that of CountPlan
// (count_plan.hpp), which allows only counts that add up to n. Minus infinity if the box has no
// such counts. Returns `bound` if CountPlan would take too long, or if interrupted. Also offers the
// best labelling with CountPlan's counts as an incumbent. Called for tables that are not convex;
// most effective where counts are forbidden.
double CountBoxes::plan_counts(Search &s, double bound) noexcept {
  if (!plan_.is_cheap(dual_))
    return bound;
  const double planned = plan_.solve(dual_, s.limits);
  if (s.interrupted())
    return bound;
  if (planned == kForbidden)
    return kForbidden;
  bound = std::min(bound, planned + dual_.price_sum() + dual_.rounding());
  if (bound > s.cutoff.level && flow_.transport(s.in.scores, plan_.counts(), s.limits) > kForbidden)
    ascent_.offer(s.in, flow_.assignment(), s.incumbent, s.cutoff);
  return bound;
}

void CountBoxes::save_node(std::int64_t slot) noexcept {
  const std::int64_t K = instance_->columns;
  std::copy(dual_.lo(), dual_.lo() + K, pool_.lo(slot).data());
  std::copy(dual_.hi(), dual_.hi() + K, pool_.hi(slot).data());
  copy_within(*instance_, prices_.data(), instance_->members, pool_.prices(slot).data());
}

void CountBoxes::push_halves(std::int64_t slot, double bound, std::int32_t column,
                             std::int32_t at) noexcept {
  const std::int64_t other = pool_.acquire();
  save_node(slot);
  save_node(other);
  pool_.hi(slot).data()[column] = at;
  pool_.lo(other).data()[column] = at + 1;
  pool_.push(slot, bound);
  pool_.push(other, bound);
}

double CountBoxes::search(Search &s, gsl::span<const double> prices,
                          gsl::span<double> root_prices) noexcept {
  const std::int64_t n = instance_->members;
  pool_.clear();
  dual_.load(s.in);
  copy_within(s.in, prices.data(), n, prices_.data());
  const std::int64_t root = pool_.acquire();
  save_node(root);
  pool_.push(root, kInfinity);

  while (!pool_.empty()) {
    const double highest = pool_.highest();
    if (highest <= s.cutoff.level) {
      s.closed = std::max(s.closed, highest);
      break;
    }
    const double open = std::max(s.closed, highest);
    if (s.reaches_gap(open) || s.must_stop())
      return open;
    const std::int64_t slot = pool_.pop();
    const bool at_root = s.nodes == 0;
    dual_.restrict_to(pool_.lo(slot), pool_.hi(slot));
    copy_within(s.in, pool_.prices(slot).data(), n, prices_.data());
    const double bound = bound_box(s, highest);
    if (at_root && root_prices.data())
      copy_within(s.in, prices_.data(), n, root_prices.data());
    if (bound <= s.cutoff.level) {
      s.closed = std::max(s.closed, bound);
      pool_.release(slot);
      continue;
    }
    std::int32_t at = 0;
    const std::int32_t column = s.interrupted() ? -1 : ascent_.branch_column(dual_, &at);
    if (column < 0)
      return std::max(bound, pool_.empty() ? s.closed : std::max(s.closed, pool_.highest()));
    if (pool_.room() > 0) {
      push_halves(slot, bound, column, at);
      continue;
    }
    save_node(slot);
    if (!search_depth_first(s, slot, bound))
      return std::max(bound, pool_.empty() ? s.closed : std::max(s.closed, pool_.highest()));
    pool_.release(slot);
  }
  s.complete = true;
  return s.closed;
}

// The box of a node in the subtree is the box in `slot` cut by every branching on path_. Each cut
// halves the range of one column's count. This is the range that the earlier cuts have left, not
// the smaller range after reductions (CountDual::reduce()). So the length of path_ is bounded.
bool CountBoxes::search_depth_first(Search &s, std::int64_t slot, double bound) noexcept {
  std::int64_t depth = 0;
  double value = bound;
  for (;;) {
    if (value > s.cutoff.level && !s.reaches_gap(value)) {
      std::int32_t at = 0;
      const std::int32_t column = s.interrupted() ? -1 : ascent_.branch_column(dual_, &at);
      if (column < 0)
        return false;
      std::int32_t lo = pool_.lo(slot).data()[column];
      std::int32_t hi = pool_.hi(slot).data()[column];
      for (std::int64_t d = 0; d < depth; ++d)
        if (path_[d].column == column)
          (path_[d].upper ? lo : hi) = path_[d].at + (path_[d].upper ? 1 : 0);
      path_[depth++] = {column, lo + (hi - lo) / 2, true, false};
    } else {
      s.closed = std::max(s.closed, value);
      while (depth > 0 && path_[depth - 1].both)
        --depth;
      if (depth == 0)
        return true;
      path_[depth - 1].upper = false;
      path_[depth - 1].both = true;
    }
    if (s.must_stop())
      return false;
    dual_.restrict_to(pool_.lo(slot), pool_.hi(slot));
    for (std::int64_t d = 0; d < depth; ++d) {
      const Cut &cut = path_[d];
      if (cut.upper)
        dual_.lo()[cut.column] = std::max(dual_.lo()[cut.column], cut.at + 1);
      else
        dual_.hi()[cut.column] = std::min(dual_.hi()[cut.column], cut.at);
    }
    value = bound_box(s, bound);
  }
}

void CountBoxes::run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept {
  const Instance &in = *instance_;
  const Incumbent incumbent = incumbent_of(solution);
  start_prices(in, root_prices_);
  Search s{in, options, limits, incumbent, cutoff_for(in, incumbent)};
  ascent_.reset_steps();
  const double bound = search(s, root_prices_, root_prices_);
  solution.score = s.incumbent.score;
  solution.iterations += ascent_.steps();
  solution.nodes += s.nodes;
  solution.node_limit_hit = s.node_limit_hit;
  if (s.complete && !s.interrupted() && !s.incumbent.found()) {
    solution.infeasible = true;
    return;
  }
  solution.bound = std::min(solution.bound, std::max(bound, solution.score));
}

// Raises the messages to the scores of `labelling`, which scores `score`, and of all labellings
// that differ from it in the column of one member. A message leaves out the score of its member.
void CountBoxes::note_labelling(gsl::span<const std::int32_t> labelling, double score,
                                Matrix<double> messages) noexcept {
  const std::int64_t K = instance_->columns;
  const std::int32_t *const assignment = labelling.data();
  const double *const *f = instance_->potential.tables;
  if (!instance_->count(labelling, instance_->by_column(counts_)))
    return;
  const MeasuredSum members = instance_->member_sum(labelling);
  if (instance_->interrupted())
    return;
  const double clique = score - members.total;
  Pace pace(*instance_, 8 + 4 * K, instance_->members);
  for (std::int64_t i = 0; i < instance_->members && pace.next(); ++i) {
    const std::int32_t u = assignment[i];
    const double own = instance_->score(i, u);
    double *to = messages.row(i).data();
    const double left = f[u][counts_[u] - 1] - f[u][counts_[u]];
    for (std::int64_t v = 0; v < K; ++v) {
      const double gain = v == u ? 0.0 : left + (f[v][counts_[v] + 1] - f[v][counts_[v]]);
      if (const double message = (score - own) + gain; message > to[v]) {
        to[v] = message;
        magnitudes_[i * K + v] = (members.magnitude - std::fabs(own)) + std::fabs(clique + gain);
      }
    }
  }
}

bool CountBoxes::messages(const SolveOptions &options, Limits &limits, Solution &solution,
                          Matrix<double> messages) noexcept {
  const std::int64_t n = instance_->members;
  const std::int64_t K = instance_->columns;
  if (!clear_messages(*instance_, messages))
    return false;
  SolveOptions exact = options;
  exact.gap = -1;
  run(exact, limits, solution);
  if (solution.found())
    note_labelling(solution.assignment, solution.score, messages);
  if (!solution.proven() && !solution.infeasible)
    return false;

  Instance in = *instance_; // shares the scores
  bool all_exact = true;
  for (std::int32_t i = 0; i < n; ++i) {
    double *const row = in.scores + i * K;
    std::copy_n(row, K, own_row_);
    if (!limits.spend(8 * K))
      return false;
    for (std::int32_t v = 0; v < K; ++v) {
      double &message = messages.row(i).data()[v];
      double &magnitude = magnitudes_[std::int64_t{i} * K + v];
      // Member i may take only v, with score 0, so its price starts at 0.
      const double own_price = std::exchange(root_prices_.data()[i], 0.0);
      std::fill_n(row, K, kForbidden);
      row[v] = 0.0;
      Search s{in, exact, limits, {in.by_member(labelling_), message, magnitude}, {}};
      s.cutoff = cutoff_for(in, s.incumbent);
      ascent_.reset_steps();
      search(s, root_prices_, {});
      solution.iterations += ascent_.steps();
      root_prices_.data()[i] = own_price;
      std::copy_n(own_row_, K, row);
      solution.nodes += s.nodes;
      if (s.incumbent.score > message) {
        message = s.incumbent.score;
        magnitude = s.incumbent.magnitude;
        const double own = instance_->score(i, v);
        if (own > kForbidden)
          note_labelling(in.by_member(labelling_), message + own, messages);
      }
      all_exact = all_exact && s.complete;
      if (limits.interruption() != Interruption::none || in.interrupted())
        return false;
    }
  }
  return all_exact && !instance_->interrupted();
}

} // namespace chorale
