//! Arrays of the caller: matrices with strides, which are borrowed or copied.

use crate::error::call;
use crate::{c, Error, Result, Status};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

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

/// Converts a number of elements for C. A number too great for i64 becomes i64::MAX, which the
/// library refuses.
pub(crate) fn size(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a number that must be above 0 to C, where 0 stands for the default: 0 becomes -1, which
/// the library refuses.
pub(crate) fn positive(number: usize) -> i64 {
    if number == 0 {
        -1
    } else {
        size(number)
    }
}

/// Converts a time limit to C, where 0 stands for the default and -1 for no time at all.
pub(crate) fn seconds(limit: Option<Duration>) -> f64 {
    match limit {
        None => f64::INFINITY,
        Some(limit) if limit == Duration::ZERO => -1.0,
        Some(limit) => limit.as_secs_f64(),
    }
}

/// Converts a number of elements from C. Negative numbers, which C never returns, become 0.
pub(crate) fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// Converts a label, value, state or token for C. name: the name of the argument in the error
/// message. Errors: OutOfRange (above i32::MAX).
pub(crate) fn index(name: &str, number: usize) -> Result<i32> {
    i32::try_from(number).map_err(|_| {
        Error::new(
            Status::OutOfRange,
            format!("{name} is {number}; it must be at most {}", i32::MAX),
        )
    })
}

/// Converts a label, value, state or token for C as [`index`] does; None becomes -1.
pub(crate) fn index_or_none(name: &str, number: Option<usize>) -> Result<i32> {
    number.map_or(Ok(-1), |number| index(name, number))
}

/// Returns the address of an array, or NULL for None.
pub(crate) fn pointer<T>(array: Option<&[T]>) -> *const T {
    array.map_or(std::ptr::null(), <[T]>::as_ptr)
}

/// Checks offsets, which divide an array of `length` entries into parts. Refuses an empty list of
/// offsets. Refuses offsets beyond the end of the array, because the library does not know the
/// array's length. The library itself refuses negative and descending offsets before it reads the
/// array. name, array: what the error message calls the offsets and the array.
pub(crate) fn check_offsets(
    name: &str,
    offsets: &[i64],
    array: fmt::Arguments<'_>,
    length: usize,
) -> Result<()> {
    if offsets.is_empty() {
        return Err(Error::shape(format!(
            "{name} has 0 entries; it must have one more than there are parts"
        )));
    }
    match offsets.iter().position(|&offset| offset > size(length)) {
        Some(at) => Err(Error::shape(format!(
            "{name}[{at}] is {}; it must be at most {length}, the length of {array}",
            offsets[at]
        ))),
        None => Ok(()),
    }
}

/// Returns an error if there is an array and its length is not `expected`.
pub(crate) fn check_length<T>(name: &str, array: Option<&[T]>, expected: usize) -> Result<()> {
    match array {
        Some(array) if array.len() != expected => Err(Error::shape(format!(
            "{name} has {} entries; it must have {expected}",
            array.len()
        ))),
        _ => Ok(()),
    }
}

fn no_memory(what: impl fmt::Display) -> Error {
    Error::new(
        Status::OutOfMemory,
        format!("there is no memory for {what}"),
    )
}

/// Replaces the contents of a buffer by `length` entries, all equal to `value`. Errors:
/// OutOfMemory.
pub(crate) fn fill<T: Copy>(buffer: &mut Vec<T>, length: usize, value: T) -> Result<()> {
    buffer.clear();
    buffer
        .try_reserve(length)
        .map_err(|_| no_memory(format_args!("{length} numbers")))?;
    buffer.resize(length, value);
    Ok(())
}

/// Returns the labelling if the library wrote one. Returns None if an entry is -1: callers fill the
/// array with -1 before they call the library.
pub(crate) fn found(labelling: &[i32]) -> Option<&[i32]> {
    labelling
        .iter()
        .all(|&label| label >= 0)
        .then_some(labelling)
}

/// Returns the entries that `write` stores in a buffer. `write` receives the address and length of
/// a buffer, and returns the length that it needs. It is called twice: first with NULL and 0, to
/// learn this length, then with a buffer of this length. value: fills the buffer before the second
/// call. Errors: OutOfMemory, those of `write`.
pub(crate) fn filled<T: Copy>(
    value: T,
    write: impl Fn(*mut T, usize) -> Result<usize>,
) -> Result<Vec<T>> {
    let mut entries = Vec::new();
    fill(&mut entries, write(std::ptr::null_mut(), 0)?, value)?;
    write(entries.as_mut_ptr(), entries.len())?;
    Ok(entries)
}

/// As [`filled`], for a function of the library, which receives the address and length of a buffer,
/// and writes the length that it needs.
pub(crate) fn written<T: Copy, N: Copy + Default + TryFrom<usize> + TryInto<usize>>(
    value: T,
    write: impl Fn(*mut T, N, *mut N, *mut c::chorale_error) -> c::chorale_status,
) -> Result<Vec<T>> {
    filled(value, |to, capacity| {
        let mut needed = N::default();
        let capacity = N::try_from(capacity).unwrap_or_default();
        call(|error| write(to, capacity, &mut needed, error))?;
        Ok(needed.try_into().unwrap_or(0))
    })
}

/// Returns the structs that a function of the library writes, each converted by `told`. `write` receives
/// the address, the size of a struct, the capacity, and where to write the number of structs.
pub(crate) fn listed<T: Copy, U>(
    told: impl Fn(&T) -> U,
    write: impl Fn(*mut T, usize, i64, *mut i64, *mut c::chorale_error) -> c::chorale_status,
) -> Result<Vec<U>> {
    // All-zero bytes are valid for all structs that the library fills, which hold only numbers.
    let none = unsafe { std::mem::zeroed() };
    let bytes = std::mem::size_of::<T>();
    let all = written(none, |to, capacity, needed, error| {
        write(to, bytes, capacity, needed, error)
    })?;
    Ok(all.iter().map(told).collect())
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

/// Returns true if all entries of a matrix, or of several matrices, lie within an array of `length`
/// elements. dimensions: the extent and the stride of each dimension.
fn reaches(length: usize, dimensions: &[(usize, usize)]) -> bool {
    if dimensions.iter().any(|&(extent, _)| extent == 0) {
        return true;
    }
    dimensions
        .iter()
        .try_fold(0usize, |last, &(extent, stride)| {
            (extent - 1)
                .checked_mul(stride)
                .and_then(|step| last.checked_add(step))
        })
        .map_or(false, |last| last < length)
}

/// A matrix, borrowed for `'a` or owned. Entry `[r][c]` lies `r * row_stride + c * column_stride`
/// elements after the first one.
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
/// let columns = ch::Matrix::strided(&scores, 3, 2, 1, 3)?; // the transposed matrix
/// assert_eq!((rows.rows(), columns.rows()), (2, 3));
/// assert_eq!((rows.get(1, 0), columns.get(0, 1)), (Some(2.0), Some(2.0)));
/// assert!(ch::Matrix::flat(&scores, 4).is_err());
/// # Ok(())
/// # }
/// ```
pub struct Matrix<'a, N> {
    /// The address of the first entry. This is not a slice from the first entry to the last: such a
    /// slice would include the elements between two rows, which may be borrowed mutably elsewhere.
    data: *const N,
    owner: Option<Arc<Vec<N>>>,
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
    lent: PhantomData<&'a [N]>,
}

// Safe: a matrix acts as a shared reference to its entries, or as a shared owner of them.
unsafe impl<N: Send + Sync> Send for Matrix<'_, N> {}
unsafe impl<N: Send + Sync> Sync for Matrix<'_, N> {}

impl<N> Clone for Matrix<'_, N> {
    fn clone(&self) -> Self {
        Self {
            owner: self.owner.clone(),
            ..*self
        }
    }
}

