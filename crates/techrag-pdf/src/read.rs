//! Reading one file from the parent's side: collect its pages, replace workers that break, then look across pages.

use crate::config::Config;
use crate::error::Error;
use crate::extract;
use crate::layout::document;
use crate::page::{Outcome, Page, Pdf};
use crate::worker::frame::{Frame, Head, Request};
use crate::worker::pool::READERS;
use crate::worker::process::{Lost, Worker};
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

/// Reads a file.
///
/// A page that fails is recorded as such and costs nothing but itself. Callers may read several files from several
/// threads at once; each holds a worker of its own while it reads.
///
/// # Errors
/// Where nothing of the file can be read: see [`Error`].
pub fn read(path: &Path, config: &Config) -> Result<Pdf, Error> {
    read_mending(path, config, |_| {})
}

/// The same, with the pages given to `mend` before anything is told from several of them together (running headers,
/// paragraphs that go on): a page without a text layer may be replaced there by what is read off its picture.
///
/// # Errors
/// Where nothing of the file can be read: see [`Error`].
pub fn read_mending(path: &Path, config: &Config, mend: impl FnOnce(&mut [Page])) -> Result<Pdf, Error> {
    let mut file = File::default();
    match &config.worker {
        Some(command) => isolated(path, command, config, &mut file)?,
        None => here(path, config, &mut file)?,
    }
    let head = file.head.ok_or_else(|| Error::Crashed("the reader said nothing".to_owned()))?;
    let mut pdf = Pdf { info: head.info, outline: head.outline, pages: file.pages };
    mend(&mut pdf.pages);
    finish(&mut pdf);
    Ok(pdf)
}

/// Tells what only several pages together tell; for pages that did not come out of [`read`].
pub fn finish(pdf: &mut Pdf) {
    document::finish(&mut pdf.pages);
}

/// What has come of a file so far.
#[derive(Default)]
struct File {
    head: Option<Head>,
    pages: Vec<Page>,
}

impl File {
    /// The page after those that have come, from 1.
    fn next(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// Takes a frame; true at the end.
    fn take(&mut self, frame: Frame) -> Result<bool, Error> {
        match frame {
            // A restarted worker says the head again.
            Frame::Head(head) => self.head = Some(head),
            Frame::Page(page) => self.pages.push(page),
            Frame::End => return Ok(true),
            Frame::Picture(_) => {}
            Frame::Error(error) => return Err(error),
        }
        Ok(false)
    }

    fn fail_page(&mut self, why: &str) {
        self.pages.push(Page { number: self.next(), outcome: Outcome::Failed(why.to_owned()), ..Page::default() });
    }

    /// Whether every page has come, or failed.
    fn complete(&self) -> bool {
        self.head.as_ref().is_some_and(|head| self.next() > head.pages)
    }

    /// Whether no page has been read; failed ones do not count.
    fn nothing_read(&self) -> bool {
        self.pages.iter().all(|page| matches!(page.outcome, Outcome::Failed(_)))
    }
}

fn here(path: &Path, config: &Config, file: &mut File) -> Result<(), Error> {
    let mut result = Ok(());
    let request = Request::new(path, 1, config);
    let sent = extract::run(&request, &mut |frame| {
        if let Err(error) = file.take(frame) {
            result = Err(error);
        }
        Ok(())
    });
    sent.map_err(|error| Error::Crashed(error.to_string())).and(result)
}

/// Reads with workers, going on behind a page that broke one.
fn isolated(path: &Path, command: &[OsString], config: &Config, file: &mut File) -> Result<(), Error> {
    let end = Instant::now().checked_add(config.file_timeout);
    loop {
        let mut worker = READERS.take(command)?;
        let lost = match converse(&mut worker, path, config, end, file) {
            Ok(result) => {
                READERS.give(command, worker);
                return result;
            }
            Err(lost) => lost,
        };
        drop(worker);
        if left(end).is_zero() {
            return out_of_time(config, file);
        }
        if file.head.is_none() {
            return Err(as_error(&lost, config));
        }
        file.fail_page(&reason(&lost, config));
        if file.complete() {
            return if file.nothing_read() { Err(as_error(&lost, config)) } else { Ok(()) };
        }
    }
}

/// One conversation with one worker, to the end of the file (with its result) or of the worker.
fn converse(
    worker: &mut Worker<Frame>,
    path: &Path,
    config: &Config,
    end: Option<Instant>,
    file: &mut File,
) -> Result<Result<(), Error>, Lost> {
    worker.ask(&Request::new(path, file.next(), config), &[])?;
    loop {
        // The reader stops itself at the page's time; what needs half as long again is stuck.
        let patience = (config.page_timeout.saturating_mul(3) / 2).min(left(end));
        match file.take(worker.next(patience)?) {
            Ok(true) => return Ok(Ok(())),
            Ok(false) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
}

fn left(end: Option<Instant>) -> Duration {
    end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
}

fn out_of_time(config: &Config, file: &mut File) -> Result<(), Error> {
    let why = format!("the file took longer than {} s", config.file_timeout.as_secs_f32());
    if file.nothing_read() {
        return Err(Error::Timeout(why));
    }
    while !file.complete() {
        file.fail_page(&why);
    }
    Ok(())
}

pub(crate) fn reason(lost: &Lost, config: &Config) -> String {
    match lost {
        Lost::Hung => format!("no answer within {} s", config.page_timeout.as_secs_f32()),
        Lost::OutOfMemory => format!("more than {} bytes of memory needed", config.max_memory),
        Lost::Died(how) => format!("the worker process ended ({how})"),
    }
}

fn as_error(lost: &Lost, config: &Config) -> Error {
    match lost {
        Lost::Hung => Error::Timeout(reason(lost, config)),
        Lost::OutOfMemory => Error::TooLarge(reason(lost, config)),
        Lost::Died(_) => Error::Crashed(reason(lost, config)),
    }
}
