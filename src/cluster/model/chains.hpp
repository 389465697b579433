// The chains of a model, stored compactly: a Record for each chain, and a Type that consecutive
// chains with the same number of labels, transitions and so on share. model.hpp explains slot and
// site.
#pragma once

#include "base/array.hpp"
#include "base/cpu.hpp"
#include "base/iterator.hpp"
#include "chain/chain_view.hpp"

#include <chorale/experimental/model.h>

namespace chorale {

// One chain, as Chains::operator[] returns it. The only scores of a *plain* chain are unary scores,
// stored without gaps, and those of a shared Transitions object. An *instance* is a chain for which
// callbacks of the caller do the inference.
struct Chain {
  const void *unary; // length x labels scores, no gaps in a plain chain; NULL for an instance
  const Transitions *transitions;
  const std::int32_t *tokens; // by position; NULL if the chain has none
  const void *other;        // a ChainView or a chorale_instance; NULL for a plain chain
  std::int32_t first_label; // its sites are first_label .. first_label + length - 1
  std::int32_t first_slot;
  std::int32_t slots;
  std::int32_t length;
  std::int32_t labels;
  std::int32_t whole_slots; // number of whole-chain slots; of memberships, if it is an instance
  bool single;              // unary scores are float, not double
  bool is_instance;

  const chorale_instance *instance() const noexcept {
    return is_instance ? static_cast<const chorale_instance *>(other) : nullptr;
  }
  std::int32_t wholes() const noexcept { return whole_slots; }
  // True if the chain has one position.
  bool is_item() const noexcept { return length == 1 && !is_instance; }
  CHORALE_INLINE_NATIVE ChainView view() const noexcept {
    if (other && !is_instance)
      return *static_cast<const ChainView *>(other);
    ChainView view;
    view.length = length;
    view.labels = labels;
    view.single = single;
    view.unary = unary;
    view.unary_row = labels;
    view.unary_column = 1;
    view.transitions = transitions;
    return view;
  }
};

// All chains. A chain's length and number of slots are not stored: they follow from the first site
// and the first slot of this chain and of the next.
class Chains {
public:
  explicit Chains(const Memory &memory) noexcept
      : records_(memory), types_(memory), tokens_(memory) {}

  std::int64_t size() const noexcept { return records_.size(); }
  Chain operator[](std::int64_t i) const noexcept;
  std::int32_t first_label(std::int64_t i) const noexcept {
    return records_[i].first_label;
  }
  std::int32_t first_slot(std::int64_t i) const noexcept { return records_[i].first_slot; }
  std::int64_t sites() const noexcept { return sites_; }

  // Adds a chain without slots; place_slots() sets them later. Its sites follow those of the chain
  // before. False, with nothing added, if memory runs out.
  bool push(const Chain &chain) noexcept;
  bool reserve(std::int64_t count) noexcept {
    return records_.reserve(count) && (tokens_.empty() || tokens_.reserve(count));
  }
  // Removes all chains but the first `count`. `sites`: the number of sites of the remaining chains.
  void truncate(std::int64_t count, std::int32_t sites) noexcept {
    records_.truncate(count);
    tokens_.truncate(std::min(count, tokens_.size()));
    sites_ = sites;
  }
  // Sets where the slots of each chain begin; slots(i) returns the number of slots of chain i.
  template <class Slots> void place_slots(Slots &&slots) noexcept {
    slots_ = 0;
    for (std::int64_t i = 0; i < size(); ++i) {
      records_[i].first_slot = slots_;
      slots_ += slots(i);
    }
  }
  void set_wholes(std::int64_t i, std::int32_t wholes) noexcept {
    records_[i].wholes = wholes;
  }
  void shrink() noexcept {
    records_.shrink();
    types_.shrink();
    tokens_.shrink();
  }
  bool copy(const Chains &from) noexcept {
    if (!records_.copy(from.records_) || !types_.copy(from.types_) || !tokens_.copy(from.tokens_))
      return false;
    sites_ = from.sites_;
    slots_ = from.slots_;
    return true;
  }
  std::size_t bytes() const noexcept {
    return records_.bytes() + types_.bytes() + tokens_.bytes();
  }

  IndexIterator<Chains> begin() const noexcept { return {*this, 0}; }
  IndexIterator<Chains> end() const noexcept { return {*this, size()}; }

private:
  enum class Kind : std::uint8_t { plain, view, instance };
  // The fields that are mostly equal in consecutive chains.
  struct Type {
    const Transitions *transitions;
    std::int32_t labels;
    Kind kind;
    bool single;
    friend bool operator==(const Type &, const Type &) = default;
  };
  struct Record {
    const void *scores; // unary scores, a ChainView or a chorale_instance: Type::kind says which
    std::int32_t first_label;
    std::int32_t first_slot;
    std::uint32_t type;
    std::int32_t wholes;
  };

  // Returns the index of `type` in types_. Appends it unless one of the last few types equals it.
  // Returns -1 if memory runs out.
  std::int32_t type_of(const Type &type) noexcept;

  Array<Record> records_;
  Array<Type> types_;
  // By chain: its tokens, or NULL if it has none. Empty if no chain has tokens.
  Array<const std::int32_t *> tokens_;
  std::int32_t sites_ = 0;
  std::int32_t slots_ = 0;
};

CHORALE_INLINE_NATIVE Chain Chains::operator[](std::int64_t i) const noexcept {
  const Record &record = records_[i];
  const Type &type = types_[record.type];
  const bool is_last = i + 1 == size();
  Chain chain;
  chain.transitions = type.transitions;
  chain.first_label = record.first_label;
  chain.first_slot = record.first_slot;
  chain.slots = (is_last ? slots_ : records_[i + 1].first_slot) - record.first_slot;
  chain.length = (is_last ? sites_ : records_[i + 1].first_label) - record.first_label;
  chain.labels = type.labels;
  chain.whole_slots = record.wholes;
  chain.single = type.single;
  chain.is_instance = type.kind == Kind::instance;
  chain.other = type.kind == Kind::plain ? nullptr : record.scores;
  chain.unary = type.kind == Kind::plain  ? record.scores
                : type.kind == Kind::view ? static_cast<const ChainView *>(record.scores)->unary
                                          : nullptr;
  chain.tokens = tokens_.empty() ? nullptr : tokens_[i];
  return chain;
}

} // namespace chorale
