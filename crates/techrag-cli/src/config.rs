//! Layered configuration: flags, then environment, then the project's `techrag.toml`, then the user's.
//!
//! A file sets defaults of options: `[common]` for those every tool has, `[retrieve]` for a tool's own,
//! `[index.add]` for a subcommand's. The values become the options' defaults before the command line is parsed, so
//! that there is one place where an option's value is checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::builder::OsStr;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use toml::{Table, Value};

/// Name of the file, found upward from the working directory and in the user's configuration folder.
const FILE: &str = "techrag.toml";
const COMMON: &str = "common";
/// Options that make no sense in a file, and those that say where texts and keys are sent.
const NEVER: &[&str] =
    &["help", "version", "print_config", "schema", "completions", "man", "output", "endpoint", "endpoint_key_env"];

/// Options of a language model stand in a table of their own, `[llm]`, which knows whose file it is: see
/// [`Layers::tables`].
const ELSEWHERE: &str = "llm";

/// A configuration file.
#[derive(Debug)]
struct Layer {
    path: PathBuf,
    table: Table,
    /// Whether it belongs to the project that the working directory is in: whoever made that wrote it.
    project: bool,
}

/// The files, the strongest first.
#[derive(Debug, Default)]
pub(crate) struct Layers(Vec<Layer>);

impl Layers {
    /// Looks for the project's and the user's file.
    #[expect(clippy::disallowed_methods, reason = "techrag-cli is the room that reads the environment")]
    pub(crate) fn find() -> anyhow::Result<Self> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let here = std::env::current_dir().unwrap_or_default();
        let project = here.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file());
        let home = variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")));
        let user = home.map(|folder| folder.join("techrag").join(FILE)).filter(|path| path.is_file());
        // The user's own file may be found upward too: it stays the user's.
        let project = project.filter(|path| user.as_ref() != Some(path));
        let layers = project.map(|path| (path, true)).into_iter().chain(user.map(|path| (path, false)));
        Ok(Self(layers.map(|(path, project)| Layer::read(path, project)).collect::<anyhow::Result<_>>()?))
    }

    /// The tables of this name, the strongest file's first, and whether that file is the project's.
    pub(crate) fn tables(&self, name: &str) -> Vec<(&Table, bool)> {
        let layers = self.0.iter();
        layers.filter_map(|layer| Some((layer.table.get(name)?.as_table()?, layer.project))).collect()
    }

    /// The value of an option of a section, and the file it is from.
    fn get(&self, section: &[&str], key: &str) -> Option<(&Value, &Path)> {
        self.0.iter().find_map(|layer| Some((table(&layer.table, section)?.get(key)?, layer.path.as_path())))
    }
}

impl Layer {
    fn read(path: PathBuf, project: bool) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let table = text.parse().with_context(|| format!("{} is not TOML", path.display()))?;
        Ok(Self { path, table, project })
    }
}

fn table<'a>(table: &'a Table, section: &[&str]) -> Option<&'a Table> {
    section.iter().try_fold(table, |table, name| table.get(*name)?.as_table())
}

/// The command with the files' values as defaults.
pub(crate) fn apply(command: Command, layers: &Layers) -> anyhow::Result<Command> {
    let stage = stage(&command);
    let command = section(command, layers, &[&stage])?;
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    names.into_iter().try_fold(command, |command, name| {
        let mut failed = None;
        let command = command.mut_subcommand(&name, |sub| {
            let kept = sub.clone();
            section(sub, layers, &[&stage, &name]).unwrap_or_else(|error| {
                failed = Some(error);
                kept
            })
        });
        failed.map_or(Ok(command), Err)
    })
}

fn stage(command: &Command) -> String {
    let name = command.get_name();
    name.strip_prefix("techrag-").unwrap_or(name).to_owned()
}

fn section(mut command: Command, layers: &Layers, path: &[&str]) -> anyhow::Result<Command> {
    refuse_unknown(&command, layers, path)?;
    let options: Vec<(String, bool)> = settable(&command).map(|arg| (id(arg), arg.is_global_set())).collect();
    for (option, global) in options {
        let path = if global { &[COMMON][..] } else { path };
        if let Some((value, file)) = layers.get(path, &key(&option)) {
            let values = strings(value)
                .with_context(|| format!("{}: {} in [{}]", file.display(), key(&option), path.join(".")))?;
            command = command.mut_arg(&option, |arg| arg.default_values(values));
        }
    }
    Ok(command)
}

