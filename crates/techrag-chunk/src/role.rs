//! What a section is for, told by its heading.

use std::sync::LazyLock;

use regex::Regex;
use techrag_core::record::Role;
use techrag_core::text;

/// A heading, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading<'a> {
    /// `3`, `2.1`, `A`, `IV`, without a closing full stop.
    pub(crate) number: Option<&'a str>,
    /// The words.
    pub(crate) title: &'a str,
}

static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:(?:§|[Cc]hapter|[Ss]ection|[Aa]ppendix|CHAPTER|SECTION|APPENDIX)\s*)?((?:\d{1,2}|[A-Z]|[IVX]{1,5})(?:\.\d{1,2})*)(?:[.:)]\s*|\s+)(\S.*)$",
    )
    .expect("a constant pattern")
});

impl<'a> Heading<'a> {
    /// The number and the words of a heading line.
    pub(crate) fn parse(line: &'a str) -> Self {
        let line = line.trim();
        match NUMBERED.captures(line) {
            // `A model of the tyre` starts with an article, not with an appendix letter.
            Some(found) if !is_article(line) => {
                let group = |at| found.get(at).map_or("", |group| group.as_str());
                Self { number: Some(group(1)), title: group(2).trim() }
            }
            _ => Self { number: None, title: line },
        }
    }

    /// Depth from 1: the parts of the number; `None` without a number.
    pub(crate) fn depth(&self) -> Option<usize> {
        self.number.map(|number| number.split('.').count())
    }
}

fn is_article(line: &str) -> bool {
    let mut words = line.split(' ');
    matches!(words.next(), Some("A" | "I")) && words.next().is_some_and(|word| word.starts_with(char::is_lowercase))
}

/// What a heading alone says; `Other` where it says nothing.
pub(crate) fn of(heading: &str) -> Role {
    let parsed = Heading::parse(heading);
    let title = text::fold(parsed.title);
    let title = title.trim_end_matches([':', '.']);
    if title.starts_with("appendi") || title.starts_with("supplement") || is_appendix(heading, &parsed) {
        return Role::Appendix;
    }
    match title {
        "abstract" | "zusammenfassung" | "executive summary" => Role::Abstract,
        _ if title.starts_with("acknowledg") => Role::Acknowledgements,
        // `Results and discussion` is first of all results.
        _ => WORDS
            .iter()
            .filter_map(|(role, words)| Some((words.iter().filter_map(|word| word_at(title, word)).min()?, *role)))
            .min_by_key(|(at, _)| *at)
            .map_or(Role::Other, |(_, role)| role),
    }
}

/// Words that say what a section is for.
const WORDS: &[(Role, &[&str])] = &[
    (Role::Acknowledgements, &["funding", "conflict of interest", "conflicts of interest"]),
    (Role::Introduction, &["introduction", "motivation", "einleitung"]),
    (Role::Conclusion, &["conclusion", "conclusions", "concluding", "summary", "outlook", "future work"]),
    (
        Role::Background,
        &["related work", "background", "preliminaries", "literature", "prior work", "state of the art"],
    ),
    (Role::Discussion, &["discussion", "discussions", "limitations", "limits"]),
    (Role::Results, &["results", "result", "evaluation", "experiments", "experiment", "findings", "validation"]),
    (Role::Method, METHOD),
];

const METHOD: &[&str] = &[
    "method",
    "methods",
    "methodology",
    "model",
    "models",
    "modelling",
    "modeling",
    "theory",
    "approach",
    "algorithm",
    "algorithms",
    "setup",
    "set-up",
    "experimental set",
    "materials",
    "problem formulation",
    "problem statement",
    "problem setup",
    "formulation",
    "design",
    "implementation",
    "derivation",
];

/// `Appendix A`, `A.2 Proofs`; a single capital before the words counts as well, roman numerals I to X do not.
fn is_appendix(heading: &str, parsed: &Heading<'_>) -> bool {
    let lower = heading.trim().to_lowercase();
    let letter = parsed.number.and_then(|number| number.chars().next()).filter(char::is_ascii_uppercase);
    lower.starts_with("appendix") || letter.is_some_and(|letter| !matches!(letter, 'I' | 'V' | 'X'))
}

