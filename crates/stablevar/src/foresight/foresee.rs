//! New rows without outcomes: what drifted, how much lies outside, and the error to expect.

use super::density::{DensityRatio, drawn_in};
use super::drift::{ColumnDrift, Counted, compare};
use super::expected::{Expected, Sides};
use super::memory::{TrainingMemory, spread_evenly};
use super::new_rows::NewRows;
use crate::error::{Error, Result};
use crate::finding::{Code, Finding};
use crate::linalg::{Matrix, dot};
use crate::metrics::Metric;
use serde::{Serialize, Serializer};

/// With fewer effective training rows than this an expected error is noise.
const LEAST_EFFECTIVE: f64 = 100.0;
/// The same for new rows.
const LEAST_NEW_ROWS: usize = 20;
/// With a mean ratio below this the new rows have too little in common with training.
const LEAST_OVERLAP: f64 = 0.5;
/// With more new rows outside than this nothing is known of too many.
const MOST_OUTSIDE: f64 = 1.0 / 3.0;
/// An answer with more than this outside is to be taken with care.
const SOME_OUTSIDE: f64 = 0.05;
/// The same for fewer effective rows than this.
const FEW_EFFECTIVE: f64 = 300.0;
/// The same for an interval whose ends lie farther apart, as a ratio.
const WIDE: f64 = 1.6;
/// New rows that the ratio of densities is learnt from at most.
const RATIO_ROWS: usize = 8_000;
/// Columns that the ratio is learnt on at most.
const RATIO_COLUMNS: usize = 100;
/// A column that the model does not use takes part if its correlation with the losses has a t beyond this.
const TELLS_OF_LOSSES: f64 = 3.0;
/// The quantile of the normal law for intervals of 90 %.
const NORMAL_95: f64 = 1.644_853_626_951_472_7;
/// How far errors lie from what the columns let expect since relations change, too: the standard deviation of the ratio's logarithm with
/// which nine of ten intervals hold on 43 real tables (125 environments) that serve nothing else but development.
const RELATION: f64 = 0.3;
/// A row that makes a larger share of the expected mean squared error than this is told of.
const MOST_OF_ONE_ROW: f64 = 1.0 / 3.0;
/// Levels that training hardly had are told of where more than this share of the new rows has them.
const HARDLY_ANY: f64 = 0.01;
/// A column that the model uses is told of if it moved by this many standard deviations.
const MOVED: f64 = 0.5;

/// How far an expected error can be trusted, as far as columns can show; a changed relation they can't.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// The new rows are among those that training saw.
    Yes,
    /// Partly, or few training rows are like them.
    WithCare,
    /// No error is given.
    No,
}

impl Trust {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Trust::Yes => "yes, as far as columns can show it",
            Trust::WithCare => "with care",
            Trust::No => "no",
        }
    }
}

/// What can be foreseen for new rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Foresight {
    /// What the errors are measured by.
    #[serde(serialize_with = "as_name")]
    pub metric: Metric,
    /// The error to expect on the new rows; `None` if it can't be told.
    pub expected_error: Option<f64>,
    /// Where the error lies with a chance of 90 %, allowing for relations that change as they do on real tables.
    pub interval: Option<(f64, f64)>,
    /// The same as long as the relation is what it was.
    pub interval_same_relation: Option<(f64, f64)>,
    /// The held-out error on the training rows.
    pub training_error: f64,
    /// Effective number of training rows that are like the new ones.
    #[serde(rename = "n_eff")]
    pub effective_sample_size: f64,
    /// Mean of the ratio of densities over the training rows, at most 1: near 0 they have nothing in common.
    pub overlap: f64,
    /// Share of the new rows that lie outside what training saw, in the columns that the model uses.
    pub outside_share: f64,
    /// New rows.
    pub rows: usize,
    /// Whether to trust it.
    pub trust: Trust,
    /// What to do with the answer, and why; a clause without a full stop.
    pub advice: String,
    /// By column, those that matter most first.
    #[serde(serialize_with = "by_name")]
    pub drift: Vec<ColumnDrift>,
    /// What to watch out for.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

fn as_name<S: Serializer>(metric: &Metric, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.name())
}

fn by_name<S: Serializer>(drift: &[ColumnDrift], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(drift.iter().map(|column| (&column.name, column)))
}

impl TrainingMemory {
    /// One loss per row: the squared error, or whether the class is wrong.
    pub(super) fn losses(&self, classes: bool) -> Vec<f64> {
        let loss = |(outcome, predicted): (&f64, &f64)| match classes {
            true => f64::from((*outcome >= 0.5) != (*predicted >= 0.5)),
            false => (outcome - predicted).powi(2),
        };
        self.outcome().iter().zip(self.predicted()).map(loss).collect()
    }
}

