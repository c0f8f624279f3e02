//! Products of small matrices, as the layers of a network take them: loops that the compiler turns into the machine's
//! vectors.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// From this many terms per entry on, products go to the linear-algebra crate; below, its set-up costs more than the work.
const LONG_SUM: usize = 64;
/// Running sums kept side by side, so that the order of summation allows for vectors and is the same on every machine.
const LANES: usize = 8;

/// `total += left * right`: left has `inner` columns, right is `inner` x `columns`, all row-major.
pub fn add_product(left: &[f64], right: &[f64], inner: usize, columns: usize, total: &mut [f64]) {
    if inner == 0 || columns == 0 {
        return;
    }
    if inner >= LONG_SUM && columns >= LANES {
        let rows = left.len() / inner;
        return matmul(
            MatMut::from_row_major_slice_mut(total, rows, columns),
            Accum::Add,
            MatRef::from_row_major_slice(left, rows, inner),
            MatRef::from_row_major_slice(right, inner, columns),
            1.0,
            Par::Seq,
        );
    }
    pulp::Arch::new().dispatch(
        #[inline(always)]
        move || {
            // Taking the total makes this a closure that can be called but once, which is the kind that gets inlined
            // into the code for the machine's vectors.
            let total = total;
            for (factors, sums) in left.chunks_exact(inner).zip(total.chunks_exact_mut(columns)) {
                add_combination(factors, right.chunks_exact(columns), sums);
            }
        },
    );
}

/// `total += left' * right`: both have the same number of rows, left has `rows` columns, right `columns`.
pub fn add_left_transposed(left: &[f64], right: &[f64], rows: usize, columns: usize, total: &mut [f64]) {
    /// Rows summed at once: their products fill the gap between two accesses to the total.
    const TOGETHER: usize = 8;
    if rows == 0 || columns == 0 {
        return;
    }
    pulp::Arch::new().dispatch(
        #[inline(always)]
        move || {
            let total = total;
            let mut factors = [0.0; TOGETHER];
            for (left, right) in left.chunks(TOGETHER * rows).zip(right.chunks(TOGETHER * columns)) {
                let count = right.len() / columns;
                for (i, sums) in total.chunks_exact_mut(columns).enumerate() {
                    for (k, factor) in factors[..count].iter_mut().enumerate() {
                        *factor = left[k * rows + i];
                    }
                    add_combination(&factors[..count], right.chunks_exact(columns), sums);
                }
            }
        },
    );
}

/// `total += left * right'`: left has `inner` columns, right is `columns` x `inner`.
pub fn add_right_transposed(left: &[f64], right: &[f64], columns: usize, inner: usize, total: &mut [f64]) {
    if inner == 0 || columns == 0 {
        return;
    }
    pulp::Arch::new().dispatch(
        #[inline(always)]
        move || {
            let total = total;
            for (row, sums) in left.chunks_exact(inner).zip(total.chunks_exact_mut(columns)) {
                for (sum, other) in sums.iter_mut().zip(right.chunks_exact(inner)) {
                    *sum += dot_in_lanes(row, other);
                }
            }
        },
    );
}

/// `sums += sum_k factors_k rows_k`, four rows at a time so that the sums are fetched less often.
#[inline(always)]
fn add_combination<'a>(factors: &[f64], mut rows: impl Iterator<Item = &'a [f64]>, sums: &mut [f64]) {
    let mut quads = factors.chunks_exact(4);
    for quad in quads.by_ref() {
        if let (Some(a), Some(b), Some(c), Some(d)) = (rows.next(), rows.next(), rows.next(), rows.next()) {
            for ((((sum, a), b), c), d) in sums.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *sum += (quad[0] * a + quad[1] * b) + (quad[2] * c + quad[3] * d);
            }
        }
    }
    for (factor, row) in quads.remainder().iter().zip(rows) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
    }
}

/// The inner product summed in [`LANES`] interleaved parts.
#[inline(always)]
pub(crate) fn dot_in_lanes(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in left.zip(right) {
        for k in 0..LANES {
            lanes[k] += x[k] * y[k];
        }
    }
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7])) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;

    #[test]
    fn products_of_any_size_match_the_definition() {
        for (rows, inner, columns) in
            [(1, 1, 1), (3, 2, 5), (33, 10, 7), (9, 4, 16), (20, 70, 12), (5, 0, 3), (17, 9, 1)]
        {
            let left = Matrix::from_fn(rows, inner, |i, j| ((3 * i + 5 * j) % 11) as f64 - 5.0);
            let right = Matrix::from_fn(inner, columns, |i, j| ((7 * i + 2 * j) % 13) as f64 - 6.0);
            let product = Matrix::from_fn(rows, columns, |i, j| (0..inner).map(|k| left[(i, k)] * right[(k, j)]).sum());
            let mut total = vec![0.0; rows * columns];
            add_product(left.values(), right.values(), inner, columns, &mut total);
            assert_eq!(total, product.values(), "{rows} {inner} {columns}");
            let transposed = Matrix::from_fn(columns, inner, |i, j| right[(j, i)]);
            let mut total = vec![0.0; rows * columns];
            add_right_transposed(left.values(), transposed.values(), columns, inner, &mut total);
            assert_eq!(total, product.values(), "{rows} {inner} {columns}");
            let transposed = Matrix::from_fn(inner, rows, |i, j| left[(j, i)]);
            let mut total = vec![0.0; rows * columns];
            add_left_transposed(transposed.values(), right.values(), rows, columns, &mut total);
            assert_eq!(total, product.values(), "{rows} {inner} {columns}");
        }
    }
}
