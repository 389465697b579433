#include "property/ready_made.hpp"

#include <algorithm>

namespace chorale {
namespace {

// Room for the tables of a small automaton, which starts out staying in each state silently.
class Tables {
public:
  Tables(const Memory &memory, const LabelKinds &kinds, std::int32_t states, std::int32_t classes,
         std::int32_t values) noexcept
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
  AutomatonSource &source() noexcept { return source_; }

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
  AutomatonSource source_;
  std::int32_t *next_ = nullptr;
  std::int32_t *actions_ = nullptr;
  std::int32_t *end_ = nullptr;
};

Property *make_class_label(const Memory &memory, const LabelKinds &kinds) noexcept {
  Tables tables(memory, kinds, 1, 2, kinds.kinds);
  if (!tables)
    return nullptr;
  for (std::int32_t y = 0; y < kinds.labels; ++y)
    tables.set(0, 1, y, 0, kinds.kind(y));
  return compile(memory, tables.source());
}

} // namespace

Property *make_position_label(const Memory &memory, const LabelKinds &kinds,
                              std::int32_t position) noexcept {
  Property *property = make_class_label(memory, kinds);
  if (property)
    property->position = position;
  return property;
}

Property *make_token_label(const Memory &memory, const LabelKinds &kinds,
                           std::int32_t token) noexcept {
  Property *property = make_class_label(memory, kinds);
  if (property)
    property->token = token;
  return property;
}

Property *make_first_label(const Memory &memory, const LabelKinds &kinds) noexcept {
  Tables tables(memory, kinds, 2, 1, kinds.kinds);
  if (!tables)
    return nullptr;
  for (std::int32_t y = 0; y < kinds.labels; ++y)
    if (!kinds.ignores(y))
      tables.set(0, 0, y, 1, kinds.kind(y));
  return compile(memory, tables.source());
}

// States: 0 no segment waits for its next label, 1 in a segment, 2 after one, behind ignored labels
// that ended it.
Property *make_next_label(const Memory &memory, const LabelKinds &kinds, std::int32_t anchor,
                          chorale_segment_rule rule, std::int32_t end_value) noexcept {
  const bool ends = rule == CHORALE_SEGMENT_ENDS_AT_IGNORED;
  Tables tables(memory, kinds, ends ? 3 : 2, 1, std::max(kinds.kinds, end_value + 1));
  if (!tables)
    return nullptr;
  for (std::int32_t y = 0; y < kinds.labels; ++y) {
    const std::int32_t kind = kinds.kind(y);
    if (kind == anchor) {
      tables.set(0, 0, y, 1, CHORALE_FIRE_NOTHING);
      // A segment right after a segment is what comes next.
      tables.set(1, 0, y, 1, kinds.begins(y) ? kind : CHORALE_FIRE_NOTHING);
      if (ends)
        tables.set(2, 0, y, 1, kind);
    } else if (kinds.ignores(y)) {
      if (ends)
        tables.set(1, 0, y, 2, CHORALE_FIRE_NOTHING);
    } else {
      tables.set(1, 0, y, 0, kind);
      if (ends)
        tables.set(2, 0, y, 0, kind);
    }
  }
  if (end_value >= 0) {
    tables.set_end(1, end_value);
    if (ends)
      tables.set_end(2, end_value);
  }
  return compile(memory, tables.source());
}

// States: 0 outside, 1 in a segment.
Property *make_token_before(const Memory &memory, const LabelKinds &kinds, std::int32_t anchor,
                            chorale_segment_rule rule, std::int32_t values,
                            std::int32_t start_value) noexcept {
  Tables tables(memory, kinds, 2, 1, values);
  if (!tables)
    return nullptr;
  for (std::int32_t y = 0; y < kinds.labels; ++y) {
    if (kinds.kind(y) == anchor) {
      tables.set(0, 0, y, 1, CHORALE_FIRE_TABLE);
      tables.set(1, 0, y, 1, kinds.begins(y) ? CHORALE_FIRE_TABLE : CHORALE_FIRE_NOTHING);
    } else if (!kinds.ignores(y) || rule == CHORALE_SEGMENT_ENDS_AT_IGNORED) {
      tables.set(1, 0, y, 0, CHORALE_FIRE_NOTHING);
    }
  }
  tables.source().table_offset = -1;
  tables.source().outside_value = start_value;
  return compile(memory, tables.source());
}

} // namespace chorale
