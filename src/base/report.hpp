// Reports of a caller's mistakes, and checks that several folders share. A function that checks its
// arguments takes a Report and returns a status:
//     chorale_status create_noun(const Report &report, .., Noun *&made) noexcept {
//       CHORALE_CHECK(check_given(report, "scores", scores));
//       CHORALE_CHECK(check_size(report, "values", values));
//       ..
//       return CHORALE_OK;
//     }
//
// Messages name arguments as the public headers do. All checks come before any change. They also
// come before any assertion (Expects) that a wrong argument would violate, which would abort the
// program.
#pragma once

#include "base/memory.hpp"
#include "base/numeric.hpp"
#include "base/text_writer.hpp"

#include <chorale/base.h>

#include <cmath>

namespace chorale {

class Report {
public:
  explicit Report(chorale_error *error) noexcept : error_(error) {
    if (error_) {
      error_->status = CHORALE_OK;
      error_->reserved = 0;
      error_->message[0] = '\0';
    }
  }

  template <class... Parts>
  chorale_status fail(chorale_status status, const Parts &...parts) const noexcept {
    if (error_) {
      error_->status = status;
      TextWriter writer(error_->message, sizeof error_->message);
      (writer << ... << parts);
    }
    return status;
  }

  template <class... Name> chorale_status null_argument(const Name &...name) const noexcept {
    return fail(CHORALE_ERROR_NULL_ARGUMENT, name..., " is NULL; it must not be");
  }
  chorale_status out_of_memory(std::size_t bytes) const noexcept {
    return fail(CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory, aligned to ", kAlignment,
                ", for ", bytes, " bytes");
  }
  chorale_status out_of_memory() const noexcept {
    return fail(CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory, aligned to ", kAlignment);
  }
  chorale_status unknown_constant(std::string_view name, std::int64_t value,
                                  std::string_view rule) const noexcept {
    return fail(CHORALE_ERROR_UNKNOWN_CONSTANT, name, " is ", value, "; it must be ", rule);
  }

private:
  chorale_error *error_;
};

// Returns from the enclosing function with the status of `call`, unless it is CHORALE_OK.
#define CHORALE_CHECK(call)                                                                        \
  do {                                                                                             \
    if (const chorale_status checked_status = (call); checked_status != CHORALE_OK)                \
      return checked_status;                                                                       \
  } while (false)

// ---- Checks ------------------------------------------------------------------------------------
//
// A `name` at the end of the arguments consists of texts and numbers that together name what is
// checked, such as "scores[", v, "]".

// Greatest size that checks accept. It is so low that sums of counts, and offsets, do not overflow.
inline constexpr std::int64_t kLargestSize = INT32_MAX;

// Checks that pointers are not NULL. Arguments after `report`: the name of an argument and its
// pointer, then the next name and pointer, and so on.
template <class Pointer, class... Rest>
chorale_status check_given(const Report &report, std::string_view name, const Pointer &pointer,
                           const Rest &...rest) noexcept {
  if (!pointer)
    return report.null_argument(name);
  if constexpr (sizeof...(rest) > 0)
    return check_given(report, rest...);
  else
    return CHORALE_OK;
}

// Checks that the pointer to an array is not NULL, unless the array has no entries.
template <class... Name>
chorale_status check_array(const Report &report, const void *array, std::int64_t count,
                           const Name &...name) noexcept {
  return array || count <= 0 ? chorale_status{CHORALE_OK} : report.null_argument(name...);
}

template <class... Name>
chorale_status check_least(const Report &report, std::int64_t value, std::int64_t least,
                           const Name &...name) noexcept {
  if (value >= least)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_SIZE, name..., " is ", value, "; it must be at least ", least);
}

inline chorale_status check_size(const Report &report, std::string_view name, std::int64_t value,
                                 std::int64_t least = 1) noexcept {
  CHORALE_CHECK(check_least(report, value, least, name));
  if (value > kLargestSize)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, name, " is ", value, "; it must be at most ",
                       kLargestSize);
  return CHORALE_OK;
}

template <class... Name>
chorale_status check_flag(const Report &report, std::int32_t value, const Name &...name) noexcept {
  if (value == 0 || value == 1)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name..., " is ", value, "; it must be 0 or 1");
}

