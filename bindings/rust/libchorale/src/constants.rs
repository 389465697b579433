//! The constants of the C interface, as enums, and what members of cliques show.

use crate::array::index;
use crate::{c, Error, Result};

/// An enum of what the library tells: a newer library may know more.
macro_rules! told {
    ($(#[$about:meta])* $type:ident { $($(#[$doc:meta])* $name:ident = $raw:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$doc])* $name,)*
            /// A number that this version of the crate does not know.
            Other(i32),
        }

        impl $type {
            pub(crate) fn from_raw(number: i32) -> Self {
                match number {
                    $(c::$raw => Self::$name,)*
                    other => Self::Other(other),
                }
            }
            /// The number of the C interface, which is the same in every language.
            pub fn number(self) -> i32 {
                match self {
                    $(Self::$name => c::$raw,)*
                    Self::Other(number) => number,
                }
            }
        }
    };
}

/// An enum of what the library is asked for.
macro_rules! asked {
    ($(#[$about:meta])* $type:ident { $($(#[$doc:meta])* $name:ident = $raw:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$doc])* $name,)*
        }

        impl $type {
            pub(crate) fn raw(self) -> i32 {
                match self {
                    $(Self::$name => c::$raw,)*
                }
            }
        }
    };
}

told! {
    /// How a call failed; see [`Error`](crate::Error).
    Status {
        /// Something that the call needs is missing: the table of a property that reads one, say.
        NullArgument = ERROR_NULL_ARGUMENT,
        /// A size, count or limit is below the least allowed.
        Size = ERROR_SIZE,
        /// Sizes whose product does not fit, or that exceed what the library can index.
        SizeOverflow = ERROR_SIZE_OVERFLOW,
        /// A row stride shorter than a row.
        Stride = ERROR_STRIDE,
        /// A table with fewer entries than the members of the problem ask for.
        TableTooShort = ERROR_TABLE_TOO_SHORT,
        /// An array of the wrong shape.
        Shape = ERROR_SHAPE,
        /// Potential and problem have different numbers of values.
        ValuesMismatch = ERROR_VALUES_MISMATCH,
        /// A struct of another version of the interface: crate and library do not fit together.
        StructSize = ERROR_STRUCT_SIZE,
        /// An array of the caller that is too short for what it is to hold. Nothing was written to
        /// it.
        Capacity = ERROR_CAPACITY,
        /// A number that is NaN.
        NotANumber = ERROR_NOT_A_NUMBER,
        /// A number that is infinite where it must not be.
        Infinite = ERROR_INFINITE,
        /// A value, label or index outside its range; a score of too large a magnitude.
        OutOfRange = ERROR_OUT_OF_RANGE,
        /// A constant that the library does not know.
        UnknownConstant = ERROR_UNKNOWN_CONSTANT,
        /// An assignment or a start that uses a forbidden value.
        ForbiddenValue = ERROR_FORBIDDEN_VALUE,
        /// The algorithm does not apply to the family of the potential.
        AlgorithmMismatch = ERROR_ALGORITHM_MISMATCH,
        /// Convex tables are required and these are not.
        NotConvex = ERROR_NOT_CONVEX,
        /// Concave tables are required and these are not.
        NotConcave = ERROR_NOT_CONCAVE,
        /// Exact max-marginals were asked for where no exact solver exists.
        NotExact = ERROR_NOT_EXACT,
        /// A callback gave NaN, plus infinity or a number out of range.
        CallbackValue = ERROR_CALLBACK_VALUE,
        /// A callback asked to stop.
        CallbackStopped = ERROR_CALLBACK_STOPPED,
        /// An executor that did not call every step of a loop once.
        Executor = ERROR_EXECUTOR,
        /// There is no memory.
        OutOfMemory = ERROR_OUT_OF_MEMORY,
        /// The caller's memory is too small; the message says how many bytes are needed.
        WorkspaceTooSmall = ERROR_WORKSPACE_TOO_SMALL,
        /// Memory from the caller that is not aligned to 64; [`AlignedBytes`](crate::AlignedBytes) is.
        Alignment = ERROR_ALIGNMENT,
        /// The host's allocator gave memory that is not aligned as asked.
        AllocatorAlignment = ERROR_ALLOCATOR_ALIGNMENT,
        /// A chain and what it is used with have different numbers of labels.
        LabelsMismatch = ERROR_LABELS_MISMATCH,
        /// A parent that does not come before its children.
        ParentOrder = ERROR_PARENT_ORDER,
        /// Parents that go round in a circle.
        ParentCycle = ERROR_PARENT_CYCLE,
        /// What only a chain can do was asked of a tree.
        NotAChain = ERROR_NOT_A_CHAIN,
        /// A property that reads a sequence was put on a tree; only local properties may.
        AutomatonOnTree = ERROR_AUTOMATON_ON_TREE,
        /// A property that can fire a value outside its range.
        ValueOutsideRange = ERROR_VALUE_OUTSIDE_RANGE,
        /// The joint state of several properties exceeds the budget.
        StateSpace = ERROR_STATE_SPACE,
        /// A label name that the labelling scheme does not know.
        LabelName = ERROR_LABEL_NAME,
        /// A chain, or a position of one, that is a member of the clique already.
        DuplicateMember = ERROR_DUPLICATE_MEMBER,
        /// A builder whose model was made.
        Frozen = ERROR_FROZEN,
        /// A chain without tokens where tokens are needed.
        TokensMissing = ERROR_TOKENS_MISSING,
        /// An earlier run over a model of other sizes.
        ModelMismatch = ERROR_MODEL_MISMATCH,
        /// A run that has no labelling (yet).
        NoLabelling = ERROR_NO_LABELLING,
        /// A call that does not fit the kind of what it is given: a position for a clique over a
        /// property, a whole chain for a clique over positions, an instance where a chain is
        /// needed.
        Kind = ERROR_KIND,
        /// A run in the middle of a call, which one of its callbacks asked to change, or to be read.
        Busy = ERROR_BUSY,
        /// A call that the state of its object does not allow: a bound of a run made without bound
        /// steps, a builder frozen while a centred clique has no centre.
        State = ERROR_STATE,
        /// Learning from problems of which no gold label is known.
        NoGold = ERROR_NO_GOLD,
        /// Learning from chains that are all of one group.
        OneGroup = ERROR_ONE_GROUP,
        /// A fault of the library itself: please report it.
        Internal = ERROR_INTERNAL,
        /// Not a problem file.
        FileFormat = ERROR_FILE_FORMAT,
        /// A problem file that is not little-endian.
        FileByteOrder = ERROR_FILE_BYTE_ORDER,
        /// A problem file of a version that the library does not know.
        FileVersion = ERROR_FILE_VERSION,
        /// A problem file shorter than it says.
        FileTruncated = ERROR_FILE_TRUNCATED,
        /// A problem file whose bytes are not those that were written.
        FileChecksum = ERROR_FILE_CHECKSUM,
        /// A problem file whose sections do not fit together.
        FileSection = ERROR_FILE_SECTION,
        /// The system could not read or write the file.
        InputOutput = ERROR_INPUT_OUTPUT,
        /// An oracle instance or a callback potential, which no file can hold.
        NotSavable = ERROR_NOT_SAVABLE,
        /// A text that is not UTF-8.
        Text = ERROR_TEXT,
    }
}

