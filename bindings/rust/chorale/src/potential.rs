//! Symmetric potentials (potential.h).

use crate::array::{size, Matrix};
use crate::error::call;
use crate::handle::Handle;
use crate::host::with_host;
use crate::panics::{settle, Slot};
use crate::{sys, Family, Result, Scale, Shape};
use std::fmt;
use std::os::raw::c_void;
use std::sync::Arc;

/// A score of how many members of a clique show each of R values: immutable, shared by clones,
/// used by any number of threads.
///
/// ```
/// use chorale::{Potential, PotentialOptions, Scale};
/// # fn main() -> chorale::Result<()> {
/// let potts = Potential::potts(3, 2.0)?;
/// assert_eq!(potts.evaluate(&[2, 1, 0], 3)?, 2.0 * (4.0 + 1.0));
///
/// // the same, divided by the members, for cliques where the last value does not count
/// let options = PotentialOptions::new().scale(Scale::BY_MEMBERS).counted(&[true, true, false]);
/// let scaled = Potential::potts_with(3, 2.0, &options)?;
/// assert_eq!(scaled.evaluate(&[1, 1, 2], 4)?, 1.0);
///
/// let own = Potential::callback(2, |counts, members| Some((counts[0] * members) as f64))?;
/// assert_eq!(own.evaluate(&[3, 1], 4)?, 12.0);
/// # Ok(())
/// # }
/// ```
pub struct Potential {
    handle: Handle<sys::chorale_potential>,
    /// Where the panics of a callback are.
    pub(crate) slot: Option<Arc<Slot>>,
}

// Immutable, with atomic references; callbacks are Send and Sync.
unsafe impl Send for Potential {}
unsafe impl Sync for Potential {}

/// Scale, shape, and which values count.
#[derive(Clone, Debug, Default)]
pub struct PotentialOptions {
    scale: Option<Scale>,
    shape: Option<Shape>,
    counted: Option<Vec<u8>>,
}

impl PotentialOptions {
    /// No scale, shape detected, every value counts.
    pub fn new() -> Self {
        Self::default()
    }
    pub fn scale(mut self, scale: Scale) -> Self {
        self.scale = Some(scale);
        self
    }
    /// What is known of the tables of a SUM; others ignore it.
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = Some(shape);
        self
    }
    /// Which of the values count, one entry a value.
    pub fn counted(mut self, counted: &[bool]) -> Self {
        self.counted = Some(counted.iter().map(|&counts| counts.into()).collect());
        self
    }

    fn raw(&self, values: usize) -> Result<sys::chorale_potential_options> {
        crate::array::check_length("counted", self.counted.as_deref(), values)?;
        let mut raw = init!(chorale_potential_options, chorale_potential_options_init);
        raw.scale = self.scale.map_or(raw.scale, Scale::raw);
        raw.shape = self.shape.map_or(raw.shape, Shape::raw);
        raw.counted = crate::array::pointer(self.counted.as_deref());
        Ok(raw)
    }
}

/// `$name` with default options, `$with` with given ones, from a number per unit of agreement.
macro_rules! from_lambda {
    ($($(#[$doc:meta])* $name:ident $with:ident $create:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(values: usize, lambda: f64) -> Result<Self> {
            Self::$with(values, lambda, &PotentialOptions::new())
        }
        #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") with options.")]
        pub fn $with(values: usize, lambda: f64, options: &PotentialOptions) -> Result<Self> {
            let options = options.raw(values)?;
            Self::create(|host, made, error| unsafe {
                sys::$create(host, size(values), lambda, &options, made, error)
            })
        }
    )*};
}

type Create<'a> = &'a mut *mut sys::chorale_potential;

impl Potential {
    fn create(
        function: impl FnOnce(
            *const sys::chorale_host,
            Create<'_>,
            *mut sys::chorale_error,
        ) -> sys::chorale_status,
    ) -> Result<Self> {
        let handle = with_host(|host| {
            Handle::create(|made, error| function(host, unsafe { &mut *made }, error))
        })?;
        Ok(Self { handle, slot: None })
    }

