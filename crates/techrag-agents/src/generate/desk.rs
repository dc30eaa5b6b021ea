//! What an agent gets to read, and how it is asked: one system prompt and one frame for all, the evidence first, its own
//! task last. Agents of one question so share the beginning of their prompts, which servers keep.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use techrag_core::prompt::{fill, shorten, tokens};
use techrag_core::record::{Prompt, Query, UsageEntry};
use techrag_core::{clean, fence, id, text};
use techrag_net::chat::{Chat, Error, Image, Kind, Message, Request, Role, Schema};

use super::{Config, pictures};

const SYSTEM: &str = include_str!("../../prompts/evidence.system.md");
const FRAME: &str = include_str!("../../prompts/frame.user.md");
/// Bytes of a question that a prompt shows.
const QUESTION: usize = 2000;

/// An agent: its constants (SPEC section 11) and its task, whose file's name has the version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agent {
    /// As settings and `usage` name it.
    pub(super) name: &'static str,
    /// 0 for the likeliest words.
    pub(super) temperature: f64,
    /// Most tokens of a reply.
    pub(super) max_tokens: u32,
    /// Most characters of a prompt, where the specification has a limit.
    pub(super) max_chars: Option<usize>,
    /// Whether it gets to see pages.
    pub(super) sees: bool,
    /// Name and version of the template; a change of a file under `prompts/` is a new version.
    pub(super) template: &'static str,
    /// The template.
    pub(super) task: &'static str,
}

/// One question on its way through the agents.
pub(super) struct Desk<'a> {
    chat: &'a Chat,
    /// The question as prompts show it.
    pub(super) question: String,
    evidence: Option<String>,
    images: Vec<Image>,
    budget: Option<u64>,
    /// Most sentences of the answer.
    pub(super) most: usize,
    /// One entry a call.
    pub(super) usage: Vec<UsageEntry>,
    /// What was overlooked, repeated or left out.
    pub(super) notes: Vec<String>,
    /// SHA-256 of every template used, by name and version.
    pub(super) prompts: BTreeMap<&'static str, String>,
}

/// A prompt, and what a reply to it may cite.
pub(super) struct Sheet {
    /// As it is sent.
    pub(super) prompt: Prompt,
    /// Numbers of the sources it shows.
    pub(super) sources: Vec<u32>,
}

impl<'a> Desk<'a> {
    pub(super) fn new(chat: &'a Chat, query: &Query, config: Config<'_>) -> Self {
        let question = clean::block(text::prefix(&query.question, QUESTION));
        let mut notes = Vec::new();
        if question.len() < clean::block(&query.question).len() {
            notes.push(format!("the question after its first {QUESTION} bytes is not shown to the model"));
        }
        let images = match config.images {
            None => Vec::new(),
            Some((most, library)) => {
                let (images, mut without) = pictures::images(query, library, most);
                notes.append(&mut without);
                images
            }
        };
        Self {
            chat,
            question,
            images,
            evidence: query.prompt.as_ref().map(evidence),
            budget: config.max_prompt_tokens,
            most: config.max_sentences,
            usage: Vec::new(),
            notes,
            prompts: BTreeMap::new(),
        }
    }

    /// The model that this agent asks.
    pub(super) fn model(&self, agent: Agent) -> String {
        self.chat.model(agent.name).to_owned()
    }

    /// Whether nothing is sent.
    pub(super) fn is_dry(&self) -> bool {
        self.chat.is_dry()
    }

