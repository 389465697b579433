// The solver of cliques behind the C functions of clique.h.
#pragma once

#include "base/solver.hpp"

#include <chorale/clique.h>

struct chorale_clique_solver : chorale::SolverHandle {
  using SolverHandle::SolverHandle;
};
