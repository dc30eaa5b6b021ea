//! What the embedded page encoder makes of texts, for measuring it (`pipelines/evaluate-pages.py`).
//!
//! usage: `encode_pages MODELS OUTPUT`, JSON lines `{"id", "query"}` or `{"id", "words": […]}` on standard input.
//!
//! Writes one JSON line a text to standard output: `id`, `tokens` (of the lexical index), `rows` and `windows` (counts),
//! and appends to `OUTPUT` f32 little-endian: `rows` vectors of 128, then `windows` vectors of 384 (the sentence
//! encoder's, mean-pooled, one for each window of the text).

use std::env;
use std::fs::File;
use std::io::{BufWriter, Write, stdin, stdout};

use serde_json::{Value, json};
use techrag_core::token;
use techrag_models::{Limits, Locator, Manifest, PageEncoder, PageInput, SentenceEncoder, Side};

const MODEL: &str = "all-MiniLM-L6-v2";

/// The two encoders over one network.
struct Encoders {
    pages: PageEncoder,
    sentences: SentenceEncoder,
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

impl Encoders {
    fn open(models: &str) -> Outcome<Self> {
        let locator = Locator::new([models]);
        let manifest = Manifest::of(&locator)?;
        let limits = Limits { sessions: 1, batch: 1 };
        let pages = PageEncoder::open(&locator, &manifest, MODEL, limits)?;
        Ok(Self { pages, sentences: SentenceEncoder::open(&locator, &manifest, MODEL, limits)? })
    }

    /// The line of a text, and its vectors.
    fn of(&self, line: &Value) -> Outcome<(Value, Vec<f32>)> {
        let words: Option<Vec<&str>> =
            line["words"].as_array().map(|words| words.iter().filter_map(Value::as_str).collect());
        let (side, vectors) = match &words {
            Some(words) => (Side::Passage, self.pages.encode_page(&PageInput { picture: None, words })?),
            None => (Side::Query, self.pages.encode_query(line["query"].as_str().unwrap_or_default())?),
        };
        let text = words.map_or_else(|| line["query"].as_str().unwrap_or_default().to_owned(), |words| words.join(" "));
        let windows: Vec<&str> = self.sentences.windows("", &text)?.into_iter().map(|range| &text[range]).collect();
        let pooled = self.sentences.encode(side, &windows)?;
        let line = json!({
            "id": line["id"],
            "tokens": token::tokens(&text, token::Config::INDEX),
            "rows": vectors.rows().len(),
            "windows": pooled.len(),
        });
        Ok((line, vectors.values.into_iter().chain(pooled.into_iter().flatten()).collect()))
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [models, output] = arguments.as_slice() else {
        return Err("usage: encode_pages MODELS OUTPUT <texts.jsonl".into());
    };
    let encoders = Encoders::open(models)?;
    let mut vectors = BufWriter::new(File::create(output)?);
    let mut out = stdout().lock();
    for line in stdin().lines() {
        let (line, values) = encoders.of(&serde_json::from_str(&line?)?)?;
        writeln!(out, "{line}")?;
        values.iter().try_for_each(|value| vectors.write_all(&value.to_le_bytes()))?;
    }
    Ok(vectors.flush()?)
}
