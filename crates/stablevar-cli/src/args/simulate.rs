//! What `stablevar simulate` takes.

use super::{QUIET_HELP, SEED_HELP};
use clap::{Args, Subcommand, ValueEnum};
use stablevar_data::simulate::{Dependence, Term};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct SimulateArguments {
    #[command(subcommand)]
    pub world: WorldKind,
}

#[derive(Subcommand)]
pub(crate) enum WorldKind {
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
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,
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
