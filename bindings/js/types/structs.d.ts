// Made by bindings/mirror.py from include/chorale: do not edit.

import type {
  Flags, Labels, LocalProperty, Model, NullableNumbers, Numbers, OfLabelling, Potential, Problem, Property, Rows,
  SegmentOptions, Transitions,
} from "./index.js";

/**
 * What became of the rules of a chain. Provisional: it may change until version 1.0.
 *
 * - `"kept"`: The chain keeps its rules, but for those of which it pays the price.
 * - `"impossible"`: No labelling keeps the rules of the chain.
 * - `"too-dear"`: The rules cost more than mostCost.
 * - `"unfinished"`: No labelling that keeps the rules was found before a limit ended the search.
 */
export type RuleState =
  | "kept"
  | "impossible"
  | "too-dear"
  | "unfinished";

/**
 * How a computation ended. An outcome is not an error: the call succeeded.
 *
 * - `"complete"`: The algorithm ran to its end; in a run, messages have converged.
 * - `"gap-reached"`: Ended early: the score is within the requested gap of the upper bound.
 * - `"iteration-limit"`: All rounds, sweeps or steps that the call may do are done, or the rounds
 *   of a run alternate between two labellings. An ordinary end: the labels are the best found.
 * - `"node-limit"`: All nodes of branch and bound that `nodeLimit` allows are done. The labels are
 *   the best found.
 * - `"deadline"`: The time limit was reached. The labels are the best found until then.
 * - `"cancelled"`: A cancel or a progress callback ended the call. The labels are the best found
 *   until then.
 * - `"infeasible"`: Every labelling is proven to score minus infinity.
 * - `"nothing-found"`: Every labelling tried scores minus infinity; labellings that were not tried
 *   may score more.
 */
export type Outcome =
  | "complete"
  | "gap-reached"
  | "iteration-limit"
  | "node-limit"
  | "deadline"
  | "cancelled"
  | "infeasible"
  | "nothing-found";

/**
 * What forbids every labelling of a chain.
 *
 * - `"unknown"`: An instance, which does not tell.
 * - `"scores"`: Every label of the position is forbidden: by a score of minus infinity, by `forced`
 *   or `allowed`, or by the edit `Run.setAllowed`.
 * - `"transitions"`: The position has allowed labels, but each is forbidden by its start or end
 *   score, or by the transitions to all labels that are allowed at the positions after it (on a
 *   tree: below it).
 * - `"cliques"`: Each labelling that the chain itself allows is forbidden by a clique of which the
 *   chain is the only member, such as a rule.
 * - `"undecided"`: No labelling was found that a clique allows, all of whose members are in the
 *   chain. There may be one.
 */
export type Obstacle =
  | "unknown"
  | "scores"
  | "transitions"
  | "cliques"
  | "undecided";

/**
 * The factor by which a potential is multiplied. n is the number of members of the clique.
 *
 * - `"none"`: The factor 1.
 * - `"members"`: The potential times 1 / n.
 * - `"log-members"`: The potential times 1 / log n.
 */
export type Scale =
  | "none"
  | "members"
  | "log-members";

/**
 * The shape of the tables f_v of a SUM potential. A shape that the caller declares is not checked.
 *
 * - `"detect"`: The library determines the shape from the tables.
 * - `"convex"`: All tables are convex.
 * - `"concave"`: All tables are concave.
 */
export type Shape =
  | "detect"
  | "convex"
  | "concave";

