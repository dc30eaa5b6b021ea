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

/// The references of a list whose lines carry no positions; an empty line separates blocks.
pub(crate) fn from_text(lines: &[String], words: &Words) -> Vec<Reference> {
    let mut block = 0;
    let mut placed = Vec::new();
    for line in lines {
        if line.trim().is_empty() {
            block += 1;
        } else {
            placed.push(TextLine { text: line.clone(), block, ..TextLine::default() });
        }
    }
    from_lines(&placed, words)
}

/// The references of a list, in the order printed.
pub(crate) fn from_lines(lines: &[TextLine], words: &Words) -> Vec<Reference> {
    let raw: Vec<String> = entries::split(lines)
        .into_iter()
        .map(|range| weld(&lines[range], words).text)
        .filter(|raw| raw.chars().filter(|c| c.is_alphabetic()).count() >= 8)
        .collect();
    let quoted = raw.iter().filter(|raw| entry::quoted_title(raw).is_some()).count();
    let style = if quoted * 3 >= raw.len() { entry::Style::Quoted } else { entry::Style::Plain };
    raw.iter().map(|raw| entry::parse(raw, style)).collect()
}
