//! The one door to PDF: text with boxes, metadata, and the worker processes that isolate the readers.

pub mod page;

pub use page::{Bbox, Block, BlockKind, Info, Line, Outcome, OutlineItem, Page, Pdf, Reader, Run, Script};
