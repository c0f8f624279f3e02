//! Evidence for every variable: does it help to predict the outcome when all the others are known?
//!
//! The stable set is the smallest S with E[Y | S] = E[Y | X]. So a variable belongs to it if and only if the
//! outcome still depends on it given all others. [`gather`] tests that one variable at a time, in one of two ways.

mod focused;
mod judge;
mod nuisance;
mod residual;

use crate::design::TrainingData;
use crate::parameter::{Fraction, NonNegative};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where the evidence comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// What measured best: [`Source::Residual`], unless there are so many columns that it would take too long.
    #[default]
    Auto,
    /// Weights that decorrelate the variable, and it alone, from all others; then weighted least squares.
    Focused,
    /// Flexible regressions of the outcome and of the variable on all others; then their residuals' correlation.
    Residual,
}

/// How to gather the evidence.
///
/// | Name | Default | Purpose | Range |
/// |---|---|---|---|
/// | `source` | `Auto` | where it comes from | |
/// | `rows` | 50,000 | rows used at most, drawn at random | >= 2 |
/// | `folds` | 5 | residual: parts for cross-fitting | >= 2 |
/// | `landmarks` | 250 | residual: bumps of the kernel family, at least; grows slowly with the rows | |
/// | `prior` | 0.25 | probability of being stable before the data are seen | [0, 1] |
/// | `allowance` | 0.01 | partial correlation that imperfect regressions may leave behind | >= 0 |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Where it comes from.
    pub source: Source,
    /// Rows used at most, drawn at random.
    pub rows: usize,
    /// Parts for cross-fitting.
    pub folds: usize,
    /// Bumps of the kernel family, at least.
    pub landmarks: usize,
    /// Probability of being stable before the data are seen.
    pub prior: Fraction,
    /// Partial correlation that imperfect regressions may leave behind.
    pub allowance: NonNegative,
}

impl Default for Evidence {
    fn default() -> Self {
        Self {
            source: Source::default(),
            rows: 50_000,
            folds: 5,
            landmarks: 250,
            prior: Fraction::constant(0.25),
            allowance: NonNegative::constant(0.01),
        }
    }
}

/// What the data say about one variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariableEvidence {
    /// The slope of the outcome in the variable given all others, in the user's units; `None` for text variables.
    pub effect: Option<f64>,
    /// Its standard error; `None` for text variables.
    pub standard_error: Option<f64>,
    /// Effect over standard error; for text variables the root of the chi-squared statistic over its degrees.
    pub t: f64,
    /// Probability of a statistic at least this large without an effect.
    pub p_value: f64,
    /// Partial correlation of outcome and variable given all others, which does not grow with n.
    pub effect_size: f64,
    /// Probability that the variable is stable.
    pub probability: f64,
    /// Effective number of rows the judgement rests on.
    pub effective_sample_size: f64,
    /// The regressions that cross-validation chose, for the outcome and for the variable.
    pub regressions: Option<(String, String)>,
}

/// What was gathered.
#[derive(Debug, Clone, PartialEq)]
pub struct Gathered {
    /// Where it came from, never [`Source::Auto`].
    pub source: Source,
    /// One per variable.
    pub variables: Vec<VariableEvidence>,
}

/// Beyond this many encoded columns [`Source::Auto`] means focused balance: regressions would take minutes.
const MOST_COLUMNS: usize = 150;

/// Evidence for every variable. `tick` is called after each, from any thread, and may stop the work: then there is none.
pub fn gather(
    data: &TrainingData,
    settings: &Evidence,
    seed: u64,
    tick: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Option<Gathered> {
    let source = match settings.source {
        Source::Auto if data.columns() > MOST_COLUMNS => Source::Focused,
        Source::Auto => Source::Residual,
        given => given,
    };
    let rows = sampled_rows(data.rows(), settings.rows, seed);
    let judge: Box<dyn Fn(usize) -> VariableEvidence + Sync> = match source {
        Source::Focused => Box::new(|variable| focused::judge_variable(data, settings, &rows, variable)),
        _ => {
            let plan = residual::Plan::new(data, settings, &rows);
            Box::new(move |variable| residual::judge_variable(data, settings, &plan, variable))
        }
    };
    let stopped = AtomicBool::new(false);
    // Each variable's work is its own, so that the order in which threads take them does not matter.
    let variables = (0..data.encoding.features.len())
        .into_par_iter()
        .map(|variable| {
            if stopped.load(Ordering::Relaxed) {
                return None;
            }
            let judged = judge(variable);
            stopped.fetch_or(tick().is_break(), Ordering::Relaxed);
            Some(judged)
        })
        .collect::<Option<Vec<_>>>()?;
    (!stopped.into_inner()).then_some(Gathered { source, variables })
}

/// At most `most` rows in random order.
fn sampled_rows(rows: usize, most: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    order.truncate(most.max(2));
    order
}

/// The encoded columns a variable is judged against: all but its own and its near copies'.
fn conditioning_columns(data: &TrainingData, variable: usize) -> Vec<usize> {
    let features = &data.encoding.features;
    let is_own = |column: &usize| features[variable].columns.contains(column);
    let is_copy = |column: &usize| {
        let group = data.encoding.columns[*column].feature;
        data.inseparable.iter().any(|&(a, b)| {
            (is_own(&a) && features[group].columns.contains(&b)) || (is_own(&b) && features[group].columns.contains(&a))
        })
    };
    (0..data.columns()).filter(|column| !is_own(column) && !is_copy(column)).collect()
}
