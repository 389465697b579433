//! Learning: how strongly the members of cliques should agree, from problems with gold labels.
//!
//! Cliques have *kinds*, which get a strength. *The tagger's labels* are the best labellings of the
//! chains without cliques. Results are measured by cross-validation on groups (documents) that are
//! *held out*: labelled as learnt from other groups.

use crate::handle::Handle;
use crate::options::ProgressFunction;
use crate::pass::{index_or_none, lent, numbers, size, Pass};
use crate::{
    c, Cancel, Error, LearnOptions, LearnProgress, LearntKind, LearntReport, Model, Potential,
    Problem, Result, Status,
};
use std::ops::ControlFlow;
use std::sync::Arc;

impl<'a> LearnOptions<'a> {
    /// Returns the library's defaults.
    pub fn new() -> Self {
        Self::of(None, None, None)
    }
    /// Sets the costs of wrong labels: a matrix of `labels` x `labels`, in which the row is the
    /// gold label and the column the label given. Unless this is called, each wrong label costs 1.
    pub fn costs(mut self, costs: &'a [f64], labels: usize) -> Self {
        self.costs = Some((costs, labels));
        self
    }
    /// Sets a flag that, when raised, ends the call; nothing is applied then.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }
    /// Sets a function that is called after every run, on the thread that called [`learn`]. If the
    /// function returns Break, the call ends as after a cancel. A panic in the function also ends
    /// the call, and is resumed.
    pub fn progress(
        mut self,
        function: impl FnMut(&LearnProgress) -> ControlFlow<()> + Send + 'a,
    ) -> Self {
        self.progress = Some(ProgressFunction::new(function));
        self
    }
}

/// Learns how strongly the members of cliques should agree from problems with gold labels. The
/// scores must come from taggers that have not seen the gold labels. The header `chorale/learn.h`
/// describes the method.
///
/// Errors: Shape (costs), Size (no problem, empty classes), OutOfRange (costs; classes without a
/// label that counts), NotANumber, Infinite, LabelsMismatch (costs, classes, begins, chains of
/// different numbers of labels), NoGold, OneGroup, Kind (no clique has a kind; both costs and
/// classes; begins without classes), Weights (a clique with a kind has weights above 1),
/// ModelMismatch, those of [`Run::new`](crate::Run::new) and [`Run::solve`](crate::Run::solve).
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// // Three mentions in each of 8 documents. The tagger slightly prefers the wrong label for the
/// // third mention.
/// let gold: Vec<i32> = (0..24).map(|i| i / 3 % 2).collect();
/// let scores: Vec<[f64; 2]> = (0..24)
///     .map(|i| [[1.0, 0.0], [0.0, 1.0], [0.0, 0.4], [0.4, 0.0]][i / 3 % 2 + 2 * usize::from(i % 3 == 2)])
///     .collect();
/// let (tokens, groups): (Vec<i32>, Vec<i64>) = (0..24).map(|i| (0, i / 3)).unzip();
/// let corpus = ch::Corpus::items(&scores)?.tokens(&tokens).groups(&groups);
/// let problem = ch::Problem::agreeing(&corpus, &[ch::Agreement::words()], Some(&gold))?;
/// let learnt = ch::learn(&[&problem], ch::LearnOptions::new())?;
/// let report = learnt.report()?;
/// assert!(report.applied && report.agreeing_accuracy > report.tagger_accuracy);
/// let mut run = ch::Run::new(&learnt.apply(&problem)?, ch::RunOptions::new())?;
/// run.solve()?;
/// assert_eq!(run.all_labels(ch::Labelling::Together)?, gold);
/// # Ok(())
/// # }
/// ```
pub fn learn(problems: &[&Problem], mut options: LearnOptions<'_>) -> Result<Learnt> {
    let given: Vec<*const c::chorale_problem> = problems
        .iter()
        .map(|problem| problem.as_ptr() as *const c::chorale_problem)
        .collect();
    let mut raw = options.given()?;
    if let Some((costs, labels)) = options.costs {
        raw.costs = lent("costs", costs, labels.saturating_mul(labels))?;
        raw.labels = size(labels);
    }
    let class = |class| index_or_none("classes", class);
    let classes = options.classes.map(|list| numbers(list, class));
    let classes = classes.transpose()?;
    let begins = options
        .begins
        .map(|list| numbers(list, |begin| Ok(begin.into())));
    let begins = begins.transpose()?;
    raw.begins = begins.as_deref().pass();
    if let Some(classes) = &classes {
        if classes.is_empty() {
            let rule = "classes has no entries; it must have one for each label";
            return Err(Error::new(Status::Size, rule));
        }
        raw.classes = classes.as_ptr();
        if options.costs.is_none() {
            raw.labels = size(classes.len());
        }
        // Without classes, the library refuses `begins` before it reads them.
        lent("begins", begins.as_deref(), raw.labels.pass())?;
    }
    raw.cancel = (&options.cancel).pass();
    if let Some(progress) = &mut options.progress {
        raw.progress = Some(ProgressFunction::<LearnProgress>::tell::<c::chorale_learn_progress>);
        raw.progress_user = progress.user();
    }
    create!(chorale_learn(&given, given.len(), &raw)).map(Learnt)
}

