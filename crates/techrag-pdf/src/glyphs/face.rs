//! Fonts as text needs them: what a code says, how far it advances, how the font looks.

use super::glyph::{Family, Style, Text};
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_interpret::hayro_cmap::BfString;
use hayro::hayro_syntax::object::{Array, Dict, Name, Object};
use hayro_font::{Font, FontCache, FontGlyph, StandardFont, UNITS_PER_EM};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What is to know of a character code.
#[derive(Clone, Debug)]
pub(super) struct Code {
    /// Its characters.
    pub text: Text,
    /// Advance, in em along the direction of writing.
    pub advance: f64,
    /// From the pen to the glyph's origin, in em (vertical writing).
    pub origin: (f64, f64),
}

/// A font.
pub(super) struct Face<'a> {
    font: Font<'a>,
    /// Codes of one byte, which are nearly all.
    bytes: RefCell<Vec<Option<Code>>>,
    codes: RefCell<HashMap<u32, Code>>,
    /// How it looks.
    pub style: Style,
    /// Whether it is written from left to right.
    pub horizontal: bool,
    /// Whether its codes are characters, whatever its glyph names say.
    literal: bool,
    /// Whether it is one of the standard fonts, by its name alone.
    is_bare: bool,
    /// Em in units of the font size; not 1 for some Type 3 fonts.
    pub em: f64,
}

impl<'a> Face<'a> {
    fn new(font: Font<'a>, dict: &Dict<'a>) -> Self {
        let horizontal = font.is_horizontal();
        let style = style(dict);
        let em = type3_em(dict).unwrap_or(1.0);
        let literal = names_are_indices(dict);
        let is_bare =
            ["FontDescriptor", "FontMatrix", "DescendantFonts"].iter().all(|key| !dict.contains_key(key.as_bytes()));
        Self {
            font,
            bytes: RefCell::new(vec![None; 256]),
            codes: RefCell::default(),
            style,
            horizontal,
            literal,
            is_bare,
            em,
        }
    }

    /// The next code of `bytes` at `offset` and its length, at least 1.
    pub(super) fn read(&self, bytes: &[u8], offset: usize) -> (u32, usize) {
        let (code, length) = self.font.read_code(bytes, offset);
        (code, length.max(1))
    }

    /// What is to know of `code`.
    pub(super) fn code(&self, code: u32) -> Code {
        if let Ok(byte) = u8::try_from(code) {
            let slot = &mut self.bytes.borrow_mut()[usize::from(byte)];
            return slot.get_or_insert_with(|| self.look_up(code)).clone();
        }
        self.codes.borrow_mut().entry(code).or_insert_with(|| self.look_up(code)).clone()
    }

    fn look_up(&self, code: u32) -> Code {
        let em = f64::from(UNITS_PER_EM);
        let advance = self.font.code_advance(code);
        let origin = self.font.origin_displacement(code);
        let unicode = match self.font.glyph(self.font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let literal = u8::try_from(code).ok().filter(|code| self.literal && matches!(code, 0x20..=0x7e));
        let text = match unicode {
            _ if literal.is_some() => literal.map_or(Text::Unknown, |code| Text::One(char::from(code))),
            Some(BfString::Char(one)) => super::text::clean(&one.to_string()),
            Some(BfString::String(many)) => super::text::clean(&many),
            None => Text::Unknown,
        };
        // Ends of lines that a program wrote into a string; fonts that a file brings may have glyphs there.
        let is_end = self.is_bare && matches!(code, 0x09 | 0x0a | 0x0d);
        let text = if is_end && text == Text::Unknown { Text::One(' ') } else { text };
        let advance = if self.horizontal { advance.x } else { advance.y };
        Code { text, advance: advance / em, origin: (origin.x / em, origin.y / em) }
    }
}

/// The fonts of a document.
pub(super) struct Faces<'a> {
    cache: FontCache<'a>,
    settings: InterpreterSettings,
    loaded: RefCell<HashMap<FaceKey, Option<Rc<Face<'a>>>>>,
}

