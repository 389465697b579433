#include "problem/reader.hpp"

#include "problem/checks.hpp"

#include <algorithm>
#include <utility>

namespace chorale {

ProblemReader::ProblemReader(const Report &report, const Memory &memory, const Log &log,
                             const SharedBytes &shared) noexcept
    : report_(report), memory_(memory), log_(log), shared_(shared), transitions_(memory),
      properties_(memory), dictionaries_(memory), potentials_(memory) {
}

ProblemReader::~ProblemReader() {
  destroy(problem_);
  release(model_);
  destroy(builder_);
}

chorale_status ProblemReader::read(Problem *&problem) noexcept {
  CHORALE_CHECK(container_.open(report_, shared_.data, shared_.size));
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
  const std::int64_t T = r.length;
  const std::int64_t m = r.labels;
  const auto numbers = [&](bool are_there, auto... counts) -> const void * {
    if (!are_there)
      return nullptr;
    return has(Record::kSingle) ? static_cast<const void *>(scores.take<float>(counts...))
                                : scores.take<double>(counts...);
  };
  const auto integers = [&](std::uint32_t flag) {
    return has(flag) ? scores.take<std::int32_t>(T) : nullptr;
  };
  chorale_chain chain{};
  chain.length = T;
  chain.labels = m;
  chain.element = has(Record::kSingle) ? CHORALE_FLOAT32 : CHORALE_FLOAT64;
  chain.transitions = r.transitions >= 0 ? transitions_.all[r.transitions] : nullptr;
  chain.edge_matrices = !has(Record::kEdges) ? 0 : has(Record::kEdgeEach) ? T - 1 : 1;
  chorale_chain_options options{};
  options.borrow = 1;
  options.group = r.group;
  chain.unary = numbers(true, T, m);
  chain.edges = numbers(has(Record::kEdges), chain.edge_matrices, m, m);
  chain.start = numbers(has(Record::kStart), m);
  chain.end = numbers(has(Record::kEnd), m);
  options.tokens = integers(Record::kTokens);
  chain.parents = integers(Record::kParents);
  chain.forced = integers(Record::kForced);
  chain.allowed = has(Record::kAllowed) ? scores.take<std::uint8_t>(T, m) : nullptr;
  scores.align(file::kAlign);
  if (!scores.fits())
    return wrong("section ", scores.name(), " is too short for its arrays");
  return builder_->add_chain(inner_, chain, options);
}

chorale_status ProblemReader::read_chains() noexcept {
  using Record = file::ChainRecord;
  Section scores = container_.section(file::kScores);
  const auto read = [&](Section &, const Record &r, std::int64_t) -> chorale_status {
    const bool each = (r.flags & Record::kEdgeEach) != 0;
    if ((r.flags & ~Record::kAll) != 0 || r.length < 0 || r.labels < 1 ||
        (each && ((r.flags & Record::kEdges) == 0 || r.length < 3)))
      return wrong(r.length, " positions, ", r.labels, " labels, flags ", r.flags,
                   " contradict each other");
    CHORALE_CHECK(check_number("transitions", r.transitions, transitions_.all.size(), -1));
    if (r.offset != scores.at())
      return wrong("its scores are said to be at ", r.offset, "; they follow those before, at ",
                   scores.at());
    return add_chain(r, scores);
  };
  CHORALE_CHECK(read_records(file::kChains, "chain", chains_, chain_count_, read));
  return close(scores);
}

chorale_status ProblemReader::read_cliques() noexcept {
  using Record = file::CliqueRecord;
  // The last map from labels to values that was read so far, the last such map of a centre
  // (model.h), and the last potentials of a centre. A flag of a clique says that it uses one of
  // these again; the section then has no array for it.
  struct Map {
    const std::int32_t *values = nullptr;
    std::int32_t labels = 0;
  } map, centre_map;
  Array<const Potential *> centres(memory_);
  const auto read = [&](Section &section, const Record &r, std::int64_t) -> chorale_status {
    const auto has = [&](std::uint32_t flag) { return (r.flags & flag) != 0; };
    const bool centred = r.centre_values != 0;
    const auto can_repeat = [&](std::uint32_t flag, const Map &last, std::int32_t labels) {
      return has(flag) && last.values && last.labels == labels;
    };
    if ((r.flags & ~Record::kAll) != 0 || r.zero != 0 || r.values < 1 || r.members < 0 ||
        r.centre_values < 0 || r.labels < 0 || r.centre_labels < 0 ||
        (r.property >= 0 && (centred || has(Record::kMap))) ||
        (r.property < 0 && r.dictionary >= 0) || centred != (r.potential == -1) ||
        has(Record::kMap) != (r.labels > 0) || has(Record::kCentreMap) != (r.centre_labels > 0) ||
        (has(Record::kSameMap) && !can_repeat(Record::kMap, map, r.labels)) ||
        (has(Record::kCentreMap) && !centred) ||
        (has(Record::kSameCentreMap) &&
         !can_repeat(Record::kCentreMap, centre_map, r.centre_labels)) ||
        (has(Record::kSameCentres) && (!centred || centres.size() != r.centre_values)))
      return wrong("flags ", r.flags, ", property ", r.property, ", dictionary ", r.dictionary,
                   ", potential ", r.potential, ", ", r.values, " values, ", r.labels, " labels, ",
                   r.centre_values, " centre values, ", r.centre_labels, " centre labels, ",
                   r.members, " members contradict each other");
    CHORALE_CHECK(check_number("property", r.property, properties_.all.size(), -1));
    CHORALE_CHECK(check_number("dictionary", r.dictionary, dictionaries_.all.size(), -1));
    CHORALE_CHECK(
        check_number("potential", r.potential, potentials_.all.size(), centred ? -1 : 0));
    const auto take_map = [&](std::uint32_t flag, std::uint32_t same, std::int32_t labels,
                              Map &last) -> const std::int32_t * {
      if (has(flag) && !has(same))
        last = {section.take<std::int32_t>(labels), labels};
      return has(flag) ? last.values : nullptr;
    };
    chorale_clique_setup setup{};
    setup.values = r.values;
    setup.property = r.property >= 0 ? properties_.all[r.property] : nullptr;
    setup.dictionary = r.dictionary >= 0 ? dictionaries_.all[r.dictionary] : nullptr;
    setup.potential = centred ? nullptr : potentials_.all[r.potential];
    setup.label_values = take_map(Record::kMap, Record::kSameMap, r.labels, map);
    setup.labels = r.labels;
    setup.centre_label_values =
        take_map(Record::kCentreMap, Record::kSameCentreMap, r.centre_labels, centre_map);
    setup.centre_labels = r.centre_labels;
    const auto *numbers = centred && !has(Record::kSameCentres)
                              ? section.take<std::int32_t>(r.centre_values)
                              : nullptr;
    if (!section.fits())
      return kTooShort;
    if (numbers && !centres.resize(r.centre_values))
      return inner_.out_of_memory();
    for (std::int32_t k = 0; numbers && k < r.centre_values; ++k) {
      CHORALE_CHECK(check_number("potential", numbers[k], potentials_.all.size(), 0));
      centres[k] = potentials_.all[numbers[k]];
    }
    setup.centre_potentials = centred ? centres.begin() : nullptr;
    setup.centre_values = r.centre_values;
    if (setup.property) {
      const std::int64_t values = setup.dictionary ? setup.dictionary->size()
                                                   : setup.property->values;
      if (values != r.values)
        return wrong(r.values, " values; its property has ", values);
    }
    return builder_->add_cliques(inner_, setup, 1);
  };
  return read_records(file::kCliques, "clique", cliques_, clique_count_, read);
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
  std::int64_t all = 0;
  std::int64_t wholes = 0; // members that are whole chains
  for (std::int64_t c = 0; c < clique_count_; ++c) {
    all += members_of(c);
    wholes += cliques_[c].property >= 0 ? members_of(c) : 0;
  }
  if (count != all)
    return damaged(section, " has ", count, " members; the cliques have ", all);
  if (whole_count != wholes)
    return damaged(attachments, " has ", whole_count, " records; ", wholes,
                   " members are whole chains");
  std::int64_t whole = 0;
  const auto add = [&](std::int64_t c, const file::MemberRecord &member,
                       bool is_last) -> chorale_status {
    if (cliques_[c].property < 0)
      return is_last && cliques_[c].centre_values != 0
                 ? builder_->set_centre(inner_, c, member.chain, member.position)
                 : builder_->add_position(inner_, c, member.chain, member.position);
    if (member.position != -1)
      return wrong("position ", member.position, " of chain ", member.chain, " in clique ", c,
                   ", which is over a property");
    CHORALE_CHECK(check_number("chain", member.chain, chain_count_, 0));
    const std::uint32_t has = flags[whole];
    const auto take = [&](std::uint32_t flag) {
      return (has & flag) != 0 ? attachments.take<std::int32_t>(chains_[member.chain].length)
                               : nullptr;
    };
    const std::int32_t *classes = take(file::AttachmentFlags::kClasses);
    const std::int32_t *table = take(file::AttachmentFlags::kTable);
    if ((has & ~file::AttachmentFlags::kAll) != 0 || !attachments.fits())
      return wrong("section ", attachments.name(), ", record ", whole, ": flags ", has,
                   attachments.fits() ? " are unknown"
                                      : "; the section is too short for its arrays");
    ++whole;
    return builder_->add_member(inner_, c, member.chain, classes, table, true);
  };
  for (std::int64_t c = 0, k = 0; c < clique_count_; ++c)
    for (std::int64_t i = 0; i < members_of(c); ++i, ++k)
      CHORALE_CHECK(
          relay(add(c, members[k], i == members_of(c) - 1), section, ", member ", k));
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
    count += members_of(c);
    most = std::max(most, cliques_[c].members);
  }
  const auto *given = section.take<std::int32_t>(count);
  if (!given || section.left() != 0)
    return damaged(section, " has ", section.size(), " bytes; it must have ",
                   count * std::int64_t{sizeof(std::int32_t)});
  if (std::all_of(given, given + count, [](std::int32_t weight) { return weight == 1; }))
    return damaged(section, " has no weight but 1; it must then not exist");
  Array<std::int64_t> weights(memory_);
  if (!weights.resize(most))
    return report_.out_of_memory();
  for (std::int64_t c = 0, first = 0; c < clique_count_; ++c) {
    const std::int32_t members = cliques_[c].members;
    std::copy_n(given, members, weights.begin());
    given += members;
    CHORALE_CHECK(
        relay(builder_->set_weights(inner_, c, first, span_of(weights.begin(), members)), section,
              ", clique ", c));
    first += members;
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
  using Record = file::TextsRecord;
  std::int64_t last = INT64_MIN;
  return read_records<Record>(
      file::kTexts, "record",
      [&](Section &section, const Record &r, std::int64_t) -> chorale_status {
        if (r.zero != 0 || r.count < 0 || (r.count == 0 && r.list < CHORALE_TEXTS_VALUES) ||
            r.list <= last)
          return wrong("list ", r.list, " of ", r.count, " texts is none, or out of order");
        last = r.list;
        CHORALE_CHECK(problem_->check_list(inner_, r.list, r.count));
        const auto *offsets = section.take<std::uint64_t>(std::int64_t{r.count} + 1);
        const char *bytes = section.take<char>(r.bytes);
        section.align(sizeof(std::uint64_t));
        if (!section.fits())
          return kTooShort;
        if (offsets[0] != 0 || offsets[r.count] != r.bytes)
          return wrong("its texts go from ", offsets[0], " to ", offsets[r.count],
                       "; they must go from 0 to ", r.bytes);
        for (std::int64_t t = 0; t < r.count; ++t)
          if (offsets[t] > offsets[t + 1])
            return wrong("text ", t, " ends at ", offsets[t + 1], ", before it begins at ",
                         offsets[t]);
        const TextList list{r.list, r.count, offsets, bytes, nullptr, 0};
        for (std::int64_t t = 0; t < r.count; ++t)
          CHORALE_CHECK(check_text(inner_, list.text(t), "text ", t));
        return problem_->lend_list(list) ? CHORALE_OK : inner_.out_of_memory();
      });
}

chorale_status ProblemReader::read_integers() noexcept {
  const auto read = [&](std::uint32_t id, std::int64_t count, auto &&set) -> chorale_status {
    Section section = container_.section(id);
    if (!section.exists())
      return CHORALE_OK;
    const auto *integers = section.take<std::int32_t>(count);
    if (!integers || section.left() != 0 || count == 0)
      return damaged(section, " has ", section.size(), " bytes; it must have ",
                     count * std::int64_t{sizeof(std::int32_t)}, ", and at least 4");
    return relay(set(span_of(integers, count)), section);
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
  using Record = file::NoteRecord;
  return read_records<Record>(
      file::kNotes, "note",
      [&](Section &section, const Record &r, std::int64_t k) -> chorale_status {
        const char *name = section.take<char>(r.name_length);
        const char *text = section.take<char>(r.text_length);
        if (!section.fits())
          return kTooShort;
        CHORALE_CHECK(problem_->set_note(inner_, {name, static_cast<std::size_t>(r.name_length)},
                                         {text, static_cast<std::size_t>(r.text_length)}));
        return problem_->notes.size() == k + 1 ? CHORALE_OK
                                               : wrong("is empty, or has the name of another");
      });
}

} // namespace chorale
