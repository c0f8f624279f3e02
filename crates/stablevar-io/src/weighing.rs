//! Weights and the path of balance for other programs.

use serde_json::{Value, json};
use stablevar::weights::{BalancePath, PathPoint};

/// The JSON of a path: its points from no weights (whose ridge is null) to the strongest, the position of the one that balance
/// takes by itself, why it goes no further, and the rule.
pub fn path(path: &BalancePath) -> Value {
    let total = path.reached.total;
    let told = |point: &PathPoint| {
        let size = point.weights.effective_sample_size();
        json!({
            "ridge": point.ridge.is_finite().then_some(point.ridge),
            "n_eff": size,
            "share": size / total,
            "largest_correlation": point.largest_correlation,
            "rms_correlation": point.rms_correlation,
            "converged": point.stop.converged(),
            "passes": point.passes,
        })
    };
    json!({
        "points": path.points.iter().map(told).collect::<Vec<_>>(),
        "chosen": path.chosen,
        "end": path.end,
        "reached": path.reached,
        "why": path.reached.in_words(),
        "rule": {"least_n_eff_exact": path.rule.exact, "least_n_eff": path.rule.soft},
    })
}
