//! What if a column shifts? The error under tilts of the training rows that move its mean.
//!
//! Rows are weighted by `exp(t' z)`, the weights nearest to equal ones (in relative entropy) under which the mean of the standardised column
//! (or columns) `z` is what is asked for. The relation of outcome and columns stays as it is.

use super::foresee::error_of;
use super::new_rows::Known;
use crate::linalg::{Cholesky, Matrix, dot, max_abs};
use crate::threads;
use serde::Serialize;

/// With fewer effective rows than this no error is given.
const LEAST_EFFECTIVE: f64 = 30.0;
/// Shifts of a curve, in standard deviations: from minus to plus this.
const FARTHEST: f64 = 2.0;
/// Points on either side.
const STEPS: i32 = 8;
/// The same where two columns move.
const GRID_STEPS: i32 = 4;
/// How dangerous a shift is, is the largest rise of the error, without the row that adds most, within so many standard deviations.
const DANGER_WITHIN: f64 = 1.0;

/// The error under a shift.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ShiftPoint {
    /// How far the column's mean moves, in standard deviations of the training rows.
    pub shift: f64,
    /// The column's mean there, in the user's units; of a level its share.
    pub mean: f64,
    /// The error; `None` where no weights, or too few rows, give such a mean.
    pub error: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// The error without the row that adds most to it: far below the error if that rests on a single row.
    pub without_one: Option<f64>,
    /// Effective number of training rows behind it.
    #[serde(rename = "n_eff")]
    pub effective_sample_size: f64,
}

impl ShiftPoint {
    /// Whether a single row makes more than half of the error's square, or of wrong classes.
    pub fn rests_on_one_row(&self, classes: bool) -> bool {
        let (Some(error), Some(without)) = (self.error, self.without_one) else { return false };
        let share = if error > 0.0 { without / error } else { 1.0 };
        (if classes { share } else { share * share }) < 0.5
    }
}

/// The error as a function of one column's mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShiftCurve {
    /// The column.
    pub column: String,
    /// For text the level whose share moves: the one whose shift does most.
    pub level: Option<String>,
    /// Whether the model uses the column.
    pub used: bool,
    /// The largest rise of the error within one standard deviation, as a share of the error without a shift; both without the row that
    /// adds most to them, so that no single row decides.
    pub danger: f64,
    /// From the farthest shift downwards to that upwards.
    pub points: Vec<ShiftPoint>,
}

/// The error as a function of two columns' means.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShiftGrid {
    /// The columns.
    pub columns: [String; 2],
    /// For texts the levels whose shares move.
    pub levels: [Option<String>; 2],
    /// How far either mean moves, in standard deviations of the training rows.
    #[serde(rename = "shift")]
    pub shifts: Vec<f64>,
    /// The columns' means there, in the user's units; of levels their shares.
    #[serde(rename = "mean")]
    pub means: [Vec<f64>; 2],
    /// For every shift of the first column and every one of the second the error; `None` where no weights, or too few rows, give
    /// such means.
    #[serde(rename = "error")]
    pub errors: Vec<Vec<Option<f64>>>,
    /// Its standard error.
    #[serde(rename = "standard_error")]
    pub standard_errors: Vec<Vec<Option<f64>>>,
    /// The error without the row that adds most to it.
    pub without_one: Vec<Vec<Option<f64>>>,
    /// Whether a single row makes most of the error somewhere.
    #[serde(skip)]
    pub rests_on_one_row: bool,
    /// Effective numbers of training rows behind it.
    #[serde(rename = "n_eff")]
    pub effective_sample_sizes: Vec<Vec<f64>>,
}

impl ShiftGrid {
    /// The errors, without the row that adds most where a single one makes most of them somewhere; and that without a shift.
    pub fn fair(&self) -> Option<(&[Vec<Option<f64>>], f64)> {
        let errors = if self.rests_on_one_row { &self.without_one } else { &self.errors };
        let middle = self.shifts.iter().position(|&shift| shift == 0.0)?;
        Some((errors, errors[middle][middle]?))
    }
}

/// Training rows that can be tilted.
pub(crate) struct Tilts<'a> {
    known: Known<'a>,
    design: Matrix,
    losses: Vec<f64>,
    /// Base weights that sum to 1.
    base: Vec<f64>,
}

