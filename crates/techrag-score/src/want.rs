//! What a question asks for, told by its words, and whether a sentence holds such a thing.
//!
//! Length and vocabulary make no answer: a question for a speed wants a number with a unit of speed, one that asks why
//! wants a reason. A question may want several things; one that shows no cue wants a statement.

use std::sync::LazyLock;

use regex::Regex;
use techrag_core::quantity::{Dimension, Quantity, quantities};

/// What a question wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// A number; of this dimension, where the question says so.
    Number(Option<Dimension>),
    /// A cause or purpose.
    Reason,
    /// Two sides, and how they differ.
    Comparison,
    /// How something is done or found.
    Method,
    /// What a word means.
    Definition,
    /// Any statement about it.
    Statement,
}

impl Want {
    /// Its name for people.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Number(None) => "number".into(),
            Self::Number(Some(dimension)) => format!("number ({})", format!("{dimension:?}").to_lowercase()),
            Self::Reason => "reason".into(),
            Self::Comparison => "comparison".into(),
            Self::Method => "method".into(),
            Self::Definition => "definition".into(),
            Self::Statement => "statement".into(),
        }
    }

    /// Whether a sentence holds it. Numbers that the question gave itself do not count.
    pub(crate) fn is_held_by(self, sentence: &str, given: &[Quantity]) -> bool {
        let own = || quantities(sentence).into_iter().filter(|found| !given.iter().any(|known| known.agrees(found)));
        match self {
            Self::Number(None) => own().next().is_some() || SPELT.is_match(sentence),
            Self::Number(Some(dimension)) => own().any(|quantity| quantity.dimension() == Some(dimension)),
            Self::Reason => REASON.is_match(sentence),
            Self::Comparison => CONTRAST.is_match(sentence) || own().count() > 1,
            Self::Method => METHOD.is_match(sentence),
            Self::Definition => DEFINITION.is_match(sentence),
            Self::Statement => true,
        }
    }
}

/// What the question asks for, at least one thing.
pub(crate) fn wants(question: &str) -> Vec<Want> {
    let mut wants = Vec::new();
    let dimension = DIMENSIONS.iter().find(|(cue, _)| cue.is_match(question)).map(|(_, dimension)| *dimension);
    if dimension.is_some() || NUMBER.is_match(question) {
        wants.push(Want::Number(dimension));
    }
    for (cue, want) in
        [(&WHY, Want::Reason), (&COMPARE, Want::Comparison), (&HOW, Want::Method), (&DEFINE, Want::Definition)]
    {
        if cue.is_match(question) {
            wants.push(want);
        }
    }
    if wants.is_empty() {
        wants.push(Want::Statement);
    }
    wants
}

/// A pattern of whole words, compiled at its first use. Every one is a literal of this file, and a test compiles them
/// all.
struct Cue(LazyLock<Option<Regex>>);

impl Cue {
    fn is_match(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|pattern| pattern.is_match(text))
    }
}

fn pattern(words: &str) -> Option<Regex> {
    Regex::new(&format!(r"(?i)\b(?:{words})\b")).ok()
}

macro_rules! cue {
    ($name:ident, $words:expr) => {
        static $name: Cue = Cue(LazyLock::new(|| pattern($words)));
    };
}

cue!(
    NUMBER,
    r"how (?:much|many|few|often|large|big|small|high|low|strong|accurate|accurately|well|wide|thick|steep)|what (?:is|was|are|were) the (?:\w+[ -]){0,3}(?:value|number|ratio|factor|coefficient|error|accuracy|rate|range|threshold|limit|order|dimension|percentage|share|size|gain|bias|deviation|exponent)s?|(?:which|what) (?:\w+[ -]){0,2}(?:value|number|ratio|factor|coefficient|percentage|share|threshold|limit|exponent|sampling rate)s?|by how|give the (?:value|figure|number)s?"
);
cue!(WHY, r"why|what causes?|reasons? for|what makes|explain");
cue!(
    COMPARE,
    r"compar\w+|versus|vs\.?|differ\w*|than|rather than|advantages? over|better|worse|trade-?offs?|which of (?:the )?(?:two|three|four)|both"
);
cue!(
    HOW,
    r"how (?:is|are|was|were|do|does|did|can|could|should|has|have)|which (?:method|algorithm|approach|technique|filter|estimator|procedure|model)s?|what (?:method|algorithm|approach|technique|procedure)s?|by what means"
);
cue!(
    DEFINE,
    r"what (?:is|are) (?:an? )?(?:meant by|the (?:definition|meaning) of)|defin\w+|stands? for|what does \w+ mean"
);
cue!(
    REASON,
    r"because|since|due to|owing to|caus\w+|reasons?|therefore|thus|hence|so that|leads? to|results? (?:in|from)|as a result|which makes|follows from|explains?|for this|comes? from|arises?|otherwise|enough to|too \w+ (?:to|for)"
);
cue!(
    CONTRAST,
    r"than|whereas|while|compar\w+|versus|instead|in contrast|unlike|both|neither|more|less|better|worse|higher|lower|larger|smaller|faster|slower|longer|shorter|twice|half|against|however|but"
);
cue!(
    METHOD,
    r"us(?:e|es|ed|ing)|by means of|method|algorithm|approach|filter|model|estimat\w+|comput\w+|calculat\w+|obtain\w*|identif\w+|measur\w+|appl(?:y|ied|ies)|fit(?:s|ted)?|solv\w+|deriv\w+|detect\w*|train\w*|from the"
);
cue!(
    DEFINITION,
    r"is (?:the|an?)|are (?:the|an?)|defined|denotes?|means?|called|known as|refers? to|stands? for|i\.e\."
);
cue!(
    SPELT,
    r"two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|thousand|half|third|quarter|twice|once|no|none|zero|both"
);

