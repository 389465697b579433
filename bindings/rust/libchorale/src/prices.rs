//! Prices: inference for cliques whose members are divided over several models.
//!
//! Each model has some of the members of such a *shared* clique. The models are linked by two lists
//! of numbers with an entry for each value v of the clique: every model sends *counts*, how many of
//! its members have value v, and receives *prices*, the score that is added to each of its members
//! with value v.

use crate::array::{check_length, fill, size};
use crate::handle::Handle;
use crate::panics::settle;
use crate::run::{Owned, RunHandle};
use crate::{c, Error, Model, Result, Run, RunOptions, RunResult};

/// The result of [`Prices::solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PricesResult {
    /// The score of the chains and of the cliques that are not shared, without prices. This is what
    /// this model contributes to the score of all models together. Minus infinity if no labelling
    /// was found.
    pub score: f64,
    /// The result of the run. Its clique score includes the prices of the members of shared
    /// cliques.
    pub result: RunResult,
}

/// A run of one model with *shared* cliques: cliques that have members in other models too, because
/// one model with all members would be too large. Each model sends counts (how many of its members
/// have each value) and receives prices (the score added to a member for each value). A caller
/// repeats two steps: it adds up the counts of all models and computes prices from them with
/// [`Potential::prices`](crate::Potential::prices), and it solves every model under these prices.
/// If the potential is of the family [`Sum`](crate::Family::Sum) with convex tables that begin with
/// 0, and every model is solved to its maximum, the score of all models together never decreases.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// // One word that occurs twice in each of two documents. Each document is a model of its own; the
/// // potential rewards equal labels of all four occurrences.
/// let potts = ch::Potential::potts(2, 0.25)?;
/// let mut documents = Vec::new();
/// for scores in [[[1.0, 0.0], [0.75, 0.0]], [[0.0, 0.5], [0.25, 0.0]]] {
///     let mut builder = ch::ModelBuilder::new()?;
///     let word = builder.add_cliques(&ch::CliqueSetup::positions(2, &potts), 1)?.start;
///     for item in &scores {
///         let chain = builder.add_chain(&ch::Chain::new(&[*item])?, None, 0)?;
///         builder.add_members(word, &ch::Members::new(&[chain as i64]).positions(&[0]))?;
///     }
///     documents.push(ch::experimental::Prices::new(&builder.freeze()?, &[word], ch::RunOptions::new())?);
/// }
/// let mut prices = vec![0.0; 2];
/// let mut scores = Vec::new();
/// for _ in 0..2 {
///     let (mut counts, mut score) = ([0; 2], 0.0);
///     for document in &mut documents {
///         score += document.solve(&[&prices])?.score;
///         for (sum, count) in counts.iter_mut().zip(&document.counts()?[0]) {
///             *sum += count;
///         }
///     }
///     let found = potts.prices(&counts, 4)?;
///     scores.push(score + found.score);
///     prices = found.prices;
/// }
/// assert_eq!(scores, [2.5 + 0.25 * (9.0 + 1.0), 2.0 + 0.25 * 16.0]);
/// assert_eq!(documents[1].run().all_labels(ch::Labelling::Together)?, [0, 0]);
/// # Ok(())
/// # }
/// ```
///
/// The run can only be read. Only [`solve`](Self::solve) of this type solves it:
///
/// ```compile_fail,E0596
/// # fn solve(prices: &mut libchorale::experimental::Prices<'_>) {
/// prices.run().solve();
/// # }
/// ```
pub struct Prices<'a> {
    handle: *mut c::chorale_prices, // owned by `run`
    run: Run<'a>,
    /// For each shared clique: the number of values of its potential.
    values: Vec<usize>,
    numbers: Vec<f64>,
}

// Safe for the reasons given at `Run`: calls that take `&self` only read.
unsafe impl Send for Prices<'_> {}
unsafe impl Sync for Prices<'_> {}

