// Messages, decoding, max-marginals and log-sums (log_sums.hpp) of one chain or tree under several
// properties: assigns the roles of the properties (bound_property.hpp), plans memory, and runs the
// dynamic programs.
//
// A configuration is the joint state of all properties after a partial labelling. The modes are
// those of chorale/run.h (chorale_joint_mode). In the mode LOCAL_SCORES, all properties but the one
// whose message is computed have *local scores* (Role::local): an approximation with fewer
// configurations. In the mode BEAM only the best configurations are kept; in the mode AUTO too, if
// there are more than the *budget* (`max_states` of the public options). The mode EXACT uses no
// local scores and drops only partial labellings that cannot change the result.
#pragma once

#include "chain/attachments.hpp"
#include "chain/joint_chain.hpp"
#include "chain/joint_tree.hpp"
#include "chain/single_chain.hpp"

#include <chorale/experimental.h>

#include <optional>

namespace chorale {

struct JointOptions {
  chorale_joint_mode mode;
  std::int32_t beam_width;
  std::int32_t budget;
  // What happens in the mode LOCAL_SCORES if there are more configurations than the budget. true:
  // the call reports an overflow; false: a beam keeps the best ones. Sums always report one.
  bool is_strict = true;
  // True if a run may use Joint::reach(), whose messages are exact, except entries so far below the
  // greatest one that no clique could prefer them: these are replaced by upper bounds.
  bool may_reach = false;
};

// Sizes of a computation, computed without reading scores.
struct JointPlan {
  std::int64_t most = 1;  // upper bound on the number of configurations at a position
  std::int32_t width = 1; // greatest number of configurations kept at a position
};

struct JointSummary {
  JointOutcome outcome;
  bool exact = false; // the result is exact up to rounding; not set by Joint::marginals()
  // decode(): the best score. send(): the greatest entry of all messages. sum(): the log-sum.
  double score = kForbidden;
  double lost = 0; // for sums of chains: the result of JointChain::lost()
};

class Joint {
public:
  // `shared`: one BoundTables for each attached property, which several objects may use in turn;
  // NULL: the object has tables of its own.
  Joint(Layout &layout, const ChainView &view, const Attachments &attachments,
        const JointOptions &options, JointUse use, BoundTables *shared = nullptr) noexcept;

  // Loads the scores and prepares the properties (BoundProperty::bind()). Must be called before all
  // functions below. If `limits` (NULL: none) interrupt prepare() or one of those functions, its
  // results must not be used; the score of decode() and sum() is then minus infinity.
  void prepare(Limits *limits = nullptr) noexcept;
  // Computes messages. outgoing[k] receives the message of property k; if it is NULL, this message
  // is not computed. The message has R_k + 2 entries: the best score for each of the R_k values of
  // the property, for EMPTY and for CONFLICT. If a message needs more configurations than allowed
  // (summary.outcome.overflow), this and all later messages are not written.
  void send(gsl::span<double *const> outgoing, JointSummary &summary) noexcept;
  // Finds the best labelling under all messages. `labelling` holds it if summary.score is above
  // minus infinity.
  void decode(JointSummary &summary) noexcept;
  // For chains, not trees: writes T rows of max-marginals. If the beam dropped configurations
  // (summary.outcome.pruned), labels that no kept configuration allows get minus infinity, and
  // other entries may be too low. On an overflow (summary.outcome.overflow), `to` is not written.
  void marginals(const Matrix<double> &to, JointSummary &summary) noexcept;
  // For chains: writes T rows of log-sums; entry y of row t is the log-sum of the scores, messages
  // included, of all labellings with label y at t, plus a number that is the same for the whole
  // row. Reports an overflow if there are more configurations than the budget; in the mode BEAM
  // leaves out those with the least upper bounds instead (JointChain::marginals()).
  void sums(const LogSums &sums, const Matrix<double> &to, JointSummary &summary) noexcept;
  // For trees: sets summary.score to the log-sum of the scores, messages included, of all
  // labellings.
  void sum(const LogSums &sums, JointSummary &summary) noexcept;

  // ---- Messages of all properties, and decoding, in one pass (joint_reach.cpp) ----
  //
  // For runs, with JointUse::reach, on chains with positions and properties. The receiver of a
  // message adds numbers to the entries. It states the part of these numbers that it knows in
  // advance, the *steady* part, and the *reach*, the most by which the other part can differ
  // between two entries. So entry v cannot affect the receiver if
  //     message[v] + steady[v] < max over w of (message[w] + steady[w]) - reach.
  // In its place the message then has an upper bound, the number for which both sides are equal.
  // Partial labellings that can attain neither the best score nor an entry that may affect the
  // receiver are dropped. After prepare(), the caller calls guide(), then offer() any number of
  // times, then reach().