/**
 * The algorithms of clique inference: each finds values of the members of one clique that have a
 * high score. SUM and MAJORITY are families of potentials.
 *
 * - `"auto"`: Chooses an algorithm by the potential; the result names the choice. Exact for MAX,
 *   MAJORITY, SUM concave, one member, and at most two values (all uncounted values together are
 *   one). Otherwise the result never scores below that of "alpha-pass", and moves of single members
 *   do not improve it; a SUM goes on to "count-boxes" if a gap is requested. PAIRS that equals a
 *   SUM is solved as one.
 * - `"alpha-pass"`: For every value alpha and every k from 0 to n, tries the labelling in which the
 *   k members that lose least by taking alpha take alpha, and every other member takes its best
 *   value other than alpha. Returns the best of these labellings. Any family. Exact for MAX, for
 *   two values and for one member; at least 13/15 of the optimum for Potts with lambda > 0 and
 *   non-negative finite psi. O(R n log n) for SUM and MAX, O(R^2 n) more for MAJORITY and PAIRS,
 *   O(R n) calls for a callback. [alpha-pass; in the paper k begins at 1].
 * - `"generalised-alpha-pass"`: "alpha-pass" with a set of up to q = `subsetSize` values in place
 *   of alpha. For q >= 2 at least 8/9 of the optimum for Potts with lambda > 0 and non-negative
 *   finite psi. O(n R + L^q n (L + log n)) for SUM, where L is the number of values that some
 *   member allows: too slow for L above a few hundred. Any family. [Generalized alpha-pass].
 * - `"alpha-expansion"`: For one value alpha after another, moves a set of members to alpha at
 *   once: the set by which the score rises most, found by dynamic programming over the number of
 *   members moved. Ends when no move to any alpha raises the score. SUM. No guarantee better than
 *   1/2 of the optimum, even for Potts. O(R n^2) a round over all alphas, memory O(n min(n, R)).
 *   Starts from `start`. [alpha-expansion].
 * - `"local-search"`: In each step every member takes the value v that maximises psi_iv plus the
 *   slope of f_v at the current count n_v; ends when no member changes. The score never decreases.
 *   SUM with convex tables. O(n R) a step. Starts from `start`.
 * - `"icm"`: Iterated conditional modes: moves one member at a time while a move raises the score.
 *   Ends at a labelling that no single move improves. Any family. Evaluates O(n R) moves in a sweep
 *   over the members. Starts from `start`.
 * - `"modified-alpha-pass"`: MAJORITY: "alpha-pass" on the scores psi_iv + w_alpha,v (w: the
 *   weights of the potential). Keeps only those labellings of a pass in which no value has a higher
 *   count than alpha. No guarantee better than 1/2 of the optimum. O(R^2 n + R n log n). [Modified
 *   alpha-pass].
 * - `"lagrangian-subgradient"`: MAJORITY: Lagrangian relaxation of the constraint that alpha has
 *   the highest count, for one majority value alpha after another. The three algorithms differ in
 *   the rule by which they change the multipliers. Gives an upper bound as well; no guarantee on
 *   the score. O(R n) for each iteration and each alpha. [Lagrangian Relaxation; Subgradient
 *   Optimization, Golden Search, Conservative Coordinate Descent].
 * - `"lagrangian-golden-section"`: MAJORITY: Lagrangian relaxation of the constraint that alpha has
 *   the highest count, for one majority value alpha after another. The three algorithms differ in
 *   the rule by which they change the multipliers. Gives an upper bound as well; no guarantee on
 *   the score. O(R n) for each iteration and each alpha. [Lagrangian Relaxation; Subgradient
 *   Optimization, Golden Search, Conservative Coordinate Descent].
 * - `"lagrangian-conservative"`: MAJORITY: Lagrangian relaxation of the constraint that alpha has
 *   the highest count, for one majority value alpha after another. The three algorithms differ in
 *   the rule by which they change the multipliers. Gives an upper bound as well; no guarantee on
 *   the score. O(R n) for each iteration and each alpha. [Lagrangian Relaxation; Subgradient
 *   Optimization, Golden Search, Conservative Coordinate Descent].
 * - `"exact-majority"`: MAJORITY: the optimum. For each majority value, searches for its best count
 *   k: the best score is a concave function of k, computed for a given k by a minimum-cost flow
 *   over the R values. Bounds rule out most majority values and counts. At worst O(R log n) flows
 *   of O(n) augmentations of O(R^2 + n R). [Exact Algorithm].
 * - `"concave-flow"`: SUM with concave tables: the optimum, by n shortest augmenting paths over the
 *   R values. O(n (R^2 + n R)) at worst, memory O(n R), also for max-marginals. [Additive
 *   potentials, negative lambda].
 * - `"count-boxes"`: SUM, any tables: the optimum, by branch and bound. A node restricts the count
 *   of each value to a range; its upper bound is computed as in "dual-bound". A node with all
 *   counts fixed is solved as a transportation problem. Exponential at worst; stops at the
 *   requested gap, the node limit and the deadline.
 * - `"dual-bound"`: SUM: an upper bound by Lagrangian relaxation. Members choose values and values
 *   choose members independently; the multipliers mu are changed so that the two choices agree. The
 *   bound is sum_i max_v (psi_iv - mu_iv) + sum_v max_k (f_v(k) + sum of the k largest mu_iv over
 *   i). Returns the best labelling found on the way. O(R n log n) an iteration.
 */
export type Algorithm =
  | "auto"
  | "alpha-pass"
  | "generalised-alpha-pass"
  | "alpha-expansion"
  | "local-search"
  | "icm"
  | "modified-alpha-pass"
  | "lagrangian-subgradient"
  | "lagrangian-golden-section"
  | "lagrangian-conservative"
  | "exact-majority"
  | "concave-flow"
  | "count-boxes"
  | "dual-bound";

/**
 * How label names mark segments. The label O is outside all segments.
 *
 * - `"plain"`: A name is a kind; any label may follow any.
 * - `"bio"`: B begins a segment, I continues it.
 * - `"bioes"`: As "bio"; E ends a segment, S is a segment of one position.
 * - `"bilou"`: As "bioes", with L for E and U for S.
 */
export type Scheme =
  | "plain"
  | "bio"
  | "bioes"
  | "bilou";

/**
 * The method for a chain with several properties. The exact computation runs over configurations:
 * the joint states of all properties' automata and the values fired so far.
 *
 * - `"auto"`: "exact" if no position has more than `maxStates` alive configurations, otherwise
 *   "beam" of width `maxStates`.
 * - `"exact"`: Exact. The call fails with STATE_SPACE if a position would have more than
 *   `maxStates` alive configurations.
 * - `"local-scores"`: The paper's second approximation, local absorption: the message m of a
 *   property becomes local scores, which are those of positions. Every position where the property
 *   fires v gets m(v) - m(EMPTY), or m(v) if m(EMPTY) is minus infinity. Configurations then hold
 *   only the states of the automata. While the message of one property is computed, they also hold
 *   the value that this property has fired. Exact if no property fires twice; if a property fires
 *   more often, the scores of all its firings are added. `maxStates` applies as in "exact".
 * - `"beam"`: The paper's third approximation: keeps the best `beamWidth` configurations at each
 *   position. They are ranked by their best score over all labels plus, for each property whose
 *   message has not been added yet, the message entry of the value fired so far (EMPTY if none).
 */
export type JointMode =
  | "auto"
  | "exact"
  | "local-scores"
  | "beam";

/**
 * The number format in which messages are stored. Computations are always in double precision.
 *
 * - `"float64"`: 16 bytes for each value of a membership (both directions). A difference counts as
 *   0 if it is at most 1e-12, or at most 1e-12 times the number.
 * - `"magnitude16"`: 4 bytes for each value of a membership. Stores distances from the greatest
 *   entry of the row, rounded to 11 bits (0.05 %), from 1e-12 to 8e9 (greater finite distances
 *   become 8e9). Minus infinity is kept, and no finite number becomes minus infinity. Values whose
 *   messages differ by less than the rounding can tie.
 * - `"auto"`: Double precision where messages are few or memory stays small beside the scores;
 *   otherwise two bytes for each value of a message.
 */
export type MessageElement =
  | "float64"
  | "magnitude16"
  | "auto";

