//! The simplest interface: from scores to labels that agree with each other.

use crate::array::Element;
use crate::model::Slots;
use crate::panics::settle;
use crate::pass::{lent, lent_all, lent_offsets, size, Pass};
use crate::run::RunHandle;
use crate::{
    c, Corpus, Error, Labelling, Model, Potential, Problem, Property, Reason, Result, Run,
    RunOptions, RunResult, Status,
};

options! {
    /// A soft constraint: positions whose labels should agree, or chains whose values of a property
    /// should agree. A slice of agreements is the *specification* of what [`decode`] does.
    ///
    /// Each set of positions (or chains) that should agree becomes a *clique*, whose members are these
    /// positions (or chains). If `n_v` of its `n` members have value `v`, the clique adds
    /// `strength / n * sum_v n_v^2` to the score, unless [`potential`](Self::potential) replaces this
    /// function. A member that changes to the value of all other members gains up to twice the
    /// strength.
    #[derive(Clone, Debug)]
    #[must_use = "an agreement is for decode"]
    pub struct Agreement<'a> of chorale_agreement {
        kind: Kind<'a>,
    }
    set(self) {
        /// Sets the strength of the agreement, any finite number. If it is negative, values should
        /// differ; if it is 0, there is no agreement. Unless this is called, the strength is found from
        /// the scores, as by [`learn`](crate::learn) without gold labels; [`Decoded::strength`] tells
        /// it. It says how strongly members should agree, not whether they do.
        strength: f64 => strength = if strength == 0.0 {
            c::CHORALE_NO_AGREEMENT.into() // 0 is for a strength to be found
        } else {
            strength
        },
        /// Sets a potential that replaces the strength. Its values are the labels, or the values of the
        /// property.
        potential: &'a Potential => potential = potential.as_ptr(),
        /// Sets whether chains of different groups (documents) can be in one clique. The default is
        /// false. Ignored by [`cliques`](Self::cliques).
        across: bool,
        /// Sets the least number of positions or chains that form a clique, at least 1. The default
        /// is 2.
        minimum: usize => _,
        /// Sets tokens that form no clique, in any order; for [`keys`](Self::keys), sets such keys.
        /// Ignored by [`property`](Self::property) and [`cliques`](Self::cliques).
        stop: &'a [i32] => (stop, stop_count) = lent_all(stop),
        /// Sets how often each position counts in its clique: one weight of at least 1 for each row of
        /// the scores, or for [`property`](Self::property) for each chain. The counts n and n_v are
        /// then sums of weights. Requires a strength of at least 0, or a SUM potential with
        /// convex tables that forbid no count.
        weights: &'a [i64] => _,
    }
}

