//! Evidence for every variable: does it help to predict the outcome when all the others are known?
//!
//! The stable set is the smallest S with E[Y | S] = E[Y | X]. So a variable belongs to it if and only if the
//! outcome still depends on it given all others. [`gather`] tests that one variable at a time, in one of three ways.

mod focused;
mod gather;
mod judge;
mod network;
mod quick;
mod regression;
mod residual;
mod screen;
mod stages;
mod sufficiency;

use crate::models::OUTLIER_LIMIT;
use crate::parameter::{Fraction, NonNegative, Positive};
pub use gather::{gather, sufficiency};
pub(crate) use judge::{as_one_column, chi_squared_tail, normal_score};
pub(crate) use screen::is_wide;
use serde::{Deserialize, Serialize};
pub use stages::stage_seconds;

/// Of very many variables about this many are expected to be stable.
const EXPECTED: f64 = 10.0;

/// Where the evidence comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// What measured best: [`Source::Residual`].
    #[default]
    Auto,
    /// Weights that decorrelate the variable, and it alone, from all others; then weighted least squares.
    Focused,
    /// Flexible regressions of the outcome and of functions of the variable on all others; then their residuals' correlation.
    Residual,
    /// How much worse a wide network predicts unseen rows without the variable. It sees effects of any shape.
    Network,
}

/// How to gather the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Where it comes from.
    pub source: Source,
    /// Rows used at most.
    pub rows: usize,
    /// Parts for cross-fitting, where networks judge.
    pub folds: usize,
    /// Bumps of the kernel family, at least.
    pub landmarks: usize,
    /// Probability of being stable before the data are seen; of more than forty variables it is less.
    pub prior: Fraction,
    /// Standard deviations of the bulk at which an outcome's residual is clipped: a few extreme outcomes would else make
    /// every effect uncertain.
    pub outlier_limit: Positive,
    /// Partial correlation that imperfect regressions may leave behind.
    pub allowance: NonNegative,
}

impl Default for Evidence {
    fn default() -> Self {
        Self {
            source: Source::default(),
            rows: 50_000,
            folds: 5,
            landmarks: 200,
            prior: Fraction::constant(0.25),
            outlier_limit: OUTLIER_LIMIT,
            allowance: NonNegative::constant(0.01),
        }
    }
}

impl Evidence {
    /// The same for so many variables: of many fewer can be expected to matter.
    fn for_variables(&self, variables: usize) -> Self {
        let prior = self.prior.get().min(EXPECTED / variables.max(1) as f64);
        Self { prior: Fraction::new("prior", prior).unwrap_or(self.prior), ..*self }
    }

    /// The probability of being stable, before the data are seen, of one of so many variables.
    pub fn prior_for(&self, variables: usize) -> f64 {
        self.for_variables(variables).prior.get()
    }

    /// The least |t| of one of so many variables, in so many rows, that makes its probability this high, and the p-value of it.
    pub fn needed(&self, variables: usize, rows: f64, probability: f64) -> (f64, f64) {
        let settings = self.for_variables(variables);
        let (mut low, mut high) = (0.0, 1e6);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if judge::probability(middle * middle, rows, &settings) < probability {
                low = middle
            } else {
                high = middle
            }
        }
        (high, judge::chi_squared_tail(high * high, 1))
    }

    /// By how much the allowance for imperfect regressions shrinks a statistic of so many rows.
    fn shrink(&self, rows: f64) -> f64 {
        1.0 + rows * self.allowance.get().powi(2)
    }
}

/// What the data say about one variable.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VariableEvidence {
    /// The slope of the outcome in the variable given all others, in the user's units; `None` for text variables.
    pub effect: Option<f64>,
    /// Its standard error; `None` for text variables.
    pub standard_error: Option<f64>,
    /// Effect over standard error; for text variables the root of the chi-squared statistic over its degrees.
    pub t: f64,
    /// Probability of a slope and of other shapes at least this large without an effect.
    pub p_value: f64,
    /// The same of the other shapes alone, where they were looked at.
    pub shape_p_value: Option<f64>,
    /// Partial correlation of outcome and variable given all others, which does not grow with n.
    pub effect_size: f64,
    /// Probability that the variable is stable.
    pub probability: f64,
    /// Standard deviation of the probability over repeats with other landmarks.
    pub spread: f64,
    /// Whether the evidence falls as the regressions get finer, as that of a biased variable does.
    pub doubtful: bool,
    /// Effective number of rows the judgement rests on.
    pub effective_sample_size: f64,
    /// The columns that bend the outcome most, and those that bend the variable, given all others.
    pub regressions: Option<(String, String)>,
    /// Positions of the variables that were left out when this one was judged, since none of them had passed beside the others.
    pub judged_without: Vec<usize>,
    /// Whether it was added because the set was not sufficient without it.
    pub needed: bool,
    /// Positions of the variables that could take its place in the set.
    pub alternatives: Vec<usize>,
    /// Whether it joined with others although its evidence is weak, since fits with them do better on rows that were held out.
    #[serde(default)]
    pub companion: bool,
}

/// Whether the selected variables predict as well as all of them, in the training data: mean losses of flexible regressions, each row left
/// out in turn. The loss is the squared error, in which none counts for more than one at the outlier limit; for two classes Brier's score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sufficiency {
    /// With the selected variables.
    pub loss_selected: f64,
    /// With all.
    pub loss_all: f64,
    /// The first less the second.
    pub difference: f64,
    /// The difference's standard error.
    pub standard_error: f64,
    /// Whether the difference is within its standard error or 1 % of the loss.
    pub sufficient: bool,
}

/// What was gathered.
#[derive(Debug, Clone, PartialEq)]
pub struct Gathered {
    /// Where it came from, never [`Source::Auto`].
    pub source: Source,
    /// One per variable.
    pub variables: Vec<VariableEvidence>,
    /// Of the set that was chosen, if there was a choice.
    pub sufficiency: Option<Sufficiency>,
    /// The correlation of what all columns leave of neighbouring rows, in the order of the table, if it is beyond chance.
    pub in_order: Option<f64>,
}

/// How a set is chosen from evidence.
pub struct Choice<'a> {
    /// Positions of the variables selected.
    pub select: &'a (dyn Fn(&[VariableEvidence]) -> Vec<usize> + Sync),
    /// The probability that selects, if the set may grow until it is sufficient.
    pub grow: Option<f64>,
}
