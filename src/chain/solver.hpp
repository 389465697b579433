// The public solver of chains.
#pragma once

#include "base/solver.hpp"

#include <chorale/chain.h>

struct chorale_chain_solver : chorale::SolverHandle {
  using SolverHandle::SolverHandle;
};
