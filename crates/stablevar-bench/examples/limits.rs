//! How near the moment pass comes to what the machine can do: `cargo run --release -p stablevar-bench --example limits`
//! (numbers of columns may follow).
//!
//! Every line compares within one run, on one thread: the pass (two products with p x p matrices, 4 n p^2 operations) beside
//! one product of the same size (2 n p^2) by the linear-algebra crate, and beside reading the matrix once. The last column is
//! the gain from all cores.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use stablevar::Matrix;
use stablevar::engine::moment_pass;
use stablevar::weights::Divergence;
use std::hint::black_box;
use std::time::Instant;

/// Rounds of which the fastest counts: what another process takes away is no property of the code.
const ROUNDS: usize = 9;

fn fastest(mut work: impl FnMut()) -> f64 {
    work();
    (0..ROUNDS).map(|_| seconds(&mut work)).fold(f64::INFINITY, f64::min)
}

fn seconds(work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// The sum of all values in eight lanes, which is as fast as memory allows.
fn read(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 32];
    for chunk in values.chunks_exact(32) {
        lanes.iter_mut().zip(chunk).for_each(|(lane, value)| *lane += value);
    }
    lanes.iter().sum()
}

fn main() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    println!(
        "| p | n | pass, ns a row | rate of a product, GFlop/s | pass, GFlop/s | share | share of reading speed | all cores |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let usual = vec![10, 20, 30, 40, 50, 64, 128, 256];
    for columns in if asked.is_empty() { usual } else { asked } {
        let rows = (50_000_000 / columns).min(1_000_000);
        let width = columns + 1;
        let design = Matrix::from_fn(rows, width, |i, j| ((i * (j + 7) + 3 * j) % 101) as f64 / 50.0 - 1.0);
        let form = Matrix::from_fn(width, width, |i, j| f64::from(u8::from(i == j)) + 0.01 * ((i + j) % 3) as f64);
        let base = vec![1.0; rows];
        let pass = || {
            black_box(moment_pass(black_box(&design), &base, &form, Divergence::Chi2));
        };
        let alone = one.install(|| fastest(pass));
        let together = fastest(pass);
        let mut image = vec![0.0; rows * width];
        let product = fastest(|| {
            matmul(
                MatMut::from_row_major_slice_mut(&mut image, rows, width),
                Accum::Replace,
                MatRef::from_row_major_slice(design.values(), rows, width),
                MatRef::from_row_major_slice(form.values(), width, width),
                1.0,
                Par::Seq,
            );
        });
        let reading = fastest(|| {
            black_box(read(black_box(design.values())));
        });
        let operations = 2.0 * rows as f64 * (width * width) as f64;
        println!(
            "| {columns} | {rows} | {:.1} | {:.1} | {:.1} | {:.0} % | {:.0} % | {:.2} x |",
            1e9 * alone / rows as f64,
            1e-9 * operations / product,
            2e-9 * operations / alone,
            200.0 * product / alone,
            100.0 * reading / alone,
            alone / together
        );
    }
}
