//! Language models behind any OpenAI-compatible server: hosted ones, Ollama, llama.cpp, vLLM.
//!
//! | part | what it does |
//! |---|---|
//! | [`Settings`], [`settings()`] | server, model, key, prices and budget from flags and files; which key may go where |
//! | [`Request`] | messages of text and images, the form of the reply by JSON Schema |
//! | [`Chat`] | makes calls: budget, cassette, dialect, retries |
//! | [`Chat::ask`] | a call whose reply is JSON ([`json`]), repeated once if it is not, with what it cost |
//! | [`Cassette`] | calls kept in a file and replayed |
//!
//! **Architecture invariant:** a key is in the transport's request and nowhere else; no message, record or cassette has
//! it. A reply is data: nothing here acts on it.

mod ask;
mod cassette;
mod client;
mod error;
pub mod json;
mod message;
mod price;
mod reply;
mod settings;

pub use ask::Asked;
pub use cassette::{Cassette, Mode};
pub use client::{Calls, Chat, Conduct};
pub use error::{Error, Kind};
pub use message::{Dialect, Form, Image, Message, Request, Role, Schema};
pub use price::{Budget, Price, Prices, Spent};
pub use reply::Reply;
pub use settings::{AGENTS, AgentSettings, Flags, KeySource, Origin, Settings, key_of_file, settings};

#[cfg(test)]
mod tests;
