// The public cancel flag.
#pragma once

#include "base/memory.hpp"

#include <atomic>

struct chorale_cancel {
  explicit chorale_cancel(const chorale::Memory &from) noexcept : memory(from) {}

  chorale::Memory memory;
  std::atomic<bool> raised{false};
};
