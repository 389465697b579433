//! The scores of one sequence or tree.

use crate::array::{check_length, count, pointer, size, Element, IntoMatrix, Matrices, Matrix};
use crate::error::call;
use crate::{c, Orientation, Result, Transitions};

/// The scores of one sequence or tree: unary scores, positions x labels, and transitions. A
/// labelling gives one label to each position. Its score is the sum of the unary scores of its
/// labels, a transition score for each edge, and the start and end scores. An edge joins a position
/// to the position before it, or in a tree to its parent. The chain borrows its arrays (`'s`).
///
/// Scores are accepted as any type that implements [`IntoMatrix`]. Every call that takes a chain
/// checks its arrays. The possible errors, which other comments call "those of a [`Chain`]", are
/// Shape, Size (no labels), SizeOverflow, NotANumber, Infinite, OutOfRange (forced labels, parents,
/// a magnitude above 1e280), LabelsMismatch (transitions), ParentOrder, ParentCycle.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let transitions = ch::Transitions::new(&[[0.0, 1.0], [1.0, 0.0]])?.build()?;
/// let unary = vec![vec![1.0, 0.9], vec![1.0, 0.9], vec![1.0, 0.9]];
/// let chain = ch::Chain::new(&unary)?.transitions(&transitions);
/// let mut solver = ch::ChainSolver::new()?;
/// assert_eq!(solver.best(&chain)?.labelling, Some(&[0, 1, 0][..]));
/// let second = chain.forced(&[-1, 0, -1]);
/// assert_eq!(solver.best(&second)?.labelling, Some(&[1, 0, 1][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain is scores for a solver or a model"]
pub struct Chain<'s, N = f64> {
    unary: Matrix<'s, N>,
    transitions: Option<Transitions>,
    edges: Option<Matrices<'s, N>>,
    orientation: Orientation,
    start: Option<&'s [N]>,
    end: Option<&'s [N]>,
    parents: Option<&'s [i32]>,
    forced: Option<&'s [i32]>,
    allowed: Option<Matrix<'s, u8>>,
}

impl<'s, N: Element> Chain<'s, N> {
    /// Makes a chain of unary scores, positions x labels. Minus infinity forbids a label at a
    /// position. Errors: Shape (a ragged array; the message names the row), OutOfMemory.
    pub fn new(unary: impl IntoMatrix<'s, N>) -> Result<Self> {
        let unary = unary.into_matrix().map_err(|error| error.of("unary"))?;
        Ok(Self::with(unary))
    }

