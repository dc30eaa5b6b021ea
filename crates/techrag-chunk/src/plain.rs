//! Plain text: paragraphs by blank lines, sections by headings that stand alone.

use serde_json::json;
use techrag_core::text;

use crate::decode::Decoded;
use crate::draft::{Draft, Paragraph, ParagraphKind, Section, chars};
use crate::lines::{TextLine, Words, weld};
use crate::references;
use crate::role::{self, Heading, Roles};

/// Longest line that can be a heading, in characters.
const MAX_HEADING: usize = 100;

/// Lines of hard-wrapped prose are mostly longer than this, lines of lists, verses and tables shorter.
const MIN_WRAPPED: usize = 45;

/// A text file as a draft.
pub(crate) fn read(decoded: &Decoded) -> Draft {
    let mut draft = Draft { media_type: "text/plain", ..Draft::default() };
    draft.provenance.insert("encoding".into(), json!(decoded.encoding));
    let blocks = blocks(&decoded.text);
    if let [first, _, ..] = blocks.as_slice()
        && let Some(title) = title(first)
    {
        draft.title = Some(title);
        draft.provenance.insert("title".into(), json!("first line"));
    }
    let words = Words::of(decoded.text.lines());
    let mut builder = SectionBuilder::default();
    let mut cited = Vec::new();
    for block in blocks {
        let block = builder.open(block);
        if block.is_empty() {
            continue;
        }
        if builder.in_references {
            cited.extend(block.iter().map(|line| (*line).to_owned()));
            cited.push(String::new());
        } else {
            builder.push(paragraph(&block, &words));
        }
    }
    let (references, rest) = references::from_text(&cited, &words);
    draft.references = references;
    draft.sections = builder.sections;
    if !rest.is_empty() {
        let paragraphs = rest.into_iter().map(Paragraph::prose).collect();
        draft.sections.push(Section { paragraphs, ..Section::default() });
    }
    draft
}

/// Text without headings as paragraphs, for the lines of a corpus.
pub(crate) fn paragraphs(text: &str) -> Vec<Paragraph> {
    let words = Words::of(text.lines());
    blocks(text).iter().map(|block| paragraph(block, &words)).collect()
}

/// Runs of lines between blank ones.
fn blocks(text: &str) -> Vec<Vec<&str>> {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim_end) {
        if line.trim().is_empty() {
            open = false;
        } else if open && let Some(block) = blocks.last_mut() {
            block.push(line);
        } else {
            blocks.push(vec![line]);
            open = true;
        }
    }
    blocks
}

fn paragraph(block: &[&str], words: &Words) -> Paragraph {
    if !is_wrapped(block) {
        return Paragraph::whole(block.join("\n"), ParagraphKind::Lines);
    }
    let lines: Vec<_> = block.iter().map(|line| TextLine { text: (*line).to_owned(), ..TextLine::default() }).collect();
    weld(&lines, words)
}

/// Whether line ends are the editor's and not the author's. The last line may be short.
fn is_wrapped(block: &[&str]) -> bool {
    let [lines @ .., _] = block else { return true };
    lines.iter().filter(|line| chars(line) >= MIN_WRAPPED).count() * 4 >= lines.len() * 3
}

/// The first line, where it stands alone and reads like a title.
fn title(block: &[&str]) -> Option<String> {
    let [line] = block else { return None };
    let title = text::squeeze(line);
    let sensible = (10..=200).contains(&chars(&title)) && !title.ends_with(['.', ',', ';', ':', '!']);
    (sensible && title.chars().any(char::is_alphabetic) && title.contains(' ')).then_some(title)
}

#[derive(Default)]
struct SectionBuilder {
    sections: Vec<Section>,
    roles: Roles,
    in_references: bool,
}

impl SectionBuilder {
    /// Opens a section if the block begins with a heading; the rest of the block.
    fn open<'a>(&mut self, block: Vec<&'a str>) -> Vec<&'a str> {
        let (heading, rest) = match block.as_slice() {
            [line] if is_heading(line) => (text::squeeze(line), Vec::new()),
            [line, rule, rest @ ..] if is_rule(rule) && chars(line) <= MAX_HEADING => {
                (text::squeeze(line), rest.to_vec())
            }
            _ => return block,
        };
        self.in_references = role::is_references(&heading);
        let level = Heading::parse(&heading).depth().unwrap_or(1);
        let role = self.roles.next(&heading, level);
        if !self.in_references {
            self.sections.push(Section { heading, role, paragraphs: Vec::new() });
        }
        rest
    }

    fn push(&mut self, paragraph: Paragraph) {
        if self.sections.is_empty() {
            self.sections.push(Section::default());
        }
        if let Some(section) = self.sections.last_mut() {
            section.paragraphs.push(paragraph);
        }
    }
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3
        && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-') || line.bytes().all(|b| b == b'~'))
}

/// A line that stands alone and is numbered, conventional, or all capitals.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    if chars(line) > MAX_HEADING || line.ends_with(['.', ',', ';', '!', '?']) {
        return false;
    }
    let heading = Heading::parse(line);
    let capital = heading.title.chars().next().is_some_and(char::is_uppercase);
    let letters: Vec<char> = line.chars().filter(|c| c.is_alphabetic()).collect();
    let shouted =
        letters.len() >= 4 && letters.iter().all(|c| !c.is_lowercase()) && letters.iter().any(|c| c.is_uppercase());
    heading.number.is_some() && capital || role::is_conventional(line) || shouted
}

#[cfg(test)]
mod tests {
    use techrag_core::record::Role;

    use super::*;

    fn draft(text: &str) -> Draft {
        read(&Decoded { text: text.into(), encoding: "UTF-8" })
    }

    #[test]
    fn headings_paragraphs_and_references_are_told_apart() {
        let draft = draft(
            "On the slip of tyres\n\n1 Introduction\n\nThe slip angle of a tyre is hard to measure in a car, and the fric-\n\
             tion is not known.\n\nMETHOD\n\n- first\n- second\n\nReferences\n\n[1] E. Fiala, 'Side forces', 1954.\n\
             [2] H. Pacejka, 'Tires', 2012.\n",
        );
        assert_eq!(draft.title.as_deref(), Some("On the slip of tyres"));
        let got: Vec<_> = draft.sections.iter().map(|s| (s.heading.as_str(), s.role, s.paragraphs.len())).collect();
        assert_eq!(got, [("", Role::Other, 1), ("1 Introduction", Role::Introduction, 1), ("METHOD", Role::Method, 1)]);
        assert!(draft.sections[1].paragraphs[0].text.ends_with("and the friction is not known."));
        assert_eq!(draft.sections[2].paragraphs[0].text, "- first\n- second");
        assert_eq!(draft.references.len(), 2);
        assert_eq!(draft.references[1].label.as_deref(), Some("2"));
    }

    #[test]
    fn underlined_lines_are_headings() {
        let draft = draft("Slip angle\n==========\nText of it.\n");
        assert_eq!(draft.sections.len(), 1);
        assert_eq!((draft.sections[0].heading.as_str(), draft.title), ("Slip angle", None));
        assert_eq!(draft.sections[0].paragraphs[0].text, "Text of it.");
    }

    #[test]
    fn ordinary_lines_are_no_headings() {
        for line in ["The tyre slips.", "2 tyres were used", "A model of it", "see also", "x = 3"] {
            assert!(!is_heading(line), "{line}");
        }
    }
}