/// What should agree. A variant holds the arrays that only agreements of its kind read.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'a> {
    Words,
    Keys(&'a [i32]),
    Property(&'a Property),
    Cliques(&'a [i64], &'a [i64]),
}

impl<'a> Agreement<'a> {
    /// Makes an agreement: the labels of all positions with the same token should agree.
    pub fn words() -> Self {
        Self::of(Kind::Words)
    }
    /// Makes an agreement: the labels of all positions with the same key should agree. keys: for
    /// each row of the scores a key of at least 0, or -1 for none.
    pub fn keys(keys: &'a [i32]) -> Self {
        Self::of(Kind::Keys(keys))
    }
    /// Makes an agreement: the values of a property of whole chains, such as the label after the
    /// title, should agree.
    pub fn property(property: &'a Property) -> Self {
        Self::of(Kind::Property(property))
    }
    /// Makes an agreement: the labels of the positions in each listed clique should agree. Clique
    /// `c` holds the positions `members[i]` with `clique_offsets[c] <= i < clique_offsets[c + 1]`.
    /// Positions are numbered by their rows in the scores.
    pub fn cliques(clique_offsets: &'a [i64], members: &'a [i64]) -> Self {
        Self::of(Kind::Cliques(clique_offsets, members))
    }

    /// Returns the struct for C. place: the index of the agreement in the specification, for error
    /// messages. rows: the number of rows of the scores. chains: the number of chains.
    fn raw(&self, place: usize, rows: usize, chains: usize) -> Result<c::chorale_agreement> {
        let mut raw = self.given()?;
        if self.minimum == Some(0) {
            return Err(Error::new(
                Status::Size,
                format!("agreements[{place}].minimum is 0; it must be at least 1"),
            ));
        }
        raw.minimum = self.minimum.map_or(0, size);
        let entries = match self.kind {
            Kind::Property(_) => chains,
            _ => rows,
        };
        let name = |field| format!("agreements[{place}].{field}");
        raw.weights = lent(&name("weights"), self.weights, entries)?;
        match self.kind {
            Kind::Words => raw.kind = c::CHORALE_AGREE_WORDS,
            Kind::Keys(keys) => {
                raw.kind = c::CHORALE_AGREE_KEYS;
                raw.keys = lent(&name("keys"), keys, rows)?;
            }
            Kind::Property(property) => {
                raw.kind = c::CHORALE_AGREE_PROPERTY;
                raw.property = property.as_ptr();
            }
            Kind::Cliques(offsets, members) => {
                let (of, all) = (name("clique_offsets"), name("members"));
                raw.kind = c::CHORALE_AGREE_CLIQUES;
                raw.clique_offsets = lent_offsets(&of, offsets, &all, members.len())?;
                raw.cliques = size(offsets.len() - 1);
                raw.members = members.as_ptr();
            }
        }
        Ok(raw)
    }
}

/// Labels a corpus, maximising the scores plus the potentials of all agreements. The result holds a
/// copy of the scores.
///
/// If a limit of the options (rounds, time, a raised flag) ends the run early, this is not an
/// error; [`Decoded::result`] has the outcome. If there is no clique, each chain gets its own best
/// labels. Errors: as for [`ModelBuilder::add_corpus`](crate::ModelBuilder::add_corpus),
/// [`Run::new`] and [`Run::solve`]; Shape (keys, cliques), TokensMissing, LabelsMismatch
/// (property), ValuesMismatch (potential), Weights, SizeOverflow, DuplicateMember, NotANumber,
/// Infinite, Size, OutOfRange. Error messages name the agreement by its index in the specification.
/// So do those of [rules](RunOptions::rules): OutOfRange, Size, SizeOverflow, LabelsMismatch.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let scores = [[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]];
/// let corpus = ch::Corpus::items(&scores)?.tokens(&[5, 5, 5]);
/// let labelled = ch::decode(&corpus, &[ch::Agreement::words()], ch::RunOptions::new())?;
/// assert_eq!(labelled.labels()?, [0, 0, 0]);
/// let reason = labelled.reasons()?[0];
/// assert_eq!((reason.chain, reason.agreeing_before, reason.agreeing, reason.others), (2, 2, 2, 2));
/// assert_eq!((reason.own_value, reason.value), (ch::Shown::Value(1), ch::Shown::Value(0)));
/// # Ok(())
/// # }
/// ```
pub fn decode<'a, N: Element>(
    corpus: &Corpus<'_, N>,
    agreements: &[Agreement<'_>],
    options: RunOptions<'a>,
) -> Result<Decoded<'a>> {
    let raw = corpus.raw()?;
    let (given, slots) = specified(corpus, agreements)?;
    let run = Run::made(options, |options| {
        let decoded = create!(chorale_decode(&raw, &given, given.len(), options));
        let decoded = settle(decoded, &*slots)?;
        let model = unsafe { Model::retain(c::chorale_decoded_model(decoded.as_ptr()), &slots) };
        Ok((RunHandle::Decoded(decoded), model))
    })?;
    Ok(Decoded { run })
}

