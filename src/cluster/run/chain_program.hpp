// Inference on one chain, tree or instance: finds its best labelling and computes its outgoing
// messages under the incoming rows of its slots. A slot belongs to one position, or to the whole
// chain (a property); all whole-chain slots come before the slots at positions. An instance is a
// chain for which callbacks of the caller do the inference. T is the length of the chain, m its
// number of labels. phi is the score of a labelling of the chain, without messages. The *row* of a
// slot has an entry for each column of the slot's clique (assignment.hpp), or for each value of the
// centre if the slot is the clique's centre.
//
// The messages of all positions come from one forward-backward pass; on a chain with properties
// this pass is over the configurations of the joint program (chain/joint.hpp), which hold the
// states of all properties. The joint pass gives no max-marginals for trees, for labels that a beam
// dropped, and if there are more configurations than the budget. Each missing max-marginal is then
// the score of a joint decode in which the label is forced. The budget is JointOptions::budget, a
// limit on the configurations at a position; chain/joint.hpp explains beam and local scores.
#pragma once

#include "base/limits.hpp"
#include "chain/joint.hpp"
#include "chain/programs.hpp"
#include "cluster/run/assignment.hpp"
#include "cluster/run/inputs.hpp"
#include "cluster/run/options.hpp"

namespace chorale {


class ChainProgram {
public:
  // set_room() must be called before all computations.
  ChainProgram(Layout &layout, const Model &model, const Inputs &inputs, std::int32_t chain,
               const JointOptions &joint) noexcept;
  // Returns how many bytes of scratch memory the dynamic programs need. set_room() supplies this
  // memory.
  std::size_t room_bytes() const noexcept;
  void set_room(std::byte *room) noexcept { room_ = room; }

  // Messages from and to the cliques: the rows of all slots, end to end.
  gsl::span<double> incoming;
  gsl::span<double> outgoing;
  // Return the row of slot s.
  gsl::span<double> incoming_row(std::int32_t s) const noexcept { return row_of(incoming, s); }
  gsl::span<double> outgoing_row(std::int32_t s) const noexcept { return row_of(outgoing, s); }
  std::int32_t slot_count() const noexcept { return chain_.slots; }
  const Slot &slot(std::int32_t s) const noexcept { return slots_.data()[s]; }
  const Clique &clique_of(std::int32_t s) const noexcept { return cliques_[s]; }
  // Returns where the row of slot s begins in an array of all message rows of the model.
  std::int64_t row_place(std::int32_t s) const noexcept {
    return cliques_[s].row(slot(s).member);
  }
  std::int32_t columns_of(std::int32_t s) const noexcept {
    return static_cast<std::int32_t>(row_begin_[s + 1] - row_begin_[s]);
  }

  // All functions below announce their work to `limits` (Limits::spend). If a limit ends a
  // function, it returns false, its results are undefined, and interrupted() is true until the next
  // call.
  bool interrupted() const noexcept { return interrupted_; }

  // Finds the best labelling under `incoming` and stores it in `labels`, `shown` and `score`. False
  // if there is none, or on failure. `known`: see decode_and_send().
  bool decode(Limits &limits, const Assignment *known = nullptr) noexcept;
  // As decode(), but without messages: first sets `incoming` to 0. The labelling found may show a
  // value that a dictionary lacks; its entry of `shown` is then -1.
  bool decode_own(Limits &limits) noexcept;
  // True if the chain, together with those of its cliques that have one member, is proven to forbid
  // every labelling. `labels` and `shown` must hold the best labelling without messages: if these
  // cliques allow that labelling, returns false without a search. May overwrite `incoming`,
  // `labels`, `shown` and `score`. False also on failure.
  bool is_shut_out(Limits &limits) noexcept;
  // Returns the first slot s for which the chain and the one-member cliques among the cliques of
  // slots 0 .. s are proven to forbid every labelling; -1 if there is none, on failure, or if
  // interrupted. May overwrite what is_shut_out() may overwrite.
  std::int32_t shutting_slot(Limits &limits) noexcept;
  // Fills `outgoing`: the row of a slot holds the max-marginals of its columns, without its own
  // incoming row. All entries are minus infinity if every labelling is forbidden. False on failure.
  bool send(Limits &limits) noexcept;
  // Does the work of decode() and send(), or with `own` that of decode_own() and send(), and shares
  // computations between the two. Returns what decode() or decode_own() would; if only send()
  // fails, this may be true, so the caller must look at `failure`. With `own`, `incoming` must be
  // 0. `known`: a labelling of the model with its scores, which saves computations; or NULL. If the
  // labels found equal those of `known`, `shown` may be left unwritten for slots at positions.
  // Entries of messages of whole-chain slots that can have no effect may be upper bounds
  // (set_reach()).
  bool decode_and_send(bool own, const Assignment *known, Limits &limits) noexcept;
  // Writes T x m max-marginals under `incoming` and T margins (the difference of the two greatest
  // max-marginals of a position). Either target may be empty. Not for instances. False on failure.
  bool marginals(const Matrix<double> &to, gsl::span<double> margins, Limits &limits) noexcept;
  // Writes T x m probabilities of the labels under `incoming` at a temperature. The probability of
  // a label is the sum of exp((phi + incoming entries) / temperature) over the labellings with this
  // label, divided by the sum over all labellings. `exact`: set to false if the joint states of the
  // properties exceed the budget, so that labellings were left out or properties have local scores.
  // Not for instances. False on failure or if every labelling is forbidden; `to` is then unchanged,
  // or undefined if the chain has no slots.
  bool probabilities(double temperature, const Matrix<double> &to, bool &exact,
                     Limits &limits) noexcept;
  // Writes to *value an upper bound on the maximum, over all labellings, of phi plus incoming
  // entries: minus infinity if every labelling is forbidden, plus infinity if the joint states
  // exceed the budget even under the first property alone. Stores the labelling that was decoded
  // for it, if any, in `labels`, `shown` and `score`. Uses neither beams nor local scores. False on
  // failure. `known`: see decode_and_send().
  bool bound(double *value, Limits &limits, const Assignment *known = nullptr) noexcept;

