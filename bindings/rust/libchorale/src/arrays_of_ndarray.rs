//! Arrays of the crate ndarray as matrices (feature `ndarray`). They are borrowed if the library
//! can read their strides, and copied otherwise.

use crate::array::{IntoMatrices, IntoMatrix, Matrices, Matrix};
use crate::Result;
use ndarray::{ArrayBase, ArrayView2, ArrayView3, Data, Ix2, Ix3};

/// Returns the strides of an array if the library can read them. Returns None if an axis is
/// reversed or repeats entries, or if entries may overlap. extents, strides: one number for each
/// axis. The stride of an axis with one entry does not matter.
fn forward<const D: usize>(extents: [usize; D], strides: [isize; D]) -> Option<[usize; D]> {
    // Begins with the strides of a row-major array without gaps. An empty array keeps these.
    let mut found = [1; D];
    for axis in (1..D).rev() {
        found[axis - 1] = extents[axis].max(1).checked_mul(found[axis])?;
    }
    if extents.contains(&0) {
        return Some(found);
    }
    let mut long: Vec<usize> = (0..D).filter(|&axis| extents[axis] > 1).collect();
    for &axis in &long {
        found[axis] = usize::try_from(strides[axis]).ok()?;
    }
    // Visits the axes by ascending stride. `reach` is the number of elements that the axes visited
    // so far span, at first 1. Entries do not overlap if the stride of each axis is at least the
    // `reach` of the axes before it.
    long.sort_by_key(|&axis| found[axis]);
    let mut reach = 1;
    for &axis in &long {
        if found[axis] < reach {
            return None;
        }
        reach = found[axis].checked_mul(extents[axis])?;
    }
    for axis in (0..D - 1).filter(|&axis| extents[axis] == 1) {
        found[axis] = reach;
    }
    Some(found)
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

impl<'a, N: Copy> IntoMatrices<'a, N> for ArrayView3<'a, N> {
    fn into_matrices(self) -> Result<Matrices<'a, N>> {
        let (count, rows, columns) = self.dim();
        let extents = [count, rows, columns];
        let strides = [self.strides()[0], self.strides()[1], self.strides()[2]];
        match forward(extents, strides) {
            // Safe: the view lends its entries for 'a.
            Some(strides) => Ok(unsafe { Matrices::from_pointer(self.as_ptr(), extents, strides) }),
            None => Matrices::copied(extents, |k, row, column| self[[k, row, column]]),
        }
    }
}

impl<'a, N: Copy, S: Data<Elem = N>> IntoMatrices<'a, N> for &'a ArrayBase<S, Ix3> {
    fn into_matrices(self) -> Result<Matrices<'a, N>> {
        self.view().into_matrices()
    }
}
