//! Best labellings, max-marginals and the k best labellings of one chain.

use crate::array::{filled, found, product, Element, Matrix};
use crate::handle::Handle;
use crate::pass::{count, Pass};
use crate::{c, Chain, ChainResult, Result};
use std::ptr::null_mut;

/// The best labelling of a chain.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct ChainSolution {
    /// One label for each position; None if every labelling is forbidden.
    pub labelling: Option<Vec<i32>>,
    /// The score of the labelling, and how the call ended.
    pub result: ChainResult,
}

/// Max-marginals of a chain.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Marginals {
    /// Positions x labels: the best score of a labelling with this label at this position.
    pub marginals: Matrix<'static, f64>,
    /// For each position: the greatest max-marginal minus the second greatest. Plus infinity if
    /// only one label is possible, 0 if none is.
    pub margins: Vec<f64>,
    /// The best labelling, one label for each position; None if every labelling is forbidden.
    pub labelling: Option<Vec<i32>>,
    /// The score of the best labelling, and how the call ended.
    pub result: ChainResult,
}

/// The k best labellings of a chain, best first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct KBest {
    /// Ranks x positions: the labellings, best first; fewer than k if fewer labellings are allowed.
    pub labellings: Matrix<'static, i32>,
    /// The score of each labelling.
    pub scores: Vec<f64>,
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
pub struct ChainSolver(Handle<c::chorale_chain_solver>);

debug!(ChainSolver);

impl ChainSolver {
    /// Makes a solver whose workspace grows as needed.
    pub fn new() -> Result<Self> {
        create!(chorale_chain_solver_create()).map(Self)
    }

    /// Finds the best labelling. Errors: those of a [`Chain`].
    pub fn best<N: Element>(&mut self, chain: &Chain<'_, N>) -> Result<ChainSolution> {
        let raw = chain.raw()?;
        let mut result = init!(chorale_chain_result);
        let mut labelling = filled(chain.len(), -1)?;
        call!(chorale_chain_solve(
            &self.0,
            &raw,
            &mut labelling,
            &mut result
        ))?;
        Ok(ChainSolution {
            labelling: found(labelling),
            result: result.pass(),
        })
    }

    /// Computes the max-marginals of all positions, their margins, and the best labelling. Errors:
    /// those of a [`Chain`].
    pub fn max_marginals<N: Element>(&mut self, chain: &Chain<'_, N>) -> Result<Marginals> {
        let raw = chain.raw()?;
        let (length, labels) = (chain.len(), chain.labels());
        let mut marginals = filled(product(&[length, labels])?, 0.0)?;
        let mut margins = filled(length, 0.0)?;
        let mut labelling = filled(length, -1)?;
        let mut result = init!(chorale_chain_result);
        call!(chorale_chain_max_marginals(
            &self.0,
            &raw,
            &mut marginals,
            0i64,
            null_mut(),
            &mut margins,
            &mut labelling,
            &mut result
        ))?;
        Ok(Marginals {
            marginals: Matrix::owned(length, labels, marginals),
            margins,
            labelling: found(labelling),
            result: result.pass(),
        })
    }

    /// Computes the max-marginals of all edges: (positions - 1) x labels x labels, without gaps.
    /// Matrix t - 1 is for the edge from position s to position t, where s is t - 1, or in a tree
    /// the parent of t. Its entry `[x][y]` is the best score of a labelling with label x at s and
    /// label y at t; minus infinity if t is a root. Errors: those of a [`Chain`].
    pub fn edge_marginals<N: Element>(&mut self, chain: &Chain<'_, N>) -> Result<Vec<f64>> {
        let raw = chain.raw()?;
        let (edges, labels) = (chain.len().saturating_sub(1), chain.labels());
        let mut marginals = filled(product(&[edges, labels, labels])?, 0.0)?;
        let mut result = init!(chorale_chain_result);
        call!(chorale_chain_max_marginals(
            &self.0,
            &raw,
            null_mut(),
            0i64,
            &mut marginals,
            null_mut(),
            null_mut(),
            &mut result
        ))?;
        Ok(marginals)
    }

    /// Finds the k best labellings of a chain, best first. Errors: those of a [`Chain`]; Size (k is
    /// 0), NotAChain (a tree).
    pub fn k_best<N: Element>(&mut self, chain: &Chain<'_, N>, k: usize) -> Result<KBest> {
        let raw = chain.raw()?;
        let length = chain.len();
        let mut labellings = filled(product(&[length, k])?, -1)?;
        let mut scores = filled(k, 0.0)?;
        let mut found = 0;
        call!(chorale_chain_k_best(
            &self.0,
            &raw,
            k,
            &mut labellings,
            length,
            &mut scores,
            &mut found
        ))?;
        let ranks = count(found);
        labellings.truncate(ranks * length);
        scores.truncate(ranks);
        Ok(KBest {
            labellings: Matrix::owned(ranks, length, labellings),
            scores,
        })
    }
}
