//! Flexible regressions of a few outcomes on some columns, without an n x n matrix and without a draw.
//!
//! Every regression is linear in features of the row ([`Space`]), so that one pass over the rows gathers all that fits at
//! any penalty need ([`Smoother`]). Their penalty is chosen by generalised cross-validation, which holds out every row in turn
//! by a formula: there are no folds that a seed could deal out.

mod features;
mod scales;
mod smoother;

pub(super) use features::{Kernel, Space};
pub(super) use scales::{Effort, Learnt, learn_scales};
pub(super) use smoother::{Fits, Smoother, Without, predictions};

use crate::design::TrainingData;
use crate::linalg::Matrix;
use std::collections::HashMap;

/// Rows as the regressions see them, in the order in which they are taken: whoever needs fewer rows takes the first.
pub(super) struct Sheet {
    /// Positions in the training data.
    pub order: Vec<usize>,
    /// Rows by encoded columns, far values drawn in.
    pub seen: Matrix,
    /// Mean 1.
    pub base: Vec<f64>,
    /// Standardised.
    pub outcome: Vec<f64>,
    /// The group of each row, counted from 0, if rows belong together.
    pub groups: Option<Vec<usize>>,
    /// As how many independent rows a row counts where fits are charged for what they take from the rows: 1 without groups.
    pub independent: f64,
}

impl Sheet {
    pub(super) fn new(data: &TrainingData, order: Vec<usize>) -> Self {
        let bulks: Vec<Bulk> = (0..data.columns())
            .map(|column| Bulk::of(order.iter().map(|&row| data.design[(row, column + 1)]).collect()))
            .collect();
        let seen = Matrix::from_fn(order.len(), data.columns(), |k, column| {
            bulks[column].compressed(data.design[(order[k], column + 1)])
        });
        let pick = |values: &[f64]| order.iter().map(|&row| values[row]).collect::<Vec<f64>>();
        let mut base = pick(&data.base);
        let mean = base.iter().sum::<f64>() / base.len().max(1) as f64;
        // Penalties stand beside sums over the rows: weights in another unit would make them too small or too large.
        if mean > 0.0 {
            base.iter_mut().for_each(|weight| *weight /= mean);
        }
        let outcome = pick(&data.outcome);
        let groups = data.groups.as_ref().map(|marks| numbered(order.iter().map(|&row| marks[row])));
        let independent = groups.as_ref().map_or(1.0, |groups| independent_share(groups, &outcome));
        Self { seen, base, outcome, groups, independent, order }
    }
}

/// Groups by number, in the order in which they come.
fn numbered(marks: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut known: HashMap<u64, usize> = HashMap::new();
    marks
        .map(|mark| {
            let next = known.len();
            *known.entry(mark).or_insert(next)
        })
        .collect()
}

/// Kish's design effect, inverted: how alike outcomes of one group are (the intraclass correlation) says as how many rows they count.
fn independent_share(groups: &[usize], outcome: &[f64]) -> f64 {
    let count = groups.iter().max().map_or(0, |most| most + 1);
    let (rows, mut sums) = (outcome.len() as f64, vec![(0.0, 0.0); count]);
    groups.iter().zip(outcome).for_each(|(&group, y)| {
        sums[group].0 += 1.0;
        sums[group].1 += y;
    });
    let mean = outcome.iter().sum::<f64>() / rows;
    let between: f64 = sums.iter().map(|(size, sum)| size * (sum / size - mean).powi(2)).sum();
    let within = (outcome.iter().map(|y| (y - mean).powi(2)).sum::<f64>() - between).max(0.0);
    let squares = sums.iter().map(|(size, _)| size * size).sum::<f64>() / rows;
    let (groups, usual) = (count as f64, (rows - squares) / (count as f64 - 1.0).max(1.0));
    let (between, within) = (between / (groups - 1.0).max(1.0), within / (rows - groups).max(1.0));
    let alike = (between - within) / (between + (usual - 1.0) * within);
    let alike = if alike.is_finite() { alike.clamp(0.0, 1.0) } else { 1.0 };
    (1.0 / (1.0 + (squares - 1.0) * alike)).clamp(groups / rows, 1.0)
}

