//! A file that is a picture (PNG, JPEG, TIFF): a document of as many pages as it has.

use techrag_core::record::{ErrorKind, ErrorRecord};
use techrag_pdf::{Outcome, Page, Pdf, Renderer};

use super::budget::Budget;
use super::mend::{Mended, mend_picture, say};
use crate::draft::Draft;
use crate::{Config, STAGE, pdf};

/// Pictures that are read.
const MEDIA: [&str; 3] = ["image/png", "image/jpeg", "image/tiff"];

/// Whether files of this media type are read as pictures.
pub(crate) fn is_picture(media_type: &str) -> bool {
    MEDIA.contains(&media_type)
}

/// A picture as a draft.
///
/// # Errors
/// An error record where no reader of pictures is there, or no page could be read at all.
pub(crate) fn read(
    path: &std::path::Path,
    bytes: &[u8],
    key: &str,
    media_type: &'static str,
    config: &Config,
) -> Result<Draft, ErrorRecord> {
    let failed = |kind, why: String| ErrorRecord::new(key, STAGE, kind, why);
    let reader = config.ocr.reader().map_err(|absent| {
        failed(ErrorKind::Unsupported, format!("no reader for {media_type}: {}", absent.why)).hint(absent.hint.clone())
    })?;
    let count = techrag_pdf::pages_of_picture(bytes);
    if count > config.pdf.max_pages {
        let why = format!("{count} pages, {} allowed", config.pdf.max_pages);
        return Err(failed(ErrorKind::TooLarge, why).hint("raise --max-pages"));
    }
    let mut renderer = Renderer::new(path, &config.pdf);
    let mut mended = Mended::default();
    let budget = Budget::new(config.pdf.file_timeout);
    let mut page = |page| mend_picture(&mut renderer, &config.ocr, reader, &budget, page, &mut mended);
    let pages: Vec<Page> = (1..=count).map(&mut page).collect();
    if let Some((_, kind, why)) = mended.failed.first().filter(|_| mended.failed.len() == pages.len()) {
        return Err(failed(*kind, why.clone()));
    }
    let mut pdf = Pdf { pages, ..Pdf::default() };
    techrag_pdf::finish(&mut pdf);
    let mut draft = pdf::draft(&pdf, key);
    draft.media_type = media_type;
    say(&mended, config.ocr.config.doubt, &mut draft);
    if pdf.pages.iter().all(|page| page.outcome != Outcome::Text) {
        draft.provenance.insert("note".into(), "no words were found on it".into());
    }
    Ok(draft)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::scan::{Ocr, OcrConfig, OcrReader};

    #[test]
    fn pages_that_the_time_does_not_reach_are_not_drawn() {
        let mut config = crate::test_config();
        config.ocr = Ocr::new(OcrConfig { reader: OcrReader::Tesseract, ..config.ocr.config });
        config.pdf.file_timeout = Duration::ZERO;
        if let Err(absent) = config.ocr.reader() {
            eprintln!("skipped: {}", absent.why);
            return;
        }
        // A TIFF of two directories without entries.
        let bytes = [b"II*\0\x08\0\0\0\0\0\x0e\0\0\0\0\0\0\0\0\0".as_slice()].concat();
        let error = read(std::path::Path::new("none.tif"), &bytes, "k", "image/tiff", &config).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Timeout, "{error:?}");
        assert!(error.message.contains("not reached"), "{error:?}");
    }
}
