//! Runs: collective inference over one model.

use crate::array::{filled, product, Matrix};
use crate::handle::Handle;
use crate::options::ProgressFunction;
use crate::panics::settle;
use crate::pass::{count, lent, Pass};
use crate::{
    c, Cancel, Labelling, LeftOut, Model, Progress, Reason, Result, Rules, RunOptions, RunResult,
    Shown,
};

impl Reason {
    /// Returns reasons as the library tells them, with values as those of their cliques.
    pub(crate) fn all(model: &Model, reasons: Result<Vec<c::chorale_reason>>) -> Result<Vec<Self>> {
        let told = |raw: c::chorale_reason| {
            let shown = model.shown(count(raw.clique));
            let member = count(raw.member);
            Self {
                own_value: shown(member, raw.own_value),
                value: shown(member, raw.value),
                ..raw.pass()
            }
        };
        let reasons = settle(reasons, &*model.slots)?;
        Ok(reasons.into_iter().map(told).collect())
    }
}

/// Max-marginals of a chain under the messages of its cliques. The score of a labelling is here the
/// score of the chain plus the entries of these messages for the values of the labelling.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChainMarginals {
    /// Positions x labels: the best score of a labelling of the chain that has this label at this
    /// position.
    pub marginals: Matrix<'static, f64>,
    /// For each position: the greatest max-marginal of the position minus the second greatest.
    pub margins: Vec<f64>,
}

/// The probabilities of the labels of one chain, from [`Run::probabilities`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChainProbabilities {
    /// Positions x labels. Each row adds up to 1, except for rounding.
    pub probabilities: Matrix<'static, f64>,
    /// True if the sums over labellings are exact. False if the chain's properties have more joint
    /// states than allowed ([`RunOptions::max_states`](crate::RunOptions::max_states)). Then some
    /// labellings were left out, or properties were approximated by
    /// [`JointMode::LocalScores`](crate::JointMode::LocalScores).
    pub exact: bool,
}

/// One collective inference over a model: holds the workspace, the messages and the best labelling
/// so far.
///
/// To *decode* a chain is to find its best labelling. A run starts by decoding every chain without its
/// cliques; the result is the chain's *own* labelling. Each *round* sends the messages of
/// all cliques to their members, decodes every chain under these messages, and sends the messages
/// of the chains to their cliques. The *local search* then decodes one chain at a time, with all other
/// chains fixed, while the total score increases. The *bound* is an upper bound on the score of
/// every labelling, computed by steps of dual ascent.
///
/// A run is used by one thread at a time, which the compiler enforces:
///
/// ```compile_fail,E0499
/// # fn both(run: &mut libchorale::Run<'_>) {
/// std::thread::scope(|scope| {
///     scope.spawn(|| run.solve());
///     scope.spawn(|| run.solve());
/// });
/// # }
/// ```
///
/// A run can be moved between threads:
///
/// ```
/// fn sent<T: Send>() {}
/// sent::<libchorale::Run<'static>>();
/// ```
pub struct Run<'a> {
    // Declared first, so that the library's run is destroyed before what it borrows.
    pub(crate) handle: RunHandle,
    model: Model,
    _cancel: Option<Cancel>,
    _progress: Owned<'a>,
}

/// The library object that owns the run: the run itself, or the result of [`decode`](crate::decode).
pub(crate) enum RunHandle {
    Own(Handle<c::chorale_run>),
    Decoded(Handle<c::chorale_decoded>),
}

impl RunHandle {
    fn as_ptr(&self) -> *mut c::chorale_run {
        match self {
            Self::Own(run) => run.as_ptr(),
            Self::Decoded(decoded) => unsafe { c::chorale_decoded_run(decoded.as_ptr()) },
        }
    }
}

pass! {
    handle: &RunHandle => *mut c::chorale_run { handle.as_ptr() }
    handle: &RunHandle => *const c::chorale_run { handle.as_ptr() }
}

/// A progress function in memory that does not move, because C stores the address. Held by a raw pointer,
/// not by a Box, because moving a Box asserts that nothing else refers to its contents.
struct Owned<'a>(*mut Option<ProgressFunction<'a, Progress>>);

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        drop(unsafe { Box::from_raw(self.0) });
    }
}

// Safe: the function is Send. Calls that take `&self` only read, and do not call it.
unsafe impl Send for Owned<'_> {}
unsafe impl Sync for Owned<'_> {}

