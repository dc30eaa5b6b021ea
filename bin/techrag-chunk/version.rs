//! What `techrag-chunk --version` says.

/// The version, and which licence the build is under: LICENSE points here.
pub(crate) fn version() -> &'static str {
    if techrag_pdf::mupdf::PRESENT {
        concat!(env!("CARGO_PKG_VERSION"), " (with MuPDF, AGPL-3.0)")
    } else {
        concat!(env!("CARGO_PKG_VERSION"), " (without MuPDF, MIT OR Apache-2.0)")
    }
}
