//! Accents on their letters: TeX draws an accent and its letter as two glyphs, often of two fonts and at two heights.
//!
//! They become one glyph before anything looks at places, so that no accent stands in a row of its own, before its
//! letter or in the space behind it.

use crate::glyphs::{Glyph, Text};
use unicode_normalization::char::compose;

/// How many glyphs before or behind an accent its letter is drawn; a second accent may come between.
const NEAR: usize = 3;
/// How far outside its letter the middle of an accent may stand, in em. Beside a letter the narrowest accents have their
/// middle further out: they are a third of an em wide.
const ASIDE: f32 = 0.1;
/// Heights of the base line of an accent over that of its letter, in em: none where the font has room for it over small
/// letters, a quarter over capitals, more where one accent stands on another.
const ABOVE: std::ops::Range<f32> = -0.15..0.8;
/// Most a wide accent's font may be larger or smaller than its letter's, as a factor.
const ALIKE: f32 = 1.5;

/// Composes every accent that lies over a letter with it; other glyphs stay as they are.
pub(super) fn compose_all(glyphs: &mut Vec<Glyph>) {
    let shown: Vec<usize> = (0..glyphs.len()).filter(|&index| !glyphs[index].text.is_blank()).collect();
    let mut gone = vec![false; glyphs.len()];
    for (at, &index) in shown.iter().enumerate() {
        let Some(mark) = mark(&glyphs[index].text) else { continue };
        let around = at.saturating_sub(NEAR)..shown.len().min(at + NEAR + 1);
        let near = shown[around].iter().copied();
        // The first of equals is the one before, as Unicode has it; TeX's accents come before and over their letter.
        let letter = near
            .filter(|&other| other != index && !gone[other] && lies_over(&glyphs[index], &glyphs[other]))
            .min_by(|&a, &b| aside(&glyphs[index], &glyphs[a]).total_cmp(&aside(&glyphs[index], &glyphs[b])));
        if let Some(letter) = letter {
            glyphs[letter].text = accented(&glyphs[letter].text, mark);
            gone[index] = true;
        }
    }
    if gone.contains(&true) {
        let mut gone = gone.into_iter();
        glyphs.retain(|_| gone.next() != Some(true));
    }
}

fn lies_over(accent: &Glyph, letter: &Glyph) -> bool {
    let Some(first) = letter.text.first() else { return false };
    let em = letter.size;
    let (x0, x1) = (letter.x.min(letter.end.0), letter.x.max(letter.end.0));
    // Some accents are letters by themselves, to Unicode.
    first.is_alphanumeric()
        && mark(&letter.text).is_none()
        && (x0 - ASIDE * em..=x1 + ASIDE * em).contains(&middle(accent))
        && ABOVE.contains(&((letter.y - accent.y) / em))
        && accent.size.max(em) < ALIKE * accent.size.min(em)
}

fn middle(glyph: &Glyph) -> f32 {
    f32::midpoint(glyph.x, glyph.end.0)
}

fn aside(accent: &Glyph, letter: &Glyph) -> f32 {
    (middle(accent) - middle(letter)).abs()
}

/// A letter with a mark: one character where Unicode has one.
fn accented(letter: &Text, mark: char) -> Text {
    let mut text = String::new();
    letter.push_to(&mut text);
    let last = text.pop();
    let plain = match last {
        Some('ı') => Some('i'),
        Some('ȷ') => Some('j'),
        other => other,
    };
    match plain.and_then(|plain| compose(plain, mark)) {
        Some(composed) => text.push(composed),
        None => text.extend(plain.into_iter().chain([mark])),
    }
    Text::new(&text)
}

/// The combining form of an accent.
fn mark(text: &Text) -> Option<char> {
    let Text::One(accent) = *text else { return None };
    Some(match accent {
        '`' | 'ˋ' => '\u{300}',
        '´' | 'ˊ' => '\u{301}',
        '^' | 'ˆ' => '\u{302}',
        '~' | '˜' => '\u{303}',
        '¯' | 'ˉ' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '°' | '˚' => '\u{30a}',
        '˝' => '\u{30b}',
        'ˇ' => '\u{30c}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20dc}' => accent,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::line;
    use super::*;

    /// Text set in glyphs half an em wide, accents drawn over the letter behind them and raised by `raise` points.
    fn set(text: &str, raise: f32) -> Vec<Glyph> {
        let mut glyphs: Vec<Glyph> = Vec::new();
        let mut x = 10.0;
        for c in text.chars() {
            let is_accent = mark(&Text::One(c)).is_some();
            let (at, y) = if is_accent { (x + 0.8, 100.0 - raise) } else { (x, 100.0) };
            glyphs.extend(line(&c.to_string(), at, y, 10.0));
            x += if is_accent { 0.0 } else { 5.0 };
        }
        glyphs
    }

    fn text(mut glyphs: Vec<Glyph>) -> String {
        compose_all(&mut glyphs);
        let mut text = String::new();
        glyphs.iter().for_each(|glyph| glyph.text.push_to(&mut text));
        text
    }

    #[test]
    fn accents_land_on_the_letters_they_lie_over() {
        assert_eq!(text(set("Poincar´e", 0.0)), "Poincaré");
        assert_eq!(text(set("˜V(x) and ˆθ is", 2.4)), "Ṽ(x) and θ\u{302} is");
        assert_eq!(text(set("na¨ıve", 0.0)), "naïve");
        assert_eq!(text(set("˙¨x", 3.0)), "ẋ\u{308}");
        assert_eq!(text(set("˙ˆx", 3.0)), "ẋ\u{302}");
        assert_eq!(text(set("a\u{20d7}F", 2.0)), "aF\u{20d7}");
    }

    #[test]
    fn a_mark_drawn_behind_its_letter_belongs_to_it() {
        let mut glyphs = line("e", 10.0, 100.0, 10.0);
        let mut mark = line("\u{301}", 15.0, 100.0, 10.0);
        mark[0].end = (15.0, 100.0);
        glyphs.extend(mark);
        glyphs.extend(line("t", 15.0, 100.0, 10.0));
        assert_eq!(text(glyphs), "ét");
    }

    #[test]
    fn signs_beside_letters_stay_signs() {
        for code in ["x^2", "~user", "25°C", "`ls`", "a~b"] {
            assert_eq!(text(line(code, 10.0, 100.0, 10.0)), code);
        }
        // A line of accents over another line of text.
        let mut apart = line("ˆˆ", 10.0, 90.0, 10.0);
        apart.extend(line("ab", 10.0, 100.0, 10.0));
        assert_eq!(text(apart), "ˆˆab");
    }
}
