//! Files to documents, sections and chunks: one pure step a file (SPEC section 2).
//!
//! A file is told by its content ([`sniff`]), read into a draft by the module of its format, and cut into chunks by
//! code that all formats share ([`split`], [`pack`], [`assemble`]). Nothing here writes to a terminal or keeps state
//! between files, so files may be read in any order and in parallel.
//!
//! **Architecture invariant:** a new format is a new module that makes a draft; sizes, overlap, roles, deduplication
//! and records do not know formats.

mod address;
pub mod apart;
mod assemble;
mod code;
mod decode;
mod delimited;
mod draft;
mod flow;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod html;
pub mod input;
mod jsonl;
mod lines;
mod markdown;
mod office;
mod pack;
mod pdf;
mod plain;
mod read;
mod references;
mod role;
pub mod scan;
mod sniff;
pub mod speech;
mod split;
mod table;

pub use read::{Outcome, Parsed, read};

/// Everything the caller decides. There is no default: the tool's flags say where each number comes from.
#[derive(Clone, Debug)]
pub struct Config {
    /// Characters a chunk should have.
    pub target: usize,
    /// Characters under which the last chunk of a section joins the one before.
    pub min: usize,
    /// Most characters of a chunk, except where a single sentence or table row has more.
    pub max: usize,
    /// Characters of the end of a chunk that the next one of the same section repeats, in whole sentences.
    pub overlap: usize,
    /// Largest file that is read, in bytes.
    pub max_bytes: u64,
    /// How PDFs are read; the worker that it names, and its bounds of time and memory, are those of other files too.
    pub pdf: techrag_pdf::Config,
    /// How pictures are read.
    pub ocr: scan::Ocr,
    /// How sound is listened to.
    pub speech: speech::Speech,
    /// Tool and version, for the `by` of every record.
    pub by: String,
}

/// The stage named in error records.
pub const STAGE: &str = "chunk";

#[cfg(test)]
fn test_config() -> Config {
    use std::time::Duration;
    Config {
        target: 3500,
        min: 300,
        max: 6000,
        overlap: 400,
        max_bytes: 1 << 30,
        pdf: techrag_pdf::Config {
            worker: None,
            file_timeout: Duration::from_secs(300),
            page_timeout: Duration::from_secs(60),
            max_bytes: 1 << 30,
            max_pages: 10_000,
            max_memory: 1 << 30,
            password: None,
        },
        ocr: scan::Ocr::new(scan::OcrConfig {
            reader: scan::OcrReader::Off,
            languages: "eng".into(),
            timeout: Duration::from_secs(60),
            memory: 1 << 30,
            models: Vec::new(),
            sessions: 1,
            doubt: 0.7,
        }),
        speech: speech::Speech {
            model: "whisper-base".into(),
            models: Vec::new(),
            listening: techrag_models::speech::SpeechConfig {
                worker: None,
                language: None,
                timeout: Duration::from_secs(60),
                memory: 1 << 31,
            },
        },
        by: "techrag-chunk test".into(),
    }
}
