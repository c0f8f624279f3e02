//! The pass that every step of the dual takes: each row's weight, and the second moments under the weights.
//!
//! Only the lower triangle of what is symmetric is computed. Narrow tables are turned tile by tile, so that a vector holds
//! one column's values of several rows; for wide ones the linear-algebra crate's products are faster.

use super::{Chunk, Divergence, Pass, QuadraticFunction, Sums};
use crate::linalg::{Matrix, dot_in_lanes, multiply_rows, multiply_rows_lower};
use crate::rows::{TILE, WIDE_TILE, add_weighted_rows, map_blocks_mut, tiles};
use pulp::{Simd, WithSimd};
use std::convert::Infallible;

/// From this many columns on, the linear-algebra crate is faster.
const WIDE: usize = 48;
/// From this many columns on, a product with a triangle is faster than one with the whole square.
const TRIANGLE: usize = 96;
/// Columns handled together: they and their sums fill the machine's registers.
const GROUP: usize = 4;

/// Sums over the rows `z` of a matrix: `base Psi(u)` and `base w z z'`, where `u = z' form z`, `w = rho(u)`.
pub fn moment_pass(rows: &Matrix, base: &[f64], form: &Matrix, divergence: Divergence) -> (f64, Matrix) {
    let pass = Pass::Dual { form: form.clone(), divergence };
    let width = rows.columns();
    let Ok(sums) = pass.run_in_blocks(rows.rows(), width, |block, visit| {
        let design = &rows.values()[block.start * width..block.end * width];
        let base = &base[block.clone()];
        // The pass does not look at outcomes: anything that is long enough will do.
        visit(Chunk { first: block.start, design, base, outcome: base });
        Ok::<(), Infallible>(())
    });
    let (values, moments) = pass.read(sums, width);
    (values[0], moments)
}

pub(super) fn add_dual(chunk: Chunk, form: &Matrix, divergence: Divergence, sums: &mut Sums) {
    let measure = |u| (divergence.potential(u), divergence.weight(u));
    let value = add(chunk, form, measure, &mut sums.matrix);
    sums.values[0] += value;
}

pub(super) fn add_active(chunk: Chunk, form: &Matrix, divergence: Divergence, sums: &mut Sums) {
    add(chunk, form, |u| (0.0, divergence.weight_slope(u)), &mut sums.matrix);
}

/// `measure` tells from a row's `u` a value to be summed, and a weight.
fn add<M>(chunk: Chunk, form: &Matrix, measure: M, moments: &mut Matrix) -> f64
where
    M: Fn(f64) -> (f64, f64) + Copy,
{
    let Chunk { design: values, base, .. } = chunk;
    let width = form.rows();
    let mut sums = Weighed { value: 0.0, moments };
    let lower = lower_form(form);
    if width < WIDE {
        let doubled: Vec<f64> = (0..width).flat_map(|i| &lower.row(i)[..=i]).copied().collect();
        pulp::Arch::new().dispatch(Narrow { values, base, width, doubled: &doubled, measure, sums: &mut sums });
    } else {
        wide(values, base, width, &lower, measure, &mut sums);
    }
    sums.value
}

/// `rho(u)` of every row.
pub(crate) fn raw_weights(rows: &Matrix, form: &Matrix, divergence: Divergence) -> Vec<f64> {
    let width = rows.columns();
    let mut weights = vec![0.0; rows.rows()];
    let lower = lower_form(form);
    map_blocks_mut(&mut weights, |block, weights| {
        let mut product = vec![0.0; TILE * width];
        for (tile, weights) in tiles(block).zip(weights.chunks_mut(TILE)) {
            let rows = &rows.values()[tile.start * width..tile.end * width];
            weigh_tile(rows, &lower, divergence, &mut product[..rows.len()], weights);
        }
    });
    weights
}

fn weigh_tile(rows: &[f64], lower: &Matrix, divergence: Divergence, product: &mut [f64], weights: &mut [f64]) {
    forms_by_product(rows, lower, product, weights);
    weights.iter_mut().for_each(|weight| *weight = divergence.weight(*weight));
}

