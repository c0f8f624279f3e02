//! One tree: splits that lower a loss most, found from sums over bins.

use super::bins::{Binned, MOST_BINS};
use crate::functions::short;
use crate::threads;
use std::ops::Range;

/// What a row pulls at its prediction with: minus the slope of its loss, the loss's curvature, and the row's weight; the first two
/// times the weight.
pub(super) type Pull = [f64; 3];

/// Rows times columns from which sums over bins are spread over threads.
const WORTH_THREADS: usize = 100_000;
/// Digits of what a leaf adds: short in a file.
const DIGITS: usize = 9;

/// How trees may grow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Splits from the root to a leaf at most.
    pub depth: usize,
    /// The least weight of the rows of a leaf.
    pub least_weight: f64,
    /// What is added to the curvature in a leaf, so that few rows move it less.
    pub ridge: f64,
    /// The share of its best value that a leaf adds.
    pub rate: f64,
}

/// A tree on bins. The node for values up to the bin is the next one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Node {
    Split { column: usize, bin: u8, above: usize },
    Leaf(f64),
}

/// A tree that has grown, and which of the rows, in their new order, lie in which leaf.
pub(super) struct Grown {
    pub nodes: Vec<Node>,
    pub leaves: Vec<(Range<usize>, f64)>,
}

/// What a row in bins is given by a tree.
pub(super) fn value(nodes: &[Node], binned: &Binned, row: usize) -> f64 {
    let mut at = 0;
    loop {
        match nodes[at] {
            Node::Leaf(value) => return value,
            Node::Split { column, bin, above } => at = if binned.bins[column][row] <= bin { at + 1 } else { above },
        }
    }
}

/// The split of a node that lowers the loss most.
struct Best {
    gain: f64,
    column: usize,
    bin: u8,
}

/// Sums of pulls per column and bin.
type Histogram = Vec<Vec<Pull>>;

struct Growing<'a> {
    binned: &'a Binned,
    pulls: &'a [Pull],
    shape: &'a Shape,
    grown: Grown,
    scratch: Vec<u32>,
}

/// Grows a tree on some rows, which are put in the order of its leaves; `pulls` has one per row of the table.
pub(super) fn grow(binned: &Binned, rows: &mut [u32], pulls: &[Pull], shape: &Shape) -> Grown {
    let grown = Grown { nodes: Vec::new(), leaves: Vec::new() };
    let mut growing = Growing { binned, pulls, shape, grown, scratch: Vec::with_capacity(rows.len()) };
    let histogram = if shape.depth > 0 { growing.histogram(rows) } else { Vec::new() };
    let total = rows.iter().fold([0.0; 3], |sum, &row| plus(sum, pulls[row as usize]));
    growing.node(rows, 0, histogram, total, shape.depth);
    growing.grown
}

impl Growing<'_> {
    /// A node and all below it; `first` is the place of its first row among all.
    fn node(&mut self, rows: &mut [u32], first: usize, histogram: Histogram, total: Pull, depth: usize) {
        let split = if depth > 0 { self.best(&histogram, total) } else { None };
        let Some(Best { column, bin, .. }) = split else {
            let curvature = total[1] + self.shape.ridge;
            let value = if curvature > 0.0 { short(self.shape.rate * total[0] / curvature, DIGITS) } else { 0.0 };
            self.grown.nodes.push(Node::Leaf(value));
            self.grown.leaves.push((first..first + rows.len(), value));
            return;
        };
        let at = self.grown.nodes.len();
        self.grown.nodes.push(Node::Split { column, bin, above: 0 });
        let below = self.part(rows, column, bin);
        let of_below = histogram[column][..=usize::from(bin)].iter().fold([0.0; 3], |sum, &pull| plus(sum, pull));
        let of_above = minus(total, of_below);
        let (low, high) = rows.split_at_mut(below);
        // The sums of one child are those of both minus the other's.
        let (of_low, of_high) = if depth == 1 {
            (Vec::new(), Vec::new())
        } else if low.len() <= high.len() {
            let of_low = self.histogram(low);
            let of_high = difference(histogram, &of_low);
            (of_low, of_high)
        } else {
            let of_high = self.histogram(high);
            (difference(histogram, &of_high), of_high)
        };
        self.node(low, first, of_low, of_below, depth - 1);
        let next = self.grown.nodes.len();
        self.grown.nodes[at] = Node::Split { column, bin, above: next };
        self.node(high, first + below, of_high, of_above, depth - 1);
    }

    /// Puts the rows up to a bin first, each kind in the order that it had; how many these are.
    fn part(&mut self, rows: &mut [u32], column: usize, bin: u8) -> usize {
        let bins = &self.binned.bins[column];
        self.scratch.clear();
        let mut below = 0;
        for k in 0..rows.len() {
            let row = rows[k];
            if bins[row as usize] <= bin {
                rows[below] = row;
                below += 1;
            } else {
                self.scratch.push(row);
            }
        }
        rows[below..].copy_from_slice(&self.scratch);
        below
    }

    fn histogram(&self, rows: &[u32]) -> Histogram {
        // Fetched once for all columns, one after the other in memory.
        let pulls: Vec<Pull> = rows.iter().map(|&row| self.pulls[row as usize]).collect();
        let of_column = |column: usize| {
            let bins = &self.binned.bins[column];
            let mut sums = [[0.0; 3]; MOST_BINS];
            for (&row, &pull) in rows.iter().zip(&pulls) {
                // No bin is beyond the last, which the compiler can't know.
                let sum = &mut sums[usize::from(bins[row as usize]) % MOST_BINS];
                *sum = plus(*sum, pull);
            }
            sums[..self.binned.count(column)].to_vec()
        };
        let columns = self.binned.bins.len();
        if rows.len() * columns < WORTH_THREADS {
            return (0..columns).map(of_column).collect();
        }
        threads::map(columns, of_column)
    }

    /// The best split; of equally good ones the first.
    fn best(&self, histogram: &Histogram, total: Pull) -> Option<Best> {
        let merit = |[slope, curvature, _]: Pull| slope * slope / (curvature + self.shape.ridge);
        let whole = merit(total);
        // What rounding alone can gain is no reason for a split.
        let mut best = Best { gain: 1e-10 * whole + f64::MIN_POSITIVE, column: usize::MAX, bin: 0 };
        for (column, sums) in histogram.iter().enumerate() {
            let mut below = [0.0; 3];
            for (bin, &sum) in sums[..sums.len() - 1].iter().enumerate() {
                below = plus(below, sum);
                let above = minus(total, below);
                if below[2] < self.shape.least_weight {
                    continue;
                }
                if above[2] < self.shape.least_weight {
                    break;
                }
                let gain = merit(below) + merit(above) - whole;
                if gain > best.gain {
                    best = Best { gain, column, bin: bin as u8 };
                }
            }
        }
        (best.column != usize::MAX).then_some(best)
    }
}

