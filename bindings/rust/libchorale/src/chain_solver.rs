//! Best labellings, max-marginals and the k best labellings of one chain.
//!
//! The *max-marginal* of a label at a position is the best score of a labelling with this label at
//! this position. The *margin* of a position is its greatest max-marginal minus the second
//! greatest.

use crate::array::{count, fill, found, product, size, Element, Matrix};
use crate::error::call;
use crate::handle::Handle;
use crate::{c, Chain, Outcome, Result};

/// The result of a call: the score of the best labelling, and how the call ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChainResult {
    /// How the call ended: Complete, or Infeasible if every labelling is forbidden.
    pub outcome: Outcome,
    /// The score of the best labelling; minus infinity if every labelling is forbidden.
    pub score: f64,
}

impl ChainResult {
    pub(crate) fn blank() -> c::chorale_chain_result {
        init!(chorale_chain_result)
    }
    pub(crate) fn from_raw(raw: &c::chorale_chain_result) -> Self {
        Self {
            outcome: Outcome::from_raw(raw.outcome),
            score: raw.score,
        }
    }
}

/// The best labelling. It lies in the solver's memory, which the next call overwrites.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[must_use]
pub struct ChainSolution<'s> {
    /// One label for each position; None if every labelling is forbidden.
    pub labelling: Option<&'s [i32]>,
    /// The score of the labelling, and how the call ended.
    pub result: ChainResult,
}

/// Max-marginals of a chain. They lie in the solver's memory, which the next call overwrites.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use]
pub struct Marginals<'s> {
    /// Positions x labels: the best score of a labelling with this label at this position.
    pub marginals: Matrix<'s, f64>,
    /// For each position: the greatest max-marginal minus the second greatest. Plus infinity if
    /// only one label is possible, 0 if none is.
    pub margins: &'s [f64],
    /// The best labelling, one label for each position; None if every labelling is forbidden.
    pub labelling: Option<&'s [i32]>,
    /// The score of the best labelling, and how the call ended.
    pub result: ChainResult,
}

/// The k best labellings, best first. They lie in the solver's memory, which the next call
/// overwrites.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[must_use]
pub struct KBest<'s> {
    labellings: &'s [i32],
    length: usize,
    /// The scores of the labellings, best first; fewer than k if fewer labellings are allowed.
    pub scores: &'s [f64],
}

impl<'s> KBest<'s> {
    /// Returns the number of labellings found.
    pub fn len(&self) -> usize {
        self.scores.len()
    }
    /// Returns true if no labelling was found, because every labelling is forbidden.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }
    /// Returns the labelling of a rank, where rank 0 is the best; None if fewer labellings were
    /// found.
    pub fn labelling(&self, rank: usize) -> Option<&'s [i32]> {
        let labellings = self.labellings;
        (rank < self.len()).then(|| &labellings[rank * self.length..(rank + 1) * self.length])
    }
}

/// A reusable workspace for chains and trees, which grows as needed.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let unary = [[1.0, 0.2], [0.3, 0.8]];
/// let chain = ch::Chain::new(&unary)?;
/// let mut solver = ch::ChainSolver::new()?;
/// let best = solver.k_best(&chain, 3)?;
/// assert_eq!((best.labelling(0), best.labelling(1)), (Some(&[0, 1][..]), Some(&[0, 0][..])));
/// assert_eq!(solver.max_marginals(&chain)?.margins, [0.8, 0.5]);
/// # Ok(())
/// # }
/// ```
pub struct ChainSolver {
    handle: Handle<c::chorale_chain_solver>,
    labelling: Vec<i32>,
    numbers: Vec<f64>,
}

// Safe: the object may move between threads, and only one thread at a time can call it
// (`&mut self`).
unsafe impl Send for ChainSolver {}

impl ChainSolver {
    /// Makes a solver whose workspace grows as needed. Errors: OutOfMemory.
    pub fn new() -> Result<Self> {
        let handle = Handle::create(|host, made, error| unsafe {
            c::chorale_chain_solver_create(host, made, error)
        })?;
        Ok(Self {
            handle,
            labelling: Vec::new(),
            numbers: Vec::new(),
        })
    }

