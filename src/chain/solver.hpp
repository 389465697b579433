// The public solver of chains: a workspace, reused from chain to chain, and a log.
#pragma once

#include "base/solver.hpp"

#include <chorale/chain.h>

struct chorale_chain_solver : chorale::SolverHandle {
  using SolverHandle::SolverHandle;
};
