//! How the columns of new rows differ from those of training.

use crate::design::{Encoding, FeatureKind};
use crate::functions::normal_cdf;
use crate::linalg::dot;
use serde::Serialize;
use std::collections::BTreeMap;

/// A smaller share of a level is rounding.
const SHARE_OF_NONE: f64 = 1e-12;

/// Differences of shares, in standard deviations, that are alike.
const AS_MUCH: f64 = 1e-9;

/// How a column of the new rows differs from training.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnDrift {
    /// The column.
    #[serde(skip)]
    pub name: String,
    /// Whether the model uses it.
    pub used: bool,
    /// Difference of the means, new minus training, in standard deviations of the training rows; of text that of the level
    /// whose share differs most, in standard deviations of such a share, `sqrt` of the mean of `s (1 - s)` of both.
    pub standardised_difference: f64,
    /// For text the level that this is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Mean of the training rows, of text the level's share.
    pub training_mean: f64,
    /// The same of the new rows.
    pub new_mean: f64,
    /// Standard deviation of the new rows divided by that of training; none for text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread_ratio: Option<f64>,
    /// Which test: Kolmogorov-Smirnov for numbers, chi-squared for true/false and text.
    pub test: &'static str,
    /// Its statistic.
    pub statistic: f64,
    /// The chance of such a difference, or a larger one, if both samples have one law.
    pub p_value: f64,
    /// Share of the new values outside what training saw: beyond its range, or levels it did not have.
    pub outside_share: f64,
    /// Levels that training did not have, some of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_levels: Vec<String>,
    /// Share of missing values.
    pub missing_share: f64,
    /// The difference times the share that the column has in the model: what is listed first.
    pub importance: f64,
}

/// What was counted in the new rows' values of a column.
pub(super) struct Counted {
    pub rows: f64,
    /// Sums of the standardised values of its encoded columns, and of their squares.
    pub sums: Vec<(f64, f64)>,
    pub outside: f64,
    pub unseen: f64,
    pub missing: f64,
    pub new_levels: Vec<String>,
    /// Rows with each level that so few training rows had that it counts as the most frequent one.
    pub hardly_seen: BTreeMap<String, usize>,
}

/// Compares a variable; `training_rows` is how many rows training had, `use_share` the variable's share in the model.
pub(super) fn compare(
    encoding: &Encoding,
    variable: usize,
    counted: Counted,
    training_rows: f64,
    (used, use_share): (bool, f64),
    samples: (&[(f64, f64)], &[f64]),
) -> ColumnDrift {
    let feature = &encoding.features[variable];
    let rows = counted.rows.max(1.0);
    let found = match &feature.kind {
        FeatureKind::Number => of_numbers(encoding, feature.columns[0], &counted, samples),
        FeatureKind::Boolean => {
            let column = &encoding.columns[feature.columns[0]];
            let shares = vec![(None, column.mean, column.mean + column.scale * counted.sums[0].0 / rows)];
            of_shares(shares, training_rows, rows)
        }
        FeatureKind::Category { .. } => {
            // Rows with an unseen level count as average rows in the sums.
            let seen = (rows - counted.unseen).max(1.0);
            let own = feature.columns.iter().zip(&counted.sums).map(|(&position, (sum, _))| {
                let column = &encoding.columns[position];
                let level = column.level.clone().unwrap_or_else(|| "(rare)".into());
                // Of a level that no row has, rounding leaves a little.
                let share = (column.mean + column.scale * sum / seen).clamp(0.0, 1.0);
                (Some(level), column.mean, if share < SHARE_OF_NONE { 0.0 } else { share * seen / rows })
            });
            let mut shares: Vec<_> = own.collect();
            // What the training rows had of these was counted with the most frequent level, and is next to nothing.
            let hardly = counted.hardly_seen.iter();
            shares.extend(hardly.map(|(level, count)| (Some(level.clone()), 0.0, *count as f64 / rows)));
            if let Some(level) = encoding.reference_level(variable) {
                let of_others = |which: fn(&(Option<String>, f64, f64)) -> f64| shares.iter().map(which).sum::<f64>();
                let rest = [of_others(|share| share.1), of_others(|share| share.2) + counted.unseen / rows];
                let [old, new] = rest.map(|others| (1.0 - others).max(0.0));
                shares.push((Some(level.clone()), old, if new < SHARE_OF_NONE { 0.0 } else { new }));
            }
            if counted.unseen > 0.0 {
                shares.push((Some("(new)".into()), 0.0, counted.unseen / rows));
            }
            of_shares(shares, training_rows, rows)
        }
    };
    ColumnDrift {
        name: feature.name.clone(),
        used,
        outside_share: (counted.outside + counted.unseen + counted.hardly_seen.values().sum::<usize>() as f64) / rows,
        new_levels: counted.new_levels,
        missing_share: counted.missing / rows,
        importance: found.standardised_difference.abs() * use_share,
        ..found
    }
}

