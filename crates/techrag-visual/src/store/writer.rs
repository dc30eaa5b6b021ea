//! Storing pages: a few at a time as a file of their own, small files joined, the matrix made anew at the end.

use std::path::Path;

use techrag_index::frame::{self, Section};
use techrag_index::{NewPage, PageCommit, PageFile, PagePlace, PageWriter};

use super::layout::{self, About, CODES, Layout, SETTING, TABLES, VECTORS};
use super::segment::{self, Draft, Segment};
use super::view::{Pages, frames, tables};
use crate::error::{Error, Result};
use crate::fde::Fde;

/// Files below this many bytes are joined.
const SMALL: u64 = 64 << 20;
/// So many small files are joined into one.
const MANY: usize = 16;

/// A library's pages, open for writing.
pub(crate) struct Store {
    pub(crate) writer: PageWriter,
    pub(crate) layout: Layout,
    pub(crate) fde: Fde,
}

impl Store {
    /// Opens the pages of the library at `root` for `layout`; the first one decides it. With `anew`, pages of another
    /// layout are forgotten, and those whose file is damaged.
    pub(crate) fn open(root: &Path, owner: &str, layout: Layout, anew: bool) -> Result<Self> {
        let mut writer = PageWriter::open(root, owner)?;
        let stored = writer.meta(SETTING)?;
        let known: Option<Layout> = stored.as_deref().and_then(|setting| serde_json::from_str(setting).ok());
        match (stored, known) {
            (Some(_), Some(known)) if known == layout && (!anew || mend(&mut writer)?) => {
                let fde = tables(&layout, frames(&writer.files()?)?.tables.as_ref())?;
                return Ok(Self { writer, layout, fde });
            }
            (Some(stored), known) if !anew => {
                let library = known.map_or(stored, |known| described(&known));
                return Err(Error::Encoder { library, here: described(&layout) });
            }
            _ => {}
        }
        writer.clear()?;
        let fde =
            Fde::new(layout.fde).ok_or_else(|| Error::Layout("the encoding's setting is not sound".to_owned()))?;
        let mut store = Self { writer, layout, fde };
        store.begin()?;
        Ok(store)
    }

    /// Stores layout and tables.
    fn begin(&mut self) -> Result<()> {
        let (id, path) = self.writer.next_file()?;
        let tables = self.fde.tables();
        let sections = [
            Section { name: "planes", bytes: bytemuck::cast_slice(tables.planes) },
            Section { name: "project", bytes: bytemuck::cast_slice(tables.projection) },
            Section { name: "sketch", bytes: bytemuck::cast_slice(tables.sketch) },
        ];
        let written = frame::write(&path, TABLES.1, &sections)?;
        let setting = serde_json::to_string(&self.layout).map_err(|error| Error::Layout(error.to_string()))?;
        self.writer.commit(&PageCommit {
            file: Some((id, TABLES.0, written)),
            pages: &[],
            failures: &[],
            settings: &[(SETTING, setting)],
        })?;
        Ok(())
    }

    /// Stores pages, and which could not be and why, in one transaction.
    pub(crate) fn add(&mut self, pages: &[(NewPage, Draft)], failures: &[(NewPage, String)]) -> Result<()> {
        let (names, drafts): (Vec<NewPage>, Vec<Draft>) = pages.iter().cloned().unzip();
        let file = if drafts.is_empty() {
            None
        } else {
            let (id, path) = self.writer.next_file()?;
            Some((id, VECTORS.0, segment::write(&path, &drafts)?))
        };
        self.writer.commit(&PageCommit { file, pages: &names, failures, settings: &[] })?;
        self.join()
    }

    /// Joins small files once there are many.
    fn join(&mut self) -> Result<()> {
        let files = self.writer.files()?;
        let small: Vec<&PageFile> =
            files.iter().filter(|file| file.kind == VECTORS.0 && file.bytes() < SMALL).collect();
        if small.len() < MANY {
            return Ok(());
        }
        let mut taken = Vec::new();
        let mut bytes = 0;
        for file in small {
            if bytes + file.bytes() > SMALL {
                break;
            }
            bytes += file.bytes();
            taken.push(file.clone());
        }
        if taken.len() < 2 { Ok(()) } else { self.join_files(&taken) }
    }

    fn join_files(&mut self, files: &[PageFile]) -> Result<()> {
        let mut rows = Vec::new();
        let mut drafts = Vec::new();
        let stored = self.writer.stored()?;
        for file in files {
            let segment = Segment::of(file.open(VECTORS.1)?, &self.layout)?;
            // What is no longer named stays behind.
            let mut living: Vec<&PagePlace> = stored.iter().filter(|place| place.file == file.id).collect();
            living.sort_by_key(|place| place.slot);
            for place in living {
                rows.push(place.row);
                drafts.push(segment.draft(place.slot as usize));
            }
        }
        let old: Vec<i64> = files.iter().map(|file| file.id).collect();
        if drafts.is_empty() {
            return Ok(self.writer.replace(&old, None, &[])?);
        }
        let (id, path) = self.writer.next_file()?;
        let written = segment::write(&path, &drafts)?;
        Ok(self.writer.replace(&old, Some((id, VECTORS.0, written)), &rows)?)
    }

    /// Makes the matrix of encodings anew where many pages are not in it.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let frames = frames(&self.writer.files()?)?;
        let old: Vec<i64> = frames.codes.iter().map(|(id, _)| *id).collect();
        let setting = serde_json::to_string(&self.layout).map_err(|error| Error::Layout(error.to_string()))?;
        let pages = Pages::of(&setting, frames, self.writer.stored()?)?;
        if !pages.codes.is_stale() {
            return Ok(());
        }
        let (id, path) = self.writer.next_file()?;
        let written = pages.codes.write(&path, &pages.segments)?;
        Ok(self.writer.replace(&old, Some((id, CODES.0, written)), &[])?)
    }
}

/// Forgets the pages of damaged files; whether those of the others can be kept, which need the tables of the encoding.
fn mend(writer: &mut PageWriter) -> Result<bool> {
    for file in writer.files()? {
        let kind = layout::kind(&file.kind);
        if kind.is_some_and(|kind| file.open(kind).and_then(|frame| frame.check()).is_ok()) {
            continue;
        }
        if file.kind == TABLES.0 {
            return Ok(false);
        }
        writer.forget_file(file.id)?;
    }
    Ok(true)
}

fn described(layout: &Layout) -> String {
    let Layout { form, scanned, fde, renderer, .. } = layout;
    format!(
        "{}, {form:?}, {scanned:?} of {}×2^{} ({} coordinates, seed {}), {renderer}",
        layout.encoder(),
        fde.repetitions,
        fde.bits,
        fde.length(),
        fde.seed
    )
}

/// A page of a document by number, for the catalog.
pub(crate) fn new_page(doc_id: &str, page: u32, about: &About) -> NewPage {
    let about = serde_json::to_string(about).unwrap_or_else(|_| "{}".to_owned());
    NewPage { doc_id: doc_id.to_owned(), page, about }
}
