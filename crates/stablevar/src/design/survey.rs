//! A first look at the rows: which are used, and what their columns hold.
//!
//! Parts of a table can be looked at one by one and what was found merged, so that the whole need never be in one place.

use super::complete::complete_rows;
use super::moments::{Moments, moments};
use super::twofold::Twofold;
use super::{Environments, KeptRows, Missing, Roles, Target, Task, WeightKind};
use crate::error::{Error, Result, listed};
use crate::finding::{Code, Finding};
use crate::functions::mixed;
use crate::table::{Column, Table, Values, as_number, may_be_a_value};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Different texts, or different numbers of a target, that are told apart at most; an error tells of more.
const MOST_LEVELS: usize = 20_000;
/// Weights whose products and sums over rows stay within the range of numbers, and are not lost in it.
const WEIGHTS: std::ops::RangeInclusive<f64> = 1e-50..=1e50;
/// A text column of which this share of the values are numbers is told of.
const MOSTLY: f64 = 0.4;
/// Base weights that leave fewer effective rows than this share are told of.
const FEW_EFFECTIVE: f64 = 0.5;

/// What a first look at some rows found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Survey {
    /// Rows seen.
    rows: usize,
    /// Rows used.
    pub(super) kept: usize,
    missing_rows: usize,
    weightless_rows: usize,
    /// Sum of the base weights of the rows used.
    total: Twofold,
    /// Whether all of them are 1.
    pub(super) unweighted: bool,
    /// The covariates, over the rows used.
    pub(super) columns: Vec<ColumnSurvey>,
    target: Option<ColumnSurvey>,
    weights: Option<ColumnSurvey>,
    #[serde(default)]
    environment: Option<ColumnSurvey>,
}

/// What a column holds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ColumnSurvey {
    pub(super) name: String,
    pub(super) kind: ColumnKind,
    /// Missing values in all rows.
    missing: usize,
    pub(super) moments: Moments,
    /// Base weight of every level; for a target also of numbers.
    levels: BTreeMap<String, Twofold>,
    /// The first value in a row that is used.
    first: Option<String>,
    /// Whether all numbers are 0 or 1.
    binary: bool,
    /// The different numbers, unless there are more than two.
    #[serde(default)]
    two: Option<Vec<f64>>,
    /// Spellings of a missing value among the texts that may be meant as values.
    #[serde(default)]
    doubtful: BTreeSet<String>,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnKind {
    /// Numbers.
    Number,
    /// True and false.
    Boolean,
    /// Text.
    Text,
}

impl ColumnKind {
    fn of(values: &Values) -> Self {
        match values {
            Values::Number(_) => ColumnKind::Number,
            Values::Boolean(_) => ColumnKind::Boolean,
            Values::Text(_) => ColumnKind::Text,
        }
    }

    /// In words.
    pub fn in_words(self) -> &'static str {
        match self {
            ColumnKind::Number => "numbers",
            ColumnKind::Boolean => "true/false",
            ColumnKind::Text => "text",
        }
    }
}

/// The rows of a part of a table that are used, and their base weights.
pub struct Used<'a, 'b> {
    /// The part, without rows that are not used.
    pub table: Cow<'b, Table<'a>>,
    /// Base weights.
    pub base: Vec<f64>,
    /// Marks of the rows' groups.
    pub groups: Option<Vec<u64>>,
    /// Which rows of the part these are.
    pub kept: KeptRows,
}

impl<'a, 'b> Used<'a, 'b> {
    /// Settles which rows of a part are used; the first of the part stands at position `first` of its file.
    pub fn of(table: &'b Table<'a>, roles: &Roles, first: usize) -> Result<Self> {
        Ok(settle_rows(table, roles, first)?.0)
    }
}

/// What was seen when the rows to be used were settled.
struct Settled {
    missing_rows: usize,
    weightless_rows: usize,
    /// Missing values of the target, the weights, the environment and the covariates.
    missing: Vec<usize>,
}

