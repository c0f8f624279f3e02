//! All tests in one program: one each would take longer to build than to run.
#![allow(missing_docs, clippy::unwrap_used)]

mod half_way;
mod hostile;
mod input;
mod model_versions;
mod parquet;
mod properties;
mod streaming;
