//! Words read off a page's picture, laid out by the same steps as the glyphs of a text layer.
//!
//! A reader of pictures gives words in boxes that hug their ink. Layout wants glyphs on base lines with font sizes, so
//! both are told from the boxes: which letters reach up and which hang down is known, and how far in em. Sizes that
//! nearly agree are one size, since headings are told from text by theirs.

use crate::glyphs::{Glyph, Raw, Style, Text, clean};
use crate::layout;
use crate::page::{Bbox, Block, Outcome, Page, Quality, Reader, Recognised};

/// How far capitals, digits and tall letters reach up, in em.
const TALL: f32 = 0.7;
/// How far the letters without ascender reach up, in em.
const LOW: f32 = 0.47;
/// How far letters hang under the base line, in em.
const DEEP: f32 = 0.21;
/// Sizes that differ by less than this share are one.
const ONE_SIZE: f32 = 0.12;
/// How much wider than those of most lines, in em, the strokes of a bold line are.
const BOLD: f32 = 1.22;
/// Lines of smaller type than this share of the page's have relatively wide strokes without being bold.
const FULL_SIZE: f32 = 0.95;
/// Letters of a plain word, at least; shorter ones may be of a formula.
const PLAIN_WORD: usize = 3;
/// Letters in plain words from which these tell the size of a line.
const PLAIN: usize = 12;
/// Largest font size, in points: a stroke of a drawing may be read as a letter.
const LARGEST: f32 = 144.0;

/// A word and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Its characters, no white space.
    pub text: String,
    /// Its box in points on the straightened page, origin at the top left.
    pub bbox: Bbox,
    /// Words of one line share this number.
    pub line: usize,
    /// How certain the reader is, 0 to 1.
    pub confidence: f32,
    /// Mean width of its strokes in points; 0 where unknown.
    pub stroke: f32,
}

/// What was read off the picture of a page.
pub struct Recognition<'a> {
    /// The page's number, from 1.
    pub number: u32,
    /// Width and height of the page in points.
    pub size: [f32; 2],
    /// Width and height in points of the page as it was straightened to be read.
    pub straight: [f32; 2],
    /// Where a box of the straightened page lies on the page.
    pub back: &'a dyn Fn(Bbox) -> Bbox,
    /// The words in the reader's order.
    pub words: &'a [Word],
    /// Mean confidence, 0 to 1.
    pub confidence: f32,
    /// Which reader it was, with its version.
    pub by: &'a str,
}

/// The page with these words laid out; without any it has no text.
pub fn page(read: &Recognition<'_>) -> Page {
    let [width, height] = read.straight;
    let raw = Raw { width, height, glyphs: glyphs(read.words), ..Raw::default() };
    let mut page = layout::page(raw);
    page.blocks.iter_mut().for_each(|block| put_back(block, read.back));
    if page.outcome != Outcome::Text {
        page.outcome = Outcome::NoText { images: true };
    }
    let quality = Quality::of(&page);
    let words = read.words.iter().map(|word| ((read.back)(word.bbox), word.confidence)).collect();
    Page {
        number: read.number,
        width: read.size[0],
        height: read.size[1],
        reader: Reader::Picture,
        quality,
        recognised: Some(Recognised { by: read.by.to_owned(), confidence: read.confidence, words }),
        ..page
    }
}

fn put_back(block: &mut Block, back: &dyn Fn(Bbox) -> Bbox) {
    let place = |bbox| back(bbox).map(|side| (side * 100.0).round() / 100.0);
    block.bbox = place(block.bbox);
    for line in &mut block.lines {
        line.bbox = place(line.bbox);
    }
}

/// Words on their line's base line, a blank between them.
fn glyphs(words: &[Word]) -> Vec<Glyph> {
    let lines: Vec<&[Word]> = words.chunk_by(|a, b| a.line == b.line).collect();
    let sizes = one_size(&lines.iter().map(|line| (size(line), letters(line))).collect::<Vec<_>>());
    let bold = bold(&lines, &sizes);
    let mut glyphs = Vec::new();
    for ((line, size), bold) in lines.into_iter().zip(sizes).zip(bold) {
        let style = Style { bold, ..Style::default() };
        let base = |word: &Word| (word.bbox[3] - reach(&word.text)[1] * size, word.text.len());
        let base = median(telling(line).into_iter().map(base));
        for word in line {
            push(word, base, size, style, &mut glyphs);
        }
    }
    glyphs
}

/// A word's characters, equally wide, and a blank behind them.
fn push(word: &Word, y: f32, size: f32, style: Style, glyphs: &mut Vec<Glyph>) {
    let [left, _, right, _] = word.bbox;
    let step = (right - left) / count(word.text.chars().count());
    let glyph = |text, x: f32, end: f32| Glyph {
        text,
        x,
        y,
        end: (end, y),
        size,
        em: size,
        spacing: 0.0,
        style,
        invisible: false,
        artifact: false,
    };
    let mut x = left;
    for c in word.text.chars() {
        glyphs.push(glyph(clean(c.encode_utf8(&mut [0; 4])), x, x + step));
        x += step;
    }
    glyphs.push(glyph(Text::One(' '), right, right));
}

