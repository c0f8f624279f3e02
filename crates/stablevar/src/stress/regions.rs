//! Rows to hold out: regions that stand for places unlike the rest, and folds that do not.

use crate::design::{Environments, Feature, FeatureKind, Task, TrainingData};
use crate::linalg::{dot, symmetric_eigen};

/// Regions at most.
const MOST_REGIONS: usize = 24;
/// The share of the rows that an extreme region is to hold, and the least and greatest share a region may have.
const EXTREME: f64 = 0.2;
const SHARES: std::ops::RangeInclusive<f64> = 0.05..=0.5;
/// Principal components whose extremes are held out.
const COMPONENTS: usize = 4;
/// Rows, and rows of each class, that a region and the rest must have.
const LEAST_ROWS: usize = 20;
const LEAST_OF_CLASS: usize = 5;
/// Regions that share more of their rows than this, of those in either, are one.
const SAME: f64 = 0.9;
/// Parts of ordinary cross-validation.
const FOLDS: usize = 5;

/// Rows that are held out together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// What they have in common.
    pub name: String,
    /// Their positions, in order.
    pub rows: Vec<usize>,
}

/// The regions of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Regions {
    /// Those to hold out.
    pub used: Vec<Region>,
    /// Names of those that can't be judged: a class, or nearly all rows, would be missing inside or outside.
    pub skipped: Vec<String>,
    /// Whether they are the user's environments.
    pub given: bool,
}

impl Regions {
    /// The lowest and highest fifth of every number and of the first principal components, and the levels of texts; or, where
    /// every row has an environment, the environments.
    ///
    /// They depend on the rows alone, not on their order. If there are more than 24, kinds of regions take turns, those of the
    /// variables that go along with the outcome most first.
    pub fn of(data: &TrainingData) -> Self {
        let (kinds, given) = match (&data.environment, &data.environments) {
            (Some(codes), Some(known)) => (vec![environments(codes, known)], true),
            _ => (vec![of_numbers(data), of_components(data), of_levels(data)], false),
        };
        let largest = if given { 1.0 } else { *SHARES.end() };
        let total = data.total_weight();
        let mut regions = Self { given, ..Self::default() };
        let mut queues: Vec<_> = kinds.into_iter().map(Vec::into_iter).collect();
        while regions.used.len() < MOST_REGIONS {
            let turn: Vec<Region> = queues.iter_mut().filter_map(Iterator::next).collect();
            if turn.is_empty() {
                break;
            }
            for region in turn {
                let share = region.rows.iter().map(|&row| data.base[row]).sum::<f64>() / total;
                let fits = share <= largest && (given || share >= *SHARES.start());
                if !fits || regions.used.len() >= MOST_REGIONS || regions.used.iter().any(|other| same(other, &region))
                {
                    continue;
                }
                if can_be_judged(data, &region.rows) {
                    regions.used.push(region);
                } else {
                    regions.skipped.push(region.name);
                }
            }
        }
        regions
    }

    /// How many a choice needs: of environments two, since they are what the user asks about.
    pub fn least(&self) -> usize {
        if self.given { 2 } else { 3 }
    }

    /// That there are too few, in words.
    pub fn too_few(&self) -> String {
        let kind = if self.given { "environments" } else { "regions" };
        format!("fewer than {} {kind} can be held out of these rows", self.least())
    }
}

/// Five parts of the rows that depend on what is in the rows, not on their order.
pub fn folds(data: &TrainingData) -> Vec<Vec<usize>> {
    let mut folds = vec![Vec::new(); FOLDS];
    let fold_of = data.folds(&order_by_content(data), FOLDS);
    fold_of.into_iter().enumerate().for_each(|(row, fold)| folds[fold].push(row));
    folds
}

/// All rows sorted by a hash of their values, to six digits.
fn order_by_content(data: &TrainingData) -> Vec<usize> {
    // The finaliser of SplitMix64: every bit of the result depends on every bit of the argument.
    let mixed = |value: u64| {
        let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    };
    let digits = |value: f64| (1e6 * value).round() as i64 as u64;
    let hash = |row: usize| {
        let values = data.design.row(row).iter().chain([&data.outcome[row]]);
        values.fold(0x9e37_79b9_7f4a_7c15, |hash: u64, &value| {
            mixed(hash.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ digits(value))
        })
    };
    let mut order: Vec<(u64, usize)> = (0..data.rows()).map(|row| (hash(row), row)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, row)| row).collect()
}