fn plus(one: Pull, other: Pull) -> Pull {
    [one[0] + other[0], one[1] + other[1], one[2] + other[2]]
}

fn minus(one: Pull, other: Pull) -> Pull {
    [one[0] - other[0], one[1] - other[1], one[2] - other[2]]
}

fn difference(mut whole: Histogram, part: &Histogram) -> Histogram {
    for (sums, part) in whole.iter_mut().zip(part) {
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum = minus(*sum, *part));
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;

    const SHAPE: Shape = Shape { depth: 2, least_weight: 5.0, ridge: 0.0, rate: 1.0 };

    /// Two columns, the first of which decides and, above 0, the second too.
    fn rows() -> (Matrix, Vec<f64>) {
        let x = |row: usize| (((row * 37) % 101) as f64 - 50.0, ((row * 53) % 97) as f64 - 48.0);
        let design = Matrix::from_fn(400, 3, |row, k| [1.0, x(row).0, x(row).1][k]);
        let outcome = (0..400).map(|row| {
            let (a, b) = x(row);
            if a <= 0.0 {
                -1.0
            } else if b <= 10.0 {
                1.0
            } else {
                4.0
            }
        });
        let outcome = outcome.collect();
        (design, outcome)
    }

    #[test]
    fn a_tree_finds_the_steps_that_made_the_outcome() {
        let (design, outcome) = rows();
        let order: Vec<usize> = (0..400).collect();
        let binned = Binned::of(&design, &[0, 1], &order);
        let pulls: Vec<Pull> = outcome.iter().map(|y| [*y, 1.0, 1.0]).collect();
        let mut places: Vec<u32> = (0..400).collect();
        let grown = grow(&binned, &mut places, &pulls, &SHAPE);
        for row in 0..400 {
            assert!((value(&grown.nodes, &binned, row) - outcome[row]).abs() < 0.5, "row {row}");
        }
        // Leaves hold every row once, and say what the tree gives it.
        let mut seen = vec![0; 400];
        for (range, of_leaf) in &grown.leaves {
            for &row in &places[range.clone()] {
                seen[row as usize] += 1;
                assert_eq!(value(&grown.nodes, &binned, row as usize), *of_leaf);
            }
        }
        assert!(seen.iter().all(|count| *count == 1));
    }

    #[test]
    fn a_leaf_keeps_its_least_weight_and_nothing_to_gain_is_no_split() {
        let (design, _) = rows();
        let order: Vec<usize> = (0..400).collect();
        let binned = Binned::of(&design, &[0, 1], &order);
        let mut places: Vec<u32> = (0..400).collect();
        let flat = grow(&binned, &mut places, &[[1.0, 1.0, 1.0]; 400], &SHAPE);
        assert_eq!(flat.nodes, [Node::Leaf(1.0)]);
        // One row apart is not worth a leaf.
        let pulls: Vec<Pull> = (0..400).map(|row| [f64::from(row == 7) * 100.0, 1.0, 1.0]).collect();
        let grown = grow(&binned, &mut places, &pulls, &SHAPE);
        assert!(grown.leaves.len() > 1 && grown.leaves.iter().all(|(range, _)| range.len() >= 5));
    }
}
