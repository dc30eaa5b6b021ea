//! Pictures that lie in the library already: only in folders of its own, believed after a look, gone with their
//! documents.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use image::{ImageFormat, ImageReader, Limits};
use techrag_index::Problem;
use techrag_pdf::LONGEST_SIDE;

use crate::error::{Error, Result};

/// Folders of pictures within the library, the outer one first.
const FOLDERS: [&str; 2] = ["pages", "images"];
/// Most bytes of a picture: the largest that is drawn has 50 MB of pixels.
const MOST_BYTES: u64 = 64 << 20;
/// How a JPEG and a PNG end.
const JPEG_END: &[u8] = &[0xff, 0xd9];
const PNG_END: &[u8] = b"IEND\xae\x42\x60\x82";

/// The name of a document's folder of pictures within the library.
pub(crate) fn name(doc_id: &str) -> String {
    format!("{}/{doc_id}", FOLDERS.join("/"))
}

/// The folder of a document's pictures, made if it is missing. A link is no folder of the library: it may lead
/// anywhere.
///
/// # Errors
/// If it, or one that holds it, is something else than a folder, or it cannot be made.
pub(crate) fn folder(root: &Path, doc_id: &str) -> Result<PathBuf> {
    let mut folder = root.to_owned();
    let failed = |folder: &Path, message: String| Error::Picture { path: folder.to_owned(), message };
    if !is_id(doc_id) {
        return Err(failed(root, format!("{doc_id:?} is no id of a document")));
    }
    for part in FOLDERS.iter().copied().chain([doc_id]) {
        folder.push(part);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(&folder, error.to_string()));
            }
            _ if is_own(&folder) => {}
            _ => return Err(failed(&folder, "it is no folder of the library's own".to_owned())),
        }
    }
    Ok(folder)
}

/// Whether a path is a folder and no link to one.
fn is_own(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir())
}

fn is_id(name: &str) -> bool {
    name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a file is a picture of the format its name says, no larger than any is drawn, and has its end: one that was
/// cut short, emptied or replaced by something else is not.
pub(crate) fn is_sound(path: &Path) -> bool {
    header(path).is_ok()
}

/// What the header and the end of a picture say against it.
fn header(path: &Path) -> io::Result<()> {
    let damaged = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let about = fs::symlink_metadata(path)?;
    if !about.is_file() || about.len() > MOST_BYTES {
        return Err(damaged("it is no regular file of a picture's size"));
    }
    let (format, end) = match path.extension().and_then(|extension| extension.to_str()) {
        Some("png") => (ImageFormat::Png, PNG_END),
        _ => (ImageFormat::Jpeg, JPEG_END),
    };
    let mut file = File::open(path)?;
    let mut last = vec![0; end.len()];
    file.seek(SeekFrom::Start(about.len().saturating_sub(end.len() as u64)))?;
    file.read_exact(&mut last)?;
    if last != end {
        return Err(damaged("it has no end"));
    }
    file.rewind()?;
    let (width, height) =
        ImageReader::with_format(BufReader::new(file), format).into_dimensions().map_err(io::Error::other)?;
    if width.min(height) == 0 || width.max(height) > LONGEST_SIDE {
        return Err(damaged(&format!("{width} by {height} pixels are no picture of a page")));
    }
    Ok(())
}

/// Reads a picture whole.
fn check(path: &Path) -> io::Result<()> {
    header(path)?;
    let mut reader = ImageReader::open(path)?;
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(LONGEST_SIDE), Some(LONGEST_SIDE));
    limits.max_alloc = Some(MOST_BYTES * 2);
    reader.limits(limits);
    reader.decode().map(drop).map_err(io::Error::other)
}

/// The entries of a folder, by name; none where there is no folder.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// Reads every picture of the library at `root` whole; says how many are well, and names those that are not and what is
/// no folder of the library's own.
pub(crate) fn verify(root: &Path) -> (usize, Vec<Problem>) {
    let (mut well, mut problems) = (0, Vec::new());
    let images = root.join(FOLDERS.join("/"));
    let mut folders = vec![root.join(FOLDERS[0]), images.clone()];
    folders.extend(entries(&images).unwrap_or_default());
    for folder in folders {
        if fs::symlink_metadata(&folder).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            continue;
        }
        if !is_own(&folder) {
            problems.push(Problem { file: folder, what: "it is no folder of the library's own".to_owned() });
            continue;
        }
        if folder.parent() != Some(images.as_path()) {
            continue;
        }
        let pictures = entries(&folder).unwrap_or_else(|error| {
            problems.push(Problem { file: folder, what: error.to_string() });
            Vec::new()
        });
        // A writer that was killed leaves a file of no such name.
        let is_picture = |file: &PathBuf| file.extension().is_some_and(|it| it == "jpg" || it == "png");
        for file in pictures.into_iter().filter(is_picture) {
            match check(&file) {
                Ok(()) => well += 1,
                Err(error) => problems.push(Problem { file, what: format!("the picture is broken: {error}") }),
            }
        }
    }
    (well, problems)
}

