//! Learning: computes strengths and potentials of cliques from problems with gold labels.
//!
//! Cliques have *kinds*. The potential of a kind is a sum of *bases*, each multiplied by a
//! *weight*; a basis is a function of the counts of a clique's values ([`Basis`]). *Agreement
//! bases* reward members with the same value; the other bases, *bonuses*, add a constant for each
//! member with a certain value. *The tagger's labels* are the best labellings of the chains without
//! cliques. Cost is the sum of the costs of wrong labels. It is measured by cross-validation:
//! documents (*groups*) are divided into *folds*, and the groups of a fold are *held out*, that is,
//! labelled with weights learnt on the other folds.

use crate::array::{check_length, count, filled, index_or_none, size};
use crate::cancel::Cancel;
use crate::error::call;
use crate::handle::Handle;
use crate::run::Owned;
use crate::{
    c, panics, Applied, Basis, Error, Host, Model, Outcome, Potential, Problem, Result, RunOptions,
    Status, Verdict,
};
use std::ops::ControlFlow;
use std::os::raw::{c_char, c_void};
use std::sync::Arc;
use std::time::Duration;

/// A lower and an upper bound for the weights of a basis (a function of the counts of a clique). If
/// several rules match a weight, the last one applies. A basis that is not learnt by default is
/// learnt if a rule names it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightRule {
    /// The kind of cliques that the rule is for; None: every kind that can have the basis.
    pub kind: Option<usize>,
    /// The basis whose weights are bounded.
    pub basis: Basis,
    /// The index of one weight, for a basis that has several weights ([`Basis`] states their
    /// indices); None: all weights of the basis.
    pub index: Option<usize>,
    /// The lower bound of the weight; minus infinity for no bound.
    pub least: f64,
    /// The upper bound of the weight; plus infinity for no bound. If equal to `least`, the weight
    /// is fixed.
    pub most: f64,
}

impl WeightRule {
    fn raw(&self) -> Result<c::WeightRule> {
        Ok(c::WeightRule {
            kind: index_or_none("kind", self.kind)?,
            basis: self.basis.number(),
            index: self.index.map_or(-1, size),
            least: self.least,
            most: self.most,
        })
    }
}

/// Progress of learning, passed to a callback after each run over a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LearnProgress {
    /// The number of runs done so far.
    pub runs: usize,
    /// An upper bound on the total number of runs.
    pub runs_most: usize,
}

type ProgressFunction<'a> = Box<dyn FnMut(&LearnProgress) -> ControlFlow<()> + Send + 'a>;

/// Options of [`learn`]. Options that are not set have the library's defaults.
#[must_use = "options are for learn"]
pub struct LearnOptions<'a> {
    rules: Vec<WeightRule>,
    costs: Option<(Vec<f64>, usize)>,
    classes: Option<Vec<Option<usize>>>,
    seen: Option<Vec<f64>>,
    folds: Option<usize>,
    level: Option<f64>,
    run: Option<RunOptions<'a>>,
    time_limit: Option<Duration>,
    host: Option<Host>,
    cancel: Option<Cancel>,
    progress: Option<ProgressFunction<'a>>,
}

impl std::fmt::Debug for LearnOptions<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("LearnOptions")
            .field("rules", &self.rules)
            .field("folds", &self.folds)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

