//! From residuals to what is reported: effect, standard error, t, p-value, effect size, probability.

use super::{Evidence, VariableEvidence};
use crate::design::TrainingData;
use crate::functions::normal_cdf;
use crate::linalg::{Cholesky, Matrix, add_lower_cross_product, dot};
use crate::models::spread_of_the_bulk;

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
        // Where the slope explains all, no test can be surer than rounding; where nothing is left to explain, none is passed.
        let statistic = match statistic {
            _ if outcome_variance < NOTHING => 0.0,
            certain if !certain.is_finite() || spread[(0, 0)] <= 0.0 => total / ROUNDING.powi(2),
            usual => usual.max(0.0),
        };
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
            ..VariableEvidence::default()
        }
    }
}

/// How the tests of a variable's slope and of its other shapes share the chance of an error.
const SLOPE_SHARE: f64 = 0.8;
/// The least variance of a function of the variable that the others leave, of 1.
const LEAST_VARIANCE: f64 = 1e-7;
/// What a slope leaves of an outcome's residual at least, as a share of it: less is rounding.
const ROUNDING: f64 = 1e-6;
/// The least variance of an outcome that the other columns leave, of 1; where there is less they determine it.
const NOTHING: f64 = 1e-12;
/// Rows below which a probability is computed as if there were so many: the fewer there are, the less evidence a unit-information
/// prior asks for, until chance passes.
const FEW_ROWS: f64 = 200.0;
/// Evidence or slope that the halves of the landmarks show beyond the whole, as a share of it, from which evidence is doubtful,
/// unless it is beyond all doubt.
const DOUBTFUL: f64 = 0.03;
const BEYOND_DOUBT: f64 = 64.0;

/// The share of the rows where regressions with either half of the landmarks agree best.
pub(super) const CALM_SHARE: f64 = 0.8;
/// What these rows may lack of the whole's evidence by chance: two standard deviations, in units of t.
const CHANCE_OF_CALM: f64 = 1.0;

/// What one set of regressions says about a variable.
pub(super) struct Tested {
    /// Slope and standard error, both standardised, if the variable has one column that the others do not determine.
    slope: Option<(f64, f64)>,
    t: f64,
    effect_size: f64,
    shape_p_value: Option<f64>,
    /// Whether the slope says more than other shapes.
    by_slope: bool,
    p_value: f64,
    /// The square of the normal quantile that is as unlikely as both tests together.
    pub(super) statistic: f64,
}

/// How rows count.
#[derive(Clone, Copy)]
pub(super) struct Counting<'a> {
    /// One weight per row.
    pub weights: &'a [f64],
    /// The group of every row, where rows of one are not independent of each other.
    pub groups: Option<&'a [usize]>,
}

