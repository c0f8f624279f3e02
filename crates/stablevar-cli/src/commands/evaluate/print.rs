//! What `stablevar evaluate` prints for people.

use super::{Environment, Evaluated};
use crate::printer::Printer;
use stablevar::metrics::{ErrorSummary, Metric};
use stablevar_report::text::number;

pub(super) fn print(evaluated: &[Evaluated], metric: Metric, printer: &Printer) -> anyhow::Result<()> {
    match evaluated {
        [one] => print_one(one, metric, printer)?,
        several => print_several(several, metric, printer)?,
    }
    let mut words = format!(
        "Mean_Error, Std_Error and Max_Error: mean, standard deviation and maximum of the {} over environments. \
         Std_Error says how unevenly a model errs; it is no standard error.",
        metric.label()
    );
    if evaluated.iter().any(|one| one.training.is_some()) {
        words += "\nTraining: the training rows, each predicted by a model that had not seen it.";
    }
    if evaluated.len() == 1 {
        words += "\nBaseline: the training rows' mean outcome as the prediction for every row. Intervals are over rows";
        words += if metric.is_for_classes() {
            "."
        } else {
            "; R^2 is 1 where all is told, 0 where the environment's mean tells as much."
        };
    }
    printer.line(&words)
}

fn print_one(one: &Evaluated, metric: Metric, printer: &Printer) -> anyhow::Result<()> {
    let shown = |value: Option<f64>| value.map_or("-".into(), number);
    let row = |environment: &Environment| {
        let interval =
            environment.interval.map_or("-".into(), |(low, high)| format!("{} to {}", number(low), number(high)));
        let mut row = vec![environment.name.clone(), environment.rows.to_string(), number(environment.error), interval];
        if !metric.is_for_classes() {
            row.push(environment.r_squared.map_or("-".into(), |share| format!("{share:.2}")));
        }
        row.push(shown(environment.baseline));
        row
    };
    let rows: Vec<Vec<String>> = one.environments.iter().map(row).collect();
    let mut header = vec!["environment", "rows", metric.name(), "90 % interval"];
    header.extend((!metric.is_for_classes()).then_some("R^2"));
    header.push("baseline");
    printer.table_that_fits(&header, &rows, &["baseline", "R^2", "90 % interval"])?;
    let ErrorSummary { mean_error, std_error, max_error } = one.summary;
    let training = one.training.map_or(String::new(), |error| format!("  training {}", number(error)));
    printer.line(&format!(
        "\nMean_Error {}  Std_Error {}  Max_Error {}{training}",
        number(mean_error),
        number(std_error),
        number(max_error)
    ))
}

fn print_several(several: &[Evaluated], metric: Metric, printer: &Printer) -> anyhow::Result<()> {
    printer.line(&format!("{}, by model", metric.label()))?;
    let header: Vec<&str> =
        ["environment", "rows"].into_iter().chain(several.iter().map(|one| one.name.as_str())).collect();
    let error = |one: &Evaluated, name: &str| {
        let found = one.environments.iter().find(|environment| environment.name == name);
        found.map_or("-".into(), |environment| number(environment.error))
    };
    let row = |environment: &Environment| {
        let start = [environment.name.clone(), environment.rows.to_string()];
        start.into_iter().chain(several.iter().map(|one| error(one, &environment.name))).collect::<Vec<String>>()
    };
    let mut rows: Vec<Vec<String>> = several[0].environments.iter().map(row).collect();
    let of_all = |name: &str, value: &dyn Fn(&Evaluated) -> Option<f64>| {
        let start = [name.to_string(), String::new()];
        let values = several.iter().map(|one| value(one).map_or("-".into(), number));
        start.into_iter().chain(values).collect::<Vec<String>>()
    };
    rows.push(of_all("Mean_Error", &|one| Some(one.summary.mean_error)));
    rows.push(of_all("Std_Error", &|one| Some(one.summary.std_error)));
    rows.push(of_all("Max_Error", &|one| Some(one.summary.max_error)));
    rows.push(of_all("Training", &|one| one.training));
    printer.table_that_fits(&header, &rows, &["rows"])?;
    printer.line("")
}
