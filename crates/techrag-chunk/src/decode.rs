//! Bytes to text: which encoding a text file is in.
//!
//! Order: a byte order mark, valid UTF-8, UTF-16 told by its zero bytes, then the legacy encodings, by the detector that
//! Firefox uses: which encoding makes words of the bytes.

use chardetng::EncodingDetector;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Text and the name of the encoding it was in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) encoding: &'static str,
}

/// What stands for a page break or a separator of lines that no editor counts as a line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaks {
    /// A line end: in prose it parts what stands around it.
    Lines,
    /// A space: where lines are cited by their number they must be those of the file.
    Spaces,
}

/// The text of a file, or `None` if it is not text.
pub(crate) fn decode(bytes: &[u8]) -> Option<Decoded> {
    decode_with(bytes, Breaks::Lines)
}

/// The same with no more lines than an editor counts, for what is cited by them.
pub(crate) fn decode_lines(bytes: &[u8]) -> Option<Decoded> {
    decode_with(bytes, Breaks::Spaces)
}

fn decode_with(bytes: &[u8], breaks: Breaks) -> Option<Decoded> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return finish(&bytes[mark..], encoding, breaks);
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        return finish(bytes, encoding, breaks);
    }
    if std::str::from_utf8(bytes).is_ok() {
        return finish(bytes, UTF_8, breaks);
    }
    let mut detector = EncodingDetector::new();
    detector.feed(bytes, true);
    finish(bytes, detector.guess(None, false), breaks)
}

/// A page in the encoding that it names itself, where its bytes did not already say more surely (a mark, UTF-8).
pub(crate) fn as_page_says(bytes: &[u8], decoded: Decoded) -> Decoded {
    if decoded.encoding.starts_with("UTF-") {
        return decoded;
    }
    let head: String = decoded.text.chars().take(2048).collect::<String>().to_ascii_lowercase();
    let label = head.split_once("charset=").map(|(_, rest)| {
        rest.trim_start_matches(['"', '\''])
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c))
            .collect()
    });
    let named = label.and_then(|label: String| Encoding::for_label(label.as_bytes()));
    named.and_then(|encoding| finish(bytes, encoding, Breaks::Lines)).unwrap_or(decoded)
}

fn finish(bytes: &[u8], encoding: &'static Encoding, breaks: Breaks) -> Option<Decoded> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    clean(&text, encoding, breaks)
}

/// Control characters that no text file holds make it a binary one; the few that stray into text go.
fn clean(text: &str, encoding: &'static Encoding, breaks: Breaks) -> Option<Decoded> {
    let total = text.chars().count();
    let odd = text.chars().filter(|&c| is_binary(c)).count();
    // One in a hundred: a log with escape sequences passes, an executable does not.
    if odd * 100 > total {
        return None;
    }
    let instead = if breaks == Breaks::Lines { "\n" } else { " " };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.replace(['\u{c}', '\u{b}', '\u{85}', '\u{2028}', '\u{2029}'], instead);
    Some(Decoded { text: text.chars().filter(|&c| !is_binary(c)).collect(), encoding: encoding.name() })
}

fn is_binary(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{b}' | '\u{85}')
}

/// UTF-16 without a mark: the line ends, spaces and digits of any script have a zero byte on the same side, which no
/// other encoding of text has at all. What comes of it must be text.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(4096) & !1];
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let encoding = match () {
        () if odd > 20 * even => UTF_16LE,
        () if even > 20 * odd => UTF_16BE,
        () => return None,
    };
    // The last unit may be half of a pair.
    let (text, _) = encoding.decode_without_bom_handling(&head[..head.len().saturating_sub(2).max(head.len().min(2))]);
    let total = text.chars().count();
    let words = text.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace()).count();
    let broken = text.chars().filter(|&c| c == char::REPLACEMENT_CHARACTER || is_binary(c)).count();
    (words * 10 >= total * 7 && broken * 50 <= total).then_some(encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> (String, &'static str) {
        let decoded = decode(bytes).unwrap();
        (decoded.text, decoded.encoding)
    }

    #[test]
    fn every_common_encoding_gives_the_same_text() {
        let wanted = "Reifen: μ = 0.35, “Käfer”\nEnde";
        assert_eq!(text(wanted.as_bytes()), (wanted.into(), "UTF-8"));
        assert_eq!(text(&[b"\xef\xbb\xbf", wanted.as_bytes()].concat()), (wanted.into(), "UTF-8"));
        let le: Vec<u8> = wanted.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(text(&le), (wanted.into(), "UTF-16LE"));
        let be: Vec<u8> = wanted.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text(&[b"\xfe\xff", be.as_slice()].concat()), (wanted.into(), "UTF-16BE"));
        for wanted in ["轮胎的侧偏角在湿路面上会增大。\n摩擦系数下降。", "タイヤの摩擦係数は 0.35 である。"]
        {
            let le: Vec<u8> = wanted.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(text(&le), (wanted.into(), "UTF-16LE"));
            let be: Vec<u8> = wanted.encode_utf16().flat_map(u16::to_be_bytes).collect();
            assert_eq!(text(&be), (wanted.into(), "UTF-16BE"));
        }
        assert_eq!(text(b"K\xe4fer \x96 \x93gut\x94\r\n"), ("Käfer – “gut”\n".into(), "windows-1252"));
        let legacy = [
            (encoding_rs::SHIFT_JIS, "タイヤの摩擦係数は路面が濡れると下がる。"),
            (encoding_rs::EUC_JP, "タイヤの摩擦係数は路面が濡れると下がる。"),
            (encoding_rs::GBK, "轮胎的侧偏角在湿路面上会增大，摩擦系数下降。"),
            (encoding_rs::BIG5, "輪胎的側偏角在濕路面上會增大，摩擦係數下降。"),
            (encoding_rs::EUC_KR, "타이어의 마찰 계수는 젖은 노면에서 낮아진다."),
            (encoding_rs::WINDOWS_1251, "Коэффициент сцепления шины на мокрой дороге падает."),
            (encoding_rs::KOI8_U, "Коэффициент сцепления шины на мокрой дороге падает."),
        ];
        for (encoding, wanted) in legacy {
            let (bytes, _, _) = encoding.encode(wanted);
            assert_eq!(text(&bytes), (wanted.into(), encoding.name()));
        }
    }

    #[test]
    fn a_page_may_name_its_encoding() {
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode("<meta charset=\"windows-1251\">Шина скользит");
        let decoded = as_page_says(&bytes, decode(&bytes).unwrap());
        assert_eq!(decoded.encoding, "windows-1251");
        assert!(decoded.text.ends_with("Шина скользит"));
    }

    #[test]
    fn where_lines_are_counted_a_page_break_is_none() {
        let bytes = "a\u{c}b\u{b}c\u{85}d\u{2028}e\u{2029}f\r\ng\rh".as_bytes();
        assert_eq!(decode(bytes).unwrap().text, "a\nb\nc\nd\ne\nf\ng\nh");
        assert_eq!(decode_lines(bytes).unwrap().text, "a b c d e f\ng\nh");
    }

    #[test]
    fn binary_is_not_text_and_stray_controls_go() {
        assert_eq!(decode(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\x03\0\x3e"), None);
        let log = format!("{} \u{1b}[0m", "x".repeat(200));
        assert_eq!(text(log.as_bytes()).0, format!("{} [0m", "x".repeat(200)));
        assert_eq!(text(b""), (String::new(), "UTF-8"));
    }
}
