//! How the columns of a table become columns of the design matrix.

use super::complete::{complete_rows, not_finite};
use super::survey::{ColumnKind, ColumnSurvey, Survey};
use super::target::standardised;
use super::{Missing, Roles, Standing, Told};
use crate::error::{Error, Result};
use crate::finding::{Code, Finding};
use crate::linalg::Matrix;
use crate::rows::{map_row_blocks, tiles};
use crate::table::{Column, Numbers, Table, TextValues, Values};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// Levels of a text column with fewer rows than this share one column, named `column=(rare)`.
pub const RARE_LEVEL: f64 = 10.0;
/// A column of which this share of the values is missing is told of.
const MUCH_MISSING: f64 = 0.3;
const RARE_NAME: &str = "(rare)";

/// A column whose variance left over by the columns before it is below this share, a millionth of its spread, is a linear
/// combination of them as far as numbers tell.
const COLLINEAR: f64 = 1e-12;
/// How far, relatively, the variance of a column of 0 and 1 may be from that of its mean, by rounding.
const TWO_VALUES: f64 = 1e-6;

/// How the columns of a table become columns of the design matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// The variables, each with its own gate, in the order of the table.
    pub features: Vec<Feature>,
    /// The design matrix' columns after the leading ones.
    pub columns: Vec<EncodedColumn>,
    /// The table's covariates in their order, those that carry nothing among them.
    pub inputs: Vec<String>,
    /// Columns that carry nothing, and why.
    pub left_out: Vec<Finding>,
    /// How missing values are treated in new rows.
    pub missing: Missing,
}

/// A variable: one column of the table, one gate, one or more columns of the design matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// The column's name in the table.
    pub name: String,
    /// How it is encoded.
    pub kind: FeatureKind,
    /// Its positions in [`Encoding::columns`].
    pub columns: Vec<usize>,
    /// The share of the training rows in which it was missing and is filled in.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing: f64,
    /// Whether it is read from texts, of which those that are no number are missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_text: bool,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// How a variable is encoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FeatureKind {
    /// As it stands.
    Number,
    /// False is 0, true is 1.
    Boolean,
    /// One 0/1 column per level but the most frequent one.
    Category {
        /// All levels of the training data, sorted.
        levels: Vec<String>,
        /// Those of them that share the column `(rare)`, or count as the most frequent level if all of them
        /// together are rare.
        pooled: Vec<String>,
    },
}

/// A column of the design matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncodedColumn {
    /// `name`, or `name=level` for text.
    pub name: String,
    /// The position of its variable.
    pub feature: usize,
    /// The level it marks; `None` for numbers and true/false, and for the pooled rare levels.
    pub level: Option<String>,
    /// Mean over the training rows.
    pub mean: f64,
    /// Standard deviation over the training rows.
    pub scale: f64,
}

impl EncodedColumn {
    /// The share of the rows with the rarer value where all values are 0 or 1: only then is the variance `mean (1 - mean)`.
    pub fn rarer_share(&self) -> Option<f64> {
        let rarer = self.mean.min(1.0 - self.mean);
        let variance = self.mean * (1.0 - self.mean);
        (rarer > 0.0 && (self.scale * self.scale - variance).abs() < TWO_VALUES * variance).then_some(rarer)
    }
}

/// What happened when new rows were encoded.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct EncodingReport {
    /// Per text column: rows whose level the training data did not have. They count as an average row.
    pub unseen: Vec<(String, usize)>,
    /// Per text column: rows whose level so few training rows had that it counts as the most frequent one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hardly_seen: Vec<(String, usize)>,
    /// Per column: missing values that were filled in.
    pub filled: Vec<(String, usize)>,
}

impl EncodingReport {
    /// What the user should know about it.
    pub fn findings(&self) -> Vec<Finding> {
        let told = |code: Code, counts: &[(String, usize)]| -> Vec<Finding> {
            counts.iter().map(|(name, rows)| Finding::new(code).about([name]).with("rows", *rows as f64)).collect()
        };
        let levels = [told(Code::UnseenLevels, &self.unseen), told(Code::LevelsTakenForAnother, &self.hardly_seen)];
        [levels.concat(), told(Code::FilledIn, &self.filled)].concat()
    }

