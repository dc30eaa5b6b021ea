//! Page images beside the answer, as the library keeps them.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path};

/// The bytes of a page image and what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::render) struct Image {
    /// `image/jpeg` or `image/png`.
    pub(super) media_type: &'static str,
    /// The file's bytes.
    pub(super) bytes: Vec<u8>,
}

/// Gives the image at a path inside the library, or says why there is none.
pub(in crate::render) type Images<'a> = dyn Fn(&str) -> Result<Image, String> + 'a;

/// Larger files are not put into a page.
const LARGEST: u64 = 8 << 20;

/// Reads an image of the library. The path comes from a record: it may not leave the library, and what it names must
/// be a JPEG or PNG file.
pub(in crate::render) fn read_image(library: Option<&Path>, path: &str) -> Result<Image, String> {
    let library = library.ok_or("no --library to take the image from")?;
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    if !inside || path.is_empty() {
        return Err("the image's path leaves the library".into());
    }
    let file = library.join(path);
    let root = library.canonicalize().map_err(|error| format!("the library cannot be read: {error}"))?;
    let real = file.canonicalize().map_err(|error| format!("the image cannot be read: {error}"))?;
    if !real.starts_with(root) {
        return Err("the image's path leaves the library".into());
    }
    let mut bytes = Vec::new();
    let opened = File::open(real).map_err(|error| format!("the image cannot be read: {error}"))?;
    opened.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| format!("the image cannot be read: {error}"))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("the image is larger than {} MiB", LARGEST >> 20));
    }
    match bytes.as_slice() {
        [0xff, 0xd8, 0xff, ..] => Ok(Image { media_type: "image/jpeg", bytes }),
        [0x89, b'P', b'N', b'G', ..] => Ok(Image { media_type: "image/png", bytes }),
        _ => Err("the file is neither JPEG nor PNG".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_images_inside_the_library_are_read() {
        let place = tempfile::tempdir().expect("a folder");
        let library = place.path().join("lib");
        std::fs::create_dir(&library).expect("a folder");
        std::fs::write(place.path().join("secret.png"), b"\x89PNG").expect("a file");
        std::fs::write(library.join("a.jpg"), b"\xff\xd8\xff\xe0").expect("a file");
        std::fs::write(library.join("b.jpg"), b"root:x:0:0").expect("a file");
        std::os::unix::fs::symlink(place.path().join("secret.png"), library.join("link.png")).expect("a link");
        let read = |path: &str| read_image(Some(&library), path);
        assert_eq!(read("a.jpg").expect("an image").media_type, "image/jpeg");
        for path in ["../secret.png", "/etc/passwd", "", "b.jpg", "none.jpg", "link.png", "./a.jpg/../../secret.png"] {
            assert!(read(path).is_err(), "{path}");
        }
        assert!(read_image(None, "a.jpg").is_err());
    }
}
