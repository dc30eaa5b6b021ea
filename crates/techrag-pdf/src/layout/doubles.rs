//! Text drawn over text: the same once more is one text (fake bold, shadows, a page recognised twice), another text at
//! the same place is a layer of its own, to be read by itself.

use super::words::{retain, words};
use crate::glyphs::{Glyph, Text};
use std::ops::Range;

/// Two equal glyphs nearer than this share of their size are one glyph drawn twice. The narrowest letters advance by a
/// fifth of the size.
const DOUBLE: f32 = 0.12;
/// Furthest that a shadow lies off, in em, all letters of a word alike.
const SHADOW: f32 = 0.35;
/// How far letters of a shadow may stray from where the first one says, in em.
const STRAY: f32 = 0.05;
/// Nearer than this share of the size along the line, the middles of two letters are at one place.
const OVER: f32 = 0.3;
/// The same across the line; no lines of one text stand so close.
const HALF: f32 = 0.5;
/// Fewest letters of a word that is text of another layer or a shadow by itself: signs stand on letters as accents and
/// bars, and two equal letters stand side by side in many words.
const LETTERS: usize = 3;
/// Fewest signs of a line to write on.
const SIGNS: usize = 6;
/// How near in em a sign of such a line comes to a letter on it.
const CLEAR: f32 = 0.1;
/// Widest gap between words of a line, in em.
const LINE: f32 = 1.5;
/// Most glyphs of a cell that are compared with one.
const COMPARED: usize = 64;

/// What was drawn over other text.
#[derive(Debug, Default)]
pub(super) struct Over {
    /// Another layer: the glyphs of words that say something else.
    pub layer: Vec<Glyph>,
    /// Words that were dropped for others at their place which are nearly the same, as in a page recognised twice.
    pub lost: usize,
}

/// What is found of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The same as what is there.
    Double,
    /// Too short to tell, but a double if its line is one.
    Short,
    /// Something else than what is there.
    Over,
    /// Nearly the same as what is there, as the same line recognised twice.
    Variant,
    Alone,
}

/// A word and what is found of it.
#[derive(Clone, Copy, Debug)]
struct Found {
    kind: Kind,
    /// Its glyphs.
    glyphs: usize,
    /// How many of them are the same as one at about their place.
    equal: usize,
}

/// Keeps the first of glyphs drawn on top of each other, made bold, and takes other text at their place out.
pub(super) fn split(glyphs: &mut Vec<Glyph>, width: f32, height: f32) -> Over {
    let words = words(glyphs);
    let mut grid = Grid::new(width, height, glyphs.len());
    let mut gone = vec![false; glyphs.len()];
    let mut found = Vec::with_capacity(words.len());
    for word in &words {
        repeated(glyphs, word, &mut gone);
        let word_found = grid.compare(glyphs, word, &gone);
        if matches!(word_found.kind, Kind::Alone | Kind::Short) {
            word.clone().filter(|&index| !gone[index]).for_each(|index| grid.insert(&glyphs[index], index));
        }
        found.push(word_found);
    }
    follow_lines(glyphs, &words, &mut found);
    grid.clear_lines(glyphs, &words, &mut gone);
    let mut out = Over::default();
    for (word, found) in words.into_iter().zip(found) {
        match found.kind {
            Kind::Alone | Kind::Short => {}
            Kind::Double => gone[word].fill(true),
            Kind::Variant => {
                out.lost += 1;
                gone[word].fill(true);
            }
            Kind::Over => {
                // With the space behind it.
                let blanks = (word.end..glyphs.len()).take_while(|&index| glyphs[index].text.is_blank()).count();
                let with_blanks = word.start..word.end + blanks;
                let shown = with_blanks.clone().filter(|&index| !gone[index]);
                out.layer.extend(shown.map(|index| glyphs[index].clone()));
                gone[with_blanks].fill(true);
            }
        }
    }
    if gone.contains(&true) {
        retain(glyphs, &gone);
    }
    out
}