/// A misspelt key must not be silently ignored.
fn refuse_unknown(command: &Command, layers: &Layers, path: &[&str]) -> anyhow::Result<()> {
    let own: BTreeMap<String, bool> = settable(command).map(|arg| (key(&id(arg)), arg.is_global_set())).collect();
    for layer in &layers.0 {
        for (section, global) in [(path, false), (&[COMMON][..], true)] {
            let Some(table) = table(&layer.table, section) else { continue };
            for (name, value) in table {
                let known = own.get(name).is_some_and(|is_global| *is_global == global);
                // A subcommand does not list the common options before it is built; its parent has checked them.
                let checked_elsewhere = value.is_table() || (global && path.len() > 1);
                if !known && !checked_elsewhere {
                    let names = own.iter().filter(|(_, is)| **is == global).map(|(name, _)| name.as_str());
                    bail!(
                        "{}: [{}] has no option {name:?}; it has {}",
                        layer.path.display(),
                        section.join("."),
                        names.collect::<Vec<_>>().join(", ")
                    );
                }
            }
        }
    }
    Ok(())
}

fn settable(command: &Command) -> impl Iterator<Item = &Arg> {
    let named = |arg: &&Arg| NEVER.contains(&arg.get_id().as_str()) || is_elsewhere(arg);
    command.get_arguments().filter(move |arg| !arg.is_positional() && !named(arg))
}

fn is_elsewhere(arg: &Arg) -> bool {
    let id = arg.get_id().as_str();
    id == ELSEWHERE || id.starts_with("llm_")
}

fn id(arg: &Arg) -> String {
    arg.get_id().as_str().to_owned()
}

/// Options are spelt in files as on the command line.
fn key(id: &str) -> String {
    id.replace('_', "-")
}

fn strings(value: &Value) -> anyhow::Result<Vec<OsStr>> {
    Ok(match value {
        Value::Array(values) => values.iter().map(strings).collect::<anyhow::Result<Vec<_>>>()?.concat(),
        Value::String(text) => vec![OsStr::from(text.clone())],
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => vec![OsStr::from(value.to_string())],
        Value::Table(_) | Value::Datetime(_) => bail!("a string, number, boolean or list of them is expected"),
    })
}

/// Each setting of the command that was called, its value and where it came from, as TOML with comments.
pub(crate) fn listing(command: &Command, matches: &ArgMatches, layers: &Layers) -> Vec<u8> {
    let stage = stage(command);
    let mut text = String::new();
    list(command, matches, layers, &[&stage], &mut text);
    if let Some((name, inner)) = matches.subcommand()
        && let Some(sub) = command.find_subcommand(name)
    {
        list(sub, inner, layers, &[&stage, name], &mut text);
        if sub.get_arguments().any(is_elsewhere) {
            list_elsewhere(sub, inner, layers, &mut text);
        }
    } else if command.get_arguments().any(is_elsewhere) {
        list_elsewhere(command, matches, layers, &mut text);
    }
    text.into_bytes()
}

/// The options of a language model, then what the files' tables say, file by file.
fn list_elsewhere(command: &Command, matches: &ArgMatches, layers: &Layers, text: &mut String) {
    for arg in command.get_arguments().filter(|arg| is_elsewhere(arg)) {
        text.push_str(&line(arg, matches, None));
    }
    for layer in &layers.0 {
        let Some(table) = layer.table.get(ELSEWHERE).and_then(Value::as_table) else { continue };
        text.push_str(&format!("[{ELSEWHERE}] # {}\n", layer.path.display()));
        for (name, value) in table {
            text.push_str(&format!("{name} = {value}\n"));
        }
    }
}

fn list(command: &Command, matches: &ArgMatches, layers: &Layers, path: &[&str], text: &mut String) {
    for global in [true, false] {
        let section = if global { COMMON.to_owned() } else { path.join(".") };
        if global && path.len() > 1 {
            continue;
        }
        text.push_str(&format!("[{section}]\n"));
        for arg in settable(command).filter(|arg| arg.is_global_set() == global) {
            let option = id(arg);
            let path = if global { &[COMMON][..] } else { path };
            let file = layers.get(path, &key(&option)).map(|(_, file)| file);
            text.push_str(&line(arg, matches, file));
        }
    }
}

fn line(arg: &Arg, matches: &ArgMatches, file: Option<&Path>) -> String {
    let id = arg.get_id().as_str();
    let values: Vec<String> = matches
        .get_raw(id)
        .map(|values| values.map(|value| Value::String(value.to_string_lossy().into_owned()).to_string()).collect())
        .unwrap_or_default();
    let value = match values.as_slice() {
        [] => return format!("# {} is not set\n", key(id)),
        // A password is not for reading over a shoulder.
        _ if arg.is_hide_env_values_set() => "\"…\"".into(),
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    format!("{} = {value} # {}\n", key(id), source(arg, matches.value_source(id), file))
}

fn source(arg: &Arg, source: Option<ValueSource>, file: Option<&Path>) -> String {
    match (source, file) {
        (Some(ValueSource::CommandLine), _) => "command line".into(),
        (Some(ValueSource::EnvVariable), _) => {
            format!("environment {}", arg.get_env().map(|name| name.to_string_lossy()).unwrap_or_default())
        }
        (_, Some(file)) => file.display().to_string(),
        _ => "default".into(),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
