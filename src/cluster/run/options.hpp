// Options of a run, and its failures.
#pragma once

#include "base/parallel.hpp"
#include "chain/joint.hpp"
#include "cluster/model/cliques.hpp"
#include "potential/potential.hpp"

#include <chorale/experimental.h>

namespace chorale {

// Reason why a computation of a run failed. Two failures are equal if their kinds are. Kinds:
// potential: the callback of a potential failed. instance_stopped: a callback of an instance returned
// non-zero. instance_value: such a callback gave a number, label or value that is not allowed.
// state_space: the joint states of a chain's properties exceed the budget. executor: the caller's
// executor did not run every step of a loop exactly once.
struct RunFailure {
  enum class Kind : std::int32_t {
    none,
    potential,
    instance_stopped,
    instance_value,
    state_space,
    executor
  };
  static const RunFailure none, executor;

  // The failure of the callback of a clique's potential.
  static RunFailure of(const CallbackFailure &failure, const Clique &clique) noexcept {
    if (failure == CallbackFailure::none)
      return {};
    return {Kind::potential, failure, clique.first_slot, -1};
  }
  // The failure of a chain (instance_stopped, instance_value or state_space).
  static RunFailure of(Kind kind, std::int32_t chain) noexcept { return {kind, {}, -1, chain}; }
  friend bool operator==(const RunFailure &one, const RunFailure &other) noexcept {
    return one.kind == other.kind;
  }

  Kind kind = Kind::none;
  CallbackFailure callback; // how the callback of a potential failed
  // Clique::first_slot of the clique of this potential; Model::place_cliques gives the clique's number.
  std::int32_t first_slot = -1;
  std::int32_t chain = -1; // -1: the failure is not that of a chain
};
inline constexpr RunFailure RunFailure::none{};
inline constexpr RunFailure RunFailure::executor{Kind::executor, {}, -1, -1};

// Options of clique inference.
struct CliqueSettings {
  chorale_algorithm algorithm = CHORALE_ALGORITHM_AUTO;
  bool exact_marginals = false;
  bool bounds = false; // true if the run computes upper bounds too
};

// chorale_run_options (chorale/run.h, which explains the options) after all checks, with the
// defaults filled in. time_limit has the form that Limits takes: negative is no limit, 0 is already
// over.
struct RunOptions {
  std::int64_t rounds = 10;
  double damping = 0;
  CliqueSettings clique;
  JointOptions joint{CHORALE_JOINT_AUTO, 300, 1024};
  bool polish = true;
  bool restrict_range = false;
  // AUTO: the run chooses one of the others (chorale_run::choose_messages).
  chorale_message_element messages = CHORALE_MESSAGES_AUTO;
  Executor executor;
  double time_limit = -1;
  const chorale_cancel *cancel = nullptr;
  chorale_progress_function progress = nullptr;
  void *progress_user = nullptr;
  std::int64_t bound_steps = 0;
  bool edits = false;
  double effort = 0;
  // If not NULL: the limits of a larger computation, of which the run is a step and which uses only
  // complete results of the run. They hold in place of time_limit and `cancel`. If NULL, round 0
  // decodes all chains whatever the limits, so that every call leaves labels.
  const Limits *within = nullptr;

  bool always_labels() const noexcept { return !within; }
};

} // namespace chorale
