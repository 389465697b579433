// The public solver of cliques.
#pragma once

#include "base/solver.hpp"

#include <chorale/clique.h>

struct chorale_clique_solver : chorale::SolverHandle {
  using SolverHandle::SolverHandle;
};
