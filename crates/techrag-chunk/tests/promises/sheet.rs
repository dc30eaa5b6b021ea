//! PDFs written by hand, for tests: pages of text at given places in the standard fonts.

use std::fmt::Write as _;

/// Fonts of every page, by their names in a content stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Font {
    Roman,
    Bold,
    Italic,
    /// Its code 1 is the ligature `fi`, 2 is `ffl`, 3 a spacing acute, 4 a dotless i.
    Named,
    /// Its map to Unicode is shifted by three letters.
    Shifted,
}

impl Font {
    const ALL: [Self; 5] = [Self::Roman, Self::Bold, Self::Italic, Self::Named, Self::Shifted];

    fn name(self) -> &'static str {
        match self {
            Self::Roman => "R",
            Self::Bold => "B",
            Self::Italic => "I",
            Self::Named => "N",
            Self::Shifted => "S",
        }
    }

    fn dictionary(self) -> String {
        let base = match self {
            Self::Bold => "Times-Bold",
            Self::Italic => "Times-Italic",
            _ => "Times-Roman",
        };
        let encoding = match self {
            Self::Named => "<< /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /ffl /acute /dotlessi] >>",
            _ => "/WinAnsiEncoding",
        };
        // Object 3 is the shifted map.
        let map = if self == Self::Shifted { " /ToUnicode 3 0 R" } else { "" };
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding {encoding}{map} >>")
    }
}

/// One page of 600 by 800 points; heights count from the top.
#[derive(Clone, Default)]
pub(crate) struct Sheet {
    content: String,
}

/// Leading, in sizes of the font.
const LEADING: f32 = 1.2;

impl Sheet {
    /// A line of text with its base line `y` points under the top.
    pub(crate) fn line(mut self, font: Font, size: f32, x: f32, y: f32, text: &str) -> Self {
        let (name, up) = (font.name(), 800.0 - y);
        let _ = writeln!(self.content, "BT /{name} {size} Tf 1 0 0 1 {x} {up} Tm ({}) Tj ET", escaped(text));
        self
    }

    /// Text over lines of at most `width` characters; the height of the line after the last.
    pub(crate) fn text(mut self, x: f32, y: f32, width: usize, text: &str) -> (Self, f32) {
        let (size, mut down, mut line) = (10.0, y, String::new());
        for word in text.split(' ') {
            if !line.is_empty() && line.len() + 1 + word.len() > width {
                self = self.line(Font::Roman, size, x, down, &line);
                down += size * LEADING;
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        (self.line(Font::Roman, size, x, down, &line), down + size * LEADING)
    }

    /// The same without the height.
    pub(crate) fn paragraph(self, x: f32, y: f32, width: usize, text: &str) -> Self {
        self.text(x, y, width, text).0
    }

    /// Anything a content stream may hold.
    pub(crate) fn raw(mut self, operators: &str) -> Self {
        self.content.push_str(operators);
        self.content.push('\n');
        self
    }

    /// A rule across `x0..x1`.
    pub(crate) fn rule(self, x0: f32, x1: f32, y: f32) -> Self {
        let up = 800.0 - y;
        self.raw(&format!("0.5 w {x0} {up} m {x1} {up} l S"))
    }
}

fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '(' | ')' | '\\' => format!("\\{c}"),
        // WinAnsi holds Latin-1 at its own codes.
        c if (c as u32) < 256 && !c.is_ascii_graphic() && c != ' ' => format!("\\{:03o}", c as u32),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

/// The bytes of a PDF of these pages, with Info entries (`/Title (…)`).
pub(crate) fn pdf(pages: &[Sheet], info: &str) -> Vec<u8> {
    let mut objects: Vec<String> = Vec::new();
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 5 + 2 * page)).collect();
    objects.push("<< /Type /Catalog /Pages 2 0 R >>".into());
    objects.push(format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" ")));
    objects.push(stream(&shifted_map()));
    objects.push(format!("<< {info} >>"));
    let fonts: String = Font::ALL.iter().map(|font| format!("/{} {} ", font.name(), font.dictionary())).collect();
    for (page, sheet) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R /Resources << /Font << {fonts}>> >> >>",
            6 + 2 * page
        ));
        objects.push(stream(&sheet.content));
    }
    let mut out = "%PDF-1.7\n".to_owned();
    let mut offsets = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        let _ = write!(out, "{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let start = out.len();
    let _ = write!(out, "xref\n0 {}\n0000000000 65535 f \n", offsets.len() + 1);
    for offset in offsets {
        let _ = writeln!(out, "{offset:010} 00000 n ");
    }
    let size = objects.len() + 1;
    let _ = write!(out, "trailer\n<< /Size {size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{start}\n%%EOF\n");
    out.into_bytes()
}

fn stream(content: &str) -> String {
    format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())
}

/// Small letters to the third after them, as where a subset font carries the map of another.
fn shifted_map() -> String {
    let pair = |letter: u8| format!("<{letter:02x}> <00{:02x}>\n", (letter - b'a' + 3) % 26 + b'a');
    let pairs: String = (b'a'..=b'z').map(pair).collect();
    format!(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo << /Registry (Adobe) /Ordering \
         (UCS) /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<00> \
         <ff>\nendcodespacerange\n27 beginbfchar\n{pairs}<20> <0020>\nendbfchar\nendcmap\nCMapName currentdict \
         /CMap defineresource pop\nend\nend"
    )
}
