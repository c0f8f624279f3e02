//! Products of blocks of rows.

use super::Matrix;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

/// `destination = rows * matrix`, where `rows` holds whole rows of `matrix.rows()()` values.
pub fn multiply_rows(rows: &[f64], matrix: &Matrix, destination: &mut [f64]) {
    let count = rows.len() / matrix.rows();
    matmul(
        MatMut::from_row_major_slice_mut(destination, count, matrix.columns()),
        Accum::Replace,
        MatRef::from_row_major_slice(rows, count, matrix.rows()),
        MatRef::from_row_major_slice(matrix.values(), matrix.rows(), matrix.columns()),
        1.0,
        Par::Seq,
    );
}

/// The same where the destination's rows start every `stride` values.
pub fn multiply_rows_into(rows: &[f64], matrix: &Matrix, stride: usize, destination: &mut [f64]) {
    let count = rows.len() / matrix.rows();
    matmul(
        // Not `from_row_major_slice_with_stride_mut`, which takes the stride for that of columns (faer 0.24).
        MatMut::from_column_major_slice_with_stride_mut(destination, matrix.columns(), count, stride).transpose_mut(),
        Accum::Replace,
        MatRef::from_row_major_slice(rows, count, matrix.rows()),
        MatRef::from_row_major_slice(matrix.values(), matrix.rows(), matrix.columns()),
        1.0,
        Par::Seq,
    );
}

/// The same with a matrix whose entries above the diagonal do not count.
pub fn multiply_rows_lower(rows: &[f64], matrix: &Matrix, destination: &mut [f64]) {
    let (count, size) = (rows.len() / matrix.rows(), matrix.rows());
    triangular::matmul(
        MatMut::from_row_major_slice_mut(destination, count, size),
        BlockStructure::Rectangular,
        Accum::Replace,
        MatRef::from_row_major_slice(rows, count, size),
        BlockStructure::Rectangular,
        MatRef::from_row_major_slice(matrix.values(), size, size),
        BlockStructure::TriangularLower,
        1.0,
        Par::Seq,
    );
}

/// `total += left' * right`, where both slices hold the same number of whole rows.
pub fn add_cross_product(left: &[f64], right: &[f64], total: &mut Matrix) {
    let count = left.len() / total.rows();
    let (rows, columns) = (total.rows(), total.columns());
    matmul(
        MatMut::from_row_major_slice_mut(total.values_mut(), rows, columns),
        Accum::Add,
        MatRef::from_row_major_slice(left, count, rows).transpose(),
        MatRef::from_row_major_slice(right, count, columns),
        1.0,
        Par::Seq,
    );
}

/// The lower triangle of the same; what is above the diagonal stays as it is.
pub fn add_lower_cross_product(left: &[f64], right: &[f64], total: &mut Matrix) {
    let (count, size) = (left.len() / total.rows(), total.rows());
    triangular::matmul(
        MatMut::from_row_major_slice_mut(total.values_mut(), size, size),
        BlockStructure::TriangularLower,
        Accum::Add,
        MatRef::from_row_major_slice(left, count, size).transpose(),
        BlockStructure::Rectangular,
        MatRef::from_row_major_slice(right, count, size),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_rows_match_the_definition() {
        let rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let matrix = Matrix::from_values(2, 2, vec![1.0, 0.5, -1.0, 2.0]);
        let mut product = vec![0.0; 6];
        multiply_rows(&rows, &matrix, &mut product);
        assert_eq!(product, vec![-1.0, 4.5, -1.0, 9.5, -1.0, 14.5]);
        let mut gram = Matrix::zeros(2, 2);
        add_cross_product(&rows, &rows, &mut gram);
        assert_eq!(gram.values(), &[35.0, 44.0, 44.0, 56.0]);
    }
}
