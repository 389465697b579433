// The table of clique algorithms: it has a row for every constant of the header, and what a row
// says of families holds for the calls that solve.
#include "clique/algorithms.hpp"

#include <chorale/experimental.h>

#include <array>
#include <cctype>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

using namespace chorale;

namespace {

constexpr std::int32_t kMembers = 5;
constexpr std::int32_t kValues = 4; // of three values every PAIRS is a SUM
constexpr std::int32_t kLabellings = 1024;

// "CONCAVE_FLOW" becomes "concave-flow".
std::string name_of_constant(std::string constant) {
  for (char &c : constant)
    c = c == '_' ? '-' : static_cast<char>(std::tolower(c));
  return constant;
}

void every_constant_has_a_row(void **) {
  std::ifstream header(CLIQUE_HEADER);
  assert_true(header.is_open());
  std::size_t count = 0;
  for (std::string line; std::getline(header, line);) {
    char constant[64];
    int id = 0;
    if (std::sscanf(line.c_str(), " CHORALE_ALGORITHM_%63[A-Z_] = %d", constant, &id) != 2)
      continue;
    const auto rows = algorithms();
    assert_true(count < rows.size());
    const Algorithm &row = rows[count++];
    assert_int_equal(row.id, id);
    assert_string_equal(row.name.data(), name_of_constant(constant).c_str());
    assert_ptr_equal(find_algorithm(row.id), &row);
    assert_string_equal(chorale_algorithm_name(row.id), row.name.data());
  }
  assert_int_equal(count, algorithms().size());
  assert_null(find_algorithm(11));
  assert_string_equal(chorale_algorithm_name(11), "unknown algorithm");
}

int salted(void *, const int64_t *counts, int64_t values, int64_t, double *score) {
  *score = 0;
  for (int64_t v = 0; v < values; ++v)
    *score += static_cast<double>((counts[v] * 7 + v * 5) % 4);
  return 0;
}

struct Family {
  const char *name;
  Form form;
  bool convex;
  bool concave;
  chorale_potential *potential = nullptr;
};

std::array<Family, 8> make_families() {
  std::array<Family, 8> made = {{{"convex", Form::sum, true, false},
                                 {"concave", Form::sum, false, true},
                                 {"bent", Form::sum, false, false},
                                 {"max", Form::max, false, false},
                                 {"majority", Form::majority, false, false},
                                 {"separable pairs", Form::sum, true, false},
                                 {"pairs", Form::pairs, false, false},
                                 {"callback", Form::callback, false, false}}};
  const double bent[kMembers + 1] = {0, 1, 3, 3.5, 7, 6};
  const double matrix[] = {2, -1, 0.5, 1, 0.5, 3, -2, 0, 1, 0, 1, 2, -1, 3, 0, 1};
  const double separable[] = {2,   0.5, 0.5, 0.5, 0.5, 3,   0.5, 0.5,
                              0.5, 0.5, 1,   0.5, 0.5, 0.5, 0.5, 2};
  chorale_error error;
  const auto at = [&](std::size_t f) { return &made[f].potential; };
  const chorale_status statuses[] = {
      chorale_potential_create_potts(nullptr, kValues, 0.4, nullptr, at(0), &error),
      chorale_potential_create_potts(nullptr, kValues, -0.4, nullptr, at(1), &error),
      chorale_potential_create_sum(nullptr, kValues, bent, 1, kMembers + 1, 0, nullptr, at(2),
                                   &error),
      chorale_potential_create_max(nullptr, kValues, bent, 1, kMembers + 1, 0, nullptr, at(3),
                                   &error),
      chorale_potential_create_majority(nullptr, kValues, matrix, 0, nullptr, nullptr, at(4),
                                        &error),
      chorale_potential_create_pairs(nullptr, kValues, separable, 0, nullptr, at(5), &error),
      chorale_potential_create_pairs(nullptr, kValues, matrix, 0, nullptr, at(6), &error),
      chorale_potential_create_callback(nullptr, kValues, salted, nullptr, nullptr, nullptr, at(7),
                                        &error)};
  for (const chorale_status status : statuses)
    assert_int_equal(status, CHORALE_OK);
  return made;
}

chorale_status expected_status(const Family &family, const Algorithm &row, FormSet fits) {
  if (!fits.has(family.form))
    return CHORALE_ERROR_ALGORITHM_MISMATCH;
  if (row.needs == TableShape::convex && !family.convex)
    return CHORALE_ERROR_NOT_CONVEX;
  if (row.needs == TableShape::concave && !family.concave)
    return CHORALE_ERROR_NOT_CONCAVE;
  return CHORALE_OK;
}

// A clique whose max-marginals are found by enumeration.
class Clique {
public:
  Clique(const Family &family, std::uint32_t seed) : family_(family), seed_(seed) {
    for (double &score : scores_) {
      seed = seed * 1664525 + 1013904223;
      score = static_cast<double>(seed >> 16) / 65536 * 3;
    }
    problem_ = {};
    problem_.struct_size = sizeof problem_;
    problem_.members = kMembers;
    problem_.values = kValues;
    problem_.scores = scores_.data();
    options_ = {};
    options_.struct_size = sizeof options_;
    result_ = {};
    result_.struct_size = sizeof result_;
    assert_int_equal(chorale_clique_solver_create(nullptr, &solver_, &error_), CHORALE_OK);
    best_.fill(kForbidden);
    for (std::int32_t x = 0; x < kLabellings; ++x) {
      std::array<std::int32_t, kMembers> labels;
      for (std::int32_t i = 0, left = x; i < kMembers; ++i, left /= kValues)
        labels[std::size_t(i)] = left % kValues;
      assert_int_equal(chorale_clique_score(solver_, family.potential, &problem_, labels.data(),
                                            &result_, &error_),
                       CHORALE_OK);
      for (std::size_t i = 0; i < labels.size(); ++i) {
        double &best = best_[i * kValues + std::size_t(labels[i])];
        best = std::max(best, result_.score);
      }
    }
  }
  ~Clique() { chorale_clique_solver_destroy(solver_); }
  Clique(const Clique &) = delete;
  Clique &operator=(const Clique &) = delete;

