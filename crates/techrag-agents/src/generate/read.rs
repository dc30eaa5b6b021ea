//! From a model's JSON to records: strict in what it must hold, lenient in how it spells it.

use serde_json::Value;
use techrag_core::clean;
use techrag_core::record::{
    CriticVerdict, DraftSentence, EvidenceMap, MappedClaim, NOT_FOUND, Outline, OutlineSection, Strength,
};

/// Most entries of a list that are read.
const MOST: usize = 30;

/// `{"sentences":[{"text","cite":[…]}]}`, or the list alone. A sentence that is the refusal makes the draft empty.
pub(super) fn draft(value: &Value) -> Result<Vec<DraftSentence>, String> {
    let sentences = field(value, &["sentences", "answer"]).unwrap_or(value).as_array();
    let sentences = sentences.ok_or("there is no list \"sentences\"")?.iter().take(MOST);
    let sentences: Vec<DraftSentence> = sentences.map(sentence).collect::<Result<_, _>>()?;
    let refusal = NOT_FOUND.trim_end_matches('.').to_lowercase();
    if sentences.iter().any(|sentence| sentence.text.to_lowercase().contains(&refusal)) {
        return Ok(Vec::new());
    }
    Ok(sentences.into_iter().filter(|sentence| !sentence.text.is_empty()).collect())
}

fn sentence(value: &Value) -> Result<DraftSentence, String> {
    let words = field(value, &["text", "sentence"]).and_then(Value::as_str).ok_or("a sentence has no \"text\"")?;
    let cited = field(value, &["cite", "cites", "citations", "sources", "source"]);
    Ok(DraftSentence { text: clean::line(words), cite: cited.map(numbers).unwrap_or_default() })
}

/// Numbers of sources, each once, in order: `[1, 2]`, `1`, `"SOURCE 1"`, `["1"]`.
fn numbers(value: &Value) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let mut add = |number: Option<u32>| found.extend(number.filter(|_| true));
    match value {
        Value::Array(values) => values.iter().take(MOST).for_each(|value| add(number(value))),
        value => add(number(value)),
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|number| seen.insert(*number));
    found
}

fn number(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        Value::String(text) => {
            let digits: String =
                text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        }
        Value::Object(_) => field(value, &["source", "n", "number"]).and_then(number),
        _ => None,
    }
}

/// The planner's reply.
pub(super) fn outline(value: &Value, by: &str) -> Result<Outline, String> {
    let sections = field(value, &["sections", "outline"]).and_then(Value::as_array);
    let section = |value: &Value| {
        let heading = value.as_str().or_else(|| field(value, &["heading", "title", "section"])?.as_str())?;
        let sources = field(value, &["sources", "evidence", "cite"]).map(numbers).unwrap_or_default();
        Some(OutlineSection { heading: clean::line(heading), sources })
    };
    let sections: Vec<OutlineSection> =
        sections.ok_or("there is no list \"sections\"")?.iter().take(MOST).filter_map(section).collect();
    if sections.is_empty() {
        return Err("\"sections\" is empty".into());
    }
    let (gaps, caveats) = (strings(value, &["gaps"]), strings(value, &["caveats"]));
    Ok(Outline { sections, gaps, caveats, by: by.to_owned(), ..Outline::default() })
}

/// The researcher's reply.
pub(super) fn map(value: &Value, by: &str) -> Result<EvidenceMap, String> {
    let claims = field(value, &["claims", "evidence"]).and_then(Value::as_array);
    let claim = |value: &Value| {
        let claim = field(value, &["claim", "text"])?.as_str()?;
        let source = field(value, &["source", "sources", "cite"]).map(numbers)?.first().copied()?;
        let strength = match field(value, &["strength"]).and_then(Value::as_str) {
            Some("strong") => Strength::Strong,
            Some("moderate") => Strength::Moderate,
            _ => Strength::Weak,
        };
        Some(MappedClaim { claim: clean::line(claim), source, strength })
    };
    let claims = claims.ok_or("there is no list \"claims\"")?.iter().take(MOST).filter_map(claim).collect();
    let (contradictions, gaps) = (strings(value, &["contradictions"]), strings(value, &["gaps"]));
    Ok(EvidenceMap { claims, contradictions, gaps, by: by.to_owned(), ..EvidenceMap::default() })
}

/// The critic's reply: verdict and feedback.
pub(super) fn judgement(value: &Value) -> Result<(CriticVerdict, Vec<String>), String> {
    let verdict = field(value, &["verdict"]).and_then(Value::as_str).ok_or("there is no \"verdict\"")?;
    let verdict = match verdict.trim().to_lowercase().replace([' ', '-'], "_").as_str() {
        "pass" => CriticVerdict::Pass,
        "revise" => CriticVerdict::Revise,
        "missing_evidence" => CriticVerdict::MissingEvidence,
        other => return Err(format!("the verdict {:?} is none", clean::line(other))),
    };
    Ok((verdict, strings(value, &["feedback"])))
}

fn field<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| value.get(name))
}

/// A list of texts, or one text.
fn strings(value: &Value, names: &[&str]) -> Vec<String> {
    let texts: Vec<&str> = match field(value, names) {
        Some(Value::Array(values)) => values.iter().take(MOST).filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => vec![text],
        _ => Vec::new(),
    };
    texts.into_iter().map(clean::line).filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_draft_is_read_however_it_is_spelt() {
        let plain = DraftSentence { text: "It slips.".into(), cite: vec![2, 1] };
        for value in [
            json!({ "sentences": [{ "text": "It \u{1b}slips.", "cite": [2, 1, 2] }] }),
            json!([{ "text": "It slips.", "citations": ["SOURCE 2", "[1]"] }]),
            json!({ "answer": [{ "sentence": " It slips. ", "cite": [{ "source": 2 }, { "n": 1 }] }] }),
        ] {
            assert_eq!(draft(&value), Ok(vec![plain.clone()]), "{value}");
        }
        assert_eq!(draft(&json!({ "sentences": [{ "text": NOT_FOUND, "cite": [1] }] })), Ok(vec![]));
        assert_eq!(draft(&json!({ "sentences": [] })), Ok(vec![]));
        for wrong in [json!({}), json!({ "sentences": "It slips." }), json!({ "sentences": [{ "cite": [1] }] })] {
            assert!(draft(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_other_agents_are_read_too() {
        let value =
            json!({ "sections": ["Grip", { "heading": "Ice", "sources": [3] }], "gaps": "snow", "caveats": [] });
        let outline = outline(&value, "m").unwrap();
        assert_eq!(
            (outline.sections.len(), outline.sections[1].sources.clone(), outline.gaps),
            (2, vec![3], vec!["snow".to_owned()])
        );
        let value = json!({ "claims": [{ "claim": "a", "source": "1", "strength": "strong" }, { "claim": "b" }] });
        let map = map(&value, "m").unwrap();
        assert_eq!((map.claims.len(), map.claims[0].strength), (1, Strength::Strong));
        let value = json!({ "verdict": "Missing Evidence", "feedback": ["x"] });
        assert_eq!(judgement(&value), Ok((CriticVerdict::MissingEvidence, vec!["x".to_owned()])));
        assert!(judgement(&json!({ "verdict": "fine" })).is_err() && judgement(&json!([])).is_err());
    }
}