/// Words are what their line is. One over another text is the same text once more, recognised a second time, where half
/// of the letters are equal; else it is over it as a whole, with words that are too short to tell and those that reach
/// further.
fn follow_lines(glyphs: &[Glyph], words: &[Range<usize>], found: &mut [Found]) {
    if found.iter().all(|found| matches!(found.kind, Kind::Alone | Kind::Double)) {
        return;
    }
    let goes_on = |a: &Range<usize>, b: &Range<usize>| {
        let (last, next) = (&glyphs[a.end - 1], &glyphs[b.start]);
        let (gap, step) = ((next.x - last.end.0).hypot(next.y - last.end.1), (next.y - last.end.1).abs());
        gap < LINE * next.size && step < OVER * next.size
    };
    let mut at = 0;
    for line in words.chunk_by(goes_on) {
        judge_line(&mut found[at..at + line.len()]);
        at += line.len();
    }
}

fn judge_line(line: &mut [Found]) {
    let letters = |kind: Kind| line.iter().filter(|found| found.kind == kind).map(|found| found.glyphs).sum::<usize>();
    let (double, over, alone) = (letters(Kind::Double), letters(Kind::Over), letters(Kind::Alone));
    let equal: usize = line.iter().filter(|found| found.kind == Kind::Over).map(|found| found.equal).sum();
    let is_variant = over > 0 && (double > over || equal * 2 >= over);
    let is_over = !is_variant && over > alone.max(double);
    for found in line {
        found.kind = match found.kind {
            // Short words may be the same by chance.
            _ if is_over => Kind::Over,
            Kind::Over if is_variant => Kind::Variant,
            Kind::Short if double > alone => Kind::Double,
            kind => kind,
        };
    }
}

/// Marks glyphs of a word that are drawn again at once.
fn repeated(glyphs: &mut [Glyph], word: &Range<usize>, gone: &mut [bool]) {
    for index in word.clone().skip(1) {
        let before = (word.start.max(index.saturating_sub(2))..index).rev();
        let twin = before.into_iter().find(|&other| {
            let (other, glyph) = (&glyphs[other], &glyphs[index]);
            same(other, glyph) && !follows(other, glyph)
        });
        if let Some(twin) = twin {
            glyphs[twin].style.bold = true;
            gone[index] = true;
        }
    }
}

/// Whether a word is a line to write on, or one that strikes out.
fn is_line(word: &[Glyph]) -> bool {
    let is_sign = |glyph: &Glyph| glyph.text.first().is_some_and(|c| matches!(c, '_' | '.' | '-' | '…' | '–' | '—'));
    word.len() >= SIGNS && word.iter().all(is_sign)
}

/// Whether a glyph is a letter or a digit.
fn is_letter(glyph: &Glyph) -> bool {
    glyph.text.first().is_some_and(char::is_alphanumeric)
}

fn same(a: &Glyph, b: &Glyph) -> bool {
    let near = DOUBLE * a.size;
    let beside = (a.x - b.x).abs() < DOUBLE * a.em.min(a.size);
    a.text != Text::Unknown && a.text == b.text && beside && (a.y - b.y).abs() < near && (a.size - b.size).abs() < near
}

/// Whether a letter stands where the one drawn before it says, as the second of two in text that is squeezed.
fn follows(before: &Glyph, next: &Glyph) -> bool {
    let there = (before.end.0 + before.spacing - next.x).hypot(before.end.1 - next.y);
    there < 0.05 * next.em && (next.x - before.x).hypot(next.y - before.y) > 0.02 * next.em
}

/// Glyphs by place: lists through the cells of the page. Hashing every glyph costs more than the rest of cleaning.
struct Grid {
    side: f32,
    columns: usize,
    rows: usize,
    /// The last glyph in each cell, plus one; 0 where there is none.
    heads: Vec<u32>,
    /// For each glyph the one before it in its cell, plus one.
    before: Vec<u32>,
}

impl Grid {
    fn new(width: f32, height: f32, glyphs: usize) -> Self {
        // At most 500 cells a side, however large the page says it is.
        let side = (width.max(height) / 500.0).max(4.0);
        let cells = |length: f32| cell(length, side).min(500) + 1;
        let (columns, rows) = (cells(width), cells(height));
        Self { side, columns, rows, heads: vec![0; columns * rows], before: vec![0; glyphs] }
    }

