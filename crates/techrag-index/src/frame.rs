//! The frame of every immutable file beside the catalog: magic, versions, named sections, checksums.
//!
//! ```text
//! 0   magic      "TECHRAG\n"
//! 8   u32        frame version
//! 12  [u8; 4]    kind, for example "TEXT"
//! 16  u32        version of the kind
//! 20  u32        number of sections n
//! 24  u64        length of the file
//! 32  n × 56     name [u8; 8] (zero padded) · offset u64 · length u64 · SHA-256 of the section [u8; 32]
//! …   [u8; 32]   SHA-256 of everything above: the seal
//! …              the sections, each on a multiple of 64 bytes
//! ```
//! All numbers are little-endian. The catalog keeps the seal, and through the sections' digests the seal covers every
//! byte but the padding, which is zero. Opening checks the header (a few hundred bytes) and that the seal is the one expected;
//! [`Frame::check`] reads everything. What a section means is its owner's business.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytemuck::AnyBitPattern;
use memmap2::Mmap;
use sha2::{Digest as _, Sha256};

use crate::error::{At as _, Error, Result};

#[cfg(target_endian = "big")]
compile_error!("segments are little-endian and read in place");

const MAGIC: &[u8; 8] = b"TECHRAG\n";
const VERSION: u32 = 1;
const FIXED: usize = 32;
const ENTRY: usize = 56;
const ALIGN: usize = 64;
/// Bytes around a page of a file that Linux maps with it where they are in memory (`fault_around_bytes`).
const READ_AROUND: usize = 64 * 1024;

/// The SHA-256 of a frame's header, which vouches for the whole file.
pub type Seal = [u8; 32];

/// What a frame holds, and in which version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Four ASCII letters.
    pub tag: [u8; 4],
    /// Version of what the sections mean.
    pub version: u32,
}

/// A section to be written: a name of at most 8 bytes and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// Name, ASCII, at most 8 bytes.
    pub name: &'a str,
    /// Content.
    pub bytes: &'a [u8],
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Its seal.
    pub seal: Seal,
}

/// Writes a frame: under a temporary name in the same folder, synced to disk, then renamed over `path`.
///
/// # Errors
/// If the file cannot be written. Nothing is left under `path` then.
pub fn write(path: &Path, kind: Kind, sections: &[Section<'_>]) -> Result<Written> {
    let (header, places, length) = header(kind, sections);
    let seal: Seal = Sha256::digest(&header).into();
    let temporary = path.with_extension("tmp");
    let file = File::create(&temporary).at(&temporary)?;
    let mut out = BufWriter::new(file);
    let mut put = |bytes: &[u8]| out.write_all(bytes).at(&temporary);
    put(&header)?;
    put(&seal)?;
    let mut written = header.len() + seal.len();
    for (section, place) in sections.iter().zip(&places) {
        put(&[0; ALIGN][..place.start - written])?;
        put(section.bytes)?;
        written = place.end;
    }
    let file = out.into_inner().map_err(std::io::IntoInnerError::into_error).at(&temporary)?;
    file.sync_all().at(&temporary)?;
    fs::rename(&temporary, path).at(path)?;
    sync_folder(path)?;
    Ok(Written { bytes: length as u64, seal })
}

/// A rename is durable once its folder is synced. Not every system can sync a folder; there the rename is as durable
/// as it gets.
pub(crate) fn sync_folder(path: &Path) -> Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if cfg!(unix) => Err(error).at(folder),
        _ => Ok(()),
    }
}

fn header(kind: Kind, sections: &[Section<'_>]) -> (Vec<u8>, Vec<Range<usize>>, usize) {
    let mut end = FIXED + ENTRY * sections.len() + size_of::<Seal>();
    let mut places = Vec::with_capacity(sections.len());
    for section in sections {
        let start = end.next_multiple_of(ALIGN);
        end = start + section.bytes.len();
        places.push(start..end);
    }
    let mut header = Vec::with_capacity(FIXED + ENTRY * sections.len());
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&VERSION.to_le_bytes());
    header.extend_from_slice(&kind.tag);
    header.extend_from_slice(&kind.version.to_le_bytes());
    header.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    header.extend_from_slice(&(end as u64).to_le_bytes());
    for (section, place) in sections.iter().zip(&places) {
        let mut name = [0; 8];
        name[..section.name.len()].copy_from_slice(section.name.as_bytes());
        header.extend_from_slice(&name);
        header.extend_from_slice(&(place.start as u64).to_le_bytes());
        header.extend_from_slice(&(place.len() as u64).to_le_bytes());
        header.extend_from_slice(&Sha256::digest(section.bytes));
    }
    (header, places, end)
}