impl Default for LearnOptions<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> LearnOptions<'a> {
    /// Returns the library's defaults.
    pub fn new() -> Self {
        Self {
            rules: Vec::new(),
            costs: None,
            classes: None,
            seen: None,
            folds: None,
            level: None,
            run: None,
            time_limit: None,
            host: None,
            cancel: None,
            progress: None,
        }
    }
    /// Adds a rule that bounds weights. If several rules match a weight, the last one added
    /// applies.
    pub fn rule(mut self, rule: WeightRule) -> Self {
        self.rules.push(rule);
        self
    }
    /// Sets the costs of wrong labels: a matrix of `labels` x `labels`, in which the row is the
    /// gold label and the column the label given. Unless this is called, each wrong label costs 1.
    pub fn costs(mut self, costs: &[f64], labels: usize) -> Self {
        self.costs = Some((costs.to_vec(), labels));
        self
    }
    /// Sets the costs to those of micro F1. classes: for each label the class that it counts as in
    /// F1, or None if the label does not count. Cannot be combined with [`costs`](Self::costs).
    pub fn classes(mut self, classes: &[Option<usize>]) -> Self {
        self.classes = Some(classes.to_vec());
        self
    }
    /// Sets a share for each problem, above 0 and at most 1: how much of the final tagger's
    /// training data was seen by the tagger that gave the problem's scores. Unless this is called,
    /// all shares are 1.
    pub fn seen(mut self, seen: &[f64]) -> Self {
        self.seen = Some(seen.to_vec());
        self
    }
    /// Sets the greatest number of folds of cross-validation, at least 2. The default is 10.
    pub fn folds(mut self, folds: usize) -> Self {
        self.folds = Some(folds);
        self
    }
    /// Sets the level of significance for tests, above 0 and below 1. The default is 0.05.
    pub fn level(mut self, level: f64) -> Self {
        self.level = Some(level);
        self
    }
    /// Sets the options of the runs that learning makes. The time limit, cancel flag, progress
    /// callback and bound steps of these options are ignored.
    pub fn run(mut self, options: RunOptions<'a>) -> Self {
        self.run = Some(options);
        self
    }
    /// Sets the time limit of the call. If the call reaches the limit, no weights are applied.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }
    /// Sets the host, which provides memory and a log.
    pub fn host(mut self, host: &Host) -> Self {
        self.host = Some(host.clone());
        self
    }
    /// Sets a flag that, when raised, ends the call as a time limit does.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }
    /// Sets a function that is called after every run, on the thread that called [`learn`]. If the
    /// function returns Break, the call ends as after a cancel. A panic in the function also ends
    /// the call, and is resumed.
    pub fn progress(
        mut self,
        progress: impl FnMut(&LearnProgress) -> ControlFlow<()> + Send + 'a,
    ) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }
}