impl QuadraticFunction {
    /// The weights of some rows; `lower` is [`lower_form`] of its form, and `product` is scratch as long as the rows.
    pub(super) fn weigh_tile(&self, rows: &[f64], lower: &Matrix, product: &mut [f64], weights: &mut [f64]) {
        weigh_tile(rows, lower, self.divergence, product, weights);
        weights.iter_mut().for_each(|weight| *weight *= self.factor);
    }
}

/// `z' form z` of some rows, by way of their products with the form's lower triangle.
fn forms_by_product(rows: &[f64], lower: &Matrix, product: &mut [f64], forms: &mut [f64]) {
    let width = lower.rows();
    if width < TRIANGLE {
        multiply_rows(rows, lower, product)
    } else {
        multiply_rows_lower(rows, lower, product)
    }
    for ((form, row), image) in forms.iter_mut().zip(rows.chunks_exact(width)).zip(product.chunks_exact(width)) {
        *form = dot_in_lanes(row, image);
    }
}

struct Weighed<'a> {
    value: f64,
    /// The lower triangle.
    moments: &'a mut Matrix,
}

impl Weighed<'_> {
    /// Turns the forms of some rows into their weights.
    #[inline(always)]
    fn weigh(&mut self, forms: &mut [f64], base: &[f64], measure: impl Fn(f64) -> (f64, f64)) {
        // Lanes, so that a sum need not wait for the one before.
        let mut lanes = [0.0; 8];
        for (forms, base) in forms.chunks_mut(8).zip(base.chunks(8)) {
            for ((form, base), lane) in forms.iter_mut().zip(base).zip(&mut lanes) {
                let (value, weight) = measure(*form);
                *lane += base * value;
                *form = base * weight;
            }
        }
        self.value += lanes.iter().sum::<f64>();
    }
}

/// The lower triangle of a symmetric matrix with what is off the diagonal doubled: the same quadratic form.
pub(super) fn lower_form(form: &Matrix) -> Matrix {
    Matrix::from_fn(form.rows(), form.rows(), |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => form[(i, i)],
        std::cmp::Ordering::Greater => form[(i, j)] + form[(j, i)],
    })
}

fn wide<M>(values: &[f64], base: &[f64], width: usize, lower: &Matrix, measure: M, sums: &mut Weighed)
where
    M: Fn(f64) -> (f64, f64) + Copy,
{
    let mut product = vec![0.0; WIDE_TILE * width];
    let mut forms = vec![0.0; WIDE_TILE];
    for (rows, base) in values.chunks(WIDE_TILE * width).zip(base.chunks(WIDE_TILE)) {
        let (product, forms) = (&mut product[..rows.len()], &mut forms[..base.len()]);
        forms_by_product(rows, lower, product, forms);
        sums.weigh(forms, base, measure);
        add_weighted_rows(rows, forms, product, sums.moments);
    }
}

struct Narrow<'a, 'b, M> {
    values: &'a [f64],
    base: &'a [f64],
    width: usize,
    doubled: &'a [f64],
    measure: M,
    sums: &'a mut Weighed<'b>,
}

