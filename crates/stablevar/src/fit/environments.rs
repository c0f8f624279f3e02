//! Whether the chosen variables act alike in all environments, where the rows have some.
//!
//! In every environment the outcome is regressed on the chosen variables (for two classes by logistic regression). The slopes `b_e` of a
//! variable and their robust covariances `V_e` (HC3) give Cochran's statistic
//!
//! ```text
//! Q = sum_e (b_e - b)' V_e^-1 (b_e - b),   b = (sum_e V_e^-1)^-1 sum_e V_e^-1 b_e,
//! ```
//!
//! which follows a chi-squared distribution with `(environments - 1) x columns` degrees if the effect is the same everywhere. P-values
//! are corrected for the number of variables (Holm).

use crate::design::{Task, TrainingData, linear_combinations};
use crate::error::Result;
use crate::evidence::chi_squared_tail;
use crate::finding::{Code, Finding};
use crate::functions::sigmoid;
use crate::linalg::{Cholesky, Matrix, dot, max_abs};
use crate::passes::RowSource;
use crate::rows::weighted_cross_product;
use crate::stress::rows_for_stress;
use crate::threads;
use serde::{Deserialize, Serialize};

/// Rows that an environment must have, at least and per coefficient; of two classes so many of each.
const LEAST_ROWS: usize = 30;
const ROWS_PER_COEFFICIENT: usize = 10;
const LEAST_OF_CLASS: usize = 10;
/// A corrected p-value below this says that an effect differs.
const DIFFERS: f64 = 0.01;
/// Newton's steps, and slopes of standardised columns in log-odds beyond which classes are told apart without error.
const STEPS: usize = 40;
const SEPARATED: f64 = 18.0;

/// The effects of the chosen variables in every environment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnvironmentEffects {
    /// The column that names the environments.
    pub column: String,
    /// The environments, in order.
    pub environments: Vec<EnvironmentRows>,
    /// One per chosen variable whose effect could be compared.
    pub effects: Vec<EffectAcross>,
}

/// An environment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnvironmentRows {
    /// Its name.
    pub name: String,
    /// Rows that were looked at.
    pub rows: usize,
    /// Whether they were enough to fit the chosen variables there.
    pub judged: bool,
}

/// The effect of a variable across environments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectAcross {
    /// Its name.
    pub variable: String,
    /// Cochran's statistic.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// Probability of a statistic at least this large if the effect is the same everywhere.
    pub p_value: f64,
    /// The same corrected for the number of variables.
    pub corrected_p_value: f64,
    /// Whether the effect differs.
    pub differs: bool,
    /// Per encoded column its slope in every environment.
    pub columns: Vec<ColumnAcross>,
}

/// The slope of an encoded column across environments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnAcross {
    /// Its name.
    pub name: String,
    /// In every environment; `None` where it could not be told.
    pub slopes: Vec<Option<Slope>>,
}

/// A slope given the other chosen variables, in the user's units; for classes in log-odds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Slope {
    /// The slope.
    pub effect: f64,
    /// Its robust standard error.
    pub standard_error: f64,
}

impl EnvironmentEffects {
    /// Compares the chosen variables' effects; `None` if the rows have no environments.
    pub(super) fn of(data: &dyn RowSource, selected: &[usize]) -> Result<Option<Self>> {
        if data.frame().environments.is_none() {
            return Ok(None);
        }
        // All rows where they are at hand, some where they would have to be fetched.
        let sampled;
        let rows: &TrainingData = match data.memory() {
            Some(memory) => memory,
            None => {
                sampled = rows_for_stress(data)?;
                &sampled
            }
        };
        let (Some(codes), Some(known)) = (&rows.environment, &rows.environments) else { return Ok(None) };
        let features = &rows.encoding.features;
        let columns: Vec<usize> =
            selected.iter().flat_map(|&variable| features[variable].columns.iter().copied()).collect();
        let mut members = vec![Vec::new(); known.levels.len()];
        codes.iter().enumerate().for_each(|(row, &code)| members[code as usize].push(row));
        let fits = threads::map(members.len(), |k| Fit::to(rows, &members[k], &columns));
        let mut effects: Vec<EffectAcross> =
            selected.iter().filter_map(|&variable| across(rows, &fits, variable, &columns)).collect();
        correct(&mut effects);
        let environments = known.levels.iter().zip(&members).zip(&fits);
        let environments = environments
            .map(|((name, members), fit)| EnvironmentRows {
                name: name.clone(),
                rows: members.len(),
                judged: fit.is_some(),
            })
            .collect();
        Ok(Some(Self { column: known.column.clone(), environments, effects }))
    }