/// Learns weights for the kinds of cliques of problems with gold labels. The scores must come from
/// taggers that have not seen the gold labels. The header `chorale/learn.h` describes the method.
///
/// If a limit ends the call early, the outcome in the report says so, and all weights are 0.
/// Errors: Shape (costs, seen), Size (no problem, folds, empty classes), OutOfRange (level, costs,
/// seen, rules; classes without a label that counts), NotANumber, Infinite, LabelsMismatch (costs,
/// classes, chains of different numbers of labels), NoGold, OneGroup, Kind (no clique has a kind; a
/// rule for a basis that its kind cannot have; both costs and classes), Weights (a clique with a
/// kind has weights above 1), ModelMismatch, those of [`Run::new`](crate::Run::new) and
/// [`Run::solve`](crate::Run::solve).
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// // Three mentions in each of 8 documents, all with gold label 0. The tagger slightly prefers the
/// // wrong label for the third mention.
/// let scores: Vec<[f64; 2]> = (0..24).map(|i| [[1.0, 0.0], [0.0, 0.4]][usize::from(i % 3 == 2)]).collect();
/// let (tokens, groups): (Vec<i32>, Vec<i64>) = (0..24).map(|i| (0, i / 3)).unzip();
/// let corpus = ch::Corpus::items(&scores)?.tokens(&tokens).groups(&groups);
/// let problem = ch::Problem::agreeing(&corpus, &[ch::Agreement::words()], Some(&[0; 24]))?;
/// // No bonus for a frequent label, so that only agreement between the mentions is learnt.
/// let none = ch::WeightRule { kind: None, basis: ch::Basis::Value, index: None, least: 0.0, most: 0.0 };
/// let learnt = ch::learn(&[&problem], ch::LearnOptions::new().rule(none))?;
/// assert_eq!(learnt.report()?.applied, ch::Applied::All);
/// let mut run = ch::Run::new(&learnt.apply(&problem)?, ch::RunOptions::new())?;
/// run.solve()?;
/// assert_eq!(run.all_labels(ch::Labelling::Best)?, [0; 24]);
/// # Ok(())
/// # }
/// ```
pub fn learn(problems: &[&Problem<'_>], mut options: LearnOptions<'_>) -> Result<Learnt> {
    let given: Vec<*const c::Problem> = problems
        .iter()
        .map(|problem| problem.as_ptr() as *const c::Problem)
        .collect();
    let rules: Vec<_> = options
        .rules
        .iter()
        .map(WeightRule::raw)
        .collect::<Result<_>>()?;
    let mut raw = init!(LearnOptions, learn_options_init);
    raw.rules = rules.as_ptr();
    raw.rule_count = size(rules.len());
    if let Some((costs, labels)) = &options.costs {
        check_length("costs", Some(costs), labels.saturating_mul(*labels))?;
        raw.costs = costs.as_ptr();
        raw.labels = size(*labels);
    }
    let classes = options.classes.as_ref().map(|classes| {
        let classes = classes.iter();
        let numbers = classes.map(|&class| index_or_none("classes", class));
        numbers.collect::<Result<Vec<_>>>()
    });
    let classes = classes.transpose()?;
    if let Some(classes) = &classes {
        if classes.is_empty() {
            let rule = "classes has no entries; it must have one for each label";
            return Err(Error::new(Status::Size, rule));
        }
        raw.classes = classes.as_ptr();
        if options.costs.is_none() {
            raw.labels = size(classes.len());
        }
    }
    if let Some(seen) = &options.seen {
        check_length("seen", Some(seen), problems.len())?;
        raw.seen = seen.as_ptr();
    }
    raw.folds = options.folds.map_or(raw.folds, size);
    raw.level = options.level.unwrap_or(raw.level);
    if let Some(limit) = options.time_limit {
        raw.time_limit = limit.as_secs_f64();
    }
    if let Some(cancel) = &options.cancel {
        raw.cancel = cancel.as_ptr();
    }
    if options.progress.is_some() {
        raw.progress = Some(tell_progress);
        raw.progress_user = (&mut options.progress as *mut Option<ProgressFunction<'_>>).cast();
    }
    let callbacks = options
        .run
        .as_mut()
        .map(|run| Owned::new(std::mem::take(&mut run.callbacks)));
    let run = match (&options.run, &callbacks) {
        (Some(run), Some(callbacks)) => Some(run.raw(callbacks.0)),
        _ => None,
    };
    if let Some(run) = &run {
        raw.run = run;
    }
    let handle = Handle::create(options.host.as_ref(), |host, made, error| unsafe {
        c::learn(host, given.as_ptr(), size(given.len()), &raw, made, error)
    })?;
    Ok(Learnt { handle })
}

unsafe extern "C" fn tell_progress(user: *mut c_void, progress: *const c::LearnProgress) -> i32 {
    let progress = LearnProgress {
        runs: count((*progress).runs),
        runs_most: count((*progress).runs_most),
    };
    let function = &mut *(user as *mut Option<ProgressFunction<'_>>);
    let flow = panics::caught(|| match function {
        Some(function) => function(&progress),
        None => ControlFlow::Continue(()),
    });
    i32::from(!matches!(flow, Some(ControlFlow::Continue(()))))
}

/// The result of [`learn`]. It never changes, and any number of threads may use it.
pub struct Learnt {
    handle: Handle<c::Learnt>,
}

// Safe: the object never changes.
unsafe impl Send for Learnt {}
unsafe impl Sync for Learnt {}

impl std::fmt::Debug for Learnt {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Learnt")
            .field("report", &self.report())
            .finish_non_exhaustive()
    }
}

impl Learnt {
    fn as_ptr(&self) -> *const c::Learnt {
        self.handle.as_ptr()
    }

    /// Reads a result written by [`to_json`](Self::to_json). Errors: Text, OutOfMemory.
    pub fn from_json(json: &str) -> Result<Self> {
        let handle = Handle::create(None, |host, made, error| unsafe {
            c::learnt_read(host, json.as_ptr().cast(), json.len(), made, error)
        })?;
        Ok(Self { handle })
    }
    /// Writes the whole result as JSON, for [`from_json`](Self::from_json). Errors: OutOfMemory.
    pub fn to_json(&self) -> Result<String> {
        self.text(c::TEXT_JSON)
    }
    /// Writes the result as lines of text for people. Errors: OutOfMemory.
    pub fn to_lines(&self) -> Result<String> {
        self.text(c::TEXT_LINES)
    }
    fn text(&self, form: i32) -> Result<String> {
        let mut bytes = filled(0u8, |bytes, capacity| {
            let mut needed = 0;
            let buffer = bytes as *mut c_char;
            call(|error| unsafe {
                c::learnt_text(self.as_ptr(), form, buffer, capacity, &mut needed, error)
            })?;
            Ok(needed)
        })?;
        bytes.pop(); // the NUL
        String::from_utf8(bytes)
            .map_err(|_| Error::new(Status::Internal, "a text that is not UTF-8"))
    }

    /// Makes a model like that of a problem, in which each clique that has a kind gets the learnt
    /// potential of the kind. Errors: Kind, Weights, ValuesMismatch, ModelMismatch, OutOfMemory.
    pub fn apply<'a>(&self, problem: &Problem<'a>) -> Result<Model<'a>> {
        let handle = Handle::create(None, |host, made, error| unsafe {
            c::learnt_apply(host, self.as_ptr(), problem.as_ptr(), made, error)
        })?;
        Ok(Model::with(handle, Arc::clone(&problem.keep)))
    }
    /// Makes the learnt potential of a kind, for cliques of any size. values: R, the number of
    /// values of the cliques; for property cliques the potential is over R + 2 values. centre: for
    /// a kind of centred cliques, the value of the centre; otherwise None. Errors: OutOfRange,
    /// Size, SizeOverflow, ValuesMismatch, OutOfMemory.
    pub fn potential(
        &self,
        kind: usize,
        values: usize,
        centre: Option<usize>,
    ) -> Result<Potential> {
        let centre = centre.map_or(-1, size);
        let handle = Handle::create(None, |host, made, error| unsafe {
            let (kind, values) = (size(kind), size(values));
            c::learnt_potential(host, self.as_ptr(), kind, values, centre, made, error)
        })?;
        Ok(Potential::with(handle))
    }

    /// Returns the report of learning. Fails only if the library itself is at fault.
    pub fn report(&self) -> Result<LearntReport> {
        let mut raw = init!(LearntReport, learnt_report_init);
        call(|error| unsafe { c::learnt_get_report(self.as_ptr(), &mut raw, error) })?;
        let warns = |flag| raw.warnings & flag != 0;
        Ok(LearntReport {
            outcome: Outcome::from_raw(raw.outcome),
            applied: Applied::from_raw(raw.applied),
            warnings: Warnings {
                gold_forbidden: warns(c::WARNING_GOLD_FORBIDDEN),
                label_unseen: warns(c::WARNING_LABEL_UNSEEN),
                single_clique: warns(c::WARNING_SINGLE_CLIQUE),
                base_knows: warns(c::WARNING_BASE_KNOWS),
                few_groups: warns(c::WARNING_FEW_GROUPS),
                base_guesses: warns(c::WARNING_BASE_GUESSES),
            },
            groups: count(raw.groups),
            folds: count(raw.folds),
            positions: count(raw.positions),
            kinds: count(raw.kinds),
            weights: count(raw.weights),
            runs: count(raw.runs),
            unit: raw.unit,
            regularisation: raw.regularisation,
            gold_bonus: raw.gold_bonus,
            base_cost: raw.base_cost,
            control_cost: raw.control_cost,
            all_cost: raw.all_cost,
            gain: Gain {
                gain: raw.gain,
                lower: raw.gain_lower,
                upper: raw.gain_upper,
                p: raw.gain_p,
            },
            agreement_gain: Gain {
                gain: raw.agreement_gain,
                lower: raw.agreement_lower,
                upper: raw.agreement_upper,
                p: raw.agreement_p,
            },
            f1: raw.f1,
            temperature: raw.temperature,
        })
    }

    /// Returns the results of all kinds, in the order of their numbers. Errors: OutOfMemory.
    pub fn kinds(&self) -> Result<Vec<LearntKind>> {
        const NONE: c::LearntKind = c::LearntKind {
            kind: 0,
            verdict: 0,
            cliques: 0,
            members: 0,
            screening_p: 0.0,
            gain: 0.0,
            gain_lower: 0.0,
            gain_upper: 0.0,
            p: 0.0,
        };
        let kinds = filled(NONE, |kinds, capacity| {
            let bytes = std::mem::size_of::<c::LearntKind>();
            let mut needed = 0;
            call(|error| unsafe {
                let capacity = size(capacity);
                c::learnt_kinds(self.as_ptr(), kinds, bytes, capacity, &mut needed, error)
            })?;
            Ok(count(needed))
        })?;
        let kind = |raw: &c::LearntKind| LearntKind {
            kind: count(raw.kind.into()),
            verdict: Verdict::from_raw(raw.verdict),
            cliques: count(raw.cliques),
            members: count(raw.members),
            screening_p: raw.screening_p,
            gain: Gain {
                gain: raw.gain,
                lower: raw.gain_lower,
                upper: raw.gain_upper,
                p: raw.p,
            },
        };
        Ok(kinds.iter().map(kind).collect())
    }

    /// Returns all weights, ordered by kind, then basis, then index. Errors: OutOfMemory.
    pub fn weights(&self) -> Result<Vec<LearntWeight>> {
        const NONE: c::LearntWeight = c::LearntWeight {
            kind: 0,
            basis: 0,
            index: 0,
            weight: 0.0,
            lower: 0.0,
            upper: 0.0,
            least: 0.0,
            most: 0.0,
        };
        let weights = filled(NONE, |weights, capacity| {
            let bytes = std::mem::size_of::<c::LearntWeight>();
            let mut needed = 0;
            call(|error| unsafe {
                let capacity = size(capacity);
                c::learnt_weights(self.as_ptr(), weights, bytes, capacity, &mut needed, error)
            })?;
            Ok(count(needed))
        })?;
        let weight = |raw: &c::LearntWeight| LearntWeight {
            kind: count(raw.kind.into()),
            basis: Basis::from_raw(raw.basis),
            index: count(raw.index),
            weight: raw.weight,
            lower: raw.lower,
            upper: raw.upper,
            least: raw.least,
            most: raw.most,
        };
        Ok(weights.iter().map(weight).collect())
    }
}

