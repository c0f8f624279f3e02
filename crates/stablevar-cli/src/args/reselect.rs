//! The arguments of `stablevar reselect`.

use super::{FORMAT_HELP, Format, InputArguments, QUIET_HELP, Reselects, Settings};
use clap::Args;
use std::path::PathBuf;

pub(crate) const EXAMPLES: &str = "Examples:
  stablevar reselect model.json --threshold 0.9 --out stricter.json
  stablevar reselect model.json --data houses.csv --fdr 0.1 --out wider.json
  stablevar reselect model.json --data houses.csv --select 5 --out five.json --report five.html

Without --data the new model is fitted to the training rows that the saved one remembers: all up to 4,000, else as many of them.
With it, columns that the saved model was fitted without are passed over; options such as --missing and --weight-column are to
be given as they were then.";

#[derive(Args)]
pub(crate) struct ReselectArguments {
    /// The model file
    pub model: PathBuf,
    /// The table that it was fitted to
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// Write the new model here
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a report page here
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,

    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub settings: Settings<Reselects>,
}
