//! Stable learning. (Draft.)
pub mod error;
pub mod parameter;
pub mod linalg;
pub mod rows;
pub mod optim;
pub mod table;
pub mod design;
pub mod weights;
pub mod gates;
pub mod diagnostics;
pub mod simulate;
pub mod models;
pub mod metrics;
pub mod svi;
pub mod fit;