told! {
    /// How a computation ended. An outcome is not an error: the call was carried out.
    Outcome {
        /// The algorithm came to its own end.
        Complete = OUTCOME_COMPLETE,
        /// The requested gap was reached before that.
        GapReached = OUTCOME_GAP_REACHED,
        /// The rounds, sweeps or steps that the options allow are used up. Not an error.
        IterationLimit = OUTCOME_ITERATION_LIMIT,
        /// The nodes that the options allow are used up.
        NodeLimit = OUTCOME_NODE_LIMIT,
        /// The time limit was reached.
        Deadline = OUTCOME_DEADLINE,
        /// The flag was raised, or the progress callback asked to end.
        Cancelled = OUTCOME_CANCELLED,
        /// Proven: every labelling scores minus infinity.
        Infeasible = OUTCOME_INFEASIBLE,
        /// No labelling above minus infinity was found, and none excluded.
        NothingFound = OUTCOME_NOTHING_FOUND,
    }
}

impl Outcome {
    /// The name in lower case, "iteration-limit" say; "unknown outcome" for one that the library
    /// does not know.
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(c::outcome_name(self.number())) }
    }
}

told! {
    /// How serious a line of the log is.
    LogLevel {
        /// For those who debug the library.
        Debug = LOG_DEBUG,
        /// What may be of interest.
        Info = LOG_INFO,
        /// What is probably a mistake.
        Warning = LOG_WARNING,
    }
}