/// Tests whether the outcome's residuals go with those of functions of a variable.
///
/// `own` are the functions' residuals, the first `direct` of them the variable's columns, `twice` what the outcome's
/// regression leaves of them, `left` its degrees of freedom. What rows of one group say is one sum: they need not be independent of
/// each other. Outcomes are cut at `limit` standard deviations of the bulk: if the outcome does
/// not depend on the variable given the others, no function of it does.
pub(super) fn test(
    Counting { weights, groups }: Counting<'_>,
    mut outcome: Vec<f64>,
    mut own: Vec<Vec<f64>>,
    mut twice: Vec<Vec<f64>>,
    direct: usize,
    left: f64,
    limit: Option<f64>,
) -> Tested {
    if let Some(limit) = limit {
        let most = limit * spread_of_the_bulk(&outcome, weights);
        if most > 0.0 {
            outcome.iter_mut().for_each(|residual| *residual = residual.clamp(-most, most));
        }
    }
    let total: f64 = weights.iter().sum();
    let mean =
        |a: &[f64], b: &[f64]| weights.iter().zip(a.iter().zip(b)).map(|(w, (a, b))| w * a * b).sum::<f64>() / total;
    // Shapes are to say what the slope does not.
    let moments = Matrix::from_fn(direct, direct, |a, b| mean(&own[a], &own[b]));
    if let Some(solver) = Cholesky::with_least_ridge(&moments) {
        for shape in direct..own.len() {
            let shares = solver.solve(&(0..direct).map(|c| mean(&own[c], &own[shape])).collect::<Vec<_>>());
            for all in [&mut own, &mut twice] {
                let (columns, shapes) = all.split_at_mut(shape);
                for (column, share) in columns[..direct].iter().zip(&shares) {
                    shapes[0].iter_mut().zip(column).for_each(|(value, x)| *value -= share * x);
                }
            }
        }
    }
    let kept: Vec<usize> = (0..own.len()).filter(|&k| k < direct || mean(&own[k], &own[k]) > LEAST_VARIANCE).collect();
    let count = kept.len();
    let products: Vec<f64> = kept.iter().map(|&k| total * mean(&own[k], &outcome)).collect();
    let gram = Matrix::from_fn(count, count, |a, b| total * mean(&own[kept[a]], &own[kept[b]]));
    let solver = Cholesky::with_least_ridge(&gram);
    let slopes = solver.as_ref().map_or_else(|| vec![0.0; count], |solver| solver.solve(&products));
    let inverse = solver.map_or_else(|| Matrix::zeros(count, count), |solver| solver.inverse());
    let rows = weights.len();
    let mut uncertain = vec![0.0; rows * count];
    for (row, uncertain) in uncertain.chunks_exact_mut(count.max(1)).enumerate() {
        let values: Vec<f64> = kept.iter().map(|&k| own[k][row]).collect();
        // A row that is far out in a square or a cube pulls the slopes to itself, and what it then leaves is too little.
        let leverage = weights[row] * dot(&values, &inverse.times(&values));
        let rest = weights[row] * (outcome[row] - dot(&values, &slopes)) / (1.0 - leverage).max(0.1);
        uncertain.iter_mut().zip(&kept).for_each(|(value, &k)| *value = rest * twice[k][row]);
    }
    let clusters = groups.map(|groups| sums_by_group(&uncertain, groups, count));
    let uncertain = clusters.as_ref().map_or(&uncertain, |(sums, _)| sums);
    let mut spread = Matrix::zeros(count, count);
    add_lower_cross_product(uncertain, uncertain, &mut spread);
    spread.mirror_lower();
    let mut freedom = (left - count as f64).max(1.0);
    spread.scale(rows as f64 / freedom);
    if let Some((_, groups)) = &clusters {
        let others = (*groups as f64 - 1.0).max(1.0);
        spread.scale(*groups as f64 / others);
        freedom = freedom.min(others);
    }
    // Where the slopes leave nothing of the outcome what is left is rounding: no test can be surer than that.
    let nothing_left = mean(&outcome, &outcome) < NOTHING;
    for (k, &function) in kept.iter().enumerate() {
        let rows = weights.iter().zip(&twice[function]).map(|(weight, value)| (weight * value).powi(2));
        let least = ROUNDING * ROUNDING * mean(&outcome, &outcome) * rows.sum::<f64>();
        if spread[(k, k)] < least {
            spread[(k, k)] = least;
        }
    }
    // Rows that weigh little tell little about the spread.
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    let freedom = (freedom * total * total / (rows as f64 * squares)).max(1.0);

    let columns: Vec<usize> = (0..direct).collect();
    let solver = Cholesky::with_least_ridge(&spread.submatrix(&columns));
    // If all others determine the outcome, nothing is left for a variable to tell.
    let finite = |value: f64| if value.is_finite() && !nothing_left { value.max(0.0) } else { 0.0 };
    let statistic =
        finite(solver.as_ref().map_or(0.0, |solver| dot(&products[..direct], &solver.solve(&products[..direct]))));
    // Rows with a spread that few of them tell say little about it: of a mark that twelve rows have, these twelve.
    let of_rows = |functions: &[usize]| {
        let functions: Vec<&[f64]> = functions.iter().map(|&k| twice[kept[k]].as_slice()).collect();
        let freedom = freedom.min(rows_that_tell(weights, &functions)).max(1.0);
        // As Hotelling's: their spread is estimated, too.
        (freedom, ((freedom - functions.len() as f64 + 1.0) / freedom).max(0.1))
    };
    let (of_slope, sure) = of_rows(&columns);
    let normal = as_if_normal(sure * statistic, of_slope);
    let by_slope = (as_one_column(normal, direct), chi_squared_tail(normal, direct));
    let mut by_shape = None;
    if let Some(solver) = solver.filter(|_| count > direct) {
        let shapes: Vec<usize> = (direct..count).collect();
        let along = |k: usize| (0..direct).map(|c| spread[(k, c)]).collect::<Vec<_>>();
        let rest: Vec<f64> =
            shapes.iter().map(|&k| products[k] - dot(&along(k), &solver.solve(&products[..direct]))).collect();
        let left = Matrix::from_fn(shapes.len(), shapes.len(), |a, b| {
            spread[(shapes[a], shapes[b])] - dot(&along(shapes[a]), &solver.solve(&along(shapes[b])))
        });
        let statistic =
            finite(Cholesky::with_least_ridge(&left).map_or(0.0, |solver| dot(&rest, &solver.solve(&rest))));
        let (of_shapes, sure) = of_rows(&shapes);
        let normal = as_if_normal(sure * statistic, of_shapes);
        by_shape = Some((as_one_column(normal, shapes.len()), chi_squared_tail(normal, shapes.len())));
    }
    let (statistic, p_value) = by_shape.map_or(by_slope, |by_shape| together(by_slope, by_shape));

    let variance = mean(&outcome, &outcome);
    let sizes = (0..direct).map(|k| {
        let product = variance * gram[(k, k)] / total;
        if product > 0.0 { (products[k] / total / product.sqrt()).clamp(-1.0, 1.0) } else { 0.0 }
    });
    let effect_size = sizes.fold(0.0, |most: f64, size| if size.abs() > most.abs() { size } else { most });
    let (mut slope, mut t) = (None, (normal / direct as f64).sqrt());
    if direct == 1 {
        t = finite(spread[(0, 0)]).sqrt();
        t = if t > 0.0 && !nothing_left { products[0] / t } else { 0.0 };
        let variance = gram[(0, 0)];
        slope = (variance > LEAST_VARIANCE * total)
            .then(|| (products[0] / variance, finite(spread[(0, 0)]).sqrt() / variance));
    }
    Tested {
        slope,
        t,
        effect_size,
        shape_p_value: by_shape.map(|(_, p)| p),
        by_slope: by_shape.is_none_or(|(shape, _)| by_slope.0 >= shape),
        p_value,
        statistic,
    }
}