/// Where a whole word or phrase stands first.
fn word_at(title: &str, word: &str) -> Option<usize> {
    let boundary = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let mut places = title.match_indices(word).map(|(at, _)| at);
    places.find(|&at| boundary(title[..at].chars().next_back()) && boundary(title[at + word.len()..].chars().next()))
}

/// Whether a heading opens a list of references, which are kept out of the chunks.
pub(crate) fn is_references(heading: &str) -> bool {
    let title = text::fold(Heading::parse(heading).title);
    matches!(
        title.trim_end_matches([':', '.']),
        "references"
            | "references and notes"
            | "list of references"
            | "bibliography"
            | "literature"
            | "literature cited"
            | "works cited"
            | "cited literature"
            | "literatur"
            | "literaturverzeichnis"
    )
}

/// Headings that open a section even where nothing but the words tells them from a paragraph.
pub(crate) fn is_conventional(line: &str) -> bool {
    let title = text::fold(Heading::parse(line).title);
    is_references(line)
        || matches!(
            title.trim_end_matches([':', '.']),
            "abstract"
                | "introduction"
                | "related work"
                | "background"
                | "method"
                | "methods"
                | "methodology"
                | "results"
                | "results and discussion"
                | "discussion"
                | "conclusion"
                | "conclusions"
                | "conclusions and future work"
                | "acknowledgements"
                | "acknowledgments"
                | "acknowledgement"
                | "acknowledgment"
                | "appendix"
                | "supplementary material"
                | "author contributions"
                | "funding"
        )
}

/// Roles of a document's headings, in order: a subsection that says nothing itself takes the role of the section it
/// stands in.
#[derive(Debug, Default)]
pub(crate) struct Roles {
    open: Vec<(usize, Role)>,
}

impl Roles {
    /// The role of the next heading, `level` from 1.
    pub(crate) fn next(&mut self, heading: &str, level: usize) -> Role {
        self.open.retain(|(above, _)| *above < level);
        let role = match of(heading) {
            Role::Other => self.open.last().map_or(Role::Other, |(_, role)| *role),
            role => role,
        };
        self.open.push((level, role));
        role
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_taken_apart() {
        for (line, number, title, depth) in [
            ("1 Introduction", Some("1"), "Introduction", Some(1)),
            ("2.1. Adhesion", Some("2.1"), "Adhesion", Some(2)),
            ("A. Proofs", Some("A"), "Proofs", Some(1)),
            ("IV. RESULTS", Some("IV"), "RESULTS", Some(1)),
            ("Appendix B: Data", Some("B"), "Data", Some(1)),
            ("A model of the tyre", None, "A model of the tyre", None),
            ("Introduction", None, "Introduction", None),
        ] {
            let parsed = Heading::parse(line);
            assert_eq!((parsed.number, parsed.title, parsed.depth()), (number, title, depth), "{line}");
        }
    }

    #[test]
    fn roles_follow_the_words() {
        for (heading, role) in [
            ("Abstract", Role::Abstract),
            ("1 Introduction", Role::Introduction),
            ("II. RELATED WORK", Role::Background),
            ("3 Vehicle and tyre model", Role::Method),
            ("5. Results and Discussion", Role::Results),
            ("Discussion", Role::Discussion),
            ("7 Conclusions and outlook", Role::Conclusion),
            ("Acknowledgments", Role::Acknowledgements),
            ("Appendix A. Proofs", Role::Appendix),
            ("A Proof of Theorem 1", Role::Appendix),
            ("4 Divergence", Role::Other),
            ("Remodelling", Role::Other),
        ] {
            assert_eq!(of(heading), role, "{heading}");
        }
    }

    #[test]
    fn a_silent_subsection_takes_the_role_above_it() {
        let mut roles = Roles::default();
        assert_eq!(roles.next("2 Method", 1), Role::Method);
        assert_eq!(roles.next("2.1 Divergence", 2), Role::Method);
        assert_eq!(roles.next("2.2 Results of the filter", 2), Role::Results);
        assert_eq!(roles.next("3 Divergence", 1), Role::Other);
    }

    #[test]
    fn reference_lists_are_known_by_their_header() {
        for heading in ["References", "REFERENCES", "7. References", "Bibliography:", "Literaturverzeichnis"] {
            assert!(is_references(heading), "{heading}");
        }
        assert!(!is_references("Reference governors"));
    }
}