/**
 * Why learnt strengths are applied, or why nothing is. Provisional: it may change until version
 * 1.0.
 *
 * - `"gain"`: Applied: held-out groups cost less.
 * - `"without-gold"`: Applied: `withoutGold`.
 * - `"no-agreement"`: Members agree no more than members shuffled at random.
 * - `"no-gain"`: held-out groups do not cost less.
 * - `"may-be-chance"`: They do, but so few groups, or so little, may be chance.
 * - `"lowers-accuracy"`: Every strength lowers accuracy.
 * - `"interrupted"`: Cancelled, or the time limit came before any strength.
 */
export type Verdict =
  | "gain"
  | "without-gold"
  | "no-agreement"
  | "no-gain"
  | "may-be-chance"
  | "lowers-accuracy"
  | "interrupted";

/**
 * Flags: what is unusual about the problems that were learnt from. Provisional: it may change until
 * version 1.0.
 *
 * - `"gold-forbidden"`: Some chains forbid some of their gold labels.
 * - `"base-knows"`: Over 99 % of the tagger's labels are right: has the tagger seen the gold
 *   labels?
 * - `"few-groups"`: Fewer than 8 groups.
 * - `"one-label"`: `withoutGold`: the tagger gives more than nine of ten positions the same label,
 *   and it is not among `uncounted`: agreement may spread it.
 */
export type LearnWarning =
  | "gold-forbidden"
  | "base-knows"
  | "few-groups"
  | "one-label";

/**
 * The lists of texts that a problem can hold.
 *
 * - `"labels"`: By label; at least as many as any chain has labels.
 * - `"tokens"`: By token id; any number.
 * - `"words"`: By position, chain by chain.
 * - `"spaces"`: By position: the white space before each word. Without this list, one blank is
 *   before each word.
 * - `"chains"`: By chain.
 * - `"groups"`: By group, for groups 0 .. count-1.
 * - `"cliques"`: By clique.
 * - `"kinds"`: By kind of clique; any number.
 * - `"note-names"`: Names and texts of notes, in the order in which they were first set: entry i of
 *   both belongs to one note. Only `Problem.setNote` changes them.
 * - `"notes"`: Names and texts of notes, in the order in which they were first set: entry i of both
 *   belongs to one note. Only `Problem.setNote` changes them.
 */
export type TextList =
  | "labels"
  | "tokens"
  | "words"
  | "spaces"
  | "chains"
  | "groups"
  | "cliques"
  | "kinds"
  | "note-names"
  | "notes";

/**
 * The outcome of a call on a run and what was found so far. phi_i is the score of chain i, C_p that
 * of clique p; the own labelling is that of each chain without its cliques.
 */
export interface RunResult {
  /** How the call ended. */
  readonly outcome: Outcome;
  /**
   * upperBound - score <= 1e-9 |score|, or within rounding: at most 1e-12 (sum_i |phi_i| + sum_p
   * |C_p|).
   */
  readonly proven: boolean;
  /** Number of rounds done so far, without the start. */
  readonly rounds: number;
  /**
   * Number of rounds done when the best labelling last changed, in whole or in part; 0 if the local
   * search of the own labelling changed it last.
   */
  readonly bestRound: number;
  /**
   * Equation 1 of the best labelling: chainScore + cliqueScore; minus infinity if a clique forbids
   * it or there is none.
   */
  readonly score: number;
  /**
   * Sum of phi_i over the chains. The chains are added in their order, in blocks of 1024; then the
   * sums of the blocks are added.
   */
  readonly chainScore: number;
  /** Sum of C_p over the cliques, added in blocks in the same way. */
  readonly cliqueScore: number;
  /** Equation 1 of the own labelling, without rules: with them it may be above `score`. */
  readonly ownScore: number;
  /**
   * The greatest equation 1 of the labelling of a single round. The best labelling may score more:
   * it takes each set of connected chains from the round in which this set scored most.
   */
  readonly roundsScore: number;
  /** Equation 1 after the local search from the best labelling of the rounds. */
  readonly localSearchScore: number;
  /** The same from the own labelling. */
  readonly localSearchOwnScore: number;
  /** On equation 1; plus infinity where none was computed. */
  readonly upperBound: number;
  /** upperBound - score. */
  readonly gap: number;
  /** Number of chains whose labels differ from their own. */
  readonly changedChains: number;
  /** Number of messages of cliques to members that changed in the last round. */
  readonly messagesChanged: number;
  /** How often a chain computed messages or was decoded, in all rounds. */
  readonly chainUpdates: number;
  /** How often a clique computed messages, in all rounds. */
  readonly cliqueUpdates: number;
  /**
   * Number of chains that are left out, since they have no labelling. Scores and bound are those of
   * all other chains.
   */
  readonly leftOut: number;
}

/**
 * A chain that is left out, since every labelling of it is forbidden. Its labels are -1, or those
 * that it has by itself where the obstacle is undecided, and it counts for nothing in the cliques.
 */
export interface LeftOut {
  /** Number of the chain. */
  readonly chain: number;
  /** Of the obstacle; -1 if it is a clique or not known. */
  readonly position: number;
  /** What forbids its labellings. */
  readonly obstacle: Obstacle;
  /**
   * With "cliques": the first clique such that it and the chain's cliques before it, in the order
   * of their positions, suffice; with "undecided": a clique that allows no labelling met; otherwise
   * -1.
   */
  readonly clique: number;
}

/**
 * One reason why a chain's labels differ from its own labelling: a clique in which one of its
 * positions, or the whole chain, has another value than under the own labelling.
 */
export interface Reason {
  /** Index of the agreement that was passed to decode; -1 in reasons of a run. */
  readonly agreement: number;
  /** Number of the clique in the model. */
  readonly clique: number;
  /** Number of the chain. */
  readonly chain: number;
  /** Within the chain; -1: the whole chain or instance. */
  readonly position: number;
  /**
   * All other members. Evidence for `value`: counts of the other members of the clique, without its
   * centre; with weights, sums of their weights. "`agreeingBefore` of `others` others had this
   * value, `agreeing` of `others` have it now." All three are 0 for a centre.
   */
  readonly others: number;
  /** Those whose value is `value` under alone: as the scores of their own chains say. */
  readonly agreeingBefore: number;
  /** Those whose value is `value` under together. */
  readonly agreeing: number;
  /** Value under alone: a label, or a value of the property, R for EMPTY, R + 1 for CONFLICT. */
  readonly ownValue: number;
  /** Value under together. */
  readonly value: number;
  /**
   * How much the clique's score would fall if this member alone had ownValue, and every other
   * member, even of the same chain, the value that it has now. Plus infinity if the clique forbids
   * these values but not those now, minus infinity if it forbids only those now, 0 if it forbids
   * both. Where it is 0 or less, the clique does not explain the change.
   */
  readonly amount: number;
  /** Index of the member in the clique. */
  readonly member: number;
}

