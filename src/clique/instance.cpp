#include "clique/instance.hpp"

namespace chorale {
namespace {

struct Peak {
  double score;
  std::int32_t column; // the lowest of equals
};

// The maximum of row[from .. to). Four running maxima let the processor (and the compiler's
// vectors) work side by side; the place is looked up afterwards.
Peak peak(const double *row, std::int32_t from, std::int32_t to) noexcept {
  double a = kForbidden;
  double b = kForbidden;
  double c = kForbidden;
  double d = kForbidden;
  std::int32_t v = from;
  for (; v + 4 <= to; v += 4) {
    a = row[v] > a ? row[v] : a;
    b = row[v + 1] > b ? row[v + 1] : b;
    c = row[v + 2] > c ? row[v + 2] : c;
    d = row[v + 3] > d ? row[v + 3] : d;
  }
  for (; v < to; ++v)
    a = row[v] > a ? row[v] : a;
  const double ab = b > a ? b : a;
  const double cd = d > c ? d : c;
  const double score = cd > ab ? cd : ab;
  for (v = from; v < to; ++v)
    if (row[v] == score)
      break;
  return {score, v < to ? v : from};
}

} // namespace

Instance::Instance(Layout &layout, const Potential &source, std::int32_t member_count) noexcept
    : potential(layout, source, member_count), members(member_count), columns(potential.columns),
      scores(layout.take<double>(saturating_product(static_cast<std::size_t>(members),
                                                    static_cast<std::size_t>(columns)))),
      best(layout.take<std::int32_t>(members)), second(layout.take<std::int32_t>(members)),
      best_score(layout.take<double>(members)), second_score(layout.take<double>(members)),
      rest_value(potential.has_rest() ? layout.take<std::int32_t>(members) : nullptr) {}

bool Instance::load(const ProblemView &problem, std::int32_t *only_without) noexcept {
  const Potential &source = *potential.source;
  potential.prepare();
  std::int32_t without = 0;
  std::int32_t last_without = -1;
  double *to = scores;
  for (std::int64_t i = 0; i < members; ++i, to += columns) {
    const double *from = problem.scores + i * problem.row_stride;
    const std::int32_t only = problem.fixed ? problem.fixed[i] : -1;
    if (!potential.has_rest()) {
      for (std::int32_t v = 0; v < columns; ++v)
        to[v] = from[v];
    } else {
      to[potential.rest] = kForbidden;
      rest_value[i] = -1;
      std::int32_t column = 0;
      for (std::int32_t v = 0; v < problem.values; ++v) {
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

    if (!note_best(i)) {
      ++without;
      last_without = static_cast<std::int32_t>(i);
    }
  }
  if (only_without)
    *only_without = without == 1 ? last_without : -1;
  return without == 0;
}

bool Instance::note_best(std::int64_t i) noexcept {
  const double *scores_of_i = row(i);
  const Peak first = peak(scores_of_i, 0, columns);
  // The other side of the peak, left part first so that the lowest of equals wins.
  const Peak left = peak(scores_of_i, 0, first.column);
  const Peak right = peak(scores_of_i, first.column + 1, columns);
  const Peak next = right.score > left.score ? right : left;
  best[i] = first.column;
  best_score[i] = first.score;
  second[i] = next.score > kForbidden ? next.column : -1;
  second_score[i] = next.score;
  return first.score > kForbidden;
}

void Instance::count(const std::int32_t *assignment, std::int32_t *counts) const noexcept {
  for (std::int32_t v = 0; v < columns; ++v)
    counts[v] = 0;
  for (std::int64_t i = 0; i < members; ++i)
    ++counts[assignment[i]];
}

double Instance::member_score(const std::int32_t *assignment) const noexcept {
  double total = 0;
  for (std::int64_t i = 0; i < members; ++i)
    total += score(i, assignment[i]);
  return total;
}

} // namespace chorale
