//! Recency and intent fit: is the evidence of the place and the years that the question asks for?

use std::sync::LazyLock;

use regex::Regex;
use techrag_core::record::{Hit, Role};
use techrag_core::unit;

use super::{Finding, share};
use crate::evidence::Evidence;

/// Years that a source stays recent.
const RECENT: f64 = 3.0;
/// Years over which it then ages to nothing.
const AGEING: f64 = 10.0;
/// What the part gives for recency that cannot be judged.
const UNJUDGED: f64 = 0.5;

/// What a question says about where or when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    Section(Role),
    Table,
    Figure,
    Recent,
}

static CUES: LazyLock<Vec<(Regex, Asked)>> = LazyLock::new(|| {
    [
        (r"\btables?\b|\btabulated\b", Asked::Table),
        (r"\bfig(?:ure|\.)s?\b|\bplots?\b|\bcaptions?\b|\bdiagrams?\b", Asked::Figure),
        (r"\babstracts?\b", Asked::Section(Role::Abstract)),
        (r"\bintroduct\w+\b", Asked::Section(Role::Introduction)),
        (r"\brelated work\b|\bbackground section\b", Asked::Section(Role::Background)),
        (r"\bmethods? section\b|\bmethodology\b", Asked::Section(Role::Method)),
        (r"\bresults? section\b", Asked::Section(Role::Results)),
        (r"\bdiscussion\b|\blimitations?\b", Asked::Section(Role::Discussion)),
        (r"\bconclu(?:sions?|des?|ding)\b|\bfuture work\b", Asked::Section(Role::Conclusion)),
        (r"\backnowledg\w+\b|\bfund(?:ed|ing)\b", Asked::Section(Role::Acknowledgements)),
        (
            r"\b(?:recent(?:ly)?|latest|newest|state[- ]of[- ]the[- ]art|up[- ]to[- ]date|nowadays|currently)\b",
            Asked::Recent,
        ),
    ]
    .into_iter()
    .filter_map(|(words, asked)| Some((Regex::new(&format!("(?i){words}")).ok()?, asked)))
    .collect()
});

pub(super) fn find(evidence: &Evidence<'_>, year: Option<i32>) -> Finding {
    let asked = CUES.iter().find(|(cue, _)| cue.is_match(evidence.question)).map(|(_, asked)| *asked);
    let Some(asked) = asked else {
        return Finding::new(1.0, [("asked", "nothing".into())], "the question asks for no place and no years".into());
    };
    if asked == Asked::Recent && year.is_none() {
        let why = "the question asks for recent work, but no reference year was given (--year)";
        return Finding::new(UNJUDGED, [("asked", "recent".into())], why.into());
    }
    let all: f64 = evidence.relevance.iter().sum();
    let fitting: f64 = evidence.weighed().map(|(hit, relevance)| relevance * fits(hit, asked, year)).sum();
    let fit = if all > 0.0 { fitting / all } else { 0.0 };
    let name = label(asked);
    let why =
        format!("the question asks for {name}: {:.0} % of the relevant chunks, by weight, are of it", 100.0 * fit);
    Finding::new(fit, [("asked", name.into()), ("fit", share(fit))], why)
}

/// How far a hit is what was asked for, 0 to 1.
fn fits(hit: &Hit, asked: Asked, reference: Option<i32>) -> f64 {
    let has = |kind: &str| {
        let captions = unit::units(&hit.text).into_iter().filter(|unit| unit.kind == unit::Kind::Caption);
        captions.into_iter().any(|unit| hit.text[unit.range].to_lowercase().starts_with(kind))
    };
    let yes = match asked {
        Asked::Section(role) => hit.role == role,
        Asked::Table => has("tab") || unit::units(&hit.text).iter().any(|unit| unit.kind == unit::Kind::Row),
        Asked::Figure => has("fig"),
        Asked::Recent => return recency(hit.year, reference),
    };
    f64::from(u8::from(yes))
}

/// 1 for [`RECENT`] years, then falling to 0 over [`AGEING`]; 0 where the year is unknown.
fn recency(year: Option<i32>, reference: Option<i32>) -> f64 {
    let age = reference.zip(year).map(|(reference, year)| f64::from(reference) - f64::from(year));
    age.map_or(0.0, |age| 1.0 - ((age - RECENT) / AGEING).clamp(0.0, 1.0))
}

fn label(asked: Asked) -> &'static str {
    match asked {
        Asked::Table => "a table",
        Asked::Figure => "a figure",
        Asked::Recent => "recent work",
        Asked::Section(Role::Abstract) => "the abstract",
        Asked::Section(Role::Introduction) => "the introduction",
        Asked::Section(Role::Background) => "related work",
        Asked::Section(Role::Method) => "the method",
        Asked::Section(Role::Results) => "the results",
        Asked::Section(Role::Discussion) => "the discussion",
        Asked::Section(Role::Conclusion) => "the conclusion",
        Asked::Section(Role::Acknowledgements) => "the acknowledgements",
        Asked::Section(_) => "a section",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cue_compiles() {
        assert_eq!(CUES.len(), 11);
    }

    #[test]
    fn sources_age_from_a_given_year() {
        let ages = [2026, 2023, 2018, 2013, 1990].map(|year| recency(Some(year), Some(2026)));
        assert_eq!(ages, [1.0, 1.0, 0.5, 0.0, 0.0]);
        assert_eq!(recency(None, Some(2026)), 0.0);
    }

    #[test]
    fn a_table_is_told_by_its_rows_or_caption() {
        let hit = |text: &str| Hit { text: text.into(), role: Role::Results, ..Hit::default() };
        assert_eq!(fits(&hit("Table 1. Bias.\n\n| a | b |\n|---|---|\n| 1 | 2 |"), Asked::Table, None), 1.0);
        assert_eq!(fits(&hit("No such thing."), Asked::Table, None), 0.0);
        assert_eq!(fits(&hit("Figure 2. Force against slip."), Asked::Figure, None), 1.0);
        assert_eq!(fits(&hit("x"), Asked::Section(Role::Results), None), 1.0);
    }
}
