// Reads the objects that several chains or cliques may share: transitions, properties,
// dictionaries, potentials.
#include "potential/create.hpp"
#include "problem/reader.hpp"
#include "property/ready_made.hpp"

namespace chorale {

chorale_status ProblemReader::read_transitions() noexcept {
  using Record = file::TransitionsRecord;
  Section section = container_.section(file::kTransitions);
  const Record *records = nullptr;
  std::int64_t count = 0;
  CHORALE_CHECK(take_records(section, records, count));
  if (!transitions_.all.reserve(count))
    return report_.out_of_memory();
  for (std::int64_t k = 0; k < count; ++k) {
    const Record &record = records[k];
    if (record.labels < 1 || (record.flags & ~(Record::kStart | Record::kEnd)) != 0)
      return damaged(section, ", transitions ", k, ": ", record.labels, " labels, flags ",
                     record.flags, "; labels must be at least 1, flags from 0 to ",
                     Record::kStart | Record::kEnd);
    const auto m = static_cast<std::uint64_t>(record.labels);
    chorale_transitions_options options{};
    const double *scores = section.take<double>(m * m);
    const bool starts = (record.flags & Record::kStart) != 0;
    const bool ends = (record.flags & Record::kEnd) != 0;
    options.start = starts ? section.take<double>(m) : nullptr;
    options.end = ends ? section.take<double>(m) : nullptr;
    if (!scores || (starts && !options.start) || (ends && !options.end))
      return too_short(section, "transitions", k);
    Transitions *made = nullptr;
    CHORALE_CHECK(relay(section, "transitions", k,
                        create_transitions(inner_, memory_, record.labels, scores, options, made)));
    transitions_.all.push(made);
  }
  return close(section);
}

chorale_status ProblemReader::create_property(const file::PropertyRecord &record, Section &section,
                                              Property *&made) noexcept {
  using Record = file::PropertyRecord;
  const auto unsignedly = [](std::int32_t size) { return static_cast<std::uint64_t>(size); };
  const std::uint64_t m = unsignedly(record.labels);
  const std::uint64_t classes = unsignedly(record.classes);
  const chorale_status short_section = CHORALE_ERROR_FILE_SECTION;
  switch (record.kind) {
  case Record::kPositionLabel:
  case Record::kTokenLabel: {
    const LabelKinds map{record.labels, record.values, section.take<std::int32_t>(m), nullptr};
    if (!map.kind_of_label)
      return short_section;
    return record.kind == Record::kPositionLabel
               ? create_position_label(inner_, memory_, map, record.at, made)
               : create_token_label(inner_, memory_, map, record.at, made);
  }
  case Record::kLocal: {
    // The product of three 31-bit sizes may overflow. So the product of two of them is compared
    // with the bytes that are left before it is multiplied by the third.
    if (classes > section.left() || classes * m > section.left())
      return short_section;
    const std::uint64_t rows = classes * m;
    AutomatonSpec local{record.labels, record.classes, 1, record.values};
    local.local_actions =
        rows > section.left() / (m + 1) ? nullptr : section.take<std::int32_t>(rows * (m + 1));
    if (!local.local_actions)
      return short_section;
    return create_local_property(inner_, memory_, local, made);
  }
  default: {
    if (classes > section.left() || classes * m > section.left())
      return short_section;
    const std::uint64_t row = classes * m;
    if (unsignedly(record.states) > section.left() / row)
      return short_section;
    const std::uint64_t cells = unsignedly(record.states) * row;
    const bool ends = (record.flags & Record::kEndActions) != 0;
    const bool maps = (record.flags & Record::kLabelValues) != 0;
    AutomatonSpec automaton{record.labels, record.classes, record.states, record.values};
    automaton.start = record.start;
    automaton.table_offset = record.table_offset;
    automaton.outside_value = record.outside_value;
    automaton.next = section.take<std::int32_t>(cells);
    automaton.actions = section.take<std::int32_t>(cells);
    automaton.end_actions = ends ? section.take<std::int32_t>(unsignedly(record.states)) : nullptr;
    automaton.label_values = maps ? section.take<std::int32_t>(m) : nullptr;
    if (!automaton.next || !automaton.actions || (ends && !automaton.end_actions) ||
        (maps && !automaton.label_values))
      return short_section;
    return chorale::create_property(inner_, memory_, automaton, made);
  }
  }
}

chorale_status ProblemReader::read_properties() noexcept {
  using Record = file::PropertyRecord;
  Section section = container_.section(file::kProperties);
  const Record *records = nullptr;
  std::int64_t count = 0;
  CHORALE_CHECK(take_records(section, records, count));
  if (!properties_.all.reserve(count))
    return report_.out_of_memory();
  for (std::int64_t k = 0; k < count; ++k) {
    const Record &r = records[k];
    const bool automaton = r.kind == Record::kAutomaton;
    const bool local = r.kind == Record::kLocal;
    const bool at = r.kind == Record::kPositionLabel || r.kind == Record::kTokenLabel;
    const std::uint32_t flags = automaton ? Record::kEndActions | Record::kLabelValues : 0u;
    // Fields that this kind does not use must have their default values, so that there is only one
    // way to write a property.
    if (!(automaton || local || at) || (r.flags & ~flags) != 0 || r.labels < 1 || r.values < 1 ||
        (at ? r.classes != 0 : r.classes < 1) || (automaton ? r.states < 1 : r.states != 0) ||
        (!automaton && (r.start != 0 || r.table_offset != 0 || r.outside_value != -1)) ||
        (!at && r.at != 0))
      return damaged(section, ", property ", k, ": kind ", r.kind, ", flags ", r.flags, ", ",
                     r.labels, " labels, ", r.classes, " classes, ", r.states, " states, ",
                     r.values, " values contradict each other");
    Property *made = nullptr;
    const chorale_status status = create_property(r, section, made);
    if (status == CHORALE_ERROR_FILE_SECTION)
      return too_short(section, "property", k);
    CHORALE_CHECK(relay(section, "property", k, status));
    properties_.all.push(made);
  }
  return close(section);
}

chorale_status ProblemReader::read_dictionaries() noexcept {
  Section section = container_.section(file::kDictionaries);
  const file::DictionaryRecord *records = nullptr;
  std::int64_t count = 0;
  CHORALE_CHECK(take_records(section, records, count));
  if (!dictionaries_.all.reserve(count))
    return report_.out_of_memory();
  for (std::int64_t k = 0; k < count; ++k) {
    const file::DictionaryRecord &record = records[k];
    if (record.count < 0 || record.has_unlisted < 0 || record.has_unlisted > 1)
      return damaged(section, ", dictionary ", k, ": ", record.count, " values, has_unlisted ",
                     record.has_unlisted, "; values must be at least 0, has_unlisted 0 or 1");
    const auto *values = section.take<std::int32_t>(static_cast<std::uint64_t>(record.count));
    if (!values)
      return too_short(section, "dictionary", k);
    for (std::int64_t v = 1; v < record.count; ++v)
      if (values[v] <= values[v - 1])
        return damaged(section, ", dictionary ", k, ": values ", v - 1, " and ", v,
                       " do not ascend");
    Dictionary *made = nullptr;
    CHORALE_CHECK(relay(section, "dictionary", k,
                        create_dictionary(inner_, memory_, span_of(values, record.count),
                                          record.has_unlisted != 0, made)));
    dictionaries_.all.push(made);
  }
  return close(section);
}

chorale_status ProblemReader::create_potential(const file::PotentialRecord &r, Section &section,
                                               Potential *&made) noexcept {
  using Record = file::PotentialRecord;
  const chorale_status short_section = CHORALE_ERROR_FILE_SECTION;
  if (r.kind == Record::kScaled)
    return create_scaled(inner_, memory_, *potentials_.all[r.base], r.number, made);
  const auto R = static_cast<std::uint64_t>(r.values);
  const double *numbers = nullptr;
  if (r.kind == Record::kSum || r.kind == Record::kMax || r.kind == Record::kCardinality) {
    const auto tables = static_cast<std::uint64_t>(r.tables);
    const auto length = static_cast<std::uint64_t>(r.length);
    if (length > section.left() / tables)
      return short_section;
    numbers = section.take<double>(tables * length);
  } else if (r.kind == Record::kMajority) {
    numbers = section.take<double>(R * R + R);
  } else if (r.kind == Record::kPairs) {
    numbers = section.take<double>(R * R);
  } else if (r.kind == Record::kMixture) {
    numbers = section.take<double>(kMixtureHead + R);
  } else {
    numbers = &r.number;
  }
  const bool masked = (r.flags & Record::kMask) != 0;
  const auto *counted = masked ? section.take<std::uint8_t>(R) : nullptr;
  if (!numbers || (masked && !counted) || !section.align(sizeof(double)))
    return short_section;
  const PotentialSpec spec{r.values, r.scale, r.shape, counted};
  const MatrixSpec tables{numbers, r.tables, r.length, r.length};
  const MatrixSpec square{numbers, r.values, r.values, r.values};
  const auto by_formula = [&](chorale_family family, TableSource source) {
    return create_by_formula(inner_, memory_, spec, family, source, r.number, made);
  };
  switch (r.kind) {
  case Record::kPotts:
    return by_formula(CHORALE_FAMILY_SUM, TableSource::square);
  case Record::kEntropy:
    return by_formula(CHORALE_FAMILY_SUM, TableSource::entropy);
  case Record::kMakespan:
    return by_formula(CHORALE_FAMILY_MAX, TableSource::linear);
  case Record::kSquareMakespan:
    return by_formula(CHORALE_FAMILY_MAX, TableSource::square);
  case Record::kSum:
    return create_by_tables(inner_, memory_, spec, CHORALE_FAMILY_SUM, tables, made);
  case Record::kMax:
    return create_by_tables(inner_, memory_, spec, CHORALE_FAMILY_MAX, tables, made);
  case Record::kCardinality:
    return create_cardinality(inner_, memory_, spec, {numbers, 1, r.length, r.length}, made);
  case Record::kMajority:
    return create_by_square(inner_, memory_, spec, CHORALE_FAMILY_MAJORITY, square,
                            {numbers + R * R, 1, r.values, r.values}, made);
  case Record::kMixture:
    return create_mixture(inner_, memory_, span_of(counted, r.values), {numbers, kMixtureHead},
                          span_of(numbers + kMixtureHead, r.values), made);
  default:
    return create_by_square(inner_, memory_, spec, CHORALE_FAMILY_PAIRS, square, {}, made);
  }
}

chorale_status ProblemReader::read_potentials() noexcept {
  using Record = file::PotentialRecord;
  Section section = container_.section(file::kPotentials);
  const Record *records = nullptr;
  std::int64_t count = 0;
  CHORALE_CHECK(take_records(section, records, count));
  if (!potentials_.all.reserve(count))
    return report_.out_of_memory();
  for (std::int64_t k = 0; k < count; ++k) {
    const Record &r = records[k];
    const bool tables =
        r.kind == Record::kSum || r.kind == Record::kMax || r.kind == Record::kCardinality;
    const bool lambda = r.kind == Record::kPotts || r.kind == Record::kEntropy ||
                        r.kind == Record::kMakespan || r.kind == Record::kSquareMakespan;
    const bool scaled = r.kind == Record::kScaled;
    if (r.kind < Record::kPotts || r.kind > Record::kMixture || (r.flags & ~Record::kMask) != 0 ||
        (scaled ? r.values != 0 || r.scale != 0 || r.shape != 0 || r.flags != 0
                : r.values < 1 || r.base != 0) ||
        (!scaled && !lambda && r.number != 0) ||
        (r.kind == Record::kMixture && (r.scale != 0 || r.shape != 0)) ||
        (tables ? r.tables < 1 || r.length < 1 : r.tables != 0 || r.length != 0))
      return damaged(section, ", potential ", k, ": kind ", r.kind, ", flags ", r.flags, ", ",
                     r.values, " values, ", r.tables, " tables of ", r.length, ", base ", r.base,
                     ", number ", r.number, " contradict each other");
    if (scaled)
      CHORALE_CHECK(check_number(section, "potential", k, "potential", r.base, k, 0));
    Potential *made = nullptr;
    const chorale_status status = create_potential(r, section, made);
    if (status == CHORALE_ERROR_FILE_SECTION)
      return too_short(section, "potential", k);
    CHORALE_CHECK(relay(section, "potential", k, status));
    potentials_.all.push(made);
  }
  return close(section);
}

} // namespace chorale
