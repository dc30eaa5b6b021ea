//! From `main` to an exit code.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;

use clap::builder::Resettable;
use clap::error::ErrorKind;
use clap::{Args as _, Command, FromArgMatches, Parser};

use crate::common::{Cli, Common};
use crate::config::Layers;
use crate::outcome::Outcome;
use crate::{config, manual, report};

/// Exit code of usage errors and errors that end a run.
const FATAL: u8 = 2;

/// A loop that this executable runs instead of its command line when its first argument says so: the worker process
/// of a PDF reader is the same executable.
#[derive(Clone, Copy)]
pub struct Worker {
    /// The hidden first argument.
    pub name: &'static str,
    /// Serves requests from stdin on stdout until stdin ends.
    pub serve: fn(&mut dyn Read, &mut dyn Write) -> io::Result<()>,
}

/// Parses the command line, runs, reports, and gives the exit code.
pub fn main<A: Parser>(run: fn(A, &Cli) -> anyhow::Result<Outcome>) -> ExitCode {
    start(run)
}

/// The same for a tool that is also its own worker process.
pub fn main_with_worker<A: Parser>(worker: Worker, run: fn(A, &Cli) -> anyhow::Result<Outcome>) -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == worker.name) {
        return match (worker.serve)(&mut io::stdin().lock(), &mut io::stdout().lock()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(FATAL),
        };
    }
    start(run)
}

fn start<A: Parser>(run: fn(A, &Cli) -> anyhow::Result<Outcome>) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match parse::<A>(&arguments) {
        Ok(Start::Run(args, cli)) => finish(run(*args, &cli), &cli),
        Ok(Start::Print(text)) => print(&text),
        Err(Refusal::Usage(error)) => usage(&error),
        Err(Refusal::Config(error)) => {
            report::fatal(&error, crate::Colour::Plain);
            ExitCode::from(FATAL)
        }
    }
}

fn finish(result: anyhow::Result<Outcome>, cli: &Cli) -> ExitCode {
    match result {
        Ok(outcome) => outcome.code(),
        Err(error) => report::exit_code(&error, cli),
    }
}

enum Start<A> {
    Run(Box<A>, Box<Cli>),
    Print(Vec<u8>),
}

enum Refusal {
    Usage(clap::Error),
    Config(anyhow::Error),
}

impl From<clap::Error> for Refusal {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error)
    }
}

fn parse<A: Parser>(arguments: &[OsString]) -> Result<Start<A>, Refusal> {
    let bare = command::<A>();
    let layers = Layers::find().map_err(Refusal::Config)?;
    let command = config::apply(bare, &layers).map_err(Refusal::Config)?;
    let mut asked = command.clone();
    if let Some(text) = manual::asked(arguments, &mut asked).map_err(Refusal::Config)? {
        return Ok(Start::Print(text));
    }
    let matches = command.clone().try_get_matches_from(arguments)?;
    let common = Common::from_arg_matches(&matches)?;
    if common.print_config {
        return Ok(Start::Print(config::listing(&command, &matches, &layers)));
    }
    let args = A::from_arg_matches(&matches)?;
    let help = asked.render_help().to_string();
    let cli = Cli { tool: command.get_name().to_owned(), common, no_color: no_color(), help, layers };
    Ok(Start::Run(Box::new(args), Box::new(cli)))
}

fn command<A: Parser>() -> Command {
    let command = A::command();
    // Augmenting puts the description of the common options over the tool's own.
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    let command = Common::augment_args(command).about(about.unwrap_or_default());
    let command = command.long_about(long_about.map_or(Resettable::Reset, Resettable::Value));
    // A tool may say more than the number: which build it is.
    let version = command.get_version().unwrap_or(env!("CARGO_PKG_VERSION")).to_owned();
    command.version(version).disable_help_subcommand(true)
}

/// <https://no-color.org>: present and not empty.
#[expect(clippy::disallowed_methods, reason = "techrag-cli is the room that reads the environment")]
fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

fn print(text: &[u8]) -> ExitCode {
    match io::stdout().lock().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(FATAL),
        _ => ExitCode::SUCCESS,
    }
}

/// Help and version go to stdout and are a success; anything else is a usage error.
fn usage(error: &clap::Error) -> ExitCode {
    let wanted = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let text = if io::stdout().is_terminal() && wanted {
        error.render().ansi().to_string()
    } else {
        error.render().to_string()
    };
    if wanted {
        return print(text.as_bytes());
    }
    report::raw(&text);
    ExitCode::from(FATAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pass every chunk on
    #[derive(Parser)]
    #[command(name = "techrag-example")]
    struct Example {}

    #[test]
    fn the_help_opens_with_what_the_tool_does() {
        let help = command::<Example>().render_long_help().to_string();
        assert!(help.starts_with("Pass every chunk on\n"), "{help}");
    }
}
