//! The models that are refitted on the selected variables, and the baselines.

mod lasso;
mod linear;

pub use lasso::{Lasso, LassoFit, LassoPath, lasso_path};
pub use linear::{LinearModel, StandardisedFit, least_squares};