impl<'a> Tilts<'a> {
    pub(crate) fn new(known: Known<'a>) -> Self {
        let total: f64 = known.memory.base().iter().sum();
        Self {
            design: known.memory.design(known.encoding),
            losses: known.memory.losses(known.classes),
            base: known.memory.base().iter().map(|base| base / total).collect(),
            known,
        }
    }

    /// A curve for every variable, the most dangerous first.
    pub(crate) fn curves(&self) -> Vec<ShiftCurve> {
        let mut curves = threads::map(self.known.encoding.features.len(), |variable| self.curve(variable));
        curves.sort_by(|a, b| b.danger.total_cmp(&a.danger));
        curves
    }

    /// The error when two variables move at once; of a text its most dangerous level.
    pub(crate) fn grid(&self, variables: [usize; 2]) -> ShiftGrid {
        let found = variables.map(|variable| self.curve_and_column(variable));
        let columns = [found[0].1, found[1].1];
        let shifts: Vec<f64> =
            (-GRID_STEPS..=GRID_STEPS).map(|step| FARTHEST * f64::from(step) / f64::from(GRID_STEPS)).collect();
        let points = threads::map(shifts.len(), |i| {
            let point = |by: &f64| self.point(&[(columns[0], shifts[i]), (columns[1], *by)]);
            shifts.iter().map(point).collect::<Vec<ShiftPoint>>()
        });
        fn by<T>(points: &[Vec<ShiftPoint>], figure: impl Fn(&ShiftPoint) -> T) -> Vec<Vec<T>> {
            points.iter().map(|row| row.iter().map(&figure).collect()).collect()
        }
        let mean = |column: usize| {
            let of = &self.known.encoding.columns[column];
            shifts.iter().map(|shift| of.mean + of.scale * shift).collect()
        };
        ShiftGrid {
            errors: by(&points, |point| point.error),
            standard_errors: by(&points, |point| point.standard_error),
            without_one: by(&points, |point| point.without_one),
            rests_on_one_row: points.iter().flatten().any(|point| point.rests_on_one_row(self.known.classes)),
            effective_sample_sizes: by(&points, |point| point.effective_sample_size),
            means: columns.map(mean),
            columns: [0, 1].map(|k| found[k].0.column.clone()),
            levels: [0, 1].map(|k| found[k].0.level.clone()),
            shifts,
        }
    }

    /// The curve of a variable.
    pub(crate) fn curve(&self, variable: usize) -> ShiftCurve {
        self.curve_and_column(variable).0
    }

    /// The same with the encoded column that moves.
    fn curve_and_column(&self, variable: usize) -> (ShiftCurve, usize) {
        let feature = &self.known.encoding.features[variable];
        let curves = feature.columns.iter().map(|&column| {
            let points: Vec<ShiftPoint> = (-STEPS..=STEPS)
                .map(|step| self.point(&[(column, FARTHEST * f64::from(step) / f64::from(STEPS))]))
                .collect();
            let encoded = &self.known.encoding.columns[column];
            let text = feature.columns.len() > 1 || encoded.level.is_some();
            let level = text.then(|| encoded.level.clone().unwrap_or_else(|| "(rare)".into()));
            let used = self.known.used.contains(&variable);
            (ShiftCurve { column: feature.name.clone(), level, used, danger: danger(&points), points }, column)
        });
        let most = curves.reduce(|most, next| if next.0.danger > most.0.danger { next } else { most });
        most.unwrap_or_else(|| {
            let column = feature.name.clone();
            (ShiftCurve { column, level: None, used: false, danger: 0.0, points: Vec::new() }, 0)
        })
    }

