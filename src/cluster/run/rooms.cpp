// rooms.hpp explains the words used here.
#include "cluster/run/rooms.hpp"

#include "cluster/run/evaluation.hpp"
#include "cluster/run/polish.hpp"
#include "cluster/run/regroup.hpp"
#include "cluster/run/repair.hpp"

namespace chorale {
namespace {

// Cliques that differ only in their members need the same memory if they have equally many members.
// So measure() remembers which numbers of members below kSeenMembers it has measured, and skips
// further cliques with these numbers.
constexpr std::int32_t kSeenMembers = 64;

std::size_t aligned(std::size_t bytes) noexcept {
  const std::size_t padded = saturating_sum(bytes, kAlignment - 1);
  return padded == SIZE_MAX ? SIZE_MAX : padded / kAlignment * kAlignment;
}

} // namespace

std::size_t Rooms::measure_chain(std::int32_t chain) const noexcept {
  Layout layout;
  const ChainProgram program(layout, model_, inputs_, chain, options_.joint);
  return saturating_sum(saturating_sum(layout.bytes(), program.room_bytes()),
                        std::max(polish_bytes(model_, chain), repair_bytes(model_, chain)));
}

RoomBytes Rooms::measure() const noexcept {
  RoomBytes bytes;
  std::int32_t labels = -1;
  const CliqueType *type = nullptr;
  for (std::int32_t i = 0; i < model_.chains.size(); ++i) {
    // Skips an item (a chain of one position) that needs no more memory than the item measured
    // last. This holds if both have the same number of labels, and are in closed cliques
    // (CliqueType::closed) of the same type or the present item is in no clique.
    if (const Chain chain = model_.chains[i];
        chain.is_item() && (chain.slots == 0 || model_.is_closed(chain))) {
      const CliqueType *of =
          chain.slots == 0 ? type : &model_.cliques.type(model_.clique_of(chain.first_slot));
      if (chain.labels == labels && of == type)
        continue;
      labels = chain.labels;
      type = of;
    }
    bytes.chain = std::max(bytes.chain, measure_chain(i));
  }
  std::int32_t columns = 1;
  for (const Clique &clique : model_.cliques)
    columns = std::max(columns, clique.columns());
  Layout counts;
  counts.take<std::int64_t>(columns);
  bytes.counts = counts.bytes();
  bytes.chain = std::max(bytes.chain, saturating_sum(bytes.counts, scored_bytes(model_)));
  bytes.worker = bytes.chain;
  Clique before{};
  // Bit n is set once a clique like `before` with n members has been measured.
  std::uint64_t seen = 0;
  for (std::int64_t c = 0; c < model_.cliques.size(); ++c) {
    const Clique &clique = model_.cliques[c];
    const KeptColumns *kept = inputs_.kept(c);
    // Skips a clique that differs from a measured clique only in its members.
    const bool is_alike = before.type && !kept && !clique.centred() &&
                          before.potential() == clique.potential() &&
                          before.weighted() == clique.weighted() &&
                          before.closed() == clique.closed();
    const std::uint64_t bit =
        clique.members < kSeenMembers ? std::uint64_t{1} << clique.members : 0;
    if (is_alike && ((seen & bit) != 0 || before.members == clique.members))
      continue;
    seen = (is_alike ? seen : 0) | bit;
    before = kept ? Clique{} : clique;
    Layout layout;
    const CliqueProgram program(layout, clique, options_.clique, kept);
    // While the kept columns are unknown, adds memory for the two arrays that a CliqueProgram has
    // only with kept columns, as if it kept all columns.
    if (options_.restrict_range && !inputs_.knows_kept() && clique.property())
      for (int k = 0; k < 2; ++k)
        layout.take<double>(std::int64_t{clique.members} * clique.columns());
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
