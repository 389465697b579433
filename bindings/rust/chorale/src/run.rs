//! Runs: one collective inference over a model (run.h).

use crate::array::{check_length, fill, product, size, Matrix, Number};
use crate::error::call;
use crate::handle::Handle;
use crate::host::{with_host, Cancel};
use crate::options::Callbacks;
use crate::panics::settle;
use crate::{sys, Chain, Error, Model, Outcome, Result, RunOptions, Status, Transitions};
use std::collections::BTreeMap;
use std::time::Duration;

/// Which labelling of a run is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labelling {
    /// The best so far.
    Best,
    /// The chains' own best, each by itself.
    Own,
}

impl Labelling {
    fn own(self) -> i32 {
        i32::from(self == Self::Own)
    }
}

/// How a call ended and what has been found so far.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunResult {
    pub outcome: Outcome,
    /// `upper_bound - score <= 1e-9 |score|`, or within rounding.
    pub proven: bool,
    /// Done so far, round 0 not counted.
    pub rounds: i64,
    pub best_round: i64,
    /// Equation 1 of the best labelling; minus infinity where there is none.
    pub score: f64,
    pub chain_score: f64,
    pub clique_score: f64,
    /// Of the chains' own best labellings.
    pub own_score: f64,
    pub rounds_score: f64,
    pub polished_score: f64,
    pub polished_own_score: f64,
    /// Plus infinity where none was computed.
    pub upper_bound: f64,
    pub gap: f64,
    /// Chains that differ from their own best labelling.
    pub changed_chains: i64,
    pub messages_changed: i64,
    pub chain_updates: i64,
    pub clique_updates: i64,
}

impl RunResult {
    fn from_raw(raw: &sys::chorale_run_result) -> Self {
        Self {
            outcome: Outcome::from_raw(raw.outcome),
            proven: raw.proven != 0,
            rounds: raw.rounds,
            best_round: raw.best_round,
            score: raw.score,
            chain_score: raw.chain_score,
            clique_score: raw.clique_score,
            own_score: raw.own_score,
            rounds_score: raw.rounds_score,
            polished_score: raw.polished_score,
            polished_own_score: raw.polished_own_score,
            upper_bound: raw.upper_bound,
            gap: raw.gap,
            changed_chains: raw.changed_chains,
            messages_changed: raw.messages_changed,
            chain_updates: raw.chain_updates,
            clique_updates: raw.clique_updates,
        }
    }
}

/// Why a chain changed: a membership whose value is not that of the chain's own best labelling.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Payment {
    pub clique: usize,
    /// Within the clique.
    pub member: usize,
    /// None for a whole chain or an instance.
    pub position: Option<usize>,
    pub own_value: i32,
    pub value: i32,
    /// What the clique would lose if this member alone showed `own_value` again.
    pub amount: f64,
}

/// One collective inference over a model: workspace, messages, the best labelling so far.
///
/// A run belongs to one thread at a time, which the compiler sees to:
///
/// ```compile_fail,E0499
/// # fn both(run: &mut chorale::Run<'_>) {
/// std::thread::scope(|scope| {
///     scope.spawn(|| run.solve());
///     scope.spawn(|| run.solve());
/// });
/// # }
/// ```
///
/// It may go from thread to thread:
///
/// ```
/// fn sent<T: Send>() {}
/// sent::<chorale::Run<'static>>();
/// ```
pub struct Run<'a> {
    // Before what it borrows.
    handle: Handle<sys::chorale_run>,
    model: Model<'a>,
    cancel: Option<Cancel>,
    _callbacks: Owned<'a>,
    /// Of chains that it was told to read instead.
    transitions: BTreeMap<usize, Option<Transitions<'a>>>,
}

/// Callbacks at an address that C has: no reference to them lives while C may use it.
struct Owned<'a>(*mut Callbacks<'a>);

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        drop(unsafe { Box::from_raw(self.0) });
    }
}

// Callbacks are Send; those that workers call are Sync. Calls that take `&self` only read, and call
// nothing back.
unsafe impl Send for Run<'_> {}
unsafe impl Sync for Run<'_> {}

type Call = unsafe extern "C" fn(
    *mut sys::chorale_run,
    *mut sys::chorale_run_result,
    *mut sys::chorale_error,
) -> sys::chorale_status;

impl<'a> Run<'a> {
    pub fn new(model: &Model<'a>, options: RunOptions<'a>) -> Result<Self> {
        Self::create(model, options, None)
    }

    /// A run that starts from the messages and the best labelling of another, of this model or one
    /// with as many chains and cliques, which is only read.
    pub fn from_earlier(
        model: &Model<'a>,
        options: RunOptions<'a>,
        earlier: &Run<'_>,
    ) -> Result<Self> {
        Self::create(model, options, Some(earlier))
    }

