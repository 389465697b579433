// Potentials from what the caller gives. Everything is checked and copied; on success `made` is a
// potential with one reference, else it stays as it was.
#pragma once

#include "base/report.hpp"
#include "potential/potential.hpp"

namespace chorale {

// What every family is told; arrays have not been checked yet.
struct PotentialSpec {
  std::int64_t values;
  chorale_scale scale = CHORALE_SCALE_NONE;
  chorale_shape shape = CHORALE_SHAPE_DETECT;
  const std::uint8_t *counted = nullptr; // values, 0: does not count; NULL: all do
};

// rows x columns numbers of the caller.
struct MatrixSpec {
  const double *data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
};

// SUM and MAX: a formula times lambda, or tables; then a table for the higher of two values alone.
chorale_status create_by_formula(const Report &report, const Memory &memory,
                                 const PotentialSpec &spec, chorale_family family,
                                 TableSource source, double lambda, Potential *&made) noexcept;
chorale_status create_by_tables(const Report &report, const Memory &memory,
                                const PotentialSpec &spec, chorale_family family,
                                MatrixSpec tables, Potential *&made) noexcept;
chorale_status create_cardinality(const Report &report, const Memory &memory,
                                  const PotentialSpec &spec, const double *table,
                                  std::int64_t length, Potential *&made) noexcept;
// MAJORITY and PAIRS. `bias`: values numbers of MAJORITY, or NULL.
chorale_status create_by_square(const Report &report, const Memory &memory,
                                const PotentialSpec &spec, chorale_family family,
                                const MatrixSpec &square, const double *bias,
                                Potential *&made) noexcept;
chorale_status create_by_callback(const Report &report, const Memory &memory,
                                  const PotentialSpec &spec, chorale_count_function function,
                                  void *user, void (*release)(void *user),
                                  Potential *&made) noexcept;
// factor * `source`; holds a reference on what owns the numbers.
chorale_status create_scaled(const Report &report, const Memory &memory, const Potential &source,
                             double factor, Potential *&made) noexcept;

} // namespace chorale
