//! Pages seen, not only read: render, multi-vector page store,
//! fixed-dimensional encodings, MaxSim, crops.