/// The degrees of freedom that a spread `sum w_i^2 e_i^2 u_i u_i'` has if all errors e are alike (Satterthwaite): for one function
/// `(sum u^2)^2 / sum u^4`, for q of them `q / sum h^2`, h being the share of a row in all of them.
fn rows_that_tell(weights: &[f64], functions: &[&[f64]]) -> f64 {
    let count = functions.len();
    let rows: Vec<f64> =
        weights.iter().enumerate().flat_map(|(row, weight)| functions.iter().map(move |u| weight * u[row])).collect();
    let mut gram = Matrix::zeros(count, count);
    add_lower_cross_product(&rows, &rows, &mut gram);
    gram.mirror_lower();
    let Some(solver) = Cholesky::with_least_ridge(&gram) else { return f64::INFINITY };
    let inverse = solver.inverse();
    let shares = rows.chunks_exact(count.max(1)).map(|row| dot(row, &inverse.times(row)));
    let squares: f64 = shares.map(|share| share * share).sum();
    if squares > 0.0 { count as f64 / squares } else { f64::INFINITY }
}

/// Sums of rows (each with `count` values) by their groups, and how many groups there are.
fn sums_by_group(rows: &[f64], groups: &[usize], count: usize) -> (Vec<f64>, usize) {
    let most = groups.iter().max().map_or(0, |most| most + 1);
    let mut sums = vec![0.0; most * count];
    let mut seen = vec![false; most];
    for (row, &group) in rows.chunks_exact(count.max(1)).zip(groups) {
        seen[group] = true;
        sums[group * count..(group + 1) * count].iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    (sums, seen.into_iter().filter(|seen| *seen).count())
}

/// Two tests as one, by Cauchy's combination (Liu and Xie, 2020): statistic as of one column, and p-value.
fn together(slope: (f64, f64), shape: (f64, f64)) -> (f64, f64) {
    if slope.1.min(shape.1) < 1e-12 {
        // Beyond what tangents tell the smaller one decides, for its share of the chance.
        let paid = |statistic: f64, share: f64| (statistic + 2.0 * share.ln()).max(0.0);
        let statistic = paid(slope.0, SLOPE_SHARE).max(paid(shape.0, 1.0 - SLOPE_SHARE));
        return (statistic, chi_squared_tail(statistic, 1));
    }
    let tangent = |p: f64| (std::f64::consts::PI * (0.5 - p.min(1.0 - 1e-12))).tan();
    let sum = SLOPE_SHARE * tangent(slope.1) + (1.0 - SLOPE_SHARE) * tangent(shape.1);
    let p_value = (0.5 - sum.atan() / std::f64::consts::PI).clamp(0.0, 1.0);
    (quantile_of_tail(p_value, slope.0.max(shape.0).max(1.0)), p_value)
}

/// The tests of a variable.
pub(super) struct Examined {
    /// With all rows and landmarks.
    pub whole: Tested,
    /// With either half of the landmarks.
    pub halves: Vec<Tested>,
    /// With the rows in which these differ least, [`CALM_SHARE`] of all.
    pub calm: Option<Tested>,
}

/// From the tests of a variable to what is reported.
///
/// What the halves show beyond the whole would fall further with more landmarks than there are; it is taken off once more. So is what
/// the whole shows beyond the rows where the regressions are sure of themselves, beyond what chance makes of it: an
/// effect is there as well. What is left of the statistic comes beside.
pub(super) fn conclude(
    settings: &Evidence,
    Examined { whole, halves, calm }: &Examined,
    effective: f64,
    units: Option<f64>,
) -> (VariableEvidence, f64) {
    let size = |tested: &Tested| tested.statistic.sqrt();
    let of_halves = halves.iter().map(size).sum::<f64>() / halves.len().max(1) as f64;
    let beyond = (of_halves - size(whole)).max(0.0);
    let concentrated = calm.as_ref().map_or(0.0, |calm| size(whole) - size(calm) / CALM_SHARE.sqrt());
    let certain = (size(whole) - beyond - (concentrated - CHANCE_OF_CALM).max(0.0)).max(0.0);
    let probability_of = |size: f64| probability(size * size, effective, settings);
    let repeats: Vec<f64> = std::iter::once(whole).chain(halves).map(|tested| probability_of(size(tested))).collect();
    let mean = repeats.iter().sum::<f64>() / repeats.len() as f64;
    let spread = (repeats.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / repeats.len() as f64).sqrt();
    let slope = |tested: &Tested| tested.slope.map_or(0.0, |(slope, _)| slope.abs());
    let steeper = halves.iter().map(slope).sum::<f64>() / halves.len().max(1) as f64 - slope(whole);
    let falls = beyond > DOUBTFUL * size(whole) || (whole.by_slope && steeper > DOUBTFUL * slope(whole));
    let doubtful = falls && whole.statistic < BEYOND_DOUBT && probability_of(size(whole)) >= 0.5;
    let evidence = VariableEvidence {
        effect: units.zip(whole.slope).map(|(units, (slope, _))| units * slope),
        standard_error: units.zip(whole.slope).map(|(units, (_, error))| units * error),
        t: whole.t,
        p_value: whole.p_value,
        shape_p_value: whole.shape_p_value,
        effect_size: whole.effect_size,
        probability: probability_of(certain),
        spread,
        doubtful,
        effective_sample_size: effective,
        ..VariableEvidence::default()
    };
    (evidence, certain * certain)
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
pub(crate) fn as_one_column(statistic: f64, columns: usize) -> f64 {
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
    quantile_of_tail(tail, statistic)
}

/// The normal quantile, in absolute value, that is as unlikely as a p-value.
pub(crate) fn normal_score(p_value: f64) -> f64 {
    // Beyond that there are no such numbers.
    quantile_of_tail(p_value, 1500.0).sqrt()
}

/// The square of the normal quantile with this tail, at most `most`.
fn quantile_of_tail(tail: f64, most: f64) -> f64 {
    let (mut low, mut high) = (0.0, most);
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
    let total = total.max(FEW_ROWS);
    let shrink = settings.shrink(total);
    let (fair, size) = (statistic / shrink, total / shrink);
    let prior = settings.prior.get();
    let log_odds = 0.5 * fair * size / (1.0 + size) - 0.5 * (1.0 + size).ln() + (prior / (1.0 - prior)).ln();
    1.0 / (1.0 + (-log_odds).exp())
}

/// The probability that a chi-squared variable exceeds `x`.
pub(crate) fn chi_squared_tail(x: f64, degrees: usize) -> f64 {
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
        // The t that is needed for a half, as docs/evidence.md has it, and more of it among many variables.
        for (rows, least) in [(1000.0, 3.2), (10_000.0, 4.6), (50_000.0, 8.2)] {
            let (t, p) = settings.needed(10, rows, 0.5);
            assert!((t - least).abs() < 0.1 && (p - chi_squared_tail(t * t, 1)).abs() < 1e-12, "{rows}: {t}");
        }
        assert!(settings.needed(500, 1000.0, 0.5).0 > settings.needed(10, 1000.0, 0.5).0 + 0.3);
    }
}