    /// Adds what happened to rows that follow.
    pub fn add(&mut self, more: Self) {
        let own = [&mut self.unseen, &mut self.hardly_seen, &mut self.filled];
        for (all, more) in own.into_iter().zip([more.unseen, more.hardly_seen, more.filled]) {
            for (name, count) in more {
                match all.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, sum)) => *sum += count,
                    None => all.push((name, count)),
                }
            }
        }
    }
}

impl Encoding {
    /// Names of the variables.
    pub fn feature_names(&self) -> Vec<String> {
        self.features.iter().map(|feature| feature.name.clone()).collect()
    }

    /// Names of the variables that hold text, those among them that are read as numbers.
    pub fn text_columns(&self) -> Vec<String> {
        let text = |feature: &&Feature| feature.from_text || matches!(feature.kind, FeatureKind::Category { .. });
        self.features.iter().filter(text).map(|feature| feature.name.clone()).collect()
    }

    /// The level of a text variable that all others are compared with: the most frequent one; `None` where several have no column of
    /// their own, and for other variables.
    pub fn reference_level(&self, variable: usize) -> Option<&String> {
        let feature = &self.features[variable];
        let FeatureKind::Category { levels, pooled } = &feature.kind else { return None };
        let has_column =
            |level: &&String| feature.columns.iter().any(|&column| self.columns[column].level.as_ref() == Some(level));
        let mut others = levels.iter().filter(|level| !pooled.contains(level) && !has_column(level));
        others.next().filter(|_| others.next().is_none())
    }

    /// Levels of so few training rows, even together, that they count as the most frequent one.
    pub fn hardly_seen_levels(&self, variable: usize) -> &[String] {
        self.hardly_seen(&self.features[variable])
    }