  void check(const Algorithm &row) {
    const double optimum = *std::max_element(best_.begin(), best_.end());
    options_.algorithm = row.id;
    const chorale_status solved = chorale_clique_solve(solver_, family_.potential, &problem_,
                                                       &options_, nullptr, &result_, &error_);
    expect(row, solved, expected_status(family_, row, row.solves));
    const bool exact = row.exact.has(family_.form);
    if (solved == CHORALE_OK) {
      require(result_.score <= optimum + 1e-9, row, "the score is above the optimum");
      require(!exact || result_.score >= optimum - 1e-9, row, "the score is below the optimum");
    }
    std::array<double, kMembers * kValues> found;
    const chorale_status marginals =
        chorale_clique_max_marginals(solver_, family_.potential, &problem_, &options_, found.data(),
                                     0, nullptr, &result_, &error_);
    expect(row, marginals, expected_status(family_, row, row.marginals));
    if (marginals != CHORALE_OK)
      return;
    require(!exact || result_.marginals_exact == 1, row, "max-marginals are not said to be exact");
    for (std::size_t e = 0; e < found.size(); ++e) {
      require(found[e] <= best_[e] + 1e-9, row, "a max-marginal is too high");
      require(!exact || found[e] >= best_[e] - 1e-9, row, "a max-marginal is too low");
    }
  }

private:
  void expect(const Algorithm &row, chorale_status status, chorale_status expected) const {
    require(status == expected, row, chorale_status_name(status));
  }

  void require(bool holds, const Algorithm &row, const char *what) const {
    if (!holds)
      fail_msg("%s of a %s clique, seed %u: %s", row.name.data(), family_.name, seed_, what);
  }

  const Family &family_;
  std::uint32_t seed_;
  std::array<double, kMembers * kValues> scores_;
  std::array<double, kMembers * kValues> best_; // max-marginals
  chorale_clique_problem problem_;
  chorale_clique_options options_;
  chorale_clique_result result_;
  chorale_clique_solver *solver_ = nullptr;
  chorale_error error_;
};

void rows_agree_with_the_solver(void **) {
  std::array<Family, 8> families = make_families();
  for (const Family &family : families) {
    const CliqueKind kind(*family.potential, kMembers);
    assert_true(kind.form == family.form);
    assert_int_equal(kind.convex, family.convex);
    assert_int_equal(kind.concave, family.concave);
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      Clique clique(family, seed);
      for (const Algorithm &row : algorithms())
        clique.check(row);
    }
  }
  for (const Family &family : families)
    chorale_potential_release(family.potential);
}

std::string written(const AlgorithmNames &names) {
  char text[512];
  TextWriter writer(text, sizeof text);
  writer << names;
  return text;
}

void names_are_listed_for_messages(void **) {
  assert_string_equal(written({&Algorithm::solves, FormSet(Form::sum)}).c_str(),
                      "auto, alpha-pass, generalised-alpha-pass, alpha-expansion, local-search (convex), "
                      "icm, concave-flow (concave), count-boxes or dual-bound");
  assert_string_equal(written({&Algorithm::marginals, FormSet(Form::majority)}).c_str(),
                      "auto, alpha-pass or exact-majority");
  assert_string_equal(written({&Algorithm::marginals, FormSet(Form::max)}).c_str(),
                      "auto or alpha-pass");
  assert_string_equal(written({&Algorithm::marginals, FormSet()}).c_str(), "");
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_constant_has_a_row),
      cmocka_unit_test(rows_agree_with_the_solver),
      cmocka_unit_test(names_are_listed_for_messages),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
