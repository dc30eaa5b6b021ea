//! Where a stretch of a chunk's text stands on the page.

use std::ops::Range;

use crate::record::Span;

/// The pages that hold some of a byte range of a chunk's text, in the order of the text, each once.
///
/// White space between paragraphs belongs to no span. A chunk without spans has its page only if it begins and ends on
/// the same one.
pub fn pages(range: &Range<usize>, spans: &[Span], chunk_pages: Option<[u32; 2]>) -> Vec<u32> {
    let mut pages = Vec::new();
    for span in spans.iter().filter(|span| span.start < range.end && range.start < span.end) {
        if let Some(page) = span.page.filter(|page| !pages.contains(page)) {
            pages.push(page);
        }
    }
    match chunk_pages {
        Some([first, last]) if pages.is_empty() && first == last => vec![first],
        _ => pages,
    }
}

/// The page that holds most of a byte range, the first of equals.
pub fn page(range: &Range<usize>, spans: &[Span], chunk_pages: Option<[u32; 2]>) -> Option<u32> {
    let held = |page: u32| {
        let overlap = |span: &Span| span.end.min(range.end).saturating_sub(span.start.max(range.start));
        spans.iter().filter(|span| span.page == Some(page)).map(overlap).sum::<usize>()
    };
    // `max_by_key` keeps the last of equals, so the order is turned round.
    pages(range, spans, chunk_pages).into_iter().rev().max_by_key(|page| held(*page))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans() -> Vec<Span> {
        [(0, 10, 2), (12, 20, 2), (20, 60, 3)]
            .map(|(start, end, page)| Span { start, end, page: Some(page), bbox: None })
            .to_vec()
    }

    #[test]
    fn a_range_has_the_pages_of_the_spans_it_meets() {
        assert_eq!(pages(&(0..5), &spans(), None), [2]);
        assert_eq!(pages(&(5..30), &spans(), None), [2, 3]);
        assert_eq!(pages(&(10..12), &spans(), None), Vec::<u32>::new());
        assert_eq!(pages(&(99..120), &spans(), None), Vec::<u32>::new());
    }

    #[test]
    fn the_page_is_the_one_with_most_of_it() {
        assert_eq!(page(&(12..25), &spans(), None), Some(2));
        assert_eq!(page(&(12..60), &spans(), None), Some(3));
        assert_eq!(page(&(15..25), &spans(), None), Some(2), "equal shares: the first");
    }

    #[test]
    fn without_spans_the_chunk_decides_if_it_can() {
        assert_eq!(page(&(0..5), &[], Some([4, 4])), Some(4));
        assert_eq!(page(&(0..5), &[], Some([4, 5])), None);
        assert_eq!(page(&(0..5), &[], None), None);
    }
}
