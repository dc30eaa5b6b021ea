//! Idle workers, kept for the next file: a process start a file would cost more than reading a short paper.

use super::process::Worker;
use crate::error::Error;
use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::{LazyLock, Mutex, PoisonError};

static IDLE: LazyLock<Mutex<HashMap<Vec<OsString>, Vec<Worker>>>> = LazyLock::new(Mutex::default);

/// An idle worker started by `command`, or a new one.
pub(crate) fn take(command: &[OsString]) -> Result<Worker, Error> {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).get_mut(command).and_then(Vec::pop);
    idle.map_or_else(|| Worker::start(command), Ok)
}

/// Gives a worker back that has answered its last request to the end.
pub(crate) fn give(command: &[OsString], worker: Worker) {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    idle.entry(command.to_vec()).or_default().push(worker);
}
