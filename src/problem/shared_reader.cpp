// Reads the objects that several chains or cliques may share: transitions, properties,
// dictionaries, potentials.
#include "potential/create.hpp"
#include "problem/reader.hpp"
#include "problem/writer.hpp"
#include "property/ready_made.hpp"

namespace chorale {

chorale_status ProblemReader::read_transitions() noexcept {
  using Record = file::TransitionsRecord;
  return read_objects<Record>(
      file::kTransitions, "transitions", transitions_,
      [&](Section &section, const Record &record, Transitions *&made) -> chorale_status {
        const std::int32_t m = record.labels;
        if (m < 1 || (record.flags & ~(Record::kStart | Record::kEnd)) != 0)
          return wrong(m, " labels, flags ", record.flags, "; labels must be at least 1, flags ",
                       "from 0 to ", Record::kStart | Record::kEnd);
        chorale_transitions_options options{};
        const double *scores = section.take<double>(m, m);
        options.start = (record.flags & Record::kStart) != 0 ? section.take<double>(m) : nullptr;
        options.end = (record.flags & Record::kEnd) != 0 ? section.take<double>(m) : nullptr;
        return section.fits() ? create_transitions(inner_, memory_, m, scores, options, made)
                              : kTooShort;
      });
}

chorale_status ProblemReader::create_property(const file::PropertyRecord &r, Section &section,
                                              Property *&made) noexcept {
  using Record = file::PropertyRecord;
  const std::int64_t m = r.labels;
  if (r.kind == Record::kPositionLabel || r.kind == Record::kTokenLabel) {
    const LabelKinds map{r.labels, r.values, section.take<std::int32_t>(m), nullptr};
    if (!section.fits())
      return kTooShort;
    return r.kind == Record::kPositionLabel
               ? create_position_label(inner_, memory_, map, r.at, made)
               : create_token_label(inner_, memory_, map, r.at, made);
  }
  if (r.kind == Record::kLocal) {
    AutomatonSpec local{r.labels, r.classes, 1, r.values};
    local.local_actions = section.take<std::int32_t>(r.classes, m, m + 1);
    return section.fits() ? create_local_property(inner_, memory_, local, made) : kTooShort;
  }
  AutomatonSpec automaton{r.labels, r.classes, r.states, r.values};
  automaton.start = r.start;
  automaton.table_offset = r.table_offset;
  automaton.outside_value = r.outside_value;
  automaton.next = section.take<std::int32_t>(r.states, r.classes, m);
  automaton.actions = section.take<std::int32_t>(r.states, r.classes, m);
  if ((r.flags & Record::kEndActions) != 0)
    automaton.end_actions = section.take<std::int32_t>(r.states);
  if ((r.flags & Record::kLabelValues) != 0)
    automaton.label_values = section.take<std::int32_t>(m);
  return section.fits() ? chorale::create_property(inner_, memory_, automaton, made) : kTooShort;
}

chorale_status ProblemReader::read_properties() noexcept {
  using Record = file::PropertyRecord;
  return read_objects<Record>(
      file::kProperties, "property", properties_,
      [&](Section &section, const Record &r, Property *&made) -> chorale_status {
        const bool automaton = r.kind == Record::kAutomaton;
        const bool at = r.kind == Record::kPositionLabel || r.kind == Record::kTokenLabel;
        const std::uint32_t flags = automaton ? Record::kEndActions | Record::kLabelValues : 0u;
        // Fields that this kind does not use must have their default values, so that there is only
        // one way to write a property.
        if (!(automaton || r.kind == Record::kLocal || at) || (r.flags & ~flags) != 0 ||
            r.labels < 1 || r.values < 1 || (at ? r.classes != 0 : r.classes < 1) ||
            (automaton ? r.states < 1 : r.states != 0) ||
            (!automaton && (r.start != 0 || r.table_offset != 0 || r.outside_value != -1)) ||
            (!at && r.at != 0))
          return wrong("kind ", r.kind, ", flags ", r.flags, ", ", r.labels, " labels, ", r.classes,
                       " classes, ", r.states, " states, ", r.values,
                       " values contradict each other");
        return create_property(r, section, made);
      });
}

chorale_status ProblemReader::read_dictionaries() noexcept {
  using Record = file::DictionaryRecord;
  return read_objects<Record>(
      file::kDictionaries, "dictionary", dictionaries_,
      [&](Section &section, const Record &record, Dictionary *&made) -> chorale_status {
        if (record.count < 0 || record.has_unlisted < 0 || record.has_unlisted > 1)
          return wrong(record.count, " values, has_unlisted ", record.has_unlisted,
                       "; values must be at least 0, has_unlisted 0 or 1");
        const auto *values = section.take<std::int32_t>(record.count);
        if (!section.fits())
          return kTooShort;
        for (std::int64_t v = 1; v < record.count; ++v)
          if (values[v] <= values[v - 1])
            return wrong("values ", v - 1, " and ", v, " do not ascend");
        return create_dictionary(inner_, memory_, values, record.count, record.has_unlisted != 0,
                                 made);
      });
}

chorale_status ProblemReader::create_potential(const file::PotentialRecord &r, Section &section,
                                               Potential *&made) noexcept {
  using Record = file::PotentialRecord;
  if (r.kind == Record::kScaled)
    return create_scaled(inner_, memory_, *potentials_.all[r.base], r.number, made);
  const std::int64_t R = r.values;
  const double *numbers = r.has_tables()                 ? section.take<double>(r.tables, r.length)
                          : r.has_lambda()               ? &r.number
                          : r.kind == Record::kMajority ? section.take<double>(R, R + 1)
                          : r.kind == Record::kPairs    ? section.take<double>(R, R)
                                                        : section.take<double>(kMixtureHead + R);
  const auto *counted =
      (r.flags & Record::kMask) != 0 ? section.take<std::uint8_t>(R) : nullptr;
  section.align(sizeof(double));
  if (!section.fits())
    return kTooShort;
  const PotentialSpec spec{r.values, r.scale, r.shape, counted};
  const MatrixSpec tables{numbers, r.tables, r.length, r.length};
  const MatrixSpec square{numbers, r.values, r.values, r.values};
  const PotentialKind &kind = kind_of(r.kind);
  switch (r.kind) {
  case Record::kCardinality:
    return create_cardinality(inner_, memory_, spec, {numbers, 1, r.length, r.length}, made);
  case Record::kMajority:
    return create_by_square(inner_, memory_, spec, kind.family, square,
                            {numbers + R * R, 1, r.values, r.values}, made);
  case Record::kPairs:
    return create_by_square(inner_, memory_, spec, kind.family, square, {}, made);
  case Record::kMixture:
    return create_mixture(inner_, memory_, span_of(counted, r.values), {numbers, kMixtureHead},
                          span_of(numbers + kMixtureHead, r.values), made);
  default:
    return r.has_tables()
               ? create_by_tables(inner_, memory_, spec, kind.family, tables, made)
               : create_by_formula(inner_, memory_, spec, kind.family, kind.source, r.number, made);
  }
}

chorale_status ProblemReader::read_potentials() noexcept {
  using Record = file::PotentialRecord;
  return read_objects<Record>(
      file::kPotentials, "potential", potentials_,
      [&](Section &section, const Record &r, Potential *&made) -> chorale_status {
        const bool scaled = r.kind == Record::kScaled;
        if (r.kind < Record::kPotts || r.kind > Record::kMixture ||
            (r.flags & ~Record::kMask) != 0 ||
            (scaled ? r.values != 0 || r.scale != 0 || r.shape != 0 || r.flags != 0
                    : r.values < 1 || r.base != 0) ||
            (!scaled && !r.has_lambda() && r.number != 0) ||
            (r.kind == Record::kMixture && (r.scale != 0 || r.shape != 0)) ||
            (r.has_tables() ? r.tables < 1 || r.length < 1 : r.tables != 0 || r.length != 0))
          return wrong("kind ", r.kind, ", flags ", r.flags, ", ", r.values, " values, ", r.tables,
                       " tables of ", r.length, ", base ", r.base, ", number ", r.number,
                       " contradict each other");
        if (scaled)
          CHORALE_CHECK(check_number("potential", r.base, potentials_.all.size(), 0));
        return create_potential(r, section, made);
      });
}

} // namespace chorale
