// The unit that messages are stored in: of the size of what tells labels apart.
#pragma once

#include "cluster/run/inputs.hpp"

namespace chorale {

// A power of two near the lower quartile of the leads of best labels over next ones. Chains are
// read where `inputs` has them.
double message_unit(const Model &model, const Inputs &inputs) noexcept;

} // namespace chorale
