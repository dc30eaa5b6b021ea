//! What crosses the pipe between a parent and its worker: one JSON value a line in both directions.

use crate::config::Config;
use crate::error::Error;
use crate::page::{Info, OutlineItem, Page};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
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
        }
    }
}

/// What the worker answers: a head, the pages from `first` on, the end; or an error at any point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Frame {
    /// The file is open.
    Head(Head),
    /// One page.
    Page(Page),
    /// All pages have been sent.
    End,
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
