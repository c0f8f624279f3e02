//! The arguments of `stablevar weigh`.

use super::{FORMAT_HELP, Format, InputArguments, QUIET_HELP, Settings, Weighs};
use clap::Args;
use std::path::PathBuf;

pub(crate) const EXAMPLES: &str = "Examples:
  stablevar weigh houses.csv --target price --weights weights.csv
  stablevar weigh houses.csv --target price --path --chart path.svg
  stablevar weigh houses.csv --target price --ridge 0.1 --weights weights.csv    (as strong as you say)";

#[derive(Args)]
pub(crate) struct WeighArguments {
    /// The table: CSV, Parquet or Arrow, or a folder of Parquet files or a pattern for their names; - is standard input
    pub data: PathBuf,
    /// The outcome's column, which weights do not look at: the same as --exclude
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    /// Show the path from no weights to the strongest: effective rows and the correlation left at every ridge
    #[arg(long)]
    pub path: bool,
    /// Write the rows' weights here (CSV, one line per row of the table; rows left out have none)
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Write a picture of the path here (SVG)
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Human, help = FORMAT_HELP)]
    pub format: Format,
    #[arg(short, long, help = QUIET_HELP)]
    pub quiet: bool,

    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub settings: Settings<Weighs>,
}
