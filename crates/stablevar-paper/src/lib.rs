//! The paper's experiments on `stablevar`: its real data (tables and figures are to follow).

pub mod real_data;
