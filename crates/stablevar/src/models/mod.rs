//! The models that are refitted on the selected variables, and the baselines.

mod lasso;
mod linear;
mod logistic;

pub use lasso::{Lasso, LassoFit, LassoPath, lasso_path};
pub use linear::{LinearModel, Link, StandardisedFit, least_squares};
pub use logistic::{LogisticFit, logistic_regression, sigmoid, softplus};
