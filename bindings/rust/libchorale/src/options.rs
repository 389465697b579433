//! Options of a run, and its progress.

use crate::array::{count, size};
use crate::cancel::Cancel;
use crate::error::call;
use crate::executor::{run_executor, Executor, Work};
use crate::{c, panics, Algorithm, Host, JointMode, MessageElement, Model, Result, Schedule};
use std::ops::ControlFlow;
use std::os::raw::c_void;
use std::time::Duration;

/// Progress of a run after every round and every step of the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The round just done; 0: the chains were decoded without cliques.
    pub round: usize,
    /// Messages of cliques to members that changed in the round.
    pub messages_changed: usize,
    /// The score of the labelling of the round: of all chains and cliques, summed.
    pub score: f64,
    /// The best score so far.
    pub best_score: f64,
    /// Upper bound on the score of every labelling; plus infinity before one has been computed.
    pub upper_bound: f64,
}

type ProgressFunction<'a> = Box<dyn FnMut(&Progress) -> ControlFlow<()> + Send + 'a>;

/// The callbacks of the caller. Their address is stored in C.
#[derive(Default)]
pub(crate) struct Callbacks<'a> {
    progress: Option<ProgressFunction<'a>>,
    executor: Option<Executor<'a>>,
}

/// Options of a run; options that are not set have the library's default.
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

// Safe: pointers are filled in by the run that takes the options.
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
    /// The host: allocator and log.
    pub fn host(mut self, host: &Host) -> Self {
        self.host = Some(host.clone());
        self
    }
    /// The greatest number of rounds; 10 unless this is called.
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.raw.rounds = size(rounds);
        self
    }
    /// Damping `d` of clique messages, 0 <= d < 1: new message = d * old + (1 - d) * computed.
    pub fn damping(mut self, damping: f64) -> Self {
        self.raw.damping = damping;
        self
    }
    /// The order in which cliques and chains send messages.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.raw.schedule = schedule.raw();
        self
    }
    /// The algorithm for clique messages; cliques that the algorithm does not fit use
    /// [`Algorithm::Auto`].
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
    /// Whether the best labelling is polished after the rounds: changed chain by chain while the score
    /// increases. True unless this is called.
    pub fn polish(mut self, polish: bool) -> Self {
        self.raw.polish = polish.into();
        self
    }
    /// Whether messages cover only values that fire in the best labelling, without cliques, of some
    /// member. False unless this is called.
    pub fn restrict_range(mut self, restrict: bool) -> Self {
        self.raw.restrict_range = restrict.into();
        self
    }
    /// The method for a chain under several properties.
    pub fn joint_mode(mut self, mode: JointMode) -> Self {
        self.raw.joint_mode = mode.raw();
        self
    }
    /// The number of configurations (joint states) that a beam keeps at each position of a chain under
    /// several properties.
    pub fn beam_width(mut self, width: usize) -> Self {
        self.raw.beam_width = size(width);
        self
    }
    /// The greatest number of configurations (joint states) at one position.
    pub fn budget(mut self, budget: usize) -> Self {
        self.raw.budget = size(budget);
        self
    }
    /// The number format in which messages are stored.
    pub fn message_element(mut self, element: MessageElement) -> Self {
        self.raw.message_element = element.raw();
        self
    }
    /// The number of threads, at least 1: the calling thread and `threads - 1` more, which exist only
    /// inside a call. The result is the same, bit for bit, for any number.
    pub fn threads(mut self, threads: usize) -> Self {
        self.raw.threads = size(threads);
        self
    }
    /// Runs the work on threads of the caller: `executor` lets up to `workers` of them
    /// [participate](Work::participate). The calling thread does any remaining pieces.
    pub fn executor(
        mut self,
        workers: usize,
        executor: impl Fn(&Work<'_>) + Send + Sync + 'a,
    ) -> Self {
        self.raw.threads = size(workers);
        self.callbacks.executor = Some(Box::new(executor));
        self
    }
    /// The time limit of each call of the run. Finished work is kept, and the next call continues there.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.raw.time_limit = limit.as_secs_f64();
        self
    }
    /// A flag that ends a call of the run when it is raised.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }
    /// A function that is called after every round and every step of the bound, on the thread that calls
    /// the run. Break ends the call like a cancel. A panic also ends the call, and is resumed.
    pub fn progress(
        mut self,
        progress: impl FnMut(&Progress) -> ControlFlow<()> + Send + 'a,
    ) -> Self {
        self.callbacks.progress = Some(Box::new(progress));
        self
    }
    /// The number of steps of dual ascent for an upper bound; 0: no bound.
    pub fn bound_steps(mut self, steps: usize) -> Self {
        self.raw.bound_steps = size(steps);
        self
    }
    /// Whether the run allocates the memory that [`Run::set_allowed`](crate::Run::set_allowed) and
    /// [`Run::set_strength`](crate::Run::set_strength) need.
    pub fn edits(mut self, edits: bool) -> Self {
        self.raw.edits = i64::from(edits);
        self
    }

    /// Computes the size and cost of a run with these options, without creating it. Errors: as for
    /// [`Run::new`], except StateSpace.
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

    /// Converts the options for C, with callbacks at an address that the caller keeps.
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
    /// The number of bytes that the run allocates.
    pub run_bytes: usize,
    /// The number of bytes that the model has allocated, including copied scores.
    pub model_bytes: usize,
    /// The number of bytes of all scores, copied or borrowed.
    pub score_bytes: usize,
    /// The number of additions in chains in a round.
    pub chain_steps: f64,
    /// The number of scores that a round computes for cliques: the sum of members x values.
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
    // Borrows only the field `progress`: the executor beside it may be in use.
    let function = &mut *std::ptr::addr_of_mut!((*(user as *mut Callbacks<'_>)).progress);
    let flow = panics::caught(|| match function {
        Some(function) => function(&progress),
        None => ControlFlow::Continue(()),
    });
    i32::from(!matches!(flow, Some(ControlFlow::Continue(()))))
}