    fn with(unary: Matrix<'s, N>) -> Self {
        Self {
            unary,
            transitions: None,
            edges: None,
            orientation: Orientation::RowsFrom,
            start: None,
            end: None,
            parents: None,
            forced: None,
            allowed: None,
        }
    }
    /// Sets transitions, which several chains can share. Unless this is called, they are zero.
    pub fn transitions(mut self, transitions: &Transitions) -> Self {
        self.transitions = Some(transitions.clone());
        self
    }
    /// Sets one matrix of transition scores, labels x labels, for all edges of this chain. This
    /// matrix replaces that of the shared transitions. Errors: Shape (a ragged array), OutOfMemory.
    pub fn edges(mut self, edges: impl IntoMatrix<'s, N>) -> Result<Self> {
        let edges = edges.into_matrix().map_err(|error| error.of("edges"))?;
        self.edges = Some(Matrices::one(edges));
        Ok(self)
    }
    /// Sets one matrix of transition scores, labels x labels, for each edge of this chain: one after
    /// the other, row after row without gaps. The first matrix is for the edge to position 1. Errors:
    /// Shape (the slice ends within a matrix).
    pub fn each_edge(mut self, edges: &'s [N]) -> Result<Self> {
        let edges = Matrices::squares(edges, self.labels());
        self.edges = Some(edges.map_err(|error| error.of("edges"))?);
        Ok(self)
    }
    setters! {
        /// Sets whether the rows of this chain's own transition matrices stand for the label before or
        /// for the label after. The default is [`Orientation::RowsFrom`]: the label before.
        pub fn orientation(self, orientation: Orientation) -> Self {
            self.orientation = orientation
        }
        /// Sets start scores: for each label the score of this label at the first position. They
        /// replace the start scores of the shared transitions.
        pub fn start(self, start: &'s [N]) -> Self { self.start = Some(start) }
        /// Sets end scores: for each label the score of this label at the last position. They replace
        /// the end scores of the shared transitions.
        pub fn end(self, end: &'s [N]) -> Self { self.end = Some(end) }
        /// Makes the chain a tree. parents: for each position its parent, which is an earlier position,
        /// or -1 for a root.
        pub fn parents(self, parents: &'s [i32]) -> Self { self.parents = Some(parents) }
        /// Sets the label that each position must take, or -1 if the position is free.
        pub fn forced(self, forced: &'s [i32]) -> Self { self.forced = Some(forced) }
    }
    /// Sets which labels are allowed, positions x labels: 0 forbids the label at the position.
    /// Errors: Shape (a ragged array).
    pub fn allowed(mut self, allowed: impl IntoMatrix<'s, u8>) -> Result<Self> {
        let allowed = allowed.into_matrix().and_then(Matrix::in_rows);
        self.allowed = Some(allowed.map_err(|error| error.of("allowed"))?);
        Ok(self)
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.unary.rows()
    }
    /// Returns true if there are no positions. The only labelling is then the empty one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the number of labels.
    pub fn labels(&self) -> usize {
        self.unary.columns()
    }
    /// Returns the unary scores, positions x labels.
    pub fn unary(&self) -> &Matrix<'s, N> {
        &self.unary
    }
    /// Returns the parent of each position of a tree; None for a chain.
    pub fn tree(&self) -> Option<&'s [i32]> {
        self.parents
    }

    /// Computes the score of a labelling; minus infinity if the labelling is forbidden. Errors:
    /// those of a [`Chain`]; Shape, OutOfRange (`labelling`).
    pub fn score(&self, labelling: &[i32]) -> Result<f64> {
        let raw = self.raw()?;
        check_length("labelling", Some(labelling), self.len())?;
        let mut score = 0.0;
        call(|error| unsafe {
            c::chorale_chain_score(&raw, labelling.as_ptr(), &mut score, error)
        })?;
        Ok(score)
    }

    /// Returns the struct for C, which points to this chain's arrays.
    pub(crate) fn raw(&self) -> Result<c::chorale_chain> {
        let (length, labels) = (self.len(), self.labels());
        let mut raw = init!(chorale_chain);
        raw.length = size(length);
        raw.labels = size(labels);
        raw.element = N::ELEMENT;
        raw.orientation = self.orientation.raw();
        raw.unary = self.unary.as_ptr().cast();
        raw.unary_row_stride = size(self.unary.row_stride());
        raw.unary_column_stride = size(self.unary.column_stride());
        if let Some(transitions) = &self.transitions {
            raw.transitions = transitions.as_ptr();
        }
        if let Some(edges) = &self.edges {
            edges
                .first
                .check_shape("each matrix of edges", labels, labels)?;
            raw.edges = edges.first.as_ptr().cast();
            raw.edge_matrices = size(edges.count);
            raw.edge_matrix_stride = size(edges.matrix_stride);
            raw.edge_row_stride = size(edges.first.row_stride());
            raw.edge_column_stride = size(edges.first.column_stride());
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
            raw.allowed = allowed.as_ptr();
            raw.allowed_row_stride = size(allowed.row_stride());
        }
        Ok(raw)
    }

    /// Makes a view of a chain that a model holds.
    ///
    /// # Safety
    /// The arrays must live for `'s`. The element type must be N.
    pub(crate) unsafe fn from_raw(raw: &c::chorale_chain) -> Self {
        let (length, labels) = (count(raw.length), count(raw.labels));
        let mut chain = Self::with(matrix(
            raw.unary.cast(),
            [length, labels],
            [raw.unary_row_stride, raw.unary_column_stride],
        ));
        if raw.orientation == Orientation::RowsTo.raw() {
            chain.orientation = Orientation::RowsTo;
        }
        if !raw.transitions.is_null() {
            chain.transitions = Some(Transitions::retain(raw.transitions));
        }
        if !raw.edges.is_null() {
            let first = matrix(
                raw.edges.cast(),
                [labels, labels],
                [raw.edge_row_stride, raw.edge_column_stride],
            );
            let matrix_stride = match count(raw.edge_matrix_stride) {
                0 => labels * labels,
                stride => stride,
            };
            chain.edges = Some(Matrices {
                count: count(raw.edge_matrices),
                matrix_stride,
                first,
            });
        }
        chain.start = optional(raw.start.cast(), labels);
        chain.end = optional(raw.end.cast(), labels);
        chain.parents = optional(raw.parents, length);
        chain.forced = optional(raw.forced, length);
        if !raw.allowed.is_null() {
            let strides = [raw.allowed_row_stride, 1];
            chain.allowed = Some(matrix(raw.allowed, [length, labels], strides));
        }
        chain
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

/// Makes a view of a matrix of the library, where a stride of 0 means rows without gaps.
unsafe fn matrix<'s, T>(data: *const T, extents: [usize; 2], strides: [i64; 2]) -> Matrix<'s, T> {
    let column_stride = count(strides[1]).max(1);
    let row_stride = match count(strides[0]) {
        0 => (extents[1] * column_stride).max(1),
        stride => stride,
    };
    Matrix::from_pointer(data, extents, [row_stride, column_stride])
}
