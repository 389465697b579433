// The public transitions: one label-to-label matrix for many chains, kept both ways round because
// dynamic programs read it forwards and backwards along contiguous rows.
#pragma once

#include "base/counted.hpp"
#include "base/report.hpp"

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

// Checks everything; on success `made` is labels x labels transitions with one reference. `scores`
// NULL: zeros; `options` as in chain.h, its struct_size says nothing here.
chorale_status create_transitions(const Report &report, const Memory &memory, std::int64_t labels,
                                  const void *scores, chorale_transitions_options options,
                                  Transitions *&made) noexcept;

} // namespace chorale
