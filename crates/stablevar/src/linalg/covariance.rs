//! From second moments to covariances and correlations.

use super::Matrix;

/// The covariance matrix of the columns from moments of (1, columns).
pub fn covariance_from_moments(moments: &Matrix) -> Matrix {
    let size = moments.rows() - 1;
    Matrix::from_fn(size, size, |i, j| moments[(i + 1, j + 1)] - moments[(0, i + 1)] * moments[(0, j + 1)])
}

/// The correlation matrix of a covariance matrix; a column without variance correlates with nothing.
pub fn correlation_from_covariance(covariance: &Matrix) -> Matrix {
    let scale = |i: usize| covariance[(i, i)].max(0.0).sqrt();
    Matrix::from_fn(covariance.rows(), covariance.rows(), |i, j| {
        let product = scale(i) * scale(j);
        match (i == j, product > 0.0) {
            (true, _) => 1.0,
            (false, true) => covariance[(i, j)] / product,
            (false, false) => 0.0,
        }
    })
}