/**
 * A chain to which rules were added, since a labelling of it broke them. Provisional: it may change
 * until version 1.0.
 */
export interface RuledChain {
  /** Number of the chain. */
  readonly chain: number;
  /** Other than "kept": the chain has the labels of alone. */
  readonly state: RuleState;
  /**
   * What the rules cost the chain: the score phi of its labels of alone, minus the greatest phi,
   * less the prices of broken rules, of the labellings that keep the rules. Without agreements.
   * Plus infinity if there is none.
   */
  readonly cost: number;
  /** How much lower the cost may still be; 0: the cost is proven. */
  readonly gap: number;
}

/**
 * Why rules change a label, as if there were no agreements. Provisional: it may change until
 * version 1.0.
 */
export interface RuleReason {
  /** Number of the chain. */
  readonly chain: number;
  /** Within the chain. */
  readonly position: number;
  /** Index of the rule. */
  readonly rule: number;
  /** The kind a, for a rule with `each`. */
  readonly a: number;
  /** Label of the position in alone. */
  readonly ownLabel: number;
  /** Label in the best labelling of the chain that keeps the rules. */
  readonly label: number;
  /**
   * How much better the chain's best labelling without this rule is, by the scores of the chain and
   * the prices of its other rules. If no single rule makes the change: what all rules cost.
   */
  readonly cost: number;
}

/** Progress of a run, told after every round and every step of the bound. */
export interface Progress {
  /** 0: each chain was decoded without its cliques. */
  readonly round: number;
  /** Number of messages of cliques to members that the round changed. */
  readonly messagesChanged: number;
  /** Equation 1 of the labelling of this round or step of the bound. */
  readonly score: number;
  /** Score of the best labelling so far. */
  readonly bestScore: number;
  /** Plus infinity before one has been computed. */
  readonly upperBound: number;
}

/**
 * Progress of learning, told each time that a problem has been labelled. Provisional: it may change
 * until version 1.0.
 */
export interface LearnProgress {
  /** How often a problem was labelled so far. */
  readonly runs: number;
  /** Upper bound on `runs`. */
  readonly runsMost: number;
}

/**
 * The report. Everything is counted on held-out groups, at positions with known gold labels: for
 * the tagger's own labels, for the control (bonuses alone), and for the labels that agree. Without
 * gold labels, or if no strength was tried, figures that are unknown are 0. Provisional: it may
 * change until version 1.0.
 */
export interface LearntReport {
  /** "complete", "deadline", "cancelled". */
  readonly outcome: Outcome;
  /** Strengths are applied; 0: nothing is. */
  readonly applied: boolean;
  /** Why strengths are applied, or why nothing is. */
  readonly verdict: Verdict;
  /** What is unusual about the problems. */
  readonly warnings: readonly LearnWarning[];
  /** Number of groups of chains. */
  readonly groups: number;
  /** Number of positions with gold labels. */
  readonly positions: number;
  /** Number of kinds of cliques. */
  readonly kinds: number;
  /** How often a problem was labelled. */
  readonly runs: number;
  /** What is minimised: errors, costs, or F * (gold + found) - 2 * right. */
  readonly taggerCost: number;
  /** Precision, recall and F1 only with `classes`; else 0. */
  readonly taggerPrecision: number;
  /** Micro recall of the tagger's own labels; 0 without `classes`. */
  readonly taggerRecall: number;
  /** Micro F1 of the tagger's own labels; 0 without `classes`. */
  readonly taggerF1: number;
  /** Share of right labels: the tagger's own labels. */
  readonly taggerAccuracy: number;
  /** Cost of the control, bonuses alone. */
  readonly controlCost: number;
  /** Micro precision of the control, bonuses alone; 0 without `classes`. */
  readonly controlPrecision: number;
  /** Micro recall of the control, bonuses alone; 0 without `classes`. */
  readonly controlRecall: number;
  /** Micro F1 of the control, bonuses alone; 0 without `classes`. */
  readonly controlF1: number;
  /** Share of right labels: the control, bonuses alone. */
  readonly controlAccuracy: number;
  /** Cost of the labels that agree. */
  readonly agreeingCost: number;
  /** Micro precision of the labels that agree; 0 without `classes`. */
  readonly agreeingPrecision: number;
  /** Micro recall of the labels that agree; 0 without `classes`. */
  readonly agreeingRecall: number;
  /** Micro F1 of the labels that agree; 0 without `classes`. */
  readonly agreeingF1: number;
  /** Share of right labels: the labels that agree. */
  readonly agreeingAccuracy: number;
  /** Labels that agreement changed. */
  readonly changed: number;
  /** Of these, those that were right before. */
  readonly changedRightBefore: number;
  /** Of these, those that are right now. */
  readonly changedRightAfter: number;
  /**
   * p-value: do members agree beyond chance? Negative: nothing could be exchanged, or there was no
   * gold.
   */
  readonly agreementP: number;
  /** p-value of taggerCost - agreeingCost; negative: unknown. */
  readonly gainP: number;
  /** `withoutGold`: errors that the tagger expects among its labels. */
  readonly expectedErrors: number;
  /** For `Run.probabilities`, at positions whose label is the tagger's; 0: unknown. */
  readonly temperature: number;
  /** The same, at positions whose label agreement changed; 0: unknown. */
  readonly changedTemperature: number;
}

