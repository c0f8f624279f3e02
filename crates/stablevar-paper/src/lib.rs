//! The paper's experiments on `stablevar`: what they are, how they run, and the tables they make.

pub mod experiment;

pub mod runner;

pub mod table;

pub mod real;

pub mod shifts;

pub mod figures;

pub mod redraw;

pub mod claims;

pub mod page;
