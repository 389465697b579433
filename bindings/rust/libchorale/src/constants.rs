//! The constants of the C interface, as enums, and the values of members of cliques.

use crate::array::index;
use crate::{c, Error, Result};

/// Defines an enum that the library returns. A newer library may return numbers that it lacks.
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

/// Defines an enum that is passed to the library.
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
        /// A required argument is missing, such as the table of a property that reads a table.
        NullArgument = ERROR_NULL_ARGUMENT,
        /// A size, count or limit is below the least allowed.
        Size = ERROR_SIZE,
        /// Sizes whose product overflows, or a size above the greatest that the library supports.
        SizeOverflow = ERROR_SIZE_OVERFLOW,
        /// A row stride shorter than a row.
        Stride = ERROR_STRIDE,
        /// A table with fewer entries than the number of members requires.
        TableTooShort = ERROR_TABLE_TOO_SHORT,
        /// An array of the wrong shape.
        Shape = ERROR_SHAPE,
        /// Potential and problem have different numbers of values.
        ValuesMismatch = ERROR_VALUES_MISMATCH,
        /// A struct of another version of the interface: crate and library do not match.
        StructSize = ERROR_STRUCT_SIZE,
        /// An array of the caller that is too short for the result. Nothing was written to the array.
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
        /// The algorithm requires convex tables, and the potential's are not.
        NotConvex = ERROR_NOT_CONVEX,
        /// The algorithm requires concave tables, and the potential's are not.
        NotConcave = ERROR_NOT_CONCAVE,
        /// Exact max-marginals were requested of a potential without an exact solver.
        NotExact = ERROR_NOT_EXACT,
        /// Weights of members for a potential, an algorithm or a call that does not take them.
        Weights = ERROR_WEIGHTS,
        /// A callback returned NaN, plus infinity or a number out of range.
        CallbackValue = ERROR_CALLBACK_VALUE,
        /// A callback asked to stop.
        CallbackStopped = ERROR_CALLBACK_STOPPED,
        /// An executor that did not call every step of a loop once.
        Executor = ERROR_EXECUTOR,
        /// An allocation failed.
        OutOfMemory = ERROR_OUT_OF_MEMORY,
        /// The caller's memory is too small; the message gives the number of bytes needed.
        WorkspaceTooSmall = ERROR_WORKSPACE_TOO_SMALL,
        /// Memory of the caller that is not aligned to 64, as [`AlignedBytes`](crate::AlignedBytes) is.
        Alignment = ERROR_ALIGNMENT,
        /// The host's allocator returned memory that is not aligned as requested.
        AllocatorAlignment = ERROR_ALLOCATOR_ALIGNMENT,
        /// A chain and its transitions or properties have different numbers of labels.
        LabelsMismatch = ERROR_LABELS_MISMATCH,
        /// A parent that does not come before its children.
        ParentOrder = ERROR_PARENT_ORDER,
        /// Parents that form a cycle.
        ParentCycle = ERROR_PARENT_CYCLE,
        /// A tree was passed to a call that takes only chains.
        NotAChain = ERROR_NOT_A_CHAIN,
        /// An automaton property was used on a tree, which allows only local properties.
        AutomatonOnTree = ERROR_AUTOMATON_ON_TREE,
        /// A property that can fire a value outside its range.
        ValueOutsideRange = ERROR_VALUE_OUTSIDE_RANGE,
        /// The joint state of several properties exceeds the budget.
        StateSpace = ERROR_STATE_SPACE,
        /// A label name that the labelling scheme does not know.
        LabelName = ERROR_LABEL_NAME,
        /// A chain, or a position of one, that is a member of the clique already.
        DuplicateMember = ERROR_DUPLICATE_MEMBER,
        /// A builder whose model has been frozen.
        Frozen = ERROR_FROZEN,
        /// A chain without tokens where tokens are needed.
        TokensMissing = ERROR_TOKENS_MISSING,
        /// An earlier run on a model with another number of chains or cliques.
        ModelMismatch = ERROR_MODEL_MISMATCH,
        /// A run that has no labelling (yet).
        NoLabelling = ERROR_NO_LABELLING,
        /// An argument of the wrong kind: a position for a property clique, a whole chain for a position
        /// clique, an instance where a chain is needed.
        Kind = ERROR_KIND,
        /// A callback of a run made a call that would change the run, or read it while it changes.
        Busy = ERROR_BUSY,
        /// A call that the state of its object does not allow: a bound of a run created without bound
        /// steps; freezing a builder while a centred clique has no centre.
        State = ERROR_STATE,
        /// Problems to learn from without any gold label.
        NoGold = ERROR_NO_GOLD,
        /// Problems to learn from whose labelled chains belong to one group.
        OneGroup = ERROR_ONE_GROUP,
        /// A fault of the library itself: please report it.
        Internal = ERROR_INTERNAL,
        /// Not a problem file.
        FileFormat = ERROR_FILE_FORMAT,
        /// A problem file that is not little-endian.
        FileByteOrder = ERROR_FILE_BYTE_ORDER,
        /// A problem file of a version that the library does not know.
        FileVersion = ERROR_FILE_VERSION,
        /// A problem file shorter than the length in its header.
        FileTruncated = ERROR_FILE_TRUNCATED,
        /// A problem file with a section that does not match its checksum.
        FileChecksum = ERROR_FILE_CHECKSUM,
        /// A problem file with missing, repeated, overlapping or invalid sections.
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
        /// The algorithm completed.
        Complete = OUTCOME_COMPLETE,
        /// The requested gap was reached before the algorithm completed.
        GapReached = OUTCOME_GAP_REACHED,
        /// All rounds, sweeps or steps that the options allow are done.
        IterationLimit = OUTCOME_ITERATION_LIMIT,
        /// All nodes that the options allow are used.
        NodeLimit = OUTCOME_NODE_LIMIT,
        /// The time limit was reached.
        Deadline = OUTCOME_DEADLINE,
        /// The flag was raised, or the progress callback asked to end.
        Cancelled = OUTCOME_CANCELLED,
        /// Every labelling is proven to score minus infinity.
        Infeasible = OUTCOME_INFEASIBLE,
        /// No labelling above minus infinity was found, without proof that there is none.
        NothingFound = OUTCOME_NOTHING_FOUND,
    }
}

