// The public result of learning: kinds of cliques, their weights, and the report.
#pragma once

#include "base/array.hpp"
#include "base/report.hpp"

#include <chorale/learn.h>

#include <string_view>

namespace chorale {

// The problems to learn from; none is NULL.
using Problems = gsl::span<const chorale_problem *const>;

// What all cliques of a kind have in common.
struct Kind {
  std::int64_t cliques = 0; // 0: no clique has the kind; the other fields are unset
  std::int64_t members = 0;
  std::int32_t values = 0; // number of values of each clique; 0: cliques differ in it
  std::int32_t centre_values = 0;
  bool is_property = false;
  bool has_empty = false; // the cliques have columns for EMPTY and CONFLICT
  bool has_out = false;
  bool is_centred = false;
  bool majority = false; // its weights are those of the basis MAJORITY
  std::int64_t first_weight = 0;
  std::int64_t weights = 0;
  std::int64_t name = 0; // offset in Learnt::names
  std::int64_t name_length = 0;
  // Bit v is 1 if only labels that do not count for F1 have value v. Agreement bases leave such
  // values out.
  std::int64_t left_out = 0;

  std::int32_t columns() const noexcept { return values + (has_empty ? 2 : 0); }
};

// Values from this one on are never left out.
inline constexpr std::int32_t kLeftOutValues = 59;
inline bool is_left_out(const Kind &kind, std::int32_t value) noexcept {
  return value < kLeftOutValues && (kind.left_out >> value & 1) != 0;
}

// True for agreement bases, false for bonuses (learn.h).
inline bool is_agreement(chorale_basis basis) noexcept { return basis < 100; }
// True if the indices of the basis stand for values, so that all cliques of the kind must have the
// same number of values.
inline bool needs_values(chorale_basis basis) noexcept {
  return basis == CHORALE_BASIS_MAJORITY || basis == CHORALE_BASIS_CENTRE ||
         basis == CHORALE_BASIS_VALUE;
}
// True for bases whose many weights refine other bases: one for each value, or pair of values.
inline bool is_detail(chorale_basis basis) noexcept {
  return basis == CHORALE_BASIS_VALUE || basis == CHORALE_BASIS_CENTRE;
}
std::string_view basis_name(chorale_basis basis) noexcept; // empty for an unknown basis

} // namespace chorale

struct chorale_learnt {
  explicit chorale_learnt(const chorale::Memory &from) noexcept
      : memory(from), kinds(from), told(from), weights(from), names(from) {}
  chorale_learnt(const chorale_learnt &) = delete;
  chorale_learnt &operator=(const chorale_learnt &) = delete;

  std::string_view name(const chorale::Kind &kind) const noexcept {
    return {names.begin() + kind.name, static_cast<std::size_t>(kind.name_length)};
  }
  // True if the weights of a kind are for one number of values only: if values are left out, or if
  // the indices of some basis stand for values.
  bool needs_values(const chorale::Kind &kind) const noexcept {
    if (kind.left_out != 0)
      return true;
    for (std::int64_t w = 0; w < kind.weights; ++w)
      if (chorale::needs_values(weights[kind.first_weight + w].basis))
        return true;
    return false;
  }

  chorale::Memory memory;
  chorale_learnt_report report{};
  chorale::Array<chorale::Kind> kinds;
  chorale::Array<chorale_learnt_kind> told; // by kind
  chorale::Array<chorale_learnt_weight> weights;
  chorale::Array<char> names;
};

namespace chorale {

using Learnt = ::chorale_learnt;

// Write the result as text to `buffer`: as much as fits, and a NUL. Return the number of bytes that
// the whole text with its NUL needs.
std::size_t write_lines(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept;
std::size_t write_learnt_json(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept;
chorale_status read_learnt(const Report &report, std::string_view json, Learnt &to) noexcept;

} // namespace chorale
