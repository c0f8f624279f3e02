//! `stablevar data`

use super::check_files;
use crate::Ending;
use crate::args::{DataArguments, Format, PartName};
use crate::printer::Printer;
use stablevar::table::Values;
use stablevar_data::real::{ENVIRONMENT, cache_folder};
use stablevar_io::write_table;
use stablevar_report::text::count;

pub(crate) fn run(arguments: &DataArguments) -> anyhow::Result<Ending> {
    let dataset = arguments.name;
    check_files(&[], &[Some(&arguments.out)], Format::Human)?;
    let table = dataset.load(&cache_folder())?;
    let is_training = |row: usize| match &table.column(ENVIRONMENT).map(|column| &column.values) {
        Ok(Values::Text(names)) => names.get(row) == Some(dataset.training_environment()),
        _ => false,
    };
    let wanted = |row: &usize| match arguments.part {
        PartName::All => true,
        PartName::Train => is_training(*row),
        PartName::Test => !is_training(*row),
    };
    let rows: Vec<usize> = (0..table.rows()).filter(wanted).collect();
    write_table(&arguments.out, &table.keep_rows(&rows))?;
    Printer::new(false).note(&format!(
        "{} rows of {} columns are in {}",
        count(rows.len()),
        table.columns().len(),
        arguments.out.display()
    ));
    Ok(Ending::Done)
}