inline chorale_status check_seconds(const Report &report, std::string_view name,
                                    double value) noexcept {
  if (!std::isnan(value))
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_NOT_A_NUMBER, name,
                     " is NaN; it must be seconds, or 0 for no limit");
}

// Checks `count` entries of an array, unless it is NULL: each must be from `least` to `most`.
inline constexpr std::int64_t kAnyEntry = INT64_MAX; // for `most`: no limit
template <class Number, class... Name>
chorale_status check_entries(const Report &report, const Number *entries, std::int64_t count,
                             std::int64_t least, std::int64_t most, const Name &...name) noexcept {
  for (std::int64_t i = 0; entries && i < count; ++i) {
    if (entries[i] >= least && entries[i] <= most)
      continue;
    if (most == kAnyEntry)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name..., "[", i, "] is ",
                         std::int64_t{entries[i]}, "; it must be at least ", least);
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name..., "[", i, "] is ",
                       std::int64_t{entries[i]}, "; it must be from ", least, " to ", most);
  }
  return CHORALE_OK;
}

// Checks that `index` is from 0 to count - 1.
template <class... Name>
chorale_status check_below(const Report &report, std::int64_t index, std::int64_t count,
                           const Name &...name) noexcept {
  if (index >= 0 && index < count)
    return CHORALE_OK;
  if (count == 0)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name..., " is ", index,
                       "; there is none, so no index is valid");
  return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name..., " is ", index, "; it must be from 0 to ",
                     count - 1);
}
inline chorale_status check_index(const Report &report, std::string_view name, std::int64_t index,
                                  std::int64_t count) noexcept {
  return check_below(report, index, count, name);
}

// Checks an array of `count` + 1 offsets, which divides another array into `count` parts: part i
// has the entries offsets[i] .. offsets[i + 1] - 1. The first offset must not be negative, and no
// offset may be less than the offset before. Reads nothing if `count` is negative.
template <class... Name>
chorale_status check_offsets(const Report &report, const std::int64_t *offsets, std::int64_t count,
                             const Name &...name) noexcept {
  for (std::int64_t i = 0; i <= count; ++i) {
    const std::int64_t least = i == 0 ? 0 : offsets[i - 1];
    if (offsets[i] < least)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name..., "[", i, "] is ", offsets[i],
                         "; it must be at least ", least, i == 0 ? "" : ", the offset before it");
  }
  return CHORALE_OK;
}

// Checks a stride between rows and replaces 0, which stands for rows without gaps, by `columns`.
// Also checks that `rows` rows of doubles fit the address space.
inline chorale_status take_row_stride(const Report &report, std::string_view rows_name,
                                      std::int64_t rows, std::string_view columns_name,
                                      std::int64_t columns, std::string_view stride_name,
                                      std::int64_t &stride) noexcept {
  if (stride == 0)
    stride = columns;
  if (stride < columns)
    return report.fail(CHORALE_ERROR_STRIDE, stride_name, " is ", stride,
                       "; it must be 0, for rows without gaps, or at least ", columns_name, " = ",
                       columns);
  constexpr std::int64_t limit = PTRDIFF_MAX / static_cast<std::int64_t>(sizeof(double));
  if (rows > limit / stride)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, rows_name, " = ", rows, " rows of ",
                       stride_name, " = ", stride, " doubles exceed the address space");
  return CHORALE_OK;
}

// Reports a number that is no valid score. `forbidden_allowed`: true if the message is to say that
// minus infinity is valid.
template <class... Name>
chorale_status fail_number(const Report &report, double value, bool forbidden_allowed,
                           const Name &...name) noexcept {
  if (std::isnan(value))
    return report.fail(CHORALE_ERROR_NOT_A_NUMBER, name..., " is NaN; it must be a number");
  if (std::isfinite(value))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name..., " is ", value, "; it must be from ",
                       -kLargestScore, " to ", kLargestScore);
  return report.fail(CHORALE_ERROR_INFINITE, name..., " is ", value,
                     forbidden_allowed ? "; it must be finite, or minus infinity to forbid it"
                                       : "; it must be finite");
}

inline chorale_status check_finite(const Report &report, std::string_view name,
                                   double value) noexcept {
  return is_finite_score(value) ? chorale_status{CHORALE_OK}
                                : fail_number(report, value, false, name);
}

} // namespace chorale
