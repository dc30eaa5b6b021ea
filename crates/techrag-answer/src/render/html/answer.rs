//! The answer's text cut into words and links to what it quotes.

use serde::Serialize;
use techrag_core::record::{Answer, Check, CheckResult, Checks};
use techrag_core::{clean, place};

/// A stretch of the answer's text.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Piece {
    pub(super) text: String,
    /// Numbers of the quotations a marker stands for, from 1; empty for words.
    pub(super) cites: Vec<usize>,
    /// The worst of what their checks found, as a class.
    pub(super) result: &'static str,
    /// A marker that no sentence stands behind.
    pub(super) forged: bool,
    /// The marker that its quotations lead back to: no marker before it stands for them.
    pub(super) anchor: bool,
}

/// A citation as the page needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cite<'a> {
    /// Index of its sentence.
    pub(super) sentence: usize,
    pub(super) source: u32,
    pub(super) page: Option<u32>,
    /// The place in a source without printed pages.
    pub(super) place: Option<&'a str>,
    pub(super) check: Option<&'a Check>,
}

impl Cite<'_> {
    /// Where its words stand, as its marker says.
    pub(super) fn place(&self) -> Option<String> {
        place::printed(self.page, self.place)
    }

    pub(super) fn class(&self) -> &'static str {
        match self.check.map(|check| check.result) {
            Some(CheckResult::Verified) => "verified",
            Some(CheckResult::Partial) => "partial",
            Some(CheckResult::WrongPage) => "wrong_page",
            Some(CheckResult::NotFound) => "not_found",
            None => "",
        }
    }
}

/// Every citation in the order of the answer, each with its check. A sentence that was judged as a whole has one check
/// for all its citations.
pub(super) fn cites<'a>(answer: &'a Answer, checks: Option<&'a Checks>) -> Vec<Cite<'a>> {
    let mut cites = Vec::new();
    for (at, sentence) in answer.sentences.iter().enumerate() {
        let claims = checks.iter().flat_map(|checks| &checks.claims).filter(|check| check.sentence == at);
        let claims: Vec<&Check> = claims.collect();
        for (nth, citation) in sentence.citations.iter().enumerate() {
            let check = claims.get(nth).or(claims.last()).copied();
            let place = citation.place.as_deref();
            cites.push(Cite { sentence: at, source: citation.source, page: citation.page, place, check });
        }
    }
    cites
}

/// The text's paragraphs, cut at its markers.
pub(super) fn paragraphs(text: &str, cites: &[Cite<'_>]) -> Vec<Vec<Piece>> {
    let mut used = vec![false; cites.len()];
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| pieces(line, cites, &mut used)).collect()
}

fn pieces(line: &str, cites: &[Cite<'_>], used: &mut [bool]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let words = |text: &str| Piece { text: clean::line(text), cites: vec![], result: "", forged: false, anchor: false };
    let mut rest = line;
    while let Some((before, marker, after)) = next_marker(rest) {
        if !before.trim().is_empty() {
            let joint = if pieces.is_empty() { "" } else { " " };
            pieces.push(words(before));
            if let Some(piece) = pieces.last_mut() {
                piece.text.insert_str(0, joint);
            }
        }
        pieces.push(link(&marker, cites, used));
        rest = after;
    }
    if !rest.trim().is_empty() {
        let mut last = words(rest);
        if !pieces.is_empty() && rest.starts_with(char::is_whitespace) {
            last.text.insert(0, ' ');
        }
        pieces.push(last);
    }
    pieces
}

struct Marker<'a> {
    /// What stands between its brackets, behind the kind.
    inside: &'a str,
    label: String,
    source: u32,
    page: Option<u32>,
}

/// The next `[SOURCE n: Title, p. 2]`, `[SOURCE n: Title, slide 3]` or `[EXTERNAL n: Title]`, with what stands before
/// and after it.
fn next_marker(text: &str) -> Option<(&str, Marker<'_>, &str)> {
    let kinds = [("SOURCE", "[SOURCE "), ("EXTERNAL", "[EXTERNAL ")];
    let begins = |at: usize| kinds.iter().find(|(_, mark)| text[at..].starts_with(mark)).map(|kind| (at, *kind));
    let (at, (kind, mark)) = text.match_indices('[').find_map(|(at, _)| begins(at))?;
    let inside = &text[at + mark.len()..];
    let end = inside.find(']')?;
    let (inside, after) = (&inside[..end], &inside[end + 1..]);
    let digits = inside.find(|c: char| !c.is_ascii_digit()).unwrap_or(inside.len());
    let source = inside[..digits].parse().unwrap_or(0);
    let page: Option<u32> = inside.rsplit_once(", p. ").and_then(|(_, page)| page.trim().parse().ok());
    let label = if kind == "SOURCE" { String::new() } else { "external ".to_owned() };
    Some((&text[..at], Marker { inside, label: format!("{label}{source}"), source, page }, after))
}

