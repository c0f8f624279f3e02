//! From probabilities and p-values to a set of variables, and how sure that set is.
//!
//! Whatever the rule, the result is defined on any data: no variable may pass (the model then predicts the mean and
//! says so), ties go to the smaller p-value and then to the earlier column, and of near copies only one is kept. What was told of
//! variables comes before any rule.

use crate::design::{Frame, Standing};
use crate::error::{Error, Result};
use crate::evidence::VariableEvidence;
use crate::parameter::Fraction;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// Which variables count as stable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Those whose probability is at least this, as in the paper.
    Threshold(Fraction),
    /// Benjamini and Hochberg: among those chosen, at most this share is wrong on average. Needs evidence.
    FalseDiscoveryRate(Fraction),
    /// The most probable ones, this many.
    Select(usize),
}

impl Default for Rule {
    fn default() -> Self {
        Rule::Threshold(Fraction::constant(0.5))
    }
}

/// Selection over random halves of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Resampling {
    /// Halves of the rows, in complementary pairs; `None` for no such selection.
    pub resamples: Option<usize>,
    /// Share of the halves in which a variable must be chosen.
    pub least_frequency: Fraction,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { resamples: None, least_frequency: Fraction::constant(0.5) }
    }
}

/// A variable that was left out but could take the place of a selected one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StandIn {
    /// Position of the variable that was left out.
    pub variable: usize,
    /// Position of the selected one.
    pub stands_for: usize,
    /// Their correlation; for text variables the largest among their columns.
    pub correlation: f64,
}

/// Correlations from which a variable is reported as a stand-in: below it, a variable that merely follows the outcome
/// in this sample would be.
const STAND_IN: f64 = 0.9;

impl Rule {
    /// Refuses what can't be done with so many variables, of which this was told.
    pub fn check(&self, standings: &[Option<Standing>], has_evidence: bool) -> Result<()> {
        let told = |standing: Standing| standings.iter().filter(|told| **told == Some(standing)).count();
        let (least, variables) = (told(Standing::Stable), standings.len() - told(Standing::Unstable));
        match self {
            Rule::Select(0) => Err(Error::BadRequest("at least one variable must be selected".into())),
            Rule::Select(count) if *count > variables => {
                let left = if variables < standings.len() { " that are not told to be unstable" } else { "" };
                Err(Error::BadRequest(format!("{count} variables can't be selected of {variables}{left}")))
            }
            Rule::Select(count) if *count < least => Err(Error::BadRequest(format!(
                "{count} variables can't be selected where {least} are told to be stable"
            ))),
            Rule::FalseDiscoveryRate(_) if !has_evidence => Err(Error::BadRequest(
                "a false discovery rate needs p-values, which come with evidence: auto, focused, residual or network"
                    .into(),
            )),
            _ => Ok(()),
        }
    }

    /// The probability that selects, if it is that which does.
    pub fn threshold(&self) -> Option<f64> {
        if let Rule::Threshold(least) = self { Some(least.get()) } else { None }
    }

    /// Positions of the variables selected by their evidence, in order.
    pub fn select_by(&self, data: &Frame, evidence: &[VariableEvidence]) -> Vec<usize> {
        let probability: Vec<f64> = evidence.iter().map(|variable| variable.probability).collect();
        self.select(data, &probability, Some(evidence))
    }

