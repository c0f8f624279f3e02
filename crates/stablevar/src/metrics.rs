//! Errors per environment and their summary.

use serde::{Deserialize, Serialize};

/// The mean squared difference of two vectors.
pub fn mean_squared_error(truth: &[f64], predicted: &[f64]) -> f64 {
    truth.iter().zip(predicted).map(|(y, p)| (y - p).powi(2)).sum::<f64>() / truth.len() as f64
}

/// The share of rows on the wrong side of one half; `truth` is 0 or 1.
pub fn error_rate(truth: &[f64], probabilities: &[f64]) -> f64 {
    let wrong = truth.iter().zip(probabilities).filter(|(y, p)| (**y >= 0.5) != (**p >= 0.5)).count();
    wrong as f64 / truth.len() as f64
}

/// The mean negative log-likelihood; probabilities are kept 1e-15 away from 0 and 1.
pub fn log_loss(truth: &[f64], probabilities: &[f64]) -> f64 {
    let loss = |(y, p): (&f64, &f64)| {
        let p = p.clamp(1e-15, 1.0 - 1e-15);
        -(y * p.ln() + (1.0 - y) * (1.0 - p).ln())
    };
    truth.iter().zip(probabilities).map(loss).sum::<f64>() / truth.len() as f64
}

/// The chance that a row of the second class has the higher probability than one of the first, ties counting half;
/// `None` if there are not both.
pub fn area_under_curve(truth: &[f64], probabilities: &[f64]) -> Option<f64> {
    let mut order: Vec<usize> = (0..truth.len()).collect();
    order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
    let positives = truth.iter().filter(|y| **y >= 0.5).count() as f64;
    let negatives = truth.len() as f64 - positives;
    if positives == 0.0 || negatives == 0.0 {
        return None;
    }
    let (mut ranks, mut start) = (0.0, 0);
    while start < order.len() {
        let same = |k: &usize| probabilities[*k] == probabilities[order[start]];
        let count = order[start..].iter().take_while(|k| same(k)).count();
        // Ranks from 1; equal values share their mean rank.
        let rank = start as f64 + (count as f64 + 1.0) / 2.0;
        ranks += rank * order[start..start + count].iter().filter(|&&k| truth[k] >= 0.5).count() as f64;
        start += count;
    }
    Some((ranks - positives * (positives + 1.0) / 2.0) / (positives * negatives))
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
    fn measures_of_probabilities_match_hand_counts() {
        let (truth, p) = ([0.0, 0.0, 1.0, 1.0], [0.1, 0.6, 0.6, 0.9]);
        assert_eq!(error_rate(&truth, &p), 0.25);
        // Pairs: (0.1, 0.6) right, (0.1, 0.9) right, (0.6, 0.6) half, (0.6, 0.9) right.
        assert_eq!(area_under_curve(&truth, &p), Some(3.5 / 4.0));
        assert_eq!(area_under_curve(&truth[..2], &p[..2]), None);
        let by_hand = -(0.9f64.ln() + 0.4f64.ln() + 0.6f64.ln() + 0.9f64.ln()) / 4.0;
        assert!((log_loss(&truth, &p) - by_hand).abs() < 1e-15);
        assert!(log_loss(&[1.0], &[0.0]).is_finite());
    }

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
