//! Chorale labels many sequences *together*: it takes the scores of any CRF or neural tagger and finds
//! the labels that agree with each other. This is the safe interface to the C++ library; what each
//! computation does, and what it costs, is written in the C headers of the same names.
//!
//! * [`Potential`]s are symmetric functions of how many members of a clique show each value;
//!   a [`CliqueSolver`] labels the members of one clique.
//! * A [`Chain`] borrows the scores of a sequence or tree (`f32` or `f64`, any strides); a
//!   [`ChainSolver`] finds best labellings, max-marginals, messages. [`Property`]s say what a labelling
//!   shows.
//! * A [`ModelBuilder`] puts chains and cliques together in a [`Model`], which threads share;
//!   a [`Run`] labels all chains together.
//! * A [`Problem`] is a model with the names around it, in memory and as a file.
//! * A [`Host`] lends memory and a log, a [`Cancel`] ends computations early.
//!
//! Arrays go in as slices, borrowed for the call unless a type says otherwise, and results come out as
//! slices borrowed from the solver that made them. Calls that fail give an [`Error`] with the status and
//! message of the library. Panics in callbacks are held back until the call is over, and go on then.
//!
//! Objects hold memory of the library; a `mem::forget` leaks it and does no other harm. A process that
//! forks inside a call, or leaves a callback by `longjmp`, has no promises from this crate.
#![warn(rust_2018_idioms)]

use chorale_sys as sys;

/// A struct of the C interface, filled in by its init function.
macro_rules! init {
    ($type:ident, $init:ident) => {{
        // Zeros are a value of every such struct: numbers and pointers.
        let mut raw = std::mem::MaybeUninit::<$crate::sys::$type>::zeroed();
        unsafe {
            $crate::sys::$init(raw.as_mut_ptr(), std::mem::size_of::<$crate::sys::$type>());
            raw.assume_init()
        }
    }};
}

mod array;
mod builder;
mod chain;
mod chain_solver;
mod clique;
mod constants;
mod dictionary;
mod error;
mod executor;
mod handle;
mod host;
mod instance;
pub mod kernel;
mod labels;
mod message;
mod model;
mod options;
mod panics;
mod potential;
mod problem;
mod property;
mod run;
mod transitions;

pub use array::{AlignedBytes, Matrices, Matrix, Number};
pub use builder::{CliqueSetup, ModelBuilder, RepeatedWords};
pub use chain::Chain;
pub use chain_solver::{ChainResult, ChainSolution, ChainSolver, KBest, Marginals, MarginalsOut};
pub use clique::{
    CliqueMarginals, CliqueOptions, CliqueProblem, CliqueResult, CliqueSolution, CliqueSolver,
};
pub use constants::*;
pub use dictionary::Dictionary;
pub use error::{Error, Result};
pub use executor::Work;
pub use host::{Cancel, Host};
pub use instance::{Incoming, Instance, Outgoing};
pub use labels::{LabelMap, Mask};
pub use message::{Attachment, Decoded, MessageOptions, MessageResult, Messages};
pub use model::{ChainView, Model};
pub use options::{Progress, RunCost, RunOptions};
pub use potential::{Potential, PotentialOptions};
pub use problem::Problem;
pub use property::{Automaton, Property, PropertyBuilder};
pub use run::{Labelling, Payment, Run, RunResult};
pub use transitions::{Transitions, TransitionsBuilder};

/// The version of the library that is linked, "MAJOR.MINOR.PATCH".
pub fn version() -> &'static str {
    unsafe { error::text(sys::chorale_version()) }
}

/// The ABI number of the library that is linked; this crate was made for [`ABI`].
pub fn abi() -> i32 {
    unsafe { sys::chorale_abi() }
}

/// The ABI number that this crate was made for.
pub const ABI: i32 = sys::CHORALE_ABI;

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
