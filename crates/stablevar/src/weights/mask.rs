//! Which pairs of columns to decorrelate, and how strongly: the matrix A of the paper.

use crate::design::Frame;
use crate::linalg::Matrix;

/// Strengths below this count as 0: decorrelating such a pair would cost more than it could bring.
const NEGLIGIBLE: f64 = 1e-3;

/// The symmetric matrix A over the encoded columns: 1 asks for no correlation, 0 leaves the pair alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Mask {
    strength: Matrix,
    stability: Vec<f64>,
}

impl Mask {
    /// Every pair of columns of different variables. Columns of one text variable exclude each other by
    /// construction and are left alone, and so are columns that are nearly the same.
    pub fn all(data: &Frame) -> Self {
        Self::from_stability(data, &vec![0.0; data.encoding.features.len()])
    }

    /// `A_ij = 1 - s_i s_j`, where `s` is each variable's probability of being stable.
    pub fn from_stability(data: &Frame, stability: &[f64]) -> Self {
        let groups = data.encoding.groups();
        let mut strength = Matrix::from_fn(groups.len(), groups.len(), |i, j| {
            if groups[i] == groups[j] {
                return 0.0;
            }
            let strength = 1.0 - stability[groups[i]] * stability[groups[j]];
            if strength < NEGLIGIBLE { 0.0 } else { strength }
        });
        for &(i, j) in &data.inseparable {
            strength[(i, j)] = 0.0;
            strength[(j, i)] = 0.0;
        }
        Self { strength, stability: stability.to_vec() }
    }

    /// Every pair of columns of different variables among some, as [`Mask::all`] of a table without the others.
    pub fn among(data: &Frame, variables: &[usize]) -> Self {
        let mut mask = Self::all(data);
        let groups = data.encoding.groups();
        for i in 0..groups.len() {
            for j in 0..groups.len() {
                if !variables.contains(&groups[i]) || !variables.contains(&groups[j]) {
                    mask.strength[(i, j)] = 0.0;
                }
            }
        }
        mask
    }

    /// Pairs (i, j), i < j, of encoded columns to decorrelate, with their strength.
    pub fn pairs(&self) -> Vec<(usize, usize, f64)> {
        let size = self.strength.rows();
        let mut pairs = Vec::new();
        for i in 0..size {
            for j in i + 1..size {
                if self.strength[(i, j)] > 0.0 {
                    pairs.push((i, j, self.strength[(i, j)]));
                }
            }
        }
        pairs
    }

    /// Per variable the probability of being stable that the mask was made from.
    pub fn stability(&self) -> &[f64] {
        &self.stability
    }

    /// The strength for a pair of encoded columns.
    pub fn strength(&self, i: usize, j: usize) -> f64 {
        self.strength[(i, j)]
    }
}
