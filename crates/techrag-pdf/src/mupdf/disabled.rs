//! The second reader in a build without it.

use crate::error::Error;
use crate::page::Page;
use crate::worker::frame::Head;

/// A document of the second reader; there is none.
pub(crate) enum Document {}

impl Document {
    /// Refuses.
    pub(crate) fn open(_bytes: &[u8], _password: Option<&str>) -> Result<Self, Error> {
        Err(Error::Damaged("this build has no second reader (cargo feature mupdf)".to_owned()))
    }

    pub(crate) fn head(&self) -> Head {
        match *self {}
    }

    pub(crate) fn page(&self, _number: u32) -> Result<Page, String> {
        match *self {}
    }
}
