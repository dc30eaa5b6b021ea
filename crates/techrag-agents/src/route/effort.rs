//! How much work a question gets when the caller leaves it open.

use std::sync::LazyLock;

use regex::Regex;
use techrag_core::record::{Effort, RouteName};

/// `(why, pattern)`, the first that matches decides for high effort.
static HIGH: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    [
        (
            "compares",
            r"(?i)\b(?:compar\w+|versus|vs\.?|differ(?:s|ence|ences|ent)?|better|worse|faster|slower|larger|smaller|higher|lower|more \w+ than|than|advantages?|drawbacks|trade-?offs?|rather than)\b",
        ),
        ("asks why", r"(?i)\bwhy\b|\b(?:what causes|reasons? (?:for|why)|explain)\b"),
        (
            "asks how",
            r"(?i)\bhow\b\s+(?:does|do|did|is|are|was|were|can|could|would|should|has|have|to|well)\b|\b(?:derive|summari[sz]e|describe)\b",
        ),
        ("names several things", r"(?i)\b(?:both|each of|respectively|all (?:three|four|of))\b|\w+, [^,?]+,? (?:and|or) \w+|\?.+\?"),
    ]
    .into_iter()
    .filter_map(|(why, pattern)| Some((why, Regex::new(pattern).ok()?)))
    .collect()
});

/// The effort a question asks for, and why.
pub(super) fn effort(question: &str, routes: &[RouteName]) -> (Effort, String) {
    let question = techrag_core::text::prefix(question, 2000);
    if let Some((why, _)) = HIGH.iter().find(|(_, pattern)| pattern.is_match(question)) {
        return (Effort::High, format!("high effort: the question {why}"));
    }
    if routes.len() > 1 {
        return (Effort::High, "high effort: several routes".into());
    }
    (Effort::Low, "low effort: one plain question".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(question: &str) -> Effort {
        effort(question, &[RouteName::Content]).0
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(HIGH.len(), 4);
    }

    #[test]
    fn plain_questions_are_low_and_involved_ones_high() {
        assert_eq!(of("What forgetting factor is used?"), Effort::Low);
        assert_eq!(of("How many samples does a batch hold?"), Effort::Low);
        for question in [
            "Pacejka vs. brush model comparison",
            "Why is friction harder to estimate on snow?",
            "How does wear change the stiffness?",
            "Give slip, load and speed of the test.",
        ] {
            assert_eq!(of(question), Effort::High, "{question}");
        }
        assert_eq!(effort("papers on tyres", &[RouteName::Content, RouteName::Bibliometric]).0, Effort::High);
    }
}
