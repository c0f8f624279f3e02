//! What features of a row a regression is linear in, and how they are penalised.

use super::Sheet;
use crate::functions::exp_of_nonpositive;
use crate::linalg::{Matrix, dot, multiply_rows, multiply_rows_into};
use crate::rows::cut;
use std::ops::Range;

/// `exp(-1/2 |scales * (x - landmark)|^2)` for every landmark (Nystrom's approximation of kernel regression).
#[derive(Debug, Clone)]
pub(in crate::evidence) struct Kernel {
    /// The columns that count, as positions among those of the space.
    places: Vec<usize>,
    /// How much a difference in each of them counts.
    scales: Vec<f64>,
    /// Columns by landmarks, scaled.
    landmarks: Matrix,
    /// Squared length of every scaled landmark.
    norms: Vec<f64>,
}

impl Kernel {
    /// Around some rows of the sheet; `scales` has one entry per column.
    pub(in crate::evidence) fn new(
        sheet: &Sheet,
        columns: &[usize],
        landmarks: Range<usize>,
        scales: Vec<f64>,
    ) -> Self {
        let places: Vec<usize> = (0..columns.len()).filter(|&k| scales[k] > 0.0).collect();
        let scales: Vec<f64> = places.iter().map(|&k| scales[k]).collect();
        let start = landmarks.start;
        let scaled = Matrix::from_fn(places.len(), landmarks.len(), |i, j| {
            scales[i] * sheet.seen[(start + j, columns[places[i]])]
        });
        let norms = (0..landmarks.len()).map(|j| (0..places.len()).map(|i| scaled[(i, j)].powi(2)).sum()).collect();
        Self { places, scales, landmarks: scaled, norms }
    }

    pub(super) fn landmarks(&self) -> usize {
        self.norms.len()
    }

    /// Fills one row of bumps per row of `rows` (each with `width` values), `start` values into every `stride`.
    fn fill(&self, rows: &[f64], width: usize, stride: usize, start: usize, values: &mut [f64]) {
        let mut scaled = Vec::with_capacity(rows.len() / width * self.places.len());
        for row in rows.chunks_exact(width) {
            scaled.extend(self.places.iter().zip(&self.scales).map(|(&place, scale)| row[place] * scale));
        }
        self.fill_scaled(&scaled, stride, start, values);
    }

    fn fill_scaled(&self, scaled: &[f64], stride: usize, start: usize, values: &mut [f64]) {
        let count = self.norms.len();
        if self.places.is_empty() {
            return values.chunks_exact_mut(stride).for_each(|row| row[start..start + count].fill(1.0));
        }
        multiply_rows_into(scaled, &self.landmarks, stride, &mut values[start..]);
        for (row, values) in scaled.chunks_exact(self.places.len()).zip(values.chunks_exact_mut(stride)) {
            let values = &mut values[start..start + count];
            let norm = dot(row, row);
            for (value, landmark) in values.iter_mut().zip(&self.norms) {
                *value -= 0.5 * (norm + landmark);
            }
            exp_of_nonpositive(values);
        }
    }

    /// The bumps' values at each other's centres, the norm of the curves they span.
    fn gram(&self) -> Matrix {
        let (columns, count) = (self.places.len(), self.norms.len());
        let rows = Matrix::from_fn(count, columns, |i, j| self.landmarks[(j, i)]);
        let mut gram = Matrix::zeros(count, count);
        self.fill_scaled(rows.values(), count, 0, gram.values_mut());
        gram
    }

    /// Adds to `total` the mean square over some rows of the slope of a curve (one coefficient per bump) in every column.
    pub(super) fn add_squared_slopes(&self, space: &Space, rows: usize, curve: &[f64], share: f64, total: &mut [f64]) {
        let (columns, count) = (self.places.len(), self.norms.len());
        let landmarks = Matrix::from_fn(count, columns, |k, j| self.landmarks[(j, k)]);
        let width = space.columns.len();
        for tile in (0..rows).step_by(TILE).map(|start| start..(start + TILE).min(rows)) {
            let gathered = space.gathered(tile.clone());
            let mut bumps = vec![0.0; tile.len() * count];
            self.fill(&gathered, width, count, 0, &mut bumps);
            bumps.chunks_exact_mut(count).for_each(|row| row.iter_mut().zip(curve).for_each(|(bump, c)| *bump *= c));
            let mut pull = vec![0.0; tile.len() * columns];
            multiply_rows(&bumps, &landmarks, &mut pull);
            for (k, row) in tile.enumerate() {
                let height: f64 = bumps[k * count..(k + 1) * count].iter().sum();
                for (j, &place) in self.places.iter().enumerate() {
                    let scaled = self.scales[j] * gathered[k * width + place];
                    let slope = self.scales[j] * (pull[k * columns + j] - height * scaled);
                    total[place] += share * space.sheet.base[row] * slope * slope;
                }
            }
        }
    }
}

