//! From residuals to what is reported: effect, standard error, t, p-value, effect size, probability.

use super::{Evidence, VariableEvidence};
use crate::design::TrainingData;
use crate::functions::normal_cdf;
use crate::linalg::{Cholesky, Matrix, dot};

/// Residuals of the outcome and of a variable's columns, in some rows, with weights.
pub(super) struct Residuals<'a> {
    /// Positions in the training data.
    pub rows: &'a [usize],
    /// One per row: what the others can't tell about the outcome.
    pub outcome: Vec<f64>,
    /// Per column of the variable one per row.
    pub own: Vec<Vec<f64>>,
    /// One per row, without the base weights.
    pub weights: Option<&'a [f64]>,
}

/// The slopes of the outcome in the variable's columns, and what they leave.
pub(super) struct Slopes {
    /// `mean(w r_d r_d')` over the columns.
    moments: Matrix,
    /// `mean(w r_Y r_d)` per column.
    products: Vec<f64>,
    /// One per column.
    slopes: Vec<f64>,
    /// `r_Y - slopes' r_d`, one per row.
    pub left: Vec<f64>,
}

impl Residuals<'_> {
    fn weight(&self, k: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[k])
    }

    /// Means over the rows under the base weights.
    fn mean(&self, data: &TrainingData, value: impl Fn(usize) -> f64) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (k, &row) in self.rows.iter().enumerate() {
            sum += data.base[row] * value(k);
            total += data.base[row];
        }
        sum / total
    }

    pub(super) fn slopes(&self, data: &TrainingData) -> Slopes {
        let count = self.own.len();
        let moments =
            Matrix::from_fn(count, count, |a, b| self.mean(data, |k| self.weight(k) * self.own[a][k] * self.own[b][k]));
        let products: Vec<f64> =
            (0..count).map(|c| self.mean(data, |k| self.weight(k) * self.outcome[k] * self.own[c][k])).collect();
        let slopes = match Cholesky::with_least_ridge(&moments) {
            Some(solver) => solver.solve(&products),
            None => vec![0.0; count],
        };
        let slopes: Vec<f64> = slopes.into_iter().map(|slope| if slope.is_finite() { slope } else { 0.0 }).collect();
        let left = (0..self.rows.len())
            .map(|k| self.outcome[k] - slopes.iter().zip(&self.own).map(|(slope, own)| slope * own[k]).sum::<f64>())
            .collect();
        Slopes { moments, products, slopes, left }
    }

    /// Judges a variable with these columns. `uncertain` is, per column, what makes the mean of the residuals' products
    /// uncertain in every row: `left * own`, or less where the weights make part of it certain.
    ///
    /// The spread of the products is the standard error: it counts a row of weight 3 as one row that weighs three
    /// times, not as three rows, and it needs no constant variance. The effect itself is taken out first, as it is
    /// not noise. `spent` is the number of coefficients that were fitted to the same rows.
    pub(super) fn judge(
        &self,
        data: &TrainingData,
        columns: &[usize],
        found: &Slopes,
        uncertain: Option<&[Vec<f64>]>,
        spent: usize,
        settings: &Evidence,
    ) -> VariableEvidence {
        let total: f64 = self.rows.iter().map(|&row| data.base[row]).sum();
        let square = self.mean(data, |k| self.weight(k).powi(2));
        // Mean weight is 1, so this is Kish's effective sample size.
        let effective = if square > 0.0 { total / square } else { 0.0 };
        let count = columns.len();
        let freedom = (effective - spent as f64).max(1.0);
        let uncertain = |c: usize, k: usize| match uncertain {
            Some(values) => values[c][k],
            None => found.left[k] * self.own[c][k],
        };
        let spread = Matrix::from_fn(count, count, |a, b| {
            effective.max(1.0) / freedom
                * self.mean(data, |k| self.weight(k).powi(2) * uncertain(a, k) * uncertain(b, k))
        });
        let outcome_variance = self.mean(data, |k| self.weight(k) * self.outcome[k].powi(2));
        let sizes = (0..count).map(|c| {
            let product = outcome_variance * found.moments[(c, c)];
            if product > 0.0 { (found.products[c] / product.sqrt()).clamp(-1.0, 1.0) } else { 0.0 }
        });
        let effect_size = sizes.fold(0.0, |most: f64, size| if size.abs() > most.abs() { size } else { most });
        // The chi-squared statistic of all columns of the variable; for one column the square of t.
        let statistic = Cholesky::with_least_ridge(&spread)
            .map_or(0.0, |solver| total * dot(&found.products, &solver.solve(&found.products)));
        let statistic = if statistic.is_finite() { statistic.max(0.0) } else { 0.0 };
        let (mut effect, mut standard_error, mut t) = (None, None, (statistic / count as f64).sqrt());
        if let [column] = columns {
            let units = data.target.scale / data.encoding.columns[*column].scale;
            let variance = found.moments[(0, 0)];
            if variance > 0.0 {
                effect = Some(units * found.slopes[0]);
                standard_error = Some(units * (spread[(0, 0)].max(0.0) / total).sqrt() / variance);
            }
            t = found.products[0].signum() * statistic.sqrt();
        }
        let statistic = as_if_normal(statistic, freedom);
        VariableEvidence {
            effect,
            standard_error,
            t,
            p_value: chi_squared_tail(statistic, count),
            effect_size,
            probability: probability(as_one_column(statistic, count), effective, settings),
            effective_sample_size: effective,
            regressions: None,
            judged_without: Vec::new(),
        }
    }
}

