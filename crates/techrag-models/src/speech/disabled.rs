//! Listening in a build without it: refuses.

use std::path::Path;

use super::{HINT, Transcript};

/// Refuses.
pub(super) fn listen(_path: &Path, _model: &Path, _language: Option<&str>) -> Result<Transcript, String> {
    Err(format!("this build has no speech recognition: {HINT}"))
}
