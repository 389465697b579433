//! Arrays of the crate ndarray as matrices (feature `ndarray`). They are borrowed if the library
//! can read their strides, and copied otherwise.

use crate::array::{IntoMatrix, Matrix};
use crate::Result;
use ndarray::{ArrayBase, ArrayView2, Data, Ix2};

/// Returns the strides of an array if the library can read them. Returns None if an axis is
/// reversed or repeats entries, or if entries may overlap. The stride of an axis with one entry does
/// not matter.
fn forward([rows, columns]: [usize; 2], strides: [isize; 2]) -> Option<[usize; 2]> {
    if rows <= 1 || columns == 0 {
        let column = usize::try_from(strides[1]).ok().filter(|&s| s > 0);
        let column = if columns <= 1 { 1 } else { column? };
        return Some([columns.max(1).checked_mul(column)?, column]);
    }
    let row = usize::try_from(strides[0]).ok().filter(|&s| s > 0)?;
    if columns == 1 {
        return Some([row, 1]);
    }
    let column = usize::try_from(strides[1]).ok().filter(|&s| s > 0)?;
    // The axis with the greater stride must step over all entries of the other one.
    let apart = row >= column.checked_mul(columns)? || column >= row.checked_mul(rows)?;
    apart.then_some([row, column])
}

impl<'a, N: Copy> IntoMatrix<'a, N> for ArrayView2<'a, N> {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        let (rows, columns) = self.dim();
        let strides = [self.strides()[0], self.strides()[1]];
        match forward([rows, columns], strides) {
            // Safe: the view lends its entries for 'a.
            Some(strides) => {
                Ok(unsafe { Matrix::from_pointer(self.as_ptr(), [rows, columns], strides) })
            }
            None => Matrix::copied(rows, columns, |row, column| self[[row, column]]),
        }
    }
}

impl<'a, N: Copy, S: Data<Elem = N>> IntoMatrix<'a, N> for &'a ArrayBase<S, Ix2> {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        self.view().into_matrix()
    }
}
