//! Arrays of the crate ndarray (feature `ndarray`), without a copy where the library takes their
//! strides.

use crate::array::{IntoMatrices, IntoMatrix, Matrices, Matrix};
use crate::Result;
use ndarray::{ArrayBase, ArrayView2, ArrayView3, Data, Ix2, Ix3};

/// Converts strides for the library; None if an axis is reversed or repeated, or entries may overlap.
/// extents, strides: by axis. An axis of one entry may have any stride.
fn forward<const D: usize>(extents: [usize; D], strides: [isize; D]) -> Option<[usize; D]> {
    // For arrays without entries: the strides of an array without gaps.
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
    // Checks for overlap: in ascending order of strides, every axis must step over the whole extent of
    // the axis before, and the first over one entry.
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
