// Where the row of a member lies among all messages of a model.
#pragma once

#include <cstdint>

namespace chorale {

struct RowPlace {
  std::int64_t entry;  // its first entry
  std::int64_t number; // how many rows lie before it
};

} // namespace chorale
