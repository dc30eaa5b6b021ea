//! Program text in a typewriter font: its lines are its meaning, and stay.

use super::fragment::Fragment;
use super::kind;
use super::row::Row;
use crate::glyphs::Glyph;
use crate::page::Line;

/// Widest indent that is kept, in characters.
const INDENT: usize = 60;

/// Whether program text stands out on a page: where most is typewritten, nothing does.
pub(super) fn stand_out(fragments: &[Fragment], glyphs: &[Glyph]) -> bool {
    let all = || fragments.iter().flat_map(|part| &part.glyphs);
    let mono = all().filter(|&&glyph| glyphs[glyph].style.is_mono()).count();
    mono > 0 && mono * 2 < all().count()
}

/// Which rows of a column are program text: two or more in a row, all in a typewriter font, with the signs of a program.
/// Addresses are set in such fonts too.
pub(super) fn rows(rows: &[Row], glyphs: &[Glyph]) -> Vec<bool> {
    let typed: Vec<bool> = rows.iter().map(|row| is_typed(row, glyphs)).collect();
    let mut listed = vec![false; rows.len()];
    let mut start = 0;
    while start < rows.len() {
        let end = typed[start..].iter().position(|typed| !typed).map_or(rows.len(), |length| start + length);
        if is_program(&rows[start..end], glyphs) {
            listed[start..end].fill(true);
        }
        start = end + 1;
    }
    listed
}

fn is_typed(row: &Row, glyphs: &[Glyph]) -> bool {
    let mono = kind::each(row, glyphs).filter(|glyph| glyph.style.is_mono()).count();
    mono * 10 >= row.len() * 9
}

fn is_program(rows: &[Row], glyphs: &[Glyph]) -> bool {
    const SIGNS: [char; 11] = ['{', '}', '(', ')', '[', ']', ';', '=', '<', '>', '#'];
    let texts: Vec<String> = rows.iter().map(|row| kind::start(row, glyphs, usize::MAX)).collect();
    let address = |text: &String| {
        text.contains("://")
            || text.starts_with("www.")
            || text.split(' ').any(|word| word.find('@').is_some_and(|at| at > 0))
    };
    let signed = texts.iter().filter(|text| text.contains(SIGNS)).count();
    let addressed = texts.iter().filter(|text| address(text)).count();
    rows.len() > 1 && signed * 2 >= rows.len() && addressed * 2 < rows.len()
}

/// The lines of a listing, each behind the spaces it is indented by.
pub(super) fn lines(rows: &[Row], glyphs: &[Glyph]) -> Vec<Line> {
    let left = rows.iter().map(|row| row.bbox[0]).fold(f32::INFINITY, f32::min);
    let first = rows.first().and_then(|row| kind::each(row, glyphs).next());
    let advance = first.map_or(0.0, |glyph| (glyph.end.0 - glyph.x).abs());
    rows.iter()
        .map(|row| {
            let mut line = super::runs::line(row, glyphs);
            if let Some(run) = line.runs.first_mut() {
                run.text.insert_str(0, &" ".repeat(indent(row.bbox[0] - left, advance)));
            }
            line
        })
        .collect()
}

/// How many characters of `advance` points fit into `width`.
fn indent(width: f32, advance: f32) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of characters; the cast saturates"
    )]
    let count = if advance > 0.0 { (width / advance).round().max(0.0) as usize } else { 0 };
    count.min(INDENT)
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::super::row;
    use super::*;
    use crate::glyphs::Family;

    fn typed(texts: &[(&str, f32)]) -> (Vec<Row>, Vec<Glyph>) {
        let placed = texts.iter().zip(0u8..);
        let mut glyphs: Vec<Glyph> =
            placed.flat_map(|((text, x), at)| line(text, *x, 100.0 + 11.0 * f32::from(at), 9.0)).collect();
        glyphs.iter_mut().for_each(|glyph| glyph.style.family = Family::Mono);
        (row::rows(fragments(&glyphs)), glyphs)
    }

    #[test]
    fn lines_of_a_program_keep_their_indents() {
        let (program, glyphs) = typed(&[("def slip(v):", 50.0), ("return v - r", 68.0), ("print(slip(3))", 50.0)]);
        assert_eq!(rows(&program, &glyphs), [true; 3]);
        let (remark, glyphs_of_it) = typed(&[("x = f(1)", 50.0), ("# see http://a.b/c", 50.0), ("y = g(x)", 50.0)]);
        assert_eq!(rows(&remark, &glyphs_of_it), [true; 3]);
        assert_eq!(indent(18.0, 0.0), 0);
        let advance = glyphs[0].end.0 - glyphs[0].x;
        let texts: Vec<String> = lines(&program, &glyphs).iter().map(Line::text).collect();
        let spaces = " ".repeat(indent(18.0, advance));
        assert!(spaces.len() > 2);
        assert_eq!(texts, ["def slip(v):".to_owned(), format!("{spaces}return v - r"), "print(slip(3))".to_owned()]);
    }

    #[test]
    fn addresses_and_words_in_a_typewriter_font_are_no_program() {
        for texts in
            [["https://example.org/a?b=(c)", "d/e=f"], ["{ann,bob}@example.org", "(dan@example.org)"], ["one", "two"]]
        {
            let (found, glyphs) = typed(&texts.map(|text| (text, 50.0)));
            assert_eq!(rows(&found, &glyphs), [false; 2], "{texts:?}");
        }
    }
}
