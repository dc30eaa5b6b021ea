//! Where the words of a citation stand among the passages of its source.

use std::cell::OnceCell;
use std::ops::Range;

use techrag_core::record::{Citation, Passage, Source};
use techrag_core::{place, text};

use super::effort::Effort;

/// Words found, and how their place compares with the one named.
pub(super) struct Found<'a> {
    /// The words as the passage has them.
    pub(super) words: &'a str,
    /// The page that holds most of them.
    pub(super) page: Option<u32>,
    /// How their place compares with the one named.
    pub(super) place: Place,
}

/// How a found place compares with the one named.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Chunk and page are right; or the format has no pages.
    AsNamed,
    /// The page is right, the chunk is another one of the same source.
    OtherPassage(String),
    /// Another page than the one named.
    OtherPage(String),
    /// The page is right, the place within it is another one.
    Elsewhere(String),
    /// The citation names no page although there is one.
    NoPageNamed,
}

/// The passages of a record's sources as they are searched: each folded once, when it is first needed.
pub(super) struct Texts<'a> {
    sources: &'a [Source],
    folded: Vec<Vec<OnceCell<Searchable>>>,
    effort: Effort,
}

impl<'a> Texts<'a> {
    pub(super) fn of(sources: &'a [Source], effort: Effort) -> Self {
        let folded = sources.iter().map(|source| source.passages.iter().map(|_| OnceCell::new()).collect()).collect();
        Self { sources, folded, effort }
    }

    /// Every place in a passage where folded words stand, the first [`PLACES`] of them.
    fn places(&self, [at, inside]: [usize; 2], wanted: &str) -> Result<Vec<Range<usize>>, String> {
        let passage = &self.sources[at].passages[inside];
        let folded = self.folded[at][inside].get_or_init(|| Searchable::new(&passage.text));
        if !self.effort.spend(folded.folded.len() as u64) {
            return Err("not looked for: the record quotes more than is searched".into());
        }
        Ok(folded.places(&passage.text, wanted).take(PLACES).collect())
    }
}

/// Places of the same words in one passage that are compared with the page named.
const PLACES: usize = 1000;

/// Finds the words of a citation.
///
/// # Errors
/// Why it does not resolve, in words.
pub(super) fn locate<'a>(citation: &Citation, texts: &Texts<'a>) -> Result<Found<'a>, String> {
    let at = texts.sources.iter().position(|source| source.n == citation.source);
    let at = at.ok_or_else(|| format!("there is no SOURCE {}", citation.source))?;
    let source = &texts.sources[at];
    if source.key != citation.key {
        return Err(format!("SOURCE {} is {}, not {}", source.n, source.key, citation.key));
    }
    let (wanted, _) = traced_fold(&citation.span);
    if wanted.is_empty() {
        return Err("the citation quotes nothing".into());
    }
    let named = source.passages.iter().position(|passage| passage.uid == citation.uid);
    let in_passage = |inside: usize, other: Option<&String>| -> Result<Vec<Found<'a>>, String> {
        let places = texts.places([at, inside], &wanted)?;
        Ok(places.into_iter().map(|range| found(&source.passages[inside], range, citation, other)).collect())
    };
    if let Some(inside) = named
        && let Some(found) = best(in_passage(inside, None)?)
    {
        return Ok(found);
    }
    let mut elsewhere = Vec::new();
    for (inside, passage) in source.passages.iter().enumerate().filter(|(_, passage)| passage.uid != citation.uid) {
        elsewhere.extend(best(in_passage(inside, Some(&passage.uid))?));
    }
    match (best(elsewhere), named) {
        (Some(found), _) => Ok(found),
        (None, Some(_)) => Err("the quoted words stand nowhere in the source's passages".into()),
        (None, None) => Err(format!("chunk {} is not among the passages of SOURCE {}", citation.uid, source.n)),
    }
}

/// Of the places where the words stand, the first on the page named; the first of all where none is.
fn best<'a>(places: impl IntoIterator<Item = Found<'a>>) -> Option<Found<'a>> {
    let mut first = None;
    for found in places {
        if matches!(found.place, Place::AsNamed | Place::OtherPassage(_)) {
            return Some(found);
        }
        first.get_or_insert(found);
    }
    first
}

