// Made by bindings/mirror.py from include/chorale: do not edit.

options! {
    /// A property by tables. An automaton reads the positions of a chain in order. In state s, at a
    /// position of class c with label y, it takes the action at index (s * classes + c) * labels +
    /// y, and moves to the state in `next` at the same index. The value of the property is the
    /// value that has fired; EMPTY if nothing has fired, and CONFLICT if two different values have.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    pub struct Automaton<'a> of chorale_automaton {
        pub(crate) labels: usize,
        pub(crate) states: usize,
        pub(crate) values: usize,
        pub(crate) next: &'a [usize],
    }
    set(self) {
        /// Number of classes of positions. Default: 1.
        classes: usize,
        /// The state before the first position.
        start: usize => start = index("start", start)?,
        /// [`Action::Table`] at position t fires entry t + table_offset of the table.
        table_offset: i32,
        /// What [`Action::Table`] fires outside of the table. Default: nothing.
        outside_value: usize => (outside_value, fires_outside) = (index("outside_value", outside_value)?, 1),
        /// Same shape as `next`: the action at the position. Default: no position fires.
        actions: &'a [Action] => _,
        /// For each state: a further action, taken after the last position if the chain ends in
        /// this state. [`Action::Label`] and [`Action::Table`] then use the label and the table
        /// entry of the last position; on an empty chain both fire nothing. Default: no such
        /// actions.
        end_actions: &'a [Action] => _,
        /// For each label: the value that [`Action::Label`] fires, or -1 for nothing. Default: the
        /// label itself.
        label_values: &'a [i32] => [self.labels],
    }
}

options! {
    /// The scores of a sequence or a tree of T positions, each of which has one of m labels. The
    /// score of a labelling is a sum: the unary score of the label at each position, the edge score
    /// of the labels at each pair of neighbours, the start score of the first label, and the end
    /// score of the last label. In a tree, a pair of neighbours is a position and its parent; each
    /// root adds a start score, and each leaf an end score. If one of these scores is minus
    /// infinity, the labelling is forbidden. All scores of a chain have one element type.
    #[derive(Clone, Debug)]
    #[must_use]
    pub struct Chain<'a, N: Element = f64> of chorale_chain {
        pub(crate) unary: Matrix<'a, N>,
        pub(crate) transitions: Option<Transitions>,
        pub(crate) edges: Option<Matrix<'a, N>>,
        pub(crate) allowed: Option<Matrix<'a, u8>>,
    }
    set(self) {
        /// What the rows of `edges` are.
        orientation: Orientation,
        /// m start scores of this chain alone; default: those of `transitions`.
        start: &'a [N] => [self.labels()],
        /// m end scores of this chain alone; default: those of `transitions`.
        end: &'a [N] => [self.labels()],
        /// A tree: T parents, each an earlier position, or -1 for a root (position 0 and possibly
        /// others). Default: a chain.
        parents: &'a [i32] => [self.len()],
        /// T labels that positions must take, -1: free. Default: all free.
        forced: &'a [i32] => [self.len()],
    }
}

