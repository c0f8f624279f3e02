//! Weak variables that count together.
//!
//! Each has some evidence, but too little to be told from chance, and the set suffices without any single one of them. Left out together they cost
//! more than a few columns without effect would. So they join, all or none, if that pays on rows that were held out: in ordinary
//! cross-validation, where predictions half-way to those of fits with them are judged (fits with many weak columns follow chance as well,
//! and that half-way is better shows that there is something to follow), or in regions.
//!
//! A biased column would do better there, too. But its slope in least squares is far from its slope in flexible regressions, which
//! is none: what tells a weak effect from a bias is that the two agree.

use crate::design::TrainingData;
use crate::error::Result;
use crate::evidence::{VariableEvidence, as_one_column, normal_score};
use crate::finding::{Code, Finding};
use crate::linalg::{Cholesky, Matrix, dot, multiply_rows};
use crate::passes::RowSource;
use crate::rows::{weighted_column_sums, weighted_cross_product};
use crate::stress::{HeldOut, halfway, plain_outputs, plain_outputs_by_part, rows_for_stress};
use crate::threads;

/// The largest p-value of some evidence, from strict to lax: which of them serves best, rows that were held out decide.
const SOME_EVIDENCE: [f64; 3] = [0.03, 0.1, 0.3];
/// By how much, in standard errors, slopes in least squares and in flexible regressions may differ.
const AGREEMENT: f64 = 2.0;
/// By how much the former may be the farther from 0: a bias that few rows show makes it so, weak effects seldom do.
const EXCESS: f64 = 1.5;
/// What predictions half-way to fits with them must do better by in ordinary cross-validation: as a share of the error, and in standard
/// errors. Of many rows the share decides: what is worth less to predictions can stay away, as columns of noise should.
const LEAST_GAIN_OF_HALF: f64 = 0.0015;
const LEAST_SURE_OF_HALF: f64 = 1.5;
/// In how many standard errors one by itself must do better: its own evidence was looked at and did not suffice.
const SURE_OF_ONE: f64 = 3.0;
/// What fits with those of some evidence must do better by in regions, as a share of the error, and in standard errors.
const LEAST_GAIN: f64 = 0.004;
const LEAST_SURE: f64 = 2.0;
/// The same in the worst region, where they do better on average, if only by chance: variables that tell much the same are worth having
/// both where one of them fails.
const LEAST_GAIN_AT_WORST: f64 = 0.1;
/// Rows per encoded column that least squares needs to say something about slopes.
const ROWS_PER_COLUMN: usize = 5;

/// Variables that join a set together.
pub(super) struct Companions {
    pub variables: Vec<usize>,
    pub finding: Finding,
}

/// The variables that join a set, if any do; none that was told to be unstable does.
pub(super) fn companions(
    data: &dyn RowSource,
    selected: &[usize],
    evidence: &[VariableEvidence],
) -> Result<Option<Companions>> {
    let standings = data.frame().standings();
    let free = |variable: &usize| {
        !selected.contains(variable) && !evidence[*variable].doubtful && standings[*variable].is_none()
    };
    let outside: Vec<usize> = (0..evidence.len()).filter(free).collect();
    let some = |variable: &usize| evidence[*variable].p_value < SOME_EVIDENCE[SOME_EVIDENCE.len() - 1];
    if selected.is_empty() || !outside.iter().any(some) {
        return Ok(None);
    }
    let rows = rows_for_stress(data)?;
    if rows.rows() < ROWS_PER_COLUMN * (rows.columns() + 1) {
        return Ok(None);
    }
    let Some(linear) = Linear::of(&rows) else { return Ok(None) };
    let scores = linear.scores();
    let agrees = |variable: &usize| {
        let of_one = rows.encoding.features[*variable].columns.len() == 1;
        let flexible = normal_score(evidence[*variable].p_value);
        let flexible = if of_one { flexible.copysign(evidence[*variable].t) } else { flexible };
        let differs = scores[*variable] - flexible;
        differs.abs() < AGREEMENT && scores[*variable].abs() - flexible.abs() < EXCESS
    };
    let offered: Vec<usize> = outside.into_iter().filter(agrees).collect();
    let held_out = HeldOut::of(&rows);
    let Some(without) = plain_outputs(&rows, &held_out, selected) else { return Ok(None) };
    let judging = Judging { rows: &rows, selected, held_out: &held_out, without };
    // What some rows speak for by chance does better on these rows: so every part has those that the others speak for.
    let by_part: Vec<Vec<f64>> = threads::map(held_out.parts().len(), |part| linear.without(held_out.parts()[part]));
    let found = SOME_EVIDENCE.iter().filter_map(|&level| {
        let joining: Vec<usize> =
            offered.iter().copied().filter(|&variable| evidence[variable].p_value < level).collect();
        let by_part = by_part.iter().map(|scores| {
            let speaks = |variable: &&usize| scores[**variable].abs() > normal_score(level);
            offered.iter().filter(speaks).copied().collect()
        });
        if joining.is_empty() { None } else { judging.judged(joining, by_part.collect()) }
    });
    let best = found.reduce(|best, next| if next.1 < best.1 { next } else { best });
    Ok(best.map(|(companions, _)| companions))
}

