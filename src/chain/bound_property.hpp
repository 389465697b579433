// A property on one chain or tree, prepared for the joint dynamic programs.
//
// A property is an automaton that reads the labels of a chain and *fires* values at some positions.
// Its value on a labelling is EMPTY if nothing fires, v if all firings are v, and CONFLICT if two
// differ. The values that can fire on this chain are numbered 0 .. F - 1 (*local* values), EMPTY is
// F and CONFLICT F + 1. The property's *message* gives a score to each of these F + 2 numbers.
// After a partial labelling, a dynamic program remembers one number for each property, the
// property's *code*. The code depends on the property's role:
//
//     outgoing, paid      fired * states + state, where `fired` is the value so far and `state` the
//                         state of the automaton. In the role paid, the code is settled() once the
//                         value is final and its message score has been added
//     local               state
//     local_required   (1 if any value fired, else 0) * states + state
//
// On chains the last state is the dead state, in which nothing fires any more. On trees there is
// one state.
#pragma once

#include "base/limits.hpp"
#include "base/workspace.hpp"
#include "property/attached.hpp"

namespace chorale {

// How a joint program uses a property's incoming message m.
enum class Role : std::int32_t {
  outgoing, // computes the best score for each value v without m(v); other results include m(v)
  paid,     // m(v) is added once, for the value v of the whole labelling
  local,    // approximation: adds m(EMPTY) once, and m(v) - m(EMPTY) for each firing of v
  local_required // for m(EMPTY) = -infinity: adds m(v) for each firing of v; some v must fire
};

// The tables of a BoundProperty that do not depend on its message. Several dynamic programs of one
// chain may share them.
struct BoundTables {
  BoundTables() noexcept = default;
  // Takes the memory. Reads only the sizes of the attached property.
  BoundTables(Layout &layout, const Attached &attached, bool tree) noexcept;
  // Fills all arrays. `parents`: the parent of each position of a tree; empty for a chain. False if
  // interrupted.
  bool fill(const Attached &attached, gsl::span<const std::int32_t> parents,
            Limits &limits) noexcept;

  bool is_filled = false;
  // True if a value can fire that is outside a dictionary without UNLISTED (chorale/property.h).
  // Such a firing forbids the labelling even after CONFLICT, so the automaton must be followed even
  // after CONFLICT.
  bool fires_outside = false;
  std::int32_t local_count = 0;           // F
  std::int32_t *numbers = nullptr;        // F: the clique's number of each local value, ascending
  std::int32_t *constant_local = nullptr; // local value of Property::constants[i], or kOutside
  std::int32_t *table_local = nullptr;    // T: local value of FIRE_TABLE; -1 for none; or kOutside
  // Chains: T + 1 rows of `words` words, one bit for each state. Bit s of row t is set if an
  // automaton in state s before position t may still fire.
  std::uint64_t *may = nullptr;
  std::int32_t words = 0; // words of a row of `may`
  bool may_fire(std::int32_t read, std::int32_t state) const noexcept {
    return (may[std::int64_t{read} * words + state / 64] >> (state % 64) & 1) != 0;
  }
  // Trees: number of positions at which the property may fire, in the subtree of each position (T
  // entries) and in total.
  std::int32_t *subtree_firing = nullptr;
  std::int32_t total_firing = 0;

  // Stands for every value outside a dictionary without UNLISTED. Firing it forbids the labelling.
  static constexpr std::int32_t kOutside = -2;
};

class BoundProperty : private BoundTables {
public:
  using BoundTables::kOutside;
  using BoundTables::local_count;
  using BoundTables::may_fire;
  using BoundTables::numbers;

  // `shared`: tables that several objects use, and that the first bind() fills. NULL: this object
  // has tables of its own.
  BoundProperty(Layout &layout, const Attached &attached, bool tree,
                BoundTables *shared = nullptr) noexcept;
  // Reads the arrays and the message of the attached property. `parents`: as in fill(). False if
  // interrupted.
  bool bind(gsl::span<const std::int32_t> parents, Limits &limits) noexcept;
  // Sets the role; local_required in the place of local if m(EMPTY) is minus infinity.
  void assign(Role role) noexcept;

  // Returns a number that is greater than every code in a role, and so at least the number of
  // codes; it depends only on the sizes of the attached property.
  std::int64_t code_limit(Role role) const noexcept;

