//! Tables as Python hands them over, without copies where the layout allows.

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use stablevar::notation::{DateNotation, Notation, Order, Reading};
use stablevar::table::{Column, Numbers, Table, TextValues, Values, is_missing};

/// One column.
#[derive(FromPyObject)]
pub(crate) enum InputColumn<'py> {
    /// Numbers.
    Number(PyReadonlyArray1<'py, f64>),
    /// True and false.
    Boolean(PyReadonlyArray1<'py, bool>),
    /// 1 and 0 for true and false, any other number where it is missing.
    Flags(PyReadonlyArray1<'py, i8>),
    /// Positions in a list of texts; -1 is missing.
    Text(PyReadonlyArray1<'py, i64>, Vec<String>),
    /// Days since 1970-01-01, and the word for them.
    Date(PyReadonlyArray1<'py, f64>, String),
}

/// The covariates.
#[derive(FromPyObject)]
pub(crate) enum Input<'py> {
    /// All numbers.
    Dense(PyReadonlyArray2<'py, f64>),
    /// Columns of different kinds.
    Columns(Vec<InputColumn<'py>>),
}

impl InputColumn<'_> {
    fn values(&self) -> PyResult<Values<'_>> {
        Ok(match self {
            InputColumn::Number(array) | InputColumn::Date(array, _) => Values::Number(strided(array)?),
            InputColumn::Boolean(array) => Values::Boolean(array.as_array().iter().map(|value| Some(*value)).collect()),
            InputColumn::Flags(array) => {
                let flag = |value: &i8| matches!(value, 0 | 1).then_some(*value == 1);
                Values::Boolean(array.as_array().iter().map(flag).collect())
            }
            InputColumn::Text(codes, levels) => {
                let code = |code: &i64| u32::try_from(*code).ok().filter(|code| (*code as usize) < levels.len());
                Values::Text(TextValues { codes: codes.as_array().iter().map(code).collect(), levels: levels.clone() })
            }
        })
    }

    pub(crate) fn column(&self, name: &str) -> PyResult<Column<'_>> {
        Ok(Column { name: name.into(), values: self.values()? })
    }
}

/// A one-dimensional array as a view; one that is not contiguous is copied.
fn strided<'a>(array: &'a PyReadonlyArray1<'_, f64>) -> PyResult<Numbers<'a>> {
    Ok(match array.as_slice() {
        Ok(slice) => Numbers::view(slice, 0, 1, slice.len()),
        Err(_) => array.as_array().to_vec().into(),
    })
}

impl Input<'_> {
    /// The columns under these names; those of a contiguous array are views of it.
    pub(crate) fn columns<'a>(&'a self, names: &[String]) -> PyResult<Vec<Column<'a>>> {
        match self {
            Input::Columns(columns) => {
                check_names(columns.len(), names)?;
                let column = |(column, name): (&'a InputColumn<'_>, &String)| column.column(name).map(without_missing);
                columns.iter().zip(names).map(column).collect()
            }
            Input::Dense(array) => {
                let [rows, width] = [array.shape()[0], array.shape()[1]];
                check_names(width, names)?;
                let by_rows = array.is_c_contiguous();
                let values = array.as_slice().ok();
                let column = |k: usize| match values {
                    Some(values) if by_rows => Numbers::view(values, k, width, rows),
                    Some(values) => Numbers::view(values, k * rows, 1, rows),
                    None => array.as_array().column(k).to_vec().into(),
                };
                let named = names.iter().enumerate();
                Ok(named.map(|(k, name)| Column { name: name.clone(), values: Values::Number(column(k)) }).collect())
            }
        }
    }

    /// How a file is to be read that writes such columns in texts: dates as the standard has them.
    pub(crate) fn reading(&self, names: &[String]) -> Reading {
        let Input::Columns(columns) = self else { return Reading::new() };
        let dated = columns
            .iter()
            .zip(names)
            .filter(|(column, _)| matches!(column, InputColumn::Date(_, word) if word == "date"));
        standard_dates(dated.map(|(_, name)| name))
    }

    pub(crate) fn table(&self, names: &[String]) -> PyResult<Table<'_>> {
        Table::new(self.columns(names)?).map_err(crate::errors::value_error)
    }
}

/// Dates as in 2014-10-13 for all of these columns.
pub(crate) fn standard_dates<'a>(names: impl Iterator<Item = &'a String>) -> Reading {
    let date = DateNotation { order: Order::YearMonthDay, parts: false, hours: false };
    names.map(|name| (name.clone(), Notation::Date(date))).collect()
}

/// Spellings of a missing value are missing, as they are in files; an outcome's classes may bear any name.
fn without_missing(mut column: Column<'_>) -> Column<'_> {
    if let Values::Text(texts) = &mut column.values {
        let missing: Vec<bool> = texts.levels.iter().map(|level| is_missing(level)).collect();
        let present = |code: Option<u32>| code.filter(|code| !missing[*code as usize]);
        texts.codes.iter_mut().for_each(|code| *code = present(*code));
    }
    column
}

/// A name that no column bears.
pub(crate) fn free_name(wanted: &str, columns: &[Column]) -> String {
    let mut name = wanted.to_string();
    while columns.iter().any(|column| column.name == name) {
        name.push('\'');
    }
    name
}

/// Adds base weights, if there are any, to the columns and returns the name of theirs.
pub(crate) fn add_weights<'a>(
    columns: &mut Vec<Column<'a>>,
    weights: Option<&'a PyReadonlyArray1<'_, f64>>,
) -> PyResult<Option<String>> {
    add_values("sample_weight", columns, weights)
}

/// Adds a column under a name that is free, if there are values.
pub(crate) fn add_values<'a>(
    name: &str,
    columns: &mut Vec<Column<'a>>,
    values: Option<&'a PyReadonlyArray1<'_, f64>>,
) -> PyResult<Option<String>> {
    let Some(values) = values else { return Ok(None) };
    let name = free_name(name, columns);
    columns.push(Column { name: name.clone(), values: Values::Number(strided(values)?) });
    Ok(Some(name))
}

/// Adds the rows' environments, if there are any, to the columns and returns the name of theirs.
pub(crate) fn add_environment<'a>(
    columns: &mut Vec<Column<'a>>,
    environment: Option<&'a InputColumn<'_>>,
    name: &str,
) -> PyResult<Option<String>> {
    let Some(environment) = environment else { return Ok(None) };
    let name = free_name(name, columns);
    columns.push(environment.column(&name)?);
    Ok(Some(name))
}

fn check_names(columns: usize, names: &[String]) -> PyResult<()> {
    if columns == names.len() {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("there are {columns} columns and {} names", names.len())))
}
