#include "clique/transport.hpp"

namespace chorale {

double Transport::solve(const SumView &view, const std::int32_t *counts, Limits &limits) noexcept {
  flow_.reset(view, counts);
  for (std::int32_t i = 0; i < view.members; ++i)
    if (limits.check() != Interruption::none || !flow_.place(i))
      return kForbidden;
  double score = 0;
  for (std::int64_t i = 0; i < view.members; ++i)
    score += view.row(i)[flow_.assignment()[i]];
  return score;
}

} // namespace chorale
