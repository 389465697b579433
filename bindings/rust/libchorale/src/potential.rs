//! Symmetric potentials: functions of counts.

use crate::array::{named, IntoMatrix};
use crate::handle::Handle;
use crate::panics::{settle, Slot};
use crate::pass::{count, lent, size};
use crate::{c, PotentialOptions, Result};
use std::os::raw::c_void;
use std::sync::Arc;

/// A potential: a function of the counts of R values, where n_v is the number of members of a
/// clique with value v. A potential never changes. Clones share it, and any number of threads may
/// use it.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let potts = ch::Potential::potts(3, 2.0)?;
/// assert_eq!(potts.evaluate(&[2, 1, 0], 3)?, 2.0 * (4.0 + 1.0));
///
/// // The same potential with two options: it is divided by the number of members, and the last
/// // value is not counted.
/// let options = ch::PotentialOptions::new()
///     .scale(ch::Scale::ByMembers)
///     .counted(&[true, true, false]);
/// let scaled = ch::Potential::potts_with(3, 2.0, &options)?;
/// assert_eq!(scaled.evaluate(&[1, 1, 2], 4)?, 1.0);
///
/// let own =
///     ch::Potential::callback(2, |counts, members| Some(counts[0] as f64 * members as f64))?;
/// assert_eq!(own.evaluate(&[3, 1], 4)?, 12.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Potential {
    handle: Handle<c::chorale_potential>,
    /// If the potential is a callback: the slot in which it leaves its panics.
    pub(crate) slot: Option<Arc<Slot>>,
}

debug!(Potential: values);

impl PotentialOptions<'_> {
    /// Returns the defaults: no scale, the shape of tables detected, every value counted.
    pub fn new() -> Self {
        Self::of()
    }
    fn raw(&self, values: usize) -> Result<c::chorale_potential_options> {
        let mut raw = self.given()?;
        raw.counted = lent("counted", self.counted, values)?.cast(); // a bool is a byte, 0 or 1
        Ok(raw)
    }
}

/// Defines two constructors of a potential that has one parameter lambda: `$name` with default
/// options, and `$with` with options of the caller.
macro_rules! from_lambda {
    ($($(#[$doc:meta])* $name:ident $with:ident $create:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(values: usize, lambda: f64) -> Result<Self> {
            Self::$with(values, lambda, &PotentialOptions::new())
        }
        #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") with options.")]
        pub fn $with(values: usize, lambda: f64, options: &PotentialOptions<'_>) -> Result<Self> {
            let raw = options.raw(values)?;
            create!($create(values, lambda, &raw)).map(Self::with)
        }
    )*};
}

impl Potential {
    from_lambda! {
        /// Makes the Potts potential `lambda * sum_v n_v^2`. Errors: Size (no values), NotANumber,
        /// Infinite, OutOfRange, SizeOverflow.
        potts potts_with chorale_potential_create_potts;
        /// Makes the entropy potential `lambda * sum_v n_v log n_v`. Errors: as for
        /// [`potts`](Self::potts).
        entropy entropy_with chorale_potential_create_entropy;
        /// Makes the makespan potential `max_v lambda * n_v`. Errors: as for
        /// [`potts`](Self::potts).
        makespan makespan_with chorale_potential_create_makespan;
        /// Makes the square makespan potential `max_v lambda * n_v^2`. Errors: as for
        /// [`potts`](Self::potts).
        square_makespan square_makespan_with chorale_potential_create_square_makespan;
    }

