//! `stablevar demo`

use super::fit::fit_with_progress;
use super::{check_files, command_line, numbers};
use crate::Ending;
use crate::args::{DemoArguments, Format, Options};
use crate::printer::Printer;
use anyhow::Context;
use serde_json::json;
use stablevar::Estimator;
use stablevar::design::{Roles, TrainingData};
use stablevar::fit::FittedModel;
use stablevar::metrics::{ByEnvironment, ErrorSummary, JudgedRows, Metric};
use stablevar::table::Table;
use stablevar_data::simulate::{TEST_RATES, World};
use stablevar_io::write_whole;
use stablevar_report::model_page::{self, Extras};

const TEST_ROWS: usize = 5000;

pub(crate) fn run(arguments: &DemoArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    check_files(&[], &[Some(&arguments.report)], arguments.format)?;
    let world = World::default();
    let train = world.draw(arguments.n, arguments.r, arguments.seed)?;
    let tests = TEST_RATES
        .iter()
        .enumerate()
        .map(|(k, &rate)| world.draw(TEST_ROWS, rate, arguments.seed.wrapping_add(1_000_001 + k as u64)))
        .collect::<Result<Vec<Table>, _>>()?;

    let unstable: Vec<String> = world.names().split_off(world.stable);
    let all = TrainingData::prepare(&train, &Roles::target("y"))?;
    let stable_only = TrainingData::prepare(&train, &Roles { exclude: unstable, ..Roles::target("y") })?;
    let methods = [
        ("OLS", "ols", &all),
        ("STG", "stg", &all),
        ("DWR", "dwr", &all),
        ("SVI", "svi", &all),
        ("Oracle", "ols", &stable_only),
    ];
    let mut results = Vec::new();
    for (name, method, data) in methods {
        let estimator = Estimator::new(method)?.set("seed", arguments.seed)?;
        let mut model = fit_with_progress(data, &estimator, &printer)?.model;
        model.origin.command = Some(command_line());
        let mut judged: ByEnvironment<JudgedRows> = ByEnvironment::default();
        for (rate, test) in TEST_RATES.iter().zip(&tests) {
            judged.of(&rate.to_string()).extend(&numbers(test, "y")?, &model.predict(test)?);
        }
        let errors = judged.errors(Metric::Mse).into_iter().map(|(_, error)| error).collect();
        let summary = judged.summary(Metric::Mse).context("there are no test environments")?;
        results.push(MethodResult { name, errors, summary, model });
    }
    let svi = &results[3].model;
    write_whole(&arguments.report, |writer| {
        let errors: Vec<(&str, &[f64])> =
            results.iter().map(|result| (result.name, result.errors.as_slice())).collect();
        let environments: Vec<String> = TEST_RATES.iter().map(|rate| format!("{rate}")).collect();
        let evaluation = model_page::Evaluation {
            metric: Metric::Mse.label(),
            axis: "bias rate r of the test environment",
            environments: &environments,
            ordered: true,
            errors: &errors,
            note: "The data are simulated. The oracle is least squares on exactly the variables that determine the outcome: what one would have by choosing rightly. It is no bound: where v5 follows the outcome as in training (r above 1), methods that use v5 can do better, and they pay for it where it does not.",
        };
        let extras = Extras { evaluation: Some(&evaluation), ..Extras::default() };
        writer.write_all(model_page::page(svi, extras, &Options).as_bytes())
    })?;
    match arguments.format {
        Format::Json => printer.json(&to_json(&results, arguments))?,
        Format::Human => print(&results, svi, arguments, &printer)?,
    }
    Ok(if svi.converged { Ending::Done } else { Ending::NotConverged })
}

struct MethodResult {
    name: &'static str,
    errors: Vec<f64>,
    summary: ErrorSummary,
    model: FittedModel,
}

fn to_json(results: &[MethodResult], arguments: &DemoArguments) -> serde_json::Value {
    let methods: Vec<serde_json::Value> = results
        .iter()
        .map(|result| {
            json!({
                "method": result.name,
                "selected": result.model.selected_names(),
                "errors": result.errors,
                "mean_error": result.summary.mean_error,
                "std_error": result.summary.std_error,
                "max_error": result.summary.max_error,
                "n_eff": result.model.effective_sample_size,
            })
        })
        .collect();
    json!({"n": arguments.n, "r": arguments.r, "seed": arguments.seed, "environments": TEST_RATES, "methods": methods})
}

fn print(
    results: &[MethodResult],
    svi: &FittedModel,
    arguments: &DemoArguments,
    printer: &Printer,
) -> anyhow::Result<()> {
    printer.line(&format!(
        "A sample of {} rows in which v5 follows the outcome only because of how rows were selected (r = {}).\n\
         Mean squared error in ten other places, where v5 follows it as before (r > 0) or its opposite (r < 0):\n",
        arguments.n, arguments.r
    ))?;
    let names: Vec<&str> = results.iter().map(|result| result.name).collect();
    let header: Vec<&str> = std::iter::once("r").chain(names).collect();
    let row = |label: String, value: &dyn Fn(&MethodResult) -> f64| {
        std::iter::once(label)
            .chain(results.iter().map(|result| format!("{:.3}", value(result))))
            .collect::<Vec<String>>()
    };
    let mut rows: Vec<Vec<String>> =
        TEST_RATES.iter().enumerate().map(|(k, rate)| row(format!("{rate}"), &|result| result.errors[k])).collect();
    rows.push(row("Mean_Error".into(), &|result| result.summary.mean_error));
    rows.push(row("Std_Error".into(), &|result| result.summary.std_error));
    rows.push(row("Max_Error".into(), &|result| result.summary.max_error));
    printer.table(&header, &rows)?;
    printer.line("\nThe oracle is least squares on s1..s5, which alone determine the outcome.\nChosen variables:")?;
    for result in &results[..4] {
        let size = result.model.effective_sample_size;
        printer.line(&format!(
            "  {:4} {}  (effective sample size {size:.0})",
            result.name,
            result.model.selected_names().join(" ")
        ))?;
    }
    svi.warnings.iter().for_each(|warning| printer.warn(&warning.words(&Options).to_string()));
    printer.line(&format!("\nReport page: {}", arguments.report.display()))
}
