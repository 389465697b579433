#include "capi/problem_reader.hpp"

#include <utility>

namespace chorale {

ProblemReader::ProblemReader(const Report &report, const chorale_host *host, const Memory &memory,
                             const SharedBytes &shared) noexcept
    : report_(report), host_(host), memory_(memory), shared_(shared), transitions_(memory),
      properties_(memory), dictionaries_(memory), potentials_(memory) {}

ProblemReader::~ProblemReader() {
  chorale_problem_destroy(problem_);
  chorale_model_release(model_);
  chorale_model_builder_destroy(builder_);
}

chorale_status ProblemReader::read(chorale_problem **problem) noexcept {
  Damage damage;
  if (!container_.open(shared_.data, shared_.size, damage))
    return report_.fail(damage.status, std::string_view(damage.message));
  if (const chorale_status status = chorale_model_builder_create(host_, &builder_, &inner_))
    return report_.fail(status, std::string_view(inner_.message));
  CHORALE_CHECK(read_transitions());
  CHORALE_CHECK(read_properties());
  CHORALE_CHECK(read_dictionaries());
  CHORALE_CHECK(read_potentials());
  CHORALE_CHECK(read_chains());
  CHORALE_CHECK(read_cliques());
  CHORALE_CHECK(read_members());
  CHORALE_CHECK(freeze());
  CHORALE_CHECK(read_texts());
  CHORALE_CHECK(read_integers());
  CHORALE_CHECK(read_notes());
  *problem = std::exchange(problem_, nullptr);
  return CHORALE_OK;
}

template <class Record>
chorale_status ProblemReader::take_records(Section &section, const Record *&records,
                                           std::int64_t &count) noexcept {
  const auto *number = section.take<std::uint64_t>(1);
  if (!number)
    return damaged(section, " is too short for the number of its records");
  records = section.take<Record>(*number);
  if (!records || *number > static_cast<std::uint64_t>(kLargestSize))
    return damaged(section, " tells of ", *number, " records; it has ", section.left(),
                   " bytes for them");
  count = static_cast<std::int64_t>(*number);
  return CHORALE_OK;
}

chorale_status ProblemReader::close(Section &section) const noexcept {
  if (section.left() != 0)
    return damaged(section, " has ", section.left(), " bytes more than its records tell of");
  return CHORALE_OK;
}

// ---- What is shared -----------------------------------------------------------------------------

chorale_status ProblemReader::read_transitions() noexcept {
  using Record = file::TransitionsRecord;
  Section section = container_.section(file::kTransitions);
  const Record *records = nullptr;
  std::int64_t count = 0;
  CHORALE_CHECK(take_records(section, records, count));
  if (!transitions_.all.reserve(count))
    return no_memory();
  for (std::int64_t k = 0; k < count; ++k) {
    const Record &record = records[k];
    if (record.labels < 1 || (record.flags & ~(Record::kStart | Record::kEnd)) != 0)
      return damaged(section, ", transitions ", k, ": ", record.labels, " labels, flags ",
                     record.flags);
    const auto m = static_cast<std::uint64_t>(record.labels);
    chorale_transitions_options options;
    chorale_transitions_options_init(&options, sizeof options);
    const double *scores = section.take<double>(m * m);
    const bool starts = (record.flags & Record::kStart) != 0;
    const bool ends = (record.flags & Record::kEnd) != 0;
    options.start = starts ? section.take<double>(m) : nullptr;
    options.end = ends ? section.take<double>(m) : nullptr;
    if (!scores || (starts && !options.start) || (ends && !options.end))
      return too_short(section, "transitions", k);
    chorale_transitions *made = nullptr;
    CHORALE_CHECK(
        relay(section, "transitions", k,
              chorale_transitions_create(host_, record.labels, scores, &options, &made, &inner_)));
    transitions_.all.push(made);
  }
  return close(section);
}

chorale_status ProblemReader::create_property(const file::PropertyRecord &record, Section &section,
                                              chorale_property **property) noexcept {
  using Record = file::PropertyRecord;
  const auto unsignedly = [](std::int32_t size) { return static_cast<std::uint64_t>(size); };
  const std::uint64_t m = unsignedly(record.labels);
  const std::uint64_t classes = unsignedly(record.classes);
  const chorale_status short_section = CHORALE_ERROR_FILE_SECTION;
  switch (record.kind) {
  case Record::kPositionLabel:
  case Record::kTokenLabel: {
    chorale_label_map map;
    chorale_label_map_init(&map, sizeof map);
    map.labels = record.labels;
    map.kinds = record.values;
    map.kind_of_label = section.take<std::int32_t>(m);
    if (!map.kind_of_label)
      return short_section;
    return record.kind == Record::kPositionLabel
               ? chorale_property_create_position_label(host_, &map, record.at, property, &inner_)
               : chorale_property_create_token_label(host_, &map, record.at, property, &inner_);
  }
  case Record::kLocal: {
    // Three sizes of 31 bits may not fit; two of them and the section say whether they do.
    if (classes > section.left() || classes * m > section.left())
      return short_section;
    const std::uint64_t rows = classes * m;
    const std::int32_t *actions =
        rows > section.left() / (m + 1) ? nullptr : section.take<std::int32_t>(rows * (m + 1));
    if (!actions)
      return short_section;
    return chorale_property_create_local(host_, record.labels, record.classes, record.values,
                                         actions, nullptr, property, &inner_);
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
    chorale_automaton automaton;
    chorale_automaton_init(&automaton, sizeof automaton);
    automaton.labels = record.labels;
    automaton.classes = record.classes;
    automaton.states = record.states;
    automaton.values = record.values;
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
    return chorale_property_create(host_, &automaton, property, &inner_);
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
    return no_memory();
  for (std::int64_t k = 0; k < count; ++k) {
    const Record &r = records[k];
    const bool automaton = r.kind == Record::kAutomaton;
    const bool local = r.kind == Record::kLocal;
    const bool at = r.kind == Record::kPositionLabel || r.kind == Record::kTokenLabel;
    const std::uint32_t flags = automaton ? Record::kEndActions | Record::kLabelValues : 0u;
    // What the kind has no use for is written in one way.
    if (!(automaton || local || at) || (r.flags & ~flags) != 0 || r.labels < 1 || r.values < 1 ||
        (at ? r.classes != 0 : r.classes < 1) || (automaton ? r.states < 1 : r.states != 0) ||
        (!automaton && (r.start != 0 || r.table_offset != 0 || r.outside_value != -1)) ||
        (!at && r.at != 0))
      return damaged(section, ", property ", k, ": kind ", r.kind, ", flags ", r.flags, ", ",
                     r.labels, " labels, ", r.classes, " classes, ", r.states, " states, ",
                     r.values, " values do not go together");
    chorale_property *made = nullptr;
    inner_.message[0] = '\0';
    const chorale_status status = create_property(r, section, &made);
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
    return no_memory();
  for (std::int64_t k = 0; k < count; ++k) {
    const file::DictionaryRecord &record = records[k];
    if (record.count < 0 || record.with_out < 0 || record.with_out > 1)
      return damaged(section, ", dictionary ", k, ": ", record.count, " values, with_out ",
                     record.with_out);
    const auto *values = section.take<std::int32_t>(static_cast<std::uint64_t>(record.count));
    if (!values)
      return too_short(section, "dictionary", k);
    chorale_dictionary *made = nullptr;
    CHORALE_CHECK(relay(
        section, "dictionary", k,
        chorale_dictionary_create(host_, values, record.count, record.with_out, &made, &inner_)));
    dictionaries_.all.push(made);
    if (made->count != record.count)
      return damaged(section, ", dictionary ", k, ": values are there twice");
  }
  return close(section);
}

chorale_status ProblemReader::create_potential(const file::PotentialRecord &r, Section &section,
                                               chorale_potential **potential) noexcept {
  using Record = file::PotentialRecord;
  const chorale_status short_section = CHORALE_ERROR_FILE_SECTION;
  if (r.kind == Record::kScaled)
    return chorale_potential_create_scaled(host_, potentials_.all[r.base], r.number, potential,
                                           &inner_);
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
  } else {
    numbers = &r.number;
  }
  chorale_potential_options options;
  chorale_potential_options_init(&options, sizeof options);
  options.scale = r.scale;
  options.shape = r.shape;
  const bool masked = (r.flags & Record::kMask) != 0;
  options.counted = masked ? section.take<std::uint8_t>(R) : nullptr;
  if (!numbers || (masked && !options.counted) || !section.align(sizeof(double)))
    return short_section;
  switch (r.kind) {
  case Record::kPotts:
    return chorale_potential_create_potts(host_, r.values, r.number, &options, potential, &inner_);
  case Record::kEntropy:
    return chorale_potential_create_entropy(host_, r.values, r.number, &options, potential,
                                            &inner_);
  case Record::kMakespan:
    return chorale_potential_create_makespan(host_, r.values, r.number, &options, potential,
                                             &inner_);
  case Record::kSquareMakespan:
    return chorale_potential_create_square_makespan(host_, r.values, r.number, &options, potential,
                                                    &inner_);
  case Record::kSum:
    return chorale_potential_create_sum(host_, r.values, numbers, r.tables, r.length, r.length,
                                        &options, potential, &inner_);
  case Record::kMax:
    return chorale_potential_create_max(host_, r.values, numbers, r.tables, r.length, r.length,
                                        &options, potential, &inner_);
  case Record::kCardinality:
    return chorale_potential_create_cardinality(host_, r.values, numbers, r.length, &options,
                                                potential, &inner_);
  case Record::kMajority:
    return chorale_potential_create_majority(host_, r.values, numbers, r.values, r.values, r.values,
                                             numbers + R * R, &options, potential, &inner_);
  default:
    return chorale_potential_create_pairs(host_, r.values, numbers, r.values, r.values, r.values,
                                          &options, potential, &inner_);
  }
}

chorale_status ProblemReader::read_potentials() noexcept {
  using Record = file::PotentialRecord;
  Section section = container_.section(file::kPotentials);
  const Record *records = nullptr;
  std::int64_t count = 0;
  CHORALE_CHECK(take_records(section, records, count));
  if (!potentials_.all.reserve(count))
    return no_memory();
  for (std::int64_t k = 0; k < count; ++k) {
    const Record &r = records[k];
    const bool tables =
        r.kind == Record::kSum || r.kind == Record::kMax || r.kind == Record::kCardinality;
    const bool lambda = r.kind == Record::kPotts || r.kind == Record::kEntropy ||
                        r.kind == Record::kMakespan || r.kind == Record::kSquareMakespan;
    const bool scaled = r.kind == Record::kScaled;
    if (r.kind < Record::kPotts || r.kind > Record::kScaled || (r.flags & ~Record::kMask) != 0 ||
        (scaled ? r.values != 0 || r.scale != 0 || r.shape != 0 || r.flags != 0
                : r.values < 1 || r.base != 0) ||
        (!scaled && !lambda && r.number != 0) ||
        (tables ? r.tables < 1 || r.length < 1 : r.tables != 0 || r.length != 0))
      return damaged(section, ", potential ", k, ": kind ", r.kind, ", flags ", r.flags, ", ",
                     r.values, " values, ", r.tables, " tables of ", r.length, ", base ", r.base,
                     ", number ", r.number, " do not go together");
    if (scaled)
      CHORALE_CHECK(check_number(section, "potential", k, "potential", r.base, k, 0));
    chorale_potential *made = nullptr;
    const chorale_status status = create_potential(r, section, &made);
    if (status == CHORALE_ERROR_FILE_SECTION)
      return too_short(section, "potential", k);
    CHORALE_CHECK(relay(section, "potential", k, status));
    potentials_.all.push(made);
  }
  return close(section);
}

// ---- The model ----------------------------------------------------------------------------------

chorale_status ProblemReader::add_chain(const file::ChainRecord &r, Section &scores) noexcept {
  using Record = file::ChainRecord;
  const auto has = [&](std::uint32_t flag) { return (r.flags & flag) != 0; };
  const auto T = static_cast<std::uint64_t>(r.length);
  const auto m = static_cast<std::uint64_t>(r.labels);
  bool fits = true;
  const auto numbers = [&](std::uint64_t rows, std::uint64_t columns) -> const void * {
    const std::size_t size = has(Record::kSingle) ? sizeof(float) : sizeof(double);
    const void *found =
        rows > scores.left() / (columns * size)
            ? nullptr
            : static_cast<const void *>(scores.take<std::byte>(rows * columns * size));
    fits = fits && found;
    return found;
  };
  const auto integers = [&]() {
    const auto *found = scores.take<std::int32_t>(T);
    fits = fits && found;
    return found;
  };
  chorale_chain chain;
  chorale_chain_init(&chain, sizeof chain);
  chain.length = r.length;
  chain.labels = r.labels;
  chain.number = has(Record::kSingle) ? CHORALE_FLOAT32 : CHORALE_FLOAT64;
  chain.transitions = r.transitions >= 0 ? transitions_.all[r.transitions] : nullptr;
  chain.unary = numbers(T, m);
  if (has(Record::kEdges)) {
    chain.edge_matrices = has(Record::kEdgeEach) ? r.length - 1 : 1;
    chain.edges = fits && m <= scores.left()
                      ? numbers(static_cast<std::uint64_t>(chain.edge_matrices) * m, m)
                      : nullptr;
    fits = fits && chain.edges;
  }
  if (fits && has(Record::kStart))
    chain.start = numbers(1, m);
  if (fits && has(Record::kEnd))
    chain.end = numbers(1, m);
  chorale_chain_options options;
  chorale_chain_options_init(&options, sizeof options);
  options.borrow = 1;
  options.group = r.group;
  if (fits && has(Record::kTokens))
    options.tokens = integers();
  if (fits && has(Record::kParents))
    chain.parents = integers();
  if (fits && has(Record::kForced))
    chain.forced = integers();
  if (fits && has(Record::kAllowed)) {
    chain.allowed = T > scores.left() / m ? nullptr : scores.take<std::uint8_t>(T * m);
    fits = fits && chain.allowed;
  }
  if (!fits || !scores.align(file::kAlign))
    return CHORALE_ERROR_FILE_SECTION;
  return chorale_model_builder_add_chain(builder_, &chain, &options, nullptr, &inner_);
}

chorale_status ProblemReader::read_chains() noexcept {
  using Record = file::ChainRecord;
  Section section = container_.section(file::kChains);
  Section scores = container_.section(file::kScores);
  CHORALE_CHECK(take_records(section, chains_, chain_count_));
  for (std::int64_t i = 0; i < chain_count_; ++i) {
    const Record &r = chains_[i];
    const bool each = (r.flags & Record::kEdgeEach) != 0;
    if ((r.flags & ~Record::kAll) != 0 || r.length < 0 || r.labels < 1 ||
        (each && ((r.flags & Record::kEdges) == 0 || r.length < 3)))
      return damaged(section, ", chain ", i, ": ", r.length, " positions, ", r.labels,
                     " labels, flags ", r.flags, " do not go together");
    CHORALE_CHECK(check_number(section, "chain", i, "transitions", r.transitions,
                               transitions_.all.size(), -1));
    if (r.offset != scores.at())
      return damaged(section, ", chain ", i, ": its scores are said to be at ", r.offset,
                     "; they follow those before, at ", scores.at());
    const chorale_status status = add_chain(r, scores);
    if (status == CHORALE_ERROR_FILE_SECTION)
      return too_short(scores, "chain", i);
    CHORALE_CHECK(relay(section, "chain", i, status));
  }
  CHORALE_CHECK(close(scores));
  return close(section);
}

chorale_status ProblemReader::read_cliques() noexcept {
  using Record = file::CliqueRecord;
  Section section = container_.section(file::kCliques);
  CHORALE_CHECK(take_records(section, cliques_, clique_count_));
  // The last array of each kind, which later cliques may share.
  const std::int32_t *map = nullptr;
  const std::int32_t *centre_map = nullptr;
  std::int32_t map_labels = 0;
  std::int32_t centre_map_labels = 0;
  Array<const chorale_potential *> centres(memory_);
  for (std::int64_t c = 0; c < clique_count_; ++c) {
    const Record &r = cliques_[c];
    const auto has = [&](std::uint32_t flag) { return (r.flags & flag) != 0; };
    const bool centred = r.centre_values != 0;
    if ((r.flags & ~Record::kAll) != 0 || r.zero != 0 || r.values < 1 || r.members < 0 ||
        r.centre_values < 0 || r.labels < 0 || r.centre_labels < 0 ||
        (r.property >= 0 && (centred || has(Record::kMap))) ||
        (r.property < 0 && r.dictionary >= 0) || centred != (r.potential == -1) ||
        has(Record::kMap) != (r.labels > 0) || has(Record::kCentreMap) != (r.centre_labels > 0) ||
        (has(Record::kSameMap) && (!has(Record::kMap) || !map || map_labels != r.labels)) ||
        (has(Record::kCentreMap) && !centred) ||
        (has(Record::kSameCentreMap) &&
         (!has(Record::kCentreMap) || !centre_map || centre_map_labels != r.centre_labels)) ||
        (has(Record::kSameCentres) && (!centred || centres.size() != r.centre_values)))
      return damaged(section, ", clique ", c, ": flags ", r.flags, ", property ", r.property,
                     ", dictionary ", r.dictionary, ", potential ", r.potential, ", ", r.values,
                     " values, ", r.labels, " labels, ", r.centre_values, " centre values, ",
                     r.centre_labels, " centre labels, ", r.members, " members do not go together");
    CHORALE_CHECK(
        check_number(section, "clique", c, "property", r.property, properties_.all.size(), -1));
    CHORALE_CHECK(check_number(section, "clique", c, "dictionary", r.dictionary,
                               dictionaries_.all.size(), -1));
    CHORALE_CHECK(check_number(section, "clique", c, "potential", r.potential,
                               potentials_.all.size(), centred ? -1 : 0));
    chorale_clique_setup setup;
    chorale_clique_setup_init(&setup, sizeof setup);
    setup.values = r.values;
    setup.property = r.property >= 0 ? properties_.all[r.property] : nullptr;
    setup.dictionary = r.dictionary >= 0 ? dictionaries_.all[r.dictionary] : nullptr;
    if (has(Record::kMap)) {
      if (!has(Record::kSameMap))
        map = section.take<std::int32_t>(static_cast<std::uint64_t>(r.labels));
      map_labels = r.labels;
      if (!map)
        return too_short(section, "clique", c);
      setup.label_values = map;
      setup.labels = r.labels;
    }
    if (has(Record::kCentreMap)) {
      if (!has(Record::kSameCentreMap))
        centre_map = section.take<std::int32_t>(static_cast<std::uint64_t>(r.centre_labels));
      centre_map_labels = r.centre_labels;
      if (!centre_map)
        return too_short(section, "clique", c);
      setup.centre_label_values = centre_map;
      setup.centre_labels = r.centre_labels;
    }
    if (centred) {
      if (!has(Record::kSameCentres)) {
        const auto *numbers =
            section.take<std::int32_t>(static_cast<std::uint64_t>(r.centre_values));
        if (!numbers)
          return too_short(section, "clique", c);
        if (!centres.resize(r.centre_values))
          return no_memory();
        for (std::int32_t k = 0; k < r.centre_values; ++k) {
          CHORALE_CHECK(check_number(section, "clique", c, "potential", numbers[k],
                                     potentials_.all.size(), 0));
          centres[k] = potentials_.all[numbers[k]];
        }
      }
      setup.centre_potentials = centres.begin();
      setup.centre_values = r.centre_values;
    } else {
      setup.potential = potentials_.all[r.potential];
    }
    if (setup.property) {
      const std::int64_t values = setup.dictionary ? chorale_dictionary_values(setup.dictionary)
                                                   : chorale_property_values(setup.property);
      if (values != r.values)
        return damaged(section, ", clique ", c, ": ", r.values, " values; its property has ",
                       values);
    }
    CHORALE_CHECK(relay(section, "clique", c,
                        chorale_model_builder_add_clique(builder_, &setup, nullptr, &inner_)));
  }
  return close(section);
}

chorale_status ProblemReader::read_members() noexcept {
  Section section = container_.section(file::kMembers);
  Section attachments = container_.section(file::kAttachments);
  const file::MemberRecord *members = nullptr;
  const std::uint32_t *flags = nullptr;
  std::int64_t count = 0;
  std::int64_t whole_count = 0;
  CHORALE_CHECK(take_records(section, members, count));
  CHORALE_CHECK(take_records(attachments, flags, whole_count));
  std::int64_t k = 0;
  std::int64_t whole = 0;
  for (std::int64_t c = 0; c < clique_count_; ++c) {
    const bool centred = cliques_[c].centre_values != 0;
    const std::int64_t all = std::int64_t{cliques_[c].members} + (centred ? 1 : 0);
    if (all > count - k)
      return damaged(section, " has ", count, " members; those of clique ", c, " end at ", k + all);
    for (std::int64_t i = 0; i < all; ++i, ++k) {
      const file::MemberRecord &member = members[k];
      if (cliques_[c].property < 0) {
        const bool centre = centred && i == all - 1;
        CHORALE_CHECK(relay(section, "member", k,
                            centre ? chorale_model_builder_set_centre(builder_, c, member.chain,
                                                                      member.position, &inner_)
                                   : chorale_model_builder_add_position(builder_, c, member.chain,
                                                                        member.position, &inner_)));
        continue;
      }
      if (member.position != -1)
        return damaged(section, ", member ", k, ": position ", member.position, " of chain ",
                       member.chain, " in clique ", c, ", which is over a property");
      CHORALE_CHECK(check_number(section, "member", k, "chain", member.chain, chain_count_, 0));
      if (whole == whole_count)
        return damaged(attachments, " has ", whole_count, " records; member ", k, " has none");
      const std::uint32_t has = flags[whole++];
      if ((has & ~file::AttachmentFlags::kAll) != 0)
        return damaged(attachments, ", record ", whole - 1, ": flags ", has);
      const auto length = static_cast<std::uint64_t>(chains_[member.chain].length);
      chorale_member_options options;
      chorale_member_options_init(&options, sizeof options);
      options.borrow = 1;
      bool fits = true;
      if ((has & file::AttachmentFlags::kClasses) != 0)
        fits = (options.classes = attachments.take<std::int32_t>(length)) != nullptr;
      if ((has & file::AttachmentFlags::kTable) != 0)
        fits = fits && (options.table = attachments.take<std::int32_t>(length)) != nullptr;
      if (!fits)
        return too_short(attachments, "record", whole - 1);
      CHORALE_CHECK(
          relay(section, "member", k,
                chorale_model_builder_add_member(builder_, c, member.chain, &options, &inner_)));
    }
  }
  if (k != count)
    return damaged(section, " has ", count, " members; the cliques have ", k);
  if (whole != whole_count)
    return damaged(attachments, " has ", whole_count, " records; ", whole,
                   " members are whole chains");
  CHORALE_CHECK(close(attachments));
  return close(section);
}

chorale_status ProblemReader::freeze() noexcept {
  if (const chorale_status status = chorale_model_builder_freeze(builder_, &model_, &inner_))
    return report_.fail(status, std::string_view(inner_.message));
  model_->bytes_of = SharedBytes::retain(&shared_);
  if (const chorale_status status = chorale_problem_create(host_, model_, &problem_, &inner_))
    return report_.fail(status, std::string_view(inner_.message));
  problem_->shared = SharedBytes::retain(&shared_);
  return CHORALE_OK;
}

// ---- The names ----------------------------------------------------------------------------------

chorale_status ProblemReader::read_texts() noexcept {
  Section section = container_.section(file::kTexts);
  if (!section.exists())
    return CHORALE_OK;
  const file::TextsRecord *records = nullptr;
  std::int64_t count = 0;
  CHORALE_CHECK(take_records(section, records, count));
  if (count == 0)
    return damaged(section, " is empty");
  for (std::int64_t k = 0; k < count; ++k) {
    const file::TextsRecord &r = records[k];
    if (r.zero != 0 || r.count < 0 || (r.count == 0 && r.list < CHORALE_TEXTS_VALUES) ||
        (k > 0 && r.list <= records[k - 1].list))
      return damaged(section, ", record ", k, ": list ", r.list, " of ", r.count,
                     " texts is none, or out of order");
    Report inner(&inner_);
    CHORALE_CHECK(relay(section, "list", r.list, check_list(inner, *problem_, r.list, r.count)));
    const auto *offsets = section.take<std::uint64_t>(static_cast<std::uint64_t>(r.count) + 1);
    const char *bytes = offsets ? section.take<char>(r.bytes) : nullptr;
    if (!bytes || !section.align(sizeof(std::uint64_t)))
      return too_short(section, "list", r.list);
    if (offsets[0] != 0 || offsets[r.count] != r.bytes)
      return damaged(section, ", list ", r.list, ": its texts go from ", offsets[0], " to ",
                     offsets[r.count], "; they must go from 0 to ", r.bytes);
    for (std::int64_t t = 0; t < r.count; ++t) {
      if (offsets[t] > offsets[t + 1])
        return damaged(section, ", list ", r.list, ": text ", t, " ends at ", offsets[t + 1],
                       ", before it begins at ", offsets[t]);
      if (offsets[t + 1] > r.bytes)
        return damaged(section, ", list ", r.list, ": text ", t, " ends at ", offsets[t + 1],
                       ", after the last byte, ", r.bytes);
    }
    const TextList list{r.list, r.count, offsets, bytes, nullptr, 0};
    for (std::int64_t t = 0; t < r.count; ++t)
      CHORALE_CHECK(relay(
          section, "list", r.list,
          check_text(inner, list.text(t), [&](MessageWriter &place) { place << "text " << t; })));
    if (!problem_->lend_list(list))
      return no_memory();
  }
  return close(section);
}

chorale_status ProblemReader::read_integers() noexcept {
  const auto read = [&](std::uint32_t id, std::int64_t count, auto &&set) -> chorale_status {
    Section section = container_.section(id);
    if (!section.exists())
      return CHORALE_OK;
    const auto *integers = section.take<std::int32_t>(static_cast<std::uint64_t>(count));
    if (!integers || section.left() != 0 || count == 0)
      return damaged(section, " has ", section.size(), " bytes; it must have ",
                     count * std::int64_t{sizeof(std::int32_t)}, ", and at least 4");
    if (const chorale_status status = set(integers))
      return report_.fail(status, "section ", section.name(), ": ",
                          std::string_view(inner_.message));
    return CHORALE_OK;
  };
  CHORALE_CHECK(read(file::kGold, model_->label_count, [&](const std::int32_t *gold) {
    return chorale_problem_set_gold(problem_, gold, &inner_);
  }));
  CHORALE_CHECK(read(file::kCliqueKinds, clique_count_, [&](const std::int32_t *kinds) {
    return chorale_problem_set_cliques(problem_, kinds, nullptr, &inner_);
  }));
  return read(file::kCliqueValues, clique_count_, [&](const std::int32_t *values) {
    return chorale_problem_set_cliques(problem_, nullptr, values, &inner_);
  });
}

chorale_status ProblemReader::read_notes() noexcept {
  struct Lengths {
    std::uint64_t name;
    std::uint64_t text;
  };
  Section section = container_.section(file::kNotes);
  if (!section.exists())
    return CHORALE_OK;
  const Lengths *lengths = nullptr;
  std::int64_t count = 0;
  CHORALE_CHECK(take_records(section, lengths, count));
  if (count == 0)
    return damaged(section, " is empty");
  for (std::int64_t k = 0; k < count; ++k) {
    const char *name = section.take<char>(lengths[k].name);
    const char *text = name ? section.take<char>(lengths[k].text) : nullptr;
    if (!text)
      return too_short(section, "note", k);
    CHORALE_CHECK(relay(
        section, "note", k,
        chorale_problem_set_note(problem_, {name, static_cast<std::size_t>(lengths[k].name)},
                                 {text, static_cast<std::size_t>(lengths[k].text)}, &inner_)));
    if (chorale_problem_note_count(problem_) != k + 1)
      return damaged(section, ", note ", k, " is empty, or has the name of another");
  }
  return close(section);
}

} // namespace chorale
