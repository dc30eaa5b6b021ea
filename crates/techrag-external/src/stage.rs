//! Which records are searched for, and what is written into them (SPEC sections 1, 8 and 9).

use std::collections::BTreeSet;

use serde_json::json;
use techrag_core::record::{Effort, External, Outcome, Query, RouteName, SourceOutcome, TraceEntry, Verdict, Work};

use crate::search::Found;
use crate::world::World;

/// What a query asks of the world outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The loops to run.
    pub loops: Vec<RouteName>,
    /// Why these, or why none.
    pub reason: String,
}

/// Decides by route, verdict and effort.
///
/// | route | searched |
/// |---|---|
/// | content | when the evidence is MODERATE or WEAK after the retry, or was never scored; not when STRONG, not when the caller fixed the effort to low, and not when the library's catalog answers |
/// | bibliometric, trend | always |
/// | current_world | always, the web only |
pub fn plan(query: &Query) -> Plan {
    let mut loops = Vec::new();
    let mut reasons = Vec::new();
    if query.takes(RouteName::Content) {
        let (search, why) = content(query);
        reasons.push(format!("content: {why}"));
        if search {
            loops.push(RouteName::Content);
        }
    }
    for (route, why) in [
        (RouteName::Bibliometric, "bibliometric: always asks OpenAlex"),
        (RouteName::Trend, "trend: always asks OpenAlex for works by year"),
        (RouteName::CurrentWorld, "current_world: the web, and no library"),
    ] {
        if query.takes(route) {
            loops.push(route);
            reasons.push(why.to_owned());
        }
    }
    Plan { loops, reason: reasons.join("; ") }
}

fn content(query: &Query) -> (bool, &'static str) {
    let low = query.route.as_ref().is_some_and(|route| route.effort_fixed && route.effort == Effort::Low);
    match query.evidence.as_ref().map(|evidence| evidence.verdict) {
        _ if query.sql.is_some() => (false, "the library's catalog answers, nothing outside is asked"),
        Some(Verdict::Strong) => (false, "the library's evidence is STRONG, nothing outside is asked"),
        _ if low => (false, "low effort was asked for, nothing outside is asked"),
        Some(Verdict::Moderate) => (true, "the library's evidence is MODERATE and is enriched"),
        Some(Verdict::Weak) => (true, "the library's evidence is WEAK"),
        None => (true, "nothing was scored"),
    }
}

/// Searches where [`plan`] says so; writes `external` and one trace entry.
pub fn run(query: &mut Query, world: &World<'_>) {
    let plan = plan(query);
    let mut external = External { reason: plan.reason, by: world.config.by.clone(), ..External::default() };
    for of in &plan.loops {
        let found = match of {
            RouteName::Content => world.content(query),
            RouteName::Bibliometric => world.bibliometric(query),
            RouteName::Trend => world.trend(query),
            RouteName::CurrentWorld => world.current_world(query),
        };
        add(&mut external, *of, found);
    }
    if world.is_offline() && !plan.loops.is_empty() {
        external.notes.push("offline: only what is stored was looked at".into());
    }
    note_outcomes(&mut external);
    finish(query, external);
}

/// Writes that nothing outside is asked, and why, into a query that would have been searched for; one that would not
/// says so itself.
pub fn skip(query: &mut Query, by: &str, why: &str) {
    let Plan { loops, reason } = plan(query);
    let notes = if loops.is_empty() { Vec::new() } else { vec![format!("nothing outside was asked: {why}")] };
    finish(query, External { reason, notes, by: by.to_owned(), ..External::default() });
}

/// The works of some DOIs, each with what every index says of it.
pub fn lookup(query: &mut Query, dois: &[String], world: &World<'_>) {
    let reason = format!("looked up: {}", dois.join(", "));
    let mut external = External { reason, by: world.config.by.clone(), ..External::default() };
    for (n, doi) in (1..).zip(dois) {
        let (sources, records) = world.lookup(doi);
        let works = crate::dedup::merged(records);
        let count = u32::try_from(works.len()).unwrap_or(u32::MAX);
        external.attempts.push(techrag_core::record::Attempt {
            n,
            query: doi.clone(),
            made: "the DOI".into(),
            sources,
            found: count,
            vetted: count,
            ..Default::default()
        });
        external.works.extend(works);
    }
    note_outcomes(&mut external);
    finish(query, external);
}

fn add(external: &mut External, of: RouteName, found: Found) {
    let known: BTreeSet<String> = external.works.iter().map(|work| work.work_id.clone()).collect();
    external.works.extend(found.works.into_iter().filter(|work| !known.contains(&work.work_id)));
    external.attempts.extend(found.attempts);
    external.counts.extend(found.counts);
    external.pages.extend(found.pages);
    external.notes.extend(found.note.map(|note| format!("{}: {note}", name(of))));
}

/// One sentence for each source that did not answer, however often it was asked.
fn note_outcomes(external: &mut External) {
    let mut said = BTreeSet::new();
    for outcome in external.attempts.iter().flat_map(|attempt| &attempt.sources) {
        if !matches!(outcome.outcome, Outcome::Ok | Outcome::Empty)
            && said.insert((outcome.source.clone(), word(outcome.outcome)))
        {
            external.notes.push(sentence(outcome));
        }
    }
}

fn sentence(said: &SourceOutcome) -> String {
    let until = said.until.as_ref().map_or(String::new(), |until| format!(" until {until}"));
    let note = said.note.as_ref().map_or(String::new(), |note| format!(" ({note})"));
    format!("{} {}{until}{note}", said.source, word(said.outcome))
}

/// An outcome in a word or two.
pub(crate) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "gave works",
        Outcome::Empty => "has nothing",
        Outcome::Refused => "refused",
        Outcome::RateLimited => "is limited",
        Outcome::Unauthorised => "did not accept the key",
        Outcome::Unreachable => "was not reached",
        Outcome::Malformed => "said what cannot be read",
        Outcome::NotAsked => "was not asked",
    }
}

/// A loop as notes name it.
pub(crate) fn name(of: RouteName) -> &'static str {
    match of {
        RouteName::Content => "content",
        RouteName::Bibliometric => "bibliometric",
        RouteName::Trend => "trend",
        RouteName::CurrentWorld => "current_world",
    }
}

fn finish(query: &mut Query, external: External) {
    let asked = external.attempts.len();
    let mut note = external.reason.clone();
    if asked > 0 {
        note.push_str(&format!("; {} in {asked} {}", kept(&external), if asked == 1 { "attempt" } else { "attempts" }));
    }
    for said in &external.notes {
        note.push_str(&format!("; {said}"));
    }
    let details = json!({
        "attempts": asked,
        "works": external.works.len(),
        "pages": external.pages.len(),
        "years": external.counts.len(),
    });
    query.trace.push(TraceEntry {
        stage: "external".into(),
        note,
        details: details.as_object().cloned().unwrap_or_default(),
        ..TraceEntry::default()
    });
    query.external = Some(Box::new(external));
}

/// What was kept, in words.
fn kept(external: &External) -> String {
    let stood = |work: &&Work| work.vetting.as_ref().is_none_or(|vetting| vetting.passed);
    let works = external.works.iter().filter(stood).count();
    let parts = [(works, "works"), (external.pages.len(), "pages"), (external.counts.len(), "years")];
    let said: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if said.is_empty() { "nothing vetted".into() } else { format!("{} vetted", said.join(", ")) }
}
