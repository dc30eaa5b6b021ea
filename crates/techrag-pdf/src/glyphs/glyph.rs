//! What the interpreter makes of a page: glyphs with places and styles, rules, drawn areas.

use crate::page::Bbox;
use std::rc::Rc;

/// The characters of a glyph; nearly always one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// One character.
    One(char),
    /// Several: a ligature, an `ActualText`.
    Many(Rc<str>),
    /// The font does not say.
    Unknown,
}

impl Text {
    /// The same text, one character where it is one.
    pub(crate) fn new(text: &str) -> Self {
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(one), None) => Self::One(one),
            _ => Self::Many(text.into()),
        }
    }

    /// Appends the characters to `out`; U+FFFD where unknown.
    pub(crate) fn push_to(&self, out: &mut String) {
        match self {
            Self::One(one) => out.push(*one),
            Self::Many(many) => out.push_str(many),
            Self::Unknown => out.push('\u{fffd}'),
        }
    }

    /// The first character.
    pub(crate) fn first(&self) -> Option<char> {
        match self {
            Self::One(one) => Some(*one),
            Self::Many(many) => many.chars().next(),
            Self::Unknown => Some('\u{fffd}'),
        }
    }

    /// Whether it is white space only, or nothing.
    pub(crate) fn is_blank(&self) -> bool {
        match self {
            Self::One(one) => one.is_whitespace(),
            Self::Many(many) => many.chars().all(char::is_whitespace),
            Self::Unknown => false,
        }
    }
}

/// Look of a font.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// By name or weight.
    pub bold: bool,
    /// Italic or oblique.
    pub italic: bool,
    /// What it is for.
    pub family: Family,
}

/// What a font is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Family {
    /// Words.
    #[default]
    Words,
    /// Symbols and formulas.
    Math,
    /// Typewriting: all its characters have one width.
    Mono,
}

impl Style {
    /// Whether it is a font of symbols or formulas.
    pub(crate) fn is_math(self) -> bool {
        self.family == Family::Math
    }

    /// Whether it is a typewriter font.
    pub(crate) fn is_mono(self) -> bool {
        self.family == Family::Mono
    }
}

/// A glyph on the page, in points, origin at the top left, y downwards.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Glyph {
    /// Its characters.
    pub text: Text,
    /// Left end of its base line (in the direction of writing).
    pub x: f32,
    /// Its base line.
    pub y: f32,
    /// Where the next glyph would stand without further spacing.
    pub end: (f32, f32),
    /// Font size in points, transformation applied.
    pub size: f32,
    /// Width of an em in points: less than `size` where text is condensed, more where it is stretched.
    pub em: f32,
    /// Character spacing in points between it and the glyph that the same text goes on with; 0 where the pen moves.
    pub spacing: f32,
    /// Look of its font.
    pub style: Style,
    /// Drawn in render mode 3 (or clip only): an OCR layer, or hidden.
    pub invisible: bool,
    /// Inside content marked as a page artifact (running headers of tagged PDFs).
    pub artifact: bool,
}

/// A thin straight line, along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rule {
    /// Its box, `[x0, y0, x1, y1]`.
    pub bbox: Bbox,
}

impl Rule {
    /// Whether it lies.
    pub(crate) fn horizontal(&self) -> bool {
        self.bbox[2] - self.bbox[0] >= self.bbox[3] - self.bbox[1]
    }

    /// Length in points.
    pub(crate) fn length(&self) -> f32 {
        (self.bbox[2] - self.bbox[0]).max(self.bbox[3] - self.bbox[1])
    }
}

/// All of a page that layout looks at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raw {
    /// Width in points.
    pub width: f32,
    /// Height in points.
    pub height: f32,
    /// Glyphs in the order of the content.
    pub glyphs: Vec<Glyph>,
    /// Rules: borders, fraction bars, table lines.
    pub rules: Vec<Rule>,
    /// Boxes of other painted paths: parts of figures, shadings.
    pub drawings: Vec<Bbox>,
    /// Boxes of images.
    pub images: Vec<Bbox>,
    /// Glyphs in layers that are switched off, for the number of their words.
    pub hidden: Vec<Glyph>,
}
