//! Page images that a writer gets to see: those that `techrag-visual render` wrote into the library, best page first.
//!
//! They inform and are not cited. A record may name any path, so only relative ones without `..` are followed, and only
//! JPEG and PNG files of a page's size are read.

use std::path::{Component, Path};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use techrag_core::record::Query;
use techrag_net::chat::Image;

/// Largest file that is sent.
const LARGEST: usize = 4 << 20;

/// The images of the best `most` pages, and what could not be had, in words.
pub(super) fn images(query: &Query, library: &Path, most: usize) -> (Vec<Image>, Vec<String>) {
    let (mut images, mut notes) = (Vec::new(), Vec::new());
    let pages = (1..).zip(query.visual.as_deref().unwrap_or_default());
    let with_image = pages.filter_map(|(n, page)| Some((n, page, page.image.as_deref()?)));
    for (n, page, path) in with_image.take(most) {
        match read(library, path) {
            // As the prompt's visual evidence numbers them.
            Ok((media_type, base64)) => {
                images.push(Image { label: format!("[VISUAL {n}]"), media_type: media_type.into(), base64 });
            }
            Err(why) => notes.push(format!("the image of page {} of {} is not sent: {why}", page.page, page.key)),
        }
    }
    (images, notes)
}

fn read(library: &Path, path: &str) -> Result<(&'static str, String), String> {
    let path = Path::new(path);
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err("its path leaves the library".into());
    }
    let bytes = std::fs::read(library.join(path)).map_err(|error| error.to_string())?;
    let media_type = match bytes.as_slice() {
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        _ => return Err("it is neither JPEG nor PNG".into()),
    };
    if bytes.len() > LARGEST {
        return Err(format!("it has over {LARGEST} bytes"));
    }
    Ok((media_type, STANDARD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use techrag_core::record::PageHit;

    use super::*;

    #[test]
    fn images_come_from_inside_the_library_only() {
        let outer = tempfile::tempdir().unwrap();
        let library = outer.path().join("lib");
        std::fs::create_dir(&library).unwrap();
        std::fs::write(library.join("a.jpg"), [0xff, 0xd8, 0xff, 1]).unwrap();
        std::fs::write(library.join("b.jpg"), "a text").unwrap();
        std::fs::write(outer.path().join("secret.jpg"), [0xff, 0xd8, 0xff, 2]).unwrap();
        let page = |image: &str| PageHit { image: Some(image.into()), page: 3, key: "k".into(), ..PageHit::default() };
        let outside = library.join("a.jpg").to_string_lossy().into_owned();
        let pages = ["b.jpg", "a.jpg", "../secret.jpg", &outside, "gone.jpg", "a.jpg"].map(page).to_vec();
        let query = Query { visual: Some(pages), ..Query::new("?") };
        let (images, notes) = super::images(&query, &library, 5);
        assert_eq!((images.len(), notes.len()), (1, 4));
        let image = &images[0];
        let seen = (image.label.as_str(), image.media_type.as_str(), image.base64.as_str());
        assert_eq!(seen, ("[VISUAL 2]", "image/jpeg", "/9j/AQ=="));
    }
}
