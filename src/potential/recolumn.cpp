#include "potential/recolumn.hpp"

#include "base/workspace.hpp"

namespace chorale {
namespace {

bool is_square(const Potential &p) noexcept {
  return p.family == CHORALE_FAMILY_MAJORITY || p.family == CHORALE_FAMILY_PAIRS;
}

std::size_t numbers_of(const Potential &p, std::size_t values) noexcept {
  if (is_square(p))
    return saturating_sum(saturating_product(values, values), values);
  if (p.source == TableSource::cardinality)
    return static_cast<std::size_t>(p.table_length);
  if (p.source == TableSource::stored)
    return saturating_product(p.table_count == 1 ? 1 : values,
                              static_cast<std::size_t>(p.table_length));
  return 0;
}

} // namespace

Potential *recolumn(const Memory &memory, const Potential &source, const std::int32_t *from,
                    std::int32_t values) noexcept {
  Potential *made = memory.create<Potential>(memory);
  if (!made)
    return nullptr;
  const auto count = static_cast<std::size_t>(values);
  const std::size_t numbers = numbers_of(source, count);
  made->storage = Block(memory, saturating_sum(saturating_product(numbers, sizeof(double)), count));
  if (!made->storage) {
    Memory::destroy(made, memory);
    return nullptr;
  }
  made->base = chorale_potential_retain(&source);
  made->strength = source.strength;
  made->family = source.family;
  made->scale = source.scale;
  made->shape = source.shape;
  made->source = source.source == TableSource::separable_pairs ? TableSource::none : source.source;
  made->values = values;
  made->lambda = source.lambda;
  made->table_length = source.table_length;
  made->table_count = source.table_count > 1 ? values : source.table_count;
  made->callback = source.callback;
  made->callback_user = source.callback_user;
  made->callback_values = source.callback_values;

  auto *to = reinterpret_cast<double *>(made->storage.data());
  auto *mask = reinterpret_cast<std::uint8_t *>(to + numbers);
  made->numbers = to;
  made->mask = mask;
  for (std::int32_t v = 0; v < values; ++v)
    mask[v] = from[v] >= 0 && source.counts(from[v]) ? 1 : 0;
  double *split = nullptr;
  if (is_square(source)) {
    const std::int64_t R = source.values;
    for (std::int32_t v = 0; v < values; ++v)
      for (std::int32_t w = 0; w < values; ++w)
        to[std::int64_t{v} * values + w] =
            from[v] < 0 || from[w] < 0 ? 0.0 : source.numbers[from[v] * R + from[w]];
    split = to + std::int64_t{values} * values;
    for (std::int32_t v = 0; v < values; ++v)
      split[v] = from[v] < 0 || source.family == CHORALE_FAMILY_PAIRS
                     ? 0.0
                     : source.numbers[R * R + from[v]];
  } else if (made->table_count > 1) {
    for (std::int32_t v = 0; v < values; ++v)
      for (std::int64_t k = 0; k < source.table_length; ++k)
        to[v * source.table_length + k] =
            from[v] < 0 ? 0.0 : source.numbers[from[v] * source.table_length + k];
  } else {
    std::copy(source.numbers, source.numbers + numbers, to);
  }
  derive_potential(*made, split);
  // Fewer columns may separate where all of them do not: they keep the form all have, so that what
  // is solved, and in how much memory, does not hang on which columns are kept.
  if (source.source != TableSource::separable_pairs && made->source == TableSource::separable_pairs)
    made->source = TableSource::none;
  return made;
}

} // namespace chorale
