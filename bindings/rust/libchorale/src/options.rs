//! How a run works, and what it tells on the way.

use crate::array::{count, size};
use crate::error::call;
use crate::executor::{run_executor, Executor, Work};
use crate::host::Cancel;
use crate::{c, panics, Algorithm, Host, JointMode, MessageElement, Model, Result, Schedule};
use std::ops::ControlFlow;
use std::os::raw::c_void;
use std::time::Duration;

/// What a run tells after every round and every step of the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The round that is over; 0: the chains' own labellings.
    pub round: usize,
    /// Messages of cliques to members that changed in the round.
    pub messages_changed: usize,
    /// The score of the labelling of the round: of all chains and cliques, summed.
    pub score: f64,
    /// The best score so far.
    pub best_score: f64,
    /// On the score of every labelling; plus infinity before one has been computed.
    pub upper_bound: f64,
}

type ProgressFunction<'a> = Box<dyn FnMut(&Progress) -> ControlFlow<()> + Send + 'a>;

/// The functions of the caller. C has their address.
#[derive(Default)]
pub(crate) struct Callbacks<'a> {
    progress: Option<ProgressFunction<'a>>,
    executor: Option<Executor<'a>>,
}

/// How a run works; everything that is not set is the library's default.
///
/// ```
/// use std::ops::ControlFlow;
/// let options = libchorale::RunOptions::new().rounds(5).threads(2).progress(|progress| {
///     println!("round {}: {}", progress.round, progress.best_score);
///     ControlFlow::Continue(())
/// });
/// ```
#[must_use = "options are for a run"]
pub struct RunOptions<'a> {
    pub(crate) raw: c::RunOptions,
    pub(crate) host: Option<Host>,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) callbacks: Callbacks<'a>,
}

// Pointers are filled in by the run that takes the options.
unsafe impl Send for RunOptions<'_> {}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        Self {
            raw: init!(RunOptions, run_options_init),
            host: None,
            cancel: None,
            callbacks: Callbacks::default(),
        }
    }
}

impl std::fmt::Debug for RunOptions<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("RunOptions")
            .field("rounds", &self.raw.rounds)
            .field("threads", &self.raw.threads)
            .field("bound_steps", &self.raw.bound_steps)
            .finish_non_exhaustive()
    }
}

