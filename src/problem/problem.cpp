#include "problem/problem.hpp"

#include "problem/checks.hpp"

#include <algorithm>
#include <cstring>

using namespace chorale;

namespace {

struct ListRule {
  std::string_view what;
  std::int64_t count;
  bool exact;
};

std::int64_t most_labels(const Model &model) noexcept {
  std::int32_t most = 0;
  for (const Chain &chain : model.chains)
    if (!chain.is_instance)
      most = std::max(most, chain.labels);
  return most;
}

bool names_values(chorale_text_list list) noexcept {
  return list == CHORALE_TEXTS_NONE || list == CHORALE_TEXTS_LABELS ||
         list == CHORALE_TEXTS_TOKENS || list >= CHORALE_TEXTS_VALUES;
}

bool is_of_notes(chorale_text_list list) noexcept {
  return list == CHORALE_TEXTS_NOTE_NAMES || list == CHORALE_TEXTS_NOTES;
}

// Returns text k of an array in which text k lies k * text_size bytes after the first text.
const chorale_text &text_at(const chorale_text *texts, std::size_t text_size,
                            std::int64_t k) noexcept {
  return *reinterpret_cast<const chorale_text *>(reinterpret_cast<const std::byte *>(texts) +
                                                 to_size(k) * text_size);
}

} // namespace

chorale_problem::~chorale_problem() {
  for (const TextList &list : lists)
    drop(list);
  for (const TextList &note : notes)
    drop(note);
  release(model);
  release(shared);
}

void chorale_problem::drop(const TextList &list) const noexcept {
  if (list.owned)
    memory.deallocate(list.owned, list.owned_bytes);
}

const TextList *chorale_problem::list(chorale_text_list id) const noexcept {
  const TextList *at =
      std::lower_bound(lists.begin(), lists.end(), id,
                       [](const TextList &a, chorale_text_list b) { return a.id < b; });
  return at != lists.end() && at->id == id ? at : nullptr;
}

std::int64_t chorale_problem::text_count(chorale_text_list id) const noexcept {
  if (is_of_notes(id))
    return notes.size();
  const TextList *found = list(id);
  return found ? found->count : 0;
}

chorale_text chorale_problem::text(chorale_text_list id, std::int64_t index) const noexcept {
  if (index < 0 || index >= text_count(id))
    return {};
  return is_of_notes(id) ? notes[index].text(id == CHORALE_TEXTS_NOTES) : list(id)->text(index);
}

std::int64_t chorale_problem::value_lists() const noexcept {
  const chorale_text_list last = lists.empty() ? 0 : (lists.end() - 1)->id;
  return last < CHORALE_TEXTS_VALUES ? 0 : last - CHORALE_TEXTS_VALUES + 1;
}

bool chorale_problem::lend_list(const TextList &list) noexcept {
  if (!lists.reserve(lists.size() + 1))
    return false;
  TextList *at = std::lower_bound(lists.begin(), lists.end(), list.id,
                                  [](const TextList &a, chorale_text_list b) { return a.id < b; });
  if (at != lists.end() && at->id == list.id) {
    drop(*at);
    *at = list;
  } else {
    const std::int64_t index = at - lists.begin();
    lists.push(list);
    std::rotate(lists.begin() + index, lists.end() - 1, lists.end());
  }
  return true;
}

bool chorale_problem::make_list(chorale_text_list id, const chorale_text *texts,
                                std::size_t text_size, std::int64_t count,
                                TextList &made) const noexcept {
  std::size_t length = 0;
  for (std::int64_t k = 0; k < count; ++k)
    length = saturating_sum(length, text_at(texts, text_size, k).length);
  const std::size_t head =
      saturating_product(to_size(count + 1), sizeof(std::uint64_t));
  made = {id, count, nullptr, nullptr, nullptr, saturating_sum(head, length)};
  if (made.owned_bytes == SIZE_MAX)
    return false;
  made.owned = static_cast<std::byte *>(memory.allocate(made.owned_bytes));
  if (!made.owned)
    return false;
  auto *offsets = reinterpret_cast<std::uint64_t *>(made.owned);
  char *to = reinterpret_cast<char *>(made.owned + head);
  made.offsets = offsets;
  made.bytes = to;
  std::uint64_t at = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    offsets[k] = at;
    const chorale_text text = text_at(texts, text_size, k);
    if (text.length > 0)
      std::memcpy(to + at, text.bytes, text.length);
    at += text.length;
  }
  offsets[count] = at;
  return true;
}

bool chorale_problem::copy_list(chorale_text_list id, const chorale_text *texts,
                                std::size_t text_size, std::int64_t count) noexcept {
  if (count == 0 && id < CHORALE_TEXTS_VALUES) {
    if (const TextList *old = list(id))
      remove(lists, old - lists.begin());
    return true;
  }
  TextList made;
  if (!make_list(id, texts, text_size, count, made))
    return false;
  if (lend_list(made))
    return true;
  drop(made);
  return false;
}

void chorale_problem::remove(Array<TextList> &from, std::int64_t index) noexcept {
  drop(from[index]);
  std::rotate(from.begin() + index, from.begin() + index + 1, from.end());
  from.truncate(from.size() - 1);
}

std::int64_t chorale_problem::find_note(chorale_text name) const noexcept {
  for (std::int64_t k = 0; k < notes.size(); ++k)
    if (const chorale_text own = notes[k].text(0);
        own.length == name.length && std::memcmp(own.bytes, name.bytes, name.length) == 0)
      return k;
  return -1;
}

