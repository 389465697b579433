// The public problem: a model with texts, gold labels and notes.
#pragma once

#include "base/shared_bytes.hpp"
#include "cluster/model/model.hpp"

#include <chorale/problem.h>

namespace chorale {

// A list of texts stored end to end, as in a file: text k consists of bytes[offsets[k]] ..
// bytes[offsets[k + 1] - 1].
struct TextList {
  chorale_text_list id;
  std::int64_t count;
  const std::uint64_t *offsets; // count + 1 entries
  const char *bytes;
  std::byte *owned; // memory of offsets and bytes; NULL if they lie in the bytes of a file
  std::size_t owned_bytes;

  chorale_text text(std::int64_t index) const noexcept {
    return {bytes + offsets[index], static_cast<std::size_t>(offsets[index + 1] - offsets[index])};
  }
  std::uint64_t byte_count() const noexcept { return offsets[count]; }
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
  // Return the number of texts of a list, and a text; the lists of notes are made of `notes`. If
  // there is no such text, its `bytes` are NULL.
  std::int64_t text_count(chorale_text_list id) const noexcept;
  chorale_text text(chorale_text_list id, std::int64_t index) const noexcept;
  // Returns the number of lists of value names; their ids start at CHORALE_TEXTS_VALUES.
  std::int64_t value_lists() const noexcept;
  std::int64_t find_note(chorale_text name) const noexcept; // returns its index, or -1

  // The setters check their arguments and change nothing if a check fails. Setting an empty list
  // removes the list; but a list of value names stays, as an empty list. Setting an empty note
  // removes the note.
  //
  // set_texts(): `texts` is an array of `count` texts; text k lies k * text_size bytes after the
  // first.
  chorale_status set_texts(const chorale::Report &report, chorale_text_list list,
                           const chorale_text *texts, std::size_t text_size,
                           std::int64_t count) noexcept;
  // Sets the kind of each clique, and the list that names its values. If `new_kinds` has no data,
  // the kinds stay as they are; if `new_values` has no data, the lists stay as they are.
  chorale_status set_cliques(const chorale::Report &report,
                             gsl::span<const std::int32_t> new_kinds,
                             gsl::span<const chorale_text_list> new_values) noexcept;
  // Sets the gold label of each position. If `given` has no data, removes all gold labels.
  chorale_status set_gold(const chorale::Report &report,
                          gsl::span<const std::int32_t> given) noexcept;
  chorale_status set_note(const chorale::Report &report, chorale_text name,
                          chorale_text text) noexcept;
  // Checks that `list` may be set, and that `count` texts fit the model: for instance one text for
  // each position. An empty list (count 0) always fits.
  chorale_status check_list(const chorale::Report &report, chorale_text_list list,
                            std::int64_t count) const noexcept;
  // Adds a checked list without copying its texts, and takes over the memory that it owns; replaces
  // a list with the same id. False, with nothing changed, if memory runs out.
  bool lend_list(const chorale::TextList &list) noexcept;

  chorale::Memory memory;
  const chorale::Model *model;                  // the problem holds one reference
  // The bytes of the file from which the problem was read, since lists may refer to them; the
  // problem holds one reference. NULL if the problem was not read from a file.
  const chorale::SharedBytes *shared = nullptr;
  chorale::Array<chorale::TextList> lists;      // ascending by id
  chorale::Array<chorale::TextList> notes;      // each has two texts: its name and its text
  // For each clique, its kind (`kinds`) and the list with the names of its values (`values`); for
  // each position of all chains, its gold label (`gold`). Each array is empty if it was not set.
  chorale::Array<std::int32_t> kinds;
  chorale::Array<std::int32_t> values;
  chorale::Array<std::int32_t> gold;

private:
  // Copies the texts of a list. False if memory runs out.
  bool make_list(chorale_text_list id, const chorale_text *texts, std::size_t text_size,
                 std::int64_t count, chorale::TextList &made) const noexcept;
  // Copies a list into the problem, or removes it as set_texts() does. False, with nothing changed,
  // if memory runs out.
  bool copy_list(chorale_text_list id, const chorale_text *texts, std::size_t text_size,
                 std::int64_t count) noexcept;
  bool copy_note(chorale_text name, chorale_text text) noexcept;
  // Removes an entry of `lists` or `notes`.
  void remove(chorale::Array<chorale::TextList> &from, std::int64_t index) noexcept;
  void drop(const chorale::TextList &list) const noexcept;
};

namespace chorale {
using Problem = ::chorale_problem;
}
