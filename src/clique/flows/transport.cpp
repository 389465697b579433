#include "clique/flows/transport.hpp"

namespace chorale {

double Transport::solve(const SumView &view, gsl::span<const std::int32_t> counts,
                        Limits &limits) noexcept {
  flow_.reset(view, counts);
  for (std::int32_t i = 0; i < view.members; ++i)
    if (!limits.spend(view.columns) || !flow_.place(i))
      return kForbidden;
  return view.member_score(flow_.assignment());
}

} // namespace chorale
