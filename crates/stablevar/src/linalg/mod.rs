//! Dense matrices and the few factorisations the method needs.
//!
//! This is the one folder that names the linear-algebra crate. Everything here runs on the calling thread; what spreads
//! rows over threads, with an order of summation that is fixed, builds on it.

mod covariance;
mod factor;
mod matrix;
mod products;
mod small;

pub use covariance::{correlation_from_covariance, covariance_from_moments};
pub use factor::{Cholesky, symmetric_eigen};
pub use matrix::Matrix;
pub(crate) use matrix::with_gaps;
pub use products::{
    add_cross_product, add_lower_cross_product, multiply_rows, multiply_rows_into, multiply_rows_lower,
};
pub(crate) use small::dot_in_lanes;
pub use small::{add_left_transposed, add_product, add_right_transposed};

/// The inner product of two vectors of equal length.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The largest absolute value, 0 for an empty slice; NaN counts as infinite.
pub fn max_abs(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| if value.is_nan() { f64::INFINITY } else { most.max(value.abs()) })
}
