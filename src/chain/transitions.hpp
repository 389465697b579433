// The public transitions: one label-to-label matrix for many chains, kept both ways round because
// dynamic programs read it forwards and backwards along contiguous rows.
#pragma once

#include "base/counted.hpp"

#include <chorale/chain.h>

#include <cstdint>

struct chorale_transitions : chorale::Counted {
  explicit chorale_transitions(const chorale::Memory &from) noexcept : Counted(from) {}

  chorale::Block storage;
  std::int32_t labels = 0;
  // Rows padded to whole vectors (max_plus.hpp), but for a matrix that is borrowed.
  const double *matrix = nullptr; // rows "from"; the caller's where borrowed
  std::ptrdiff_t row_stride = 0;
  const double *transposed = nullptr; // rows "to"
  const double *start = nullptr;      // or NULL
  const double *end = nullptr;        // or NULL
};

namespace chorale {
using Transitions = ::chorale_transitions;
}
