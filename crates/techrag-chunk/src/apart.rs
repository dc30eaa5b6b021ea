//! A file read in a worker process: a crash, a hang or a bomb costs that file, is recorded, and the batch goes on.
//!
//! What PDFs, pictures and sound need is isolated where it is read, page by page; every other kind of file is read as a
//! whole by a worker of the same executable, bounded by the time and the memory that a PDF may take.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use techrag_core::record::{ErrorKind, ErrorRecord};
use techrag_models::speech::SpeechConfig;
use techrag_pdf::worker::{self, Lost, Pool, Watchdog};

use crate::input::Source;
use crate::read::{Outcome, of_bytes};
use crate::scan::{Ocr, OcrConfig, OcrReader};
use crate::speech::Speech;
use crate::{Config, STAGE};

static READERS: Pool<Outcome> = Pool::new(receive);

/// What a worker is asked; the bytes of the file follow its line.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    /// How many bytes follow. The first field: requests are told by it.
    read: usize,
    key: String,
    path: OsString,
    folder: Option<String>,
    named: bool,
    target: usize,
    min: usize,
    max: usize,
    overlap: usize,
    by: String,
    time: Duration,
    memory: u64,
}

impl Request {
    fn new(bytes: &[u8], source: &Source, config: &Config) -> Self {
        Self {
            read: bytes.len(),
            key: source.key.clone(),
            path: source.path.as_os_str().to_owned(),
            folder: source.folder.clone(),
            named: source.named,
            target: config.target,
            min: config.min,
            max: config.max,
            overlap: config.overlap,
            by: config.by.clone(),
            time: config.pdf.file_timeout,
            memory: config.pdf.max_memory,
        }
    }

    fn config(&self) -> Config {
        Config {
            target: self.target,
            min: self.min,
            max: self.max,
            overlap: self.overlap,
            ..bare(self.by.clone(), self.memory)
        }
    }

    fn source(&self) -> Source {
        Source { key: self.key.clone(), path: self.path.clone().into(), folder: self.folder.clone(), named: self.named }
    }
}

/// A configuration for kinds of file that need no reader of PDFs, pictures or sound; its sizes are still to be set.
pub(crate) fn bare(by: String, memory: u64) -> Config {
    let nothing = Duration::ZERO;
    Config {
        target: 0,
        min: 0,
        max: 0,
        overlap: 0,
        max_bytes: 0,
        pdf: techrag_pdf::Config {
            worker: None,
            file_timeout: nothing,
            page_timeout: nothing,
            max_bytes: 0,
            max_pages: 0,
            max_memory: memory,
            password: None,
        },
        ocr: Ocr::new(OcrConfig {
            reader: OcrReader::Off,
            languages: String::new(),
            timeout: nothing,
            memory,
            models: Vec::new(),
            sessions: 1,
            doubt: 0.0,
        }),
        speech: Speech {
            model: String::new(),
            models: Vec::new(),
            listening: SpeechConfig { worker: None, language: None, timeout: nothing, memory },
        },
        by,
    }
}

/// Whether the first line that a worker reads asks for a file of these kinds; such input is for [`serve`].
pub fn is_request(line: &str) -> bool {
    line.starts_with("{\"read\":")
}

/// What becomes of a file, told by a worker that `command` starts.
pub(crate) fn read(bytes: &[u8], source: &Source, command: &[OsString], config: &Config) -> Outcome {
    let request = Request::new(bytes, source, config);
    let mut taken = READERS.take(command);
    loop {
        let mut worker = match taken {
            Ok(worker) => worker,
            Err(error) => return failed(source, ErrorKind::Crashed, error.to_string(), None),
        };
        match worker.ask(&request, bytes).and_then(|()| worker.next(request.time)) {
            Ok(outcome) => {
                READERS.give(command, worker);
                return outcome;
            }
            // It may have been ended while it was idle, or lack what an earlier file took: a new one decides.
            Err(Lost::Died(_) | Lost::OutOfMemory) if worker.is_used() => taken = READERS.start(command),
            Err(lost) => return lost_with(&lost, source, &request),
        }
    }
}

fn lost_with(lost: &Lost, source: &Source, request: &Request) -> Outcome {
    match lost {
        Lost::Hung => {
            let why = format!("the file took longer than {} s", request.time.as_secs_f32());
            failed(source, ErrorKind::Timeout, why, Some("raise --file-timeout, or split the file"))
        }
        Lost::OutOfMemory => {
            let why = format!("more than {} bytes of memory needed", request.memory);
            failed(source, ErrorKind::TooLarge, why, Some("raise --max-memory, or split the file"))
        }
        Lost::Died(how) => failed(source, ErrorKind::Crashed, format!("the worker process ended ({how})"), None),
    }
}

fn failed(source: &Source, kind: ErrorKind, why: String, hint: Option<&str>) -> Outcome {
    let record = ErrorRecord::new(source.key.as_str(), STAGE, kind, why);
    Outcome::Failed(ErrorRecord { hint: hint.map(str::to_owned), ..record })
}

fn receive(output: &mut dyn BufRead) -> Option<Result<Outcome, String>> {
    let mut line = String::new();
    if output.read_line(&mut line).ok()? == 0 {
        return None;
    }
    Some(serde_json::from_str(&line).map_err(|error| error.to_string()))
}

/// Answers requests from `input` with what became of each file until the input ends.
///
/// Call it in a process of its own: it silences panics, bounds the process's memory and ends the process when a file
/// takes more than twice its time.
///
/// # Errors
/// Where the input cannot be read, or is no request, or the output cannot be written.
pub fn serve(mut input: impl BufRead, output: impl Write) -> io::Result<()> {
    // A panic becomes a failed file; its message travels in the record, not on stderr.
    std::panic::set_hook(Box::new(|_| {}));
    let watchdog = Watchdog::start();
    let mut output = io::BufWriter::new(output);
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let request: Request = serde_json::from_str(&line)?;
        worker::memory(request.memory);
        // The parent stops waiting at the time; this is for the parent that is no more.
        watchdog.allow(request.time.saturating_mul(2));
        let mut bytes = vec![0; request.read];
        input.read_exact(&mut bytes)?;
        serde_json::to_writer(&mut output, &here(&bytes, &request))?;
        output.write_all(b"\n")?;
        output.flush()?;
        watchdog.rest();
        line.clear();
    }
    Ok(())
}

fn here(bytes: &[u8], request: &Request) -> Outcome {
    let source = request.source();
    catch_unwind(AssertUnwindSafe(|| of_bytes(bytes, &source, &request.config())))
        .unwrap_or_else(|_| failed(&source, ErrorKind::Crashed, "the reader panicked".to_owned(), None))
}