    /// Finds the best labelling. Errors: those of a [`Chain`]; OutOfMemory.
    pub fn best<N: Element>(&mut self, chain: &Chain<'_, N>) -> Result<ChainSolution<'_>> {
        let raw = chain.raw()?;
        let mut result = ChainResult::blank();
        fill(&mut self.labelling, chain.len(), -1)?;
        call(|error| unsafe {
            c::chorale_chain_solve(
                self.handle.as_ptr(),
                &raw,
                self.labelling.as_mut_ptr(),
                &mut result,
                error,
            )
        })?;
        Ok(ChainSolution {
            labelling: found(&self.labelling),
            result: ChainResult::from_raw(&result),
        })
    }

    /// Computes the max-marginals of all positions, their margins, and the best labelling. Errors:
    /// those of a [`Chain`]; OutOfMemory.
    pub fn max_marginals<N: Element>(&mut self, chain: &Chain<'_, N>) -> Result<Marginals<'_>> {
        let raw = chain.raw()?;
        let (length, labels) = (chain.len(), chain.labels());
        let entries = product(&[length, labels])?;
        fill(&mut self.numbers, entries.saturating_add(length), 0.0)?;
        fill(&mut self.labelling, length, -1)?;
        let (marginals, margins) = self.numbers.split_at_mut(entries);
        let mut result = ChainResult::blank();
        call(|error| unsafe {
            c::chorale_chain_max_marginals(
                self.handle.as_ptr(),
                &raw,
                marginals.as_mut_ptr(),
                0,
                std::ptr::null_mut(),
                margins.as_mut_ptr(),
                self.labelling.as_mut_ptr(),
                &mut result,
                error,
            )
        })?;
        Ok(Marginals {
            marginals: Matrix::new(marginals, length, labels)?,
            margins,
            labelling: found(&self.labelling),
            result: ChainResult::from_raw(&result),
        })
    }

    /// Computes the max-marginals of all edges: (positions - 1) x labels x labels, without gaps. Matrix
    /// t - 1 is for the edge from position s to position t, where s is t - 1, or in a tree the parent
    /// of t. Its entry `[x][y]` is the best score of a labelling with label x at s and label y at t;
    /// minus infinity if t is a root. Errors: those of a [`Chain`]; OutOfMemory.
    pub fn edge_marginals<N: Element>(&mut self, chain: &Chain<'_, N>) -> Result<&[f64]> {
        let raw = chain.raw()?;
        let (edges, labels) = (chain.len().saturating_sub(1), chain.labels());
        fill(&mut self.numbers, product(&[edges, labels, labels])?, 0.0)?;
        let (to, none) = (self.numbers.as_mut_ptr(), std::ptr::null_mut());
        let (solver, labelling) = (self.handle.as_ptr(), std::ptr::null_mut());
        let mut result = ChainResult::blank();
        call(|error| unsafe {
            c::chorale_chain_max_marginals(
                solver,
                &raw,
                none,
                0,
                to,
                none,
                labelling,
                &mut result,
                error,
            )
        })?;
        Ok(&self.numbers)
    }

    /// Finds the k best labellings of a chain, best first. Errors: those of a [`Chain`]; Size (k is
    /// 0), NotAChain (a tree), OutOfMemory.
    pub fn k_best<N: Element>(&mut self, chain: &Chain<'_, N>, k: usize) -> Result<KBest<'_>> {
        let raw = chain.raw()?;
        let length = chain.len();
        fill(&mut self.labelling, product(&[length, k])?, -1)?;
        fill(&mut self.numbers, k, 0.0)?;
        let mut found = 0;
        call(|error| unsafe {
            c::chorale_chain_k_best(
                self.handle.as_ptr(),
                &raw,
                size(k),
                self.labelling.as_mut_ptr(),
                size(length),
                self.numbers.as_mut_ptr(),
                &mut found,
                error,
            )
        })?;
        Ok(KBest {
            labellings: &self.labelling,
            length,
            scores: &self.numbers[..count(found)],
        })
    }
}

impl std::fmt::Debug for ChainSolver {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ChainSolver")
            .finish_non_exhaustive()
    }
}
