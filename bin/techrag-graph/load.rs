//! `techrag-graph load`: entities in, a graph kept.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::Duration;

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Step, Unread, Wanted};
use techrag_core::record::{ErrorKind, ErrorRecord};
use techrag_graph::Rows;
use techrag_graph::store::Loaded;

use crate::store::{StoreArgs, fatal};

/// Keep what was extracted in the graph
///
/// Each `entities` record is one transaction that makes the paper what the record says; one that is in already changes
/// nothing. A `removed` record takes a key from its paper; the paper goes with its last key, and with it what only it
/// supported. Records of other kinds pass.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-graph load --library lib <entities.jsonl\n  \
    NEO4J_PASSWORD=… techrag-graph load --store bolt://127.0.0.1:7687 <entities.jsonl")]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Take only papers whose documents the library holds: what it refused stays out of the graph too
    #[arg(long)]
    in_library: bool,
}

const WANTED: Wanted = Wanted { kinds: &[Kind::Entities, Kind::Removed], bare: Bare::Refused };

#[derive(Default)]
struct Tally {
    written: usize,
    unchanged: usize,
    gone: usize,
    left_out: usize,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let held = if args.in_library { Some(held(cli)?) } else { None };
    let store = args.store.writing(cli, "load")?;
    let mut tally = Tally::default();
    let outcome = cli.fold(WANTED, Unread::GoOn, |step| {
        match step {
            Step::Record(Record::Entities(entities))
                if held.as_ref().is_some_and(|held| !held.contains(&entities.doc_id)) =>
            {
                tally.left_out += 1;
            }
            Step::Record(Record::Entities(entities)) if entities.doc_id.is_empty() || entities.key.is_empty() => {
                let of = if entities.doc_id.is_empty() { &entities.key } else { &entities.doc_id };
                let why = "a paper without a document id or a key cannot be kept";
                return Ok(vec![ErrorRecord::new(of, cli.stage(), ErrorKind::Malformed, why).into()]);
            }
            Step::Record(Record::Entities(entities)) => match store.replace(&Rows::of(&entities)).map_err(fatal)? {
                Loaded::Written => tally.written += 1,
                Loaded::Unchanged => tally.unchanged += 1,
            },
            Step::Record(Record::Removed(removed)) => {
                tally.gone += usize::from(store.remove(&removed.doc_id, &removed.key).map_err(fatal)?);
                return Ok(vec![removed.into()]);
            }
            Step::Record(other) => return Ok(vec![other]),
            Step::Idle | Step::End => {}
        }
        Ok(Vec::new())
    })?;
    let Tally { written, unchanged, gone, left_out } = tally;
    let beside = if left_out > 0 { format!(", {left_out} left out: not in the library") } else { String::new() };
    cli.note(&format!("{written} papers written, {unchanged} unchanged, {gone} gone{beside}"));
    Ok(outcome)
}

/// What listing the documents of the largest library may take.
const LISTING: Duration = Duration::from_secs(600);

/// The documents of the library.
fn held(cli: &Cli) -> anyhow::Result<HashSet<String>> {
    let mut held = HashSet::new();
    techrag_index::select(cli.library()?, "SELECT doc_id FROM documents", LISTING, |row| {
        held.extend(row.values().filter_map(|id| id.as_str()).map(str::to_owned));
        ControlFlow::Continue(())
    })?;
    Ok(held)
}