  // Number of entries of `message`.
  std::int32_t entries() const noexcept { return local_count + 2; }
  std::int32_t empty() const noexcept { return local_count; }
  std::int32_t conflict() const noexcept { return local_count + 1; }
  std::int32_t settled() const noexcept { return (local_count + 2) * states_; }
  // True if the automaton must be followed even after CONFLICT (fires_outside).
  bool watches_conflicts() const noexcept { return fires_outside; }
  // True if codes contain the value fired so far.
  bool tracked() const noexcept { return role == Role::outgoing || role == Role::paid; }
  std::int32_t state_of(std::int32_t code) const noexcept { return code % states_; }
  std::int32_t fired_of(std::int32_t code) const noexcept { return code / states_; }

  // Returns the local value that `action`, an entry of the compiled automaton, fires at position t;
  // kOutside if the value is outside a dictionary without UNLISTED; -1 if nothing fires.
  std::int32_t local(std::int32_t action, std::int32_t t) const noexcept {
    if (action >= 0)
      return constant_local[action];
    return action == CHORALE_FIRE_TABLE ? table_local[t] : -1;
  }
  // Returns the value of a labelling whose two parts have the values a and b.
  std::int32_t join(std::int32_t a, std::int32_t b) const noexcept {
    return a == empty() ? b : b == empty() || a == b ? a : conflict();
  }

  // For chains. Advances `code`, which must not be settled(): the automaton goes to state `next`,
  // fires `value` (from local()), and has then read `read` positions. Adds to `paid` the message
  // score that the role adds at this step, if any. False if the labelling is forbidden.
  bool advance(std::int32_t &code, std::int32_t next, std::int32_t value, std::int32_t read,
               double &paid) const noexcept;
  // Returns the code before the first position; on a tree, the code of a subtree in which nothing
  // has fired. Adds to `paid` the message score that the role adds once at the start, if any.
  std::int32_t first_code(double &paid) const noexcept;
  // Returns the message score that is added after the last position; minus infinity if the
  // labelling is forbidden. `value`: what the automaton fires at the end, from local(). Writes the
  // final value of the property to `fired`; -1 if `code` does not contain it.
  double final_payment(std::int32_t code, std::int32_t value, std::int32_t &fired) const noexcept;
  // For chains. Returns an upper bound on the message score that can still be added after `code`.
  // In the roles local and local_required returns 0, which is no bound. In the role outgoing, the
  // message is added to complete labellings, for all results but the property's own outgoing
  // message (JointProgram::collect()).
  double greatest_payment(std::int32_t code) const noexcept;
  // For chains and tracked() properties whose code is not settled(). Returns an upper bound on the
  // entry of `row` (by local value) for the final value of a labelling that has the code `code` so
  // far. `most`: the greatest entry of the whole row.
  double greatest_after(std::int32_t code, const double *row, double most) const noexcept;
  // For role paid, returns an estimate of the message score that will be added after `code`; 0 for
  // other roles. A beam ranks configurations by it.
  double expected_payment(std::int32_t code) const noexcept;

  // True if some position of the tree may fire, and all such positions lie in the subtree of t.
  bool closes(std::int32_t t) const noexcept {
    return total_firing > 0 && subtree_firing[t] == total_firing;
  }
  // Returns the code of the union of two disjoint subtrees that have the codes a and b.
  std::int32_t combine(std::int32_t a, std::int32_t b) const noexcept;
  // Advances the code of the subtree of t after t itself fired `value` (from local()). Adds to
  // `paid` the message score that the role adds at this step, if any. False if the labelling is
  // forbidden.
  bool fire(std::int32_t &code, std::int32_t value, std::int32_t t, double &paid) const noexcept;

  Attached attached;
  Role role = Role::paid;
  double *message;             // F + 2: incoming message, by local value
  double greatest_message = 0; // greatest entry of `message`

private:
  // Returns an upper bound on F, from the sizes of the attached property alone.
  std::int64_t local_limit() const noexcept;
  // Returns what a firing of `value` adds in the roles local and local_required.
  double normalised(std::int32_t value) const noexcept {
    return role == Role::local ? message[value] - message[empty()] : message[value];
  }

  BoundTables *shared_;
  bool tree_;
  std::int32_t states_;
};

} // namespace chorale
