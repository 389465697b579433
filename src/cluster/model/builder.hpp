// The public builder: a model under construction.
//
// Everything here takes checked arguments; checked_builder.hpp checks them. False means that memory
// ran out, and nothing was added.
#pragma once

#include "cluster/model/model.hpp"
#include "cluster/model/slot_table.hpp"

namespace chorale {

// Many chains end to end, checked; the fields are those of chorale_corpus.
struct Corpus {
  std::int64_t chains;
  const std::int64_t *offsets; // chains + 1, or NULL: one position a chain
  std::int32_t labels;
  bool single;
  bool borrow;
  const void *unary;
  std::ptrdiff_t row;
  std::ptrdiff_t column;
  const Transitions *transitions;
  const std::int32_t *tokens;
  const std::int64_t *groups;

  std::int64_t begin(std::int64_t chain) const noexcept { return offsets ? offsets[chain] : chain; }
  std::int32_t length(std::int64_t chain) const noexcept {
    return static_cast<std::int32_t>(begin(chain + 1) - begin(chain));
  }
};

} // namespace chorale

struct chorale_model_builder {
  // The centre of a centred clique, which becomes its last slot; chain -1 while there is none.
  // Likewise the last member of a clique while its members ascend; chain -2 where they do not.
  struct Place {
    std::int32_t chain;
    std::int32_t position;
  };

  chorale_model_builder(const chorale::Memory &from, const chorale::Log &to) noexcept
      : memory(from), log(to), groups(from), slots(from), last_slot(from), previous(from),
        centres(from), latest(from), members(from), taken(from) {}
  ~chorale_model_builder() {
    if (model)
      chorale::Memory::destroy(model, memory);
  }
  chorale_model_builder(const chorale_model_builder &) = delete;
  chorale_model_builder &operator=(const chorale_model_builder &) = delete;

  bool add_chain(chorale::ChainView view, const std::int32_t *tokens, bool borrow,
                 std::int64_t group) noexcept;
  bool add_corpus(const chorale::Corpus &corpus) noexcept;
  bool add_instance(const chorale_instance &instance) noexcept;
  bool add_clique(const chorale_clique_setup &setup) noexcept;
  bool add_cliques(const chorale_clique_setup &setup, std::int64_t count) noexcept;
  bool add_whole(std::int32_t clique, std::int32_t chain, const std::int32_t *classes,
                 const std::int32_t *table, bool borrow) noexcept;
  bool add_position(std::int32_t clique, std::int32_t chain, std::int32_t position) noexcept;
  bool has_member(std::int32_t clique, std::int32_t chain, std::int32_t position) noexcept;
  // A clique over each repeated token; `setup` says what all of them are like. Stores how many.
  bool add_repeated_words(const chorale_repeated_words_options &options,
                          const chorale_clique_setup &setup, std::int64_t &count) noexcept;
  // Takes away the slots and whole-chain members beyond these numbers, last ones first. What is
  // known of their cliques (`latest`, `members`) is the caller's to put back.
  void take_back(std::int64_t slots_before, std::int64_t wholes_before) noexcept;
  // Puts the slots in order; `model` is then complete.
  bool freeze() noexcept;

  chorale::Memory memory;
  chorale::Log log;
  chorale_model *model = nullptr;         // NULL once frozen
  chorale::Array<std::int64_t> groups;    // of each chain
  chorale::Array<chorale::Slot> slots;    // in the order of adding, centres not among them
  chorale::Array<std::int32_t> last_slot; // of each chain, or -1
  chorale::Array<std::int32_t> previous;  // of each slot: the slot of its chain before it, or -1
  chorale::Array<Place> centres;          // of each clique
  chorale::Array<Place> latest;           // of each clique
  chorale::Array<std::int32_t> members;   // of each clique, so far
  chorale::SlotTable taken;               // of slots, once it has been needed

private:
  void drop_cliques(std::int64_t count) noexcept; // those from `count` on, without members
  void note_transitions(const chorale::Transitions *transitions) noexcept; // has room for one
  void note_scores(std::int64_t numbers, std::size_t number_bytes, bool borrow) noexcept;
  bool reserve_chain() noexcept;
  // The type of the last clique, if a clique set up like this is of that type too; else NULL.
  chorale::CliqueType *same_type(const chorale_clique_setup &setup) const noexcept;
  chorale::CliqueType *make_type(const chorale_clique_setup &setup) noexcept;
  bool add_centre(const chorale_clique_setup &setup, chorale::CliqueType &type) noexcept;
  bool push_clique(chorale::CliqueType *type) noexcept; // without members
  bool add_slot(const chorale::Slot &slot) noexcept;
  const chorale::Potential *over_columns(const chorale::Potential *potential,
                                         std::int32_t columns) noexcept;
  bool order_slots() noexcept;
  bool place_members() noexcept;
  void close_cliques() noexcept;
  void count_messages() noexcept;
};

namespace chorale {

using Builder = ::chorale_model_builder;

// The members of some cliques as they are now, so that members added later can be taken away.
class MembersBefore {
public:
  MembersBefore(Builder &builder, std::int64_t first, std::int64_t count) noexcept;
  // False where there was no memory; nothing must be added then.
  explicit operator bool() const noexcept { return has_memory_; }
  void restore() noexcept;

private:
  Builder &builder_;
  std::int64_t first_;
  std::int64_t slots_;
  std::int64_t wholes_;
  Array<Builder::Place> latest_;
  Array<std::int32_t> members_;
  bool has_memory_;
};

} // namespace chorale