/// Whether two regions hold nearly the same rows.
fn same(one: &Region, other: &Region) -> bool {
    let mut rows = one.rows.iter().peekable();
    let shared = other.rows.iter().filter(|&row| {
        while rows.next_if(|held| *held < row).is_some() {}
        rows.peek() == Some(&row)
    });
    let shared = shared.count();
    shared as f64 > SAME * (one.rows.len() + other.rows.len() - shared) as f64
}

/// Whether the rows, and the others, are enough to be judged by and to be learnt from.
fn can_be_judged(data: &TrainingData, rows: &[usize]) -> bool {
    let rest = data.rows() - rows.len();
    if rows.len() < LEAST_ROWS || rest < LEAST_ROWS || rest <= 2 * (data.columns() + 1) {
        return false;
    }
    if data.target.task() == Task::Regression {
        return true;
    }
    let labels = data.labels();
    let inside = rows.iter().filter(|&&row| labels[row] > 0.5).count();
    let all = labels.iter().filter(|&&label| label > 0.5).count();
    let counts = [inside, rows.len() - inside, all - inside, rest - (all - inside)];
    counts.into_iter().all(|count| count >= LEAST_OF_CLASS)
}

/// Rows with the lowest and with the highest values, a fifth of all weight or, where values repeat, a little more.
fn extremes(data: &TrainingData, name: &str, values: &[f64]) -> [Region; 2] {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let limit = |order: &[usize]| {
        let mut held = 0.0;
        let last = order.iter().find(|&&row| {
            held += data.base[row];
            held >= EXTREME * data.total_weight() * (1.0 - 1e-12)
        });
        last.map_or(f64::NAN, |&row| values[row])
    };
    let low = limit(&order);
    order.reverse();
    let high = limit(&order);
    let rows = |within: &dyn Fn(f64) -> bool| (0..values.len()).filter(|&row| within(values[row])).collect();
    [
        Region { name: format!("lowest fifth of {name}"), rows: rows(&|value| value <= low) },
        Region { name: format!("highest fifth of {name}"), rows: rows(&|value| value >= high) },
    ]
}

fn column(data: &TrainingData, position: usize) -> Vec<f64> {
    (0..data.rows()).map(|row| data.design[(row, position + 1)]).collect()
}

/// How much some values go along with the outcome: the absolute correlation.
fn strength(data: &TrainingData, values: &[f64]) -> f64 {
    let total = data.total_weight();
    let mean = |value: &dyn Fn(usize) -> f64| (0..data.rows()).map(|k| data.base[k] * value(k)).sum::<f64>() / total;
    let (x, y) = (mean(&|k| values[k]), mean(&|k| data.outcome[k]));
    let spread = mean(&|k| (values[k] - x).powi(2)).sqrt() * mean(&|k| (data.outcome[k] - y).powi(2)).sqrt();
    if spread > 0.0 { mean(&|k| (values[k] - x) * (data.outcome[k] - y)).abs() / spread } else { 0.0 }
}

/// Strongest first; to nine digits, so that the order of the rows does not decide.
fn strongest_first(mut found: Vec<(f64, Vec<Region>)>) -> Vec<Region> {
    found.sort_by_key(|(strength, _)| std::cmp::Reverse((1e9 * strength).round() as i64));
    found.into_iter().flat_map(|(_, regions)| regions).collect()
}

fn of_numbers(data: &TrainingData) -> Vec<Region> {
    let numbers = data.encoding.features.iter().filter(|feature| feature.kind == FeatureKind::Number);
    let found = numbers.map(|feature| {
        let values = column(data, feature.columns[0]);
        (strength(data, &values), extremes(data, &format!("'{}'", feature.name), &values).to_vec())
    });
    strongest_first(found.collect())
}

