// The mentions of a stream as rows, with the sums of evidence of each key. The label *told* of a row
// is the one that the caller last took over: that of add(), or later of take().
#pragma once

#include "table/settling.hpp"

namespace chorale {

class Ledger {
public:
  Ledger(const Memory &from, std::int64_t labels, const Evidence &evidence) noexcept
      : memory(from), labels_(labels), evidence_(evidence), rows_(from), key_(from), label_(from),
        confidence_(from), times_(from), keys_(from), scores_(from), scratch_(from), changed_(from) {}

  // Adds checked mentions, and writes their labels to `labels`, unless it is NULL. False, with
  // nothing changed, if memory runs out.
  bool add(const chorale_mentions &mentions, std::int32_t *labels) noexcept;

  // Finds the rows whose label is not the one told, in ascending order. A key without such rows is
  // dropped from the keys to look at until its label changes. False if memory runs out.
  bool changes(Array<chorale_ledger_change> &found) noexcept;
  // Marks the labels of `found`, the rows that changes() found, as told.
  void take(const Array<chorale_ledger_change> &found) noexcept;

  // Computes the sums and decisions of all keys anew, under other numbers.
  void refit(const Evidence &evidence) noexcept;

  chorale_ledger_row row(std::int64_t row) const noexcept;

  // All rows, as a table.
  chorale_mentions mentions() const noexcept;

  std::int64_t rows() const noexcept { return rows_.size(); }
  std::int64_t labels() const noexcept { return labels_; }
  std::int64_t keys() const noexcept { return keys_.size(); }
  const Evidence &evidence() const noexcept { return evidence_; }

  const Memory memory;

private:
  struct Row {
    std::int32_t told;
    std::int32_t next; // the row of the same key that came before; -1: none
  };
  struct Key {
    double total;
    std::int64_t n;
    std::int32_t last;   // its last row; -1: none
    std::int32_t scores; // index of its first entry in scores_, a linked list; -1: none
    std::int32_t label;  // of all its rows; -1: each has its own
    std::int32_t listed; // whether it is in changed_
  };
  struct Score {
    LabelScore of;
    std::int32_t next; // index of the next entry of the key; -1: none
  };

  void sum_up(std::int64_t row) noexcept;
  void decide_key(std::int32_t key) noexcept;
  std::int32_t label_of(std::int64_t row) const noexcept;

  std::int64_t labels_;
  Evidence evidence_;
  // By row: all arrays from key_ to times_ are columns of mentions().
  Array<Row> rows_;
  Array<std::int32_t> key_, label_;
  Array<double> confidence_;
  Array<std::int64_t> times_;
  Array<Key> keys_;
  Array<Score> scores_;
  Array<LabelScore> scratch_; // the scores of one key
  Array<std::int32_t> changed_; // keys that may have rows whose label is not the one told
};

} // namespace chorale
