// Checks the chains that a caller passes, and converts them to views.
#pragma once

#include "base/report.hpp"
#include "chain/chain_view.hpp"

namespace chorale {

// Greatest number of positions of a chain.
inline constexpr std::int64_t kLongest = INT32_MAX - 1;

// check_chain() checks sizes, constants, strides and parents, and fills `view`. check_numbers()
// then checks the scores of the chain (those of its transitions were checked when these were
// created) and the entries of `forced`.
chorale_status check_chain(const Report &report, chorale_chain chain, ChainView &view) noexcept;
chorale_status check_numbers(const Report &report, const ChainView &view) noexcept;
// Checks the unary scores alone. In error messages position t is called name[first + t].
chorale_status check_unary(const Report &report, std::string_view name, const ChainView &view,
                           std::int64_t first) noexcept;
// Checks the scores of the edge into position t, a matrix that error messages call name[number].
chorale_status check_edges(const Report &report, std::string_view name, const ChainView &view,
                           std::int32_t t, std::int64_t number) noexcept;
// Checks the forced labels, if there are any. In error messages position t is called
// name[first + t].
chorale_status check_forced(const Report &report, std::string_view name, const ChainView &view,
                            std::int64_t first) noexcept;
// Checks that each token is an id of at least 0, or -1 for no token. In error messages token t is
// called name[first + t].
chorale_status check_tokens(const Report &report, std::string_view name,
                            gsl::span<const std::int32_t> tokens, std::int64_t first) noexcept;
// Checks that `labelling` has a label from 0 to m - 1 for each position of the view.
chorale_status check_labelling(const Report &report, const ChainView &view,
                               gsl::span<const std::int32_t> labelling) noexcept;
// Checks that parents are in range and come before their children, if the view has parents.
// check_chain() calls it.
chorale_status check_parents(const Report &report, const ChainView &view) noexcept;

// Checks the strides of a matrix of rows x columns numbers. Replaces a column stride of 0 by 1 and
// a row stride of 0 by columns * column. Fails if a stride is negative, or if entries overlap or
// exceed the address space. `name`: the matrix, in error messages.
chorale_status take_strides(const Report &report, std::string_view name, std::int64_t rows,
                            std::int64_t columns, std::int64_t &row, std::int64_t &column) noexcept;

// Checks the type of the elements and the orientation of matrices. `struct_name`: the struct that
// has these fields, in error messages.
chorale_status check_number_constants(const Report &report, std::string_view struct_name,
                                      chorale_element number,
                                      chorale_orientation orientation) noexcept;

} // namespace chorale
