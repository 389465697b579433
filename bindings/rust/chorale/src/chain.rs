//! The scores of a sequence or tree (chain.h).

use crate::array::{check_length, pointer, size, Matrices, Matrix, Number};
use crate::error::call;
use crate::{sys, Orientation, Result, Transitions};

/// The scores of one sequence or tree: positions x labels of unary scores, and transitions. It
/// borrows its arrays (`'s`); `'t` is how long scores live that its [`Transitions`] borrow.
///
/// Sizes are checked when it is used.
///
/// ```
/// use chorale::{Chain, ChainSolver, Transitions};
/// # fn main() -> chorale::Result<()> {
/// let transitions = Transitions::new(&[[0.0f32, 1.0], [1.0, 0.0]])?.build()?;
/// let unary = [[1.0f32, 0.9], [1.0, 0.9], [1.0, 0.9]];
/// let chain = Chain::new(&unary).transitions(&transitions);
/// let mut solver = ChainSolver::new()?;
/// assert_eq!(solver.best(&chain)?.labelling, [0, 1, 0]);
/// assert_eq!(solver.best(&chain.clone().forced(&[-1, 0, -1]))?.labelling, [1, 0, 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Chain<'s, 't, N = f64> {
    unary: Matrix<'s, N>,
    transitions: Option<Transitions<'t>>,
    edges: Option<Matrices<'s, N>>,
    orientation: Orientation,
    start: Option<&'s [N]>,
    end: Option<&'s [N]>,
    parents: Option<&'s [i32]>,
    forced: Option<&'s [i32]>,
    allowed: Option<Matrix<'s, u8>>,
}

