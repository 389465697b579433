//! Best labellings, max-marginals and the k best labellings of a chain (chain.h).

use crate::array::{check_length, fill, product, size, Matrix, Number};
use crate::clique::Lent;
use crate::error::call;
use crate::handle::Handle;
use crate::host::with_host;
use crate::{sys, Chain, ChainTask, Outcome, Result};

/// How good the best labelling is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChainResult {
    /// COMPLETE or INFEASIBLE.
    pub outcome: Outcome,
    /// Minus infinity when infeasible.
    pub score: f64,
}

impl ChainResult {
    pub(crate) fn blank() -> sys::chorale_chain_result {
        init!(chorale_chain_result, chorale_chain_result_init)
    }
    pub(crate) fn from_raw(raw: &sys::chorale_chain_result) -> Self {
        Self {
            outcome: Outcome::from_raw(raw.outcome),
            score: raw.score,
        }
    }
}

/// The best labelling, in the solver's memory until its next call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ChainSolution<'s> {
    /// One label a position; -1 throughout when infeasible.
    pub labelling: &'s [i32],
    pub result: ChainResult,
}

/// Max-marginals, in the solver's memory until its next call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Marginals<'s> {
    /// Positions x labels: the best score with this label there.
    pub marginals: Matrix<'s, f64>,
    /// By position: the greatest marginal less that of the second-best label.
    pub margins: &'s [f64],
    /// One label a position; -1 throughout when infeasible.
    pub labelling: &'s [i32],
    pub result: ChainResult,
}

/// Where max-marginals are to be written; what is None is not computed.
#[derive(Debug, Default)]
pub struct MarginalsOut<'o> {
    /// Positions x labels, and the row stride.
    pub marginals: Option<(&'o mut [f64], usize)>,
    /// (positions - 1) x labels x labels without gaps, rows "from".
    pub edge_marginals: Option<&'o mut [f64]>,
    pub margins: Option<&'o mut [f64]>,
    pub labelling: Option<&'o mut [i32]>,
}

/// The pointers of a `MarginalsOut` that fits a chain.
pub(crate) struct MarginalsPointers {
    pub marginals: *mut f64,
    pub row_stride: i64,
    pub edge_marginals: *mut f64,
    pub margins: *mut f64,
    pub labelling: *mut i32,
}

pub(crate) fn optional<T>(array: &mut Option<&mut [T]>) -> *mut T {
    array
        .as_mut()
        .map_or(std::ptr::null_mut(), |array| array.as_mut_ptr())
}

impl MarginalsOut<'_> {
    pub(crate) fn pointers<N: Number>(
        &mut self,
        chain: &Chain<'_, '_, N>,
    ) -> Result<MarginalsPointers> {
        let (length, labels) = (chain.len(), chain.labels());
        let (mut marginals, mut row_stride) = (std::ptr::null_mut(), 0);
        if let Some((array, stride)) = &mut self.marginals {
            Matrix::strided(array, length, labels, *stride, 1)?;
            marginals = array.as_mut_ptr();
            row_stride = size(*stride);
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

/// The k best labellings, best first, in the solver's memory until its next call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct KBest<'s> {
    labellings: &'s [i32],
    length: usize,
    /// As many as there are labellings, fewer than k where no more are allowed.
    pub scores: &'s [f64],
}

impl<'s> KBest<'s> {
    pub fn len(&self) -> usize {
        self.scores.len()
    }
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }
    /// The labelling of this rank; None beyond the last.
    pub fn labelling(&self, rank: usize) -> Option<&'s [i32]> {
        let labellings = self.labellings;
        (rank < self.len()).then(|| &labellings[rank * self.length..(rank + 1) * self.length])
    }
}

/// A reusable workspace for chains and trees, with properties too. It grows as needed, or has memory
/// that was lent to it.
///
/// ```
/// use chorale::{AlignedBytes, Chain, ChainSolver, ChainTask};
/// # fn main() -> chorale::Result<()> {
/// let unary = [[1.0, 0.2], [0.3, 0.8]];
/// let chain = Chain::new(&unary);
/// let mut solver = ChainSolver::new()?;
/// let best = solver.k_best(&chain, 3)?;
/// assert_eq!((best.labelling(0), best.labelling(1)), (Some(&[0, 1][..]), Some(&[0, 0][..])));
/// assert_eq!(solver.max_marginals(&chain)?.margins, [0.8, 0.5]);
///
/// let mut memory = AlignedBytes::new(ChainSolver::bytes(&chain, ChainTask::BEST, 1)?);
/// let mut small = ChainSolver::new_in(&mut memory)?; // never allocates
/// assert_eq!(small.best(&chain)?.result.score, 1.8);
/// # Ok(())
/// # }
/// ```
pub struct ChainSolver<'m> {
    pub(crate) handle: Handle<sys::chorale_chain_solver>,
    pub(crate) labelling: Vec<i32>,
    pub(crate) values: Vec<i32>,
    pub(crate) numbers: Vec<f64>,
    _lent: Lent<'m>,
}

