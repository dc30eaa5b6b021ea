//! `techrag-answer render`: what a person reads.
//!
//! Everything from documents and models passes through [`crate::clean`] first. An answer without a verified claim is
//! not printed as one (SPEC section 12).

mod bibliography;
mod explain;
mod html;
mod json;
mod markdown;
mod sheet;
mod terminal;
mod view;

use techrag_core::record::Query;

pub use bibliography::Style;
pub use html::Error;
pub use sheet::{Form, Sheet};

/// How the answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wrapped text for a terminal.
    Text {
        /// Columns, at least 20.
        width: usize,
        /// Whether it may carry colours.
        colour: Colour,
    },
    /// Markdown.
    Markdown,
    /// One JSON object on one line.
    Json,
}

/// Whether text may carry ANSI colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Plain,
    /// ANSI escape sequences of our own.
    Ansi,
}

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The answer and its sources.
    Answer,
    /// Also what each stage did and each check found.
    Explain,
}

/// The answer of a record, without a line end at its end.
pub fn render(query: &Query, format: Format, detail: Detail) -> String {
    let view = view::View::of(query);
    match format {
        Format::Text { width, colour } => terminal::render(&view, width, colour, detail),
        Format::Markdown => markdown::render(&view, detail),
        Format::Json => json::render(&view, detail),
    }
}

#[cfg(test)]
#[path = "../render_tests.rs"]
mod tests;
