// weighted_search.hpp explains the words used here.
#include "clique/weighted/weighted_search.hpp"

#include "base/rows.hpp"
#include "base/sort.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

constexpr std::int64_t kTableSteps = 8;      // elementary steps to evaluate an entry of a table
constexpr std::int64_t kMoveSweeps = 1000;   // limit on sweeps if the caller sets none
constexpr double kMoveRounding = 1e-12;      // least gain, as a fraction of the sum of |terms|
constexpr std::int64_t kDualSteps = 1000;    // limit on steps of the dual if the caller sets none
constexpr std::int64_t kDualRoundEvery = 10; // steps between labellings made from the dual
constexpr std::int32_t kWeightedPatience = 10;   // steps without progress before steps get shorter
constexpr double kDualShorter = 0.6; // shortens steps: multiplies the factor on Polyak's length
constexpr double kDualLeast = 0.02;  // the dual's steps end when the factor is below this number
constexpr double kDualRounding = 1e-15; // relative error per operation: several unit roundoffs
// Max-marginals are computed from the best kSpread / n labellings of each pass, but at least two.
// With up to 15 members these are all labellings of the pass.
constexpr std::int64_t kSpread = 256;

} // namespace

WeightedSearch::WeightedSearch(Layout &layout, const CliqueTask &task, Limits &limits) noexcept
    : task_(task), kind_(task.kind), limits_(limits), measuring_(layout.measuring()),
      members_(task.problem.members()), columns_(task.kind.columns),
      weights_(task.problem.weights.data()) {
  const std::size_t entries = product_of_counts(members_, columns_);
  const bool in_place = task.in_place && !kind_.has_rest();
  scores_ = in_place ? const_cast<double *>(task.problem.scores.data) : layout.take<double>(entries);
  if (task.wants_marginals)
    messages_ = layout.take<double>(entries);
  value_of_column_ = layout.take<std::int32_t>(columns_);
  rest_value_ = kind_.has_rest() ? layout.take<std::int32_t>(members_) : nullptr;
  best_ = layout.take<std::int32_t>(members_);
  second_ = layout.take<std::int32_t>(members_);
  x_ = layout.take<std::int32_t>(members_);
  kept_ = layout.take<std::int32_t>(members_);
  response_ = layout.take<std::int32_t>(members_);
  counts_ = layout.take<std::int64_t>(columns_);
  chosen_ = layout.take<std::int64_t>(columns_);
  value_counts_ = layout.take<std::int64_t>(kind_.source->values);
  entries_ = layout.take<Entry>(members_);
  prefixes_ = layout.take<Prefix>(std::int64_t{members_} + 1);
  pass_score_ = layout.take<double>(columns_);
  joins_ = layout.take<double>(columns_);
  if (task.plan.algorithm->id == CHORALE_ALGORITHM_DUAL_BOUND) {
    price_ = layout.take<double>(members_);
    best_price_ = layout.take<double>(members_);
    slope_ = layout.take<double>(members_);
  }
}

CliqueAnswer WeightedSearch::carry_out() noexcept {
  if (measuring_)
    return {};
  if (!load()) {
    if (task_.wants_marginals && !is_unread_) {
      std::fill_n(messages_, product_of_counts(members_, columns_), kForbidden);
      write_marginals(task_, {messages_, members_, columns_, columns_});
    }
    return answer();
  }
  // Begins with the labelling of each member's best value.
  for (std::int64_t i = 0; i < members_; ++i)
    x_[i] = best_column(i);
  count_labelling();
  keep();
  if (task_.wants_marginals)
    find_marginals();
  else
    find_best();
  return answer();
}

// ---- Reading ------------------------------------------------------------------------------------