fn of_components(data: &TrainingData) -> Vec<Region> {
    if data.columns() < 2 {
        return Vec::new();
    }
    let Some((_, vectors)) = symmetric_eigen(&data.correlations) else { return Vec::new() };
    let size = vectors.rows();
    let component = |k: usize| {
        // Eigenvalues come in rising order. A component's sign is a matter of chance: its largest loading shall be positive.
        let mut loadings: Vec<f64> = (0..size).map(|i| vectors[(i, size - 1 - k)]).collect();
        let largest =
            loadings.iter().fold(0.0f64, |most, &value| if value.abs() > most.abs() + 1e-9 { value } else { most });
        loadings.iter_mut().for_each(|value| *value *= largest.signum());
        // To nine digits, so that rows that are alike stay alike.
        let score = |row: usize| (1e9 * dot(&data.design.row(row)[1..], &loadings)).round() / 1e9;
        extremes(data, &format!("principal component {}", k + 1), &(0..data.rows()).map(score).collect::<Vec<_>>())
    };
    (0..COMPONENTS.min(size)).flat_map(component).collect()
}

/// The levels of texts and of true/false.
fn of_levels(data: &TrainingData) -> Vec<Region> {
    let texts = data.encoding.features.iter().filter(|feature| feature.kind != FeatureKind::Number);
    let mut found = Vec::new();
    for feature in texts {
        for (level, rows) in levels(data, feature) {
            let mut marks = vec![0.0; data.rows()];
            rows.iter().for_each(|&row| marks[row] = 1.0);
            found.push((strength(data, &marks), vec![Region { name: format!("'{}' = {level}", feature.name), rows }]));
        }
    }
    strongest_first(found)
}

/// The rows of every level, from the columns that mark them; those that none marks are the most frequent one's.
fn levels(data: &TrainingData, feature: &Feature) -> Vec<(String, Vec<usize>)> {
    let marked = |row: usize| feature.columns.iter().position(|&column| data.design[(row, column + 1)] > 0.0);
    let mut found: Vec<(String, Vec<usize>)> = feature
        .columns
        .iter()
        .map(|&position| {
            let column = &data.encoding.columns[position];
            let level = match &feature.kind {
                FeatureKind::Boolean => "true".into(),
                _ => column.level.as_ref().map_or("a rare level".into(), |level| format!("'{level}'")),
            };
            (level, Vec::new())
        })
        .collect();
    let own: Vec<Option<&str>> =
        feature.columns.iter().map(|&position| data.encoding.columns[position].level.as_deref()).collect();
    let rest = match &feature.kind {
        FeatureKind::Category { levels, pooled } => {
            let unmarked = |level: &&String| !pooled.contains(level) && !own.contains(&Some(level.as_str()));
            levels.iter().find(unmarked).map_or("another level".into(), |level| format!("'{level}'"))
        }
        _ => "false".into(),
    };
    found.push((rest, Vec::new()));
    let last = found.len() - 1;
    (0..data.rows()).for_each(|row| found[marked(row).unwrap_or(last)].1.push(row));
    found
}