impl Outcome {
    /// The name in lower case, such as "iteration-limit"; "unknown outcome" for an unknown number.
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(c::outcome_name(self.number())) }
    }
}

told! {
    /// How serious a line of the log is.
    LogLevel {
        /// Messages for debugging the library.
        Debug = LOG_DEBUG,
        /// Messages of general interest.
        Info = LOG_INFO,
        /// Probable mistakes of the caller.
        Warning = LOG_WARNING,
    }
}

asked! {
    /// The factor by which a potential is multiplied; `n` is the number of members of the clique.
    Scale {
        /// The factor 1.
        None = SCALE_NONE,
        /// The factor `1 / n`.
        ByMembers = SCALE_BY_MEMBERS,
        /// The factor `1 / log n`; 1 for `n <= 1`.
        ByLogMembers = SCALE_BY_LOG_MEMBERS,
    }
}

asked! {
    /// The shape of the tables of a SUM potential. The library does not check a declared shape.
    Shape {
        /// The library determines the shape from the tables.
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
    /// The name in lower case, such as "majority"; "unknown family" for an unknown number.
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(c::family_name(self.number())) }
    }
}

told! {
    /// The algorithms of clique inference. The header `chorale/clique.h` states guarantees and costs.
    Algorithm {
        /// Chooses an algorithm by the potential.
        Auto = ALGORITHM_AUTO,
        /// Any family. The best of the labellings, for every value and every count k, in which the k
        /// members that lose least by the value take it, and the others their best other value.
        AlphaPass = ALGORITHM_ALPHA_PASS,
        /// Any family. Alpha-pass with a set of values in place of one value.
        GeneralisedAlphaPass = ALGORITHM_GENERALISED_ALPHA_PASS,
        /// SUM: optimal moves of any set of members to one value, until none improves.
        AlphaExpansion = ALGORITHM_ALPHA_EXPANSION,
        /// Convex SUM: every member takes its best value at the current counts, until no member changes.
        Polish = ALGORITHM_POLISH,
        /// Any family. Moves of single members, until none improves (iterated conditional modes).
        Icm = ALGORITHM_ICM,
        /// MAJORITY: alpha-pass that keeps only labellings in which the value of the pass is the
        /// majority.
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
    /// The task for which a clique solver's memory is sized.
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
        /// `m(i, v)` minus the member's own score: the message of the clique to the member.
        Message = MARGINAL_MESSAGE,
    }
}

