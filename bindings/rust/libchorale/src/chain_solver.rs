//! Best labellings, max-marginals and the k best labellings of one chain.

use crate::array::{fill, found, product, Element, Matrix};
use crate::handle::Handle;
use crate::pass::{count, Pass};
use crate::{c, Chain, ChainResult, Result};
use std::ptr::null_mut;

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
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use]
pub struct KBest<'s> {
    /// Ranks x positions: the labellings, best first; fewer than k if fewer labellings are allowed.
    pub labellings: Matrix<'s, i32>,
    /// The score of each labelling.
    pub scores: &'s [f64],
}

/// A reusable workspace for chains and trees, which grows as needed.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let unary = [[1.0, 0.2], [0.3, 0.8]];
/// let chain = ch::Chain::new(&unary)?;
/// let mut solver = ch::ChainSolver::new()?;
/// let best = solver.k_best(&chain, 3)?.labellings;
/// assert_eq!((best.row(0), best.row(1)), (Some(&[0, 1][..]), Some(&[0, 0][..])));
/// assert_eq!(solver.max_marginals(&chain)?.margins, [0.8, 0.5]);
/// # Ok(())
/// # }
/// ```
pub struct ChainSolver {
    handle: Handle<c::chorale_chain_solver>,
    labelling: Vec<i32>,
    numbers: Vec<f64>,
}

debug!(ChainSolver);

impl ChainSolver {
    /// Makes a solver whose workspace grows as needed. Errors: OutOfMemory.
    pub fn new() -> Result<Self> {
        Ok(Self {
            handle: create!(chorale_chain_solver_create())?,
            labelling: Vec::new(),
            numbers: Vec::new(),
        })
    }

    /// Finds the best labelling. Errors: those of a [`Chain`]; OutOfMemory.
    pub fn best<N: Element>(&mut self, chain: &Chain<'_, N>) -> Result<ChainSolution<'_>> {
        let raw = chain.raw()?;
        let mut result = init!(chorale_chain_result);
        fill(&mut self.labelling, chain.len(), -1)?;
        let (solver, labelling) = (&self.handle, &mut self.labelling);
        call!(chorale_chain_solve(solver, &raw, labelling, &mut result))?;
        Ok(ChainSolution {
            labelling: found(&self.labelling),
            result: result.pass(),
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
        let mut result = init!(chorale_chain_result);
        call!(chorale_chain_max_marginals(
            &self.handle,
            &raw,
            &mut *marginals,
            0i64,
            null_mut(),
            &mut *margins,
            &mut self.labelling,
            &mut result
        ))?;
        Ok(Marginals {
            marginals: Matrix::new(marginals, length, labels)?,
            margins,
            labelling: found(&self.labelling),
            result: result.pass(),
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
        let mut result = init!(chorale_chain_result);
        call!(chorale_chain_max_marginals(
            &self.handle,
            &raw,
            null_mut(),
            0i64,
            &mut self.numbers,
            null_mut(),
            null_mut(),
            &mut result
        ))?;
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
        call!(chorale_chain_k_best(
            &self.handle,
            &raw,
            k,
            &mut self.labelling,
            length,
            &mut self.numbers,
            &mut found
        ))?;
        let ranks = count(found);
        Ok(KBest {
            labellings: Matrix::new(&self.labelling[..ranks * length], ranks, length)?,
            scores: &self.numbers[..ranks],
        })
    }
}
