//! Transition scores, which many chains can share.

use crate::array::{check_length, count, pointer, size, Element, IntoMatrix, Matrix};
use crate::handle::Handle;
use crate::{c, Mask, Orientation, Result};

/// Transition scores: one for each pair of a label and the label after it, with start and end
/// scores. They never change. Clones, chains and models share them, and any number of threads may
/// use them.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let mask = ch::Mask::new(ch::Scheme::Bio, &["O", "B-Name", "I-Name"])?;
/// let scores = [[0.5f32, 0.1, 0.0], [0.2, 0.0, 1.0], [0.3, 0.0, 0.8]];
/// let transitions = ch::Transitions::new(&scores)?.mask(&mask).build()?;
/// assert_eq!(transitions.labels(), 3);
/// # Ok(())
/// # }
/// ```
pub struct Transitions(Handle<c::chorale_transitions>);

// Safe: transitions never change, and their reference count is atomic.
unsafe impl Send for Transitions {}
unsafe impl Sync for Transitions {}

/// Collects the parts of transitions: a matrix, start and end scores, and a mask.
#[derive(Clone, Debug)]
#[must_use = "build makes the transitions"]
pub struct TransitionsBuilder<'a, N> {
    labels: usize,
    scores: Option<Matrix<'a, N>>,
    orientation: Orientation,
    start: Option<&'a [N]>,
    end: Option<&'a [N]>,
    mask: Option<&'a Mask>,
}

impl Transitions {
    /// Returns a builder with a matrix of scores, labels x labels. Errors: Shape (not square,
    /// ragged).
    #[allow(clippy::new_ret_no_self)]
    pub fn new<'a, N: Element>(
        scores: impl IntoMatrix<'a, N>,
    ) -> Result<TransitionsBuilder<'a, N>> {
        let scores = scores.into_matrix().map_err(|error| error.of("scores"))?;
        scores.check_shape("scores", scores.rows(), scores.rows())?;
        let labels = scores.rows();
        Ok(TransitionsBuilder {
            scores: Some(scores),
            ..Self::zeros(labels)
        })
    }

    /// Returns a builder with a matrix of zeros, to which a mask, start and end scores may be
    /// added.
    pub fn zeros<'a, N: Element>(labels: usize) -> TransitionsBuilder<'a, N> {
        TransitionsBuilder {
            labels,
            scores: None,
            orientation: Orientation::RowsFrom,
            start: None,
            end: None,
            mask: None,
        }
    }
}

impl<'a, N: Element> TransitionsBuilder<'a, N> {
    setters! {
        /// Sets whether the rows of the matrix stand for the label before or for the label after. The
        /// default is [`Orientation::RowsFrom`]: the label before.
        pub fn orientation(self, orientation: Orientation) -> Self {
            self.orientation = orientation
        }
        /// Sets start scores: for each label the score of this label at the first position of a chain.
        pub fn start(self, start: &'a [N]) -> Self { self.start = Some(start) }
        /// Sets end scores: for each label the score of this label at the last position of a chain.
        pub fn end(self, end: &'a [N]) -> Self { self.end = Some(end) }
        /// Sets which transitions, first labels and last labels are forbidden.
        pub fn mask(self, mask: &'a Mask) -> Self { self.mask = Some(mask) }
    }
    /// Makes transitions with a copy of the scores. Errors: Shape, Size (no labels), NotANumber,
    /// Infinite, OutOfRange (a magnitude above 1e280), SizeOverflow, OutOfMemory.
    pub fn build(self) -> Result<Transitions> {
        let labels = self.labels;
        check_length("start", self.start, labels)?;
        check_length("end", self.end, labels)?;
        let mut raw = init!(chorale_transitions_options);
        raw.element = N::ELEMENT;
        raw.orientation = self.orientation.raw();
        if let Some(scores) = &self.scores {
            raw.row_stride = size(scores.row_stride());
            raw.column_stride = size(scores.column_stride());
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
            .as_ref()
            .map_or(std::ptr::null(), Matrix::as_ptr);
        let handle = Handle::create(|host, made, error| unsafe {
            c::chorale_transitions_create(host, size(labels), scores.cast(), &raw, made, error)
        })?;
        Ok(Transitions(handle))
    }
}

impl Transitions {
    /// Returns the number of labels.
    pub fn labels(&self) -> usize {
        count(unsafe { c::chorale_transitions_labels(self.as_ptr()) })
    }

    pub(crate) fn as_ptr(&self) -> *const c::chorale_transitions {
        self.0.as_ptr()
    }

    /// Makes another handle of transitions of the library, and adds a reference to them.
    pub(crate) unsafe fn retain(raw: *const c::chorale_transitions) -> Self {
        Self(Handle::from_raw(c::chorale_transitions_retain(raw)))
    }
}

impl Clone for Transitions {
    fn clone(&self) -> Self {
        unsafe { Self::retain(self.as_ptr()) }
    }
}

impl std::fmt::Debug for Transitions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Transitions({} labels)", self.labels())
    }
}