  gsl::span<std::int32_t> labels; // the labelling found last
  gsl::span<std::int32_t> shown;  // by slot: column that it shows, or -1
  double score = kForbidden;      // phi of `labels`, without messages
  RunFailure failure = RunFailure::none;

private:
  gsl::span<double> row_of(gsl::span<double> rows, std::int32_t s) const noexcept {
    return {rows.data() + row_begin_[s], to_size(columns_of(s))};
  }
  // Returns the T x m max-marginals in marginals_.
  Matrix<double> own_marginals() const noexcept {
    return {marginals_, chain_.length, chain_.labels, chain_.labels};
  }
  bool has_whole() const noexcept { return chain_.wholes() > 0; }
  bool has_positions() const noexcept { return chain_.slots > chain_.wholes(); }
  // Adds up the incoming rows of the slots at positions, except the row of slot `but` (-1: includes
  // all rows), and lets the view add these sums to the unary scores.
  void add_positions(std::int32_t but, Limits &limits) noexcept;
  // Sets interrupted_. Returns `done`, or false if the limits ended the computation.
  bool finish(bool done, const Limits &limits) noexcept {
    interrupted_ = limits.interruption() != Interruption::none;
    return done && !interrupted_;
  }
  // Returns the properties of the first `count` slots, which must all be whole-chain slots, with
  // their incoming rows as messages.
  Attachments attachments(std::int32_t count) const noexcept {
    return {read_attached, this, count};
  }
  Attachments attachments() const noexcept { return attachments(chain_.wholes()); }
  static Attached read_attached(const void *program, std::int32_t k) noexcept;
  // True if within_reach() may be used for this chain.
  bool reaches() const noexcept;
  void set_reach(std::int32_t k, const Joint &pass) noexcept;
  bool within_reach(bool decodes, bool sends, const Assignment *known, bool &found, double *value,
                    Limits &limits) noexcept;
  // Computes `shown` and `score` from `labels`. False if interrupted.
  bool show(Limits &limits) noexcept;
  bool decode_plain(Limits &limits) noexcept;
  bool decode_joint(const Attachments &of, const JointOptions &joint, double *value,
                    Limits &limits) noexcept;
  double bound_joint(const Assignment *known, Limits &limits) noexcept;
  // Returns the value of body() when label y alone is allowed at t; minus infinity if y is
  // forbidden there, or if interrupted.
  template <class Body>
  double with_forced(std::int32_t t, std::int32_t y, Limits &limits, Body &&body) noexcept;
  double forced_value(std::int32_t t, std::int32_t y, Limits &limits) noexcept;
  // sum_joint() and sum_joint_tree() write to marginals_, for each position and label (T x m), the
  // log-sum (chain/log_sums.hpp) of the scores, with messages, of the labellings with this label,
  // plus a number that is the same for all labels of the position. Return false if there are too
  // many configurations for the budget; sum_joint() also if the labellings left out may make up
  // more than a share of kMostLost of the sum over all labellings.
  bool sum_joint(const LogSums &sums, const JointOptions &joint, bool &exact,
                 Limits &limits) noexcept;
  bool sum_joint_tree(const LogSums &sums, const JointOptions &joint, Limits &limits) noexcept;
  void run_marginals(const Matrix<double> &to, gsl::span<double> margins, Limits &limits) noexcept;
  // Fills marginals_. Unless `all`, rows of positions without slots may be left undefined.
  void find_marginals(bool all, Limits &limits) noexcept;
  void find_joint_marginals(bool all, Limits &limits) noexcept;
  bool may_fire_outside() const noexcept;
  bool fill_alone(std::int32_t s, Limits &limits) noexcept;
  bool forbids_all(Limits &limits) noexcept;
  void send_whole(Limits &limits) noexcept;
  void write_positions(Limits &limits) noexcept;
  bool decode_instance() noexcept;
  void send_instance() noexcept;

  const Model *model_;
  const Inputs *inputs_;
  std::int32_t number_;
  Chain chain_;
  gsl::span<Slot> slots_; // empty while a Layout without memory only adds up sizes
  Clique *cliques_;       // by slot
  ChainView view_;
  JointOptions joint_;
  std::int64_t *row_begin_; // slots + 1 offsets: row s begins at entry row_begin_[s]
  double *added_ = nullptr; // T x m: sum of the incoming rows at each position; NULL if no slot is
                            // at a position
  double *marginals_ = nullptr; // T x m: max-marginals, or log-sums; NULL if the chain has no slots
  // By position, if there are properties: the label that is forced there, or -1.
  std::int32_t *forced_ = nullptr;
  BoundTables *bound_ = nullptr; // by property: its tables, shared by all joint programs
  double *reach_ = nullptr;      // by whole-chain slot: the reach of its clique (set_reach())
  // Where the outgoing row of a slot begins: in an instance for each slot, in a chain with
  // properties for each whole-chain slot. Otherwise NULL.
  double **outgoing_rows_ = nullptr;
  // In an instance, for each slot: where its incoming row begins, and the length of its incoming
  // and its outgoing row.
  const double **incoming_rows_ = nullptr;
  std::int64_t *widths_ = nullptr;
  std::byte *room_ = nullptr;
  bool interrupted_ = false;
};

} // namespace chorale
