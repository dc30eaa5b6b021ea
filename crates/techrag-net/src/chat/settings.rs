//! Which server, which model, which key: from flags and the `[llm]` tables of the configuration files.
//!
//! ```toml
//! [llm]
//! base_url = "https://llm.example.org/v1"
//! model = "small-1"
//! key_env = "EXAMPLE_KEY"        # or key_file = "/home/me/.keys/example"
//! timeout = 600                  # seconds a call may take, retries included
//! form = "schema"                # how JSON is asked for: schema, object or text; found out when absent
//! max_usd = 0.50                 # of a run
//! max_calls = 200
//! [llm.agents.writer]            # route, verifier, reviewer, planner, researcher, writer, critic, single
//! model = "large-1"
//! temperature = 0.1
//! max_tokens = 1500
//! [llm.prices.small-1]           # US dollars for a million tokens
//! input = 0.15
//! output = 0.60
//! [llm.keys]                     # the user's own file only: which further server may get which key
//! "https://other.example.org" = "OTHER_KEY"
//! ```
//!
//! **A project's file may not send a key to a new host.** Where the address or the source of the key comes from a
//! project's `techrag.toml`, server and key must be a pair that the user's own file has, in its `base_url` with
//! `key_env` or `key_file`, or in `[llm.keys]`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use url::Url;

use super::error::{Error, Kind};
use super::message::Form;
use super::price::{Budget, Price, Prices};
use crate::transport::Secret;

/// Seconds a call may take unless the settings say otherwise: a small model on one core writes a long reply in minutes.
const TIMEOUT_S: f64 = 600.0;

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Found upward from the working directory: whoever made the folder wrote it.
    Project,
    /// The user's own file.
    User,
}

/// What the flags and the environment say; they win over files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flags {
    /// Address of the server.
    pub base_url: Option<String>,
    /// Model of all agents without one of their own.
    pub model: Option<String>,
    /// Variable that holds the key.
    pub key_env: Option<String>,
    /// File that holds the key.
    pub key_file: Option<PathBuf>,
    /// Longest a call may take, in seconds.
    pub timeout: Option<f64>,
    /// Most US dollars of a run.
    pub max_usd: Option<f64>,
    /// Most calls of a run.
    pub max_calls: Option<u64>,
}

/// What an agent has of its own.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSettings {
    /// Its model.
    pub model: Option<String>,
    /// Its temperature, 0 to 2.
    pub temperature: Option<f64>,
    /// Most tokens of its replies.
    pub max_tokens: Option<u32>,
}

/// A server and how it is used.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Up to and without `/chat/completions`.
    pub base_url: Url,
    /// Model of all agents without one of their own.
    pub model: String,
    /// The key, where there is one.
    pub key: Option<Secret>,
    /// What agents have of their own.
    pub agents: BTreeMap<String, AgentSettings>,
    /// What calls cost.
    pub prices: Prices,
    /// What may be spent.
    pub budget: Budget,
    /// Longest a call may take, retries included.
    pub timeout: Duration,
    /// How JSON is asked for; `None` to find out.
    pub form: Option<Form>,
}

/// A file's `[llm]` table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    base_url: Option<String>,
    model: Option<String>,
    key_env: Option<String>,
    key_file: Option<PathBuf>,
    timeout: Option<f64>,
    form: Option<FileForm>,
    max_usd: Option<f64>,
    max_calls: Option<u64>,
    #[serde(default)]
    agents: BTreeMap<String, AgentSettings>,
    #[serde(default)]
    prices: BTreeMap<String, Price>,
    #[serde(default)]
    keys: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FileForm {
    Schema,
    Object,
    Text,
}

/// Where a key is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// An environment variable.
    Variable(String),
    /// A file; its first line is the key.
    File(PathBuf),
}

