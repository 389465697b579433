// The least size that a program may state, for each public struct that may grow and that the caller
// passes: the size of the struct in the first release that declared it. An entry here never
// changes, even when a field is appended to the struct, so that programs compiled with older
// headers continue to work (tests/ABI.md).
#pragma once

#include <chorale/experimental.h>

#include <cstddef>

namespace chorale {

template <class Struct> struct FirstSize; // does not compile for a struct without a line below

// Declares the size of a struct in its first release. bytes: this size with 64-bit pointers. last:
// the last field of the struct in that release, which gives the size where pointers have other
// sizes.
#define CHORALE_FIRST_SIZE(type, bytes, last)                                                      \
  template <> struct FirstSize<type> {                                                             \
    static constexpr std::size_t kBytes =                                                          \
        sizeof(void *) == 8 ? (bytes) : offsetof(type, last) + sizeof(type::last);                 \
    static_assert(kBytes == offsetof(type, last) + sizeof(type::last));                            \
  }
CHORALE_FIRST_SIZE(chorale_host, 32, log_user);
CHORALE_FIRST_SIZE(chorale_potential_options, 24, counted);
CHORALE_FIRST_SIZE(chorale_clique_problem, 48, fixed);
CHORALE_FIRST_SIZE(chorale_clique_options, 96, prove);
CHORALE_FIRST_SIZE(chorale_clique_result, 72, nodes);
CHORALE_FIRST_SIZE(chorale_transitions_options, 80, end_mask);
CHORALE_FIRST_SIZE(chorale_chain, 152, allowed_row_stride);
CHORALE_FIRST_SIZE(chorale_chain_result, 24, score);
CHORALE_FIRST_SIZE(chorale_automaton, 88, label_values);
CHORALE_FIRST_SIZE(chorale_label_map, 40, begins);
CHORALE_FIRST_SIZE(chorale_attachment, 48, message);
CHORALE_FIRST_SIZE(chorale_message_result, 56, message_score);
CHORALE_FIRST_SIZE(chorale_chain_options, 32, tokens);
CHORALE_FIRST_SIZE(chorale_instance, 48, decode);
CHORALE_FIRST_SIZE(chorale_clique_setup, 88, centre_labels);
CHORALE_FIRST_SIZE(chorale_members, 96, reserved);
CHORALE_FIRST_SIZE(chorale_corpus, 88, groups);
CHORALE_FIRST_SIZE(chorale_agreement, 96, members);
CHORALE_FIRST_SIZE(chorale_reason, 72, amount);
CHORALE_FIRST_SIZE(chorale_rule, 64, chain_count);
CHORALE_FIRST_SIZE(chorale_rules, 40, most_cost);
CHORALE_FIRST_SIZE(chorale_evidence, 56, right);
CHORALE_FIRST_SIZE(chorale_mentions, 96, told);
CHORALE_FIRST_SIZE(chorale_scored_pairs, 88, cancel);
CHORALE_FIRST_SIZE(chorale_partition_result, 40, outcome);
CHORALE_FIRST_SIZE(chorale_learn_options, 88, progress_user);
CHORALE_FIRST_SIZE(chorale_learnt_report, 240, changed_temperature);
CHORALE_FIRST_SIZE(chorale_run_options, 136, bound_steps);
CHORALE_FIRST_SIZE(chorale_run_cost, 48, clique_scores);
CHORALE_FIRST_SIZE(chorale_run_result, 136, clique_updates);
// Structs without a struct_size: the calls that use them take the size of an element as an
// argument.
CHORALE_FIRST_SIZE(chorale_left_out, 24, reserved);
CHORALE_FIRST_SIZE(chorale_ruled_chain, 32, gap);
CHORALE_FIRST_SIZE(chorale_rule_conflict, 24, reserved);
CHORALE_FIRST_SIZE(chorale_rule_reason, 48, cost);
CHORALE_FIRST_SIZE(chorale_settled_mention, 48, agreeing);
CHORALE_FIRST_SIZE(chorale_settled_key, 40, expected);
CHORALE_FIRST_SIZE(chorale_ledger_change, 16, told);
CHORALE_FIRST_SIZE(chorale_ledger_row, 32, told);
CHORALE_FIRST_SIZE(chorale_text, 16, length);
CHORALE_FIRST_SIZE(chorale_learnt_kind, 40, bonus);
#undef CHORALE_FIRST_SIZE

} // namespace chorale