fn of_numbers(
    encoding: &Encoding,
    column: usize,
    counted: &Counted,
    (training, new): (&[(f64, f64)], &[f64]),
) -> ColumnDrift {
    let of = &encoding.columns[column];
    let mean = counted.sums[0].0 / counted.rows.max(1.0);
    let variance = (counted.sums[0].1 / counted.rows.max(1.0) - mean * mean).max(0.0);
    let (statistic, p_value) = kolmogorov_smirnov(training, new);
    ColumnDrift {
        standardised_difference: mean,
        training_mean: of.mean,
        new_mean: of.mean + of.scale * mean,
        spread_ratio: Some(variance.sqrt()),
        ..ColumnDrift::of_test("kolmogorov-smirnov", statistic, p_value)
    }
}

/// Shares of levels, all or all but one of them: level, in training, in the new rows.
fn of_shares(shares: Vec<(Option<String>, f64, f64)>, training_rows: f64, rows: f64) -> ColumnDrift {
    let rest = |which: fn(&(Option<String>, f64, f64)) -> f64| (1.0 - shares.iter().map(which).sum::<f64>()).max(0.0);
    let all = shares.iter().map(|share| (share.1, share.2)).chain([(rest(|share| share.1), rest(|share| share.2))]);
    let mut statistic = 0.0;
    let mut levels = 0;
    for (old, new) in all {
        let pooled = (old * training_rows + new * rows) / (training_rows + rows);
        if pooled > SHARE_OF_NONE {
            levels += 1;
            statistic += (old - new).powi(2) / (pooled * (1.0 / training_rows + 1.0 / rows));
        }
    }
    let difference = |(_, old, new): &(Option<String>, f64, f64)| {
        let spread = 0.5 * (old * (1.0 - old) + new * (1.0 - new));
        if spread > 0.0 { (new - old) / spread.sqrt() } else { new - old }
    };
    let most = shares.iter().fold(None, |most: Option<&(Option<String>, f64, f64)>, share| match most {
        // Of two levels either moves as much as the other: the one that has a column, whatever rounding says.
        Some(before) if difference(before).abs() >= difference(share).abs() - AS_MUCH => most,
        _ => Some(share),
    });
    let p_value = chi_squared_tail(statistic, (levels as usize).saturating_sub(1).max(1));
    let found = ColumnDrift::of_test("chi-squared", statistic, p_value);
    match most {
        None => found,
        Some(share) => ColumnDrift {
            standardised_difference: difference(share),
            level: share.0.clone(),
            training_mean: share.1,
            new_mean: share.2,
            ..found
        },
    }
}

impl ColumnDrift {
    fn of_test(test: &'static str, statistic: f64, p_value: f64) -> Self {
        Self {
            name: String::new(),
            used: false,
            standardised_difference: 0.0,
            level: None,
            training_mean: 0.0,
            new_mean: 0.0,
            spread_ratio: None,
            test,
            statistic,
            p_value,
            outside_share: 0.0,
            new_levels: Vec::new(),
            missing_share: 0.0,
            importance: 0.0,
        }
    }
}

