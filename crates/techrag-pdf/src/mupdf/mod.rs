//! The second reader: MuPDF repairs files and decodes fonts that the first reader does not.
//!
//! A cargo feature, because it is C code under AGPL-3.0: without it the module has the same face and refuses.

#[cfg(not(feature = "mupdf"))]
mod disabled;
#[cfg(feature = "mupdf")]
mod enabled;

#[cfg(not(feature = "mupdf"))]
pub(crate) use disabled::Document;
#[cfg(feature = "mupdf")]
pub(crate) use enabled::Document;

/// Whether this build has the second reader.
pub const PRESENT: bool = cfg!(feature = "mupdf");
