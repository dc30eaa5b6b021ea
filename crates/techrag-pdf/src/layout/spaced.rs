//! Spaces between words where letters stand apart or close up: what is a space is told against the usual distance of
//! letters, as in headings set letter by letter, in stressed words, and in text that is squeezed into its line.

use super::fragment::{Fragment, WORD, gap};
use crate::glyphs::Glyph;

/// Fewest letters in a row that are set apart on purpose; symbols of a formula are fewer.
const LETTERS: usize = 5;
/// How far gaps between letters that are set apart may differ, in em: kerning.
const EVEN: f32 = 0.07;
/// The same where no gap could part two words. Names of columns stand evenly by their middles or left ends, and so not
/// by the gaps between them.
const VERY_EVEN: f32 = 0.03;
/// Fewest gaps between letters that tell how a line is set.
const GAPS: usize = 12;
/// Least distance of letters in em that is not the usual one; kerning and rounding make less.
const UNUSUAL: f32 = 0.03;
/// Furthest distance of letters in em that is looked at as such.
const FURTHEST: f32 = 1.2;

/// Mends the spaces of a fragment.
pub(super) fn mend(fragment: &mut Fragment, glyphs: &[Glyph]) {
    let gaps: Vec<Option<f32>> = gaps(fragment, glyphs);
    let mut letters: Vec<f32> = gaps.iter().copied().flatten().filter(|gap| *gap < FURTHEST).collect();
    letters.sort_by(f32::total_cmp);
    let usual = letters.get(letters.len() / 2).copied().unwrap_or(0.0);
    let even = |base: f32, width: f32| letters.iter().filter(|gap| (**gap - base).abs() < width).count();
    if letters.len() >= GAPS && (UNUSUAL..WORD).contains(&usual.abs()) && even(usual, UNUSUAL) * 2 > letters.len() {
        for (at, gap) in gaps.iter().enumerate().filter_map(|(at, gap)| Some((at, (*gap)?))) {
            fragment.spaces[at] = gap - usual > WORD;
        }
    }
    apart(fragment, &gaps);
}

/// Before each glyph the gap in em between it and the one before, where both are letters of words, or one and a mark of
/// punctuation, and no space is drawn between them.
fn gaps(fragment: &Fragment, glyphs: &[Glyph]) -> Vec<Option<f32>> {
    let letter = |glyph: &Glyph| !glyph.style.is_math() && glyph.text.first().is_some_and(char::is_alphabetic);
    let mark = |glyph: &Glyph| glyph.text.first().is_some_and(|c| matches!(c, '.' | ',' | ';' | ':' | '-' | '’'));
    let word = |a: &Glyph, b: &Glyph| letter(a) && (letter(b) || mark(b)) || mark(a) && letter(b);
    let mut gaps = vec![None; fragment.glyphs.len()];
    for (at, pair) in fragment.glyphs.windows(2).enumerate() {
        let (before, next) = (&glyphs[pair[0]], &glyphs[pair[1]]);
        if pair[1] == pair[0] + 1 && word(before, next) && (before.y - next.y).abs() < 0.05 * next.size {
            gaps[at + 1] = Some(gap(before, next) / next.em);
        }
    }
    gaps
}

/// Joins letters that stand apart from each other, each by itself and all by as much.
fn apart(fragment: &mut Fragment, gaps: &[Option<f32>]) {
    let mut at = 1;
    while at < gaps.len() {
        let stands_apart = |at: &usize| fragment.spaces[*at] && gaps[*at].is_none_or(|gap| gap > WORD);
        let end = (at..gaps.len()).take_while(stands_apart).last().map_or(at, |last| last + 1);
        join(&mut fragment.spaces[at..end], &gaps[at..end]);
        at = end + 1;
    }
}

fn join(spaces: &mut [bool], gaps: &[Option<f32>]) {
    let mut known: Vec<f32> = gaps.iter().copied().flatten().collect();
    known.sort_by(f32::total_cmp);
    let Some(&base) = known.get(known.len() / 4) else { return };
    let words = known.iter().any(|gap| *gap > base + WORD) || known.len() < gaps.len();
    let even = if words { EVEN } else { VERY_EVEN };
    let close = known.iter().filter(|gap| (**gap - base).abs() < even).count();
    if known.len() + 1 < LETTERS || close * 5 < known.len() * 3 {
        return;
    }
    for (space, gap) in spaces.iter_mut().zip(gaps) {
        *space = gap.is_none_or(|gap| gap > base + WORD);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::super::row::rows;
    use super::super::runs;
    use super::*;

    /// The text with its letters moved apart by `gap` points; spaces are drawn or left out.
    fn spaced(text: &str, gap: f32, drawn: bool) -> Vec<Glyph> {
        let mut glyphs = line(text, 10.0, 100.0, 10.0);
        let mut by = 0.0;
        for glyph in &mut glyphs {
            glyph.x += by;
            glyph.end.0 += by;
            by += gap;
        }
        glyphs.retain(|glyph| drawn || !glyph.text.is_blank());
        glyphs
    }

    fn read(glyphs: &[Glyph]) -> String {
        let rows = rows(fragments(glyphs));
        rows.iter().map(|row| runs::line(row, glyphs).text()).collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn letters_that_stand_apart_or_close_are_words_all_the_same() {
        for text in ["words set letter by letter", "Introduction and scope"] {
            for gap in [-1.6, -0.6, 0.0, 0.9, 1.5, 2.4, 3.0] {
                for drawn in [true, false] {
                    assert_eq!(read(&spaced(text, gap, drawn)), text, "{gap} {drawn}");
                }
            }
        }
    }

    #[test]
    fn a_stressed_word_in_a_line_is_one() {
        let mut glyphs = line("a line with", 10.0, 100.0, 10.0);
        let by = 70.0 - 10.0;
        glyphs.extend(spaced("stressed", 2.5, true).into_iter().map(|glyph| Glyph {
            x: glyph.x + by,
            end: (glyph.end.0 + by, glyph.y),
            ..glyph
        }));
        glyphs.extend(line("word", 136.0, 100.0, 10.0));
        assert_eq!(read(&glyphs), "a line with stressed word");
    }

    #[test]
    fn symbols_and_names_of_columns_stay_apart() {
        for text in ["xyz", "123456789"] {
            assert_eq!(read(&spaced(text, 2.5, true)).matches(' ').count(), text.len() - 1, "{text}");
        }
        let mut columns = spaced("ABCDEFG", 2.5, true);
        for (at, glyph) in columns.iter_mut().enumerate() {
            glyph.end.0 += [0.0, 0.5, -0.6, 0.3][at % 4];
        }
        assert_eq!(read(&columns), "A B C D E F G");
        // Spaces that are drawn are meant.
        assert_eq!(read(&spaced("A B C D E F G H I", 2.5, true)).matches(' ').count(), 8);
    }
}
