//! Marked content: hidden layers, page artifacts, and spans that say what their glyphs mean (`ActualText`).

use super::glyph::{Glyph, Text};
use super::text::clean;
use hayro::hayro_syntax::object::{self, Dict};

/// One open span.
#[derive(Clone, Debug, Default)]
struct Mark {
    hidden: bool,
    artifact: bool,
    actual: Option<Actual>,
}

/// An `ActualText` and the first glyph it stands for.
#[derive(Clone, Debug)]
struct Actual {
    text: String,
    first: usize,
}

/// The spans that are open.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks(Vec<Mark>);

impl Marks {
    /// Opens a span; `glyphs` is how many came before it.
    pub(super) fn begin(&mut self, tag: &str, properties: Option<&Dict<'_>>, hidden: bool, glyphs: usize) {
        let actual = properties
            .and_then(|properties| properties.get::<object::String<'_>>(b"ActualText".as_slice()))
            .map(|text| Actual { text: text_string(text.as_bytes()), first: glyphs });
        let artifact = tag == "Artifact" || self.artifact();
        self.0.push(Mark { hidden: hidden || self.hidden(), artifact, actual });
    }

    /// Closes the innermost span and lets its `ActualText` replace its glyphs.
    pub(super) fn end(&mut self, glyphs: &mut Vec<Glyph>) {
        if let Some(Actual { text, first }) = self.0.pop().and_then(|mark| mark.actual) {
            replace(glyphs, first, &text);
        }
    }

    /// Whether what comes now is in a hidden layer.
    pub(super) fn hidden(&self) -> bool {
        self.0.last().is_some_and(|mark| mark.hidden)
    }

    /// Whether what comes now is an artifact of the page.
    pub(super) fn artifact(&self) -> bool {
        self.0.last().is_some_and(|mark| mark.artifact)
    }
}

/// Puts `text` in the place of the glyphs from `first` on, where they stand on one line; a span over several lines
/// keeps its glyphs, whose places are worth more.
fn replace(glyphs: &mut Vec<Glyph>, first: usize, text: &str) {
    let Some(head) = glyphs.get(first) else { return };
    let (y, size) = (head.y, head.size);
    let one_line = glyphs[first..].iter().all(|glyph| (glyph.y - y).abs() < size / 2.0);
    let spelled = glyphs[first..].iter().fold(String::new(), |mut all, glyph| {
        glyph.text.push_to(&mut all);
        all
    });
    // Long spans that say the same but for spaces would lose the places of their words.
    let long = glyphs.len() - first > 8 && text.split_whitespace().count() > 1;
    if !one_line || spelled == text || long {
        return;
    }
    let end = glyphs.last().map_or(glyphs[first].end, |last| last.end);
    glyphs.truncate(first + 1);
    glyphs[first].end = end;
    glyphs[first].text = match text {
        "\u{ad}" => Text::One('-'),
        text => clean(text),
    };
}

/// A text string: UTF-16 or UTF-8 with a byte order mark, or PDFDocEncoding (ISO 32000-2, 7.9.2.2).
pub(super) fn text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // Some producers write UTF-8 without saying so; in PDFDocEncoding it would be gibberish.
        _ => {
            std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|&byte| pdf_doc(byte)).collect(), str::to_owned)
        }
    }
}

fn utf16(bytes: &[u8], join: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| join([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect()
}

/// PDFDocEncoding (ISO 32000-1, annex D.3): Latin-1 but for two ranges.
fn pdf_doc(byte: u8) -> char {
    const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const HIGH: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł',
        'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
    ];
    match byte {
        0x18..=0x1f => LOW[usize::from(byte - 0x18)],
        0x80..=0xa0 => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_strings() {
        assert_eq!(text_string(b"\xfe\xff\x00T\x00\xfc"), "Tü");
        assert_eq!(text_string(b"\xff\xfeT\x00"), "T");
        assert_eq!(text_string(b"caf\xe9 \x85"), "café –");
        assert_eq!(text_string("für".as_bytes()), "für");
        assert_eq!(text_string(b"\xfe\xff\xd8\x00"), "\u{fffd}");
    }
}
