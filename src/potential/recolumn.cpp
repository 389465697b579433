#include "potential/recolumn.hpp"

#include "base/workspace.hpp"

namespace chorale {
namespace {

std::size_t count_of_numbers(const Potential &p, std::size_t values, std::int64_t tables) noexcept {
  if (is_square(p))
    return saturating_sum(saturating_product(values, values), values);
  if (p.source == TableSource::mixture)
    return saturating_sum(values, kMixtureHead);
  if (p.source == TableSource::cardinality)
    return static_cast<std::size_t>(p.table_length);
  if (p.source == TableSource::stored)
    return saturating_product(static_cast<std::size_t>(tables),
                              static_cast<std::size_t>(p.table_length));
  return 0;
}

} // namespace

bool reads_absent_values(const Potential &source) noexcept {
  if (source.family == Form::max || source.source == TableSource::cardinality)
    return true;
  if (source.source != TableSource::stored)
    return false;
  const std::int32_t tables = source.table_count == 1 ? 1 : source.values;
  for (std::int32_t v = 0; v < tables; ++v)
    if ((tables == 1 || source.counts(v)) && source.table_entry(v, 0, 0) != 0)
      return true;
  return false;
}

Potential *recolumn(const Memory &memory, const Potential &source,
                    gsl::span<const std::int32_t> sources) noexcept {
  const std::int32_t *from = sources.data();
  const auto values = gsl::narrow_cast<std::int32_t>(sources.size());
  Potential *made = memory.create<Potential>(memory);
  if (!made)
    return nullptr;
  const std::size_t count = sources.size();
  const bool has_own_tables = source.table_count > 1; // one for each value
  const std::int64_t tables = has_own_tables ? values : source.table_count;
  const std::size_t numbers = count_of_numbers(source, count, tables);
  made->storage = Block(memory, saturating_sum(saturating_product(numbers, sizeof(double)), count));
  if (!made->storage) {
    Memory::destroy(made, memory);
    return nullptr;
  }
  made->base = retain(&source);
  static_cast<PotentialData &>(*made) = source;
  if (made->source == TableSource::separable_pairs)
    made->source = TableSource::none;
  made->values = values;
  made->table_count = tables;
  made->finite_tables = true;
  made->nearest = nullptr;

  auto *to = reinterpret_cast<double *>(made->storage.data());
  auto *mask = reinterpret_cast<std::uint8_t *>(to + numbers);
  made->numbers = to;
  made->mask = mask;
  for (std::int32_t v = 0; v < values; ++v)
    mask[v] = from[v] < 0 ? 0 : source.mask ? source.mask[from[v]] : 1;
  gsl::span<double> split;
  if (is_square(source)) {
    const std::int64_t R = source.values;
    for (std::int32_t v = 0; v < values; ++v)
      for (std::int32_t w = 0; w < values; ++w)
        to[std::int64_t{v} * values + w] =
            from[v] < 0 || from[w] < 0 ? 0.0 : source.numbers[from[v] * R + from[w]];
    double *extra = to + std::int64_t{values} * values;
    split = {extra, count};
    for (std::int32_t v = 0; v < values; ++v)
      extra[v] = from[v] < 0 || source.family == Form::pairs
                     ? 0.0
                     : source.numbers[R * R + from[v]];
  } else if (source.source == TableSource::mixture) {
    std::copy(source.numbers, source.numbers + kMixtureHead, to);
    for (std::int32_t v = 0; v < values; ++v)
      to[kMixtureHead + v] = from[v] < 0 ? 0.0 : source.numbers[kMixtureHead + from[v]];
    made->table_length = kMixtureHead + std::int64_t{values};
  } else if (has_own_tables) {
    for (std::int32_t v = 0; v < values; ++v)
      for (std::int64_t k = 0; k < source.table_length; ++k)
        to[v * source.table_length + k] =
            from[v] < 0 ? 0.0 : source.table_entry(from[v], k, k);
  } else {
    std::copy(source.numbers, source.numbers + numbers, to);
  }
  derive_potential(*made, split);
  if (!find_nearest_allowed(*made)) {
    Memory::destroy(made, memory);
    return nullptr;
  }
  // PAIRS over the kept values may be separable although `source` is not. The result is then still
  // treated as not separable, so that algorithm and memory do not depend on which values are kept.
  if (source.source != TableSource::separable_pairs && made->source == TableSource::separable_pairs)
    made->source = TableSource::none;
  return made;
}

} // namespace chorale
