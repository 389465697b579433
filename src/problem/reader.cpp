#include "problem/reader.hpp"

#include "problem/checks.hpp"

#include <algorithm>
#include <utility>

namespace chorale {

ProblemReader::ProblemReader(const Report &report, const Memory &memory, const Log &log,
                             const SharedBytes &shared) noexcept
    : report_(report), memory_(memory), log_(log), shared_(shared), transitions_(memory),
      properties_(memory), dictionaries_(memory), potentials_(memory) {
  inner_.takes_from(memory);
}

ProblemReader::~ProblemReader() {
  if (problem_)
    Memory::destroy(problem_, memory_);
  release(model_);
  if (builder_)
    Memory::destroy(builder_, memory_);
}

chorale_status ProblemReader::read(Problem *&problem) noexcept {
  Damage damage;
  if (!container_.open(shared_.data, shared_.size, damage))
    return report_.fail(damage.status, std::string_view(damage.message));
  if (const chorale_status status = create_builder(inner_, memory_, log_, builder_))
    return report_.fail(status, std::string_view(inner_error_.message));
  CHORALE_CHECK(read_transitions());
  CHORALE_CHECK(read_properties());
  CHORALE_CHECK(read_dictionaries());
  CHORALE_CHECK(read_potentials());
  CHORALE_CHECK(read_chains());
  CHORALE_CHECK(read_cliques());
  CHORALE_CHECK(read_members());
  CHORALE_CHECK(read_weights());
  CHORALE_CHECK(freeze());
  CHORALE_CHECK(read_texts());
  CHORALE_CHECK(read_integers());
  CHORALE_CHECK(read_notes());
  problem = std::exchange(problem_, nullptr);
  return CHORALE_OK;
}

chorale_status ProblemReader::close(Section &section) const noexcept {
  if (section.left() != 0)
    return damaged(section, " has ", section.left(), " bytes more than its records tell of");
  return CHORALE_OK;
}

// ---- The model ----------------------------------------------------------------------------------

chorale_status ProblemReader::add_chain(const file::ChainRecord &r, Section &scores) noexcept {
  using Record = file::ChainRecord;
  const auto has = [&](std::uint32_t flag) { return (r.flags & flag) != 0; };
  const auto T = static_cast<std::uint64_t>(r.length);
  const auto m = static_cast<std::uint64_t>(r.labels);
  bool fits = true;
  const auto numbers = [&](std::uint64_t rows, std::uint64_t columns) -> const void * {
    const void *found = nullptr;
    if (rows <= scores.left() / columns)
      found = has(Record::kSingle) ? static_cast<const void *>(scores.take<float>(rows * columns))
                                   : scores.take<double>(rows * columns);
    fits = fits && found;
    return found;
  };
  const auto integers = [&]() {
    const auto *found = scores.take<std::int32_t>(T);
    fits = fits && found;
    return found;
  };
  chorale_chain chain{};
  chain.length = r.length;
  chain.labels = r.labels;
  chain.element = has(Record::kSingle) ? CHORALE_FLOAT32 : CHORALE_FLOAT64;
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
  chorale_chain_options options{};
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
  return builder_->add_chain(inner_, chain, options);
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
                     " labels, flags ", r.flags, " contradict each other");
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
  // The last map from labels to values, the last such map of a centre (model.h), and the last
  // potentials of a centre. A flag of a clique says that it uses one of these again; the section
  // then has no array for it.
  const std::int32_t *map = nullptr;
  const std::int32_t *centre_map = nullptr;
  std::int32_t map_labels = 0;
  std::int32_t centre_map_labels = 0;
  Array<const Potential *> centres(memory_);
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
                     r.centre_labels, " centre labels, ", r.members,
                     " members contradict each other");
    CHORALE_CHECK(
        check_number(section, "clique", c, "property", r.property, properties_.all.size(), -1));
    CHORALE_CHECK(check_number(section, "clique", c, "dictionary", r.dictionary,
                               dictionaries_.all.size(), -1));
    CHORALE_CHECK(check_number(section, "clique", c, "potential", r.potential,
                               potentials_.all.size(), centred ? -1 : 0));
    chorale_clique_setup setup{};
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
          return report_.out_of_memory();
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
      const std::int64_t values = setup.dictionary ? setup.dictionary->size()
                                                   : setup.property->values;
      if (values != r.values)
        return damaged(section, ", clique ", c, ": ", r.values, " values; its property has ",
                       values);
    }
    CHORALE_CHECK(relay(section, "clique", c, builder_->add_clique(inner_, setup)));
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
                            centre ? builder_->set_centre(inner_, c, member.chain, member.position)
                                   : builder_->add_position(inner_, c, member.chain,
                                                            member.position)));
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
      const std::int32_t *classes = nullptr;
      const std::int32_t *table = nullptr;
      bool fits = true;
      if ((has & file::AttachmentFlags::kClasses) != 0)
        fits = (classes = attachments.take<std::int32_t>(length)) != nullptr;
      if ((has & file::AttachmentFlags::kTable) != 0)
        fits = fits && (table = attachments.take<std::int32_t>(length)) != nullptr;
      if (!fits)
        return too_short(attachments, "record", whole - 1);
      CHORALE_CHECK(
          relay(section, "member", k,
                builder_->add_member(inner_, c, member.chain, classes, table, true)));
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

