//! Figures drawn again from their numbers: how they look may change while what was measured stays.

use crate::figures::{Average, bar_picture, line_picture};
use serde::Deserialize;

/// The picture of a figure from its numbers; `None` for figures of another kind than lines and bars.
///
/// `caption` is the figure's, which also says where a real model was trained.
pub fn redrawn(name: &str, caption: &str, numbers: &str) -> Result<Option<String>, csv::Error> {
    match name {
        "house" | "adult" => bars(name, caption, numbers).map(Some),
        "heatmaps" | "dependence-by-loop" => Ok(None),
        _ => lines(name, caption, numbers),
    }
}

fn read<T: for<'de> Deserialize<'de>>(numbers: &str) -> Result<Vec<T>, csv::Error> {
    csv::Reader::from_reader(numbers.as_bytes()).deserialize().collect()
}

/// The distinct values in their order.
fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    values.fold(Vec::new(), |mut all, value| {
        if !all.contains(&value) {
            all.push(value);
        }
        all
    })
}

fn lines(name: &str, caption: &str, numbers: &str) -> Result<Option<String>, csv::Error> {
    #[derive(Deserialize)]
    struct Line {
        x: String,
        series: String,
        mean: f64,
        standard_error: f64,
    }
    let lines: Vec<Line> = read(numbers)?;
    let labels = distinct(lines.iter().map(|line| line.x.clone()));
    let of_series = |series: String| {
        let own = lines.iter().filter(|line| line.series == series);
        let values = own.map(|line| Average { mean: line.mean, error: line.standard_error }).collect();
        (series, values)
    };
    let series: Vec<_> = distinct(lines.iter().map(|line| line.series.clone())).into_iter().map(of_series).collect();
    Ok(line_picture(name, caption, &labels, &series))
}

fn bars(name: &str, caption: &str, numbers: &str) -> Result<String, csv::Error> {
    #[derive(Deserialize)]
    struct Line {
        method: String,
        environment: String,
        error: f64,
        standard_error: f64,
    }
    let lines: Vec<Line> = read(numbers)?;
    let trained_on = caption.split("(trained on ").nth(1).and_then(|rest| rest.split(')').next()).unwrap_or_default();
    let metric = if name == "house" { "root mean squared error" } else { "error rate" };
    let methods = distinct(lines.iter().map(|line| line.method.clone()));
    let all = distinct(lines.iter().map(|line| line.environment.clone()));
    let elsewhere = all.into_iter().filter(|place| trained_on.is_empty() || !place.starts_with(trained_on));
    let errors = |place: String| {
        let of = |method: &String| {
            let found = lines.iter().find(|line| line.method == *method && line.environment == place);
            found.map_or((f64::NAN, 0.0), |line| (line.error, line.standard_error))
        };
        let errors = methods.iter().map(of).collect();
        (place, errors)
    };
    let environments: Vec<(String, Vec<(f64, f64)>)> = elsewhere.map(errors).collect();
    Ok(bar_picture(name, caption, metric, &methods, &environments))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn figures_are_drawn_from_their_numbers() {
        let numbers =
            "x,series,mean,standard_error\n500,OLS,0.46,0.02\n1000,OLS,0.43,0.01\n500,SVI,0.34,0\n1000,SVI,0.34,0\n";
        let drawn = redrawn("error-by-n", "Errors.", numbers).unwrap().unwrap();
        assert!(drawn.contains("mean squared error (log scale)") && drawn.contains(">1,000</text>"), "{drawn}");
        assert!(drawn.contains("SVI: 0.3400") && !drawn.contains("NaN"));
        let numbers = "method,environment,n,error,standard_error\nOLS,a,5,0.2,0.01\nOLS,b,5,0.3,0.01\n";
        let drawn = redrawn("adult", "Error rate (trained on a), somewhere.", numbers).unwrap().unwrap();
        assert!(drawn.contains("OLS, b: 0.3000") && !drawn.contains("OLS, a:"), "{drawn}");
        assert!(redrawn("heatmaps", "", "").unwrap().is_none());
        assert!(redrawn("error-by-n", "", "x,series\n1,a\n").is_err());
    }
}