    /// Positions of the variables selected, in order.
    ///
    /// With evidence near copies were judged without each other, so that each shows the effect they share: of those
    /// that pass, the strongest is kept. But one that the set needs was judged beside the others, and tells what they do not.
    pub fn select(&self, data: &Frame, probability: &[f64], evidence: Option<&[VariableEvidence]>) -> Vec<usize> {
        // Many probabilities are 1 to the last digit. Then p-values compare, also between variables of one column and of
        // many, which t does not; t is for those that are 0 to the last digit.
        let stronger = |a: usize, b: usize| match evidence {
            Some(all) => all[a].p_value.total_cmp(&all[b].p_value).then(all[b].t.abs().total_cmp(&all[a].t.abs())),
            None => std::cmp::Ordering::Equal,
        };
        let standings = data.standings();
        let told = |variable: usize| standings[variable];
        let is_stable = |variable: usize| told(variable) == Some(Standing::Stable);
        let rounded = |variable: usize| (probability[variable] * 1e9).round();
        let mut ranked: Vec<usize> = (0..probability.len()).collect();
        ranked.sort_by(|&a, &b| {
            let told_first = is_stable(b).cmp(&is_stable(a));
            told_first.then(rounded(b).total_cmp(&rounded(a))).then(stronger(a, b)).then(a.cmp(&b))
        });
        let passes: Vec<bool> = match (self, evidence) {
            (Rule::Threshold(least), _) => probability.iter().map(|value| *value >= least.get()).collect(),
            (Rule::FalseDiscoveryRate(rate), Some(evidence)) => {
                // The data have no say about the others.
                let open = (0..evidence.len()).filter(|&variable| told(variable).is_none());
                let limit = benjamini_hochberg(open.map(|variable| evidence[variable].p_value), rate.get());
                evidence.iter().map(|variable| limit.is_some_and(|limit| variable.p_value <= limit)).collect()
            }
            (Rule::FalseDiscoveryRate(_), None) => vec![false; probability.len()],
            (Rule::Select(_), _) => vec![true; probability.len()],
        };
        let most = if let Rule::Select(count) = self { *count } else { probability.len() };
        let mut selected: Vec<usize> = Vec::new();
        let passes = |variable: usize| told(variable).map_or(passes[variable], |told| told == Standing::Stable);
        for variable in ranked.into_iter().filter(|&variable| passes(variable)) {
            let is_copy = evidence.is_some_and(|all| {
                let of = |other: &usize| !all[*other].needed && are_copies(data, variable, *other);
                !all[variable].needed && selected.iter().any(of)
            });
            if is_stable(variable) || !is_copy && selected.len() < most {
                selected.push(variable);
            }
        }
        selected.sort_unstable();
        selected
    }
}

/// The largest p-value that passes: the k-th smallest must be at most `rate k / m`.
fn benjamini_hochberg(p_values: impl Iterator<Item = f64>, rate: f64) -> Option<f64> {
    let mut values: Vec<f64> = p_values.collect();
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let passing = values.iter().enumerate().filter(|(k, value)| **value <= rate * (k + 1) as f64 / count);
    passing.map(|(_, value)| *value).next_back()
}

/// Whether two variables have columns that are nearly the same.
fn are_copies(data: &Frame, first: usize, second: usize) -> bool {
    let feature = |column: usize| data.encoding.columns[column].feature;
    data.inseparable
        .iter()
        .any(|&(a, b)| (feature(a), feature(b)) == (first, second) || (feature(b), feature(a)) == (first, second))
}

/// For every selected variable those left out that correlate strongly with it, strongest first; none that was told to be unstable.
pub fn stand_ins(data: &Frame, selected: &[usize]) -> Vec<StandIn> {
    let (features, standings) = (&data.encoding.features, data.standings());
    let may = |variable: &usize| !selected.contains(variable) && standings[*variable] != Some(Standing::Unstable);
    let mut found = Vec::new();
    // Of very many columns correlations are not known.
    let known = if data.correlations.rows() == 0 { &[] } else { selected };
    for &stands_for in known {
        for variable in (0..features.len()).filter(may) {
            let pairs = features[stands_for]
                .columns
                .iter()
                .flat_map(|&a| features[variable].columns.iter().map(move |&b| (a, b)));
            let correlation = pairs
                .map(|pair| data.correlations[pair])
                .fold(0.0, |most: f64, value| if value.abs() > most.abs() { value } else { most });
            if correlation.abs() >= STAND_IN {
                found.push(StandIn { variable, stands_for, correlation });
            }
        }
    }
    found.sort_by(|a, b| a.stands_for.cmp(&b.stands_for).then(b.correlation.abs().total_cmp(&a.correlation.abs())));
    found
}