    fn hardly_seen<'a>(&self, feature: &'a Feature) -> &'a [String] {
        let share_a_column = feature.columns.iter().any(|&column| self.columns[column].level.is_none());
        match &feature.kind {
            FeatureKind::Category { pooled, .. } if !share_a_column => pooled,
            _ => &[],
        }
    }

    /// For every encoded column the position of its variable.
    pub fn groups(&self) -> Vec<usize> {
        self.columns.iter().map(|column| column.feature).collect()
    }

    /// How the covariates are to be encoded, by what their training rows hold.
    pub(super) fn learn(survey: &Survey, roles: &Roles) -> Result<Self> {
        let inputs = survey.columns.iter().map(|column| column.name.clone()).collect();
        let mut encoding = Self { features: vec![], columns: vec![], inputs, left_out: vec![], missing: roles.missing };
        for column in &survey.columns {
            let own = |kind: FeatureKind| {
                (kind, vec![(None, column.name.clone(), column.moments.mean_and_scale(survey.total()))])
            };
            let (kind, encoded) = match column.kind {
                ColumnKind::Number => own(FeatureKind::Number),
                ColumnKind::Boolean => own(FeatureKind::Boolean),
                ColumnKind::Text => learn_levels(column, survey, roles)?,
            };
            encoding.add_feature(column, kind, encoded);
            if let Some(feature) = encoding.features.last_mut().filter(|feature| feature.name == column.name) {
                feature.missing =
                    if roles.missing == Missing::Mean { column.missing_share(survey.rows()) } else { 0.0 };
                feature.from_text = roles.numbers.contains(&column.name);
            }
        }
        encoding.require_columns()?;
        Ok(encoding)
    }

    /// What the user should know about how columns were read.
    pub(super) fn notes(&self, survey: &Survey) -> Vec<Finding> {
        let disguised = survey.columns.iter().filter_map(|column| {
            let (share, word) = column.numbers_in_disguise()?;
            let told = Finding::new(Code::NumbersInText).about([&column.name]);
            Some(told.with("percent", 100.0 * share).detail(word))
        });
        let much = self.features.iter().filter(|feature| feature.missing >= MUCH_MISSING);
        let much = much.map(|feature| {
            Finding::new(Code::MuchMissing).about([&feature.name]).with("percent", 100.0 * feature.missing)
        });
        disguised.chain(much).chain(doubtful_marks(survey)).collect()
    }

    fn require_columns(&self) -> Result<()> {
        if self.columns.is_empty() {
            let dropped = self.left_out.iter().flat_map(|found| found.variables.first().cloned()).collect();
            return Err(Error::NoUsableColumns { dropped });
        }
        Ok(())
    }

    fn add_feature(&mut self, column: &ColumnSurvey, kind: FeatureKind, encoded: Vec<LearntColumn>) {
        let feature = self.features.len();
        let mut positions = Vec::new();
        for (level, mut name, mean_and_scale) in encoded {
            while self.columns.iter().any(|column| column.name == name) {
                name.push('\'');
            }
            match mean_and_scale {
                Some((mean, scale)) => {
                    positions.push(self.columns.len());
                    self.columns.push(EncodedColumn { name, feature, level, mean, scale });
                }
                None => self.left_out.push(Finding::new(Code::ConstantColumn).about([name])),
            }
        }
        if positions.is_empty() {
            let is_own = |found: &Finding| found.variables.first() == Some(&column.name);
            if column.is_empty() {
                self.left_out.retain(|found| !is_own(found));
                self.left_out.push(Finding::new(Code::EmptyColumn).about([&column.name]));
            } else if !self.left_out.iter().any(is_own) {
                self.left_out.push(Finding::new(Code::ConstantColumn).about([&column.name]));
            }
        } else {
            let name = column.name.clone();
            self.features.push(Feature { name, kind, columns: positions, missing: 0.0, from_text: false });
        }
    }

    /// The design matrix of a table: ones, then the standardised columns of this encoding.
    pub fn encode(&self, table: &Table) -> Result<(Matrix, EncodingReport)> {
        self.encode_variables(table, &(0..self.features.len()).collect::<Vec<_>>())
    }

    /// Whether its parts fit together, which a file changed by hand may not do: every encoded column belongs to one variable,
    /// once.
    pub(crate) fn is_whole(&self) -> bool {
        let mut owner = vec![None; self.columns.len()];
        let claimed = self.features.iter().enumerate().all(|(position, feature)| {
            let mut claim = |&column: &usize| {
                owner.get_mut(column).is_some_and(|owner| owner.replace(position).is_none())
                    && self.columns[column].feature == position
            };
            !feature.columns.is_empty() && feature.columns.iter().all(&mut claim)
        });
        claimed && self.columns.iter().all(|column| column.scale > 0.0 && column.feature < self.features.len())
    }

    /// The same with some of the variables only; the table need not have the others, whose columns stay 0.
    pub fn encode_variables(&self, table: &Table, variables: &[usize]) -> Result<(Matrix, EncodingReport)> {
        let features: Vec<&Feature> = variables.iter().map(|&variable| &self.features[variable]).collect();
        let columns = features.iter().map(|feature| table.column(&feature.name)).collect::<Result<Vec<_>>>()?;
        let pairs = features.iter().zip(&columns);
        let sources = pairs.map(|(feature, column)| self.source(feature, column)).collect::<Result<Vec<_>>>()?;
        let mut design = Matrix::zeros(table.rows(), self.columns.len() + 1);
        let found = self.fill(&features, &sources, &mut design);

        let mut report = EncodingReport::default();
        let mut missing = Vec::new();
        for ((feature, column), found) in features.iter().zip(&columns).zip(&found) {
            if let Some(row) = found.infinite {
                return Err(not_finite(column, row, 0));
            }
            if found.missing > 0 {
                let counts = if self.missing == Missing::Mean { &mut report.filled } else { &mut missing };
                counts.push((feature.name.clone(), found.missing));
            }
            if found.unseen > 0 {
                report.unseen.push((feature.name.clone(), found.unseen));
            }
            if found.hardly_seen > 0 {
                report.hardly_seen.push((feature.name.clone(), found.hardly_seen));
            }
        }
        if !missing.is_empty() {
            let rows = table.rows() - complete_rows(&columns, columns.len(), table.rows(), 0)?.len();
            return Err(Error::MissingInNewRows { columns: missing, rows });
        }
        Ok((design, report))
    }

    /// Standardises every variable into the design, tile by tile as in [`super::survey`].
    fn fill(&self, features: &[&Feature], sources: &[ColumnValues], design: &mut Matrix) -> Vec<Oddities> {
        let width = design.columns();
        let parts = map_row_blocks(design, |block, rows| {
            let mut found = vec![Oddities::default(); sources.len()];
            for tile in tiles(block.clone()) {
                let rows = &mut rows[(tile.start - block.start) * width..(tile.end - block.start) * width];
                rows.chunks_exact_mut(width).for_each(|row| row[0] = 1.0);
                for ((feature, source), found) in features.iter().zip(sources).zip(&mut found) {
                    self.fill_tile(feature, source, tile.clone(), rows, found);
                }
            }
            found
        });
        let mut total = vec![Oddities::default(); sources.len()];
        for part in parts {
            total.iter_mut().zip(part).for_each(|(total, part)| total.add(&part));
        }
        total
    }

    fn fill_tile(
        &self,
        feature: &Feature,
        source: &ColumnValues,
        tile: Range<usize>,
        rows: &mut [f64],
        found: &mut Oddities,
    ) {
        let width = self.columns.len() + 1;
        let rows = rows.chunks_exact_mut(width).zip(tile);
        let put = |row: &mut [f64], position: usize, value: f64| {
            let EncodedColumn { mean, scale, .. } = self.columns[position];
            row[position + 1] = standardised(value, mean, scale);
        };
        match source {
            ColumnValues::Number(numbers) => rows.for_each(|(row, k)| match numbers[k] {
                // The training mean, 0, stands for a missing value.
                value if value.is_nan() => found.missing += 1,
                value if value.is_infinite() => found.infinite = found.infinite.or(Some(k)),
                value => put(row, feature.columns[0], value),
            }),
            ColumnValues::Boolean(flags) => rows.for_each(|(row, k)| match flags[k] {
                None => found.missing += 1,
                Some(flag) => put(row, feature.columns[0], f64::from(flag)),
            }),
            ColumnValues::Category { codes, places, hardly_seen } => rows.for_each(|(row, k)| {
                let marked = match codes[k] {
                    Some(code) => {
                        found.hardly_seen += usize::from(hardly_seen[code as usize]);
                        places[code as usize]
                    }
                    None => {
                        found.missing += 1;
                        // The most frequent level stands in for a missing one, as in training.
                        Some(None)
                    }
                };
                match marked {
                    Some(marked) => {
                        for &position in &feature.columns {
                            put(row, position, f64::from(marked == Some(position)));
                        }
                    }
                    // An unseen level leaves the zeros, which is an average row.
                    None => found.unseen += 1,
                }
            }),
        }
    }

    /// How a column of a table gives the values of a variable.
    fn source<'a>(&self, feature: &Feature, column: &'a Column) -> Result<ColumnValues<'a>> {
        Ok(match (&feature.kind, &column.values) {
            (FeatureKind::Number, Values::Number(numbers)) => ColumnValues::Number(Cow::Borrowed(numbers)),
            (FeatureKind::Number, Values::Text(texts)) if feature.from_text => {
                ColumnValues::Number(Cow::Owned(texts.numbers()))
            }
            (FeatureKind::Boolean, Values::Boolean(flags)) => ColumnValues::Boolean(flags),
            // A file of 0 and 1 is read as numbers, whatever the training file called them.
            (FeatureKind::Boolean, Values::Number(numbers))
                if numbers.iter().all(|x| x.is_nan() || x == 0.0 || x == 1.0) =>
            {
                ColumnValues::Number(Cow::Borrowed(numbers))
            }
            (FeatureKind::Category { levels, pooled }, values) => {
                // Numbers or true/false where the training file had text are the same categories, written differently.
                let texts = match values {
                    Values::Text(texts) => Cow::Borrowed(texts),
                    other => {
                        let words: Vec<Option<String>> = (0..other.len()).map(|row| other.text(row)).collect();
                        Cow::Owned(TextValues::collect(words.iter().map(Option::as_deref)))
                    }
                };
                let places = texts.levels.iter().map(|level| self.place(feature, levels, pooled, level)).collect();
                let hardly_seen = self.hardly_seen(feature);
                let hardly_seen = texts.levels.iter().map(|level| hardly_seen.contains(level)).collect();
                let codes = match texts {
                    Cow::Borrowed(texts) => Cow::Borrowed(texts.codes.as_slice()),
                    Cow::Owned(texts) => Cow::Owned(texts.codes),
                };
                ColumnValues::Category { codes, places, hardly_seen }
            }
            (kind, values) => {
                let expected = if *kind == FeatureKind::Number { "numbers" } else { "true/false" };
                return Err(Error::ChangedType { column: column.name.clone(), found: values.kind(), expected });
            }
        })
    }

    /// The column that marks a level, `Some(None)` for a level without one, `None` for a level never seen.
    fn place(&self, feature: &Feature, levels: &[String], pooled: &[String], level: &str) -> Option<Option<usize>> {
        let mut own = feature.columns.iter().copied();
        match own.clone().find(|&position| self.columns[position].level.as_deref() == Some(level)) {
            Some(position) => Some(Some(position)),
            None if pooled.iter().any(|name| name == level) => {
                Some(own.find(|&position| self.columns[position].level.is_none()))
            }
            // The most frequent level has no column, nor has one that other columns determine.
            None if levels.iter().any(|name| name == level) => Some(None),
            None => None,
        }
    }

    /// Leaves out every column that is an exact linear combination of the columns before it, as statistics
    /// packages do with aliased terms: no data can tell such columns apart. If there are any, the positions of the others.
    /// What was told to be stable goes last, what was told to be unstable first.
    pub(super) fn leave_out_combinations(&mut self, moments: &Matrix, told: &Told) -> Result<Option<Vec<usize>>> {
        let combinations = linear_combinations(moments, &self.order_to_keep(told));
        if combinations.is_empty() {
            return Ok(None);
        }
        for (position, sources) in &combinations {
            let code = if sources.len() == 1 { Code::RepeatedColumn } else { Code::CombinedColumn };
            let named = std::iter::once(position).chain(sources).map(|&column| &self.columns[column].name);
            self.left_out.push(Finding::new(code).about(named));
        }
        let keep: Vec<usize> = (0..self.columns.len())
            .filter(|position| !combinations.iter().any(|(dependent, _)| dependent == position))
            .collect();
        self.keep_columns(&keep);
        self.require_columns()?;
        Ok(Some(keep))
    }

    /// All columns, those told to be stable first and those told to be unstable last; among the others those of texts first: a
    /// number that only repeats what a text says is to go as a whole, not the text in part.
    fn order_to_keep(&self, told: &Told) -> Vec<usize> {
        let standings = told.standings(self);
        let rank = |&column: &usize| {
            let feature = self.columns[column].feature;
            match standings[feature] {
                Some(Standing::Stable) => 0,
                None if self.features[feature].columns.len() > 1 => 1,
                None => 2,
                Some(Standing::Unstable) => 3,
            }
        };
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_key(rank);
        order
    }

    pub(super) fn keep_columns(&mut self, keep: &[usize]) {
        let mut features = Vec::new();
        let mut columns = Vec::new();
        for (position, feature) in self.features.iter().enumerate() {
            let own: Vec<usize> =
                keep.iter().copied().filter(|&column| self.columns[column].feature == position).collect();
            if own.is_empty() {
                continue;
            }
            let mut feature = feature.clone();
            feature.columns = (columns.len()..columns.len() + own.len()).collect();
            columns.extend(
                own.iter().map(|&column| EncodedColumn { feature: features.len(), ..self.columns[column].clone() }),
            );
            features.push(feature);
        }
        self.features = features;
        self.columns = columns;
    }
}