    /// Column and row of a place, the outermost where it is off the page.
    fn at(&self, x: f32, y: f32) -> (usize, usize) {
        (cell(x, self.side).min(self.columns - 1), cell(y, self.side).min(self.rows - 1))
    }

    fn insert(&mut self, glyph: &Glyph, index: usize) {
        let (column, row) = self.at(glyph.x, glyph.y);
        let head = &mut self.heads[row * self.columns + column];
        self.before[index] = *head;
        *head = u32::try_from(index + 1).unwrap_or(0);
    }

    /// Glyphs in the cells within `reach` points of a place.
    fn near(&self, (x, y): (f32, f32), reach: f32) -> impl Iterator<Item = usize> {
        // No reach of a letter is more than some cells, however large it says it is.
        let reach = reach.min(8.0 * self.side);
        let (x0, y0) = self.at(x - reach, y - reach);
        let (x1, y1) = self.at(x + reach, y + reach);
        let cells = (y0..=y1).flat_map(move |row| (x0..=x1).map(move |column| row * self.columns + column));
        cells.flat_map(|cell| {
            let previous = |&link: &u32| Some(self.before[usize::try_from(link).ok()? - 1]).filter(|&link| link != 0);
            let first = Some(self.heads[cell]).filter(|&link| link != 0);
            let links = std::iter::successors(first, previous).take(COMPARED);
            links.filter_map(|link| Some(usize::try_from(link).ok()? - 1))
        })
    }

    /// What a word is to those that were there before it; the glyphs that it doubles are made bold.
    fn compare(&self, glyphs: &mut [Glyph], word: &Range<usize>, gone: &[bool]) -> Found {
        let left: Vec<usize> = word.clone().filter(|&index| !gone[index]).collect();
        let found = |kind: Kind| Found { kind, glyphs: left.len(), equal: 0 };
        let twin = |&index: &usize| {
            let glyph = &glyphs[index];
            self.near((glyph.x, glyph.y), DOUBLE * glyph.em).find(|&other| same(&glyphs[other], glyph))
        };
        let twins: Vec<usize> = left.iter().filter_map(twin).collect();
        let enough = if left.len() < LETTERS { twins.len() == left.len() } else { twins.len() * 5 >= left.len() * 3 };
        if enough && !left.is_empty() {
            twins.into_iter().for_each(|twin| glyphs[twin].style.bold = true);
            return found(Kind::Double);
        }
        let letters = left.iter().filter(|&&index| is_letter(&glyphs[index])).count();
        if letters * 2 > left.len() && self.is_shadow(glyphs, &left) {
            return found(if left.len() < LETTERS { Kind::Short } else { Kind::Double });
        }
        let over = left.iter().filter(|&&index| self.under(glyphs, index).next().is_some()).count();
        if letters < LETTERS || over * 10 < letters * 7 {
            return found(Kind::Alone);
        }
        let is_equal = |&&index: &&usize| self.under(glyphs, index).any(|other| other.text == glyphs[index].text);
        let equal = left.iter().filter(is_equal).count();
        Found { equal, ..found(Kind::Over) }
    }

    /// The letters whose middle is that of a letter, and which are about as large. Text is filled in over dots and
    /// underscores, and words are struck out with hyphens: signs neither cover nor are covered.
    fn under<'g>(&'g self, glyphs: &'g [Glyph], index: usize) -> impl Iterator<Item = &'g Glyph> {
        let glyph = &glyphs[index];
        let middle = |glyph: &Glyph| (f32::midpoint(glyph.x, glyph.end.0), f32::midpoint(glyph.y, glyph.end.1));
        let (x, y) = middle(glyph);
        let near = self.near((glyph.x, glyph.y), 2.0 * OVER * glyph.size).map(|other| &glyphs[other]);
        near.filter(move |other| {
            let at = middle(other);
            let (beside, above) = (OVER * glyph.size, HALF * glyph.size);
            let size = (0.5..2.0).contains(&(other.size / glyph.size));
            let is_there = (at.0 - x).abs() < beside && (at.1 - y).abs() < above;
            is_there && size && is_letter(other) && is_letter(glyph)
        })
    }

