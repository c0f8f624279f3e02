//! The named methods.

use super::{Choose, Method, REMEMBERED_ROWS, Stage};
use crate::design::Task;
use crate::error::{Error, Result};
use crate::evidence::{Evidence, Source};
use crate::gates::{AnyGates, NetworkGates};
use crate::models::{AutoRefit, Kept, Lasso, Mlp, PlainLinear, Refit, Ridge};
use crate::selection::Rule;
use crate::svi::Svi;
use crate::weights::{AnyReweighter, Dwr, Srdo};

/// A method under a name.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// What it is called.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// What it is for; its stages may narrow that.
    pub tasks: &'static [Task],
    /// What the names of its Python classes begin with.
    pub python: &'static str,
    /// Stages that it starts without, and whose settings its Python classes take nevertheless.
    pub offers: &'static [Stage],
    recipe: fn() -> (Option<AnyReweighter>, Choose, Refit),
}

const REGRESSION: &[Task] = &[Task::Regression];
const CLASSES: &[Task] = &[Task::Classification];
const BOTH: &[Task] = &[Task::Regression, Task::Classification];

/// The named methods, the default first.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "svi",
        summary: "Algorithm 1 guided by evidence for every variable, then the linear model on the stable ones that does best under stress",
        tasks: BOTH,
        python: "SVI",
        offers: &["resampling", "trees"],
        recipe: || {
            let settings = Svi { evidence: Some(Evidence::default()), ..Svi::default() };
            (Some(AnyReweighter::default()), Choose::Loop(settings), Refit::Auto(AutoRefit::default()))
        },
    },
    Preset {
        name: "svi-d",
        summary: "Algorithm 1 as published with one loop: weights once, then gates decide",
        tasks: BOTH,
        python: "SVID",
        offers: &["resampling", "evidence"],
        recipe: || {
            let settings = Svi { loops: 1, ..Svi::default() };
            (Some(AnyReweighter::default()), Choose::Loop(settings), Refit::Linear(PlainLinear))
        },
    },
    Preset {
        name: "nonlinear-svi",
        summary: "Algorithm 1 for effects of any shape: independence weights, a gated network, then a network on the stable variables",
        tasks: BOTH,
        python: "NonlinearSVI",
        offers: &["resampling"],
        recipe: || {
            let settings = Svi {
                loops: 1,
                evidence: Some(Evidence { source: Source::Network, ..Evidence::default() }),
                gates: AnyGates::Network(NetworkGates::default()),
                ..Svi::default()
            };
            (Some(AnyReweighter::Srdo(Srdo::default())), Choose::Loop(settings), Refit::Network(Mlp::default()))
        },
    },
    Preset {
        name: "ols",
        summary: "Least squares on all variables",
        tasks: REGRESSION,
        python: "OLS",
        offers: &[],
        recipe: || (None, Choose::All, Refit::Linear(PlainLinear)),
    },
    Preset {
        name: "lasso",
        summary: "The Lasso, its penalty by cross-validation",
        tasks: REGRESSION,
        python: "Lasso",
        offers: &[],
        recipe: || (None, Choose::Lasso(Lasso::default()), Refit::Kept(Kept)),
    },
    Preset {
        name: "ridge",
        summary: "Ridge regression on all variables, its penalty by generalised cross-validation",
        tasks: REGRESSION,
        python: "Ridge",
        offers: &[],
        recipe: || (None, Choose::All, Refit::Ridge(Ridge::default())),
    },
    Preset {
        name: "stg",
        summary: "Gates without weights, then a model on the variables whose gates are open",
        tasks: BOTH,
        python: "STG",
        offers: &["network"],
        recipe: || {
            let choose = Choose::Gates { gates: AnyGates::default(), rule: Rule::default() };
            (None, choose, Refit::Linear(PlainLinear))
        },
    },
    Preset {
        name: "dwr",
        summary: "Least squares (for classes: logistic regression) on all variables under decorrelating weights, as published",
        tasks: BOTH,
        python: "DWR",
        offers: &[],
        recipe: || (Some(AnyReweighter::Dwr(Dwr::default())), Choose::All, Refit::Linear(PlainLinear)),
    },
    Preset {
        name: "srdo",
        summary: "A network on all variables under weights that make them independent",
        tasks: BOTH,
        python: "SRDO",
        offers: &[],
        recipe: || (Some(AnyReweighter::Srdo(Srdo::default())), Choose::All, Refit::Network(Mlp::default())),
    },
    Preset {
        name: "mlp",
        summary: "A network on all variables",
        tasks: BOTH,
        python: "MLP",
        offers: &[],
        recipe: || (None, Choose::All, Refit::Network(Mlp::default())),
    },
    Preset {
        name: "logistic",
        summary: "Logistic regression on all variables",
        tasks: CLASSES,
        python: "Logistic",
        offers: &[],
        recipe: || (None, Choose::All, Refit::Linear(PlainLinear)),
    },
];

impl Preset {
    /// The recipe with its default settings.
    pub fn method(&self) -> Method {
        let (weigh, choose, refit) = (self.recipe)();
        Method { name: self.name.into(), weigh, choose, refit, remember: REMEMBERED_ROWS, honest: 0 }
    }
}

/// The preset of a name.
pub fn preset(name: &str) -> Result<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        Error::BadRequest(format!("there is no method '{name}': there are {}", names.join(", ")))
    })
}
