//! Office files: Word, PowerPoint and Excel, told apart by the root element of their main part and not by any name.
//!
//! What the format keeps beside the text (pictures, embedded objects, comments) and no reader here reads is counted in
//! the document's provenance under `left_out`, so that it is named once and not silently gone.

mod archive;
mod chart;
mod docx;
mod ordinal;
mod pptx;
mod relations;
mod xlsx;
mod xml;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::json;
use techrag_core::record::ErrorRecord;

use archive::{Archive, Error};
use relations::Relations;

use crate::draft::Draft;

/// What a zip archive was.
pub(crate) enum Office {
    /// An office file.
    Read(Box<Draft>),
    /// An archive of another kind: its media type.
    Other(&'static str),
    /// An office file that cannot be read.
    Failed(ErrorRecord),
}

/// A zip archive as a draft, where it is an office file.
pub(crate) fn read(bytes: &[u8], key: &str) -> Office {
    // The readers of others that are used here may panic on what they did not foresee; that costs one file.
    let outcome = catch_unwind(AssertUnwindSafe(|| draft(bytes)))
        .unwrap_or_else(|_| Err(Error::Damaged("a reader gave up on the file".into())));
    match outcome {
        Ok(Some(draft)) => Office::Read(Box::new(draft)),
        Ok(None) => Office::Other(other(bytes)),
        // A broken archive that shows no sign of an office file is just an archive.
        Err(Error::Damaged(_)) if !find(bytes, b"[Content_Types].xml") => Office::Other(other(bytes)),
        Err(error) => Office::Failed(error.record(key)),
    }
}

fn draft(bytes: &[u8]) -> Result<Option<Draft>, Error> {
    let mut archive = Archive::open(bytes)?;
    let package = Relations::of("", &mut archive)?;
    let Some(main) = package.of_kind("officeDocument").first().map(|name| (*name).to_owned()) else { return Ok(None) };
    if main.ends_with(".bin") {
        return Ok(None);
    }
    let missing = || Error::Damaged(format!("the part {main} is missing"));
    let root = archive.tree(&main)?.ok_or_else(missing)?;
    let mut draft = match &*root.name {
        "w:document" => docx::read(&root, &main, &mut archive)?,
        "p:presentation" => pptx::read(&root, &main, &mut archive)?,
        "x:workbook" => xlsx::read(bytes, &root, &main, &mut archive)?,
        other => return Err(Error::Damaged(format!("the part {main} is no document but {other:?}"))),
    };
    title(&mut draft, &package, &mut archive)?;
    Ok(Some(draft))
}

/// The title that the file's properties give, where the text gives none. Programs write names of their own there.
fn title(draft: &mut Draft, package: &Relations, archive: &mut Archive<'_>) -> Result<(), Error> {
    if draft.title.is_some() {
        return Ok(());
    }
    let Some(name) = package.of_kind("core-properties").first().map(|name| (*name).to_owned()) else { return Ok(()) };
    let Some(core) = archive.tree(&name)? else { return Ok(()) };
    let title = core.find("title").map(|node| techrag_core::text::squeeze(&node.text())).unwrap_or_default();
    let folded = title.to_lowercase();
    let made_up = ["powerpoint presentation", "microsoft word", "untitled", "presentation title", "word document"];
    if !title.is_empty() && !made_up.iter().any(|name| folded.starts_with(name)) {
        draft.title = Some(title);
        draft.provenance.insert("title".into(), json!("file properties"));
    }
    Ok(())
}

/// What an archive holds that is no office file.
fn other(bytes: &[u8]) -> &'static str {
    match () {
        () if find(bytes, b"application/epub+zip") => "application/epub+zip",
        () if find(bytes, b"vnd.oasis.opendocument") => "application/vnd.oasis.opendocument",
        () if find(bytes, b"xl/workbook.bin") => "application/vnd.ms-excel.sheet.binary",
        () => "application/zip",
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

/// What a file holds that is not read, counted.
#[derive(Clone, Debug, Default)]
struct LeftOut(BTreeMap<&'static str, u64>);

impl LeftOut {
    fn count(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    fn write(self, draft: &mut Draft) {
        if !self.0.is_empty() {
            draft.provenance.insert("left_out".into(), json!(self.0));
        }
    }
}

#[cfg(test)]
mod tests;
