//! Transition scores, which many chains can share.

use crate::array::{named, Element, IntoMatrix, Matrix};
use crate::handle::Handle;
use crate::pass::{count, lent};
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
#[derive(Clone)]
pub struct Transitions(Handle<c::chorale_transitions>);

debug!(Transitions: labels);

options! {
    /// Collects the parts of transitions: a matrix, start and end scores, and a mask.
    #[derive(Clone, Debug)]
    #[must_use = "build makes the transitions"]
    pub struct TransitionsBuilder<'a, N: Element> of chorale_transitions_options {
        labels: usize,
        scores: Option<Matrix<'a, N>>,
    }
    set(self) {
        /// Sets whether the rows of the matrix stand for the label before or for the label after. The
        /// default is [`Orientation::RowsFrom`]: the label before.
        orientation: Orientation,
        /// Sets start scores: for each label the score of this label at the first position of a chain.
        start: &'a [N] => [self.labels],
        /// Sets end scores: for each label the score of this label at the last position of a chain.
        end: &'a [N] => [self.labels],
        /// Sets which transitions, first labels and last labels are forbidden.
        mask: &'a Mask => _,
    }
}

impl Transitions {
    /// Returns a builder with a matrix of scores, labels x labels. Errors: Shape (not square,
    /// ragged).
    #[allow(clippy::new_ret_no_self)]
    pub fn new<'a, N: Element>(
        scores: impl IntoMatrix<'a, N>,
    ) -> Result<TransitionsBuilder<'a, N>> {
        let scores = named("scores", scores)?;
        scores.check_shape("scores", scores.rows(), scores.rows())?;
        Ok(TransitionsBuilder::of(scores.rows(), Some(scores)))
    }

    /// Returns a builder with a matrix of zeros, to which a mask, start and end scores may be
    /// added.
    pub fn zeros<'a, N: Element>(labels: usize) -> TransitionsBuilder<'a, N> {
        TransitionsBuilder::of(labels, None)
    }
}

impl<'a, N: Element> TransitionsBuilder<'a, N> {
    /// Makes transitions with a copy of the scores. Errors: Shape, Size (no labels), NotANumber,
    /// Infinite, OutOfRange (a magnitude above 1e280), SizeOverflow.
    pub fn build(self) -> Result<Transitions> {
        let labels = self.labels;
        let mut raw = self.given()?;
        raw.element = N::ELEMENT;
        if let Some(mask) = self.mask {
            raw.start_mask = lent("start of the mask", mask.start(), labels)?;
            raw.mask = mask.transitions().as_ptr();
            raw.end_mask = mask.end().as_ptr();
        }
        let scores = self.scores.as_ref().map(Matrix::as_ptr);
        let scores = scores.unwrap_or(std::ptr::null()).cast();
        create!(chorale_transitions_create(labels, scores, &raw)).map(Transitions)
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
        Self(Handle::retain(raw))
    }
}