/// The quotations that a marker stands for: the next ones not yet linked, of one sentence; else the first that match.
fn link(marker: &Marker<'_>, cites: &[Cite<'_>], used: &mut [bool]) -> Piece {
    let of_source = |cite: &&Cite<'_>| cite.source == marker.source;
    let names = |place: &String| marker.inside.ends_with(&format!(", {place}"));
    let place = cites.iter().filter(of_source).filter_map(Cite::place).find(names);
    let matches = |cite: &Cite<'_>| {
        let as_named = if place.is_some() { cite.place() == place } else { marker.page.is_none() };
        cite.source == marker.source && as_named
    };
    let first = (0..cites.len()).find(|&at| !used[at] && matches(&cites[at]));
    let mut linked = Vec::new();
    if let Some(first) = first {
        for at in first..cites.len() {
            if !used[at] && matches(&cites[at]) && cites[at].sentence == cites[first].sentence {
                used[at] = true;
                linked.push(at + 1);
            }
        }
    } else {
        linked.extend(cites.iter().position(matches).map(|at| at + 1));
    }
    // Classes order as their severity does by accident of spelling only; name the order.
    let severity =
        |class: &str| ["verified", "", "partial", "wrong_page", "not_found"].iter().position(|c| *c == class);
    let result = linked.iter().map(|n| cites[n - 1].class()).max_by_key(|class| severity(class)).unwrap_or("");
    let (forged, anchor) = (linked.is_empty(), first.is_some());
    let place = place.or_else(|| place::printed(marker.page, None)).map_or(String::new(), |place| format!(", {place}"));
    Piece { text: format!("{}{place}", marker.label), cites: linked, result, forged, anchor }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cite(sentence: usize, source: u32, page: u32) -> Cite<'static> {
        Cite { sentence, source, page: Some(page), place: None, check: None }
    }

    fn shown(text: &str, cites: &[Cite<'_>]) -> Vec<(String, Vec<usize>)> {
        paragraphs(text, cites).into_iter().flatten().map(|piece| (piece.text, piece.cites)).collect()
    }

    #[test]
    fn markers_become_links_to_the_quotations_of_their_sentence() {
        let cites = [cite(0, 1, 2), cite(0, 1, 2), cite(1, 1, 2), cite(2, 2, 5)];
        let text = "It slips. [SOURCE 1: On friction, p. 2] It grips. [SOURCE 1: On friction, p. 2]\n\n\
                    Both. [SOURCE 2: Of [odd] titles, p. 5]";
        assert_eq!(
            shown(text, &cites)[..4],
            [
                ("It slips.".to_owned(), vec![]),
                ("1, p. 2".into(), vec![1, 2]),
                (" It grips.".into(), vec![]),
                ("1, p. 2".into(), vec![3])
            ]
        );
    }

    #[test]
    fn a_place_without_a_page_is_linked_too() {
        let at = |sentence, place| Cite { sentence, source: 1, page: None, place: Some(place), check: None };
        let text = "It slips. [SOURCE 1: Runs, p. 9, S!A2:B2] It grips. [SOURCE 1: Runs, p. 9, S!A3:B3]";
        let got = shown(text, &[at(0, "S!A2:B2"), at(1, "S!A3:B3")]);
        assert_eq!(got[1], ("1, S!A2:B2".to_owned(), vec![1]));
        assert_eq!(got[3], ("1, S!A3:B3".to_owned(), vec![2]));
        let again = paragraphs("It slips. [SOURCE 1: A, p. 2] And so on. [SOURCE 1: A, p. 2]", &[cite(0, 1, 2)]);
        let anchors: Vec<bool> = again[0].iter().map(|piece| piece.anchor).collect();
        assert_eq!(anchors, [false, true, false, false], "one place to lead back to");
        let forged = paragraphs("It slips. [SOURCE 1: Runs, p. 9]", &[at(0, "S!A2:B2")]);
        assert!(forged[0][1].forged, "{forged:?}");
    }

    #[test]
    fn a_marker_that_no_sentence_stands_behind_is_no_link() {
        let pieces = paragraphs("It slips. [SOURCE 9: Nowhere, p. 1]", &[cite(0, 1, 2)]);
        assert!(pieces[0][1].forged && pieces[0][1].cites.is_empty(), "{pieces:?}");
        let unclosed = paragraphs("It slips. [SOURCE 1: On", &[cite(0, 1, 2)]);
        assert_eq!(unclosed[0].len(), 1, "{unclosed:?}");
    }
}
