//! Flexible regressions of a few outcomes on some columns, cross-fitted, without an n x n matrix.
//!
//! Every family is linear in features of the row, so that second moments of the features, one matrix per
//! fold, are all that cross-validation needs: fits without a fold and errors on it come from sums and differences
//! of these matrices. Rows are read once per family and once more for the predictions.

mod cross_fit;
mod features;
mod scales;

pub(super) use cross_fit::{CrossFitted, cross_fit};
pub(super) use features::{Family, Kernel};
pub(super) use scales::learn_scales;

use crate::linalg::Matrix;

/// The columns a regression may use, as positions in the design matrix (without its leading ones).
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub design: &'a Matrix,
    pub base: &'a [f64],
    /// One per encoded column of the design.
    pub bulks: &'a [Bulk],
    pub columns: &'a [usize],
}

impl Inputs<'_> {
    /// What the regressions see of a row's value in an encoded column.
    fn value(&self, row: usize, column: usize) -> f64 {
        self.bulks[column].compressed(self.design[(row, column + 1)])
    }
}

/// Where most values of a column lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bulk {
    centre: f64,
    scale: f64,
}

/// Standard deviations beyond which a value is compressed.
const FAR: f64 = 4.0;

impl Bulk {
    /// By the quartiles, so that a normal column keeps its scale; a column of which half is one value keeps its own.
    pub(super) fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let quantile = |share: f64| values.get((share * values.len() as f64) as usize).copied().unwrap_or(0.0);
        // The quartiles of the normal distribution are 1.349 standard deviations apart.
        let scale = (quantile(0.75) - quantile(0.25)) / 1.349;
        if scale > 0.0 { Self { centre: quantile(0.5), scale } } else { Self { centre: 0.0, scale: 1.0 } }
    }

    /// A value on the bulk's scale, with the tails compressed to a logarithm: the product of two values each thirty standard
    /// deviations out would rule a polynomial. The map is one-to-one, so that to be independent given what it gives is to be
    /// independent given the value.
    fn compressed(self, value: f64) -> f64 {
        let value = (value - self.centre) / self.scale;
        if value.abs() <= FAR { value } else { value.signum() * (FAR + (value.abs() - FAR).ln_1p()) }
    }
}

/// The chosen columns of some rows, row-major.
fn gathered(inputs: &Inputs, rows: &[usize]) -> Vec<f64> {
    rows.iter().flat_map(|&row| inputs.columns.iter().map(move |&column| inputs.value(row, column))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;

    const AS_IT_IS: Bulk = Bulk { centre: 0.0, scale: 1.0 };

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
        assert_eq!(Bulk::of(vec![0.0, 0.0, 0.0, 0.0, 5.0]), AS_IT_IS);
    }

    /// 900 rows of eight columns, with a leading one.
    fn design() -> Matrix {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        Matrix::from_fn(900, 9, |_, j| if j == 0 { 1.0 } else { random.sample(StandardNormal) })
    }

    #[test]
    fn the_scales_find_the_columns_that_bend_the_outcome_and_the_fit_follows_it() {
        let design = design();
        let truth: Vec<f64> =
            (0..900).map(|k| design[(k, 1)] + (2.0 * design[(k, 2)]).sin() + design[(k, 3)] * design[(k, 4)]).collect();
        let base = vec![1.0; 900];
        let columns: Vec<usize> = (0..8).collect();
        let bulks = vec![AS_IT_IS; 8];
        let inputs = Inputs { design: &design, base: &base, bulks: &bulks, columns: &columns };
        let folds: Vec<Vec<usize>> = (0..3).map(|f| (0..900).filter(|k| k % 3 == f).collect()).collect();
        let landmarks: Vec<usize> = (0..150).collect();
        let scales = learn_scales(&inputs, &[&truth], &folds, &landmarks, None);
        // The first column bends nothing: its effect is linear.
        let least = scales[1].min(scales[2]).min(scales[3]);
        let most = [0, 4, 5, 6, 7].map(|k| scales[k]).into_iter().fold(0.0, f64::max);
        assert!(least > 3.0 * most, "{scales:?}");

        let equal = vec![1.0 / 8f64.sqrt(); 8];
        let error = |scales: Vec<f64>| {
            let family = Family::Kernel(Kernel::new(&inputs, &landmarks, scales));
            let fit = &cross_fit(&inputs, &[&truth], &folds, &[family])[0];
            truth.iter().zip(&fit.predictions).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 900.0
        };
        let (learnt, equal) = (error(scales), error(equal));
        assert!(learnt < 0.1 * equal, "{learnt} {equal}");
    }

    #[test]
    fn cross_validation_takes_the_family_that_fits() {
        let design = design();
        let square: Vec<f64> = (0..900).map(|k| design[(k, 1)].powi(2)).collect();
        let base = vec![1.0; 900];
        let inputs = Inputs { design: &design, base: &base, bulks: &[AS_IT_IS; 3], columns: &[0, 1, 2] };
        let folds: Vec<Vec<usize>> = (0..3).map(|f| (0..900).filter(|k| k % 3 == f).collect()).collect();
        let wide = Family::Kernel(Kernel::new(&inputs, &[0, 1, 2, 3, 4], vec![1.0; 3]));
        let fit = &cross_fit(&inputs, &[&square], &folds, &[wide, Family::Polynomial { degree: 2 }])[0];
        assert_eq!(fit.family, Some(1));
        assert!(square.iter().zip(&fit.predictions).all(|(a, b)| (a - b).abs() < 0.1));
    }
}