fn found<'a>(passage: &'a Passage, range: Range<usize>, citation: &Citation, other: Option<&String>) -> Found<'a> {
    let pages = place::pages(&range, &passage.spans, passage.pages);
    let place = match citation.page {
        Some(named) if pages.contains(&named) => Place::AsNamed,
        // The passage itself does not say on which of its pages the words stand.
        Some(named) if pages.is_empty() && passage.pages.is_some_and(|[a, b]| (a..=b).contains(&named)) => {
            Place::AsNamed
        }
        Some(_) => Place::OtherPage(listed(&pages)),
        None if pages.is_empty() => Place::AsNamed,
        None => Place::NoPageNamed,
    };
    let place = match (place, &citation.place, place::place(&range, &passage.spans)) {
        (Place::AsNamed, Some(named), Some(found)) if *named != found => Place::Elsewhere(found),
        (place, ..) => place,
    };
    let place = match (place, other) {
        (Place::AsNamed, Some(uid)) => Place::OtherPassage(uid.clone()),
        (place, _) => place,
    };
    let page = place::page(&range, &passage.spans, passage.pages);
    Found { words: &passage.text[range], page, place }
}

fn listed(pages: &[u32]) -> String {
    match pages {
        [] => "none that is known".into(),
        pages => pages.iter().map(u32::to_string).collect::<Vec<_>>().join(" and "),
    }
}

/// A text folded for being searched more than once: case, white space, hyphens, ligatures and typographic forms aside.
pub(crate) struct Searchable {
    folded: String,
    /// The byte of the text that each byte of the fold comes from.
    origin: Vec<usize>,
}

impl Searchable {
    pub(crate) fn new(text: &str) -> Self {
        let (folded, origin) = traced_fold(text);
        Self { folded, origin }
    }

    /// Where a quotation stands first in the text that this was made of.
    pub(crate) fn find(&self, text: &str, quotation: &str) -> Option<Range<usize>> {
        let (wanted, _) = traced_fold(quotation);
        if wanted.is_empty() { None } else { self.places(text, &wanted).next() }
    }

    /// Where folded words stand, in order.
    fn places(&self, text: &str, wanted: &str) -> impl Iterator<Item = Range<usize>> {
        self.folded.match_indices(wanted).map(move |(first, _)| {
            let last = self.origin[first + wanted.len() - 1];
            self.origin[first]..last + text[last..].chars().next().map_or(0, char::len_utf8)
        })
    }
}

/// [`text::fold_tight`] character by character, with the byte of the text that each byte of the fold comes from.
fn traced_fold(text: &str) -> (String, Vec<usize>) {
    let mut folded = String::new();
    let mut origin = Vec::new();
    for (at, c) in text.char_indices() {
        if c.is_ascii_alphanumeric() {
            folded.push(c.to_ascii_lowercase());
            origin.push(at);
            continue;
        }
        let piece = text::fold_tight(c.encode_utf8(&mut [0; 4]));
        origin.resize(origin.len() + piece.len(), at);
        folded.push_str(&piece);
    }
    (folded, origin)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(text: &str, quotation: &str) -> Vec<Range<usize>> {
        let (wanted, _) = traced_fold(quotation);
        if wanted.is_empty() { Vec::new() } else { Searchable::new(text).places(text, &wanted).collect() }
    }

    #[test]
    fn a_quotation_is_found_in_spite_of_typography() {
        let text = "The eﬃcient esti-\nmator – 0.27 on snow.";
        let found: Vec<&str> = find(text, "EFFICIENT estimator - 0.27").into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["eﬃcient esti-\nmator – 0.27"]);
        assert!(find(text, "0.28").is_empty());
    }

    proptest! {
        #[test]
        fn any_piece_of_a_text_is_found(text in "\\PC{1,60}", from in 0..60usize, size in 1..20usize) {
            let chars: Vec<char> = text.chars().collect();
            let from = from.min(chars.len() - 1);
            let piece: String = chars[from..(from + size).min(chars.len())].iter().collect();
            let visible = !traced_fold(&piece).0.is_empty();
            prop_assert!(!find(&text, &piece).is_empty() || !visible);
        }
    }
}
