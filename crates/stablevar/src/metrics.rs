//! Errors per environment and their summary.

use serde::{Deserialize, Serialize};

/// The mean squared difference of two vectors.
pub fn mean_squared_error(truth: &[f64], predicted: &[f64]) -> f64 {
    truth.iter().zip(predicted).map(|(y, p)| (y - p).powi(2)).sum::<f64>() / truth.len() as f64
}

/// Mean, spread and maximum of the errors over environments.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorSummary {
    /// `Mean_Error`.
    pub mean_error: f64,
    /// `Std_Error`, with divisor (environments - 1); 0 for a single environment.
    pub std_error: f64,
    /// `Max_Error`.
    pub max_error: f64,
}

impl ErrorSummary {
    /// Summarises one error per environment; `None` if there is none.
    pub fn new(errors: &[f64]) -> Option<Self> {
        if errors.is_empty() {
            return None;
        }
        let count = errors.len() as f64;
        let mean_error = errors.iter().sum::<f64>() / count;
        let squares: f64 = errors.iter().map(|error| (error - mean_error).powi(2)).sum();
        let std_error = if errors.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        Some(Self { mean_error, std_error, max_error: errors.iter().copied().fold(f64::NEG_INFINITY, f64::max) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_divides_by_one_less_than_the_environments() {
        let summary = ErrorSummary::new(&[1.0, 2.0, 4.0]).unwrap();
        assert!((summary.mean_error - 7.0 / 3.0).abs() < 1e-15);
        assert!((summary.std_error - (7.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(summary.max_error, 4.0);
        assert_eq!(ErrorSummary::new(&[3.0]).unwrap().std_error, 0.0);
        assert!(ErrorSummary::new(&[]).is_none());
    }
}
