//! The constants of the C interface: numbers, not Rust enums, because a newer library may know more.

use crate::sys;
use std::fmt;

macro_rules! constants {
    ($(#[$about:meta])* $type:ident { $($(#[$doc:meta])* $name:ident = $raw:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(i32);

        impl $type {
            $($(#[$doc])* pub const $name: Self = Self(sys::$raw);)*

            /// The constant of this number, whether this crate knows it or not.
            pub const fn from_raw(number: i32) -> Self {
                Self(number)
            }
            /// The number of the C interface.
            pub const fn raw(self) -> i32 {
                self.0
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                match *self {
                    $(Self::$name => formatter.write_str(
                        concat!(stringify!($type), "::", stringify!($name))),)*
                    Self(number) => write!(formatter, concat!(stringify!($type), "({})"), number),
                }
            }
        }
    };
}

constants! {
    /// How a call failed; see [`Error`](crate::Error).
    Status {
        OK = CHORALE_OK,
        NULL_ARGUMENT = CHORALE_ERROR_NULL_ARGUMENT,
        /// A size, count or limit is below the least allowed.
        SIZE = CHORALE_ERROR_SIZE,
        /// Sizes whose product does not fit, or that exceed what the library can index.
        SIZE_OVERFLOW = CHORALE_ERROR_SIZE_OVERFLOW,
        /// A row stride shorter than a row.
        STRIDE = CHORALE_ERROR_STRIDE,
        /// A table with fewer entries than the members of the problem ask for.
        TABLE_TOO_SHORT = CHORALE_ERROR_TABLE_TOO_SHORT,
        /// An array of the wrong shape.
        SHAPE = CHORALE_ERROR_SHAPE,
        /// Potential and problem have different numbers of values.
        VALUES_MISMATCH = CHORALE_ERROR_VALUES_MISMATCH,
        STRUCT_SIZE = CHORALE_ERROR_STRUCT_SIZE,
        NOT_A_NUMBER = CHORALE_ERROR_NOT_A_NUMBER,
        INFINITE = CHORALE_ERROR_INFINITE,
        /// A value, label or index outside its range; a score of too large a magnitude.
        OUT_OF_RANGE = CHORALE_ERROR_OUT_OF_RANGE,
        /// A constant that the library does not know.
        UNKNOWN_CONSTANT = CHORALE_ERROR_UNKNOWN_CONSTANT,
        /// An assignment or a start that uses a forbidden value.
        FORBIDDEN_VALUE = CHORALE_ERROR_FORBIDDEN_VALUE,
        /// The algorithm does not apply to the family of the potential.
        ALGORITHM_MISMATCH = CHORALE_ERROR_ALGORITHM_MISMATCH,
        NOT_CONVEX = CHORALE_ERROR_NOT_CONVEX,
        NOT_CONCAVE = CHORALE_ERROR_NOT_CONCAVE,
        /// Exact max-marginals were asked for where no exact solver exists.
        NOT_EXACT = CHORALE_ERROR_NOT_EXACT,
        /// A callback gave NaN, plus infinity or a number out of range.
        CALLBACK_VALUE = CHORALE_ERROR_CALLBACK_VALUE,
        /// A callback asked to stop.
        CALLBACK_STOPPED = CHORALE_ERROR_CALLBACK_STOPPED,
        /// An executor that did not call every step of a loop once.
        EXECUTOR = CHORALE_ERROR_EXECUTOR,
        OUT_OF_MEMORY = CHORALE_ERROR_OUT_OF_MEMORY,
        /// The caller's memory is too small; the message says how many bytes are needed.
        WORKSPACE_TOO_SMALL = CHORALE_ERROR_WORKSPACE_TOO_SMALL,
        /// Memory from the caller that is not aligned to 64; [`AlignedBytes`](crate::AlignedBytes) is.
        ALIGNMENT = CHORALE_ERROR_ALIGNMENT,
        /// The host's allocator gave memory that is not aligned as asked.
        ALLOCATOR_ALIGNMENT = CHORALE_ERROR_ALLOCATOR_ALIGNMENT,
        LABELS_MISMATCH = CHORALE_ERROR_LABELS_MISMATCH,
        /// A parent that does not come before its children.
        PARENT_ORDER = CHORALE_ERROR_PARENT_ORDER,
        PARENT_CYCLE = CHORALE_ERROR_PARENT_CYCLE,
        NOT_A_CHAIN = CHORALE_ERROR_NOT_A_CHAIN,
        AUTOMATON_ON_TREE = CHORALE_ERROR_AUTOMATON_ON_TREE,
        VALUE_OUTSIDE_RANGE = CHORALE_ERROR_VALUE_OUTSIDE_RANGE,
        /// The joint state of several properties exceeds the budget.
        STATE_SPACE = CHORALE_ERROR_STATE_SPACE,
        /// A label name that the labelling scheme does not know.
        LABEL_NAME = CHORALE_ERROR_LABEL_NAME,
        DUPLICATE_MEMBER = CHORALE_ERROR_DUPLICATE_MEMBER,
        FROZEN = CHORALE_ERROR_FROZEN,
        TOKENS_MISSING = CHORALE_ERROR_TOKENS_MISSING,
        MODEL_MISMATCH = CHORALE_ERROR_MODEL_MISMATCH,
        /// A run that has no labelling (yet).
        NO_LABELLING = CHORALE_ERROR_NO_LABELLING,
        /// A run in the middle of a call, which one of its callbacks asked to change, or to be read.
        BUSY = CHORALE_ERROR_BUSY,
        /// A fault of the library itself: please report it.
        INTERNAL = CHORALE_ERROR_INTERNAL,
        /// Not a problem file.
        FILE_FORMAT = CHORALE_ERROR_FILE_FORMAT,
        FILE_BYTE_ORDER = CHORALE_ERROR_FILE_BYTE_ORDER,
        /// A problem file of a version that the library does not know.
        FILE_VERSION = CHORALE_ERROR_FILE_VERSION,
        FILE_TRUNCATED = CHORALE_ERROR_FILE_TRUNCATED,
        FILE_CHECKSUM = CHORALE_ERROR_FILE_CHECKSUM,
        /// A problem file whose sections do not fit together.
        FILE_SECTION = CHORALE_ERROR_FILE_SECTION,
        INPUT_OUTPUT = CHORALE_ERROR_INPUT_OUTPUT,
        /// An oracle instance or a callback potential, which no file can hold.
        NOT_SAVABLE = CHORALE_ERROR_NOT_SAVABLE,
        /// A text that is not UTF-8.
        TEXT = CHORALE_ERROR_TEXT,
    }
}

constants! {
    /// How a computation ended. An outcome is not an error: the call was carried out.
    Outcome {
        /// The algorithm came to its own end.
        COMPLETE = CHORALE_OUTCOME_COMPLETE,
        /// The requested gap was reached before that.
        GAP_REACHED = CHORALE_OUTCOME_GAP_REACHED,
        ITERATION_LIMIT = CHORALE_OUTCOME_ITERATION_LIMIT,
        NODE_LIMIT = CHORALE_OUTCOME_NODE_LIMIT,
        DEADLINE = CHORALE_OUTCOME_DEADLINE,
        CANCELLED = CHORALE_OUTCOME_CANCELLED,
        /// Proven: every labelling scores minus infinity.
        INFEASIBLE = CHORALE_OUTCOME_INFEASIBLE,
        /// No labelling above minus infinity was found, and none excluded.
        NOTHING_FOUND = CHORALE_OUTCOME_NOTHING_FOUND,
    }
}

constants! {
    /// How serious a line of the log is.
    LogLevel {
        DEBUG = CHORALE_LOG_DEBUG,
        INFO = CHORALE_LOG_INFO,
        WARNING = CHORALE_LOG_WARNING,
    }
}

constants! {
    /// What a potential is multiplied by; `n` is the number of members of the clique.
    Scale {
        NONE = CHORALE_SCALE_NONE,
        /// Times `1 / n`.
        BY_MEMBERS = CHORALE_SCALE_BY_MEMBERS,
        /// Times `1 / log n`, 1 where that is undefined.
        BY_LOG_MEMBERS = CHORALE_SCALE_BY_LOG_MEMBERS,
    }
}

constants! {
    /// What is known of the tables of a SUM potential. CONVEX and CONCAVE are the caller's word.
    Shape {
        DETECT = CHORALE_SHAPE_DETECT,
        CONVEX = CHORALE_SHAPE_CONVEX,
        CONCAVE = CHORALE_SHAPE_CONCAVE,
    }
}

constants! {
    /// The families of potentials.
    Family {
        /// `sum_v f_v(n_v)`: Potts, entropy, cardinality tables.
        SUM = CHORALE_FAMILY_SUM,
        /// `max_v f_v(n_v)`: makespan, square makespan.
        MAX = CHORALE_FAMILY_MAX,
        /// `f_a(n)`, `a` the value of highest count.
        MAJORITY = CHORALE_FAMILY_MAJORITY,
        /// A sum over pairs of members.
        PAIRS = CHORALE_FAMILY_PAIRS,
        /// Any function of the counts.
        CALLBACK = CHORALE_FAMILY_CALLBACK,
    }
}

constants! {
    /// The algorithms of clique inference. AUTO chooses by family.
    Algorithm {
        AUTO = CHORALE_ALGORITHM_AUTO,
        ALPHA_PASS = CHORALE_ALGORITHM_ALPHA_PASS,
        GENERALISED_ALPHA_PASS = CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,
        ALPHA_EXPANSION = CHORALE_ALGORITHM_ALPHA_EXPANSION,
        POLISH = CHORALE_ALGORITHM_POLISH,
        ICM = CHORALE_ALGORITHM_ICM,
        MODIFIED_ALPHA_PASS = CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS,
        LAGRANGIAN_SUBGRADIENT = CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
        LAGRANGIAN_GOLDEN_SECTION = CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION,
        LAGRANGIAN_CONSERVATIVE = CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE,
        EXACT_MAJORITY = CHORALE_ALGORITHM_EXACT_MAJORITY,
        CONCAVE_FLOW = CHORALE_ALGORITHM_CONCAVE_FLOW,
        COUNT_BOXES = CHORALE_ALGORITHM_COUNT_BOXES,
        DUAL_BOUND = CHORALE_ALGORITHM_DUAL_BOUND,
    }
}

constants! {
    /// What a clique solver's memory is for.
    CliqueTask {
        SOLVE = CHORALE_CLIQUE_SOLVE,
        MAX_MARGINALS = CHORALE_CLIQUE_MAX_MARGINALS,
    }
}

constants! {
    /// What max-marginals of a clique contain.
    MarginalForm {
        /// `m(i, v)`: the best score in which member `i` takes `v`.
        SCORE = CHORALE_MARGINAL_SCORE,
        /// `m(i, v)` less the member's own score: the message of the clique to the member.
        MESSAGE = CHORALE_MARGINAL_MESSAGE,
    }
}

constants! {
    /// What the rows of a transition matrix stand for.
    Orientation {
        /// Entry `[x][y]`: from label `x` to label `y`.
        ROWS_FROM = CHORALE_ROWS_FROM,
        /// Entry `[y][x]`: from label `x` to label `y`.
        ROWS_TO = CHORALE_ROWS_TO,
    }
}

constants! {
    /// How label names spell segments.
    Scheme {
        /// A name is a kind; any label may follow any.
        PLAIN = CHORALE_SCHEME_PLAIN,
        BIO = CHORALE_SCHEME_BIO,
        BIOES = CHORALE_SCHEME_BIOES,
        BILOU = CHORALE_SCHEME_BILOU,
    }
}

constants! {
    /// What a chain solver's memory is for.
    ChainTask {
        BEST = CHORALE_CHAIN_BEST,
        MAX_MARGINALS = CHORALE_CHAIN_MAX_MARGINALS,
        K_BEST = CHORALE_CHAIN_K_BEST,
    }
}

constants! {
    /// What a chain solver's memory is for, of a chain under properties.
    MessageTask {
        SEND = CHORALE_MESSAGE_SEND,
        DECODE = CHORALE_MESSAGE_DECODE,
    }
}

constants! {
    /// How a chain under several properties is treated.
    JointMode {
        /// Exact while the state fits the budget, a beam of that width from there on.
        AUTO = CHORALE_JOINT_AUTO,
        EXACT = CHORALE_JOINT_EXACT,
        /// Local absorption, the paper's second approximation.
        ABSORPTION = CHORALE_JOINT_ABSORPTION,
        /// The paper's third approximation.
        BEAM = CHORALE_JOINT_BEAM,
    }
}

constants! {
    /// What a rule of an automaton fires: a value, or one of these.
    Action {
        NOTHING = CHORALE_FIRE_NOTHING,
        /// What the label of the position maps to.
        LABEL = CHORALE_FIRE_LABEL,
        /// The position's entry in the table of the attachment.
        TABLE = CHORALE_FIRE_TABLE,
    }
}

impl Action {
    /// Fires `value`.
    pub const fn value(value: i32) -> Self {
        Self::from_raw(value)
    }
}

/// Any state, class or label of a rule; as its `next`: stay.
pub const ANY: i32 = sys::CHORALE_ANY;

constants! {
    /// Where a segment of the anchor ends.
    SegmentRule {
        /// Ignored labels belong to it: X O X is one segment.
        SPANS_IGNORED = CHORALE_SEGMENT_SPANS_IGNORED,
        /// X O X is two.
        ENDS_AT_IGNORED = CHORALE_SEGMENT_ENDS_AT_IGNORED,
    }
}

constants! {
    /// In which order cliques and chains send messages.
    Schedule {
        /// All cliques, then all chains.
        ALL = CHORALE_SCHEDULE_ALL,
        /// One clique at a time, those that disagree most first.
        DISAGREEMENT = CHORALE_SCHEDULE_DISAGREEMENT,
    }
}

constants! {
    /// What messages are stored as; sums are always made in double.
    MessageNumber {
        /// FLOAT64 while all messages take less than 256 KB; then the widest with which model, run
        /// and scores take at most twice the bytes of the scores.
        AUTO = CHORALE_MESSAGES_AUTO,
        FLOAT64 = CHORALE_MESSAGES_FLOAT64,
        FLOAT32 = CHORALE_MESSAGES_FLOAT32,
        /// 16 bits a number: a row's distances from its greatest entry, rounded to 11 bits.
        MAGNITUDE16 = CHORALE_MESSAGES_MAGNITUDE16,
    }
}

constants! {
    /// Lists of texts of a problem.
    TextList {
        NONE = CHORALE_TEXTS_NONE,
        /// By label.
        LABELS = CHORALE_TEXTS_LABELS,
        /// By token id.
        TOKENS = CHORALE_TEXTS_TOKENS,
        /// By position, of all chains end to end.
        WORDS = CHORALE_TEXTS_WORDS,
        /// Likewise: what stands before each word.
        SPACES = CHORALE_TEXTS_SPACES,
        CHAINS = CHORALE_TEXTS_CHAINS,
        GROUPS = CHORALE_TEXTS_GROUPS,
        CLIQUES = CHORALE_TEXTS_CLIQUES,
        /// By kind of clique.
        KINDS = CHORALE_TEXTS_KINDS,
        /// The first list of value names.
        VALUES = CHORALE_TEXTS_VALUES,
    }
}

impl TextList {
    /// The `k`-th list of value names.
    pub const fn values(k: i32) -> Self {
        Self::from_raw(sys::CHORALE_TEXTS_VALUES.wrapping_add(k))
    }
}