/// An open frame, memory-mapped.
#[derive(Debug)]
pub struct Frame {
    map: Mmap,
    path: PathBuf,
    places: Vec<Place>,
    seal: Seal,
}

#[derive(Debug)]
struct Place {
    name: [u8; 8],
    range: Range<usize>,
    digest: [u8; 32],
}

impl Frame {
    /// Maps a frame and checks its header.
    ///
    /// # Errors
    /// If the file cannot be mapped, is of another kind or version, or its header is damaged.
    pub fn open(path: &Path, kind: Kind) -> Result<Self> {
        let file = File::open(path).at(path)?;
        // SAFETY: the file is immutable once it has its name: it was renamed into place when complete, is never
        // written again, and is removed only by unlinking, which leaves mappings valid.
        let map = unsafe { Mmap::map(&file) }.at(path)?;
        let (places, seal) = parse(&map, kind).map_err(|what| Error::corrupt(path, what))?;
        Ok(Self { map, path: path.to_owned(), places, seal })
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The digest of the header, which covers the digests of the sections.
    pub fn seal(&self) -> Seal {
        self.seal
    }

    /// Length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// The range of a section within the file.
    ///
    /// # Errors
    /// If there is no such section.
    pub fn place(&self, name: &str) -> Result<Range<usize>> {
        let found = self.places.iter().find(|place| unpadded(&place.name) == name.as_bytes());
        found.map(|place| place.range.clone()).ok_or_else(|| self.corrupt(format!("it has no section {name:?}")))
    }

    /// The items of a range that [`Frame::place`] gave; empty if the range is not whole items.
    pub fn items<T: AnyBitPattern>(&self, place: &Range<usize>) -> &[T] {
        bytemuck::try_cast_slice(self.map.get(place.clone()).unwrap_or_default()).unwrap_or_default()
    }

    /// Tells the system that a range of the file is about to be read, so that it comes in one go and not page by page.
    pub fn will_need(&self, place: &Range<usize>) {
        // Advice that is not taken costs time only.
        #[cfg(unix)]
        let _ = self.map.advise_range(memmap2::Advice::WillNeed, place.start, place.len());
        #[cfg(not(unix))]
        let _ = place;
    }

    /// Gives back the memory of a range that has been read; read once more, it comes from the file again. Without this
    /// a process that searches for long holds all it ever touched.
    pub fn done_with(&self, place: &Range<usize>) {
        // Reading a page of the file maps those around it too where they are in memory, within a window of this size.
        let window = |at: usize| (self.map.as_ptr() as usize + at) % READ_AROUND;
        let start = place.start - window(place.start).min(place.start);
        let end = (place.end + (READ_AROUND - window(place.end))).min(self.map.len());
        // SAFETY: the map is read-only and of a file that is never written (see `open`), so what leaves memory comes
        // back with the same bytes; references into the range stay good. Advice that is not taken costs memory only.
        #[cfg(unix)]
        let _ = unsafe {
            self.map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, end.saturating_sub(start))
        };
        #[cfg(not(unix))]
        let _ = place;
    }

    /// Reads every section and compares its digest; what lies between them must be zero.
    ///
    /// # Errors
    /// [`Error::Corrupt`], naming the first damaged section.
    pub fn check(&self) -> Result<()> {
        let mut end = FIXED + ENTRY * self.places.len() + size_of::<Seal>();
        for place in &self.places {
            let between = self.map.get(end..place.range.start).unwrap_or_default();
            if between.iter().any(|byte| *byte != 0) {
                return Err(self.corrupt("what lies between its sections is not zero"));
            }
            end = place.range.end;
            if Sha256::digest(&self.map[place.range.clone()]).as_slice() != place.digest {
                let name = String::from_utf8_lossy(unpadded(&place.name));
                return Err(self.corrupt(format!("section {name:?} does not have its checksum")));
            }
        }
        Ok(())
    }

