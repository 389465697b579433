//! Options of a run, and its progress.

use crate::pass::{positive, seconds, size, Pass};
use crate::{c, panics, Algorithm, Cancel, JointMode, MessageElement, Progress, Rules};
use std::ops::ControlFlow;
use std::os::raw::c_void;
use std::time::Duration;

type Function<'a, P> = dyn FnMut(&P) -> ControlFlow<()> + Send + 'a;

/// A function of the caller that is told of progress, and says whether the call goes on.
pub(crate) struct ProgressFunction<'a, P>(Box<Function<'a, P>>);

impl<'a, P> ProgressFunction<'a, P> {
    pub(crate) fn new(function: impl FnMut(&P) -> ControlFlow<()> + Send + 'a) -> Self {
        Self(Box::new(function))
    }
    /// Calls the function at the address `user`, for C. A panic or Break ends the call.
    pub(crate) unsafe extern "C" fn tell<Raw: Copy + Pass<P>>(
        user: *mut c_void,
        progress: *const Raw,
    ) -> i32 {
        let function = &mut *user.cast::<Self>();
        let progress = (*progress).pass();
        let flow = panics::caught(|| function.0(&progress));
        i32::from(flow != Some(ControlFlow::Continue(())))
    }
    /// Returns the address for [`tell`](Self::tell), which is valid as long as `self` does not move.
    pub(crate) fn user(&mut self) -> *mut c_void {
        (self as *mut Self).cast()
    }
}

impl<P> std::fmt::Debug for ProgressFunction<'_, P> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a function")
    }
}

/// The callbacks and rules of the caller. C stores their address, so they must not move while a run
/// exists.
#[derive(Debug, Default)]
pub(crate) struct Callbacks<'a> {
    progress: Option<ProgressFunction<'a, Progress>>,
    rules: Option<Rules<'a>>,
}

/// Options of a run. Options that are not set have the library's defaults.
///
/// ```
/// use std::ops::ControlFlow;
/// let options = libchorale::RunOptions::new().rounds(5).threads(2).progress(|progress| {
///     println!("round {}: {}", progress.round, progress.best_score);
///     ControlFlow::Continue(())
/// });
/// ```
#[derive(Debug)]
#[must_use = "options are for a run"]
pub struct RunOptions<'a> {
    pub(crate) raw: c::chorale_run_options,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) callbacks: Callbacks<'a>,
}

// Safe: the pointers in the field `raw` are always null. The method `raw` sets them in a copy.
unsafe impl Send for RunOptions<'_> {}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        Self {
            raw: init!(chorale_run_options),
            cancel: None,
            callbacks: Callbacks::default(),
        }
    }
}

