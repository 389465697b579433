// Exported C functions of experimental/table.h.
#include "capi/firewall.hpp"
#include "table/ledger.hpp"

#include <chorale/experimental/table.h>

struct chorale_ledger : chorale::Ledger {
  using Ledger::Ledger;
};

namespace chorale {
namespace {

// Reads the numbers that the caller gives. `most` is 0 if they are to be found.
chorale_status read_evidence(const Report &report, const chorale_evidence *given,
                             chorale_evidence &to) noexcept {
  to = {};
  CHORALE_CHECK(read_struct(report, "evidence", given, to));
  return to.most == 0 ? CHORALE_OK : check_evidence(report, to);
}

Evidence numbers_of(const chorale_evidence &from) noexcept { return {from.most, from.once, from.per_mention}; }

// If `read` has no numbers, finds them, and writes them to `read` and, unless it is NULL, to
// `evidence`.
chorale_status find_evidence(const Report &report, SettledTable &settling, chorale_evidence &read,
                             chorale_evidence *evidence) noexcept {
  if (read.most != 0)
    return CHORALE_OK;
  if (!settling.find(read))
    return report.out_of_memory();
  write_struct(evidence, read);
  return CHORALE_OK;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_settle(const chorale_host *host, const chorale_mentions *mentions,
                              chorale_evidence *evidence, chorale_settled_mention *settled,
                              size_t settled_size, chorale_settled_key *keys, size_t keys_size,
                              chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    chorale_mentions given{};
    chorale_evidence read{};
    CHORALE_CHECK(take_struct(report, "mentions", mentions, given));
    CHORALE_CHECK(read_evidence(report, evidence, read));
    if (settled)
      CHORALE_CHECK(check_element_size<chorale_settled_mention>(report, "settled_size", settled_size));
    if (keys)
      CHORALE_CHECK(check_element_size<chorale_settled_key>(report, "keys_size", keys_size));
    CHORALE_CHECK(check_mentions(report, given));
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    SettledTable settling(Memory(&lent), given);
    if (!settling.prepare())
      return report.out_of_memory();
    CHORALE_CHECK(find_evidence(report, settling, read, evidence));
    settling.settle(numbers_of(read), settled, keys);
    if (settled)
      spread_elements(settled, settled_size, given.count);
    if (keys)
      spread_elements(keys, keys_size, given.keys);
    return CHORALE_OK;
  });
}

chorale_status chorale_ledger_create(const chorale_host *host, int64_t labels,
                                     const chorale_evidence *evidence, chorale_ledger **ledger,
                                     chorale_error *error) {
  return creating(error, host, "ledger", ledger, [&](const Report &report, const Memory &memory) {
    CHORALE_CHECK(check_size(report, "labels", labels));
    chorale_evidence read{};
    CHORALE_CHECK(take_struct(report, "evidence", evidence, read));
    CHORALE_CHECK(check_evidence(report, read));
    Draft<chorale_ledger> made;
    CHORALE_CHECK(create_in(report, memory, made, labels, numbers_of(read)));
    *ledger = made.release();
    return chorale_status{CHORALE_OK};
  });
}

void chorale_ledger_destroy(chorale_ledger *ledger) { destroy(ledger); }

chorale_status chorale_ledger_add(chorale_ledger *ledger, const chorale_mentions *mentions,
                                  int32_t *labels, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "ledger", ledger));
    chorale_mentions given{};
    CHORALE_CHECK(take_struct(report, "mentions", mentions, given));
    if (given.scores || given.gold || given.answers)
      return report.fail(CHORALE_ERROR_STATE, "mentions->", given.scores ? "scores"
                                                            : given.gold ? "gold"
                                                                         : "answers",
                         " is not NULL; a ledger takes labels with confidences");
    CHORALE_CHECK(check_mentions(report, given));
    if (given.labels != ledger->labels())
      return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "mentions->labels is ", given.labels,
                         "; it must be that of the ledger, ", ledger->labels());
    if (given.keys < ledger->keys())
      return report.fail(CHORALE_ERROR_SIZE, "mentions->keys is ", given.keys,
                         "; it must be at least that of the call before, ", ledger->keys());
    if (given.count > kLargestSize - ledger->rows())
      return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "mentions->count is ", given.count,
                         "; with those before there may be ", kLargestSize);
    return ledger->add(given, labels) ? CHORALE_OK : report.out_of_memory();
  });
}

chorale_status chorale_ledger_changes(chorale_ledger *ledger, int32_t take,
                                      chorale_ledger_change *changes, size_t change_size,
                                      int64_t capacity, int64_t *needed, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "ledger", ledger));
    CHORALE_CHECK(check_element_size<chorale_ledger_change>(report, "change_size", change_size));
    CHORALE_CHECK(check_index(report, "take", take, 2));
    Array<chorale_ledger_change> found(ledger->memory);
    if (!ledger->changes(found))
      return report.out_of_memory();
    return write_entries(report, "changes", changes, change_size, capacity, found.size(), needed,
                         [&](chorale_ledger_change *to) {
                           std::copy(found.begin(), found.end(), to);
                           if (take)
                             ledger->take(found);
                         });
  });
}

chorale_status chorale_ledger_refit(chorale_ledger *ledger, chorale_evidence *evidence,
                                    chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "ledger", ledger));
    chorale_evidence read{};
    CHORALE_CHECK(read_evidence(report, evidence, read));
    SettledTable settling(ledger->memory, ledger->mentions());
    if (read.most == 0 && !settling.prepare())
      return report.out_of_memory();
    CHORALE_CHECK(find_evidence(report, settling, read, evidence));
    ledger->refit(numbers_of(read));
    return CHORALE_OK;
  });
}

chorale_status chorale_ledger_rows(const chorale_ledger *ledger, chorale_ledger_row *rows,
                                   size_t row_size, int64_t capacity, int64_t *needed,
                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "ledger", ledger));
    CHORALE_CHECK(check_element_size<chorale_ledger_row>(report, "row_size", row_size));
    return write_entries(report, "rows", rows, row_size, capacity, ledger->rows(), needed,
                         [&](chorale_ledger_row *to) {
                           for (std::int64_t row = 0; row < ledger->rows(); ++row)
                             to[row] = ledger->row(row);
                         });
  });
}

chorale_status chorale_ledger_keys(const chorale_ledger *ledger, chorale_settled_key *keys,
                                   size_t keys_size, int64_t capacity, int64_t *needed,
                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "ledger", ledger));
    CHORALE_CHECK(check_element_size<chorale_settled_key>(report, "keys_size", keys_size));
    SettledTable settling(ledger->memory, ledger->mentions());
    if (!settling.prepare())
      return report.out_of_memory();
    return write_entries(report, "keys", keys, keys_size, capacity, ledger->keys(), needed,
                         [&](chorale_settled_key *to) {
                           settling.settle(ledger->evidence(), nullptr, to);
                         });
  });
}

} // extern "C"