fn settle_rows<'a, 'b>(table: &'b Table<'a>, roles: &Roles, first: usize) -> Result<(Used<'a, 'b>, Settled)> {
    check_roles(table, roles)?;
    let whole = match roles.numbers.is_empty() {
        true => Cow::Borrowed(table),
        false => Cow::Owned(table.with_numbers(&roles.numbers)),
    };
    let table: &Table = &whole;
    let names = covariate_names(table, roles);
    let mut base = base_weights(table, roles, first)?;
    let own = roles.target.iter().chain(&roles.weight_column).chain(&roles.environment);
    let columns = own.clone().chain(&names).map(|name| table.column(name)).collect::<Result<Vec<_>>>()?;
    let needed = match roles.missing {
        Missing::Mean => own.count(),
        Missing::Refuse | Missing::Drop => columns.len(),
    };
    let complete = complete_rows(&columns, needed, table.rows(), first)?;
    let missing_rows = table.rows() - complete.len();
    let kept: Vec<usize> = complete.iter().copied().filter(|&row| base[row] > 0.0).collect();
    let mut left_out = Vec::new();
    if kept.len() < table.rows() {
        let mut used = kept.iter().copied().peekable();
        left_out.extend((0..table.rows()).filter(|row| used.next_if_eq(row).is_none()));
    }
    let missing = |column: &&Column| match missing_rows {
        0 if needed == columns.len() => 0,
        _ => (0..column.values.len()).filter(|&row| column.values.is_missing(row)).count(),
    };
    let missing = columns.iter().map(missing).collect();
    let weightless_rows = complete.len() - kept.len();
    // Most tables are used whole, and need no copy.
    let rows = table.rows();
    let part = if left_out.is_empty() { whole } else { Cow::Owned(whole.keep_rows(&kept)) };
    if !left_out.is_empty() {
        base = kept.iter().map(|&row| base[row]).collect();
    }
    let groups = roles.group.as_ref().map(|name| part.column(name).map(group_marks)).transpose()?;
    let used = Used { table: part, base, groups, kept: KeptRows::without(rows, left_out) };
    Ok((used, Settled { missing_rows, weightless_rows, missing }))
}

impl Survey {
    /// Looks at rows of a table, the first of which stands at position `first` of its file.
    pub fn of<'a, 'b>(table: &'b Table<'a>, roles: &Roles, first: usize) -> Result<(Self, Used<'a, 'b>)> {
        let (used, settled) = settle_rows(table, roles, first)?;
        let names = covariate_names(table, roles);
        let (part, base, counted) = (&used.table, &used.base, &settled.missing);
        let here = |name: &String| part.column(name);
        let covariates = names.iter().map(here).collect::<Result<Vec<_>>>()?;
        let mut surveyed = survey_columns(&covariates, base);
        let others = counted.len() - surveyed.len();
        surveyed.iter_mut().zip(&counted[others..]).for_each(|(column, missing)| column.missing = *missing);
        let survey_own = |name: &String, position: usize, levels: &dyn Fn(&ColumnSurvey) -> bool| {
            let column = here(name)?;
            let mut found = survey_columns(&[column], base).remove(0);
            found.missing = counted[position];
            if let (true, Values::Number(numbers)) = (levels(&found), &column.values) {
                found.count_numbers(numbers.iter().zip(base));
            }
            Ok(found)
        };
        let classes = |found: &ColumnSurvey| roles.task.map_or(found.binary, |task| task == Task::Classification);
        let target = roles.target.as_ref().map(|name| survey_own(name, 0, &classes)).transpose()?;
        let place = usize::from(roles.target.is_some());
        let weights = roles.weight_column.as_ref().map(|name| survey_own(name, place, &|_| false)).transpose()?;
        let place = place + usize::from(roles.weight_column.is_some());
        let environment = roles.environment.as_ref().map(|name| survey_own(name, place, &|_| true)).transpose()?;
        let survey = Self {
            rows: table.rows(),
            kept: used.base.len(),
            missing_rows: settled.missing_rows,
            weightless_rows: settled.weightless_rows,
            total: Twofold::sum(base.iter()),
            unweighted: base.iter().all(|weight| *weight == 1.0),
            columns: surveyed,
            target,
            weights,
            environment,
        };
        Ok((survey, used))
    }

