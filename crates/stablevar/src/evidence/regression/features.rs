//! What features of a row a regression is linear in, and how they are penalised.

use super::Sheet;
use crate::functions::exp_of_nonpositive;
use crate::linalg::{Matrix, dot, multiply_rows, multiply_rows_into};
use crate::rows::cut;
use crate::threads::map_chunks_mut;
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

    /// The same a factor of `WIDTH_OF_CUBES` narrower, so many times: its bumps are the cubes of this one's.
    fn narrowed(&self, times: u32) -> Self {
        let factor = WIDTH_OF_CUBES.powi(times as i32);
        let mut landmarks = self.landmarks.clone();
        landmarks.scale(factor);
        Self {
            places: self.places.clone(),
            scales: self.scales.iter().map(|scale| factor * scale).collect(),
            landmarks,
            norms: self.norms.iter().map(|norm| factor * factor * norm).collect(),
        }
    }
}

/// Of two kernels whose widths differ by this factor the narrower one has the cubes of the other's bumps.
pub(super) const WIDTH_OF_CUBES: f64 = 1.732_050_807_568_877_2;

/// Rows handled at once, and the same where their features are kept.
pub(super) const TILE: usize = 128;
pub(super) const KEPT_TILE: usize = 512;

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
            map_chunks_mut(&mut kept, TILE * width, |tile, kept| {
                self.fill(tile * TILE..tile * TILE + kept.len() / width, width, kept);
            });
            self.kept = kept;
        }
        self
    }

    /// The same with every kernel a factor of [`WIDTH_OF_CUBES`] narrower, so many times; what was kept serves it, too.
    pub(super) fn narrowed(&self, times: u32) -> Self {
        let kernels = self.kernels.iter().map(|kernel| kernel.narrowed(times)).collect();
        let mut narrowed = Self { kernels, curves: Vec::new(), kept: self.kept.clone(), ..*self };
        let (fixed, width) = (narrowed.fixed(), narrowed.width());
        for row in narrowed.kept.chunks_exact_mut(width) {
            for _ in 0..times {
                row[fixed..].iter_mut().for_each(|bump| *bump = bump.powi(3));
            }
        }
        narrowed
    }

    /// Adds to `total` the sum over some rows of the squared slopes in every column of a curve, which has one coefficient per bump of the
    /// only kernel.
    pub(super) fn add_squared_slopes(&self, rows: usize, curve: &[f64], total: &mut [f64]) {
        let [kernel] = &self.kernels[..] else { return };
        let (columns, count) = (kernel.places.len(), kernel.landmarks());
        let landmarks = Matrix::from_fn(count, columns, |k, j| kernel.landmarks[(j, k)]);
        let (width, fixed) = (self.width(), self.fixed());
        let mut buffer = Vec::new();
        let (mut bumps, mut pull) = (vec![0.0; TILE * count], vec![0.0; TILE * columns]);
        for tile in cut(0..rows, TILE) {
            let features = self.rows(tile.clone(), &mut buffer);
            let (bumps, pull) = (&mut bumps[..tile.len() * count], &mut pull[..tile.len() * columns]);
            for (bumps, features) in bumps.chunks_exact_mut(count).zip(features.chunks_exact(width)) {
                let heights = features[fixed..].iter().zip(curve).map(|(bump, coefficient)| bump * coefficient);
                bumps.iter_mut().zip(heights).for_each(|(bump, height)| *bump = height);
            }
            multiply_rows(bumps, &landmarks, pull);
            for (k, row) in tile.enumerate() {
                let height: f64 = bumps[k * count..(k + 1) * count].iter().sum();
                for (j, &place) in kernel.places.iter().enumerate() {
                    let scaled = kernel.scales[j] * features[k * width + 1 + place];
                    let slope = kernel.scales[j] * (pull[k * columns + j] - height * scaled);
                    total[place] += self.sheet.base[row] * slope * slope;
                }
            }
        }
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

    /// The features of some rows: as they were kept, or in a buffer that is filled.
    pub(super) fn rows<'b>(&'b self, rows: Range<usize>, buffer: &'b mut Vec<f64>) -> &'b [f64] {
        if let Some(kept) = self.kept_rows(&rows) {
            return kept;
        }
        let width = self.width();
        buffer.resize(rows.len() * width, 0.0);
        self.fill(rows, width, buffer);
        buffer
    }

    /// The features of some rows as they were kept, if there are no others.
    pub(super) fn kept_rows(&self, rows: &Range<usize>) -> Option<&[f64]> {
        let width = self.width();
        let kept = self.kept.get(rows.start * width..rows.end * width)?;
        (self.curves.is_empty() && !kept.is_empty()).then_some(kept)
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
