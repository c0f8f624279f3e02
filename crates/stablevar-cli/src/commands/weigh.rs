//! `stablevar weigh`

use super::fit::{open_columns, prepare, write_weights};
use super::{check_files, in_file};
use crate::Ending;
use crate::args::{Format, Options, Settings, WeighArguments};
use crate::printer::Printer;
use anyhow::{Context, bail};
use serde_json::json;
use stablevar::Estimator;
use stablevar::diagnostics::{remaining_correlation, rms_remaining_correlation, weighted_correlations};
use stablevar::weights::{AnyReweighter, Balance, BalancePath, Mask, Reweighted};
use stablevar_io::{summary, weighing, write_whole};
use stablevar_report::chart::{PathChart, picture};

/// Width and height of the chart.
const SIZE: (f64, f64) = (560.0, 340.0);

pub(crate) fn run(arguments: &WeighArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    let Settings { given, renamed, .. } = &arguments.settings;
    renamed.iter().for_each(|(old, new)| printer.warn(&format!("--{old} is now called --{new}")));
    let outputs = [arguments.weights.as_ref(), arguments.chart.as_ref()];
    check_files(&[&arguments.data], &outputs, arguments.format)?;
    // Least squares under any weights: its first stage is the reweighter, by itself.
    let mut estimator = Estimator::new("dwr")?.set("reweighter", "balance")?.set_all(given.iter().cloned())?;
    let Some(AnyReweighter::Balance(balance)) = estimator.method.weigh else { bail!("there is no balance to be had") };
    estimator.roles.exclude.extend(arguments.target.clone());
    let stream = open_columns(&arguments.data, &arguments.input, None, &mut estimator, &printer)?;
    let data = prepare(&stream, &estimator, &arguments.data, &printer)?;
    let rows = data.rows();
    let mask = Mask::all(rows.frame());
    let path = (arguments.path || arguments.chart.is_some()).then(|| balance.path(rows, &mask)).transpose();
    let path = path.map_err(in_file(&arguments.data))?;
    let found = weights(&balance, path.as_ref(), rows, &mask).map_err(in_file(&arguments.data))?;

    if let Some(file) = &arguments.weights {
        write_weights(file, &found.weights, &data)?;
    }
    if let Some((file, path)) = arguments.chart.as_ref().zip(path.as_ref()) {
        let svg = picture("Effective rows and the correlation left", &PathChart::of(path), SIZE);
        write_whole(file, |writer| writer.write_all(svg.as_bytes()))?;
    }
    let correlations = weighted_correlations(rows, &found.weights).map_err(in_file(&arguments.data))?;
    let left = (remaining_correlation(&correlations, &mask), rms_remaining_correlation(&correlations, &mask));
    let notes = &rows.frame().notes;
    match arguments.format {
        Format::Json => printer.json(&json!({
            "n": rows.frame().rows(),
            "p": rows.frame().encoding.features.len(),
            "features": rows.frame().encoding.feature_names(),
            "ridge": found.reached.map(|far| far.ridge).or(balance.ridge.map(|ridge| ridge.get())),
            "n_eff": found.weights.effective_sample_size(),
            "share": found.weights.effective_sample_size() / rows.frame().total_weight(),
            "largest_correlation": left.0,
            "rms_correlation": left.1,
            "exact": left.0 < 1e-6,
            "converged": found.stop.converged(),
            "why": found.reached.map(|far| far.in_words()),
            "path": path.as_ref().map(weighing::path),
            "findings": summary::findings(notes, &Options),
        }))?,
        Format::Human => {
            if let Some(path) = path.as_ref().filter(|_| arguments.path) {
                print_path(path, &printer)?;
            }
            print_weights(&balance, &found, left, rows.frame().total_weight(), &printer)?;
            notes.iter().for_each(|finding| printer.warn(&finding.words(&Options).to_string()));
        }
    }
    if !found.stop.converged() {
        printer.warn("the search for balance did not converge: columns may still go together under the weights");
    }
    Ok(if found.stop.converged() { Ending::Done } else { Ending::NotConverged })
}

/// The weights that were asked for; a path has those of the default already.
fn weights(
    balance: &Balance,
    path: Option<&BalancePath>,
    rows: &dyn stablevar::engine::RowSource,
    mask: &Mask,
) -> stablevar::Result<Reweighted> {
    let chosen = path.filter(|_| balance.ridge.is_none()).and_then(|path| Some((path, path.points.get(path.chosen)?)));
    let Some((path, point)) = chosen else { return balance.solve(rows, mask, None) };
    Ok(Reweighted {
        weights: point.weights.clone(),
        function: Some(point.function.clone()),
        truncated: None,
        reached: Some(path.reached),
        stop: point.stop,
        passes: path.points.iter().map(|point| point.passes).sum(),
    })
}

fn print_path(path: &BalancePath, printer: &Printer) -> anyhow::Result<()> {
    let total = path.reached.total;
    let rows: Vec<Vec<String>> = path
        .points
        .iter()
        .enumerate()
        .map(|(position, point)| {
            let size = point.weights.effective_sample_size();
            vec![
                if point.ridge.is_finite() { format!("{:.3e}", point.ridge) } else { "none".into() },
                format!("{size:.0}"),
                format!("{:.1} %", 100.0 * size / total),
                format!("{:.4}", point.largest_correlation),
                format!("{:.4}", point.rms_correlation),
                if position == path.chosen { "<- the default".into() } else { String::new() },
            ]
        })
        .collect();
    let header = ["ridge", "effective rows", "share", "largest correlation left", "root mean square", ""];
    printer.table(&header, &rows)?;
    printer.line(&format!("\nthe path ends here: {}", path.end.in_words()))?;
    printer.line(&format!(
        "the default is exact balance if that leaves {:.0} effective rows, else the strongest that leaves {:.0}\n",
        path.rule.exact, path.rule.soft
    ))
}

fn print_weights(
    balance: &Balance,
    found: &Reweighted,
    (largest, rms): (f64, f64),
    total: f64,
    printer: &Printer,
) -> anyhow::Result<()> {
    if let Some(far) = found.reached {
        return printer.line(&format!("weights: {}", far.in_words()));
    }
    let ridge = balance.ridge.context("a ridge was given")?.get();
    let size = found.weights.effective_sample_size();
    let share = 100.0 * size / total;
    printer.line(&format!(
        "weights: ridge {ridge:.2e}, {size:.0} of {total:.0} rows effective ({share:.0} %): correlations up to {largest:.3} are \
         left ({rms:.3} root mean square)"
    ))
}
