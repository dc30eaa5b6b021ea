//! The paragraphs of a shape with their marks.

use techrag_core::text;

use super::super::docx::equation;
use super::super::ordinal::written;
use super::super::xml::Node;
use super::shapes::{self, Placeholder};
use super::template::Template;
use crate::draft::ParagraphKind;

/// A paragraph of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    /// `-`, `1.`, …; absent where there is none.
    mark: Option<String>,
    /// Depth from 0.
    level: usize,
}

impl Line {
    /// A paragraph without a mark.
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), mark: None, level: 0 }
    }

    /// An item of a list.
    pub(super) fn item(text: impl Into<String>) -> Self {
        Self { text: text.into(), mark: Some("-".into()), level: 0 }
    }
}

/// The characters of a paragraph.
pub(in crate::office) fn words(paragraph: &Node) -> String {
    let mut words = String::new();
    gather(paragraph, &mut words);
    words.replace('\u{b}', "\n")
}

fn gather(parent: &Node, words: &mut String) {
    for node in parent.nodes() {
        match &*node.name {
            "a:r" | "a:fld" => node.all("a:t").for_each(|text| words.push_str(&text.text())),
            "a:br" => words.push('\n'),
            "mc:AlternateContent" => {
                let chosen = node.at(&["mc:Choice"]).or_else(|| node.at(&["mc:Fallback"]));
                chosen.into_iter().for_each(|chosen| gather(chosen, words));
            }
            // `a14:m`, of a namespace of its own, holds an equation or a paragraph of them.
            "m" | "m:oMathPara" => gather(node, words),
            "m:oMath" => {
                let latex = equation::latex(node);
                if !latex.trim().is_empty() {
                    words.push_str(&format!("${}$", latex.trim()));
                }
            }
            _ => {}
        }
    }
}

/// The paragraphs of a body that say something; `shape` tells what they inherit.
pub(super) fn lines(body: &Node, shape: &Node, template: &Template) -> Vec<Line> {
    let place = shapes::placeholder(shape);
    let mut counts: [u32; 10] = [0; 10];
    let mut lines = Vec::new();
    for paragraph in body.all("a:p") {
        let words = words(paragraph);
        let level: usize = paragraph.at(&["a:pPr"]).and_then(|node| node.number("lvl")).unwrap_or(0).min(8);
        let bullet = bullet(paragraph, body, place.as_ref(), level, template);
        if words.trim().is_empty() {
            continue;
        }
        counts[level + 1..].fill(0);
        let mark = match bullet {
            Bullet::Number { format, start } => {
                counts[level] += 1;
                Some(numbered((start - 1).saturating_add(counts[level]), &format))
            }
            other => {
                counts[level] = 0;
                (other == Bullet::Sign).then(|| "-".to_owned())
            }
        };
        lines.push(Line { text: words, mark, level });
    }
    lines
}

/// What stands in front of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bullet {
    None,
    Sign,
    Number { format: String, start: u32 },
}

/// The first that says anything: the paragraph, its shape, the layout, the master.
fn bullet(paragraph: &Node, body: &Node, place: Option<&Placeholder>, level: usize, template: &Template) -> Bullet {
    let name = format!("a:lvl{}pPr", level + 1);
    let own = paragraph.at(&["a:pPr"]).into_iter().chain(body.at(&["a:lstStyle", &name]));
    let inherited = place.map(|place| template.levels(place, &name)).unwrap_or_default();
    own.chain(inherited).find_map(said).unwrap_or(Bullet::None)
}

fn said(properties: &Node) -> Option<Bullet> {
    properties.nodes().find_map(|node| match &*node.name {
        "a:buNone" => Some(Bullet::None),
        "a:buChar" | "a:buBlip" => Some(Bullet::Sign),
        "a:buAutoNum" => Some(Bullet::Number {
            format: node.attribute("type").unwrap_or("arabicPeriod").to_owned(),
            start: node.number("startAt").unwrap_or(1).max(1),
        }),
        _ => None,
    })
}

/// `romanLcParenR` and its like: a kind of number and what stands around it.
fn numbered(count: u32, format: &str) -> String {
    let kinds = [
        ("alphaLc", "lowerLetter"),
        ("alphaUc", "upperLetter"),
        ("romanLc", "lowerRoman"),
        ("romanUc", "upperRoman"),
        ("arabic", "decimal"),
    ];
    let kind = kinds.iter().find(|(prefix, _)| format.starts_with(prefix)).map_or("decimal", |(_, kind)| kind);
    let number = written(count, kind);
    match format {
        _ if format.ends_with("ParenBoth") => format!("({number})"),
        _ if format.ends_with("ParenR") => format!("{number})"),
        _ if format.ends_with("Plain") => number,
        _ => format!("{number}."),
    }
}

/// Items next to each other become one list, everything else a paragraph of its own.
pub(super) fn paragraphs(lines: &[Line]) -> Vec<(String, ParagraphKind)> {
    let mut paragraphs: Vec<(String, ParagraphKind)> = Vec::new();
    for line in lines {
        let words: Vec<String> = line.text.lines().map(text::squeeze).filter(|line| !line.is_empty()).collect();
        match (&line.mark, paragraphs.last_mut()) {
            (Some(mark), last) => {
                let item = format!("{}{mark} {}", "  ".repeat(line.level), words.join(" "));
                match last {
                    Some((open, ParagraphKind::Lines)) => *open += &format!("\n{item}"),
                    _ => paragraphs.push((item, ParagraphKind::Lines)),
                }
            }
            (None, _) => paragraphs.push((words.join("\n"), ParagraphKind::Prose)),
        }
    }
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_become_one_list() {
        let item = |mark: &str, level| Line { text: "x".into(), mark: Some(mark.into()), level };
        let got = paragraphs(&[Line::plain("a \n b"), item("-", 0), item("1.", 1), Line::plain("c")]);
        let texts: Vec<&str> = got.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["a\nb", "- x\n  1. x", "c"]);
    }

    #[test]
    fn numbers_have_their_brackets() {
        let got =
            ["arabicPeriod", "alphaLcParenR", "romanUcParenBoth", "arabicPlain"].map(|format| numbered(4, format));
        assert_eq!(got, ["4.", "d)", "(IV)", "4"]);
    }
}
