// Message rounds. In a round, the cliques send messages to the chains. Then the chains that got new
// messages are decoded and send messages to the cliques. In round 0 all chains, or later those
// whose inputs have changed, are decoded without messages and send messages. "Equation 1"
// (state.hpp) is the score of a whole labelling.
#pragma once

#include "cluster/run/evaluation.hpp"

namespace chorale {

class Rounds {
public:
  Rounds(const Setting &setting, RunState &state) noexcept
      : setting_(setting), state_(state), evaluation_(setting, state) {}

  // Runs the next round (round 0 if Standing::pending), or resumes an unfinished round; does
  // nothing if further rounds are useless (Standing::at_end). False if the call must end or no
  // chain has a labelling.
  bool step() noexcept;

private:
  // What an update of chains does. `all`: all that the flags of the chains ask for, until a limit
  // ends the call. `own`: only decodes, without messages, the chains with the flag kNeedsOwn, and
  // ignores the limits.
  enum class Update { all, own };
  void update_chain(std::int32_t chain, Worker &worker, Update update = Update::all) noexcept;
  void update_item(std::int32_t item, Worker &worker) noexcept;
  void update_clique(std::int32_t clique, Worker &worker) noexcept;
  void update_chains(Update update = Update::all) noexcept;
  void update_cliques() noexcept;
  void first_round() noexcept;
  bool end_round() noexcept;

  const Setting &setting_;
  RunState &state_;
  Evaluation evaluation_;
};

} // namespace chorale