/// Which font. A dictionary written directly into the resources has the object number of what it stands in, so its
/// bytes tell it from the others there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FaceKey {
    Dictionary(Option<(u32, i32)>, Vec<u8>),
    Helvetica,
}

impl<'a> Faces<'a> {
    pub(super) fn new() -> Self {
        Self { cache: FontCache::new(), settings: InterpreterSettings::default(), loaded: RefCell::default() }
    }

    /// The font of a dictionary; `None` where it cannot be loaded.
    pub(super) fn of(&self, dict: &Dict<'a>) -> Option<Rc<Face<'a>>> {
        let owner = dict.obj_id().map(|id| (id.obj_number, id.gen_number));
        let key = FaceKey::Dictionary(owner, dict.data().to_vec());
        self.load(key, || {
            let font = self.cache.font(dict, &self.settings.font_resolver, &self.settings.cmap_resolver)?;
            Some(Face::new(font, dict))
        })
    }

    /// What other viewers take where a page names no font, or one that is not there.
    pub(super) fn helvetica(&self) -> Option<Rc<Face<'a>>> {
        self.load(FaceKey::Helvetica, || {
            let font = self.cache.standard_font(StandardFont::Helvetica, &self.settings.font_resolver)?;
            Some(Face::new(font, &Dict::empty()))
        })
    }