asked! {
    /// What a potential is multiplied by; `n` is the number of members of the clique.
    Scale {
        /// Times 1.
        None = SCALE_NONE,
        /// Times `1 / n`.
        ByMembers = SCALE_BY_MEMBERS,
        /// Times `1 / log n`, 1 where that is undefined.
        ByLogMembers = SCALE_BY_LOG_MEMBERS,
    }
}

asked! {
    /// What is known of the tables of a SUM potential. The library takes the word of the caller.
    Shape {
        /// The library looks at the tables.
        Detect = SHAPE_DETECT,
        /// All tables are convex.
        Convex = SHAPE_CONVEX,
        /// All tables are concave.
        Concave = SHAPE_CONCAVE,
    }
}

told! {
    /// The families of potentials.
    Family {
        /// `sum_v f_v(n_v)`: Potts, entropy, cardinality tables.
        Sum = FAMILY_SUM,
        /// `max_v f_v(n_v)`: makespan, square makespan.
        Max = FAMILY_MAX,
        /// `f_a(n)`, `a` the value of highest count.
        Majority = FAMILY_MAJORITY,
        /// A sum over pairs of members.
        Pairs = FAMILY_PAIRS,
        /// Any function of the counts.
        Callback = FAMILY_CALLBACK,
    }
}

impl Family {
    /// The name in lower case, "majority" say; "unknown family" for one that the library does not
    /// know.
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(c::family_name(self.number())) }
    }
}

told! {
    /// The algorithms of clique inference. What each finds, and what it costs, is in the
    /// header `chorale/clique.h`.
    Algorithm {
        /// The library chooses by family.
        Auto = ALGORITHM_AUTO,
        /// Any family. For every value and every count, the members that lose least by the value take it,
        /// the others their best other value; the best of these labellings.
        AlphaPass = ALGORITHM_ALPHA_PASS,
        /// Any family. The same with a set of values in the place of one.
        GeneralisedAlphaPass = ALGORITHM_GENERALISED_ALPHA_PASS,
        /// SUM: optimal moves of any set of members to one value, until none improves.
        AlphaExpansion = ALGORITHM_ALPHA_EXPANSION,
        /// Convex SUM: every member takes its best value at the counts so far, until nothing changes.
        Polish = ALGORITHM_POLISH,
        /// Any family. Moves of single members, until none improves (iterated conditional modes).
        Icm = ALGORITHM_ICM,
        /// MAJORITY: alpha-pass that keeps only labellings in which its value is the majority.
        ModifiedAlphaPass = ALGORITHM_MODIFIED_ALPHA_PASS,
        /// MAJORITY: Lagrangian relaxation by subgradients.
        LagrangianSubgradient = ALGORITHM_LAGRANGIAN_SUBGRADIENT,
        /// MAJORITY: Lagrangian relaxation by golden-section search.
        LagrangianGoldenSection = ALGORITHM_LAGRANGIAN_GOLDEN_SECTION,
        /// MAJORITY: Lagrangian relaxation by conservative coordinate descent.
        LagrangianConservative = ALGORITHM_LAGRANGIAN_CONSERVATIVE,
        /// MAJORITY: the optimum.
        ExactMajority = ALGORITHM_EXACT_MAJORITY,
        /// SUM with concave tables: the optimum.
        ConcaveFlow = ALGORITHM_CONCAVE_FLOW,
        /// SUM: the optimum, by branch and bound over the counts.
        CountBoxes = ALGORITHM_COUNT_BOXES,
        /// SUM: an upper bound by Lagrange multipliers.
        DualBound = ALGORITHM_DUAL_BOUND,
    }
}

asked! {
    /// What a clique solver's memory is for.
    CliqueTask {
        /// [`CliqueSolver::solve`](crate::CliqueSolver::solve).
        Solve = CLIQUE_SOLVE,
        /// [`CliqueSolver::max_marginals`](crate::CliqueSolver::max_marginals).
        MaxMarginals = CLIQUE_MAX_MARGINALS,
    }
}

asked! {
    /// What max-marginals of a clique contain.
    MarginalForm {
        /// `m(i, v)`: the best score in which member `i` takes `v`.
        Score = MARGINAL_SCORE,
        /// `m(i, v)` less the member's own score: the message of the clique to the member.
        Message = MARGINAL_MESSAGE,
    }
}

