// The table of clique algorithms: what each is called, which cliques it fits, what it guarantees,
// and which function runs it. Plans, checks of options and their messages are made from this table.
#pragma once

#include "base/message.hpp"
#include "potential/clique_potential.hpp"

#include <chorale/clique.h>

#include <gsl/gsl>

namespace chorale {

class CliqueSearch;

// A set of the forms in which cliques are solved.
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

// The shape that the tables of a SUM must have for an algorithm.
enum class TableShape : std::uint8_t { any, convex, concave };

struct Algorithm {
  using Entry = void (*)(CliqueSearch &search) noexcept;

  chorale_algorithm id;
  std::string_view name;
  FormSet solves;    // forms of cliques for which it finds a labelling
  FormSet marginals; // forms of cliques whose max-marginals it computes
  // Forms for which the algorithm, given time, finds an optimal labelling and exact max-marginals,
  // however many members and columns there are.
  FormSet exact;
  TableShape needs;
  bool weights; // members may have weights, if the tables are convex (weighted_search.hpp)
  Entry solve;          // runs the algorithm; NULL for AUTO, which stands for another row
  Entry find_marginals; // computes max-marginals; NULL for AUTO, or if it computes none
};

// All algorithms, in ascending order of `id`.
gsl::span<const Algorithm> algorithms() noexcept;

// Return the algorithm with this number or name, or NULL.
const Algorithm *find_algorithm(chorale_algorithm id) noexcept;
const Algorithm *find_algorithm(std::string_view name) noexcept;

std::string_view family_name(Form form) noexcept;

// Written to a message, becomes a list of algorithms as in "auto, alpha-pass or polish (convex)":
// those whose `set` (Algorithm::solves or Algorithm::marginals) contains one of `forms`.
struct AlgorithmNames {
  FormSet Algorithm::*set;
  FormSet forms;
};
MessageWriter &operator<<(MessageWriter &writer, const AlgorithmNames &names) noexcept;

// Written to a message, becomes a list of the algorithms that accept members with weights: those
// that compute max-marginals, or those that find a labelling.
struct WeightedNames {
  bool marginals;
};
MessageWriter &operator<<(MessageWriter &writer, WeightedNames names) noexcept;

} // namespace chorale
