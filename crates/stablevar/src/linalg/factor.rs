//! Factorisations of symmetric matrices.

use super::Matrix;
use faer::prelude::Solve;
use faer::{Mat, MatMut, MatRef, Side};

/// The Cholesky factorisation of a symmetric positive definite matrix.
pub struct Cholesky {
    factor: faer::linalg::solvers::Llt<f64>,
    size: usize,
}

impl Cholesky {
    /// Factorises `matrix` (its lower triangle is read); `None` if it is not positive definite.
    pub fn new(matrix: &Matrix) -> Option<Self> {
        let size = matrix.rows();
        let view = MatRef::from_row_major_slice(matrix.values(), size, size);
        let factor = faer::linalg::solvers::Llt::new(view, Side::Lower).ok()?;
        Some(Self { factor, size })
    }

    /// Factorises `matrix + ridge * I`, with the ridge raised tenfold from 1e-12 times the largest diagonal
    /// entry until that works.
    ///
    /// Meant for matrices that are positive semi-definite but for rounding. `None` when even the
    /// largest ridge fails, which takes NaN or a matrix that is not semi-definite.
    pub fn with_least_ridge(matrix: &Matrix) -> Option<Self> {
        if let Some(cholesky) = Self::new(matrix) {
            return Some(cholesky);
        }
        let largest = (0..matrix.rows()).map(|i| matrix[(i, i)]).fold(0.0, f64::max);
        let mut ridge = 1e-12;
        while ridge < 1.0 {
            let mut raised = matrix.clone();
            for i in 0..matrix.rows() {
                raised[(i, i)] += ridge * largest;
            }
            if let Some(cholesky) = Self::new(&raised) {
                return Some(cholesky);
            }
            ridge *= 10.0;
        }
        None
    }

    /// Solves in place.
    pub fn solve_in_place(&self, vector: &mut [f64]) {
        self.factor.solve_in_place(MatMut::from_column_major_slice_mut(vector, self.size, 1));
    }

    /// The solution for a right-hand side.
    pub fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let mut solution = vector.to_vec();
        self.solve_in_place(&mut solution);
        solution
    }

    /// The solutions for the columns of a matrix.
    pub fn solve_columns(&self, right: &Matrix) -> Matrix {
        let mut solution = right.clone();
        let columns = solution.columns();
        self.factor.solve_in_place(MatMut::from_row_major_slice_mut(solution.values_mut(), self.size, columns));
        solution
    }

    /// The inverse of the factorised matrix.
    pub fn inverse(&self) -> Matrix {
        let mut inverse: Mat<f64> = Mat::identity(self.size, self.size);
        self.factor.solve_in_place(inverse.as_mut());
        Matrix::from_fn(self.size, self.size, |i, j| inverse[(i, j)])
    }
}

/// Eigenvalues of a symmetric matrix and, in the columns of the second matrix, its eigenvectors; `None` if the
/// iteration fails, which takes NaN.
pub fn symmetric_eigen(matrix: &Matrix) -> Option<(Vec<f64>, Matrix)> {
    let size = matrix.rows();
    let eigen = MatRef::from_row_major_slice(matrix.values(), size, size).self_adjoint_eigen(Side::Lower).ok()?;
    let values = (0..size).map(|k| eigen.S()[k]).collect();
    Some((values, Matrix::from_fn(size, size, |i, j| eigen.U()[(i, j)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cholesky_solves_and_inverts() {
        let matrix = Matrix::from_values(2, 2, vec![4.0, 1.0, 1.0, 3.0]);
        let cholesky = Cholesky::new(&matrix).unwrap();
        let solution = cholesky.solve(&[1.0, 2.0]);
        assert!((solution[0] - 1.0 / 11.0).abs() < 1e-15 && (solution[1] - 7.0 / 11.0).abs() < 1e-15);
        let inverse = cholesky.inverse();
        assert!((inverse[(0, 0)] - 3.0 / 11.0).abs() < 1e-15 && (inverse[(0, 1)] + 1.0 / 11.0).abs() < 1e-15);
    }

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let matrix = Matrix::from_values(3, 3, vec![4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 1.0]);
        let (values, vectors) = symmetric_eigen(&matrix).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let entry: f64 = (0..3).map(|k| vectors[(i, k)] * values[k] * vectors[(j, k)]).sum();
                assert!((entry - matrix[(i, j)]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_factorised_only_with_a_ridge() {
        let matrix = Matrix::from_values(2, 2, vec![1.0, 1.0, 1.0, 1.0]);
        assert!(Cholesky::new(&matrix).is_none());
        let half = Cholesky::with_least_ridge(&matrix).unwrap().solve(&[1.0, 1.0]);
        assert!((half[0] - 0.5).abs() < 1e-3 && (half[1] - 0.5).abs() < 1e-3);
    }
}
