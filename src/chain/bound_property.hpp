// A property on one chain or tree, made ready for the joint dynamic program.
//
// Values that can fire on this chain are numbered 0 .. F-1 (its *local* values), EMPTY is F and
// CONFLICT F + 1, whatever the size of the property's range. What a configuration remembers of the
// property is one small number, its *code*:
//
//     outgoing, paid      fired * states + state; and, once nothing more can change the value and
//                         the message has been paid, `settled`
//     absorbed            state
//     absorbed_required   (has fired) * states + state
//
// On trees there is one state.
#pragma once

#include "base/limits.hpp"
#include "base/workspace.hpp"
#include "property/attached.hpp"

namespace chorale {

enum class Role : std::int32_t {
  outgoing,         // all its values are told apart to the end; no message is paid
  paid,             // its message is paid once for the value of the whole labelling
  absorbed,         // m(v) - m(EMPTY) is paid wherever it fires v
  absorbed_required // the same where EMPTY is forbidden: m(v), and it must fire
};

// What does not depend on the message: programs of one chain may share it.
struct BoundTables {
  BoundTables() noexcept = default;
  // The attachment's arrays are read by `fill`, its sizes at once.
  BoundTables(Layout &layout, const Attached &attached, bool tree) noexcept;
  // Fills all arrays. False where the limits ended it.
  bool fill(const Attached &attached, const std::int32_t *parents, Limits &limits) noexcept;

  bool is_filled = false;
  // Some position can fire what the dictionary does not know, so that even a conflict must go on
  // being watched.
  bool fires_outside = false;
  std::int32_t local_count = 0;           // F
  std::int32_t *numbers = nullptr;        // F: the clique's number of each local value, ascending
  std::int32_t *constant_local = nullptr; // by constant: its local value, or kOutside
  std::int32_t *table_local = nullptr;    // T: what FIRE_TABLE fires, -1, or kOutside
  std::uint64_t *may = nullptr; // chains: (T + 1) sets of states that may fire after t positions
  std::int32_t words = 0;       // of one set
  std::int32_t *subtree_firing = nullptr; // trees, T: positions of the subtree that may fire
  std::int32_t total_firing = 0;

  // A value that the dictionary does not know, which forbids the labelling.
  static constexpr std::int32_t kOutside = -2;
};

class BoundProperty : private BoundTables {
public:
  using BoundTables::kOutside;
  using BoundTables::local_count;
  using BoundTables::numbers;

  // With `shared` its tables are used, and filled by the first that binds; else there are own ones.
  BoundProperty(Layout &layout, const Attached &attached, bool tree,
                BoundTables *shared = nullptr) noexcept;
  // Reads the attachment's arrays and message. False where the limits ended it.
  bool bind(const std::int32_t *parents, Limits &limits) noexcept;
  void assign(Role role) noexcept;

  // How many codes there can be in a role, on any chain of this length.
  std::int64_t code_limit(Role role) const noexcept;

  std::int32_t empty() const noexcept { return local_count; }
  std::int32_t conflict() const noexcept { return local_count + 1; }
  std::int32_t settled() const noexcept { return (local_count + 2) * states_; }
  // Whether a conflict must go on being watched: something can fire outside the dictionary.
  bool watches_conflicts() const noexcept { return fires_outside; }
  bool tracked() const noexcept { return role == Role::outgoing || role == Role::paid; }
  std::int32_t state_of(std::int32_t code) const noexcept { return code % states_; }
  std::int32_t fired_of(std::int32_t code) const noexcept { return code / states_; }

  // The local value that a compiled action fires at t; -1 where it fires nothing.
  std::int32_t local(std::int32_t action, std::int32_t t) const noexcept {
    if (action >= 0)
      return constant_local[action];
    return action == CHORALE_FIRE_TABLE ? table_local[t] : -1;
  }
  std::int32_t join(std::int32_t a, std::int32_t b) const noexcept {
    return a == empty() ? b : b == empty() || a == b ? a : conflict();
  }

  // The code after `code` has gone to `next` and fired `value` (local, or -1) with `read` positions
  // read; adds what is paid. False where the labelling is forbidden.
  bool advance(std::int32_t &code, std::int32_t next, std::int32_t value, std::int32_t read,
               double &paid) const noexcept;
  // The code before anything is read.
  std::int32_t first_code(double &paid) const noexcept;
  // What is still to be paid at the end for a code, once `value` has fired there; the final fired
  // value in `fired`.
  double final_payment(std::int32_t code, std::int32_t value, std::int32_t &fired) const noexcept;
  // The most that can be paid for a code yet.
  double greatest_payment(std::int32_t code) const noexcept;
  // What a beam should expect to be paid for a code yet.
  double expected_payment(std::int32_t code) const noexcept;

  // Trees: whether all that fires lies in the subtree of t; codes of subtrees put together; the
  // code of a subtree that is closed.
  bool closes(std::int32_t t) const noexcept {
    return total_firing > 0 && subtree_firing[t] == total_firing;
  }
  std::int32_t combine(std::int32_t a, std::int32_t b) const noexcept;
  // The code of a subtree after its top position t fired `value`.
  bool fire(std::int32_t &code, std::int32_t value, std::int32_t t, double &paid) const noexcept;

  bool may_fire(std::int32_t read, std::int32_t state) const noexcept {
    return (may[std::int64_t{read} * words + state / 64] >> (state % 64) & 1) != 0;
  }

  Attached attached;
  Role role = Role::paid;
  double *message;             // F + 2: the incoming message, by local value
  double greatest_message = 0; // its greatest entry

private:
  std::int64_t local_limit() const noexcept;
  double normalised(std::int32_t value) const noexcept {
    return role == Role::absorbed ? message[value] - message[empty()] : message[value];
  }

  BoundTables *shared_;
  bool tree_;
  std::int32_t states_;
};

} // namespace chorale
