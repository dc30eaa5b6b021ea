//! Glyphs that follow each other on a base line, as the content draws them: words and whole lines, never over a gutter.

use crate::glyphs::Glyph;
use crate::page::Bbox;

/// Widest gap inside a fragment, in em; gutters and columns of tables are wider.
const GAP: f32 = 1.15;
/// Furthest step back inside a fragment, in em: kerning, accents, overlapping formula parts.
const BACK: f32 = 0.6;
/// Smallest gap between words, in em, where no space is drawn. TeX shrinks spaces to 0.22 em.
pub(super) const WORD: f32 = 0.17;
/// The same before a superscript, which stands further off behind a slanted letter: TeX's italic correction is 0.22 em
/// for a V.
const RAISED: f32 = 0.25;
/// How far above and below its base line a font reaches, in em.
pub(super) const ASCENT: f32 = 0.75;
/// See [`ASCENT`].
pub(super) const DESCENT: f32 = 0.22;
/// Below this share of its neighbour's size a glyph may be a superscript or subscript.
pub(super) const SMALL: f32 = 0.86;
/// Below this share it may be a script of a script: TeX sets them at half the size, first ones at 0.7 of it.
const SECOND: f32 = 0.6;

/// A stretch of glyphs on one base line.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    /// Indices of its glyphs, in content order, blanks left out.
    pub glyphs: Vec<usize>,
    /// For each glyph whether white space comes before it.
    pub spaces: Vec<bool>,
    /// Box of its glyphs.
    pub bbox: Bbox,
    /// Base line of its largest glyphs.
    pub base: f32,
    /// Size of its largest glyphs.
    pub size: f32,
    /// Whether it holds nothing but accents, radicals, brackets and large operators, which float above their row.
    pub floating: bool,
}

/// Space in points between a glyph and the next one on its line, beyond what character spacing makes.
pub(super) fn gap(before: &Glyph, next: &Glyph) -> f32 {
    next.x - before.end.0 - before.spacing
}

/// Smallest gap in points that is a space behind `before` in text of `size`, if none is drawn.
pub(super) fn word_gap(size: f32, before: &Glyph, next: &Glyph) -> f32 {
    let raised = next.size < SMALL * before.size && before.y - next.y > 0.12 * before.size && !floats(next);
    if raised && (before.style.italic || before.style.is_math()) {
        RAISED * before.size
    } else {
        // Spaces of condensed text are as condensed.
        WORD * size.min(next.size) * next.em / next.size
    }
}

/// The box of a glyph, by its font size.
pub(super) fn glyph_box(glyph: &Glyph) -> Bbox {
    let (x0, x1) = (glyph.x.min(glyph.end.0), glyph.x.max(glyph.end.0));
    [x0, glyph.y - ASCENT * glyph.size, x1, glyph.y + DESCENT * glyph.size]
}

/// The box around two boxes.
pub(super) fn join(a: Bbox, b: Bbox) -> Bbox {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Fragments in content order.
pub(super) fn fragments(glyphs: &[Glyph]) -> Vec<Fragment> {
    let mut done: Vec<Fragment> = Vec::new();
    let mut space = false;
    let mut open = false;
    for (index, glyph) in glyphs.iter().enumerate() {
        if glyph.text.is_blank() {
            space = true;
            continue;
        }
        let last = done.last_mut().filter(|_| open);
        match last {
            Some(fragment) if fragment.takes(glyphs, glyph) => fragment.push(glyphs, index, space),
            _ => done.push(Fragment::start(glyph, index)),
        }
        open = true;
        space = false;
    }
    done.iter_mut().for_each(|fragment| super::spaced::mend(fragment, glyphs));
    done
}

impl Fragment {
    fn start(glyph: &Glyph, index: usize) -> Self {
        Self {
            glyphs: vec![index],
            spaces: vec![false],
            bbox: glyph_box(glyph),
            base: glyph.y,
            size: glyph.size,
            floating: floats(glyph),
        }
    }

    /// Whether `next` goes on where this ends.
    fn takes(&self, glyphs: &[Glyph], next: &Glyph) -> bool {
        let Some(&last) = self.glyphs.last() else { return false };
        let gap = gap(&glyphs[last], next);
        let em = self.size.max(next.size);
        (-BACK * em..=GAP * em.max(next.em)).contains(&gap)
            && same_line(self.base, self.size, next.y, next.size)
            && !(is_operator(&glyphs[last]) && next.size < SMALL * glyphs[last].size)
    }

    fn push(&mut self, glyphs: &[Glyph], index: usize, space: bool) {
        let glyph = &glyphs[index];
        let before = self.glyphs.last().map_or(glyph, |&last| &glyphs[last]);
        let gap = gap(before, glyph);
        let em = self.size.min(glyph.size);
        let white = gap > word_gap(self.size, before, glyph);
        self.spaces.push(white || (space && gap > -0.1 * em));
        self.glyphs.push(index);
        self.floating &= floats(glyph);
        self.bbox = join(self.bbox, glyph_box(glyph));
        if glyph.size > self.size * 1.02 {
            self.size = glyph.size;
            self.base = glyph.y;
        }
    }

    /// Its stretches between gaps of at least `gap` points.
    pub(super) fn parted(&self, gap: f32, glyphs: &[Glyph]) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        let mut spacing = 0.0;
        for (&index, &space) in self.glyphs.iter().zip(&self.spaces) {
            let bbox = glyph_box(&glyphs[index]);
            let before = std::mem::replace(&mut spacing, glyphs[index].spacing.max(0.0));
            match parts.last_mut() {
                Some(part) if bbox[0] - part.bbox[2] - before < gap => {
                    part.glyphs.push(index);
                    part.spaces.push(space);
                    part.bbox = join(part.bbox, bbox);
                }
                _ => parts.push(Self { glyphs: vec![index], spaces: vec![false], bbox, ..self.clone() }),
            }
        }
        parts
    }

    /// Width in points.
    pub(super) fn width(&self) -> f32 {
        self.bbox[2] - self.bbox[0]
    }
}

