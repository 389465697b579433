// Made by bindings/mirror.py from include/chorale: do not edit.

asked! {
    /// What a rule says about kinds `a` and `b` of labels. A *segment* is a longest stretch of
    /// positions with labels of one kind. Provisional: it may change until version 1.0.
    RuleKind {
        /// At most k segments of a, however long; default.
        AtMost = CHORALE_RULE_AT_MOST,
        /// At least k segments of a.
        AtLeast = CHORALE_RULE_AT_LEAST,
        /// k segments of a.
        Exactly = CHORALE_RULE_EXACTLY,
        /// No position has a.
        Never = CHORALE_RULE_NEVER,
        /// At most k positions have a.
        AtMostTokens = CHORALE_RULE_AT_MOST_TOKENS,
        /// No segment of a has more than k positions.
        NoLonger = CHORALE_RULE_NO_LONGER,
        /// No a comes after a b.
        Before = CHORALE_RULE_BEFORE,
        /// The position before a segment of a exists and has b.
        DirectlyAfter = CHORALE_RULE_DIRECTLY_AFTER,
        /// A and b are not both in the chain.
        NotTogether = CHORALE_RULE_NOT_TOGETHER,
        /// If a is in the chain, b is too.
        Needs = CHORALE_RULE_NEEDS,
    }
}

told! {
    /// What became of the rules of a chain. Provisional: it may change until version 1.0.
    RuleState {
        /// The chain keeps its rules, but for those of which it pays the price.
        Kept = CHORALE_RULES_KEPT,
        /// No labelling keeps the rules of the chain.
        Impossible = CHORALE_RULES_IMPOSSIBLE,
        /// The rules cost more than most_cost.
        TooDear = CHORALE_RULES_TOO_DEAR,
        /// No labelling that keeps the rules was found before a limit ended the search.
        Unfinished = CHORALE_RULES_UNFINISHED,
    }
}

#[cfg(feature = "experimental")]
told! {
    /// Where evidence comes from. Needs the feature `experimental`: it may change or go in any
    /// version.
    EvidenceOrigin {
        /// From the caller.
        Given = CHORALE_EVIDENCE_GIVEN,
        /// From how mentions of a key disagree.
        Estimated = CHORALE_EVIDENCE_ESTIMATED,
        /// From right labels of some mentions.
        Learnt = CHORALE_EVIDENCE_LEARNT,
    }
}