    /// Takes the signs of a line to write on away where letters stand on it: on one base line, they would be read between
    /// the letters.
    fn clear_lines(&self, glyphs: &[Glyph], words: &[Range<usize>], gone: &mut [bool]) {
        let lines = words.iter().filter(|word| is_line(&glyphs[(*word).clone()]));
        let signs: Vec<usize> = lines.flat_map(|word| word.clone()).filter(|&index| !gone[index]).collect();
        for index in signs {
            let sign = &glyphs[index];
            let on = |other: usize| {
                let other = &glyphs[other];
                let middle = f32::midpoint(sign.x, sign.end.0);
                let (left, right) = (other.x.min(other.end.0), other.x.max(other.end.0));
                is_letter(other)
                    && (other.y - sign.y).abs() < HALF * sign.size
                    && (left - CLEAR * sign.em..right + CLEAR * sign.em).contains(&middle)
            };
            gone[index] |= self.near((sign.x, sign.y), sign.size.max(sign.em)).any(on);
        }
    }

    /// Whether the same letters stand a little off, all by as much.
    fn is_shadow(&self, glyphs: &[Glyph], word: &[usize]) -> bool {
        let first = &glyphs[word[0]];
        let reach = SHADOW * first.em;
        let like = |other: usize, glyph: &Glyph| {
            glyphs[other].text == glyph.text && (glyphs[other].size - glyph.size).abs() < DOUBLE * glyph.size
        };
        let starts = self.near((first.x, first.y), reach).filter(|&other| {
            let other = &glyphs[other];
            (other.x - first.x).abs() < reach && (other.y - first.y).abs() < reach
        });
        let mut starts = starts.filter(|&other| like(other, first));
        starts.any(|start| {
            let (dx, dy) = (glyphs[start].x - first.x, glyphs[start].y - first.y);
            let again = word.iter().filter(|&&index| {
                let glyph = &glyphs[index];
                let (x, y) = (glyph.x + dx, glyph.y + dy);
                self.near((x, y), STRAY * glyph.size).any(|other| {
                    let (a, b) = ((glyphs[other].x - x).abs(), (glyphs[other].y - y).abs());
                    like(other, glyph) && a.max(b) < STRAY * glyph.size
                })
            });
            again.count() * 5 >= word.len() * 4
        })
    }
}

