//! `techrag-visual verify`: proves that the pages are what was stored, and prints what the encodings lose.

use techrag_cli::{Cli, Outcome, Record};
use techrag_core::record::{ErrorKind, ErrorRecord};

/// Prove that the stored pages and pictures are whole; print how many of the exact best pages the encodings find
///
/// Exit code 0 if all is well, 3 with one error record a disagreement otherwise. For the recall, stored pages stand as
/// queries, each by 32 of its vectors, and are left out of their own results.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  techrag-visual verify --library lib --queries 200")]
pub(crate) struct Args {
    /// Pages that stand as queries; 0 measures no recall
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    queries: u32,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let verified = techrag_visual::verify(cli.library()?, args.queries as usize).map_err(super::fatal)?;
    if verified.problems.is_empty() {
        let techrag_visual::Verified { pages, orphans, failed, files, pictures, .. } = verified;
        let mut said = format!(
            "clean: {pages} pages in {files} files; {failed} failed; {orphans} of documents that are no longer in the library; {pictures} pictures\n"
        );
        for recall in &verified.recall {
            said.push_str(&format!(
                "the encodings' best {:>3}: {:.3} of the exact ten, {:.3} of the exact first ({} queries)\n",
                recall.depth, recall.ten, recall.first, recall.queries
            ));
        }
        cli.print(&said)?;
        return Ok(Outcome::Done);
    }
    cli.map(verified.problems.into_iter(), None, |problem| {
        let of = problem.file.to_string_lossy();
        // A page without a file has no name here.
        let of_pages = of.is_empty() || of.ends_with(".seg");
        let hint = if of_pages {
            "`techrag-visual index --anew --all` makes again what is damaged"
        } else {
            "remove it: `techrag-visual render` draws pictures again when they are asked for"
        };
        let error = ErrorRecord::new(of, cli.stage(), ErrorKind::Damaged, problem.what);
        Ok(vec![Record::from(error.hint(hint))])
    })
}
