//! Stands in until the tool lands.
fn main() {}