/// Where the values of a variable come from.
enum ColumnValues<'a> {
    Number(Cow<'a, Numbers<'a>>),
    Boolean(&'a [Option<bool>]),
    /// Each row's level, and for each level what [`Encoding::place`] says of it.
    Category {
        codes: Cow<'a, [Option<u32>]>,
        places: Vec<Option<Option<usize>>>,
        /// For each level whether training hardly had it.
        hardly_seen: Vec<bool>,
    },
}

/// What was out of the ordinary in a variable's values.
#[derive(Debug, Clone, Default)]
struct Oddities {
    missing: usize,
    unseen: usize,
    hardly_seen: usize,
    /// The first row with an infinite value.
    infinite: Option<usize>,
}

impl Oddities {
    fn add(&mut self, later: &Self) {
        self.missing += later.missing;
        self.unseen += later.unseen;
        self.hardly_seen += later.hardly_seen;
        self.infinite = self.infinite.or(later.infinite);
    }
}

/// Level, name, and mean and standard deviation unless it is constant.
type LearntColumn = (Option<String>, String, Option<(f64, f64)>);

/// One finding for all columns that have words which were read as missing and may have been meant as values.
fn doubtful_marks(survey: &Survey) -> Option<Finding> {
    let columns: Vec<&ColumnSurvey> =
        survey.columns.iter().filter(|column| column.doubtful().next().is_some()).collect();
    let marks: BTreeSet<&String> = columns.iter().flat_map(|column| column.doubtful()).collect();
    let words: Vec<String> = marks.iter().map(|mark| format!("'{mark}'")).collect();
    let told = Finding::new(Code::MissingMarks).about(columns.iter().map(|column| &column.name));
    (!columns.is_empty()).then(|| told.detail(words.join(", ")))
}

