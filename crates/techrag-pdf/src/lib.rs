//! The one door to PDF: text with boxes, page images, metadata, and the worker processes that isolate the readers.
//!
//! [`read`] gives a document page by page as blocks in reading order. What breaks on a page costs that page: reading
//! happens in workers (see [`worker::serve`]) that are bounded in time and memory and replaced when they fall over.

pub mod config;
pub mod error;
mod extract;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod glyphs;
mod last;
mod layout;
pub mod mupdf;
pub mod page;
mod quality;
mod raster;
mod read;
pub mod recognised;
mod render;
mod still;
pub mod worker;

pub use config::Config;
pub use error::Error;
pub use page::{
    Bbox, Block, BlockKind, Info, LeftOut, Line, Outcome, OutlineItem, Page, Pdf, Quality, Reader, Recognised, Run,
    Script,
};
pub use raster::{LONGEST_SIDE, Picture, RENDERER, Size};
pub use read::{finish, read, read_mending};
pub use render::Renderer;
pub use still::pages as pages_of_picture;
