//! Many chains in one call: a corpus holds the scores of all chains in one array.

use crate::array::{named, Element, IntoMatrix, Matrix};
use crate::pass::{count, lent_offsets, size, Pass};
use crate::{c, Corpus, Error, Result, Status};
use std::borrow::Cow;

impl<'s, N: Element> Corpus<'s, N> {
    /// Makes a corpus with copies of chains that are separate matrices, positions x labels: slices
    /// of vectors of vectors, or arrays of ndarray. Errors: Shape (rows of different lengths in one
    /// chain, or chains with different numbers of labels; the message names chain and row),
    /// SizeOverflow.
    ///
    /// ```
    /// use libchorale as ch;
    /// # fn main() -> ch::Result<()> {
    /// // Two sentences, of two words and of one.
    /// let sentences = vec![vec![vec![2.0, 0.1], vec![0.3, 0.4]], vec![vec![0.9, 1.0]]];
    /// let copied = ch::Corpus::new(&sentences)?.tokens(&[4, 7, 7]);
    /// let flat = [2.0, 0.1, 0.3, 0.4, 0.9, 1.0];
    /// let lent = ch::Corpus::ragged(ch::Matrix::flat(&flat, 2)?, &[0, 2, 3])?.tokens(&[4, 7, 7]);
    /// let mut builder = ch::ModelBuilder::new()?;
    /// assert_eq!(builder.add_corpus(&copied)?, 0..2);
    /// assert_eq!(builder.add_corpus(&lent)?, 2..4);
    /// assert_eq!(builder.freeze()?.chain_length(2), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new<'c, M: IntoMatrix<'c, N>>(chains: impl IntoIterator<Item = M>) -> Result<Self> {
        let mut parts = Vec::new();
        let mut offsets = vec![0];
        let mut rows = 0usize;
        // The first chain with rows tells the number of labels.
        let mut first = None;
        for (at, chain) in chains.into_iter().enumerate() {
            let part = named(&format!("chains[{at}]"), chain)?;
            let columns = part.columns();
            if part.rows() > 0 {
                let (of, labels) = *first.get_or_insert((at, columns));
                if columns != labels {
                    return Err(Error::shape(format!(
                        "chains[{at}] has {columns} labels; it must have {labels}, as chains[{of}]"
                    )));
                }
            }
            rows = rows
                .checked_add(part.rows())
                .filter(|&sum| sum <= isize::MAX as usize)
                .ok_or_else(|| {
                    let message = format!("there are more than {} rows", isize::MAX);
                    Error::new(Status::SizeOverflow, message)
                })?;
            offsets.push(size(rows));
            parts.push(part);
        }
        let of_none = || parts.first().map_or(0, Matrix::columns);
        let labels = first.map_or_else(of_none, |(_, labels)| labels);
        let entries = parts.iter().flat_map(Matrix::entries);
        let unary = Matrix::copied(rows, labels, entries.copied())?;
        Ok(Self::of(unary, Some(Cow::Owned(offsets))))
    }

    /// Makes a corpus of single items: every row of `unary` is a chain of one position. Errors:
    /// Shape (rows of different lengths; the message names the row).
    pub fn items(unary: impl IntoMatrix<'s, N>) -> Result<Self> {
        Ok(Self::of(named("unary", unary)?, None))
    }

    /// Makes a corpus in which chain `i` has the rows `offsets[i] .. offsets[i + 1]` of `unary`.
    /// There is one offset more than chains, and the first may be above 0. Errors: as for
    /// [`items`](Self::items); Shape (an offset beyond the rows, an empty list of offsets). Offsets
    /// that descend or are negative are refused when the corpus is used.
    pub fn ragged(unary: impl IntoMatrix<'s, N>, offsets: &'s [i64]) -> Result<Self> {
        let unary = named("unary", unary)?;
        lent_offsets("offsets", offsets, "unary", unary.rows())?;
        Ok(Self::of(unary, Some(Cow::Borrowed(offsets))))
    }

    /// Returns the number of chains.
    pub fn chains(&self) -> usize {
        let offsets = self.offsets.as_deref();
        offsets.map_or(self.rows(), |offsets| offsets.len() - 1)
    }
    /// Returns the number of labels.
    pub fn labels(&self) -> usize {
        self.unary.columns()
    }
    /// Returns the number of rows of the scores, including rows before the first chain and after
    /// the last.
    pub fn rows(&self) -> usize {
        self.unary.rows()
    }
    /// Returns the scores, rows x labels.
    pub fn unary(&self) -> &Matrix<'s, N> {
        &self.unary
    }

    /// Returns the number of positions of each chain.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.chains()).map(move |chain| match &self.offsets {
            Some(offsets) => count(offsets[chain + 1] - offsets[chain]),
            None => 1,
        })
    }

    /// Returns the struct for C, which points to this corpus's arrays. Errors: Shape (edges,
    /// forced, allowed, tokens, groups).
    pub(crate) fn raw(&self) -> Result<c::chorale_corpus> {
        let mut raw = self.given()?;
        raw.chains = size(self.chains());
        raw.offsets = self.offsets.as_deref().pass();
        raw.labels = size(self.labels());
        raw.element = N::ELEMENT;
        raw.unary = self.unary.as_ptr().cast();
        Ok(raw)
    }
}