    /// Makes a SUM potential, `sum_v f_v(n_v)`. tables: one row for each value, or a single row for
    /// all values; entry k of a row is `f(k)`. Minus infinity forbids a count. With rows of L
    /// entries, cliques may have up to L - 1 members. Errors: Size (no values, empty rows), Shape,
    /// NotANumber, Infinite, OutOfRange, SizeOverflow.
    pub fn sum<'t>(
        values: usize,
        tables: impl IntoMatrix<'t, f64>,
        options: &PotentialOptions<'_>,
    ) -> Result<Self> {
        let (raw, tables) = (options.raw(values)?, named("tables", tables)?);
        let (tables, rows, length) = (tables.entries(), tables.rows(), tables.columns());
        create!(chorale_potential_create_sum(
            values, tables, rows, length, 0i64, &raw
        ))
        .map(Self::with)
    }

    /// Makes a MAX potential, `max_v f_v(n_v)` over the counted values. Tables and errors are as in
    /// [`sum`](Self::sum).
    pub fn max<'t>(
        values: usize,
        tables: impl IntoMatrix<'t, f64>,
        options: &PotentialOptions<'_>,
    ) -> Result<Self> {
        let (raw, tables) = (options.raw(values)?, named("tables", tables)?);
        let (tables, rows, length) = (tables.entries(), tables.rows(), tables.columns());
        create!(chorale_potential_create_max(
            values, tables, rows, length, 0i64, &raw
        ))
        .map(Self::with)
    }

    /// Makes a potential that depends on the count of one value. Exactly two values must be counted
    /// ([`PotentialOptions::counted`]). Entry k of `table` is the potential of a clique in which k
    /// members have the greater of these two values. Errors: as for [`sum`](Self::sum).
    pub fn cardinality(
        values: usize,
        table: &[f64],
        options: &PotentialOptions<'_>,
    ) -> Result<Self> {
        let raw = options.raw(values)?;
        create!(chorale_potential_create_cardinality(
            values,
            table,
            table.len(),
            &raw
        ))
        .map(Self::with)
    }

    /// Makes a MAJORITY potential, `b_a + sum_v w_av n_v`, where `a` is the value of highest count.
    /// If several values have the highest count, `a` is the one that gives the highest score.
    /// weights: the matrix w, R x R, with a row for each `a`. bias: b, one entry for each value;
    /// None: zeros. Errors: as for [`sum`](Self::sum).
    pub fn majority<'t>(
        weights: impl IntoMatrix<'t, f64>,
        bias: Option<&[f64]>,
        options: &PotentialOptions<'_>,
    ) -> Result<Self> {
        let weights = named("weights", weights)?;
        let values = weights.rows();
        weights.check_shape("weights", values, values)?;
        let bias = lent("bias", bias, values)?;
        let (raw, weights) = (options.raw(values)?, weights.entries());
        create!(chorale_potential_create_majority(
            values, weights, 0i64, bias, &raw
        ))
        .map(Self::with)
    }

    /// Makes a PAIRS potential: the sum of `f(x_i, x_j)` over all ordered pairs of distinct members
    /// i and j, where x_i and x_j are their values. scores: the matrix f, R x R. Errors: as for
    /// [`sum`](Self::sum).
    pub fn pairs<'t>(
        scores: impl IntoMatrix<'t, f64>,
        options: &PotentialOptions<'_>,
    ) -> Result<Self> {
        let scores = named("scores", scores)?;
        let values = scores.rows();
        scores.check_shape("scores", values, values)?;
        let (raw, scores) = (options.raw(values)?, scores.entries());
        create!(chorale_potential_create_pairs(values, scores, 0i64, &raw)).map(Self::with)
    }

    /// Makes a potential that calls a function with the counts (one for each value) and the number
    /// of members. If the function returns None, the computation ends with CallbackStopped. The
    /// function is called on the threads that need the score, on several at once if several use the
    /// potential. A panic in the function ends the computation and is resumed. Errors: Size (no
    /// values), SizeOverflow.
    pub fn callback<F>(values: usize, function: F) -> Result<Self>
    where
        F: Fn(&[i64], usize) -> Option<f64> + Send + Sync + 'static,
    {
        let options = PotentialOptions::new().raw(values)?;
        let slot = Arc::new(Slot::default());
        let user = Box::into_raw(Box::new(Callback {
            function,
            slot: Arc::clone(&slot),
        }));
        let made = Handle::create(|host, made, error| unsafe {
            let (values, score, release) = (size(values), score_counts::<F>, release::<F>);
            let (score, user, release) = (Some(score as _), user.cast(), Some(release as _));
            c::chorale_potential_create_callback(
                host, values, score, user, release, &options, made, error,
            )
        });
        if made.is_err() {
            drop(unsafe { Box::from_raw(user) }); // else the potential owns it
        }
        Ok(Self {
            handle: made?,
            slot: Some(slot),
        })
    }

    /// Returns R, the number of values.
    pub fn values(&self) -> usize {
        count(unsafe { c::chorale_potential_values(self.as_ptr()) })
    }

    /// Computes the potential at the given counts, one for each value, of a clique with `members`
    /// members. Errors: ValuesMismatch, OutOfRange, CallbackValue, CallbackStopped.
    pub fn evaluate(&self, counts: &[i64], members: usize) -> Result<f64> {
        let mut score = 0.0;
        let (handle, values) = (&self.handle, counts.len());
        let called = call!(chorale_potential_score(
            handle, counts, values, members, &mut score
        ));
        settle(called, &self.slot)?;
        Ok(score)
    }

    /// Wraps a potential of the library that is not a callback.
    pub(crate) fn with(handle: Handle<c::chorale_potential>) -> Self {
        Self { handle, slot: None }
    }
    pub(crate) fn as_ptr(&self) -> *const c::chorale_potential {
        self.handle.as_ptr()
    }
}

struct Callback<F> {
    function: F,
    slot: Arc<Slot>,
}

unsafe extern "C" fn score_counts<F>(
    user: *mut c_void,
    counts: *const i64,
    values: i64,
    members: i64,
    score: *mut f64,
) -> i32
where
    F: Fn(&[i64], usize) -> Option<f64>,
{
    let callback = &*(user as *const Callback<F>);
    let counts = std::slice::from_raw_parts(counts, count(values));
    let function = || (callback.function)(counts, count(members));
    match callback.slot.caught(function).flatten() {
        Some(value) => {
            *score = value;
            0
        }
        None => 1,
    }
}

unsafe extern "C" fn release<F>(user: *mut c_void) {
    crate::panics::caught_always(|| drop(Box::from_raw(user as *mut Callback<F>)));
}