debug!(Run<'_>: model);

impl<'a> Run<'a> {
    /// Creates a run and allocates all memory that it needs. Errors: Size, SizeOverflow, OutOfRange
    /// and NotANumber (of the options), StateSpace (a chain with several properties has more joint
    /// states than `max_states`), CallbackStopped, CallbackValue.
    pub fn new(model: &Model, options: RunOptions<'a>) -> Result<Self> {
        Self::create(model, options, None)
    }

    /// Creates a run that starts from the messages and the best labelling of an earlier run. The
    /// earlier run may be of another model, if that model has as many chains and cliques. The
    /// earlier run is only read. Errors: as for [`new`](Self::new); ModelMismatch (another number
    /// of chains or cliques).
    pub fn from_earlier(model: &Model, options: RunOptions<'a>, earlier: &Run<'_>) -> Result<Self> {
        Self::create(model, options, Some(earlier))
    }

    fn create(model: &Model, options: RunOptions<'a>, earlier: Option<&Run<'_>>) -> Result<Self> {
        let earlier = earlier.map_or(std::ptr::null_mut(), |run| run.handle.as_ptr());
        Self::made(options, |raw| {
            let handle = create!(chorale_run_create(model.as_ptr(), raw, earlier));
            Ok((
                RunHandle::Own(settle(handle, &*model.slots)?),
                model.clone(),
            ))
        })
    }

    /// Makes the run that `make` creates by the options for C, with its model.
    pub(crate) fn made(
        mut options: RunOptions<'a>,
        make: impl FnOnce(&c::chorale_run_options) -> Result<(RunHandle, Model)>,
    ) -> Result<Self> {
        let progress = Owned(Box::into_raw(Box::new(options.progress.take())));
        let rules = options.rules.as_ref().map(Rules::raw).transpose()?;
        let (handle, model) = make(&options.raw(progress.0, &rules)?)?;
        Ok(Self {
            handle,
            model,
            _cancel: options.cancel,
            _progress: progress,
        })
    }

    /// Returns the model of the run.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Allows only some labels of a position. allowed: one entry for each label, false forbids the
    /// label; `None` lifts the restriction of an earlier call. The run must have been created with
    /// [`RunOptions::edits`](crate::RunOptions::edits). Errors: State (created without edits),
    /// OutOfRange, Shape (another number of entries), ForbiddenValue (no label
    /// remains).
    pub fn set_allowed(
        &mut self,
        chain: usize,
        position: usize,
        allowed: Option<&[bool]>,
    ) -> Result<()> {
        // Safe as bytes: a bool is 0 or 1.
        let flags = lent("allowed", allowed, self.model.chain_labels(chain)?)?.cast();
        call!(chorale_run_set_allowed(
            &self.handle,
            chain,
            position,
            flags
        ))
    }

    /// Multiplies the potential of a clique by a factor, in this run only. The factor is 0, or from
    /// 1e-6 to 1e6; the factor 1 restores the potential of the model. The run must have been
    /// created with [`RunOptions::edits`](crate::RunOptions::edits). Errors: State (created without
    /// edits), OutOfRange, NotANumber.
    pub fn set_strength(&mut self, clique: usize, factor: f64) -> Result<()> {
        call!(chorale_run_set_strength(&self.handle, clique, factor))
    }

    /// Replaces the best labelling by a labelling of the caller. labels: the label of every
    /// position, chain after chain. The next `solve` scores this labelling and the
    /// own one; no result scores below either of the two. Until then the run has no labelling. A
    /// chain whose scores forbid its given labels, takes its own labels instead.
    /// Errors: Shape, OutOfRange.
    pub fn set_labels(&mut self, labels: &[i32]) -> Result<()> {
        call!(chorale_run_set_labels(&self.handle, labels, labels.len()))
    }

    /// Does all remaining rounds, then the local search and the bound if the options ask for them. A
    /// further call does up to [`RunOptions::rounds`](crate::RunOptions::rounds) more rounds.
    /// Errors: CallbackStopped, CallbackValue, StateSpace.
    pub fn solve(&mut self) -> Result<RunResult> {
        let mut result = init!(chorale_run_result);
        let solved = call!(chorale_run_solve(&self.handle, &mut result));
        settle(solved, &*self.model.slots)?;
        Ok(result.pass())
    }
    /// Returns the result of the last solve. Fails only if the library itself is at fault.
    pub fn result(&self) -> Result<RunResult> {
        let mut result = init!(chorale_run_result);
        call!(chorale_run_get_result(&self.handle, &mut result))?;
        Ok(result.pass())
    }

    /// Returns the chains that are left out, in ascending order, even if no chain has a labelling.
    pub fn left_out(&self) -> Result<Vec<LeftOut>> {
        list!(chorale_run_left_out(&self.handle))
    }

    /// Returns the labels of a chain, one for each position; -1 if the chain is left out. Errors:
    /// OutOfRange, NoLabelling.
    pub fn labels(&self, chain: usize, which: Labelling) -> Result<Vec<i32>> {
        written!(i32, chorale_run_labels(&self.handle, chain, which))
    }
    /// Returns the labels of all chains, chain after chain. Errors: NoLabelling.
    pub fn all_labels(&self, which: Labelling) -> Result<Vec<i32>> {
        let all = i64::from(c::CHORALE_ALL_CHAINS);
        written!(i32, chorale_run_labels(&self.handle, all, which))
    }

    /// Returns the values of the members of a clique under a labelling, in the order of adding. If
    /// the clique has a centre, the value of the centre is the last entry. Errors: OutOfRange,
    /// NoLabelling.
    pub fn shown(&self, clique: usize, which: Labelling) -> Result<Vec<Shown>> {
        let values = written!(i32, chorale_run_values(&self.handle, clique, which))?;
        let shown = self.model.shown(clique);
        let members = values.iter().enumerate();
        Ok(members
            .map(|(member, &value)| shown(member, value))
            .collect())
    }

    /// Returns the reasons why a chain changed, ordered by position (the whole chain first), then
    /// by clique. If the label of a position changed and no reason names the position, the label
    /// changed because labels of its neighbours did. Errors: OutOfRange, NoLabelling,
    /// CallbackStopped, CallbackValue.
    pub fn reasons(&self, chain: usize) -> Result<Vec<Reason>> {
        Reason::all(&self.model, list!(chorale_run_reasons(&self.handle, chain)))
    }
    /// Returns the reasons of all chains, chain after chain. Errors: as for
    /// [`reasons`](Self::reasons).
    pub fn all_reasons(&self) -> Result<Vec<Reason>> {
        let all = i64::from(c::CHORALE_ALL_CHAINS);
        Reason::all(&self.model, list!(chorale_run_reasons(&self.handle, all)))
    }

    /// Computes the max-marginals and margins of a chain under the messages of its cliques. Errors:
    /// OutOfRange, NoLabelling.
    pub fn max_marginals(&mut self, chain: usize) -> Result<ChainMarginals> {
        let length = self.model.chain_length(chain);
        let labels = self.model.chain_labels(chain)?;
        let mut marginals = filled(product(&[length, labels])?, 0.0)?;
        let mut margins = filled(length, 0.0)?;
        let computed = call!(chorale_run_max_marginals(
            &self.handle,
            chain,
            &mut marginals,
            labels,
            &mut margins
        ));
        settle(computed, &*self.model.slots)?;
        Ok(ChainMarginals {
            marginals: Matrix::owned(length, labels, marginals),
            margins,
        })
    }
    /// Computes the probability of each label at each position of a chain, given the messages of
    /// its cliques. The probability is the sum of exp(s / temperature) over the labellings of the
    /// chain with this label, divided by the sum over all labellings of the chain. Here s is the
    /// score of a labelling plus the messages of the chain's cliques. The temperature is above 0,
    /// in units of the scores; with 1, scores are taken as log-odds. Errors: OutOfRange,
    /// NotANumber, Infinite, NoLabelling (there is no labelling yet, or the messages forbid every
    /// labelling of the chain), StateSpace, CallbackValue, CallbackStopped.
    pub fn probabilities(&mut self, chain: usize, temperature: f64) -> Result<ChainProbabilities> {
        let length = self.model.chain_length(chain);
        let labels = self.model.chain_labels(chain)?;
        let mut probabilities = filled(product(&[length, labels])?, 0.0)?;
        let mut exact = 0;
        let computed = call!(chorale_run_probabilities(
            &self.handle,
            chain,
            temperature,
            &mut probabilities,
            labels,
            &mut exact
        ));
        settle(computed, &*self.model.slots)?;
        Ok(ChainProbabilities {
            probabilities: Matrix::owned(length, labels, probabilities),
            exact: exact != 0,
        })
    }
}
