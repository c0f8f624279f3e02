//! A dense matrix.

use super::dot;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
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
struct RawMatrix<T = f64> {
    rows: usize,
    columns: usize,
    values: Vec<T>,
}

/// Reads a matrix in which some values were no numbers, as those of a search that failed, and so could not be written.
pub(crate) fn with_gaps<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Matrix, D::Error> {
    let RawMatrix { rows, columns, values } = RawMatrix::<Option<f64>>::deserialize(reader)?;
    let values = values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect();
    RawMatrix { rows, columns, values }.try_into().map_err(serde::de::Error::custom)
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
