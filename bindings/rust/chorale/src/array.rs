//! Arrays of the caller: slices with shapes and strides.

use crate::{sys, Error, Result, Status};
use std::alloc::{alloc_zeroed, dealloc, handle_alloc_error, Layout};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The element types of score arrays, `f32` and `f64`. Sums are always made in double.
pub trait Number: sealed::Sealed + Copy + Send + Sync + 'static {
    #[doc(hidden)]
    const NUMBER: i32;
}
impl Number for f32 {
    const NUMBER: i32 = sys::CHORALE_FLOAT32;
}
impl Number for f64 {
    const NUMBER: i32 = sys::CHORALE_FLOAT64;
}

/// A number of elements for C, where one too large is refused.
pub(crate) fn size(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// An array, or NULL for none.
pub(crate) fn pointer<T>(array: Option<&[T]>) -> *const T {
    array.map_or(std::ptr::null(), <[T]>::as_ptr)
}

/// Refuses an array that is not as long as it has to be.
pub(crate) fn check_length<T>(name: &str, array: Option<&[T]>, expected: usize) -> Result<()> {
    match array {
        Some(array) if array.len() != expected => Err(Error::shape(format!(
            "{name} has {} entries; it must have {expected}",
            array.len()
        ))),
        _ => Ok(()),
    }
}

/// Makes a buffer so long and fills it, or says that there is no memory.
pub(crate) fn fill<T: Copy>(buffer: &mut Vec<T>, length: usize, value: T) -> Result<()> {
    buffer.clear();
    buffer.try_reserve(length).map_err(|_| {
        Error::new(
            Status::OUT_OF_MEMORY,
            format!("no memory for {length} results"),
        )
    })?;
    buffer.resize(length, value);
    Ok(())
}

pub(crate) fn product(factors: &[usize]) -> Result<usize> {
    factors
        .iter()
        .try_fold(1usize, |product, &factor| product.checked_mul(factor))
        .ok_or_else(|| {
            Error::new(
                Status::SIZE_OVERFLOW,
                format!("an array of {factors:?} entries cannot be"),
            )
        })
}

/// Whether an array of `length` has an entry at the last place of these (extent, stride).
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

/// A matrix in a borrowed slice: entry `[r][c]` at `r * row_stride + c * column_stride`, in
/// elements.
///
/// ```
/// use chorale::Matrix;
/// # fn main() -> chorale::Result<()> {
/// let scores = [0.5, 1.0, 0.0, /* row 1 */ 2.0, 0.1, 0.3];
/// let rows = Matrix::new(&scores, 2, 3)?;
/// let columns = Matrix::strided(&scores, 3, 2, 1, 3)?; // the same, transposed
/// assert_eq!((rows.rows(), columns.rows()), (2, 3));
/// let from_arrays = Matrix::from(&[[0.5, 1.0], [2.0, 0.1]]);
/// assert_eq!(from_arrays.columns(), 2);
/// assert!(Matrix::new(&scores, 2, 4).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, N> {
    pub(crate) data: &'a [N],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) row_stride: usize,
    pub(crate) column_stride: usize,
}

impl<'a, N> Matrix<'a, N> {
    /// A matrix without gaps, row after row, that is the whole slice. Errors: SHAPE.
    pub fn new(data: &'a [N], rows: usize, columns: usize) -> Result<Self> {
        if rows.checked_mul(columns) != Some(data.len()) {
            return Err(Error::shape(format!(
                "a matrix of {rows} x {columns} cannot be made of {} entries",
                data.len()
            )));
        }
        Self::strided(data, rows, columns, columns.max(1), 1)
    }

