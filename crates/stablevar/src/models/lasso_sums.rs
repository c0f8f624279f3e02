//! The sums over rows that the Lasso's descent asks for, made when they are asked for.
//!
//! The descent needs the products of a column with all others only once that column moves. Where there are more columns than
//! rows few ever do, so that no matrix of columns by columns is made.

use crate::design::TrainingData;
use crate::rows::{blocks, map_blocks};
use std::sync::OnceLock;

/// Up to this many columns all products are made at once, in one pass over the rows.
const AT_ONCE: usize = 512;
/// Numbers that the blocks of a pass may hold together.
const HELD: usize = 1 << 22;

/// Weighted sums over the rows of every part, of products of (1, columns, outcome).
pub(super) struct LassoSums<'a> {
    data: &'a TrainingData,
    part_of: &'a [usize],
    parts: usize,
    /// Per part the products of 1 and of the outcome with (1, columns, outcome), and every column's square.
    edges: Vec<Edges>,
    /// Per column and part its products with (1, columns).
    products: Vec<OnceLock<Vec<Vec<f64>>>>,
}

#[derive(Clone)]
struct Edges {
    ones: Vec<f64>,
    outcome: Vec<f64>,
    squares: Vec<f64>,
}

impl Edges {
    fn zeros(size: usize) -> Self {
        Self { ones: vec![0.0; size], outcome: vec![0.0; size], squares: vec![0.0; size] }
    }

    fn add(&mut self, other: &Self, factor: f64) {
        let own = [&mut self.ones, &mut self.outcome, &mut self.squares];
        for (own, other) in own.into_iter().zip([&other.ones, &other.outcome, &other.squares]) {
            own.iter_mut().zip(other).for_each(|(sum, value)| *sum += factor * value);
        }
    }
}

impl<'a> LassoSums<'a> {
    /// One pass over the rows; `part_of` gives each row's part.
    pub(super) fn new(data: &'a TrainingData, part_of: &'a [usize], parts: usize) -> Self {
        let width = data.design.columns();
        let found = map_blocks(data.rows(), |block| {
            let mut edges = vec![Edges::zeros(width + 1); parts];
            for k in block {
                let Edges { ones, outcome, squares } = &mut edges[part_of[k]];
                let (row, weight, y) = (data.design.row(k), data.base[k], data.outcome[k]);
                for j in 0..width {
                    let weighted = weight * row[j];
                    ones[j] += weighted;
                    outcome[j] += weighted * y;
                    squares[j] += weighted * row[j];
                }
                ones[width] += weight * y;
                outcome[width] += weight * y * y;
            }
            edges
        });
        let mut edges = vec![Edges::zeros(width + 1); parts];
        for block in &found {
            edges.iter_mut().zip(block).for_each(|(sum, part)| sum.add(part, 1.0));
        }
        let sums = Self { data, part_of, parts, edges, products: (0..width).map(|_| OnceLock::new()).collect() };
        if width <= AT_ONCE {
            sums.make_all();
        }
        sums
    }

    /// Number of columns, the ones among them; the outcome's place is behind them.
    pub(super) fn width(&self) -> usize {
        self.products.len()
    }

    /// Makes the products of all columns, as many at a time as the blocks may hold.
    fn make_all(&self) {
        let cost = self.parts * self.width() * blocks(self.data.rows()).len();
        let all: Vec<usize> = (0..self.width()).collect();
        for some in all.chunks((HELD / cost.max(1)).max(1)) {
            for (&column, made) in some.iter().zip(self.make(some)) {
                // They are the same whoever makes them.
                let _ = self.products[column].set(made);
            }
        }
    }

    /// The products of some columns, by part.
    fn make(&self, columns: &[usize]) -> Vec<Vec<Vec<f64>>> {
        let (data, width) = (self.data, self.width());
        let zeros = || vec![vec![vec![0.0; width]; self.parts]; columns.len()];
        let found = map_blocks(data.rows(), |block| {
            let mut sums = zeros();
            for k in block {
                let row = data.design.row(k);
                for (sums, &column) in sums.iter_mut().zip(columns) {
                    let factor = data.base[k] * row[column];
                    sums[self.part_of[k]].iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
                }
            }
            sums
        });
        let mut total = zeros();
        for block in &found {
            for (total, part) in total.iter_mut().flatten().zip(block.iter().flatten()) {
                total.iter_mut().zip(part).for_each(|(total, value)| *total += value);
            }
        }
        total
    }

    fn products(&self, column: usize) -> &[Vec<f64>] {
        self.products[column].get_or_init(|| self.make(&[column]).remove(0))
    }

    /// Mean squared error of a model on the rows of a part.
    pub(super) fn error(&self, part: usize, coefficients: &[f64]) -> f64 {
        let (edges, width) = (&self.edges[part], self.width());
        let used: Vec<usize> = (0..width).filter(|&column| coefficients[column] != 0.0).collect();
        let mut sum = edges.outcome[width];
        for &i in &used {
            let products = &self.products(i)[part];
            let within: f64 = used.iter().map(|&j| coefficients[j] * products[j]).sum();
            sum += coefficients[i] * (within - 2.0 * edges.outcome[i]);
        }
        sum / edges.ones[0]
    }

    /// All rows but those of a part.
    pub(super) fn without(&self, part: Option<usize>) -> LassoMoments<'_, 'a> {
        let mut edges = Edges::zeros(self.width() + 1);
        self.edges.iter().for_each(|more| edges.add(more, 1.0));
        part.iter().for_each(|&part| edges.add(&self.edges[part], -1.0));
        let total = edges.ones[0];
        let means: Vec<f64> = edges.ones.iter().map(|sum| sum / total).collect();
        LassoMoments { sums: self, part, edges, total, means }
    }
}

/// Means and covariances of some of the rows.
pub(super) struct LassoMoments<'b, 'a> {
    sums: &'b LassoSums<'a>,
    part: Option<usize>,
    edges: Edges,
    total: f64,
    means: Vec<f64>,
}

impl LassoMoments<'_, '_> {
    /// Number of columns, without the ones.
    pub(super) fn columns(&self) -> usize {
        self.sums.width() - 1
    }

    /// The mean of a column.
    pub(super) fn mean(&self, column: usize) -> f64 {
        self.means[column + 1]
    }

    /// The mean of the outcome.
    pub(super) fn outcome_mean(&self) -> f64 {
        self.means[self.sums.width()]
    }

    /// The covariance of a column with the outcome.
    pub(super) fn with_outcome(&self, column: usize) -> f64 {
        self.edges.outcome[column + 1] / self.total - self.mean(column) * self.outcome_mean()
    }

    /// The variance of a column.
    pub(super) fn variance(&self, column: usize) -> f64 {
        self.edges.squares[column + 1] / self.total - self.mean(column).powi(2)
    }

    /// The covariances of a column with all columns.
    pub(super) fn covariances(&self, column: usize) -> Vec<f64> {
        let products = self.sums.products(column + 1);
        let mut sums = vec![0.0; self.columns()];
        for (_, products) in products.iter().enumerate().filter(|(part, _)| Some(*part) != self.part) {
            sums.iter_mut().zip(&products[1..]).for_each(|(sum, value)| *sum += value);
        }
        let mean = self.mean(column);
        sums.iter_mut().zip(&self.means[1..]).for_each(|(sum, other)| *sum = *sum / self.total - mean * other);
        sums
    }
}
