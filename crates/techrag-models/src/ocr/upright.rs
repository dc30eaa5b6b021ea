//! Which way a page is tried first, guessed by a small picture of it: reading a page takes seconds, the guess hundredths.
//!
//! Lines of text make sharper sums along them than across, so that a page on its side shows. Of the Latin, Greek and
//! Cyrillic letters more rise above the small ones than hang below (`b d f h i k l t` and capitals against `g j p q y`),
//! so that a page on its head shows too. Both are guesses: the readers have the last word.

use super::gray::Gray;
use super::straighten::{self, Edges, straighten};

/// How much sharper the sums of columns must be than those of rows for a page that lies on its side.
const SIDEWAYS: f32 = 1.25;
/// How many times the ink that rises must hang for a page on its head.
const FLIPPED: f32 = 1.3;
/// Strips across the page that are looked at one by one: lines of columns do not stand beside each other.
const STRIPS: usize = 8;
/// Share of a line's fullest row from which a row is one of its small letters.
const FULL: f32 = 0.5;
/// Rows of a line, at least: lower ones are rules and specks.
const LOWEST: usize = 6;

/// How a page seems to lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Guess {
    /// Its lines run from top to bottom.
    pub(super) sideways: bool,
    /// Its letters stand on their head, once turned clockwise by a quarter where it lies on its side.
    pub(super) flipped: bool,
}

/// How a page lies, as far as a small picture of it tells.
pub(super) fn guess(gray: &Gray) -> Guess {
    let small = straighten::small(gray);
    let sharper = |edges: Edges| edges.columns().sharpness > SIDEWAYS * edges.rows().sharpness;
    let sideways = Edges::of(&small).is_some_and(sharper);
    let (level, _) = straighten(&small, u8::from(sideways));
    let [rising, hanging] = beyond(&level);
    Guess { sideways, flipped: hanging > FLIPPED * rising }
}

/// Ink above and below the small letters of all lines, in pixels.
fn beyond(level: &Gray) -> [f32; 2] {
    let threshold = level.threshold();
    let width = level.width().div_ceil(STRIPS).max(1);
    let mut sums = [0.0, 0.0];
    for left in (0..level.width()).step_by(width) {
        let strip = |row: &[u8]| row[left..(left + width).min(row.len())].iter().filter(|&&v| v <= threshold).count();
        let rows: Vec<f32> = level.bytes().chunks_exact(level.width()).map(|row| exact(strip(row))).collect();
        for line in rows.split(|&ink| ink == 0.0).filter(|line| line.len() >= LOWEST) {
            let full = FULL * line.iter().copied().fold(0.0, f32::max);
            let inside = |&ink: &f32| ink >= full;
            let (first, last) = (line.iter().position(inside), line.iter().rposition(inside));
            sums[0] += line[..first.unwrap_or(0)].iter().sum::<f32>();
            sums[1] += line[last.map_or(line.len(), |last| last + 1)..].iter().sum::<f32>();
        }
    }
    sums
}

#[expect(clippy::cast_precision_loss, reason = "pixels of a row")]
fn exact(pixels: usize) -> f32 {
    pixels as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of letters, of which every third rises and every tenth hangs: as many as in English.
    fn page() -> Gray {
        let (width, height) = (600, 800);
        let mut bytes = vec![255_u8; width * height];
        for (line, base) in (60..740).step_by(22).enumerate() {
            for (letter, left) in (50 + line % 7..540).step_by(9).enumerate().filter(|(at, _)| at % 6 != 5) {
                let at = letter + 5 * line;
                let top = if at % 3 == 0 { base - 13 } else { base - 8 };
                let bottom = if at % 10 == 1 { base + 4 } else { base };
                for y in top..bottom {
                    bytes[y * width + left..y * width + left + 2].fill(0);
                }
                bytes[base * width - width + left..base * width - width + left + 6].fill(0);
                bytes[(base - 8) * width + left..(base - 8) * width + left + 6].fill(0);
            }
        }
        Gray::new(width, bytes)
    }

    #[test]
    fn all_four_ways_are_told_also_askew() {
        for (quarters, sideways, flipped) in [(0, false, false), (1, true, true), (2, false, true), (3, true, false)] {
            assert_eq!(guess(&page().quarters(quarters)), Guess { sideways, flipped }, "{quarters}");
            let askew = page().levelled(0.02).quarters(quarters);
            assert_eq!(guess(&askew), Guess { sideways, flipped }, "{quarters}, askew");
        }
    }

    #[test]
    fn of_nothing_nothing_is_told() {
        assert_eq!(guess(&Gray::new(200, vec![255; 40_000])), Guess::default());
        assert_eq!(guess(&Gray::new(200, vec![0; 40_000])), Guess::default());
    }
}