/// How far the letters of a word reach above and below the base line, in em.
fn reach(word: &str) -> [f32; 2] {
    let up = |c: char| match c {
        'a' | 'c' | 'e' | 'g' | 'm'..='s' | 'u'..='z' | ':' | ';' => LOW,
        '.' | ',' | '_' | '…' => 0.12,
        '-' | '–' | '—' | '~' | '=' | '+' | '<' | '>' => 0.35,
        _ => TALL,
    };
    let down = |c: char| match c {
        'g' | 'j' | 'p' | 'q' | 'y' | 'Q' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' | '_' => DEEP,
        ',' | ';' => 0.13,
        // These float: the box ends above the base line.
        '-' | '–' | '—' | '~' | '=' | '+' | '<' | '>' => -0.2,
        '\'' | '"' | '’' | '‘' | '“' | '”' | '*' | '°' | '^' => -0.45,
        _ => 0.0,
    };
    let most = |of: &dyn Fn(char) -> f32| word.chars().map(of).fold(f32::NEG_INFINITY, f32::max);
    [most(&up), most(&down)]
}

/// The font size of a line in points: what its letters reach, as high as their boxes are.
fn size(line: &[Word]) -> f32 {
    let of = |word: &Word| {
        let [up, down] = reach(&word.text);
        ((word.bbox[3] - word.bbox[1]) / (up + down).max(0.1), word.text.len())
    };
    median(telling(line).into_iter().map(of)).clamp(1.0, LARGEST)
}

/// The words of a line by whose boxes its size and base line are told: those of letters alone, where there are enough of
/// them. Formulas have indices below and accents above, and their boxes are as high as two lines. Of fewer words those
/// without a sign at their end, which may be a raised mark misread.
fn telling(line: &[Word]) -> Vec<&Word> {
    let unmarked = |word: &&Word| !word.text.ends_with(['!', '?', '\'', '"', '’', '”', '*', '°', '^']);
    let bare = |word: &Word| word.text.trim_matches(|c: char| c.is_ascii_punctuation()).to_owned();
    let plain = |word: &&Word| bare(word).chars().count() >= PLAIN_WORD && bare(word).chars().all(char::is_alphabetic);
    let words: Vec<&Word> = line.iter().filter(plain).filter(unmarked).collect();
    if words.iter().map(|word| word.text.len()).sum::<usize>() >= PLAIN {
        return words;
    }
    let words: Vec<&Word> = line.iter().filter(unmarked).collect();
    if words.is_empty() { line.iter().collect() } else { words }
}

/// Which lines are bold, told by their strokes against those of the page.
fn bold(lines: &[&[Word]], sizes: &[f32]) -> Vec<bool> {
    let body = median(lines.iter().zip(sizes).map(|(line, size)| (*size, letters(line))));
    let stroke = |line: &[Word], size: f32| median(line.iter().map(|word| (word.stroke, word.text.len()))) / size;
    let strokes: Vec<f32> = lines.iter().zip(sizes).map(|(line, &size)| stroke(line, size)).collect();
    let usual = median(strokes.iter().zip(lines).map(|(stroke, line)| (*stroke, letters(line))));
    let wide = |(stroke, size): (&f32, &f32)| usual > 0.0 && *stroke > BOLD * usual && *size >= FULL_SIZE * body;
    strokes.iter().zip(sizes).map(wide).collect()
}

fn letters(line: &[Word]) -> usize {
    line.iter().map(|word| word.text.len()).sum()
}

/// Sizes of lines with their letters, those that nearly agree made one: first those like most letters of the page, then
/// the others among themselves.
fn one_size(lines: &[(f32, usize)]) -> Vec<f32> {
    let body = median(lines.iter().copied());
    let like = |size: f32, other: f32| (size / other - 1.0).abs() < ONE_SIZE;
    let mut others: Vec<(f32, usize)> = lines.iter().copied().filter(|line| !like(line.0, body)).collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    let groups: Vec<f32> =
        others.chunk_by(|a, b| like(b.0, a.0)).map(|group| median(group.iter().copied())).chain([body]).collect();
    let nearest = |size: f32| {
        let distance = |group: &f32| (size / group).ln().abs();
        let nearest = groups.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if like(size, body) { body } else { nearest.unwrap_or(size) }
    };
    lines.iter().map(|line| (nearest(line.0) * 10.0).round() / 10.0).collect()
}

/// The middle one of values, each counted as often as it weighs; 0 for none.
fn median(values: impl Iterator<Item = (f32, usize)>) -> f32 {
    let mut values: Vec<(f32, usize)> = values.collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|value| value.1).sum::<usize>().div_ceil(2);
    let mut seen = 0;
    let middle = values.iter().find(|value| {
        seen += value.1;
        seen >= half
    });
    middle.map_or(0.0, |value| value.0)
}

