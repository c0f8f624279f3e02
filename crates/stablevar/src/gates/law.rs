//! The law of one gate, `m = clip(mu + sigma e, 0, 1)` with `e` standard normal, in closed form.

use crate::functions::normal_cdf;
use std::f64::consts::PI;

fn normal_density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// Mean, variance and opening probability of a gate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateMoments {
    /// `E m`.
    pub mean: f64,
    /// `Var m`.
    pub variance: f64,
    /// `P(m > 0) = Phi(mu / sigma)`.
    pub open: f64,
}

/// The moments of `clip(mu + sigma e, 0, 1)`.
pub fn gate_moments(mu: f64, sigma: f64) -> GateMoments {
    let (low, high) = (-mu / sigma, (1.0 - mu) / sigma);
    let (density_low, density_high) = (normal_density(low), normal_density(high));
    let full = normal_cdf(-high);
    let open = normal_cdf(-low);
    let between = open - full;
    let mean = mu * between + sigma * (density_low - density_high) + full;
    let square = (mu * mu + sigma * sigma) * between + sigma * (mu * density_low - (1.0 + mu) * density_high) + full;
    let variance = (square - mean * mean).max(0.0);
    GateMoments { mean, variance, open }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
    use rand_distr::StandardNormal;

    #[test]
    fn closed_form_moments_agree_with_sampling() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        const DRAWS: usize = 400_000;
        for (mu, sigma) in [(0.5, 0.5), (-0.3, 0.5), (1.4, 0.5), (0.2, 0.1), (0.9, 1.0)] {
            let (mut sum, mut squares, mut open) = (0.0, 0.0, 0.0);
            for _ in 0..DRAWS {
                let noise: f64 = random.sample(StandardNormal);
                let gate = (mu + sigma * noise).clamp(0.0, 1.0);
                sum += gate;
                squares += gate * gate;
                open += f64::from(gate > 0.0);
            }
            let (count, law) = (DRAWS as f64, gate_moments(mu, sigma));
            let mean = sum / count;
            // Five standard errors of a value in [0, 1].
            let allowed = 5.0 * 0.5 / count.sqrt();
            assert!((law.mean - mean).abs() < allowed, "mean at {mu}, {sigma}");
            assert!((law.variance - (squares / count - mean * mean)).abs() < allowed, "variance at {mu}, {sigma}");
            assert!((law.open - open / count).abs() < allowed, "opening at {mu}, {sigma}");
        }
    }
}
