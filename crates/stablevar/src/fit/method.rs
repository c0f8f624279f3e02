//! The methods with their parameters.

use crate::design::Task;
use crate::evidence::{Evidence, Source};
use crate::gates::{AnyGates, NetworkGates};
use crate::models::{Lasso, Mlp, OUTLIER_LIMIT, Refit};
use crate::parameter::Fraction;
use crate::svi::Svi;
use crate::weights::{AnyReweighter, Classifier, Srdo};
use serde::{Deserialize, Serialize};

/// A method with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Method {
    /// Algorithm 1, then a model on the selected variables.
    Svi {
        /// The loop.
        settings: Svi,
        /// The frontend.
        reweighter: AnyReweighter,
        /// The model on the selected variables.
        refit: Refit,
    },
    /// Algorithm 1 with a single loop.
    SviD {
        /// The loop; its number of loops is not used.
        settings: Svi,
        /// The frontend.
        reweighter: AnyReweighter,
        /// The model on the selected variables.
        refit: Refit,
    },
    /// Algorithm 1 with a ratio of densities as frontend and a gated network as backend, then a network on the selected
    /// variables.
    NonlinearSvi {
        /// The loop.
        settings: Svi,
        /// The frontend.
        reweighter: AnyReweighter,
        /// The model on the selected variables.
        refit: Refit,
    },
    /// Ordinary least squares on all variables.
    Ols,
    /// The Lasso.
    Lasso(Lasso),
    /// Stochastic gates without reweighting, then a model on the selected variables.
    Stg {
        /// The gates.
        gates: AnyGates,
        /// Opening probability from which a variable is selected.
        threshold: Fraction,
        /// The model on the selected variables.
        refit: Refit,
    },
    /// Logistic regression on all variables.
    Logistic,
    /// Weighted least squares (for classes: logistic regression) on all variables, under weights that decorrelate every pair.
    Dwr {
        /// The way to find the weights.
        reweighter: AnyReweighter,
    },
    /// A network on all variables, under weights that make them independent.
    Srdo {
        /// The way to find the weights.
        reweighter: AnyReweighter,
        /// The model on all variables.
        refit: Refit,
    },
    /// A network on all variables.
    Mlp(Mlp),
}

impl Method {
    /// The method's name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Svi { .. } => "svi",
            Method::SviD { .. } => "svi-d",
            Method::NonlinearSvi { .. } => "nonlinear-svi",
            Method::Ols => "ols",
            Method::Lasso(_) => "lasso",
            Method::Stg { .. } => "stg",
            Method::Logistic => "logistic",
            Method::Dwr { .. } => "dwr",
            Method::Srdo { .. } => "srdo",
            Method::Mlp(_) => "mlp",
        }
    }
}

impl Method {
    /// Algorithm 1 as published: gates alone decide.
    pub fn published() -> Self {
        Method::Svi { settings: Svi::default(), reweighter: AnyReweighter::default(), refit: Refit::Linear }
    }

    /// Algorithm 1 as published with a single loop.
    pub fn published_single_loop() -> Self {
        Method::SviD { settings: Svi::default(), reweighter: AnyReweighter::default(), refit: Refit::Linear }
    }

    /// NonlinearSVI guided by evidence, which measured best.
    pub fn nonlinear() -> Self {
        let evidence = Evidence { source: Source::Network, ..Evidence::default() };
        Self::nonlinear_with(Svi { loops: 1, evidence: Some(evidence), ..Svi::default() })
    }

    /// NonlinearSVI as published: one pass, in which gates alone decide.
    pub fn published_nonlinear() -> Self {
        Self::nonlinear_with(Svi { loops: 1, ..Svi::default() })
    }

    /// NonlinearSVI as published but for the loop, in which variables that are likely stable are shuffled together.
    pub fn iterated_nonlinear() -> Self {
        Self::nonlinear_with(Svi { loops: 5, ..Svi::default() })
    }

