// Exported C functions of potential.h, and of experimental.h on potentials.
#include "potential/create.hpp"

#include "capi/firewall.hpp"
#include "potential/checks.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

// Body of all calls that create potentials: reads host and options, then calls
// make(report, memory, spec, arguments.., made), a function of create.hpp.
template <class Make, class... Arguments>
chorale_status create_potential(const chorale_host *host, std::int64_t values,
                                const chorale_potential_options *options,
                                chorale_potential **potential, chorale_error *error, Make &&make,
                                const Arguments &...arguments) noexcept {
  return creating(error, host, "potential", potential, [&](Report &report, const Memory &memory) {
    chorale_potential_options read{};
    CHORALE_CHECK(read_struct(report, "options", options, read));
    const PotentialSpec spec{values, read.scale, read.shape, read.counted};
    return make(report, memory, spec, arguments..., *potential);
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
  return create_potential(host, values, options, potential, error, create_by_formula,
                          Form::sum, TableSource::square, lambda);
}

chorale_status chorale_potential_create_entropy(const chorale_host *host, int64_t values,
                                                double lambda,
                                                const chorale_potential_options *options,
                                                chorale_potential **potential,
                                                chorale_error *error) {
  return create_potential(host, values, options, potential, error, create_by_formula,
                          Form::sum, TableSource::entropy, lambda);
}

chorale_status chorale_potential_create_makespan(const chorale_host *host, int64_t values,
                                                 double lambda,
                                                 const chorale_potential_options *options,
                                                 chorale_potential **potential,
                                                 chorale_error *error) {
  return create_potential(host, values, options, potential, error, create_by_formula,
                          Form::max, TableSource::linear, lambda);
}

chorale_status chorale_potential_create_square_makespan(const chorale_host *host, int64_t values,
                                                        double lambda,
                                                        const chorale_potential_options *options,
                                                        chorale_potential **potential,
                                                        chorale_error *error) {
  return create_potential(host, values, options, potential, error, create_by_formula,
                          Form::max, TableSource::square, lambda);
}

chorale_status chorale_potential_create_sum(const chorale_host *host, int64_t values,
                                            const double *tables, int64_t table_count,
                                            int64_t length, int64_t row_stride,
                                            const chorale_potential_options *options,
                                            chorale_potential **potential, chorale_error *error) {
  return create_potential(host, values, options, potential, error, create_by_tables,
                          Form::sum, MatrixSpec{tables, table_count, length, row_stride});
}

chorale_status chorale_potential_create_max(const chorale_host *host, int64_t values,
                                            const double *tables, int64_t table_count,
                                            int64_t length, int64_t row_stride,
                                            const chorale_potential_options *options,
                                            chorale_potential **potential, chorale_error *error) {
  return create_potential(host, values, options, potential, error, create_by_tables,
                          Form::max, MatrixSpec{tables, table_count, length, row_stride});
}

chorale_status chorale_potential_create_cardinality(const chorale_host *host, int64_t values,
                                                    const double *table, int64_t length,
                                                    const chorale_potential_options *options,
                                                    chorale_potential **potential,
                                                    chorale_error *error) {
  return create_potential(host, values, options, potential, error, create_cardinality,
                          MatrixSpec{table, 1, length, length});
}

chorale_status
chorale_potential_create_majority(const chorale_host *host, int64_t values, const double *weights,
                                  int64_t row_stride,
                                  const double *bias, const chorale_potential_options *options,
                                  chorale_potential **potential, chorale_error *error) {
  return create_potential(host, values, options, potential, error, create_by_square,
                          Form::majority, MatrixSpec{weights, values, values, row_stride},
                          MatrixSpec{bias, 1, values, values});
}

chorale_status chorale_potential_create_pairs(const chorale_host *host, int64_t values,
                                              const double *scores, int64_t row_stride,
                                              const chorale_potential_options *options,
                                              chorale_potential **potential, chorale_error *error) {
  return create_potential(host, values, options, potential, error, create_by_square,
                          Form::pairs, MatrixSpec{scores, values, values, row_stride},
                          MatrixSpec{});
}

chorale_status chorale_potential_create_callback(const chorale_host *host, int64_t values,
                                                 chorale_count_function function, void *user,
                                                 void (*release)(void *user),
                                                 const chorale_potential_options *options,
                                                 chorale_potential **potential,
                                                 chorale_error *error) {
  return create_potential(host, values, options, potential, error, create_by_callback, function,
                          user, release);
}

chorale_potential *chorale_potential_retain(const chorale_potential *potential) {
  return retain(potential);
}

void chorale_potential_release(const chorale_potential *potential) { release(potential); }

int64_t chorale_potential_values(const chorale_potential *potential) {
  return potential ? potential->values : 0;
}

const char *chorale_potential_family(const chorale_potential *potential) {
  constexpr const char *kNames[] = {"sum", "max", "majority", "pairs", "callback"}; // by Form
  return potential ? kNames[static_cast<std::int32_t>(potential->family)] : nullptr;
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
