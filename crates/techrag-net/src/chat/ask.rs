//! A question whose answer is data: the call, the JSON in the reply, one chance to repeat it in the right form, and what
//! it cost, whatever came of it.

use serde_json::{Value, json};
use techrag_core::record::{Extra, UsageEntry};

use super::client::Chat;
use super::error::{Error, Kind};
use super::json;
use super::message::{Message, Request, Role};
use super::reply::Reply;

/// Times a reply in the wrong form is asked for again.
const REPEATS: u32 = 1;
/// Most characters of a wrong reply that are shown to its model again.
const SHOWN: usize = 1500;

/// What came of a question.
#[derive(Clone, Debug)]
pub struct Asked<T> {
    /// The answer, or why there is none.
    pub answer: Result<T, Error>,
    /// One entry a call that was answered.
    pub usage: Vec<UsageEntry>,
    /// What had to be overlooked or repeated, in words.
    pub notes: Vec<String>,
}

impl Chat {
    /// Asks for JSON. `read` makes the answer of it, or says what is wrong with it; then the model may repeat it once.
    /// `stage` is the tool's, as `usage` has it.
    pub fn ask<T>(&self, stage: &str, request: &Request, read: impl Fn(&Value) -> Result<T, String>) -> Asked<T> {
        let mut asked = Asked { answer: Err(Error::new(Kind::Form, "")), usage: Vec::new(), notes: Vec::new() };
        let mut request = request.clone();
        for repeat in 0..=REPEATS {
            let reply = match self.call(&request) {
                Ok(reply) => reply,
                Err(error) => {
                    asked.answer = Err(error);
                    break;
                }
            };
            asked.usage.push(self.usage(stage, request.agent, &reply));
            let wrong = match json::find(&reply.text) {
                None => "it holds no JSON".to_owned(),
                Some(found) => match read(&found.value) {
                    Ok(answer) => {
                        let cut = reply.cut.then_some("the reply was cut at the cap of tokens");
                        let overlooked = found.repair.into_iter().chain(cut);
                        asked.notes.extend(overlooked.map(|what| format!("{}: {what}", request.agent)));
                        asked.answer = Ok(answer);
                        break;
                    }
                    Err(wrong) => wrong,
                },
            };
            asked.notes.push(format!("{}: the reply is not as asked: {wrong}", request.agent));
            asked.answer = Err(Error::new(Kind::Form, format!("the model's reply is not as asked: {wrong}")));
            if repeat < REPEATS {
                let shown: String = reply.text.chars().take(SHOWN).collect();
                request.messages.push(Message::new(Role::Assistant, shown));
                let again = format!("That is not as asked: {wrong}. Reply with the JSON asked for and nothing else.");
                request.messages.push(Message::new(Role::User, again));
            }
        }
        asked
    }

    /// The entry of a call.
    fn usage(&self, stage: &str, agent: &str, reply: &Reply) -> UsageEntry {
        let mut extra = Extra::new();
        if reply.estimated {
            extra.insert("estimated".into(), json!(true));
        }
        if self.timings {
            extra.insert("ms".into(), json!(reply.ms));
        }
        UsageEntry {
            stage: stage.into(),
            agent: agent.into(),
            model: if reply.model.is_empty() { self.model(agent).to_owned() } else { reply.model.clone() },
            prompt_tokens: reply.prompt_tokens,
            completion_tokens: reply.completion_tokens,
            usd: self.usd(agent, reply.prompt_tokens, reply.completion_tokens),
            extra,
        }
    }
}
