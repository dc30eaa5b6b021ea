//! The pages of a library: sealed files of vectors, the matrix of their encodings, and what the catalog says of them.

pub(crate) mod codes;
pub(crate) mod layout;
pub(crate) mod segment;
pub(crate) mod view;
pub(crate) mod writer;

pub use layout::{About, Form, Layout, Scanned};
