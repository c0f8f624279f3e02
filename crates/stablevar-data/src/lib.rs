//! Data to try `stablevar` on: simulated ones, and the paper's real ones, fetched and checked.

pub mod simulate;

pub mod real;