impl<N> fmt::Debug for Matrix<'_, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Matrix")
            .field("rows", &self.rows)
            .field("columns", &self.columns)
            .field("row_stride", &self.row_stride)
            .field("column_stride", &self.column_stride)
            .finish()
    }
}

impl<'a, N> Matrix<'a, N> {
    /// Makes a matrix from a slice of `rows * columns` entries, row after row without gaps. Errors:
    /// Shape (a slice of another length).
    pub fn new(data: &'a [N], rows: usize, columns: usize) -> Result<Self> {
        if rows.checked_mul(columns) != Some(data.len()) {
            return Err(Error::shape(format!(
                "a slice of {} entries is no matrix of {rows} x {columns}",
                data.len()
            )));
        }
        Self::strided(data, rows, columns, columns.max(1), 1)
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

    /// Makes a matrix whose entry `[r][c]` is `data[r * row_stride + c * column_stride]`. Strides
    /// are at least 1. Errors: Shape (an entry outside the slice), Stride.
    pub fn strided(
        data: &'a [N],
        rows: usize,
        columns: usize,
        row_stride: usize,
        column_stride: usize,
    ) -> Result<Self> {
        check_strides(&[row_stride, column_stride])?;
        if !reaches(data.len(), &[(rows, row_stride), (columns, column_stride)]) {
            return Err(Error::shape(format!(
                "a matrix of {rows} x {columns} with strides {row_stride} and {column_stride} \
                 leaves a slice of {} entries",
                data.len()
            )));
        }
        // Safe: checked above that every entry is in the slice.
        Ok(unsafe {
            Self::from_pointer(data.as_ptr(), [rows, columns], [row_stride, column_stride])
        })
    }

    /// Makes a matrix of entries at `data`, with the extents and strides of rows and columns.
    ///
    /// # Safety
    /// Every entry must be readable for `'a`.
    pub(crate) unsafe fn from_pointer(
        data: *const N,
        extents: [usize; 2],
        strides: [usize; 2],
    ) -> Self {
        Self {
            data,
            owner: None,
            rows: extents[0],
            columns: extents[1],
            row_stride: strides[0],
            column_stride: strides[1],
            lent: PhantomData,
        }
    }

    /// Makes a matrix that owns its entries, row after row without gaps.
    fn owned(entries: Vec<N>, rows: usize, columns: usize) -> Self {
        let owner = Arc::new(entries);
        Self {
            data: owner.as_ptr(),
            owner: Some(owner),
            rows,
            columns,
            row_stride: columns.max(1),
            column_stride: 1,
            lent: PhantomData,
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }
    /// Returns the distance between the first entries of two successive rows, in elements.
    pub fn row_stride(&self) -> usize {
        self.row_stride
    }
    /// Returns the distance between two successive entries of a row, in elements.
    pub fn column_stride(&self) -> usize {
        self.column_stride
    }
    /// Returns true if the matrix owns a copy of its entries. A matrix made from a slice of vectors
    /// does.
    pub fn is_owned(&self) -> bool {
        self.owner.is_some()
    }

    pub(crate) fn as_ptr(&self) -> *const N {
        self.data
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
}

impl<'a, N: Copy> Matrix<'a, N> {
    /// Returns the entry of a row and a column; None if there is no such entry.
    pub fn get(&self, row: usize, column: usize) -> Option<N> {
        if row >= self.rows || column >= self.columns {
            return None;
        }
        // Safe: both indices are in range.
        Some(unsafe {
            *self
                .data
                .add(row * self.row_stride + column * self.column_stride)
        })
    }

    /// Makes a matrix that owns its entries: entry (row, column) is the result of `entry`. Errors:
    /// OutOfMemory, SizeOverflow.
    pub(crate) fn copied(
        rows: usize,
        columns: usize,
        entry: impl Fn(usize, usize) -> N,
    ) -> Result<Self> {
        let mut entries = Vec::new();
        let length = product(&[rows, columns])?;
        entries
            .try_reserve_exact(length)
            .map_err(|_| no_memory(format_args!("a matrix of {rows} x {columns}")))?;
        for row in 0..rows {
            entries.extend((0..columns).map(|column| entry(row, column)));
        }
        Ok(Self::owned(entries, rows, columns))
    }

    /// Makes a matrix that owns a copy of the rows of all `parts`, which have `columns` columns
    /// each. Errors: as for [`copied`](Self::copied); SizeOverflow (more than isize::MAX rows).
    pub(crate) fn stacked(parts: &[Matrix<'_, N>], columns: usize) -> Result<Self> {
        let rows = parts
            .iter()
            .try_fold(0usize, |sum, part| sum.checked_add(part.rows))
            .filter(|&rows| rows <= isize::MAX as usize)
            .ok_or_else(|| {
                Error::new(
                    Status::SizeOverflow,
                    format!("there are more than {} rows", isize::MAX),
                )
            })?;
        let mut entries = Vec::new();
        entries
            .try_reserve_exact(product(&[rows, columns])?)
            .map_err(|_| no_memory(format_args!("a matrix of {rows} x {columns}")))?;
        // A matrix without columns has no entries, but may have any number of rows.
        for part in parts.iter().filter(|part| part.columns > 0) {
            let places =
                (0..part.rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
            entries.extend(places.filter_map(|(row, column)| part.get(row, column)));
        }
        Ok(Self::owned(entries, rows, columns))
    }

    /// Returns a matrix in which the entries of a row lie side by side (column stride 1). Copies
    /// the entries unless the column stride is 1 already or there is at most one column.
    pub(crate) fn in_rows(mut self) -> Result<Self> {
        if self.columns <= 1 {
            self.column_stride = 1; // no entry lies beside another
        }
        if self.column_stride == 1 {
            return Ok(self);
        }
        // Safe: both indices are in range.
        let entry = |row, column| unsafe {
            *self
                .data
                .add(row * self.row_stride + column * self.column_stride)
        };
        Self::copied(self.rows, self.columns, entry)
    }
}

fn check_strides(strides: &[usize]) -> Result<()> {
    if strides.contains(&0) {
        return Err(Error::new(
            Status::Stride,
            format!("strides are {strides:?}; each must be at least 1"),
        ));
    }
    Ok(())
}

/// A type that can be read as a matrix: a [`Matrix`], an array of arrays, a slice of vectors or of
/// slices, and with the feature `ndarray` the two-dimensional arrays of that crate.
///
/// Arrays of arrays and views are borrowed. Slices of vectors are copied, because their rows are
/// separate arrays.
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
pub trait IntoMatrix<'a, N> {
    /// Returns the matrix. Errors: Shape (rows of different lengths), OutOfMemory (of a copy).
    fn into_matrix(self) -> Result<Matrix<'a, N>>;
}

impl<'a, N> IntoMatrix<'a, N> for Matrix<'a, N> {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        Ok(self)
    }
}
impl<'a, N> IntoMatrix<'a, N> for &Matrix<'a, N> {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        Ok(self.clone())
    }
}
impl<'a, N, const C: usize> IntoMatrix<'a, N> for &'a [[N; C]] {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        // Safe: the inner arrays lie side by side in memory.
        Ok(unsafe { Matrix::from_pointer(self.as_ptr().cast(), [self.len(), C], [C.max(1), 1]) })
    }
}
impl<'a, N, const C: usize, const R: usize> IntoMatrix<'a, N> for &'a [[N; C]; R] {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        self[..].into_matrix()
    }
}
impl<'a, N, const C: usize> IntoMatrix<'a, N> for &'a Vec<[N; C]> {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        self[..].into_matrix()
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
    Matrix::copied(rows.len(), columns, |row, column| {
        rows[row].as_ref()[column]
    })
}