    /// Both parts together, the first before the second.
    pub fn merge(mut self, other: Self) -> Result<Self> {
        self.rows += other.rows;
        self.kept += other.kept;
        self.missing_rows += other.missing_rows;
        self.weightless_rows += other.weightless_rows;
        self.total.merge(other.total);
        self.unweighted &= other.unweighted;
        if self.columns.len() != other.columns.len() {
            return Err(Error::BadRequest("parts of one table must have the same columns".into()));
        }
        let own = self.columns.iter_mut().chain(&mut self.target).chain(&mut self.weights).chain(&mut self.environment);
        let others = other.columns.into_iter().chain(other.target).chain(other.weights).chain(other.environment);
        own.zip(others).try_for_each(|(column, more)| column.merge(more))?;
        Ok(self)
    }

    /// Rows seen.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Sum of the base weights of the rows used.
    pub(super) fn total(&self) -> f64 {
        self.total.value()
    }

    /// Rows used.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// Whether every row counts once.
    pub fn unweighted(&self) -> bool {
        self.unweighted
    }

    /// Refuses rows that can't be learnt from; else what the user should know.
    pub(super) fn check(&self, roles: &Roles) -> Result<Vec<Finding>> {
        let mut notes = Vec::new();
        let complete = self.rows - self.missing_rows;
        if let Some(column) = &self.weights
            && complete > 0
            && self.weightless_rows == complete
        {
            let fault = "all are zero".into();
            return Err(Error::BadWeights { column: column.name.clone(), fault });
        }
        if self.missing_rows > 0 && roles.missing == Missing::Refuse {
            return Err(Error::MissingValues { columns: self.missing_by_column(roles), rows: self.missing_rows });
        }
        if self.missing_rows > 0 && complete < 3 {
            let (columns, filled) = (self.missing_by_column(roles), roles.missing == Missing::Mean);
            return Err(Error::FewCompleteRows { columns, complete, rows: self.rows, filled });
        }
        if self.missing_rows > 0 {
            let (missing, rows) = (self.missing_rows as f64, self.rows as f64);
            let left_out = Finding::new(Code::RowsLeftOut).with("missing", missing).with("rows", rows);
            notes.push(left_out.detail(format!(" ({})", listed(&self.missing_by_column(roles)))));
        }
        if self.weightless_rows > 0 {
            notes.push(Finding::new(Code::RowsWithoutWeight).with("rows", self.weightless_rows as f64));
        }
        if self.kept < 3 {
            return Err(Error::TooFewRows { found: self.kept, needed: 3 });
        }
        Ok(notes)
    }

    /// Two numbers that are not 0 and 1 may be classes, but need not be.
    pub(super) fn note_on_target(&self, roles: &Roles) -> Option<Finding> {
        let column = self.target.as_ref().filter(|column| roles.task.is_none() && !column.binary)?;
        let [low, high] = column.two.as_deref()? else { return None };
        Some(Finding::new(Code::TwoNumbers).about([&column.name]).detail(format!("{low} and {high}")))
    }

    /// The base weight that counts as one row: so many that the weights sum to Kish's effective number of rows, unless they are
    /// counts.
    pub(super) fn weight_unit(&self, roles: &Roles) -> f64 {
        // Under the weights themselves their mean is `sum w^2 / sum w`.
        let mean = self.weights.as_ref().map_or(1.0, |weights| weights.moments.mean());
        let usable = roles.weight_kind == WeightKind::Survey && !self.unweighted && mean > 0.0 && mean.is_finite();
        if usable { mean } else { 1.0 }
    }

