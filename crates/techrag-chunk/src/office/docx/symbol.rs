//! Characters of symbol fonts: only the font knows what stands at their numbers.

/// What the Symbol font shows from 0x20 on (Adobe Symbol Encoding to Unicode, `symbol.txt` of the Unicode Consortium);
/// U+FFFD where it has nothing.
const SYMBOL: &str = concat!(
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?",
    "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
    "‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼\u{fffd}",
    "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
    "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵",
    "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓",
    "◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\u{fffd}⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭\u{fffd}",
);

/// Fonts that show pictures where others have letters.
const PICTURES: &[&str] = &["wingdings", "webdings", "zapfdingbats", "marlett"];

/// What a font shows for a character; U+FFFD where only the font knows.
pub(super) fn shown(font: &str, c: char) -> char {
    let (font, code) = (font.to_lowercase(), u32::from(c));
    // Symbol fonts have their 8-bit codes at U+F000, and some writers give them bare.
    let low = code.checked_sub(0xf000).filter(|low| *low < 0x100).unwrap_or(code);
    let in_area = (0xe000..=0xf8ff).contains(&code);
    if font == "symbol" && low < 0x100 {
        let at = low.checked_sub(0x20).and_then(|at| usize::try_from(at).ok());
        return at.and_then(|at| SYMBOL.chars().nth(at)).unwrap_or(char::REPLACEMENT_CHARACTER);
    }
    let picture = low < 0x100 && PICTURES.iter().any(|name| font.starts_with(name));
    if in_area || picture { char::REPLACEMENT_CHARACTER } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symbol_font_has_greek_and_the_usual_signs() {
        assert_eq!(SYMBOL.chars().count(), 0x100 - 0x20);
        let pairs = [
            ('\u{f06d}', 'μ'),
            ('\u{f057}', 'Ω'),
            ('\u{f0b0}', '°'),
            ('\u{f0b1}', '±'),
            ('\u{f0a3}', '≤'),
            ('\u{f0b3}', '≥'),
            ('\u{f0ae}', '→'),
            ('\u{f0e5}', '∑'),
            ('\u{f0f2}', '∫'),
            ('\u{f0b4}', '×'),
            ('\u{f0a0}', '€'),
            ('\u{f0d6}', '√'),
            ('\u{f07e}', '∼'),
            ('m', 'μ'),
            ('\u{f0c6}', '∅'),
            ('\u{f0fe}', '⎭'),
        ];
        for (code, wanted) in pairs {
            assert_eq!(shown("Symbol", code), wanted, "{code:?}");
        }
    }

    #[test]
    fn what_only_the_font_knows_is_seen_to_be_missing() {
        assert_eq!(shown("Wingdings", '\u{f0fc}'), char::REPLACEMENT_CHARACTER);
        assert_eq!(shown("Wingdings 2", 'ü'), char::REPLACEMENT_CHARACTER);
        assert_eq!(shown("", '\u{e123}'), char::REPLACEMENT_CHARACTER);
        assert_eq!(shown("Symbol", '\u{f0ff}'), char::REPLACEMENT_CHARACTER);
        assert_eq!(shown("Cambria Math", '∝'), '∝');
    }
}