told! {
    /// Why a call failed.
    Status {
        /// An argument that must point somewhere is NULL.
        NullArgument = CHORALE_ERROR_NULL_ARGUMENT,
        /// A size, count or limit is below the least that is allowed.
        Size = CHORALE_ERROR_SIZE,
        /// Sizes whose product overflows, or a size above the greatest one that the library
        /// supports.
        SizeOverflow = CHORALE_ERROR_SIZE_OVERFLOW,
        /// Strides that are negative, or with which rows or entries of an array would overlap.
        Stride = CHORALE_ERROR_STRIDE,
        /// A table with fewer entries than the clique's number of members requires.
        TableTooShort = CHORALE_ERROR_TABLE_TOO_SHORT,
        /// An array of the wrong shape.
        Shape = CHORALE_ERROR_SHAPE,
        /// A potential has another number of values than the clique or array that it is used with.
        ValuesMismatch = CHORALE_ERROR_VALUES_MISMATCH,
        /// A struct with an invalid struct_size, or with a field set that only a newer library
        /// knows.
        StructSize = CHORALE_ERROR_STRUCT_SIZE,
        /// The caller's buffer is too small. The message gives its capacity and the size needed;
        /// nothing was written to the buffer.
        Capacity = CHORALE_ERROR_CAPACITY,
        /// A number that is NaN where it must not be.
        NotANumber = CHORALE_ERROR_NOT_A_NUMBER,
        /// A number that is infinite where it must not be.
        Infinite = CHORALE_ERROR_INFINITE,
        /// A value, label or index outside its range; a score of too large a magnitude.
        OutOfRange = CHORALE_ERROR_OUT_OF_RANGE,
        /// An enumeration constant that this library does not know.
        UnknownConstant = CHORALE_ERROR_UNKNOWN_CONSTANT,
        /// A start assignment that gives a member a value forbidden to it; an edit that leaves a
        /// position no label. (A member fixed to a forbidden value is not an error: the problem is
        /// infeasible.)
        ForbiddenValue = CHORALE_ERROR_FORBIDDEN_VALUE,
        /// The algorithm does not apply to the family of the potential; the message lists
        /// algorithms that do.
        AlgorithmMismatch = CHORALE_ERROR_ALGORITHM_MISMATCH,
        /// The algorithm requires convex tables, and the potential's are not.
        NotConvex = CHORALE_ERROR_NOT_CONVEX,
        /// The algorithm requires concave tables, and the potential's are not.
        NotConcave = CHORALE_ERROR_NOT_CONCAVE,
        /// Exact max-marginals were requested, and there is no exact solver for the potential.
        NotExact = CHORALE_ERROR_NOT_EXACT,
        /// Weights of members for a potential, an algorithm or a call that takes no weights; the
        /// message says which take them.
        Weights = CHORALE_ERROR_WEIGHTS,
        /// A callback returned NaN, plus infinity, a magnitude above 1e290 or a number out of
        /// range.
        CallbackValue = CHORALE_ERROR_CALLBACK_VALUE,
        /// A callback returned non-zero to stop the computation.
        CallbackStopped = CHORALE_ERROR_CALLBACK_STOPPED,
        /// The caller's executor left out, repeated or misnumbered a step of a loop.
        Executor = CHORALE_ERROR_EXECUTOR,
        /// An allocation failed: the host's allocator refused it, or gave a block that is not
        /// aligned.
        OutOfMemory = CHORALE_ERROR_OUT_OF_MEMORY,
        /// The caller's memory is not aligned as required.
        Alignment = CHORALE_ERROR_ALIGNMENT,
        /// A chain and its transitions or properties have different numbers of labels.
        LabelsMismatch = CHORALE_ERROR_LABELS_MISMATCH,
        /// A parent in a tree that does not come before its child.
        ParentOrder = CHORALE_ERROR_PARENT_ORDER,
        /// Parents of a tree that form a cycle.
        ParentCycle = CHORALE_ERROR_PARENT_CYCLE,
        /// A tree was passed to a call that takes only chains.
        NotAChain = CHORALE_ERROR_NOT_A_CHAIN,
        /// A property that is not local was used on a tree.
        AutomatonOnTree = CHORALE_ERROR_AUTOMATON_ON_TREE,
        /// A property that can fire a value outside its range.
        ValueOutsideRange = CHORALE_ERROR_VALUE_OUTSIDE_RANGE,
        /// A chain with properties needs more configurations than `max_states` allows.
        StateSpace = CHORALE_ERROR_STATE_SPACE,
        /// A label name that the labelling scheme does not know.
        LabelName = CHORALE_ERROR_LABEL_NAME,
        /// A chain or position that is already a member of the clique; a clique named twice.
        DuplicateMember = CHORALE_ERROR_DUPLICATE_MEMBER,
        /// A call on a builder that has been frozen into a model.
        Frozen = CHORALE_ERROR_FROZEN,
        /// A property, or the model of repeated words, reads tokens, and the chain has none.
        TokensMissing = CHORALE_ERROR_TOKENS_MISSING,
        /// The argument `earlier` of chorale_run_create is a run on a model with another number of
        /// chains or cliques; or two problems give a kind of cliques different names.
        ModelMismatch = CHORALE_ERROR_MODEL_MISMATCH,
        /// A run that has no labelling (yet).
        NoLabelling = CHORALE_ERROR_NO_LABELLING,
        /// An argument of the wrong kind, such as a position for a property clique, a whole chain
        /// for a position clique, or an instance where a chain is needed.
        Kind = CHORALE_ERROR_KIND,
        /// A callback of a run made a call that would change the run, or made a call that reads the
        /// run at a time when the run changes.
        Busy = CHORALE_ERROR_BUSY,
        /// A call that the state of its object does not allow, such as a bound of a run created
        /// with bound_steps 0, or freezing a builder while a centred clique has no centre.
        State = CHORALE_ERROR_STATE,
        /// The problems to learn from have no gold label that the chain of its position allows.
        NoGold = CHORALE_ERROR_NO_GOLD,
        /// All chains with gold labels belong to one group.
        OneGroup = CHORALE_ERROR_ONE_GROUP,
        /// A fault of the library itself: please report it.
        Internal = CHORALE_ERROR_INTERNAL,
        /// The bytes are not those of a problem file.
        FileFormat = CHORALE_ERROR_FILE_FORMAT,
        /// A problem file is in the other byte order than that of this machine.
        FileByteOrder = CHORALE_ERROR_FILE_BYTE_ORDER,
        /// A problem file has a version that this library does not know.
        FileVersion = CHORALE_ERROR_FILE_VERSION,
        /// A problem file is truncated.
        FileTruncated = CHORALE_ERROR_FILE_TRUNCATED,
        /// A section of a problem file does not match its checksum.
        FileChecksum = CHORALE_ERROR_FILE_CHECKSUM,
        /// A problem file has missing, repeated, overlapping or invalid sections.
        FileSection = CHORALE_ERROR_FILE_SECTION,
        /// The system could not read or write a file; the message gives its error number.
        InputOutput = CHORALE_ERROR_INPUT_OUTPUT,
        /// A model that cannot be saved, because callbacks of the caller compute one of its chains
        /// or a potential.
        NotSavable = CHORALE_ERROR_NOT_SAVABLE,
        /// A text that is not UTF-8, or is not what chorale_learnt_text wrote.
        Text = CHORALE_ERROR_TEXT,
    }
}

