// Messages and decoding under several properties, on chains and trees: roles, budgets, modes.
#pragma once

#include "chain/attachments.hpp"
#include "chain/joint_chain.hpp"
#include "chain/joint_tree.hpp"
#include "chain/single_bounded.hpp"
#include "chain/single_chain.hpp"

#include <chorale/message.h>

#include <optional>

namespace chorale {

struct JointOptions {
  chorale_joint_mode mode;
  std::int32_t beam_width;
  std::int32_t budget;
  // Absorption with more configurations than the budget: true: overflow; false: a beam keeps the
  // best.
  bool is_strict = true;
  // Runs may use JointReach, whose messages are upper bounds in entries too low to matter.
  bool may_reach = false;
};

// Bounds of a computation, known from sizes alone.
struct JointPlan {
  std::int64_t most = 1;  // upper bound on the number of configurations
  std::int32_t width = 1; // greatest number of configurations kept at a position
  KeyLayout keys;
  KeyLayout firing_keys; // trees: keys of the values that the properties fire at one position
};

struct JointSummary {
  JointOutcome outcome;
  bool exact = false;
  double score = kForbidden; // best score; for messages, the greatest of all messages
  double lost = 0;           // sums of chains: see JointChain::lost()
};

class Joint {
public:
  // `shared`: tables of the attachments, which several programs may use in turn; or NULL.
  Joint(Layout &layout, const ChainView &view, const Attachments &attachments,
        const JointOptions &options, JointUse use, BoundTables *shared = nullptr) noexcept;

  // False if the codes of all properties do not fit into a key.
  bool fits() const noexcept { return plan_.keys.fits() && plan_.firing_keys.fits(); }
  // Loads scores and binds properties. Must precede the functions below. If `limits` (NULL: none)
  // end any of them, its results are undefined and the best score is minus infinity.
  void prepare(Limits *limits = nullptr) noexcept;
  // Computes messages. outgoing[k]: receives the R_k + 2 entries for property k; or NULL.
  void send(double *const *outgoing, JointSummary &summary) noexcept;
  // Decodes. `labelling` holds the result if summary.score is above minus infinity.
  void decode(JointSummary &summary) noexcept;
  // For chains, not trees: writes T rows of max-marginals. If the beam dropped configurations
  // (summary.outcome.pruned), labels that no kept configuration allows get minus infinity.
  void marginals(double *to, std::ptrdiff_t row_stride, JointSummary &summary) noexcept;
  // Log-sums over all labellings, messages included; the number of configurations must not exceed
  // the budget (summary.outcome.overflow). In mode BEAM, chains only, configurations beyond the
  // width are left out instead, see JointChain::marginals(). For chains: writes T rows, entry y of
  // row t the log-sum of the labellings with label y at t, but for a number that is the same for
  // the whole row.
  void sums(const LogSums &sums, double *to, std::ptrdiff_t row_stride,
            JointSummary &summary) noexcept;
  // For trees: sets summary.score to the log-sum of all labellings.
  void sum(const LogSums &sums, JointSummary &summary) noexcept;

  Scores &scores() noexcept { return scores_; }
  std::int32_t *labelling = nullptr; // T: best labelling; only for decoding

private:
  JointPlan plan() const noexcept;
  void assign(std::int32_t outgoing) noexcept;
  // Assigns the roles for sums. An absorbed property that must fire then adds, at each firing, how
  // far the message of the value lies below the greatest of all values: a number that is added to
  // the whole message, such as the scores of the clique's other members, would count once for each
  // firing.
  void assign_for_sums() noexcept;
  // Runs the dynamic program once. `width` 0: the width of the plan.
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
  // A single property is never absorbed, except in sums: where decoding can use a beam, a sum
  // cannot.
  bool absorbs() const noexcept {
    return options_.mode == CHORALE_JOINT_ABSORPTION &&
           (attachments_.count > 1 || use_ == JointUse::sums);
  }
  // True if exceeding the budget is an overflow.
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
  double *lower_ = nullptr;       // scores attained by a narrow beam, see JointChain::run()
  std::int32_t *first_ = nullptr; // T: best labelling found before the full run
  std::optional<JointChain> chain_;
  std::optional<JointTree> tree_;
  std::optional<SingleChain> single_; // the message of one property alone
  std::optional<BoundedSingle> bounded_; // likewise
};

} // namespace chorale
