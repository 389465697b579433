// Finds the kinds and the weights (chorale/learn.h) that can be learnt from a list of problems.
#pragma once

#include "learn/bases.hpp"
#include "problem/problem.hpp"

namespace chorale {

// The numbers of kinds are below this. All kinds below the greatest number take memory.
inline constexpr std::int32_t kMostKinds = 1 << 16;

// All bases, in the order in which a kind lists their weights.
inline constexpr chorale_basis kBases[] = {
    CHORALE_BASIS_AGREEMENT, CHORALE_BASIS_LOG_AGREEMENT, CHORALE_BASIS_SHARE,
    CHORALE_BASIS_MAJORITY,  CHORALE_BASIS_CENTRE,        CHORALE_BASIS_SINGLE,
    CHORALE_BASIS_EMPTY,     CHORALE_BASIS_CONFLICT,      CHORALE_BASIS_OUT,
    CHORALE_BASIS_VALUE};

// Lists the kinds of all problems in learnt.kinds. Fails if no clique has a kind, if cliques of one
// kind differ in being property cliques, in having EMPTY or OUT, or in the centre (join() in
// bases.hpp), if a kind has a number from kMostKinds on, or if two problems give a kind different
// names. Also fails if a problem has an oracle
// instance (model.h), or if a member of a clique with a kind has a weight above 1.
chorale_status find_kinds(const Report &report, Problems problems, Learnt &learnt) noexcept;
// Sets Kind::left_out of the kinds of position cliques without a centre: the values that only
// labels of class -1 have. Labels of this class do not count in F1. classes: the class of each
// label. False if memory runs out.
bool leave_out(Problems problems, gsl::span<const std::int32_t> classes, Learnt &learnt) noexcept;
// Lists the weights that are learnt for each kind, with their bounds: the weights of bases that are
// learnt by default or that a rule names.
chorale_status find_weights(const Report &report, gsl::span<const chorale_weight_rule> rules,
                            Learnt &learnt) noexcept;

} // namespace chorale