    from_lambda! {
        /// Potts: `lambda * sum_v n_v^2`.
        potts potts_with chorale_potential_create_potts;
        /// Entropy: `lambda * sum_v n_v log n_v`.
        entropy entropy_with chorale_potential_create_entropy;
        /// Makespan: `max_v lambda * n_v`.
        makespan makespan_with chorale_potential_create_makespan;
        /// Square makespan: `max_v lambda * n_v^2`.
        square_makespan square_makespan_with chorale_potential_create_square_makespan;
    }

    /// SUM: `sum_v f_v(n_v)`. tables: one row for every value, or one row for all; entry `k` is
    /// `f(k)`, minus infinity forbids. Serves cliques of fewer members than a row has entries.
    pub fn sum<'t>(
        values: usize,
        tables: impl Into<Matrix<'t, f64>>,
        options: &PotentialOptions,
    ) -> Result<Self> {
        Self::from_tables(
            sys::chorale_potential_create_sum,
            values,
            tables.into(),
            options,
        )
    }

    /// MAX: `max_v f_v(n_v)` over the values that count; tables as in [`sum`](Self::sum).
    pub fn max<'t>(
        values: usize,
        tables: impl Into<Matrix<'t, f64>>,
        options: &PotentialOptions,
    ) -> Result<Self> {
        Self::from_tables(
            sys::chorale_potential_create_max,
            values,
            tables.into(),
            options,
        )
    }

    #[allow(clippy::type_complexity)]
    fn from_tables(
        create: unsafe extern "C" fn(
            *const sys::chorale_host,
            i64,
            *const f64,
            i64,
            i64,
            i64,
            *const sys::chorale_potential_options,
            *mut *mut sys::chorale_potential,
            *mut sys::chorale_error,
        ) -> sys::chorale_status,
        values: usize,
        tables: Matrix<'_, f64>,
        options: &PotentialOptions,
    ) -> Result<Self> {
        tables.check_rows("tables")?;
        let options = options.raw(values)?;
        Self::create(|host, made, error| unsafe {
            create(
                host,
                size(values),
                tables.as_ptr(),
                size(tables.rows),
                size(tables.columns),
                size(tables.row_stride),
                &options,
                made,
                error,
            )
        })
    }

    /// A table on the count of the higher of the two values that count.
    pub fn cardinality(values: usize, table: &[f64], options: &PotentialOptions) -> Result<Self> {
        let options = options.raw(values)?;
        Self::create(|host, made, error| unsafe {
            sys::chorale_potential_create_cardinality(
                host,
                size(values),
                table.as_ptr(),
                size(table.len()),
                &options,
                made,
                error,
            )
        })
    }

    /// MAJORITY: `b_a + sum_v w_av n_v`, `a` a value of highest count. weights: R x R, row `a`.
    pub fn majority<'t>(
        weights: impl Into<Matrix<'t, f64>>,
        bias: Option<&[f64]>,
        options: &PotentialOptions,
    ) -> Result<Self> {
        let weights = weights.into();
        weights.check_rows("weights")?;
        crate::array::check_length("bias", bias, weights.rows)?;
        let options = options.raw(weights.rows)?;
        Self::create(|host, made, error| unsafe {
            sys::chorale_potential_create_majority(
                host,
                size(weights.rows),
                weights.as_ptr(),
                size(weights.rows),
                size(weights.columns),
                size(weights.row_stride),
                crate::array::pointer(bias),
                &options,
                made,
                error,
            )
        })
    }

    /// PAIRS: the sum of `f(x_i, x_j)` over all ordered pairs of distinct members. scores: R x R.
    pub fn pairs<'t>(
        scores: impl Into<Matrix<'t, f64>>,
        options: &PotentialOptions,
    ) -> Result<Self> {
        let scores = scores.into();
        scores.check_rows("scores")?;
        let options = options.raw(scores.rows)?;
        Self::create(|host, made, error| unsafe {
            sys::chorale_potential_create_pairs(
                host,
                size(scores.rows),
                scores.as_ptr(),
                size(scores.rows),
                size(scores.columns),
                size(scores.row_stride),
                &options,
                made,
                error,
            )
        })
    }

    /// Any function of the counts and the number of members; None asks to stop (CALLBACK_STOPPED).
    /// Called on the threads of the calls that need it. A panic in it ends the call and goes on.
    pub fn callback(
        values: usize,
        function: impl Fn(&[i64], i64) -> Option<f64> + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::callback_with(values, function, &PotentialOptions::new())
    }

    /// [`callback`](Self::callback) with options.
    pub fn callback_with<F>(values: usize, function: F, options: &PotentialOptions) -> Result<Self>
    where
        F: Fn(&[i64], i64) -> Option<f64> + Send + Sync + 'static,
    {
        let options = options.raw(values)?;
        let slot = Arc::new(Slot::default());
        let mut owner = Owner(Box::into_raw(Box::new(Callback {
            function,
            slot: Arc::clone(&slot),
        })));
        let handle = with_host(|host| {
            Handle::create(|made, error| {
                let status = unsafe {
                    sys::chorale_potential_create_callback(
                        host,
                        size(values),
                        Some(score_counts::<F>),
                        owner.0.cast(),
                        Some(release::<F>),
                        &options,
                        made,
                        error,
                    )
                };
                if status == sys::CHORALE_OK {
                    owner.0 = std::ptr::null_mut(); // the potential's now
                }
                status
            })
        })?;
        Ok(Self {
            handle,
            slot: Some(slot),
        })
    }

    /// `factor` times this potential, over the same numbers. What it forbids stays forbidden.
    pub fn scaled(&self, factor: f64) -> Result<Self> {
        let scaled = Self::create(|host, made, error| unsafe {
            sys::chorale_potential_create_scaled(host, self.as_ptr(), factor, made, error)
        })?;
        Ok(Self {
            slot: self.slot.clone(),
            ..scaled
        })
    }

    /// R.
    pub fn values(&self) -> usize {
        unsafe { sys::chorale_potential_values(self.as_ptr()) as usize }
    }
    pub fn family(&self) -> Family {
        Family::from_raw(unsafe { sys::chorale_potential_family(self.as_ptr()) })
    }

    /// The score of counts among `members` members.
    pub fn evaluate(&self, counts: &[i64], members: i64) -> Result<f64> {
        let mut score = 0.0;
        let result = call(|error| unsafe {
            sys::chorale_potential_evaluate(
                self.as_ptr(),
                counts.as_ptr(),
                size(counts.len()),
                members,
                &mut score,
                error,
            )
        });
        settle(result, &self.slot)?;
        Ok(score)
    }

    pub(crate) fn as_ptr(&self) -> *const sys::chorale_potential {
        self.handle.as_ptr()
    }
}

