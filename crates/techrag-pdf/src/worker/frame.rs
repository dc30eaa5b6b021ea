//! What crosses the pipe between a parent and its worker: one JSON value a line in both directions; behind a picture's
//! line come its bytes.

use crate::config::Config;
use crate::error::Error;
use crate::page::{Info, OutlineItem, Page};
use crate::raster::{Picture, Size};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::BufRead;
use std::path::Path;
use std::time::Duration;

/// What the parent asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// The file; an `OsString` because a path need not be UTF-8.
    pub path: OsString,
    /// First page wanted, from 1: a restarted worker goes on behind the page that broke its predecessor.
    pub first: u32,
    /// Time for one page; the reader stops itself at it, the parent kills it somewhat later.
    pub page_timeout: Duration,
    /// Largest file, in bytes.
    pub max_bytes: u64,
    /// Most pages.
    pub max_pages: u32,
    /// Address space of the worker, in bytes.
    pub max_memory: u64,
    /// Password to try.
    pub password: Option<String>,
    /// One page to be drawn, instead of pages to be read.
    pub drawing: Option<Drawing>,
}

/// A page to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Drawing {
    /// The page, from 1.
    pub page: u32,
    /// How large.
    pub size: Size,
}

impl Request {
    pub(crate) fn new(path: &Path, first: u32, config: &Config) -> Self {
        Self {
            path: path.as_os_str().to_owned(),
            first,
            page_timeout: config.page_timeout,
            max_bytes: config.max_bytes,
            max_pages: config.max_pages,
            max_memory: config.max_memory,
            password: config.password.clone(),
            drawing: None,
        }
    }
}

/// What the worker answers: a head, the pages from `first` on, the end; or the picture; or an error at any point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Frame {
    /// The file is open.
    Head(Head),
    /// One page.
    Page(Page),
    /// All pages have been sent.
    End,
    /// The page drawn.
    Picture(Picture),
    /// The file cannot be read (on).
    Error(Error),
}

/// What is known once a file is open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// How many pages it has.
    pub pages: u32,
    /// Info dictionary and XMP.
    pub info: Info,
    /// Outline.
    pub outline: Vec<OutlineItem>,
}

/// The next frame, with the bytes of a picture; `None` at the end.
pub(crate) fn receive(output: &mut dyn BufRead) -> Option<Result<Frame, String>> {
    let mut line = String::new();
    if output.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut frame: Frame = match serde_json::from_str(&line) {
        Ok(frame) => frame,
        Err(error) => return Some(Err(error.to_string())),
    };
    if let Frame::Picture(picture) = &mut frame {
        let Some(length) = picture.length() else { return Some(Err("a picture of no such size".to_owned())) };
        picture.rgb = vec![0; length];
        output.read_exact(&mut picture.rgb).ok()?;
    }
    Some(Ok(frame))
}
