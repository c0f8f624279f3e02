//! Sums over rows, spread over threads.
//!
//! Rows are cut into blocks whose number and size depend on the number of rows alone, each block is
//! summed on one thread, and the blocks' sums are added in order. So the result is the same to the
//! last bit for any number of threads.

use crate::linalg::{Matrix, add_lower_cross_product};
use crate::threads::{map, map_chunks_mut};
use std::ops::Range;

/// About this many blocks, which bounds the memory for partial sums and feeds that many threads.
const USUAL_BLOCKS: usize = 64;
/// At least this many rows in a block: handing out less work than that costs more than it saves.
const LEAST_ROWS: usize = 4096;
/// At most this many: where there are very many rows, there are more machines.
const MOST_ROWS: usize = 1 << 18;
/// Rows handled at once within a block, so that they stay in the first-level cache.
pub const TILE: usize = 128;
/// Rows handled at once where a step has to be set up or merged: few enough to stay in the cache.
///
/// No pass takes more rows together. So whoever shows it a block in chunks must cut the block at multiples of this, or sums
/// would differ in their last bits.
pub const WIDE_TILE: usize = 4 * TILE;

fn block_size(rows: usize) -> usize {
    rows.div_ceil(USUAL_BLOCKS).clamp(LEAST_ROWS, MOST_ROWS).next_multiple_of(TILE)
}

/// The blocks of so many rows.
pub fn blocks(rows: usize) -> Vec<Range<usize>> {
    let size = block_size(rows);
    (0..rows).step_by(size).map(|start| start..(start + size).min(rows)).collect()
}

/// Computes one value per block, in parallel, in the order of the blocks.
pub(crate) fn map_blocks<T: Send>(rows: usize, work: impl Fn(Range<usize>) -> T + Sync + Send) -> Vec<T> {
    let blocks = blocks(rows);
    if blocks.len() == 1 {
        return vec![work(0..rows)];
    }
    map(blocks.len(), |k| work(blocks[k].clone()))
}

/// Like [`map_blocks`], with one state per row that the work may change.
pub(crate) fn map_blocks_mut<S: Send, T: Send>(
    states: &mut [S],
    work: impl Fn(Range<usize>, &mut [S]) -> T + Sync + Send,
) -> Vec<T> {
    let size = block_size(states.len());
    let run = |block: usize, states: &mut [S]| work(block * size..block * size + states.len(), states);
    if states.len() <= size {
        return vec![run(0, states)];
    }
    map_chunks_mut(states, size, run)
}

/// Like [`map_blocks`], with the rows of a matrix that the work may change.
pub(crate) fn map_row_blocks<T: Send>(
    matrix: &mut Matrix,
    work: impl Fn(Range<usize>, &mut [f64]) -> T + Sync + Send,
) -> Vec<T> {
    let (width, size) = (matrix.columns(), block_size(matrix.rows()));
    map_chunks_mut(matrix.values_mut(), size * width, |block, rows| {
        work(block * size..block * size + rows.len() / width, rows)
    })
}

/// Sums vectors of `size` numbers over all rows: `work` adds its rows' share to the total it is given.
pub(crate) fn sum_over_rows(
    rows: usize,
    size: usize,
    work: impl Fn(Range<usize>, &mut [f64]) + Sync + Send,
) -> Vec<f64> {
    let partial = map_blocks(rows, |block| {
        let mut total = vec![0.0; size];
        work(block, &mut total);
        total
    });
    let mut total = vec![0.0; size];
    for block in partial {
        total.iter_mut().zip(block).for_each(|(sum, part)| *sum += part);
    }
    total
}

/// Sums matrices over all rows: `work` adds its rows' share to the total it is given.
pub(crate) fn sum_matrices(rows: usize, size: usize, work: impl Fn(Range<usize>, &mut Matrix) + Sync + Send) -> Matrix {
    let partial = map_blocks(rows, |block| {
        let mut total = Matrix::zeros(size, size);
        work(block, &mut total);
        total
    });
    let mut total = Matrix::zeros(size, size);
    partial.iter().for_each(|block| total.add_assign(block));
    total
}

