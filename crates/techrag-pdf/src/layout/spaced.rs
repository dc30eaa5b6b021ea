//! Spaces between words where letters stand apart or close up: what is a space is told against the usual distance of
//! letters, as in headings set letter by letter, in stressed words, and in text that is squeezed into its line.

use super::fragment::{Fragment, WORD, gap};
use super::words;
use crate::glyphs::Glyph;
use techrag_core::lexicon;

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

/// Fewest different letters of words; the boxes of a row that are ticked have fewer.
const DIFFERENT: usize = 3;

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
    apart(fragment, &gaps, glyphs);
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
fn apart(fragment: &mut Fragment, gaps: &[Option<f32>], glyphs: &[Glyph]) {
    let mut at = 1;
    while at < gaps.len() {
        let stands_apart = |at: &usize| fragment.spaces[*at] && gaps[*at].is_none_or(|gap| gap > WORD);
        let end = (at..gaps.len()).take_while(stands_apart).last().map_or(at, |last| last + 1);
        if let Some(spaces) = joined(&gaps[at..end])
            && are_words(&fragment.glyphs[at - 1..end], &spaces, glyphs)
        {
            fragment.spaces[at..end].copy_from_slice(&spaces);
        }
        at = end + 1;
    }
}

/// Where the spaces are if letters are set apart on purpose; `None` where they are not.
fn joined(gaps: &[Option<f32>]) -> Option<Vec<bool>> {
    let mut known: Vec<f32> = gaps.iter().copied().flatten().collect();
    known.sort_by(f32::total_cmp);
    let &base = known.get(known.len() / 4)?;
    let words = known.iter().any(|gap| *gap > base + WORD) || known.len() < gaps.len();
    let even = if words { EVEN } else { VERY_EVEN };
    let close = known.iter().filter(|gap| (**gap - base).abs() < even).count();
    if known.len() + 1 < LETTERS || close * 5 < known.len() * 3 {
        return None;
    }
    Some(gaps.iter().map(|gap| gap.is_none_or(|gap| gap > base + WORD)).collect())
}

/// Whether letters, with a space before some of those behind the first, are words rather than names of columns or
/// answers in a row. Where spaces tell words apart, some may be names or too short to tell.
fn are_words(letters: &[usize], spaces: &[bool], glyphs: &[Glyph]) -> bool {
    let mut text = words::text(&glyphs[letters[0]..=letters[0]]);
    for (&letter, space) in letters[1..].iter().zip(spaces) {
        text.extend(space.then_some(' '));
        text.push_str(&words::text(&glyphs[letter..=letter]));
    }
    let letters: Vec<u32> = text.to_lowercase().chars().filter(|c| c.is_alphabetic()).map(u32::from).collect();
    // Names of columns follow each other in the alphabet.
    let steps = letters.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
    let mut different = letters.clone();
    different.sort_unstable();
    different.dedup();
    let (judged, plausible) = lexicon::judge(&text);
    // Other scripts are not judged.
    let is_latin = different.first().is_some_and(|&letter| letter < 128);
    let are_plausible = plausible * 2 >= judged && (judged > 0 || spaces.contains(&true) || !is_latin);
    steps * 2 < letters.len() && different.len() >= DIFFERENT && are_plausible
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
    fn answers_and_marks_in_a_row_stay_apart() {
        let rows = ["TFTFFTTF", "ABCDE", "ABCDEFGH", "ABCDEABC", "XOXXOOXO", "xxxxxxx", "BCADBACD", "NNYNYY", "xyzuvw"];
        for text in rows {
            for gap in [2.4, 3.0, 6.0] {
                for drawn in [true, false] {
                    let read = read(&spaced(text, gap, drawn));
                    assert_eq!(read.replace(" / ", " ").matches(' ').count(), text.len() - 1, "{read} {gap} {drawn}");
                }
            }
        }
        for text in ["Introduction", "EINLEITUNG", "Untersuchung"] {
            assert_eq!(read(&spaced(text, 2.5, true)), text);
        }
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
