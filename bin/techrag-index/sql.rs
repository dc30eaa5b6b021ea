//! `techrag-index sql`: counting and listing what a library holds.

use std::ops::ControlFlow;
use std::sync::mpsc;
use std::time::Duration;

use techrag_cli::{Cli, Outcome, Record};

/// Answer one SELECT over the catalog, a JSON object a row
///
/// Views: documents (doc_id, key, title, year, doi, media_type, bytes, pages, chunks, abstract), keys (key, doc_id,
/// path), authors (doc_id, position, name), keywords (doc_id, keyword), metadata (doc_id, name, value), cited (doc_id,
/// position, title, year, doi, raw), chunks (uid, doc_id, ordinal, section, role, first_page, last_page, modality,
/// text), sections (doc_id, section, role, first_page, last_page, chunks), cells (uid, section, table, caption,
/// page, row, column, value, address, formula): those of a sheet have an address such as B7, failures (doc_id, item,
/// stage, message), related (doc_id, other, relation, rule): documents of one
/// work, where relation is `preprint of`, `published from`, `supplement of`, `has supplement` or `version of`, and rule
/// is what they share: doi, arxiv, title (and an author) or name (of the file). Functions: has_words(text, words), every
/// word by its stem; has_name(name, asked), initials standing for given names. Nothing can be written.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-index sql --library lib 'SELECT year, count(*) AS papers FROM documents GROUP BY year'\n  \
    techrag-index sql --library lib \"SELECT title FROM documents JOIN authors USING (doc_id) WHERE name LIKE '%Oldendorf'\"")]
pub(crate) struct Args {
    /// The statement
    #[arg(value_name = "SELECT")]
    statement: String,
    /// Seconds after which it is stopped
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

/// Rows that wait to be written.
const AHEAD: usize = 256;

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let (library, time) = (cli.library()?, Duration::from_secs(args.timeout));
    let (rows, written) = mpsc::sync_channel(AHEAD);
    std::thread::scope(|scope| {
        let selecting = scope.spawn(move || {
            techrag_index::select(library, &args.statement, time, |row| match rows.send(row) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            })
        });
        let outcome =
            cli.map(written.into_iter(), None, |row| Ok(vec![Record::Other(serde_json::to_string(&row)?)]))?;
        selecting.join().map_err(|_| anyhow::anyhow!("the statement ended in a panic"))??;
        Ok(outcome)
    })
}