struct Judging<'a> {
    rows: &'a TrainingData,
    selected: &'a [usize],
    held_out: &'a HeldOut,
    /// What a fit on the chosen variables alone predicts.
    without: Vec<Vec<f64>>,
}

impl Judging<'_> {
    /// Some variables, if it pays that they join, and how errors change; `by_part` are those that stand for them in every part.
    fn judged(&self, joining: Vec<usize>, by_part: Vec<Vec<usize>>) -> Option<(Companions, f64)> {
        let (rows, held_out) = (self.rows, self.held_out);
        let larger: Vec<Vec<usize>> =
            by_part.iter().map(|joining| self.selected.iter().chain(joining).copied().collect()).collect();
        let with = plain_outputs_by_part(rows, held_out, &larger)?;
        let half = held_out.losses(&halfway(&with, &self.without))?;
        let (with, without) = (held_out.losses(&with)?, held_out.losses(&self.without)?);
        let half = held_out.difference_as_usual(&half, &without);
        let sure = if joining.len() == 1 { SURE_OF_ONE } else { LEAST_SURE_OF_HALF };
        let gain = held_out.difference(&with, &without);
        let worst = held_out.figures(&with, &without).stress_worst;
        let on_average = -gain.mean > LEAST_GAIN.max(LEAST_SURE * gain.standard_error);
        let at_worst = gain.mean < 0.0 && worst < 1.0 - LEAST_GAIN_AT_WORST;
        let finding = if -half.mean > LEAST_GAIN_OF_HALF.max(sure * half.standard_error) {
            Finding::new(Code::FilledUp).with("percent", -100.0 * half.mean).with("error", 100.0 * half.standard_error)
        } else if on_average || at_worst {
            Finding::new(Code::WeakVariables)
                .with("percent", -100.0 * gain.mean)
                .with("error", 100.0 * gain.standard_error)
                .with("worst", 100.0 * (1.0 - worst))
        } else {
            return None;
        };
        let names = joining.iter().map(|&variable| rows.encoding.features[variable].name.clone());
        Some((Companions { finding: finding.about(names), variables: joining }, half.mean))
    }
}

/// Least squares on all columns, for classes of the label.
struct Linear<'a> {
    data: &'a TrainingData,
    slopes: Vec<f64>,
    residuals: Vec<f64>,
    inverse: Matrix,
    /// Of the slopes, without an assumption of constant variance.
    variance: Matrix,
}

impl<'a> Linear<'a> {
    /// `None` if the columns are not independent.
    fn of(data: &'a TrainingData) -> Option<Self> {
        let moments = weighted_cross_product(&data.design, &data.base);
        let solver = Cholesky::with_least_ridge(&moments)?;
        let slopes = solver.solve(&weighted_column_sums(&data.design, &data.base, &data.outcome));
        let residuals: Vec<f64> =
            (0..data.rows()).map(|row| data.outcome[row] - dot(data.design.row(row), &slopes)).collect();
        let squares = |row: usize| (data.base[row] * residuals[row]).powi(2);
        let spread = weighted_cross_product(&data.design, &(0..data.rows()).map(squares).collect::<Vec<_>>());
        let inverse = solver.inverse();
        let times = |left: &Matrix, right: &Matrix| {
            let mut product = Matrix::zeros(left.rows(), right.columns());
            multiply_rows(left.values(), right, product.values_mut());
            product
        };
        let variance = times(&times(&inverse, &spread), &inverse);
        Some(Self { data, slopes, residuals, inverse, variance })
    }

    /// Per variable its slope over the standard error; of text variables the normal quantile that is as unlikely as their chi-squared
    /// statistic.
    fn scores(&self) -> Vec<f64> {
        self.scores_of(&self.slopes, 1.0)
    }