/// The result of [`learn`]. It never changes, and any number of threads may use it.
pub struct Learnt(Handle<c::chorale_learnt>);

debug!(Learnt: report);

impl Learnt {
    /// Reads a result written by [`to_json`](Self::to_json). Errors: Text.
    pub fn from_json(json: &str) -> Result<Self> {
        create!(chorale_learnt_read(json.as_ptr().cast(), json.len())).map(Self)
    }
    /// Writes the whole result as JSON, for [`from_json`](Self::from_json).
    pub fn to_json(&self) -> Result<String> {
        self.text(c::CHORALE_TEXT_JSON)
    }
    /// Writes the result as lines of text for people.
    pub fn to_lines(&self) -> Result<String> {
        self.text(c::CHORALE_TEXT_LINES)
    }
    fn text(&self, form: i32) -> Result<String> {
        let mut bytes = written!(u8, chorale_learnt_text(&self.0, form))?;
        bytes.pop(); // the NUL
        String::from_utf8(bytes)
            .map_err(|_| Error::new(Status::Internal, "a text that is not UTF-8"))
    }

    /// Makes a model like that of a problem, in which each clique that has a kind gets the learnt
    /// potential of the kind. Errors: Kind, Weights, ValuesMismatch, ModelMismatch.
    pub fn apply(&self, problem: &Problem) -> Result<Model> {
        let handle = create!(chorale_learnt_apply(&self.0, problem.as_ptr()))?;
        Ok(Model::with(handle, Arc::clone(&problem.slots)))
    }
    /// Makes the learnt potential of a kind, for cliques of any size. values: R, the number of
    /// values of the cliques; for property cliques the potential is over R + 2 values. centre: for
    /// a kind of centred cliques, the value of the centre; otherwise None. Errors: OutOfRange,
    /// Size, SizeOverflow, ValuesMismatch.
    pub fn potential(
        &self,
        kind: usize,
        values: usize,
        centre: Option<usize>,
    ) -> Result<Potential> {
        let centre = centre.map_or(-1, size);
        create!(chorale_learnt_potential(&self.0, kind, values, centre)).map(Potential::with)
    }

    /// Returns the report of learning. Fails only if the library itself is at fault.
    pub fn report(&self) -> Result<LearntReport> {
        let mut raw = init!(chorale_learnt_report);
        call!(chorale_learnt_get_report(&self.0, &mut raw))?;
        Ok(raw.pass())
    }

    /// Returns the results of all kinds, in the order of their numbers.
    pub fn kinds(&self) -> Result<Vec<LearntKind>> {
        list!(chorale_learnt_kinds(&self.0))
    }
}
