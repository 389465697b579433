// moves.hpp explains the words used here.
#include "clique/moves/moves.hpp"

namespace chorale {

MonotonePolish::MonotonePolish(Layout &layout, const Instance &instance) noexcept
    : counts_(layout.take<std::int32_t>(instance.columns)),
      next_(layout.take<std::int32_t>(instance.members)),
      slopes_(layout.take<double>(instance.columns)) {}

double MonotonePolish::improve(const Instance &in, gsl::span<std::int32_t> labelling,
                               Limits &limits, std::int64_t &steps) noexcept {
  std::int32_t *assignment = labelling.data();
  const auto total = [&] { return in.clique_score(in.by_column(counts_)); };
  if (!in.count(labelling, in.by_column(counts_)))
    return kForbidden;
  const MeasuredSum members_at_start = in.member_sum(labelling);
  const double clique_at_start = total();
  double score = members_at_start.total + clique_at_start;
  const double least =
      kLeastImprovement * (members_at_start.magnitude + magnitude_of(clique_at_start));
  while (steps > 0 && limits.spend(in.columns)) {
    --steps;
    // The slope is the mean of the differences below and above the count. At an end of a table
    // there is only one difference.
    for (std::int32_t v = 0; v < in.columns; ++v) {
      const std::int64_t count = counts_[v];
      const std::int64_t low = std::max<std::int64_t>(count - 1, 0);
      const std::int64_t high = std::min<std::int64_t>(count + 1, in.potential.members);
      slopes_[v] = (in.potential.entry(v, high) - in.potential.entry(v, low)) /
                   static_cast<double>(high - low);
    }
    std::fill(counts_, counts_ + in.columns, 0);
    double members = 0;
    const auto take_best = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const double *row = in.row(i);
        const auto weight = static_cast<double>(in.weight(i));
        std::int32_t to = assignment[i];
        double best = row[to] + weight * slopes_[to];
        for (std::int32_t v = 0; v < in.columns; ++v)
          if (const double offer = row[v] + weight * slopes_[v]; offer > best) {
            best = offer;
            to = v;
          }
        next_[i] = to;
        members += row[to];
        counts_[to] += static_cast<std::int32_t>(in.weight(i));
      }
    };
    if (!in_stretches(limits, in.members, 8 + 2 * in.columns, take_best))
      break;
    const double improved = members + total();
    if (!(improved > score + least))
      break;
    score = improved;
    std::copy(next_, next_ + in.members, assignment);
  }
  return score;
}

} // namespace chorale
