//! How a run works, and what it tells on the way (run.h).

use crate::error::call;
use crate::executor::{run_executor, Executor, Work};
use crate::host::Cancel;
use crate::{panics, sys, Algorithm, JointMode, MessageNumber, Model, Result, Schedule};
use std::ops::ControlFlow;
use std::os::raw::c_void;
use std::time::Duration;

/// What a run tells after every round and every step of the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// 0: the chains' own labellings.
    pub round: i64,
    pub messages_changed: i64,
    /// Equation 1 of the round's labelling.
    pub score: f64,
    pub best_score: f64,
    /// Plus infinity before one has been computed.
    pub upper_bound: f64,
}

type ProgressFunction<'a> = Box<dyn FnMut(&Progress) -> ControlFlow<()> + Send + 'a>;

/// The caller's functions, at an address that C has.
#[derive(Default)]
pub(crate) struct Callbacks<'a> {
    progress: Option<ProgressFunction<'a>>,
    executor: Option<Executor<'a>>,
}

/// How a run works; everything that is not set is the library's default.
///
/// ```
/// use std::ops::ControlFlow;
/// let options = chorale::RunOptions::new().rounds(5).threads(2).progress(|progress| {
///     println!("round {}: {}", progress.round, progress.best_score);
///     ControlFlow::Continue(())
/// });
/// ```
pub struct RunOptions<'a> {
    pub(crate) raw: sys::chorale_run_options,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) callbacks: Callbacks<'a>,
}

// Pointers are filled in by the run that takes the options.
unsafe impl Send for RunOptions<'_> {}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        Self {
            raw: init!(chorale_run_options, chorale_run_options_init),
            cancel: None,
            callbacks: Callbacks::default(),
        }
    }
}

impl<'a> RunOptions<'a> {
    pub fn new() -> Self {
        Self::default()
    }
    /// At most so many.
    pub fn rounds(mut self, rounds: i64) -> Self {
        self.raw.rounds = rounds;
        self
    }
    /// The share of the old message of a clique in the new, 0 <= d < 1.
    pub fn damping(mut self, damping: f64) -> Self {
        self.raw.damping = damping;
        self
    }
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.raw.schedule = schedule.raw();
        self
    }
    /// Of clique messages, where it fits.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.raw.algorithm = algorithm.raw();
        self
    }
    /// Clique messages are exact wherever the family has an exact solver.
    pub fn exact_marginals(mut self, exact: bool) -> Self {
        self.raw.exact_marginals = exact.into();
        self
    }
    /// Whether the best labelling is polished in the end; it is by default.
    pub fn polish(mut self, polish: bool) -> Self {
        self.raw.polish = polish.into();
        self
    }
    /// Only values that fire in some member's own best labelling take part in messages.
    pub fn restrict_range(mut self, restrict: bool) -> Self {
        self.raw.restrict_range = restrict.into();
        self
    }
    /// How a chain under several properties is treated.
    pub fn joint_mode(mut self, mode: JointMode) -> Self {
        self.raw.joint_mode = mode.raw();
        self
    }
    pub fn beam_width(mut self, width: i64) -> Self {
        self.raw.beam_width = width;
        self
    }
    /// Configurations at once.
    pub fn budget(mut self, budget: i64) -> Self {
        self.raw.budget = budget;
        self
    }
    /// What messages are stored as.
    pub fn message_number(mut self, number: MessageNumber) -> Self {
        self.raw.message_number = number.raw();
        self
    }
    /// The calling thread and `threads - 1` more, which live only inside a call.
    pub fn threads(mut self, threads: i64) -> Self {
        self.raw.threads = threads;
        self
    }
    /// Threads of the caller's instead: `executor` is to let up to `workers` of them
    /// [participate](Work::participate). What it leaves undone is done on the calling thread.
    pub fn executor(
        mut self,
        workers: i64,
        executor: impl Fn(&Work<'_>) + Send + Sync + 'a,
    ) -> Self {
        self.raw.threads = workers;
        self.callbacks.executor = Some(Box::new(executor));
        self
    }
    /// For each call of step or solve.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.raw.time_limit = limit.as_secs_f64();
        self
    }
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }
    /// Called on the thread that calls the run; Break ends the call as a cancel would. A panic in it
    /// does too, and goes on.
    pub fn progress(
        mut self,
        progress: impl FnMut(&Progress) -> ControlFlow<()> + Send + 'a,
    ) -> Self {
        self.callbacks.progress = Some(Box::new(progress));
        self
    }
    /// Steps of the dual ascent; 0: no bound.
    pub fn bound_steps(mut self, steps: i64) -> Self {
        self.raw.bound_steps = steps;
        self
    }

    /// The size and cost of a run with these options, before it is made.
    pub fn estimate(&self, model: &Model<'_>) -> Result<RunCost> {
        let mut cost = init!(chorale_run_cost, chorale_run_cost_init);
        call(|error| unsafe {
            sys::chorale_run_estimate(model.as_ptr(), &self.raw, &mut cost, error)
        })?;
        Ok(RunCost {
            run_bytes: cost.run_bytes,
            model_bytes: cost.model_bytes,
            score_bytes: cost.score_bytes,
            chain_steps: cost.chain_steps,
            clique_scores: cost.clique_scores,
        })
    }

    /// The options as C takes them, with callbacks at an address that the caller keeps.
    pub(crate) fn raw(&self, callbacks: *mut Callbacks<'_>) -> sys::chorale_run_options {
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

/// Of a run, before it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunCost {
    /// What the run allocates.
    pub run_bytes: usize,
    pub model_bytes: usize,
    pub score_bytes: usize,
    /// Of a round: additions in chains.
    pub chain_steps: f64,
    /// Of a round: members x values, summed over the cliques.
    pub clique_scores: f64,
}

unsafe extern "C" fn tell_progress(
    user: *mut c_void,
    progress: *const sys::chorale_progress,
) -> i32 {
    let progress = &*progress;
    let progress = Progress {
        round: progress.round,
        messages_changed: progress.messages_changed,
        score: progress.score,
        best_score: progress.best_score,
        upper_bound: progress.upper_bound,
    };
    // The executor beside it may be in use: only this field is borrowed.
    let function = &mut *std::ptr::addr_of_mut!((*(user as *mut Callbacks<'_>)).progress);
    let flow = panics::caught(|| match function {
        Some(function) => function(&progress),
        None => ControlFlow::Continue(()),
    });
    i32::from(!matches!(flow, Some(ControlFlow::Continue(()))))
}
