//! What a caller must decide before a file is read: how to isolate the readers and how much they may take.

use std::ffi::OsString;
use std::time::Duration;

/// How to read files. There is no default: every limit is the caller's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Command that starts a worker (program, then arguments); it must call [`crate::worker::serve`].
    /// `None` reads in this process, where a page that hangs or crashes cannot be cut off.
    pub worker: Option<Vec<OsString>>,
    /// Time for a whole file; pages not read by then are recorded as failed.
    pub file_timeout: Duration,
    /// Time for one page, and for opening a file.
    pub page_timeout: Duration,
    /// Largest file, in bytes.
    pub max_bytes: u64,
    /// Most pages of a file.
    pub max_pages: u32,
    /// Address space of a worker, in bytes.
    pub max_memory: u64,
    /// Password to try when the empty one does not open a file.
    pub password: Option<String>,
}