chorale_status ProblemReader::read_weights() noexcept {
  Section section = container_.section(file::kWeights);
  if (!section.exists())
    return CHORALE_OK;
  std::int64_t count = 0;
  std::int32_t most = 0;
  for (std::int64_t c = 0; c < clique_count_; ++c) {
    count += std::int64_t{cliques_[c].members} + (cliques_[c].centre_values != 0 ? 1 : 0);
    most = std::max(most, cliques_[c].members);
  }
  const auto *given = section.take<std::int32_t>(static_cast<std::uint64_t>(count));
  if (!given || section.left() != 0)
    return damaged(section, " has ", section.size(), " bytes; it must have ",
                   count * std::int64_t{sizeof(std::int32_t)});
  if (std::all_of(given, given + count, [](std::int32_t weight) { return weight == 1; }))
    return damaged(section, " has no weight but 1; it must then not exist");
  Array<std::int64_t> weights(memory_);
  if (!weights.resize(most))
    return report_.out_of_memory();
  for (std::int64_t c = 0; c < clique_count_; ++c) {
    const std::int32_t members = cliques_[c].members;
    std::copy_n(given, members, weights.begin());
    given += members;
    CHORALE_CHECK(relay(section, "clique", c,
                        builder_->set_weights(inner_, c, span_of(weights.begin(), members))));
    if (cliques_[c].centre_values != 0 && *given++ != 1)
      return damaged(section, ", clique ", c, ": its centre counts ", given[-1],
                     " times; it must count once");
  }
  return CHORALE_OK;
}

chorale_status ProblemReader::freeze() noexcept {
  if (const chorale_status status = builder_->freeze(inner_, model_))
    return report_.fail(status, std::string_view(inner_error_.message));
  model_->bytes_of = retain(&shared_);
  problem_ = memory_.create<Problem>(memory_, model_);
  if (!problem_)
    return report_.out_of_memory(sizeof(Problem));
  problem_->shared = retain(&shared_);
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
    CHORALE_CHECK(relay(section, "list", r.list, problem_->check_list(inner_, r.list, r.count)));
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
      CHORALE_CHECK(
          relay(section, "list", r.list, check_text(inner_, list.text(t), "text ", t)));
    if (!problem_->lend_list(list))
      return report_.out_of_memory();
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
    if (const chorale_status status = set(span_of(integers, count)))
      return report_.fail(status, "section ", section.name(), ": ",
                          std::string_view(inner_error_.message));
    return CHORALE_OK;
  };
  CHORALE_CHECK(read(file::kGold, model_->label_count, [&](gsl::span<const std::int32_t> gold) {
    return problem_->set_gold(inner_, gold);
  }));
  CHORALE_CHECK(read(file::kCliqueKinds, clique_count_, [&](gsl::span<const std::int32_t> kinds) {
    return problem_->set_cliques(inner_, kinds, {});
  }));
  return read(file::kCliqueValues, clique_count_, [&](gsl::span<const std::int32_t> values) {
    return problem_->set_cliques(inner_, {}, values);
  });
}

chorale_status ProblemReader::read_notes() noexcept {
  Section section = container_.section(file::kNotes);
  if (!section.exists())
    return CHORALE_OK;
  const file::NoteRecord *records = nullptr;
  std::int64_t count = 0;
  CHORALE_CHECK(take_records(section, records, count));
  if (count == 0)
    return damaged(section, " is empty");
  for (std::int64_t k = 0; k < count; ++k) {
    const file::NoteRecord &r = records[k];
    const char *name = section.take<char>(r.name_length);
    const char *text = name ? section.take<char>(r.text_length) : nullptr;
    if (!text)
      return too_short(section, "note", k);
    CHORALE_CHECK(
        relay(section, "note", k,
              problem_->set_note(inner_, {name, static_cast<std::size_t>(r.name_length)},
                                 {text, static_cast<std::size_t>(r.text_length)})));
    if (problem_->notes.size() != k + 1)
      return damaged(section, ", note ", k, " is empty, or has the name of another");
  }
  return close(section);
}

} // namespace chorale
