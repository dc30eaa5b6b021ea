//! What is asked of a model: messages of text and images, and what its reply must look like.

use serde_json::{Map, Value, json};
use techrag_core::{id, prompt};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The rules.
    System,
    /// The request.
    User,
    /// What the model said before.
    Assistant,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// An image as it travels: inline, at low detail, after the name that the text calls it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// `[VISUAL 2]`, so that a model knows which of the pages it looks at.
    pub label: String,
    /// `image/jpeg`, …
    pub media_type: String,
    /// Its bytes in base64.
    pub base64: String,
}

/// Tokens that an image at low detail is taken for.
const IMAGE_TOKENS: u64 = 85;

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub text: String,
    /// Images that belong to it.
    pub images: Vec<Image>,
}

impl Message {
    /// A message without images.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), images: Vec::new() }
    }

    fn json(&self) -> Value {
        if self.images.is_empty() {
            return json!({ "role": self.role.name(), "content": self.text });
        }
        let text = |text: &str| json!({ "type": "text", "text": text });
        let image = |image: &Image| {
            let url = format!("data:{};base64,{}", image.media_type, image.base64);
            [text(&image.label), json!({ "type": "image_url", "image_url": { "url": url, "detail": "low" } })]
        };
        let parts: Vec<Value> = std::iter::once(text(&self.text)).chain(self.images.iter().flat_map(image)).collect();
        json!({ "role": self.role.name(), "content": parts })
    }
}

/// The form of a reply, as a JSON Schema with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// Letters and underscores.
    pub name: &'static str,
    /// The schema; every object closed (`additionalProperties: false`) and all its fields required, as strict servers
    /// want it.
    pub schema: Value,
}

/// A call to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Which agent asks; its own settings apply.
    pub agent: &'static str,
    /// What is said.
    pub messages: Vec<Message>,
    /// 0 for the likeliest words, up to 2.
    pub temperature: f64,
    /// Most tokens of the reply.
    pub max_tokens: u32,
    /// The form of the reply; free text without.
    pub schema: Option<Schema>,
}

impl Request {
    /// Estimated tokens of all messages, with four for the frame of each.
    pub fn tokens(&self) -> u64 {
        let image = |image: &Image| IMAGE_TOKENS + prompt::tokens(&image.label);
        let one = |message: &Message| prompt::tokens(&message.text) + 4 + message.images.iter().map(image).sum::<u64>();
        self.messages.iter().map(one).sum()
    }

    /// What identifies the call: everything that the reply depends on but the server's address and dialect.
    pub(super) fn digest(&self, model: &str) -> String {
        let schema = self.schema.as_ref().map(|schema| &schema.schema);
        let messages: Vec<Value> = self.messages.iter().map(Message::json).collect();
        let body = json!({
            "model": model,
            "messages": messages,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "schema": schema,
        });
        id::sha256(body.to_string().as_bytes())
    }

    /// The body as a server of this dialect reads it.
    pub(super) fn body(&self, model: &str, dialect: Dialect) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), json!(model));
        body.insert("messages".into(), self.messages.iter().map(Message::json).collect());
        if dialect.temperature {
            body.insert("temperature".into(), json!(self.temperature));
        }
        let cap = if dialect.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body.insert(cap.into(), json!(self.max_tokens));
        match (&self.schema, dialect.form) {
            (Some(schema), Form::Schema) => {
                let inner = json!({ "name": schema.name, "strict": true, "schema": schema.schema });
                body.insert("response_format".into(), json!({ "type": "json_schema", "json_schema": inner }));
            }
            (Some(_), Form::Object) => {
                body.insert("response_format".into(), json!({ "type": "json_object" }));
            }
            _ => {}
        }
        Value::Object(body)
    }
}

/// How the form of a reply is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By JSON Schema; the server holds the model to it.
    Schema,
    /// As some JSON object.
    Object,
    /// In the prompt alone.
    Text,
}

/// What a server understands. It is found out by what it refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// How the form of a reply is asked for.
    pub form: Form,
    /// The cap is called `max_completion_tokens`.
    pub completion_tokens: bool,
    /// A temperature may be set.
    pub temperature: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self { form: Form::Schema, completion_tokens: false, temperature: true }
    }
}

impl Dialect {
    /// The dialect to try after this refusal, if the refusal is about the dialect.
    pub(super) fn after(self, said: &str) -> Option<Self> {
        let said = said.to_lowercase();
        let about = |words: &[&str]| words.iter().any(|word| said.contains(word));
        if about(&["max_completion_tokens"]) && !self.completion_tokens {
            return Some(Self { completion_tokens: true, ..self });
        }
        if about(&["temperature"]) && self.temperature {
            return Some(Self { temperature: false, ..self });
        }
        if about(&["response_format", "json_schema", "json_object", "schema", "grammar", "structured output"]) {
            return match self.form {
                Form::Schema => Some(Self { form: Form::Object, ..self }),
                Form::Object => Some(Self { form: Form::Text, ..self }),
                Form::Text => None,
            };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        let schema = Schema { name: "reply", schema: json!({ "type": "object" }) };
        let messages = vec![Message::new(Role::System, "Rules."), Message::new(Role::User, "Why?")];
        Request { agent: "writer", messages, temperature: 0.2, max_tokens: 90, schema: Some(schema) }
    }

    #[test]
    fn a_body_is_what_openai_compatible_servers_read() {
        let body = request().body("m", Dialect::default());
        assert_eq!(body["messages"][1], json!({ "role": "user", "content": "Why?" }));
        assert_eq!((&body["model"], &body["max_tokens"], &body["temperature"]), (&json!("m"), &json!(90), &json!(0.2)));
        assert_eq!(body["response_format"]["json_schema"]["strict"], true);
        let plain = Dialect { form: Form::Text, completion_tokens: true, temperature: false };
        let body = request().body("m", plain);
        assert_eq!(body["max_completion_tokens"], 90);
        assert!(body.get("response_format").is_none() && body.get("temperature").is_none());
    }

    #[test]
    fn images_are_parts_of_a_message_and_of_its_identity() {
        let mut request = request();
        let (before, tokens) = (request.digest("m"), request.tokens());
        let (label, media_type) = ("[VISUAL 1]".into(), "image/jpeg".into());
        request.messages[1].images.push(Image { label, media_type, base64: "AAAA".into() });
        let content = &request.body("m", Dialect::default())["messages"][1]["content"];
        assert_eq!(content[0], json!({ "type": "text", "text": "Why?" }));
        assert_eq!(content[1], json!({ "type": "text", "text": "[VISUAL 1]" }));
        assert_eq!(content[2]["image_url"], json!({ "url": "data:image/jpeg;base64,AAAA", "detail": "low" }));
        assert!(
            request.digest("m") != before && request.tokens() == tokens + IMAGE_TOKENS + prompt::tokens("[VISUAL 1]")
        );
        assert_ne!(request.digest("m"), request.digest("n"));
    }

    #[test]
    fn a_refusal_teaches_the_dialect_step_by_step() {
        let first = Dialect::default();
        let object = first.after("'response_format.type' must be json_object").unwrap();
        assert_eq!(object.form, Form::Object);
        let text = object.after("response_format is not supported").unwrap();
        assert_eq!((text.form, text.after("no response_format please")), (Form::Text, None));
        let capped = first.after("Unsupported parameter: max_tokens. Use 'max_completion_tokens' instead.").unwrap();
        assert!(capped.completion_tokens && capped.form == Form::Schema);
        assert!(!first.after("temperature does not support 0.2").unwrap().temperature);
        assert_eq!(first.after("the model is overloaded"), None);
    }
}
