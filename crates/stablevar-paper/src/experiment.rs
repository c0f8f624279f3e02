//! What the paper's experiments are: data, methods, seeds, environments.

use serde::{Deserialize, Serialize};
use stablevar::estimator::{Estimator, Value};
use stablevar::method::Method;
use stablevar_data::simulate::World;

/// One cell of a table: a sample size and a bias rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Rows of the training sample.
    pub rows: usize,
    /// Its bias rate.
    pub rate: f64,
}

/// A method as it stands in a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// Its name there.
    pub name: &'static str,
    /// The method.
    pub method: Method,
    /// Whether it is shown the stable columns alone, which nobody knows in practice.
    pub is_oracle: bool,
}

impl Contender {
    pub(crate) fn new(name: &'static str, method: Method) -> Self {
        Self { name, method, is_oracle: false }
    }

    fn oracle(method: Method) -> Self {
        Self { name: ORACLE, method, is_oracle: true }
    }
}

/// The paper's baselines.
pub const BASELINES: [&str; 5] = ["OLS", "MLP", "STG", "DWR", "SRDO"];

/// The name of the model on the stable columns.
pub const ORACLE: &str = "Oracle";

/// A table of simulated experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows, in a line.
    pub title: &'static str,
    /// The cells.
    pub cells: Vec<Cell>,
    /// The methods; the first is the baseline whose excess over the oracle counts.
    pub contenders: Vec<Contender>,
    /// Rows of every test environment.
    pub test_rows: usize,
    /// The paper's own figures: n, r_train, method, mean, std, max as CSV.
    pub published: &'static str,
    /// Whether the outcome is a random network of the stable variables.
    pub nonlinear: bool,
}

impl Experiment {
    /// The kind of its data; experiments of one kind share their runs.
    pub fn kind(&self) -> &'static str {
        if self.nonlinear { "nonlinear" } else { "linear" }
    }

    /// The method that the experiment is about: the last before the oracle.
    pub fn main_method(&self) -> &'static str {
        self.contenders.iter().rev().find(|contender| !contender.is_oracle).map_or("", |contender| contender.name)
    }

    /// The same methods in other cells.
    pub fn in_cells(self, cells: &[Cell]) -> Self {
        Self { cells: cells.to_vec(), ..self }
    }

    /// The law of the data behind a seed: the nonlinear data have another random function for each.
    pub fn world(&self, seed: u64) -> World {
        if self.nonlinear { World::default().nonlinear(100, seed) } else { World::default() }
    }
}

fn cells(pairs: [(usize, f64); 5]) -> Vec<Cell> {
    pairs.into_iter().map(|(rows, rate)| Cell { rows, rate }).collect()
}

/// A named method with settings.
pub(crate) fn method(name: &str, settings: &[(&str, Value)]) -> Method {
    let settings = settings.iter().map(|(name, value)| (name.to_string(), value.clone()));
    let estimator = Estimator::new(name).and_then(|estimator| estimator.set_all(settings));
    estimator.expect("the experiments' own settings are valid").method
}

/// Table 1: linear methods on the linear data with a cubic term.
pub fn table1() -> Experiment {
    Experiment {
        name: "table1",
        title: "Linear setting (the paper's Table 1)",
        cells: cells([(1000, 2.5), (1500, 2.5), (2000, 2.5), (1500, 2.0), (1500, 3.0)]),
        contenders: vec![
            Contender::new("OLS", method("ols", &[])),
            Contender::new("STG", method("stg", &[])),
            Contender::new("DWR", method("dwr", &[])),
            Contender::new("SRDO", method("srdo", &[("refit", "linear".into())])),
            Contender::new("SVId", method("svi-d", &[])),
            Contender::new("SVI as published", method("svi", &[("evidence", "none".into())])),
            Contender::new("SVI", method("svi", &[])),
            Contender::oracle(method("ols", &[])),
        ],
        test_rows: 2000,
        published: include_str!("../data/table1.csv"),
        nonlinear: false,
    }
}

/// Table 2: networks on the nonlinear data.
pub fn table2() -> Experiment {
    let by_gates = ("evidence", "none".into());
    Experiment {
        name: "table2",
        title: "Nonlinear setting (the paper's Table 2)",
        cells: cells([(15_000, 2.0), (20_000, 2.0), (25_000, 2.0), (25_000, 1.8), (25_000, 2.2)]),
        contenders: vec![
            Contender::new("MLP", method("mlp", &[])),
            Contender::new("STG", method("stg", &[("gates", "network".into())])),
            Contender::new("SRDO", method("srdo", &[])),
            Contender::new("NonlinearSVI as published", method("nonlinear-svi", std::slice::from_ref(&by_gates))),
            Contender::new("NonlinearSVI iterated", method("nonlinear-svi", &[by_gates, ("loops", 5.into())])),
            Contender::new("NonlinearSVI", method("nonlinear-svi", &[])),
            Contender::oracle(method("mlp", &[])),
        ],
        test_rows: 2000,
        published: include_str!("../data/table2.csv"),
        nonlinear: true,
    }
}

/// Sample sizes of the figures that show what grows with it.
pub const GROWTH: [usize; 6] = [500, 1000, 1500, 2000, 3000, 4000];

/// Table 1's methods over more sample sizes, at the middle bias rate.
pub fn growth() -> Experiment {
    let experiment = table1().in_cells(&GROWTH.map(|rows| Cell { rows, rate: 2.5 }));
    Experiment { name: "growth", title: "Linear setting over sample sizes", ..experiment }
}

/// The cell of Table 2 that the paper shows per environment.
pub fn nonlinear_detail() -> Experiment {
    let experiment = table2().in_cells(&[Cell { rows: 25_000, rate: 1.8 }]);
    Experiment { name: "nonlinear detail", title: "Nonlinear setting per environment", ..experiment }
}

/// The linear methods for real data; the first is the baseline.
pub fn real_data_contenders(classes: bool) -> Vec<Contender> {
    let baseline = if classes { ("logistic", method("logistic", &[])) } else { ("OLS", method("ols", &[])) };
    let mut contenders = table1().contenders;
    contenders.retain(|contender| !contender.is_oracle && contender.name != "OLS");
    contenders.insert(0, Contender::new(baseline.0, baseline.1));
    contenders
}