/// One 0/1 column per level, but for the most frequent; rare levels share one.
fn learn_levels(column: &ColumnSurvey, survey: &Survey, roles: &Roles) -> Result<(FeatureKind, Vec<LearntColumn>)> {
    let (name, total, max_levels) = (&column.name, survey.total(), roles.max_levels);
    let enough = RARE_LEVEL * survey.weight_unit(roles);
    // In the order of their names, so that neither row order nor file order changes the encoding.
    let (texts, counts): (Vec<&String>, Vec<f64>) = column.levels().unzip();
    let present: Vec<usize> = (0..counts.len()).collect();
    if present.len() > max_levels {
        return Err(Error::TooManyLevels {
            column: name.clone(),
            levels: present.len(),
            more: column.may_have_more_levels(),
            limit: max_levels,
        });
    }
    let Some(&first) = present.first() else {
        return Ok((FeatureKind::Category { levels: vec![], pooled: vec![] }, vec![]));
    };
    let reference =
        present.iter().copied().fold(first, |best, level| if counts[level] > counts[best] { level } else { best });
    let (rare, own): (Vec<usize>, Vec<usize>) =
        present.iter().copied().filter(|&level| level != reference).partition(|&level| counts[level] < enough);

    // A missing level counts as the most frequent one.
    let mean_and_scale = |levels: &[usize]| {
        let share = levels.iter().map(|&level| counts[level]).sum::<f64>() / total;
        (share < 1.0).then(|| (share, (share * (1.0 - share)).sqrt()))
    };
    let mut encoded: Vec<LearntColumn> = own
        .iter()
        .map(|&level| {
            let title = format!("{name}={}", texts[level]);
            (Some(texts[level].to_string()), title, mean_and_scale(&[level]))
        })
        .collect();
    // Rare levels are pooled; if even together they are rare, they count as the most frequent level.
    let are_enough = rare.iter().map(|&level| counts[level]).sum::<f64>() >= enough || own.is_empty();
    if !rare.is_empty() && are_enough {
        encoded.push((None, format!("{name}={RARE_NAME}"), mean_and_scale(&rare)));
    }
    let pooled = rare.iter().map(|&level| texts[level].to_string()).collect();
    let levels = present.iter().map(|&level| texts[level].to_string()).collect();
    Ok((FeatureKind::Category { levels, pooled }, encoded))
}

