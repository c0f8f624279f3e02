//! What the results say about the claims, ours and the paper's, decided by the numbers.

use crate::experiment::{BASELINES, Experiment, ORACLE};
use crate::real::{RealRow, RealTable};
use crate::table::{ResultTable, Row};
use serde::Serialize;
use stablevar_report::text::number;

/// A claim and whether the numbers bear it out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Claim {
    /// What is claimed.
    pub claim: String,
    /// Whether it holds.
    pub holds: bool,
    /// The numbers, or where it fails.
    pub detail: String,
}

/// Whether the last method before the oracle is the best of all in Mean, Std and Max in every cell.
pub fn best_in_every_cell(experiment: &Experiment, table: &ResultTable) -> Claim {
    let best = experiment.main_method();
    let figures = |row: &Row| [("Mean", row.mean_error), ("Std", row.std_error), ("Max", row.max_error)];
    let mut failures = Vec::new();
    for own in table.rows.iter().filter(|row| row.method == best) {
        let rivals = table
            .rows
            .iter()
            .filter(|row| (row.n, row.r_train) == (own.n, own.r_train) && row.method != best && row.method != ORACLE);
        for rival in rivals {
            for ((name, ours), (_, theirs)) in figures(own).into_iter().zip(figures(rival)) {
                if theirs < ours {
                    failures.push(format!(
                        "n = {}, r = {}: {name} of {} is {theirs:.4}, of {best} {ours:.4}",
                        own.n, own.r_train, rival.method
                    ));
                }
            }
        }
    }
    Claim {
        claim: format!("{}: {best} has the least Mean, Std and Max of all methods in every cell", table.title),
        holds: failures.is_empty(),
        detail: if failures.is_empty() { "in every cell".into() } else { failures.join("; ") },
    }
}

/// Baselines whose mean error differs from the paper's by more than 15 %.
pub fn baselines_as_published(table: &ResultTable) -> Claim {
    let (mut compared, mut apart) = (0, Vec::new());
    for row in table.rows.iter().filter(|row| BASELINES.contains(&row.method.as_str())) {
        let Some(paper) = row.paper_mean_error else { continue };
        compared += 1;
        let change = row.mean_error / paper - 1.0;
        if change.abs() > 0.15 {
            apart.push(format!("{} at n = {}, r = {}: {:+.0} %", row.method, row.n, row.r_train, 100.0 * change));
        }
    }
    Claim {
        claim: format!("{}: the baselines' mean errors are within 15 % of the paper's", table.title),
        holds: apart.is_empty(),
        detail: if apart.is_empty() {
            format!("in all {compared} comparisons")
        } else {
            format!("in {} of {compared} comparisons; not {}", compared - apart.len(), apart.join("; "))
        },
    }
}

/// Whether SVI's weights keep more rows than DWR's at every sample size.
pub fn more_effective_rows(growth: &ResultTable) -> Claim {
    let sizes = |method: &'static str| growth.rows.iter().filter(move |row| row.method == method);
    let pairs: Vec<(usize, f64, f64)> = sizes("SVI")
        .filter_map(|own| sizes("DWR").find(|row| row.n == own.n).map(|row| (own.n, own.n_eff, row.n_eff)))
        .collect();
    let shown: Vec<String> = pairs.iter().map(|(n, own, other)| format!("{own:.0} > {other:.0} at n = {n}")).collect();
    Claim {
        claim: "n_eff of SVI is above DWR's at every n".into(),
        holds: !pairs.is_empty() && pairs.iter().all(|(_, own, other)| own > other),
        detail: shown.join(", "),
    }
}

/// Whether SVI beats the plain model on real data.
pub fn real_data(table: &RealTable) -> Vec<Claim> {
    let row = |name: &str| table.rows.iter().find(|row| row.method == name);
    let (Some(plain), Some(svi)) = (table.rows.first(), row("SVI")) else { return Vec::new() };
    let environments: Vec<&String> = table.sizes.keys().filter(|name| table.is_elsewhere(name)).collect();
    let no_worse = environments.iter().filter(|name| svi.errors[**name] <= plain.errors[**name]).count();
    let figures = |value: fn(&RealRow) -> f64| format!("{} against {}", number(value(svi)), number(value(plain)));
    let (mean, most) = (|row: &RealRow| row.mean_error, |row: &RealRow| row.max_error);
    let better = |claim: &str, holds: bool, detail: String| Claim {
        claim: format!("{}: SVI's {claim} {}'s", table.experiment, plain.method),
        holds,
        detail,
    };
    let mut claims = vec![
        better("mean error elsewhere is no larger than", mean(svi) <= mean(plain), figures(mean)),
        better("largest error elsewhere is no larger than", most(svi) <= most(plain), figures(most)),
    ];
    if table.is_regression() {
        let all = environments.len();
        claims.push(better(
            "error is no larger in all environments but one than",
            no_worse + 1 >= all,
            format!("in {no_worse} of {all}"),
        ));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::table1;

    fn row(method: &str, mean_error: f64, std_error: f64, paper_mean_error: Option<f64>) -> Row {
        Row {
            n: 1000,
            r_train: 2.5,
            method: method.into(),
            mean_error,
            mean_error_se: None,
            std_error,
            max_error: mean_error + std_error,
            excess_removed: None,
            exact_selection: 0.0,
            n_eff: 100.0,
            seconds: 0.0,
            paper_mean_error,
            paper_std_error: None,
            paper_max_error: None,
        }
    }

    fn table(rows: Vec<Row>) -> ResultTable {
        ResultTable { experiment: "table1", title: "Table", seeds: 1, rows }
    }

    #[test]
    fn a_rival_that_is_better_in_one_measure_is_named() {
        let good =
            [row("OLS", 0.43, 0.08, Some(0.435)), row("SVI", 0.34, 0.01, None), row("Oracle", 0.33, 0.005, None)];
        let claim = best_in_every_cell(&table1(), &table(good.to_vec()));
        assert!(claim.holds, "{claim:?}");
        let mut rival = good.to_vec();
        rival.push(row("DWR", 0.6, 0.005, Some(0.586)));
        let claim = best_in_every_cell(&table1(), &table(rival));
        assert!(!claim.holds && claim.detail.contains("Std of DWR"), "{claim:?}");
    }

    #[test]
    fn baselines_far_from_the_paper_are_named() {
        let rows = vec![
            row("OLS", 0.43, 0.08, Some(0.435)),
            row("SRDO", 0.39, 0.04, Some(0.6)),
            row("SVI", 0.1, 0.1, Some(0.4)),
        ];
        let claim = baselines_as_published(&table(rows));
        assert!(!claim.holds && claim.detail.starts_with("in 1 of 2"), "{claim:?}");
        assert!(claim.detail.contains("SRDO at n = 1000, r = 2.5: -35 %"), "{claim:?}");
    }
}