asked! {
    /// The meaning of the rows of a transition matrix.
    Orientation {
        /// Entry `[x][y]`: from label `x` to label `y`.
        RowsFrom = ROWS_FROM,
        /// Entry `[y][x]`: from label `x` to label `y`.
        RowsTo = ROWS_TO,
    }
}

asked! {
    /// How label names mark segments.
    Scheme {
        /// A name is a kind; any label may follow any.
        Plain = SCHEME_PLAIN,
        /// B begins a segment, I continues it.
        Bio = SCHEME_BIO,
        /// As BIO; E ends a segment, S is a segment of one position.
        Bioes = SCHEME_BIOES,
        /// As BIOES, with L for E and U for S.
        Bilou = SCHEME_BILOU,
    }
}

asked! {
    /// The task for which a chain solver's memory is sized.
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
    /// The task for which a chain solver's memory is sized, for a chain under properties.
    MessageTask {
        /// [`ChainSolver::messages`](crate::ChainSolver::messages).
        Send = MESSAGE_SEND,
        /// [`ChainSolver::decode`](crate::ChainSolver::decode).
        Decode = MESSAGE_DECODE,
    }
}

asked! {
    /// How messages of a chain under several properties are computed.
    JointMode {
        /// Exact while the number of joint states is within the budget, then a beam of that width.
        Auto = JOINT_AUTO,
        /// Exact; an error if the number of joint states exceeds the budget.
        Exact = JOINT_EXACT,
        /// Local absorption, the paper's second approximation: adds the message of a value at every
        /// firing.
        Absorption = JOINT_ABSORPTION,
        /// A beam, the paper's third approximation: keeps the best joint states at each position.
        Beam = JOINT_BEAM,
    }
}

asked! {
    /// Where a segment of the anchor ends.
    SegmentRule {
        /// A segment continues over ignored labels: X O X is one segment.
        SpansIgnored = SEGMENT_SPANS_IGNORED,
        /// An ignored label ends a segment: X O X is two segments.
        EndsAtIgnored = SEGMENT_ENDS_AT_IGNORED,
    }
}

asked! {
    /// Treatment of values outside a [`Dictionary`](crate::Dictionary).
    Outside {
        /// Messages and decoding exclude labellings that fire a value outside.
        Forbidden = OUTSIDE_FORBIDDEN,
        /// Every value outside is the value OUT.
        AsOut = OUTSIDE_AS_OUT,
    }
}

asked! {
    /// The order in which cliques and chains send messages.
    Schedule {
        /// All cliques, then all chains.
        All = SCHEDULE_ALL,
        /// One clique at a time, in descending order of the members without its commonest value.
        Disagreement = SCHEDULE_DISAGREEMENT,
    }
}

asked! {
    /// The number format in which messages are stored; sums are always in double precision.
    MessageElement {
        /// `Float64` while all messages take less than 256 KB; otherwise the widest format with which
        /// model, run and scores together take at most twice the bytes of the scores.
        Auto = MESSAGES_AUTO,
        /// 8 bytes a number.
        Float64 = MESSAGES_FLOAT64,
        /// 4 bytes a number.
        Float32 = MESSAGES_FLOAT32,
        /// 16 bits a number: distances from the greatest entry of the row, rounded to 11 bits.
        Magnitude16 = MESSAGES_MAGNITUDE16,
    }
}

