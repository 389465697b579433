// Creates potentials from the caller's arguments, which are checked and copied. On success each
// function writes to `made` a new potential, with one reference, which belongs to the caller; on
// failure `made` is unchanged.
#pragma once

#include "base/report.hpp"
#include "potential/potential.hpp"

namespace chorale {

// Arguments common to all families. They have not been checked yet.
struct PotentialSpec {
  std::int64_t values;
  chorale_scale scale = CHORALE_SCALE_NONE;
  chorale_shape shape = CHORALE_SHAPE_DETECT;
  const std::uint8_t *counted = nullptr; // `values` entries, 0: uncounted; NULL: all are counted
};

// A matrix of rows x columns numbers in the caller's memory that has not been checked yet. (The
// struct Matrix of base/span.hpp is for matrices that have been checked.)
struct MatrixSpec {
  const double *data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
};

// Create a SUM or MAX. create_by_formula: every table is lambda times the formula that `source`
// names. create_by_tables: copies the tables. create_cardinality: makes a SUM of exactly two
// counted values; the higher value has the table `table` (one row), the lower a table of zeros.
chorale_status create_by_formula(const Report &report, const Memory &memory,
                                 const PotentialSpec &spec, Form family,
                                 TableSource source, double lambda, Potential *&made) noexcept;
chorale_status create_by_tables(const Report &report, const Memory &memory,
                                const PotentialSpec &spec, Form family,
                                MatrixSpec tables, Potential *&made) noexcept;
chorale_status create_cardinality(const Report &report, const Memory &memory,
                                  const PotentialSpec &spec, MatrixSpec table,
                                  Potential *&made) noexcept;
// Creates a MAJORITY or PAIRS, as `family` says. `square`: values x values weights of MAJORITY or
// scores of PAIRS. `bias`: one row with the `values` biases of MAJORITY; if `bias` has no data, all
// biases are 0.
chorale_status create_by_square(const Report &report, const Memory &memory,
                                const PotentialSpec &spec, Form family,
                                MatrixSpec square, MatrixSpec bias,
                                Potential *&made) noexcept;
// Creates a mixture, a SUM whose tables are weighted sums of fixed functions (see `storage` in
// potential.hpp). `weights`: the kMixtureHead weights that all values share. `linear`: for each
// value, the weight of its count. `mask`: for each value 0 (uncounted), 1 (all functions) or
// kLinearOnly; empty: 1 for all values.
chorale_status create_mixture(const Report &report, const Memory &memory,
                              gsl::span<const std::uint8_t> mask, gsl::span<const double> weights,
                              gsl::span<const double> linear, Potential *&made) noexcept;
chorale_status create_by_callback(const Report &report, const Memory &memory,
                                  const PotentialSpec &spec, chorale_count_function function,
                                  void *user, void (*release)(void *user),
                                  Potential *&made) noexcept;
// Creates factor * `source`. The new potential shares its numbers with the potential that owns
// them, and holds a reference on it. The owner is `source`, or the potential from which `source`
// was itself derived.
chorale_status create_scaled(const Report &report, const Memory &memory, const Potential &source,
                             double factor, Potential *&made) noexcept;

} // namespace chorale
