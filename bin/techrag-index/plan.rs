//! `techrag-index plan`: which files of a folder have to be read.

use std::fs;
use std::path::PathBuf;

use techrag_chunk::input;
use techrag_cli::{Cli, Outcome, Record};
use techrag_core::record::Removed;
use techrag_index::{Found, Step, Walk};

/// Compare folders with a library: print the paths to read, and what is gone
///
/// A path is a bare line, for techrag-chunk; a key that stands for no file any more is a `removed` record, which passes
/// through to techrag-index add; behind a folder that cannot be entered nothing counts as gone. A file whose size and time are unchanged is not read; otherwise its bytes decide.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-index plan papers/ --library lib | techrag-chunk --root papers/ | techrag-embed | techrag-index add \
    --library lib")]
pub(crate) struct Args {
    /// Folders, each with files whose keys are relative to it
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let mut found = Vec::new();
    let mut steps = Vec::new();
    let library = fs::canonicalize(cli.library()?).ok();
    for folder in &args.folders {
        anyhow::ensure!(folder.is_dir(), "{} is no folder", folder.display());
        let root = fs::canonicalize(folder)?;
        // A library may lie among the papers; its own files are none.
        let inner = library.as_ref().filter(|library| !root.starts_with(library));
        for file in input::files(folder, None) {
            match file {
                Ok(file) if inner.is_some_and(|library| root.join(&file.key).starts_with(library)) => {}
                Ok(file) => found.push(Found { key: file.key, path: file.path }),
                Err(error) => steps.push(Step::Refused(error)),
            }
        }
    }
    let walk = if steps.is_empty() { Walk::Whole } else { Walk::Broken };
    steps.extend(techrag_index::plan(cli.library()?, &super::owner(cli, "plan"), &args.folders, found, walk)?);
    let by = cli.by();
    cli.map(steps.into_iter(), None, |step| {
        Ok(vec![match step {
            Step::Parse(path) => Record::Other(path),
            Step::Removed { doc_id, key } => Removed { doc_id, key, by: by.clone(), ..Removed::default() }.into(),
            Step::Refused(error) => error.into(),
        }])
    })
}
