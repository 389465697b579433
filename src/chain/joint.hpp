// Messages, decoding, max-marginals and log-sums (log_sums.hpp) of one chain or tree under several
// properties: assigns the roles of the properties (bound_property.hpp), plans memory, and runs the
// dynamic programs.
//
// A configuration is the joint state of all properties after a partial labelling. The modes are
// those of chorale/message.h. In the mode ABSORPTION, all properties but the one whose message is
// computed are absorbed: an approximation with fewer configurations. In the mode BEAM only the best
// configurations are kept; in the mode AUTO too, if there are more than the budget. The mode EXACT
// absorbs no property and drops no configuration.
#pragma once

#include "chain/attachments.hpp"
#include "chain/joint_chain.hpp"
#include "chain/joint_tree.hpp"
#include "chain/single_chain.hpp"

#include <chorale/experimental/message.h>

#include <optional>

namespace chorale {

// Returns a size of the public interface, in which 0 means `by_default`, reduced to `limit`.
inline std::int32_t joint_size(std::int64_t given, std::int64_t by_default,
                               std::int64_t limit) noexcept {
  return static_cast<std::int32_t>(std::min(given == 0 ? by_default : given, limit));
}

struct JointOptions {
  chorale_joint_mode mode;
  std::int32_t beam_width;
  std::int32_t budget;
  // What happens in the mode ABSORPTION if there are more configurations than the budget. true: the
  // call reports an overflow; false: a beam keeps the best ones.
  bool is_strict = true;
  // True if a run may use JointReach (joint_reach.hpp) in the place of Joint. Its messages are
  // exact, except entries so far below the greatest one that no clique could prefer them: these are
  // replaced by upper bounds.
  bool may_reach = false;
};

// Sizes of a computation, computed without reading scores.
struct JointPlan {
  std::int64_t most = 1;  // upper bound on the number of configurations at a position
  std::int32_t width = 1; // greatest number of configurations kept at a position
  KeyLayout keys;
  KeyLayout firing_keys; // trees: keys of the values that the properties fire at one position
};

struct JointSummary {
  JointOutcome outcome;
  bool exact = false;
  double score = kForbidden; // best score; for messages, the greatest entry of all messages
  double lost = 0;           // for sums of chains: the result of JointChain::lost()
};

class Joint {
public:
  // `shared`: one BoundTables for each attached property, which several objects may use in turn;
  // NULL: the object has tables of its own.
  Joint(Layout &layout, const ChainView &view, const Attachments &attachments,
        const JointOptions &options, JointUse use, BoundTables *shared = nullptr) noexcept;

  // False if the codes of all properties do not fit into a key.
  bool fits() const noexcept { return plan_.keys.fits() && plan_.firing_keys.fits(); }
  // Loads the scores and prepares the properties (BoundProperty::bind()). Must be called before
  // send(), decode(), marginals(), sums() and sum(). If `limits` (NULL: none) interrupt such a
  // call, the best score is minus infinity and the other results are undefined.
  void prepare(Limits *limits = nullptr) noexcept;
  // Computes messages. outgoing[k] receives the message of property k; if it is NULL, this message
  // is not computed. The message has R_k + 2 entries: the best score for each of the R_k values of
  // the property, for EMPTY and for CONFLICT.
  void send(gsl::span<double *const> outgoing, JointSummary &summary) noexcept;
  // Finds the best labelling under all messages. `labelling` holds it if summary.score is above
  // minus infinity.
  void decode(JointSummary &summary) noexcept;
  // For chains, not trees: writes T rows of max-marginals. If the beam dropped configurations
  // (summary.outcome.pruned), labels that no kept configuration allows get minus infinity.
  void marginals(const Matrix<double> &to, JointSummary &summary) noexcept;
  // For chains: writes T rows of log-sums; entry y of row t is the log-sum of the scores, messages
  // included, of all labellings with label y at t, plus a number that is the same for the whole
  // row. Reports an overflow if there are more configurations than the budget; in the mode BEAM
  // leaves out the least probable ones instead (JointChain::marginals()).
  void sums(const LogSums &sums, const Matrix<double> &to, JointSummary &summary) noexcept;
  // For trees: sets summary.score to the log-sum of the scores, messages included, of all
  // labellings.
  void sum(const LogSums &sums, JointSummary &summary) noexcept;

  Scores &scores() noexcept { return scores_; }
  gsl::span<std::int32_t> labelling; // T: best labelling; only for decoding

private:
  JointPlan plan() const noexcept;
  void assign(std::int32_t outgoing) noexcept;
  // Assigns the roles for sums. In the role absorbed_required, a message score is added at each
  // firing. So a number that all entries of the message contain, such as the scores of the clique's
  // other members, would count once for each firing. To remove it, subtracts the greatest message
  // score of a value from the message score of each value.
  void assign_for_sums() noexcept;
  // Runs the dynamic program once and returns the best score. `to` receives the labelling. `width`:
  // 0 for the width of the plan. Other arguments: as in JointChain::run().
  double run(std::int32_t outgoing, gsl::span<double> message, gsl::span<const double> lower,
             gsl::span<std::int32_t> to, std::int32_t width, JointOutcome &outcome) noexcept;
  double run_bounded(std::int32_t outgoing, gsl::span<double> message, gsl::span<std::int32_t> to,
                     JointOutcome &outcome) noexcept;
  gsl::span<const BoundProperty> properties() const noexcept {
    return span_of(properties_, attachments_.count);
  }
  gsl::span<const KeyField> fields() const noexcept { return span_of(fields_, attachments_.count); }
  double value_of(gsl::span<const std::int32_t> labels) noexcept;
  bool is_interrupted() noexcept { return scores_.limits().interruption() != Interruption::none; }
  bool is_single_message() const noexcept {
    return use_ == JointUse::messages && attachments_.count == 1;
  }
  // True if properties are absorbed. If there is only one property, it is absorbed for sums alone:
  // its message is always exact, and decoding can use a beam.
  bool absorbs() const noexcept {
    return options_.mode == CHORALE_JOINT_ABSORPTION &&
           (attachments_.count > 1 || use_ == JointUse::sums);
  }
  // True if having more configurations than the budget is reported as an overflow.
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
  gsl::span<double> message_;
  gsl::span<double> lower_;       // scores that a narrow beam attained; full runs prune with them
  gsl::span<std::int32_t> first_; // T: best labelling found before the full run
  std::optional<JointChain> chain_;
  std::optional<JointTree> tree_;
  std::optional<SingleChain> single_; // the message of one property alone
};

} // namespace chorale