/**
 * What was learnt for one kind of cliques: the strength s and the bonus b of s sum_v n_v^2 / n + b
 * sum_v n_v, where n_v of n members have value v. Provisional: it may change until version 1.0.
 */
export interface LearntKind {
  /** Number of the kind. */
  readonly kind: number;
  /** s sum_v D_cv n_v. */
  readonly usesLogOdds: boolean;
  /** 0: no clique has this kind. */
  readonly cliques: number;
  /** Number of members of all its cliques. */
  readonly members: number;
  /** s as applied; 0 if nothing is. */
  readonly strength: number;
  /** b as applied. */
  readonly bonus: number;
}

/** What became of a mention, and why. Experimental: it may change or go in any version. */
export interface SettledMention {
  /** -1: none, since neither the mention nor its key says anything. */
  readonly label: number;
  /** It is another label than before. */
  readonly changed: boolean;
  /** Of the label; NaN: there is none. */
  readonly probability: number;
  /** Of the label that the mention had; NaN: it had none. */
  readonly probabilityBefore: number;
  /** Number of other mentions of the key. */
  readonly others: number;
  /** How many of them had `label` before. */
  readonly agreeingBefore: number;
  /** How many of them have it now. */
  readonly agreeing: number;
}

/** What became of a key. Experimental: it may change or go in any version. */
export interface SettledKey {
  /** Of all mentions; -1: each has its own. */
  readonly label: number;
  /** Evidence does not settle the key: it is two things, or labels are tied. */
  readonly conflict: boolean;
  /** How many mentions it has. */
  readonly mentions: number;
  /** What the mentions say against the best single label. */
  readonly against: number;
  /** What counts as too much: once + perMention * n, at least 0. */
  readonly price: number;
  /**
   * How many mentions are expected to change if a person says what the key is: the keys with the
   * greatest numbers are those to ask about. If the key is in conflict, it counts as even whether
   * it is one thing or several. 0 after an answer.
   */
  readonly expected: number;
}

/**
 * A row whose label should now be another than the caller was told. Experimental: it may change or
 * go in any version.
 */
export interface LedgerChange {
  /** Number of the row: the first that was ever added is 0. */
  readonly row: number;
  /** The label that it should now have; -1: none. */
  readonly label: number;
  /** The label that the caller was told; -1: none. */
  readonly told: number;
}

/** A row as it was added, with its label. Experimental: it may change or go in any version. */
export interface LedgerRow {
  /** The key; -1: none. */
  readonly key: number;
  /** The label that it came with, -1: none. */
  readonly given: number;
  /** NaN: the mention says nothing. */
  readonly confidence: number;
  /** For how many equal rows it stands. */
  readonly times: number;
  /** The label that it has now; -1: none. */
  readonly label: number;
  /** The label that the caller was told; -1: none. */
  readonly told: number;
}

/**
 * A property by tables. An automaton reads the positions of a chain in order. In state s, at a
 * position of class c with label y, it takes the action at index (s * classes + c) * labels + y,
 * and moves to the state in `next` at the same index. The value of the property is the value that
 * has fired; EMPTY if nothing has fired, and CONFLICT if two different values have.
 */
export interface Automaton {
  /** m, the number of labels, >= 1. */
  labels: number;
  /** Number of classes of positions, >= 1. */
  classes?: number;
  /** Number of states, >= 1. */
  states: number;
  /** R, the number of values, >= 1, at most 2^31 - 3. */
  values: number;
  /** The state before the first position. */
  start?: number;
  /** `fire.table` at position t fires entry t + tableOffset of the table. */
  tableOffset?: number;
  /** What `fire.table` fires outside of the table. */
  outsideValue?: number;
  /**
   * States x classes x labels: the state after a position, indexed by the state before it, its
   * class and its label.
   */
  next: Numbers;
  /** Same shape as `next`: the action at the position. Absent: no position fires. */
  actions?: Numbers;
  /**
   * By state: a further action, taken after the last position if the chain ends in this state.
   * `fire.label` and `fire.table` then use the label and the table entry of the last position; on
   * an empty chain both fire nothing. Absent: no such actions.
   */
  endActions?: Numbers;
  /** By label: the value that `fire.label` fires, or -1 for nothing. Absent: the label itself. */
  labelValues?: Numbers;
}

/**
 * The scores of a sequence or a tree of T positions, each of which has one of m labels. The score
 * of a labelling is a sum: the unary score of the label at each position, the edge score of the
 * labels at each pair of neighbours, the start score of the first label, and the end score of the
 * last label. In a tree, a pair of neighbours is a position and its parent; each root adds a start
 * score, and each leaf an end score. If one of these scores is minus infinity, the labelling is
 * forbidden. All scores of a chain have one element type.
 */
export interface Chain {
  /**
   * Edge, start and end scores that chains can share, with the masks of the transitions. `edges`,
   * `start` and `end` below replace them, each together with its mask. Absent: all scores are 0.
   */
  transitions?: Transitions | null;
  /**
   * Edge scores of this chain alone, which replace those of `transitions`: one m x m matrix for all
   * edges, or T - 1, where matrix t - 1 is for the edge to position t. Absent: the edge scores of
   * `transitions`.
   */
  edges?: Numbers;
  /** m start scores of this chain alone; absent: those of `transitions`. */
  start?: Numbers;
  /** m end scores of this chain alone; absent: those of `transitions`. */
  end?: Numbers;
  /**
   * A tree: T parents, each an earlier position, or -1 for a root (position 0 and possibly others).
   * Absent: a chain.
   */
  parents?: Numbers;
  /** T labels that positions must take, -1: free. Absent: all free. */
  forced?: Numbers;
  /** T x m bytes: 0 forbids label y at position t. Absent: all allowed. */
  allowed?: Flags;
}

/**
 * Many chains with the same number of labels, whose scores are in one array. A position is numbered
 * by its row in this array, through all chains.
 */
