//! The worker process: a loop that reads one file after another, so that what breaks on a file breaks here.
//!
//! A parent starts it (the same executable with a hidden first argument), writes a request a line and reads frames.
//! It ends when its input does; should its parent die while a page hangs, its own watchdog ends it. Rooms that read other
//! kinds of file have their workers from a [`Pool`] too, with requests and frames of their own.

pub(crate) mod frame;
pub(crate) mod limit;
pub(crate) mod pool;
pub(crate) mod process;

pub use limit::{Watchdog, memory};
pub use pool::Pool;
pub use process::{Lost, Receive, Worker};

use crate::{Error, extract};
use frame::{Frame, Request};
use std::io::{self, BufRead, Write};

/// First argument by which an executable of the project knows that it is to call [`serve`].
pub const ARGUMENT: &str = "__pdf-worker";

/// Answers requests from `input` with frames on `output` until the input ends.
///
/// Call it in a process of its own: it silences panics, bounds the process's memory and ends the process when a page
/// takes more than twice its time.
///
/// # Errors
/// Where the input cannot be read or the output not be written.
pub fn serve(input: impl BufRead, output: impl Write) -> io::Result<()> {
    // A panic becomes a failed page; its message travels in the frame, not on stderr.
    std::panic::set_hook(Box::new(|_| {}));
    let watchdog = Watchdog::start();
    let mut output = io::BufWriter::new(output);
    // The file whose pages are being drawn.
    let mut open = None;
    for line in input.lines() {
        match serde_json::from_str::<Request>(&line?) {
            Ok(request) => {
                limit::memory(request.max_memory);
                let patience = request.page_timeout.saturating_mul(2);
                watchdog.allow(patience);
                if request.drawing.is_some() {
                    send(
                        &mut output,
                        &extract::picture(&request, &mut open).map_or_else(Frame::Error, Frame::Picture),
                    )?;
                } else {
                    open = None;
                    extract::run(&request, &mut |frame| {
                        watchdog.allow(patience);
                        send(&mut output, &frame)
                    })?;
                }
                watchdog.rest();
            }
            Err(error) => send(&mut output, &Frame::Error(Error::Crashed(format!("bad request: {error}"))))?,
        }
    }
    Ok(())
}

fn send(output: &mut impl Write, frame: &Frame) -> io::Result<()> {
    serde_json::to_writer(&mut *output, frame)?;
    output.write_all(b"\n")?;
    if let Frame::Picture(picture) = frame {
        output.write_all(&picture.rgb)?;
    }
    // The parent measures time between frames, so none may wait in the buffer.
    output.flush()
}