/// Where most values of a column lie.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bulk {
    centre: f64,
    scale: f64,
}

/// Standard deviations beyond which a value is compressed.
const FAR: f64 = 4.0;

impl Bulk {
    /// By the quartiles, so that a normal column keeps its scale; a column of which half is one value keeps its own.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let quantile = |share: f64| values.get((share * values.len() as f64) as usize).copied().unwrap_or(0.0);
        // The quartiles of the normal distribution are 1.349 standard deviations apart.
        let scale = (quantile(0.75) - quantile(0.25)) / 1.349;
        if scale > 0.0 { Self { centre: quantile(0.5), scale } } else { Self { centre: 0.0, scale: 1.0 } }
    }

    /// A value on the bulk's scale, with the tails compressed to a logarithm: the product of two values each thirty standard
    /// deviations out would rule a product. The map is one-to-one, so that to be independent given what it gives is to be
    /// independent given the value.
    fn compressed(self, value: f64) -> f64 {
        let value = (value - self.centre) / self.scale;
        if value.abs() <= FAR { value } else { value.signum() * (FAR + (value.abs() - FAR).ln_1p()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;

    #[test]
    fn far_values_are_compressed_and_keep_their_order() {
        // Normal but for a thousandfold tail: the scale is the normal part's.
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let mut values: Vec<f64> = (0..4000).map(|_| 1.0 + 0.1 * random.sample::<f64, _>(StandardNormal)).collect();
        values[..40].iter_mut().for_each(|value| *value *= 1000.0);
        let bulk = Bulk::of(values.clone());
        assert!((bulk.centre - 1.0).abs() < 0.02 && (bulk.scale - 0.1).abs() < 0.01, "{bulk:?}");
        assert!((bulk.compressed(1.2) - 2.0).abs() < 0.3);
        values.sort_by(f64::total_cmp);
        let compressed: Vec<f64> = values.iter().map(|&value| bulk.compressed(value)).collect();
        assert!(
            compressed.windows(2).all(|pair| pair[0] <= pair[1]) && compressed[3999] < 16.0,
            "{}",
            compressed[3999]
        );
        assert_eq!(Bulk::of(vec![0.0, 0.0, 0.0, 0.0, 5.0]), Bulk { centre: 0.0, scale: 1.0 });
    }

    /// 900 rows of eight columns and an outcome that the second to fourth bend.
    pub(super) fn sheet() -> Sheet {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let seen = Matrix::from_fn(900, 8, |_, _| random.sample(StandardNormal));
        let outcome =
            (0..900).map(|k| seen[(k, 0)] + (2.0 * seen[(k, 1)]).sin() + seen[(k, 2)] * seen[(k, 3)]).collect();
        Sheet { order: (0..900).collect(), seen, base: vec![1.0; 900], outcome, groups: None, independent: 1.0 }
    }

    #[test]
    fn the_scales_find_the_columns_that_bend_the_outcome_and_the_fit_follows_it() {
        let sheet = sheet();
        let columns: Vec<usize> = (0..8).collect();
        let scales =
            learn_scales(&sheet, &columns, &[&sheet.outcome], Effort { rows: 900, landmarks: 150, restarts: 3 }, None)
                .scales;
        // The first column bends nothing: its effect is linear.
        let least = scales[1].min(scales[2]).min(scales[3]);
        let most = [0, 4, 5, 6, 7].map(|k| scales[k]).into_iter().fold(0.0, f64::max);
        assert!(least > 3.0 * most, "{scales:?}");

        let equal = vec![1.0 / 8f64.sqrt(); 8];
        let error = |scales: Vec<f64>| {
            let kernel = Kernel::new(&sheet, &columns, 0..150, scales);
            let space = Space::new(&sheet, &columns, vec![kernel]);
            let smoother = Smoother::gather(&space, 900, &[&sheet.outcome]);
            let fits = Fits::new(&smoother);
            fits.error(fits.best(&[0], None), 0)
        };
        let (learnt, equal) = (error(scales), error(equal));
        assert!(learnt < 0.1 * equal, "{learnt} {equal}");
    }

    #[test]
    fn features_are_taken_out_by_formula_as_if_they_had_never_been_there() {
        let sheet = sheet();
        let columns: Vec<usize> = (0..8).collect();
        let mut scales = vec![0.5; 8];
        (scales[5], scales[6]) = (0.0, 0.0);
        let all = Space::new(&sheet, &columns, vec![Kernel::new(&sheet, &columns, 0..60, scales)]).kept(900);
        let outcomes: [&[f64]; 1] = [&sheet.outcome];
        let first = Smoother::gather(&all, 900, &outcomes);
        let taken = Fits::new(&first).without(vec![Without { outcomes: 0..1, features: vec![6, 7] }]);
        let found = taken.coefficients(-2, 0);
        assert_eq!((found[6], found[7]), (0.0, 0.0));
        let rest: Vec<usize> = (0..all.width()).filter(|feature| ![6, 7].contains(feature)).collect();
        let second = first.on(&rest);
        let expected = Fits::new(&second).coefficients(-2, 0);
        assert!(rest.iter().zip(&expected).all(|(&k, b)| (found[k] - b).abs() < 1e-6 * (1.0 + b.abs())));
        // The same features about another outcome, without another pass for their products.
        let other: Vec<f64> = sheet.outcome.iter().map(|y| 2.0 * y).collect();
        let about = first.about(&all, &[&other]);
        let (once, twice) = (Fits::new(&first).coefficients(-2, 0), Fits::new(&about).coefficients(-2, 0));
        assert!(once.iter().zip(&twice).all(|(a, b)| (2.0 * a - b).abs() < 1e-6 * (1.0 + b.abs())));
    }

    #[test]
    fn a_narrower_kernel_has_the_cubes_of_the_wider_ones_bumps() {
        let sheet = sheet();
        let columns: Vec<usize> = (0..8).collect();
        let space = |scale: f64| {
            Space::new(&sheet, &columns, vec![Kernel::new(&sheet, &columns, 0..40, vec![scale; 8])]).kept(900)
        };
        // Twice the root of 3 is 3.
        let (cubed, direct) = (space(0.2).narrowed(2), space(0.6));
        let features = |space: &Space| {
            let mut features = vec![0.0; 100 * space.width()];
            space.fill(300..400, space.width(), &mut features);
            features
        };
        let pairs = features(&cubed).into_iter().zip(features(&direct));
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-8), "{:?}", pairs.take(60).collect::<Vec<_>>());
        assert!(cubed.penalty().values().iter().zip(direct.penalty().values()).all(|(a, b)| (a - b).abs() < 1e-8));
    }

    #[test]
    fn a_column_that_another_follows_is_not_missed() {
        // The last column follows a wave of the first and stands in its way among thirty.
        let mut random = ChaCha8Rng::seed_from_u64(6);
        let mut seen = Matrix::from_fn(1200, 30, |_, _| random.sample(StandardNormal));
        let wave = |x: f64| 2.0 * (3.0 * x).sin();
        for k in 0..1200 {
            seen[(k, 29)] = 0.7 * wave(seen[(k, 0)]) + 0.5 * random.sample::<f64, _>(StandardNormal);
        }
        let outcome: Vec<f64> = (0..1200)
            .map(|k| wave(seen[(k, 0)]) + seen[(k, 29)].powi(2) + 0.3 * random.sample::<f64, _>(StandardNormal))
            .collect();
        let sheet =
            Sheet { order: (0..1200).collect(), seen, base: vec![1.0; 1200], outcome, groups: None, independent: 1.0 };
        let columns: Vec<usize> = (0..30).collect();
        let learn = |restarts| {
            learn_scales(&sheet, &columns, &[&sheet.outcome], Effort { rows: 1200, landmarks: 100, restarts }, None)
        };
        let (plain, again) = (learn(0), learn(3));
        assert!(again.error <= plain.error && again.scales[0] > 5.0 * again.scales[7], "{:?}", again.scales);
    }
}
