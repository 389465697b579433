//! Transition scores that chains share (chain.h).

use crate::array::{check_length, pointer, size, Matrix, Number};
use crate::handle::Handle;
use crate::host::with_host;
use crate::{sys, Mask, Orientation, Result};
use std::marker::PhantomData;

/// Transition scores: immutable, shared by clones, chains and models, used by any number of threads.
/// `'t` is how long scores that are borrowed live; `'static` where they are copied.
///
/// ```
/// use chorale::{Mask, Scheme, Transitions};
/// # fn main() -> chorale::Result<()> {
/// let mask = Mask::new(Scheme::BIO, &["O", "B-Name", "I-Name"])?;
/// let scores = [[0.5f32, 0.1, 0.0], [0.2, 0.0, 1.0], [0.3, 0.0, 0.8]];
/// let transitions = Transitions::new(&scores)?.mask(&mask).build()?;
/// assert_eq!(transitions.labels(), 3);
/// # Ok(())
/// # }
/// ```
///
/// Borrowed scores must live as long as the handle:
///
/// ```compile_fail,E0597
/// use chorale::Transitions;
/// let transitions = {
///     let scores = vec![[0.5, 0.1], [0.2, 0.0]];
///     Transitions::borrowed((&scores).into(), None, None).unwrap()
/// };
/// transitions.labels();
/// ```
pub struct Transitions<'t> {
    handle: Handle<sys::chorale_transitions>,
    scores: PhantomData<&'t [f64]>,
}

// Immutable, with atomic references.
unsafe impl Send for Transitions<'_> {}
unsafe impl Sync for Transitions<'_> {}

/// Transition scores in the making.
#[derive(Clone, Copy, Debug)]
pub struct TransitionsBuilder<'a, N> {
    labels: usize,
    scores: Option<Matrix<'a, N>>,
    orientation: Orientation,
    start: Option<&'a [N]>,
    end: Option<&'a [N]>,
    mask: Option<&'a Mask>,
}

impl Transitions<'static> {
    /// From a matrix of labels x labels, which is copied. Errors: SHAPE (not square).
    #[allow(clippy::new_ret_no_self)]
    pub fn new<'a, N: Number>(
        scores: impl Into<Matrix<'a, N>>,
    ) -> Result<TransitionsBuilder<'a, N>> {
        let scores = scores.into();
        scores.check_shape("scores", scores.rows, scores.rows)?;
        Ok(TransitionsBuilder {
            scores: Some(scores),
            ..Self::zeros(scores.rows)
        })
    }

    /// From zeros, to which a mask, start and end scores may be added.
    pub fn zeros<'a, N: Number>(labels: usize) -> TransitionsBuilder<'a, N> {
        TransitionsBuilder {
            labels,
            scores: None,
            orientation: Orientation::ROWS_FROM,
            start: None,
            end: None,
            mask: None,
        }
    }
}

impl<'a, N: Number> TransitionsBuilder<'a, N> {
    pub fn orientation(mut self, orientation: Orientation) -> Self {
        self.orientation = orientation;
        self
    }
    /// Scores of the first label.
    pub fn start(mut self, start: &'a [N]) -> Self {
        self.start = Some(start);
        self
    }
    /// Scores of the last label.
    pub fn end(mut self, end: &'a [N]) -> Self {
        self.end = Some(end);
        self
    }
    /// What is forbidden.
    pub fn mask(mut self, mask: &'a Mask) -> Self {
        self.mask = Some(mask);
        self
    }

    pub fn build(self) -> Result<Transitions<'static>> {
        Ok(Transitions {
            handle: self.create(false)?,
            scores: PhantomData,
        })
    }

    fn create(self, borrow: bool) -> Result<Handle<sys::chorale_transitions>> {
        let labels = self.labels;
        check_length("start", self.start, labels)?;
        check_length("end", self.end, labels)?;
        let mut raw = init!(
            chorale_transitions_options,
            chorale_transitions_options_init
        );
        raw.number = N::NUMBER;
        raw.orientation = self.orientation.raw();
        raw.borrow = borrow.into();
        if let Some(scores) = &self.scores {
            raw.row_stride = size(scores.row_stride);
            raw.column_stride = size(scores.column_stride);
        }
        raw.start = pointer(self.start).cast();
        raw.end = pointer(self.end).cast();
        if let Some(mask) = self.mask {
            mask.check_labels(labels)?;
            raw.mask = mask.transitions().as_ptr();
            raw.start_mask = mask.start().as_ptr();
            raw.end_mask = mask.end().as_ptr();
        }
        let scores = self
            .scores
            .map_or(std::ptr::null(), |scores| scores.as_ptr());
        with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_transitions_create(
                    host,
                    size(labels),
                    scores.cast(),
                    &raw,
                    made,
                    error,
                )
            })
        })
    }
}

impl<'t> Transitions<'t> {
    /// Scores that are not copied, rows "from" whose entries lie side by side; start and end are.
    pub fn borrowed(
        scores: Matrix<'t, f64>,
        start: Option<&[f64]>,
        end: Option<&[f64]>,
    ) -> Result<Self> {
        scores.check_shape("scores", scores.rows, scores.rows)?;
        let builder = TransitionsBuilder {
            labels: scores.rows,
            scores: Some(scores),
            orientation: Orientation::ROWS_FROM,
            start,
            end,
            mask: None,
        };
        Ok(Self {
            handle: builder.create(true)?,
            scores: PhantomData,
        })
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        unsafe { sys::chorale_transitions_labels(self.as_ptr()) as usize }
    }

    pub(crate) fn as_ptr(&self) -> *const sys::chorale_transitions {
        self.handle.as_ptr()
    }

    /// Another reference to what the library holds.
    ///
    /// # Safety
    /// Scores that it borrows live for `'t`.
    pub(crate) unsafe fn retain(raw: *const sys::chorale_transitions) -> Self {
        Self {
            handle: Handle::from_raw(sys::chorale_transitions_retain(raw)),
            scores: PhantomData,
        }
    }
}

impl Clone for Transitions<'_> {
    fn clone(&self) -> Self {
        unsafe { Self::retain(self.as_ptr()) }
    }
}

impl std::fmt::Debug for Transitions<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Transitions({} labels)", self.labels())
    }
}