export interface Corpus {
  /**
   * By position: m x m scores without gaps, of the type of `unary`, which replace the edge scores
   * and the mask of `transitions`: entry [x][y] is the score of label y at this position after
   * label x at the one before it. The matrix of the first position of a chain is not read. Absent:
   * the edge scores of `transitions`.
   */
  edges?: Numbers;
  /** By position: the label that it must take, or -1: free. Absent: all free. */
  forced?: Numbers;
  /** By position: m bytes, 0 forbids a label. Absent: all allowed. */
  allowed?: Flags;
  /**
   * By chain: how many equal chains it stands for, from 1 to 2^31 - 1, such as equal rows of a
   * table. Absent: 1 for all.
   */
  counts?: Numbers;
}

/**
 * A map from labels to kinds: for instance, B-X and I-X are both of kind X. A segment is a longest
 * sequence of consecutive labels of one kind.
 */
export interface LabelMap {
  /** Number of kinds, >= 1; equal to labels if kindOfLabel is null; 0 (default) stands for this. */
  kinds: number;
  /** m entries in 0 .. kinds-1. Absent: each label is its own kind. */
  kindOfLabel: Numbers;
  /**
   * m bytes: 1 if the label begins a segment even after a label of its kind, like B-X and S-X, else
   * 0. Absent: all 0.
   */
  begins?: Flags;
}

/** The options of learning. Provisional: it may change until version 1.0. */
export interface LearnOptions {
  /**
   * By label: the class that the label counts as in micro F1, or -1 if it does not count. Absent:
   * every label counts, and accuracy (or `costs`) decides.
   */
  classes?: Numbers;
  /**
   * By label: 1 if the label begins a span (B-PER), else 0. F1 is then that of spans: the longest
   * stretches of a chain with labels of one class of which only the first may begin a span. Needs
   * `classes`. Absent: F1 is that of tokens.
   */
  begins?: Flags;
  /** True: strengths may be applied that lower accuracy by more than a standard error. */
  mayLowerAccuracy?: boolean;
  /**
   * True: gold labels are not read. The strength of positions is the largest, up to 2, under which
   * fewer labels change than errors are expected by the tagger's probabilities; that of properties
   * is 2, of centres 1, with s n_c. Bonuses are 0. It says how strongly members should agree, not
   * whether they do.
   */
  withoutGold?: boolean;
  /**
   * Called each time that a problem has been labelled. If it returns true, the call ends as after a
   * cancel.
   */
  progress?: (progress: LearnProgress) => boolean | void;
}

/** Members of one clique, or of several consecutive ones. */
export interface Members {
  /**
   * By entry: a position in this chain, or -1 for the whole chain. Absent: whole chains in property
   * cliques, position 0 in others, as for single items. An instance joins as a whole.
   */
  positions?: Numbers;
  /**
   * By entry: how often the member counts, >= 1: the weights w_i. The count of a value is the sum
   * of the weights of the members with this value, and n is the sum of all weights; this holds in
   * the potential, in reasons. The scores of the members are not multiplied. If the options of a
   * run ask for exact max-marginals or for an algorithm that takes no weights, they do not apply to
   * cliques with weights. Absent: 1 for all.
   */
  weights?: Numbers;
  /**
   * By clique: the chain of its centre, in place of one that it had. Freezing with a centred clique
   * without centre fails with STATE. Absent: no centre is set.
   */
  centreChains?: Numbers;
  /** By clique: the position of its centre; absent: 0 for all. */
  centrePositions?: Numbers;
}

/**
 * The columns of a table of N rows. Each is a mention of one of K keys, such as a name, with one of
 * m labels. Experimental: it may change or go in any version.
 */
export interface Mentions {
  /** K. */
  keys: number;
  /** m. */
  labels: number;
  /** N: 0 .. K - 1; -1: none, the mention is alone. */
  key: NullableNumbers;
  /**
   * N: the label of each mention, 0 .. m - 1; -1: the mention says nothing, and gets the label of
   * its key. Absent: the label with the best score.
   */
  label?: NullableNumbers | null;
  /**
   * N: how probable the label is, from 0 to 1; NaN: the mention has a label and says nothing.
   * Absent: 0.8. Ignored if there are scores.
   */
  confidence?: NullableNumbers | null;
  /** N: the right label, -1: unknown. Absent: all unknown. */
  gold?: NullableNumbers | null;
  /**
   * K: the label that all mentions of a key have, or one of the other answers. Absent: no answers.
   */
  answers?: NullableNumbers | null;
  /** N: labels told before, when a ledger is filled from its rows. */
  told?: NullableNumbers | null;
}

/** The options of all potentials. */
export interface PotentialOptions {
  /** The factor by which the potential is multiplied. */
  scale?: Scale;
  /**
   * By value a byte; 0: the value is uncounted, that is, its members add nothing and it is never
   * the majority. Absent: every value is counted.
   */
  counted?: Flags;
}

