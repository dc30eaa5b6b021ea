//! The answer on a terminal: wrapped, and coloured where asked.

use textwrap::Options;

use super::view::{Shown, View};
use super::{Colour, Detail, explain};
use crate::catalog::Told;

/// Narrower than this nothing can be read.
const LEAST_WIDTH: usize = 20;

struct Paper {
    width: usize,
    colour: Colour,
    out: Vec<String>,
}

pub(super) fn render(view: &View, width: usize, colour: Colour, detail: Detail) -> String {
    let mut paper = Paper { width: width.max(LEAST_WIDTH), colour, out: Vec::new() };
    paper.paragraph(&view.question, "", Some("1"));
    paper.out.push(String::new());
    match &view.told {
        Some(told) => paper.told(told),
        None => view.answer.lines().for_each(|paragraph| paper.answer(paragraph)),
    }
    if let Some(fallback) = &view.fallback {
        paper.paragraph(fallback, "", Some("33"));
    }
    if let Some(missing) = &view.missing {
        paper.paragraph(missing, "", Some("2"));
    }
    if !view.abstained {
        paper.out.push(String::new());
        paper.paragraph(&view.summary(), "", Some("2"));
        for doubt in &view.doubts {
            paper.paragraph(&format!("! {doubt}"), "  ", Some("33"));
        }
    }
    if !view.sources.is_empty() {
        paper.heading("Sources");
        view.sources.iter().for_each(|source| paper.source(source));
    }
    if let Some((title, lines)) = &view.beside {
        paper.heading(title);
        lines.iter().for_each(|line| paper.paragraph(line, "  ", None));
    }
    if detail == Detail::Explain {
        for (title, lines) in explain::sections(view) {
            paper.heading(&title);
            lines.iter().for_each(|line| paper.paragraph(line, "  ", None));
        }
    }
    paper.out.join("\n")
}

impl Paper {
    fn paragraph(&mut self, text: &str, indent: &str, code: Option<&str>) {
        let hanging = format!("{indent}  ");
        let options = Options::new(self.width).initial_indent(indent).subsequent_indent(match indent {
            "" => "",
            _ => &hanging,
        });
        let lines = textwrap::wrap(text, options);
        let painted = lines.iter().map(|line| self.paint(line, code)).collect::<Vec<_>>();
        self.out.extend(painted);
    }

    /// The answer's text, its citations dimmed. A citation may be wrapped, so the colour is set anew on each line.
    fn answer(&mut self, text: &str) {
        let mut inside = false;
        // A marker and its number stay on one line; the space between them is put back after the wrapping.
        let bound = text.replace("[SOURCE ", "[SOURCE\u{a0}").replace("[EXTERNAL ", "[EXTERNAL\u{a0}");
        for line in textwrap::wrap(&bound, Options::new(self.width)) {
            let line = line.replace("[SOURCE\u{a0}", "[SOURCE ").replace("[EXTERNAL\u{a0}", "[EXTERNAL ");
            let mut painted = String::new();
            for piece in line.split_inclusive([']', '[']) {
                let (body, mark) = match piece.strip_suffix('[') {
                    Some(body) => (body, "["),
                    None => (piece, ""),
                };
                painted.push_str(&self.paint(body, inside.then_some("2")));
                inside = match (mark, piece.ends_with(']')) {
                    ("[", _) => true,
                    (_, true) => false,
                    _ => inside,
                };
                painted.push_str(&self.paint(mark, inside.then_some("2")));
            }
            self.out.push(painted);
        }
    }

    /// What the catalog says.
    fn told(&mut self, told: &Told) {
        self.paragraph(&told.headline, "", None);
        self.paragraph(&told.read_as, "", Some("2"));
        told.rows.iter().for_each(|row| self.paragraph(&format!("- {row}"), "  ", None));
    }

    fn heading(&mut self, text: &str) {
        self.out.push(String::new());
        let heading = self.paint(text, Some("1"));
        self.out.push(heading);
    }

    fn source(&mut self, source: &Shown) {
        let year = source.year.map_or(String::new(), |year| format!(" ({year})"));
        self.paragraph(&format!("[{}] {}{year}", source.n, source.title), "  ", Some("36"));
        if !source.authors.is_empty() {
            self.paragraph(&source.authors.join(", "), "      ", None);
        }
        let mut place = vec![source.key.clone()];
        place.extend(cited(source));
        place.extend(source.doi.as_ref().map(|doi| format!("https://doi.org/{doi}")));
        self.paragraph(&place.join(", "), "      ", None);
    }

    fn paint(&self, text: &str, code: Option<&str>) -> String {
        match (self.colour, code) {
            (Colour::Ansi, Some(code)) if !text.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            _ => text.to_owned(),
        }
    }
}

/// Where a source was cited: `slide 3, slide 7`, else `page 2`, `pages 2, 5`; nothing where nothing is known.
pub(super) fn cited(source: &Shown) -> Option<String> {
    if source.places.is_empty() { pages(&source.pages) } else { Some(source.places.join(", ")) }
}

fn pages(pages: &[u32]) -> Option<String> {
    let listed = pages.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match pages.len() {
        0 => None,
        1 => Some(format!("page {listed}")),
        _ => Some(format!("pages {listed}")),
    }
}