options! {
    /// The options for solving a clique. Each method sets one; one that is not set has its default.
    #[derive(Clone, Debug, Default)]
    #[must_use]
    pub struct CliqueOptions<'a> of chorale_clique_options {
        pub(crate) cancel: Option<Cancel>,
    }
    set(self) {
        /// The algorithm; one that does not fit the potential is refused with AlgorithmMismatch.
        algorithm: Algorithm,
        /// Where [`Algorithm::AlphaExpansion`], [`Algorithm::LocalSearch`] and [`Algorithm::Icm`]
        /// start. Default: [`Start::Independent`].
        start: Start<'a> => _,
        /// [`Algorithm::GeneralisedAlphaPass`]: greatest size of a set of values; default: 2.
        subset_size: usize => subset_size = if subset_size == 0 { -1 } else { index("subset_size", subset_size)? },
        /// Greatest number of iterations; default: that of the algorithm. An iteration is a sweep
        /// over the members ([`Algorithm::Icm`], [`Algorithm::LocalSearch`]), a round
        /// ([`Algorithm::AlphaExpansion`]), a step of the multipliers ([`Algorithm::DualBound`];
        /// LAGRANGIAN, counted for each majority value; [`Algorithm::CountBoxes`], counted for each
        /// node), a majority value ([`Algorithm::ModifiedAlphaPass`]) or a flow
        /// ([`Algorithm::ExactMajority`], which checks the limit before each majority value).
        iteration_limit: usize,
        /// [`Algorithm::CountBoxes`]: greatest number of nodes; default: no limit.
        node_limit: usize,
        /// [`Algorithm::CountBoxes`]: greatest number of open nodes; when it is reached the search
        /// continues depth first. Memory for this number of nodes is allocated before the search:
        /// about 8 n + 8 R bytes each, at most 1 GiB together. Default: as many as fit in 16 MiB,
        /// but at least 16 and at most 8192.
        node_pool: usize,
        /// The LAGRANGIAN algorithms: the relaxation for a majority value alpha ends when no count
        /// exceeds that of alpha, and complementary slackness is violated by at most this fraction
        /// of the largest useful multiplier (a greater multiplier would change the value of no
        /// member). Default: 1e-3.
        tolerance: f64,
        /// Requested gap: stop when upper bound - score \<= gap * |score|, or when the difference
        /// is within rounding: at most 1e-12 (sum_i |psi\[i\]\[x_i\]| + |C|). Zero: a proof of
        /// optimality. Default: no gap is requested, and [`Algorithm::Auto`] computes no bound that
        /// its algorithms do not need.
        gap: f64 => (gap, prove) = (gap, (gap == 0.0).into()),
        /// Time limit from the start of the call; default: none. Every algorithm ends within
        /// milliseconds of a limit or a cancel, but for the check of the arguments, which is one
        /// pass over the scores, and the score of the result, one pass over the members. After a
        /// limit the result is the best labelling so far; it scores at least as much as the
        /// labelling in which each member has its best value. After a limit, the callback of a
        /// CALLBACK potential is called only to score the result. In large cliques, a limit that
        /// comes before all scores are read gives score minus infinity and no assignment;
        /// max-marginals are 0 after any limit.
        time_limit: Duration => time_limit = seconds(Some(time_limit)),
        /// If true, max-marginals must be exact: NotExact if the potential has no exact solver.
        exact_marginals: bool,
    }
}

options! {
    /// The members of one clique.
    #[derive(Clone, Debug)]
    #[must_use]
    pub struct CliqueProblem<'a> of chorale_clique_problem {
        pub(crate) scores: Matrix<'a, f64>,
    }
    set(self) {
        /// n entries: the value that member i must take, or -1 if free. Default: all free.
        fixed: &'a [i32] => [self.members()],
        /// n weights \>= 1 whose sum is at most 2^31 - 1: member i counts weights\[i\] times.
        /// Default: 1 for all.
        weights: &'a [i64] => [self.members()],
    }
}

options! {
    /// Many chains with the same number of labels, whose scores are in one array. A position is
    /// numbered by its row in this array, through all chains.
    #[derive(Clone, Debug)]
    #[must_use]
    pub struct Corpus<'a, N: Element = f64> of chorale_corpus {
        pub(crate) unary: Matrix<'a, N>,
        pub(crate) offsets: Option<Cow<'a, [i64]>>,
    }
    set(self) {
        /// Transitions of all chains; default: all scores are 0.
        transitions: &'a Transitions => transitions = transitions.as_ptr(),
        /// For each position: a token id \>= 0, or -1 for none. Default: no chain has any.
        tokens: &'a [i32] => [self.rows()],
        /// For each chain: the number of its group (document). Default: 0 for all.
        groups: &'a [i64] => [self.chains()],
        /// Labels that take no part in the agreement of positions: positions gain nothing by having
        /// them together, and may gain by leaving them. The label of no entity ("O") ought to be
        /// one: on novels it costs 8 points of F1 if it takes part. Default: all take part.
        uncounted: &'a [i32] => (uncounted, uncounted_count) = lent_or_none(uncounted),
        /// For each position: m x m scores without gaps, of the type of `unary`, which replace the
        /// edge scores and the mask of `transitions`: entry \[x\]\[y\] is the score of label y at
        /// this position after label x at the one before it. The matrix of the first position of a
        /// chain is not read. Default: the edge scores of `transitions`.
        edges: &'a [N] => [product(&[self.rows(), self.labels(), self.labels()])?],
        /// For each position: the label that it must take, or -1: free. Default: all free.
        forced: &'a [i32] => [self.rows()],
        /// For each position: m bytes, 0 forbids a label. Default: all allowed.
        allowed: &'a [u8] => [self.rows().saturating_mul(self.labels())],
        /// For each chain: how many equal chains it stands for, from 1 to 2^31 - 1, such as equal
        /// rows of a table. Default: 1 for all.
        counts: &'a [i64] => [self.chains()],
    }
}

