//! Source code: a section for each function, class or type, with its name and its lines in the heading.
//!
//! What a construct is told by, comments in front of it, attributes, a docstring, stays with it. Short neighbours share
//! a section, long ones are cut at line ends, and every heading says which lines its text is. Languages without a
//! grammar here are cut at blank lines, with the lines in the heading and without names.

mod grammar;
mod parse;
mod tell;

use serde_json::json;
use techrag_core::record::{Modality, Role as SectionRole};
use tree_sitter::Node;

use crate::Config;
use crate::decode::Decoded;
use crate::draft::{Draft, Paragraph, ParagraphKind, Section, chars, cut};
use grammar::{Grammar, MOST_NAME, Role};
pub(crate) use tell::language;

/// Largest text that is parsed; more is generated and has nothing to be found by.
const MAX_PARSED: usize = 1 << 20;

/// Constructs within constructs that are looked into.
const MAX_DEPTH: usize = 8;

/// Endings of languages without a grammar here.
const OTHERS: &[&str] = &[
    "cc", "cpp", "cs", "cxx", "f", "f90", "f95", "for", "go", "hpp", "java", "jl", "kt", "lua", "m", "mo", "php", "pl",
    "r", "rb", "scala", "sh", "sql", "swift", "ts", "tsx", "v", "vhd",
];

/// Whether files with this ending are source code.
pub(crate) fn is_code(ending: &str) -> bool {
    Grammar::of(ending).is_some() || OTHERS.contains(&ending)
}

/// Lines `first..=last`, from 0, and what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Stretch {
    name: String,
    first: usize,
    last: usize,
}

/// A source file as a draft; `ending` names its language.
pub(crate) fn read(decoded: &Decoded, ending: &str, config: &Config) -> Draft {
    let lines: Vec<&str> = decoded.text.lines().collect();
    let grammar = Grammar::of(ending).filter(|_| decoded.text.len() <= MAX_PARSED);
    let named = grammar.and_then(|grammar| outline(&decoded.text, grammar, config)).unwrap_or_default();
    let sizes = Sizes { lines: &lines, config };
    let stretches = sizes.cut(sizes.joined(complete(named, &lines)));
    let mut draft = Draft { media_type: media_type(ending), modality: Some(Modality::Code), ..Draft::default() };
    draft.provenance.insert("encoding".into(), json!(decoded.encoding));
    draft.provenance.insert("outline".into(), json!(grammar.map_or("lines", |grammar| grammar.name)));
    draft.sections = stretches.into_iter().map(|stretch| section(stretch, &lines)).collect();
    draft
}

fn media_type(ending: &str) -> &'static str {
    match Grammar::of(ending).map(|grammar| grammar.name) {
        Some("python") => "text/x-python",
        Some("rust") => "text/x-rust",
        Some("javascript") => "text/javascript",
        Some("c") => "text/x-c",
        _ => "text/x-source",
    }
}

fn section(Stretch { name, first, last }: Stretch, lines: &[&str]) -> Section {
    let place =
        if first == last { format!("line {}", first + 1) } else { format!("lines {}–{}", first + 1, last + 1) };
    let heading = if name.is_empty() { place.clone() } else { format!("{name} ({place})") };
    let mut paragraph = Paragraph::whole(lines[first..=last].join("\n"), ParagraphKind::Lines);
    paragraph.spans.iter_mut().for_each(|span| span.place = Some(place.clone()));
    Section { heading, role: SectionRole::Other, paragraphs: vec![paragraph] }
}

/// The constructs with a name, in order, without overlap; `None` where the parser gives up.
fn outline(text: &str, grammar: Grammar, config: &Config) -> Option<Vec<Stretch>> {
    let tree = parse::parse(text, grammar)?;
    let mut walker = Walker { text, grammar, config, found: Vec::new() };
    walker.members(tree.root_node(), "", 0);
    Some(walker.found)
}

struct Walker<'a> {
    text: &'a str,
    grammar: Grammar,
    config: &'a Config,
    found: Vec<Stretch>,
}