/// Columns that are combinations of columns before them in some order, each with the columns it combines.
///
/// Gauss-Jordan elimination in that order on the second moments of (1, columns): what is left of a
/// column's variance is its part that the columns before it do not explain.
pub(crate) fn linear_combinations(moments: &Matrix, order: &[usize]) -> Vec<(usize, Vec<usize>)> {
    let size = moments.rows();
    let mut work = moments.clone();
    let mut used: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for pivot in std::iter::once(0).chain(order.iter().map(|column| column + 1)) {
        let left = work[(pivot, pivot)];
        if left <= COLLINEAR * moments[(pivot, pivot)] {
            // After elimination work[(source, pivot)] is the coefficient of `source` in the combination.
            let sources = used
                .iter()
                .copied()
                .filter(|&source| source > 0 && work[(source, pivot)].abs() > 1e-6)
                .map(|source| source - 1);
            found.push((pivot - 1, sources.collect()));
            continue;
        }
        for column in 0..size {
            work[(pivot, column)] /= left;
        }
        for row in 0..size {
            let factor = work[(row, pivot)];
            if row != pivot && factor != 0.0 {
                for column in 0..size {
                    work[(row, column)] -= factor * work[(pivot, column)];
                }
            }
        }
        used.push(pivot);
    }
    found.sort();
    found
}