    /// A matrix with strides of at least 1. Errors: SHAPE where it would leave the slice, STRIDE.
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
        Ok(Self {
            data,
            rows,
            columns,
            row_stride,
            column_stride,
        })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }
    pub fn columns(&self) -> usize {
        self.columns
    }
    /// The entry of a row and a column; None outside.
    pub fn get(&self, row: usize, column: usize) -> Option<&'a N> {
        if row < self.rows && column < self.columns {
            self.data
                .get(row * self.row_stride + column * self.column_stride)
        } else {
            None
        }
    }

    pub(crate) fn as_ptr(&self) -> *const N {
        self.data.as_ptr()
    }

    /// Rows whose entries lie side by side, where the library takes no others.
    pub(crate) fn check_rows(&self, name: &str) -> Result<()> {
        if self.column_stride == 1 || self.columns <= 1 {
            return Ok(());
        }
        Err(Error::new(
            Status::STRIDE,
            format!(
                "{name} has column stride {}; it must be 1 here",
                self.column_stride
            ),
        ))
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

fn check_strides(strides: &[usize]) -> Result<()> {
    if strides.contains(&0) {
        return Err(Error::new(
            Status::STRIDE,
            format!("strides are {strides:?}; each must be at least 1"),
        ));
    }
    Ok(())
}

impl<'a, N, const C: usize> From<&'a [[N; C]]> for Matrix<'a, N> {
    fn from(rows: &'a [[N; C]]) -> Self {
        // The arrays lie side by side.
        let data = unsafe { std::slice::from_raw_parts(rows.as_ptr().cast(), rows.len() * C) };
        Self {
            data,
            rows: rows.len(),
            columns: C,
            row_stride: C.max(1),
            column_stride: 1,
        }
    }
}
impl<'a, N, const C: usize, const R: usize> From<&'a [[N; C]; R]> for Matrix<'a, N> {
    fn from(rows: &'a [[N; C]; R]) -> Self {
        rows[..].into()
    }
}
impl<'a, N, const C: usize> From<&'a Vec<[N; C]>> for Matrix<'a, N> {
    fn from(rows: &'a Vec<[N; C]>) -> Self {
        rows[..].into()
    }
}

/// Several matrices of one shape in a borrowed slice: the transitions of every edge of a chain.
/// Matrix `k` begins at `k * matrix_stride`. A [`Matrix`] is one of them.
#[derive(Clone, Copy, Debug)]
pub struct Matrices<'a, N> {
    pub(crate) count: usize,
    pub(crate) matrix_stride: usize,
    pub(crate) first: Matrix<'a, N>,
}

impl<'a, N> Matrices<'a, N> {
    /// Matrices without gaps that are the whole slice. Errors: SHAPE.
    pub fn new(data: &'a [N], count: usize, rows: usize, columns: usize) -> Result<Self> {
        if product(&[count, rows, columns]).ok() != Some(data.len()) {
            return Err(Error::shape(format!(
                "{count} matrices of {rows} x {columns} cannot be made of {} entries",
                data.len()
            )));
        }
        let strides = [(rows * columns).max(1), columns.max(1), 1];
        Self::strided(data, [count, rows, columns], strides)
    }

    /// Extents and strides (at least 1) of matrices, rows and columns. Errors: SHAPE, STRIDE.
    pub fn strided(data: &'a [N], extents: [usize; 3], strides: [usize; 3]) -> Result<Self> {
        check_strides(&strides)?;
        let dimensions = [0, 1, 2].map(|k| (extents[k], strides[k]));
        if !reaches(data.len(), &dimensions) {
            return Err(Error::shape(format!(
                "matrices of {extents:?} with strides {strides:?} leave a slice of {} entries",
                data.len()
            )));
        }
        Ok(Self {
            count: extents[0],
            matrix_stride: strides[0],
            first: Matrix {
                data,
                rows: extents[1],
                columns: extents[2],
                row_stride: strides[1],
                column_stride: strides[2],
            },
        })
    }
}

impl<'a, N, M: Into<Matrix<'a, N>>> From<M> for Matrices<'a, N> {
    fn from(matrix: M) -> Self {
        let first = matrix.into();
        Self {
            count: 1,
            matrix_stride: first.data.len().max(1),
            first,
        }
    }
}

/// Zeroed bytes aligned to 64: memory for solvers and kernels, and for problem files read in place.
pub struct AlignedBytes {
    data: NonNull<u8>,
    length: usize,
}

// It owns its bytes.
unsafe impl Send for AlignedBytes {}
unsafe impl Sync for AlignedBytes {}

const ALIGNMENT: usize = 64;

impl AlignedBytes {
    /// # Panics
    /// Where `length` is more than any object may have.
    pub fn new(length: usize) -> Self {
        let layout = Self::layout(length);
        let data = NonNull::new(unsafe { alloc_zeroed(layout) });
        Self {
            data: data.unwrap_or_else(|| handle_alloc_error(layout)),
            length,
        }
    }
    fn layout(length: usize) -> Layout {
        Layout::from_size_align(length.max(1), ALIGNMENT).expect("a length that memory can have")
    }
}

impl From<&[u8]> for AlignedBytes {
    fn from(bytes: &[u8]) -> Self {
        let mut copy = Self::new(bytes.len());
        copy.copy_from_slice(bytes);
        copy
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.length) }
    }
}
impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.length) }
    }
}
impl Drop for AlignedBytes {
    fn drop(&mut self) {
        unsafe { dealloc(self.data.as_ptr(), Self::layout(self.length)) };
    }
}