/// The measure of errors that are foreseen: in the outcome's units, or the share of wrong classes.
pub(super) fn metric(classes: bool) -> Metric {
    if classes { Metric::ErrorRate } else { Metric::Rmse }
}

/// The error whose mean loss is this.
pub(super) fn error_of(mean_loss: f64, classes: bool) -> f64 {
    if classes { mean_loss } else { mean_loss.sqrt() }
}

impl NewRows<'_> {
    /// What can be foreseen for the rows added.
    pub fn foresee(&self) -> Result<Foresight> {
        if self.rows == 0 {
            return Err(Error::TooFewRows { found: 0, needed: 1 });
        }
        let (known, sample) = (&self.known, self.sample());
        let (memory, classes) = (known.memory, known.classes);
        let losses = memory.losses(classes);
        let total: f64 = memory.base().iter().sum();
        let training_error = error_of(dot(&losses, memory.base()) / total, classes);

        let near = sample.keep_rows(&spread_evenly(sample.rows(), RATIO_ROWS));
        let predicted = known.model.predict(&near);
        let near = Matrix::from_fn(near.rows(), near.columns() - 1, |row, k| near[(row, k + 1)]);
        let used = self.telling_columns(&losses);
        let ratio = DensityRatio::estimate(&self.training, memory.base(), &near, &used);
        let sides = Sides {
            columns: [&self.training, &near],
            predicted: [memory.predicted(), &predicted],
            used: &used,
            classes,
        };
        let expected = Expected::estimate(&sides, &losses, memory.base(), &ratio);

        let mut foresight = Foresight {
            metric: metric(classes),
            expected_error: Some(error_of(expected.mean, classes)),
            interval: Some(interval(&expected, classes, RELATION)),
            interval_same_relation: Some(interval(&expected, classes, 0.0)),
            training_error,
            effective_sample_size: ratio.effective,
            overlap: ratio.overlap,
            outside_share: self.outside_rows as f64 / self.rows as f64,
            rows: self.rows,
            trust: Trust::Yes,
            advice: String::new(),
            drift: self.drift(&sample),
            findings: Vec::new(),
        };
        self.judge(&mut foresight);
        if let Some(expected) = foresight.expected_error.filter(|_| !classes) {
            foresight.findings.extend(of_one_row(expected, &ratio.weights, &losses, memory));
        }
        Ok(foresight)
    }

    /// Encoded columns that the ratio of densities is learnt on: those of the model, and others that tell of the losses. Columns that tell
    /// nothing of them would only make the weights vary.
    fn telling_columns(&self, losses: &[f64]) -> Vec<usize> {
        let mut used = self.known.used_columns();
        let compared = self.variables.iter().flatten();
        let others = compared.flat_map(|&variable| self.known.encoding.features[variable].columns.iter().copied());
        let mut telling: Vec<(usize, f64)> = others
            .filter(|column| !used.contains(column))
            .map(|column| (column, correlation_t(&self.training, column, losses)))
            .filter(|(_, t)| *t > TELLS_OF_LOSSES)
            .collect();
        telling.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let slopes = self.known.model.standardised_slopes();
        used.sort_by(|a, b| slopes[*b].abs().total_cmp(&slopes[*a].abs()).then(a.cmp(b)));
        used.extend(telling.into_iter().map(|(column, _)| column));
        used.truncate(RATIO_COLUMNS);
        used.sort_unstable();
        used
    }

    fn drift(&self, sample: &Matrix) -> Vec<ColumnDrift> {
        let (encoding, slopes) = (self.known.encoding, self.known.model.standardised_slopes());
        let weight = |variable: usize| {
            encoding.features[variable].columns.iter().map(|&column| slopes[column].abs()).sum::<f64>()
        };
        let all: f64 = self.known.used.iter().map(|&variable| weight(variable)).sum();
        let count = |counts: &[(String, usize)], name: &str| {
            counts.iter().find(|(known, _)| known == name).map_or(0.0, |(_, rows)| *rows as f64)
        };
        let mut drift: Vec<ColumnDrift> = self
            .variables
            .iter()
            .flatten()
            .map(|&variable| {
                let feature = &encoding.features[variable];
                let first = feature.columns[0];
                let used = self.known.used.contains(&variable);
                let counted = Counted {
                    rows: self.rows as f64,
                    sums: feature.columns.iter().map(|&column| self.sums[column]).collect(),
                    outside: self.outside[first] as f64,
                    unseen: count(&self.report.unseen, &feature.name),
                    missing: count(&self.report.filled, &feature.name),
                    new_levels: self.new_levels[variable].iter().cloned().collect(),
                    hardly_seen: self.hardly_seen[variable].clone(),
                };
                let training: Vec<(f64, f64)> = (0..self.training.rows())
                    .map(|row| (self.training[(row, first)], self.known.memory.base()[row]))
                    .collect();
                let new: Vec<f64> = (0..sample.rows()).map(|row| sample[(row, first + 1)]).collect();
                let share = if used && all > 0.0 { weight(variable) / all } else { 0.0 };
                compare(encoding, variable, counted, self.known.rows as f64, (used, share), (&training, &new))
            })
            .collect();
        let rank = |column: &ColumnDrift| (column.importance, column.standardised_difference.abs());
        drift.sort_by(|a, b| rank(b).0.total_cmp(&rank(a).0).then(rank(b).1.total_cmp(&rank(a).1)));
        drift
    }

    /// Withholds what can't be told, and says what to watch out for.
    fn judge(&self, foresight: &mut Foresight) {
        let mut findings = Vec::new();
        let mut withheld = false;
        if foresight.outside_share > SOME_OUTSIDE {
            let percent = 100.0 * foresight.outside_share;
            findings.push(Finding::new(Code::RowsOutside).with("percent", percent));
            withheld |= foresight.outside_share > MOST_OUTSIDE;
        }
        if foresight.effective_sample_size < LEAST_EFFECTIVE || foresight.overlap < LEAST_OVERLAP {
            findings.push(little_overlap(foresight));
            withheld = true;
        }
        if self.rows < LEAST_NEW_ROWS {
            findings.push(Finding::new(Code::FewNewRows).with("rows", self.rows as f64));
            withheld = true;
        }
        findings.extend(self.of_columns(foresight));
        let doubts = doubts(foresight);
        let few = 3.0 * foresight.effective_sample_size < self.known.memory.rows() as f64;
        (foresight.trust, foresight.advice) = if withheld {
            (foresight.expected_error, foresight.interval, foresight.interval_same_relation) = (None, None, None);
            (Trust::No, "rely on no figure: collect outcomes of some of these rows and measure the error there".into())
        } else if !doubts.is_empty() {
            let why = doubts.join(", and ");
            let what = "plan with the upper end of the interval, not with the error that is expected";
            (
                Trust::WithCare,
                format!("{what}, since {why}; measure the error on some of these rows before much depends on it"),
            )
        } else if few {
            (Trust::Yes, "use the interval, not the figure: few training rows are like these".into())
        } else {
            (
                Trust::Yes,
                "use the figure, and measure the error once there are outcomes: a changed relation only they show"
                    .into(),
            )
        };
        foresight.findings = findings;
    }

    fn of_columns(&self, foresight: &Foresight) -> Vec<Finding> {
        let used = || foresight.drift.iter().filter(|column| column.used);
        let moved: Vec<&ColumnDrift> = used().filter(|column| column.standardised_difference.abs() > MOVED).collect();
        let by = |column: &&ColumnDrift| {
            let level = column.level.as_ref().map_or_else(String::new, |level| format!("={level}"));
            format!("'{}{level}' {:+.1}", column.name, column.standardised_difference)
        };
        let mut findings = Vec::new();
        if !moved.is_empty() {
            let told = Finding::new(Code::ColumnMoved).about(moved.iter().map(|column| &column.name));
            findings.push(told.detail(moved.iter().map(by).collect::<Vec<String>>().join(", ")));
        }
        for column in used() {
            let percent = |share: f64| 100.0 * share;
            if !column.new_levels.is_empty() {
                let told = Finding::new(Code::NewLevels).about(std::iter::once(&column.name).chain(&column.new_levels));
                findings.push(told.with("percent", percent(column.outside_share)));
            }
            if column.missing_share > 0.0 {
                let told = Finding::new(Code::MissingInNewRows).about([&column.name]);
                findings.push(told.with("percent", percent(column.missing_share)));
            }
        }
        let compared = self.variables.as_deref().unwrap_or_default();
        findings.extend(self.of_hardly_seen_levels());
        let names = (0..self.known.encoding.features.len())
            .filter(|variable| !compared.contains(variable))
            .map(|variable| &self.known.encoding.features[variable].name);
        findings.extend(names.map(|name| Finding::new(Code::NotCompared).about([name])));
        findings
    }

    /// Levels that training hardly had, in columns that the model uses, where they are more than a few rows.
    fn of_hardly_seen_levels(&self) -> Vec<Finding> {
        let told = |&variable: &usize| {
            let encoding = self.known.encoding;
            let counts: Vec<(&String, usize)> =
                self.hardly_seen[variable].iter().map(|(level, count)| (level, *count)).collect();
            let rows: usize = counts.iter().map(|(_, count)| count).sum();
            let stands_in = encoding.reference_level(variable).cloned().unwrap_or_default();
            (rows as f64 > HARDLY_ANY * self.rows as f64).then(|| {
                let levels = counts.iter().map(|(level, _)| *level);
                let named = std::iter::once(&encoding.features[variable].name).chain(levels);
                let share = 100.0 * rows as f64 / self.rows as f64;
                Finding::new(Code::HardlySeenLevels).about(named).with("percent", share).detail(stands_in)
            })
        };
        self.known.used.iter().filter_map(told).collect()
    }
}