/// The difference of two costs on held-out groups, with its uncertainty over the groups.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gain {
    /// The difference.
    pub gain: f64,
    /// The lower end of the 95 % interval of the difference.
    pub lower: f64,
    /// The upper end of the 95 % interval of the difference.
    pub upper: f64,
    /// The p-value of a one-sided test of whether the difference is above 0.
    pub p: f64,
}

/// What is unusual in the problems; each flag that is true is a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warnings {
    /// Some chains forbid some of their gold labels, by their scores or by forced or allowed
    /// labels.
    pub gold_forbidden: bool,
    /// Some label occurs as a gold label, but the unary scores forbid it at every position of all
    /// problems.
    pub label_unseen: bool,
    /// Some kind has only one clique.
    pub single_clique: bool,
    /// The tagger may have been trained on the gold labels: more than 99 % of its labels are right.
    pub base_knows: bool,
    /// There are too few groups for any gain to be significant.
    pub few_groups: bool,
    /// The scores tell nothing about the gold labels, as if the gold labels belonged to other
    /// positions.
    pub base_guesses: bool,
}

/// The report of learning. Costs are sums over held-out groups: documents labelled with weights
/// learnt on other documents. The tagger's labels are the best labellings of the chains without
/// cliques.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LearntReport {
    /// How the call ended: Complete, Deadline or Cancelled.
    pub outcome: Outcome,
    /// Which weights are applied.
    pub applied: Applied,
    /// What is unusual in the problems.
    pub warnings: Warnings,
    /// The number of groups with gold labels.
    pub groups: usize,
    /// The number of folds of cross-validation.
    pub folds: usize,
    /// The number of positions with gold labels.
    pub positions: usize,
    /// The number of kinds of cliques.
    pub kinds: usize,
    /// The number of weights of all kinds together.
    pub weights: usize,
    /// The number of runs made, each over one problem.
    pub runs: usize,
    /// The unit of the scores: the temperature at which the margins (best minus second-best
    /// max-marginal of a position) of the tagger's labels are calibrated as log-odds. 1 for a good
    /// probabilistic tagger.
    pub unit: f64,
    /// The strength of regularisation, lambda, chosen by cross-validation.
    pub regularisation: f64,
    /// The score added to the gold labels of problems whose tagger was trained on less data than
    /// the final tagger ([`LearnOptions::seen`]), so that errors become as rare as those of the
    /// final tagger. The mean over all problems; 0 if no score was added.
    pub gold_bonus: f64,
    /// The cost of the tagger's labels.
    pub base_cost: f64,
    /// The cost with bonuses alone, learnt without any agreement basis.
    pub control_cost: f64,
    /// The cost with all bases.
    pub all_cost: f64,
    /// The gain of all bases over the tagger: `base_cost - all_cost`.
    pub gain: Gain,
    /// The gain of agreement bases over bonuses alone: `control_cost - all_cost`. Its `p` is of
    /// another test, which exchanges members between cliques at random: it tests whether members of
    /// a clique agree more than the tagger expects. If nothing can be exchanged, `p` is the p-value
    /// of this gain.
    pub agreement_gain: Gain,
    /// Micro F1 of the tagger's labels, 0 to 1, if [`LearnOptions::classes`] was called; otherwise
    /// 0.
    pub f1: f64,
    /// The temperature to pass to [`Run::probabilities`](crate::Run::probabilities), at which the
    /// model is as sure as it is right on held-out groups; 0 if unknown.
    pub temperature: f64,
}

