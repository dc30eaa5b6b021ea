//! `techrag-index verify`: proves that the parts of a library agree.

use techrag_cli::{Cli, Outcome, Record};
use techrag_core::record::{ErrorKind, ErrorRecord};

/// Prove that catalog, vectors and lexical index agree; name each place where they do not
///
/// Exit code 0 if all is well, 3 with one error record a disagreement otherwise.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  techrag-index verify --library lib")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let verified = techrag_index::verify(cli.library()?)?;
    if verified.problems.is_empty() {
        let (documents, chunks, segments) = (verified.documents, verified.chunks, verified.segments);
        cli.print(&format!("clean: {documents} documents, {chunks} chunks, {segments} segments\n"))?;
        return Ok(Outcome::Done);
    }
    cli.map(verified.problems.into_iter(), None, |problem| {
        let of = problem.file.to_string_lossy();
        let error = ErrorRecord::new(of, cli.stage(), ErrorKind::Damaged, problem.what);
        Ok(vec![Record::from(error.hint("`techrag-index rebuild` remakes the segments; a catalog comes from a copy"))])
    })
}
