//! Chorale labels many sequences *together*: it takes the scores of any CRF or neural tagger and
//! finds labels that agree with each other. This crate is the safe interface to the C++ library.
//!
//! ```
//! use libchorale as ch;
//! # fn main() -> ch::Result<()> {
//! let scores = [[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]]; // three mentions of a name, two labels
//! let corpus = ch::Corpus::items(&scores)?.tokens(&[5, 5, 5]);
//! let labelled = ch::decode(&corpus, &[ch::Agreement::words()], ch::RunOptions::new())?;
//! assert_eq!(labelled.alone()?, [0, 0, 1]);
//! assert_eq!(labelled.labels()?, [0, 0, 0]);
//! # Ok(())
//! # }
//! ```
//!
//! * [`decode`] labels a [`Corpus`]. Each [`Agreement`] rewards equal labels of certain positions,
//!   or equal property values of certain chains. This suffices for most uses.
//! * A [`Potential`] scores a clique by the numbers of its members that have each value; a
//!   [`CliqueSolver`] finds the best values of the members of one clique.
//! * A [`Chain`] holds the scores of a sequence or tree (`f32` or `f64`); a [`ChainSolver`] finds
//!   best labellings, max-marginals and messages. A [`Property`] maps a labelling to a value.
//! * A [`ModelBuilder`] collects chains and cliques in a [`Model`], which threads can share; a
//!   [`Run`] labels all chains together.
//! * A [`Problem`] is a model with its names and gold labels, in memory and as a file.
//! * [`learn`] computes from problems with gold labels how strongly labels should agree.
//! * A [`Cancel`] ends computations early.
//!
//! # Words
//!
//! * *Chain*: a sequence or tree of positions, each of which has one label. A single item is a
//!   chain of one position. A *labelling* is one label for each position.
//! * *Clique*: a group of *members* that are scored together. A member is a position of a chain, or a
//!   whole chain. Each member has one of R *values*. The
//!   potential of the clique is a function of the *counts*: n_v is the number of members with value
//!   v.
//! * *Position clique*: its members are positions; the value of a member is its label, or a value
//!   assigned to this label. A position clique is *centred* if one more position, the *centre*,
//!   selects the potential by its own value.
//! * *Property clique*: its members are whole chains; the value of a member is the value that a
//!   [`Property`] gives to the chain's labelling. The property *fires* a value, or nothing, at each
//!   position and at the end of the chain. The chain *shows* the value v if only v fired, EMPTY if
//!   nothing fired, and CONFLICT if two different values fired. In arrays EMPTY has the number R
//!   and CONFLICT R + 1.
//! * *n* is the number of members of a clique, *R* that of their values, *T* that of the positions of a
//!   chain, *m* that of labels.
//! * *Score* of a labelling of a model, or *equation 1*: the sum of the scores of all chains and the potentials of
//!   all cliques.
//! * *Max-marginal*: the best score of a labelling that has a given label at a given position. A
//!   *margin* is the best max-marginal of a position minus the second best.
//! * *Message*: a score for each value of a member. In the message of a clique to a member, the
//!   score of a value is the greatest sum of the potential and the messages of the other members if
//!   this member has the value. In the message of a member to a clique, it is the best score of the
//!   member's chain with the value, including the messages of the chain's other cliques. These are
//!   the messages of max-product belief propagation.
//!
//! # Arrays and numbers
//!
//! Scores are accepted as any type that implements [`IntoMatrix`]: arrays of arrays, slices of
//! vectors, flat slices with a width or with strides ([`Matrix`]), and with the feature `ndarray`
//! the arrays of that crate. An array is borrowed if its rows follow each other without gaps, otherwise
//! copied. A [`Chain`], [`CliqueProblem`] or [`Corpus`] borrows its arrays as long as it lives;
//! models have copies. Results are owned.
//!
//! Sizes and indices are `usize`. Labels, token ids and values in *arrays* are `i32`, as the
//! library stores them, so that slices of any length are passed and returned without a copy. In
//! arrays that are passed in, -1 marks a position without a label, token or value.
//!
//! # Errors and panics
//!
//! A call that fails returns an [`Error`] with the status and message of the library. How a
//! computation ended is not an error but an [`Outcome`]. The comments of functions list, after
//! "Errors:", the [`Status`] values that their arguments can cause; any call that returns a `Result`
//! can also fail with OutOfMemory. No argument makes this crate panic. A panic in a callback is
//! caught, and resumed when the call is over.
//!
//! Objects hold memory of the library; `mem::forget` leaks this memory and does no other harm.
//! Forking inside a call, or leaving a callback by `longjmp`, is not supported.
//!
//! # Features
//!
//! * `vendored`: builds the C++ library instead of looking for an installed one.
//! * `experimental`: what may change or go in any version: tables of mentions (`settle`, `Ledger`), and the
//!   module `experimental`.
//! * `ndarray`: takes the arrays of the crate ndarray, 0.15 to 0.17.
#![deny(missing_docs)]
#![warn(missing_debug_implementations, rust_2018_idioms, unreachable_pub)]