impl<'a> RunOptions<'a> {
    /// Returns the library's defaults.
    pub fn new() -> Self {
        Self::default()
    }
    setters! {
        /// Sets the greatest number of rounds. The default is 10.
        pub fn rounds(self, rounds: usize) -> Self {
            self.raw.rounds = if rounds == 0 { c::CHORALE_NO_ROUNDS.into() } else { size(rounds) }
        }
        /// Sets the damping `d` of messages from cliques, at least 0 and below 1: the new message is
        /// `d * old + (1 - d) * computed`. The default is 0.
        pub fn damping(self, damping: f64) -> Self { self.raw.damping = damping }
        /// Sets the algorithm that computes the messages of cliques. If the algorithm does not apply to
        /// the potential of a clique, the clique uses [`Algorithm::Auto`]. The default is `Auto`.
        pub fn algorithm(self, algorithm: Algorithm) -> Self {
            self.raw.algorithm = algorithm.number()
        }
        /// Sets whether the messages of cliques must be exact for every potential that has an exact
        /// solver. This is slow for SUM potentials with convex tables. The default is false.
        pub fn exact_marginals(self, exact: bool) -> Self {
            self.raw.exact_marginals = exact.into()
        }
        /// Sets whether a local search follows the rounds: one chain at a time is decoded again, while
        /// the score increases. The default is true.
        pub fn local_search(self, local_search: bool) -> Self {
            self.raw.no_local_search = (!local_search).into()
        }
        /// Sets whether the messages of a property clique are restricted to some values: those that
        /// some member chain fires in its best labelling without cliques. The default is false.
        pub fn restrict_range(self, restrict: bool) -> Self {
            self.raw.restrict_range = restrict.into()
        }
        /// Sets the method for chains that are members of cliques of several properties.
        pub fn joint_mode(self, mode: JointMode) -> Self { self.raw.joint_mode = mode.raw() }
        /// Sets how many configurations a beam keeps at each position of a chain with several
        /// properties. A configuration is a joint state of all properties.
        pub fn beam_width(self, width: usize) -> Self { self.raw.beam_width = positive(width) }
        /// Sets the greatest number of configurations at one position of a chain with several
        /// properties. A configuration is a joint state of all properties.
        pub fn max_states(self, max_states: usize) -> Self {
            self.raw.max_states = positive(max_states)
        }
        /// Sets the number format in which messages are stored.
        pub fn message_element(self, element: MessageElement) -> Self {
            self.raw.message_element = element.raw()
        }
        /// Sets the number of threads, at least 1: the calling thread, and `threads - 1` more that
        /// exist only during a call. The result has the same bits for any number of threads. The
        /// default is 1.
        pub fn threads(self, threads: usize) -> Self { self.raw.threads = positive(threads) }
        /// Sets the time limit of each solve. A solve that reaches the limit keeps its finished
        /// work, and the next one continues from it.
        pub fn time_limit(self, limit: Duration) -> Self {
            self.raw.time_limit = seconds(Some(limit))
        }
        /// Sets a flag that ends a call of the run when raised.
        pub fn cancel(self, cancel: &Cancel) -> Self { self.cancel = Some(cancel.clone()) }
    }
    /// Sets a function that is called after every round and every step of the bound, on the thread
    /// that calls the run. If the function returns Break, the call ends as after a cancel. A panic
    /// in the function also ends the call, and is resumed.
    pub fn progress(
        mut self,
        progress: impl FnMut(&Progress) -> ControlFlow<()> + Send + 'a,
    ) -> Self {
        self.callbacks.progress = Some(ProgressFunction::new(progress));
        self
    }
    setters! {
        /// Sets the number of steps of dual ascent for an upper bound. The default 0 computes no bound.
        pub fn bound_steps(self, steps: usize) -> Self { self.raw.bound_steps = size(steps) }
        /// Sets how long a solve looks for moves of several chains. 1: about ten times the time of a run
        /// without moves; 0, the default: less than half of that, only where they are likely to gain, and
        /// not with `edits`; below 0: not at all.
        pub fn effort(self, effort: f64) -> Self { self.raw.effort = effort }
        /// Sets whether the run allocates the memory that [`Run::set_allowed`](crate::Run::set_allowed)
        /// and [`Run::set_strength`](crate::Run::set_strength) need. The default is false.
        pub fn edits(self, edits: bool) -> Self { self.raw.edits = edits.into() }
        /// Sets the rules that labellings must keep, for [`decode`](crate::decode) alone: of the labellings
        /// that keep them, the result is the best. A chain of which no labelling keeps them has its own
        /// labels ([`Labelled::ruled_chains`](crate::Labelled::ruled_chains)). Provisional.
        pub fn rules(self, rules: &Rules<'a>) -> Self { self.callbacks.rules = Some(rules.clone()) }
    }

    /// Converts the options for C. callbacks: the address of the callbacks, which must stay valid
    /// as long as the run exists.
    pub(crate) fn raw(&self, callbacks: *mut Callbacks<'_>) -> c::chorale_run_options {
        let mut raw = self.raw;
        raw.cancel = (&self.cancel).pass();
        unsafe {
            if let Some(progress) = &mut (*callbacks).progress {
                raw.progress = Some(ProgressFunction::<Progress>::tell::<c::chorale_progress>);
                raw.progress_user = progress.user();
            }
            if let Some(rules) = &mut (*callbacks).rules {
                raw.rules = rules.raw();
            }
        }
        raw
    }
}
