// Exported C functions of potential.h.
#include "potential/create.hpp"

#include "capi/firewall.hpp"
#include "potential/checks.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

constexpr chorale_potential_options kDefaults{sizeof(chorale_potential_options), CHORALE_SCALE_NONE,
                                              CHORALE_SHAPE_DETECT, nullptr};

// Body of all calls that create potentials: reads host and options, then calls make(report, memory,
// spec, made).
template <class Make>
chorale_status create_potential(const chorale_host *host, std::int64_t values,
                      const chorale_potential_options *options, chorale_potential **potential,
                      chorale_error *error, Make &&make) noexcept {
  return creating(error, host, "potential", potential, [&](Report &report, const Memory &memory) {
    chorale_potential_options read = kDefaults;
    CHORALE_CHECK(read_struct(report, "options", options, read));
    const PotentialSpec spec{values, read.scale, read.shape, read.counted};
    return make(report, memory, spec, *potential);
  });
}

chorale_status create_formula(const chorale_host *host, std::int64_t values, double lambda,
                              const chorale_potential_options *options,
                              chorale_potential **potential, chorale_error *error,
                              chorale_family family, TableSource source) noexcept {
  return create_potential(host, values, options, potential, error,
                [&](const auto &report, const auto &memory, const auto &spec, auto *&made) {
                  return create_by_formula(report, memory, spec, family, source, lambda, made);
                });
}

chorale_status create_tables(const chorale_host *host, std::int64_t values, MatrixSpec tables,
                             const chorale_potential_options *options,
                             chorale_potential **potential, chorale_error *error,
                             chorale_family family) noexcept {
  return create_potential(host, values, options, potential, error,
                [&](const auto &report, const auto &memory, const auto &spec, auto *&made) {
                  return create_by_tables(report, memory, spec, family, tables, made);
                });
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_potential_create_potts(const chorale_host *host, int64_t values,
                                              double lambda,
                                              const chorale_potential_options *options,
                                              chorale_potential **potential, chorale_error *error) {
  return create_formula(host, values, lambda, options, potential, error, CHORALE_FAMILY_SUM,
                        TableSource::square);
}

chorale_status chorale_potential_create_entropy(const chorale_host *host, int64_t values,
                                                double lambda,
                                                const chorale_potential_options *options,
                                                chorale_potential **potential,
                                                chorale_error *error) {
  return create_formula(host, values, lambda, options, potential, error, CHORALE_FAMILY_SUM,
                        TableSource::entropy);
}

chorale_status chorale_potential_create_makespan(const chorale_host *host, int64_t values,
                                                 double lambda,
                                                 const chorale_potential_options *options,
                                                 chorale_potential **potential,
                                                 chorale_error *error) {
  return create_formula(host, values, lambda, options, potential, error, CHORALE_FAMILY_MAX,
                        TableSource::linear);
}

chorale_status chorale_potential_create_square_makespan(const chorale_host *host, int64_t values,
                                                        double lambda,
                                                        const chorale_potential_options *options,
                                                        chorale_potential **potential,
                                                        chorale_error *error) {
  return create_formula(host, values, lambda, options, potential, error, CHORALE_FAMILY_MAX,
                        TableSource::square);
}

chorale_status chorale_potential_create_sum(const chorale_host *host, int64_t values,
                                            const double *tables, int64_t table_count,
                                            int64_t length, int64_t row_stride,
                                            const chorale_potential_options *options,
                                            chorale_potential **potential, chorale_error *error) {
  return create_tables(host, values, {tables, table_count, length, row_stride}, options, potential,
                       error, CHORALE_FAMILY_SUM);
}

chorale_status chorale_potential_create_max(const chorale_host *host, int64_t values,
                                            const double *tables, int64_t table_count,
                                            int64_t length, int64_t row_stride,
                                            const chorale_potential_options *options,
                                            chorale_potential **potential, chorale_error *error) {
  return create_tables(host, values, {tables, table_count, length, row_stride}, options, potential,
                       error, CHORALE_FAMILY_MAX);
}

chorale_status chorale_potential_create_cardinality(const chorale_host *host, int64_t values,
                                                    const double *table, int64_t length,
                                                    const chorale_potential_options *options,
                                                    chorale_potential **potential,
                                                    chorale_error *error) {
  return create_potential(host, values, options, potential, error,
                [&](const auto &report, const auto &memory, const auto &spec, auto *&made) {
                  return create_cardinality(report, memory, spec, {table, 1, length, length}, made);
                });
}

chorale_status
chorale_potential_create_majority(const chorale_host *host, int64_t values, const double *weights,
                                  int64_t row_stride,
                                  const double *bias, const chorale_potential_options *options,
                                  chorale_potential **potential, chorale_error *error) {
  return create_potential(host, values, options, potential, error,
                [&](const auto &report, const auto &memory, const auto &spec, auto *&made) {
                  return create_by_square(report, memory, spec, CHORALE_FAMILY_MAJORITY,
                                          {weights, values, values, row_stride},
                                          {bias, 1, values, values}, made);
                });
}

chorale_status chorale_potential_create_pairs(const chorale_host *host, int64_t values,
                                              const double *scores, int64_t row_stride,
                                              const chorale_potential_options *options,
                                              chorale_potential **potential, chorale_error *error) {
  return create_potential(host, values, options, potential, error,
                [&](const auto &report, const auto &memory, const auto &spec, auto *&made) {
                  return create_by_square(report, memory, spec, CHORALE_FAMILY_PAIRS,
                                          {scores, values, values, row_stride}, {}, made);
                });
}

chorale_status chorale_potential_create_callback(const chorale_host *host, int64_t values,
                                                 chorale_count_function function, void *user,
                                                 void (*release)(void *user),
                                                 const chorale_potential_options *options,
                                                 chorale_potential **potential,
                                                 chorale_error *error) {
  return create_potential(host, values, options, potential, error,
                [&](const auto &report, const auto &memory, const auto &spec, auto *&made) {
                  return create_by_callback(report, memory, spec, function, user, release, made);
                });
}

chorale_potential *chorale_potential_retain(const chorale_potential *potential) {
  return retain(potential);
}

void chorale_potential_release(const chorale_potential *potential) { release(potential); }

int64_t chorale_potential_values(const chorale_potential *potential) {
  return potential ? potential->values : 0;
}

chorale_family chorale_potential_family(const chorale_potential *potential) {
  return potential ? potential->family : 0;
}

const char *chorale_family_name(chorale_family family) {
  switch (family) {
  case CHORALE_FAMILY_SUM:
    return "sum";
  case CHORALE_FAMILY_MAX:
    return "max";
  case CHORALE_FAMILY_MAJORITY:
    return "majority";
  case CHORALE_FAMILY_PAIRS:
    return "pairs";
  case CHORALE_FAMILY_CALLBACK:
    return "callback";
  default:
    return "unknown family";
  }
}

chorale_status chorale_potential_score(const chorale_potential *potential, const int64_t *counts,
                                          int64_t values, int64_t members, double *score,
                                          chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "potential", potential, "counts", counts, "score", score));
    if (values != potential->values)
      return report.fail(CHORALE_ERROR_VALUES_MISMATCH, "values is ", values,
                         "; it must be that of the potential, ", potential->values);
    CHORALE_CHECK(check_counts(report, span_of(counts, values), members));
    CHORALE_CHECK(check_tables_serve(report, *potential, members, "potential"));
    return score_counts(report, *potential, counts, members, *score);
  });
}

} // extern "C"
