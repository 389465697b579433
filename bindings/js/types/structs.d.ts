// Made by bindings/mirror.py from include/chorale: do not edit.

/**
 * How a computation ended. An outcome is not an error: the call succeeded. "complete": The
 * algorithm ran to its end; in a run, messages have converged. "gap-reached": Ended early: the
 * score is within the requested gap of the upper bound. "iteration-limit": All rounds, sweeps or
 * steps that the call may do are done, or the rounds of a run alternate between two labellings. An
 * ordinary end: the labels are the best found. "node-limit": All nodes of branch and bound that
 * `nodeLimit` allows are done. The labels are the best found. "deadline": The time limit was
 * reached. The labels are the best found until then. "cancelled": A cancel or a progress callback
 * ended the call. The labels are the best found until then. "infeasible": Every labelling is proven
 * to score minus infinity. "nothing-found": Every labelling tried scores minus infinity; labellings
 * that were not tried may score more.
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
 * What forbids every labelling of a chain. "unknown": An instance, which does not tell. "scores":
 * Every label of the position is forbidden: by a score of minus infinity, by `forced` or `allowed`,
 * or by the edit runSetAllowed. "transitions": The position has allowed labels, but each is
 * forbidden by its start or end score, or by the transitions to all labels that are allowed at the
 * positions after it (on a tree: below it). "cliques": Each labelling that the chain itself allows
 * is forbidden by a clique of which the chain is the only member, such as a rule. "undecided": No
 * labelling was found that a clique allows, all of whose members are in the chain. There may be
 * one.
 */
export type Obstacle =
  | "unknown"
  | "scores"
  | "transitions"
  | "cliques"
  | "undecided";

/**
 * What became of the rules of a chain. "kept": The chain keeps its rules. "impossible": No
 * labelling keeps the rules of the chain. "too-dear": The rules cost more than mostCost.
 * "unfinished": No labelling that keeps the rules was found before a limit ended the search.
 */
export type RuleState =
  | "kept"
  | "impossible"
  | "too-dear"
  | "unfinished";

/**
 * Why learnt strengths are applied, or why nothing is. "gain": Applied: held-out groups cost less.
 * "without-gold": Applied: `withoutGold`. "no-agreement": Members agree no more than members
 * shuffled at random. "no-gain": held-out groups do not cost less. "may-be-chance": They do, but so
 * few groups, or so little, may be chance. "lowers-accuracy": Every strength lowers accuracy.
 * "interrupted": Cancelled, or the time limit came before any strength.
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
 * Flags: what is unusual about the problems that were learnt from. "gold-forbidden": Some chains
 * forbid some of their gold labels. "base-knows": Over 99 % of the tagger's labels are right: has
 * the tagger seen the gold labels?. "few-groups": Fewer than 8 groups. "one-label": `withoutGold`:
 * the tagger gives more than nine of ten positions the same label, and it is not among `uncounted`:
 * agreement may spread it.
 */
export type LearnWarning =
  | "gold-forbidden"
  | "base-knows"
  | "few-groups"
  | "one-label";

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
  /** What forbids them. */
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

/** A chain to which rules were added, since a labelling of it broke them. */
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

/** Why rules change a label, as if there were no agreements. */
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

/** Progress of learning, told each time that a problem has been labelled. */
export interface LearnProgress {
  /** How often a problem was labelled so far. */
  readonly runs: number;
  /** Upper bound on `runs`. */
  readonly runsMost: number;
}

/**
 * The report. Everything is counted on held-out groups, at positions with known gold labels: for
 * the tagger's own labels, for the control (bonuses alone), and for the labels that agree. Without
 * gold labels, or if no strength was tried, figures that are unknown are 0.
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
  /** Cost as described at the top. */
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
  /** For runProbabilities, at positions whose label is the tagger's; 0: unknown. */
  readonly temperature: number;
  /** The same, at positions whose label agreement changed; 0: unknown. */
  readonly changedTemperature: number;
}

/**
 * What was learnt for one kind of cliques: the strength s and the bonus b of s sum_v n_v^2 / n + b
 * sum_v n_v, where n_v of n members have value v.
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

/** What became of a mention, and why. */
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

/** What became of a key. */
export interface SettledKey {
  /** Of all mentions; -1: each has its own. */
  readonly label: number;
  /** Evidence does not settle the key: it is two things, or labels are tied. */
  readonly conflict: boolean;
  /** How many mentions it has. */
  readonly mentions: number;
  /** What the mentions say against the best single label. */
  readonly against: number;
  /** What counts as too much: once + perMention  n, at least 0. */
  readonly price: number;
  /**
   * How many mentions are expected to change if a person says what the key is: the keys with the
   * greatest numbers are those to ask about. If the key is in conflict, it counts as even whether
   * it is one thing or several. 0 after an answer.
   */
  readonly expected: number;
}

/** A row whose label should now be another than the caller was told. */
export interface LedgerChange {
  /** Number of the row: the first that was ever added is 0. */
  readonly row: number;
  /** The label that it should now have; -1: none. */
  readonly label: number;
  /** The label that the caller was told; -1: none. */
  readonly told: number;
}

/** A row as it was added, with its label. */
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
