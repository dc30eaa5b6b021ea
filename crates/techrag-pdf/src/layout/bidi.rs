//! Right-to-left text: pages show it in visual order, readers and indexes want the order of speech.

use super::runs::Placed;
use crate::glyphs::Glyph;

/// Hebrew, Arabic and their presentation forms.
fn is_rtl(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}')
}

/// What goes from left to right even inside right-to-left text.
fn is_ltr(c: char) -> bool {
    !is_rtl(c) && c.is_alphanumeric()
}

/// Glyphs of a line, left to right, in the order of speech; lines without right-to-left letters stay as they are.
///
/// An inverse of the bidirectional algorithm for lines of one main direction: all is turned, then the stretches of
/// left-to-right letters and numbers are turned back.
pub(super) fn logical(placed: Vec<Placed>, glyphs: &[Glyph]) -> Vec<Placed> {
    let first = |placed: &Placed| glyphs[placed.0].text.first().unwrap_or(' ');
    let rtl = placed.iter().filter(|glyph| is_rtl(first(glyph))).count();
    if rtl == 0 {
        return placed;
    }
    let ltr = placed.iter().filter(|glyph| first(glyph).is_alphabetic() && is_ltr(first(glyph))).count();
    let base_rtl = rtl >= ltr;
    let turned = if base_rtl { reverse(&placed) } else { placed };
    turn_stretches(turned, |glyph| if base_rtl { is_ltr(first(glyph)) } else { is_rtl(first(glyph)) })
}

/// Reversed; the white space that came before a glyph now comes behind it.
fn reverse(placed: &[Placed]) -> Vec<Placed> {
    let mut out = Vec::with_capacity(placed.len());
    let mut space = false;
    for &(glyph, before) in placed.iter().rev() {
        out.push((glyph, space));
        space = before;
    }
    out
}

/// Turns each stretch that starts and ends with a glyph of a kind and holds no letter of another.
fn turn_stretches(placed: Vec<Placed>, of_kind: impl Fn(&Placed) -> bool) -> Vec<Placed> {
    let mut out: Vec<Placed> = Vec::with_capacity(placed.len());
    let mut rest = placed.as_slice();
    while let Some(start) = rest.iter().position(&of_kind) {
        out.extend_from_slice(&rest[..start]);
        let length = rest[start..].iter().position(|glyph| !of_kind(glyph)).unwrap_or(rest.len() - start);
        let stretch = &rest[start..start + length];
        let space = stretch[0].1;
        let mut turned = reverse(stretch);
        turned[0].1 = space;
        out.extend(turned);
        rest = &rest[start + length..];
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::line;
    use super::*;

    fn spoken(visual: &str) -> String {
        let glyphs = line(visual, 0.0, 10.0, 10.0);
        let placed = glyphs.iter().enumerate().filter(|(_, glyph)| !glyph.text.is_blank());
        let placed = placed.map(|(index, _)| (index, index > 0 && glyphs[index - 1].text.is_blank())).collect();
        logical(placed, &glyphs).into_iter().fold(String::new(), |mut text, (glyph, space)| {
            if space {
                text.push(' ');
            }
            glyphs[glyph].text.push_to(&mut text);
            text
        })
    }

    #[test]
    fn hebrew_with_a_number_and_a_latin_word() {
        assert_eq!(spoken("R תפשב 12 םולש"), "שלום 12 בשפת R");
        assert_eq!(spoken("plain text 12"), "plain text 12");
        assert_eq!(spoken("the word םולש means peace"), "the word שלום means peace");
    }
}
