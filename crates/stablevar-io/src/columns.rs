//! Columns of files that say themselves what they hold: what is alike in reading Parquet and Arrow.

use crate::arrow_values;
use crate::guard::guarded;
use crate::reading::Plan;
use crate::stream::{TablePart, Visit};
use crate::{IoError, Result};
use arrow_array::{Array, ArrayRef, RecordBatch, cast::AsArray, types::Float64Type};
use arrow_schema::{DataType, FieldRef};
use stablevar::notation::{DateNotation, Notation, Order, Written};
use stablevar::table::{Column, Table, TextValues, Values};

/// Some rows of a file that follow each other.
pub(crate) struct Piece {
    pub rows: usize,
    pub columns: Vec<Held>,
}

/// What a column holds in these rows; nothing if it is of a kind that can't be read.
pub(crate) struct Held {
    pub field: FieldRef,
    pub array: Option<ArrayRef>,
}

impl From<RecordBatch> for Piece {
    fn from(batch: RecordBatch) -> Self {
        let fields = batch.schema_ref().fields().iter();
        let held = fields.zip(batch.columns());
        let columns = held.map(|(field, array)| Held { field: field.clone(), array: Some(array.clone()) }).collect();
        Self { rows: batch.num_rows(), columns }
    }
}

impl Held {
    fn name(&self) -> &String {
        self.field.name()
    }

    /// What `read` makes of it, unless it can't be used.
    fn get<T>(&self, path: &str, read: impl Fn(&dyn Array) -> Option<T>) -> Result<T> {
        self.array.as_deref().and_then(read).ok_or_else(|| IoError::Unsupported {
            path: path.into(),
            column: self.name().clone(),
            kind: self.field.data_type().to_string(),
        })
    }

    fn texts(&self, path: &str) -> Result<TextValues> {
        self.get(path, arrow_values::texts)
    }

    fn days(&self, path: &str) -> Result<Vec<f64>> {
        self.get(path, arrow_values::days)
    }

    /// What it becomes if its texts or dates are read in some notation.
    fn noted(&self, path: &str, notation: &Notation, first: usize) -> Result<Vec<Column<'static>>> {
        let name = self.name();
        if is_temporal(self.field.data_type()) {
            return Ok(notation.columns(name, self.days(path)?));
        }
        let texts = self.texts(path)?;
        let numbers = notation.numbers(&texts).map_err(|row| IoError::NotAsBefore {
            path: path.into(),
            row: first + row + 1,
            column: name.into(),
            value: texts.get(row).unwrap_or_default().into(),
            expected: notation.in_words().into(),
        });
        Ok(notation.columns(name, numbers?))
    }

    fn values(mut self, path: &str, as_text: bool) -> Result<Values<'static>> {
        let kind = self.field.data_type();
        if holds_text(kind) || as_text {
            return Ok(Values::Text(self.texts(path)?));
        }
        if *kind == DataType::Boolean {
            return self.get(path, |array| Some(Values::Boolean(array.as_boolean_opt()?.iter().collect())));
        }
        // Most tables are of such numbers alone: they are not copied.
        if *kind == DataType::Float64
            && let Some(array) = self.array.take_if(|array| array.null_count() == 0)
        {
            let (_, numbers, _) = array.as_primitive::<Float64Type>().clone().into_parts();
            drop(array);
            return Ok(Values::Number(Vec::from(numbers).into()));
        }
        Ok(Values::Number(self.get(path, arrow_values::numbers)?.into()))
    }
}

pub(crate) fn names(fields: &[FieldRef]) -> Vec<String> {
    fields.iter().map(|field| field.name().clone()).collect()
}

/// How many columns that are read hold text, and are not read as numbers or dates.
pub(crate) fn text_columns(fields: &[FieldRef], plan: &Plan) -> usize {
    let used = fields.iter().filter(|field| !plan.skips(field.name()));
    let text = used.filter(|field| holds_text(field.data_type()) || plan.is_text(field.name()));
    text.filter(|field| !plan.reading.contains_key(field.name())).count()
}

/// Positions of the columns whose values are to be looked at: texts, dates, and what is to be dates.
pub(crate) fn telling(fields: &[FieldRef], plan: &Plan) -> Vec<usize> {
    let fields = fields.iter().enumerate();
    fields
        .filter(|(_, field)| {
            let name = field.name();
            let kind = field.data_type();
            !plan.skips(name) && !plan.is_text(name) && (holds_text(kind) || is_temporal(kind) || plan.is_dated(name))
        })
        .map(|(k, _)| k)
        .collect()
}

/// Learns from the first rows of a table how texts and dates are read.
pub(crate) fn look(path: &str, mut pieces: impl Iterator<Item = Result<Piece>>, plan: &mut Plan) -> Result<()> {
    match guarded(path, || pieces.next())?.transpose()? {
        Some(piece) => guarded(path, || look_at(path, &piece, plan))?,
        None => Ok(()),
    }
}

