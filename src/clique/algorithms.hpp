// The table of clique algorithms: what each is called, which cliques it fits, what it guarantees,
// and which function runs it. Plans (plan.hpp), checks of options and the error messages of these
// checks are made from this table.
#pragma once

#include "base/report.hpp"
#include "base/text_writer.hpp"
#include "potential/clique_potential.hpp"

#include <chorale/clique.h>
#include <gsl/gsl>

namespace chorale {

class CliqueSearch;

// A set of forms of potentials (Form in clique_potential.hpp: sum, max, majority, ...).
class FormSet {
public:
  template <class... Forms>
  constexpr explicit FormSet(Forms... forms) noexcept : bits_((0U | ... | bit(forms))) {}
  constexpr bool has(Form form) const noexcept { return (bits_ & bit(form)) != 0; }
  constexpr bool has_any_of(FormSet forms) const noexcept { return (bits_ & forms.bits_) != 0; }

private:
  static constexpr unsigned bit(Form form) noexcept { return 1U << static_cast<unsigned>(form); }
  unsigned bits_;
};

inline constexpr FormSet kAllForms(Form::sum, Form::max, Form::majority, Form::pairs,
                                   Form::callback);

// The shape that an algorithm requires of the tables of a SUM.
enum class TableShape : std::uint8_t { any, convex, concave };

struct Algorithm {
  using Entry = void (*)(CliqueSearch &search) noexcept;

  chorale_algorithm id;
  std::string_view name;
  FormSet solves;    // forms of potentials for which the algorithm finds a labelling
  FormSet marginals; // forms of potentials for which it computes max-marginals
  // Forms for which the algorithm, given time, finds an optimal labelling and, if it computes
  // max-marginals, exact ones, however many members and columns there are.
  FormSet exact;
  TableShape needs;
  bool weights; // members may have weights, if the potential permits (CliqueKind::takes_weights())
  Entry solve;          // runs the algorithm; NULL for AUTO, which a plan replaces by another row
  Entry find_marginals; // computes max-marginals; NULL for AUTO and where `marginals` is empty
};

// All algorithms, in ascending order of `id`.
gsl::span<const Algorithm> algorithms() noexcept;

// Returns the algorithm with this number, or NULL.
const Algorithm *find_algorithm(chorale_algorithm id) noexcept;

std::string_view family_name(Form form) noexcept;

// Reports that the caller gave weights to `members` members, which this potential does not permit
// (CliqueKind::takes_weights()). kind.members is the sum of the weights. `name`: texts that the
// message begins with, and that together name the weights as the caller does.
template <class... Name>
chorale_status fail_weights(const Report &report, const CliqueKind &kind, std::int64_t members,
                            const Name &...name) noexcept {
  return report.fail(CHORALE_ERROR_WEIGHTS, name..., " add up to ", kind.members, " for ", members,
                     " members; weights above 1 need a SUM whose tables are convex up to count ",
                     kind.members,
                     ", forbid no count and, if members may have uncounted values, add up to at "
                     "most 0 at counts of 0 (the potential is a ",
                     family_name(kind.form), kind.form == Form::sum ? " that is not)" : ")");
}

// A list of algorithms to be written to a message, as in "alpha-pass, local-search (convex) or
// icm": those whose `set` (Algorithm::solves or Algorithm::marginals) contains one of `forms`.
struct AlgorithmNames {
  FormSet Algorithm::*set;
  FormSet forms;
};
TextWriter &operator<<(TextWriter &writer, const AlgorithmNames &names) noexcept;

// A list, to be written to a message, of the algorithms that accept members with weights.
// `marginals`: true for those that compute max-marginals, false for those that find a labelling.
struct WeightedNames {
  bool marginals;
};
TextWriter &operator<<(TextWriter &writer, WeightedNames names) noexcept;

} // namespace chorale
