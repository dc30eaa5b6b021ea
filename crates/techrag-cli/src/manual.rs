//! What a tool prints about itself: schemas, completions, the man page.

use std::ffi::OsString;

use clap::{Args as _, Command, FromArgMatches as _};
use serde_json::{Map, Value};

use crate::common::Common;

/// The text asked for by `--schema`, `--completions` or `--man`, if one of them is on the command line. Looked for
/// before the full parse, so that no required argument stands in the way.
pub(crate) fn asked(arguments: &[OsString], command: &mut Command) -> anyhow::Result<Option<Vec<u8>>> {
    let asked = |name: &str| {
        arguments
            .iter()
            .filter_map(|argument| argument.to_str())
            .any(|argument| argument.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')))
    };
    if !["--schema", "--completions", "--man"].into_iter().any(asked) {
        return Ok(None);
    }
    let lenient = Common::augment_args(Command::new("x")).ignore_errors(true).disable_help_flag(true);
    let Ok(common) = Common::from_arg_matches(&lenient.get_matches_from(arguments)) else { return Ok(None) };
    let mut text = Vec::new();
    if common.schema {
        let schemas: Map<String, Value> =
            techrag_core::record::schemas().into_iter().map(|(tag, schema)| (tag.to_owned(), schema)).collect();
        serde_json::to_writer_pretty(&mut text, &schemas)?;
        text.push(b'\n');
    } else if let Some(shell) = common.completions {
        let name = command.get_name().to_owned();
        clap_complete::generate(shell, command, name, &mut text);
    } else if common.man {
        clap_mangen::Man::new(command.clone()).render(&mut text)?;
    } else {
        return Ok(None);
    }
    Ok(Some(text))
}