// One thread at a time, any thread.
unsafe impl Send for ChainSolver<'_> {}

impl ChainSolver<'static> {
    /// A solver whose workspace grows.
    pub fn new() -> Result<Self> {
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_chain_solver_create(host, made, error)
            })
        })?;
        Ok(Self::with(handle, Lent::default()))
    }

    /// The bytes that [`new_in`](Self::new_in) needs for chains of these sizes; k: of K_BEST.
    pub fn bytes<N: Number>(chain: &Chain<'_, '_, N>, task: ChainTask, k: usize) -> Result<usize> {
        let chain = chain.raw()?;
        let mut bytes = 0;
        call(|error| unsafe {
            sys::chorale_chain_solver_bytes(&chain, task.raw(), size(k), &mut bytes, error)
        })?;
        Ok(bytes)
    }
}

impl<'m> ChainSolver<'m> {
    fn with(handle: Handle<sys::chorale_chain_solver>, lent: Lent<'m>) -> Self {
        Self {
            handle,
            labelling: Vec::new(),
            values: Vec::new(),
            numbers: Vec::new(),
            _lent: lent,
        }
    }

    /// A solver in `memory`, aligned to 64 ([`AlignedBytes`](crate::AlignedBytes) is); a chain that
    /// does not fit is WORKSPACE_TOO_SMALL.
    pub fn new_in(memory: &'m mut [u8]) -> Result<Self> {
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_chain_solver_create_in(
                    memory.as_mut_ptr().cast(),
                    memory.len(),
                    host,
                    made,
                    error,
                )
            })
        })?;
        Ok(Self::with(handle, Lent::with_host()))
    }

    /// Grows the workspace so that no such call of the library allocates.
    pub fn reserve<N: Number>(
        &mut self,
        chain: &Chain<'_, '_, N>,
        task: ChainTask,
        k: usize,
    ) -> Result<()> {
        let raw = chain.raw()?;
        call(|error| unsafe {
            sys::chorale_chain_solver_reserve(
                self.handle.as_ptr(),
                &raw,
                task.raw(),
                size(k),
                error,
            )
        })
    }

    /// The best labelling.
    pub fn best<N: Number>(&mut self, chain: &Chain<'_, '_, N>) -> Result<ChainSolution<'_>> {
        let raw = chain.raw()?;
        let mut result = ChainResult::blank();
        fill(&mut self.labelling, chain.len(), -1)?;
        call(|error| unsafe {
            sys::chorale_chain_best(
                self.handle.as_ptr(),
                &raw,
                self.labelling.as_mut_ptr(),
                &mut result,
                error,
            )
        })?;
        Ok(ChainSolution {
            labelling: &self.labelling,
            result: ChainResult::from_raw(&result),
        })
    }

    /// Max-marginals of all positions, and margins.
    pub fn max_marginals<N: Number>(&mut self, chain: &Chain<'_, '_, N>) -> Result<Marginals<'_>> {
        let (length, labels) = (chain.len(), chain.labels());
        let entries = product(&[length, labels])?;
        let mut numbers = std::mem::take(&mut self.numbers);
        let mut labelling = std::mem::take(&mut self.labelling);
        fill(&mut numbers, entries + length, 0.0)?;
        fill(&mut labelling, length, -1)?;
        let (marginals, margins) = numbers.split_at_mut(entries);
        let result = self.max_marginals_into(
            chain,
            MarginalsOut {
                marginals: Some((marginals, labels.max(1))),
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
            labelling: &self.labelling,
            result,
        })
    }

    /// Max-marginals, those of edges too, into memory of the caller.
    pub fn max_marginals_into<N: Number>(
        &mut self,
        chain: &Chain<'_, '_, N>,
        mut out: MarginalsOut<'_>,
    ) -> Result<ChainResult> {
        let raw = chain.raw()?;
        let to = out.pointers(chain)?;
        let mut result = ChainResult::blank();
        call(|error| unsafe {
            sys::chorale_chain_max_marginals(
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

    /// The k best labellings, best first. Errors: NOT_A_CHAIN (a tree).
    pub fn k_best<N: Number>(&mut self, chain: &Chain<'_, '_, N>, k: usize) -> Result<KBest<'_>> {
        let raw = chain.raw()?;
        let length = chain.len();
        // The library says whether k is sensible before memory is taken for it.
        if !matches!(product(&[length.max(1), k]), Ok(1..=65536)) {
            self.reserve(chain, ChainTask::K_BEST, k)?;
        }
        fill(&mut self.labelling, product(&[length, k])?, -1)?;
        fill(&mut self.numbers, k, 0.0)?;
        let mut found = 0;
        call(|error| unsafe {
            sys::chorale_chain_k_best(
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
            scores: &self.numbers[..found as usize],
        })
    }
}
