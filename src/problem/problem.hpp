// The public problem: a model and the names around it.
#pragma once

#include "base/shared_bytes.hpp"
#include "cluster/model.hpp"

#include <chorale/problem.h>

namespace chorale {

// Texts end to end, as they lie in a file: text k is bytes[offsets[k]] .. bytes[offsets[k + 1]].
struct TextList {
  chorale_text_list id;
  std::int64_t count;
  const std::uint64_t *offsets; // count + 1
  const char *bytes;
  std::byte *owned; // both of them, or NULL: in the bytes of a file
  std::size_t owned_bytes;

  chorale_text text(std::int64_t index) const noexcept {
    return {bytes + offsets[index], static_cast<std::size_t>(offsets[index + 1] - offsets[index])};
  }
  std::uint64_t byte_count() const noexcept { return offsets[count]; }
};

// A name and its text, end to end.
struct Note {
  char *owned;
  std::size_t name_length;
  std::size_t text_length;

  chorale_text name() const noexcept { return {owned, name_length}; }
  chorale_text text() const noexcept { return {owned + name_length, text_length}; }
};

} // namespace chorale

struct chorale_problem {
  chorale_problem(const chorale::Memory &from, const chorale::Model *of) noexcept
      : memory(from), model(chorale::retain(of)), lists(from), notes(from), kinds(from),
        values(from), gold(from) {}
  ~chorale_problem();
  chorale_problem(const chorale_problem &) = delete;
  chorale_problem &operator=(const chorale_problem &) = delete;

  const chorale::TextList *list(chorale_text_list id) const noexcept;
  // How many lists of value names there are; they are the last lists, without gaps.
  std::int64_t value_lists() const noexcept;
  // Replaces; the list of no texts goes unless it is one of value names. False: no memory, and
  // nothing changed.
  bool set_list(chorale_text_list id, const chorale_text *texts, std::int64_t count) noexcept;
  // The same with texts that lie in `shared`.
  bool lend_list(const chorale::TextList &list) noexcept;
  // Adds, replaces, or removes (no text). False: no memory, and nothing changed.
  bool set_note(chorale_text name, chorale_text text) noexcept;
  std::int64_t find_note(chorale_text name) const noexcept; // -1: none

  chorale::Memory memory;
  const chorale::Model *model;                  // a reference
  const chorale::SharedBytes *shared = nullptr; // likewise, of what lists may lie in
  chorale::Array<chorale::TextList> lists;      // ascending by id
  chorale::Array<chorale::Note> notes;
  chorale::Array<std::int32_t> kinds;  // by clique, or empty
  chorale::Array<std::int32_t> values; // likewise
  chorale::Array<std::int32_t> gold;   // by position, or empty

private:
  bool replace_list(const chorale::TextList &list) noexcept;
  void drop(const chorale::TextList &list) const noexcept;
  void drop(const chorale::Note &note) const noexcept;
};

namespace chorale {
using Problem = ::chorale_problem;
}