impl Resampling {
    /// Random halves of the rows in complementary pairs, so that every row is used equally often.
    pub fn halves(&self, rows: usize, seed: u64) -> Vec<Vec<usize>> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut order: Vec<usize> = (0..rows).collect();
        let wanted = self.resamples.unwrap_or(0);
        let mut halves = Vec::with_capacity(wanted + 1);
        while halves.len() < wanted {
            order.shuffle(&mut random);
            let (first, second) = order.split_at(rows / 2);
            halves.push(first.to_vec());
            halves.push(second.to_vec());
        }
        halves.truncate(wanted);
        halves.iter_mut().for_each(|half| half.sort_unstable());
        halves
    }

    /// Positions of the variables selected by how often each was chosen; `rule` decides only how many when it is
    /// [`Rule::Select`], since it was applied within every half, as was what is told of variables.
    pub fn select(&self, data: &Frame, frequency: &[f64], probability: &[f64], rule: &Rule) -> Vec<usize> {
        let standings = data.standings();
        let told = |variable: usize, standing: Standing| standings[variable] == Some(standing);
        let mut ranked: Vec<usize> =
            (0..frequency.len()).filter(|&variable| !told(variable, Standing::Unstable)).collect();
        ranked.sort_by(|&a, &b| {
            let told_first = told(b, Standing::Stable).cmp(&told(a, Standing::Stable));
            let by_frequency = told_first.then(frequency[b].total_cmp(&frequency[a]));
            by_frequency.then(probability[b].total_cmp(&probability[a])).then(a.cmp(&b))
        });
        let often = |variable: &usize| frequency[*variable] >= self.least_frequency.get();
        let mut selected: Vec<usize> = match rule {
            Rule::Select(count) => ranked.into_iter().take(*count).collect(),
            _ => ranked.into_iter().filter(|variable| told(*variable, Standing::Stable) || often(variable)).collect(),
        };
        selected.sort_unstable();
        selected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, TrainingData};
    use crate::table::Table;

    fn evidence(p_value: f64, t: f64) -> VariableEvidence {
        VariableEvidence { t, p_value, probability: 0.5, effective_sample_size: 100.0, ..VariableEvidence::default() }
    }

    /// Four columns, of which the last two are nearly the same.
    fn data() -> TrainingData {
        let column = |k: usize| -> Vec<f64> {
            (0..60).map(|i| ((i * i * (k + 2) + 7 * i * (k + 1) + 3 * k) % 23) as f64).collect()
        };
        let copy = column(2).iter().enumerate().map(|(i, x)| x + 0.01 * (i % 3) as f64).collect();
        let names = ["a", "b", "c", "d", "y"].map(String::from);
        let table =
            Table::from_numbers(names.into_iter().zip([column(0), column(1), column(2), copy, column(4)])).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        assert_eq!(data.inseparable, vec![(2, 3)]);
        data
    }

    #[test]
    fn the_false_discovery_rate_steps_up() {
        // 0.04 alone would fail its own step (2/4 of 0.06), but 0.044 passes the third, and takes it along.
        let all = [evidence(0.001, 9.0), evidence(0.04, 2.0), evidence(0.044, 2.0), evidence(0.9, 0.1)];
        let stepped =
            |some: &[VariableEvidence], rate: f64| benjamini_hochberg(some.iter().map(|one| one.p_value), rate);
        assert_eq!(stepped(&all, 0.06), Some(0.044));
        assert_eq!(stepped(&all, 0.05), Some(0.001));
        assert_eq!(stepped(&all[3..], 0.1), None);
    }

    #[test]
    fn of_near_copies_the_stronger_is_kept_and_ties_go_to_the_earlier() {
        let data = data();
        let probability = [0.2, 0.9, 0.8, 0.8];
        let with = |t: f64| [evidence(0.5, 0.0), evidence(0.01, 3.0), evidence(0.01, 3.0), evidence(0.01, t)];
        let rule = Rule::default();
        assert_eq!(rule.select(&data, &probability, Some(&with(4.0))), vec![1, 3]);
        assert_eq!(rule.select(&data, &probability, Some(&with(3.0))), vec![1, 2]);
        // The paper's algorithm has no such rule.
        assert_eq!(rule.select(&data, &probability, None), vec![1, 2, 3]);
        // Asked for three, a third is taken from outside the copies.
        assert_eq!(Rule::Select(3).select(&data, &probability, Some(&with(3.0))), vec![0, 1, 2]);
        assert_eq!(Rule::Select(1).select(&data, &[0.5; 4], None), vec![0]);
    }

    #[test]
    fn impossible_rules_are_refused() {
        let free = [None; 4];
        assert!(Rule::Select(5).check(&free, true).is_err() && Rule::Select(0).check(&free, true).is_err());
        assert!(Rule::FalseDiscoveryRate(Fraction::constant(0.1)).check(&free, false).is_err());
        assert!(Rule::Select(4).check(&free, false).is_ok());
        let told = [Some(Standing::Stable), Some(Standing::Stable), Some(Standing::Unstable), None];
        assert!(Rule::Select(1).check(&told, true).is_err() && Rule::Select(4).check(&told, true).is_err());
        assert!(Rule::Select(3).check(&told, true).is_ok());
    }

    #[test]
    fn what_was_told_comes_before_any_rule() {
        let mut data = data();
        data.frame.told.stable = vec!["d".into()];
        data.frame.told.unstable = vec!["b".into()];
        let evidence = [evidence(0.2, 1.0), evidence(1e-9, 9.0), evidence(1e-6, 6.0), evidence(0.9, 0.1)];
        let probability = [0.2, 1.0, 0.99, 0.01];
        // The stable one stays though its near copy has the stronger evidence, and takes its place.
        assert_eq!(Rule::default().select(&data, &probability, Some(&evidence)), vec![3]);
        assert_eq!(Rule::default().select(&data, &probability, None), vec![2, 3]);
        assert_eq!(Rule::Select(2).select(&data, &probability, None), vec![2, 3]);
        assert_eq!(Rule::Select(1).select(&data, &probability, None), vec![3]);
        let rate = Rule::FalseDiscoveryRate(Fraction::constant(0.5));
        assert_eq!(rate.select(&data, &probability, Some(&evidence)), vec![0, 3]);
        data.frame.correlations = crate::linalg::Matrix::from_fn(4, 4, |_, _| 0.95);
        assert!(stand_ins(&data, &[3]).iter().all(|pair| pair.variable != 1));
    }

    #[test]
    fn halves_come_in_complementary_pairs() {
        let halves = Resampling { resamples: Some(4), ..Resampling::default() }.halves(11, 3);
        assert_eq!(halves.len(), 4);
        for pair in halves.chunks(2) {
            let mut all = pair.concat();
            all.sort_unstable();
            assert_eq!(all, (0..11).collect::<Vec<_>>());
        }
        assert_ne!(halves[0], halves[2]);
    }

    #[test]
    fn a_strong_correlate_that_was_left_out_is_a_stand_in() {
        let mut data = data();
        data.frame.correlations = crate::linalg::Matrix::from_fn(4, 4, |i, j| match (i, j) {
            _ if i == j => 1.0,
            (2, 3) | (3, 2) => 0.99,
            (0, 2) | (2, 0) => -0.95,
            _ => 0.1,
        });
        let found = stand_ins(&data, &[1, 2]);
        assert_eq!(found.iter().map(|s| (s.variable, s.stands_for)).collect::<Vec<_>>(), vec![(3, 2), (0, 2)]);
        assert!(stand_ins(&data, &[0, 1, 2, 3]).is_empty());
    }
}
