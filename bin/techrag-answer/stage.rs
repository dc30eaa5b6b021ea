//! A step over query records, with its version and, where asked for, its time in the trace.

use std::time::Instant;

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::record::Query;

/// Runs `step` on every query record; it must append one trace entry.
pub(crate) fn each(cli: &Cli, step: impl Fn(&mut Query) + Sync) -> anyhow::Result<Outcome> {
    let wanted = Wanted { kinds: &[Kind::Query], bare: Bare::Refused };
    cli.each(wanted, |record| {
        let Record::Query(mut query) = record else { return Ok(vec![record]) };
        let started = Instant::now();
        step(&mut query);
        if let Some(entry) = query.trace.last_mut() {
            entry.version = cli.version().to_owned();
            entry.ms = cli.timings().then(|| started.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(vec![Record::Query(query)])
    })
}