// Gathers the scores by column. False if some member has no admissible value, or if the limits ended
// the reading of a large clique. Exception: if messages are asked for and only one member has no
// admissible value, sets the scores of this member to 0 and returns true, so that the messages to
// this member are computed.
bool WeightedSearch::load() noexcept {
  const Potential &source = *kind_.source;
  const ProblemView &problem = task_.problem;
  factor_ = source.factor(kind_.members);
  std::int32_t column = 0;
  double at_none = 0;
  for (std::int32_t v = 0; v < source.values; ++v)
    if (source.counts(v)) {
      value_of_column_[column] = v;
      at_none += table(column, 0);
      ++column;
    }
  if (kind_.has_rest()) {
    value_of_column_[kind_.rest] = -1;
    nothing_counts_ = -at_none;
  }
  const std::int32_t *fixed = problem.fixed.data();
  std::int64_t without = 0;
  const auto read = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      gather(problem.scores.row(i).data(), fixed ? fixed[i] : -1, i);
      double best_score = kForbidden;
      double second_score = kForbidden;
      row_scans_here().top_two(scores_ + i * columns_, 1, columns_,
                               {best_ + i, second_ + i, &best_score, &second_score});
      if (best_[i] >= 0)
        continue;
      ++without;
      only_member_ = i;
      best_[i] = 0;
    }
  };
  const std::int64_t work = 8 + 4 * problem.scores.columns;
  const bool is_small = problem.scores.rows * problem.scores.columns <= kAlwaysRead;
  is_unread_ = !(is_small ? in_stretches(NoLimits{}, members_, work, read)
                          : in_stretches(limits_, members_, work, read));
  if (is_unread_)
    return false;
  if (without == 0)
    return true;
  infeasible_ = true;
  if (without > 1 || !task_.wants_marginals ||
      task_.marginal_form != CHORALE_MARGINAL_MESSAGE) {
    only_member_ = -1;
    return false;
  }
  std::fill_n(scores_ + only_member_ * columns_, columns_, 0.0);
  second_[only_member_] = columns_ > 1 ? 1 : -1;
  return true;
}

// Writes the scores by column of member i, whose scores by value are in `from`. `only`: the value
// that the member must take, or -1.
void WeightedSearch::gather(const double *from, std::int32_t only, std::int64_t i) noexcept {
  const Potential &source = *kind_.source;
  double *to = scores_ + i * columns_;
  for (std::int32_t v = 0; to != from && v < columns_; ++v)
    if (v != kind_.rest)
      to[v] = only < 0 || only == value_of_column_[v] ? from[value_of_column_[v]] : kForbidden;
  if (!kind_.has_rest())
    return;
  to[kind_.rest] = kForbidden;
  rest_value_[i] = -1;
  for (std::int32_t v = 0; v < source.values; ++v)
    if (!source.counts(v) && (only < 0 || only == v) &&
        (rest_value_[i] < 0 || from[v] > to[kind_.rest])) {
      to[kind_.rest] = from[v];
      rest_value_[i] = v;
    }
}

// ---- Labellings ---------------------------------------------------------------------------------

void WeightedSearch::count_labelling() noexcept {
  limits_.spend(8 * (std::int64_t{members_} + columns_)); // not interrupted: all need the score
  std::fill_n(counts_, columns_, 0);
  MeasuredSum sum;
  for (std::int64_t i = 0; i < members_; ++i) {
    counts_[x_[i]] += weights_[i];
    sum.add(score(i, x_[i]));
  }
  for (std::int32_t v = 0; v < columns_; ++v)
    sum.add(table(v, counts_[v]));
  x_score_ = sum.total;
}

void WeightedSearch::take_kept() noexcept {
  std::copy_n(kept_, members_, x_);
  count_labelling();
}

void WeightedSearch::move(std::int32_t i, std::int32_t to) noexcept {
  const std::int32_t from = x_[i];
  const std::int64_t weight = weights_[i];
  x_score_ += (score(i, to) - score(i, from)) + (leave(from, weight) + join(to, weight));
  counts_[from] -= weight;
  counts_[to] += weight;
  x_[i] = to;
}

void WeightedSearch::keep() noexcept {
  if (!(x_score_ > kept_score_))
    return;
  kept_score_ = x_score_;
  std::copy_n(x_, members_, kept_);
}

void WeightedSearch::write_start() noexcept {
  const std::int32_t value = task_.start_value;
  const std::int32_t *start = task_.start_assignment.data();
  const std::int32_t *fixed = task_.problem.fixed.data();
  switch (task_.start) {
  case CHORALE_START_ALPHA_PASS:
    run_passes(0);
    take_kept();
    return;
  case CHORALE_START_ASSIGNMENT:
    for (std::int64_t i = 0; i < members_; ++i)
      x_[i] = column_of(start[i]);
    break;
  case CHORALE_START_VALUE:
    for (std::int64_t i = 0; i < members_; ++i) {
      const std::int32_t only = fixed ? fixed[i] : -1;
      const double *row = task_.problem.scores.row(i).data();
      const bool open = row[value] > kForbidden && (only < 0 || only == value);
      x_[i] = open ? column_of(value) : best_column(i);
    }
    break;
  default:
    return; // x_ holds each member's best value
  }
  count_labelling();
  // Only the labelling of the start and its improvements are to be kept.
  kept_score_ = kForbidden;
  keep();
}

