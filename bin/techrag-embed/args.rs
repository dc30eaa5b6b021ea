//! The options of `techrag-embed`: names, defaults, and what they mean.

use clap::{Parser, ValueEnum};
use techrag_cli::VectorForm;
use techrag_core::record::Chunk;

use crate::endpoint::Endpoint;

const EXAMPLES: &str = "\
Examples:
  techrag-chunk paper.pdf | techrag-embed >paper.jsonl
  techrag-chunk papers/ | techrag-embed -j 2 | techrag-index add --library lib
  techrag-embed --sparse splade-tiny <chunks.jsonl | techrag-index add --library lib
  techrag-embed --windows first --context none --vectors array <chunks.jsonl | jq .vectors.dim

A chunk that has vectors of the same model and revision already passes as it is; so do documents, removals, errors and
every other record. With --endpoint a server embeds, its model named by --model; its vectors are known by that name, and
techrag-retrieve asks the same server for the question's. The model is loaded when the first chunk needs it. The same chunk gives the same bytes whatever -j
and --batch are.";

/// Add embeddings to chunks
#[derive(Parser)]
#[command(name = "techrag-embed", after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Sentence encoder, by its name in the manifest of models, or by the server's name for it
    #[arg(long, value_name = "ID", default_value = "all-MiniLM-L6-v2")]
    pub(crate) model: String,
    /// Which windows of a chunk are embedded when it is longer than the model takes
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub(crate) windows: Which,
    /// What of a chunk's surroundings is put before each window: the title is that of the document record before it
    #[arg(long, value_name = "WHAT", default_value = "none")]
    pub(crate) context: Context,
    /// Learned sparse vectors too, by this sparse encoder of the manifest (such as splade-tiny), for techrag-retrieve
    /// --mode sparse and --sparse-weight [default: none]
    #[arg(long, value_name = "ID")]
    pub(crate) sparse: Option<String>,
    /// How vectors are written
    #[arg(long, value_name = "FORM", default_value = "base64")]
    pub(crate) vectors: VectorForm,
    /// Most chunks taken together; short texts of equal length then share a run of the model
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) batch: u16,
    /// Most characters of a window that a server embeds; a model of the manifest knows its own length
    #[arg(long, value_name = "N", default_value_t = 1200, value_parser = techrag_cli::range::whole::<u32>(1..=techrag_cli::range::MOST))]
    pub(crate) window_chars: u32,
    #[command(flatten)]
    pub(crate) endpoint: Endpoint,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Which {
    /// All of them, so that nothing is lost
    All,
    /// The beginning only, as sentence-transformers does
    First,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Context {
    /// Title of the document and heading of the section
    Heading,
    /// Title of the document
    Title,
    /// Nothing
    None,
}

impl Context {
    /// The context of a chunk in a document of that title.
    pub(crate) fn of(self, title: &str, chunk: &Chunk) -> String {
        let section = if self == Self::Heading { chunk.section.as_str() } else { "" };
        // A corpus of JSON lines gives a chunk whose text begins with its title: once is enough.
        let said = self == Self::None || chunk.text.starts_with(title);
        let title = if said { "" } else { title };
        [title, section].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }
}
