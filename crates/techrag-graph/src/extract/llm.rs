//! Extraction by a language model: one structured call a paper over its priority sections. The model adds what the rules
//! cannot see; what it names must stand in the text it was shown, or it is left out and counted.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use techrag_core::record::{CitedWork, Entities, Entity, UsageEntry};
use techrag_core::text::fold;
use techrag_net::chat::{Chat, Error, Message, Request, Role, Schema};

use crate::name::folded_name;

const SYSTEM: &str = include_str!("../../prompts/extract.system.md");
const AGENT: &str = "extractor";
/// Most tokens of a reply: five short lists and ten titles.
const REPLY: u32 = 900;
/// Most cited titles of a reply (SPEC section 6).
const CITED: usize = 10;
/// Weight of a term that a model names and no rule found.
const WEIGHT: f64 = 0.6;

/// What one call came to.
pub struct Refined {
    /// Terms taken, and those left out because the text does not hold them; or why there is none.
    pub outcome: Result<(usize, usize), Error>,
    /// What it cost.
    pub usage: Vec<UsageEntry>,
}

struct Reply {
    lists: [Vec<String>; 4],
    keywords: Vec<String>,
    cited: Vec<String>,
}

/// Asks a model about a paper and joins what it names with what the rules found.
pub fn refine(chat: &Chat, entities: &mut Entities, priority: &str) -> Refined {
    let title = entities.paper.title.as_deref().unwrap_or("unknown");
    let user = format!("Title: {title}\n\n<paper>\n{}\n</paper>", priority.replace("</paper>", "< /paper>"));
    let request = Request {
        agent: AGENT,
        messages: vec![Message::new(Role::System, SYSTEM), Message::new(Role::User, user)],
        temperature: 0.0,
        max_tokens: REPLY,
        schema: Some(schema()),
    };
    let asked = chat.ask("graph", &request, read);
    let outcome = asked.answer.map(|reply| join(entities, reply, priority, chat.model(AGENT)));
    Refined { outcome, usage: asked.usage }
}

fn schema() -> Schema {
    let list = json!({ "type": "array", "items": { "type": "string" } });
    let names = ["topics", "methods", "metrics", "applications", "keywords", "cited_titles"];
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), list.clone())).collect();
    let schema =
        json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false });
    Schema { name: "paper_entities", schema }
}

fn read(value: &Value) -> Result<Reply, String> {
    let list = |name: &str| -> Result<Vec<String>, String> {
        let items = match &value[name] {
            Value::Null => return Ok(Vec::new()),
            Value::Array(items) => items,
            _ => return Err(format!("{name} is no list")),
        };
        Ok(items
            .iter()
            .filter_map(Value::as_str)
            .map(|item| item.trim().to_owned())
            .filter(|item| !item.is_empty())
            .collect())
    };
    if !value.is_object() {
        return Err("it is no object".into());
    }
    Ok(Reply {
        lists: [list("topics")?, list("methods")?, list("metrics")?, list("applications")?],
        keywords: list("keywords")?,
        cited: list("cited_titles")?,
    })
}

fn join(entities: &mut Entities, reply: Reply, priority: &str, model: &str) -> (usize, usize) {
    let shown =
        format!("{} {}", folded_words(priority), folded_words(entities.paper.title.as_deref().unwrap_or_default()));
    let (mut taken, mut left_out) = (0, 0);
    let Entities { topics, methods, metrics, applications, .. } = entities;
    for (terms, named) in [topics, methods, metrics, applications].into_iter().zip(reply.lists) {
        let mut known: BTreeSet<String> = terms.iter().map(|term| folded_name(&term.name)).collect();
        for name in named {
            if !shown.contains(&folded_words(&name)) {
                left_out += 1;
            } else if known.insert(folded_name(&name)) {
                terms.push(Entity { name, weight: WEIGHT, by: vec!["model".into()], also: None });
                taken += 1;
            }
        }
    }
    if entities.keywords.is_empty() {
        entities.keywords = reply.keywords;
    }
    // Parsed references say more than a model's ten titles; those stand in only where there are none.
    if entities.cited.is_empty() {
        let titles = reply.cited.into_iter().take(CITED).filter(|title| shown.contains(&folded_words(title)));
        entities.cited = titles.map(|title| CitedWork { title, ..CitedWork::default() }).collect();
    }
    entities.by = format!("{}, {model}", entities.by);
    (taken, left_out)
}

/// Folded, letters and digits only, words parted by one space: for finding a phrase in a text.
fn folded_words(text: &str) -> String {
    let folded = fold(text);
    let words: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_text_does_not_hold_is_left_out() {
        let mut entities = Entities {
            methods: vec![Entity { name: "Kalman filter".into(), weight: 0.9, ..Entity::default() }],
            ..Entities::default()
        };
        let reply = json!({
            "topics": ["slip angle"], "methods": ["Kalman filters", "quantum annealing", "Kalman filter"], "metrics": [],
            "applications": [], "keywords": ["tyres"], "cited_titles": ["The tyre book", "An invented work"]
        });
        let text = "A Kalman-filter gives the slip angle, see The Tyre Book.";
        let (taken, left_out) = join(&mut entities, read(&reply).unwrap(), text, "m");
        assert_eq!((taken, left_out, entities.methods.len()), (1, 2, 1));
        assert_eq!((entities.topics[0].name.as_str(), entities.cited.len()), ("slip angle", 1));
        assert!(read(&json!({ "topics": "slip" })).is_err() && read(&json!([])).is_err());
    }
}
