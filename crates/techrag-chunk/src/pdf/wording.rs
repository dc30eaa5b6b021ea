//! What the words of a line say about it, whatever its font: a title, a label, a line of a table of contents.

use techrag_core::{lexicon, text};

use crate::draft::chars;

/// Whether words may be a title: they open with a capital, most of them are letters, and they are no mere letters.
pub(crate) fn is_title(title: &str) -> bool {
    let opens =
        title.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric() || c.is_alphabetic() && !c.is_ascii());
    let letters = title.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count();
    opens && letters * 10 >= chars(title) * 7 && !are_symbols(title)
}

/// Whether words are single letters that make no word together, as the names of a diagram's nodes do. A heading may be
/// set letter by letter.
fn are_symbols(title: &str) -> bool {
    let is_word = |word: &&str| word.contains(char::is_alphabetic);
    let words: Vec<&str> = title.split(|c: char| !c.is_alphanumeric()).filter(is_word).collect();
    // Two are an abbreviation, as in `Q & A`.
    words.len() > 2 && words.iter().all(|word| word.len() == 1) && !lexicon::plausible(&words.concat())
}

/// Whether every letter is a capital.
pub(crate) fn shouted(text: &str) -> bool {
    let letters: Vec<char> = text.chars().filter(|c| c.is_alphabetic()).collect();
    letters.len() >= 4 && letters.iter().all(|c| c.is_uppercase())
}

/// Words that open a labelled paragraph and no section.
pub(crate) fn is_excluded(title: &str) -> bool {
    #[rustfmt::skip]
    const LABELS: &[&str] = &[
        "theorem", "lemma", "proposition", "corollary", "definition", "proof", "remark", "example", "assumption",
        "algorithm", "figure", "fig", "table", "claim", "condition", "problem", "property", "step", "listing", "keywords",
        "key words", "index terms", "editor", "editors", "note",
    ];
    let lower = text::fold(title);
    LABELS.iter().any(|label| {
        lower.strip_prefix(label).is_some_and(|rest| {
            // `Problem formulation` and `Algorithm design` are sections; `Problem 1` and `Proof.` are labels.
            let rest = rest.trim_start_matches([' ', '.', ':']);
            rest.is_empty()
                || rest.starts_with(|c: char| c.is_ascii_digit() || c == '(')
                || matches!(*label, "proof" | "keywords" | "key words" | "index terms" | "editors" | "editor")
        })
    })
}

/// Whether a numbered title in bold may hold a formula, which is not bold: it opens with a word all the same.
pub(crate) fn opens_with_word(title: &str) -> bool {
    let word: String = title.chars().take_while(|c| c.is_alphabetic()).collect();
    word.starts_with(char::is_uppercase) && chars(&word) >= 3 && !title.ends_with('.')
}

/// Whether a line opens the keywords of a paper.
pub(crate) fn opens_keywords(line: &str) -> bool {
    let lower = line.to_lowercase();
    ["keywords", "key words", "key-words", "index terms"].iter().any(|label| {
        lower.strip_prefix(label).is_some_and(|rest| rest.trim_start().starts_with([':', '.', '—', '–', '-']))
    })
}

/// Whether a heading opens a table of contents.
pub(crate) fn is_contents(text: &str) -> bool {
    matches!(
        text::fold(text).trim_end_matches(':'),
        "contents" | "table of contents" | "list of figures" | "list of tables" | "inhaltsverzeichnis"
    )
}

/// A line of a table of contents ends with its page.
pub(crate) fn is_contents_line(text: &str) -> bool {
    let body = text.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, 'i' | 'v' | 'x'));
    body.len() < text.len() && body.ends_with([' ', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_no_sections() {
        for label in ["Theorem 1", "Proof", "Proof of Theorem 2", "Keywords: tyre", "Assumption 3 (Noise)", "Figure 2"]
        {
            assert!(is_excluded(label), "{label}");
        }
        for title in ["Problem formulation", "Algorithm design", "Introduction", "Notes on slip"] {
            assert!(!is_excluded(title), "{title}");
        }
    }

    #[test]
    fn letters_of_a_diagram_are_no_title() {
        for letters in ["A M H Y A M Y", "U V W X Y"] {
            assert!(!is_title(letters), "{letters}");
        }
        for title in ["I N T R O D U C T I O N", "A B S T R A C T", "Q & A", "Plan B", "前 言 及 概"] {
            assert!(is_title(title), "{title}");
        }
    }

    #[test]
    fn keywords_are_labelled() {
        assert!(opens_keywords("Keywords: slip, tyre") && opens_keywords("Index Terms—slip"));
        assert!(!opens_keywords("Keywords are words"));
    }

    #[test]
    fn contents_lines_end_with_a_page() {
        assert!(is_contents_line("1 Introduction 2") && is_contents_line("2.1 Model . . . . . 14"));
        assert!(!is_contents_line("1 Introduction") && !is_contents_line("3 Results for ISO4"));
    }
}
