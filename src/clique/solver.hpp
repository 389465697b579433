// The public solver: a workspace and a log.
#pragma once

#include "base/log.hpp"
#include "base/workspace.hpp"

#include <chorale/clique.h>

struct chorale_clique_solver {
  explicit chorale_clique_solver(const chorale::Memory &from, const chorale::Log &to) noexcept
      : memory(from), log(to), workspace(from) {}
  chorale_clique_solver(std::byte *borrowed, std::size_t bytes, const chorale::Log &to) noexcept
      : log(to), workspace(borrowed, bytes) {}

  chorale::Memory memory; // where the handle itself came from; unused when it is borrowed
  chorale::Log log;
  chorale::Workspace workspace;
};
