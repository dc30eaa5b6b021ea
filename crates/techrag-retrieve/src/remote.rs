//! Embeddings by a server that speaks OpenAI's `/embeddings`: an encoder that is not in the manifest.
//!
//! What such a server computes is known by its model's name only, so that vectors carry that name and the revision
//! [`Remote::REVISION`]; a library made with them asks the same name of whatever address it is given. Texts are cut by
//! characters, since the server's tokeniser is not known.

use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use techrag_models::even_windows;
use techrag_net::transport::{Client, Kind, Request, Secret};
use url::Url;

use crate::error::{Error, Result};

/// Below this a vector has no direction.
const SHORTEST: f64 = 1e-12;

/// An embedding server.
pub struct Remote {
    client: Client,
    url: Url,
    model: String,
    key: Option<Secret>,
    dim: OnceLock<usize>,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    index: usize,
    embedding: Vec<f64>,
}

impl Remote {
    /// What stands for the revision of weights nobody can name.
    pub const REVISION: &str = "endpoint";

    /// The server whose `/embeddings` is below `base` (an address ending in `/v1`, mostly). Nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Remote`] if nothing can stand below that address.
    pub fn new(client: Client, base: &Url, model: &str, key: Option<Secret>) -> Result<Self> {
        let mut url = base.clone();
        let failed =
            || Error::Remote { url: base.to_string(), message: "nothing can stand below it".into(), away: false };
        url.path_segments_mut().map_err(|()| failed())?.pop_if_empty().push("embeddings");
        Ok(Self { client, url, model: model.to_owned(), key, dim: OnceLock::new() })
    }

    /// Name of the model asked for.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Vectors of texts in their order, each of length 1, all of one dimension for as long as this lives.
    ///
    /// # Errors
    /// [`Error::Remote`] if the server cannot be reached, refuses, or answers something that must not be stored: too few
    /// vectors, another dimension, a value that is not finite, a vector without a direction.
    pub fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let body = Body { model: &self.model, input: texts, encoding_format: "float" };
        let mut request = Request::post_json(self.url.clone(), &body).map_err(|error| self.net(&error))?;
        if let Some(key) = &self.key {
            request = request.bearer(key);
        }
        let reply = self.client.send(&request).and_then(|response| response.json::<Reply>());
        let mut data = reply.map_err(|error| self.net(&error))?.data;
        data.sort_by_key(|entry| entry.index);
        if data.len() != texts.len() || data.iter().enumerate().any(|(at, entry)| entry.index != at) {
            return Err(self.said(format!("{} vectors for {} texts, or not one for each", data.len(), texts.len())));
        }
        data.iter().map(|entry| self.vector(entry)).collect()
    }

    /// The vector as it may be stored.
    fn vector(&self, entry: &Entry) -> Result<Vec<f32>> {
        let dim = *self.dim.get_or_init(|| entry.embedding.len());
        let length = entry.embedding.iter().map(|value| value * value).sum::<f64>().sqrt();
        let problem = match length {
            _ if entry.embedding.len() != dim => format!("of {} dimensions, not {dim}", entry.embedding.len()),
            length if !length.is_finite() => "not finite".to_owned(),
            length if length < SHORTEST => "zero".to_owned(),
            _ => return Ok(entry.embedding.iter().map(|value| (value / length) as f32).collect()),
        };
        Err(self.said(format!("the vector of text {} is {problem}", entry.index)))
    }

    fn net(&self, error: &techrag_net::transport::Error) -> Error {
        let away = matches!(error.kind(), Kind::Unreachable | Kind::Timeout | Kind::Offline);
        Error::Remote { url: self.url.to_string(), message: error.to_string(), away }
    }

    fn said(&self, message: String) -> Error {
        Error::Remote { url: self.url.to_string(), message, away: false }
    }
}

