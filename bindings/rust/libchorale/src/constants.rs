//! The constants of the C interface, as enums, and the values of members of cliques.
//!
//! A clique is a group of *members*, each with one of R values. Its potential is a function of the
//! counts: n_v of its n members have value v. If the members are whole chains, a property gives a
//! chain its value: the property *fires* values at positions of the chain. A chain where no value
//! fires is EMPTY; a chain where two different values fire is CONFLICT. A dictionary restricts a
//! clique to some values of its property; OUT stands for all other values.

use crate::array::index;
use crate::{c, Error, Result};

/// Defines an enum of constants that the library returns. A number that the enum does not name
/// becomes `Other`; only a newer library returns such numbers.
macro_rules! told {
    ($(#[$about:meta])* $type:ident { $($(#[$doc:meta])* $name:ident = $raw:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$doc])* $name,)*
            /// A number that this version of the crate has no name for.
            Other(i32),
        }

        impl $type {
            pub(crate) fn from_raw(number: i32) -> Self {
                match number {
                    $(c::$raw => Self::$name,)*
                    other => Self::Other(other),
                }
            }
            /// Returns the number of the constant in the C interface, which is the same in every
            /// language.
            pub fn number(self) -> i32 {
                match self {
                    $(Self::$name => c::$raw,)*
                    Self::Other(number) => number,
                }
            }
        }
    };
}

/// Defines an enum of constants that are passed to the library.
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

asked! {
    /// What a [`Rule`](crate::Rule) says about kinds `a` and `b` of labels. A *segment* is a longest stretch of
    /// positions with labels of one kind ([`LabelMap`](crate::LabelMap)).
    RuleKind {
        /// At most k segments of a.
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
        /// a and b are not both in the chain.
        NotTogether = CHORALE_RULE_NOT_TOGETHER,
        /// If a is in the chain, b is too.
        Needs = CHORALE_RULE_NEEDS,
    }
}

told! {
    /// What became of the rules of a chain.
    RuleState {
        /// The chain keeps its rules.
        Kept = CHORALE_RULES_KEPT,
        /// No labelling keeps them ([`Labelled::rule_conflicts`](crate::Labelled::rule_conflicts)).
        Impossible = CHORALE_RULES_IMPOSSIBLE,
        /// They cost more than [`Rules::most_cost`](crate::Rules::most_cost).
        TooDear = CHORALE_RULES_TOO_DEAR,
        /// A limit ended the search before a labelling was found.
        Unfinished = CHORALE_RULES_UNFINISHED,
    }
}