    pub(super) fn note_on_weights(&self, roles: &Roles) -> Option<Finding> {
        let (effective, rows) = (self.total() / self.weight_unit(roles), self.kept as f64);
        let told = || Finding::new(Code::UnevenWeights).with("effective", effective).with("rows", rows);
        (effective < FEW_EFFECTIVE * rows).then(told)
    }

    /// Missing values of the columns that must have none.
    fn missing_by_column(&self, roles: &Roles) -> Vec<(String, usize)> {
        let covariates = self.columns.iter().filter(|_| roles.missing != Missing::Mean);
        let counted = self.target.iter().chain(&self.weights).chain(&self.environment).chain(covariates);
        counted.filter(|column| column.missing > 0).map(|column| (column.name.clone(), column.missing)).collect()
    }

    /// The environments that the rows used have.
    pub(super) fn environments(&self) -> Result<Option<Environments>> {
        let Some(column) = &self.environment else { return Ok(None) };
        let levels = column.sorted_levels();
        if let [value] = &levels[..] {
            return Err(Error::OneEnvironment { column: column.name.clone(), value: value.clone() });
        }
        let more = levels.len() >= MOST_LEVELS;
        if more || 2 * levels.len() > self.kept {
            let (column, environments) = (column.name.clone(), levels.len());
            return Err(Error::TooManyEnvironments { column, environments, more, rows: self.kept });
        }
        Ok(Some(Environments { column: column.name.clone(), levels }))
    }

    /// How the outcome is to be standardised.
    pub(super) fn target(&self, roles: &Roles) -> Result<Target> {
        let Some(column) = &self.target else { return Ok(Target::none()) };
        let name = column.name.clone();
        let task = roles.task.unwrap_or(match column.kind {
            ColumnKind::Number if !column.binary => Task::Regression,
            _ => Task::Classification,
        });
        let value = || column.first.clone().unwrap_or_default();
        let classes = match (task, column.kind) {
            (Task::Regression, ColumnKind::Number) => None,
            (Task::Regression, kind) => {
                return Err(Error::TextTarget { kind: kind.in_words(), column: name, row: 1, value: value() });
            }
            (Task::Classification, _) => Some(column.two_classes()?),
        };
        let spread = match &classes {
            None => column.moments.mean_and_scale(self.total()),
            Some([_, second]) => {
                let share = column.levels[second].value() / self.total();
                Some((share, (share * (1.0 - share)).sqrt()))
            }
        };
        let Some((mean, scale)) = spread else {
            return Err(Error::ConstantTarget { column: name, value: value() });
        };
        Ok(Target { name, classes, mean, scale })
    }
}

fn survey_columns(columns: &[&Column], base: &[f64]) -> Vec<ColumnSurvey> {
    let survey = |(column, moments): (&&Column, Moments)| {
        let binary = match &column.values {
            Values::Number(numbers) => numbers.iter().all(|value| value == 0.0 || value == 1.0),
            _ => false,
        };
        let two = match &column.values {
            Values::Number(numbers) => different(numbers.iter()),
            _ => None,
        };
        let mut found = ColumnSurvey {
            name: column.name.clone(),
            kind: ColumnKind::of(&column.values),
            missing: 0,
            moments,
            levels: BTreeMap::new(),
            first: (!column.values.is_empty()).then(|| column.values.text(0)).flatten(),
            binary,
            two,
            doubtful: BTreeSet::new(),
        };
        match &column.values {
            Values::Number(_) => {}
            Values::Boolean(flags) => {
                for level in [false, true] {
                    let matching = flags.iter().zip(base).filter(|(flag, _)| **flag == Some(level));
                    let weight = Twofold::sum(matching.map(|(_, weight)| weight));
                    if weight.value() > 0.0 {
                        found.levels.insert(level.to_string(), weight);
                    }
                }
            }
            Values::Text(texts) => {
                let mut counts = vec![Twofold::ZERO; texts.levels.len()];
                for (code, weight) in texts.codes.iter().zip(base) {
                    if let Some(code) = code {
                        counts[*code as usize].add(*weight);
                    }
                }
                let levels = texts.levels.iter().zip(counts).filter(|(_, weight)| weight.value() > 0.0);
                levels.for_each(|(level, weight)| found.count(level, weight));
                found.doubtful = texts.levels.iter().filter(|level| may_be_a_value(level)).cloned().collect();
            }
        }
        found
    };
    columns.iter().zip(moments(columns, base)).map(survey).collect()
}

