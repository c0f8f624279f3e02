//! Data to try `stablevar` on: simulated ones, the paper's real ones, and real tables with natural shifts, fetched and checked.

pub mod nothing;

pub mod simulate;

pub mod wheel;

pub mod shifts;

pub mod real;