/** The options of a run. */
export interface RunOptions {
  /**
   * 0 <= d < 1: a clique's new message is d * old message + (1 - d) * computed message. Default 0.
   */
  damping?: number;
  /**
   * For messages of cliques: one that finds max-marginals. "auto" is used for cliques whose
   * potential it does not fit. Default "auto".
   */
  algorithm?: Algorithm;
  /**
   * True: messages of cliques are exact wherever the family has an exact solver (slow for convex
   * sums).
   */
  exactMarginals?: boolean;
  /**
   * True: messages of a property clique cover only the values that some member chain fires in its
   * best labelling without cliques, even if this labelling shows CONFLICT (the paper's first
   * approximation). Equation 1 still scores all values. Creating a run then decodes the chains of
   * property cliques once more. Not applied to cliques with an instance.
   */
  restrictRange?: boolean;
  /**
   * True: the run takes `Run.setAllowed` and `Run.setStrength`. This costs m bytes for each
   * position, 30 for each chain, 40 for each clique, and two counts for each value of a clique.
   * Does not affect the choice of a format by messageElement "auto".
   */
  edits?: boolean;
  /**
   * How chains under several properties are decoded. In modes "exact" and "local-scores", creating
   * a run decodes every such chain once, and fails with STATE_SPACE if a chain needs more
   * configurations than `maxStates`. Later messages may need more configurations: "local-scores"
   * stores more states where messages forbid EMPTY, and then drops configurations beyond
   * `maxStates` like a beam; "exact" prunes configurations by the messages, so under other messages
   * it may need more and end the call with STATE_SPACE. For each thread, a run allocates about T x
   * (m + 1) x 8 bytes for each configuration that can be alive, where T is the length of the chain
   * that needs most.
   */
  jointMode?: JointMode;
  /** Format in which messages are stored. Default "auto". */
  messageElement?: MessageElement;
  /** Configurations that "beam" keeps at a position; 0: 300. */
  beamWidth?: number;
  /** Greatest number of configurations alive at a position; 0: 1024. */
  maxStates?: number;
  /**
   * Called after every round and every step of the bound. If it returns true, the call ends as
   * after a cancel.
   */
  progress?: (progress: Progress) => boolean | void;
  /**
   * Greatest number of steps by which a solve lowers the upper bound; 0 (default): no bound. A step
   * decodes every chain and solves every clique. The steps end early when the bound meets the
   * score. The bound is plus infinity if the potential of some clique has no bound (PAIRS,
   * CALLBACK), or if a dictionary without UNLISTED omits values that can fire.
   */
  boundSteps?: number;
  /**
   * How long a solve looks for moves of several chains: it ends after an amount of work without a
   * gain, which is a multiple of this number. 1: about ten times the time of a run without moves,
   * wherever they might gain. 0 (default): less than half of that, only where they are likely to
   * gain, and nowhere in runs with `edits`. Below 0: no moves, as with noLocalSearch. More effort,
   * if above 0, never scores less.
   */
  effort?: number;
}

/** What transitions have beside their matrix. */
export interface TransitionsOptions {
  /** m scores, added at the first position; absent: zeros. */
  start?: Numbers;
  /** m scores, added at the last position; absent: zeros. */
  end?: Numbers;
  /**
   * m x m bytes without gaps, in which 0 forbids: entry [x][y] is for label y directly after label
   * x. Absent: nothing is forbidden. schemeMask fills this and the next two arrays.
   */
  mask?: Flags;
  /** By label: 0 forbids it at the first position. Absent: none is forbidden. */
  startMask?: Flags;
  /** By label: 0 forbids it at the last position. Absent: none is forbidden. */
  endMask?: Flags;
}

/** Methods of `Chorale` that are functions of C. */
export interface ChoraleMethods {
  /** Makes the potential Potts: lambda * sum_v n_v^2, lambda finite, any sign. */
  createPotts(values: number, lambda: number, options?: PotentialOptions): Potential;
  /**
   * Makes the potential Entropy: lambda * sum_v n_v log n_v, natural logarithm, 0 log 0 = 0; lambda
   * finite, any sign.
   */
  createEntropy(values: number, lambda: number, options?: PotentialOptions): Potential;
  /** Makes the potential makespan: the maximum over the counted values v of lambda * n_v. */
  createMakespan(values: number, lambda: number, options?: PotentialOptions): Potential;
  /**
   * Makes the potential square makespan: the maximum over the counted values v of lambda * n_v^2.
   */
  createSquareMakespan(values: number, lambda: number, options?: PotentialOptions): Potential;
  /**
   * Makes the potential SUM: sum_v f_v(n_v). tables: one row for each value, or one row for all
   * values. Column k of row v is f_v(k); minus infinity forbids the count k. With L columns,
   * cliques may have up to L - 1 members.
   */
  createSum(values: number, tables: Rows, options?: PotentialOptions & { shape?: Shape }): Potential;
  /**
   * Makes the potential MAX: max_v f_v(n_v) over the counted values, including those with n_v = 0.
   * Tables as in createSum may rise and fall, and f_v(0) need not be 0.
   */
  createMax(values: number, tables: Rows, options?: PotentialOptions): Potential;
  /**
   * Makes the potential Cardinality: g(n_b). Exactly two values must be counted; b is the higher of
   * them. Entry k of `table` is g(k). A special case of SUM; `length` and minus infinity as in SUM.
   */
  createCardinality(values: number, table: Numbers, options?: PotentialOptions & { shape?: Shape }): Potential;
  /**
   * Makes the potential MAJORITY: b_a + sum_v w_av n_v, where a is the counted value of highest
   * count. If several values have this count, a is the one of them that gives the highest score.
   * weights: `values` x `values` finite doubles: w_av is entry v of row a. Rows and columns of
   * uncounted values are ignored. bias: `values` finite doubles b_a, or null for zeros. If all
   * weights are zero, the potential is a constant for each majority value (Lu and Getoor).
   */
  createMajority(values: number, weights: Rows, options?: PotentialOptions & { bias?: Numbers }): Potential;
  /**
   * Makes the potential PAIRS: sum_{v,v'} f(v, v') n_v n_v' - sum_v f(v, v) n_v: the sum of f(x_i,
   * x_j) over all ordered pairs of distinct members with counted values. The paper counts each
   * unordered pair once: halve f to match. f need not be symmetric. scores: `values` x `values`
   * finite doubles: f(v, v') is entry v' of row v. The potential is also a SUM, so that all
   * algorithms for SUM apply, if there are numbers c_v with f(v, v') + f(v', v) = c_v + c_v' for
   * all v != v', and if every value is counted or all c_v are equal.
   */
  createPairs(values: number, scores: Rows, options?: PotentialOptions): Potential;
  /**
   * Creates a property that fires the kind of the label at `position`; R = kinds. Chains that end
   * before this position show EMPTY.
   */
  createPositionLabel(labels: Labels, position: number): Property;
  /**
   * Creates the property TokenLabel (Example 1 of the paper), which fires the kind of the label of
   * every position whose table entry is `token`, a number >= 0. R = kinds.
   */
  createTokenLabel(labels: Labels, token: number): Property;
  /**
   * Creates a property that fires the kind of the first label that is not ignored; R = kinds.
   * ignored: a byte for each label, other than 0 if the property ignores the label; null: no label
   * is ignored. createNextLabel and createTokenBefore take such an array too.
   */
  createFirstLabel(labels: Labels, options?: { ignored?: Flags }): Property;
  /**
   * Creates the property NextLabel (Example 2 of the paper). For every segment of the kind
   * `anchor`, it fires the kind of the first label after the segment that is not ignored. If the
   * sequence ends before such a label, it fires `endValue`, or nothing if endValue is -1; endValue
   * = kinds gives the end a value of its own. If another segment of the kind `anchor` follows
   * directly, the kind fired is `anchor`. R = max(kinds, endValue + 1). A label of the kind
   * `anchor` belongs to a segment even if `ignored` names it.
   */
  createNextLabel(labels: Labels, anchor: number, options?: SegmentOptions & { endValue?: number }): Property;
  /**
   * Creates the property BeforeToken (Example 3 of the paper). For every segment of the kind
   * `anchor`, it fires the table entry of the position before the segment. If the segment starts at
   * the first position, it fires `startValue`, or nothing if startValue is -1. R = values.
   */
  createTokenBefore(labels: Labels, anchor: number, values: number, options?: SegmentOptions & { startValue?: number }): Property;
  /** Creates a property from an automaton. */
  createAutomaton(automaton: Automaton): Property;
  /**
   * Creates a local property. actions: classes x labels x (labels + 1) actions, indexed by the
   * class of the position, its label, and the label of its parent (on a chain: of the position
   * before); the last column is for positions without a parent. values: R. labelValues: as in
   * automaton. `fire.table` at position t fires entry t of the table.
   */
  createLocal(local: LocalProperty): Property;
}

