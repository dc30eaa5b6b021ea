//! Many answers as one output: what stands before, between and after them.

use std::path::PathBuf;

use techrag_core::record::{ErrorRecord, Query, Record};
use techrag_core::{clean, codec};

use super::bibliography::{Style, Works};
use super::{Detail, Format, html, markdown, render};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each answer by itself.
    Each(Format, Detail),
    /// One HTML page of all answers.
    Html,
    /// The works that the answers cite.
    Works(Style),
}

/// An output under way. Pieces come without a line end at their end.
#[derive(Debug)]
pub struct Sheet {
    form: Form,
    library: Option<PathBuf>,
    shown: usize,
    works: Works,
}

impl Sheet {
    /// An empty output. Page images are looked for in `library`.
    pub fn new(form: Form, library: Option<PathBuf>) -> Self {
        Self { form, library, shown: 0, works: Works::default() }
    }

    /// The next answer.
    ///
    /// # Errors
    /// If a template of this build cannot be filled.
    pub fn answer(&mut self, query: &Query) -> Result<Option<String>, html::Error> {
        if let Form::Works(_) = self.form {
            self.works.add(query);
            return Ok(None);
        }
        let before = self.before()?;
        let images = |path: &str| html::read_image(self.library.as_deref(), path);
        Ok(Some(match self.form {
            Form::Each(format, detail) => format!("{before}{}", render(query, format, detail)),
            _ => format!("{before}{}", html::article(query, self.shown, &images)?),
        }))
    }

    /// What failed on the way is said here too, so that a reader of the output alone knows. JSON passes the record on;
    /// a list of works has no place for it.
    ///
    /// # Errors
    /// If a template of this build cannot be filled.
    pub fn failure(&mut self, mut error: ErrorRecord) -> Result<Option<String>, html::Error> {
        (error.of, error.message) = (clean::line(&error.of), clean::line(&error.message));
        let said = clean::line(&format!("Error: {}: {}: {}", error.stage, error.of, error.message));
        Ok(match self.form {
            Form::Works(_) => None,
            Form::Each(Format::Json, _) => Some(line(&Record::Error(error)).unwrap_or(said)),
            Form::Each(Format::Markdown, _) => Some(format!("{}{}", self.before()?, markdown::escape(&said))),
            Form::Each(..) => Some(format!("{}{said}", self.before()?)),
            Form::Html => Some(format!("{}{}", self.before()?, html::failure(&said)?)),
        })
    }

    /// What stands after the last answer, if anything.
    ///
    /// # Errors
    /// If a template of this build cannot be filled.
    pub fn end(&mut self) -> Result<Option<String>, html::Error> {
        Ok(match self.form {
            Form::Html if self.shown > 0 => Some(html::foot()?),
            Form::Works(style) => Some(self.works.write(style)).filter(|list| !list.is_empty()),
            _ => None,
        })
    }

    /// What stands before the next piece, which is counted.
    fn before(&mut self) -> Result<String, html::Error> {
        self.shown += 1;
        match self.form {
            Form::Html if self.shown == 1 => html::head("TechRAG"),
            Form::Each(Format::Text { .. } | Format::Markdown, _) if self.shown > 1 => Ok("\n".to_owned()),
            _ => Ok(String::new()),
        }
    }
}

/// A record as its line.
fn line(record: &Record) -> Option<String> {
    let mut line = Vec::new();
    codec::write(record, &mut line).ok()?;
    String::from_utf8(line).ok().map(|line| line.trim_end().to_owned())
}
