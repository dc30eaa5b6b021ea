//! Pages of one file as pictures, from the parent's side: one worker draws them, and a page that breaks it costs
//! itself.

use crate::config::Config;
use crate::error::Error;
use crate::extract;
use crate::raster::{Picture, Size};
use crate::worker::frame::{Drawing, Frame, Request};
use crate::worker::pool::READERS;
use crate::worker::process::{Lost, Worker};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Draws pages of one file. The worker keeps the file open between pages.
pub struct Renderer<'a> {
    path: PathBuf,
    config: &'a Config,
    worker: Option<Worker<Frame>>,
    open: Option<extract::File>,
}

impl<'a> Renderer<'a> {
    /// A renderer of the file at `path`. Nothing is read yet.
    pub fn new(path: &Path, config: &'a Config) -> Self {
        Self { path: path.to_owned(), config, worker: None, open: None }
    }

    /// Draws a page, counted from 1, within the limits of the configuration.
    ///
    /// # Errors
    /// [`Error::Page`] where this page cannot be drawn, and why; another where the file cannot be read at all. The
    /// next page may be asked for after either.
    pub fn page(&mut self, number: u32, size: Size) -> Result<Picture, Error> {
        let drawing = Drawing { page: number, size };
        let request = Request { drawing: Some(drawing), ..Request::new(&self.path, number, self.config) };
        match &self.config.worker {
            Some(command) => self.isolated(command, &request),
            None => extract::picture(&request, &mut self.open),
        }
    }

    fn isolated(&mut self, command: &[OsString], request: &Request) -> Result<Picture, Error> {
        let mut worker = self.worker.take().map_or_else(|| READERS.take(command), Ok)?;
        // Opening the file may come first.
        let patience = self.config.page_timeout.saturating_mul(2);
        match converse(&mut worker, request, patience) {
            Ok(result) => {
                self.worker = Some(worker);
                result
            }
            // What is lost with the worker is this page; the next one gets another worker.
            Err(lost) => Err(Error::Page(crate::read::reason(&lost, self.config))),
        }
    }
}

impl Drop for Renderer<'_> {
    fn drop(&mut self) {
        if let (Some(command), Some(worker)) = (&self.config.worker, self.worker.take()) {
            READERS.give(command, worker);
        }
    }
}

fn converse(worker: &mut Worker<Frame>, request: &Request, patience: Duration) -> Result<Result<Picture, Error>, Lost> {
    worker.ask(request, &[])?;
    match worker.next(patience)? {
        Frame::Picture(picture) => Ok(Ok(picture)),
        Frame::Error(error) => Ok(Err(error)),
        _ => Err(Lost::Died("garbled answer: no picture".to_owned())),
    }
}
