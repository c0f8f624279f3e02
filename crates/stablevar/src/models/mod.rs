//! The models that are refitted on the selected variables, and the baselines.

mod any;
mod lasso;
mod lasso_sums;
mod linear;
mod logistic;
mod mlp;
mod network;
mod refit;
mod ridge;
mod robust;
mod trees;

pub use crate::functions::{sigmoid, softplus};
pub use any::{Model, NetworkModel};
pub use lasso::{Lasso, LassoFit, LassoPath, lasso_path};
pub use linear::{LinearModel, Link, PlainLinear, StandardisedFit, least_squares};
pub use logistic::{LogisticFit, logistic_regression};
pub use mlp::{Examples, Mlp, Solver, Trained};
pub(crate) use network::{BATCH, Batch, Workspace, batches, loss_and_outcomes};
pub use network::{Loss, Network};
pub(crate) use refit::in_memory;
pub use refit::{AutoRefit, Fitting, Kept, Refit, Refitted};
pub use ridge::Ridge;
pub use robust::{Huber, OUTLIER_LIMIT, robust_regression, spread_of_the_bulk};
pub(crate) use trees::AFFORDABLE_ROUNDS;
pub use trees::{Tree, TreeNode, TreeStart, Trees, TreesModel};