#[expect(clippy::cast_precision_loss, reason = "characters of a word")]
fn count(characters: usize) -> f32 {
    characters.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words as they hug the ink of 10 point type, half an em a letter.
    fn line(text: &str, x: f32, base: f32, line: usize) -> Vec<Word> {
        let mut x = x;
        let mut word = |text: &str| {
            let [up, down] = reach(text);
            let width = count(text.chars().count()) * 5.0;
            let bbox = [x, base - up * 10.0, x + width, base + down * 10.0];
            x += width + 2.5;
            Word { text: text.to_owned(), bbox, line, confidence: 0.9, stroke: 0.8 }
        };
        text.split(' ').map(&mut word).collect()
    }

    fn read(words: &[Word], back: &dyn Fn(Bbox) -> Bbox) -> Page {
        let by = "a reader";
        page(&Recognition {
            number: 3,
            size: [600.0, 800.0],
            straight: [600.0, 800.0],
            back,
            words,
            confidence: 0.9,
            by,
        })
    }

    #[test]
    fn words_become_lines_of_one_size_in_columns() {
        let mut words = Vec::new();
        let text = "the tyre slips on wet roads, as drivers know it";
        for at in 1..12 {
            let base = 100.0 + 12.0 * count(at);
            words.extend(line(text, 50.0, base, at));
            words.extend(line(&text.to_uppercase(), 320.0, base, at));
        }
        let page = read(&words, &|bbox| bbox);
        let text: Vec<String> = page.blocks.iter().flat_map(|block| &block.lines).map(crate::Line::text).collect();
        assert_eq!(text.len(), 22, "{text:?}");
        assert_eq!(text.iter().position(|line| line.starts_with("THE")), Some(11), "{text:?}");
        let sizes: Vec<f32> = page.blocks.iter().flat_map(|block| &block.lines).map(crate::Line::size).collect();
        assert!(sizes.iter().all(|size| (size - 10.0).abs() < 0.3), "{sizes:?}");
        assert_eq!((page.number, page.outcome, page.reader), (3, Outcome::Text, Reader::Picture));
        assert_eq!(page.recognised.map(|read| (read.by, read.words.len())), Some(("a reader".to_owned(), words.len())));
    }

    #[test]
    fn formulas_in_a_line_change_neither_its_size_nor_its_place() {
        let texts =
            ["deriva", "tives and two lag states [Uf1 Uf2 Uf3 Uf4 Uf5 Uf6 Uf1 Uf2 Uf3 Uf4]", "The reason for using it"];
        let mut words: Vec<Word> =
            (1..).zip(texts).flat_map(|(at, text)| line(text, 50.0, 13.0 * count(at), at)).collect();
        // The boxes of the formula reach around its indices and accents.
        for word in words.iter_mut().filter(|word| word.text.contains('U')) {
            word.bbox = [word.bbox[0], word.bbox[1] - 2.0, word.bbox[2], word.bbox[3] + 3.0];
        }
        let page = read(&words, &|bbox| bbox);
        let text: Vec<String> = page.blocks.iter().flat_map(|block| &block.lines).map(crate::Line::text).collect();
        assert_eq!(text, texts);
    }

    #[test]
    fn a_raised_mark_makes_no_line_larger() {
        let mut words = [line("Adam D. Cobb", 50.0, 13.0, 1), line("Brian Jalaian!", 50.0, 40.0, 2)].concat();
        words[4].bbox[1] -= 5.0;
        let page = read(&words, &|bbox| bbox);
        let sizes: Vec<f32> = page.blocks.iter().flat_map(|block| &block.lines).map(crate::Line::size).collect();
        assert_eq!(sizes, [10.0, 10.0]);
    }

    #[test]
    fn lines_of_wide_strokes_are_bold() {
        let mut words: Vec<Word> = (1..6).flat_map(|at| line("the tyre slips", 50.0, 12.0 * count(at), at)).collect();
        words[3..6].iter_mut().for_each(|word| word.stroke = 1.1);
        let page = read(&words, &|bbox| bbox);
        let bold = page.blocks.iter().flat_map(|block| &block.lines).map(|line| line.runs.iter().all(|run| run.bold));
        assert_eq!(bold.collect::<Vec<_>>(), [false, true, false, false, false]);
    }

    #[test]
    fn boxes_are_those_of_the_page_as_it_is() {
        let page = read(&line("turned", 50.0, 100.0, 0), &|[x0, y0, x1, y1]| [y0, 600.0 - x1, y1, 600.0 - x0]);
        let block = &page.blocks[0];
        assert!(block.bbox[0] < 110.0 && block.bbox[1] > 500.0, "{:?}", block.bbox);
    }

    #[test]
    fn nothing_read_is_no_text() {
        let page = read(&[], &|bbox| bbox);
        assert_eq!(page.outcome, Outcome::NoText { images: true });
        assert!(page.blocks.is_empty());
    }

    #[test]
    fn sizes_that_nearly_agree_are_one() {
        let sizes = one_size(&[(10.0, 400), (10.6, 30), (9.4, 40), (14.0, 20), (14.8, 12)]);
        assert_eq!(sizes, [10.0, 10.0, 10.0, 14.0, 14.0]);
        assert_eq!(one_size(&[]), [0.0; 0]);
    }
}
