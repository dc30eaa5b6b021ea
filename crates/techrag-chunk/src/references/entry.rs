//! One entry of a reference list to its fields.
//!
//! Three shapes are read: a quoted title (IEEE and its relatives), the year in brackets after the authors (APA,
//! Harvard), and full stops between authors, title and venue (natbib's plain styles). What fits none keeps its raw text,
//! year and DOI; an unknown field is better than a wrong one.

use std::sync::LazyLock;

use regex::Regex;
use techrag_core::record::Reference;

use super::{authors, ids};

/// How the list as a whole marks titles. A book in a list of quoted titles stands without quotes, and the comma after
/// its authors would otherwise look like one more author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Titles of articles stand in quotes.
    Quoted,
    /// They do not.
    Plain,
}

static LABEL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:\[([^\]]{1,25})\]|\(?(\d{1,3})[.)])\s*").expect("a constant pattern"));
static YEAR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(1[6-9]\d\d|20\d\d)[a-z]?\b").expect("a constant pattern"));
static YEAR_AFTER_AUTHORS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[,.]?\s*\((1[6-9]\d\d|20\d\d)[a-z]?(?:, [^)]*)?\)[.,:]?\s*").expect("a constant pattern")
});
/// Addresses hold digits that look like years.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:https?://|www\.)\S+|\bdoi:?\s*\S+|\b10\.\d{4,9}/\S+|arxiv:\S+|\b(?:accessed|visited|retrieved)\b[^;)]*")
        .expect("a constant pattern")
});
/// What may follow a title without a capital.
static VENUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\p{Lu}|\d|volume |vol\. |pages |pp\. |ar[Xx]iv|in |preprint|technical|doi|url|http)")
        .expect("a constant pattern")
});
static EDITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r",\s+(?:\d+(?:st|nd|rd|th)|[Ss]econd|[Tt]hird|[Rr]evised)\s+ed|,\s+(?:vol\.|ser\.|[Pp]h\.?\s?D|technical report|doctoral)")
        .expect("a constant pattern")
});

/// The fields of an entry.
pub(crate) fn parse(raw: &str, style: Style) -> Reference {
    let label = LABEL.captures(raw);
    let body = label.as_ref().map_or(raw, |found| &raw[found[0].len()..]);
    let body = body.trim_start_matches(['•', '–', '-', '*', ' ']);
    let mut reference = Reference {
        raw: raw.to_owned(),
        label: label.and_then(|found| found.get(1).or(found.get(2)).map(|label| label.as_str().trim().to_owned())),
        doi: ids::doi(raw),
        ..Reference::default()
    };
    let (names, title, year) = fields(body, style);
    reference.authors = names;
    reference.title = title.map(|title| tidy(&title)).filter(|title| title.chars().any(char::is_alphabetic));
    reference.year = year.or_else(|| last_year(body));
    reference
}

type Fields = (Vec<String>, Option<String>, Option<i32>);

fn fields(body: &str, style: Style) -> Fields {
    if let Some((start, title)) = quoted_title(body) {
        return (authors::split(&body[..start]), Some(title.to_owned()), None);
    }
    let initials = authors::with_initials(body);
    let names = initials.filter(|&end| style == Style::Quoted || !stops_at_comma(body, end));
    let Some(end) = names.or_else(|| full_names(body)) else { return (Vec::new(), None, bracketed_year(body)) };
    let list = authors::split(&body[..end]);
    let rest = &body[end..];
    match YEAR_AFTER_AUTHORS.captures(rest) {
        Some(found) => (list, title(&rest[found[0].len()..], false), found[1].parse().ok()),
        None => (list, title(rest.trim_start_matches([',', '.', ':', ' ']), rest.starts_with(',')), None),
    }
}

/// In a plain style a comma after the names matched means that more names follow, of another form.
fn stops_at_comma(body: &str, end: usize) -> bool {
    body[end..].trim_start().starts_with([',', '&']) || body[end..].trim_start().starts_with("and ")
}