// Lets all members take at once the column of greatest psi_iv + w_i times the slope of f_v at its
// present count, again and again, while the score rises. True if it rose.
bool WeightedSearch::improve_by_prices() noexcept {
  const std::int64_t limit =
      task_.options.iteration_limit > 0 ? task_.options.iteration_limit : kMoveSweeps;
  bool any = false;
  for (std::int64_t step = 0;; ++step) {
    if (!limits_.spend(std::int64_t{members_} * (8 + 2 * columns_) + kTableSteps * columns_))
      return any;
    if (step == limit) {
      limit_hit_ = true;
      return any;
    }
    for (std::int32_t v = 0; v < columns_; ++v)
      joins_[v] = slope(v, counts_[v]);
    double gain = 0; // a lower bound on the rise of the score
    double magnitude = 0;
    for (std::int64_t i = 0; i < members_; ++i) {
      const auto weight = static_cast<double>(weights_[i]);
      std::int32_t to = x_[i];
      const double stays = score(i, to) + weight * joins_[to];
      double most = stays;
      for (std::int32_t v = 0; v < columns_; ++v)
        if (const double offer = score(i, v) + weight * joins_[v]; offer > most) {
          most = offer;
          to = v;
        }
      response_[i] = to;
      gain += most - stays;
      magnitude += std::fabs(most) + std::fabs(stays);
    }
    ++iterations_;
    if (!(gain > kMoveRounding * magnitude))
      return any;
    const double before = x_score_;
    std::swap(x_, response_);
    count_labelling();
    if (!(x_score_ > before)) {
      std::swap(x_, response_);
      count_labelling();
      return any;
    }
    any = true;
  }
}

// Writes to joins_, for each column, the rise of its table when a member of this weight joins; 0 if
// the count would then exceed the sum of all weights.
void WeightedSearch::fill_joins(std::int64_t weight) noexcept {
  for (std::int32_t v = 0; v < columns_; ++v)
    joins_[v] = counts_[v] + weight <= kind_.members ? join(v, weight) : 0.0;
}

// Moves one member at a time, while a move raises the score. True if any member moved.
bool WeightedSearch::improve_by_moves() noexcept {
  const std::int64_t limit =
      task_.options.iteration_limit > 0 ? task_.options.iteration_limit : kMoveSweeps;
  bool any = false;
  for (std::int64_t sweep = 0;; ++sweep) {
    bool moved = false;
    std::int64_t joined = 0; // the weight for which joins_ is up to date, or 0
    for (std::int32_t i = 0; i < members_; ++i) {
      if (!limits_.spend(kTableSteps * columns_))
        return any;
      const std::int64_t weight = weights_[i];
      if (weight != joined)
        fill_joins(weight);
      joined = weight;
      const std::int32_t from = x_[i];
      const double left = leave(from, weight);
      double most = 0;
      std::int32_t to = from;
      for (std::int32_t v = 0; v < columns_; ++v) {
        if (v == from || score(i, v) == kForbidden)
          continue;
        const double gain = (score(i, v) - score(i, from)) + (left + joins_[v]);
        const double terms = std::fabs(score(i, v)) + std::fabs(score(i, from)) +
                             std::fabs(left) + std::fabs(joins_[v]);
        if (gain > most && gain > kMoveRounding * terms) {
          most = gain;
          to = v;
        }
      }
      if (to == from)
        continue;
      if (sweep == limit) {
        limit_hit_ = true;
        return any;
      }
      move(i, to);
      any = moved = true;
      joined = 0;
    }
    ++iterations_;
    if (!moved)
      return any;
  }
}

void WeightedSearch::improve() noexcept {
  improve_by_prices();
  improve_by_moves();
  keep();
}

// ---- Passes -------------------------------------------------------------------------------------

bool WeightedSearch::sort_entries() noexcept {
  return sort_within(limits_, entries_, entry_count_, [](const Entry &a, const Entry &b) {
    return a.gain > b.gain || (a.gain == b.gain && a.member < b.member);
  });
}

