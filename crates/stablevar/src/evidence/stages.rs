//! Where the time of the evidence goes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Parts of the work.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stage {
    /// Relevant columns of a wide table.
    Screen,
    /// Which columns count in the kernels' distances.
    Metrics,
    /// Products of features.
    Moments,
    /// Curves of the outcome's fit.
    Curves,
    /// Penalties, fits and tests.
    Tests,
    /// Losses of sets.
    Losses,
}

const NAMES: [&str; 6] = ["screen", "metrics", "moments", "curves", "tests", "losses of sets"];
static NANOSECONDS: [AtomicU64; 6] = [const { AtomicU64::new(0) }; 6];

/// Does some work of a stage.
pub(super) fn timed<T>(stage: Stage, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    NANOSECONDS[stage as usize].fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    result
}

/// Seconds that all threads of this process have spent in each part of gathering evidence by residuals so far, for benchmarks.
#[must_use]
pub fn stage_seconds() -> Vec<(&'static str, f64)> {
    NAMES.into_iter().zip(NANOSECONDS.iter().map(|spent| spent.load(Ordering::Relaxed) as f64 * 1e-9)).collect()
}