/// Words of a question that say of which dimension its number is; the first that matches decides.
static DIMENSIONS: LazyLock<Vec<(Regex, Dimension)>> = LazyLock::new(|| {
    [
        (r"how (?:fast)|(?:what|which|the) (?:\w+[ -]){0,3}(?:speed|velocity)s?", Dimension::Speed),
        (
            r"how (?:quickly|soon)|how long does|(?:what|which) (?:\w+[ -]){0,3}(?:time|duration|delay|latency|period)",
            Dimension::Time,
        ),
        (
            r"how (?:far|deep|tall)|(?:what|which) (?:\w+[ -]){0,3}(?:distance|length|depth|width|radius|diameter)s?",
            Dimension::Length,
        ),
        (
            r"(?:what|which) (?:\w+[ -]){0,2}(?:percentage|per cent|percent|share)|by how many per ?cent",
            Dimension::Percent,
        ),
        (r"how (?:hot|warm|cold)|(?:what|which) (?:\w+[ -]){0,3}temperatures?", Dimension::Temperature),
        (r"(?:what|which) (?:\w+[ -]){0,3}(?:frequency|frequencies|bandwidth|sampling rate)", Dimension::Frequency),
        (r"how heavy|(?:what|which) (?:\w+[ -]){0,3}(?:mass|weight)", Dimension::Mass),
        (r"how much power|(?:what|which) (?:\w+[ -]){0,3}power", Dimension::Power),
        (r"how much energy|(?:what|which) (?:\w+[ -]){0,3}energy", Dimension::Energy),
        (r"(?:what|which) (?:\w+[ -]){0,3}pressures?", Dimension::Pressure),
        (r"(?:what|which) (?:\w+[ -]){0,3}(?:voltage|current|resistance|capacitance)s?", Dimension::Electric),
        (r"(?:what|which) (?:\w+[ -]){0,3}(?:slip|sideslip|steer\w*|camber) angles?", Dimension::Angle),
    ]
    .into_iter()
    .filter_map(|(words, dimension)| Some((pattern(words)?, dimension)))
    .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_wants_what_its_words_say() {
        let cases = [
            ("How fast does the car hit the obstacle?", vec![Want::Number(Some(Dimension::Speed))]),
            ("How quickly does the estimate settle?", vec![Want::Number(Some(Dimension::Time))]),
            ("Why is the estimate too low?", vec![Want::Reason]),
            ("What forgetting factor does it use?", vec![Want::Number(None)]),
            ("Which filter is cheaper than the other?", vec![Want::Comparison, Want::Method]),
            ("Which sensors are used?", vec![Want::Statement]),
        ];
        for (question, expected) in cases {
            assert_eq!(wants(question), expected, "{question}");
        }
    }

    #[test]
    fn a_sentence_holds_what_is_wanted_or_does_not() {
        let given = quantities("at 50 km/h");
        let speed = Want::Number(Some(Dimension::Speed));
        assert!(speed.is_held_by("It hits at 27.9 km/h.", &given));
        assert!(!speed.is_held_by("It brakes from 50 km/h.", &given), "the question's own number");
        assert!(!speed.is_held_by("It takes 3 s.", &given));
        assert!(Want::Reason.is_held_by("It fails because of noise.", &[]));
        assert!(!Want::Reason.is_held_by("It fails.", &[]));
        assert!(Want::Comparison.is_held_by("The first is faster.", &[]));
        assert!(Want::Number(None).is_held_by("It has three layers.", &[]));
    }

    #[test]
    fn every_pattern_compiles() {
        for cue in [&NUMBER, &WHY, &COMPARE, &HOW, &DEFINE, &REASON, &CONTRAST, &METHOD, &DEFINITION, &SPELT] {
            assert!(cue.0.is_some());
        }
        assert_eq!(DIMENSIONS.len(), 12);
    }
}
