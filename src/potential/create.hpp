// Creates potentials from the caller's arguments, which are checked and copied. On success `made`
// is a potential with one reference; otherwise `made` is unchanged.
#pragma once

#include "base/report.hpp"
#include "potential/potential.hpp"

namespace chorale {

// Arguments common to all families. Arrays have not been checked yet.
struct PotentialSpec {
  std::int64_t values;
  chorale_scale scale = CHORALE_SCALE_NONE;
  chorale_shape shape = CHORALE_SHAPE_DETECT;
  const std::uint8_t *counted = nullptr; // `values` entries, 0: uncounted; NULL: all are counted
};

// A matrix of rows x columns numbers in the caller's memory.
struct MatrixSpec {
  const double *data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
};

// Create a SUM or MAX: from a formula times lambda; from tables; from one table of `length` entries
// for the higher of two counted values.
chorale_status create_by_formula(const Report &report, const Memory &memory,
                                 const PotentialSpec &spec, chorale_family family,
                                 TableSource source, double lambda, Potential *&made) noexcept;
chorale_status create_by_tables(const Report &report, const Memory &memory,
                                const PotentialSpec &spec, chorale_family family,
                                MatrixSpec tables, Potential *&made) noexcept;
chorale_status create_cardinality(const Report &report, const Memory &memory,
                                  const PotentialSpec &spec, const double *table,
                                  std::int64_t length, Potential *&made) noexcept;
// Creates a MAJORITY or PAIRS, by `family`. `square`: values x values. `bias`: `values` biases of
// MAJORITY, or NULL.
chorale_status create_by_square(const Report &report, const Memory &memory,
                                const PotentialSpec &spec, chorale_family family,
                                MatrixSpec square, const double *bias,
                                Potential *&made) noexcept;
// A mixture: weights[kMixtureHead], then linear[values]. `mask`: values entries 0 (does not count),
// 1, kLinearOnly; NULL: 1 for all.
chorale_status create_mixture(const Report &report, const Memory &memory, std::int64_t values,
                              const std::uint8_t *mask, const double *weights,
                              const double *linear, Potential *&made) noexcept;
chorale_status create_by_callback(const Report &report, const Memory &memory,
                                  const PotentialSpec &spec, chorale_count_function function,
                                  void *user, void (*release)(void *user),
                                  Potential *&made) noexcept;
// Creates factor * `source`, which holds a reference on the potential that owns the numbers.
chorale_status create_scaled(const Report &report, const Memory &memory, const Potential &source,
                             double factor, Potential *&made) noexcept;

} // namespace chorale
