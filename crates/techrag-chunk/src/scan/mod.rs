//! Pages without a text layer, and pictures: text read off what they look like.
//!
//! A page that is read this way goes the way of every other page (layout, paragraphs, sections, references); what is
//! different is said with it: which reader it was, how certain of each stretch, and which pages it was not certain of.
//! A page that cannot be read because no reader is there is named, with what to do about it.

mod budget;
mod confidence;
mod mend;
mod ocr;
mod picture;

pub use ocr::{Ocr, OcrConfig, OcrReader};

pub(crate) use budget::Budget;
pub(crate) use confidence::attach;
pub(crate) use mend::{Mended, mend, say};
pub(crate) use picture::{is_picture, read};
