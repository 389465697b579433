// Messages and decoding under several properties, on chains and trees: roles, budgets, modes.
#pragma once

#include "chain/attachments.hpp"
#include "chain/joint_chain.hpp"
#include "chain/joint_tree.hpp"
#include "chain/single_chain.hpp"

#include <chorale/message.h>

#include <optional>

namespace chorale {

struct JointOptions {
  chorale_joint_mode mode;
  std::int32_t beam_width;
  std::int32_t budget;
  // Absorption: more configurations than the budget are an overflow; otherwise the best are kept.
  bool is_strict = true;
  // Messages may be upper bounds where they lie further below their best than what receives them
  // can use (joint_reach.hpp). Of runs; public messages are what the mode says.
  bool may_reach = false;
};

// Bounds of a computation, known from sizes alone.
struct JointPlan {
  std::int64_t most = 1;  // configurations there can be
  std::int32_t width = 1; // configurations kept at once
  KeyLayout keys;
  KeyLayout firing_keys; // trees: what fires at one position
};

struct JointSummary {
  JointOutcome outcome;
  bool exact = false;
  double score = kForbidden; // messages: the best of any
};

class Joint {
public:
  // `shared`: tables of the attachments, which programs one after the other may share; or NULL.
  Joint(Layout &layout, const ChainView &view, const Attachments &attachments,
        const JointOptions &options, JointUse use, BoundTables *shared = nullptr) noexcept;

  // False where the codes of so many properties do not fit into a key.
  bool fits() const noexcept { return plan_.keys.fits() && plan_.firing_keys.fits(); }
  // Loads scores and binds properties; then either of the others may follow. All go by the limits
  // (NULL: none): where these end one, nothing of what it leaves is of use, and the best score is
  // minus infinity.
  void prepare(Limits *limits = nullptr) noexcept;
  // outgoing[k]: R_k + 2 scores or NULL.
  void send(double *const *outgoing, JointSummary &summary) noexcept;
  // `labelling` holds the result if summary.score is above minus infinity.
  void decode(JointSummary &summary) noexcept;
  // Chains, not trees: max-marginals of all positions and labels, T rows. Labels that only dropped
  // configurations have get minus infinity; summary.outcome tells whether any were dropped.
  void marginals(double *to, std::ptrdiff_t row_stride, JointSummary &summary) noexcept;

  Scores &scores() noexcept { return scores_; }
  std::int32_t *labelling = nullptr; // T, decoding

private:
  JointPlan plan() const noexcept;
  void assign(std::int32_t outgoing) noexcept;
  // One dynamic program; `width` 0: that of the plan.
  double run(std::int32_t outgoing, double *message, const double *lower, std::int32_t *to,
             std::int32_t width, JointOutcome &outcome) noexcept;
  double run_bounded(std::int32_t outgoing, double *message, std::int32_t *to,
                     JointOutcome &outcome) noexcept;
  double value_of(const std::int32_t *labels) noexcept;
  bool is_interrupted() noexcept {
    return scores_.limits().interruption() != Interruption::none;
  }
  bool is_single_message() const noexcept {
    return use_ == JointUse::messages && attachments_.count == 1;
  }
  bool absorbs() const noexcept {
    return options_.mode == CHORALE_JOINT_ABSORPTION && attachments_.count > 1;
  }
  // Whether exceeding the budget is an overflow.
  bool may_overflow() const noexcept {
    return options_.mode == CHORALE_JOINT_EXACT || (absorbs() && options_.is_strict);
  }

  ChainView view_;
  Attachments attachments_;
  JointOptions options_;
  JointUse use_;
  JointPlan plan_;
  Scores scores_;
  BoundProperty *properties_;
  KeyField *fields_;
  double *message_ = nullptr;
  double *lower_ = nullptr;       // what a narrow beam attains
  std::int32_t *first_ = nullptr; // T: what it decodes
  std::optional<JointChain> chain_;
  std::optional<JointTree> tree_;
  std::optional<SingleChain> single_; // the message of one property alone
};

} // namespace chorale
