// Writes records and arrays of potentials, from which the reader creates the same potentials again.
#include "problem/writer.hpp"

namespace chorale {
namespace {

using Record = file::PotentialRecord;

// All kinds of records but kScaled. The last row stands for all potentials that match no other row:
// PAIRS, separable (potential.hpp) or not.
constexpr PotentialKind kKinds[] = {
    {Record::kPotts, Form::sum, TableSource::square},
    {Record::kEntropy, Form::sum, TableSource::entropy},
    {Record::kSum, Form::sum, TableSource::stored},
    {Record::kCardinality, Form::sum, TableSource::cardinality},
    {Record::kMax, Form::max, TableSource::stored},
    {Record::kMakespan, Form::max, TableSource::linear},
    {Record::kSquareMakespan, Form::max, TableSource::square},
    {Record::kMajority, Form::majority, TableSource::none},
    {Record::kMixture, Form::sum, TableSource::mixture},
    {Record::kPairs, Form::pairs, TableSource::none},
};
constexpr const PotentialKind *kLast = std::end(kKinds) - 1;

// Returns a record in which only the kind is set, never to kScaled: if `p` is a multiple of another
// potential, the kind is that of the other potential.
Record kind_of_potential(const Potential &p) noexcept {
  Record record{};
  record.kind = std::find_if(kKinds, kLast, [&](const PotentialKind &kind) {
                  return kind.family == p.family && kind.source == p.source;
                })->kind;
  return record;
}

} // namespace

const PotentialKind &kind_of(std::int32_t kind) noexcept {
  return *std::find_if(kKinds, kLast, [=](const PotentialKind &of) { return of.kind == kind; });
}

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
  return !kind_of_potential(*given).has_lambda() && given->strength == 1 ? unscaled(*given)
                                                                         : *given;
}

const Potential *scaled_from(const Potential &given) noexcept {
  return given.base && !kind_of_potential(given).has_lambda() ? &unscaled(given) : nullptr;
}

Record record_of(const Potential &given, std::int32_t base) noexcept {
  Record record = kind_of_potential(given);
  if (scaled_from(given)) {
    record.kind = Record::kScaled;
    record.base = base;
    record.number = given.strength;
    return record;
  }
  const Potential &root = unscaled(given);
  record.flags = root.mask ? Record::kMask : 0u;
  record.scale = root.scale;
  record.shape = root.shape;
  record.values = root.values;
  record.number = record.has_lambda() ? given.lambda : 0.0;
  if (record.has_tables()) {
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
  const Record record = kind_of_potential(given);
  const std::int64_t R = given.values;
  if (record.has_tables()) {
    for (std::int64_t r = 0; r < given.table_count; ++r)
      if (given.table_count == 1 || given.counts(static_cast<std::int32_t>(r)))
        out.put_array(given.numbers + r * given.table_length, given.table_length);
      else
        out.put_zeros(static_cast<std::size_t>(given.table_length) * sizeof(double));
  } else if (record.kind == Record::kMixture) {
    out.put_array(given.numbers, kMixtureHead + R);
  } else if (!record.has_lambda()) {
    for (std::int32_t v = 0; v < given.values; ++v)
      for (std::int32_t w = 0; w < given.values; ++w)
        out.put(given.counts(v) && given.counts(w) ? given.numbers[v * R + w] : 0.0);
    for (std::int32_t v = 0; record.kind == Record::kMajority && v < given.values; ++v)
      out.put(given.counts(v) ? given.numbers[R * R + v] : 0.0);
  }
  for (std::int32_t v = 0; root.mask && v < root.values; ++v)
    out.put(record.kind == Record::kMixture ? root.mask[v]
                                     : static_cast<std::uint8_t>(root.counts(v) ? 1 : 0));
  out.align(sizeof(double));
}

} // namespace chorale
