// Views of arrays with one or two dimensions. A view does not own its array.
#pragma once

#include "base/contract.hpp"
#include "base/numeric.hpp"

#include <gsl/span>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace chorale {

// Returns a span of the `count` entries that begin at `data`; an empty span if `data` is NULL.
template <class T> gsl::span<T> span_of(T *data, std::int64_t count) noexcept {
  return data ? gsl::span<T>(data, to_size(count)) : gsl::span<T>();
}

// A matrix whose row i begins i * stride numbers after `data`. If `data` is NULL, there is no
// matrix.
template <class T> struct Matrix {
  T *data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::ptrdiff_t stride = 0;

  explicit operator bool() const noexcept { return data != nullptr; }
  operator Matrix<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data, rows, columns, stride};
  }
  gsl::span<T> row(std::int64_t i) const noexcept {
    Expects(!kContracts || (i >= 0 && i < rows));
    return {data + i * stride, to_size(columns)};
  }
};

// Returns a matrix whose rows have no gaps between them.
template <class T>
Matrix<T> matrix_of(T *data, std::int64_t rows, std::int64_t columns) noexcept {
  return {data, rows, columns, static_cast<std::ptrdiff_t>(columns)};
}

} // namespace chorale