/// The greatest distance of two distribution functions and its p-value (Kolmogorov's limit with Stephens' correction); the
/// first sample is (value, weight).
fn kolmogorov_smirnov(first: &[(f64, f64)], second: &[f64]) -> (f64, f64) {
    if first.is_empty() || second.is_empty() {
        return (0.0, 1.0);
    }
    let (mut first, mut second) = (first.to_vec(), second.to_vec());
    first.sort_by(|a, b| a.0.total_cmp(&b.0));
    second.sort_by(f64::total_cmp);
    let weights: Vec<f64> = first.iter().map(|value| value.1).collect();
    let total: f64 = weights.iter().sum();
    let (mut i, mut j, mut below, mut distance) = (0, 0, 0.0, 0.0f64);
    while i < first.len() && j < second.len() {
        let value = first[i].0.min(second[j]);
        while i < first.len() && first[i].0 <= value {
            below += first[i].1;
            i += 1;
        }
        j += second[j..].iter().take_while(|other| **other <= value).count();
        distance = distance.max((below / total - j as f64 / second.len() as f64).abs());
    }
    let effective = total * total / dot(&weights, &weights);
    let root = (effective * second.len() as f64 / (effective + second.len() as f64)).sqrt();
    (distance, kolmogorov_tail((root + 0.12 + 0.11 / root) * distance))
}

/// `2 sum (-1)^(k-1) exp(-2 k^2 x^2)`.
fn kolmogorov_tail(x: f64) -> f64 {
    if x < 0.2 {
        return 1.0;
    }
    let term = |k: i32| (if k % 2 == 1 { 2.0 } else { -2.0 }) * (-2.0 * f64::from(k * k) * x * x).exp();
    (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0)
}

/// The chance that a chi-squared number with so many degrees of freedom exceeds x.
fn chi_squared_tail(x: f64, degrees: usize) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let half = 0.5 * x;
    // From one or two degrees of freedom upwards by two at a time.
    let mut tail = if degrees % 2 == 1 { 2.0 * normal_cdf(-x.sqrt()) } else { (-half).exp() };
    let mut order = if degrees % 2 == 1 { 0.5 } else { 1.0 };
    while 2.0 * order + 0.5 < degrees as f64 {
        tail += (order * half.ln() - half - libm::lgamma(order + 1.0)).exp();
        order += 1.0;
    }
    tail.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_agree_with_tables() {
        for (x, degrees, tail) in [(3.841_46, 1, 0.05), (5.991_46, 2, 0.05), (18.307, 10, 0.05), (30.144, 19, 0.05)] {
            assert!((chi_squared_tail(x, degrees) - tail).abs() < 1e-4, "{degrees}");
        }
        for (x, tail) in [(1.358_1, 0.05), (1.627_6, 0.01)] {
            assert!((kolmogorov_tail(x) - tail).abs() < 1e-4, "{x}");
        }
    }

    #[test]
    fn distribution_functions_are_compared_at_every_value() {
        let first: Vec<(f64, f64)> = [1.0, 2.0, 2.0, 3.0].map(|value| (value, 1.0)).to_vec();
        assert_eq!(kolmogorov_smirnov(&first, &[1.0, 2.0, 2.0, 3.0]), (0.0, 1.0));
        // Below 2 there is a quarter of the first and nothing of the second; at 2 three quarters and nothing.
        assert_eq!(kolmogorov_smirnov(&first, &[2.5, 4.0]).0, 0.75);
        // A weight of 2 is a row that stands twice.
        let weighted = [(1.0, 1.0), (2.0, 2.0), (3.0, 1.0)];
        assert_eq!(kolmogorov_smirnov(&weighted, &[2.5, 4.0]).0, 0.75);
    }

    #[test]
    fn shares_of_levels_are_compared_with_the_rest() {
        let shares = vec![(Some("a".into()), 0.2, 0.5), (Some("b".into()), 0.3, 0.3)];
        let drift = of_shares(shares, 1000.0, 1000.0);
        assert_eq!(drift.level.as_deref(), Some("a"));
        assert!((drift.standardised_difference - 0.3 / (0.5f64 * (0.16 + 0.25)).sqrt()).abs() < 1e-12);
        // 2 x 3 table: 200 300 500 against 500 300 200.
        assert!((drift.statistic - 2.0 * 90_000.0 / 700.0).abs() < 1e-9 && drift.p_value < 1e-20);
    }
}
