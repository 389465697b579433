// rooms.hpp explains the words used here.
#include "cluster/run/rooms.hpp"

#include "cluster/run/chain_block.hpp"
#include "cluster/run/evaluation.hpp"
#include "cluster/run/polish.hpp"
#include "cluster/run/regroup.hpp"
#include "cluster/run/repair.hpp"

#include <tuple>

namespace chorale {
namespace {

// Cliques that differ only in their members need the same memory if they have equally many members.
// So measure() remembers which numbers of members below kSeenMembers it has measured, and skips
// further cliques with these numbers.
constexpr std::int32_t kSeenMembers = 64;

// What the memory of a chain's program depends on. Of two chains of the same kind, the one whose sizes
// are all at least as great needs at least as much.
struct ChainExtent {
  // Transitions and number of labels; true if scores are float, if they have gaps between them, if
  // labels are forced or forbidden, and if the chain is a tree.
  std::tuple<const Transitions *, std::int32_t, bool, bool, bool, bool> kind{};
  std::int32_t length = 0;
  std::int32_t slots = 0;
  std::int64_t entries = 0; // of the rows of all slots

  bool covers(const ChainExtent &of) const noexcept {
    return kind == of.kind && length >= of.length && slots >= of.slots && entries >= of.entries;
  }
};

std::size_t aligned(std::size_t bytes) noexcept {
  const std::size_t padded = saturating_sum(bytes, kAlignment - 1);
  return padded == SIZE_MAX ? SIZE_MAX : padded / kAlignment * kAlignment;
}

// True if extent_of() tells all that the memory of the chain's program depends on: for plain chains
// (chains.hpp) and items, without whole-chain slots.
bool has_extent(const Chain &chain) noexcept {
  return !chain.is_instance && chain.wholes() == 0 && (!chain.other || chain.is_item());
}

ChainExtent extent_of(const Model &model, const Inputs &inputs, std::int32_t chain) noexcept {
  const ChainView view = inputs.widest_view_of(chain);
  ChainExtent extent;
  extent.kind = {view.transitions,       view.labels,          view.single,
                 view.unary_column != 1, view.limits_labels(), view.parents != nullptr};
  extent.length = view.length;
  extent.slots = model.chains[chain].slots;
  for (std::int32_t s = 0; s < extent.slots; ++s)
    extent.entries += model.width(model.slot(chain, s));
  return extent;
}

} // namespace

std::size_t Rooms::measure_chain(std::int32_t chain) const noexcept {
  Layout layout;
  const BlockMemory block(layout, model_, chain); // of a polish, a regroup or a repair
  const ChainProgram program(layout, model_, inputs_, chain, options_.joint);
  return saturating_sum(layout.bytes(), program.room_bytes());
}

RoomBytes Rooms::measure() const noexcept {
  RoomBytes bytes;
  ChainExtent measured;
  for (std::int32_t i = 0; i < model_.chains.size(); ++i) {
    // Skips a chain that needs no more memory than one that was measured.
    if (has_extent(model_.chains[i])) {
      const ChainExtent extent = extent_of(model_, inputs_, i);
      if (measured.covers(extent))
        continue;
      if (extent.covers(measured) || extent.kind != measured.kind)
        measured = extent;
    }
    bytes.chain = std::max(bytes.chain, measure_chain(i));
  }
  Layout counts;
  counts.take<std::int64_t>(model_.most_columns);
  bytes.counts = counts.bytes();
  bytes.chain = std::max(bytes.chain, saturating_sum(bytes.counts, scored_bytes(model_)));
  bytes.worker = bytes.chain;
  Clique before{};
  // Bit n is set once a clique like `before` with n members has been measured.
  std::uint64_t seen = 0;
  for (std::int64_t c = 0; c < model_.cliques.size(); ++c) {
    const Clique &clique = model_.cliques[c];
    // Skips a clique that differs from a measured clique only in its members.
    const bool is_alike = before.type && !clique.centred() &&
                          before.potential() == clique.potential() &&
                          before.weighted() == clique.weighted() &&
                          before.closed() == clique.closed();
    const std::uint64_t bit =
        clique.members < kSeenMembers ? std::uint64_t{1} << clique.members : 0;
    if (is_alike && ((seen & bit) != 0 || before.members == clique.members))
      continue;
    seen = (is_alike ? seen : 0) | bit;
    before = clique;
    Layout layout;
    const CliqueProgram program(layout, clique, options_.clique);
    bytes.worker = std::max(bytes.worker, saturating_sum(layout.bytes(), program.room_bytes()));
  }
  bytes.chain = aligned(bytes.chain);
  bytes.worker = aligned(bytes.worker);
  return bytes;
}

std::size_t Rooms::total(const RoomBytes &bytes) const noexcept {
  Layout polish;
  const PolishMemory measured_polish(polish, model_);
  Layout repair;
  const RepairMemory measured_repair(repair, model_);
  Layout regroup;
  const RegroupMemory measured_regroup(regroup, model_);
  const std::size_t behind = std::max({polish.bytes(), repair.bytes(), regroup.bytes()});
  const std::size_t last = std::max(bytes.worker, saturating_sum(bytes.chain, behind));
  return saturating_sum(saturating_product(bytes.worker,
                                           static_cast<std::size_t>(options_.executor.workers) - 1),
                        last);
}

bool Rooms::make(const RoomBytes &bytes) noexcept {
  const std::size_t all = total(bytes);
  if (all == SIZE_MAX)
    return false;
  Block grown(memory_, all);
  if (!grown)
    return false;
  block_.swap(grown);
  bytes_ = bytes;
  for (std::size_t w = 0; w < workers.size(); ++w)
    workers[w].room = block_.data() + w * bytes.worker;
  return true;
}

bool Rooms::make_for(std::int32_t chain) noexcept {
  const std::size_t bytes = aligned(measure_chain(chain));
  return bytes <= bytes_.chain || make({bytes_.counts, bytes, std::max(bytes, bytes_.worker)});
}

} // namespace chorale
