//! Listening in a build without it: refuses.

use super::{HINT, Request, Transcript};

/// Refuses.
pub(super) fn listen(_request: &Request) -> Result<Transcript, String> {
    Err(format!("this build has no speech recognition: {HINT}"))
}