  // Writes to `labelling` the best labelling by the scores of the chain (with ChainView::added),
  // without messages of properties. Forgets earlier offers, and sets all steady parts to 0. False
  // if every labelling is forbidden or if interrupted.
  bool guide() noexcept;
  // entries() returns the number of entries of the message of property k, by local value; column()
  // the index of an entry in the clique's numbering (write_message()); steady() the steady parts of
  // the entries, which the caller may change between guide() and the first offer().
  std::int32_t entries(std::int32_t k) const noexcept { return properties_[k].entries(); }
  std::int32_t column(std::int32_t k, std::int32_t entry) const noexcept;
  gsl::span<double> steady(std::int32_t k) const noexcept {
    return steady_.row(k).first(to_size(entries(k)));
  }
  // Supplies a known labelling, whose score bounds the best score from below. `score`: its score,
  // with ChainView::added, but without messages of properties. `shown`: value of each property,
  // from Attached::evaluate(). True if the labelling is allowed, and its score with all messages is
  // at least that of all earlier offers. Ignores forbidden labellings.
  bool offer(gsl::span<const std::int32_t> labels, double score,
             gsl::span<const std::int32_t> shown) noexcept;
  // Returns the greatest score, including messages, of an offered labelling.
  double offered() const noexcept { return attained_[attachments_.count]; }
  // Computes best() and, if `reaches` is not empty, the messages. reaches[k]: the reach for the
  // message of property k; if it is infinite, all entries are exact. False if interrupted, if a
  // position has more configurations than plan_.width (which, in the use reach, does not depend on
  // the budget), or if there is no memory for all backpointers.
  bool reach(gsl::span<const double> reaches) noexcept;
  // Returns the greatest score, including messages; at least offered(). Minus infinity if every
  // labelling is forbidden.
  double best() const noexcept { return best_; }
  // Writes the message of property k that send() or reach() (with `reaches`) computed last: R + 2
  // entries, in the clique's numbering.
  void write_message(std::int32_t k, gsl::span<double> row) const noexcept;
  // After reach() with best() > offered(): writes the best labelling to `labelling`. False if there
  // are too many configurations or backpointers, if rounding errors dropped this labelling, or if
  // interrupted.
  bool trace() noexcept;

  Scores &scores() noexcept { return scores_; }
  gsl::span<std::int32_t> labelling; // T: best labelling; for the uses decoding and reach

private:
  void assign(std::int32_t outgoing) noexcept;
  // Assigns the roles for sums. In the role local_required, a message score is added at each
  // firing. So a number that all entries of the message contain, such as the scores of the clique's
  // other members, would count once for each firing. To remove it, subtracts the greatest message
  // score of a value from the message score of each value.
  void assign_for_sums() noexcept;
  // Runs the dynamic program once and returns the best score. `width`: the most configurations that
  // a position may have. `is_exact`: more are an overflow; otherwise a beam keeps the best `width`.
  double run(const JointTargets &targets, std::int32_t width, bool is_exact,
             JointOutcome &outcome) noexcept;
  double run_bounded(std::int32_t outgoing, JointOutcome &outcome) noexcept;
  gsl::span<const BoundProperty> properties() const noexcept {
    return span_of(properties_, attachments_.count);
  }
  double value_of(gsl::span<const std::int32_t> labels) noexcept;
  bool read_values(gsl::span<const std::int32_t> labels,
                   gsl::span<const std::int32_t> shown) noexcept;
  bool is_interrupted() noexcept { return scores_.limits().interruption() != Interruption::none; }
  bool is_single_message() const noexcept {
    return use_ == JointUse::messages && attachments_.count == 1;
  }
  bool has_messages() const noexcept {
    return use_ == JointUse::messages || use_ == JointUse::reach;
  }
  // True if properties have local scores, as the mode says. A single property has them only in
  // sums: its message is always computed exactly, and decoding can use a beam.
  bool is_local() const noexcept {
    return options_.mode == CHORALE_JOINT_LOCAL_SCORES &&
           (attachments_.count > 1 || use_ == JointUse::sums);
  }
  // True if having more configurations than the budget is reported as an overflow.
  bool may_overflow() const noexcept {
    return options_.mode == CHORALE_JOINT_EXACT || (is_local() && options_.is_strict);
  }

  ChainView view_;
  Attachments attachments_;
  JointOptions options_;
  JointUse use_;
  JointPlan plan_;
  Scores scores_;
  BoundProperty *properties_;
  // Row k belongs to property k, with an entry for each local value, EMPTY and CONFLICT: messages
  // computed, JointTargets::slack, and steady parts.
  Matrix<double> messages_;
  Matrix<double> slack_;
  Matrix<double> steady_;
  // For reach(), count + 1 entries: the greatest score of an offered labelling. Entry k: with the
  // steady part of property k in the place of its message; last entry: with all messages.
  double *attained_ = nullptr;
  std::int32_t *values_ = nullptr; // count: local value of each property on one labelling
  double best_ = kForbidden;
  double traced_ = kForbidden; // minus infinity: reach() has not decoded, so trace() must
  gsl::span<std::int32_t> first_; // T: best labelling that run_bounded() knows before its full run
  std::optional<JointChain> chain_;
  std::optional<JointTree> tree_;
  std::optional<SingleChain> single_; // the message of one property alone
};

} // namespace chorale