/// The settings of flags and files, the strongest file first. `None` if neither names a server. `read` gives the key of
/// a source, or `None` where there is none.
///
/// # Errors
/// [`Kind::Settings`] if a file's table has an unknown key or a value of the wrong type, a value is out of range, a
/// model is missing, or a project's file would send a key to a new host.
pub fn settings(
    flags: &Flags,
    files: &[(toml::Table, Origin)],
    read: impl Fn(&KeySource) -> Result<Option<String>, String>,
) -> Result<Option<Settings>, Error> {
    let files = files.iter().map(|(table, origin)| Ok((parsed(table)?, *origin))).collect::<Result<Vec<_>, Error>>()?;
    let of_file = |get: fn(&File) -> Option<String>| files.iter().find_map(|(file, from)| Some((get(file)?, *from)));
    let url = flags.base_url.clone().map(|url| (url, Origin::User)).or_else(|| of_file(|file| file.base_url.clone()));
    let Some((url, url_from)) = url else { return Ok(None) };
    let base_url = address(&url)?;
    let key = match key_source(flags, &files, &base_url) {
        None => None,
        Some((source, source_from)) => {
            let key = read(&source).map_err(|why| fail(format!("the key cannot be read: {why}")))?;
            let key = key.map(|key| Secret::new(&key)).filter(|key| !key.is_empty());
            let of_project = url_from == Origin::Project || source_from == Origin::Project;
            if key.is_some() && of_project && !is_trusted(&files, &base_url, &source) {
                return Err(refused(&base_url, &source));
            }
            key
        }
    };
    let model = flags.model.clone().or_else(|| of_file(|file| file.model.clone()).map(|(model, _)| model));
    let model = model.ok_or_else(|| fail("no model named").hint("say --llm-model NAME, or model in [llm]"))?;
    let budget = Budget {
        usd: flags.max_usd.or_else(|| files.iter().find_map(|(file, _)| file.max_usd)),
        calls: flags.max_calls.or_else(|| files.iter().find_map(|(file, _)| file.max_calls)),
    };
    let seconds = flags.timeout.or_else(|| files.iter().find_map(|(file, _)| file.timeout)).unwrap_or(TIMEOUT_S);
    let timeout = Duration::try_from_secs_f64(seconds).ok().filter(|timeout| !timeout.is_zero());
    let timeout = timeout.ok_or_else(|| fail(format!("a timeout of {seconds} seconds")))?;
    let form = files.iter().find_map(|(file, _)| file.form).map(|form| match form {
        FileForm::Schema => Form::Schema,
        FileForm::Object => Form::Object,
        FileForm::Text => Form::Text,
    });
    let settings = Settings {
        base_url,
        model,
        key,
        agents: merged(&files, |file| &file.agents),
        prices: Prices(merged(&files, |file| &file.prices)),
        budget,
        timeout,
        form,
    };
    check(&settings)?;
    Ok(Some(settings))
}

fn fail(message: impl Into<String>) -> Error {
    Error::new(Kind::Settings, message)
}

fn parsed(table: &toml::Table) -> Result<File, Error> {
    table.clone().try_into().map_err(|error: toml::de::Error| fail(format!("[llm]: {}", error.message())))
}

fn address(url: &str) -> Result<Url, Error> {
    let parsed = Url::parse(url).ok().filter(|parsed| matches!(parsed.scheme(), "http" | "https") && parsed.has_host());
    let mut parsed = parsed.ok_or_else(|| {
        fail(format!("{url:?} is no address of a server")).hint("it looks like http://127.0.0.1:8080/v1")
    })?;
    // A path that ends in a slash is a folder that `chat/completions` lies in.
    if !parsed.path().ends_with('/') {
        let folder = format!("{}/", parsed.path());
        parsed.set_path(&folder);
    }
    Ok(parsed)
}

/// The source of the key, the flags' before the strongest file's, a file's own before its `keys`.
fn key_source(flags: &Flags, files: &[(File, Origin)], url: &Url) -> Option<(KeySource, Origin)> {
    let of_flags = flags.key_env.clone().map(KeySource::Variable);
    let of_flags = of_flags.or_else(|| flags.key_file.clone().map(KeySource::File));
    let own = || files.iter().find_map(|(file, origin)| Some((own_source(file)?, *origin)));
    let listed = || files.iter().filter(|(_, origin)| *origin == Origin::User).find_map(|(file, _)| listed(file, url));
    // What the user lists for this very server is meant for it; another server's key is not.
    of_flags.map(|source| (source, Origin::User)).or_else(|| listed().map(|source| (source, Origin::User))).or_else(own)
}

