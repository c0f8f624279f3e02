//! The families: what features of a row a regression is linear in, and how they are penalised.

use super::Inputs;
use crate::functions::exp_of_nonpositive;
use crate::linalg::{Matrix, dot, multiply_rows};

/// A family of functions: linear in the columns, plus
#[derive(Debug, Clone)]
pub(in crate::evidence) enum Family {
    /// all products of two columns (degree 2) or of two and three (degree 3);
    Polynomial { degree: usize },
    /// Gaussian bumps around some rows (Nystrom's approximation of kernel regression).
    Kernel(Kernel),
}

/// `exp(-1/2 |scales * (x - landmark)|^2)` for every landmark.
#[derive(Debug, Clone)]
pub(in crate::evidence) struct Kernel {
    /// How much a difference in each column counts.
    pub(super) scales: Vec<f64>,
    /// Columns by landmarks, scaled.
    pub(super) landmarks: Matrix,
    /// Squared length of every scaled landmark.
    pub(super) norms: Vec<f64>,
}

impl Kernel {
    pub(in crate::evidence) fn new(inputs: &Inputs, landmarks: &[usize], scales: Vec<f64>) -> Self {
        let scaled = Matrix::from_fn(inputs.columns.len(), landmarks.len(), |i, j| {
            scales[i] * inputs.value(landmarks[j], inputs.columns[i])
        });
        let norms =
            (0..landmarks.len()).map(|j| (0..inputs.columns.len()).map(|i| scaled[(i, j)].powi(2)).sum()).collect();
        Self { scales, landmarks: scaled, norms }
    }

    /// Fills `values` with one row of bumps per scaled row.
    pub(super) fn fill(&self, scaled_rows: &[f64], values: &mut [f64]) {
        let (columns, count) = (self.scales.len(), self.norms.len());
        multiply_rows(scaled_rows, &self.landmarks, values);
        for (row, values) in scaled_rows.chunks_exact(columns).zip(values.chunks_exact_mut(count)) {
            let norm = dot(row, row);
            for (value, landmark) in values.iter_mut().zip(&self.norms) {
                *value -= 0.5 * (norm + landmark);
            }
        }
        exp_of_nonpositive(values);
    }

    pub(super) fn scale(&self, rows: &[f64]) -> Vec<f64> {
        let columns = self.scales.len();
        rows.chunks_exact(columns).flat_map(|row| row.iter().zip(&self.scales).map(|(x, scale)| x * scale)).collect()
    }

    /// The bumps' values at each other's centres, the norm of the curves they span.
    fn gram(&self) -> Matrix {
        let (columns, count) = (self.scales.len(), self.norms.len());
        let rows = Matrix::from_fn(count, columns, |i, j| self.landmarks[(j, i)]);
        let mut gram = Matrix::zeros(count, count);
        self.fill(rows.values(), gram.values_mut());
        gram
    }
}

impl Family {
    pub(in crate::evidence) fn name(&self) -> String {
        match self {
            Family::Polynomial { degree } => format!("polynomial of degree {degree}"),
            Family::Kernel(_) => "kernel".into(),
        }
    }

    /// Features beyond the constant and the columns themselves.
    pub(in crate::evidence) fn extra(&self, columns: usize) -> usize {
        // Saturating, since the number of triples of some thousand columns does not fit into 32 bits.
        let pairs = columns.saturating_mul(columns + 1) / 2;
        match self {
            Family::Polynomial { degree: 2 } => pairs,
            Family::Polynomial { .. } => pairs.saturating_add(pairs.saturating_mul(columns + 2) / 3),
            Family::Kernel(kernel) => kernel.norms.len(),
        }
    }

    /// Fills one row of features per row of `rows` (each with `columns` values).
    pub(super) fn fill(&self, rows: &[f64], columns: usize, features: &mut [f64]) {
        let width = 1 + columns + self.extra(columns);
        for (row, features) in rows.chunks_exact(columns).zip(features.chunks_exact_mut(width)) {
            features[0] = 1.0;
            features[1..=columns].copy_from_slice(row);
            if let Family::Polynomial { degree } = self {
                fill_products(row, *degree, &mut features[1 + columns..]);
            }
        }
        if let Family::Kernel(kernel) = self {
            let count = kernel.norms.len();
            let mut bumps = vec![0.0; rows.len() / columns * count];
            kernel.fill(&kernel.scale(rows), &mut bumps);
            for (features, bumps) in features.chunks_exact_mut(width).zip(bumps.chunks_exact(count)) {
                features[1 + columns..].copy_from_slice(bumps);
            }
        }
    }

    /// The penalty's matrix: for products their own second moments' diagonal, for bumps their kernel.
    pub(super) fn penalty(&self, columns: usize, moments: &Matrix) -> Matrix {
        let width = moments.rows();
        let mut penalty = Matrix::zeros(width, width);
        match self {
            Family::Polynomial { .. } => {
                let total = moments[(0, 0)];
                for k in 1..width {
                    // Hundredfold, so that one grid of factors serves both families.
                    penalty[(k, k)] = 100.0 * moments[(k, k)] / total;
                }
            }
            Family::Kernel(kernel) => {
                for k in 1..=columns {
                    penalty[(k, k)] = columns as f64;
                }
                let gram = kernel.gram();
                let offset = 1 + columns;
                for i in 0..gram.rows() {
                    for j in 0..gram.rows() {
                        penalty[(offset + i, offset + j)] = gram[(i, j)];
                    }
                    penalty[(offset + i, offset + i)] += 1e-7;
                }
            }
        }
        penalty
    }
}

fn fill_products(row: &[f64], degree: usize, extra: &mut [f64]) {
    let mut next = 0;
    for i in 0..row.len() {
        for j in 0..=i {
            let product = row[i] * row[j];
            extra[next] = product;
            next += 1;
            if degree >= 3 {
                for value in &row[..=j] {
                    extra[next] = product * value;
                    next += 1;
                }
            }
        }
    }
}
