//! Best labellings, max-marginals and the k best labellings of one chain.
//!
//! The *max-marginal* of a label at a position is the best score of a labelling with this label at
//! this position. The *margin* of a position is its greatest max-marginal minus the second
//! greatest.

use crate::array::{check_length, count, fill, found, product, size, Element, Matrix, MatrixMut};
use crate::error::call;
use crate::handle::Handle;
use crate::{c, Chain, Host, Outcome, Result};

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

/// Arrays of the caller that receive max-marginals. Results whose array is None are not written.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct MarginalsOut<'o> {
    /// Positions x labels: the best score of a labelling with this label at this position.
    pub marginals: Option<MatrixMut<'o>>,
    /// (positions - 1) x labels x labels, without gaps. Matrix t - 1 is for the edge from position
    /// s to position t, where s is t - 1, or in a tree the parent of t. Its entry `[x][y]` is the
    /// best score of a labelling with label x at s and label y at t; minus infinity if t is a root.
    pub edge_marginals: Option<&'o mut [f64]>,
    /// For each position: the greatest max-marginal minus the second greatest. Plus infinity if
    /// only one label is possible, 0 if none is.
    pub margins: Option<&'o mut [f64]>,
    /// The best labelling, one label for each position; not written if every labelling is
    /// forbidden.
    pub labelling: Option<&'o mut [i32]>,
}

/// The addresses of the arrays of a `MarginalsOut`, whose sizes have been checked; null for None.
pub(crate) struct MarginalsPointers {
    pub(crate) marginals: *mut f64,
    pub(crate) row_stride: i64,
    pub(crate) edge_marginals: *mut f64,
    pub(crate) margins: *mut f64,
    pub(crate) labelling: *mut i32,
}

pub(crate) fn optional<T>(array: &mut Option<&mut [T]>) -> *mut T {
    array
        .as_mut()
        .map_or(std::ptr::null_mut(), |array| array.as_mut_ptr())
}

impl MarginalsOut<'_> {
    pub(crate) fn pointers<N: Element>(
        &mut self,
        chain: &Chain<'_, '_, N>,
    ) -> Result<MarginalsPointers> {
        let (length, labels) = (chain.len(), chain.labels());
        let (mut marginals, mut row_stride) = (std::ptr::null_mut(), 0);
        if let Some(matrix) = &mut self.marginals {
            (marginals, row_stride) = matrix.raw("marginals", length, labels)?;
        }
        let edges = product(&[length.saturating_sub(1), labels, labels])?;
        check_length("edge_marginals", self.edge_marginals.as_deref(), edges)?;
        check_length("margins", self.margins.as_deref(), length)?;
        check_length("labelling", self.labelling.as_deref(), length)?;
        Ok(MarginalsPointers {
            marginals,
            row_stride,
            edge_marginals: optional(&mut self.edge_marginals),
            margins: optional(&mut self.margins),
            labelling: optional(&mut self.labelling),
        })
    }
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

/// A reusable workspace for chains and trees, with or without attached properties
/// ([`Attachment`](crate::experimental::Attachment)). The workspace grows as needed.
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
    pub(crate) handle: Handle<c::chorale_chain_solver>,
    pub(crate) labelling: Vec<i32>,
    pub(crate) values: Vec<i32>,
    pub(crate) numbers: Vec<f64>,
}

// Safe: the object may move between threads, and only one thread at a time can call it
// (`&mut self`).
unsafe impl Send for ChainSolver {}

impl ChainSolver {
    /// Makes a solver whose workspace grows as needed. Errors: OutOfMemory.
    pub fn new() -> Result<Self> {
        Self::create(None)
    }
    /// Makes a solver whose workspace grows as needed, with the memory and log of `host`.
    pub fn new_in(host: &Host) -> Result<Self> {
        Self::create(Some(host))
    }
    fn create(host: Option<&Host>) -> Result<Self> {
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::chorale_chain_solver_create(host, made, error)
        })?;
        Ok(Self {
            handle,
            labelling: Vec::new(),
            values: Vec::new(),
            numbers: Vec::new(),
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

impl ChainSolver {
    /// Finds the best labelling. Errors: those of a [`Chain`]; OutOfMemory.
    pub fn best<N: Element>(&mut self, chain: &Chain<'_, '_, N>) -> Result<ChainSolution<'_>> {
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
    pub fn max_marginals<N: Element>(&mut self, chain: &Chain<'_, '_, N>) -> Result<Marginals<'_>> {
        let (length, labels) = (chain.len(), chain.labels());
        let entries = product(&[length, labels])?;
        let mut numbers = std::mem::take(&mut self.numbers);
        let mut labelling = std::mem::take(&mut self.labelling);
        fill(&mut numbers, entries.saturating_add(length), 0.0)?;
        fill(&mut labelling, length, -1)?;
        let (marginals, margins) = numbers.split_at_mut(entries);
        let result = self.max_marginals_into(
            chain,
            MarginalsOut {
                marginals: Some(MatrixMut::new(marginals, length, labels)?),
                margins: Some(margins),
                labelling: Some(&mut labelling),
                edge_marginals: None,
            },
        );
        self.numbers = numbers;
        self.labelling = labelling;
        let result = result?;
        let (marginals, margins) = self.numbers.split_at(entries);
        Ok(Marginals {
            marginals: Matrix::new(marginals, length, labels)?,
            margins,
            labelling: found(&self.labelling),
            result,
        })
    }

    /// Computes max-marginals of positions and of edges, and writes them to arrays of the caller.
    /// Errors: those of a [`Chain`]; Shape (an array of another size), OutOfMemory.
    pub fn max_marginals_into<N: Element>(
        &mut self,
        chain: &Chain<'_, '_, N>,
        mut out: MarginalsOut<'_>,
    ) -> Result<ChainResult> {
        let raw = chain.raw()?;
        let to = out.pointers(chain)?;
        let mut result = ChainResult::blank();
        call(|error| unsafe {
            c::chorale_chain_max_marginals(
                self.handle.as_ptr(),
                &raw,
                to.marginals,
                to.row_stride,
                to.edge_marginals,
                to.margins,
                to.labelling,
                &mut result,
                error,
            )
        })?;
        Ok(ChainResult::from_raw(&result))
    }

    /// Finds the k best labellings of a chain, best first. Errors: those of a [`Chain`]; Size (k is
    /// 0), NotAChain (a tree), OutOfMemory.
    pub fn k_best<N: Element>(&mut self, chain: &Chain<'_, '_, N>, k: usize) -> Result<KBest<'_>> {
        let raw = chain.raw()?;
        let length = chain.len();
        // If k is 0 or the results have more than 65536 labels, a call that reserves memory lets the library refuse k
        // before the arrays for the results are allocated.
        if !matches!(product(&[length.max(1), k]), Ok(1..=65536)) {
            call(|error| unsafe {
                let task = c::CHORALE_CHAIN_K_BEST;
                c::chorale_chain_solver_reserve(self.handle.as_ptr(), &raw, task, size(k), error)
            })?;
        }
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
