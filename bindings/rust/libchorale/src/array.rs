//! Arrays of the caller: matrices, which are borrowed or copied.

use crate::{c, Error, Result, Status};
use std::borrow::Cow;
use std::fmt;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// An element type of score arrays: `f32` or `f64`. Sums are computed in `f64` for both.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    #[doc(hidden)]
    const ELEMENT: i32;
}
impl Element for f32 {
    const ELEMENT: i32 = c::CHORALE_FLOAT32;
}
impl Element for f64 {
    const ELEMENT: i32 = c::CHORALE_FLOAT64;
}

/// Makes room for the entries of an array. Errors: OutOfMemory.
fn reserve<T>(buffer: &mut Vec<T>, length: usize) -> Result<()> {
    buffer.try_reserve(length).map_err(|_| {
        let message = format!("there is no memory for {length} numbers");
        Error::new(Status::OutOfMemory, message)
    })
}

/// Makes a list of `length` entries, all equal to `value`. Errors: OutOfMemory.
pub(crate) fn filled<T: Copy>(length: usize, value: T) -> Result<Vec<T>> {
    let mut entries = Vec::new();
    reserve(&mut entries, length)?;
    entries.resize(length, value);
    Ok(entries)
}

/// Returns the labelling if the library wrote one. Returns None if an entry is -1: callers fill the
/// array with -1 before they call the library.
pub(crate) fn found(labelling: Vec<i32>) -> Option<Vec<i32>> {
    let all = labelling.iter().all(|&label| label >= 0);
    all.then_some(labelling)
}

pub(crate) fn product(factors: &[usize]) -> Result<usize> {
    factors
        .iter()
        .try_fold(1usize, |product, &factor| product.checked_mul(factor))
        .ok_or_else(|| {
            Error::new(
                Status::SizeOverflow,
                format!("an array of {factors:?} entries is larger than memory can be"),
            )
        })
}

/// A matrix, row after row without gaps, borrowed for `'a` or owned.
///
/// Functions that take a matrix accept any type that implements [`IntoMatrix`]: arrays of arrays,
/// slices of vectors (which are copied), and with the feature `ndarray` the arrays of that crate. A
/// flat slice becomes a matrix by [`Matrix::flat`], [`Matrix::new`] or [`Matrix::strided`].
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let scores = [0.5, 1.0, 0.0, /* row 1 */ 2.0, 0.1, 0.3];
/// let rows = ch::Matrix::flat(&scores, 3)?;
/// let columns = ch::Matrix::strided(&scores, 3, 2, 1, 3)?; // the transposed matrix, copied
/// assert_eq!((rows.rows(), columns.rows()), (2, 3));
/// assert_eq!((rows.get(1, 0), columns.get(0, 1)), (Some(2.0), Some(2.0)));
/// assert!(ch::Matrix::flat(&scores, 4).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq)]
pub struct Matrix<'a, N: Clone> {
    entries: Cow<'a, [N]>,
    rows: usize,
    columns: usize,
}

impl<N: Clone> fmt::Debug for Matrix<'_, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Matrix({} x {})", self.rows, self.columns)
    }
}

impl<'a, N: Copy> Matrix<'a, N> {
    /// Makes a matrix from a slice of `rows * columns` entries, row after row without gaps. Errors:
    /// Shape (a slice of another length).
    pub fn new(data: &'a [N], rows: usize, columns: usize) -> Result<Self> {
        if rows.checked_mul(columns) != Some(data.len()) {
            return Err(Error::shape(format!(
                "a slice of {} entries is no matrix of {rows} x {columns}",
                data.len()
            )));
        }
        Ok(Self {
            entries: Cow::Borrowed(data),
            rows,
            columns,
        })
    }

