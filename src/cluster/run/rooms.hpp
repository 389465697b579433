// Scratch memory of the workers: one block, a *room*, for each worker. A room holds one chain or
// clique program at a time.
//
// The last room is the largest. Behind the bytes of a chain program it also holds the memory of a
// polish or a repair, and behind the counts of a clique that of an evaluation of equation 1.
#pragma once

#include "cluster/run/call.hpp"
#include "cluster/run/inputs.hpp"

namespace chorale {

// Sizes of a room for different purposes, in multiples of kAlignment.
struct RoomBytes {
  std::size_t counts = 0; // counts of the largest clique
  // Largest chain program with the scratch that polish or repair needs for the chain; at least what
  // an evaluation needs.
  std::size_t chain = 0;
  std::size_t worker = 0; // maximum of `chain` and the largest clique program
};

class Rooms {
public:
  Rooms(const Memory &memory, const Model &model, const RunOptions &options,
        const Inputs &inputs) noexcept
      : memory_(memory), model_(model), options_(options), inputs_(inputs) {}

  RoomBytes measure() const noexcept;
  std::size_t measure_chain(std::int32_t chain) const noexcept;
  // Returns the bytes of all rooms, including the additional bytes of the last.
  std::size_t total(const RoomBytes &bytes) const noexcept;
  // Allocates the rooms and assigns them to the workers. False, without change, if memory is
  // exhausted.
  bool make(const RoomBytes &bytes) noexcept;
  // Enlarges the rooms if `chain` needs more memory. False like make().
  bool make_for(std::int32_t chain) noexcept;

  const RoomBytes &bytes() const noexcept { return bytes_; }
  // Returns the address `bytes` bytes after the beginning of the last room.
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
