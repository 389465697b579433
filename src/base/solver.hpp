// The common part of the public solvers of chains and of cliques: a reusable workspace and a log.
#pragma once

#include "base/log.hpp"
#include "base/workspace.hpp"

namespace chorale {

struct SolverHandle {
  SolverHandle(const Memory &from, const chorale_host &host) noexcept
      : memory(from), log(&host), workspace(from) {}

  Memory memory; // allocator of the handle itself
  Log log;
  Workspace workspace;
};

} // namespace chorale
