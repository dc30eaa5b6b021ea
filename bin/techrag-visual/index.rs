//! `techrag-visual index`: documents in, their pages encoded and stored.

use std::ops::RangeInclusive;

use clap::ValueEnum;
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::record::ErrorRecord;
use techrag_models::{Limits, Locator};
use techrag_visual::fde::Setting;
use techrag_visual::{Form, IndexConfig, Indexed, Indexer, Job, Plan, Scanned, open_encoder};

/// Encode the pages of documents and store them in the library
///
/// Reads document records (chunks are dropped) whose documents are in the library, or with --all takes all of them; pages that are stored already are
/// not done again, so that a run that was stopped goes on where it was. `removed` records take the pages of documents
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
    encoder: String,
    /// How a page's vectors are kept
    #[arg(long, value_name = "FORM", default_value = "int8")]
    vectors: FormName,
    /// How candidates are found: wide (10,240 signs) or paper (4,096 coordinates as bytes)
    #[arg(long, value_name = "SETTING", default_value = "wide")]
    encoding: EncodingName,
    /// Take all documents of the library; nothing is read from stdin, and pages of documents that are gone are forgotten
    #[arg(long)]
    all: bool,
    /// Encode at most so many pages in this run
    #[arg(long, value_name = "N")]
    max_pages: Option<usize>,
    /// Only these pages of each document, such as 1-4,7
    #[arg(long, value_name = "RANGES", value_delimiter = ',', value_parser = range)]
    pages: Vec<RangeInclusive<u32>>,
    /// Pages that are committed together
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Try pages again that failed before
    #[arg(long)]
    again: bool,
    /// Forget all pages if they were made with other settings
    #[arg(long)]
    anew: bool,
    #[command(flatten)]
    pdf: super::pdf::PdfArgs,
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
    fn config(&self, cli: &Cli) -> anyhow::Result<IndexConfig> {
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

/// What is done one after the other: lines passed on and errors known beforehand, then the pages.
enum Item {
    Say(Record),
    Page(Job),
}

#[derive(Default)]
struct Todo {
    items: Vec<Item>,
    pages: usize,
    over: usize,
    without: usize,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let locator = Locator::new(cli.model_folders());
    let limits = Limits { sessions: cli.jobs(), batch: 1 };
    let encoder = open_encoder(&locator, &args.encoder, limits).map_err(super::fatal)?;
    let indexer = Indexer::open(cli.library()?, encoder, args.config(cli)?).map_err(super::fatal)?;
    let mut todo = Todo::default();
    let kinds = &[Kind::Document, Kind::Chunk, Kind::Removed];
    let mut take = |record| take(record, args, cli, &indexer, &mut todo);
    let read = if args.all {
        indexer.documents().map_err(super::fatal)?.into_iter().try_for_each(|document| take(document.into()))?;
        Outcome::Done
    } else {
        cli.consume(Wanted { kinds, bare: Bare::Refused }, take)?
    };
    let Todo { items, pages, over, without } = todo;
    let done = cli.map(items.into_iter(), Some(pages as u64), |item| match item {
        Item::Say(record) => Ok(vec![record]),
        Item::Page(job) => match indexer.page(&job).map_err(super::fatal)? {
            None => Ok(Vec::new()),
            Some(failure) => Ok(vec![ErrorRecord::new(job.name(), cli.stage(), failure.kind, failure.message).into()]),
        },
    })?;
    cli.note(&summary(indexer.finish().map_err(super::fatal)?, over, without));
    Ok(read.and(done))
}

fn take(record: Record, args: &Args, cli: &Cli, indexer: &Indexer, todo: &mut Todo) -> anyhow::Result<()> {
    match record {
        Record::Document(document) => match indexer.plan(&document).map_err(super::fatal)? {
            Plan::Jobs(jobs) => {
                let room = args.max_pages.map_or(usize::MAX, |most| most.saturating_sub(todo.pages));
                todo.over += jobs.len().saturating_sub(room);
                let taken: Vec<Job> = jobs.into_iter().take(room).collect();
                todo.pages += taken.len();
                todo.items.extend(taken.into_iter().map(Item::Page));
            }
            Plan::NoPages => todo.without += 1,
            Plan::Failed(failure) => {
                let error = ErrorRecord::new(document.key, cli.stage(), failure.kind, failure.message);
                todo.items.push(Item::Say(error.hint("`techrag-index add` comes first").into()));
            }
        },
        Record::Removed(removed) => indexer.removed(&removed).map_err(super::fatal)?,
        // Chunks end in `techrag-index add`.
        Record::Chunk(_) => {}
        other => todo.items.push(Item::Say(other)),
    }
    Ok(())
}

fn summary(done: Indexed, over: usize, without: usize) -> String {
    let Indexed { stored, empty, failed, vectors, forgotten } = done;
    let mut said = format!("{stored} pages stored ({vectors} vectors), {failed} failed, {forgotten} forgotten");
    if empty > 0 {
        said.push_str(&format!("; {empty} of them hold no word this encoder could read"));
    }
    if over > 0 {
        said.push_str(&format!("; {over} pages are left over: the budget of --max-pages is used up"));
    }
    if without > 0 {
        said.push_str(&format!("; {without} documents have no pages"));
    }
    said
}