/// Which of the two conditions of an expected error is not met.
fn little_overlap(foresight: &Foresight) -> Finding {
    let (effective, overlap) = (foresight.effective_sample_size, foresight.overlap);
    let few = (effective < LEAST_EFFECTIVE)
        .then(|| format!("{effective:.0} effective rows, where it takes {LEAST_EFFECTIVE:.0}"));
    let apart = (overlap < LEAST_OVERLAP).then(|| {
        let [overlap, least] = [overlap, LEAST_OVERLAP].map(|share| 100.0 * share);
        format!("rows like {overlap:.0} % of the new ones, where it takes {least:.0} %")
    });
    let told: Vec<String> = few.into_iter().chain(apart).collect();
    let found = Finding::new(Code::LittleOverlap).with("effective", effective).with("overlap", 100.0 * overlap);
    found.detail(told.join("; "))
}

/// If a single row makes much of the error: the share, the error without it, and by what it can be found.
fn of_one_row(expected: f64, weights: &[f64], losses: &[f64], memory: &TrainingMemory) -> Option<Finding> {
    let all = dot(weights, losses);
    let parts = weights.iter().zip(losses).map(|(weight, loss)| weight * loss).enumerate();
    let (row, own) = parts.fold((0, 0.0), |most, next| if next.1 > most.1 { next } else { most });
    (own > MOST_OF_ONE_ROW * all).then(|| {
        let rest = (all - own) / (1.0 - weights[row]) / all;
        let told =
            Finding::new(Code::OneRow).with("percent", 100.0 * own / all).with("without", expected * rest.sqrt());
        told.with("outcome", memory.outcome()[row]).with("predicted", memory.predicted()[row])
    })
}