fn own_source(file: &File) -> Option<KeySource> {
    let variable = file.key_env.clone().map(KeySource::Variable);
    variable.or_else(|| file.key_file.clone().map(KeySource::File))
}

fn listed(file: &File, url: &Url) -> Option<KeySource> {
    let same = |address: &&String| Url::parse(address).is_ok_and(|address| address.origin() == url.origin());
    let (_, name) = file.keys.iter().find(|(address, _)| same(address))?;
    Some(KeySource::Variable(name.clone()))
}

/// Whether the user's own file gives this key to this server.
fn is_trusted(files: &[(File, Origin)], url: &Url, source: &KeySource) -> bool {
    files.iter().filter(|(_, origin)| *origin == Origin::User).any(|(file, _)| {
        let own = file.base_url.as_deref().and_then(|own| Url::parse(own).ok());
        let pair = own.is_some_and(|own| own.origin() == url.origin()) && own_source(file).as_ref() == Some(source);
        pair || listed(file, url).as_ref() == Some(source)
    })
}

fn refused(url: &Url, source: &KeySource) -> Error {
    let origin = url.origin().ascii_serialization();
    let (what, line) = match source {
        KeySource::Variable(name) => (name.clone(), format!("[llm.keys] \"{origin}\" = \"{name}\"")),
        KeySource::File(path) => {
            let path = path.display();
            (path.to_string(), format!("[llm] base_url = \"{origin}\", key_file = \"{path}\""))
        }
    };
    fail(format!("the project's techrag.toml would send the key {what} to {origin}; a project may not"))
        .hint(format!("if you trust it, write into your own ~/.config/techrag/techrag.toml: {line}"))
}

/// Tables of all files as one, the strongest file's entries kept.
fn merged<T: Clone>(files: &[(File, Origin)], of: fn(&File) -> &BTreeMap<String, T>) -> BTreeMap<String, T> {
    let mut all = BTreeMap::new();
    for (file, _) in files {
        for (name, value) in of(file) {
            all.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    all
}

/// Names of agents, so that a misspelt one is refused.
pub const AGENTS: [&str; 9] =
    ["route", "verifier", "reviewer", "planner", "researcher", "writer", "critic", "single", "extractor"];

fn check(settings: &Settings) -> Result<(), Error> {
    for (name, agent) in &settings.agents {
        if !AGENTS.contains(&name.as_str()) {
            return Err(fail(format!("[llm.agents] has no agent {name:?}; there are {}", AGENTS.join(", "))));
        }
        if agent.temperature.is_some_and(|heat| !(0.0..=2.0).contains(&heat)) || agent.max_tokens == Some(0) {
            return Err(fail(format!("[llm.agents.{name}]: a temperature is 0 to 2, a cap is at least 1")));
        }
    }
    let negative = |value: f64| !value.is_finite() || value < 0.0;
    if settings.prices.0.values().any(|price| negative(price.input) || negative(price.output)) {
        return Err(fail("[llm.prices]: a price is no number of at least 0"));
    }
    let Some(usd) = settings.budget.usd else { return Ok(()) };
    if negative(usd) {
        return Err(fail(format!("a budget of {usd} USD")));
    }
    let models = settings.agents.values().filter_map(|agent| agent.model.as_ref()).chain([&settings.model]);
    match models.into_iter().find(|model| settings.prices.usd(model, 0, 0).is_none()) {
        Some(model) => Err(fail(format!("a budget in USD needs the price of {model}"))
            .hint(format!("write [llm.prices.\"{model}\"] input = …, output = … (USD for a million tokens)"))),
        None => Ok(()),
    }
}

/// The key in a file: its first line.
///
/// # Errors
/// Why it cannot be read; the message names the file, never what is in it.
pub fn key_of_file(path: &Path) -> Result<Option<String>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.lines().next().map(str::to_owned))
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
