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

/// The places ([`Span::place`]) that hold some of a byte range of a chunk's text, in the order of the text, each once.
pub fn places<'a>(range: &Range<usize>, spans: &'a [Span]) -> Vec<&'a str> {
    let mut places = Vec::new();
    for span in spans.iter().filter(|span| span.start < range.end && range.start < span.end) {
        if let Some(place) = span.place.as_deref().filter(|place| !places.contains(place)) {
            places.push(place);
        }
    }
    places
}

/// The place of a byte range as it is cited: the one it stands in, or the first and the last of several.
pub fn place(range: &Range<usize>, spans: &[Span]) -> Option<String> {
    match places(range, spans)[..] {
        [] => None,
        [only] => Some(only.to_owned()),
        [first, .., last] => Some(format!("{first} to {last}")),
    }
}

/// How a citation names where its words stand: the place where there is one, else `p. 3`; nothing where nothing is
/// known.
pub fn printed(page: Option<u32>, place: Option<&str>) -> Option<String> {
    place.map(crate::clean::title).or_else(|| page.map(|page| format!("p. {page}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans() -> Vec<Span> {
        [(0, 10, 2), (12, 20, 2), (20, 60, 3)]
            .map(|(start, end, page)| Span { start, end, page: Some(page), ..Span::default() })
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
    fn a_place_is_the_one_or_the_first_and_last() {
        let span = |(start, end, place): (usize, usize, &str)| Span {
            start,
            end,
            place: Some(place.to_owned()),
            ..Span::default()
        };
        let rows = [(0, 5, "S!A1:B1"), (6, 9, "S!A2:B2"), (10, 15, "S!A3:B3")].map(span);
        assert_eq!(place(&(6..9), &rows).as_deref(), Some("S!A2:B2"));
        assert_eq!(place(&(0..12), &rows).as_deref(), Some("S!A1:B1 to S!A3:B3"));
        assert_eq!(place(&(0..9), &spans()), None);
        assert_eq!(printed(Some(3), Some("slide 3")).as_deref(), Some("slide 3"));
        assert_eq!(printed(Some(3), None).as_deref(), Some("p. 3"));
        assert_eq!(printed(None, None), None);
    }

    #[test]
    fn without_spans_the_chunk_decides_if_it_can() {
        assert_eq!(page(&(0..5), &[], Some([4, 4])), Some(4));
        assert_eq!(page(&(0..5), &[], Some([4, 5])), None);
        assert_eq!(page(&(0..5), &[], None), None);
    }
}