told! {
    /// Where [`Evidence`](crate::Evidence) comes from.
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
    /// Why a call failed: the status of an [`Error`](crate::Error).
    Status {
        /// A required argument is missing, for instance the table of a property that reads a table.
        NullArgument = CHORALE_ERROR_NULL_ARGUMENT,
        /// A size, count or limit is below the least allowed value.
        Size = CHORALE_ERROR_SIZE,
        /// Sizes whose product overflows, or a size above the greatest that the library supports.
        SizeOverflow = CHORALE_ERROR_SIZE_OVERFLOW,
        /// A stride of 0, or strides with which rows or entries of an array would overlap.
        Stride = CHORALE_ERROR_STRIDE,
        /// A table has fewer entries than the number of members requires.
        TableTooShort = CHORALE_ERROR_TABLE_TOO_SHORT,
        /// An array of the wrong shape.
        Shape = CHORALE_ERROR_SHAPE,
        /// A potential has another number of values than the clique or array that it is used with.
        ValuesMismatch = CHORALE_ERROR_VALUES_MISMATCH,
        /// A struct has an unknown size: the crate and the library are of different versions.
        StructSize = CHORALE_ERROR_STRUCT_SIZE,
        /// An array of the caller that is too short for the result. Nothing was written to the
        /// array.
        Capacity = CHORALE_ERROR_CAPACITY,
        /// A number that is NaN.
        NotANumber = CHORALE_ERROR_NOT_A_NUMBER,
        /// A number that is infinite where it must not be.
        Infinite = CHORALE_ERROR_INFINITE,
        /// A value, label or index outside its range, or a score of too great a magnitude.
        OutOfRange = CHORALE_ERROR_OUT_OF_RANGE,
        /// A constant that the library does not know.
        UnknownConstant = CHORALE_ERROR_UNKNOWN_CONSTANT,
        /// A start assignment gives a member a forbidden value, or an edit of a run leaves no label
        /// for a position.
        ForbiddenValue = CHORALE_ERROR_FORBIDDEN_VALUE,
        /// The algorithm does not apply to the family of the potential.
        AlgorithmMismatch = CHORALE_ERROR_ALGORITHM_MISMATCH,
        /// The algorithm requires tables that are convex, and those of the potential are not.
        NotConvex = CHORALE_ERROR_NOT_CONVEX,
        /// The algorithm requires tables that are concave, and those of the potential are not.
        NotConcave = CHORALE_ERROR_NOT_CONCAVE,
        /// Exact max-marginals were requested for a potential that has no exact solver.
        NotExact = CHORALE_ERROR_NOT_EXACT,
        /// Members have weights above 1, and the potential, algorithm or call does not support
        /// weights.
        Weights = CHORALE_ERROR_WEIGHTS,
        /// A callback returned NaN, plus infinity or a number out of range.
        CallbackValue = CHORALE_ERROR_CALLBACK_VALUE,
        /// A callback asked to end the computation.
        CallbackStopped = CHORALE_ERROR_CALLBACK_STOPPED,
        /// The caller's executor did not do every piece of a parallel loop exactly once.
        Executor = CHORALE_ERROR_EXECUTOR,
        /// An allocation failed.
        OutOfMemory = CHORALE_ERROR_OUT_OF_MEMORY,
        /// The caller's memory is too small; the message gives the number of bytes needed.
        WorkspaceTooSmall = CHORALE_ERROR_WORKSPACE_TOO_SMALL,
        /// Memory of the caller is not aligned to 64 bytes; use
        /// [`AlignedBytes`](crate::AlignedBytes).
        Alignment = CHORALE_ERROR_ALIGNMENT,
        /// The host's allocator returned memory that is not aligned as requested.
        AllocatorAlignment = CHORALE_ERROR_ALLOCATOR_ALIGNMENT,
        /// A chain and its transitions or properties have different numbers of labels.
        LabelsMismatch = CHORALE_ERROR_LABELS_MISMATCH,
        /// A parent that does not come before its children.
        ParentOrder = CHORALE_ERROR_PARENT_ORDER,
        /// Parents that form a cycle.
        ParentCycle = CHORALE_ERROR_PARENT_CYCLE,
        /// A tree was passed to a call that takes only chains.
        NotAChain = CHORALE_ERROR_NOT_A_CHAIN,
        /// A property defined by an automaton was used on a tree. Trees allow only local properties
        /// ([`Property::local`](crate::Property::local)).
        AutomatonOnTree = CHORALE_ERROR_AUTOMATON_ON_TREE,
        /// A property can fire a value that is not below R, the property's number of values.
        ValueOutsideRange = CHORALE_ERROR_VALUE_OUTSIDE_RANGE,
        /// A chain with several properties has more joint states (see [`JointMode`]) than the
        /// `max_states` allows.
        StateSpace = CHORALE_ERROR_STATE_SPACE,
        /// A label name that the labelling scheme does not know.
        LabelName = CHORALE_ERROR_LABEL_NAME,
        /// A chain, or a position, that is already a member of the clique.
        DuplicateMember = CHORALE_ERROR_DUPLICATE_MEMBER,
        /// The builder's model has been made, so the builder cannot change.
        Frozen = CHORALE_ERROR_FROZEN,
        /// The chain has no tokens, and the call needs them.
        TokensMissing = CHORALE_ERROR_TOKENS_MISSING,
        /// A run was to start from an earlier run, whose model has another number of chains or
        /// cliques; or two problems give a kind of cliques different names.
        ModelMismatch = CHORALE_ERROR_MODEL_MISMATCH,
        /// The run has no labelling: it has not begun, or no chain has any.
        NoLabelling = CHORALE_ERROR_NO_LABELLING,
        /// An argument of the wrong kind. Examples: a single position for a clique whose members
        /// are whole chains; a whole chain for a clique whose members are positions; an instance
        /// where a chain is needed.
        Kind = CHORALE_ERROR_KIND,
        /// A callback called a method of the run that was calling the callback, and this method
        /// would change the run, or read the run while it changes.
        Busy = CHORALE_ERROR_BUSY,
        /// The state of the object does not allow the call. Examples: a bound of a run that was
        /// created without bound steps; a model whose centred clique has no centre.
        State = CHORALE_ERROR_STATE,
        /// No problem to learn from has a gold label that its chain allows.
        NoGold = CHORALE_ERROR_NO_GOLD,
        /// All labelled chains to learn from belong to one group (document), or to groups that
        /// share cliques.
        OneGroup = CHORALE_ERROR_ONE_GROUP,
        /// A fault of the library itself: please report it.
        Internal = CHORALE_ERROR_INTERNAL,
        /// Not a problem file.
        FileFormat = CHORALE_ERROR_FILE_FORMAT,
        /// A problem file that is not little-endian.
        FileByteOrder = CHORALE_ERROR_FILE_BYTE_ORDER,
        /// A problem file of a version that the library does not know.
        FileVersion = CHORALE_ERROR_FILE_VERSION,
        /// A problem file shorter than the length in its header.
        FileTruncated = CHORALE_ERROR_FILE_TRUNCATED,
        /// A problem file with a section that does not match its checksum.
        FileChecksum = CHORALE_ERROR_FILE_CHECKSUM,
        /// A problem file with missing, repeated, overlapping or invalid sections.
        FileSection = CHORALE_ERROR_FILE_SECTION,
        /// The system could not read or write the file.
        InputOutput = CHORALE_ERROR_INPUT_OUTPUT,
        /// The problem has an [`Instance`](crate::Instance) or a callback potential, which no file can
        /// hold.
        NotSavable = CHORALE_ERROR_NOT_SAVABLE,
        /// A text that is not UTF-8, or is not a result of learning.
        Text = CHORALE_ERROR_TEXT,
    }
}

