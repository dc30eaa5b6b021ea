//! Guardrail 2 by a language model, beside the rules: it may add doubts, never take one away.
//!
//! What it says is held against the sources where that can be done: a gap whose words all stand in one of them is none,
//! and a number that no source has is left out. Where the call fails, the rules' findings stand, and the trace says so.

use serde_json::{Value, json};
use techrag_core::prompt::fill;
use techrag_core::record::{Query, Source, Verification};
use techrag_core::{clean, id, lexical, text};
use techrag_net::chat::{self, Chat, Message, Request, Role, Schema};

use super::{Config, prompt, verify};

const SYSTEM: &str = include_str!("../../prompts/verify.system.md");
const USER: &str = include_str!("../../prompts/verify.user.md");
/// Name and version of the template; a change of a file under `prompts/` is a new version.
const TEMPLATE: &str = "verify/1";
/// Bytes of a question that the prompt shows.
const QUESTION: usize = 2000;
/// Most findings of a kind, and most characters of one.
const MOST: usize = 5;
const LENGTH: usize = 300;

/// What a model doubts.
#[derive(Debug, Default, PartialEq)]
struct Doubts {
    off_topic: Vec<u32>,
    gaps: Vec<String>,
    contradictions: Vec<String>,
}

/// Adds a model's doubts to `verification`, makes `prompt` anew with them, and says in the last trace entry what came of
/// it. A record without sources is left as it is.
///
/// # Errors
/// If the run cannot go on: the model is unreachable, or a replay lacks its recording.
pub fn review(query: &mut Query, config: Config, chat: &Chat) -> Result<(), chat::Error> {
    let sources = query.sources.as_deref().unwrap_or_default();
    let Some(evidence) = evidence(query).filter(|_| !sources.is_empty()) else { return Ok(()) };
    let mut asked = chat.ask("assemble", &request(&query.question, &evidence), |value| read(value, sources));
    let by = format!("{} {TEMPLATE}", chat.model("verifier"));
    let note = match asked.answer {
        Ok(doubts) => {
            let mut verification = query.verification.take().unwrap_or_default();
            let added = add(&mut verification, doubts);
            verification.by = format!("{}, {by}", verification.by);
            query.prompt = Some(prompt::prompt(query, sources, &verification, config.max_prompt_tokens));
            query.verification = Some(verification);
            format!("{added} doubts added by {by}")
        }
        Err(error) if error.is_unreachable() || error.is_fatal() => return Err(error),
        Err(error) => format!("no findings of {by}: {error}"),
    };
    query.usage.append(&mut asked.usage);
    if let Some(entry) = query.trace.last_mut() {
        entry.note =
            std::iter::once(entry.note.clone()).chain([note]).chain(asked.notes).collect::<Vec<_>>().join("; ");
        let digest = id::sha256([SYSTEM, USER].join("\u{0}").as_bytes());
        entry.details.insert("prompts".into(), json!({ TEMPLATE: digest }));
    }
    Ok(())
}

/// The evidence as the assembled prompt has it, within its budget.
fn evidence(query: &Query) -> Option<String> {
    let prompt = query.prompt.as_ref()?;
    let [from, to] = prompt.evidence?;
    Some(prompt.user.get(from..to)?.trim().to_owned())
}

fn request(question: &str, evidence: &str) -> Request {
    let question = clean::block(text::prefix(question, QUESTION));
    let user = fill(USER, &[("question", &question), ("evidence", evidence)]);
    let texts = json!({ "type": "array", "items": { "type": "string" }, "maxItems": MOST });
    let schema = json!({
        "type": "object",
        "properties": {
            "off_topic": { "type": "array", "items": { "type": "integer" }, "maxItems": MOST },
            "gaps": texts,
            "contradictions": texts,
        },
        "required": ["off_topic", "gaps", "contradictions"],
        "additionalProperties": false,
    });
    Request {
        agent: "verifier",
        messages: vec![Message::new(Role::System, SYSTEM), Message::new(Role::User, user)],
        temperature: 0.0,
        max_tokens: 400,
        schema: Some(Schema { name: "verifier", schema }),
    }
}

fn read(value: &Value, sources: &[Source]) -> Result<Doubts, String> {
    if value.get("off_topic").or(value.get("gaps")).or(value.get("contradictions")).is_none() {
        return Err("none of off_topic, gaps and contradictions is there".into());
    }
    let list = |name: &str| value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let numbers = list("off_topic").iter().filter_map(Value::as_u64).filter_map(|number| u32::try_from(number).ok());
    let texts = |name: &str| {
        let texts = list(name).iter().filter_map(Value::as_str).map(clean::line).filter(|text| !text.is_empty());
        texts.map(|text| text.chars().take(LENGTH).collect()).take(MOST).collect::<Vec<String>>()
    };
    Ok(Doubts {
        off_topic: numbers.filter(|n| sources.iter().any(|source| source.n == *n)).take(MOST).collect(),
        gaps: texts("gaps").into_iter().filter(|gap| !is_held(gap, sources)).collect(),
        contradictions: texts("contradictions"),
    })
}

/// Whether all content terms of a gap stand in one source: then it is none.
fn is_held(gap: &str, sources: &[Source]) -> bool {
    let terms = lexical::terms(gap);
    let holds = |source: &Source| {
        let bag = verify::words(source);
        terms.iter().all(|term| bag.holds(term) > 0.0)
    };
    !terms.is_empty() && sources.iter().any(holds)
}

/// Adds what is new; tells how much that is.
fn add(verification: &mut Verification, doubts: Doubts) -> usize {
    let before = verification.off_topic.len() + verification.gaps.len() + verification.contradictions.len();
    verification.off_topic.extend(doubts.off_topic);
    verification.off_topic.sort_unstable();
    verification.off_topic.dedup();
    for (own, new) in [(&mut verification.gaps, doubts.gaps), (&mut verification.contradictions, doubts.contradictions)]
    {
        for text in new {
            if !own.contains(&text) {
                own.push(text);
            }
        }
    }
    verification.off_topic.len() + verification.gaps.len() + verification.contradictions.len() - before
}

#[cfg(test)]
mod tests {
    use techrag_core::record::Passage;

    use super::*;

    #[test]
    fn doubts_that_the_sources_refute_are_none() {
        let passage = Passage { text: "On snow the friction is 0.27.".into(), ..Passage::default() };
        let sources = [Source { n: 1, passages: vec![passage], ..Source::default() }];
        let value = json!({ "off_topic": [1, 7, "x"], "gaps": ["friction on snow", "friction on ice\u{1b}", 3],
            "contradictions": ["1 and 2 differ", ""] });
        let doubts = read(&value, &sources).unwrap();
        assert_eq!(doubts.off_topic, [1]);
        assert_eq!(doubts.gaps, ["friction on ice"]);
        assert_eq!(doubts.contradictions, ["1 and 2 differ"]);
        assert!(read(&json!({ "answer": 1 }), &sources).is_err());
        let mut verification = Verification { gaps: vec!["friction on ice".into()], ..Verification::default() };
        assert_eq!(add(&mut verification, doubts), 2);
    }
}
