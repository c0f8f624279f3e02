//! How sure the coefficients of a linear refit are.

use super::FittedModel;
use crate::design::drawn_in;
use crate::linalg::{Cholesky, Matrix};
use crate::method::Choose;
use crate::models::{LinearModel, Link, Model, Refit, spread_of_the_bulk};
use crate::stress::Kind;
use crate::weights::AnyReweighter;

/// Remembered rows per coefficient below which a standard error would be a guess.
const LEAST_ROWS_PER_COEFFICIENT: usize = 3;

impl FittedModel {
    /// The standard error of every entry of [`FittedModel::coefficients`], in the same units and order.
    ///
    /// They are those of the sandwich `A^-1 B A^-1` with `A = sum w f' z z^T` and `B = sum w^2 f^2 z z^T` over the rows that the
    /// model remembers, `f` being the derivative of the loss at predictions by models that had not seen the row. So they hold
    /// whatever the residuals' variances are, for the variables as they were chosen: that the same rows chose them is
    /// not counted. `None` for networks and for coefficients that are shrunk, where there is no such formula, for weights that are
    /// no function of the row, and where too few rows are remembered.
    pub fn standard_errors(&self) -> Option<Vec<(&str, f64)>> {
        let Model::Linear(linear) = &self.model else { return None };
        // Half-way between two fits there is no such formula.
        if self.refit.as_ref().is_some_and(|choice| choice.candidate.beside_all) {
            return None;
        }
        let limit = match &self.method.refit {
            Refit::Linear(_) => None,
            Refit::Robust(robust) => Some(robust.limit),
            Refit::Auto(auto) => {
                self.refit.as_ref().filter(|choice| choice.candidate.kind == Kind::Robust).map(|_| auto.robust.limit)
            }
            _ => return None,
        };
        let columns = self.selected_columns();
        let memory = self.memory.as_ref()?;
        if memory.rows() < LEAST_ROWS_PER_COEFFICIENT * (columns.len() + 1) {
            return None;
        }
        let standardised = memory.design(&self.encoding);
        let design = Matrix::from_fn(memory.rows(), standardised.columns() + 1, |row, column| match column {
            0 => 1.0,
            _ => standardised[(row, column - 1)],
        });
        let weights = self.weights_of_refit(&design)?;
        let residuals: Vec<f64> =
            memory.outcome().iter().zip(memory.predicted()).map(|(outcome, predicted)| outcome - predicted).collect();
        let clip = limit.map_or(f64::INFINITY, |limit| limit.get() * spread_of_the_bulk(&residuals, memory.base()));
        // The loss's second derivative at every row.
        let bend = |row: usize| match linear.link() {
            Link::Logit => memory.predicted()[row] * (1.0 - memory.predicted()[row]),
            Link::Identity => f64::from(residuals[row].abs() <= clip),
        };
        let used = |row: usize| used_values(linear, design.row(row), &columns);
        let mut bread = Matrix::zeros(columns.len() + 1, columns.len() + 1);
        for (row, weight) in weights.iter().enumerate() {
            let (values, weight) = (used(row), memory.base()[row] * weight * bend(row));
            for i in 0..values.len() {
                (0..values.len()).for_each(|j| bread[(i, j)] += weight * values[i] * values[j]);
            }
        }
        let inverse = Cholesky::with_least_ridge(&bread)?.inverse();
        let mut variances = vec![0.0; columns.len() + 1];
        for (row, weight) in weights.iter().enumerate() {
            let score = residuals[row].clamp(-clip, clip).powi(2);
            // Where a level has one class only, no row misses its prediction, and yet nothing is known of the slope.
            let score = if linear.link() == Link::Logit { score.max(bend(row)) } else { score };
            let moved = inverse.times(&used(row));
            let weight = memory.base()[row] * weight * weight * score;
            variances.iter_mut().zip(moved).for_each(|(sum, by)| *sum += weight * by * by);
        }
        // As many rows as there are tell more than those that are remembered.
        let share = memory.rows() as f64 / self.rows as f64;
        let error = |(k, &column): (usize, &usize)| {
            let encoded = &self.encoding.columns[column];
            (encoded.name.as_str(), (variances[k + 1] * share).sqrt() * linear.step(&self.encoding, column).abs())
        };
        let errors: Vec<(&str, f64)> = columns.iter().enumerate().map(error).collect();
        errors.iter().all(|(_, error)| error.is_finite()).then_some(errors)
    }

