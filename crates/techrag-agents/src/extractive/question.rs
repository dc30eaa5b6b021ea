//! What a question wants: its terms, its numbers, the sections it points to, the kind of sentence that answers it.

use std::sync::LazyLock;

use regex::Regex;
use techrag_core::lexical::{self, Term};
use techrag_core::quantity::{Dimension, Quantity, quantities};
use techrag_core::{text, token};

/// A question as the writer reads it.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// Content terms.
    pub(super) terms: Vec<Term>,
    /// Numbers it gives as conditions.
    pub(super) numbers: Vec<String>,
    /// The same with their units, each once.
    pub(super) conditions: Vec<Quantity>,
    /// Beginnings of the headings it points to: `discuss`, `conclu`, …
    pub(super) sections: Vec<&'static str>,
    /// What a sentence that answers it has.
    pub(super) wants: Vec<Want>,
    /// What the number it asks for measures, where it names a unit: `how many hours`, `in metres`.
    pub(super) dimension: Option<Dimension>,
    /// The things whose number it asks for: `surgeon` of `how many surgeons`.
    pub(super) counted: Option<Term>,
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
    /// The meaning of a word.
    Definition,
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

static DEFINITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:mean(?:s|t)? by|(?:what|how) (?:is|are|do|does) [^?]{1,60}\b(?:mean|called|defined|stand for)\b|",
        r"definition of)|^what (?:is|are) (?:an? |the )?(?:[\w-]+ ){0,2}[\w-]+\?$"
    ))
    .ok()
});

impl Question {
    pub(super) fn of(question: &str) -> Self {
        let question = &one_word(text::prefix(question, READ));
        let words = text::fold(question);
        let points_to = |(word, _): &&(&str, &str)| words.split(|c: char| !c.is_alphanumeric()).any(|w| w == *word);
        let matches = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(question));
        let table = words.split(|c: char| !c.is_alphanumeric()).any(|word| TABLE.contains(&word));
        let wants = [
            (Want::Number, matches(&NUMBER)),
            (Want::Cause, matches(&CAUSE)),
            (Want::List, matches(&LIST)),
            (Want::Table, table),
            (Want::Definition, matches(&DEFINITION)),
        ];
        let mut terms = lexical::terms(question);
        for term in &mut terms {
            // Numbers are conditions, which [`super::conditions`] looks for: `4.5–6.0 kN` is one word in a table.
            let is_number = term.word.starts_with(|c: char| c.is_ascii_digit());
            term.subject &= !is_number && !is_measure(&term.word) && !HAPPENINGS.contains(&term.word.as_str());
        }
        let mut conditions = quantities(question);
        conditions.sort();
        conditions.dedup();
        Self {
            counted: counted(question),
            dimension: dimension(question),
            conditions,
            terms,
            numbers: numbers(question),
            sections: SECTIONS.iter().filter(points_to).map(|(_, heading)| *heading).collect(),
            wants: wants.into_iter().filter(|(_, wanted)| *wanted).map(|(want, _)| want).collect(),
        }
    }

    pub(super) fn wants(&self, want: Want) -> bool {
        self.wants.contains(&want)
    }
}

/// A question with `per cent` in one word: `cent` is no thing of its own.
fn one_word(question: &str) -> String {
    static PER_CENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\bper[ \u{a0}]+cent\b").ok());
    PER_CENT.as_ref().map_or(question.to_owned(), |pattern| pattern.replace_all(question, "percent").into_owned())
}

/// Words for what happens or how things stand to each other, as nouns and verbs of questions: a source says it otherwise.
const HAPPENINGS: &[&str] = &[
    "beat", "beats", "best", "come", "comes", "cope", "entry", "exit", "fares", "go", "goes", "lie", "lies", "occur",
    "occurs", "plan", "plans", "rank", "ranking", "ranks", "rival", "rivals", "sit", "sits", "spend", "stand",
    "stands", "start", "suit", "suits", "win", "wins", "worth",
];