    /// The same without some rows, to the first order in what they do to the slopes.
    fn without(&self, part: &[usize]) -> Vec<f64> {
        let (mut pulls, mut weight) = (vec![0.0; self.slopes.len()], 0.0);
        for &row in part {
            let pull = self.data.base[row] * self.residuals[row];
            pulls.iter_mut().zip(self.data.design.row(row)).for_each(|(sum, value)| *sum += pull * value);
            weight += self.data.base[row];
        }
        let total: f64 = self.data.base.iter().sum();
        let more = total / (total - weight);
        let slopes: Vec<f64> =
            (0..pulls.len()).map(|k| self.slopes[k] - more * dot(self.inverse.row(k), &pulls)).collect();
        self.scores_of(&slopes, more)
    }

    fn scores_of(&self, slopes: &[f64], more: f64) -> Vec<f64> {
        let score = |columns: &[usize]| match columns {
            [column] => {
                slopes[column + 1] / (more * self.variance[(column + 1, column + 1)]).max(f64::MIN_POSITIVE).sqrt()
            }
            columns => {
                let places: Vec<usize> = columns.iter().map(|column| column + 1).collect();
                let own: Vec<f64> = places.iter().map(|&place| slopes[place]).collect();
                let statistic = Cholesky::with_least_ridge(&self.variance.submatrix(&places))
                    .map_or(0.0, |solver| dot(&own, &solver.solve(&own)).max(0.0) / more);
                as_one_column(statistic, columns.len()).sqrt()
            }
        };
        self.data.encoding.features.iter().map(|feature| score(&feature.columns)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::table::Table;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;

    const WEAK: usize = 16;

    /// `y = 2 a + slope (x1 + .. + x16) + noise`; the evidence is what `t` makes of each x.
    fn found(slope: f64, t: &dyn Fn(f64) -> f64) -> Option<Vec<usize>> {
        found_by(3, slope, t).map(|(variables, _)| variables)
    }

    /// The same for another sample, with what is told.
    fn found_by(seed: u64, slope: f64, t: &dyn Fn(f64) -> f64) -> Option<(Vec<usize>, Finding)> {
        let rows = 500;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || -> Vec<f64> { (0..rows).map(|_| random.sample(StandardNormal)).collect() };
        let (a, noise) = (draw(), draw());
        let weak: Vec<Vec<f64>> = (0..WEAK).map(|_| draw()).collect();
        let y = (0..rows).map(|k| 2.0 * a[k] + slope * weak.iter().map(|x| x[k]).sum::<f64>() + noise[k]).collect();
        let columns = weak.into_iter().enumerate().map(|(k, x)| (format!("x{}", k + 1), x));
        let columns = std::iter::once(("a".to_string(), a)).chain(columns).chain([("y".to_string(), y)]);
        let table = Table::from_numbers(columns).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let scores = Linear::of(&data).unwrap().scores();
        let evidence: Vec<VariableEvidence> = scores
            .iter()
            .map(|&score| {
                let t = t(score);
                let p_value = crate::evidence::chi_squared_tail(t * t, 1);
                VariableEvidence { t, p_value, ..VariableEvidence::default() }
            })
            .collect();
        companions(&data, &[0], &evidence).unwrap().map(|found| (found.variables, found.finding))
    }

    #[test]
    fn weak_effects_join_together() {
        let joined = found(0.12, &|score| score).unwrap();
        assert!(joined.len() >= WEAK - 2 && !joined.contains(&0), "{joined:?}");
    }

    #[test]
    fn columns_without_effect_do_not_join() {
        assert_eq!(found(0.0, &|score| score), None);
    }

    #[test]
    fn effects_fill_up_a_set_and_noise_seldom_does() {
        let joins = |slope| (0..20).filter(|&seed| found_by(seed, slope, &|score| score).is_some()).count();
        // Columns of noise of which those are taken that have some evidence in the same rows.
        assert!(joins(0.0) <= 6, "{}", joins(0.0));
        assert!(joins(0.09) >= 18, "{}", joins(0.09));
        assert_eq!(found_by(3, 0.09, &|score| score).unwrap().1.code, Code::FilledUp);
    }

    #[test]
    fn what_flexible_regressions_do_not_confirm_does_not_join() {
        // As a biased column: it helps least squares in every region, and has next to no evidence of its own.
        assert_eq!(found(0.3, &|_| 1.2), None);
    }
}
