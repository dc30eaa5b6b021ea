//! The pages of a library as they were at one instant, open for searching.

use std::path::Path;

use techrag_index::frame::Frame;
use techrag_index::{PageFile, PagePlace, PageReader};

use super::codes::{Codes, Segments};
use super::layout::{self, Layout};
use super::segment::Segment;
use crate::error::{Error, Result};
use crate::fde::{Fde, Tables};

/// Open pages.
pub(crate) struct View {
    pub(crate) reader: PageReader,
    pub(crate) pages: Option<Pages>,
}

/// What is there once a page is stored.
pub(crate) struct Pages {
    pub(crate) layout: Layout,
    pub(crate) fde: Fde,
    pub(crate) segments: Segments,
    pub(crate) stored: Vec<PagePlace>,
    pub(crate) codes: Codes,
}

impl View {
    /// Opens the pages of the library at `root`; a library without any is one without pages.
    pub(crate) fn open(root: &Path) -> Result<Self> {
        let (reader, loaded) = PageReader::open(root, |reader| {
            let setting = reader.meta(layout::SETTING)?;
            Ok((setting, frames(&reader.files()?)?, reader.stored()?))
        })?;
        let (Some(setting), frames, stored) = loaded else { return Ok(Self { reader, pages: None }) };
        Ok(Self { pages: Some(Pages::of(&setting, frames, stored)?), reader })
    }
}

/// The files of pages, opened: each with its row.
pub(crate) struct Frames {
    pub(crate) vectors: Vec<(i64, Frame)>,
    pub(crate) tables: Option<Frame>,
    /// The newest.
    pub(crate) codes: Option<(i64, Frame)>,
}

pub(crate) fn frames(files: &[PageFile]) -> techrag_index::Result<Frames> {
    let mut frames = Frames { vectors: Vec::new(), tables: None, codes: None };
    for file in files {
        let Some(kind) = layout::kind(&file.kind) else { continue };
        let frame = file.open(kind)?;
        match kind {
            kind if kind == layout::VECTORS.1 => frames.vectors.push((file.id, frame)),
            kind if kind == layout::TABLES.1 => frames.tables = Some(frame),
            _ => frames.codes = Some((file.id, frame)),
        }
    }
    Ok(frames)
}

impl Pages {
    pub(crate) fn of(setting: &str, frames: Frames, stored: Vec<PagePlace>) -> Result<Self> {
        let layout: Layout = serde_json::from_str(setting).map_err(|error| Error::Layout(error.to_string()))?;
        let fde = tables(&layout, frames.tables.as_ref())?;
        let mut segments = Segments::new();
        for (id, frame) in frames.vectors {
            segments.insert(id, Segment::of(frame, &layout)?);
        }
        let codes = Codes::open(&layout, frames.codes.map(|(_, frame)| frame), &stored, &segments)?;
        Ok(Self { layout, fde, segments, stored, codes })
    }
}

/// The encoding from the stored hyperplanes and hashes.
pub(crate) fn tables(layout: &Layout, frame: Option<&Frame>) -> Result<Fde> {
    let frame = frame.ok_or_else(|| Error::Layout("the tables of the encoding are missing".to_owned()))?;
    let (planes, projection, sketch) = (frame.place("planes")?, frame.place("project")?, frame.place("sketch")?);
    let tables =
        Tables { planes: frame.items(&planes), projection: frame.items(&projection), sketch: frame.items(&sketch) };
    Fde::of(layout.fde, tables).ok_or_else(|| frame.corrupt("its tables do not fit the setting").into())
}