    /// What the user should know.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        let few: Vec<&str> = self.environments.iter().filter(|one| !one.judged).map(|one| one.name.as_str()).collect();
        if !few.is_empty() {
            let shown = few.iter().take(NAMED).map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
            let more = if few.len() > NAMED { ", ..." } else { "" };
            let told = Finding::new(Code::FewRowsInEnvironments).about([&self.column]).detail(shown + more);
            found.push(told.with("few", few.len() as f64).with("of", self.environments.len() as f64));
        }
        let mut differ: Vec<&EffectAcross> = self.effects.iter().filter(|effect| effect.differs).collect();
        differ.sort_by(|a, b| a.corrected_p_value.total_cmp(&b.corrected_p_value));
        if let Some(last) = differ.last() {
            let shown: Vec<String> = differ.iter().take(NAMED).map(|effect| self.extremes(effect)).collect();
            let more =
                if differ.len() > NAMED { format!("; and {} more", differ.len() - NAMED) } else { String::new() };
            let names = std::iter::once(&self.column).chain(differ.iter().map(|effect| &effect.variable));
            let told = Finding::new(Code::EffectDiffers).about(names).with("effects", differ.len() as f64);
            found.push(told.with("p_value", last.corrected_p_value).detail(shown.join("; ") + &more));
        }
        found
    }

    /// Where the slope of a variable is least and greatest, of a text that of the level where they differ most.
    fn extremes(&self, effect: &EffectAcross) -> String {
        let ranges = effect.columns.iter().filter_map(|column| {
            let slopes = column.slopes.iter().zip(&self.environments);
            let slopes: Vec<(f64, &str)> =
                slopes.filter_map(|(slope, place)| Some((slope.as_ref()?.effect, place.name.as_str()))).collect();
            let least = slopes.iter().copied().reduce(|a, b| if b.0 < a.0 { b } else { a })?;
            let most = slopes.iter().copied().reduce(|a, b| if b.0 > a.0 { b } else { a })?;
            Some((column.name.as_str(), least, most))
        });
        let widest = ranges.reduce(|a, b| if b.2.0 - b.1.0 > a.2.0 - a.1.0 { b } else { a });
        widest.map_or_else(String::new, |(name, least, most)| {
            let of = if effect.columns.len() > 1 { format!(" ({name})") } else { String::new() };
            let (from, to) = (rounded(least.0), rounded(most.0));
            format!("'{}'{of} from {from} in '{}' to {to} in '{}'", effect.variable, least.1, most.1)
        })
    }
}

/// Environments, or variables, that are named in a finding at most.
const NAMED: usize = 8;

/// A number with three digits or so.
fn rounded(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-3..1e6).contains(&size) => format!("{value:.2e}"),
        size => format!("{value:.*}", (2 - size.max(1e-3).log10().floor() as i32).clamp(0, 5) as usize),
    }
}

/// A regression on the chosen columns in one environment.
struct Fit {
    /// Encoded columns that vary there beside those before them.
    columns: Vec<usize>,
    /// One slope per column, in the user's units.
    slopes: Vec<f64>,
    /// Their covariances.
    covariance: Matrix,
}