asked! {
    /// What the rows of a transition matrix stand for.
    Orientation {
        /// Entry `[x][y]`: from label `x` to label `y`.
        RowsFrom = ROWS_FROM,
        /// Entry `[y][x]`: from label `x` to label `y`.
        RowsTo = ROWS_TO,
    }
}

asked! {
    /// How label names spell segments.
    Scheme {
        /// A name is a kind; any label may follow any.
        Plain = SCHEME_PLAIN,
        /// B begins a segment, I continues it.
        Bio = SCHEME_BIO,
        /// As BIO, E ends a segment, S is a segment of one position.
        Bioes = SCHEME_BIOES,
        /// As BIOES, L for E and U for S.
        Bilou = SCHEME_BILOU,
    }
}

asked! {
    /// What a chain solver's memory is for.
    ChainTask {
        /// [`ChainSolver::best`](crate::ChainSolver::best).
        Best = CHAIN_SOLVE,
        /// [`ChainSolver::max_marginals`](crate::ChainSolver::max_marginals).
        MaxMarginals = CHAIN_MAX_MARGINALS,
        /// [`ChainSolver::k_best`](crate::ChainSolver::k_best).
        KBest = CHAIN_K_BEST,
    }
}

asked! {
    /// What a chain solver's memory is for, of a chain under properties.
    MessageTask {
        /// [`ChainSolver::messages`](crate::ChainSolver::messages).
        Send = MESSAGE_SEND,
        /// [`ChainSolver::decode`](crate::ChainSolver::decode).
        Decode = MESSAGE_DECODE,
    }
}

asked! {
    /// How a chain under several properties is treated.
    JointMode {
        /// Exact while the state fits the budget, a beam of that width from there on.
        Auto = JOINT_AUTO,
        /// Exact, or an error where the state exceeds the budget.
        Exact = JOINT_EXACT,
        /// Local absorption, the paper's second approximation.
        Absorption = JOINT_ABSORPTION,
        /// The paper's third approximation.
        Beam = JOINT_BEAM,
    }
}

asked! {
    /// Where a segment of the anchor ends.
    SegmentRule {
        /// Ignored labels belong to it: X O X is one segment.
        SpansIgnored = SEGMENT_SPANS_IGNORED,
        /// X O X is two.
        EndsAtIgnored = SEGMENT_ENDS_AT_IGNORED,
    }
}

asked! {
    /// What becomes of the values outside a [`Dictionary`](crate::Dictionary).
    Outside {
        /// A labelling that fires one is left out of messages and decoding.
        Forbidden = OUTSIDE_FORBIDDEN,
        /// All of them are one more value, OUT.
        AsOut = OUTSIDE_AS_OUT,
    }
}

asked! {
    /// In which order cliques and chains send messages.
    Schedule {
        /// All cliques, then all chains.
        All = SCHEDULE_ALL,
        /// One clique at a time, those that disagree most first.
        Disagreement = SCHEDULE_DISAGREEMENT,
    }
}

asked! {
    /// What messages are stored as; sums are always made in double.
    MessageElement {
        /// `Float64` while all messages take less than 256 KB; then the widest with which model, run
        /// and scores take at most twice the bytes of the scores.
        Auto = MESSAGES_AUTO,
        /// 8 bytes a number.
        Float64 = MESSAGES_FLOAT64,
        /// 4 bytes a number.
        Float32 = MESSAGES_FLOAT32,
        /// 16 bits a number: a row's distances from its greatest entry, rounded to 11 bits.
        Magnitude16 = MESSAGES_MAGNITUDE16,
    }
}

/// What a rule of an automaton fires at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Nothing.
    Nothing,
    /// The value that the label of the position maps to.
    Label,
    /// The position's entry in the table of the attachment.
    Table,
    /// This value.
    Value(usize),
}

impl Action {
    pub(crate) fn raw(self) -> Result<i32> {
        Ok(match self {
            Self::Nothing => c::FIRE_NOTHING,
            Self::Label => c::FIRE_LABEL,
            Self::Table => c::FIRE_TABLE,
            Self::Value(value) => index("the value of an action", value)?,
        })
    }
}

/// Any state, class or label of a rule; as the next state of a rule: the state stays.
pub const ANY: Option<usize> = None;

