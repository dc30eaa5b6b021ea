//! Source code told by its text alone, where no name says what it is.
//!
//! Prose is never a program without an error, so the parser decides: a text counts as code in the first language whose
//! grammar finds no error in it and at least one function or class. Signs that every such program has are looked for
//! first, since they cost nothing.

use super::grammar::{Grammar, Role};
use super::parse::parse;

/// Largest text that is tried, in bytes.
const MOST: usize = 1 << 19;

/// Depth at which the first construct with a name must stand.
const DEEPEST: usize = 3;

/// The ending of names of the language that a text is written in.
pub(crate) fn language(text: &str) -> Option<&'static str> {
    if text.len() > MOST {
        return None;
    }
    let lines = || text.lines().map(str::trim);
    let opens = |words: &[&str]| lines().any(|line| words.iter().any(|word| line.starts_with(word)));
    let signs = [
        ("py", opens(&["def ", "class ", "async def "]) && lines().any(|line| line.ends_with(':'))),
        ("rs", opens(&["fn ", "pub ", "impl ", "struct ", "enum "]) && text.contains('{')),
        ("c", opens(&["#include", "#define", "typedef ", "static ", "struct "]) && text.contains(';')),
        ("js", (text.contains("function") || text.contains("=>") || opens(&["class "])) && text.contains('{')),
    ];
    let found = signs.into_iter().find(|(ending, signs)| *signs && is_program(text, ending));
    found.map(|(ending, _)| ending)
}

fn is_program(text: &str, ending: &str) -> bool {
    let Some(grammar) = Grammar::of(ending) else { return false };
    let tree = parse(text, grammar).filter(|tree| !tree.root_node().has_error());
    tree.is_some_and(|tree| names_something(tree.root_node(), grammar, text, 0))
}

fn names_something(node: tree_sitter::Node<'_>, grammar: Grammar, text: &str, depth: usize) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| match grammar.role(child, text) {
        Role::Function(_) | Role::Container(..) => true,
        _ => depth < DEEPEST && names_something(child, grammar, text, depth + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_by_their_text() {
        let programs = [
            ("py", "# Slip of a tyre.\nimport math\n\ndef slip(angle):\n    return math.tan(angle)\n"),
            ("rs", "//! Slip.\nfn slip(angle: f64) -> f64 {\n    angle.tan()\n}\n"),
            ("c", "#include <math.h>\n\ndouble slip(double angle) {\n    return tan(angle);\n}\n"),
            ("js", "import { tan } from './m.js';\nexport function slip(angle) {\n  return tan(angle);\n}\n"),
        ];
        for (ending, text) in programs {
            assert_eq!(language(text), Some(ending), "{text}");
        }
    }

    #[test]
    fn prose_and_data_are_no_programs() {
        let others = [
            "The class of tyres:\nclass one is dry, class two is wet.\n",
            "def: a tyre slips.\n\nclass notes:\n- first\n",
            "# Heading\n\nSome **text** about `fn main() {}` and => arrows.\n",
            "a;b\n1;2\n",
            "x = 1\n",
        ];
        for text in others {
            assert_eq!(language(text), None, "{text}");
        }
    }
}
