//! Reference lists: the lines of the section taken apart into entries, the entries into fields.
//!
//! Entries are told apart by their labels (`[12]`, `12.`), else by hanging indent, else by blank lines
//! ([`entries`]); a field that cannot be told stays unknown ([`entry`]).

mod authors;
mod entries;
mod entry;
mod ids;

use techrag_core::record::Reference;

use crate::lines::{TextLine, Words, weld};

pub(crate) use authors::{are_names, split as split_authors};
pub(crate) use ids::{arxiv, doi};

/// A list taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct List {
    /// Its entries, in the order printed.
    pub(crate) references: Vec<Reference>,
    /// The first line that is no part of the list: text follows it without a heading. Zero where nothing reads as a
    /// reference, so that a section which only happens to be called so is not lost.
    pub(crate) end: usize,
}

/// The list in lines that carry no positions; an empty line separates blocks. What is no part of it comes back as text.
pub(crate) fn from_text(lines: &[String], words: &Words) -> (Vec<Reference>, Vec<String>) {
    let mut block = 0;
    let mut placed = Vec::new();
    for line in lines {
        if line.trim().is_empty() {
            block += 1;
        } else {
            placed.push(TextLine { text: line.clone(), block, ..TextLine::default() });
        }
    }
    let list = from_lines(&placed, words);
    (list.references, placed.drain(list.end..).map(|line| line.text).collect())
}

/// The list in lines that carry their places.
pub(crate) fn from_lines(lines: &[TextLine], words: &Words) -> List {
    let entries: Vec<_> = entries::split(lines)
        .into_iter()
        .map(|range| (range.end, weld(&lines[range], words).text))
        .filter(|(_, raw)| raw.chars().filter(|c| c.is_alphabetic()).count() >= 8)
        .collect();
    let quoted = entries.iter().filter(|(_, raw)| entry::quoted_title(raw).is_some()).count();
    let style = if quoted * 3 >= entries.len() { entry::Style::Quoted } else { entry::Style::Plain };
    let mut references: Vec<_> = entries.iter().map(|(end, raw)| (*end, entry::parse(raw, style))).collect();
    // A list ends with its last entry that has a date, a number or an address; what follows is text.
    while references.last().is_some_and(|(_, reference)| !is_reference(reference)) {
        references.pop();
    }
    let sure = references.iter().filter(|(_, reference)| is_reference(reference)).count();
    if sure * 2 < references.len() || references.is_empty() {
        return List::default();
    }
    let whole = references.len() == entries.len();
    let end = references.last().map_or(0, |(end, _)| if whole { lines.len() } else { *end });
    List { references: references.into_iter().map(|(_, reference)| reference).collect(), end }
}

fn is_reference(reference: &Reference) -> bool {
    reference.label.is_some() || reference.year.is_some() || reference.doi.is_some() || reference.raw.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(blocks: &[&str]) -> (Vec<Reference>, Vec<String>) {
        let lines: Vec<String> = blocks.iter().flat_map(|block| [(*block).to_owned(), String::new()]).collect();
        from_text(&lines, &Words::default())
    }

    #[test]
    fn text_after_the_last_entry_is_no_reference() {
        let (references, rest) = list(&[
            "E. Fiala. Side forces. VDI, 1954.",
            "H. Pacejka. Tire and Vehicle Dynamics. 2012.",
            "Return the vector of all roots.",
        ]);
        assert_eq!(references.len(), 2);
        assert_eq!(rest, ["Return the vector of all roots."]);
    }

    #[test]
    fn a_section_that_is_only_called_so_is_kept_as_text() {
        let (references, rest) = list(&["A reference points to a value.", "It is passed on.", "The year was 1999."]);
        assert_eq!((references.len(), rest.len()), (0, 3));
    }
}