    /// An error that names this file.
    pub fn corrupt(&self, what: impl Into<String>) -> Error {
        Error::corrupt(&self.path, what)
    }
}

fn parse(map: &[u8], kind: Kind) -> Result<(Vec<Place>, Seal), String> {
    if map.get(..8) != Some(MAGIC.as_slice()) {
        return Err("it does not start as a segment does".into());
    }
    let version = number(map, 8, 4)?;
    let tag = map.get(12..16).unwrap_or_default();
    let kind_version = number(map, 16, 4)?;
    if version != u64::from(VERSION) || tag != kind.tag || kind_version != u64::from(kind.version) {
        return Err(format!("it is a {} of version {version}.{kind_version}", String::from_utf8_lossy(tag)));
    }
    let count = number(map, 20, 4)? as usize;
    let end = count.checked_mul(ENTRY).map_or(usize::MAX, |entries| entries.saturating_add(FIXED));
    let seal: Seal = Sha256::digest(map.get(..end).ok_or("its header is cut off")?).into();
    if map.get(end..end + size_of::<Seal>()) != Some(seal.as_slice()) {
        return Err("its header does not have its checksum".into());
    }
    let length = number(map, 24, 8)?;
    if length != map.len() as u64 {
        return Err(format!("it has {} bytes of {length}", map.len()));
    }
    let places = (0..count).map(|at| place(map, FIXED + at * ENTRY)).collect::<Result<_, _>>()?;
    Ok((places, seal))
}

fn place(map: &[u8], at: usize) -> Result<Place, String> {
    let (start, length) = (number(map, at + 8, 8)? as usize, number(map, at + 16, 8)? as usize);
    let end = start.checked_add(length).filter(|end| *end <= map.len()).ok_or("a section lies outside the file")?;
    let copy = |range: Range<usize>| map.get(range).unwrap_or_default();
    let mut place = Place { name: [0; 8], range: start..end, digest: [0; 32] };
    place.name.copy_from_slice(copy(at..at + 8));
    place.digest.copy_from_slice(copy(at + 24..at + 56));
    Ok(place)
}

fn number(map: &[u8], at: usize, width: usize) -> Result<u64, String> {
    let bytes = map.get(at..at + width).ok_or("its header is cut off")?;
    Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn unpadded(name: &[u8; 8]) -> &[u8] {
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { tag: *b"TEST", version: 3 };

    fn sample(folder: &Path) -> (PathBuf, Written) {
        let path = folder.join("one.seg");
        let sections = [
            Section { name: "numbers", bytes: bytemuck::cast_slice(&[1_u32, 2, 3]) },
            Section { name: "empty", bytes: b"" },
            Section { name: "eightlet", bytes: b"text" },
        ];
        let written = write(&path, KIND, &sections).unwrap();
        (path, written)
    }

    #[test]
    fn what_is_written_is_read_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let (path, written) = sample(folder.path());
        let frame = Frame::open(&path, KIND).unwrap();
        frame.check().unwrap();
        assert_eq!((frame.bytes(), frame.seal()), (written.bytes, written.seal));
        assert_eq!(frame.items::<u32>(&frame.place("numbers").unwrap()), [1, 2, 3]);
        assert_eq!(frame.items::<u8>(&frame.place("empty").unwrap()), b"");
        assert_eq!(frame.items::<u8>(&frame.place("eightlet").unwrap()), b"text");
        assert!(frame.place("nothing").is_err());
        assert!(!path.with_extension("tmp").exists());
    }

    #[test]
    fn another_kind_or_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = sample(folder.path());
        assert!(Frame::open(&path, Kind { tag: *b"PAGE", version: 3 }).is_err());
        assert!(Frame::open(&path, Kind { version: 4, ..KIND }).is_err());
    }

    #[test]
    fn every_damaged_byte_and_every_cut_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = sample(folder.path());
        let whole = fs::read(&path).unwrap();
        let damaged = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            Frame::open(&path, KIND).and_then(|frame| frame.check()).is_err()
        };
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            assert!(damaged(&bytes), "byte {at}");
        }
        for length in 0..whole.len() {
            assert!(damaged(&whole[..length]), "cut at {length}");
        }
        assert!(!damaged(&whole));
    }
}
