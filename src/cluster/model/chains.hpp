// One chain of a model. model.hpp explains slot and site.
#pragma once

#include "base/cpu.hpp"
#include "chain/chain_view.hpp"

#include <chorale/experimental.h>

namespace chorale {

// A *plain* chain is no tree, has no forced or forbidden labels, and no scores but unary ones,
// stored row by row without gaps, and those of a Transitions object. An *instance* is a chain for
// which callbacks of the caller do the inference.
struct Chain {
  // length x labels scores, with the strides of view(). NULL for an instance.
  const void *unary;
  const Transitions *transitions;
  const std::int32_t *tokens; // by position; NULL if the chain has none
  const void *other;        // a ChainView or a chorale_instance; NULL for a plain chain
  std::int32_t first_label; // its sites are first_label .. first_label + length - 1
  std::int32_t first_slot;  // number of its first slot; its slots have consecutive numbers
  std::int32_t slots;       // number of slots
  std::int32_t length;
  std::int32_t labels;
  std::int32_t whole_slots; // how many of the slots are whole-chain slots
  bool single;              // unary scores are float, not double
  bool is_instance;

  const chorale_instance *instance() const noexcept {
    return is_instance ? static_cast<const chorale_instance *>(other) : nullptr;
  }
  std::int32_t wholes() const noexcept { return whole_slots; }
  // True if the chain is an *item*: one position, and no instance.
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

} // namespace chorale
