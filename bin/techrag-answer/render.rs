//! `techrag-answer render`: what a person reads; exit code 1 if some record abstained.

use clap::ValueEnum;
use techrag_answer::{check, clean, render};
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Step, Wanted};
use techrag_core::codec;

/// Print answers with their sources
///
/// Reads query records with `answer` and `checks`. Control characters and terminal escapes of documents do not get
/// through. Exit code 1 if some record abstained or has no verified claim.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-answer render <checked.jsonl\n  \
    techrag-answer render --format markdown --explain <checked.jsonl >answer.md\n  \
    techrag-answer render --format json <checked.jsonl | jq .citations")]
pub(crate) struct Args {
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Also tell what each stage did and each check found
    #[arg(long)]
    explain: bool,
    /// Columns of the text [default: the terminal's, or 80]
    #[arg(long, value_name = "N")]
    width: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Wrapped text
    Text,
    /// Markdown
    Markdown,
    /// One JSON object a line
    Json,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let colour = match cli.stdout_colour() {
        techrag_cli::Colour::Plain => render::Colour::Plain,
        techrag_cli::Colour::Ansi => render::Colour::Ansi,
    };
    let format = match args.format {
        Format::Text => render::Format::Text { width: args.width.unwrap_or_else(|| cli.width()), colour },
        Format::Markdown => render::Format::Markdown,
        Format::Json => render::Format::Json,
    };
    let detail = if args.explain { render::Detail::Explain } else { render::Detail::Answer };
    let (mut shown, mut outcome) = (0_u64, Outcome::Done);
    let wanted = Wanted { kinds: &[Kind::Query, Kind::Error], bare: Bare::Refused };
    let ended = cli.fold(wanted, |step| {
        let text = match step {
            Step::Record(Record::Query(query)) => {
                if check::abstained(&query) {
                    outcome = outcome.and(Outcome::Refused);
                }
                render::render(&query, format, detail)
            }
            // What failed on the way is said here too, so that a reader of the output alone knows.
            Step::Record(Record::Error(error)) if args.format != Format::Json => {
                clean::line(&format!("Error: {}: {}: {}", error.stage, error.of, error.message))
            }
            Step::Record(record @ Record::Error(_)) => return Ok(vec![untouched(&record)?]),
            _ => return Ok(Vec::new()),
        };
        let gap = if shown > 0 && args.format != Format::Json { "\n" } else { "" };
        shown += 1;
        Ok(vec![Record::Other(format!("{gap}{text}"))])
    })?;
    Ok(ended.and(outcome))
}

/// A failure of an earlier stage, to pass on: it was said and counted there.
fn untouched(error: &Record) -> anyhow::Result<Record> {
    let mut line = Vec::new();
    codec::write(error, &mut line)?;
    Ok(Record::Other(String::from_utf8(line)?.trim_end().to_owned()))
}
