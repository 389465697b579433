// The public problem: a model and the names around it.
#pragma once

#include "base/shared_bytes.hpp"
#include "cluster/model/model.hpp"

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
  std::int64_t find_note(chorale_text name) const noexcept; // -1: none

  // What follows is checked, and changes nothing where something is wrong. A list of no texts goes
  // unless it is one of value names; a note without text goes.
  chorale_status set_texts(const chorale::Report &report, chorale_text_list list,
                           const chorale_text *texts, std::int64_t count) noexcept;
  // By clique; NULL leaves what is there.
  chorale_status set_cliques(const chorale::Report &report, const std::int32_t *new_kinds,
                             const chorale_text_list *new_values) noexcept;
  // By position; NULL: none.
  chorale_status set_gold(const chorale::Report &report, const std::int32_t *given) noexcept;
  chorale_status set_note(const chorale::Report &report, chorale_text name,
                          chorale_text text) noexcept;
  // Whether the model can have a list of `count` texts.
  chorale_status check_list(const chorale::Report &report, chorale_text_list list,
                            std::int64_t count) const noexcept;
  // Takes a checked list whose texts lie in `shared`. False: no memory, and nothing changed.
  bool lend_list(const chorale::TextList &list) noexcept;

  chorale::Memory memory;
  const chorale::Model *model;                  // a reference
  const chorale::SharedBytes *shared = nullptr; // likewise, of what lists may lie in
  chorale::Array<chorale::TextList> lists;      // ascending by id
  chorale::Array<chorale::Note> notes;
  chorale::Array<std::int32_t> kinds;  // by clique, or empty
  chorale::Array<std::int32_t> values; // likewise
  chorale::Array<std::int32_t> gold;   // by position, or empty

private:
  // False: no memory, and nothing changed.
  bool copy_list(chorale_text_list id, const chorale_text *texts, std::int64_t count) noexcept;
  bool copy_note(chorale_text name, chorale_text text) noexcept;
  void drop(const chorale::TextList &list) const noexcept;
  void drop(const chorale::Note &note) const noexcept;
};

namespace chorale {
using Problem = ::chorale_problem;
}