    /// Makes a matrix from a slice of rows with `columns` entries each, without gaps. Errors: Shape
    /// (the slice ends within a row).
    pub fn flat(data: &'a [N], columns: usize) -> Result<Self> {
        let rows = data.len().checked_div(columns).unwrap_or(0);
        if rows.checked_mul(columns) != Some(data.len()) {
            return Err(Error::shape(format!(
                "a slice of {} entries cannot be divided into rows of {columns}",
                data.len()
            )));
        }
        Self::new(data, rows, columns)
    }

    /// Makes a matrix whose entry `[r][c]` is `data[r * row_stride + c * column_stride]`, borrowed if
    /// rows follow each other without gaps, else copied. Errors: Shape (an entry outside the slice),
    /// SizeOverflow, OutOfMemory.
    pub fn strided(
        data: &'a [N],
        rows: usize,
        columns: usize,
        row_stride: usize,
        column_stride: usize,
    ) -> Result<Self> {
        let along = |extent: usize, stride| extent.saturating_sub(1).checked_mul(stride);
        let last =
            along(rows, row_stride).and_then(|row| along(columns, column_stride)?.checked_add(row));
        let none = rows == 0 || columns == 0;
        if !none && last.map_or(true, |last| last >= data.len()) {
            return Err(Error::shape(format!(
                "a matrix of {rows} x {columns} with strides {row_stride} and {column_stride} \
                 leaves a slice of {} entries",
                data.len()
            )));
        }
        let beside = columns <= 1 || column_stride == 1;
        if none || (beside && (rows <= 1 || row_stride == columns)) {
            return Self::new(&data[..product(&[rows, columns])?], rows, columns);
        }
        let row = |row| (0..columns).map(move |column| row * row_stride + column * column_stride);
        let entries = (0..rows).flat_map(row).map(|at| data[at]);
        Self::copied(rows, columns, entries)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }
    /// Returns the entries, row after row.
    pub fn entries(&self) -> &[N] {
        &self.entries
    }
    /// Returns true if the matrix owns a copy of its entries. A matrix made from a slice of vectors
    /// does.
    pub fn is_owned(&self) -> bool {
        matches!(self.entries, Cow::Owned(_))
    }
    /// Returns a row; None if there is no such row.
    pub fn row(&self, row: usize) -> Option<&[N]> {
        let begin = row.checked_mul(self.columns)?;
        (row < self.rows).then(|| &self.entries[begin..begin + self.columns])
    }
    /// Returns the entry of a row and a column; None if there is no such entry.
    pub fn get(&self, row: usize, column: usize) -> Option<N> {
        self.row(row)?.get(column).copied()
    }

    pub(crate) fn as_ptr(&self) -> *const N {
        self.entries.as_ptr()
    }

    pub(crate) fn check_shape(&self, name: &str, rows: usize, columns: usize) -> Result<()> {
        if (self.rows, self.columns) == (rows, columns) {
            return Ok(());
        }
        Err(Error::shape(format!(
            "{name} is {} x {}; it must be {rows} x {columns}",
            self.rows, self.columns
        )))
    }

    /// Makes a matrix that owns its entries, of which there are `rows * columns`.
    pub(crate) fn owned(rows: usize, columns: usize, entries: Vec<N>) -> Self {
        Self {
            entries: Cow::Owned(entries),
            rows,
            columns,
        }
    }
    /// Makes a matrix with copies of entries, which are given row after row. Errors: OutOfMemory,
    /// SizeOverflow.
    pub(crate) fn copied(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = N>,
    ) -> Result<Self> {
        let mut owned = Vec::new();
        reserve(&mut owned, product(&[rows, columns])?)?;
        owned.extend(entries);
        Ok(Self::owned(rows, columns, owned))
    }
}

/// Returns a matrix that a function takes as the argument `name`, which the message of an error names.
pub(crate) fn named<'a, N: Copy>(
    name: &str,
    matrix: impl IntoMatrix<'a, N>,
) -> Result<Matrix<'a, N>> {
    matrix.into_matrix().map_err(|error| error.of(name))
}