impl Walker<'_> {
    fn members(&mut self, parent: Node<'_>, prefix: &str, depth: usize) {
        let mut cursor = parent.walk();
        // Where the comments in front of the next construct begin and end.
        let mut leading: Option<(usize, usize)> = None;
        let children: Vec<Node<'_>> = parent.named_children(&mut cursor).collect();
        for node in children {
            let (start, end) = (node.start_position().row, last_row(node));
            let first = match leading {
                Some((first, last)) if last + 1 >= start => first,
                _ => start,
            };
            leading = None;
            match self.grammar.role(node, self.text) {
                Role::Leading => leading = Some((first, end)),
                Role::Function(name) => self.push(join(prefix, &name, self.grammar.joint), first, end),
                Role::Container(name, body) => {
                    let name = join(prefix, &name, self.grammar.joint);
                    let whole = self.text.get(node.byte_range()).map_or(0, chars) <= self.config.target;
                    if whole || depth >= MAX_DEPTH {
                        self.push(name, first, end);
                    } else {
                        self.container(&name, body, (first, end), depth);
                    }
                }
                Role::Wrapper if depth < MAX_DEPTH => self.members(node, prefix, depth + 1),
                Role::Wrapper | Role::Other => {}
            }
        }
    }

    /// The members, and what is left of the container in front of, between and behind them.
    fn container(&mut self, name: &str, body: Node<'_>, (first, last): (usize, usize), depth: usize) {
        let before = self.found.len();
        self.members(body, name, depth + 1);
        let members = self.found.split_off(before);
        let mut next = first;
        for member in members {
            if member.first > next {
                self.push(name.to_owned(), next, member.first - 1);
            }
            next = next.max(member.last + 1);
            self.push(member.name, member.first, member.last);
        }
        if next <= last {
            self.push(name.to_owned(), next, last);
        }
    }

    /// Two constructs may share a line: the later one begins on the next.
    fn push(&mut self, name: String, first: usize, last: usize) {
        let first = self.found.last().map_or(first, |before| first.max(before.last + 1));
        if first <= last {
            self.found.push(Stretch { name, first, last });
        }
    }
}

/// The last row that holds some of a construct: some end at the start of the next row.
fn last_row(node: Node<'_>) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row }
}

fn join(prefix: &str, name: &str, joint: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { cut(&format!("{prefix}{joint}{name}"), MOST_NAME) }
}

/// The stretches with those between them, blank lines at their ends left out.
fn complete(named: Vec<Stretch>, lines: &[&str]) -> Vec<Stretch> {
    let mut all = Vec::new();
    let mut next = 0;
    for stretch in named {
        let last = stretch.last.min(lines.len().saturating_sub(1));
        if stretch.first > next {
            all.push(Stretch { name: String::new(), first: next, last: stretch.first - 1 });
        }
        next = last + 1;
        all.push(Stretch { last, ..stretch });
    }
    if next < lines.len() {
        all.push(Stretch { name: String::new(), first: next, last: lines.len() - 1 });
    }
    all.into_iter().filter_map(|stretch| trimmed(stretch, lines)).collect()
}

fn trimmed(stretch: Stretch, lines: &[&str]) -> Option<Stretch> {
    let filled = |at: &usize| !lines[*at].trim().is_empty();
    let first = (stretch.first..=stretch.last).find(filled)?;
    let last = (stretch.first..=stretch.last).rev().find(filled)?;
    Some(Stretch { first, last, ..stretch })
}

/// Stretches brought to size.
struct Sizes<'a> {
    lines: &'a [&'a str],
    config: &'a Config,
}

