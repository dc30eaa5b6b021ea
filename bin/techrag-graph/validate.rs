//! `techrag-graph validate`: authors checked against OpenAlex.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::Context as _;
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_graph::validate::{Checked, OpenAlex};
use techrag_net::clock::{Cancel, Clock};
use techrag_net::polite::{Desk, Freshness};
use techrag_net::transport::{Client, Config, Retry, Secret, Timeouts};

/// Check the authors of `entities` records against OpenAlex
///
/// By DOI first, by title second; authors are replaced only on a confident match of title, year and a shared family name.
/// `authors_checked` says what it came to; offline, or where the source refuses, it says `unchecked` and nothing changes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-graph validate --cache cache <entities.jsonl | techrag-graph load --library lib")]
pub(crate) struct Args {
    /// Folder of stored answers and counted requests
    #[arg(long, value_name = "DIR", env = "TECHRAG_CACHE")]
    cache: PathBuf,
    /// Address of the source
    #[arg(long, value_name = "URL", default_value = "https://api.openalex.org/")]
    openalex: String,
    /// Key of the source; better from the environment
    #[arg(long, value_name = "KEY", env = "OPENALEX_API_KEY", hide_env_values = true, default_value = "")]
    openalex_key: String,
    /// Longest wait for a turn or an answer, in seconds
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = techrag_cli::range::whole::<u64>(0..=techrag_cli::range::LONGEST))]
    max_wait: u64,
}

const BODY_LIMIT: usize = 8 << 20;
const WANTED: Wanted = Wanted { kinds: &[Kind::Entities], bare: Bare::Refused };

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let patience = Duration::from_secs(args.max_wait);
    let config = Config {
        user_agent: format!("techrag/{}", cli.version()),
        timeouts: Timeouts { connect: Duration::from_secs(5), read: patience, total: 3 * patience },
        retry: Retry { attempts: 3, first: Duration::from_secs(1), cap: patience, patience },
        body_limit: BODY_LIMIT,
        offline: cli.offline(),
        clock: Clock::system(),
        cancel: Cancel::default(),
    };
    let base = args.openalex.parse().with_context(|| format!("{:?} is no address", args.openalex))?;
    let desk = Desk::new(Client::new(config), &args.cache, Freshness::Stored, patience);
    let source = OpenAlex::new(desk, base, Secret::new(&args.openalex_key));
    let reason: Mutex<Option<String>> = Mutex::default();
    let outcome = cli.each(WANTED, |record| {
        let Record::Entities(mut entities) = record else { return Ok(vec![record]) };
        if let Checked::Unchecked(why) = source.check(&mut entities)
            && let Ok(mut reason) = reason.lock()
        {
            reason.get_or_insert(why);
        }
        Ok(vec![Record::Entities(entities)])
    })?;
    if let Ok(Some(why)) = reason.into_inner() {
        cli.note(&format!("some authors are unchecked: {why}"));
    }
    Ok(outcome)
}
