#include "problem/problem.hpp"

#include <algorithm>
#include <cstring>

using namespace chorale;

chorale_problem::~chorale_problem() {
  for (const TextList &list : lists)
    drop(list);
  for (const Note &note : notes)
    drop(note);
  release(model);
  release(shared);
}

void chorale_problem::drop(const TextList &list) const noexcept {
  if (list.owned)
    memory.deallocate(list.owned, list.owned_bytes);
}

void chorale_problem::drop(const Note &note) const noexcept {
  memory.deallocate(note.owned, note.name_length + note.text_length);
}

const TextList *chorale_problem::list(chorale_text_list id) const noexcept {
  const TextList *at =
      std::lower_bound(lists.begin(), lists.end(), id,
                       [](const TextList &a, chorale_text_list b) { return a.id < b; });
  return at != lists.end() && at->id == id ? at : nullptr;
}

std::int64_t chorale_problem::value_lists() const noexcept {
  const chorale_text_list last = lists.empty() ? 0 : (lists.end() - 1)->id;
  return last < CHORALE_TEXTS_VALUES ? 0 : last - CHORALE_TEXTS_VALUES + 1;
}

bool chorale_problem::replace_list(const TextList &list) noexcept {
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

bool chorale_problem::set_list(chorale_text_list id, const chorale_text *texts,
                               std::int64_t count) noexcept {
  if (count == 0 && id < CHORALE_TEXTS_VALUES) {
    if (const TextList *old = list(id)) {
      drop(*old);
      const std::int64_t index = old - lists.begin();
      std::rotate(lists.begin() + index, lists.begin() + index + 1, lists.end());
      lists.truncate(lists.size() - 1);
    }
    return true;
  }
  std::size_t length = 0;
  for (std::int64_t k = 0; k < count; ++k)
    length = saturating_sum(length, texts[k].length);
  const std::size_t head =
      saturating_product(to_size(count + 1), sizeof(std::uint64_t));
  TextList made{id, count, nullptr, nullptr, nullptr, saturating_sum(head, length)};
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
    if (texts[k].length > 0)
      std::memcpy(to + at, texts[k].bytes, texts[k].length);
    at += texts[k].length;
  }
  offsets[count] = at;
  if (replace_list(made))
    return true;
  drop(made);
  return false;
}

bool chorale_problem::lend_list(const TextList &list) noexcept { return replace_list(list); }

std::int64_t chorale_problem::find_note(chorale_text name) const noexcept {
  for (std::int64_t k = 0; k < notes.size(); ++k)
    if (notes[k].name_length == name.length &&
        std::memcmp(notes[k].owned, name.bytes, name.length) == 0)
      return k;
  return -1;
}

bool chorale_problem::set_note(chorale_text name, chorale_text text) noexcept {
  const std::int64_t index = find_note(name);
  if (text.length == 0) {
    if (index >= 0) {
      drop(notes[index]);
      std::rotate(notes.begin() + index, notes.begin() + index + 1, notes.end());
      notes.truncate(notes.size() - 1);
    }
    return true;
  }
  const std::size_t bytes = saturating_sum(name.length, text.length);
  if (bytes == SIZE_MAX || !notes.reserve(notes.size() + 1))
    return false;
  auto *owned = static_cast<char *>(memory.allocate(bytes));
  if (!owned)
    return false;
  std::memcpy(owned, name.bytes, name.length);
  std::memcpy(owned + name.length, text.bytes, text.length);
  const Note made{owned, name.length, text.length};
  if (index >= 0) {
    drop(notes[index]);
    notes[index] = made;
  } else {
    notes.push(made);
  }
  return true;
}