fn cell(length: f32, side: f32) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cell of a page; the cast saturates")]
    let cell = (length / side).max(0.0) as usize;
    cell
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::line;
    use super::super::words::text;
    use super::*;

    fn split_page(glyphs: &[Glyph]) -> (String, bool, String, usize) {
        let mut kept = glyphs.to_vec();
        let over = split(&mut kept, 600.0, 200.0);
        (text(&kept), kept.iter().all(|glyph| glyph.style.bold), text(&over.layer), over.lost)
    }

    fn moved(glyphs: &[Glyph], x: f32, y: f32) -> Vec<Glyph> {
        let shift = |glyph: &Glyph| Glyph {
            x: glyph.x + x,
            y: glyph.y + y,
            end: (glyph.end.0 + x, glyph.end.1 + y),
            ..glyph.clone()
        };
        glyphs.iter().map(shift).collect()
    }

    #[test]
    fn fake_bold_and_shadows_are_one_text() {
        let title = line("parallel", 10.0, 50.0, 10.0);
        let doubled = |x, y| split_page(&[title.clone(), moved(&title, x, y)].concat());
        assert_eq!(doubled(0.4, 0.0), ("parallel".to_owned(), true, String::new(), 0));
        for (x, y) in [(0.0, 0.0), (1.0, 0.5), (1.5, 1.5), (-2.0, 3.0), (3.3, -2.0)] {
            assert_eq!(doubled(x, y).0, "parallel", "{x} {y}");
            assert_eq!(doubled(x, y).2, "");
        }
        // Letter by letter.
        let letters: Vec<Glyph> = title
            .iter()
            .flat_map(|glyph| [glyph.clone(), moved(std::slice::from_ref(glyph), 0.3, 0.0)[0].clone()])
            .collect();
        assert_eq!(split_page(&letters).0, "parallel");
    }

    #[test]
    fn two_letters_that_are_squeezed_stay_two() {
        let mut all = line("all", 10.0, 50.0, 10.0);
        all.iter_mut().enumerate().for_each(|(at, glyph)| {
            let by = 4.2 * f32::from(u8::try_from(at).unwrap_or(0));
            (glyph.x, glyph.end.0, glyph.spacing) = (glyph.x - by, glyph.end.0 - by, -4.2);
        });
        assert_eq!(split_page(&all).0, "all");
    }

    #[test]
    fn another_text_at_the_same_place_is_a_layer() {
        let one = line("the tyre transmits every force", 10.0, 50.0, 10.0);
        let two = line("one pot of soup needs salt and", 10.5, 51.0, 10.0);
        let (kept, _, layer, lost) = split_page(&[one.clone(), two].concat());
        assert_eq!((kept.as_str(), lost), ("the tyre transmits every force", 0));
        assert_eq!(layer, "one pot of soup needs salt and");
        // The same text recognised again, with mistakes.
        let again = line("tbe tyre trausmits every force", 10.0, 50.5, 10.0);
        assert_eq!(split_page(&[one.clone(), again].concat()).2, "");
        // With so many that few letters are at the place of their twins; and a word of them that is another.
        let worse = line("thetyre trnasmils evrey forca", 12.5, 50.5, 10.0);
        let (kept, _, layer, lost) = split_page(&[one, worse].concat());
        assert_eq!((kept.trim_end(), layer.as_str(), lost), ("the tyre transmits every force", "", 3));
    }

    #[test]
    fn another_text_over_one_that_is_made_bold_is_a_layer_all_the_same() {
        let one = line("the tyre transmits every force", 10.0, 50.0, 10.0);
        let stamp = line("seen by the board of steel", 12.0, 50.0, 10.0);
        let (kept, _, layer, lost) = split_page(&[one.clone(), moved(&one, 0.3, 0.0), stamp].concat());
        assert_eq!((kept.trim_end(), lost), ("the tyre transmits every force", 0));
        assert_eq!(layer, "seen by the board of steel");
    }

    #[test]
    fn text_filled_in_over_a_line_of_signs_is_no_layer() {
        for sign in ["_", ".", "-"] {
            let (form, value) = (line(&sign.repeat(24), 10.0, 50.0, 10.0), line("Johanna Oldendorf", 12.0, 49.0, 10.0));
            for page in [[form.clone(), value.clone()], [value, form]] {
                let (kept, _, layer, lost) = split_page(&page.concat());
                let letters = kept.replace(sign, "");
                assert_eq!((letters.as_str(), layer.as_str(), lost), ("Johanna Oldendorf", "", 0), "{sign}");
                // What is left of the line stands around the letters.
                assert!((1..12).contains(&kept.matches(sign).count()), "{kept}");
            }
        }
    }

    #[test]
    fn letters_drawn_one_by_one_are_no_shadows_of_their_neighbours() {
        // Every second one, then the others, as narrow as `l` is.
        let letters: Vec<Glyph> = "hillill"
            .char_indices()
            .map(|(at, letter)| {
                let x = 10.0 + 2.3 * f32::from(u8::try_from(at).unwrap_or(0));
                Glyph { end: (x + 2.2, 50.0), ..line(&letter.to_string(), x, 50.0, 10.0)[0].clone() }
            })
            .collect();
        let (even, odd): (Vec<_>, Vec<_>) = letters.into_iter().enumerate().partition(|(at, _)| at % 2 == 0);
        let page: Vec<Glyph> = even.into_iter().chain(odd).map(|(_, glyph)| glyph).collect();
        assert_eq!(split_page(&page).0.len(), 7);
    }

    #[test]
    fn signs_on_letters_are_no_layer() {
        let page =
            [line("a = b", 10.0, 50.0, 10.0), line("/", 20.0, 50.0, 10.0), line("---", 10.0, 50.0, 10.0)].concat();
        assert_eq!(split_page(&page).2, "");
        assert_eq!(split_page(&page).0.len(), 9);
    }
}