told! {
    /// How a computation ended. An outcome is not an error: the call succeeded.
    Outcome {
        /// The algorithm ran to its end; in a run, messages have converged.
        Complete = CHORALE_OUTCOME_COMPLETE,
        /// Ended early: the score is within the requested gap of the upper bound.
        GapReached = CHORALE_OUTCOME_GAP_REACHED,
        /// All rounds, sweeps or steps that the call may do are done, or the rounds of a run
        /// alternate between two labellings. An ordinary end: the labels are the best found.
        IterationLimit = CHORALE_OUTCOME_ITERATION_LIMIT,
        /// All nodes of branch and bound that `node_limit` allows are done. The labels are the best
        /// found.
        NodeLimit = CHORALE_OUTCOME_NODE_LIMIT,
        /// The time limit was reached. The labels are the best found until then.
        Deadline = CHORALE_OUTCOME_DEADLINE,
        /// A cancel or a progress callback ended the call. The labels are the best found until
        /// then.
        Cancelled = CHORALE_OUTCOME_CANCELLED,
        /// Every labelling is proven to score minus infinity.
        Infeasible = CHORALE_OUTCOME_INFEASIBLE,
        /// Every labelling tried scores minus infinity; labellings that were not tried may score
        /// more.
        NothingFound = CHORALE_OUTCOME_NOTHING_FOUND,
    }
}

told! {
    /// What forbids every labelling of a chain.
    Obstacle {
        /// An instance, which does not tell.
        Unknown = CHORALE_OBSTACLE_UNKNOWN,
        /// Every label of the position is forbidden: by a score of minus infinity, by `forced` or
        /// `allowed`, or by the edit chorale_run_set_allowed.
        Scores = CHORALE_OBSTACLE_SCORES,
        /// The position has allowed labels, but each is forbidden by its start or end score, or by
        /// the transitions to all labels that are allowed at the positions after it (on a tree:
        /// below it).
        Transitions = CHORALE_OBSTACLE_TRANSITIONS,
        /// Each labelling that the chain itself allows is forbidden by a clique of which the chain
        /// is the only member, such as a rule.
        Cliques = CHORALE_OBSTACLE_CLIQUES,
        /// No labelling was found that a clique allows, all of whose members are in the chain.
        /// There may be one.
        Undecided = CHORALE_OBSTACLE_UNDECIDED,
    }
}

