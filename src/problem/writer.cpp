#include "problem/writer.hpp"

namespace chorale {
namespace {

// Returns the number of edge matrices of a chain.
std::int64_t edge_matrices(const ChainView &view) noexcept {
  return !view.edges ? 0 : view.edge_each ? view.length - 1 : 1;
}

std::size_t scores_bytes(const Chain &chain) noexcept {
  const ChainView view = chain.view();
  const std::int64_t T = view.length;
  const std::int64_t m = view.labels;
  const std::int64_t numbers =
      T * m + edge_matrices(view) * m * m + ((view.start ? 1 : 0) + (view.end ? 1 : 0)) * m;
  const std::int64_t integers =
      ((chain.tokens ? 1 : 0) + (view.parents ? 1 : 0) + (view.forced ? 1 : 0)) * T;
  const std::int64_t bytes =
      numbers * (view.single ? 4 : 8) + integers * 4 + (view.allowed ? T * m : 0);
  return (static_cast<std::size_t>(bytes) + file::kAlign - 1) / file::kAlign * file::kAlign;
}

template <class Number>
void write_matrix(Output &out, const void *from, std::int64_t rows, std::int64_t columns,
                  std::ptrdiff_t row, std::ptrdiff_t column) noexcept {
  const auto *numbers = static_cast<const Number *>(from);
  if (column == 1 && row == columns) {
    out.put_array(numbers, rows * columns);
    return;
  }
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      out.put(numbers[r * row + c * column]);
}

template <class Number> void write_numbers(Output &out, const ChainView &view) noexcept {
  const std::int64_t m = view.labels;
  write_matrix<Number>(out, view.unary, view.length, m, view.unary_row, view.unary_column);
  for (std::int64_t e = 0; e < edge_matrices(view); ++e)
    write_matrix<Number>(out, static_cast<const Number *>(view.edges) + e * view.edge_matrix, m, m,
                         view.edge_from, view.edge_to);
  for (const void *ends : {view.start, view.end})
    if (ends)
      out.put_array(static_cast<const Number *>(ends), m);
}

std::uint32_t flags_of(const Chain &chain, const ChainView &view) noexcept {
  using Record = file::ChainRecord;
  return (view.single ? Record::kSingle : 0u) | (view.edges ? Record::kEdges : 0u) |
         (edge_matrices(view) > 1 ? Record::kEdgeEach : 0u) | (view.start ? Record::kStart : 0u) |
         (view.end ? Record::kEnd : 0u) | (chain.tokens ? Record::kTokens : 0u) |
         (view.parents ? Record::kParents : 0u) | (view.forced ? Record::kForced : 0u) |
         (view.allowed ? Record::kAllowed : 0u);
}

// True if two arrays are equal. NULL is equal only to NULL.
bool same(const std::int32_t *a, const std::int32_t *b, std::int64_t count) noexcept {
  return a == b || (a && b && std::equal(a, a + count, b));
}

// Returns the attachment flags of a member that is a whole chain. Arrays that the property does not
// read, and tables that are the chain's tokens, are not written.
std::uint32_t flags_of(const Model &model, const Slot &slot) noexcept {
  const WholeSlot &whole = model.wholes[slot.whole];
  const Property &property = *model.cliques[slot.clique].property();
  const bool own_table = whole.table && whole.table != model.chains[slot.chain].tokens;
  const bool reads_classes = property.position < 0 && property.token < 0;
  return (whole.classes && reads_classes ? file::AttachmentFlags::kClasses : 0u) |
         (own_table && property.reads_table() ? file::AttachmentFlags::kTable : 0u);
}

void put_count(Output &out, std::int64_t count) noexcept {
  out.put(static_cast<std::uint64_t>(count));
}

// Writes the number of things, the record of each, and then the arrays of each.
template <class Things, class Record, class Arrays>
void write_records(Output &out, const Things &things, Record &&record, Arrays &&arrays) noexcept {
  put_count(out, things.size());
  for (const auto &thing : things)
    out.put(record(thing));
  for (const auto &thing : things)
    arrays(thing);
}

} // namespace

ProblemWriter::ProblemWriter(const Problem &problem) noexcept
    : problem_(problem), model_(*problem.model), transitions_(problem.memory),
      properties_(problem.memory), dictionaries_(problem.memory), potentials_(problem.memory) {}

bool ProblemWriter::meet_potential(const Potential &potential) noexcept {
  const Potential &given = given_potential(potential);
  const Potential *base = scaled_from(given);
  return (!base || potentials_.meet(base)) && potentials_.meet(&given);
}

chorale_status ProblemWriter::prepare(const Report &report) noexcept {
  for (std::int64_t i = 0; i < model_.chains.size(); ++i) {
    const Chain &chain = model_.chains[i];
    if (chain.is_instance)
      return report.fail(CHORALE_ERROR_NOT_SAVABLE, "chain ", i,
                         " is an instance; no file can hold its callbacks");
    if (!transitions_.meet(chain.transitions))
      return report.out_of_memory();
  }
  for (std::int64_t c = 0; c < model_.cliques.size(); ++c) {
    const Clique &clique = model_.cliques[c];
    if (!properties_.meet(clique.property()) || !dictionaries_.meet(clique.dictionary()))
      return report.out_of_memory();
    for (std::int32_t k = 0; k < std::max(clique.centre_values(), 1); ++k) {
      if (clique.potential_at(k).callback)
        return report.fail(CHORALE_ERROR_NOT_SAVABLE, "the potential of clique ", c,
                           " is a callback, which no file can hold");
      if (!meet_potential(clique.potential_at(k)))
        return report.out_of_memory();
    }
  }
  sections_ = 0;
  each_section([&](std::uint32_t, auto &&) { ++sections_; });
  Output measured;
  write_all(measured);
  bytes_ = measured.bytes();
  return CHORALE_OK;
}

bool ProblemWriter::write(const Sink &sink) const noexcept {
  Output out(sink);
  write_all(out);
  return !out.failed() && out.bytes() == bytes_;
}

template <class Visit> void ProblemWriter::each_section(Visit &&visit) const noexcept {
  visit(file::kTransitions, [&](Output &out) {
    using Record = file::TransitionsRecord;
    write_records(
        out, transitions_.things(),
        [](const Transitions *t) {
          return Record{t->labels, (t->start ? Record::kStart : 0u) | (t->end ? Record::kEnd : 0u)};
        },
        [&](const Transitions *t) {
          write_matrix<double>(out, t->matrix, t->labels, t->labels, t->row_stride, 1);
          for (const double *ends : {t->start, t->end})
            if (ends)
              out.put_array(ends, t->labels);
        });
  });
  visit(file::kProperties, [&](Output &out) {
    write_records(
        out, properties_.things(), [](const Property *p) { return record_of(*p); },
        [&](const Property *p) { write_arrays(out, *p); });
  });
  visit(file::kDictionaries, [&](Output &out) {
    write_records(
        out, dictionaries_.things(),
        [](const Dictionary *d) { return file::DictionaryRecord{d->count, d->has_unlisted ? 1 : 0}; },
        [&](const Dictionary *d) { out.put_array(d->values, d->count); });
  });
  visit(file::kPotentials, [&](Output &out) {
    write_records(
        out, potentials_.things(),
        [&](const Potential *p) {
          const Potential *base = scaled_from(*p);
          return record_of(*p, base ? potentials_.of(base) : 0);
        },
        [&](const Potential *p) { write_arrays(out, *p); });
  });
  visit(file::kChains, [&](Output &out) { write_chains(out); });
  visit(file::kScores, [&](Output &out) { write_scores(out); });
  visit(file::kCliques, [&](Output &out) { write_cliques(out); });
  visit(file::kMembers, [&](Output &out) { write_members(out); });
  visit(file::kAttachments, [&](Output &out) { write_attachments(out); });
  if (!problem_.lists.empty())
    visit(file::kTexts, [&](Output &out) {
      write_records(
          out, problem_.lists,
          [](const TextList &list) {
            return file::TextsRecord{list.id, 0, list.count, list.byte_count()};
          },
          [&](const TextList &list) {
            out.put_array(list.offsets, list.count + 1);
            out.put_bytes(list.bytes, static_cast<std::size_t>(list.byte_count()));
            out.align(sizeof(std::uint64_t));
          });
    });
  for (const auto &[id, integers] : {std::pair{file::kGold, &problem_.gold},
                                     std::pair{file::kCliqueKinds, &problem_.kinds},
                                     std::pair{file::kCliqueValues, &problem_.values}})
    if (!integers->empty())
      visit(id, [integers = integers](Output &out) {
        out.put_array(integers->begin(), integers->size());
      });
  if (!problem_.notes.empty())
    visit(file::kNotes, [&](Output &out) {
      write_records(
          out, problem_.notes,
          [](const TextList &note) {
            return file::NoteRecord{note.text(0).length, note.text(1).length};
          },
          [&](const TextList &note) { out.put_bytes(note.bytes, note.byte_count()); });
    });
  bool weighted = false;
  for (const Clique &clique : model_.cliques)
    weighted = weighted || clique.weighted();
  if (weighted)
    visit(file::kWeights, [&](Output &out) { write_weights(out); });
}

void ProblemWriter::write_all(Output &out) const noexcept {
  out.begin(sections_);
  each_section([&](std::uint32_t id, auto &&write) {
    out.begin_section(id);
    write(out);
    out.end_section();
  });
  out.end();
}

void ProblemWriter::write_weights(Output &out) const noexcept {
  for (const Clique &clique : model_.cliques)
    for (std::int32_t i = 0; i < clique.all_members(); ++i)
      out.put(clique.weight(i));
}

void ProblemWriter::write_chains(Output &out) const noexcept {
  put_count(out, model_.chains.size());
  std::uint64_t offset = 0;
  for (std::int64_t i = 0; i < model_.chains.size(); ++i) {
    const Chain &chain = model_.chains[i];
    out.put(file::ChainRecord{chain.length, chain.labels, flags_of(chain, chain.view()),
                              transitions_.of(chain.transitions),
                              model_.groups.empty() ? 0 : model_.groups.wide(i), offset});
    offset += scores_bytes(chain);
  }
}

void ProblemWriter::write_scores(Output &out) const noexcept {
  for (const Chain &chain : model_.chains) {
    const ChainView view = chain.view();
    if (view.single)
      write_numbers<float>(out, view);
    else
      write_numbers<double>(out, view);
    for (const std::int32_t *integers : {chain.tokens, view.parents, view.forced})
      if (integers)
        out.put_array(integers, view.length);
    for (std::int32_t t = 0; view.allowed && t < view.length; ++t)
      for (std::int32_t y = 0; y < view.labels; ++y)
        out.put(static_cast<std::uint8_t>(view.allowed[t * view.allowed_row + y] != 0 ? 1 : 0));
    out.align(file::kAlign);
  }
}

void ProblemWriter::write_cliques(Output &out) const noexcept {
  using Record = file::CliqueRecord;
  put_count(out, model_.cliques.size());
  // Writes all records, then all arrays. A clique has up to three arrays: its map from labels to
  // values, the map from the labels of its centre to values, and the numbers of the potentials of
  // its centre (model.h). An array that equals the previous one of the same sort is not written; a
  // flag of the record then says so.
  for (const bool arrays : {false, true}) {
    const CliqueType *map = nullptr;
    const CliqueType *centre_map = nullptr;
    const CliqueType *centres = nullptr;
    for (const Clique &clique : model_.cliques) {
      const CliqueType &type = *clique.type;
      const bool same_map = type.map && map && map->map_labels == type.map_labels &&
                            same(map->map, type.map, type.map_labels);
      const bool same_centre_map =
          type.centre_map && centre_map &&
          centre_map->centre_map_labels == type.centre_map_labels &&
          same(centre_map->centre_map, type.centre_map, type.centre_map_labels);
      const auto same_centre = [&](std::int32_t k) {
        return &given_potential(*centres->centre[k]) == &given_potential(*type.centre[k]);
      };
      bool same_centres = type.centre && centres && centres->centre_values == type.centre_values;
      for (std::int32_t k = 0; same_centres && k < type.centre_values; ++k)
        same_centres = same_centre(k);
      if (!arrays) {
        Record record{};
        record.flags = (type.map ? Record::kMap : 0u) | (same_map ? Record::kSameMap : 0u) |
                       (type.centre_map ? Record::kCentreMap : 0u) |
                       (same_centre_map ? Record::kSameCentreMap : 0u) |
                       (same_centres ? Record::kSameCentres : 0u);
        record.property = properties_.of(type.property);
        record.dictionary = dictionaries_.of(type.dictionary);
        record.potential = type.centre ? -1 : potentials_.of(&given_potential(*type.potential));
        record.values = type.values;
        record.labels = type.map_labels;
        record.centre_values = type.centre_values;
        record.centre_labels = type.centre_map_labels;
        record.members = clique.members;
        out.put(record);
      } else {
        if (type.map && !same_map)
          out.put_array(type.map, type.map_labels);
        if (type.centre_map && !same_centre_map)
          out.put_array(type.centre_map, type.centre_map_labels);
        for (std::int32_t k = 0; type.centre && !same_centres && k < type.centre_values; ++k)
          out.put(potentials_.of(&given_potential(*type.centre[k])));
      }
      map = type.map ? &type : map;
      centre_map = type.centre_map ? &type : centre_map;
      centres = type.centre ? &type : centres;
    }
  }
}

void ProblemWriter::write_members(Output &out) const noexcept {
  put_count(out, model_.members.size());
  for (std::int32_t c = 0; c < model_.cliques.size(); ++c)
    for (std::int32_t i = 0; i < model_.cliques[c].all_members(); ++i) {
      const Slot slot = model_.member(c, i);
      out.put(file::MemberRecord{slot.chain, slot.position});
    }
}

void ProblemWriter::write_attachments(Output &out) const noexcept {
  const auto each = [&](auto &&visit) {
    for (std::int32_t c = 0; c < model_.cliques.size(); ++c)
      for (std::int32_t i = 0; model_.cliques[c].property() && i < model_.cliques[c].members; ++i)
        visit(model_.member(c, i));
  };
  put_count(out, model_.wholes.size());
  each([&](const Slot &slot) { out.put(flags_of(model_, slot)); });
  each([&](const Slot &slot) {
    const WholeSlot &whole = model_.wholes[slot.whole];
    const std::uint32_t flags = flags_of(model_, slot);
    const std::int32_t length = model_.chains[slot.chain].length;
    if ((flags & file::AttachmentFlags::kClasses) != 0)
      out.put_array(whole.classes, length);
    if ((flags & file::AttachmentFlags::kTable) != 0)
      out.put_array(whole.table, length);
  });
}

} // namespace chorale
