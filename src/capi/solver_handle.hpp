// Body of the calls that create a solver of chains or of cliques (base/solver.hpp).
#pragma once

#include "capi/firewall.hpp"

namespace chorale {

template <class Solver>
chorale_status create_solver(const chorale_host *host, Solver **solver,
                             chorale_error *error) noexcept {
  return creating(error, host, "solver", solver,
                  [&](Report &report, const Memory &from, const chorale_host &lent) {
                    Draft<Solver> made;
                    CHORALE_CHECK(create_in(report, from, made, lent));
                    *solver = made.release();
                    return chorale_status{CHORALE_OK};
                  });
}

} // namespace chorale