    /// The error when encoded columns move by so many standard deviations, all at once; its mean is the first's.
    pub(crate) fn point(&self, shifts: &[(usize, f64)]) -> ShiftPoint {
        let (column, shift) = shifts.first().copied().unwrap_or((0, 0.0));
        let mean = self.known.encoding.columns.get(column).map_or(0.0, |of| of.mean + of.scale * shift);
        let none = ShiftPoint {
            shift,
            mean,
            error: None,
            standard_error: None,
            without_one: None,
            effective_sample_size: 0.0,
        };
        let Some(weights) = self.tilted(shifts) else { return none };
        let effective_sample_size = 1.0 / dot(&weights, &weights);
        if effective_sample_size < LEAST_EFFECTIVE {
            return ShiftPoint { effective_sample_size, ..none };
        }
        let loss = dot(&weights, &self.losses);
        let spread: f64 = weights.iter().zip(&self.losses).map(|(weight, own)| (weight * (own - loss)).powi(2)).sum();
        let error = error_of(loss, self.known.classes);
        let slope = if self.known.classes || error == 0.0 { 1.0 } else { 0.5 / error };
        let standard_error = Some(slope * spread.sqrt());
        let most = (0..weights.len())
            .max_by(|&a, &b| (weights[a] * self.losses[a]).total_cmp(&(weights[b] * self.losses[b])).then(b.cmp(&a)));
        let without_one = most.map(|row| {
            let rest = (loss - weights[row] * self.losses[row]).max(0.0) / (1.0 - weights[row]);
            error_of(rest, self.known.classes)
        });
        ShiftPoint { error: Some(error), standard_error, without_one, effective_sample_size, ..none }
    }

    /// Weights that sum to 1 under which the columns' means are moved; `None` if there are none.
    ///
    /// Newton's steps to the least `log sum b exp(t' z) - t' target`, whose gradient is the distance of the means from the target.
    fn tilted(&self, shifts: &[(usize, f64)]) -> Option<Vec<f64>> {
        const STEPS: usize = 60;
        const HALVINGS: usize = 40;
        let columns: Vec<usize> = shifts.iter().map(|shift| shift.0).collect();
        let rows = Matrix::from_fn(self.design.rows(), columns.len(), |row, k| self.design[(row, columns[k])]);
        // Means of the remembered rows are near 0, not at it; without a shift all weights are as they were.
        let center: Vec<f64> =
            (0..columns.len()).map(|k| (0..rows.rows()).map(|row| self.base[row] * rows[(row, k)]).sum()).collect();
        let target: Vec<f64> = shifts.iter().zip(&center).map(|(shift, center)| shift.1 + center).collect();
        let at = |tilt: &[f64]| {
            let exponents = rows.times(tilt);
            let most = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let raw: Vec<f64> =
                exponents.iter().zip(&self.base).map(|(exponent, base)| base * (exponent - most).exp()).collect();
            let sum: f64 = raw.iter().sum();
            let weights: Vec<f64> = raw.into_iter().map(|weight| weight / sum).collect();
            (sum.ln() + most - dot(tilt, &target), weights)
        };
        let mut tilt = vec![0.0; columns.len()];
        let (mut value, mut weights) = at(&tilt);
        for _ in 0..STEPS {
            let mean: Vec<f64> =
                (0..columns.len()).map(|k| (0..rows.rows()).map(|row| weights[row] * rows[(row, k)]).sum()).collect();
            let left: Vec<f64> = target.iter().zip(&mean).map(|(target, mean)| target - mean).collect();
            if max_abs(&left) < 1e-6 {
                return Some(weights);
            }
            let mut covariance = Matrix::zeros(columns.len(), columns.len());
            for (row, weight) in weights.iter().enumerate() {
                for i in 0..columns.len() {
                    for j in 0..columns.len() {
                        covariance[(i, j)] += weight * (rows[(row, i)] - mean[i]) * (rows[(row, j)] - mean[j]);
                    }
                }
            }
            let step = Cholesky::with_least_ridge(&covariance)?.solve(&left);
            let mut share = 1.0;
            let lower = (0..HALVINGS).find_map(|_| {
                let tried: Vec<f64> = tilt.iter().zip(&step).map(|(tilt, step)| tilt + share * step).collect();
                let (next, weights) = at(&tried);
                share *= 0.5;
                (next < value).then_some((tried, next, weights))
            });
            (tilt, value, weights) = lower?;
        }
        // A mean that the rows can't have is approached for ever.
        None
    }
}

/// The largest rise of the error within one standard deviation, as a share, without the row that adds most to it.
fn danger(points: &[ShiftPoint]) -> f64 {
    let now = points.iter().find(|point| point.shift == 0.0).and_then(|point| point.without_one);
    let Some(now) = now.filter(|&now| now > 0.0) else { return 0.0 };
    let near = points.iter().filter(|point| point.shift.abs() <= DANGER_WITHIN).filter_map(|point| point.without_one);
    near.fold(0.0, |most: f64, error| most.max(error / now - 1.0))
}
