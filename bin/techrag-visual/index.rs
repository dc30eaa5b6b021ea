//! `techrag-visual index`: documents in, their pages encoded and stored.

use std::sync::Mutex;

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Unread, Wanted};
use techrag_core::record::{ErrorKind, ErrorRecord};
use techrag_models::{Limits, Locator};
use techrag_visual::{Indexed, Indexer, Job, Jobs, Plan, open_encoder};

use crate::budget::{Budget, Within, of};
pub(crate) use crate::index_args::Args;

/// What is done one after the other, in the order of the stream.
enum Item {
    Say(Record),
    Page(Job),
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let locator = Locator::new(cli.model_folders());
    let limits = Limits { sessions: cli.jobs(), batch: 1 };
    let encoder = open_encoder(&locator, &args.encoder, limits).map_err(super::fatal)?;
    let indexer =
        Indexer::open(cli.library()?, encoder, args.look.sight(cli)?, args.config(cli)?).map_err(super::fatal)?;
    let budget = Mutex::new(Budget { room: args.max_pages, ..Budget::default() });
    let take = |record| take(record, cli, &indexer, &budget);
    let done = |item| match item {
        Item::Say(record) => Ok(vec![record]),
        Item::Page(job) => match indexer.page(&job).map_err(super::fatal)? {
            None => Ok(Vec::new()),
            Some(failure) => Ok(vec![ErrorRecord::new(job.name(), cli.stage(), failure.kind, failure.message).into()]),
        },
    };
    let outcome = if args.all {
        let (documents, mut pages, mut taken) = (indexer.documents().map_err(super::fatal)?, 0, Vec::new());
        for document in documents {
            let (say, within) = take(document.into())?;
            pages += within.jobs.as_ref().map_or(0, Jobs::left);
            taken.push(say.into_iter().chain(within.map(Item::Page)));
        }
        cli.map_unread(
            Unread::GoOn,
            taken.into_iter().flatten(),
            Some(pages.min(args.max_pages.unwrap_or(u64::MAX))),
            done,
        )?
    } else {
        let kinds = &[Kind::Document, Kind::Chunk, Kind::Removed];
        let items = |record| take(record).map(|(say, within)| say.into_iter().chain(within.map(Item::Page)));
        cli.spread(Wanted { kinds, bare: Bare::Refused }, items, done)?
    };
    let Budget { over, without, .. } = *of(&budget);
    cli.note(&summary(indexer.finish().map_err(super::fatal)?, over, without));
    Ok(outcome)
}

/// What becomes of a record: a line to be passed on, pages to be done.
fn take<'a>(
    record: Record,
    cli: &Cli,
    indexer: &Indexer,
    budget: &'a Mutex<Budget>,
) -> anyhow::Result<(Option<Item>, Within<'a>)> {
    let (mut say, mut jobs) = (None, None);
    match record {
        Record::Document(document) => match indexer.plan(&document).map_err(super::fatal)? {
            Plan::Jobs(planned) => jobs = Some(planned),
            Plan::NoPages => of(budget).without += 1,
            Plan::Failed(failure) => {
                let error = ErrorRecord::new(document.key, cli.stage(), failure.kind, failure.message);
                let unknown = failure.kind == ErrorKind::Incomplete;
                let error = if unknown { error.hint("`techrag-index add` comes first") } else { error };
                say = Some(Item::Say(error.into()));
            }
        },
        Record::Removed(removed) => indexer.removed(&removed).map_err(super::fatal)?,
        // Chunks end in `techrag-index add`.
        Record::Chunk(_) => {}
        other => say = Some(Item::Say(other)),
    }
    Ok((say, Within { jobs, budget }))
}

fn summary(done: Indexed, over: u64, without: usize) -> String {
    let Indexed { stored, empty, failed, vectors, unseen, fewer, forgotten } = done;
    let mut said = format!("{stored} pages stored ({vectors} vectors), {failed} failed, {forgotten} forgotten");
    if empty > 0 {
        said.push_str(&format!("; {empty} of them hold no word this encoder could read"));
    }
    if unseen > 0 {
        said.push_str(&format!(
            "; {unseen} have only the figures that the PDF itself draws (`techrag-visual crops` says why)"
        ));
    }
    if fewer > 0 {
        said.push_str(&format!("; {fewer} files have fewer pages than their records claim"));
    }
    if over > 0 {
        said.push_str(&format!("; {over} pages are left over: the budget of --max-pages is used up"));
    }
    if without > 0 {
        said.push_str(&format!("; {without} documents have no pages"));
    }
    said
}
