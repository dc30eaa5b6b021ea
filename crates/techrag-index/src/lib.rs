//! The library on disk: catalog, segments, ledger.

pub mod bits;
pub mod build;
mod error;
pub mod frame;
pub mod segment;
pub mod top;

pub use error::{Error, Result};
