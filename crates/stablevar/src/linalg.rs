//! Dense matrices and the few factorisations the method needs.
//!
//! This is the one file that names the linear-algebra crate. Everything here runs on the calling
//! thread; parallelism lives in [`crate::rows`], where the order of summation is fixed.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::prelude::Solve;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};
use serde::{Deserialize, Serialize};

/// A dense row-major matrix of `f64`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawMatrix")]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

/// A matrix as a file may have it.
#[derive(Deserialize)]
struct RawMatrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl TryFrom<RawMatrix> for Matrix {
    type Error = String;
    fn try_from(RawMatrix { rows, columns, values }: RawMatrix) -> Result<Self, String> {
        if rows.checked_mul(columns) != Some(values.len()) {
            return Err(format!("a {rows} x {columns} matrix can't have {} values", values.len()));
        }
        Ok(Self { rows, columns, values })
    }
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// Takes row-major values; `values.len()` must be `rows * columns`.
    pub fn from_values(rows: usize, columns: usize, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), rows * columns, "a {rows} x {columns} matrix needs that many values");
        Self { rows, columns, values }
    }

    /// Fills a matrix from a function of (row, column).
    pub fn from_fn(rows: usize, columns: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut matrix = Self::zeros(rows, columns);
        for i in 0..rows {
            for j in 0..columns {
                matrix[(i, j)] = entry(i, j);
            }
        }
        matrix
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, row by row, to change.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// `self += other`.
    pub fn add_assign(&mut self, other: &Matrix) {
        for (a, b) in self.values.iter_mut().zip(&other.values) {
            *a += b;
        }
    }

    /// Copies what is below the diagonal of a square matrix to above it.
    pub fn mirror_lower(&mut self) {
        for i in 0..self.rows {
            for j in 0..i {
                self.values[j * self.columns + i] = self.values[i * self.columns + j];
            }
        }
    }

    /// `self *= factor`.
    pub fn scale(&mut self, factor: f64) {
        self.values.iter_mut().for_each(|value| *value *= factor);
    }

    /// The rows and columns listed in `keep`, in that order.
    pub fn submatrix(&self, keep: &[usize]) -> Matrix {
        Matrix::from_fn(keep.len(), keep.len(), |i, j| self[(keep[i], keep[j])])
    }

    /// The rows listed, in that order.
    pub fn keep_rows(&self, rows: &[usize]) -> Matrix {
        let values = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Matrix { rows: rows.len(), columns: self.columns, values }
    }

    /// `self * self'`.
    pub fn products_of_rows(&self) -> Matrix {
        let mut products = Matrix::zeros(self.rows, self.rows);
        let own = MatRef::from_row_major_slice(&self.values, self.rows, self.columns);
        let destination = MatMut::from_row_major_slice_mut(&mut products.values, self.rows, self.rows);
        matmul(destination, Accum::Replace, own, own.transpose(), 1.0, Par::Seq);
        products
    }

    /// `self * vector`.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|i| dot(self.row(i), vector)).collect()
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[i * self.columns + j]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.values[i * self.columns + j]
    }
}

/// The inner product of two vectors of equal length.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The largest absolute value, 0 for an empty slice; NaN counts as infinite.
pub fn max_abs(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| if value.is_nan() { f64::INFINITY } else { most.max(value.abs()) })
}

/// `destination = rows * matrix`, where `rows` holds whole rows of `matrix.rows()` values.
pub fn multiply_rows(rows: &[f64], matrix: &Matrix, destination: &mut [f64]) {
    let count = rows.len() / matrix.rows;
    matmul(
        MatMut::from_row_major_slice_mut(destination, count, matrix.columns),
        Accum::Replace,
        MatRef::from_row_major_slice(rows, count, matrix.rows),
        MatRef::from_row_major_slice(&matrix.values, matrix.rows, matrix.columns),
        1.0,
        Par::Seq,
    );
}

/// The same with a matrix whose entries above the diagonal do not count.
pub fn multiply_rows_lower(rows: &[f64], matrix: &Matrix, destination: &mut [f64]) {
    let (count, size) = (rows.len() / matrix.rows, matrix.rows);
    triangular::matmul(
        MatMut::from_row_major_slice_mut(destination, count, size),
        BlockStructure::Rectangular,
        Accum::Replace,
        MatRef::from_row_major_slice(rows, count, size),
        BlockStructure::Rectangular,
        MatRef::from_row_major_slice(&matrix.values, size, size),
        BlockStructure::TriangularLower,
        1.0,
        Par::Seq,
    );
}

