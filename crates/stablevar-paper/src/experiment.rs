//! What the paper's experiments are: data, methods, seeds, environments.

use serde::{Deserialize, Serialize};
use stablevar::fit::Method;
use stablevar::gates::{AnyGates, NetworkGates};
use stablevar::models::{Mlp, Refit};
use stablevar::parameter::Fraction;
use stablevar::weights::{AnyReweighter, Dwr, Srdo};
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
    fn new(name: &'static str, method: Method) -> Self {
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

/// Table 1: linear methods on the linear data with a cubic term.
pub fn table1() -> Experiment {
    let half = Fraction::constant(0.5);
    Experiment {
        name: "table1",
        title: "Linear setting (the paper's Table 1)",
        cells: cells([(1000, 2.5), (1500, 2.5), (2000, 2.5), (1500, 2.0), (1500, 3.0)]),
        contenders: vec![
            Contender::new("OLS", Method::Ols),
            Contender::new("STG", Method::Stg { gates: AnyGates::default(), threshold: half, refit: Refit::Linear }),
            Contender::new("DWR", Method::Dwr { reweighter: AnyReweighter::Published(Dwr::default()) }),
            Contender::new(
                "SRDO",
                Method::Srdo { reweighter: AnyReweighter::Srdo(Srdo::default()), refit: Refit::Linear },
            ),
            Contender::new("SVId", Method::published_single_loop()),
            Contender::new("SVI as published", Method::published()),
            Contender::new("SVI", Method::default()),
            Contender::oracle(Method::Ols),
        ],
        test_rows: 2000,
        published: include_str!("../data/table1.csv"),
        nonlinear: false,
    }
}

/// Table 2: networks on the nonlinear data.
pub fn table2() -> Experiment {
    let network = || Refit::Network(Mlp::default());
    let gates = AnyGates::Network(NetworkGates::default());
    Experiment {
        name: "table2",
        title: "Nonlinear setting (the paper's Table 2)",
        cells: cells([(15_000, 2.0), (20_000, 2.0), (25_000, 2.0), (25_000, 1.8), (25_000, 2.2)]),
        contenders: vec![
            Contender::new("MLP", Method::Mlp(Mlp::default())),
            Contender::new("STG", Method::Stg { gates, threshold: Fraction::constant(0.5), refit: network() }),
            Contender::new("SRDO", Method::Srdo { reweighter: AnyReweighter::Srdo(Srdo::default()), refit: network() }),
            Contender::new("NonlinearSVI as published", Method::published_nonlinear()),
            Contender::new("NonlinearSVI iterated", Method::iterated_nonlinear()),
            Contender::new("NonlinearSVI", Method::nonlinear()),
            Contender::oracle(Method::Mlp(Mlp::default())),
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
    let baseline = if classes { ("logistic", Method::Logistic) } else { ("OLS", Method::Ols) };
    let mut contenders = table1().contenders;
    contenders.retain(|contender| !contender.is_oracle && contender.name != "OLS");
    contenders.insert(0, Contender::new(baseline.0, baseline.1));
    contenders
}