use libchorale_sys as c;

#[macro_use]
mod pass;

mod array;
mod builder;
mod cancel;
mod chain;
mod chain_solver;
mod clique;
mod constants;
mod corpus;
mod decode;
mod error;
mod handle;
mod labels;
mod learn;
mod model;
mod options;
mod panics;
mod potential;
mod problem;
mod property;
#[cfg(feature = "experimental")]
mod raw;
mod rules;
mod run;
#[cfg(feature = "experimental")]
mod table;
mod transitions;

pub use array::{Element, IntoMatrix, Matrix};
pub use builder::{CliqueSetup, ModelBuilder};
pub use cancel::Cancel;
pub use chain_solver::{ChainSolution, ChainSolver, KBest, Marginals};
pub use clique::{CliqueMarginals, CliqueSolution, CliqueSolver, Start};
pub use constants::*;
pub use decode::{decode, Agreement, Decoded};
pub use error::{Error, Result};
pub use labels::{LabelMap, Mask};
pub use learn::{learn, Learnt};
pub use model::{ChainTokens, ChainView, LabellingScore, Member, Model};
pub use options::{
    Automaton, Chain, CliqueOptions, CliqueProblem, Corpus, LearnOptions, Members,
    PotentialOptions, RunOptions,
};
pub use potential::Potential;
pub use problem::Problem;
pub use property::{Property, PropertyOptions};
pub use rules::{Rule, Rules};
pub use run::{ChainMarginals, ChainProbabilities, Run};
pub use transitions::{Transitions, TransitionsBuilder};

#[cfg(feature = "experimental")]
pub use options::Mentions;
#[cfg(feature = "experimental")]
pub use table::{settle, spell, Ledger, Settled, SpellingRule, ANSWER_DIFFERS, NO_ANSWER};

/// What may change or go in any version, beside tables ([`settle`]): the functions of the C interface
/// that this crate does not wrap, such as those of prices, dictionaries and messages of single chains.
///
/// ```
/// use libchorale::{experimental::*, Potential};
/// let agreement = Potential::potts(2, 0.3).unwrap();
/// let values = unsafe { sys::chorale_potential_values(agreement.as_raw()) };
/// assert_eq!(values, 2);
/// ```
#[cfg(feature = "experimental")]
pub mod experimental {
    pub use crate::raw::AsRaw;
    pub use libchorale_sys as sys;
}

/// Returns the version of the linked library, as "MAJOR.MINOR.PATCH".
pub fn version() -> &'static str {
    unsafe { error::text(c::chorale_version()) }
}

/// Returns the number of the binary interface of the linked library. It should equal [`ABI`].
pub fn abi() -> i32 {
    unsafe { c::chorale_abi() }
}

/// The number of the binary interface that this crate is written for.
pub const ABI: i32 = c::CHORALE_ABI;

/// Makes the examples of the README, and of the site's page on Rust, documentation tests, so that
/// they are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[doc = include_str!("../../../../examples/guide/docs/guides/rust.md")]
pub struct Readme;