/// Rows handled at once.
pub(super) const TILE: usize = 128;

/// Features of a row: a constant, the columns, bumps of some kernels, and curves that are given row by row.
pub(in crate::evidence) struct Space<'a> {
    pub(super) sheet: &'a Sheet,
    /// Encoded columns.
    pub(super) columns: &'a [usize],
    kernels: Vec<Kernel>,
    /// One value per row each.
    curves: Vec<Vec<f64>>,
    /// All but the curves, row-major, of the first rows.
    kept: Vec<f64>,
}

/// Features that are kept at most: 40 MiB.
const MOST_KEPT: usize = 5 << 20;

impl<'a> Space<'a> {
    pub(in crate::evidence) fn new(sheet: &'a Sheet, columns: &'a [usize], kernels: Vec<Kernel>) -> Self {
        Self { sheet, columns, kernels, curves: Vec::new(), kept: Vec::new() }
    }

    /// The same with the features of the first rows kept, if they are not too many, for passes to come.
    pub(in crate::evidence) fn kept(mut self, rows: usize) -> Self {
        let width = self.width();
        if rows * width <= MOST_KEPT {
            let mut kept = vec![0.0; rows * width];
            for (tile, kept) in cut(0..rows, TILE).zip(kept.chunks_mut(TILE * width)) {
                self.fill(tile, width, kept);
            }
            self.kept = kept;
        }
        self
    }

    /// The same with curves beside.
    pub(in crate::evidence) fn with_curves(self, curves: Vec<Vec<f64>>) -> Self {
        Self { curves, ..self }
    }

    /// Features of a row.
    pub(in crate::evidence) fn width(&self) -> usize {
        self.fixed() + self.kernels.iter().map(Kernel::landmarks).sum::<usize>() + self.curves.len()
    }

    /// The constant and the columns, which come first.
    fn fixed(&self) -> usize {
        1 + self.columns.len()
    }

    /// Positions of all features but every second bump, starting with the first or the second of each kernel.
    pub(in crate::evidence) fn half(&self, which: usize) -> Vec<usize> {
        let mut keep: Vec<usize> = (0..self.fixed()).collect();
        let mut start = self.fixed();
        for kernel in &self.kernels {
            keep.extend((start + which..start + kernel.landmarks()).step_by(2));
            start += kernel.landmarks();
        }
        keep.extend(start..self.width());
        keep
    }

    /// The columns of some rows, row-major.
    pub(super) fn gathered(&self, rows: Range<usize>) -> Vec<f64> {
        let mut gathered = Vec::with_capacity(rows.len() * self.columns.len());
        for row in rows {
            let seen = self.sheet.seen.row(row);
            gathered.extend(self.columns.iter().map(|&column| seen[column]));
        }
        gathered
    }

    /// Fills one row of features per row of the sheet, at the start of every `stride` values.
    pub(super) fn fill(&self, rows: Range<usize>, stride: usize, features: &mut [f64]) {
        let bumps_end = self.width() - self.curves.len();
        for (k, curve) in self.curves.iter().enumerate() {
            for (features, row) in features.chunks_exact_mut(stride).zip(rows.clone()) {
                features[bumps_end + k] = curve[row];
            }
        }
        if let Some(kept) = self.kept.get(rows.start * bumps_end..rows.end * bumps_end).filter(|kept| !kept.is_empty())
        {
            let pairs = features.chunks_exact_mut(stride).zip(kept.chunks_exact(bumps_end));
            return pairs.for_each(|(features, kept)| features[..bumps_end].copy_from_slice(kept));
        }
        let columns = self.columns.len();
        let gathered = self.gathered(rows.clone());
        for (k, features) in features.chunks_exact_mut(stride).take(rows.len()).enumerate() {
            features[0] = 1.0;
            features[1..=columns].copy_from_slice(&gathered[k * columns..(k + 1) * columns]);
        }
        let mut start = self.fixed();
        for kernel in &self.kernels {
            kernel.fill(&gathered, columns, stride, start, features);
            start += kernel.landmarks();
        }
    }

    /// The penalty's matrix: for bumps their kernel, for columns and curves as many as there are columns.
    pub(super) fn penalty(&self) -> Matrix {
        let width = self.width();
        let mut penalty = Matrix::zeros(width, width);
        let plain = self.columns.len().max(1) as f64;
        let mut start = self.fixed();
        for kernel in &self.kernels {
            let gram = kernel.gram();
            for i in 0..gram.rows() {
                for j in 0..gram.rows() {
                    penalty[(start + i, start + j)] = gram[(i, j)];
                }
                penalty[(start + i, start + i)] += 1e-7;
            }
            start += gram.rows();
        }
        (1..self.fixed()).chain(start..width).for_each(|k| penalty[(k, k)] = plain);
        penalty
    }
}
