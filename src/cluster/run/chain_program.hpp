// What a run asks of one chain, tree or instance: decode it, and send its messages, under the rows
// of scores that its slots have received.
//
// Positions need one forward-backward for all of them: a plain one, or next to properties, one over
// the configurations of the joint program. What that cannot tell is found by forcing labels, one
// joint decode each: on trees, where a beam has lost a label, where the configurations without a
// bound on them exceed the budget.
#pragma once

#include "base/limits.hpp"
#include "chain/joint.hpp"
#include "chain/chain_walk.hpp"
#include "cluster/run/assignment.hpp"
#include "cluster/run/options.hpp"

namespace chorale {

class ChainProgram {
public:
  // `view`: of the chain's scores, the model's or those that a run reads in their place. set_room()
  // comes before anything is computed.
  ChainProgram(Layout &layout, const Model &model, std::int32_t chain, const ChainView &view,
               const JointOptions &joint) noexcept;
  // True if the codes of all properties fit into a key.
  bool fits() const noexcept;
  // Bytes of the room that the dynamic programs compute in.
  std::size_t room_bytes() const noexcept;
  void set_room(std::byte *room) noexcept { room_ = room; }

  // Rows of the chain's slots, one after the other, each as wide as its clique's columns.
  double *incoming;
  double *outgoing;
  std::int64_t row_entries = 0;
  const std::int64_t *row_begin() const noexcept { return row_begin_; } // slots + 1
  std::int32_t slot_count() const noexcept { return chain_.slots; }
  const Slot *slots() const noexcept { return slots_; }
  // The clique of slot s.
  const Clique &clique_of(std::int32_t s) const noexcept { return cliques_[s]; }
  RowPlace row_place(std::int32_t s) const noexcept {
    return cliques_[s].row_place(slots_[s].member);
  }
  std::int32_t columns_of(std::int32_t s) const noexcept {
    return static_cast<std::int32_t>(row_begin_[s + 1] - row_begin_[s]);
  }

  // Everything below spends its work on `limits`. A call that the limits end returns false, leaves
  // what it was to fill undefined, and interrupted() is true until the next call.
  bool interrupted() const noexcept { return interrupted_; }

  // Fills `labels`, `shown` and `score` with the best labelling under `incoming`. False where there
  // is none, or something failed.
  // `known`: as for decode_and_send.
  bool decode(Limits &limits, const Assignment *known = nullptr) noexcept;
  // The same without any messages, whatever properties show: -1 in `shown` stands for a value
  // outside a dictionary.
  bool decode_own(Limits &limits) noexcept;
  // Fills `outgoing`, each row leaving out its own incoming one; minus infinity throughout where
  // nothing is possible. False where something failed.
  bool send(Limits &limits) noexcept;
  // decode (with `own`, decode_own), then send, sharing what they can. Rows must be 0 for `own`.
  // `known` is a labelling of the model with its scores, or NULL; where this one is found again,
  // what positions show is not written.
  bool decode_and_send(bool own, const Assignment *known, Limits &limits) noexcept;
  // T x m max-marginals and T margins under `incoming`, either may be NULL; not for instances.
  // False where something failed.
  bool marginals(double *to, std::ptrdiff_t row_stride, double *margins, Limits &limits) noexcept;
  // No less than the greatest phi + incoming, in *value; `labels`, `shown` and `score` are those of
  // a labelling near it. Neither beams nor absorption are used. Minus infinity where there is none.
  // False where something failed.
  // `known`: as for decode_and_send.
  bool bound(double *value, Limits &limits, const Assignment *known = nullptr) noexcept;

  // Calls body(scores, walk) for a chain without properties: its scores and `incoming` together,
  // ready for walks. The walk lives as long as the call.
  template <class Body> void with_walk(Limits &limits, Body &&body) noexcept {
    add_positions(-1, limits);
    Layout layout(room_);
    Scores scores(layout, view_);
    ChainWalk walk(layout, view_);
    scores.load();
    body(scores, walk);
  }

  // Fills `shown` and `score` from `labels`.
  bool show(Limits &limits) noexcept;

  std::int32_t *labels;      // T
  std::int32_t *shown;       // what each slot shows
  double score = kForbidden; // phi of the labelling
  RunFailure failure = RunFailure::none;

private:
  bool has_whole() const noexcept { return chain_.wholes() > 0; }
  bool has_positions() const noexcept { return chain_.slots > chain_.wholes(); }
  // Adds the rows of all positions but slot `but` to the unary scores.
  void add_positions(std::int32_t but, Limits &limits) noexcept;
  // Notes whether the limits have ended the computation. Returns false if they have, else `done`.
  bool finish(bool done, const Limits &limits) noexcept {
    interrupted_ = limits.interruption() != Interruption::none;
    return done && !interrupted_;
  }
  // Of the first `count` slots, which are whole chains, with what each has received.
  Attachments attachments(std::int32_t count) const noexcept {
    return {read_attached, this, count};
  }
  Attachments attachments() const noexcept { return attachments(chain_.wholes()); }
  static Attached read_attached(const void *program, std::int32_t k) noexcept;
  bool reaches() const noexcept;
  bool within_reach(bool decodes, bool sends, const Assignment *known, bool &found, double *value,
                    Limits &limits) noexcept;
  bool show_in(Limits &limits) noexcept;
  bool decode_plain(Limits &limits) noexcept;
  bool decode_joint(const Attachments &of, const JointOptions &joint, double *value,
                    Limits &limits) noexcept;
  double bound_joint(const Assignment *known, Limits &limits) noexcept;
  double forced_value(std::int32_t t, std::int32_t y, Limits &limits) noexcept;
  void run_marginals(double *to, std::ptrdiff_t row_stride, double *margins,
                     Limits &limits) noexcept;
  // Max-marginals of all positions, or of those with slots alone, into marginals_.
  void find_marginals(bool all, Limits &limits) noexcept;
  void find_joint_marginals(bool all, Limits &limits) noexcept;
  void send_whole(Limits &limits) noexcept;
  void write_positions(Limits &limits) noexcept;
  bool decode_instance() noexcept;
  void send_instance() noexcept;

  const Model *model_;
  std::int32_t number_;
  Chain chain_;
  Slot *slots_; // NULL while measuring
  Clique *cliques_;
  ChainView view_;
  JointOptions joint_;
  std::int64_t *row_begin_;
  double *added_ = nullptr;        // T x m: of positions
  double *marginals_ = nullptr;    // T x m
  std::int32_t *forced_ = nullptr; // T: chains under properties
  BoundTables *bound_ = nullptr;   // by property; shared by all joint programs
  double **outgoing_rows_ = nullptr;
  double *reach_ = nullptr; // by whole-chain slot: how far below their best entries matter
  const double **incoming_rows_ = nullptr;
  std::int64_t *widths_ = nullptr;
  std::byte *room_ = nullptr;
  bool interrupted_ = false;
};

} // namespace chorale