impl Fit {
    /// `None` where there are too few rows.
    fn to(data: &TrainingData, members: &[usize], chosen: &[usize]) -> Option<Self> {
        let classes = data.target.task() == Task::Classification;
        let labels: Vec<f64> =
            members.iter().map(|&row| if classes { data.truth(row) } else { data.outcome[row] }).collect();
        let second = labels.iter().filter(|&&label| label > 0.5).count();
        let enough = members.len() >= LEAST_ROWS.max(ROWS_PER_COEFFICIENT * (chosen.len() + 1))
            && (!classes || second.min(labels.len() - second) >= LEAST_OF_CLASS);
        if !enough || chosen.is_empty() {
            return None;
        }
        let weights: Vec<f64> = members.iter().map(|&row| data.base[row]).collect();
        let places: Vec<usize> = std::iter::once(0).chain(chosen.iter().map(|column| column + 1)).collect();
        let rows = Matrix::from_fn(members.len(), places.len(), |i, j| data.design[(members[i], places[j])]);
        let moments = weighted_cross_product(&rows, &weights);
        let dependent = linear_combinations(&moments, &(0..chosen.len()).collect::<Vec<_>>());
        let kept: Vec<usize> = (0..chosen.len()).filter(|k| !dependent.iter().any(|(column, _)| column == k)).collect();
        let rows =
            Matrix::from_fn(members.len(), kept.len() + 1, |i, j| rows[(i, if j == 0 { 0 } else { kept[j - 1] + 1 })]);
        let (coefficients, covariance) = regress(&rows, &weights, &labels, classes)?;
        let columns: Vec<usize> = kept.iter().map(|&k| chosen[k]).collect();
        let outcome = if classes { 1.0 } else { data.target.scale };
        let unit = |k: usize| outcome / data.encoding.columns[columns[k]].scale;
        Some(Self {
            slopes: (0..columns.len()).map(|k| unit(k) * coefficients[k + 1]).collect(),
            covariance: Matrix::from_fn(columns.len(), columns.len(), |i, j| {
                unit(i) * unit(j) * covariance[(i + 1, j + 1)]
            }),
            columns,
        })
    }

    /// Slopes of some columns and their covariances, if they could all be told.
    fn of(&self, columns: &[usize]) -> Option<(Vec<f64>, Matrix)> {
        let places: Vec<usize> =
            columns.iter().map(|column| self.columns.iter().position(|own| own == column)).collect::<Option<_>>()?;
        Some((places.iter().map(|&place| self.slopes[place]).collect(), self.covariance.submatrix(&places)))
    }
}

/// Least squares, or logistic regression, with its robust covariance (HC3); `None` if it has no solution.
fn regress(rows: &Matrix, weights: &[f64], outcome: &[f64], classes: bool) -> Option<(Vec<f64>, Matrix)> {
    let width = rows.columns();
    let mut coefficients = vec![0.0; width];
    for _ in 0..STEPS {
        let linear = rows.times(&coefficients);
        let fitted: Vec<f64> = linear.iter().map(|&u| if classes { sigmoid(u) } else { u }).collect();
        let curvature: Vec<f64> = fitted.iter().map(|p| if classes { p * (1.0 - p) } else { 1.0 }).collect();
        let left: Vec<f64> = outcome.iter().zip(&fitted).map(|(y, fitted)| y - fitted).collect();
        let weighted =
            |values: &dyn Fn(usize) -> f64| (0..weights.len()).map(|k| weights[k] * values(k)).collect::<Vec<f64>>();
        let factor = Cholesky::new(&weighted_cross_product(rows, &weighted(&|k| curvature[k])))?;
        let gradient: Vec<f64> =
            (0..width).map(|j| (0..weights.len()).map(|k| weights[k] * left[k] * rows[(k, j)]).sum()).collect();
        let step = factor.solve(&gradient);
        if max_abs(&step) < 1e-8 {
            let inverse = factor.inverse();
            let leverage = |k: usize| curvature[k] * dot(rows.row(k), &inverse.times(rows.row(k)));
            let noise = weighted(&|k| (left[k] / (1.0 - leverage(k)).max(0.05)).powi(2));
            let meat = weighted_cross_product(rows, &noise);
            let half = Matrix::from_fn(width, width, |i, j| (0..width).map(|k| inverse[(i, k)] * meat[(k, j)]).sum());
            let covariance =
                Matrix::from_fn(width, width, |i, j| (0..width).map(|k| half[(i, k)] * inverse[(k, j)]).sum());
            return Some((coefficients, covariance));
        }
        coefficients.iter_mut().zip(&step).for_each(|(value, step)| *value += step);
        if coefficients.iter().any(|value| !value.is_finite() || (classes && value.abs() > SEPARATED)) {
            return None;
        }
    }
    None
}