impl<'a> Prices<'a> {
    /// Makes a run of a model in which `cliques` are shared. Prices replace the potentials of these
    /// cliques: of a potential, only the number of values is used. All other cliques are solved as
    /// in any run. The run accepts no edits; messages are stored as `f64` unless the options choose
    /// another format. Errors: as for [`Run::new`]; OutOfRange, Kind (a centred clique),
    /// DuplicateMember (a clique is listed twice).
    pub fn new(model: &Model<'a>, cliques: &[usize], mut options: RunOptions<'a>) -> Result<Self> {
        let numbers: Vec<i64> = cliques.iter().map(|&clique| size(clique)).collect();
        let callbacks = Owned::new(std::mem::take(&mut options.callbacks));
        let raw = options.raw(callbacks.0);
        let handle = Handle::create(options.host.as_ref(), |host, made, error| unsafe {
            let (cliques, count) = (numbers.as_ptr(), size(numbers.len()));
            c::chorale_prices_create(host, model.as_ptr(), cliques, count, &raw, made, error)
        });
        let handle = settle(handle, &model.keep.slots)?;
        let values = |&clique: &usize| model.clique_potential(clique).map_or(0, |of| of.values());
        let values: Vec<usize> = cliques.iter().map(values).collect();
        let mut numbers = Vec::new();
        fill(&mut numbers, values.iter().sum(), 0.0)?;
        Ok(Self {
            handle: handle.as_ptr(),
            run: Run::of(
                RunHandle::Prices(handle),
                model.clone(),
                options.cancel,
                callbacks,
            ),
            values,
            numbers,
        })
    }

    /// Labels the model under prices. The result does not depend on earlier calls: the same prices
    /// give the same labels. prices: one row for each shared clique, in the order in which they
    /// were passed to [`new`](Self::new). A row has an entry for each value of the potential. If
    /// the potential has R + 2 values, the last two are EMPTY (no value) and CONFLICT (several
    /// values). Without rows, all prices are 0. Errors: as for [`Run::solve`]; Shape, NotANumber,
    /// Infinite, OutOfRange (above 1e280). If prices are refused, the last labelling is kept.
    pub fn solve<R: AsRef<[f64]>>(&mut self, prices: &[R]) -> Result<PricesResult> {
        let (mut numbers, mut count) = (std::ptr::null(), 0);
        if !prices.is_empty() {
            check_length("prices", Some(prices), self.values.len())?;
            for (place, (row, &values)) in prices.iter().zip(&self.values).enumerate() {
                check_length(&format!("prices[{place}]"), Some(row.as_ref()), values)?;
            }
            self.numbers.clear(); // keeps the capacity, which suffices for all prices
            for row in prices {
                self.numbers.extend_from_slice(row.as_ref());
            }
            (numbers, count) = (self.numbers.as_ptr(), size(self.numbers.len()));
        }
        let mut score = 0.0;
        let mut result = init!(chorale_run_result);
        self.run
            .settled(|error| unsafe {
                c::chorale_prices_solve(self.handle, numbers, count, &mut score, &mut result, error)
            })
            .map_err(|error| self.placed(error))?;
        let result = RunResult::from_raw(&result);
        Ok(PricesResult { score, result })
    }

    /// Rewrites an error about `numbers`, the library's single array of all prices, so that the
    /// message names the row and the entry of `prices`.
    fn placed(&self, error: Error) -> Error {
        let told = error.message().strip_prefix("numbers[");
        let place = told.and_then(|told| {
            let (number, rest) = told.split_once(']')?;
            let mut entry = number.parse::<usize>().ok()?;
            let row = self.values.iter().position(|&values| {
                let inside = entry < values;
                entry -= if inside { 0 } else { values };
                inside
            })?;
            Some(format!("prices[{row}][{entry}]{rest}"))
        });
        match place {
            Some(message) => Error::new(error.status(), message),
            None => error,
        }
    }

    /// Returns how many members of each shared clique have each value, under the labelling of the
    /// last solve; with weights, the sum of their weights. There is one row for each shared clique,
    /// laid out as the prices of [`solve`](Self::solve). Members with a value outside a dictionary
    /// that has no UNLISTED are not counted. If the potential has only R values, members that are
    /// EMPTY or CONFLICT are not counted either. Errors: NoLabelling, OutOfMemory.
    pub fn counts(&self) -> Result<Vec<Vec<i64>>> {
        let mut all = Vec::new();
        fill(&mut all, self.values.iter().sum(), 0)?;
        self.run.settled(|error| unsafe {
            let capacity = size(all.len());
            c::chorale_prices_counts(
                self.handle,
                all.as_mut_ptr(),
                capacity,
                std::ptr::null_mut(),
                error,
            )
        })?;
        let mut rest = &all[..];
        let row = |&values: &usize| {
            let (row, after) = rest.split_at(values);
            rest = after;
            row.to_vec()
        };
        Ok(self.values.iter().map(row).collect())
    }

    /// Returns the run, for labels and other results after a solve. The run's clique scores include
    /// the prices of shared cliques; its model is the one passed to [`new`](Self::new).
    pub fn run(&self) -> &Run<'a> {
        &self.run
    }
}

impl std::fmt::Debug for Prices<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Prices")
            .field("model", self.run.model())
            .field("cliques", &self.values.len())
            .finish_non_exhaustive()
    }
}