    /// The weights that the refit gave to rows like these; `None` if they are not known.
    fn weights_of_refit(&self, design: &Matrix) -> Option<Vec<f64>> {
        let by_method = matches!(self.method.choose, Choose::All) && self.method.weigh.is_some();
        if !self.refit_is_weighted() && !by_method {
            return Some(vec![1.0; design.rows()]);
        }
        if by_method && !matches!(self.method.weigh, Some(AnyReweighter::Balance(_))) {
            return None;
        }
        self.weight_function.as_ref().map(|function| function.weigh(design))
    }
}

/// One, and the columns used of a row as the coefficients apply to them.
fn used_values(linear: &LinearModel, row: &[f64], columns: &[usize]) -> Vec<f64> {
    let value = |&column: &usize| match linear.drawn_in() {
        Some(bulks) => drawn_in(bulks[column], row[column + 1]),
        None => row[column + 1],
    };
    std::iter::once(1.0).chain(columns.iter().map(value)).collect()
}

#[cfg(test)]
mod tests {
    use crate::estimator::Estimator;
    use crate::table::{Column, Table, TextValues, Values};

    /// Numbers that look like draws of a normal variable.
    fn noise(rows: usize, seed: usize) -> Vec<f64> {
        let value = |k: usize| {
            let mut bits = (k as u64 + 1_000_003 * seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            bits = (bits ^ (bits >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (bits ^ (bits >> 29)) as f64 / u64::MAX as f64
        };
        (0..rows).map(|row| (0..12).map(|k| value(12 * row + k)).sum::<f64>() - 6.0).collect()
    }

    #[test]
    fn intervals_cover_the_slope_also_where_the_noise_is_not_even() {
        let (samples, rows) = (300, 200);
        for (method, refit) in [("ols", "linear"), ("ols", "robust")] {
            let mut covered = 0;
            for seed in 0..samples {
                let (a, b, e) = (noise(rows, 3 * seed), noise(rows, 3 * seed + 1), noise(rows, 3 * seed + 2));
                // Noise that grows with `a` doubles the error that equal variances would give.
                let y: Vec<f64> = (0..rows).map(|k| 2.0 * a[k] - b[k] + e[k] * (0.2 + a[k].abs())).collect();
                let table = Table::from_numbers([("a", a), ("b", b), ("y", y)]).unwrap();
                let estimator = Estimator::new(method).unwrap().set("refit", refit).unwrap().target("y");
                let model = estimator.fit(&table).unwrap().model;
                let (errors, slopes) = (model.standard_errors().unwrap(), model.coefficients());
                assert_eq!((errors[0].0, slopes[0].0, errors.len()), ("a", "a", 2));
                covered += usize::from((slopes[0].1 - 2.0).abs() <= 1.96 * errors[0].1);
            }
            let share = covered as f64 / samples as f64;
            assert!((0.90..=0.985).contains(&share), "{method} {refit}: {share}");
        }
    }

    #[test]
    fn of_a_level_with_one_class_nothing_is_known() {
        let a = noise(400, 5);
        let level: Vec<&str> = (0..400).map(|k| if k % 40 == 0 { "rare" } else { "common" }).collect();
        let chance = noise(400, 6);
        let bought = (0..400).map(|k| Some(k % 40 != 0 && a[k] + 1.7 * chance[k] > 0.0)).collect();
        let text = TextValues::collect(level.into_iter().map(Some));
        let columns = [("a", Values::Number(a.into())), ("level", Values::Text(text)), ("y", Values::Boolean(bought))];
        let columns = columns.map(|(name, values)| Column { name: name.into(), values });
        let table = Table::new(columns.into()).unwrap();
        let model = Estimator::new("logistic").unwrap().target("y").fit(&table).unwrap().model;
        let (errors, slopes) = (model.standard_errors().unwrap(), model.coefficients());
        let rare = errors.iter().position(|(name, _)| name.starts_with("level")).unwrap();
        assert!(errors[0].1 < 0.5 * slopes[0].1.abs(), "{errors:?} {slopes:?}");
        assert!(errors[rare].1 > 0.5 * slopes[rare].1.abs(), "{errors:?} {slopes:?}");
    }

    #[test]
    fn what_has_no_formula_has_no_error() {
        let (a, e) = (noise(60, 1), noise(60, 2));
        let y: Vec<f64> = a.iter().zip(&e).map(|(a, e)| a + e).collect();
        let few = |rows: usize| Table::from_numbers([("a", a[..rows].to_vec()), ("y", y[..rows].to_vec())]).unwrap();
        for (method, rows) in [("lasso", 60), ("ridge", 60), ("ols", 10)] {
            let model = Estimator::new(method).unwrap().target("y").fit(&few(rows)).unwrap().model;
            assert!(model.standard_errors().is_none(), "{method}");
        }
    }
}