told! {
    /// How a computation ended. An outcome is not an error: the call succeeded.
    Outcome {
        /// The algorithm ran to its end.
        Complete = CHORALE_OUTCOME_COMPLETE,
        /// The requested gap between score and upper bound was reached before the algorithm ended.
        GapReached = CHORALE_OUTCOME_GAP_REACHED,
        /// The algorithm did not converge: all rounds, sweeps or steps that the call may do are
        /// done, or the rounds of a run alternate between two labellings.
        IterationLimit = CHORALE_OUTCOME_ITERATION_LIMIT,
        /// All nodes of branch and bound that the options allow were used.
        NodeLimit = CHORALE_OUTCOME_NODE_LIMIT,
        /// The time limit was reached.
        Deadline = CHORALE_OUTCOME_DEADLINE,
        /// The cancel flag was raised, or the progress callback asked to end.
        Cancelled = CHORALE_OUTCOME_CANCELLED,
        /// Proven: every labelling scores minus infinity.
        Infeasible = CHORALE_OUTCOME_INFEASIBLE,
        /// Every labelling tried scores minus infinity. Labellings that were not tried may score
        /// more.
        NothingFound = CHORALE_OUTCOME_NOTHING_FOUND,
    }
}

told! {
    /// What forbids every labelling of a chain.
    Obstacle {
        /// An instance, which does not tell.
        Unknown = CHORALE_OBSTACLE_UNKNOWN,
        /// Every label of the position is forbidden: by a score of minus infinity, or by what the
        /// chain or an edit allows.
        Scores = CHORALE_OBSTACLE_SCORES,
        /// The position has allowed labels, but transitions, start or end scores forbid all of them.
        Transitions = CHORALE_OBSTACLE_TRANSITIONS,
        /// A clique of which the chain is the only member forbids what the chain allows.
        Cliques = CHORALE_OBSTACLE_CLIQUES,
        /// No labelling was found that a clique allows, all of whose members are in the chain. There
        /// may be one.
        Undecided = CHORALE_OBSTACLE_UNDECIDED,
    }
}

impl Outcome {
    /// Returns the name of the outcome in lower case, such as "iteration-limit"; "unknown outcome"
    /// for a number that the library does not know.
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(c::chorale_outcome_name(self.number())) }
    }
}

told! {
    /// How serious a line of the log is.
    LogLevel {
        /// Messages for debugging the library.
        Debug = CHORALE_LOG_DEBUG,
        /// Messages of general interest.
        Info = CHORALE_LOG_INFO,
        /// Probable mistakes of the caller.
        Warning = CHORALE_LOG_WARNING,
    }
}

