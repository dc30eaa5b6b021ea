//! One worker seen from its parent: started, asked, listened to with a deadline, never left as a zombie.

use super::limit::OVERDUE;
use crate::error::Error;
use serde::Serialize;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Frames that may wait for the parent; more would only hold memory.
const AHEAD: usize = 16;

/// How the next frame is taken from a worker's output: in words where it cannot be read, `None` at the end.
pub type Receive<F> = fn(&mut dyn BufRead) -> Option<Result<F, String>>;

/// A running worker that answers with frames `F`. Dropping it ends the process and waits for it.
#[derive(Debug)]
pub struct Worker<F> {
    child: Child,
    input: Option<ChildStdin>,
    /// Frames as they come; in words where one cannot be read.
    frames: Receiver<Result<F, String>>,
    listener: Option<JoinHandle<()>>,
    /// Whether it has answered a request before.
    pub(super) is_used: bool,
}

/// How a worker stopped answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// No frame came in time.
    Hung,
    /// It asked for more memory than it may have.
    OutOfMemory,
    /// It ended otherwise; the words say how.
    Died(String),
}

impl<F: Send + 'static> Worker<F> {
    /// Starts `command` (program, then arguments).
    pub(super) fn start(command: &[OsString], receive: Receive<F>) -> Result<Self, Error> {
        let fail = |what: String| Error::Crashed(format!("the worker process did not start: {what}"));
        let (program, args) = command.split_first().ok_or_else(|| fail("empty command".to_owned()))?;
        #[expect(clippy::disallowed_methods, reason = "this room owns the readers' processes")]
        let mut command = Command::new(program);
        let mut child = command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| fail(error.to_string()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| fail("no output".to_owned()))?;
        let (send, frames) = mpsc::sync_channel(AHEAD);
        let listener = std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(frame) = receive(&mut output) {
                if send.send(frame).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, input, frames, listener: Some(listener), is_used: false })
    }

    /// Whether it has answered a request before: what it lacks now it may have spent on that.
    pub fn is_used(&self) -> bool {
        self.is_used
    }

    /// Sends a request, then the bytes that it speaks of.
    ///
    /// # Errors
    /// Where the worker has ended.
    pub fn ask(&mut self, request: &impl Serialize, bytes: &[u8]) -> Result<(), Lost> {
        let sent =
            serde_json::to_string(request).map_err(std::io::Error::from).and_then(|line| match &mut self.input {
                Some(input) => input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.write_all(bytes)),
                None => Err(std::io::ErrorKind::BrokenPipe.into()),
            });
        sent.map_err(|_| self.autopsy())
    }

    /// The next frame, waited for at most `patience`.
    ///
    /// # Errors
    /// Where none comes: the worker is of no use any more.
    pub fn next(&mut self, patience: Duration) -> Result<F, Lost> {
        match self.frames.recv_timeout(patience) {
            Ok(frame) => frame.map_err(|error| Lost::Died(format!("garbled answer: {error}"))),
            Err(RecvTimeoutError::Timeout) => Err(Lost::Hung),
            Err(RecvTimeoutError::Disconnected) => Err(self.autopsy()),
        }
    }

    /// Why the process ended; its output is closed, so it has ended or is about to.
    fn autopsy(&mut self) -> Lost {
        self.input = None;
        let mut words = String::new();
        if let Some(stderr) = self.child.stderr.take() {
            let mut bytes = Vec::new();
            let _ = stderr.take(64 << 10).read_to_end(&mut bytes);
            words = String::from_utf8_lossy(&bytes).into_owned();
        }
        let status = self.child.wait();
        match status {
            Ok(status) if status.code() == Some(OVERDUE) => Lost::Hung,
            Ok(_) if words.contains("memory allocation of") => Lost::OutOfMemory,
            Ok(status) if words.contains("overflowed its stack") => Lost::Died(format!("stack overflow, {status}")),
            Ok(status) => Lost::Died(status.to_string()),
            Err(error) => Lost::Died(error.to_string()),
        }
    }
}

impl<F> Drop for Worker<F> {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The listener may wait for room in the channel: with the receiver gone it ends.
        let (_, nothing) = mpsc::sync_channel(0);
        drop(std::mem::replace(&mut self.frames, nothing));
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}
