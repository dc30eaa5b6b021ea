//! Which items are headings.
//!
//! Cues, the strongest first: the outline of the file names it; it is numbered and set apart by its font; it carries a
//! conventional name (`References`) and stands alone; it has the very style that numbered headings of this document
//! have, or is larger than the text. A bold line alone is no heading where numbered ones exist: theorems, labels and
//! run-in titles are bold too.

use std::collections::HashMap;

use techrag_core::text;
use techrag_pdf::OutlineItem;

use super::front::Opening;
use super::item::{Item, ItemKind};
use super::wording::{is_contents, is_contents_line, is_excluded, is_title, opens_with_word, shouted};
use crate::draft::chars;
use crate::role::{self, Heading};

/// Longest heading, in characters and lines.
const MAX_CHARS: usize = 160;
const MAX_LINES: usize = 3;
/// Bytes that a paragraph under a heading has at least.
const MIN_PARAGRAPH: usize = 60;
/// Times the size of running text that counts as larger.
const LARGER: f32 = 1.06;

/// A heading among the items.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// Index of its item.
    pub(crate) item: usize,
    /// As printed, with its number.
    pub(crate) text: String,
    /// Depth from 1.
    pub(crate) level: usize,
    /// Items that it takes whole: one, more where its lines stand apart, none where it is run into a paragraph.
    pub(crate) items: usize,
    /// Bytes at the start of the next line that belong to a heading run into its paragraph (`Abstract.`).
    pub(crate) run_in: usize,
}

/// How the running text of a document is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    /// Size in points.
    pub(crate) body: f32,
}