/// Returns agreements for C, and the slots of their potentials' callbacks.
fn specified<N: Element>(
    corpus: &Corpus<'_, N>,
    agreements: &[Agreement<'_>],
) -> Result<(Vec<c::chorale_agreement>, Slots)> {
    let given = agreements.iter().enumerate();
    let given = given.map(|(place, of)| of.raw(place, corpus.rows(), corpus.chains()));
    let slots = agreements
        .iter()
        .filter_map(|of| of.potential?.slot.clone());
    Ok((given.collect::<Result<_>>()?, slots.collect()))
}

impl Problem {
    /// Makes a problem from a corpus and agreements, with the model that [`decode`] would label. The
    /// cliques of agreement `k` have kind `k`. gold: the gold label of each position of the corpus, -1
    /// if unknown. Errors: as for [`decode`], except those of the run; Shape, OutOfRange (gold).
    pub fn agreeing<N: Element>(
        corpus: &Corpus<'_, N>,
        agreements: &[Agreement<'_>],
        gold: Option<&[i32]>,
    ) -> Result<Self> {
        let raw = corpus.raw()?;
        let gold = lent("gold", gold, corpus.rows())?;
        let (given, slots) = specified(corpus, agreements)?;
        let made = create!(chorale_problem_create_agreeing(
            &raw,
            &given,
            given.len(),
            gold
        ));
        Ok(Self::with(settle(made, &*slots)?, slots))
    }
}

/// A corpus that was labelled by [`decode`].
pub struct Decoded<'a> {
    run: Run<'a>,
}

debug!(Decoded<'_>: model);

impl<'a> Decoded<'a> {
    /// Returns the labels of all positions, labelled together, chain after chain. Errors:
    /// NoLabelling.
    pub fn labels(&self) -> Result<Vec<i32>> {
        written!(
            i32,
            chorale_decoded_labels(self.decoded(), Labelling::Together)
        )
    }
    /// Returns the best labels of every chain without cliques, in the order of
    /// [`labels`](Self::labels). Errors: NoLabelling.
    pub fn alone(&self) -> Result<Vec<i32>> {
        written!(
            i32,
            chorale_decoded_labels(self.decoded(), Labelling::Alone)
        )
    }
    /// Returns the library's result, which must not outlive `self`.
    pub(crate) fn decoded(&self) -> *const c::chorale_decoded {
        match &self.run.handle {
            RunHandle::Decoded(decoded) => decoded.as_ptr(),
            RunHandle::Own(_) => std::ptr::null(), // of no `Decoded`
        }
    }

    /// Returns the strength of an agreement, given or found; 0 if its potential was given, if even the
    /// smallest strength would change too many labels (then nothing agrees; give a number), or if there
    /// is no such agreement.
    pub fn strength(&self, agreement: usize) -> f64 {
        unsafe { c::chorale_decoded_strength(self.decoded(), size(agreement)) }
    }

    /// Returns score, bound and outcome of the run. Fails only if the library itself is at fault.
    pub fn result(&self) -> Result<RunResult> {
        let mut result = init!(chorale_run_result);
        call!(chorale_decoded_get_result(self.decoded(), &mut result))?;
        Ok(result.pass())
    }

    /// Returns the reasons of all chains, as [`Run::all_reasons`] does, each with its agreement. A
    /// reason whose amount is 0 or less does not explain a change: a rule or the label of a
    /// neighbour may. Errors: NoLabelling, CallbackStopped, CallbackValue.
    pub fn reasons(&self) -> Result<Vec<Reason>> {
        Reason::all(self.model(), list!(chorale_decoded_reasons(self.decoded())))
    }

    /// Returns the model that was made from the corpus and the specification.
    pub fn model(&self) -> &Model {
        self.run.model()
    }
    /// Returns the run that labelled the corpus, for further results.
    pub fn run(&self) -> &Run<'a> {
        &self.run
    }
    /// Returns the run by value, so that it can be solved further.
    pub fn into_run(self) -> Run<'a> {
        self.run
    }
}