/// Places of at most so many rows, evenly spaced over all.
pub(crate) fn evenly_spaced(rows: usize, most: usize) -> Vec<usize> {
    (0..rows).step_by(rows.div_ceil(most.max(1)).max(1)).collect()
}

/// The tiles of a block.
pub(crate) fn tiles(block: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    cut(block, TILE)
}

/// Its wide tiles.
pub(crate) fn wide_tiles(block: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    cut(block, WIDE_TILE)
}

/// Parts of a block of so many rows each.
pub(crate) fn cut(block: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    block.clone().step_by(size).map(move |start| start..(start + size).min(block.end))
}

/// `destination = diag(weights) * rows`, both row-major with `width` columns.
pub(crate) fn scale_rows(rows: &[f64], weights: impl Iterator<Item = f64>, width: usize, destination: &mut [f64]) {
    for ((row, weight), scaled) in rows.chunks_exact(width).zip(weights).zip(destination.chunks_exact_mut(width)) {
        for (value, target) in row.iter().zip(scaled) {
            *target = weight * value;
        }
    }
}

/// Adds `sum_k weight_k row_k row_k'` to the lower triangle of `total`; `scratch` is as long as the rows.
pub(crate) fn add_weighted_rows(rows: &[f64], weights: &[f64], scratch: &mut [f64], total: &mut Matrix) {
    let width = total.rows();
    // Rows without weight add nothing, and may be many.
    let mut count = 0;
    for (row, weight) in rows.chunks_exact(width).zip(weights).filter(|(_, weight)| **weight > 0.0) {
        let (root, scaled) = (weight.sqrt(), &mut scratch[count * width..(count + 1) * width]);
        scaled.iter_mut().zip(row).for_each(|(scaled, value)| *scaled = root * value);
        count += 1;
    }
    let scaled = &scratch[..count * width];
    add_lower_cross_product(scaled, scaled, total);
}

/// `sum_k weight_k row_k row_k'`, the weighted second moments of the design's columns.
pub fn weighted_cross_product(design: &Matrix, weights: &[f64]) -> Matrix {
    let width = design.columns();
    // Of no columns there are no products, and no rows can be told apart.
    if width == 0 {
        return Matrix::zeros(0, 0);
    }
    let mut total = sum_matrices(design.rows(), width, |block, total| {
        let mut scratch = vec![0.0; TILE * width];
        for tile in tiles(block) {
            let rows = &design.values()[tile.start * width..tile.end * width];
            add_weighted_rows(rows, &weights[tile], &mut scratch, total);
        }
    });
    total.mirror_lower();
    total
}

/// `sum_k weight_k value_k row_k`.
pub fn weighted_column_sums(design: &Matrix, weights: &[f64], values: &[f64]) -> Vec<f64> {
    let width = design.columns();
    sum_over_rows(design.rows(), width, |block, total| {
        for row in block {
            let factor = weights[row] * values[row];
            total.iter_mut().zip(design.row(row)).for_each(|(sum, value)| *sum += factor * value);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_every_row_once() {
        for rows in [1, 5, 4096, 4097, 100_000, 1_000_003] {
            let blocks = blocks(rows);
            assert!(blocks.len() <= USUAL_BLOCKS);
            assert_eq!(blocks.iter().map(|block| block.len()).sum::<usize>(), rows);
            assert!(blocks.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!(tiles(blocks[0].clone()).map(|tile| tile.len()).sum::<usize>(), blocks[0].len());
        }
    }

    #[test]
    fn weighted_second_moments_match_the_definition() {
        let design = Matrix::from_fn(9000, 4, |i, j| ((i * (j + 3)) % 17) as f64 - 8.0);
        let weights: Vec<f64> = (0..9000).map(|i| (i % 5) as f64).collect();
        let sum = weighted_cross_product(&design, &weights);
        let by_hand: f64 = (0..9000).map(|k| weights[k] * design[(k, 1)] * design[(k, 3)]).sum();
        assert_eq!(sum[(1, 3)], by_hand);
        let values: Vec<f64> = (0..9000).map(|i| (i % 3) as f64).collect();
        let columns = weighted_column_sums(&design, &weights, &values);
        assert_eq!(columns[2], (0..9000).map(|k| weights[k] * values[k] * design[(k, 2)]).sum::<f64>());
    }
}