/// Whether a glyph may float: fonts hang radicals and tall brackets from their origin and set accents where they like.
fn floats(glyph: &Glyph) -> bool {
    glyph.text.first().is_some_and(|c| {
        matches!(c, '√' | '∑' | '∏' | '∫' | '⋃' | '⋂' | '⎛'..='⎭' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '‖')
            || matches!(
                c,
                '`' | '´' | '^' | 'ˆ' | '~' | '˜' | '¯' | '˘' | '˙' | '¨' | '˚' | 'ˇ' | '¸' | '→' | '\u{300}'
                    ..='\u{36f}'
            )
    })
}

/// Whether a glyph is a large operator. It hangs from its origin, where its upper limit stands: together they would be a
/// line of their own above the one that they belong to.
fn is_operator(glyph: &Glyph) -> bool {
    glyph.text.first().is_some_and(|c| matches!(c, '∑' | '∏' | '∫' | '⋃' | '⋂'))
}

/// Whether text of `size` at base line `base` and text of `other_size` at `other` are on one line: the same base line,
/// or a smaller one raised or lowered as superscripts and subscripts are.
pub(super) fn same_line(base: f32, size: f32, other: f32, other_size: f32) -> bool {
    let (big, small) = if size >= other_size { (base, other) } else { (other, base) };
    let (em, ratio) = (size.max(other_size), size.min(other_size) / size.max(other_size));
    let raised = (big - small) / em;
    match ratio {
        SMALL.. => raised.abs() < 0.25,
        // Scripts of scripts stand further off.
        SECOND.. => (-0.4..0.72).contains(&raised),
        _ => (-0.45..0.72).contains(&raised),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::glyphs::{Style, Text};

    /// Glyphs half an em wide from `x` on.
    pub(crate) fn line(text: &str, x: f32, y: f32, size: f32) -> Vec<Glyph> {
        let step = size / 2.0;
        let mut at = x - step;
        let glyph = |c| {
            at += step;
            let end = (at + step, y);
            Glyph {
                text: Text::One(c),
                x: at,
                y,
                end,
                size,
                em: size,
                spacing: 0.0,
                style: Style::default(),
                invisible: false,
                artifact: false,
            }
        };
        text.chars().map(glyph).collect()
    }

    #[test]
    fn a_gutter_splits_and_a_superscript_does_not() {
        let mut glyphs = line("left side", 10.0, 100.0, 10.0);
        let end = glyphs.last().map_or(0.0, |g| g.end.0);
        glyphs.extend(line("2", end, 96.0, 7.0));
        glyphs.extend(line("right", end + 30.0, 100.0, 10.0));
        let fragments = fragments(&glyphs);
        assert_eq!(fragments.len(), 2);
        assert_eq!(fragments[0].glyphs.len(), 9);
        assert_eq!(fragments[0].spaces.iter().filter(|&&space| space).count(), 1);
        assert!((fragments[0].base - 100.0).abs() < 1e-6);
    }

    #[test]
    fn a_superscript_behind_a_slanted_letter_is_not_set_apart() {
        let mut glyphs = line("V", 10.0, 100.0, 10.0);
        glyphs.extend(line("b", 17.0, 96.0, 7.0));
        glyphs.extend(line("is", 23.0, 100.0, 10.0));
        // An index before its letter is set apart from the upright word before it.
        assert_eq!(fragments(&glyphs)[0].spaces, [false, true, true, false]);
        glyphs[0].style.italic = true;
        assert_eq!(fragments(&glyphs)[0].spaces, [false, false, true, false]);
    }

    #[test]
    fn a_new_line_is_a_new_fragment() {
        let mut glyphs = line("one", 10.0, 100.0, 10.0);
        glyphs.extend(line("two", 10.0, 112.0, 10.0));
        assert_eq!(fragments(&glyphs).len(), 2);
    }
}
