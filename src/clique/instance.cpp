// instance.hpp explains the words used here.
#include "clique/instance.hpp"

#include "base/rows.hpp"

#include <algorithm>

namespace chorale {
Instance::Instance(Layout &layout, const CliqueKind &kind, bool in_place,
                   std::int32_t rows) noexcept
    : potential(layout, kind), members(rows > 0 ? rows : kind.members), columns(kind.columns),
      scores(in_place && !potential.has_rest()
                 ? nullptr
                 : layout.take<double>(product_of_counts(members, columns))),
      best(layout.take<std::int32_t>(members)), second(layout.take<std::int32_t>(members)),
      best_score(layout.take<double>(members)), second_score(layout.take<double>(members)),
      rest_value(potential.has_rest() ? layout.take<std::int32_t>(members) : nullptr) {}

bool Instance::load(const ProblemView &problem, std::int32_t *only_without,
                    Limits *limits) noexcept {
  if (only_without)
    *only_without = -1;
  weights = potential.weighted ? problem.weights.data() : nullptr;
  potential.limits = limits;
  potential.list_columns();
  if (!scores)
    scores = const_cast<double *>(problem.scores.data);
  const RowScans &scans = row_scans_here();
  const bool whole = in_stretches(
      *this, members, 8 + 4 * problem.scores.columns,
      [&](std::int64_t begin, std::int64_t end) {
        gather(problem, begin, end);
        scans.top_two(scores + begin * columns, end - begin, columns,
                      {best + begin, second + begin, best_score + begin, second_score + begin});
      });
  if (!whole)
    return false;
  std::int32_t without = 0;
  std::int32_t last_without = -1;
  for (std::int32_t i = 0; i < members; ++i)
    if (best[i] < 0) {
      best[i] = 0; // any column, so that `best` is valid; its score is minus infinity
      ++without;
      last_without = i;
    }
  if (only_without)
    *only_without = without == 1 ? last_without : -1;
  return without == 0;
}

void Instance::gather(const ProblemView &problem, std::int64_t begin, std::int64_t last) noexcept {
  const std::int32_t *fixed = problem.fixed.data();
  if (scores == problem.scores.data && !fixed)
    return; // the caller's matrix is used as it is
  const Potential &source = *potential.source;
  const std::int32_t values = problem.values();
  double *to = scores + begin * columns;
  for (std::int64_t i = begin; i < last; ++i, to += columns) {
    const double *from = problem.scores.row(i).data();
    const std::int32_t only = fixed ? fixed[i] : -1;
    if (to == from) {
      // The instance uses the caller's matrix itself, so there is nothing to copy.
    } else if (!potential.has_rest()) {
      for (std::int32_t v = 0; v < columns; ++v)
        to[v] = from[v];
    } else {
      to[potential.rest] = kForbidden;
      rest_value[i] = -1;
      std::int32_t column = 0;
      for (std::int32_t v = 0; v < values; ++v) {
        if (source.counts(v)) {
          to[column++] = from[v];
        } else if (only < 0 || only == v) {
          if (rest_value[i] < 0 || from[v] > to[potential.rest]) {
            to[potential.rest] = from[v];
            rest_value[i] = v;
          }
        }
      }
    }
    if (only >= 0)
      for (std::int32_t u = 0; u < columns; ++u)
        if (u == potential.rest ? source.counts(only) : potential.value_of_column[u] != only)
          to[u] = kForbidden;
  }
}

bool Instance::note_best(std::int64_t i) noexcept {
  row_scans_here().top_two(row(i), 1, columns,
                           {best + i, second + i, best_score + i, second_score + i});
  best[i] = std::max(best[i], 0);
  return best_score[i] > kForbidden;
}

bool Instance::count(gsl::span<const std::int32_t> assignment,
                     gsl::span<std::int32_t> counts) const noexcept {
  Expects(assignment.size() >= to_size(members) && counts.size() >= to_size(columns));
  const std::int32_t *const x = assignment.data();
  std::int32_t *const to = counts.data();
  std::fill(to, to + columns, 0);
  return in_stretches(*this, members, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      to[x[i]] += static_cast<std::int32_t>(weight(i));
  });
}

double Instance::clique_score(gsl::span<const std::int32_t> counts) const noexcept {
  Expects(counts.size() >= to_size(columns));
  double total = 0;
  for (std::int64_t v = 0; v < columns; ++v)
    total += entry(v, counts.data()[v]);
  return total;
}

MeasuredSum Instance::member_sum(gsl::span<const std::int32_t> assignment) const noexcept {
  Expects(assignment.size() >= to_size(members));
  const std::int32_t *const x = assignment.data();
  MeasuredSum sum;
  if (!in_stretches(*this, members, 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          sum.add(score(i, x[i]));
      }))
    sum.total = kForbidden;
  return sum;
}

bool raise_all_at_rest(const Instance &in, Matrix<double> messages) noexcept {
  const std::int32_t rest = in.potential.rest;
  std::int32_t forbidden = 0;
  double total = 0;
  if (!in_stretches(in, in.members, 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const double own = in.score(i, rest);
          forbidden += own == kForbidden ? 1 : 0;
          total += own == kForbidden ? 0.0 : own;
        }
      }))
    return false;
  return in_stretches(in, in.members, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double own = in.score(i, rest);
      double &to = messages.row(i).data()[rest];
      if (forbidden == (own == kForbidden ? 1 : 0))
        to = std::max(to, total - (own == kForbidden ? 0.0 : own));
    }
  });
}

} // namespace chorale