impl<'s, 't, N: Number> Chain<'s, 't, N> {
    /// unary: positions x labels, minus infinity forbids.
    pub fn new(unary: impl Into<Matrix<'s, N>>) -> Self {
        Self {
            unary: unary.into(),
            transitions: None,
            edges: None,
            orientation: Orientation::ROWS_FROM,
            start: None,
            end: None,
            parents: None,
            forced: None,
            allowed: None,
        }
    }
    /// Transitions that chains share; without any they are zero.
    pub fn transitions(mut self, transitions: &Transitions<'t>) -> Self {
        self.transitions = Some(transitions.clone());
        self
    }
    /// Transitions of its own, in the place of the shared matrix: one matrix of labels x labels, or
    /// one an edge, of which the first leads to position 1.
    pub fn edges(mut self, edges: impl Into<Matrices<'s, N>>) -> Self {
        self.edges = Some(edges.into());
        self
    }
    /// Of `edges`.
    pub fn orientation(mut self, orientation: Orientation) -> Self {
        self.orientation = orientation;
        self
    }
    /// Scores of the first label, in the place of those of the transitions.
    pub fn start(mut self, start: &'s [N]) -> Self {
        self.start = Some(start);
        self
    }
    /// Scores of the last label, in the place of those of the transitions.
    pub fn end(mut self, end: &'s [N]) -> Self {
        self.end = Some(end);
        self
    }
    /// Makes it a tree: the parent of each position, which comes before it, or -1 for a root.
    pub fn parents(mut self, parents: &'s [i32]) -> Self {
        self.parents = Some(parents);
        self
    }
    /// The label that each position must take, or -1.
    pub fn forced(mut self, forced: &'s [i32]) -> Self {
        self.forced = Some(forced);
        self
    }
    /// positions x labels, 0 forbids; rows whose entries lie side by side.
    pub fn allowed(mut self, allowed: impl Into<Matrix<'s, u8>>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.unary.rows
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.unary.columns
    }
    pub fn unary(&self) -> Matrix<'s, N> {
        self.unary
    }
    /// The parents, of a tree.
    pub fn tree(&self) -> Option<&'s [i32]> {
        self.parents
    }

    /// The score of a labelling; minus infinity where it is forbidden.
    pub fn score(&self, labelling: &[i32]) -> Result<f64> {
        let raw = self.raw()?;
        check_length("labelling", Some(labelling), self.len())?;
        let mut score = 0.0;
        call(|error| unsafe {
            sys::chorale_chain_score(&raw, labelling.as_ptr(), &mut score, error)
        })?;
        Ok(score)
    }

    pub(crate) fn own_transitions(&self) -> Option<&Transitions<'t>> {
        self.transitions.as_ref()
    }

    /// As C takes it; it points into this chain.
    pub(crate) fn raw(&self) -> Result<sys::chorale_chain> {
        let (length, labels) = (self.len(), self.labels());
        let mut raw = init!(chorale_chain, chorale_chain_init);
        raw.length = size(length);
        raw.labels = size(labels);
        raw.number = N::NUMBER;
        raw.orientation = self.orientation.raw();
        raw.unary = self.unary.as_ptr().cast();
        raw.unary_row_stride = size(self.unary.row_stride);
        raw.unary_column_stride = size(self.unary.column_stride);
        if let Some(transitions) = &self.transitions {
            raw.transitions = transitions.as_ptr();
        }
        if let Some(edges) = &self.edges {
            edges.first.check_shape("an edge", labels, labels)?;
            raw.edges = edges.first.as_ptr().cast();
            raw.edge_matrices = size(edges.count);
            raw.edge_matrix_stride = size(edges.matrix_stride);
            raw.edge_row_stride = size(edges.first.row_stride);
            raw.edge_column_stride = size(edges.first.column_stride);
        }
        check_length("start", self.start, labels)?;
        check_length("end", self.end, labels)?;
        check_length("parents", self.parents, length)?;
        check_length("forced", self.forced, length)?;
        raw.start = pointer(self.start).cast();
        raw.end = pointer(self.end).cast();
        raw.parents = pointer(self.parents);
        raw.forced = pointer(self.forced);
        if let Some(allowed) = &self.allowed {
            allowed.check_shape("allowed", length, labels)?;
            allowed.check_rows("allowed")?;
            raw.allowed = allowed.as_ptr();
            raw.allowed_row_stride = size(allowed.row_stride);
        }
        Ok(raw)
    }

    /// The chain that a model holds.
    ///
    /// # Safety
    /// The arrays live for `'s`, what the transitions borrow for `'t`, and the element type is N.
    pub(crate) unsafe fn from_raw(raw: &sys::chorale_chain) -> Result<Self> {
        let (length, labels) = (raw.length as usize, raw.labels as usize);
        let mut chain = Self::new(matrix(
            raw.unary.cast(),
            [length, labels],
            [raw.unary_row_stride, raw.unary_column_stride],
        )?);
        chain.orientation = Orientation::from_raw(raw.orientation);
        if !raw.transitions.is_null() {
            chain.transitions = Some(Transitions::retain(raw.transitions));
        }
        if !raw.edges.is_null() {
            let first: Matrix<'_, N> = matrix(
                raw.edges.cast(),
                [labels, labels],
                [raw.edge_row_stride, raw.edge_column_stride],
            )?;
            let count = raw.edge_matrices as usize;
            let matrix_stride = match raw.edge_matrix_stride as usize {
                0 => labels * labels,
                stride => stride,
            };
            let entries = count.saturating_sub(1) * matrix_stride + first.data.len();
            chain.edges = Some(Matrices::strided(
                slice(raw.edges.cast(), if count == 0 { 0 } else { entries }),
                [count, labels, labels],
                [matrix_stride, first.row_stride, first.column_stride],
            )?);
        }
        chain.start = optional(raw.start.cast(), labels);
        chain.end = optional(raw.end.cast(), labels);
        chain.parents = optional(raw.parents, length);
        chain.forced = optional(raw.forced, length);
        if !raw.allowed.is_null() {
            let strides = [raw.allowed_row_stride, 1];
            chain.allowed = Some(matrix(raw.allowed, [length, labels], strides)?);
        }
        Ok(chain)
    }
}

unsafe fn slice<'s, T>(data: *const T, length: usize) -> &'s [T] {
    if length == 0 {
        return &[];
    }
    std::slice::from_raw_parts(data, length)
}

pub(crate) unsafe fn optional<'s, T>(data: *const T, length: usize) -> Option<&'s [T]> {
    (!data.is_null()).then(|| slice(data, length))
}

/// A matrix of the library, whose strides may be 0 for the usual ones.
unsafe fn matrix<'s, T>(
    data: *const T,
    extents: [usize; 2],
    strides: [i64; 2],
) -> Result<Matrix<'s, T>> {
    let [rows, columns] = extents;
    let column_stride = (strides[1] as usize).max(1);
    let row_stride = match strides[0] as usize {
        0 => (columns * column_stride).max(1),
        stride => stride,
    };
    let entries = if rows == 0 || columns == 0 {
        0
    } else {
        (rows - 1) * row_stride + (columns - 1) * column_stride + 1
    };
    Matrix::strided(
        slice(data, entries),
        rows,
        columns,
        row_stride,
        column_stride,
    )
}
