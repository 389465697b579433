//! Options of a run, and its progress.

use crate::pass::{positive, seconds, size, Pass};
use crate::rules::RawRules;
use crate::{c, panics, Algorithm, Cancel, JointMode, MessageElement, Progress, Result, Rules};
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

options! {
    /// Options of a run. Options that are not set have the library's defaults.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// let options = libchorale::RunOptions::new().rounds(5).threads(2).progress(|progress| {
    ///     println!("round {}: {}", progress.round, progress.best_score);
    ///     ControlFlow::Continue(())
    /// });
    /// ```
    #[derive(Debug, Default)]
    #[must_use = "options are for a run"]
    pub struct RunOptions<'a> of chorale_run_options {
        pub(crate) cancel: Option<Cancel>,
        pub(crate) progress: Option<ProgressFunction<'a, Progress>>,
        pub(crate) rules: Option<Rules<'a>>,
    }
    set(self) {
        /// Sets the greatest number of rounds. The default is 10.
        rounds: usize => rounds = if rounds == 0 { c::CHORALE_NO_ROUNDS.into() } else { size(rounds) },
        /// Sets the damping `d` of messages from cliques, at least 0 and below 1: the new message is
        /// `d * old + (1 - d) * computed`. The default is 0.
        damping: f64,
        /// Sets the algorithm that computes the messages of cliques. If the algorithm does not apply to
        /// the potential of a clique, the clique uses [`Algorithm::Auto`]. The default is `Auto`.
        algorithm: Algorithm,
        /// Sets whether the messages of cliques must be exact for every potential that has an exact
        /// solver. This is slow for SUM potentials with convex tables. The default is false.
        exact_marginals: bool,
        /// Sets whether a local search follows the rounds: one chain at a time is decoded again, while
        /// the score increases. The default is true.
        local_search: bool => no_local_search = !local_search,
        /// Sets whether the messages of a property clique are restricted to some values: those that
        /// some member chain fires in its best labelling without cliques. The default is false.
        restrict_range: bool,
        /// Sets the method for chains that are members of cliques of several properties.
        joint_mode: JointMode,
        /// Sets how many configurations a beam keeps at each position of a chain with several
        /// properties. A configuration is a joint state of all properties.
        beam_width: usize => beam_width = positive(beam_width),
        /// Sets the greatest number of configurations at one position of a chain with several
        /// properties. A configuration is a joint state of all properties.
        max_states: usize => max_states = positive(max_states),
        /// Sets the number format in which messages are stored.
        message_element: MessageElement,
        /// Sets the number of threads, at least 1: the calling thread, and `threads - 1` more that
        /// exist only during a call. The result has the same bits for any number of threads. The
        /// default is 1.
        threads: usize => threads = positive(threads),
        /// Sets the time limit of each solve. A solve that reaches the limit keeps its finished
        /// work, and the next one continues from it.
        time_limit: Duration => time_limit = seconds(Some(time_limit)),
        /// Sets the number of steps of dual ascent for an upper bound. The default 0 computes no bound.
        bound_steps: usize,
        /// Sets how long a solve looks for moves of several chains. 1: about ten times the time of a run
        /// without moves; 0, the default: less than half of that, only where they are likely to gain, and
        /// not with `edits`; below 0: not at all.
        effort: f64,
        /// Sets whether the run allocates the memory that [`Run::set_allowed`](crate::Run::set_allowed)
        /// and [`Run::set_strength`](crate::Run::set_strength) need. The default is false.
        edits: bool,
    }
}

impl<'a> RunOptions<'a> {
    /// Returns the library's defaults.
    pub fn new() -> Self {
        Self::of(None, None, None)
    }
    /// Sets a flag that ends a call of the run when raised.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }
    /// Sets a function that is called after every round and every step of the bound, on the thread
    /// that calls the run. If the function returns Break, the call ends as after a cancel. A panic
    /// in the function also ends the call, and is resumed.
    pub fn progress(
        mut self,
        function: impl FnMut(&Progress) -> ControlFlow<()> + Send + 'a,
    ) -> Self {
        self.progress = Some(ProgressFunction::new(function));
        self
    }
    /// Sets the rules that labellings must keep, for [`decode`](crate::decode) alone: of the labellings
    /// that keep them, the result is the best. A chain of which no labelling keeps them has its own
    /// labels ([`Labelled::ruled_chains`](crate::Labelled::ruled_chains)). Provisional.
    pub fn rules(mut self, rules: &Rules<'a>) -> Self {
        self.rules = Some(rules.clone());
        self
    }

    /// Converts the options for C. progress: the address of the function, which must stay valid as long
    /// as the run exists.
    pub(crate) fn raw(
        &self,
        progress: *mut Option<ProgressFunction<'_, Progress>>,
        rules: &Option<RawRules>,
    ) -> Result<c::chorale_run_options> {
        let mut raw = self.given()?;
        raw.cancel = (&self.cancel).pass();
        raw.rules = rules.as_ref().map_or(std::ptr::null(), |rules| &rules.0);
        if let Some(progress) = unsafe { &mut *progress } {
            raw.progress = Some(ProgressFunction::<Progress>::tell::<c::chorale_progress>);
            raw.progress_user = progress.user();
        }
        Ok(raw)
    }
}