impl Clone for Potential {
    fn clone(&self) -> Self {
        let handle =
            unsafe { Handle::from_raw(sys::chorale_potential_retain(self.handle.as_ptr())) };
        Self {
            handle,
            slot: self.slot.clone(),
        }
    }
}

impl fmt::Debug for Potential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Potential")
            .field("family", &self.family())
            .field("values", &self.values())
            .finish()
    }
}

struct Callback<F> {
    function: F,
    slot: Arc<Slot>,
}

/// Of a callback that no potential has taken.
struct Owner<F>(*mut Callback<F>);

impl<F> Drop for Owner<F> {
    fn drop(&mut self) {
        if !self.0.is_null() {
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

unsafe extern "C" fn score_counts<F>(
    user: *mut c_void,
    counts: *const i64,
    values: i64,
    members: i64,
    score: *mut f64,
) -> i32
where
    F: Fn(&[i64], i64) -> Option<f64>,
{
    let callback = &*(user as *const Callback<F>);
    let counts = std::slice::from_raw_parts(counts, values as usize);
    match callback
        .slot
        .caught(|| (callback.function)(counts, members))
    {
        Some(Some(value)) => {
            *score = value;
            0
        }
        _ => 1,
    }
}

unsafe extern "C" fn release<F>(user: *mut c_void) {
    crate::panics::caught_always(|| drop(Box::from_raw(user as *mut Callback<F>)));
}