/// Every environment, the largest first.
fn environments(codes: &[u32], known: &Environments) -> Vec<Region> {
    let mut rows = vec![Vec::new(); known.levels.len()];
    codes.iter().enumerate().for_each(|(row, &code)| rows[code as usize].push(row));
    // A sample of the rows may have none of some.
    let seen = rows.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty());
    let mut regions: Vec<Region> = seen.map(|(code, rows)| Region { name: known.title(code), rows }).collect();
    regions.sort_by_key(|region| std::cmp::Reverse(region.rows.len()));
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::table::{Column, Table, TextValues, Values};

    /// 400 rows, no two alike: a number, a number of which nine in ten are 0, a text, and an outcome.
    fn table(order: &[usize]) -> Table<'static> {
        let number =
            |of: &dyn Fn(usize) -> f64| Values::Number(order.iter().map(|&k| of(k)).collect::<Vec<_>>().into());
        let level = |k: usize| ["red", "green", "blue", "white"][[0, 0, 0, 0, 0, 1, 1, 2, 3, 3][k % 10]];
        let texts = TextValues::collect(order.iter().map(|&k| Some(level(k))));
        let columns = [
            ("a", number(&|k| ((k * 37) % 101) as f64 + k as f64 / 1000.0)),
            ("rare", number(&|k| if k.is_multiple_of(10) { (k % 7) as f64 + 1.0 } else { 0.0 })),
            ("colour", Values::Text(texts)),
            ("y", number(&|k| ((k * 37) % 101) as f64 + ((k * k) % 13) as f64)),
        ];
        Table::new(columns.map(|(name, values)| Column { name: name.into(), values }).to_vec()).unwrap()
    }

    fn prepared(order: &[usize]) -> TrainingData {
        TrainingData::prepare(&table(order), &Roles::target("y")).unwrap()
    }

    #[test]
    fn regions_are_fifths_components_and_levels_of_a_fitting_size() {
        let data = prepared(&(0..400).collect::<Vec<_>>());
        let regions = Regions::of(&data);
        let find = |name: &str| regions.used.iter().find(|region| region.name == name);
        assert!((80..90).contains(&find("lowest fifth of 'a'").unwrap().rows.len()));
        assert!(find("highest fifth of 'a'").is_some());
        assert!(find("lowest fifth of 'rare'").is_none(), "nine tenths of the rows are no region");
        assert_eq!(find("'colour' = 'red'").unwrap().rows.len(), 200);
        assert_eq!(find("'colour' = 'blue'").unwrap().rows.len(), 40);
        assert!(find("lowest fifth of principal component 1").is_some());
        assert!(regions.used.len() <= MOST_REGIONS && regions.skipped.is_empty());
    }

    #[test]
    fn the_order_of_the_rows_does_not_matter() {
        let order: Vec<usize> = (0..400).map(|k| (k * 149) % 400).collect();
        let (straight, shuffled) = (prepared(&(0..400).collect::<Vec<_>>()), prepared(&order));
        let original = |rows: &[usize]| {
            let mut rows: Vec<usize> = rows.iter().map(|&row| order[row]).collect();
            rows.sort_unstable();
            rows
        };
        let (one, two) = (Regions::of(&straight).used, Regions::of(&shuffled).used);
        assert_eq!(one.len(), two.len());
        for (one, two) in one.iter().zip(&two) {
            assert_eq!((&one.name, &one.rows), (&two.name, &original(&two.rows)));
        }
        let (one, two) = (folds(&straight), folds(&shuffled));
        assert_eq!(one, two.iter().map(|rows| original(rows)).collect::<Vec<_>>());
        assert_eq!(one.iter().map(Vec::len).sum::<usize>(), 400);
    }

    #[test]
    fn environments_take_the_place_of_regions() {
        let rows: Vec<usize> = (0..400).collect();
        let place = |k: usize| ["north", "south", "west", "far away"][if k < 390 { k / 130 } else { 3 }];
        let places = TextValues::collect(rows.iter().map(|&k| Some(place(k))));
        let mut columns = table(&rows).columns().to_vec();
        columns.push(Column { name: "place".into(), values: Values::Text(places) });
        let roles = Roles { environment: Some("place".into()), ..Roles::target("y") };
        let data = TrainingData::prepare(&Table::new(columns).unwrap(), &roles).unwrap();
        assert_eq!(data.encoding.feature_names(), ["a", "rare", "colour"]);
        let regions = Regions::of(&data);
        assert_eq!(regions.used.len(), 3);
        assert_eq!(regions.used[1].name, "'place' = 'south'");
        assert_eq!(regions.used[1].rows, (130..260).collect::<Vec<_>>());
        assert_eq!(regions.skipped, ["'place' = 'far away'"], "ten rows are too few");
        let one = Regions::of(&data.pick(&(0..130).collect::<Vec<_>>()));
        assert!(one.used.is_empty(), "nothing is left to learn from");
    }

    #[test]
    fn regions_with_one_class_are_skipped_and_told() {
        let x: Vec<f64> = (0..300).map(f64::from).collect();
        let z: Vec<f64> = (0..300).map(|k| f64::from((k * 7) % 50)).collect();
        // The highest third is all of one class.
        let y: Vec<f64> = (0..300).map(|k| f64::from(k >= 200 || k % 3 == 0)).collect();
        let table = Table::from_numbers([("x", x), ("z", z), ("y", y)]).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let regions = Regions::of(&data);
        assert!(regions.skipped.contains(&"highest fifth of 'x'".to_string()), "{:?}", regions.skipped);
        assert!(regions.used.iter().any(|region| region.name == "lowest fifth of 'x'"));
    }
}