// Begins the pass of alpha. In the working labelling, gives each member its best column other than
// alpha, or alpha if there is no other. Writes the members that may move to alpha to entries_,
// sorted by their gain per unit of weight. False if interrupted.
bool WeightedSearch::begin_pass(std::int32_t alpha) noexcept {
  if (!limits_.spend(std::int64_t{members_} * 16))
    return false;
  entry_count_ = 0;
  for (std::int32_t i = 0; i < members_; ++i) {
    const std::int32_t other = default_column(i, alpha);
    if (other >= 0 && score(i, alpha) > kForbidden)
      entries_[entry_count_++] = {(score(i, alpha) - score(i, other)) /
                                      static_cast<double>(weights_[i]),
                                  i};
  }
  if (!sort_entries())
    return false;
  restart_pass(alpha);
  return true;
}

void WeightedSearch::restart_pass(std::int32_t alpha) noexcept {
  for (std::int64_t i = 0; i < members_; ++i) {
    const std::int32_t other = default_column(i, alpha);
    x_[i] = other >= 0 ? other : alpha;
  }
  count_labelling();
}

// Runs the pass of alpha: writes the score of each of its labellings to prefixes_, and makes the
// best of them the working labelling. False if interrupted.
bool WeightedSearch::run_pass(std::int32_t alpha) noexcept {
  if (!begin_pass(alpha))
    return false;
  Prefix best{x_score_, 0};
  prefixes_[0] = best;
  for (std::int32_t k = 0; k < entry_count_; ++k) {
    if (!limits_.spend(4 * kTableSteps))
      return false;
    move(entries_[k].member, alpha);
    prefixes_[k + 1] = {x_score_, k + 1};
    if (x_score_ > best.score)
      best = prefixes_[k + 1];
  }
  pass_score_[alpha] = best.score;
  restart_pass(alpha);
  for (std::int32_t k = 0; k < best.length; ++k)
    x_[entries_[k].member] = alpha;
  count_labelling();
  return true;
}

// Runs the passes of all columns, and improves the best labelling of each of the `improved` best
// passes. False if interrupted.
bool WeightedSearch::run_passes(std::int32_t improved) noexcept {
  for (std::int32_t alpha = 0; alpha < columns_; ++alpha) {
    ++iterations_;
    if (!run_pass(alpha))
      return false;
    keep();
  }
  if (is_exact()) {
    bound_ = kept_score_;
    return true;
  }
  for (std::int32_t k = 0; k < std::min(improved, columns_); ++k) {
    const auto alpha = static_cast<std::int32_t>(
        std::max_element(pass_score_, pass_score_ + columns_) - pass_score_);
    if (!run_pass(alpha))
      return false;
    improve();
    pass_score_[alpha] = kForbidden;
    if (is_interrupted())
      return false;
  }
  return true;
}

void WeightedSearch::find_best() noexcept {
  const auto improved =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(1000 / members_, 1, 4));
  switch (task_.plan.algorithm->id) {
  case CHORALE_ALGORITHM_POLISH:
    write_start();
    improve_by_prices();
    keep();
    break;
  case CHORALE_ALGORITHM_ICM:
    write_start();
    improve_by_moves();
    keep();
    break;
  case CHORALE_ALGORITHM_DUAL_BOUND:
    if (run_passes(task_.plan.single_moves > 0 ? improved : 0) && bound_ == kInfinity)
      run_dual();
    break;
  default:
    run_passes(task_.plan.single_moves > 0 ? improved : 0);
    break;
  }
}

// ---- The dual -----------------------------------------------------------------------------------