/// Why an answer is to be taken with care.
fn doubts(foresight: &Foresight) -> Vec<String> {
    let outside = (foresight.outside_share > SOME_OUTSIDE)
        .then(|| format!("{:.0} % of the rows lie outside what training saw", 100.0 * foresight.outside_share));
    let few = (foresight.effective_sample_size < FEW_EFFECTIVE)
        .then(|| format!("only {:.0} effective training rows are like these", foresight.effective_sample_size));
    let ends = foresight.interval_same_relation.filter(|(low, high)| *high > WIDE * low);
    let wide = ends.map(|_| "even with the same relation the error may be very different".to_string());
    outside.into_iter().chain(few).chain(wide).collect()
}

/// The interval on the scale of logarithms, where errors are nearer to a normal law; `more` is a standard deviation of the error's
/// logarithm beside that of the estimate.
fn interval(expected: &Expected, classes: bool, more: f64) -> (f64, f64) {
    if expected.mean <= 0.0 {
        return (0.0, error_of(NORMAL_95 * expected.standard_error, classes));
    }
    // Errors of numbers are roots of mean losses.
    let factor = if classes { 1.0 } else { 0.5 };
    let half = NORMAL_95 * (factor * expected.standard_error / expected.mean).hypot(more);
    let end = |half: f64| error_of(expected.mean, classes) * half.exp();
    (end(-half), if classes { end(half).min(1.0) } else { end(half) })
}

/// |t| of the correlation of a column, far values drawn in, with the losses.
fn correlation_t(columns: &Matrix, column: usize, losses: &[f64]) -> f64 {
    let rows = losses.len() as f64;
    let values: Vec<f64> = (0..losses.len()).map(|row| drawn_in(columns[(row, column)])).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / rows;
    let (x, y) = (mean(&values), mean(losses));
    let (mut both, mut own, mut other) = (0.0, 0.0, 0.0);
    for (value, loss) in values.iter().zip(losses) {
        both += (value - x) * (loss - y);
        own += (value - x).powi(2);
        other += (loss - y).powi(2);
    }
    let correlation: f64 = if own > 0.0 && other > 0.0 { both / (own * other).sqrt() } else { 0.0 };
    correlation.abs() * (rows - 2.0).max(0.0).sqrt() / (1.0 - correlation * correlation).max(1e-12).sqrt()
}
