//! What a row seems to be, from its place and shape and the first characters of its text.

use super::figure;
use super::row::Row;
use super::table::Region;
use crate::glyphs::{Glyph, Text};
use crate::page::Bbox;

/// Class of a row, before blocks are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Running text and headings.
    Text,
    /// First row of a caption; the rows below it are text.
    Caption,
    /// A displayed formula.
    Formula,
    /// In the figure of this number.
    Figure(usize),
    /// In the ruled table of this number, or an aligned one.
    Table(usize),
    /// Program text.
    Listing,
    /// Small text under the column.
    Footnote,
}

/// What is known of the page as a whole.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// Size of running text in points.
    pub body: f32,
    /// Width of a column in points.
    pub column: f32,
    /// Boxes of figures.
    pub figures: Vec<Bbox>,
    /// Whether program text can be told by its font.
    pub has_listings: bool,
}

/// The class of a row.
pub(super) fn class(row: &Row, glyphs: &[Glyph], tables: &[Region], context: &Context) -> Class {
    if let Some(table) = tables.iter().position(|table| row.parts.iter().all(|part| table.holds(part))) {
        return Class::Table(table);
    }
    let text = start(row, glyphs, 40);
    let caption = is_caption(&text, row, glyphs, row.size < 0.95 * context.body);
    if caption {
        return Class::Caption;
    }
    if let Some(figure) =
        context.figures.iter().position(|area| figure::labels(area, row, context.body, context.column))
    {
        return Class::Figure(figure);
    }
    if is_formula(row, glyphs) { Class::Formula } else { Class::Text }
}

/// The start of a row, up to about `most` glyphs and the spaces between words.
pub(super) fn start(row: &Row, glyphs: &[Glyph], most: usize) -> String {
    let mut text = String::new();
    let parts = row.parts.iter().enumerate();
    let placed = parts.flat_map(|(at, part)| {
        let spaced = part.glyphs.iter().zip(&part.spaces).enumerate();
        spaced.map(move |(index, (&glyph, &space))| (glyph, space || at > 0 && index == 0))
    });
    for (glyph, space) in placed.take(most) {
        if space {
            text.push(' ');
        }
        glyphs[glyph].text.push_to(&mut text);
    }
    text
}

/// Whether a row is the first line of a caption by its words alone, `Table 1:`, and not a row of cells.
pub(super) fn is_captioned(row: &Row, glyphs: &[Glyph]) -> bool {
    row.cells().len() == 1 && is_caption(&start(row, glyphs, 40), row, glyphs, false)
}

/// `Figure 1:`, `Fig. 2.`, `TABLE IV`, … at the start, and not as the subject of a sentence. `smaller` tells type that
/// is smaller than running text.
fn is_caption(text: &str, row: &Row, glyphs: &[Glyph], smaller: bool) -> bool {
    const WORDS: [&str; 9] = ["figure", "fig.", "fig", "table", "tab.", "algorithm", "listing", "scheme", "chart"];
    let lower = text.to_lowercase();
    let Some(rest) = WORDS.iter().find_map(|word| lower.strip_prefix(word)) else { return false };
    let rest = rest.trim_start();
    let number: usize = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-')).count();
    let label: String = rest.chars().take(number).collect();
    let trimmed = label.trim_end_matches(['.', '-']);
    let roman = !trimmed.is_empty() && trimmed.chars().all(|c| matches!(c, 'i' | 'v' | 'x' | 'l'));
    let numbered = trimmed.chars().any(|c| c.is_ascii_digit()) && trimmed.chars().count() <= 6;
    if !roman && !numbered {
        return false;
    }
    let after: String = rest.chars().skip(number).collect();
    let punctuated = label.ends_with('.') || after.trim_start().starts_with([':', '|', '–', '—']);
    let alone = after.trim().is_empty();
    let bold = first_glyph(row, glyphs).is_some_and(|glyph| glyph.style.bold);
    // "Figure 3 shows …" goes on in lower case; a caption without punctuation starts a title.
    let title = after.trim_start().chars().next().is_some_and(|_| {
        text.chars().rev().take(after.trim_start().chars().count()).last().is_some_and(char::is_uppercase)
    });
    punctuated || alone || bold || (smaller && title)
}

fn first_glyph<'g>(row: &Row, glyphs: &'g [Glyph]) -> Option<&'g Glyph> {
    row.parts.first().and_then(|part| part.glyphs.first()).map(|&glyph| &glyphs[glyph])
}

pub(super) fn each<'g>(row: &'g Row, glyphs: &'g [Glyph]) -> impl Iterator<Item = &'g Glyph> {
    row.parts.iter().flat_map(|part| &part.glyphs).map(|&glyph| &glyphs[glyph])
}

/// Whether nearly all letters of a row are bold.
pub(super) fn all_bold(row: &Row, glyphs: &[Glyph]) -> bool {
    let bold = each(row, glyphs).filter(|glyph| glyph.style.bold).count();
    bold * 10 >= row.len() * 9
}