asked! {
    /// The factor by which a potential is multiplied. n is the number of members of the clique.
    Scale {
        /// The factor 1.
        None = CHORALE_SCALE_NONE,
        /// The potential times 1 / n.
        ByMembers = CHORALE_SCALE_BY_MEMBERS,
        /// The potential times 1 / log n.
        ByLogMembers = CHORALE_SCALE_BY_LOG_MEMBERS,
    }
}

asked! {
    /// The shape of the tables f_v of a SUM potential. A shape that the caller declares is not
    /// checked.
    Shape {
        /// The library determines the shape from the tables.
        Detect = CHORALE_SHAPE_DETECT,
        /// All tables are convex.
        Convex = CHORALE_SHAPE_CONVEX,
        /// All tables are concave.
        Concave = CHORALE_SHAPE_CONCAVE,
    }
}

told! {
    /// The algorithms of clique inference: each finds values of the members of one clique that have
    /// a high score. SUM and MAJORITY are families of potentials.
    Algorithm {
        /// Chooses an algorithm by the potential; the result names the choice. Exact for MAX,
        /// MAJORITY, SUM concave, one member, and at most two values (all uncounted values together
        /// are one). Otherwise the result never scores below that of [`Algorithm::AlphaPass`], and
        /// moves of single members do not improve it; a SUM goes on to [`Algorithm::CountBoxes`] if
        /// a gap is requested. PAIRS that equals a SUM is solved as one.
        Auto = CHORALE_ALGORITHM_AUTO,
        /// For every value alpha and every k from 0 to n, tries the labelling in which the k
        /// members that lose least by taking alpha take alpha, and every other member takes its
        /// best value other than alpha. Returns the best of these labellings. Any family. Exact for
        /// MAX, for two values and for one member; at least 13/15 of the optimum for Potts with
        /// lambda \> 0 and non-negative finite psi. O(R n log n) for SUM and MAX, O(R^2 n) more for
        /// MAJORITY and PAIRS, O(R n) calls for a callback. \[alpha-pass; in the paper k begins at
        /// 1\].
        AlphaPass = CHORALE_ALGORITHM_ALPHA_PASS,
        /// [`Algorithm::AlphaPass`] with a set of up to q = `subset_size` values in place of alpha.
        /// For q \>= 2 at least 8/9 of the optimum for Potts with lambda \> 0 and non-negative
        /// finite psi. O(n R + L^q n (L + log n)) for SUM, where L is the number of values that
        /// some member allows: too slow for L above a few hundred. Any family. \[Generalized
        /// alpha-pass\].
        GeneralisedAlphaPass = CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,
        /// For one value alpha after another, moves a set of members to alpha at once: the set by
        /// which the score rises most, found by dynamic programming over the number of members
        /// moved. Ends when no move to any alpha raises the score. SUM. No guarantee better than
        /// 1/2 of the optimum, even for Potts. O(R n^2) a round over all alphas, memory O(n min(n,
        /// R)). Starts from `start`. \[alpha-expansion\].
        AlphaExpansion = CHORALE_ALGORITHM_ALPHA_EXPANSION,
        /// In each step every member takes the value v that maximises psi_iv plus the slope of f_v
        /// at the current count n_v; ends when no member changes. The score never decreases. SUM
        /// with convex tables. O(n R) a step. Starts from `start`.
        LocalSearch = CHORALE_ALGORITHM_LOCAL_SEARCH,
        /// Iterated conditional modes: moves one member at a time while a move raises the score.
        /// Ends at a labelling that no single move improves. Any family. Evaluates O(n R) moves in
        /// a sweep over the members. Starts from `start`.
        Icm = CHORALE_ALGORITHM_ICM,
        /// MAJORITY: [`Algorithm::AlphaPass`] on the scores psi_iv + w_alpha,v (w: the weights of
        /// the potential). Keeps only those labellings of a pass in which no value has a higher
        /// count than alpha. No guarantee better than 1/2 of the optimum. O(R^2 n + R n log n).
        /// \[Modified alpha-pass\].
        ModifiedAlphaPass = CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS,
        /// MAJORITY: Lagrangian relaxation of the constraint that alpha has the highest count, for
        /// one majority value alpha after another. The three algorithms differ in the rule by which
        /// they change the multipliers. Gives an upper bound as well; no guarantee on the score.
        /// O(R n) for each iteration and each alpha. \[Lagrangian Relaxation; Subgradient
        /// Optimization, Golden Search, Conservative Coordinate Descent\].
        LagrangianSubgradient = CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
        /// MAJORITY: Lagrangian relaxation of the constraint that alpha has the highest count, for
        /// one majority value alpha after another. The three algorithms differ in the rule by which
        /// they change the multipliers. Gives an upper bound as well; no guarantee on the score.
        /// O(R n) for each iteration and each alpha. \[Lagrangian Relaxation; Subgradient
        /// Optimization, Golden Search, Conservative Coordinate Descent\].
        LagrangianGoldenSection = CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION,
        /// MAJORITY: Lagrangian relaxation of the constraint that alpha has the highest count, for
        /// one majority value alpha after another. The three algorithms differ in the rule by which
        /// they change the multipliers. Gives an upper bound as well; no guarantee on the score.
        /// O(R n) for each iteration and each alpha. \[Lagrangian Relaxation; Subgradient
        /// Optimization, Golden Search, Conservative Coordinate Descent\].
        LagrangianConservative = CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE,
        /// MAJORITY: the optimum. For each majority value, searches for its best count k: the best
        /// score is a concave function of k, computed for a given k by a minimum-cost flow over the
        /// R values. Bounds rule out most majority values and counts. At worst O(R log n) flows of
        /// O(n) augmentations of O(R^2 + n R). \[Exact Algorithm\].
        ExactMajority = CHORALE_ALGORITHM_EXACT_MAJORITY,
        /// SUM with concave tables: the optimum, by n shortest augmenting paths over the R values.
        /// O(n (R^2 + n R)) at worst, memory O(n R), also for max-marginals. \[Additive potentials,
        /// negative lambda\].
        ConcaveFlow = CHORALE_ALGORITHM_CONCAVE_FLOW,
        /// SUM, any tables: the optimum, by branch and bound. A node restricts the count of each
        /// value to a range; its upper bound is computed as in [`Algorithm::DualBound`]. A node
        /// with all counts fixed is solved as a transportation problem. Exponential at worst; stops
        /// at the requested gap, the node limit and the deadline.
        CountBoxes = CHORALE_ALGORITHM_COUNT_BOXES,
        /// SUM: an upper bound by Lagrangian relaxation. Members choose values and values choose
        /// members independently; the multipliers mu are changed so that the two choices agree. The
        /// bound is sum_i max_v (psi_iv - mu_iv) + sum_v max_k (f_v(k) + sum of the k largest mu_iv
        /// over i). Returns the best labelling found on the way. O(R n log n) an iteration.
        DualBound = CHORALE_ALGORITHM_DUAL_BOUND,
    }
}