/// Removes the pictures of all documents but these.
///
/// # Errors
/// If a folder cannot be read or removed.
pub(crate) fn forget_but(root: &Path, living: &BTreeSet<String>) -> Result<()> {
    let images = root.join(FOLDERS.join("/"));
    if !is_own(&root.join(FOLDERS[0])) || !is_own(&images) {
        return Ok(());
    }
    let failed = |error: io::Error| Error::Picture { path: images.clone(), message: error.to_string() };
    for folder in entries(&images).map_err(failed)? {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if is_id(name) && !living.contains(name) {
            forget(root, name)?;
        }
    }
    Ok(())
}

/// Removes the pictures of a document.
///
/// # Errors
/// If its folder cannot be removed.
pub(crate) fn forget(root: &Path, doc_id: &str) -> Result<()> {
    let mut folder = root.to_owned();
    for part in FOLDERS.iter().copied().chain([doc_id]) {
        folder.push(part);
        if !is_id(doc_id) || !is_own(&folder) {
            return Ok(());
        }
    }
    let failed = |error: io::Error| Error::Picture { path: folder.clone(), message: error.to_string() };
    fs::remove_dir_all(&folder).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "00000000000000ab";
    const GONE: &str = "00000000000000ac";

    fn png() -> Vec<u8> {
        let mut bytes = io::Cursor::new(Vec::new());
        image::RgbImage::new(40, 30).write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn a_picture_that_is_cut_or_something_else_is_not_believed() {
        let root = tempfile::tempdir().unwrap();
        let file = folder(root.path(), ID).unwrap().join("00001-144.png");
        assert!(!is_sound(&file));
        fs::write(&file, png()).unwrap();
        assert!(is_sound(&file) && verify(root.path()) == (1, Vec::new()));
        let mut wide = png();
        // The width, in the header's big-endian bytes.
        wide[16..20].copy_from_slice(&u32::MAX.to_be_bytes());
        for broken in [Vec::new(), png()[..60].to_vec(), b"<script>".to_vec(), wide] {
            fs::write(&file, broken).unwrap();
            assert!(!is_sound(&file));
            let (well, problems) = verify(root.path());
            assert!(well == 0 && problems.len() == 1 && problems[0].file == file, "{problems:?}");
        }
        let jpeg = file.with_extension("jpg");
        fs::rename(&file, &jpeg).unwrap();
        fs::write(&jpeg, png()).unwrap();
        assert!(!is_sound(&jpeg), "a PNG under the name of a JPEG");
    }

    #[test]
    fn a_picture_whose_middle_is_damaged_is_named_by_verify() {
        let root = tempfile::tempdir().unwrap();
        let file = folder(root.path(), ID).unwrap().join("00001-144.png");
        let mut bytes = png();
        let middle = bytes.len() / 2 + 5;
        bytes[middle] ^= 0xff;
        fs::write(&file, bytes).unwrap();
        assert_eq!(verify(root.path()).1.len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_library_is_not_followed() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = |at: &str| std::os::unix::fs::symlink(other.path(), root.path().join(at)).unwrap();
        fs::create_dir_all(other.path().join(ID)).unwrap();
        for at in ["pages", "pages/images", "pages/images/00000000000000ab"] {
            link(at);
            assert!(folder(root.path(), ID).is_err(), "{at}");
            forget(root.path(), ID).unwrap();
            forget_but(root.path(), &BTreeSet::new()).unwrap();
            assert!(other.path().join(ID).is_dir(), "{at}");
            assert_eq!(verify(root.path()).1[0].file, root.path().join(at));
            fs::remove_file(root.path().join(at)).unwrap();
            fs::create_dir(root.path().join(at)).unwrap();
        }
        assert!(folder(root.path(), "../../../tmp").is_err());
        let file = folder(root.path(), ID).unwrap().join("00001-144.png");
        fs::write(other.path().join("a.png"), png()).unwrap();
        std::os::unix::fs::symlink(other.path().join("a.png"), &file).unwrap();
        assert!(!is_sound(&file));
    }

    #[test]
    fn pictures_leave_with_their_document() {
        let root = tempfile::tempdir().unwrap();
        for doc_id in [ID, GONE] {
            fs::write(folder(root.path(), doc_id).unwrap().join("00001-144.png"), png()).unwrap();
        }
        let of = |doc_id: &str| root.path().join(name(doc_id));
        forget_but(root.path(), &BTreeSet::from([ID.to_owned()])).unwrap();
        assert!(of(ID).is_dir() && !of(GONE).exists());
        forget(root.path(), ID).unwrap();
        forget(root.path(), ID).unwrap();
        assert!(!of(ID).exists());
    }
}
