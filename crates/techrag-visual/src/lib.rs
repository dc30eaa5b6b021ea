//! Pages seen, not only read: render, multi-vector page store, fixed-dimensional encodings, MaxSim, crops.
//!
//! * [`fde`] makes one vector of a page's many, so that a flat scan finds candidates;
//! * [`kernel`] holds the scan and exact MaxSim, in the widest form the processor has.

pub mod fde;
pub mod kernel;
