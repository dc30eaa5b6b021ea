//! The parts of an office file: a zip archive read with a budget, so that a bomb costs a message and no memory.

use std::io::{Cursor, Read as _};

use techrag_core::record::{ErrorKind, ErrorRecord};
use zip::ZipArchive;
use zip::result::ZipError;

use super::xml::{self, Node};
use crate::{STAGE, flow};

/// Bytes that all parts read from one archive may have together once inflated. Real decks and papers hold a few
/// megabytes of markup beside their pictures, which are never inflated.
pub(super) const MAX_INFLATED: u64 = 256 << 20;

/// Bytes of a part that is held as a tree; the tree takes several times as many.
const MAX_PART: u64 = 32 << 20;

/// An office file that can be opened.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
    /// Cells that the charts of the file may still have.
    cells: usize,
}

/// Why an office file, or a part of it, could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Error {
    /// The archive or a part is broken.
    #[error("{0}")]
    Damaged(String),
    /// A password is needed.
    #[error("the file is protected by a password")]
    Encrypted,
    /// More than the budget.
    #[error("{0}")]
    TooLarge(String),
}

impl Error {
    /// The record of a file that failed as a whole.
    pub(super) fn record(&self, key: &str) -> ErrorRecord {
        let (kind, hint) = match self {
            Self::Damaged(_) => (ErrorKind::Damaged, "open it in the program that made it and save it again"),
            Self::Encrypted => (ErrorKind::Encrypted, "save a copy without a password"),
            Self::TooLarge(_) => (ErrorKind::TooLarge, "if the file is what it should be, split it"),
        };
        ErrorRecord::new(key, STAGE, kind, self.to_string()).hint(hint)
    }
}

impl<'a> Archive<'a> {
    /// # Errors
    /// If the bytes are no whole archive.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| Error::Damaged(format!("the archive is cut short or broken: {error}")))?;
        Ok(Self { zip, left: MAX_INFLATED, cells: flow::MAX_CELLS })
    }

    /// A part by its name, a slash in front or not; `None` where there is none.
    ///
    /// # Errors
    /// If it is broken, encrypted or larger than what is left of the budget.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let name = name.trim_start_matches('/');
        let Some(at) = self.zip.index_for_name(name).or_else(|| self.whatever_case(name)) else { return Ok(None) };
        let limit = self.left.min(MAX_PART);
        let mut bytes = Vec::new();
        let file = self.zip.by_index(at).map_err(|error| failed(name, &error))?;
        // Sizes in the directory may lie: what is inflated is counted.
        file.take(limit + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::Damaged(format!("the part {name} is broken: {error}")))?;
        self.left = self.left.saturating_sub(bytes.len() as u64);
        if bytes.len() as u64 > limit {
            return Err(Error::TooLarge(format!("the part {name} inflates to more than {limit} bytes")));
        }
        Ok(Some(bytes))
    }

    /// A part as a tree.
    ///
    /// # Errors
    /// Those of [`Archive::part`] and of [`xml::parse`].
    pub(super) fn tree(&mut self, name: &str) -> Result<Option<Node>, Error> {
        let part = self.part(name)?;
        part.map(|bytes| xml::parse(&bytes).map_err(|why| Error::Damaged(format!("the part {name} {why}")))).transpose()
    }

    /// Takes so many cells from what charts may have.
    ///
    /// # Errors
    /// If that is more than what is left.
    pub(super) fn claim(&mut self, cells: usize) -> Result<(), Error> {
        let too_many = || Error::TooLarge(format!("its charts have more than {} cells", flow::MAX_CELLS));
        self.cells = self.cells.checked_sub(cells).ok_or_else(too_many)?;
        Ok(())
    }

    /// Whether all parts together stay within the budget: for a reader that opens the archive itself.
    ///
    /// # Errors
    /// If they do not, or one is broken.
    pub(super) fn measure(&mut self) -> Result<(), Error> {
        let mut left = self.left;
        for at in 0..self.zip.len() {
            let name = self.zip.name_for_index(at).and_then(Result::ok).map(|name| name.into_owned());
            let name = name.unwrap_or_else(|| at.to_string());
            let media = name.to_ascii_lowercase();
            if !(media.ends_with(".xml") || media.ends_with(".rels")) {
                continue;
            }
            // Cells are streamed by whoever reads them, everything else is held: the strings of all sheets above all.
            let limit = if media.contains("worksheets/") { left } else { left.min(MAX_PART) };
            let file = self.zip.by_index(at).map_err(|error| failed(&name, &error))?;
            let inflated = std::io::copy(&mut file.take(limit + 1), &mut std::io::sink())
                .map_err(|error| Error::Damaged(format!("the part {name} is broken: {error}")))?;
            if inflated > limit {
                return Err(Error::TooLarge(format!("the part {name} inflates to more than {limit} bytes")));
            }
            left -= inflated;
        }
        Ok(())
    }

    /// Names are compared without case, as the packaging standard asks.
    fn whatever_case(&self, name: &str) -> Option<usize> {
        let same = |at: &usize| {
            let other = self.zip.name_for_index(*at).and_then(Result::ok);
            other.is_some_and(|other| other.replace('\\', "/").trim_start_matches('/').eq_ignore_ascii_case(name))
        };
        (0..self.zip.len()).find(same)
    }
}

fn failed(name: &str, error: &ZipError) -> Error {
    match error {
        ZipError::UnsupportedArchive(why) if why.to_string().to_ascii_lowercase().contains("password") => {
            Error::Encrypted
        }
        error => Error::Damaged(format!("the part {name} cannot be read: {error}")),
    }
}