options! {
    /// The options of learning. Provisional: it may change until version 1.0. Each method sets one;
    /// one that is not set has its default.
    #[derive(Debug, Default)]
    #[must_use]
    pub struct LearnOptions<'a> of chorale_learn_options {
        pub(crate) costs: Option<(&'a [f64], usize)>,
        pub(crate) cancel: Option<Cancel>,
        pub(crate) progress: Option<ProgressFunction<'a, LearnProgress>>,
    }
    set(self) {
        /// For each label the class that the label counts as in micro F1, or None if it does not
        /// count. Default: every label counts, and accuracy (or `costs`) decides.
        classes: &'a [Option<usize>] => _,
        /// For each label whether the label begins a span (B-PER). F1 is then that of spans: the
        /// longest stretches of a chain with labels of one class of which only the first may begin
        /// a span. Needs `classes`. Default: F1 is that of tokens.
        begins: &'a [bool] => _,
        /// If true, strengths may be applied that lower accuracy by more than a standard error.
        may_lower_accuracy: bool,
        /// If true, gold labels are not read. The strength of positions is the largest, up to 2,
        /// under which fewer labels change than errors are expected by the tagger's probabilities;
        /// that of properties is 2, of centres 1, with s n_c. Bonuses are 0. It says how strongly
        /// members should agree, not whether they do.
        without_gold: bool,
        /// Number of threads; default: 1. The result is the same for any number.
        threads: usize => threads = positive(threads),
        /// Time limit, after which no further strength is tried; default: five minutes; None: no
        /// limit.
        time_limit: Option<Duration> => time_limit = seconds(time_limit),
    }
}

options! {
    /// Members of one clique, or of several consecutive ones.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    pub struct Members<'a> of chorale_members {
        pub(crate) chains: &'a [i64],
        pub(crate) centres: Option<(&'a [i64], &'a [i64])>,
    }
    set(self) {
        /// Clique first + c gets the members offsets\[c\] .. offsets\[c + 1\] - 1: cliques + 1
        /// entries, ascending.
        offsets: &'a [i64] => _,
        /// For each member: a position in its chain, or -1 for the whole chain. Default: whole
        /// chains in property cliques, position 0 in others, as for single items.
        positions: &'a [i64] => [self.chains.len()],
        /// For each member: how often the member counts, \>= 1: the weights w_i. The count of a
        /// value is the sum of the weights of the members with this value, and n is the sum of all
        /// weights; this holds in the potential and in reasons. The scores of the members are not
        /// multiplied. If the options of a run ask for exact max-marginals or for an algorithm that
        /// takes no weights, they do not apply to cliques with weights. Default: 1 for all.
        weights: &'a [i64] => [self.chains.len()],
        /// For each member, for a whole chain: the class of each of its positions. Default, or
        /// None: all 0.
        classes: &'a [Option<&'a [i32]>] => _,
        /// For each member, for a whole chain: a number for each of its positions.
        /// [`Action::Table`] fires it, -1 for none; a property of
        /// [`Property::token_label`](crate::Property::token_label) compares it, such as a token id.
        /// Default, or None: the tokens of the chain.
        tables: &'a [Option<&'a [i32]>] => _,
    }
}

#[cfg(feature = "experimental")]
options! {
    /// The columns of a table of N rows. Each is a mention of one of K keys, such as a name, with
    /// one of m labels. Needs the feature `experimental`: it may change or go in any version.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    pub struct Mentions<'a> of chorale_mentions {
        pub(crate) keys: usize,
        pub(crate) labels: usize,
        pub(crate) key: &'a [i32],
    }
    set(self) {
        /// For each row: the label of each mention, 0 .. m - 1; -1: the mention says nothing, and
        /// gets the label of its key. Default: the label with the best score.
        label: &'a [i32] => [self.key.len()],
        /// For each row: how probable the label is, from 0 to 1; NaN: the mention has a label and
        /// says nothing. Default: 0.8. Ignored if there are scores.
        confidence: &'a [f64] => [self.key.len()],
        /// Rows x labels: log-probabilities of all labels; any number may be added to a row.
        /// Default: all labels but `label` are equally probable.
        scores: &'a [f64] => [product(&[self.key.len(), self.labels])?],
        /// For each row: for how many equal mentions each stands, at least 1. Default: 1.
        times: &'a [i64] => [self.key.len()],
        /// For each row: the right label, -1: unknown. Default: all unknown.
        gold: &'a [i32] => [self.key.len()],
        /// For each key: the label that all mentions of a key have, or
        /// [`NO_ANSWER`](crate::NO_ANSWER) or [`ANSWER_DIFFERS`](crate::ANSWER_DIFFERS). Default:
        /// no answers.
        answers: &'a [i32] => [self.keys],
        /// For each row: labels told before, when a ledger is filled from its rows.
        told: &'a [i32] => [self.key.len()],
    }
}

