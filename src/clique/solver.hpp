// The solver handle of the public API: a workspace and a log.
#pragma once

#include "base/log.hpp"
#include "base/workspace.hpp"

#include <chorale/clique.h>

struct chorale_clique_solver {
  chorale_clique_solver(const chorale::Memory &from, const chorale_host &host) noexcept
      : memory(from), log(&host), workspace(from) {}
  chorale_clique_solver(std::byte *borrowed, std::size_t bytes, const chorale_host &host) noexcept
      : log(&host), workspace(borrowed, bytes) {}

  chorale::Memory memory; // allocated the handle; unused if the handle is in borrowed memory
  chorale::Log log;
  chorale::Workspace workspace;
};
