//! What a question wants: its terms, its numbers, the sections it points to, the kind of sentence that answers it.

use std::sync::LazyLock;

use regex::Regex;
use techrag_core::lexical::{self, Term};
use techrag_core::quantity::quantities;
use techrag_core::text;

/// A question as the writer reads it.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// Content terms.
    pub(super) terms: Vec<Term>,
    /// Numbers it gives as conditions.
    pub(super) numbers: Vec<String>,
    /// Beginnings of the headings it points to: `discuss`, `conclu`, …
    pub(super) sections: Vec<&'static str>,
    /// What a sentence that answers it has.
    pub(super) wants: Vec<Want>,
}

/// What a question wants of the sentence that answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// A number.
    Number,
    /// A cause or a way.
    Cause,
    /// Several things of a kind.
    List,
    /// A table's rows.
    Table,
}

/// Questions are read this far.
const READ: usize = 2000;

/// Words of a question that point to a section, and how the section's heading begins.
const SECTIONS: &[(&str, &str)] = &[
    ("abstract", "abstract"),
    ("conclusion", "conclu"),
    ("conclusions", "conclu"),
    ("discussion", "discuss"),
    ("introduction", "intro"),
    ("method", "method"),
    ("methods", "method"),
    ("results", "result"),
    ("summary", "conclu"),
];

static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:how (?:much|many|far|fast|long|large|high|quickly|often|wide|close|big|deep|heavy|low|small|strong)",
        r"|(?:what|which) (?:\w+ ){0,3}?(?:values?|speeds?|errors?|distances?|power|lengths?|accuracy|factors?|angles?|",
        r"peak|share|ratio|rate|frequency|temperature|stiffness|load|force|time|number|percentage|coefficient|threshold|",
        r"voltage|energy|pressure|depth|thickness|year|mass|width|radius|limit)",
        r"|by how|at which|up to which|to what extent)\b"
    ))
    .ok()
});

static CAUSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:why|for what reason|what (?:prevents|causes|explains|keeps)|what is the (?:advantage|reason|cause)",
        r"|how (?:is|are|does|do|was|were|can))\b"
    ))
    .ok()
});

static LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:(?:which|what) (?:\w+ ){0,2}(?:restrictions|limits|limitations|effects|assumptions|conditions|reasons|",
        r"steps|advantages|drawbacks|kinds|types|methods|factors|causes|ways|quantities|parameters|simplifications|things)",
        r"|list|name|enumerate)\b"
    ))
    .ok()
});

impl Question {
    pub(super) fn of(question: &str) -> Self {
        let question = text::prefix(question, READ);
        let words = text::fold(question);
        let points_to = |(word, _): &&(&str, &str)| words.split(|c: char| !c.is_alphanumeric()).any(|w| w == *word);
        let matches = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(question));
        let table = words.split(|c: char| !c.is_alphanumeric()).any(|word| TABLE.contains(&word));
        let wants = [
            (Want::Number, matches(&NUMBER)),
            (Want::Cause, matches(&CAUSE)),
            (Want::List, matches(&LIST)),
            (Want::Table, table),
        ];
        Self {
            terms: lexical::terms(question),
            numbers: numbers(question),
            sections: SECTIONS.iter().filter(points_to).map(|(_, heading)| *heading).collect(),
            wants: wants.into_iter().filter(|(_, wanted)| *wanted).map(|(want, _)| want).collect(),
        }
    }

    pub(super) fn wants(&self, want: Want) -> bool {
        self.wants.contains(&want)
    }
}

/// Words that point to a table.
const TABLE: &[&str] = &["table", "tabulated", "tabulate", "listed", "rows", "columns"];

/// The questions inside a question: its clauses, where it joins or compares several and each has content of its own.
/// Empty for a plain question.
pub(super) fn facets(question: &str) -> Vec<String> {
    static JOINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)[;?]\s+|,?\s+and\s+(?:(?:to|in|at|by|on|for|of|from)\s+)?(?:how|what|which|why|where|when|who)\b",
            r"|,?\s+(?:compared? (?:with|to)|as against|versus|vs\.?|whereas|while)\s+|,\s+and\s+(?:on|in|at|by|for|of)\s+"
        ))
        .ok()
    });
    let question = text::prefix(question, READ);
    let Some(joint) = JOINT.as_ref() else { return Vec::new() };
    let facets: Vec<String> = joint.split(question).map(str::to_owned).collect();
    let telling = |facet: &String| lexical::terms(facet).iter().filter(|term| !term.weak).count() >= 2;
    let facets: Vec<String> = facets.into_iter().filter(telling).take(MOST_FACETS).collect();
    if facets.len() > 1 { facets } else { Vec::new() }
}

/// More questions in one are not told apart.
const MOST_FACETS: usize = 4;

/// The distinct numbers of a text, as written but for separators and trailing zeros; signs left out.
pub(super) fn numbers(text: &str) -> Vec<String> {
    let mut numbers: Vec<String> = Vec::new();
    for quantity in quantities(text) {
        let value = quantity.value.trim_start_matches('-').to_owned();
        if !numbers.contains(&value) {
            numbers.push(value);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(NUMBER.is_some() && CAUSE.is_some() && LIST.is_some());
    }

    #[test]
    fn a_question_falls_into_the_questions_it_joins() {
        assert_eq!(
            facets("What error does the sensor survey quote, and on which road surface is the braking force lowest?"),
            ["What error does the sensor survey quote", " road surface is the braking force lowest?"]
        );
        assert_eq!(facets("How good is the Kalman filter compared with a particle filter?").len(), 2);
        assert!(facets("Which true, start and prior values are given?").is_empty());
        assert!(facets("What is the friction and why?").is_empty(), "a clause without content of its own");
    }

    #[test]
    fn a_question_is_read_for_what_it_wants() {
        let asked = Question::of("Which limits does the discussion list, and how much is the error at 4 kN?");
        assert_eq!(asked.wants, [Want::Number, Want::List]);
        assert_eq!((asked.numbers.as_slice(), asked.sections.as_slice()), (&["4".to_owned()][..], &["discuss"][..]));
        let why = Question::of("Why does the method fail?");
        assert_eq!(why.wants, [Want::Cause]);
    }
}