/// The test for one variable; `None` where fewer than two environments tell its effect.
fn across(data: &TrainingData, fits: &[Option<Fit>], variable: usize, chosen: &[usize]) -> Option<EffectAcross> {
    let feature = &data.encoding.features[variable];
    // A level that none of the environments tells apart has no effect to compare.
    let told = |column: &&usize| fits.iter().flatten().filter(|fit| fit.columns.contains(column)).count() >= 2;
    let own: Vec<usize> =
        feature.columns.iter().filter(|column| chosen.contains(column)).filter(told).copied().collect();
    let known: Vec<(Vec<f64>, Matrix)> = fits.iter().flatten().filter_map(|fit| fit.of(&own)).collect();
    if own.is_empty() || known.len() < 2 {
        return None;
    }
    let precisions =
        known.iter().map(|(_, covariance)| Some(Cholesky::new(covariance)?.inverse())).collect::<Option<Vec<_>>>()?;
    let (mut total, mut sum) = (Matrix::zeros(own.len(), own.len()), vec![0.0; own.len()]);
    for ((slopes, _), precision) in known.iter().zip(&precisions) {
        total.add_assign(precision);
        sum.iter_mut().zip(precision.times(slopes)).for_each(|(sum, value)| *sum += value);
    }
    let common = Cholesky::new(&total)?.solve(&sum);
    let distance = |(slopes, precision): (&Vec<f64>, &Matrix)| {
        let apart: Vec<f64> = slopes.iter().zip(&common).map(|(own, common)| own - common).collect();
        dot(&apart, &precision.times(&apart))
    };
    let statistic: f64 = known.iter().map(|(slopes, _)| slopes).zip(&precisions).map(distance).sum();
    let degrees = (known.len() - 1) * own.len();
    let slope = |fit: &Option<Fit>, column: usize| {
        let (effects, covariance) = fit.as_ref()?.of(&[column])?;
        Some(Slope { effect: effects[0], standard_error: covariance[(0, 0)].max(0.0).sqrt() })
    };
    let columns = own.iter().map(|&column| ColumnAcross {
        name: data.encoding.columns[column].name.clone(),
        slopes: fits.iter().map(|fit| slope(fit, column)).collect(),
    });
    let p_value = chi_squared_tail(statistic, degrees);
    Some(EffectAcross {
        variable: feature.name.clone(),
        columns: columns.collect(),
        corrected_p_value: p_value,
        differs: false,
        statistic,
        degrees,
        p_value,
    })
    .filter(|effect| effect.statistic.is_finite())
}

