//! What an OpenAI-compatible server answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::{Error, Kind};

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Its words.
    pub text: String,
    /// The reply was cut at the cap of tokens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The model as the server names it.
    pub model: String,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// The server did not count; the tokens are estimated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// Milliseconds it took when it was made.
    #[serde(default)]
    pub ms: u64,
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    model: String,
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    message: Said,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Said {
    #[serde(default)]
    content: Value,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// Reads the body of an answer; `estimate` is what its prompt was taken for.
///
/// # Errors
/// [`Kind::Malformed`] if it is no chat completion, [`Kind::Refused`] if the model declined, [`Kind::Empty`] if it said
/// nothing.
pub(super) fn read(body: &[u8], estimate: u64) -> Result<Reply, Error> {
    let completion: Completion = serde_json::from_slice(body).map_err(|error| {
        let begins: String = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
        let begins = techrag_core::clean::line(&begins);
        Error::new(Kind::Malformed, format!("the server's answer is no chat completion ({error}): {begins}"))
    })?;
    if let Some(error) = completion.error.filter(|error| !error.is_null()) {
        let said = error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
        return Err(Error::new(Kind::Server, format!("the server says: {}", techrag_core::clean::line(&said))));
    }
    let Some(choice) = completion.choices.into_iter().next() else {
        return Err(Error::new(Kind::Malformed, "the server's answer has no choice"));
    };
    if let Some(refusal) = choice.message.refusal.filter(|refusal| !refusal.is_empty()) {
        return Err(Error::new(Kind::Refused, format!("the model declined: {}", techrag_core::clean::line(&refusal))));
    }
    let text = words(&choice.message.content);
    let cut = choice.finish_reason.as_deref() == Some("length");
    if text.trim().is_empty() {
        let why = if cut { ", and was cut at the cap of tokens" } else { "" };
        return Err(Error::new(Kind::Empty, format!("the model's reply has no text{why}")));
    }
    let counted = completion.usage.filter(|usage| usage.prompt_tokens > 0);
    let estimated = counted.is_none();
    let written = techrag_core::prompt::tokens(&text);
    let (prompt_tokens, completion_tokens) =
        counted.map_or((estimate, written), |usage| (usage.prompt_tokens, usage.completion_tokens));
    Ok(Reply { text, cut, model: completion.model, prompt_tokens, completion_tokens, estimated, ms: 0 })
}

/// The text of a message: a string, or the text parts of a list.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect::<Vec<_>>().join("")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(body: &str) -> Kind {
        read(body.as_bytes(), 7).unwrap_err().kind()
    }

    #[test]
    fn replies_of_all_kinds_are_read() {
        let counted = r#"{"model":"m","choices":[{"message":{"content":"Yes."},"finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}"#;
        let reply = read(counted.as_bytes(), 7).unwrap();
        assert_eq!((reply.text.as_str(), reply.cut, reply.prompt_tokens, reply.estimated), ("Yes.", true, 5, false));
        let parts = r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}"#;
        let reply = read(parts.as_bytes(), 7).unwrap();
        assert_eq!((reply.text.as_str(), reply.prompt_tokens, reply.estimated), ("ab", 7, true));
    }

    #[test]
    fn what_is_no_reply_has_its_kind() {
        assert_eq!(kind("<html>"), Kind::Malformed);
        assert_eq!(kind("{}"), Kind::Malformed);
        assert_eq!(kind(r#"{"choices":[{"message":{"content":" "}}]}"#), Kind::Empty);
        assert_eq!(kind(r#"{"choices":[{"message":{"content":null}}]}"#), Kind::Empty);
        assert_eq!(kind(r#"{"choices":[{"message":{"content":"x","refusal":"no"}}]}"#), Kind::Refused);
        assert_eq!(kind(r#"{"error":{"message":"overloaded"}}"#), Kind::Server);
    }
}
