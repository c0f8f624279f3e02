//! The methods and their own parameters.

use clap::{Args, ValueEnum};
use stablevar::error::Error;
use stablevar::evidence::{Evidence, Source};
use stablevar::fit::Method;
use stablevar::gates::{AnyGates, LinearGates, NetworkGates, Penalty};
use stablevar::models::{Lasso, Mlp, OUTLIER_LIMIT, Refit, Solver};
use stablevar::parameter::{Fraction, NonNegative, Positive};
use stablevar::selection::{Resampling, Rule};
use stablevar::svi::Svi;
use stablevar::weights::{AnyReweighter, Balance, Classifier, Divergence, Dwr, Means, Srdo};

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
pub(crate) enum RefitName {
    /// Least squares; for classes logistic regression
    Linear,
    /// Least squares that a few extreme outcomes can't bend
    Robust,
    /// A network
    Network,
}

/// A model like what stands behind the gates.
fn like(gates: &AnyGates) -> RefitName {
    match gates {
        AnyGates::Linear(_) => RefitName::Linear,
        AnyGates::Network(_) => RefitName::Network,
    }
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
    /// The model on the selected variables (of srdo: on all) [default: robust for svi with evidence, network for srdo and
    /// before network gates, else linear]
    #[arg(long, value_enum)]
    refit: Option<RefitName>,
    /// robust refit and residual evidence: residuals of the outcome beyond this many standard deviations count as such at the
    /// limit [default: 4]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    outlier_limit: Option<f64>,
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
        let networks = [Svi, SviD, Stg, NonlinearSvi, Srdo, Mlp];
        let ratios = [Srdo, NonlinearSvi];
        let steps = [Svi, SviD, Dwr, Stg, NonlinearSvi, Srdo, Mlp];
        let options: [(&'static str, bool, &[MethodName]); 31] = [
            ("--gates", self.gates.is_some(), &[Stg, NonlinearSvi]),
            ("--refit", self.refit.is_some(), &[Svi, SviD, Stg, NonlinearSvi, Srdo]),
            ("--outlier-limit", self.outlier_limit.is_some(), &[Svi, SviD, Stg, NonlinearSvi, Srdo]),
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
            Svi { gates, evidence: self.evidence(name)?, resampling: self.resampling()?, ..Svi::default() };
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
            MethodName::Svi => Method::Svi {
                // As published without evidence, so that it can be compared with.
                refit: self.refit(if settings.evidence.is_some() { RefitName::Robust } else { RefitName::Linear })?,
                settings,
                reweighter: self.reweighter(AnyReweighter::default())?,
            },
            MethodName::SviD => Method::SviD {
                refit: self.refit(RefitName::Linear)?,
                settings,
                reweighter: self.reweighter(AnyReweighter::default())?,
            },
            MethodName::Ols => Method::Ols,
            MethodName::Lasso => Method::Lasso(self.lasso()?),
            MethodName::NonlinearSvi => Method::NonlinearSvi {
                refit: self.refit(like(&settings.gates))?,
                settings,
                reweighter: self.reweighter(AnyReweighter::Srdo(Srdo::default()))?,
            },
            MethodName::Stg => {
                Method::Stg { refit: self.refit(like(&settings.gates))?, gates: settings.gates, threshold }
            }
            MethodName::Srdo => Method::Srdo {
                refit: self.refit(RefitName::Network)?,
                reweighter: self.reweighter(AnyReweighter::Srdo(Srdo::default()))?,
            },
            MethodName::Mlp => Method::Mlp(self.network()?),
            MethodName::Logistic => Method::Logistic,
            MethodName::Dwr => Method::Dwr { reweighter: self.reweighter(AnyReweighter::Published(Dwr::default()))? },
        })
    }

    fn evidence(&self, name: MethodName) -> Result<Option<Evidence>, Error> {
        // SVI^d is there to be compared with, so that it stays as published unless asked otherwise.
        let usual = if name == MethodName::SviD { EvidenceName::None } else { EvidenceName::Auto };
        let source = match self.evidence.unwrap_or(usual) {
            EvidenceName::Auto if name == MethodName::NonlinearSvi => Source::Network,
            EvidenceName::Auto => Source::Auto,
            EvidenceName::Focused => Source::Focused,
            EvidenceName::Residual => Source::Residual,
            EvidenceName::Network => Source::Network,
            EvidenceName::None => return Ok(None),
        };
        let default = Evidence::default();
        let rows = self.evidence_rows.map_or(default.rows, |rows| rows as usize);
        Ok(Some(Evidence { source, rows, outlier_limit: self.outlier_limit()?, ..default }))
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

    fn refit(&self, usual: RefitName) -> Result<Refit, Error> {
        Ok(match self.refit.unwrap_or(usual) {
            RefitName::Linear => Refit::Linear,
            RefitName::Robust => Refit::Robust(self.outlier_limit()?),
            RefitName::Network => Refit::Network(self.network()?),
        })
    }

    fn outlier_limit(&self) -> Result<Positive, Error> {
        self.outlier_limit.map_or(Ok(OUTLIER_LIMIT), |limit| Positive::new("--outlier-limit", limit))
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
