//! What a user should know about a result, as data: a code, the variables it is about, and figures.
//!
//! The words stand in one table; front ends fill in how they write settings.

use crate::wording::{Plain, Wording, fill};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Something to watch out for. It is a finding, not a failure: the result stands, and this says how far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind of thing.
    pub code: Code,
    /// The variables (or columns, or levels) it is about.
    pub variables: Vec<String>,
    /// How large it is, by name.
    pub figures: BTreeMap<String, f64>,
    /// What neither names nor numbers tell; mostly empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// A finding in words; each is a clause without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Words {
    /// What was found.
    pub what: String,
    /// What that means for the result.
    pub meaning: String,
    /// What to do about it; empty where nothing need be done.
    pub remedy: String,
}

impl fmt::Display for Words {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.what, self.meaning)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(formatter, ". {}", self.remedy) }
    }
}

impl Finding {
    /// A finding without variables and figures.
    pub fn new(code: Code) -> Self {
        Self { code, variables: Vec::new(), figures: BTreeMap::new(), detail: String::new() }
    }

    /// The same about these variables.
    pub fn about<S: Into<String>>(mut self, variables: impl IntoIterator<Item = S>) -> Self {
        self.variables.extend(variables.into_iter().map(Into::into));
        self
    }

    /// The same with a figure.
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.figures.insert(name.into(), value);
        self
    }

    /// The same with something in words.
    pub fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }

    /// In the words of a front end.
    pub fn words(&self, wording: &dyn Wording) -> Words {
        let template = self.code.template();
        let filled = |text: &str| fill(text, wording, &|name| self.value(name));
        Words { what: filled(template.what), meaning: filled(template.meaning), remedy: filled(template.remedy) }
    }

    /// What stands for a place in a text: a variable by its position, `rest` for all but the first, a figure by its name, with
    /// `:` and its decimals, or `:digits` for as many as its size asks for.
    fn value(&self, name: &str) -> String {
        if let Ok(position) = name.parse::<usize>() {
            return self.variables.get(position).cloned().unwrap_or_default();
        }
        let (figure, decimals) = name.split_once(':').unwrap_or((name, "0"));
        match figure {
            "detail" => self.detail.clone(),
            "all" => self.variables.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", "),
            "rest" => self.variables.iter().skip(1).map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", "),
            _ => self.figures.get(figure).map_or_else(String::new, |value| match decimals.parse() {
                Ok(decimals) => format!("{value:.decimals$}", decimals = decimals),
                Err(_) => three_digits(*value),
            }),
        }
    }
}

/// A number of unknown size with three digits.
pub(crate) fn three_digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !(1e-4..1e9).contains(&size) {
        return if size == 0.0 { "0".into() } else { format!("{value:.1e}") };
    }
    format!("{value:.*}", (2 - size.log10().floor() as i32).max(0) as usize)
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words(&Plain).fmt(formatter)
    }
}