/// The title in quotes and where the quote opens.
pub(crate) fn quoted_title(body: &str) -> Option<(usize, &str)> {
    let (open, quote) = body.char_indices().find(|&(at, c)| {
        let before = body[..at].chars().next_back();
        matches!(c, '‘' | '“' | '"' | '\'') && before.is_none_or(|c| c.is_whitespace() || c == '(')
    })?;
    let close = match quote {
        '‘' | '\'' => ['’', '\''],
        _ => ['”', '"'],
    };
    let start = open + quote.len_utf8();
    let ends =
        body[start..].char_indices().filter(|(_, c)| close.contains(c)).map(|(at, c)| (start + at, c.len_utf8()));
    let ends: Vec<(usize, usize)> =
        ends.filter(|&(at, len)| body[at + len..].chars().next().is_none_or(|c| !c.is_alphanumeric())).collect();
    // An apostrophe after a plural s is followed by a word; the end of a title by punctuation, inside or outside.
    let marked = ends.iter().find(|&&(at, len)| {
        let inside = body[start..at].ends_with([',', '.', '?', '!']);
        inside || body[at + len..].is_empty() || body[at + len..].starts_with([',', '.', ';', ':'])
    });
    let &(end, _) = marked.or(ends.first())?;
    let title = &body[start..end];
    (title.chars().count() >= 6).then_some((open, title))
}

/// Where a list of full names ends: at the first full stop that is no initial's.
fn full_names(body: &str) -> Option<usize> {
    let stop = body.match_indices(". ").map(|(at, _)| at).find(|&at| !is_initial(&body[..at]));
    let end = stop.into_iter().chain(body.find(" (")).min()?;
    let list = body[..end].trim_end_matches(" et al").trim_end_matches(',');
    let short = list.split_whitespace().count() <= 4 && list.starts_with(char::is_alphanumeric);
    (authors::are_names(list) || short).then_some(end)
}

fn is_initial(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '-' || c == '.').next().unwrap_or_default();
    word.chars().count() == 1 || matches!(word, "Jr" | "Sr" | "St" | "Dr" | "Zs" | "Gy" | "Sz" | "Th" | "Ch")
}

/// The title at the start of what follows the authors; after a comma it may be a book whose edition follows.
fn title(rest: &str, comma: bool) -> Option<String> {
    let edition = EDITION.find(rest).map(|found| found.start()).filter(|_| comma);
    let stop = rest
        .char_indices()
        .filter(|(_, c)| matches!(c, '.' | '?' | '!'))
        .find(|&(at, c)| {
            let after = rest[at + 1..].trim_start();
            let spaced = rest[at + 1..].starts_with(' ') || after.is_empty();
            spaced && (after.is_empty() || VENUE.is_match(after)) && (c != '.' || !is_initial(&rest[..at]))
        })
        .map(|(at, c)| if c == '.' { at } else { at + 1 });
    let end = edition.into_iter().chain(stop).min().unwrap_or(rest.len());
    let title = rest[..end].trim();
    (title.split_whitespace().count() >= 1 && title.chars().count() >= 3).then(|| title.to_owned())
}

fn tidy(title: &str) -> String {
    title.trim().trim_end_matches([',', '.', ';']).trim().to_owned()
}

fn bracketed_year(body: &str) -> Option<i32> {
    let open = body.find('(')?;
    YEAR_AFTER_AUTHORS.captures(&body[open..])?[1].parse().ok()
}

/// The last year of an entry that is no part of a range of pages or of an address; where there is none, the end of a
/// range of years (`2016–2019`).
fn last_year(body: &str) -> Option<i32> {
    let body = ADDRESS.replace_all(body, " , ");
    let years: Vec<_> = YEAR.captures_iter(&body).filter_map(|found| found.get(1)).collect();
    let is_page = |year: &&regex::Match<'_>| {
        let before = body[..year.start()].trim_end_matches(' ');
        let after = body[year.end()..].trim_start_matches(' ');
        let range = before.ends_with(['–', '-', '—', ':']) || after.starts_with(['–', '—', '-']);
        range || before.ends_with("pp.") || before.ends_with("p.") || before.ends_with("pages")
    };
    let alone = years.iter().rfind(|year| !is_page(year));
    let ranged = years.last().filter(|_| !body.contains("pp.") && !body.contains("pages"));
    alone.or(ranged).and_then(|year| year.as_str().parse().ok())
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
