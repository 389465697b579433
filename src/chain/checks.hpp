// Chains as the caller states them: checked, and made views of.
#pragma once

#include "base/report.hpp"
#include "chain/chain_view.hpp"

namespace chorale {

inline constexpr std::int64_t kLongest = INT32_MAX - 1;

// Checks the shapes of a chain and its parents, and makes its view; then every number of that.
chorale_status check_chain(const Report &report, chorale_chain chain, ChainView &view) noexcept;
chorale_status check_numbers(const Report &report, const ChainView &view) noexcept;
// `labelling`: as many labels as the view has positions.
chorale_status check_labelling(const Report &report, const ChainView &view,
                               const std::int32_t *labelling) noexcept;
// Parents come before their children; part of check_chain.
chorale_status check_parents(const Report &report, const ChainView &view) noexcept;

// Strides of an array of rows x columns numbers: 0 becomes "without gaps"; entries must not lie on
// one another, nor beyond the address space.
chorale_status take_strides(const Report &report, std::string_view name, std::int64_t rows,
                            std::int64_t columns, std::int64_t &row, std::int64_t &column) noexcept;

chorale_status check_number_constants(const Report &report, std::string_view struct_name,
                                      chorale_number number,
                                      chorale_orientation orientation) noexcept;

} // namespace chorale
