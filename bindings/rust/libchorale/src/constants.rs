//! The constants of the C interface, as enums, the structs that the library fills, and the values of
//! members of cliques.

use crate::pass::{index, Pass};
use crate::{c, Error, Result};

/// Defines an enum of constants that are passed to the library, and on request a variant of all others.
macro_rules! asked {
    (
        $(#[$about:meta])* $type:ident { $($(#[$doc:meta])* $name:ident = $raw:ident,)* }
        $($(#[$of_others:meta])* $others:ident)?
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$doc])* $name,)*
            $($(#[$of_others])* $others(i32),)?
        }

        impl Pass<i32> for $type {
            fn pass(self) -> i32 {
                match self {
                    $(Self::$name => c::$raw,)*
                    $(Self::$others(number) => number,)?
                }
            }
        }
    };
}

/// Defines an enum of constants that the library returns. A number that the enum does not name
/// becomes `Other`; only a newer library returns such numbers.
macro_rules! told {
    ($(#[$about:meta])* $type:ident { $($(#[$doc:meta])* $name:ident = $raw:ident,)* }) => {
        asked! {
            $(#[$about])* $type { $($(#[$doc])* $name = $raw,)* }
            /// A number that this version of the crate has no name for.
            Other
        }

        impl $type {
            #[allow(dead_code)] // only some types are looked up by name
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name,)*];
            /// Returns the number of the constant in the C interface, which is the same in every
            /// language.
            pub fn number(self) -> i32 {
                self.pass()
            }
        }

        impl Pass<$type> for i32 {
            fn pass(self) -> $type {
                match self {
                    $(c::$raw => $type::$name,)*
                    other => $type::Other(other),
                }
            }
        }
    };
}

/// Defines a struct that the library fills.
macro_rules! filled {
    ($(#[$about:meta])* $type:ident = $raw:ident { $($(#[$doc:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $type {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Pass<$type> for c::$raw {
            fn pass(self) -> $type {
                $type { $($field: self.$field.pass(),)* }
            }
        }
    };
}

/// Defines a struct of flags that the library returns as one number.
macro_rules! flags {
    ($(#[$about:meta])* $type:ident { $($(#[$doc:meta])* $name:ident = $raw:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $type {
            $($(#[$doc])* pub $name: bool,)*
        }

        impl Pass<$type> for i32 {
            fn pass(self) -> $type {
                $type { $($name: self & c::$raw != 0,)* }
            }
        }
    };
}

include!("enums.rs");
include!("structs.rs");

#[cfg(feature = "experimental")]
filled! {
    /// What decides whether the mentions of a key have one label. Needs the feature `experimental`:
    /// it may change or go in any version.
    Evidence = chorale_evidence {
        /// The most that one mention can say, in log-odds.
        most: f64,
        /// A key of n mentions is two things if all that its mentions say against one label is above
        /// `once + per_mention * n`. Infinite: every key is one thing.
        once: f64,
        /// See `once`.
        per_mention: f64,
        /// In results: where the numbers come from.
        origin: EvidenceOrigin,
        /// In results: of how many mentions the numbers were found; learnt ones: how many with right
        /// labels.
        mentions: usize,
        /// In results, of learnt evidence: how many more labels are right on keys that were left out of
        /// learning. If not above 0, every mention keeps its label.
        right: i64,
    }
}

asked! {
    /// Selects which labelling of a run a result describes.
    Labelling {
        /// The labelling with the highest score found so far.
        Together = CHORALE_TOGETHER,
        /// The own labelling: the best labels of every chain without its cliques.
        Alone = CHORALE_ALONE,
    }
}

impl Outcome {
    /// Returns the name of the outcome in lower case, such as "iteration-limit"; "unknown outcome"
    /// for a number that the library does not know.
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(c::chorale_outcome_name(self.number())) }
    }
}

/// What a property's automaton fires at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Fires nothing.
    Nothing,
    /// Fires `label_values[y]` of the property, where y is the label of the position.
    Label,
    /// Fires the position's entry in the table of its chain ([`Members::tables`](crate::Members::tables)).
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

pass! {
    // For `Reason`, which then asks for the number of values of its clique.
    number: i32 => Shown { Shown::from_raw(number, usize::MAX) }
}

/// The value of a member of a clique under a labelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shown {
    /// A value. With a dictionary: the number of the value in the dictionary.
    Value(usize),
    /// The property fires nothing, or the label of the position has no value.
    Empty,
    /// Two or more different values fire.
    Conflict,
    /// A single value fires that is outside the clique's dictionary, which has no UNLISTED.
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