/// The result for one kind of cliques.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LearntKind {
    /// The number of the kind.
    pub kind: usize,
    /// Whether the kind is applied, and if not, why.
    pub verdict: Verdict,
    /// The number of cliques of the kind.
    pub cliques: usize,
    /// The number of members of these cliques.
    pub members: usize,
    /// The p-value of the screening; 1 if kinds were not screened. The screening leaves out a kind
    /// if its bases hardly differ between the gold labels and the tagger's labels, and its members
    /// do not agree significantly more than the tagger expects.
    pub screening_p: f64,
    /// The cost of the tagger's labels minus the cost with this kind alone. A kind is not learnt
    /// alone if it was left out, if it is the only kind with weights, or if all kinds together
    /// failed the final test on held-out groups. Then `p` is 1 and the other fields are 0.
    pub gain: Gain,
}

/// One learnt weight.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LearntWeight {
    /// The number of the kind of cliques.
    pub kind: usize,
    /// The basis (a function of the counts of a clique) that the weight multiplies.
    pub basis: Basis,
    /// The index of the weight, if the basis has several weights; otherwise 0.
    pub index: usize,
    /// The weight as it is applied; 0 if its kind or its basis is not applied.
    pub weight: f64,
    /// The lower end of the weight's 95 % interval.
    pub lower: f64,
    /// The upper end of the weight's 95 % interval.
    pub upper: f64,
    /// The lower bound of the weight in learning.
    pub least: f64,
    /// The upper bound of the weight in learning.
    pub most: f64,
}
