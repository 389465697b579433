// Tables of a small automaton that reads kinds of labels, filled transition by transition.
#pragma once

#include "base/memory.hpp"
#include "property/ready_made.hpp"

#include <algorithm>

namespace chorale {

// Tables of a small automaton. At first every state leads to itself alone and fires nothing.
class RuleTables {
public:
  RuleTables(const Memory &memory, const LabelKinds &kinds, std::int32_t states,
             std::int32_t classes, std::int64_t values) noexcept
      : cells_(static_cast<std::size_t>(states) * static_cast<std::size_t>(classes)),
        block_(memory, (2 * cells_ * static_cast<std::size_t>(kinds.labels) +
                        static_cast<std::size_t>(states)) *
                           sizeof(std::int32_t)),
        source_{kinds.labels, classes, states, values} {
    if (!block_)
      return;
    next_ = reinterpret_cast<std::int32_t *>(block_.data());
    actions_ = next_ + cells_ * static_cast<std::size_t>(kinds.labels);
    end_ = actions_ + cells_ * static_cast<std::size_t>(kinds.labels);
    for (std::int32_t s = 0; s < states; ++s)
      for (std::int32_t c = 0; c < classes; ++c)
        for (std::int32_t y = 0; y < kinds.labels; ++y)
          set(s, c, y, s, CHORALE_FIRE_NOTHING);
    std::fill_n(end_, states, CHORALE_FIRE_NOTHING);
    source_.next = next_;
    source_.actions = actions_;
  }

  explicit operator bool() const noexcept { return next_ != nullptr; }
  AutomatonSpec &source() noexcept { return source_; }

  void set(std::int32_t state, std::int32_t position_class, std::int32_t label, std::int32_t next,
           std::int32_t action) noexcept {
    const std::int64_t at =
        (std::int64_t{state} * source_.classes + position_class) * source_.labels + label;
    next_[at] = next;
    actions_[at] = action;
  }
  void set_end(std::int32_t state, std::int32_t action) noexcept {
    end_[state] = action;
    source_.end_actions = end_;
  }

private:
  std::size_t cells_;
  Block block_;
  AutomatonSpec source_;
  std::int32_t *next_ = nullptr;
  std::int32_t *actions_ = nullptr;
  std::int32_t *end_ = nullptr;
};

} // namespace chorale