/// The square of the normal quantile that is as unlikely as Student's t, whose square is given (Wallace, 1959).
fn as_if_normal(squared_t: f64, freedom: f64) -> f64 {
    let shrink = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0);
    shrink * shrink * freedom * (squared_t / freedom).ln_1p()
}

/// The square of the normal quantile that is as unlikely as a chi-squared statistic of this many degrees.
///
/// A variable is one question however many columns it has: were each of them to pay for itself, a text variable of
/// fifteen levels would need a p-value of 1e-20.
fn as_one_column(statistic: f64, columns: usize) -> f64 {
    if columns == 1 {
        return statistic;
    }
    let tail = chi_squared_tail(statistic, columns);
    if tail < 1e-280 {
        // Beyond the range of numbers. There `-log tail = x/2 - (k/2 - 1) log(x/2) + log Gamma(k/2)`, nearly.
        let half = 0.5 * columns as f64;
        let rarity = 0.5 * statistic - (half - 1.0) * (0.5 * statistic).ln() + libm::lgamma(half) - libm::lgamma(0.5);
        return (0..20).fold(2.0 * rarity, |one, _| 2.0 * rarity - (0.5 * one).ln());
    }
    let (mut low, mut high) = (0.0, statistic);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if chi_squared_tail(middle, 1) > tail { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The posterior probability of an effect under a unit-information prior: the odds are multiplied by `(1 + n)^(-1/2)` and by
/// `exp(statistic / 2 * n / (1 + n))`.
///
/// A standard error, `n^(-1/2)` in partial correlation, also has to cover the allowance for imperfect regressions, so that
/// n stands for `1 / (1 / n + allowance^2)` and the statistic shrinks in proportion.
pub(super) fn probability(statistic: f64, total: f64, settings: &Evidence) -> f64 {
    let shrink = 1.0 + total * settings.allowance.get().powi(2);
    let (fair, size) = (statistic / shrink, total / shrink);
    let prior = settings.prior.get();
    let log_odds = 0.5 * fair * size / (1.0 + size) - 0.5 * (1.0 + size).ln() + (prior / (1.0 - prior)).ln();
    1.0 / (1.0 + (-log_odds).exp())
}

/// The probability that a chi-squared variable exceeds `x`.
pub(super) fn chi_squared_tail(x: f64, degrees: usize) -> f64 {
    if degrees == 1 {
        return 2.0 * normal_cdf(-x.sqrt());
    }
    // Q(a, x/2) by the recurrence from a = 1/2 or 1, which has only positive terms.
    let half = 0.5 * x;
    let (mut tail, mut order) =
        if degrees % 2 == 1 { (2.0 * normal_cdf(-x.sqrt()), 0.5) } else { ((-half).exp(), 1.0) };
    while order + 0.5 < 0.5 * degrees as f64 + 0.25 {
        tail += (order * half.max(1e-300).ln() - half - libm::lgamma(order + 1.0)).exp();
        order += 1.0;
    }
    tail.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chi_squared_tails_agree_with_tables() {
        for (x, degrees, tail) in
            [(3.841459, 1, 0.05), (5.991465, 2, 0.05), (7.814728, 3, 0.05), (18.307038, 10, 0.05), (11.344867, 3, 0.01)]
        {
            assert!((chi_squared_tail(x, degrees) - tail).abs() < 1e-7, "{x} {degrees}");
        }
        assert_eq!(chi_squared_tail(0.0, 4), 1.0);
    }

    #[test]
    fn a_statistic_of_many_columns_is_worth_what_its_p_value_is() {
        assert_eq!(as_one_column(7.3, 1), 7.3);
        for (x, columns) in [(18.307038, 10), (60.0, 13), (500.0, 4)] {
            let one = as_one_column(x, columns);
            let (p, q) = (chi_squared_tail(one, 1), chi_squared_tail(x, columns));
            assert!(one < x && (p / q - 1.0).abs() < 1e-6, "{x} {columns}: {p} {q}");
        }
        // The two ways to compute it meet.
        let all: Vec<f64> = (0..20).map(|k| as_one_column(1290.0 + f64::from(k), 5)).collect();
        assert!(all.windows(2).all(|pair| (pair[1] - pair[0] - 1.0).abs() < 0.05), "{all:?}");
        assert_eq!(as_one_column(0.0, 4), 0.0);
    }

    #[test]
    fn students_tails_agree_with_tables() {
        for (t, freedom, tail) in
            [(2.776445, 4.0, 0.05), (4.032143, 5.0, 0.01), (2.228139, 10.0, 0.05), (1.983972, 100.0, 0.05)]
        {
            let p = chi_squared_tail(as_if_normal(t * t, freedom), 1);
            assert!((p / tail - 1.0f64).abs() < 0.05, "{t} {freedom}: {p}");
        }
    }

    #[test]
    fn the_probability_rises_with_the_statistic_and_starts_below_the_prior() {
        let settings = Evidence::default();
        let values: Vec<f64> = [0.0, 4.0, 9.0, 16.0, 36.0].iter().map(|&x| probability(x, 1000.0, &settings)).collect();
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(values[0] < 0.25 && values[4] > 0.99);
    }
}
