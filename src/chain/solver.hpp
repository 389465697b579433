// The public chain solver: a reusable workspace.
#pragma once

#include "base/workspace.hpp"

#include <chorale/chain.h>

struct chorale_chain_solver {
  chorale_chain_solver(const chorale::Memory &from, const chorale_host &) noexcept
      : memory(from), workspace(from) {}
  chorale_chain_solver(std::byte *borrowed, std::size_t bytes, const chorale_host &) noexcept
      : workspace(borrowed, bytes) {}

  chorale::Memory memory; // memory of the handle itself; unused if borrowed
  chorale::Workspace workspace;
};