/// Holm's correction: the k-th smallest of m p-values times m - k + 1, and never below one before it.
fn correct(effects: &mut [EffectAcross]) {
    let mut order: Vec<usize> = (0..effects.len()).collect();
    order.sort_by(|&a, &b| effects[a].p_value.total_cmp(&effects[b].p_value).then(a.cmp(&b)));
    let mut least = 0.0f64;
    for (k, &position) in order.iter().enumerate() {
        least = least.max(effects[position].p_value * (order.len() - k) as f64).min(1.0);
        effects[position].corrected_p_value = least;
        effects[position].differs = least < DIFFERS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::functions::normal_cdf;
    use crate::table::{Column, Table, TextValues, Values};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;

    const PLACES: [&str; 4] = ["east", "north", "south", "west"];

    /// `y = slope a + b + noise`, where the slope of `a` is another in the west and the noise grows with `b`.
    fn sample(rows: usize, in_west: f64, classes: bool, seed: u64) -> TrainingData {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || -> Vec<f64> { (0..rows).map(|_| random.sample(StandardNormal)).collect() };
        let (a, b, e) = (draw(), draw(), draw());
        let slope = |k: usize| if k % 4 == 3 { in_west } else { 1.0 };
        // For classes the noise is logistic, so that log-odds are linear.
        let noise = |k: usize| match (classes, normal_cdf(e[k])) {
            (true, share) => (share / (1.0 - share)).ln(),
            (false, _) => (0.5 + 0.5 * b[k].abs()) * e[k],
        };
        let level = |k: usize| slope(k) * a[k] + b[k] + noise(k) + (k % 4) as f64;
        let y = (0..rows).map(|k| if classes { f64::from(level(k) > 1.5) } else { level(k) }).collect();
        let places = TextValues::collect((0..rows).map(|k| Some(PLACES[k % 4])));
        let number = |name: &str, values: Vec<f64>| Column { name: name.into(), values: Values::Number(values.into()) };
        let place = Column { name: "place".into(), values: Values::Text(places) };
        let table = Table::new(vec![number("a", a), number("b", b), place, number("y", y)]).unwrap();
        TrainingData::prepare(&table, &Roles { environment: Some("place".into()), ..Roles::target("y") }).unwrap()
    }

    fn found(data: &TrainingData) -> EnvironmentEffects {
        EnvironmentEffects::of(data, &[0, 1]).unwrap().unwrap()
    }

    #[test]
    fn an_effect_that_differs_is_found_and_told_where() {
        for classes in [false, true] {
            let effects = found(&sample(3000, 0.2, classes, 1));
            let [a, b] = &effects.effects[..] else { panic!("{effects:?}") };
            assert!(a.differs && !b.differs, "{effects:?}");
            assert_eq!(a.degrees, 3);
            let slopes: Vec<f64> = a.columns[0].slopes.iter().map(|slope| slope.unwrap().effect).collect();
            assert!(slopes[..3].iter().all(|slope| *slope > slopes[3] + 0.4), "{slopes:?}");
            let told = effects.findings();
            assert_eq!(told.len(), 1);
            assert_eq!(told[0].variables, ["place", "a"]);
            assert!(told[0].detail.starts_with("'a' from ") && told[0].detail.contains("in 'west' to"), "{told:?}");
            // However many differ, it is one thing to know.
            let mut all = effects.clone();
            let mut other = all.effects[0].clone();
            (other.variable, other.corrected_p_value) = ("c".into(), 0.004);
            all.effects.push(other);
            let told = all.findings();
            assert_eq!((told.len(), &told[0].variables[..]), (1, &["place", "a", "c"].map(String::from)[..]));
            assert_eq!((told[0].figures["effects"], told[0].figures["p_value"]), (2.0, 0.004));
            assert!(told[0].detail.contains("; 'c' from "), "{told:?}");
        }
    }

    #[test]
    fn without_a_difference_p_values_are_uniform() {
        for (rows, classes) in [(240, false), (800, true)] {
            let values: Vec<f64> = threads::map(300, |seed| {
                let effects = found(&sample(rows, 1.0, classes, 50 + seed as u64)).effects;
                effects.iter().map(|effect| effect.p_value).collect::<Vec<f64>>()
            })
            .concat();
            let below = |limit: f64| values.iter().filter(|p| **p < limit).count() as f64 / values.len() as f64;
            assert!(values.len() > 500 && below(0.05) < 0.08 && below(0.5) > 0.4, "{} {}", below(0.05), below(0.5));
        }
    }

    #[test]
    fn weights_count_as_rows_and_few_rows_are_told() {
        let data = sample(800, 1.0, false, 3);
        let twice: Vec<usize> = (0..800).flat_map(|row| [row, row]).collect();
        let mut heavy = data.clone();
        heavy.base = vec![2.0; 800];
        let (one, other) = (found(&data.pick(&twice)), found(&heavy));
        for (one, other) in one.effects.iter().zip(&other.effects) {
            assert!((one.statistic - other.statistic).abs() < 1e-6 * one.statistic, "{one:?} {other:?}");
        }
        let short = data.pick(&(0..800).filter(|row| row % 4 < 3 || *row < 40).collect::<Vec<_>>());
        let effects = found(&short);
        assert!(!effects.environments[3].judged && effects.effects[0].degrees == 2);
        assert_eq!(effects.findings()[0].code, Code::FewRowsInEnvironments);
        assert!(EnvironmentEffects::of(&data, &[]).unwrap().unwrap().effects.is_empty());
    }
}