/// What an automaton fires at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Nothing.
    Nothing,
    /// The entry of the position's label in `label_values`.
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

/// In a rule: every state, class or label; as the next state: stay in the state.
pub const ANY: Option<usize> = None;

pub(crate) fn or_any(name: &str, number: Option<usize>) -> Result<i32> {
    number.map_or(Ok(c::ANY), |number| index(name, number))
}

/// Lists of texts of a problem, and what each list is indexed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextList {
    /// Label names, by label.
    Labels,
    /// Token texts, by token id.
    Tokens,
    /// Words, by position, of all chains end to end.
    Words,
    /// White space before each word, by position, of all chains end to end.
    Spaces,
    /// Names of chains, by chain.
    Chains,
    /// Names of groups, by group.
    Groups,
    /// Names of cliques, by clique.
    Cliques,
    /// Names of kinds of cliques, by kind.
    Kinds,
    /// A list of value names, with its number among such lists.
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

/// The value of a member of a clique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shown {
    /// One of the values of the clique, numbered by its dictionary if there is one.
    Value(usize),
    /// No value: the property fires nothing, or the label of the position has no value.
    Empty,
    /// At least two different values.
    Conflict,
    /// A single value outside a dictionary without OUT.
    Outside,
}

impl Shown {
    /// Converts the number that the library uses for the value of a member of a clique with R =
    /// `values`.
    pub(crate) fn from_raw(number: i32, values: usize) -> Self {
        match usize::try_from(number) {
            Err(_) => Self::Outside,
            Ok(value) if value < values => Self::Value(value),
            Ok(value) if value == values => Self::Empty,
            Ok(_) => Self::Conflict,
        }
    }
    /// The value; None for the other variants.
    pub fn value(self) -> Option<usize> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

told! {
    /// A function of the counts of a clique, for which a weight is learnt. The formulas are in the
    /// header `chorale/learn.h`.
    Basis {
        /// `sum_v n_v^2 / n`: the strength of an [`Agreement`](crate::Agreement).
        Agreement = BASIS_AGREEMENT,
        /// `sum_v n_v^2 / log n`.
        LogAgreement = BASIS_LOG_AGREEMENT,
        /// Index `i` = 1, 2, 3: `sum_v max(0, n_v - i n / 4)`.
        Share = BASIS_SHARE,
        /// Index `a C + v`, with `C` the columns of the clique: `n_v` if `a` is the majority.
        Majority = BASIS_MAJORITY,
        /// Index `c C + v`, with `C` the columns of the clique: `n_v` if the centre has the value `c`.
        Centre = BASIS_CENTRE,
        /// `sum_v n_v`.
        Single = BASIS_SINGLE,
        /// The number of members that are EMPTY.
        Empty = BASIS_EMPTY,
        /// The number of members that are CONFLICT.
        Conflict = BASIS_CONFLICT,
        /// The number of members with a value outside the dictionary.
        Out = BASIS_OUT,
        /// Index `v`: `n_v`.
        Value = BASIS_VALUE,
    }
}

impl Basis {
    /// The name in lower case, such as "log-agreement"; "unknown basis" for an unknown number.
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(c::basis_name(self.number())) }
    }
}

told! {
    /// Which learnt weights are applied; the others are 0.
    Applied {
        /// No weights.
        Nothing = APPLIED_NOTHING,
        /// All weights except those of agreement bases.
        Bonuses = APPLIED_BONUSES,
        /// All weights.
        All = APPLIED_ALL,
    }
}

told! {
    /// Whether a kind of cliques is applied, and if not, why.
    Verdict {
        /// The kind is applied.
        Kept = VERDICT_KEPT,
        /// No clique has the kind.
        NoCliques = VERDICT_NO_CLIQUES,
        /// The bases of the kind do not differ between gold labels and the tagger's labels.
        Screened = VERDICT_SCREENED,
        /// The gain of the kind on held-out groups is not significant.
        NoGain = VERDICT_NO_GAIN,
        /// No kind is applied.
        NotApplied = VERDICT_NOT_APPLIED,
    }
}