/// Whether nearly all letters of a row are italic.
pub(super) fn all_italic(row: &Row, glyphs: &[Glyph]) -> bool {
    let italic = each(row, glyphs).filter(|glyph| glyph.style.italic && !glyph.style.is_math()).count();
    italic * 10 >= row.len() * 9
}

/// Whether a row ends as a sentence does.
pub(super) fn ends_sentence(row: &Row, glyphs: &[Glyph]) -> bool {
    let last = row.parts.last().and_then(|part| part.glyphs.last());
    last.is_some_and(|&glyph| {
        matches!(glyphs[glyph].text.first(), Some('.' | '!' | '?' | ':' | ';' | ')' | '”' | '"' | ']'))
    })
}

/// Whether a row starts with the mark of a list or bibliography entry: `[12]`, `•`, `(a)`, `3.`.
pub(super) fn is_label(row: &Row, glyphs: &[Glyph]) -> bool {
    let text = start(row, glyphs, 12);
    let mut chars = text.chars();
    match chars.next() {
        Some('•' | '◦' | '▪' | '–' | '—' | '‣' | '●' | '■' | '∗' | '*') => true,
        Some('[') => text.contains(']'),
        Some('(') => text.find(')').is_some_and(|at| at <= 4),
        Some('0'..='9') => {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            text.len() - rest.len() <= 3 && (rest.starts_with(". ") || rest.starts_with(") "))
        }
        _ => false,
    }
}

/// Whether a row is numbered like a section and set apart by its font.
pub(super) fn is_heading(row: &Row, glyphs: &[Glyph]) -> bool {
    let text = start(row, glyphs, 30);
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let numbered = number.len() < text.len() && number.starts_with(' ');
    let upper = number.trim_start().chars().next().is_some_and(char::is_uppercase);
    let italic = each(row, glyphs).filter(|glyph| glyph.style.italic).count() * 10 >= row.len() * 7;
    numbered && upper && row.len() < 60 && (all_bold(row, glyphs) || italic)
}

/// Whether a row is a displayed formula: mostly symbols, hardly a word.
fn is_formula(row: &Row, glyphs: &[Glyph]) -> bool {
    let symbols = each(row, glyphs).filter(|glyph| is_symbol(glyph)).count();
    let operators = each(row, glyphs).filter(|glyph| is_operator(glyph)).count();
    let words = words(row, glyphs);
    let count = row.len();
    let text = start(row, glyphs, 200);
    let numbered = text.trim_end().ends_with(')');
    match words {
        // Letters of a text font are as good as symbols where an equation has its number.
        0 if text.contains('=') && has_number(&text) => true,
        0 => symbols * 2 >= count && symbols > 0 && (operators > 0 || count < 8),
        1 | 2 => symbols * 5 >= count * 2 && operators > 0,
        3..=5 => symbols * 2 >= count && operators > 1 && numbered,
        _ => false,
    }
}

/// Whether a text ends with the number of an equation: `(3)`, `(2.14)`, `(A.1)`.
fn has_number(text: &str) -> bool {
    let inside = text.trim_end().strip_suffix(')').and_then(|text| text.rsplit_once('('));
    inside.is_some_and(|(before, number)| {
        !before.trim().is_empty()
            && (1..=6).contains(&number.len())
            && number.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
            && number.chars().any(|c| c.is_ascii_digit())
    })
}

/// Words of four letters and more in a text font.
pub(super) fn words(row: &Row, glyphs: &[Glyph]) -> usize {
    let mut words = 0;
    for part in &row.parts {
        let mut letters = 0;
        for (&glyph, &space) in part.glyphs.iter().zip(&part.spaces) {
            let glyph = &glyphs[glyph];
            if space {
                letters = 0;
            }
            if !glyph.style.is_math() && glyph.text.first().is_some_and(char::is_alphabetic) {
                letters += 1;
                words += usize::from(letters == 4);
            } else {
                letters = 0;
            }
        }
    }
    words
}

fn is_symbol(glyph: &Glyph) -> bool {
    glyph.style.is_math()
        || is_operator(glyph)
        || matches!(&glyph.text, Text::Unknown)
        || glyph.text.first().is_some_and(is_greek)
}

fn is_greek(c: char) -> bool {
    matches!(c, 'α'..='ω' | 'Α'..='Ω' | 'ϵ' | 'ϕ' | 'ϑ' | '𝐀'..='𝟿')
}

fn is_operator(glyph: &Glyph) -> bool {
    glyph.text.first().is_some_and(|c| {
        matches!(c, '=' | '+' | '<' | '>' | '±' | '×' | '÷' | '·' | '−' | '|' | '^' | '~' | '/')
            || matches!(c, '\u{2190}'..='\u{22ff}' | '\u{27c0}'..='\u{27ef}' | '\u{2980}'..='\u{2aff}')
    })
}