/// The texts of a finding, with places for variables (`{0}`), figures (`{rows}`) and settings (`[threshold]`).
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Template {
    /// Its code.
    pub code: &'static str,
    /// What was found.
    pub what: &'static str,
    /// What that means for the result.
    pub meaning: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

impl Template {
    /// One of its texts in the words of a front end, with the names of places for what is filled in.
    pub fn in_words(&self, text: &str, wording: &dyn Wording) -> String {
        fill(text, wording, &|name| format!("<{}>", name.split(':').next().unwrap_or_default()))
    }
}

macro_rules! findings {
    ($($(#[$doc:meta])* $variant:ident $code:literal: $what:literal, $meaning:literal, $remedy:literal;)*) => {
        /// What kind of thing was found.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $code)] $variant,)*
        }

        impl Code {
            /// All there are, in the order of the path of the data.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// Its texts.
            pub fn template(self) -> Template {
                match self {
                    $(Code::$variant => Template { code: $code, what: $what, meaning: $meaning, remedy: $remedy },)*
                }
            }
        }
    };
}

impl Code {
    /// Whether it puts the whole result in question; such findings come first.
    pub fn is_grave(self) -> bool {
        matches!(self, Code::TargetCopy | Code::ImplausiblyStrong | Code::RepeatedRows | Code::OrderedRows)
    }
}

findings! {
    /// A column is the target under another name.
    TargetCopy "target-copy":
        "'{0}' is the target '{1}' in other words",
        "every value of the one goes with one value of the other, so that a model on it repeats what it was given and predicts nothing",
        "Leave it out ([exclude]), unless it is known before the outcome is";
    /// A column knows the target too well.
    ImplausiblyStrong "implausibly-strong":
        "'{0}' alone explains {percent:1} % of '{1}'",
        "causes seldom tell so much; columns that were made from the outcome, or after it, do",
        "Find out when its values are known: if only with the outcome, leave it out ([exclude])";
    /// Rows stand in the table several times.
    RepeatedRows "repeated-rows":
        "only {different} of the {rows} rows are different",
        "a row that stands there several times tells no more than once, but counts as often, so that p-values are too small and probabilities too high",
        "Leave out the copies, or name what they have in common ([group])";
    /// Rows that follow each other are alike.
    OrderedRows "ordered-rows":
        "rows that follow each other in the table go together (correlation {correlation:2} of what all columns leave of their outcomes)",
        "evidence takes rows for independent of each other; where they are not, as in series over time or sorted places, p-values are too small and chance is taken for an effect",
        "If they come from groups, name them ([group]); in a series, fit changes from row to row instead of levels, or rows that are far apart";
    /// There are hardly any rows.
    FewRows "few-rows":
        "there are only {rows} rows",
        "effects that are there may be missed, and what is found may be chance",
        "Use more rows";
    /// A setting that was given does nothing with this method.
    SettingWithoutEffect "setting-without-effect":
        "[{0}] has no effect with [method={1}]",
        "the stage that it belongs to is not part of this method as it is set",
        "Leave it out, or choose a method or a stage that has it";
    /// Rows were left out for missing values.
    RowsLeftOut "rows-left-out":
        "{missing} of {rows} rows are left out for missing values{detail}",
        "the rest stand for all only if values are missing by chance",
        "Find out why they are missing; but for the target, weights and environments they can be filled in ([missing=mean])";
    /// Rows of weight 0 were left out.
    RowsWithoutWeight "rows-without-weight":
        "{rows} rows are left out", "their weight is 0", "";
    /// The target holds two numbers and is taken for a number.
    TwoNumbers "two-numbers":
        "the target '{0}' holds two numbers only, {detail}",
        "it is predicted as a number, since only 0 and 1 stand for classes by themselves",
        "If they are two classes, say so ([task=classification])";
    /// A few rows weigh much more than the others.
    #[serde(alias = "small-base-weights")]
    UnevenWeights "uneven-weights":
        "the base weights leave {effective} effective of {rows} rows",
        "a few rows weigh much more than the rest, so that all is as uncertain as in so small a table",
        "If they are counts of equal rows, say so ([weight-kind=frequency])";
    /// A text column holds mostly numbers.
    NumbersInText "numbers-in-text":
        "'{0}' is read as text though {percent} % of its values are numbers",
        "every different value is a category of its own, so that their order and distances are lost; '{detail}' is no number",
        "Read it as numbers, with the rest as missing ([number={0}] with [missing=mean] or [missing=drop])";
    /// Words in a text column were read as missing values.
    MissingMarks "missing-marks":
        "{detail} in {all} is read as a missing value",
        "where it is meant as a value, as NA is a region or None the name of a kind, rows are left out or filled in that need not be",
        "If it is a value, write it otherwise in the table ('none' in small letters is one)";
    /// Many values of a column are missing.
    MuchMissing "much-missing":
        "'{0}' is missing in {percent} % of the rows",
        "its mean stands in for the model; its evidence comes from the rows that have it alone",
        "Find out why it is missing, or leave it out ([exclude])";
    /// Missing values were filled in before the fit.
    ValuesFilledIn "values-filled-in":
        "missing values were filled in: {detail}",
        "the mean stands in for them, of text the most frequent level; were they not missing by chance, effects come out too small or as those of what decides who has a value",
        "Find out why they are missing; [missing=drop] leaves such rows out instead";
    /// Levels of a few rows have no column.
    LevelsOfFewRows "levels-of-few-rows":
        "levels of fewer than ten rows count as the most frequent one: {detail}",
        "so few rows say nothing of what such a level does; in new rows it is taken for the most frequent one, too",
        "If one of them is another one misspelt, correct it in the table; if they are of one kind, give them one name";
    /// Levels of a text are the same but for their spelling.
    LevelsAlike "levels-alike":
        "levels that differ in capitals or blanks alone: {detail}",
        "they count as different things, so that each has fewer rows than the thing has",
        "If they mean the same, write them alike in the table";
    /// A column never varies.
    ConstantColumn "constant-column":
        "'{0}' is left out", "it has the same value in every row", "";
    /// A column names or counts rows.
    Identifier "identifier":
        "'{0}' looks like an identifier",
        "it names or counts rows instead of measuring something: a model on it learns in which order they came",
        "Leave it out ([exclude]), unless that order matters";
    /// A column has no values.
    EmptyColumn "empty-column":
        "'{0}' is left out", "all its values are missing", "";
    /// A column is another one in other units.
    RepeatedColumn "repeated-column":
        "'{0}' is left out", "it tells just what {rest} tells, if in other units", "";
    /// A column is a sum of others.
    CombinedColumn "combined-column":
        "'{0}' is left out", "it is an exact combination of {rest}", "";
    /// Two columns are nearly the same.
    NearCopies "near-copies":
        "'{0}' and '{1}' are nearly the same",
        "no weights can tell them apart, and chance may decide which of them is chosen",
        "Consider leaving one out ([exclude])";
    /// A column is nearly a sum of others.
    NearCombination "near-combination":
        "'{0}' is nearly a combination of {rest}, which leave {percent:3} % of its variance",
        "given the others each of them has little to say of its own, so that the evidence for each is weak though together they may tell much",
        "Leave one of them out ([exclude]) if the difference means nothing";
    /// A part of the method did not converge.
    NotConverged "not-converged":
        "not converged: {detail}",
        "another run may end elsewhere",
        "Compare with a run that is allowed more steps ([loops], [balance-steps] or [epochs]), or with another seed ([seed])";
    /// Gates did not settle.
    GatesNotConverged "gates-not-converged":
        "not converged: {detail}",
        "gates choose here, and near where they stopped others may be open",
        "Compare with other gates ([sigma], [penalty-factor]), or let evidence decide ([method=svi])";
    /// No variable has evidence enough.
    NothingSelected "nothing-selected":
        "no variable was selected",
        "none shows an effect beyond chance once the others are known, so the model predicts the mean",
        "Use more rows, or a lower cut-off ([threshold]), or ask for the likeliest ([select])";
    /// Gates alone chose.
    GatesAlone "gates-alone":
        "the variables were chosen by their gates alone, without evidence",
        "gates judge under weights that they steer themselves: where there are many columns or several go together, wrong ones are chosen with a probability near 1, and no other check here would show it",
        "Ask for evidence ([evidence=auto])";
    /// All gates are shut.
    NoGateOpen "no-gate-open":
        "no variable was selected",
        "the model predicts the mean",
        "Use more rows or a smaller cost of an open gate ([penalty-factor])";
    /// The weights did nothing though columns correlate.
    UniformWeights "uniform-weights":
        "the weights are almost uniform though columns correlate by up to {initial:2}",
        "nothing was decorrelated",
        "Use more rows for so many columns, or check the gates ([sigma], [penalty])";
    /// The weights rest on few rows.
    FewEffectiveRows "few-effective-rows":
        "the weights rest on few rows: {effective} effective of {rows}",
        "what is computed under them, the gates and the remaining correlations, is as uncertain as in so small a sample",
        "Use more rows, or leave out columns that move together ([exclude])";
    /// Two columns still correlate, and evidence decided.
    CorrelationLeft "correlation-left":
        "'{0}' and '{1}' still correlate by {correlation:2} under the weights",
        "the weights can't tell these two apart; the choice does not rest on the weights but on each variable's own evidence",
        "Use more rows, or leave one of the two out ([exclude])";
    /// Two columns still correlate, and gates decided.
    Confusable "confusable":
        "'{0}' and '{1}' still correlate by {correlation:2} under the weights",
        "one of them can pass for the other, so the choice between them is uncertain",
        "Use more rows, or leave one of the two out ([exclude])";
    /// The data contradict that a variable is stable.
    ToldStable "told-stable":
        "'{0}' was told to be stable, but has a probability of {probability:2}",
        "in these rows the outcome does not depend on it once the other columns are known; it stays in the set",
        "Ask again what speaks for it, or let the data decide (without [stable])";
    /// The data contradict that a variable is unstable.
    ToldUnstable "told-unstable":
        "'{0}' was told to be unstable, but has a probability of {probability:2}",
        "in these rows the outcome depends on it even when the other columns are known; the set does without it",
        "Ask again what speaks against it, or let the data decide (without [unstable])";
    /// The evidence saw some of the rows only.
    EvidenceFromSample "evidence-from-sample":
        "the evidence rests on {used} of the {rows} rows, drawn at random",
        "weak effects may be missed that all rows would show",
        "Take more of them ([evidence-rows]), at a cost in time";
    /// There are many columns for the rows.
    ManyColumns "many-columns":
        "{columns} columns (after encoding) are many for {rows} rows",
        "each variable is judged beside those that tell most about the outcome and about itself, not beside all",
        "Use more rows, or leave columns out that can't matter ([exclude])";
    /// The set does not tell what all columns tell.
    NotSufficient "not-sufficient":
        "the selected variables do not predict as well as all of them: here the loss of flexible regressions is {percent:1} % higher (s.e. {error:1} %)",
        "something that the other columns tell is missing, but none of them by itself has evidence enough to be added",
        "Use more rows or a lower cut-off ([threshold]); where new rows are like these, all columns predict better ([method=ols])";
    /// The model takes the other columns, too.
    HalfwayToAll "half-way-to-all":
        "predictions are half-way between a fit on the selected variables and one on all columns",
        "the selected ones fall short of what all columns tell; none of the others can be trusted by itself, but where new rows are like these, to leave them out costs accuracy",
        "Keep to the selected variables ([refit=linear]) where you know that the others will not hold; leave out by name what you distrust ([unstable])";
    /// Several variables could have been chosen.
    Interchangeable "interchangeable":
        "'{0}' is chosen, but {rest} could take its place",
        "beside the rest of the set either tells what the other does, and these rows can't say which of them holds elsewhere; the one with fewer levels that are barely seen was taken, then the one with the stronger evidence",
        "Ask someone who knows the field, and leave the other one out ([exclude])";
    /// Weak variables were taken together.
    WeakVariables "weak-variables":
        "variables with weak evidence were taken together: {all}",
        "each by itself may be chance, but in regions that were held out fits with them do better by {percent:1} % on average (s.e. {error:1} %) and by {worst:1} % in the worst, and their slopes agree with those of flexible regressions, as a biased variable's would not",
        "Use more rows to tell which of them count, or leave out what you know to be unstable ([exclude])";
    /// Weak variables filled up a set.
    FilledUp "filled-up":
        "variables with weak evidence filled up the set: {all}",
        "each by itself may be chance, but together they tell something that the others do not: predictions half-way to those of a fit with them are better in ordinary cross-validation, by {percent:1} % (s.e. {error:1} %), and their slopes agree with those of flexible regressions, as a biased variable's would not",
        "Use more rows to tell which of them count, or leave out what you know to be unstable ([exclude])";
    /// A model was fitted again without its table.
    RefittedFromMemory "refitted-from-memory":
        "the model is fitted to the {used} of the {rows} rows that the first one remembers",
        "its coefficients are as uncertain as in so small a sample; the evidence is that of all rows",
        "Give the table that the first one was fitted to";
    /// The evidence for a variable is not settled.
    DoubtfulEvidence "doubtful-evidence":
        "the evidence for '{0}' falls as the regressions get finer",
        "an effect would not fall, what they miss of the other columns would: its probability may be too high",
        "Use more rows, or ask someone who knows the field whether it can act on the outcome by itself";
    /// The model's slope is not the effect.
    AnotherSlope "another-slope":
        "slopes in the model that are no effects: {detail}",
        "the slope is how predictions change, the effect how the outcome does when all other columns are held fixed; they are the same where the outcome is a straight line in all columns, and here it is not, others share what it tells, or a few far values decide",
        "Do not read these slopes as effects";
    /// A mark is too rare to be judged.
    RareMark "rare-mark":
        "too rare to be judged: {detail}",
        "that such a column is left out does not say that it has no effect: with so few rows it can't be told",
        "Use more rows, or say what you know ([stable], [unstable])";
    /// The honest estimate shows no gain.
    NoGain "no-gain":
        "fitted anew without whole regions, selection and all, the method does not do clearly better there than a linear fit on all columns: {percent:1} % of its error (s.e. {error:1} %), in the worst region {worst:1} %",
        "what is told of the refit in regions is too good, as a choice is in the regions that chose it; elsewhere all columns may do as well or better",
        "Compare both where you know outcomes from elsewhere ([method=ols], for classes [method=logistic]), before you prefer one";
    /// Few rows have a level.
    RareLevels "rare-levels":
        "few rows have these levels: {detail}",
        "their coefficients are as uncertain as in so few rows, however large they are",
        "Do not read these coefficients; join such levels with others that mean much the same";
    /// All columns do better elsewhere than the stable ones.
    StabilityCosts "stability-costs":
        "in regions that were held out all columns predict better than the stable ones do, by {percent:1} % (s.e. {error:1} %)",
        "stability costs more here than it brings, unless new places differ in ways that no region of these rows does",
        "Compare both ([method=ols], for classes [method=logistic]), or keep more variables ([threshold])";
    /// Chosen variables act otherwise in other environments.
    EffectDiffers "effect-differs":
        "effects that differ between the environments of '{0}' ({effects}): {detail}",
        "given the other chosen variables the slope is not the same everywhere (p up to {p_value:digits}, corrected for their number): such a variable is not stable, or no straight line",
        "Look at the slopes by environment, and leave out what nobody can explain ([unstable])";
    /// Environments are too small for effects to be compared.
    FewRowsInEnvironments "few-rows-in-environments":
        "{few} of {of} environments of '{0}' have too few rows, of a class or of all, for effects to be compared: {detail}",
        "whether the chosen variables act there as elsewhere can't be told",
        "Join small environments, or use more rows";
    /// Regions could not be held out.
    RegionsSkipped "regions-skipped":
        "regions of the rows could not be held out ({regions}): {detail}",
        "inside or outside of them a class, or nearly all rows, would be missing, so that the choice of the refit rests on the others",
        "";
    /// The classes are told apart without error.
    Separated "separated-classes":
        "the selected variables tell the two classes apart without error",
        "their coefficients have no finite best value; a small ridge holds them",
        "Is one of them a consequence of the target? Then leave it out ([exclude])";
    /// One class is rare.
    RareClass "rare-class":
        "only {percent:1} % of the rows are '{0}'",
        "a model that never predicts it has a low error rate, too",
        "Judge the model by its probabilities (log loss, AUC) rather than by its error rate";
    /// A coefficient is beyond the range of numbers.
    Overflow "coefficient-overflow":
        "the coefficient of '{0}' is beyond the range of numbers",
        "it can't be shown",
        "Give the column or the target other units";
    /// Theorem 1's condition does not hold.
    SelectionCondition "selection-condition":
        "'{0}', which is left out, may be judged wrongly",
        "if the chosen variables are the stable ones, the paper's Theorem 1 asks that how far they imitate a variable left out, |Cov(V, S) Cov(S)^-1 sign(b)|, is below 1, and for this one it is {value:digits}",
        "Ask someone who knows the field whether it can act on the outcome by itself";
    /// New rows have texts that training did not have.
    UnseenLevels "unseen-levels":
        "'{0}' has values that the training data did not have (rows: {rows})",
        "an average row stands in",
        "";
    /// New rows have texts that training hardly had.
    LevelsTakenForAnother "levels-taken-for-another":
        "'{0}' has values that fewer than ten training rows had (rows: {rows})",
        "they are taken for the most frequent one, of which nothing is known for them",
        "";
    /// Missing values of new rows were filled in.
    FilledIn "filled-in":
        "'{0}' has missing values (rows: {rows})",
        "they were filled in as in training",
        "";
    /// New rows lie outside what training saw.
    RowsOutside "rows-outside":
        "{percent} % of the new rows lie outside what training saw",
        "the model has to guess there, so that the error may be far larger than what is expected from the others",
        "See which columns drifted, and collect outcomes for some of these rows";
    /// The new rows are too unlike training.
    LittleOverlap "little-overlap":
        "training has too little in common with the new rows: {detail}",
        "with less no error can be foreseen",
        "Collect outcomes for some of the new rows and measure the error there";
    /// The error to expect rests on one row.
    OneRow "one-row":
        "a single training row, whose outcome is {outcome:digits} and was predicted as {predicted:digits}, makes {percent} % of the mean squared error that is expected",
        "without it the expected error would be {without:digits}; whether such a row comes again can't be told from one",
        "Look at that row: if it is wrong, correct it or leave it out, and fit again; else plan with both figures";
    /// There are too few new rows.
    FewNewRows "few-new-rows":
        "there are only {rows} new rows",
        "how their columns are spread can't be told",
        "Gather more of them";
    /// A column that the model uses has moved.
    ColumnMoved "column-moved":
        "means, or shares of levels, have moved, in standard deviations: {detail}",
        "the model rests on them, and what it learnt is thinner where the new rows are",
        "Measure the error on some of these rows before much depends on it";
    /// New rows have levels that training did not have.
    NewLevels "new-levels":
        "'{0}' has levels that training did not have ({percent:1} % of the new rows): {rest}",
        "an average row stands in for them",
        "If a level was only renamed, rename it back; else collect outcomes for such rows";
    /// New rows have levels that training hardly had.
    HardlySeenLevels "hardly-seen-levels":
        "'{0}' has levels that fewer than ten training rows had ({percent:1} % of the new rows): {rest}",
        "the model takes them for the most frequent level, '{detail}', and knows nothing of their own",
        "Collect outcomes for such rows, or leave the column out ([exclude])";
    /// New rows miss values of a column that the model uses.
    MissingInNewRows "missing-in-new-rows":
        "'{0}' is missing in {percent:1} % of the new rows",
        "average values stand in here; a model that was not fitted with [missing=mean] refuses to predict such rows",
        "";
    /// A column of the training data is not in the new rows.
    NotCompared "not-compared":
        "'{0}' is not in the new rows, or holds something else there",
        "the model does not use it, but its drift can't be seen",
        "";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_variables_figures_and_settings() {
        let found = Finding::new(Code::CorrelationLeft).about(["a", "[b]"]).with("correlation", 0.456);
        let words = found.words(&Plain);
        assert_eq!(words.what, "'a' and '[b]' still correlate by 0.46 under the weights");
        assert_eq!(words.remedy, "Use more rows, or leave one of the two out (\"exclude\")");
        let sum = Finding::new(Code::CombinedColumn).about(["c", "a", "b"]);
        assert_eq!(sum.to_string(), "'c' is left out: it is an exact combination of 'a', 'b'");
    }

    #[test]
    fn codes_are_distinct_and_survive_a_file() {
        let mut codes: Vec<&str> = Code::ALL.iter().map(|code| code.template().code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Code::ALL.len());
        let found = Finding::new(Code::NearCopies).about(["a", "b"]).with("correlation", 0.99);
        let text = serde_json::to_string(&found).unwrap();
        assert!(text.contains("\"near-copies\""));
        assert_eq!(serde_json::from_str::<Finding>(&text).unwrap(), found);
    }
}
