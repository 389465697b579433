//! Chorale labels many sequences *together*: it takes the scores of any CRF or neural tagger and finds
//! the labels that agree with each other. This is the safe interface to the C++ library.
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
//! * [`decode`] labels a [`Corpus`] so that what [`Agreement`]s name agrees. For most uses this is all
//!   that is needed; the rest offers more.
//! * [`Potential`]s are symmetric functions of how many members of a clique show each value;
//!   a [`CliqueSolver`] labels the members of one clique.
//! * A [`Chain`] is the scores of a sequence or tree (`f32` or `f64`); a [`ChainSolver`] finds best
//!   labellings, max-marginals, messages. [`Property`]s say what a labelling shows.
//! * A [`ModelBuilder`] puts chains and cliques together in a [`Model`], which threads share;
//!   a [`Run`] labels all chains together.
//! * [`Prices`] link models that have members of the same cliques, where one model would be too large.
//! * A [`Problem`] is a model with the names around it, in memory and as a file.
//! * [`learn`] finds the strengths from problems with gold labels.
//! * A [`Host`] lends memory and a log, a [`Cancel`] ends computations early.
//!
//! # Arrays and numbers
//!
//! Scores go in as everything that is [`IntoMatrix`]: arrays of arrays, slices of vectors, flat slices
//! with a width or with strides ([`Matrix`]), and with the feature `ndarray` the arrays of that crate.
//! They are borrowed for the call, unless a type says otherwise, and copied where their layout is not
//! one of the library's. Results come out as slices borrowed from the solver that made them.
//!
//! Sizes and indices are `usize`. Labels, token ids and values in *arrays* are `i32`, as the library
//! stores them: so slices of any length go in and come out without a copy, at half the memory, and in
//! arrays that are passed in, -1 marks a position that has none.
//!
//! # Errors and panics
//!
//! Calls that fail give an [`Error`] with the status and message of the library. How a computation
//! ended is not an error but an [`Outcome`]. No argument makes this crate panic. Panics in callbacks
//! are held back until the call is over, and go on then.
//!
//! Objects hold memory of the library; a `mem::forget` leaks it and does no other harm. A process that
//! forks inside a call, or leaves a callback by `longjmp`, has no promises from this crate.
//!
//! # Features
//!
//! * `vendored`: builds the C++ library instead of looking for an installed one.
//! * `ndarray`: takes the arrays of the crate ndarray, 0.15 to 0.17.
#![deny(missing_docs)]
#![warn(missing_debug_implementations, rust_2018_idioms, unreachable_pub)]

/// A struct of the C interface, filled in by its init function.
macro_rules! init {
    ($type:ident, $init:ident) => {{
        // Zeros are a value of every such struct: numbers and pointers.
        let mut raw = std::mem::MaybeUninit::<$crate::c::$type>::zeroed();
        unsafe {
            $crate::c::$init(raw.as_mut_ptr(), std::mem::size_of::<$crate::c::$type>());
            raw.assume_init()
        }
    }};
}

mod array;
#[cfg(feature = "ndarray")]
mod arrays_of_ndarray;
mod builder;
mod c;
mod chain;
mod chain_solver;
mod clique;
mod constants;
mod corpus;
mod decode;
mod dictionary;
mod error;
mod executor;
mod handle;
mod host;
mod instance;
pub mod kernel;
mod labels;
mod learn;
mod message;
mod model;
mod options;
mod panics;
mod potential;
mod prices;
mod problem;
mod property;
mod run;
mod transitions;

pub use array::{AlignedBytes, Element, IntoMatrices, IntoMatrix, Matrices, Matrix, MatrixMut};
pub use builder::{CliqueSetup, ModelBuilder, RepeatedWords};
pub use chain::Chain;
pub use chain_solver::{ChainResult, ChainSolution, ChainSolver, KBest, Marginals, MarginalsOut};
pub use clique::{
    CliqueMarginals, CliqueOptions, CliqueProblem, CliqueResult, CliqueSolution, CliqueSolver,
};
pub use constants::{
    Action, Algorithm, Applied, Basis, ChainTask, CliqueTask, Family, JointMode, LogLevel,
    MarginalForm, MessageElement, MessageTask, Orientation, Outcome, Outside, Scale, Schedule,
    Scheme, SegmentRule, Shape, Shown, Status, TextList, Verdict, ANY,
};
pub use corpus::Corpus;
pub use decode::{decode, decode_borrowed, Agreement, Labelled, Reason};
pub use dictionary::Dictionary;
pub use error::{Error, Result};
pub use executor::Work;
pub use host::{Cancel, Host};
pub use instance::{Incoming, Instance, Outgoing, ShownByPorts};
pub use labels::{LabelMap, Mask};
pub use learn::{
    learn, Gain, LearnOptions, LearnProgress, Learnt, LearntKind, LearntReport, LearntWeight,
    Warnings, WeightRule,
};
pub use message::{Attachment, Decoded, MessageOptions, MessageResult, Messages};
pub use model::{ChainTokens, ChainView, LabellingScore, Member, Model};
pub use options::{Progress, RunCost, RunOptions};
pub use potential::{CliquePrices, Potential, PotentialOptions};
pub use prices::{components, Prices, PricesResult};
pub use problem::{Note, Problem};
pub use property::{Automaton, Property, PropertyBuilder, PropertyOptions};
pub use run::{ChainMarginals, ChainProbabilities, ChainScore, Labelling, Payment, Run, RunResult};
pub use transitions::{Transitions, TransitionsBuilder};

/// The version of the library that is linked, "MAJOR.MINOR.PATCH".
pub fn version() -> &'static str {
    unsafe { error::text(c::version()) }
}

/// The ABI number of the library that is linked; this crate was made for [`ABI`].
pub fn abi() -> i32 {
    unsafe { c::abi() }
}

/// The ABI number that this crate was made for.
pub const ABI: i32 = c::ABI;

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