    fn nonlinear_with(settings: Svi) -> Self {
        Method::NonlinearSvi {
            settings: Svi { gates: AnyGates::Network(NetworkGates::default()), ..settings },
            reweighter: AnyReweighter::Srdo(Srdo::default()),
            refit: Refit::Network(Mlp::default()),
        }
    }

    /// The loop's settings, for methods that have one.
    pub fn loop_settings(&self) -> Option<&Svi> {
        match self {
            Method::Svi { settings, .. } | Method::SviD { settings, .. } | Method::NonlinearSvi { settings, .. } => {
                Some(settings)
            }
            _ => None,
        }
    }

    /// The settings of every network that the method trains.
    pub(super) fn networks(&self) -> Vec<&Mlp> {
        let (gates, reweighter, refit) = match self {
            Method::Mlp(mlp) => return vec![mlp],
            Method::Svi { settings, reweighter, refit }
            | Method::SviD { settings, reweighter, refit }
            | Method::NonlinearSvi { settings, reweighter, refit } => {
                (Some(&settings.gates), Some(reweighter), Some(refit))
            }
            Method::Stg { gates, refit, .. } => (Some(gates), None, Some(refit)),
            Method::Srdo { reweighter, refit } => (None, Some(reweighter), Some(refit)),
            Method::Dwr { reweighter } => (None, Some(reweighter), None),
            Method::Ols | Method::Logistic | Method::Lasso(_) => (None, None, None),
        };
        let of_gates = gates.and_then(|gates| match gates {
            AnyGates::Network(gates) => Some(&gates.network),
            AnyGates::Linear(_) => None,
        });
        let of_weights = reweighter.and_then(|reweighter| match reweighter {
            AnyReweighter::Srdo(Srdo { classifier: Classifier::Network(network), .. }) => Some(network),
            _ => None,
        });
        let of_model = refit.and_then(|refit| match refit {
            Refit::Network(network) => Some(network),
            Refit::Linear | Refit::Robust(_) => None,
        });
        [of_gates, of_weights, of_model].into_iter().flatten().collect()
    }

    /// The part of the method, if there is one, that can't do with passes over rows elsewhere.
    pub fn needs_memory(&self) -> Option<&'static str> {
        let reweighter = match self {
            Method::Svi { reweighter, .. } | Method::SviD { reweighter, .. } | Method::Dwr { reweighter } => reweighter,
            Method::Lasso(_) => return Some("the Lasso"),
            Method::Srdo { .. } | Method::NonlinearSvi { .. } => return Some("SRDO"),
            Method::Ols | Method::Logistic | Method::Stg { .. } | Method::Mlp(_) => &AnyReweighter::default(),
        };
        match reweighter {
            AnyReweighter::Published(_) => Some("the descent on free weights"),
            AnyReweighter::Srdo(_) => Some("SRDO"),
            AnyReweighter::Balance(_) if !self.networks().is_empty() => Some("a network"),
            AnyReweighter::Balance(_) => {
                let resampling = self.loop_settings().is_some_and(|settings| settings.resampling.is_some());
                resampling.then_some("selection over resamples")
            }
        }
    }

    /// What the method can predict.
    pub fn tasks(&self) -> &'static [Task] {
        match self {
            Method::Ols | Method::Lasso(_) => &[Task::Regression],
            Method::Logistic => &[Task::Classification],
            _ => &[Task::Regression, Task::Classification],
        }
    }

    /// Whether the method looks for stable variables, rather than for variables that predict well here.
    pub fn seeks_stability(&self) -> bool {
        self.loop_settings().is_some()
    }
}

impl Default for Method {
    /// Algorithm 1 guided by evidence, which measured best.
    fn default() -> Self {
        let settings = Svi { evidence: Some(Evidence::default()), ..Svi::default() };
        Method::Svi { settings, reweighter: AnyReweighter::default(), refit: Refit::Robust(OUTLIER_LIMIT) }
    }
}