asked! {
    /// The factor by which a potential is multiplied. n is the number of members of the clique.
    Scale {
        /// The factor 1.
        None = CHORALE_SCALE_NONE,
        /// The factor `1 / n`.
        ByMembers = CHORALE_SCALE_BY_MEMBERS,
        /// The factor `1 / log n`; 1 for `n <= 1`.
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
    /// The families of potentials. n_v is the number of members with value v, f_v a function of
    /// n_v.
    Family {
        /// The sum `sum_v f_v(n_v)`: Potts, entropy, cardinality tables.
        Sum = CHORALE_FAMILY_SUM,
        /// The maximum `max_v f_v(n_v)`: makespan, square makespan.
        Max = CHORALE_FAMILY_MAX,
        /// A linear function of the counts. The value that has the highest count selects the
        /// function.
        Majority = CHORALE_FAMILY_MAJORITY,
        /// The sum of `f(x, y)` over all ordered pairs of distinct members, where x and y are the
        /// values of the two members.
        Pairs = CHORALE_FAMILY_PAIRS,
        /// Any function of the counts.
        Callback = CHORALE_FAMILY_CALLBACK,
    }
}

impl Family {
    /// Returns the name of the family in lower case, such as "majority"; "unknown family" for a
    /// number that the library does not know.
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(c::chorale_family_name(self.number())) }
    }
}

told! {
    /// The algorithms of clique inference: each finds values of the members of one clique that have
    /// a high score. SUM and MAJORITY are families of potentials ([`Family`]). The header
    /// `chorale/clique.h` states guarantees and costs.
    Algorithm {
        /// Chooses among the other algorithms according to the potential.
        Auto = CHORALE_ALGORITHM_AUTO,
        /// For every value a and every number k, tries the labelling that gives a to the k members
        /// whose scores fall least by this, and gives every other member its best value other than
        /// a. The result is the best labelling tried. Any family.
        AlphaPass = CHORALE_ALGORITHM_ALPHA_PASS,
        /// Alpha-pass with sets of several values in place of the one value a. Any family.
        GeneralisedAlphaPass = CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,
        /// For one value after another, moves a set of members to this value at once: the set that
        /// raises the score most. Ends when no such move to any value raises the score. SUM only.
        AlphaExpansion = CHORALE_ALGORITHM_ALPHA_EXPANSION,
        /// In each step every member takes the value v with the greatest sum of the member's score
        /// of v and the slope of f_v at the current count of v. Ends when no member changes. SUM
        /// with convex tables only.
        LocalSearch = CHORALE_ALGORITHM_LOCAL_SEARCH,
        /// Iterated conditional modes: moves single members, until no such move raises the score.
        /// Any family.
        Icm = CHORALE_ALGORITHM_ICM,
        /// Alpha-pass for each majority value a: adds the weight w_av of the potential to the score
        /// of each member for v, and keeps only labellings in which no value has a higher count
        /// than a. MAJORITY only.
        ModifiedAlphaPass = CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS,
        /// Lagrangian relaxation with subgradient steps. MAJORITY only.
        LagrangianSubgradient = CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
        /// Lagrangian relaxation with golden-section search. MAJORITY only.
        LagrangianGoldenSection = CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION,
        /// Lagrangian relaxation that changes one multiplier at a time, only until a member
        /// changes its value. MAJORITY only.
        LagrangianConservative = CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE,
        /// Finds the optimum. MAJORITY only.
        ExactMajority = CHORALE_ALGORITHM_EXACT_MAJORITY,
        /// Finds the optimum by shortest augmenting paths. SUM with concave tables only.
        ConcaveFlow = CHORALE_ALGORITHM_CONCAVE_FLOW,
        /// Finds the optimum by branch and bound over the counts. SUM only.
        CountBoxes = CHORALE_ALGORITHM_COUNT_BOXES,
        /// Computes an upper bound by Lagrangian relaxation, and returns the best labelling found
        /// on the way. SUM only.
        DualBound = CHORALE_ALGORITHM_DUAL_BOUND,
    }
}

