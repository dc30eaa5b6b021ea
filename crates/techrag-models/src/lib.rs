//! The one door to ONNX Runtime: which models there are, where their files lie, and what they compute.
//!
//! [`Manifest`] names the models, [`Locator`] finds their files, [`SentenceEncoder`] embeds texts, [`SparseEncoder`]
//! weighs the words they are about, [`CrossEncoder`] scores a query against passages and [`PageEncoder`] turns pages into
//! many vectors each; [`LayoutModel`] finds figures, tables and captions in a page's picture. Nothing downloads: a model
//! that is not there is [`Error::Missing`], which names the command that brings it. The runtime itself is a shared library listed in the manifest like any model; it is loaded
//! when the first model is opened, so that a program that needs no model starts without it.
//!
//! Results are the same bytes whatever runs beside them: every session has one thread, and only inputs of equal length
//! share a run, so that no padding takes part in a sum.

mod child;
mod chunk;
mod cross;
mod encoder;
mod error;
mod layout;
mod locate;
mod manifest;
pub mod ocr;
mod page;
mod pieces;
mod pool;
mod runtime;
mod session;
mod sparse;
pub mod speech;
mod table;
mod window;

pub use chunk::{ChunkEncoder, Passage, Windows};
pub use cross::CrossEncoder;
pub use encoder::{Limits, SentenceEncoder, Side};
pub use error::Error;
pub use layout::{LayoutModel, LayoutRegion, LayoutSpec};
pub use locate::Locator;
pub use manifest::{Body, Fetch, Kind, Manifest, Model, PairSpec, Pooling, SentenceSpec, SparseSpec};
pub use page::{
    Filter, Looks, MultiVector, PageEncoder, PageInput, PageSpec, PatchSpec, Pixels, Place, TiledSpec, WordSpec,
};
pub use sparse::{SparseEncoder, Terms};
pub use window::even as even_windows;