/// A type that can be read as a matrix: a [`Matrix`], an array of arrays, a slice of vectors or of
/// slices, and with the feature `ndarray` the two-dimensional arrays of that crate.
///
/// Arrays of arrays are borrowed. Slices of vectors are copied, because their rows are separate
/// arrays.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let rows: Vec<Vec<f64>> = vec![vec![0.5, 1.0], vec![2.0, 0.1]];
/// assert_eq!(ch::Chain::new(&rows)?.len(), 2);
///
/// let ragged = vec![vec![0.5, 1.0], vec![2.0]];
/// let error = ch::Chain::new(&ragged).unwrap_err();
/// assert_eq!(error.message(), "unary: row 1 has 1 entries; it must have 2, as row 0");
/// # Ok(())
/// # }
/// ```
pub trait IntoMatrix<'a, N: Copy> {
    /// Returns the matrix. Errors: Shape (rows of different lengths), OutOfMemory (of a copy).
    fn into_matrix(self) -> Result<Matrix<'a, N>>;
}

impl<'a, N: Copy> IntoMatrix<'a, N> for Matrix<'a, N> {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        Ok(self)
    }
}
impl<'a, N: Copy> IntoMatrix<'a, N> for &'a Matrix<'_, N> {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        Matrix::new(&self.entries, self.rows, self.columns)
    }
}
#[cfg(feature = "ndarray")]
impl<'a, N: Copy> IntoMatrix<'a, N> for ndarray::ArrayView2<'a, N> {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        let (rows, columns) = self.dim();
        match self.to_slice() {
            Some(entries) => Matrix::new(entries, rows, columns),
            None => Matrix::copied(rows, columns, self.iter().copied()),
        }
    }
}
#[cfg(feature = "ndarray")]
impl<'a, N: Copy, S: ndarray::Data<Elem = N>> IntoMatrix<'a, N>
    for &'a ndarray::ArrayBase<S, ndarray::Ix2>
{
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        self.view().into_matrix()
    }
}
impl<'a, N: Copy, const C: usize> IntoMatrix<'a, N> for &'a [[N; C]] {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        let length = product(&[self.len(), C])?;
        // Safe: the inner arrays lie side by side in memory.
        let entries = unsafe { std::slice::from_raw_parts(self.as_ptr().cast(), length) };
        Matrix::new(entries, self.len(), C)
    }
}

/// Makes a matrix with a copy of rows that are separate arrays. Errors: Shape (rows of different
/// lengths; the message names the first such row), OutOfMemory.
fn from_rows<'a, N: Copy>(rows: &[impl AsRef<[N]>]) -> Result<Matrix<'a, N>> {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    for (at, row) in rows.iter().enumerate() {
        let length = row.as_ref().len();
        if length != columns {
            return Err(Error::shape(format!(
                "row {at} has {length} entries; it must have {columns}, as row 0"
            )));
        }
    }
    let entries = rows.iter().flat_map(AsRef::as_ref);
    Matrix::copied(rows.len(), columns, entries.copied())
}
impl<'a, N: Copy> IntoMatrix<'a, N> for &[Vec<N>] {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        from_rows(self)
    }
}
impl<'a, N: Copy> IntoMatrix<'a, N> for &[&[N]] {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        from_rows(self)
    }
}

/// Takes vectors and arrays of rows as slices of rows.
macro_rules! from_slice {
    ($($(const $size:ident,)* $type:ty;)*) => {$(
        impl<'a, N: Copy $(, const $size: usize)*> IntoMatrix<'a, N> for $type {
            fn into_matrix(self) -> Result<Matrix<'a, N>> {
                self[..].into_matrix()
            }
        }
    )*};
}
from_slice! {
    const C, &'a Vec<[N; C]>;
    const C, const R, &'a [[N; C]; R];
    &Vec<Vec<N>>;
    const R, &[Vec<N>; R];
    &Vec<&[N]>;
    const R, &[&[N]; R];
}
