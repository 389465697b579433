// Scratch memory of the workers: each has one block, a *room*, which holds one ChainProgram or
// CliqueProgram at a time.
//
// The last room is at least as large as the others. It also holds the memory of a polish, a regroup
// or a repair, RoomBytes::chain bytes after the beginning of the room, and the memory of an
// evaluation of equation 1 (state.hpp), RoomBytes::counts bytes after the beginning of the room.
#pragma once

#include "cluster/run/call.hpp"
#include "cluster/run/inputs.hpp"

namespace chorale {

// Sizes that rooms need for different purposes, in bytes, multiples of kAlignment.
struct RoomBytes {
  std::size_t counts = 0; // the counts of the clique with most columns
  // Enough for the program of any chain together with its ChainBlock (chain_block.hpp), and for an
  // evaluation.
  std::size_t chain = 0;
  std::size_t worker = 0; // the maximum of `chain` and the largest clique program
};

class Rooms {
public:
  Rooms(const Memory &memory, const Model &model, const RunOptions &options,
        const Inputs &inputs) noexcept
      : memory_(memory), model_(model), options_(options), inputs_(inputs) {}

  // Returns the sizes that the model needs.
  RoomBytes measure() const noexcept;
  // Returns the bytes of the program of a chain together with its ChainBlock.
  std::size_t measure_chain(std::int32_t chain) const noexcept;
  // Returns the bytes of all rooms together.
  std::size_t total(const RoomBytes &bytes) const noexcept;
  // Allocates the rooms and assigns them to the workers. False, with the old rooms kept, if memory
  // runs out.
  bool make(const RoomBytes &bytes) noexcept;
  // Enlarges the rooms if `chain` needs more memory. False, with the old rooms kept, if memory runs
  // out.
  bool make_for(std::int32_t chain) noexcept;

  const RoomBytes &bytes() const noexcept { return bytes_; }
  // Returns the address in the last room that lies `bytes` bytes after its beginning.
  std::byte *behind(std::size_t bytes) const noexcept {
    return workers[workers.size() - 1].room + bytes;
  }

  gsl::span<Worker> workers; // as many as options.executor.workers

private:
  Memory memory_;
  const Model &model_;
  const RunOptions &options_;
  const Inputs &inputs_;
  Block block_;
  RoomBytes bytes_;
};

} // namespace chorale
