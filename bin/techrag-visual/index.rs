//! `techrag-visual index`: documents in, their pages encoded and stored.

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::record::ErrorRecord;
use techrag_models::{Limits, Locator};
use techrag_visual::{Indexed, Indexer, Job, Plan, open_encoder};

pub(crate) use crate::index_args::Args;

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
    let indexer =
        Indexer::open(cli.library()?, encoder, args.look.sight(cli)?, args.config(cli)?).map_err(super::fatal)?;
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
    let Indexed { stored, empty, failed, vectors, unseen, forgotten } = done;
    let mut said = format!("{stored} pages stored ({vectors} vectors), {failed} failed, {forgotten} forgotten");
    if empty > 0 {
        said.push_str(&format!("; {empty} of them hold no word this encoder could read"));
    }
    if unseen > 0 {
        said.push_str(&format!(
            "; {unseen} have only the figures that the PDF itself draws (`techrag-visual crops` says why)"
        ));
    }
    if over > 0 {
        said.push_str(&format!("; {over} pages are left over: the budget of --max-pages is used up"));
    }
    if without > 0 {
        said.push_str(&format!("; {without} documents have no pages"));
    }
    said
}