// Returns the dual D(u) = sum_i u_i + sum_v (best value of column v) for the prices in price_, plus
// an allowance for rounding; plus infinity if interrupted. Writes slope_ and chosen_.
double WeightedSearch::dual_value() noexcept {
  MeasuredSum total;
  for (std::int64_t i = 0; i < members_; ++i) {
    total.add(price_[i]);
    slope_[i] = 1;
  }
  for (std::int32_t v = 0; v < columns_; ++v) {
    if (!limits_.spend(std::int64_t{members_} * (4 + kTableSteps)))
      return kInfinity;
    entry_count_ = 0;
    for (std::int32_t i = 0; i < members_; ++i)
      if (score(i, v) > kForbidden)
        entries_[entry_count_++] = {(score(i, v) - price_[i]) / static_cast<double>(weights_[i]),
                                    i};
    if (!sort_entries())
      return kInfinity;
    MeasuredSum gains;
    std::int64_t count = 0;
    double best = table(v, 0);
    double best_magnitude = std::fabs(best);
    std::int64_t chosen = 0;
    chosen_[v] = 0;
    for (std::int64_t k = 0; k < entry_count_; ++k) {
      const std::int32_t i = entries_[k].member;
      gains.add(score(i, v) - price_[i]);
      count += weights_[i];
      const double f = table(v, count);
      if (gains.total + f > best) {
        best = gains.total + f;
        best_magnitude = gains.magnitude + std::fabs(f);
        chosen = k + 1;
        chosen_[v] = count;
      }
    }
    for (std::int64_t k = 0; k < chosen; ++k)
      slope_[entries_[k].member] -= 1;
    total.total += best;
    total.magnitude += best_magnitude;
  }
  return total.total + kDualRounding *
                           static_cast<double>(16 + std::int64_t{members_} + columns_) *
                           total.magnitude;
}

// Makes a labelling from the dual and improves it: each member takes the column of greatest psi_iv
// + w_i times the slope of f_v at the count that column v chooses in the dual.
void WeightedSearch::round_dual() noexcept {
  for (std::int32_t v = 0; v < columns_; ++v)
    joins_[v] = slope(v, chosen_[v]);
  for (std::int64_t i = 0; i < members_; ++i) {
    const auto weight = static_cast<double>(weights_[i]);
    x_[i] = best_[i];
    double most = score(i, x_[i]) + weight * joins_[x_[i]];
    for (std::int32_t v = 0; v < columns_; ++v)
      if (const double offer = score(i, v) + weight * joins_[v]; offer > most) {
        most = offer;
        x_[i] = v;
      }
  }
  count_labelling();
  improve();
}

// Lowers D(u) by subgradient steps with Polyak's step length, whose target is the best known score.
// The steps are those that the dual would make on all sum_i w_i parts of members
// (weighted_search.hpp). In that dual the parts of one member always have the same price.
void WeightedSearch::run_dual() noexcept {
  for (std::int64_t i = 0; i < members_; ++i)
    price_[i] = best_price_[i] = score(i, best_[i]);
  const std::int64_t limit =
      task_.options.iteration_limit > 0 ? task_.options.iteration_limit : kDualSteps;
  double factor = 1;
  std::int32_t in_vain = 0;
  for (std::int64_t step = 0;; ++step) {
    const double value = dual_value();
    ++iterations_;
    if (is_interrupted())
      return;
    if (step % kDualRoundEvery == 0) {
      const bool hit = limit_hit_;
      round_dual();
      limit_hit_ = hit;
    }
    if (step == 0 || value < bound_ - 1e-12 * std::fabs(bound_)) {
      bound_ = value;
      std::copy_n(price_, members_, best_price_);
      in_vain = 0;
      if (closes_gap(kept_score_, std::fabs(kept_score_), bound_,
                     std::max(task_.options.gap, 0.0)))
        return;
    } else if (++in_vain > kWeightedPatience) {
      factor *= kDualShorter;
      in_vain = 0;
      if (factor < kDualLeast)
        return;
      std::copy_n(best_price_, members_, price_);
      continue;
    }
    if (step + 1 >= limit) {
      limit_hit_ = true;
      return;
    }
    double square = 0;
    for (std::int64_t i = 0; i < members_; ++i)
      square += slope_[i] * slope_[i] * static_cast<double>(weights_[i]);
    if (square == 0)
      return; // each member is chosen once: the columns' choices are an optimal labelling
    const double length = factor * (value - kept_score_) / square;
    if (!(length > 0))
      return;
    for (std::int64_t i = 0; i < members_; ++i)
      price_[i] -= length * slope_[i] * static_cast<double>(weights_[i]);
  }
}

// ---- Max-marginals ------------------------------------------------------------------------------

// Raises the message of every member i and column v to the score of the working labelling after i
// has moved to v, minus the score of i at v. False if interrupted.
bool WeightedSearch::spread() noexcept {
  std::int64_t joined = 0; // the weight for which joins_ is up to date, or 0
  for (std::int32_t i = 0; i < members_; ++i) {
    if (!limits_.spend(kTableSteps * columns_))
      return false;
    const std::int64_t weight = weights_[i];
    if (weight != joined)
      fill_joins(weight);
    joined = weight;
    const std::int32_t own = x_[i];
    const double others = x_score_ - score(i, own);
    const double left = leave(own, weight);
    double *row = messages_ + std::int64_t{i} * columns_;
    for (std::int32_t v = 0; v < columns_; ++v)
      row[v] = std::max(row[v], v == own ? others : others + (left + joins_[v]));
  }
  return true;
}