    fn create(
        model: &Model<'a>,
        mut options: RunOptions<'a>,
        earlier: Option<&Run<'_>>,
    ) -> Result<Self> {
        let callbacks = Box::into_raw(Box::new(std::mem::take(&mut options.callbacks)));
        let callbacks = Owned(callbacks);
        let raw = options.raw(callbacks.0);
        let earlier = earlier.map_or(std::ptr::null_mut(), |run| run.handle.as_ptr());
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_run_create(host, model.as_ptr(), &raw, earlier, made, error)
            })
        });
        Ok(Self {
            handle: settle(handle, &model.keep.slots)?,
            model: model.clone(),
            cancel: options.cancel,
            _callbacks: callbacks,
            transitions: BTreeMap::new(),
        })
    }

    /// The model that it runs over.
    pub fn model(&self) -> &Model<'a> {
        &self.model
    }

    /// Forgets messages and labellings, and chains that it was told to read instead.
    pub fn reset(&mut self) {
        unsafe { sys::chorale_run_reset(self.handle.as_ptr()) };
        self.transitions.clear();
        crate::panics::resume();
    }

    /// From now on it reads a chain from `scores`, of the same length, labels and shape, which are
    /// borrowed.
    pub fn set_chain<N: Number>(&mut self, chain: usize, scores: &Chain<'a, 'a, N>) -> Result<()> {
        let raw = scores.raw()?;
        call(|error| unsafe {
            sys::chorale_run_set_chain(self.handle.as_ptr(), size(chain), &raw, error)
        })?;
        let transitions = scores.own_transitions().cloned();
        self.transitions.insert(chain, transitions);
        Ok(())
    }

    /// A call in which potentials or instances may be called back.
    fn settled(
        &self,
        function: impl FnOnce(*mut sys::chorale_error) -> sys::chorale_status,
    ) -> Result<()> {
        settle(call(function), &self.model.keep.slots)
    }

    fn call(&mut self, function: Call) -> Result<RunResult> {
        let mut result = init!(chorale_run_result, chorale_run_result_init);
        self.settled(|error| unsafe { function(self.handle.as_ptr(), &mut result, error) })?;
        Ok(RunResult::from_raw(&result))
    }

    /// One round; the first call: round 0, every chain by itself.
    pub fn step(&mut self) -> Result<RunResult> {
        self.call(sys::chorale_run_step)
    }
    /// To the end: the rounds that are left, polish, bound.
    pub fn solve(&mut self) -> Result<RunResult> {
        self.call(sys::chorale_run_solve)
    }
    /// The polish alone.
    pub fn polish(&mut self) -> Result<RunResult> {
        self.call(sys::chorale_run_polish)
    }
    /// The bound alone, of `steps` more steps, in a run that was made with bound steps.
    pub fn bound(&mut self, steps: i64) -> Result<RunResult> {
        let mut result = init!(chorale_run_result, chorale_run_result_init);
        self.settled(|error| unsafe {
            sys::chorale_run_bound(self.handle.as_ptr(), steps, &mut result, error)
        })?;
        Ok(RunResult::from_raw(&result))
    }

    /// A new deadline for each call and a new flag; None: none.
    pub fn set_limits(
        &mut self,
        time_limit: Option<Duration>,
        cancel: Option<&Cancel>,
    ) -> Result<()> {
        let seconds = time_limit.map_or(-1.0, |limit| limit.as_secs_f64());
        let flag = cancel.map_or(std::ptr::null(), Cancel::as_ptr);
        call(|error| unsafe {
            sys::chorale_run_set_limits(self.handle.as_ptr(), seconds, flag, error)
        })?;
        self.cancel = cancel.cloned();
        Ok(())
    }

    /// The result as the last call gave it.
    pub fn result(&self) -> Result<RunResult> {
        let mut result = init!(chorale_run_result, chorale_run_result_init);
        call(|error| unsafe {
            sys::chorale_run_get_result(self.handle.as_ptr(), &mut result, error)
        })?;
        Ok(RunResult::from_raw(&result))
    }

    /// The labels of a chain.
    pub fn labels(&self, chain: usize, which: Labelling) -> Result<Vec<i32>> {
        let mut labels = Vec::new();
        fill(&mut labels, self.model.chain_length(chain), 0)?;
        self.labels_into(chain, which, &mut labels)?;
        Ok(labels)
    }
    /// The same into memory of the caller. Errors: SIZE (too short).
    pub fn labels_into(&self, chain: usize, which: Labelling, labels: &mut [i32]) -> Result<()> {
        call(|error| unsafe {
            sys::chorale_run_labels(
                self.handle.as_ptr(),
                size(chain),
                which.own(),
                labels.as_mut_ptr(),
                size(labels.len()),
                error,
            )
        })
    }
    /// The labels of all chains, one after the other.
    pub fn all_labels(&self, which: Labelling) -> Result<Vec<i32>> {
        let chains = 0..self.model.chains();
        let total = chains.map(|chain| self.model.chain_length(chain)).sum();
        let mut labels = Vec::new();
        fill(&mut labels, total, 0)?;
        self.all_labels_into(which, &mut labels)?;
        Ok(labels)
    }
    /// The same into memory of the caller. Errors: SIZE (too short).
    pub fn all_labels_into(&self, which: Labelling, labels: &mut [i32]) -> Result<()> {
        call(|error| unsafe {
            sys::chorale_run_all_labels(
                self.handle.as_ptr(),
                which.own(),
                labels.as_mut_ptr(),
                size(labels.len()),
                error,
            )
        })
    }

    /// The score of a chain, and whether its labels differ from its own best.
    pub fn chain_score(&self, chain: usize, which: Labelling) -> Result<(f64, bool)> {
        let (mut score, mut changed) = (0.0, 0);
        call(|error| unsafe {
            sys::chorale_run_chain_score(
                self.handle.as_ptr(),
                size(chain),
                which.own(),
                &mut score,
                &mut changed,
                error,
            )
        })?;
        Ok((score, changed != 0))
    }
    /// The score of a clique.
    pub fn clique_score(&self, clique: usize, which: Labelling) -> Result<f64> {
        let mut score = 0.0;
        self.settled(|error| unsafe {
            sys::chorale_run_clique_score(
                self.handle.as_ptr(),
                size(clique),
                which.own(),
                &mut score,
                error,
            )
        })?;
        Ok(score)
    }
    /// What the members of a clique show, in their order: 0 .. R-1, R for EMPTY, R + 1 for CONFLICT,
    /// -1 for a value outside a dictionary without OUT.
    pub fn values(&self, clique: usize, which: Labelling) -> Result<Vec<i32>> {
        let mut values = Vec::new();
        fill(&mut values, self.model.clique_members(clique), 0)?;
        call(|error| unsafe {
            sys::chorale_run_values(
                self.handle.as_ptr(),
                size(clique),
                which.own(),
                values.as_mut_ptr(),
                size(values.len()),
                error,
            )
        })?;
        Ok(values)
    }

    /// Every payment to a chain, in the order of its positions, then of the cliques.
    pub fn payments(&self, chain: usize) -> Result<Vec<Payment>> {
        const NONE: sys::chorale_payment = sys::chorale_payment {
            clique: 0,
            member: 0,
            position: 0,
            own_value: 0,
            value: 0,
            amount: 0.0,
        };
        let read = |payments: &mut [sys::chorale_payment]| {
            let mut count = 0;
            self.settled(|error| unsafe {
                sys::chorale_run_payments(
                    self.handle.as_ptr(),
                    size(chain),
                    payments.as_mut_ptr(),
                    size(payments.len()),
                    &mut count,
                    error,
                )
            })?;
            Ok(count as usize)
        };
        let mut payments = Vec::new();
        fill(&mut payments, read(&mut [])?, NONE)?;
        read(&mut payments)?;
        let payment = |raw: &sys::chorale_payment| Payment {
            clique: raw.clique as usize,
            member: raw.member as usize,
            position: usize::try_from(raw.position).ok(),
            own_value: raw.own_value,
            value: raw.value,
            amount: raw.amount,
        };
        Ok(payments.iter().map(payment).collect())
    }

    /// Max-marginals of a chain under the final messages, positions x labels, and margins.
    pub fn max_marginals(&mut self, chain: usize) -> Result<(Vec<f64>, Vec<f64>)> {
        let (length, labels) = (
            self.model.chain_length(chain),
            self.model.chain_labels(chain)?,
        );
        let (mut marginals, mut margins) = (Vec::new(), Vec::new());
        fill(&mut marginals, product(&[length, labels])?, 0.0)?;
        fill(&mut margins, length, 0.0)?;
        self.max_marginals_into(chain, &mut marginals, labels, &mut margins)?;
        Ok((marginals, margins))
    }
    /// The same into memory of the caller, row `t` at `t * row_stride`.
    pub fn max_marginals_into(
        &mut self,
        chain: usize,
        marginals: &mut [f64],
        row_stride: usize,
        margins: &mut [f64],
    ) -> Result<()> {
        let (length, labels) = (
            self.model.chain_length(chain),
            self.model.chain_labels(chain)?,
        );
        Matrix::strided(marginals, length, labels, row_stride, 1)?;
        check_length("margins", Some(&*margins), length)?;
        self.settled(|error| unsafe {
            sys::chorale_run_max_marginals(
                self.handle.as_ptr(),
                size(chain),
                marginals.as_mut_ptr(),
                size(row_stride),
                margins.as_mut_ptr(),
                error,
            )
        })
    }

    /// The whole of the result as JSON; run.h says what is in it.
    pub fn json(&self) -> Result<String> {
        let read = |buffer: &mut [u8]| {
            let mut needed = 0;
            self.settled(|error| unsafe {
                sys::chorale_run_json(
                    self.handle.as_ptr(),
                    buffer.as_mut_ptr().cast(),
                    buffer.len(),
                    &mut needed,
                    error,
                )
            })?;
            Ok(needed)
        };
        let mut text = Vec::new();
        // Where a buffer of nothing is given its address must be NULL or writable: one byte is.
        fill(&mut text, read(&mut [0])?, 0)?;
        read(&mut text)?;
        text.pop(); // NUL
        String::from_utf8(text).map_err(|_| Error::new(Status::INTERNAL, "the JSON is not UTF-8"))
    }
}