/** Methods of `Run` that are functions of C. */
export interface RunMethods {
  /** Returns the result of the last solve, even if the run has no labelling. */
  result(): RunResult;
  /**
   * Returns the chains that are left out, in ascending order, even if no chain has a labelling. If
   * several positions forbid every labelling of a chain, names the last of them.
   */
  leftOut(): LeftOut[];
  /**
   * Returns the T labels of a chain, or those of all chains (without `chain`), chain after chain.
   * -1 for each position of a chain that is left out and not undecided.
   */
  labels(chain?: number | null, options?: OfLabelling): Int32Array;
  /**
   * Returns the value of each member of a clique, in the order of members: 0 .. R-1, R for EMPTY, R
   * + 1 for CONFLICT, -1 for a value outside a dictionary without UNLISTED, and for a member that
   * is left out. A centre is the last member; its entry is the value of the centre. Experimental:
   * it may change or go in any version.
   */
  values(clique: number, options?: OfLabelling): Int32Array;
  /**
   * Returns the reasons of a chain, or of all chains (without `chain`), ordered by chain, then
   * position (whole chains first), then clique. If the label of a position changed and no reason
   * names the position, the label changed because labels of its neighbours did (decode: or because
   * a rule forbids its own label beside these).
   */
  reasons(chain?: number | null): Reason[];
  /**
   * Replaces the best labelling by one of the caller's, for instance that of another system.
   * labels: one for each position, chain by chain; -1 for none. The next solve scores this
   * labelling and the own one, and searches from both, so that no result scores below either. Until
   * then the run has no labelling (NO_LABELLING). Chains with a position without label, and chains
   * whose scores forbid the given labels, use their own.
   */
  setLabels(labels: Numbers): void;
  /**
   * Returns the max-marginals of a chain under the current messages of its cliques: T x m numbers,
   * row-major. Entry t * m + y is the best score, messages included, of a labelling of the chain
   * with label y at position t. margins: for each position its greatest max-marginal minus the
   * second greatest. In a chain of several properties, the beam of the joint mode may leave some
   * max-marginals too low.
   */
  maxMarginals(chain: number): { marginals: Float64Array; margins: Float64Array };
  /**
   * Returns the probability of each label at each position of a chain, given the current messages
   * of its cliques: T x m numbers, row-major. Let s be the score of a labelling of the chain plus
   * the messages. Then the probability of label y at position t is the sum of exp(s / temperature)
   * over the labellings with y at t, divided by the same sum over all labellings. The temperature
   * is above 0; with 1, scores are taken as log-odds. exact is false if the chain's properties have
   * more joint states than `maxStates`: then some labellings were left out, or properties were
   * approximated.
   */
  probabilities(chain: number, options?: { /** 1 by default. */ temperature?: number }): { probabilities: Float64Array; exact: boolean };
}

/** Methods of `Learnt` that are functions of C. */
export interface LearntMethods {
  /**
   * Creates a model with the chains and cliques of a problem's model, in which every clique that
   * has a kind gets the learnt potential of this kind; zero potentials if nothing is applied. The
   * chains are shared with the problem's model, which is kept alive: no scores are copied.
   * Provisional: it may change until version 1.0.
   */
  apply(problem: Problem): Model;
  /**
   * Creates the potential of a kind, for cliques of any size, to be used in agreement or
   * cliqueSetup. values: R of the cliques. The potential is over R + 2 values if they are property
   * cliques. centreValue: for a centred kind, the value of the centre that the potential is for;
   * otherwise -1. Provisional: it may change until version 1.0.
   */
  potential(kind: number, values: number, options?: { centreValue?: number }): Potential;
}

/** Methods of `Ledger` that are functions of C. */
export interface LedgerMethods {
  /**
   * Returns the rows whose labels have changed since the caller was told of them, in ascending
   * order. take: from now on the caller has been told of those that are written; otherwise nothing
   * changes. Looks only at keys whose label has changed. Experimental: it may change or go in any
   * version.
   */
  changes(options?: { /** True by default. */ take?: boolean }): LedgerChange[];
  /**
   * Returns all rows: to read all labels, or to save the ledger. Experimental: it may change or go
   * in any version.
   */
  rows(): LedgerRow[];
  /**
   * Returns what became of all keys, as settle does. Experimental: it may change or go in any
   * version.
   */
  keys(): SettledKey[];
}
