//! `techrag-eval regress`: measured figures in, compared with the pinned ones.

use std::io::Read as _;
use std::path::PathBuf;

use anyhow::Context as _;
use techrag_cli::{Cli, Outcome};
use techrag_eval::regression::{Pinned, line};

/// Compare measured figures with pinned ones; exit 5 if any moved, in either direction
///
/// Reads one JSON object, as the other subcommands print with --json. The file of pins is TOML: `about`, `tolerance`
/// (largest absolute difference) and `[values]`, keyed by path, as in "ndcg@10" or "test/gold".
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-eval metrics --qrels qrels.tsv --json <run.jsonl | techrag-eval regress pins.toml\n  \
    techrag-eval regress pins.toml --repin <measured.json >new.toml")]
pub(crate) struct Args {
    /// Pinned figures
    pins: PathBuf,
    /// Print the file with the figures measured now, instead of comparing
    #[arg(long)]
    repin: bool,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let pinned =
        Pinned::parse(&crate::text(&args.pins)?).with_context(|| format!("{} pins no figures", args.pins.display()))?;
    let mut measured = String::new();
    std::io::stdin().read_to_string(&mut measured)?;
    let measured = serde_json::from_str(&measured).context("stdin is not one JSON object")?;
    if args.repin {
        cli.print(&pinned.repinned(&measured))?;
        return Ok(Outcome::Done);
    }
    let findings = pinned.findings(&measured);
    let table: String = findings.iter().map(|finding| line(finding) + "\n").collect();
    let drifted = findings.iter().filter(|finding| finding.drifted).count();
    cli.print(&format!("{table}{drifted} of {} figures moved\n", findings.len()))?;
    Ok(if drifted > 0 { Outcome::Regression } else { Outcome::Done })
}