impl Sizes<'_> {
    fn length(&self, first: usize, last: usize) -> usize {
        self.lines[first..=last].iter().map(|line| chars(line) + 1).sum()
    }

    /// Neighbours joined while what they make is smaller than a chunk should at least be.
    fn joined(&self, stretches: Vec<Stretch>) -> Vec<Stretch> {
        let mut joined: Vec<Stretch> = Vec::new();
        for stretch in stretches {
            match joined.last_mut() {
                Some(open) if self.length(open.first, stretch.last) <= self.config.min => {
                    open.last = stretch.last;
                    let names = [std::mem::take(&mut open.name), stretch.name];
                    open.name = names.iter().filter(|name| !name.is_empty()).cloned().collect::<Vec<_>>().join(", ");
                }
                _ => joined.push(stretch),
            }
        }
        joined
    }

    /// What passes the maximum is cut, at blank lines in the second half of a piece where there are any.
    fn cut(&self, stretches: Vec<Stretch>) -> Vec<Stretch> {
        let mut pieces = Vec::new();
        for stretch in stretches {
            if self.length(stretch.first, stretch.last) <= self.config.max {
                pieces.push(stretch);
                continue;
            }
            let mut first = stretch.first;
            while first <= stretch.last {
                let last = self.end(first, stretch.last);
                pieces.extend(trimmed(Stretch { name: stretch.name.clone(), first, last }, self.lines));
                first = last + 1;
            }
        }
        pieces
    }

    /// The last line of the piece that begins at `first`.
    fn end(&self, first: usize, last: usize) -> usize {
        let (mut length, mut blank) = (0, None);
        for at in first..=last {
            length += chars(self.lines[at]) + 1;
            if length > self.config.target && at > first {
                return blank.unwrap_or(at - 1);
            }
            if self.lines[at].trim().is_empty() && length * 2 > self.config.target {
                blank = Some(at);
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config { target: 120, min: 30, max: 200, overlap: 20, ..crate::test_config() }
    }

    fn headings(text: &str, ending: &str) -> Vec<String> {
        let draft = read(&Decoded { text: text.into(), encoding: "UTF-8" }, ending, &config());
        for section in &draft.sections {
            assert!(!section.paragraphs[0].text.trim().is_empty());
        }
        draft.sections.into_iter().map(|section| section.heading).collect()
    }

    const PYTHON: &str = "\"\"\"Tyres.\"\"\"\nimport numpy as np\n\n\nclass Tyre:\n    \"\"\"A tyre with a load and a stiffness, after Fiala.\"\"\"\n\n    @property\n    def load(self):\n        \"\"\"Load in newtons, measured at rest.\"\"\"\n        return self._load\n\n    def slip(self, angle):\n        return np.tan(angle) * self.stiffness\n\n\n# Why it is here.\ndef main():\n    print(Tyre().slip(0.1), 'and more of it')\n";

    #[test]
    fn python_has_classes_methods_and_functions() {
        assert_eq!(
            headings(PYTHON, "py"),
            [
                "lines 1–2",
                "Tyre (lines 5–6)",
                "Tyre.load (lines 8–11)",
                "Tyre.slip (lines 13–14)",
                "main (lines 17–19)"
            ]
        );
    }

    #[test]
    fn rust_has_types_and_implementations() {
        let text = "//! Tyres.\n\n/// A tyre.\n#[derive(Debug)]\npub struct Tyre {\n    load: f64,\n}\n\nimpl Display for Tyre {\n    /// Writes it.\n    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {\n        write!(f, \"a tyre under a load of {} newtons\", self.load)\n    }\n\n    fn other(&self) -> f64 {\n        self.load * 2.0 + 1.0\n    }\n}\n";
        assert_eq!(
            headings(text, "rs"),
            [
                "line 1",
                "Tyre (lines 3–7)",
                "<Tyre as Display> (line 9)",
                "<Tyre as Display>::fmt (lines 10–13)",
                "<Tyre as Display>::other (lines 15–17)",
                "<Tyre as Display> (line 18)"
            ]
        );
    }

    #[test]
    fn c_and_javascript_have_their_functions() {
        let c = "#ifndef A_H\n#define A_H\n// Slip of a tyre in radians.\nstatic double slip(double angle) {\n    return angle * 2.0;\n}\n#endif\n";
        assert_eq!(headings(c, "h"), ["lines 1–2", "slip (lines 3–6)", "line 7"]);
        let js = "export class Tyre {\n  slip(angle) { return Math.tan(angle); }\n}\nconst load = (mass) => {\n  return mass * 9.81;\n};\n";
        assert_eq!(headings(js, "js"), ["Tyre (lines 1–3)", "load (lines 4–6)"]);
    }

    #[test]
    fn a_name_without_end_is_cut() {
        let long = "a".repeat(500_000);
        let body = "        load = 1 + 2 + 3 + 4 + 5 + 6\n\n".repeat(200);
        let got = headings(&format!("class {long}:\n    def {long}(self):\n{body}"), "py");
        assert!(got.len() > 20, "{}", got.len());
        assert!(got.iter().all(|heading| heading.chars().count() < 240), "{got:?}");
    }

    #[test]
    fn broken_code_and_other_languages_keep_every_line() {
        assert_eq!(headings("def f(:\n    x = (1\n\n    y = 2\n", "py").len(), 1);
        let matlab = format!("function f\n{}\nend\n", "x = 1; % a comment that is long\n".repeat(10));
        let got = headings(&matlab, "m");
        assert!(got.len() > 2 && got[0].starts_with("lines 1–"), "{got:?}");
    }
}