macro_rules! from_rows {
    ($($(const $size:ident,)? $type:ty;)*) => {$(
        impl<'a, N: Copy $(, const $size: usize)?> IntoMatrix<'a, N> for $type {
            fn into_matrix(self) -> Result<Matrix<'a, N>> {
                from_rows(&self[..])
            }
        }
    )*};
}
from_rows! {
    &[Vec<N>];
    &Vec<Vec<N>>;
    const R, &[Vec<N>; R];
    &[&[N]];
    &Vec<&[N]>;
    const R, &[&[N]; R];
}

/// Several matrices of one shape: the transitions of every edge of a chain. Matrix `k` begins
/// `k * matrix_stride` elements after matrix 0.
#[derive(Clone, Debug)]
pub(crate) struct Matrices<'a, N> {
    pub(crate) count: usize,
    pub(crate) matrix_stride: usize,
    pub(crate) first: Matrix<'a, N>,
}

impl<'a, N> Matrices<'a, N> {
    /// Makes matrices of `side` x `side` entries from a slice that holds them one after the other,
    /// each row-major, without gaps. Errors: Shape (the slice ends within a matrix).
    pub(crate) fn squares(data: &'a [N], side: usize) -> Result<Self> {
        let entries = product(&[side, side])?;
        if data.len() % entries.max(1) != 0 {
            return Err(Error::shape(format!(
                "a slice of {} entries cannot be divided into matrices of {side} x {side}",
                data.len()
            )));
        }
        let (extents, strides) = ([side; 2], [side.max(1), 1]);
        Ok(Self {
            count: data.len() / entries.max(1),
            matrix_stride: entries.max(1),
            // Safe: checked above that every matrix is whole; without matrices nothing is read.
            first: unsafe { Matrix::from_pointer(data.as_ptr(), extents, strides) },
        })
    }

    /// Makes a list with a single matrix, which then applies to every edge of a chain.
    pub(crate) fn one(matrix: Matrix<'a, N>) -> Self {
        let last = |extent: usize, stride: usize| extent.saturating_sub(1).saturating_mul(stride);
        let entries = last(matrix.rows, matrix.row_stride)
            .saturating_add(last(matrix.columns, matrix.column_stride))
            .saturating_add(1);
        Self {
            count: 1,
            matrix_stride: entries,
            first: matrix,
        }
    }
}
