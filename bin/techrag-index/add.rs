//! `techrag-index add`: documents and chunks in, a library out.

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Step, Unread, Wanted};
use techrag_core::codec::{self, Parsed};
use techrag_core::record::ErrorRecord;
use techrag_index::{Add, AddConfig, Report, Writer};

/// Add documents and their chunks to a library; the library is made if there is none
///
/// A document is committed when all its chunks are there, in one transaction with the removal of what it replaces.
/// Records of documents that are in already are dropped; `removed` records take keys out. Errors and records of other
/// kinds pass.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-chunk papers/ | techrag-embed | techrag-index add --library lib\n  \
    techrag-embed <chunks.jsonl | techrag-index add --library lib --replace")]
pub(crate) struct Args {
    /// Take documents anew that are in already
    #[arg(long)]
    replace: bool,
    /// Chunks that are committed together
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = techrag_cli::range::whole::<u32>(1..=techrag_cli::range::MOST))]
    batch: u32,
}

/// Share of a batch that is worth a commit while the input has nothing ready.
const IDLE_SHARE: usize = 8;

const WANTED: Wanted = Wanted { kinds: &[Kind::Document, Kind::Chunk, Kind::Removed], bare: Bare::Refused };
const FAILURES: Wanted = Wanted { kinds: &[Kind::Error], bare: Bare::Refused };

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let writer = Writer::open(cli.library()?, &super::owner(cli, "add"))?;
    let full = args.batch as usize;
    let mut add = Add::new(writer, AddConfig { full, idle: full.div_ceil(IDLE_SHARE), replace: args.replace });
    let outcome = cli.fold(WANTED, Unread::GoOn, |step| {
        let records = |errors: Vec<ErrorRecord>| errors.into_iter().map(Record::from).collect();
        Ok(match step {
            Step::Record(Record::Document(document)) => records(add.document(*document)?),
            Step::Record(Record::Chunk(chunk)) => records(add.chunk(*chunk)?),
            Step::Record(Record::Removed(removed)) => records(add.removed(removed).map(|()| Vec::new())?),
            Step::Record(Record::Other(line)) => {
                let mut passed = match failure(&line) {
                    Some(error) => records(add.failure(&error)?),
                    None => Vec::new(),
                };
                passed.insert(0, Record::Other(line));
                passed
            }
            Step::Record(other) => vec![other],
            Step::Idle => records(add.idle().map(|()| Vec::new())?),
            Step::End => records(add.end()?),
        })
    });
    if outcome.is_err() {
        // What was whole before the line that ends the run is as good as if the input had ended there.
        add.keep()?;
    }
    cli.note(&summary(add.report()));
    outcome
}

/// The failure an earlier stage reports in a line that is passed on.
fn failure(line: &str) -> Option<ErrorRecord> {
    match codec::parse(line, FAILURES) {
        Ok(Parsed::Record(Record::Error(error))) => Some(error),
        _ => None,
    }
}

fn summary(report: Report) -> String {
    let Report { tally, unchanged, refused } = report;
    format!(
        "{} documents added ({} chunks), {unchanged} unchanged, {} keys added, {} documents gone, {refused} refused",
        tally.added, tally.chunks, tally.named, tally.gone
    )
}