impl<M: Fn(f64) -> (f64, f64) + Copy> WithSimd for Narrow<'_, '_, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { values, base, width, doubled, measure, sums } = self;
        // Columns of zeros make whole groups.
        let padded = width.next_multiple_of(GROUP);
        let mut columns = vec![0.0; padded * TILE];
        let mut weighted = vec![0.0; GROUP * TILE];
        let mut forms = vec![0.0; TILE];
        for tile in tiles(0..base.len()) {
            let count = tile.len();
            let rows = &values[tile.start * width..tile.end * width];
            for (c, column) in columns.chunks_exact_mut(TILE).take(width).enumerate() {
                column.iter_mut().zip(rows.chunks_exact(width)).for_each(|(value, row)| *value = row[c]);
            }
            quadratic_forms(simd, &columns, doubled, width, &mut forms);
            sums.weigh(&mut forms[..count], &base[tile], measure);
            // What the last tile left unused weighs nothing.
            forms[count..].fill(0.0);
            for first in (0..padded).step_by(GROUP) {
                for (own, column) in weighted.chunks_exact_mut(TILE).zip(columns[first * TILE..].chunks_exact(TILE)) {
                    own.iter_mut().zip(column).zip(&forms).for_each(|((own, value), weight)| *own = value * weight);
                }
                for second in (0..first + GROUP).step_by(2) {
                    let products = products(simd, &weighted, &columns[second * TILE..(second + 2) * TILE]);
                    for (i, products) in products.into_iter().enumerate() {
                        for (j, product) in products.into_iter().enumerate() {
                            if second + j <= first + i && first + i < width {
                                sums.moments[(first + i, second + j)] += product;
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `z' form z` of every row of a tile that is kept column by column.
#[inline(always)]
fn quadratic_forms<S: Simd>(simd: S, columns: &[f64], doubled: &[f64], width: usize, forms: &mut [f64]) {
    let (columns, _) = S::as_simd_f64s(columns);
    let (forms, _) = S::as_mut_simd_f64s(forms);
    let stride = forms.len();
    let zero = simd.splat_f64s(0.0);
    // Four vectors at once: each coefficient is fetched once for all.
    for at in (0..stride).step_by(4) {
        let mut total = [zero; 4];
        let mut coefficients = doubled;
        for i in 0..width {
            let (own, rest) = coefficients.split_at(i + 1);
            coefficients = rest;
            let mut image = [zero; 4];
            for (j, &coefficient) in own.iter().enumerate() {
                let coefficient = simd.splat_f64s(coefficient);
                let column = &columns[j * stride + at..j * stride + at + 4];
                for k in 0..4 {
                    image[k] = simd.mul_add_e_f64s(coefficient, column[k], image[k]);
                }
            }
            let column = &columns[i * stride + at..i * stride + at + 4];
            for k in 0..4 {
                total[k] = simd.mul_add_e_f64s(image[k], column[k], total[k]);
            }
        }
        forms[at..at + 4].copy_from_slice(&total);
    }
}

/// Inner products of each of four columns with each of two.
#[inline(always)]
fn products<S: Simd>(simd: S, four: &[f64], two: &[f64]) -> [[f64; 2]; GROUP] {
    let (four, _) = S::as_simd_f64s(four);
    let (two, _) = S::as_simd_f64s(two);
    let stride = two.len() / 2;
    let (a, rest) = four.split_at(stride);
    let (b, rest) = rest.split_at(stride);
    let (c, d) = rest.split_at(stride);
    let (x, y) = two.split_at(stride);
    let zero = simd.splat_f64s(0.0);
    let mut sums = [[zero; 2]; GROUP];
    for k in 0..stride {
        let (left, right) = ([a[k], b[k], c[k], d[k]], [x[k], y[k]]);
        for i in 0..GROUP {
            for j in 0..2 {
                sums[i][j] = simd.mul_add_e_f64s(left[i], right[j], sums[i][j]);
            }
        }
    }
    sums.map(|pair| pair.map(|sum| simd.reduce_sum_f64s(sum)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_gives_the_sums_of_the_definition() {
        for (rows, width) in [(1, 1), (130, 2), (300, 7), (128, 11), (5000, 12), (257, 47), (300, 48), (140, 90)] {
            let design = Matrix::from_fn(rows, width, |i, j| ((i * (j + 3) + j) % 17) as f64 / 8.0 - 1.0);
            let form = Matrix::from_fn(width, width, |i, j| (((i + j) * (i * j + 1)) % 5) as f64 / width as f64 - 0.2);
            let base: Vec<f64> = (0..rows).map(|k| (k % 3) as f64 + 0.5).collect();
            for divergence in [Divergence::Chi2, Divergence::Entropy] {
                let (value, moments) = moment_pass(&design, &base, &form, divergence);
                let (mut expected, mut sums) = (0.0, Matrix::zeros(width, width));
                for k in 0..rows {
                    let row = design.row(k);
                    let u: f64 =
                        (0..width).map(|i| (0..width).map(|j| row[i] * form[(i, j)] * row[j]).sum::<f64>()).sum();
                    expected += base[k] * divergence.potential(u);
                    for i in 0..width {
                        for j in 0..width {
                            sums[(i, j)] += base[k] * divergence.weight(u) * row[i] * row[j];
                        }
                    }
                }
                let size = sums.values().iter().fold(1.0, |most: f64, value| most.max(value.abs()));
                assert!((value - expected).abs() <= 1e-12 * (1.0 + expected), "{rows} x {width}: {value} {expected}");
                let error = moments.values().iter().zip(sums.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(error <= 1e-12 * size, "{rows} x {width}: {error} of {size}");
            }
        }
    }
}
