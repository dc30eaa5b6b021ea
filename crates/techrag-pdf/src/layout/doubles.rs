//! Text drawn over text: the same once more is one text (fake bold, shadows, a page recognised twice), another text at
//! the same place is a layer of its own, to be read by itself.

use super::words::{retain, text, words};
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
/// Fewest letters of a word that is text of another layer; signs stand on letters as accents and bars.
const LETTERS: usize = 3;
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
enum Found {
    Double,
    Over,
    Alone,
}

/// Keeps the first of glyphs drawn on top of each other, made bold, and takes other text at their place out.
pub(super) fn split(glyphs: &mut Vec<Glyph>, width: f32, height: f32) -> Over {
    let words = words(glyphs);
    let mut grid = Grid::new(width, height, glyphs.len());
    let mut gone = vec![false; glyphs.len()];
    let mut found = Vec::with_capacity(words.len());
    for word in &words {
        repeated(glyphs, word, &mut gone);
        let kind = grid.compare(glyphs, word, &gone);
        found.push(kind);
        if kind == Found::Alone {
            word.clone().filter(|&index| !gone[index]).for_each(|index| grid.insert(&glyphs[index], index));
        } else {
            gone[word.clone()].fill(true);
        }
    }
    follow_lines(glyphs, &words, &mut found, &mut gone);
    let count = |kind: Found| found.iter().filter(|found| **found == kind).count();
    let (doubles, over) = (count(Found::Double), count(Found::Over));
    let mut out = Over::default();
    if over > doubles {
        let others = words.iter().zip(&found).filter(|(_, kind)| **kind == Found::Over);
        for (word, _) in others {
            // With the space behind it.
            let blanks = (word.end..glyphs.len()).take_while(|&index| glyphs[index].text.is_blank()).count();
            let with_blanks = word.start..word.end + blanks;
            out.layer.extend_from_slice(&glyphs[with_blanks.clone()]);
            gone[with_blanks].fill(true);
        }
    } else {
        out.lost = over;
    }
    if gone.contains(&true) {
        retain(glyphs, &gone);
    }
    out
}

/// Lines of which most letters stand over others are over them as a whole, with words that are too short to tell and
/// those that reach further.
fn follow_lines(glyphs: &[Glyph], words: &[Range<usize>], found: &mut [Found], gone: &mut [bool]) {
    if !found.contains(&Found::Over) {
        return;
    }
    let goes_on = |a: &Range<usize>, b: &Range<usize>| {
        let (last, next) = (&glyphs[a.end - 1], &glyphs[b.start]);
        let (gap, step) = ((next.x - last.end.0).hypot(next.y - last.end.1), (next.y - last.end.1).abs());
        gap < LINE * next.size && step < OVER * next.size
    };
    let mut at = 0;
    for line in words.chunk_by(goes_on) {
        let own = at..at + line.len();
        at = own.end;
        let letters = |kind: Found| {
            let of_kind = line.iter().zip(&found[own.clone()]).filter(|(_, found)| **found == kind);
            of_kind.map(|(word, _)| word.len()).sum::<usize>()
        };
        if letters(Found::Over) > letters(Found::Alone).max(letters(Found::Double)) {
            // Short words may be the same by chance.
            for (word, found) in line.iter().zip(&mut found[own]) {
                *found = Found::Over;
                gone[word.clone()].fill(true);
            }
        }
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
        let twin = |&index: &usize| {
            let glyph = &glyphs[index];
            self.near((glyph.x, glyph.y), DOUBLE * glyph.em).find(|&other| same(&glyphs[other], glyph))
        };
        let twins: Vec<usize> = left.iter().filter_map(twin).collect();
        let enough = if left.len() < LETTERS { twins.len() == left.len() } else { twins.len() * 5 >= left.len() * 3 };
        if enough && !left.is_empty() {
            twins.into_iter().for_each(|twin| glyphs[twin].style.bold = true);
            return Found::Double;
        }
        let over = left.iter().filter(|&&index| self.is_over(glyphs, index)).count();
        let letters = left.iter().filter(|&&index| glyphs[index].text.first().is_some_and(char::is_alphanumeric));
        let letters = letters.count();
        if letters * 2 > left.len() && self.is_shadow(glyphs, &left) {
            Found::Double
        } else if letters >= LETTERS && over * 10 >= left.len() * 7 {
            Found::Over
        } else {
            Found::Alone
        }
    }

    /// Whether the middle of a glyph is that of another of about its size.
    fn is_over(&self, glyphs: &[Glyph], index: usize) -> bool {
        let glyph = &glyphs[index];
        let middle = |glyph: &Glyph| (f32::midpoint(glyph.x, glyph.end.0), f32::midpoint(glyph.y, glyph.end.1));
        let (x, y) = middle(glyph);
        self.near((glyph.x, glyph.y), 2.0 * OVER * glyph.size).any(|other| {
            let other = &glyphs[other];
            let at = middle(other);
            let (beside, above) = (OVER * glyph.size, HALF * glyph.size);
            (at.0 - x).abs() < beside && (at.1 - y).abs() < above && (0.5..2.0).contains(&(other.size / glyph.size))
        })
    }

    /// Whether the same letters stand a little off, all by as much.
    fn is_shadow(&self, glyphs: &[Glyph], word: &[usize]) -> bool {
        let first = &glyphs[word[0]];
        let reach = SHADOW * first.size;
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

/// Words of a layer, for counting.
pub(super) fn count(glyphs: &[Glyph]) -> usize {
    words(glyphs).into_iter().filter(|word| text(&glyphs[word.clone()]).chars().any(char::is_alphanumeric)).count()
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::line;
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
        assert_eq!(split_page(&[one, again].concat()).2, "");
    }

    #[test]
    fn signs_on_letters_are_no_layer() {
        let page =
            [line("a = b", 10.0, 50.0, 10.0), line("/", 20.0, 50.0, 10.0), line("---", 10.0, 50.0, 10.0)].concat();
        assert_eq!(split_page(&page).2, "");
        assert_eq!(split_page(&page).0.len(), 9);
    }
}
