// Chooses the unit in which messages are stored (message_store.hpp): near the score differences
// between labels.
#pragma once

#include "cluster/run/inputs.hpp"

namespace chorale {

// Returns a power of two near the lower quartile, over sampled positions, of the difference between
// a position's greatest and second greatest unary score; if there is no difference or no second
// score, the absolute value of the greatest. Numbers that are 0 do not count. `inputs`: gives the
// replaced scores of chains. If no number is left, returns a power of two near a number of some
// potential; if there is no such number either, returns 1.
double message_unit(const Model &model, const Inputs &inputs) noexcept;

} // namespace chorale