// Runs the pass of alpha and calls spread() for each of its best labellings. False if interrupted.
bool WeightedSearch::spread_pass(std::int32_t alpha) noexcept {
  if (!run_pass(alpha))
    return false;
  keep();
  const std::int64_t prefixes = entry_count_ + 1;
  const std::int64_t used =
      std::min(prefixes, std::max<std::int64_t>(kSpread / members_, 2));
  const auto scores_more = [](const Prefix &a, const Prefix &b) {
    return a.score > b.score || (a.score == b.score && a.length < b.length);
  };
  if (used < prefixes && !select_within(limits_, prefixes_, used, prefixes, scores_more))
    return false;
  if (!sort_within(limits_, prefixes_, used,
                   [](const Prefix &a, const Prefix &b) { return a.length < b.length; }))
    return false;
  restart_pass(alpha);
  std::int32_t length = 0;
  for (std::int64_t k = 0; k < used; ++k) {
    for (; length < prefixes_[k].length; ++length) {
      if (!limits_.spend(4 * kTableSteps))
        return false;
      move(entries_[length].member, alpha);
    }
    if (!spread())
      return false;
  }
  return true;
}

void WeightedSearch::find_marginals() noexcept {
  if (!in_stretches(limits_, members_, columns_, [&](std::int64_t begin, std::int64_t end) {
        std::fill_n(messages_ + begin * columns_, (end - begin) * columns_, kForbidden);
      }))
    return;
  for (std::int32_t alpha = 0; alpha < columns_; ++alpha) {
    ++iterations_;
    if (!spread_pass(alpha))
      return;
  }
  if (is_exact())
    bound_ = kept_score_;
  take_kept();
  if (!task_.messages_only && !is_exact())
    improve();
  take_kept();
  if (!spread())
    return;
  if (only_member_ >= 0)
    for (std::int64_t i = 0; i < members_; ++i)
      if (i != only_member_)
        std::fill_n(messages_ + i * columns_, columns_, kForbidden);
  write_marginals(task_, {messages_, members_, columns_, columns_});
}

// ---- The answer ---------------------------------------------------------------------------------

CliqueAnswer WeightedSearch::answer() noexcept {
  CliqueAnswer answer;
  answer.iterations = iterations_;
  answer.upper_bound = bound_;
  if (infeasible_) {
    answer.upper_bound = kForbidden;
    answer.outcome = CHORALE_OUTCOME_INFEASIBLE;
    return answer;
  }
  if (!is_unread_) {
    for (std::int64_t i = 0; i < members_; ++i)
      x_[i] = kept_[i] == kind_.rest ? rest_value_[i] : value_of_column_[kept_[i]];
    evaluate(*kind_.source, task_.problem, by_member(x_),
             {value_counts_, to_size(kind_.source->values)}, answer);
    if (!task_.assignment.empty())
      std::copy_n(x_, members_, task_.assignment.data());
  }
  const double score = answer.member_score + answer.clique_score;
  if (!is_unread_) {
    answer.upper_bound = std::max(answer.upper_bound, score);
    answer.proven = bound_ <= kept_score_ || closes_gap(score, answer.magnitude, answer.upper_bound);
    if (answer.proven && bound_ <= kept_score_)
      answer.upper_bound = score;
  }
  const Interruption interruption = limits_.interruption();
  if (interruption == Interruption::deadline)
    answer.outcome = CHORALE_OUTCOME_DEADLINE;
  else if (interruption == Interruption::cancelled)
    answer.outcome = CHORALE_OUTCOME_CANCELLED;
  else if (!answer.proven && bound_ < kInfinity &&
           closes_gap(score, answer.magnitude, bound_, task_.options.gap))
    answer.outcome = CHORALE_OUTCOME_GAP_REACHED;
  else if (limit_hit_)
    answer.outcome = CHORALE_OUTCOME_ITERATION_LIMIT;
  else
    answer.outcome = CHORALE_OUTCOME_COMPLETE;
  return answer;
}

} // namespace chorale