/// The byte ranges of a text in windows of at most `most` characters, as few and as even as possible, cut between words;
/// at least one. A longer word is cut.
pub fn windows_by_characters(text: &str, most: usize) -> Vec<Range<usize>> {
    let most = most.max(1);
    let mut words: Vec<(usize, Range<usize>)> = Vec::new();
    for word in text.split_inclusive(char::is_whitespace) {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let mut from = 0;
        while from < word.len() {
            let rest = &word[from..];
            let to = rest.char_indices().nth(most).map_or(word.len(), |(at, _)| from + at);
            words.push((word[from..to].chars().count(), start + from..start + to));
            from = to;
        }
    }
    let windows = even_windows(&words, most);
    if windows.len() <= 1 { std::iter::once(0..text.len()).collect() } else { windows }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use techrag_net::clock::{Cancel, Clock};
    use techrag_net::loopback::{Reply as Answer, Server};
    use techrag_net::transport::{Config, Retry, Timeouts};

    use super::*;

    fn client() -> Client {
        let short = Duration::from_secs(5);
        Client::new(Config {
            user_agent: "test".into(),
            timeouts: Timeouts { connect: short, read: short, total: short },
            retry: Retry::NEVER,
            body_limit: 1 << 20,
            offline: false,
            clock: Clock::system(),
            cancel: Cancel::default(),
        })
    }

    fn remote(server: &Server) -> Remote {
        let base = server.url().join("v1").unwrap();
        Remote::new(client(), &base, "m", Some(Secret::new("k"))).unwrap()
    }

    #[test]
    fn vectors_come_in_the_order_of_the_texts_and_of_length_one() {
        let server = Server::start(|_| {
            Answer::json(200, r#"{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}],"usage":{}}"#)
        })
        .unwrap();
        let vectors = remote(&server).encode(&["a", "b"]).unwrap();
        assert_eq!(vectors, [vec![0.6, 0.8], vec![0.0, 1.0]]);
        let asked = server.asked().remove(0);
        assert_eq!((asked.method.as_str(), asked.target.as_str()), ("POST", "/v1/embeddings"));
        assert_eq!(asked.header("authorization"), Some("Bearer k"));
        let body: serde_json::Value = serde_json::from_slice(&asked.body).unwrap();
        assert_eq!(body, serde_json::json!({ "model": "m", "input": ["a", "b"], "encoding_format": "float" }));
    }

    #[test]
    fn what_must_not_be_stored_is_refused_by_name() {
        for (reply, why) in [
            (r#"{"data":[{"index":0,"embedding":[1,0]}]}"#, "1 vectors for 2 texts"),
            (r#"{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}"#, "not one for each"),
            (
                r#"{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1]}]}"#,
                "text 1 is of 1 dimensions, not 2",
            ),
            (r#"{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,0]}]}"#, "text 0 is zero"),
            (
                r#"{"data":[{"index":0,"embedding":[1e300,1e300]},{"index":1,"embedding":[1,0]}]}"#,
                "text 0 is not finite",
            ),
            (r#"{"data":[{"index":0,"embedding":["NaN",0]}]}"#, "embeddings"),
        ] {
            let server = Server::start(move |_| Answer::json(200, reply)).unwrap();
            let error = remote(&server).encode(&["a", "b"]).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
            assert!(!error.is_unreachable());
        }
    }

    #[test]
    fn a_server_that_is_not_there_is_unreachable() {
        let url = { Server::start(|_| Answer::json(200, "{}")).unwrap().url().clone() };
        let error = Remote::new(client(), &url, "m", None).unwrap().encode(&["a"]).unwrap_err();
        assert!(error.is_unreachable(), "{error}");
    }

    proptest! {
        #[test]
        fn windows_cover_the_text_and_are_no_longer_than_asked(text in "[a-zé🛞 ]{0,80}", most in 1_usize..20) {
            let windows = windows_by_characters(&text, most);
            let covered: String = windows.iter().map(|range| &text[range.clone()]).collect();
            prop_assert_eq!(&covered, &text);
            prop_assert!(windows.len() == 1 || windows.iter().all(|range| text[range.clone()].chars().count() <= most));
        }
    }
}