options! {
    /// The options of all potentials. Each method sets one; one that is not set has its default.
    #[derive(Clone, Debug, Default)]
    #[must_use]
    pub struct PotentialOptions<'a> of chorale_potential_options {
    }
    set(self) {
        /// The factor by which the potential is multiplied.
        scale: Scale,
        /// Shape of the tables of a SUM; other families ignore it.
        shape: Shape,
        /// For each value whether it is counted. Members with a value that is not are part of n but
        /// add nothing, and it is never the majority. Default: every value is counted.
        counted: &'a [bool] => _,
    }
}

options! {
    /// The options of a run. Each method sets one; one that is not set has its default.
    #[derive(Debug, Default)]
    #[must_use]
    pub struct RunOptions<'a> of chorale_run_options {
        pub(crate) cancel: Option<Cancel>,
        pub(crate) progress: Option<ProgressFunction<'a, Progress>>,
        pub(crate) rules: Option<Rules<'a>>,
    }
    set(self) {
        /// Greatest number of rounds of a solve; default: 10; zero: only the start.
        rounds: usize => rounds = if rounds == 0 { c::CHORALE_NO_ROUNDS.into() } else { size(rounds) },
        /// 0 \<= d \< 1: a clique's new message is d * old message + (1 - d) * computed message.
        /// Default: 0.
        damping: f64,
        /// Algorithm for messages of cliques: one that finds max-marginals. [`Algorithm::Auto`] is
        /// used for cliques whose potential it does not fit. Default: [`Algorithm::Auto`].
        algorithm: Algorithm,
        /// If true, messages of cliques are exact wherever the family has an exact solver (slow for
        /// convex sums).
        exact_marginals: bool,
        /// Whether a local search follows the rounds, which decodes one chain at a time again while
        /// the score rises. Default: true.
        local_search: bool => no_local_search = !local_search,
        /// If true, messages of a property clique cover only the values that some member chain
        /// fires in its best labelling without cliques, even if this labelling shows CONFLICT (the
        /// paper's first approximation). Equation 1 still scores all values. Creating a run then
        /// decodes the chains of property cliques once more.
        restrict_range: bool,
        /// If true, the run takes [`Run::set_allowed`](crate::Run::set_allowed) and
        /// [`Run::set_strength`](crate::Run::set_strength). This costs m bytes for each position,
        /// 30 for each chain, 40 for each clique, and two counts for each value of a clique. Does
        /// not affect the choice of a format by [`MessageElement::Auto`].
        edits: bool,
        /// How chains under several properties are decoded. In modes [`JointMode::Exact`] and
        /// [`JointMode::LocalScores`], creating a run decodes every such chain once, and fails with
        /// StateSpace if a chain needs more configurations than `max_states`. Later messages may
        /// need more configurations: [`JointMode::LocalScores`] stores more states where messages
        /// forbid EMPTY, and then drops configurations beyond `max_states` like a beam;
        /// [`JointMode::Exact`] prunes configurations by the messages, so under other messages it
        /// may need more and end the call with StateSpace. For each thread, a run allocates about T
        /// x (m + 1) x 8 bytes for each configuration that can be alive, where T is the length of
        /// the chain that needs most.
        joint_mode: JointMode,
        /// Format in which messages are stored. Default: [`MessageElement::Auto`].
        message_element: MessageElement,
        /// Configurations that [`JointMode::Beam`] keeps at a position; default: 300.
        beam_width: usize => beam_width = positive(beam_width),
        /// Greatest number of configurations alive at a position; default: 1024.
        max_states: usize => max_states = positive(max_states),
        /// Threads (default: 1), which share the work by chain and by clique. More than 256 count
        /// as 256.
        threads: usize => threads = positive(threads),
        /// Time limit of each call that computes; default: none.
        time_limit: Duration => time_limit = seconds(Some(time_limit)),
        /// Greatest number of steps by which a solve lowers the upper bound; default: no bound. A
        /// step decodes every chain and solves every clique. The steps end early when the bound
        /// meets the score. The bound is plus infinity if the potential of some clique has no bound
        /// (PAIRS, CALLBACK), or if a dictionary without UNLISTED omits values that can fire.
        bound_steps: usize,
        /// How long a solve looks for moves of several chains: it ends after an amount of work
        /// without a gain, which is a multiple of this number. 1: about ten times the time of a run
        /// without moves, wherever they might gain. Default: less than half of that, only where
        /// they are likely to gain, and nowhere in runs with `edits`. Below 0: no moves. More
        /// effort, if above 0, never scores less.
        effort: f64,
    }
}
