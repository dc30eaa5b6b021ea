//! Page images beside the answer, as the library keeps them.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use techrag_core::clean;
use techrag_core::record::{PageHit, Query};

/// A page in the gallery, with the figure or table of it that fits best.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    key: String,
    page: u32,
    caption: Option<String>,
    score: String,
    /// What was cut out of it, if anything was.
    crop: Option<Drawn>,
    whole: Drawn,
}

/// A picture, or why there is none.
#[derive(Debug, Serialize)]
struct Drawn {
    /// A `data:` URI.
    image: Option<String>,
    alt: String,
    absent: String,
}

/// The page hits of a record, best first.
pub(super) fn pages(query: &Query, images: &Images<'_>) -> Vec<Shown> {
    query.visual.iter().flatten().map(|hit| shown(hit, images)).collect()
}

fn shown(hit: &PageHit, images: &Images<'_>) -> Shown {
    let key = clean::line(&hit.key);
    let place = format!("{key}, page {}", hit.page);
    let crop = hit.crop.as_ref().filter(|crop| crop.image.is_some());
    let said = hit.caption.as_deref().or_else(|| crop.and_then(|crop| crop.caption.as_deref()));
    let caption = said.map(clean::line);
    let cut = crop.map(|crop| {
        let caption = crop.caption.as_deref().map_or(String::new(), |caption| format!(": {}", clean::line(caption)));
        drawn(crop.image.as_deref(), format!("cut out of {place}{caption}"), images)
    });
    let mut score = format!("score {:.3}", hit.scores.score);
    if let Some(fit) = crop.and_then(|crop| crop.score) {
        score.push_str(&format!(" · match {fit:.3}"));
    }
    let whole = drawn(hit.image.as_deref(), place, images);
    Shown { page: hit.page, key, caption, score, crop: cut, whole }
}

fn drawn(path: Option<&str>, alt: String, images: &Images<'_>) -> Drawn {
    let image = path.ok_or_else(|| "the page was not rendered".to_owned()).and_then(images);
    Drawn {
        absent: image.as_ref().err().map(|why| clean::line(why)).unwrap_or_default(),
        image: image.ok().map(|image| format!("data:{};base64,{}", image.media_type, STANDARD.encode(&image.bytes))),
        alt,
    }
}

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