/// `total += left' * right`, where both slices hold the same number of whole rows.
pub fn add_cross_product(left: &[f64], right: &[f64], total: &mut Matrix) {
    let count = left.len() / total.rows;
    let (rows, columns) = (total.rows, total.columns);
    matmul(
        MatMut::from_row_major_slice_mut(&mut total.values, rows, columns),
        Accum::Add,
        MatRef::from_row_major_slice(left, count, rows).transpose(),
        MatRef::from_row_major_slice(right, count, columns),
        1.0,
        Par::Seq,
    );
}

/// The lower triangle of the same; what is above the diagonal stays as it is.
pub fn add_lower_cross_product(left: &[f64], right: &[f64], total: &mut Matrix) {
    let (count, size) = (left.len() / total.rows, total.rows);
    triangular::matmul(
        MatMut::from_row_major_slice_mut(&mut total.values, size, size),
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

/// From this many terms per entry on, products go to the linear-algebra crate; below, its set-up costs more than the work.
const LONG_SUM: usize = 64;
/// Running sums kept side by side, so that the order of summation allows for vectors and is the same on every machine.
const LANES: usize = 8;

/// `total += left * right`: left has `inner` columns, right is `inner` x `columns`, all row-major.
pub fn add_product(left: &[f64], right: &[f64], inner: usize, columns: usize, total: &mut [f64]) {
    if inner == 0 || columns == 0 {
        return;
    }
    if inner >= LONG_SUM && columns >= LANES {
        let rows = left.len() / inner;
        return matmul(
            MatMut::from_row_major_slice_mut(total, rows, columns),
            Accum::Add,
            MatRef::from_row_major_slice(left, rows, inner),
            MatRef::from_row_major_slice(right, inner, columns),
            1.0,
            Par::Seq,
        );
    }
    pulp::Arch::new().dispatch(
        #[inline(always)]
        move || {
            // Taking the total makes this a closure that can be called but once, which is the kind that gets inlined
            // into the code for the machine's vectors.
            let total = total;
            for (factors, sums) in left.chunks_exact(inner).zip(total.chunks_exact_mut(columns)) {
                add_combination(factors, right.chunks_exact(columns), sums);
            }
        },
    );
}

/// `total += left' * right`: both have the same number of rows, left has `rows` columns, right `columns`.
pub fn add_left_transposed(left: &[f64], right: &[f64], rows: usize, columns: usize, total: &mut [f64]) {
    /// Rows summed at once: their products fill the gap between two accesses to the total.
    const TOGETHER: usize = 8;
    if rows == 0 || columns == 0 {
        return;
    }
    pulp::Arch::new().dispatch(
        #[inline(always)]
        move || {
            let total = total;
            let mut factors = [0.0; TOGETHER];
            for (left, right) in left.chunks(TOGETHER * rows).zip(right.chunks(TOGETHER * columns)) {
                let count = right.len() / columns;
                for (i, sums) in total.chunks_exact_mut(columns).enumerate() {
                    for (k, factor) in factors[..count].iter_mut().enumerate() {
                        *factor = left[k * rows + i];
                    }
                    add_combination(&factors[..count], right.chunks_exact(columns), sums);
                }
            }
        },
    );
}

/// `total += left * right'`: left has `inner` columns, right is `columns` x `inner`.
pub fn add_right_transposed(left: &[f64], right: &[f64], columns: usize, inner: usize, total: &mut [f64]) {
    if inner == 0 || columns == 0 {
        return;
    }
    pulp::Arch::new().dispatch(
        #[inline(always)]
        move || {
            let total = total;
            for (row, sums) in left.chunks_exact(inner).zip(total.chunks_exact_mut(columns)) {
                for (sum, other) in sums.iter_mut().zip(right.chunks_exact(inner)) {
                    *sum += dot_in_lanes(row, other);
                }
            }
        },
    );
}

/// `sums += sum_k factors_k rows_k`, four rows at a time so that the sums are fetched less often.
#[inline(always)]
fn add_combination<'a>(factors: &[f64], mut rows: impl Iterator<Item = &'a [f64]>, sums: &mut [f64]) {
    let mut quads = factors.chunks_exact(4);
    for quad in quads.by_ref() {
        if let (Some(a), Some(b), Some(c), Some(d)) = (rows.next(), rows.next(), rows.next(), rows.next()) {
            for ((((sum, a), b), c), d) in sums.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *sum += (quad[0] * a + quad[1] * b) + (quad[2] * c + quad[3] * d);
            }
        }
    }
    for (factor, row) in quads.remainder().iter().zip(rows) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
    }
}

/// The inner product summed in [`LANES`] interleaved parts.
#[inline(always)]
pub(crate) fn dot_in_lanes(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in left.zip(right) {
        for k in 0..LANES {
            lanes[k] += x[k] * y[k];
        }
    }
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7])) + rest
}