impl ColumnSurvey {
    /// The levels and their base weights, in the order of their names.
    pub(super) fn levels(&self) -> impl Iterator<Item = (&String, f64)> {
        self.levels.iter().map(|(level, weight)| (level, weight.value()))
    }

    /// The share of this many rows in which it is missing, as far as that was counted.
    pub(super) fn missing_share(&self, rows: usize) -> f64 {
        self.missing as f64 / rows.max(1) as f64
    }

    /// Of a text column that is mostly numbers: their share, and the most frequent text that is none.
    pub(super) fn numbers_in_disguise(&self) -> Option<(f64, String)> {
        let (mut numbers, mut total, mut word) = (0.0, 0.0, (0.0, ""));
        for (level, weight) in self.levels().filter(|_| self.kind == ColumnKind::Text) {
            total += weight;
            match as_number(level) {
                Some(_) => numbers += weight,
                None if weight > word.0 => word = (weight, level),
                None => {}
            }
        }
        // A word is what made the reader take the column for text; codes that were asked to be text have none.
        let disguised = word.0 > 0.0 && numbers >= MOSTLY * total;
        disguised.then(|| (numbers / total, word.1.to_string()))
    }

    /// Words that were read as missing and may have been meant as values: those that no row has.
    pub(super) fn doubtful(&self) -> impl Iterator<Item = &String> {
        self.doubtful.iter().filter(|word| !self.levels.contains_key(*word))
    }

    /// Whether no row used has a value.
    pub(super) fn is_empty(&self) -> bool {
        self.moments.is_empty() && self.levels.is_empty()
    }

    /// Whether there may be more levels, which were not counted.
    pub(super) fn may_have_more_levels(&self) -> bool {
        self.levels.len() >= MOST_LEVELS
    }

    fn count(&mut self, level: &str, weight: Twofold) {
        if let Some(sum) = self.levels.get_mut(level) {
            sum.merge(weight);
        } else if self.levels.len() < MOST_LEVELS {
            self.levels.insert(level.to_string(), weight);
        }
    }