asked! {
    /// Whether rows of a transition matrix stand for the label before or for the label after.
    Orientation {
        /// Entry \[x\]\[y\]: from label x to label y.
        RowsFrom = CHORALE_ROWS_FROM,
        /// Entry \[y\]\[x\]: from label x to label y.
        RowsTo = CHORALE_ROWS_TO,
    }
}

asked! {
    /// How label names mark segments. The label O is outside all segments.
    Scheme {
        /// A name is a kind; any label may follow any.
        Plain = CHORALE_SCHEME_PLAIN,
        /// B begins a segment, I continues it.
        Bio = CHORALE_SCHEME_BIO,
        /// As [`Scheme::Bio`]; E ends a segment, S is a segment of one position.
        Bioes = CHORALE_SCHEME_BIOES,
        /// As [`Scheme::Bioes`], with L for E and U for S.
        Bilou = CHORALE_SCHEME_BILOU,
    }
}

asked! {
    /// The method for a chain with several properties. The exact computation runs over
    /// *configurations*: the joint states of all properties' automata and the values fired so far.
    JointMode {
        /// [`JointMode::Exact`] if no position has more than `max_states` alive configurations,
        /// otherwise [`JointMode::Beam`] of width `max_states`.
        Auto = CHORALE_JOINT_AUTO,
        /// Exact. The call fails with STATE_SPACE if a position would have more than `max_states`
        /// alive configurations.
        Exact = CHORALE_JOINT_EXACT,
        /// The paper's second approximation, local absorption: the message m of a property becomes
        /// local scores, which are those of positions. Every position where the property fires v
        /// gets m(v) - m(EMPTY), or m(v) if m(EMPTY) is minus infinity. Configurations then hold
        /// only the states of the automata. While the message of one property is computed, they
        /// also hold the value that this property has fired. Exact if no property fires twice; if a
        /// property fires more often, the scores of all its firings are added. `max_states` applies
        /// as in [`JointMode::Exact`].
        LocalScores = CHORALE_JOINT_LOCAL_SCORES,
        /// The paper's third approximation: keeps the best `beam_width` configurations at each
        /// position. They are ranked by their best score over all labels plus, for each property
        /// whose message has not been added yet, the message entry of the value fired so far (EMPTY
        /// if none).
        Beam = CHORALE_JOINT_BEAM,
    }
}

