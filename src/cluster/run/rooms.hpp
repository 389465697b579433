// Memory to work in: one room a worker, for one chain or clique program at a time.
//
// The last room is the longest. Behind what programs take of it lies what lives no longer than an
// evaluation of equation 1, a polish or a repair.
#pragma once

#include "cluster/run/call.hpp"
#include "cluster/run/inputs.hpp"

namespace chorale {

// Multiples of kAlignment.
struct RoomBytes {
  std::size_t counts = 0; // the counts of one clique
  // The largest chain program, with what polish and repair need for a chain; or what it takes to
  // score cliques.
  std::size_t chain = 0;
  std::size_t worker = 0; // the largest program of a chain or a clique
};

class Rooms {
public:
  Rooms(const Memory &memory, const Model &model, const RunOptions &options,
        const Inputs &inputs) noexcept
      : memory_(memory), model_(model), options_(options), inputs_(inputs) {}

  RoomBytes measure() const noexcept;
  std::size_t measure_chain(std::int32_t chain) const noexcept;
  // Of all rooms, with what lies behind the last.
  std::size_t total(const RoomBytes &bytes) const noexcept;
  // Gives every worker its room. False, and unchanged, where there is no memory.
  bool make(const RoomBytes &bytes) noexcept;
  // Lengthens rooms where a chain needs more than there is.
  bool make_for(std::int32_t chain) noexcept;

  const RoomBytes &bytes() const noexcept { return bytes_; }
  // In the last room, behind so many bytes.
  std::byte *behind(std::size_t bytes) const noexcept {
    return workers[options_.executor.workers - 1].room + bytes;
  }

  Worker *workers = nullptr; // options.executor.workers

private:
  Memory memory_;
  const Model &model_;
  const RunOptions &options_;
  const Inputs &inputs_;
  Block block_;
  RoomBytes bytes_;
};

} // namespace chorale
