//! What is said on stderr, and nothing else is.

use std::io::{self, Write};
use std::process::ExitCode;

use techrag_core::record::ErrorRecord;

use crate::common::{Cli, Colour};
use crate::failure::{Hinted, Unreachable};
use crate::outcome::Outcome;

/// Exit code of an error that ends a run.
pub(crate) const FATAL: u8 = 2;

/// Writes to stderr. A failure to do so is nobody's to hear.
pub(crate) fn raw(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Reports the error and gives its exit code: 4 for an unreachable service, 2 for anything else.
pub(crate) fn exit_code(error: &anyhow::Error, cli: &Cli) -> ExitCode {
    fatal(error, cli.stderr_colour());
    if is_unreachable(error) { Outcome::Unreachable.code() } else { ExitCode::from(FATAL) }
}

pub(crate) fn is_unreachable(error: &anyhow::Error) -> bool {
    let hinted = |cause: &Hinted| is_unreachable(&cause.error);
    error.chain().any(|cause| cause.is::<Unreachable>() || cause.downcast_ref::<Hinted>().is_some_and(hinted))
}

/// `error:`, the chain of causes, the hints.
pub(crate) fn fatal(error: &anyhow::Error, colour: Colour) {
    let mut text = format!("{} {}\n", label("error:", colour), printable(&error.to_string()));
    let mut said = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Many an error ends in its cause.
        if !said.ends_with(&cause) {
            text.push_str(&format!("  caused by: {}\n", printable(&cause)));
        }
        said = cause;
    }
    for hinted in error.chain().filter_map(|cause| cause.downcast_ref::<Hinted>()) {
        text.push_str(&format!("hint: {}\n", printable(&hinted.hint)));
    }
    raw(&text);
}

/// One failure of a record, as one line.
pub(crate) fn record(error: &ErrorRecord, colour: Colour) -> String {
    let hint = error.hint.as_deref().map_or(String::new(), |hint| format!(" ({})", printable(hint)));
    // A name may hold a line end; one failure is one line.
    let of = printable(&error.of).replace('\n', "\u{fffd}");
    format!("{} {of}: {}{hint}\n", label("error:", colour), printable(&error.message))
}

fn label(text: &str, colour: Colour) -> String {
    match colour {
        Colour::Plain => text.to_owned(),
        Colour::Ansi => format!("\u{1b}[1;31m{text}\u{1b}[0m"),
    }
}

/// File names and messages come from outside: control characters must not reach the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

impl Cli {
    /// Says something a user may want to know, unless `--quiet`.
    pub fn note(&self, message: &str) {
        if !self.common.quiet {
            raw(&format!("{}: {}\n", self.tool, printable(message)));
        }
    }

    /// Says something only with `--verbose`.
    pub fn detail(&self, message: &str) {
        if self.common.verbose > 0 && !self.common.quiet {
            raw(&format!("{}: {}\n", self.tool, printable(message)));
        }
    }
}

#[cfg(test)]
mod tests {
    use techrag_core::record::ErrorKind;

    use super::*;

    #[test]
    fn escapes_in_a_file_name_do_not_reach_the_terminal() {
        let error = ErrorRecord::new("a\u{1b}[2J.pdf", "chunk", ErrorKind::Damaged, "no pages").hint("repair it");
        assert_eq!(record(&error, Colour::Plain), "error: a\u{fffd}[2J.pdf: no pages (repair it)\n");
    }
}
