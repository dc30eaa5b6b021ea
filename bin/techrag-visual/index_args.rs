//! The options of `techrag-visual index`.

use std::ops::RangeInclusive;

use clap::ValueEnum;
use techrag_cli::Cli;
use techrag_visual::fde::Setting;
use techrag_visual::{Form, IndexConfig, Scanned};

/// Encode the pages of documents and store them in the library
///
/// Reads document records (chunks are dropped) whose documents are in the library, or with --all takes all of
/// them; pages that are stored already are not done again, so that a run that was stopped goes on where it was. `removed` records take the pages of documents
/// that are gone. Pages that could not be done are named and remembered. The output is what earlier stages reported and
/// the errors of this one.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-chunk papers/ >records.jsonl; techrag-embed <records.jsonl | techrag-index add --library lib\n  \
    techrag-visual index --library lib <records.jsonl\n  \
    techrag-visual index --library lib --all --max-pages 500 --pages 1-4,7")]
pub(crate) struct Args {
    /// Page encoder of the manifest; the default reads the page's words and does not see
    #[arg(long, value_name = "MODEL", default_value = "all-MiniLM-L6-v2")]
    pub(crate) encoder: String,
    /// How a page's vectors are kept
    #[arg(long, value_name = "FORM", default_value = "int8")]
    vectors: FormName,
    /// How candidates are found: wide (10,240 signs) or paper (4,096 coordinates as bytes)
    #[arg(long, value_name = "SETTING", default_value = "wide")]
    encoding: EncodingName,
    /// Take all documents of the library; nothing is read from stdin, and pages of documents that are gone are forgotten
    #[arg(long)]
    pub(crate) all: bool,
    /// Encode at most so many pages in this run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=1_000_000_000_000))]
    pub(crate) max_pages: Option<u64>,
    /// Only these pages of each document, such as 1-4,7
    #[arg(long, value_name = "RANGES", value_delimiter = ',', value_parser = range)]
    pages: Vec<RangeInclusive<u32>>,
    /// Pages that are committed together
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=4096))]
    batch: u32,
    /// Try pages again that failed before
    #[arg(long)]
    again: bool,
    /// Forget all pages if they were made with other settings, and those whose file is damaged
    #[arg(long)]
    anew: bool,
    #[command(flatten)]
    pub(crate) look: crate::look::LookArgs,
    #[command(flatten)]
    pdf: crate::pdf::PdfArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormName {
    /// A byte a number
    Int8,
    /// Two bytes
    F16,
}

#[derive(Clone, Copy, ValueEnum)]
enum EncodingName {
    /// 20 repetitions of 32 partitions of 16 coordinates, cut to signs
    Wide,
    /// 10 repetitions of 64 partitions, sketched to 4,096 coordinates
    Paper,
}

fn range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|page| *page > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err(format!("{text:?} is no page and no range of pages")),
    }
}

impl Args {
    pub(crate) fn config(&self, cli: &Cli) -> anyhow::Result<IndexConfig> {
        let (fde, scanned): (fn(usize) -> Setting, _) = match self.encoding {
            EncodingName::Wide => (Setting::wide, Scanned::Signs),
            EncodingName::Paper => (Setting::paper, Scanned::Bytes),
        };
        Ok(IndexConfig {
            pdf: self.pdf.config()?,
            form: match self.vectors {
                FormName::Int8 => Form::Int8,
                FormName::F16 => Form::F16,
            },
            fde,
            scanned,
            anew: self.anew,
            again: self.again,
            pages: self.pages.clone(),
            batch: self.batch as usize,
            owner: format!("{} index", cli.by()),
        })
    }
}