impl Style {
    /// The size that most characters of text items have.
    pub(crate) fn of(items: &[Item<'_>]) -> Self {
        let mut sizes: HashMap<u32, usize> = HashMap::new();
        for item in items.iter().filter(|item| item.kind == ItemKind::Text) {
            *sizes.entry(tenths(item.size)).or_default() += item.lines.iter().map(String::len).sum::<usize>();
        }
        let body =
            sizes.into_iter().max_by_key(|&(size, count)| (count, size)).map_or(10.0, |(size, _)| size as f32 / 10.0);
        Self { body }
    }

    fn is_larger(&self, item: &Item<'_>) -> bool {
        item.size > self.body * LARGER
    }
}

fn tenths(size: f32) -> u32 {
    (size * 10.0).round().max(0.0) as u32
}

/// Font of a heading, by which headings of one document are alike.
type Look = (u32, bool, bool, bool);

fn look(item: &Item<'_>) -> Look {
    (tenths(item.size), item.bold, item.italic, shouted(&item.text()))
}

/// The headings of a document, in order.
pub(crate) fn find(items: &[Item<'_>], style: &Style, opening: &Opening, outline: &[OutlineItem]) -> Vec<Found> {
    let looks = numbered_looks(items, style);
    let outline = by_words(outline);
    let mut found = Vec::new();
    let mut in_contents = false;
    for (at, item) in items.iter().enumerate().skip(opening.end) {
        if !matches!(item.kind, ItemKind::Text | ItemKind::Formula) {
            continue;
        }
        if found.last().is_some_and(|last: &Found| at < last.item + last.items) {
            continue;
        }
        let heading = classify(at, items, style, &outline, &looks);
        if let Some(mut heading) = heading.filter(|heading| !(in_contents && is_contents_line(&heading.text))) {
            in_contents = is_contents(&heading.text);
            take_further_lines(&mut heading, items);
            found.push(heading);
        }
    }
    level_by_look(items, &mut found);
    found
}

/// Looks of items that are numbered and set apart: the document's own headings.
fn numbered_looks(items: &[Item<'_>], style: &Style) -> HashMap<Look, usize> {
    let mut looks = HashMap::new();
    for item in items.iter().filter(|item| item.kind == ItemKind::Text && fits(item)) {
        let text = item.text();
        let heading = Heading::parse(&text);
        if let Some(depth) = heading.depth().filter(|_| is_set_apart(item, style) && is_title(heading.title)) {
            looks.entry(look(item)).or_insert(depth);
        }
    }
    looks
}

fn classify(
    at: usize,
    items: &[Item<'_>],
    style: &Style,
    outline: &Outline<'_>,
    looks: &HashMap<Look, usize>,
) -> Option<Found> {
    let item = &items[at];
    if let Some(run_in) = run_in(item) {
        return Some(run_in_heading(at, run_in));
    }
    if !fits(item) {
        return None;
    }
    let text = item.text();
    let heading = Heading::parse(&text);
    let level = heading.depth();
    let found = |level: usize| Some(Found { item: at, text: text.clone(), level, items: 1, run_in: 0 });
    if let Some(entry) = entry(outline, item.page, &[&text, heading.title]) {
        return found(level.unwrap_or(usize::from(entry.level.max(1))));
    }
    if level.is_none() && is_excluded(heading.title) || runs_on(item, items.get(at + 1)) {
        return None;
    }
    let apart = is_set_apart(item, style);
    if let Some(level) = level {
        let with_formula = item.opens_bold && opens_with_word(heading.title);
        return if apart && is_title(heading.title) || with_formula { found(level) } else { None };
    }
    if item.kind == ItemKind::Formula {
        return None;
    }
    if (role::is_conventional(&text) || is_contents(&text)) && (apart || item.lines.len() == 1) {
        return found(1);
    }
    let titled = apart && is_title(&text) && !text.ends_with('.');
    match looks.get(&look(item)) {
        Some(&level) if titled && stands_above_text(item, items.get(at + 1)) => found(level),
        None if titled && looks.is_empty() => found(1),
        _ => None,
    }
}

/// Words inside a figure may have the font of headings; a heading without a number must have a paragraph under it.
fn stands_above_text(item: &Item<'_>, next: Option<&Item<'_>>) -> bool {
    next.filter(|next| next.kind == ItemKind::Text).is_some_and(|next| {
        let long = next.lines.iter().map(String::len).sum::<usize>() >= MIN_PARAGRAPH;
        Heading::parse(&next.text()).number.is_some() || long && look(next) != look(item)
    })
}

/// Whether a bold line is only the first line of a title that is run into its paragraph: the next item opens in the
/// same font and goes on in another.
fn runs_on(item: &Item<'_>, next: Option<&Item<'_>>) -> bool {
    let first = |item: &Item<'_>| item.source.lines.get(item.first)?.runs.first().map(|run| (run.bold, run.italic));
    item.bold
        && next.is_some_and(|next| {
            next.page == item.page
                && !next.bold
                && next.kind == ItemKind::Text
                && first(next) == first(item)
                && next.text().starts_with(char::is_lowercase)
        })
}

/// A heading of two lines may come as two items, the second hanging under the first.
fn take_further_lines(heading: &mut Found, items: &[Item<'_>]) {
    let first = heading.item;
    while heading.items > 0 && heading.items < MAX_LINES {
        let last = &items[first + heading.items - 1];
        let Some(next) = items.get(first + heading.items) else { return };
        let down = next.bbox[1] - last.bbox[3];
        let text = next.text();
        let goes_on = next.kind == ItemKind::Text
            && next.page == last.page
            && look(next) == look(last)
            && (-2.0..next.size * 0.8).contains(&down)
            && fits(next)
            && Heading::parse(&text).number.is_none()
            && !role::is_conventional(&text);
        if !goes_on {
            return;
        }
        heading.text = format!("{} {text}", heading.text);
        heading.items += 1;
    }
}

/// Headings without a number take the depth of numbered ones of the same look.
fn level_by_look(items: &[Item<'_>], found: &mut [Found]) {
    let mut levels: HashMap<Look, usize> = HashMap::new();
    for heading in found.iter() {
        if let Some(depth) = Heading::parse(&heading.text).depth() {
            levels.entry(look(&items[heading.item])).or_insert(depth);
        }
    }
    for heading in found.iter_mut().filter(|heading| Heading::parse(&heading.text).number.is_none()) {
        if let Some(&level) = levels.get(&look(&items[heading.item])) {
            heading.level = level;
        }
    }
}

fn fits(item: &Item<'_>) -> bool {
    let text = item.text();
    item.lines.len() <= MAX_LINES
        && (3..=MAX_CHARS).contains(&chars(&text))
        && text.chars().filter(|c| c.is_alphabetic()).count() >= 3
        && !text.ends_with([',', ';', '=', '-'])
        && !item.source.continues
}

/// Whether the font of an item tells it from running text.
pub(crate) fn is_set_apart(item: &Item<'_>, style: &Style) -> bool {
    style.is_larger(item) || item.bold || item.italic || shouted(&item.text())
}

/// Outline entries by their words; a manual has thousands.
type Outline<'a> = HashMap<String, Vec<&'a OutlineItem>>;

fn by_words(outline: &[OutlineItem]) -> Outline<'_> {
    let mut words = Outline::new();
    for entry in outline {
        words.entry(text::fold_tight(&entry.title)).or_default().push(entry);
    }
    words
}

/// The entry of these words that points near this page. A link may point to the end of the page before.
fn entry<'a>(outline: &Outline<'a>, page: u32, titles: &[&str]) -> Option<&'a OutlineItem> {
    if outline.is_empty() {
        return None;
    }
    let near = |entry: &&&'a OutlineItem| entry.page.is_none_or(|of| of.abs_diff(page) <= 1);
    titles.iter().find_map(|title| outline.get(&text::fold_tight(title))?.iter().find(near).copied())
}

/// Bytes of the first line that are a heading run into its paragraph: `Abstract.`, `Abstract—`.
pub(crate) fn run_in(item: &Item<'_>) -> Option<usize> {
    let line = item.lines.first()?;
    let lower = line.to_lowercase();
    let word = ["abstract", "summary"].into_iter().find(|word| lower.starts_with(word))?;
    let rest = &line[word.len()..];
    let mark = rest.trim_start().chars().next().filter(|c| matches!(c, '.' | ':' | '—' | '–' | '-'))?;
    let after = rest.trim_start()[mark.len_utf8()..].trim_start();
    (!after.is_empty()).then(|| line.len() - after.len())
}

fn run_in_heading(at: usize, run_in: usize) -> Found {
    Found { item: at, text: "Abstract".into(), level: 1, items: 0, run_in }
}