asked! {
    /// The form of the max-marginals of a clique.
    MarginalForm {
        /// The best score of an assignment in which member i takes value v, for all i and v.
        Score = CHORALE_MARGINAL_SCORE,
        /// The max-marginal of form `Score` minus member i's own score of v. This is the message of
        /// the clique to member i.
        Message = CHORALE_MARGINAL_MESSAGE,
    }
}

asked! {
    /// Whether rows of a transition matrix stand for the label before or for the label after.
    Orientation {
        /// Rows are the labels before: entry `[x][y]` is the score from label x to label y.
        RowsFrom = CHORALE_ROWS_FROM,
        /// Rows are the labels after: entry `[y][x]` is the score from label x to label y.
        RowsTo = CHORALE_ROWS_TO,
    }
}

asked! {
    /// How label names mark segments. X is the kind of a segment; the label O is outside all
    /// segments.
    Scheme {
        /// The whole name is the kind of the segment. Any label may follow any other.
        Plain = CHORALE_SCHEME_PLAIN,
        /// B-X begins a segment, I-X continues it.
        Bio = CHORALE_SCHEME_BIO,
        /// As BIO; also E-X ends a segment, and S-X is a segment of one position.
        Bioes = CHORALE_SCHEME_BIOES,
        /// As BIOES, with the letter L for E and U for S.
        Bilou = CHORALE_SCHEME_BILOU,
    }
}

asked! {
    /// The method for a chain with several properties. The exact computation runs over *joint
    /// states*. A joint state consists of the state of each property's automaton and the value that
    /// each property has fired so far. `max_states` limits how many joint states are stored at one
    /// position.
    JointMode {
        /// Exact while the number of joint states is within `max_states`. Beyond that: a beam
        /// whose width is `max_states`.
        Auto = CHORALE_JOINT_AUTO,
        /// Exact. If the number of joint states exceeds `max_states`, the call fails with StateSpace.
        Exact = CHORALE_JOINT_EXACT,
        /// Approximate, local absorption: adds the message of a value at every position where a
        /// property fires the value. Wrong only for labellings in which a property fires twice.
        Absorption = CHORALE_JOINT_ABSORPTION,
        /// Approximate, a beam: keeps only the best joint states at each position.
        Beam = CHORALE_JOINT_BEAM,
    }
}

asked! {
    /// Where a segment ends. X is the kind of the segment, O a label that the property ignores.
    SegmentRule {
        /// A segment continues over ignored labels: X O X is one segment.
        SpansIgnored = CHORALE_SEGMENT_SPANS_IGNORED,
        /// An ignored label ends a segment: X O X is two segments.
        EndsAtIgnored = CHORALE_SEGMENT_ENDS_AT_IGNORED,
    }
}

asked! {
    /// How values of a property outside a [`Dictionary`](crate::Dictionary) are treated.
    Outside {
        /// Messages of a chain, and its best labelling under messages, exclude every labelling that
        /// fires a value outside the dictionary.
        Forbidden = CHORALE_OUTSIDE_FORBIDDEN,
        /// Every value outside the dictionary becomes the value OUT.
        AsOut = CHORALE_OUTSIDE_AS_OUT,
    }
}

asked! {
    /// The number format in which messages are stored. Computations are always in double precision.
    MessageElement {
        /// `Float64` if all messages take less than 256 KB, or if model, run and scores together
        /// then take at most twice the bytes of the scores. Otherwise `Magnitude16`.
        Auto = CHORALE_MESSAGES_AUTO,
        /// 8 bytes a number.
        Float64 = CHORALE_MESSAGES_FLOAT64,
        /// 2 bytes a number: the distance from the greatest entry of the message, with a precision
        /// of 11 bits.
        Magnitude16 = CHORALE_MESSAGES_MAGNITUDE16,
    }
}

/// What a property's automaton fires at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Fires nothing.
    Nothing,
    /// Fires `label_values[y]` of the property, where y is the label of the position.
    Label,
    /// Fires the position's entry in the table of the [`Attachment`](crate::Attachment).
    Table,
    /// Fires this value.
    Value(usize),
}

impl Action {
    pub(crate) fn raw(self) -> Result<i32> {
        Ok(match self {
            Self::Nothing => c::CHORALE_FIRE_NOTHING,
            Self::Label => c::CHORALE_FIRE_LABEL,
            Self::Table => c::CHORALE_FIRE_TABLE,
            Self::Value(value) => index("the value of an action", value)?,
        })
    }
}