    fn load(&self, key: FaceKey, load: impl FnOnce() -> Option<Face<'a>>) -> Option<Rc<Face<'a>>> {
        if let Some(face) = self.loaded.borrow().get(&key) {
            return face.clone();
        }
        let face = load().map(Rc::new);
        self.loaded.borrow_mut().insert(key, face.clone());
        face
    }
}

/// Flags of a font descriptor (ISO 32000-1, table 123).
const ITALIC: u32 = 1 << 6;
const FORCE_BOLD: u32 = 1 << 18;
/// Weight from which a font counts as bold; 600 is "semibold".
const BOLD_WEIGHT: f32 = 600.0;
/// Slant in degrees from which a font counts as italic.
const ITALIC_ANGLE: f32 = 4.0;

fn style(dict: &Dict<'_>) -> Style {
    let descendant =
        dict.get::<Array<'_>>(b"DescendantFonts".as_slice()).and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    let owner = descendant.as_ref().unwrap_or(dict);
    let descriptor = owner.get::<Dict<'_>>(b"FontDescriptor".as_slice()).unwrap_or_default();
    let name = dict
        .get::<Name<'_>>(b"BaseFont".as_slice())
        .or_else(|| descriptor.get::<Name<'_>>(b"FontName".as_slice()))
        .map(|name| name.as_str().to_owned())
        .unwrap_or_default();
    let flags = descriptor.get::<u32>(b"Flags".as_slice()).unwrap_or(0);
    let weight = descriptor.get::<f32>(b"FontWeight".as_slice()).unwrap_or(0.0);
    let angle = descriptor.get::<f32>(b"ItalicAngle".as_slice()).unwrap_or(0.0);
    let mut style = named(&name);
    style.bold |= weight >= BOLD_WEIGHT || flags & FORCE_BOLD != 0;
    style.italic |= angle.abs() >= ITALIC_ANGLE || flags & ITALIC != 0;
    style
}

/// Style by name: words as in `TimesNewRomanPS-BoldItalicMT`, and the codes of the TeX fonts (`CMBX10`, `NimbusRomNo9L-Medi`).
pub(crate) fn named(name: &str) -> Style {
    let name = name.split_once('+').filter(|(tag, _)| tag.len() == 6).map_or(name, |(_, rest)| rest);
    let lower = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let starts = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    let after_dash = lower.rsplit_once('-').map_or("", |(_, style)| style);
    Style {
        bold: (has(&["bold", "black", "heavy", "cmbx", "cmssbx", "sfbx", "lmromandemi", "cmb10"])
            || starts(&["ecbx", "tcbx", "cmbsy", "cmmib", "lmmib"])
            || after_dash.starts_with("medi") && lower.contains("nimbus")
            || matches!(after_dash, "b" | "bd" | "bi" | "demi"))
            && !has(&["bbold"]),
        italic: has(&[
            "italic", "oblique", "kursiv", "cmti", "cmsl", "cmmi", "cmbxti", "sfti", "lmmi", "txmi", "cmitt",
        ]) || starts(&["ecti", "ecsl", "rtxmi", "ntxmi", "mtmi"])
            || after_dash.ends_with("ital")
            || after_dash.ends_with("obli")
            || matches!(after_dash, "i" | "it" | "bi"),
        family: if has(&[
            "cmmi", "cmsy", "cmex", "msam", "msbm", "math", "txsy", "txmi", "stix", "symbol", "mtsy", "mtmi",
        ]) || starts(&[
            "lmmi", "lmsy", "lmex", "eufm", "rsfs", "euex", "eusm", "bbm", "dsrom", "stmary", "wasy",
        ]) {
            Family::Math
        // The flag for fonts of one width is set for others too, and for the invisible font of recognised text.
        } else if !has(&["monotype"])
            && (has(&[
                "mono",
                "nimbusmon",
                "courier",
                "typewriter",
                "consola",
                "inconsolata",
                "menlo",
                "sourcecode",
                "firacode",
            ]) || starts(&["cmtt", "cmitt", "cmsltt", "sftt", "ectt", "tctt", "lmtt", "txtt", "pxtt"]))
        {
            Family::Mono
        } else {
            Family::Words
        },
    }
}

/// Whether a Type 3 font names its glyphs by their index, as matplotlib does (`uni00000030` is the 48th glyph of the
/// original font, not the digit zero); its codes are the characters then.
fn names_are_indices(dict: &Dict<'_>) -> bool {
    let differences = || {
        let type3 = dict.get::<Name<'_>>(b"Subtype".as_slice())?.as_str() == "Type3";
        let mapped = dict.contains_key(b"ToUnicode".as_slice());
        let encoding = dict.get::<Dict<'_>>(b"Encoding".as_slice()).filter(|_| type3 && !mapped)?;
        encoding.get::<Array<'_>>(b"Differences".as_slice())
    };
    let index = |name: Name<'_>| name.as_str().len() == 11 && name.as_str().starts_with("uni0000");
    differences().is_some_and(|names| {
        let mut names = names.iter::<Object<'_>>().filter_map(Object::into_name).peekable();
        names.peek().is_some() && names.all(index)
    })
}

/// The em of a Type 3 font, from its bounding box: its units are whatever its matrix says.
fn type3_em(dict: &Dict<'_>) -> Option<f64> {
    if dict.get::<Name<'_>>(b"Subtype".as_slice())?.as_str() != "Type3" {
        return None;
    }
    let matrix = dict.get::<[f64; 6]>(b"FontMatrix".as_slice())?;
    let bbox = dict.get::<[f64; 4]>(b"FontBBox".as_slice())?;
    let height = (bbox[3] - bbox[1]).abs() * matrix[3].abs();
    // Letters with ascenders and descenders fill about nine tenths of the em.
    (height > 0.0 && height.is_finite()).then_some(height / 0.9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_by_name() {
        let bold = ["ABCDEF+CMBX10", "NimbusRomNo9L-Medi", "TimesNewRomanPS-BoldMT", "Helvetica-Bold", "Calibri-B"];
        assert!(bold.iter().all(|name| named(name).bold));
        let italic = ["CMTI10", "NimbusRomNo9L-ReguItal", "Times-Italic", "Helvetica-Oblique", "XYZABC+CMMI7"];
        assert!(italic.iter().all(|name| named(name).italic));
        let plain = ["CMR10", "NimbusRomNo9L-Regu", "Times-Roman", "Calibri", "Libertine"];
        assert!(plain.iter().all(|name| named(name) == Style::default()));
        let mono =
            ["ABCDEF+CMTT9", "Courier", "CourierNewPS-BoldMT", "NimbusMonL-Regu", "LMMono10-Regular", "SFTT1000"];
        assert!(mono.iter().all(|name| named(name).is_mono()));
        assert!(!named("MonotypeCorsiva").is_mono());
        assert!(
            named("CMSY10").is_math() && named("NimbusRomNo9L-MediItal").bold && named("NimbusRomNo9L-MediItal").italic
        );
    }
}