bool chorale_problem::copy_note(chorale_text name, chorale_text text) noexcept {
  const std::int64_t index = find_note(name);
  if (text.length == 0) {
    if (index >= 0)
      remove(notes, index);
    return true;
  }
  const chorale_text both[] = {name, text};
  TextList made;
  if (!notes.reserve(notes.size() + 1) ||
      !make_list(CHORALE_TEXTS_NOTES, both, sizeof *both, 2, made))
    return false;
  if (index >= 0) {
    drop(notes[index]);
    notes[index] = made;
  } else {
    notes.push(made);
  }
  return true;
}

// ---- Setters for callers and the reader of files -----------------------------------------------

chorale_status chorale_problem::check_list(const Report &report, chorale_text_list list,
                                           std::int64_t count) const noexcept {
  CHORALE_CHECK(check_size(report, "count", count, 0));
  if (list >= CHORALE_TEXTS_VALUES) {
    const std::int64_t next = CHORALE_TEXTS_VALUES + value_lists();
    if (list > next)
      return report.fail(CHORALE_ERROR_UNKNOWN_CONSTANT, "list is ", list,
                         "; it must be a CHORALE_TEXTS_ constant, or at most ", next,
                         ", the next new list of value names");
    return CHORALE_OK;
  }
  ListRule rule{"", 0, false};
  switch (list) {
  case CHORALE_TEXTS_LABELS:
    rule = {"the labels of every chain", most_labels(*model), false};
    break;
  case CHORALE_TEXTS_TOKENS:
  case CHORALE_TEXTS_GROUPS:
  case CHORALE_TEXTS_KINDS:
    return CHORALE_OK;
  case CHORALE_TEXTS_WORDS:
  case CHORALE_TEXTS_SPACES:
    rule = {"the positions of all chains", model->label_count, true};
    break;
  case CHORALE_TEXTS_CHAINS:
    rule = {"the chains", model->chains.size(), true};
    break;
  case CHORALE_TEXTS_CLIQUES:
    rule = {"the cliques", model->cliques.size(), true};
    break;
  case CHORALE_TEXTS_NOTE_NAMES:
  case CHORALE_TEXTS_NOTES:
    return report.fail(CHORALE_ERROR_KIND, "list is ", list,
                       ", a list of notes; chorale_problem_set_note sets them one by one");
  default:
    return report.unknown_constant("list", list, "a CHORALE_TEXTS_ constant");
  }
  if (count != 0 && (rule.exact ? count != rule.count : count < rule.count))
    return report.fail(CHORALE_ERROR_SHAPE, "count is ", count, "; it must be ",
                       rule.exact ? "" : "at least ", rule.count, ", by ", rule.what, ", or 0");
  return CHORALE_OK;
}

chorale_status chorale_problem::set_texts(const Report &report, chorale_text_list list,
                                          const chorale_text *texts, std::size_t text_size,
                                          std::int64_t count) noexcept {
  CHORALE_CHECK(check_list(report, list, count));
  CHORALE_CHECK(check_array(report, texts, count, "texts"));
  for (std::int64_t k = 0; k < count; ++k)
    CHORALE_CHECK(check_text(report, text_at(texts, text_size, k), "texts[", k, "]"));
  return copy_list(list, texts, text_size, count) ? CHORALE_OK : report.out_of_memory();
}

chorale_status
chorale_problem::set_cliques(const Report &report, gsl::span<const std::int32_t> new_kinds,
                             gsl::span<const chorale_text_list> new_values) noexcept {
  const std::int64_t cliques = model->cliques.size();
  CHORALE_CHECK(check_entries(report, new_kinds.data(), cliques, -1, kAnyEntry, "kinds"));
  for (std::size_t c = 0; c < new_values.size(); ++c)
    if (!names_values(new_values[c]))
      return report.fail(
          CHORALE_ERROR_OUT_OF_RANGE, "values[", c, "] is ", new_values[c],
          "; it must be CHORALE_TEXTS_NONE, _LABELS, _TOKENS, or at least _VALUES");
  // Reserves memory for both arrays before either is changed.
  if ((new_kinds.data() && !kinds.reserve(cliques)) ||
      (new_values.data() && !values.reserve(cliques)))
    return report.out_of_memory();
  if (new_kinds.data())
    kinds.assign(new_kinds);
  if (new_values.data())
    values.assign(new_values);
  return CHORALE_OK;
}

chorale_status chorale_problem::set_gold(const Report &report,
                                         gsl::span<const std::int32_t> given) noexcept {
  if (!given.data()) {
    gold.truncate(0);
    return CHORALE_OK;
  }
  const Model &of = *model;
  const std::int32_t *at = given.data();
  for (std::int64_t i = 0; i < of.chains.size(); ++i)
    for (std::int32_t t = 0; t < of.chains[i].length; ++t, ++at)
      if (*at < -1 || *at >= of.chains[i].labels)
        return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "gold[", at - given.data(), "], position ", t,
                           " of chain ", i, ", is ", *at, "; it must be from -1 to ",
                           of.chains[i].labels - 1);
  return gold.assign(given) ? CHORALE_OK : report.out_of_memory();
}

chorale_status chorale_problem::set_note(const Report &report, chorale_text name,
                                         chorale_text text) noexcept {
  if (name.length == 0)
    return report.fail(CHORALE_ERROR_SIZE, "name_length is 0; it must be at least 1");
  CHORALE_CHECK(check_text(report, name, "name"));
  CHORALE_CHECK(check_text(report, text, "text"));
  return copy_note(name, text) ? CHORALE_OK : report.out_of_memory();
}
