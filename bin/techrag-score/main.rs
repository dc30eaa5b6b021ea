//! `techrag-score`: is what was found enough to answer from?

mod args;
#[path = "../llm/mod.rs"]
mod llm;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_score::{Config, Pass, assess, decide, explain, gate, review};

use args::{Args, Reviewer};

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let (model, thesaurus, by) = (args.model()?, args.words()?, cli.by());
    let config = Config { year: args.year, model: &model, thesaurus: &thesaurus, by: &by };
    let chat = match args.reviewer {
        Reviewer::None => None,
        Reviewer::Llm => Some(args.llm.needed(cli, "--reviewer llm")?),
    };
    let pass = if args.retry { Pass::Retry } else { Pass::First };
    let short = AtomicBool::new(false);
    let wanted = Wanted { kinds: &[Kind::Query], bare: Bare::Refused };
    let outcome = cli.each(wanted, |record| {
        let Record::Query(mut query) = record else { return Ok(vec![record]) };
        cli.timed(&mut query, |query| {
            if args.retry {
                decide(query, config);
            } else {
                // What is not scored says so in its trace.
                let _ = assess(query, config);
            }
            chat.as_ref().map_or(Ok(()), |chat| review(query, pass, chat, &thesaurus, args.max_prompt_tokens))
        })
        .map_err(llm::fatal)?;
        if args.least().is_some_and(|least| gate(&query, least)) {
            short.store(true, Ordering::Relaxed);
        }
        let table = || Record::Other(explain::table(&query).trim_end().to_owned());
        Ok(vec![if args.explain { table() } else { Record::Query(query) }])
    })?;
    chat.iter().for_each(|chat| llm::report(chat, cli));
    Ok(if short.into_inner() { outcome.and(Outcome::Refused) } else { outcome })
}

fn main() -> ExitCode {
    techrag_cli::main(run)
}