    /// An agent's prompt: its task filled with `values`, and as much of the evidence as its limits allow.
    ///
    /// # Errors
    /// [`Kind::ContextLength`] if not even one quotation fits, [`Kind::Settings`] if there is no evidence.
    pub(super) fn sheet(&mut self, agent: Agent, values: &[(&str, &str)]) -> Result<Sheet, Error> {
        let evidence = self.evidence.as_ref();
        let evidence = evidence.ok_or_else(|| Error::new(Kind::Empty, "there is no prompt: assemble has not run"))?;
        let most = self.most.to_string();
        let own = [("question", self.question.as_str()), ("most", most.as_str())];
        let task = fill(agent.task, &[&own[..], values].concat());
        let user = |evidence: &str| {
            fill(FRAME, &[("question", &self.question), ("evidence", evidence), ("task", task.trim())])
        };
        let fits = |evidence: &str| {
            let user = user(evidence);
            self.budget.is_none_or(|budget| tokens(SYSTEM) + tokens(&user) <= budget)
                && agent.max_chars.is_none_or(|most| SYSTEM.chars().count() + user.chars().count() <= most)
        };
        let (evidence, dropped) = shorten(evidence, fits);
        let sources = sources(&evidence);
        if sources.is_empty() || !fits(&evidence) {
            let message = format!("no evidence fits into the prompt of the {} within its limit", agent.name);
            return Err(Error::new(Kind::ContextLength, message));
        }
        let user = user(&evidence);
        let digest = id::sha256([SYSTEM, FRAME, agent.task].join("\u{0}").as_bytes());
        self.prompts.insert(agent.template, digest.clone());
        let tokens = tokens(SYSTEM) + tokens(&user);
        let prompt = Prompt {
            system: SYSTEM.to_owned(),
            user,
            template: agent.template.into(),
            template_sha256: digest,
            tokens,
            dropped,
            ..Prompt::default()
        };
        Ok(Sheet { prompt, sources })
    }

    /// Asks an agent; `read` makes something of its JSON or says what is wrong with it.
    ///
    /// # Errors
    /// What the call, or the form of the reply, failed of.
    pub(super) fn ask<T>(
        &mut self,
        agent: Agent,
        sheet: &Sheet,
        schema: Value,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Result<T, Error> {
        let system = Message::new(Role::System, sheet.prompt.system.clone());
        let images = if agent.sees { self.images.clone() } else { Vec::new() };
        let user = Message { images, ..Message::new(Role::User, sheet.prompt.user.clone()) };
        let request = Request {
            agent: agent.name,
            messages: vec![system, user],
            temperature: agent.temperature,
            max_tokens: agent.max_tokens,
            schema: Some(Schema { name: agent.name, schema }),
        };
        let mut asked = self.chat.ask("generate", &request, read);
        self.usage.append(&mut asked.usage);
        self.notes.append(&mut asked.notes);
        if !sheet.prompt.dropped.is_empty() && !asked.answer.as_ref().is_err_and(|error| error.kind() == Kind::DryRun) {
            let count = sheet.prompt.dropped.len();
            self.notes.push(format!("{}: {count} quotations or sources left out for length", agent.name));
        }
        asked.answer
    }
}

/// The part of the assembled prompt that other templates take: the evidence with its notes; the whole where an
/// assembler of another make did not say which part that is.
fn evidence(prompt: &Prompt) -> String {
    let part = prompt.evidence.and_then(|[from, to]| prompt.user.get(from..to));
    part.unwrap_or(&prompt.user).trim().to_owned()
}

/// Numbers of the sources in a text, in order. Only the assembler writes these labels: in quotations they are undone.
fn sources(evidence: &str) -> Vec<u32> {
    let number = |line: &str| {
        let label = ["[SOURCE ", "[EXTERNAL "].iter().find_map(|label| line.strip_prefix(label))?;
        label.split([':', ']']).next()?.trim().parse().ok()
    };
    evidence.lines().filter_map(number).collect()
}

/// Text of a model between fences: it comes of documents, and is data as they are.
pub(super) fn fenced(heading: &str, lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| fence::quote(&clean::line(line))).collect();
    let mark = fence::mark(lines.iter().map(String::as_str));
    format!("{heading}\n<<<{mark}\n{}\n{mark}>>>", lines.join("\n"))
}

/// A closed object of these fields, all required, as strict servers want it.
pub(super) fn object(fields: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false })
}

/// A list of these items, at most so many.
pub(super) fn list(items: &Value, most: usize) -> Value {
    json!({ "type": "array", "items": items, "maxItems": most })
}
