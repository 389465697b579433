// Writes records and arrays of potentials, from which the reader creates the same potentials again.
#include "problem/writer.hpp"

namespace chorale {
namespace {

using Record = file::PotentialRecord;

std::int32_t kind_of_potential(const Potential &p) noexcept {
  switch (p.source) {
  case TableSource::square:
    return p.family == CHORALE_FAMILY_MAX ? Record::kSquareMakespan : Record::kPotts;
  case TableSource::entropy:
    return Record::kEntropy;
  case TableSource::linear:
    return Record::kMakespan;
  case TableSource::stored:
    return p.family == CHORALE_FAMILY_MAX ? Record::kMax : Record::kSum;
  case TableSource::cardinality:
    return Record::kCardinality;
  case TableSource::mixture:
    return Record::kMixture;
  default:
    return p.family == CHORALE_FAMILY_MAJORITY ? Record::kMajority : Record::kPairs;
  }
}

bool has_lambda(std::int32_t kind) noexcept {
  return kind == Record::kPotts || kind == Record::kEntropy || kind == Record::kMakespan ||
         kind == Record::kSquareMakespan;
}

bool has_tables(std::int32_t kind) noexcept {
  return kind == Record::kSum || kind == Record::kMax || kind == Record::kCardinality;
}

} // namespace

// Returns the potential that the caller created from numbers and from which `potential` was
// derived, in any number of steps. A step derives a potential with another strength (rescale.hpp)
// or over other values (recolumn.hpp). No step changes which of the caller's values are counted.
static const Potential &unscaled(const Potential &potential) noexcept {
  const Potential *root = &potential;
  while (root->base)
    root = root->base;
  return *root;
}

const Potential &given_potential(const Potential &potential) noexcept {
  const Potential *given = &potential;
  while (given->base && !given->shares_numbers())
    given = given->base;
  return !has_lambda(kind_of_potential(*given)) && given->strength == 1 ? unscaled(*given) : *given;
}

const Potential *scaled_from(const Potential &given) noexcept {
  if (!given.base || has_lambda(kind_of_potential(given)))
    return nullptr;
  return &unscaled(given);
}

Record record_of(const Potential &given, std::int32_t base) noexcept {
  Record record{};
  if (scaled_from(given)) {
    record.kind = Record::kScaled;
    record.base = base;
    record.number = given.strength;
    return record;
  }
  record.kind = kind_of_potential(given);
  const Potential &root = unscaled(given);
  record.flags = root.mask ? Record::kMask : 0u;
  record.scale = root.scale;
  record.shape = root.shape;
  record.values = root.values;
  record.number = has_lambda(record.kind) ? given.lambda : 0.0;
  if (has_tables(record.kind)) {
    record.tables = given.table_count;
    record.length = given.table_length;
  }
  return record;
}

// Entries of uncounted values, which the reader ignores, are written as zeros.
void write_arrays(Output &out, const Potential &given) noexcept {
  if (scaled_from(given))
    return;
  const Potential &root = unscaled(given);
  const std::int32_t kind = kind_of_potential(given);
  const std::int64_t R = given.values;
  if (has_tables(kind)) {
    for (std::int64_t r = 0; r < given.table_count; ++r)
      if (given.table_count == 1 || given.counts(static_cast<std::int32_t>(r)))
        out.put_array(given.numbers + r * given.table_length, given.table_length);
      else
        out.put_zeros(static_cast<std::size_t>(given.table_length) * sizeof(double));
  } else if (kind == Record::kMixture) {
    out.put_array(given.numbers, kMixtureHead + R);
  } else if (!has_lambda(kind)) {
    for (std::int32_t v = 0; v < given.values; ++v)
      for (std::int32_t w = 0; w < given.values; ++w)
        out.put(given.counts(v) && given.counts(w) ? given.numbers[v * R + w] : 0.0);
    for (std::int32_t v = 0; kind == Record::kMajority && v < given.values; ++v)
      out.put(given.counts(v) ? given.numbers[R * R + v] : 0.0);
  }
  for (std::int32_t v = 0; root.mask && v < root.values; ++v)
    out.put(kind == Record::kMixture ? root.mask[v]
                                     : static_cast<std::uint8_t>(root.counts(v) ? 1 : 0));
  out.align(sizeof(double));
}

} // namespace chorale