/// `value = exp(min(value, 0))` for every value, to within two units in the last place.
///
/// The C library's exponential takes most of the time of a kernel; this one the compiler vectorises for the machine it
/// runs on. It uses no fused operations, so that the result does not depend on the machine.
pub fn exp_of_nonpositive(values: &mut [f64]) {
    /// 1/k! for k from 13 down to 0.
    const COEFFICIENTS: [f64; 14] = {
        let mut coefficients = [1.0; 14];
        let mut k = 1;
        let mut factorial = 1.0;
        while k < 14 {
            factorial *= k as f64;
            coefficients[13 - k] = 1.0 / factorial;
            k += 1;
        }
        coefficients
    };
    /// ln 2 in two parts, the first short enough that multiples of it are exact.
    const LN_2: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);
    /// Adding this rounds to an integer that then stands in the last bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            for value in values {
                // exp(-708) is the smallest with a full exponent; what lies below counts as 0.
                let x = value.clamp(-708.0, 0.0);
                let shifted = x * std::f64::consts::LOG2_E + ROUND;
                let power = shifted - ROUND;
                let rest = (x - power * LN_2.0) - power * LN_2.1;
                let mut sum = COEFFICIENTS[0];
                for coefficient in &COEFFICIENTS[1..] {
                    sum = sum * rest + coefficient;
                }
                let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
                *value = if *value < -708.0 { 0.0 } else { sum * scale };
            }
        },
    );
}

/// The Cholesky factorisation of a symmetric positive definite matrix.
pub struct Cholesky {
    factor: faer::linalg::solvers::Llt<f64>,
    size: usize,
}

impl Cholesky {
    /// Factorises `matrix` (its lower triangle is read); `None` if it is not positive definite.
    pub fn new(matrix: &Matrix) -> Option<Self> {
        let size = matrix.rows;
        let view = MatRef::from_row_major_slice(&matrix.values, size, size);
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
        let largest = (0..matrix.rows).map(|i| matrix[(i, i)]).fold(0.0, f64::max);
        let mut ridge = 1e-12;
        while ridge < 1.0 {
            let mut raised = matrix.clone();
            for i in 0..matrix.rows {
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
    let size = matrix.rows;
    let eigen = MatRef::from_row_major_slice(&matrix.values, size, size).self_adjoint_eigen(Side::Lower).ok()?;
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

    #[test]
    fn the_fast_exponential_is_the_exponential() {
        let points: Vec<f64> =
            (0..200_000).map(|k| -0.003_541 * k as f64).chain([-1e-300, -1e-9, -750.0, -1e9]).collect();
        let mut values = points.clone();
        exp_of_nonpositive(&mut values);
        for (x, value) in points.iter().zip(values) {
            let exact = if *x < -708.0 { 0.0 } else { x.exp() };
            assert!((value - exact).abs() <= 5e-16 * exact, "exp({x}) = {value}, not {exact}");
        }
        let mut above = [0.0, 1e-12, 5.0];
        exp_of_nonpositive(&mut above);
        assert_eq!(above, [1.0; 3]);
    }

    #[test]
    fn products_of_any_size_match_the_definition() {
        for (rows, inner, columns) in
            [(1, 1, 1), (3, 2, 5), (33, 10, 7), (9, 4, 16), (20, 70, 12), (5, 0, 3), (17, 9, 1)]
        {
            let left = Matrix::from_fn(rows, inner, |i, j| ((3 * i + 5 * j) % 11) as f64 - 5.0);
            let right = Matrix::from_fn(inner, columns, |i, j| ((7 * i + 2 * j) % 13) as f64 - 6.0);
            let product = Matrix::from_fn(rows, columns, |i, j| (0..inner).map(|k| left[(i, k)] * right[(k, j)]).sum());
            let mut total = vec![0.0; rows * columns];
            add_product(left.values(), right.values(), inner, columns, &mut total);
            assert_eq!(total, product.values(), "{rows} {inner} {columns}");
            let transposed = Matrix::from_fn(columns, inner, |i, j| right[(j, i)]);
            let mut total = vec![0.0; rows * columns];
            add_right_transposed(left.values(), transposed.values(), columns, inner, &mut total);
            assert_eq!(total, product.values(), "{rows} {inner} {columns}");
            let transposed = Matrix::from_fn(inner, rows, |i, j| left[(j, i)]);
            let mut total = vec![0.0; rows * columns];
            add_left_transposed(transposed.values(), right.values(), rows, columns, &mut total);
            assert_eq!(total, product.values(), "{rows} {inner} {columns}");
        }
    }

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