    /// Counts different numbers, until there are too many to be classes.
    fn count_numbers<'a>(&mut self, numbers: impl Iterator<Item = (f64, &'a f64)>) {
        let mut sums: BTreeMap<u64, Twofold> = BTreeMap::new();
        for (value, weight) in numbers {
            // 0 and -0 are one number.
            sums.entry((value + 0.0).to_bits()).or_insert(Twofold::ZERO).add(*weight);
            if sums.len() > MOST_LEVELS {
                break;
            }
        }
        sums.into_iter().for_each(|(bits, weight)| self.count(&f64::from_bits(bits).to_string(), weight));
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        if (&self.name, self.kind) != (&other.name, other.kind) {
            return Err(if self.name == other.name {
                let (found, expected) = (other.kind.in_words(), self.kind.in_words());
                Error::ChangedType { column: other.name, found, expected }
            } else {
                Error::BadRequest(format!(
                    "one part of the table has a column '{}' where another has '{}'",
                    other.name, self.name
                ))
            });
        }
        self.missing += other.missing;
        self.moments = self.moments.merge(other.moments);
        self.first = self.first.take().or(other.first);
        self.binary &= other.binary;
        self.doubtful.extend(other.doubtful);
        self.two = self.two.take().zip(other.two).and_then(|(own, more)| different(own.into_iter().chain(more)));
        other.levels.iter().for_each(|(level, weight)| self.count(level, *weight));
        Ok(())
    }

    /// The levels in order: numbers by size, false before true, text by alphabet.
    fn sorted_levels(&self) -> Vec<String> {
        let mut found: Vec<String> = self.levels.keys().cloned().collect();
        if self.kind == ColumnKind::Number {
            let value = |text: &String| text.parse::<f64>().unwrap_or(f64::NAN);
            found.sort_by(|a, b| value(a).total_cmp(&value(b)));
        }
        found
    }

    /// The two classes of a target in order.
    fn two_classes(&self) -> Result<[String; 2]> {
        let mut found = self.sorted_levels();
        let column = self.name.clone();
        match found.len() {
            2 => Ok([found.remove(0), found.remove(0)]),
            1 => Err(Error::OneClass { column, class: found.remove(0) }),
            count => {
                found.truncate(5);
                Err(Error::ManyClasses { column, count, more: self.may_have_more_levels(), examples: found })
            }
        }
    }
}

/// Different numbers in order, if there are two at most.
fn different(numbers: impl Iterator<Item = f64>) -> Option<Vec<f64>> {
    let mut found: Vec<f64> = Vec::with_capacity(2);
    for value in numbers.filter(|value| !value.is_nan()) {
        if !found.contains(&value) {
            if found.len() == 2 {
                return None;
            }
            found.push(value);
        }
    }
    found.sort_by(f64::total_cmp);
    Some(found)
}

fn check_roles(table: &Table, roles: &Roles) -> Result<()> {
    let named = roles.target.iter().chain(&roles.exclude).chain(&roles.weight_column).chain(&roles.environment);
    named.chain(&roles.group).chain(&roles.numbers).try_for_each(|name| table.column(name).map(|_| ()))?;
    roles.check()
}

fn covariate_names(table: &Table, roles: &Roles) -> Vec<String> {
    let used = |name: &String| {
        ![&roles.target, &roles.weight_column, &roles.environment, &roles.group].contains(&&Some(name.clone()))
            && !roles.exclude.contains(name)
    };
    table.columns().iter().map(|column| column.name.clone()).filter(used).collect()
}

/// A mark for every row that rows of the same group share; a row without a group is one of its own.
fn group_marks(column: &Column) -> Vec<u64> {
    let of_text = |text: &str| text.bytes().fold(mixed(1), |hash, byte| mixed(hash ^ u64::from(byte)));
    let mark = |row: usize| column.values.text(row).map_or_else(|| mixed(mixed(row as u64)), |text| of_text(&text));
    (0..column.values.len()).map(mark).collect()
}

/// Base weights by row of the table; NaN where they are missing.
fn base_weights(table: &Table, roles: &Roles, first: usize) -> Result<Vec<f64>> {
    let Some(name) = &roles.weight_column else { return Ok(vec![1.0; table.rows()]) };
    let bad = |fault: String| Error::BadWeights { column: name.clone(), fault };
    let Values::Number(weights) = &table.column(name)?.values else {
        return Err(bad(format!("the column holds {}", table.column(name)?.values.kind())));
    };
    let is_bad = |weight: f64| !(weight.is_nan() || weight == 0.0 || WEIGHTS.contains(&weight));
    if let Some(row) = weights.iter().position(is_bad) {
        return Err(bad(format!("row {} has {}", first + row + 1, weights[row])));
    }
    let counts = roles.weight_kind == WeightKind::Frequency;
    if let Some(row) = weights.iter().position(|weight| counts && !weight.is_nan() && weight.fract() != 0.0) {
        return Err(bad(format!("row {} has {}, which is no count", first + row + 1, weights[row])));
    }
    Ok(weights.to_vec())
}
