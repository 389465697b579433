// Options of a run, and its failures.
#pragma once

#include "base/parallel.hpp"
#include "chain/joint.hpp"
#include "cluster/model/cliques.hpp"
#include "cluster/run/message_store.hpp"
#include "potential/potential.hpp"

#include <chorale/experimental/run.h>

namespace chorale {

// Reason why a computation of a run failed. Two failures are equal if their kinds are.
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
  // The failure of a chain: of an instance, or by too many joint states.
  static RunFailure of(Kind kind, std::int32_t chain) noexcept { return {kind, {}, -1, chain}; }
  friend bool operator==(const RunFailure &one, const RunFailure &other) noexcept {
    return one.kind == other.kind;
  }

  Kind kind = Kind::none;
  CallbackFailure callback; // of a potential
  std::int32_t first_slot = -1; // of the clique (Model::place_cliques)
  std::int32_t chain = -1;
};
inline constexpr RunFailure RunFailure::none{};
inline constexpr RunFailure RunFailure::executor{Kind::executor, {}, -1, -1};

// Options of clique inference.
struct CliqueSettings {
  chorale_algorithm algorithm = CHORALE_ALGORITHM_AUTO;
  bool exact_marginals = false;
  bool bounds = false; // true if the run computes upper bounds too
};

// chorale_run_options after all checks.
struct RunOptions {
  std::int64_t rounds = 10;
  double damping = 0;
  CliqueSettings clique;
  JointOptions joint{CHORALE_JOINT_AUTO, 300, 1024};
  bool polish = true;
  bool restrict_range = false;
  MessageNumber messages = MessageNumber::automatic;
  Executor executor;
  double time_limit = -1;
  const chorale_cancel *cancel = nullptr;
  chorale_progress_function progress = nullptr;
  void *progress_user = nullptr;
  std::int64_t bound_steps = 0;
  bool edits = false;
  double effort = 0;
  // NULL, or the limits of a computation that makes this run and needs it complete: they hold in
  // place of time_limit. Otherwise a call that limits end leaves labels: round 0 decodes all chains
  // whatever the limits.
  const Limits *within = nullptr;

  bool always_labels() const noexcept { return !within; }
};

} // namespace chorale