impl<'a> RunOptions<'a> {
    /// The library's defaults.
    pub fn new() -> Self {
        Self::default()
    }
    /// Memory and log.
    pub fn host(mut self, host: &Host) -> Self {
        self.host = Some(host.clone());
        self
    }
    /// The most rounds; 10 unless this is called.
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.raw.rounds = size(rounds);
        self
    }
    /// The share of the old message of a clique in the new, 0 <= d < 1.
    pub fn damping(mut self, damping: f64) -> Self {
        self.raw.damping = damping;
        self
    }
    /// In which order cliques and chains send messages.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.raw.schedule = schedule.raw();
        self
    }
    /// The algorithm of clique messages, where it fits the potential; [`Algorithm::Auto`] elsewhere.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.raw.algorithm = algorithm.number();
        self
    }
    /// Whether messages of cliques must be exact wherever the family has an exact solver, which is slow
    /// for convex sums. False unless this is called.
    pub fn exact_marginals(mut self, exact: bool) -> Self {
        self.raw.exact_marginals = exact.into();
        self
    }
    /// Whether the best labelling is polished in the end: changed chain by chain while the score rises.
    /// True unless this is called.
    pub fn polish(mut self, polish: bool) -> Self {
        self.raw.polish = polish.into();
        self
    }
    /// Whether only values that fire in some member's own best labelling take part in messages. False
    /// unless this is called.
    pub fn restrict_range(mut self, restrict: bool) -> Self {
        self.raw.restrict_range = restrict.into();
        self
    }
    /// How a chain under several properties is treated.
    pub fn joint_mode(mut self, mode: JointMode) -> Self {
        self.raw.joint_mode = mode.raw();
        self
    }
    /// How many configurations a beam keeps at each position of a chain under several properties.
    pub fn beam_width(mut self, width: usize) -> Self {
        self.raw.beam_width = size(width);
        self
    }
    /// How many configurations there may be at once.
    pub fn budget(mut self, budget: usize) -> Self {
        self.raw.budget = size(budget);
        self
    }
    /// What messages are stored as.
    pub fn message_element(mut self, element: MessageElement) -> Self {
        self.raw.message_element = element.raw();
        self
    }
    /// At least 1: the calling thread and `threads - 1` more, which live only inside a call. The
    /// result is the same, bit for bit, for any number.
    pub fn threads(mut self, threads: usize) -> Self {
        self.raw.threads = size(threads);
        self
    }
    /// Gives the work to threads of the caller: `executor` lets up to `workers` of them
    /// [participate](Work::participate). The calling thread does the pieces that are left.
    pub fn executor(
        mut self,
        workers: usize,
        executor: impl Fn(&Work<'_>) + Send + Sync + 'a,
    ) -> Self {
        self.raw.threads = size(workers);
        self.callbacks.executor = Some(Box::new(executor));
        self
    }
    /// The time that each call of the run may take. What is done until then stays, and the next call
    /// goes on from there.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.raw.time_limit = limit.as_secs_f64();
        self
    }
    /// A flag that ends a call of the run when it is raised, as a time limit would.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }
    /// A function that is told of every round and every step of the bound, on the thread that calls the
    /// run. Break ends the call as a cancel would. A panic ends the call too, and is resumed.
    pub fn progress(
        mut self,
        progress: impl FnMut(&Progress) -> ControlFlow<()> + Send + 'a,
    ) -> Self {
        self.callbacks.progress = Some(Box::new(progress));
        self
    }
    /// How many steps of dual ascent look for an upper bound; 0: none, and no bound.
    pub fn bound_steps(mut self, steps: usize) -> Self {
        self.raw.bound_steps = size(steps);
        self
    }
    /// Whether the run has memory for [`Run::set_allowed`](crate::Run::set_allowed) and
    /// [`Run::set_strength`](crate::Run::set_strength).
    pub fn edits(mut self, edits: bool) -> Self {
        self.raw.edits = i64::from(edits);
        self
    }

    /// The size and cost of a run with these options, before it is made. Errors: as for [`Run::new`],
    /// but for StateSpace.
    ///
    /// [`Run::new`]: crate::Run::new
    pub fn estimate(&self, model: &Model<'_>) -> Result<RunCost> {
        let mut cost = init!(RunCost, run_cost_init);
        call(|error| unsafe { c::run_estimate(model.as_ptr(), &self.raw, &mut cost, error) })?;
        Ok(RunCost {
            run_bytes: cost.run_bytes,
            model_bytes: cost.model_bytes,
            score_bytes: cost.score_bytes,
            chain_steps: cost.chain_steps,
            clique_scores: cost.clique_scores,
        })
    }

    /// The options as C takes them, with callbacks at an address that the caller keeps.
    pub(crate) fn raw(&self, callbacks: *mut Callbacks<'_>) -> c::RunOptions {
        let mut raw = self.raw;
        raw.cancel = self
            .cancel
            .as_ref()
            .map_or(std::ptr::null(), Cancel::as_ptr);
        unsafe {
            if (*callbacks).progress.is_some() {
                raw.progress = Some(tell_progress);
                raw.progress_user = callbacks.cast();
            }
            if let Some(executor) = &(*callbacks).executor {
                raw.executor = Some(run_executor);
                raw.executor_user = executor as *const Executor<'_> as *mut c_void;
            }
        }
        raw
    }
}

/// The size and cost of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunCost {
    /// What the run allocates.
    pub run_bytes: usize,
    /// What the model holds, copied scores included.
    pub model_bytes: usize,
    /// All scores, copied or borrowed.
    pub score_bytes: usize,
    /// Additions in chains, in a round.
    pub chain_steps: f64,
    /// Members x values, summed over the cliques: the scores that a round computes.
    pub clique_scores: f64,
}

unsafe extern "C" fn tell_progress(user: *mut c_void, progress: *const c::Progress) -> i32 {
    let progress = &*progress;
    let progress = Progress {
        round: count(progress.round),
        messages_changed: count(progress.messages_changed),
        score: progress.score,
        best_score: progress.best_score,
        upper_bound: progress.upper_bound,
    };
    // Borrows the field `progress` alone: the executor beside it may be in use.
    let function = &mut *std::ptr::addr_of_mut!((*(user as *mut Callbacks<'_>)).progress);
    let flow = panics::caught(|| match function {
        Some(function) => function(&progress),
        None => ControlFlow::Continue(()),
    });
    i32::from(!matches!(flow, Some(ControlFlow::Continue(()))))
}