fn look_at(path: &str, piece: &Piece, plan: &mut Plan) -> Result<()> {
    let mut seen = Vec::new();
    for column in &piece.columns {
        let name = column.name();
        if is_temporal(column.field.data_type()) {
            let days = column.days(path)?;
            let parts = plan.takes_apart(name);
            let hours = parts && days.iter().any(|day| day.fract().abs() > 0.0);
            let date = DateNotation { order: Order::YearMonthDay, parts, hours };
            let first = days.iter().find(|day| !day.is_nan());
            plan.note(name, Notation::Date(date), &first.map_or(String::new(), f64::to_string));
            continue;
        }
        let texts = column.texts(path)?;
        let mut written = Written::default();
        (0..texts.codes.len()).filter_map(|row| texts.get(row)).for_each(|text| {
            written.see(text);
        });
        seen.push((name.clone(), written, texts));
    }
    let habits = plan.habits(seen.iter().map(|(_, written, _)| written), None);
    for (name, written, texts) in seen {
        let known = plan.known(&name).filter(|known| known.numbers(&texts).is_ok()).cloned();
        // A column of plain numbers that was stored as text was meant to be text.
        let own = || written.notation(habits).filter(|_| written.plain < written.values);
        if let Some(notation) = plan.asked_date(path, &name, &written)?.or(known).or_else(own) {
            plan.note(&name, notation, written.example());
        }
    }
    Ok(())
}

pub(crate) fn damaged(path: &str, error: &dyn std::fmt::Display) -> IoError {
    IoError::Damaged { path: path.into(), message: error.to_string() }
}

/// The columns that all parts of a table must have.
pub(crate) struct Columns<'a> {
    plan: &'a Plan,
    /// Names of all columns of the first file, used or not.
    names: Vec<String>,
    /// What those used hold, once a piece was seen.
    kinds: Vec<&'static str>,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        Self { plan, names: Vec::new(), kinds: Vec::new() }
    }

    /// Positions of the columns to read; every file must have those of the first, in the same order.
    pub(crate) fn check(&mut self, path: &str, fields: &[FieldRef]) -> Result<Vec<usize>> {
        let names = names(fields);
        if self.names.is_empty() {
            self.names = names;
        } else if self.names != names {
            let differing = self.names.iter().find(|name| !names.contains(name));
            let message = match (differing, names.iter().find(|name| !self.names.contains(name))) {
                (Some(missing), _) => format!("it has no column '{missing}', which the files before it have"),
                (None, Some(more)) => format!("it has a column '{more}', which the files before it do not have"),
                (None, None) => "its columns stand in another order than in the files before it".into(),
            };
            return Err(IoError::PartDiffers { path: path.into(), message });
        }
        Ok((0..self.names.len()).filter(|&k| !self.plan.skips(&self.names[k])).collect())
    }

    /// Shows the pieces of a file.
    pub(crate) fn show(
        &mut self,
        path: &str,
        mut pieces: impl Iterator<Item = Result<Piece>>,
        visit: Visit,
    ) -> Result<()> {
        let mut first = 0;
        while let Some(piece) = guarded(path, || pieces.next())?.transpose()? {
            let table = guarded(path, || self.table(path, piece, first))??;
            let rows = table.rows();
            visit(TablePart { path: path.into(), first, table })?;
            first += rows;
        }
        Ok(())
    }

    /// The rows of a piece, whose first stands at position `first` of its file.
    fn table(&mut self, path: &str, piece: Piece, first: usize) -> Result<Table<'static>> {
        let mut columns: Vec<Column> = Vec::with_capacity(piece.columns.len());
        for held in piece.columns {
            let name = held.name().clone();
            match self.plan.reading.get(&name) {
                Some(notation) => columns.extend(held.noted(path, notation, first)?),
                None => {
                    let values = held.values(path, self.plan.is_text(&name))?;
                    columns.push(Column { name, values });
                }
            }
        }
        for (k, Column { name, values }) in columns.iter().enumerate() {
            let here = values.kind();
            if self.kinds.len() == k {
                self.kinds.push(here);
            }
            let before = self.kinds[k];
            if before != here {
                let message = format!("column '{name}' holds {here} here and {before} in what was read before");
                return Err(IoError::PartDiffers { path: path.into(), message });
            }
        }
        if columns.is_empty() {
            return Ok(Table::without_columns(piece.rows));
        }
        Table::new(columns).map_err(|source| IoError::Table { path: path.into(), source })
    }

    /// Without a single piece there are columns all the same.
    pub(crate) fn finish(self, path: &str, visit: Visit) -> Result<()> {
        if !self.kinds.is_empty() {
            return Ok(());
        }
        let empty = |name| Column { name, values: Values::Number(Vec::new().into()) };
        let table = Table::new(self.plan.columns().into_iter().map(empty).collect());
        let table = table.map_err(|source| IoError::Table { path: path.into(), source })?;
        visit(TablePart { path: path.into(), first: 0, table })
    }
}

fn holds_text(kind: &DataType) -> bool {
    let is_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    is_text(kind) || matches!(kind, DataType::Dictionary(_, value) if is_text(value))
}

fn is_temporal(kind: &DataType) -> bool {
    matches!(kind, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}