/// Stands for every state, class or label in a rule of a
/// `PropertyBuilder`. As the next state: the automaton stays in its
/// state.
pub const ANY: Option<usize> = None;

pub(crate) fn or_any(name: &str, number: Option<usize>) -> Result<i32> {
    number.map_or(Ok(c::CHORALE_ANY), |number| index(name, number))
}

/// The lists of texts that a problem can hold. The comment of each list says what its texts are,
/// and what the index of a text in the list stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextList {
    /// Label names. The index is the label.
    Labels,
    /// Texts of tokens. The index is the token id.
    Tokens,
    /// Words. The index is the position, counted through all chains one after the other.
    Words,
    /// The white space before each word. The index is the position, counted through all chains one
    /// after the other.
    Spaces,
    /// Names of chains. The index is the chain.
    Chains,
    /// Names of groups (documents). The index is the group.
    Groups,
    /// Names of cliques. The index is the clique.
    Cliques,
    /// Names of kinds of cliques. The index is the kind.
    Kinds,
    /// Names of the values of cliques. The index is the value. Different cliques may use different
    /// lists of value names: this variant holds the number of one such list, from 0.
    Values(usize),
}

impl TextList {
    pub(crate) fn raw(self) -> Result<i32> {
        Ok(match self {
            Self::Labels => c::CHORALE_TEXTS_LABELS,
            Self::Tokens => c::CHORALE_TEXTS_TOKENS,
            Self::Words => c::CHORALE_TEXTS_WORDS,
            Self::Spaces => c::CHORALE_TEXTS_SPACES,
            Self::Chains => c::CHORALE_TEXTS_CHAINS,
            Self::Groups => c::CHORALE_TEXTS_GROUPS,
            Self::Cliques => c::CHORALE_TEXTS_CLIQUES,
            Self::Kinds => c::CHORALE_TEXTS_KINDS,
            Self::Values(list) => index("the list of value names", list)?
                .checked_add(c::CHORALE_TEXTS_VALUES)
                .ok_or_else(|| {
                    let told = format!("the list of value names is {list}; there are not so many");
                    Error::new(Status::OutOfRange, told)
                })?,
        })
    }
}

/// The value of a member of a clique under a labelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shown {
    /// A value. With a dictionary: the number of the value in the dictionary.
    Value(usize),
    /// The property fires nothing, or the label of the position has no value.
    Empty,
    /// Two or more different values fire.
    Conflict,
    /// A single value fires that is outside the clique's dictionary, which has no OUT.
    Outside,
}

impl Shown {
    /// Converts the library's number for the value of a member. values: R. Numbers below R are
    /// values, R is EMPTY, R + 1 is CONFLICT, and a negative number is outside the dictionary.
    pub(crate) fn from_raw(number: i32, values: usize) -> Self {
        match usize::try_from(number) {
            Err(_) => Self::Outside,
            Ok(value) if value < values => Self::Value(value),
            Ok(value) if value == values => Self::Empty,
            Ok(_) => Self::Conflict,
        }
    }
    /// Returns the number in [`Shown::Value`]; None for Empty, Conflict and Outside.
    pub fn value(self) -> Option<usize> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

told! {
    /// Why learnt strengths are applied, or why nothing is.
    Verdict {
        /// Applied: held-out groups cost less than under the tagger's own labels.
        Gain = CHORALE_VERDICT_GAIN,
        /// Applied: strengths were found without gold labels.
        WithoutGold = CHORALE_VERDICT_WITHOUT_GOLD,
        /// Members agree no more than members dealt at random.
        NoAgreement = CHORALE_VERDICT_NO_AGREEMENT,
        /// Held-out groups do not cost less.
        NoGain = CHORALE_VERDICT_NO_GAIN,
        /// Held-out groups cost less, but there are so few of them, or so little, that this may be
        /// chance.
        MayBeChance = CHORALE_VERDICT_MAY_BE_CHANCE,
        /// Every strength lowers accuracy.
        LowersAccuracy = CHORALE_VERDICT_LOWERS_ACCURACY,
        /// The call was cancelled, or its time ended before any strength was tried.
        Interrupted = CHORALE_VERDICT_INTERRUPTED,
    }
}
