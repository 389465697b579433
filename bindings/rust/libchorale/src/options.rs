//! What callers fill, as bindings/mirror.py makes it from the headers; options of runs and progress.

use crate::array::{product, Element, Matrix};
use crate::pass::{index, lent_or_none, positive, seconds, size, Pass};
use crate::rules::RawRules;
use crate::{
    c, panics, Action, Algorithm, Cancel, JointMode, LearnProgress, MessageElement, Orientation,
    Progress, Result, Rules, Scale, Shape, Start, Transitions,
};
use std::borrow::Cow;
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

include!("inputs.rs");

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
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// let options = libchorale::RunOptions::new().rounds(5).threads(2).progress(|progress| {
    ///     println!("round {}: {}", progress.round, progress.best_score);
    ///     ControlFlow::Continue(())
    /// });
    /// ```
    pub fn progress(
        mut self,
        function: impl FnMut(&Progress) -> ControlFlow<()> + Send + 'a,
    ) -> Self {
        self.progress = Some(ProgressFunction::new(function));
        self
    }
    /// Sets the rules that labellings must keep, for [`decode`](crate::decode) alone: of the labellings
    /// that keep them, the result is the best. A chain of which no labelling keeps them has its own
    /// labels ([`Decoded::ruled_chains`](crate::Decoded::ruled_chains)). Provisional.
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
