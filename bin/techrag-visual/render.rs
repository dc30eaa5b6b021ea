//! `techrag-visual render`: pictures of the pages and crops a query found, or of a page named by hand.

use clap::ValueEnum;
use techrag_cli::{Bare, Cli, Outcome, Record};
use techrag_core::record::{ErrorKind, ErrorRecord, PageHit, Query, TraceEntry};
use techrag_index::PageReader;
use techrag_visual::{Encoding, Failure, PictureConfig, Pictures};

/// Draw the pages and crops that queries found, inside the library
///
/// Reads query records and writes into each page hit and its crop the path of its picture within the library. With
/// --document and --page, draws that page and prints its path. A page that cannot be drawn is named in the trace; by
/// hand it is an error.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-visual search --library lib <questions.jsonl | techrag-visual render --library lib\n  \
    techrag-visual render --library lib --document brush-model-extensions.pdf --page 4 --format png")]
pub(crate) struct Args {
    /// Key of a document to draw by hand
    #[arg(long, value_name = "KEY", requires = "page")]
    document: Option<String>,
    /// Its page, from 1
    #[arg(long, value_name = "N", requires = "document", value_parser = clap::value_parser!(u32).range(1..))]
    page: Option<u32>,
    /// Pixels an inch
    #[arg(long, value_name = "N", default_value_t = 144, value_parser = clap::value_parser!(u16).range(18..=300))]
    dpi: u16,
    /// How pictures are written
    #[arg(long, value_name = "FORMAT", default_value = "jpeg")]
    format: FormatName,
    /// Quality of JPEG
    #[arg(long, value_name = "N", default_value_t = 85, value_parser = clap::value_parser!(u8).range(1..=100))]
    quality: u8,
    #[command(flatten)]
    pdf: super::pdf::PdfArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatName {
    /// Smaller
    Jpeg,
    /// Exact
    Png,
}

impl Args {
    fn config(&self) -> anyhow::Result<PictureConfig> {
        let encoding = match self.format {
            FormatName::Jpeg => Encoding::Jpeg(self.quality),
            FormatName::Png => Encoding::Png,
        };
        Ok(PictureConfig { pdf: self.pdf.config()?, dpi: self.dpi, encoding })
    }
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let config = args.config()?;
    if let (Some(key), Some(page)) = (&args.document, args.page) {
        return by_hand(key, page, &config, cli);
    }
    let root = cli.library()?;
    cli.queries(Bare::Refused, |query| {
        if query.visual.is_none() {
            return;
        }
        let note = match PageReader::open(root, |_| Ok(())) {
            Ok((reader, ())) => draw(query, &reader, &config),
            Err(error) => format!("no page was drawn: {error}"),
        };
        let (stage, version) = ("visual render".into(), cli.version().into());
        query.trace.push(TraceEntry { stage, version, note, ..TraceEntry::default() });
    })
}

/// Draws every page hit of a query and says what came of it.
fn draw(query: &mut Query, reader: &PageReader, config: &PictureConfig) -> String {
    let mut failures = Vec::new();
    let mut drawn = 0;
    for hit in query.visual.iter_mut().flatten() {
        match draw_hit(hit, reader, config) {
            Ok(()) => drawn += 1,
            Err(why) => failures.push(format!("{}, page {}: {why}", hit.key, hit.page)),
        }
    }
    let mut said = format!("{drawn} pages drawn");
    if !failures.is_empty() {
        said.push_str(&format!("; not drawn: {}", failures.join("; ")));
    }
    said
}

fn draw_hit(hit: &mut PageHit, reader: &PageReader, config: &PictureConfig) -> Result<(), String> {
    let mut pictures = or_words(Pictures::of(reader, &hit.doc_id, config))?;
    hit.image = Some(or_words(pictures.path(hit.page, None))?);
    if let Some(crop) = &mut hit.crop {
        crop.image = Some(or_words(pictures.path(crop.page, Some(crop.bbox)))?);
    }
    Ok(())
}

fn or_words<T>(result: techrag_visual::Result<Result<T, Failure>>) -> Result<T, String> {
    result.map_err(|error| error.to_string())?.map_err(|failure| failure.message)
}

fn by_hand(key: &str, page: u32, config: &PictureConfig, cli: &Cli) -> anyhow::Result<Outcome> {
    let (reader, ()) = PageReader::open(cli.library()?, |_| Ok(()))?;
    let doc_id = reader.named(key)?.ok_or_else(|| anyhow::anyhow!("no document of the library has the key {key}"))?;
    let drawn = match Pictures::of(&reader, &doc_id, config).map_err(super::fatal)? {
        Ok(mut pictures) => pictures.path(page, None).map_err(super::fatal)?,
        Err(failure) => Err(failure),
    };
    match drawn {
        Ok(path) => cli.print(&format!("{path}\n")).map(|()| Outcome::Done),
        Err(Failure { kind, message }) => {
            let kind = if kind == ErrorKind::Other { ErrorKind::Damaged } else { kind };
            let error = ErrorRecord::new(format!("{key}: page {page}"), cli.stage(), kind, message);
            cli.map(std::iter::once(error), None, |error| Ok(vec![Record::from(error)]))
        }
    }
}
