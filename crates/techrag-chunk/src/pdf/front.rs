//! What stands before the first section: title and authors.
//!
//! Title: the largest print on the first page, lines of that size together; the Info dictionary's only where the layout
//! gives none and its words stand on the page, since it is more often junk than not. Authors: lines of one style between
//! the title and the abstract that read as names. An empty list is better than a wrong one.

use std::ops::Range;

use serde_json::json;
use techrag_core::text;
use techrag_pdf::{Pdf, Reader};

use super::heading::{self, Style};
use super::item::{Item, ItemKind};
use super::names::{self, Fonts};
use super::wording;
use crate::draft::{Draft, chars};
use crate::lines::{Words, weld};
use crate::role::{self, Heading};

/// Times the size of running text that a title must have.
const TITLE: f32 = 1.12;
/// Share of the words of an Info value that must stand on the first page.
const ON_PAGE: f32 = 0.6;
/// Items that a title page without any heading may have between title and text.
const MAX_ZONE: usize = 30;

/// The items before the first section.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Opening {
    /// The title's items; empty where none was found.
    pub(crate) title: Range<usize>,
    /// The first item that is text again: headings are looked for from here.
    pub(crate) end: usize,
}

/// Where the title stands and where the text begins.
pub(crate) fn opening(items: &[Item<'_>], style: &Style) -> Opening {
    let title = title(items, style).unwrap_or_default();
    let zone = items.iter().enumerate().skip(title.end).take_while(|(_, item)| item.page <= 2).take(MAX_ZONE);
    let first = zone.map(|(at, _)| at).find(|&at| opens_text(&items[at], style));
    Opening { end: first.unwrap_or(title.end), title }
}

/// Whether an item is the heading or run-in heading of the first section.
fn opens_text(item: &Item<'_>, style: &Style) -> bool {
    let text = item.text();
    let parsed = Heading::parse(&text);
    let first = matches!(parsed.number, Some("1" | "I")) && heading::is_set_apart(item, style) && chars(&text) < 100;
    item.kind == ItemKind::Text
        && (heading::run_in(item).is_some() || role::is_conventional(&text) || wording::is_contents(&text) || first)
}

fn title(items: &[Item<'_>], style: &Style) -> Option<Range<usize>> {
    let page = items.iter().find(|item| item.kind == ItemKind::Text)?.page;
    let usable = |item: &Item<'_>| {
        let text = item.text();
        item.kind == ItemKind::Text
            && item.page == page
            && item.size >= style.body * TITLE
            && (4..=300).contains(&chars(&text))
            && text.chars().filter(|c| c.is_alphabetic()).count() * 2 > chars(&text)
            && Heading::parse(&text).number.is_none_or(|number| number.starts_with(char::is_alphabetic))
            && !role::is_conventional(&text)
            && !is_masthead(&text)
    };
    let largest = items.iter().filter(|item| usable(item)).map(|item| item.size).max_by(f32::total_cmp)?;
    let same = |item: &Item<'_>| usable(item) && (item.size - largest).abs() < largest * 0.03;
    let start = items.iter().position(same)?;
    let lines = items[start..].iter().take_while(|item| same(item)).count();
    Some(start..start + lines)
}

/// A journal's name may be printed larger than the title.
fn is_masthead(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["issn", "©", "vol.", "volume ", "www.", "http"].iter().any(|mark| lower.contains(mark))
}

/// Title and authors, each with where it came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Front {
    title: Option<(String, &'static str)>,
    authors: Option<(Vec<String>, &'static str)>,
}

/// Reads title and authors.
pub(crate) fn read(items: &[Item<'_>], opening: &Opening, pdf: &Pdf) -> Front {
    let page_words = words_of_first_page(pdf);
    let on_page = |value: &str| {
        let words = words(value);
        let found = words.iter().filter(|word| page_words.contains(*word)).count();
        !words.is_empty() && found as f32 >= words.len() as f32 * ON_PAGE
    };
    let lines: Vec<_> = items[opening.title.clone()].iter().flat_map(Item::text_lines).collect();
    let printed = weld(&lines, &Words::default()).text;
    let info = |value: &Option<String>| value.as_deref().map(text::squeeze).filter(|value| on_page(value));
    let title = match printed.is_empty() {
        false => Some((printed, "layout")),
        true => info(&pdf.info.title).filter(|title| is_sane(title)).map(|title| (title, "info")),
    };
    let zone = opening.title.end..opening.end.max(opening.title.end);
    let is_seen = pdf.pages.first().is_some_and(|page| page.reader == Reader::Picture);
    let fonts = if is_seen { Fonts::Seen } else { Fonts::Said };
    let mut names = names::read(zone.clone().map(|at| items[at].source), fonts);
    let mut source = "layout";
    if names.is_empty()
        && let Some(value) = info(&pdf.info.author)
    {
        names = names::split(&value);
        source = "info";
    }
    Front { title, authors: Some((names, source)).filter(|(names, _)| !names.is_empty()) }
}

impl Front {
    pub(crate) fn fill(self, draft: &mut Draft) {
        if let Some((title, source)) = self.title {
            draft.title = Some(title);
            draft.provenance.insert("title".into(), json!(source));
        }
        if let Some((authors, source)) = self.authors {
            draft.authors = authors;
            draft.provenance.insert("authors".into(), json!(source));
        }
    }
}

fn words(value: &str) -> Vec<String> {
    let folded = text::fold(value);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

fn words_of_first_page(pdf: &Pdf) -> std::collections::HashSet<String> {
    let lines = pdf.pages.first().into_iter().flat_map(|page| &page.blocks).flat_map(|block| &block.lines);
    lines.flat_map(|line| words(&line.text())).collect()
}

/// What programs write where the author wrote nothing.
fn is_sane(title: &str) -> bool {
    let lower = title.to_lowercase();
    let junk = ["untitled", "microsoft word", "pii:", "slide 1", "document1"].iter().any(|junk| lower.contains(junk));
    let file = [".doc", ".docx", ".dvi", ".tex", ".pdf", ".qxd", ".indd"].iter().any(|ending| lower.ends_with(ending));
    !junk && !file && (8..=300).contains(&chars(title)) && title.contains(' ')
}
