//! Pages and charts that show what `stablevar` found: self-contained, from strings, without a framework.

pub mod text;

pub mod chart;

pub mod page;

pub mod foresight_page;

pub mod model_page;

pub mod comparison_page;
