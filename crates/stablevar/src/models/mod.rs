//! The models that are refitted on the selected variables, and the baselines.

mod any;
mod lasso;
mod linear;
mod logistic;
mod mlp;
mod network;
mod ridge;
mod robust;

pub use crate::functions::{sigmoid, softplus};
pub use any::{Model, NetworkModel};
pub use lasso::{Lasso, LassoFit, LassoPath, lasso_path};
pub use linear::{LinearModel, Link, StandardisedFit, least_squares};
pub use logistic::{LogisticFit, logistic_regression};
pub use mlp::{Examples, Mlp, Solver, Trained};
pub(crate) use network::{BATCH, Batch, Workspace, batches, loss_and_outcomes};
pub use network::{Loss, Network};
pub use ridge::Ridge;
pub use robust::{OUTLIER_LIMIT, robust_regression, spread_of_the_bulk};