pub(crate) fn or_any(name: &str, number: Option<usize>) -> Result<i32> {
    number.map_or(Ok(c::ANY), |number| index(name, number))
}

/// Lists of texts of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextList {
    /// By label.
    Labels,
    /// By token id.
    Tokens,
    /// By position, of all chains end to end.
    Words,
    /// By position, of all chains end to end: what stands before each word.
    Spaces,
    /// By chain.
    Chains,
    /// By group.
    Groups,
    /// By clique.
    Cliques,
    /// By kind of clique.
    Kinds,
    /// A list of value names, by its number among such lists.
    Values(usize),
}

impl TextList {
    pub(crate) fn raw(self) -> Result<i32> {
        Ok(match self {
            Self::Labels => c::TEXTS_LABELS,
            Self::Tokens => c::TEXTS_TOKENS,
            Self::Words => c::TEXTS_WORDS,
            Self::Spaces => c::TEXTS_SPACES,
            Self::Chains => c::TEXTS_CHAINS,
            Self::Groups => c::TEXTS_GROUPS,
            Self::Cliques => c::TEXTS_CLIQUES,
            Self::Kinds => c::TEXTS_KINDS,
            Self::Values(list) => index("the list of value names", list)?
                .checked_add(c::TEXTS_VALUES)
                .ok_or_else(|| {
                    let told = format!("the list of value names is {list}; there are not so many");
                    Error::new(Status::OutOfRange, told)
                })?,
        })
    }
}

/// What a member of a clique shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shown {
    /// One of the values of the clique, in the numbers of its dictionary where it has one.
    Value(usize),
    /// No value: nothing fires, or the label of the position has none.
    Empty,
    /// Two different values or more.
    Conflict,
    /// One value that the clique does not know: outside a dictionary without OUT.
    Outside,
}

impl Shown {
    /// What the library calls `number` where there are `values` values.
    pub(crate) fn from_raw(number: i32, values: usize) -> Self {
        match usize::try_from(number) {
            Err(_) => Self::Outside,
            Ok(value) if value < values => Self::Value(value),
            Ok(value) if value == values => Self::Empty,
            Ok(_) => Self::Conflict,
        }
    }
    /// The value, where one is shown.
    pub fn value(self) -> Option<usize> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

told! {
    /// A function of the counts of a clique that a weight is learnt for; the header
    /// `chorale/learn.h` has the formulas.
    Basis {
        /// `sum_v n_v^2 / n`: the strength of an [`Agreement`](crate::Agreement).
        Agreement = BASIS_AGREEMENT,
        /// `sum_v n_v^2 / log n`.
        LogAgreement = BASIS_LOG_AGREEMENT,
        /// Index `i` = 1, 2, 3: `sum_v max(0, n_v - i n / 4)`.
        Share = BASIS_SHARE,
        /// Index `a C + v`: `n_v` where `a` is the majority.
        Majority = BASIS_MAJORITY,
        /// Index `c C + v`: `n_v` where the centre shows `c`.
        Centre = BASIS_CENTRE,
        /// `sum_v n_v`.
        Single = BASIS_SINGLE,
        /// How many members show nothing.
        Empty = BASIS_EMPTY,
        /// How many members show more than one value.
        Conflict = BASIS_CONFLICT,
        /// How many members show a value outside the dictionary.
        Out = BASIS_OUT,
        /// Index `v`: `n_v`.
        Value = BASIS_VALUE,
    }
}

impl Basis {
    /// The name in lower case, "log-agreement" say; "unknown basis" for one that the library does
    /// not know.
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(c::basis_name(self.number())) }
    }
}

told! {
    /// What of the learnt weights is not 0.
    Applied {
        /// Nothing.
        Nothing = APPLIED_NOTHING,
        /// All but those of agreement bases.
        Bonuses = APPLIED_BONUSES,
        /// All.
        All = APPLIED_ALL,
    }
}

told! {
    /// What became of a kind.
    Verdict {
        /// It is applied.
        Kept = VERDICT_KEPT,
        /// There is no clique of it.
        NoCliques = VERDICT_NO_CLIQUES,
        /// Gold labels look no different to it than the tagger's own.
        Screened = VERDICT_SCREENED,
        /// Its gain on held-out groups is not credible.
        NoGain = VERDICT_NO_GAIN,
        /// Nothing is applied.
        NotApplied = VERDICT_NOT_APPLIED,
    }
}
