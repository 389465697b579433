//! The scores of one sequence or tree.

use crate::array::{named, product, Element, IntoMatrix, Matrix};
use crate::pass::{count, lent, size};
use crate::{c, Chain, Error, Result, Transitions};

impl<'s, N: Element> Chain<'s, N> {
    /// Makes a chain of unary scores, positions x labels. Minus infinity forbids a label at a
    /// position. Errors: Shape (a ragged array; the message names the row).
    ///
    /// Every call that takes a chain checks its arrays. The possible errors, which other comments call
    /// "those of a [`Chain`]", are Shape, Size (no labels), SizeOverflow, NotANumber, Infinite,
    /// OutOfRange (forced labels, parents, a magnitude above 1e280), LabelsMismatch (transitions),
    /// ParentOrder, ParentCycle.
    ///
    /// ```
    /// use libchorale as ch;
    /// # fn main() -> ch::Result<()> {
    /// let transitions = ch::Transitions::new(&[[0.0, 1.0], [1.0, 0.0]])?.build()?;
    /// let unary = vec![vec![1.0, 0.9], vec![1.0, 0.9], vec![1.0, 0.9]];
    /// let chain = ch::Chain::new(&unary)?.transitions(&transitions);
    /// let mut solver = ch::ChainSolver::new()?;
    /// assert_eq!(solver.best(&chain)?.labelling, Some(vec![0, 1, 0]));
    /// let second = chain.forced(&[-1, 0, -1]);
    /// assert_eq!(solver.best(&second)?.labelling, Some(vec![1, 0, 1]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(unary: impl IntoMatrix<'s, N>) -> Result<Self> {
        Ok(Self::of(named("unary", unary)?, None, None, None))
    }
    /// Sets transitions, which several chains can share. Unless this is called, they are zero.
    pub fn transitions(mut self, transitions: &Transitions) -> Self {
        self.transitions = Some(transitions.clone());
        self
    }
    /// Sets one matrix of transition scores, labels x labels, for all edges of this chain. This
    /// matrix replaces that of the shared transitions. Errors: Shape (not labels x labels).
    pub fn edges(mut self, edges: impl IntoMatrix<'s, N>) -> Result<Self> {
        let edges = named("edges", edges)?;
        edges.check_shape("edges", self.labels(), self.labels())?;
        self.edges = Some(edges);
        Ok(self)
    }
    /// Sets one matrix of transition scores, labels x labels, for each edge of this chain: one after
    /// the other, row after row without gaps. The first matrix is for the edge to position 1. Errors:
    /// Shape (the slice ends within a matrix).
    pub fn each_edge(mut self, edges: &'s [N]) -> Result<Self> {
        let side = self.labels();
        let entries = product(&[side, side])?.max(1);
        if edges.len() % entries != 0 {
            return Err(Error::shape(format!(
                "edges: a slice of {} entries cannot be divided into matrices of {side} x {side}",
                edges.len()
            )));
        }
        self.edges = Some(Matrix::new(edges, edges.len() / entries * side, side)?);
        Ok(self)
    }
    /// Sets which labels are allowed, positions x labels: 0 forbids the label at the position.
    /// Errors: Shape (a ragged array).
    pub fn allowed(mut self, allowed: impl IntoMatrix<'s, u8>) -> Result<Self> {
        self.allowed = Some(named("allowed", allowed)?);
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

    /// Computes the score of a labelling; minus infinity if the labelling is forbidden. Errors:
    /// those of a [`Chain`]; Shape, OutOfRange (`labelling`).
    pub fn score(&self, labelling: &[i32]) -> Result<f64> {
        let raw = self.raw()?;
        let labelling = lent("labelling", labelling, self.len())?;
        let mut score = 0.0;
        call!(chorale_chain_score(&raw, labelling, &mut score))?;
        Ok(score)
    }

    /// Returns the struct for C, which points to this chain's arrays.
    pub(crate) fn raw(&self) -> Result<c::chorale_chain> {
        let (length, labels) = (self.len(), self.labels());
        let mut raw = self.given()?;
        raw.length = size(length);
        raw.labels = size(labels);
        raw.element = N::ELEMENT;
        raw.unary = self.unary.as_ptr().cast();
        if let Some(transitions) = &self.transitions {
            raw.transitions = transitions.as_ptr();
        }
        if let Some(edges) = &self.edges {
            raw.edges = edges.as_ptr().cast();
            raw.edge_matrices = size(edges.rows() / labels.max(1));
        }
        if let Some(allowed) = &self.allowed {
            allowed.check_shape("allowed", length, labels)?;
            raw.allowed = allowed.as_ptr();
        }
        Ok(raw)
    }

    /// Makes a view of a chain that a model holds. Models have copies, whose rows follow each other
    /// without gaps. Errors: SizeOverflow.
    ///
    /// # Safety
    /// The arrays must live for `'s`. The element type must be N.
    pub(crate) unsafe fn from_raw(raw: &c::chorale_chain) -> Result<Self> {
        let (length, labels) = (count(raw.length), count(raw.labels));
        let edges = count(raw.edge_matrices) * labels;
        Ok(Self {
            unary: matrix(raw.unary.cast(), length, labels)?
                .map_or_else(|| Matrix::new(&[], length, labels), Ok)?,
            transitions: (!raw.transitions.is_null()).then(|| Transitions::retain(raw.transitions)),
            edges: matrix(raw.edges.cast(), edges, labels)?,
            orientation: None, // as in every model
            start: optional(raw.start.cast(), labels),
            end: optional(raw.end.cast(), labels),
            parents: optional(raw.parents, length),
            forced: optional(raw.forced, length),
            allowed: matrix(raw.allowed, length, labels)?,
        })
    }
}

/// Returns a view of a matrix of the library, or None for NULL.
unsafe fn matrix<'s, N: Copy>(
    data: *const N,
    rows: usize,
    columns: usize,
) -> Result<Option<Matrix<'s, N>>> {
    let entries = optional(data, product(&[rows, columns])?);
    let matrix = entries.map(|entries| Matrix::new(entries, rows, columns));
    matrix.transpose()
}

/// Returns a view of an array of the library, or None for NULL.
pub(crate) unsafe fn optional<'s, T>(data: *const T, length: usize) -> Option<&'s [T]> {
    (!data.is_null()).then(|| std::slice::from_raw_parts(data, length))
}
