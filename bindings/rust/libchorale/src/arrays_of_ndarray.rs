//! Arrays of the crate ndarray as matrices (feature `ndarray`). They are borrowed if their rows follow
//! each other without gaps, and copied otherwise.

use crate::array::{IntoMatrix, Matrix};
use crate::Result;
use ndarray::{ArrayBase, ArrayView2, Data, Ix2};

impl<'a, N: Copy> IntoMatrix<'a, N> for ArrayView2<'a, N> {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        let (rows, columns) = self.dim();
        match self.to_slice() {
            Some(entries) => Matrix::new(entries, rows, columns),
            None => Matrix::owned(rows, columns, self.iter().copied()),
        }
    }
}

impl<'a, N: Copy, S: Data<Elem = N>> IntoMatrix<'a, N> for &'a ArrayBase<S, Ix2> {
    fn into_matrix(self) -> Result<Matrix<'a, N>> {
        self.view().into_matrix()
    }
}
