// Chooses the unit in which messages are compared and, in the format of 16 bits, stored
// (message_store.hpp): a power of two near the score differences between labels.
#pragma once

#include "cluster/run/inputs.hpp"

namespace chorale {

// Returns a power of two near the lower quartile of a number computed for each sampled position:
// its greatest unary score minus the second greatest, or if the two are equal or only one is above
// minus infinity, the absolute value of the greatest. Numbers that are 0 do not count. If no number
// is left, returns a power of two near a number of some potential; if there is no such number
// either, returns 1. `inputs`: gives the replaced scores of chains.
double message_unit(const Model &model, const Inputs &inputs) noexcept;

} // namespace chorale