/// Words that tell in what an answer is given, or how things are ranked: a source need not name them.
const MEASURES: &[&str] = &["property", "properties", "runner-up", "runners-up", "tonne", "tonnes", "ton", "tons"];

fn is_measure(word: &str) -> bool {
    MEASURES.contains(&word) || quantities(&format!("1 {word}")).first().is_some_and(|one| one.unit.is_some())
}

/// What `how many` or `how much` counts: the last noun before the question goes on. `None` where it counts a unit, or
/// nothing that is named (`how much does it fall`).
fn counted(question: &str) -> Option<Term> {
    static COUNTED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\bhow (?:many|much) ([\w -]+)").ok());
    let asked = COUNTED.as_ref()?.captures(question)?.get(1)?.as_str();
    let phrase: Vec<&str> = asked
        .split(' ')
        .filter(|word| !word.is_empty())
        .take_while(|word| !token::is_stop_word(&text::fold(word)) && *word != "per")
        .collect();
    let nouns = lexical::terms(&phrase.join(" ")).into_iter().filter(|term| !is_measure(&term.word));
    nouns.filter(|term| term.subject && !is_action_form(&term.word)).take(MOST_NOUNS).last()
}

/// Most words of what is counted: `oscillatory components`.
const MOST_NOUNS: usize = 2;

/// What the unit measures that a question wants its number in. Units written in one or two letters are left alone: `in a`.
fn dimension(question: &str) -> Option<Dimension> {
    static UNIT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\b(?:how (?:many|much)|in) (\p{Alphabetic}{3,})").ok());
    let named = UNIT.as_ref()?.captures_iter(question).filter_map(|found| found.get(1));
    named.filter_map(|word| quantities(&format!("1 {}", text::fold(word.as_str()))).first()?.dimension()).next()
}

/// Verbs end what is counted: `how many surgeons performed …`.
fn is_action_form(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed")
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
        assert!(NUMBER.is_some() && CAUSE.is_some() && LIST.is_some() && DEFINITION.is_some());
    }

    #[test]
    fn what_happens_and_in_what_it_is_given_is_no_subject() {
        for question in ["By how many per cent does it fall?", "Which filter beats it?", "How do they rank?"] {
            assert!(
                Question::of(question).terms.iter().all(|term| !term.subject || term.word == "filter"),
                "{question}"
            );
        }
        for question in ["What do they mean by utilisation?", "How is onset defined?", "What is the relaxation length?"]
        {
            assert!(Question::of(question).wants(Want::Definition), "{question}");
        }
        assert!(!Question::of("What is the mass of the car and its yaw inertia?").wants(Want::Definition));
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
    fn what_is_counted_is_a_thing_that_is_named() {
        let counted = |question: &str| Question::of(question).counted.map(|term| term.word);
        assert_eq!(counted("How many surgeons performed the procedures?").as_deref(), Some("surgeons"));
        assert_eq!(counted("How many trainable parameters does it have?").as_deref(), Some("parameters"));
        assert_eq!(counted("How much fuel did it save?").as_deref(), Some("fuel"));
        for question in ["How many frequencies lie in it?", "How many samples per passage are needed?"] {
            assert_ne!(counted(question).as_deref(), Some("lie"), "{question}");
            assert_ne!(counted(question).as_deref(), Some("passage"), "{question}");
        }
        for question in ["How many metres is it shorter?", "How much does it fall?", "How large is it?", "How many?"] {
            assert_eq!(counted(question), None, "{question}");
        }
        let dimension = |question: &str| Question::of(question).dimension;
        assert_eq!(dimension("How many hours did it take?"), Some(Dimension::Time));
        assert_eq!(dimension("What is its length in metres?"), Some(Dimension::Length));
        assert_eq!(dimension("By how many per cent does it fall?"), Some(Dimension::Percent));
        assert_eq!(dimension("How many surgeons were in the room?"), None);
        let terms = Question::of("What is the mass in tonnes?").terms;
        assert!(terms.iter().any(|term| term.word == "tonnes" && !term.subject));
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
