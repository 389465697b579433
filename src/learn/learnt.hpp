// The result of learning: kinds of cliques, the weights of their potentials, and the report.
#pragma once

#include "base/array.hpp"
#include "base/report.hpp"
#include "base/span.hpp"

#include <chorale/experimental.h>

#include <string_view>

namespace chorale {

// Functions of the counts n_v of a clique with n members. A potential is a sum of such functions,
// each times its weight. Learning gives weights to agreement, single and centre; the others are for
// results of 0.2. OUT is left out of agreement, log_agreement and share; Kind::left_out of these and
// of single.
enum class Basis : std::int32_t {
  agreement,     // sum_v n_v^2 / n
  log_agreement, // sum_v n_v^2 / log n
  share,         // index i of 1, 2, 3: sum_v max(0, n_v - i n / 4)
  centre,        // index c C + v, with C columns: n_v if the centre has value c
  single,        // sum_v n_v
  empty,         // n_EMPTY
  conflict,      // n_CONFLICT
  out,           // n_OUT
  value,         // index v: n_v
  majority       // index a C + v, with C columns: n_v if a has the highest count; by itself in a kind
};
inline constexpr std::string_view kBasisNames[] = {"agreement", "log-agreement", "share",
                                                   "centre",    "single",        "empty",
                                                   "conflict",  "out",           "value",
                                                   "majority"};

struct Weight {
  std::int32_t kind;
  Basis basis;
  std::int64_t index; // 0 if the basis has none
  double weight;
};

// Families of kinds, each of which shares one strength and one bonus.
enum class Family : std::int32_t { positions, properties, centres };
inline constexpr std::int32_t kFamilies = 3;

// What all cliques of a kind have in common, and what was learnt for them.
struct Kind {
  struct Name { // in Learnt::names
    std::int64_t first = 0;
    std::int64_t length = 0;
  };
  std::int64_t cliques = 0; // 0: no clique has the kind; the other fields are unset
  std::int64_t members = 0;
  std::int32_t values = 0; // number of values of each clique; 0: cliques differ in it
  std::int32_t centre_values = 0;
  bool is_property = false;
  bool has_empty = false; // the cliques have columns for EMPTY and CONFLICT
  bool has_out = false;
  bool is_centred = false;
  bool uses_log_odds = false;
  double strength = 0;
  double bonus = 0;
  std::int64_t first_weight = 0;
  std::int64_t weights = 0;
  Name name;
  std::int64_t left_out = 0; // bit v: only labels that do not count have value v

  std::int64_t columns() const noexcept { return values + (has_empty ? 2 : 0); }
  Family family() const noexcept {
    return is_centred ? Family::centres : is_property ? Family::properties : Family::positions;
  }
  bool leaves_out(std::int64_t value) const noexcept {
    return value < kLeftOutValues && (left_out >> value & 1) != 0;
  }
  // Values from this one on are never left out: the reader of JSON takes numbers of 18 digits.
  static constexpr std::int32_t kLeftOutValues = 59;
};

} // namespace chorale

struct chorale_learnt {
  explicit chorale_learnt(const chorale::Memory &from) noexcept
      : memory(from), kinds(from), weights(from), names(from) {}
  chorale_learnt(const chorale_learnt &) = delete;
  chorale_learnt &operator=(const chorale_learnt &) = delete;

  std::string_view text_of(const chorale::Kind::Name &name) const noexcept {
    return {names.begin() + name.first, static_cast<std::size_t>(name.length)};
  }
  gsl::span<const chorale::Weight> weights_of(const chorale::Kind &kind) const noexcept {
    return chorale::span_of(weights.begin() + kind.first_weight, kind.weights);
  }

  chorale::Memory memory;
  chorale_learnt_report report{};
  chorale::Array<chorale::Kind> kinds;
  chorale::Array<chorale::Weight> weights; // by kind; of nothing applied: none
  chorale::Array<char> names;
};

namespace chorale {

using Learnt = ::chorale_learnt;

// Write the result as text to `buffer`: as much as fits, and a NUL. Return the number of bytes that
// the whole text with its NUL needs.
std::size_t write_lines(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept;
std::size_t write_learnt_json(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept;
// Rounds all numbers to those that the JSON keeps, so that a result equals what is read from its JSON.
void round_learnt(Learnt &learnt) noexcept;
chorale_status read_learnt(const Report &report, std::string_view json, Learnt &to) noexcept;

} // namespace chorale
