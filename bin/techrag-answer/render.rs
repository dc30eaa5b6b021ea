//! `techrag-answer render`: what a person reads; exit code 1 if some record abstained.

use std::path::PathBuf;

use clap::ValueEnum;
use techrag_answer::check;
use techrag_answer::render::{Colour, Detail, Form, Format as Text, Sheet, Style};
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Step, Wanted};

/// Print answers with their sources
///
/// Reads query records with `answer` and `checks`. Control characters and terminal escapes of documents do not get
/// through. `html` writes one page that needs no other file and no network. `bibtex`, `csl` and `ris` list what the
/// answers cite, each work once. Exit code 1 if some record abstained or has no verified claim.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-answer render <checked.jsonl\n  \
    techrag-answer render --format markdown --explain <checked.jsonl >answer.md\n  \
    techrag-answer render --format html --library lib <checked.jsonl >answer.html\n  \
    techrag-answer render --format bibtex <checked.jsonl >references.bib\n  \
    techrag-answer render --format json <checked.jsonl | jq .citations")]
pub(crate) struct Args {
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Also tell what each stage did and each check found
    #[arg(long)]
    explain: bool,
    /// Columns of the text [default: the terminal's, or 80]
    #[arg(long, value_name = "N", value_parser = techrag_cli::range::whole::<usize>(1..=techrag_cli::range::MOST))]
    width: Option<usize>,
    /// The library whose page images go into the HTML page
    #[arg(long, value_name = "DIR", env = "TECHRAG_LIBRARY")]
    library: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Wrapped text
    Text,
    /// Markdown
    Markdown,
    /// One JSON object a line
    Json,
    /// One self-contained HTML page
    Html,
    /// The cited works as BibTeX
    Bibtex,
    /// The cited works as CSL-JSON
    Csl,
    /// The cited works as RIS
    Ris,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let mut sheet = Sheet::new(form(args, cli), args.library.clone());
    let mut outcome = Outcome::Done;
    let wanted = Wanted { kinds: &[Kind::Query, Kind::Error], bare: Bare::Refused };
    let ended = cli.shown(wanted, |step| {
        let text = match step {
            Step::Record(Record::Query(query)) => {
                if check::abstained(&query) {
                    outcome = outcome.and(Outcome::Refused);
                }
                sheet.answer(&query)?
            }
            Step::Record(Record::Error(error)) => sheet.failure(error)?,
            Step::End => sheet.end()?,
            _ => None,
        };
        Ok(text.into_iter().map(Record::Other).collect())
    })?;
    Ok(ended.and(outcome))
}

fn form(args: &Args, cli: &Cli) -> Form {
    let detail = if args.explain { Detail::Explain } else { Detail::Answer };
    let colour = match cli.stdout_colour() {
        techrag_cli::Colour::Plain => Colour::Plain,
        techrag_cli::Colour::Ansi => Colour::Ansi,
    };
    match args.format {
        Format::Text => Form::Each(Text::Text { width: args.width.unwrap_or_else(|| cli.width()), colour }, detail),
        Format::Markdown => Form::Each(Text::Markdown, detail),
        Format::Json => Form::Each(Text::Json, detail),
        Format::Html => Form::Html,
        Format::Bibtex => Form::Works(Style::Bibtex),
        Format::Csl => Form::Works(Style::Csl),
        Format::Ris => Form::Works(Style::Ris),
    }
}