asked! {
    /// Where a segment ends. X is the kind of the segment, O a label that the property ignores.
    SegmentRule {
        /// A segment continues over ignored labels: X O X is one segment if O is ignored.
        SpansIgnored = CHORALE_SEGMENT_SPANS_IGNORED,
        /// An ignored label ends a segment: X O X is two segments.
        EndsAtIgnored = CHORALE_SEGMENT_ENDS_AT_IGNORED,
    }
}

asked! {
    /// The number format in which messages are stored. Computations are always in double precision.
    MessageElement {
        /// 16 bytes for each value of a membership (both directions). A difference counts as 0 if
        /// it is at most 1e-12, or at most 1e-12 times the number.
        Float64 = CHORALE_MESSAGES_FLOAT64,
        /// 4 bytes for each value of a membership. Stores distances from the greatest entry of the
        /// row, rounded to 11 bits (0.05 %), from 1e-12 to 8e9 (greater finite distances become
        /// 8e9). Minus infinity is kept, and no finite number becomes minus infinity. Values whose
        /// messages differ by less than the rounding can tie.
        Magnitude16 = CHORALE_MESSAGES_MAGNITUDE16,
        /// Double precision where messages are few or memory stays small beside the scores;
        /// otherwise two bytes for each value of a message.
        Auto = CHORALE_MESSAGES_AUTO,
    }
}

told! {
    /// Why learnt strengths are applied, or why nothing is. Provisional: it may change until
    /// version 1.0.
    Verdict {
        /// Applied: held-out groups cost less.
        Gain = CHORALE_VERDICT_GAIN,
        /// Applied: `without_gold`.
        WithoutGold = CHORALE_VERDICT_WITHOUT_GOLD,
        /// Members agree no more than members shuffled at random.
        NoAgreement = CHORALE_VERDICT_NO_AGREEMENT,
        /// held-out groups do not cost less.
        NoGain = CHORALE_VERDICT_NO_GAIN,
        /// They do, but so few groups, or so little, may be chance.
        MayBeChance = CHORALE_VERDICT_MAY_BE_CHANCE,
        /// Every strength lowers accuracy.
        LowersAccuracy = CHORALE_VERDICT_LOWERS_ACCURACY,
        /// Cancelled, or the time limit came before any strength.
        Interrupted = CHORALE_VERDICT_INTERRUPTED,
    }
}

flags! {
    /// Flags: what is unusual about the problems that were learnt from. Provisional: it may change
    /// until version 1.0.
    Warnings {
        /// Some chains forbid some of their gold labels.
        gold_forbidden = CHORALE_WARNING_GOLD_FORBIDDEN,
        /// Over 99 % of the tagger's labels are right: has the tagger seen the gold labels?
        base_knows = CHORALE_WARNING_BASE_KNOWS,
        /// Fewer than 8 groups.
        few_groups = CHORALE_WARNING_FEW_GROUPS,
        /// `without_gold`: the tagger gives more than nine of ten positions the same label, and it
        /// is not among `uncounted`: agreement may spread it.
        one_label = CHORALE_WARNING_ONE_LABEL,
    }
}
