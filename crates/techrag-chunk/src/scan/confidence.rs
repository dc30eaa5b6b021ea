//! How certain the reader was, said with each stretch of text that came off a picture.

use techrag_core::record::{RecognisedPage, Span};
use techrag_pdf::{Bbox, Page, Pdf, Recognised};

use crate::draft::Draft;

/// Sets the confidence of spans that stand on pages read off their pictures, and lists those pages in the draft.
pub(crate) fn attach(pdf: &Pdf, draft: &mut Draft) {
    let read: Vec<(&Page, &Recognised)> =
        pdf.pages.iter().filter_map(|page| page.recognised.as_ref().map(|read| (page, read))).collect();
    if read.is_empty() {
        return;
    }
    let spans = draft.sections.iter_mut().flat_map(|section| &mut section.paragraphs).flat_map(|one| &mut one.spans);
    for span in spans {
        let page = read.iter().find(|(page, _)| Some(page.number) == span.page);
        span.confidence = page.map(|(_, read)| thousandths(within(span, read).unwrap_or(read.confidence)));
    }
    let listed = read.iter().map(|(page, read)| RecognisedPage {
        page: page.number,
        by: read.by.clone(),
        confidence: thousandths(read.confidence),
        ..RecognisedPage::default()
    });
    draft.recognised = listed.collect();
}

/// Mean confidence of the words in the span's box, weighed by their width; `None` where none is.
fn within(span: &Span, read: &Recognised) -> Option<f32> {
    let area = span.bbox?;
    let inside = |word: &Bbox| {
        let (x, y) = (f32::midpoint(word[0], word[2]), f32::midpoint(word[1], word[3]));
        (area[0]..=area[2]).contains(&x) && (area[1]..=area[3]).contains(&y)
    };
    let words =
        || read.words.iter().filter(|(word, _)| inside(word)).map(|(word, c)| ((word[2] - word[0]).max(0.1), c));
    let width: f32 = words().map(|(width, _)| width).sum();
    (width > 0.0).then(|| words().map(|(width, confidence)| width * confidence).sum::<f32>() / width)
}

/// Finer than any use, and long digits cost bytes on the wire.
fn thousandths(share: f32) -> f32 {
    (share * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_the_confidence_of_the_words_in_its_box() {
        let word = |x: f32, width: f32, confidence| ([x, 10.0, x + width, 20.0], confidence);
        let read = Recognised {
            words: vec![word(0.0, 10.0, 0.5), word(20.0, 30.0, 0.9), word(300.0, 10.0, 0.0)],
            ..Recognised::default()
        };
        let span = |bbox| Span { bbox, ..Span::default() };
        assert!((within(&span(Some([0.0, 0.0, 60.0, 30.0])), &read).unwrap() - 0.8).abs() < 1e-6);
        assert_eq!(within(&span(Some([0.0, 40.0, 60.0, 60.0])), &read), None);
        assert_eq!(within(&span(None), &read), None);
    }
}
