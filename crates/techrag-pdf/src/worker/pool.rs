//! Idle workers, kept for the next file: a process start a file would cost more than reading a short paper.

use super::frame::{self, Frame};
use super::process::{Receive, Worker};
use crate::error::Error;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

/// Readers of PDFs.
pub(crate) static READERS: Pool<Frame> = Pool::new(frame::receive);

/// Workers that answer with frames `F`, by the command that started them.
pub struct Pool<F> {
    idle: Mutex<BTreeMap<Vec<OsString>, Vec<Worker<F>>>>,
    receive: Receive<F>,
}

impl<F: Send + 'static> Pool<F> {
    /// A pool without workers.
    pub const fn new(receive: Receive<F>) -> Self {
        Self { idle: Mutex::new(BTreeMap::new()), receive }
    }

    /// An idle worker started by `command` (program, then arguments), or a new one.
    ///
    /// # Errors
    /// Where none starts.
    pub fn take(&self, command: &[OsString]) -> Result<Worker<F>, Error> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).get_mut(command).and_then(Vec::pop);
        idle.map_or_else(|| self.start(command), Ok)
    }

    /// A new worker.
    ///
    /// # Errors
    /// Where it does not start.
    pub fn start(&self, command: &[OsString]) -> Result<Worker<F>, Error> {
        Worker::start(command, self.receive)
    }

    /// Gives a worker back that has answered its last request to the end.
    pub fn give(&self, command: &[OsString], mut worker: Worker<F>) {
        worker.is_used = true;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.entry(command.to_vec()).or_default().push(worker);
    }
}
