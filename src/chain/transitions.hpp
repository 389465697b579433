// The public transitions: one label-to-label matrix shared by many chains. The matrix is also
// stored transposed, so that both directions of a dynamic program read contiguous rows.
#pragma once

#include "base/counted.hpp"
#include "base/report.hpp"

#include <chorale/chain.h>

#include <cstdint>

struct chorale_transitions : chorale::Counted {
  explicit chorale_transitions(const chorale::Memory &from) noexcept : Counted(from) {}

  chorale::Block storage;
  std::int32_t labels = 0;
  const double *matrix = nullptr; // rows for "from" labels; if borrowed, the caller's array
  bool is_padded = false;         // rows of `matrix` have padded_labels() entries (max_plus.hpp)
  std::ptrdiff_t row_stride = 0;
  const double *transposed = nullptr; // rows for "to" labels, padded
  const double *start = nullptr;      // or NULL
  const double *end = nullptr;        // or NULL
};

namespace chorale {

using Transitions = ::chorale_transitions;

// Checks the arguments and creates transitions with one reference. `scores`: labels x labels, NULL
// for zeros. `options`: as in chorale/chain.h; its struct_size is ignored.
chorale_status create_transitions(const Report &report, const Memory &memory, std::int64_t labels,
                                  const void *scores, chorale_transitions_options options,
                                  Transitions *&made) noexcept;

} // namespace chorale
