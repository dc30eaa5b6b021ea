//! What was looked for outside, as a table for people.

use std::fmt::Write as _;

use techrag_core::clean::line;
use techrag_core::record::{Attempt, External, Query, RetractionStatus, Work};

use crate::stage::{name, word};

/// The table of a query, several lines, ending in a line end; a sentence where nothing was searched.
pub fn table(query: &Query) -> String {
    let mut text = format!("{}\n", line(&query.question));
    match &query.external {
        Some(external) => outside(external, &mut text),
        None => text.push_str("  nothing outside was looked for\n"),
    }
    text
}

fn outside(external: &External, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  {}", line(&external.reason));
    external.attempts.iter().for_each(|one| attempt(one, text));
    external.works.iter().for_each(|one| work(one, text));
    for page in &external.pages {
        let _ = writeln!(text, "  - {} ({})", line(&page.title), line(&page.url));
    }
    for count in &external.counts {
        let partial = if count.partial { " so far" } else { "" };
        let _ = writeln!(text, "  {} {}{partial}", count.year, count.works);
    }
    for note in &external.notes {
        let _ = writeln!(text, "  note: {}", line(note));
    }
}

fn attempt(attempt: &Attempt, text: &mut String) {
    let since = attempt.since.map_or(String::new(), |year| format!(" since {year}"));
    let _ = writeln!(
        text,
        "  {} {}: {}{since} ({}): {} found, {} vetted",
        name(attempt.of),
        attempt.n,
        line(&attempt.query),
        line(&attempt.made),
        attempt.found,
        attempt.vetted
    );
    for said in &attempt.sources {
        let until = said.until.as_ref().map_or(String::new(), |until| format!(" until {until}"));
        let stored = if said.stored { ", stored" } else { "" };
        let note = said.note.as_ref().map_or(String::new(), |note| format!(": {}", line(note)));
        let _ = writeln!(text, "    {} {}{until} {}{stored}{note}", said.source, word(said.outcome), said.count);
    }
}

fn work(work: &Work, text: &mut String) {
    let flag = match work.retraction.as_ref().map(|retraction| retraction.status) {
        Some(RetractionStatus::Retracted) => "RETRACTED ",
        Some(RetractionStatus::Concern) => "UNDER CONCERN ",
        _ => "",
    };
    let year = work.year.map_or("n.d.".into(), |year| year.to_string());
    let id = work.doi.as_deref().or(work.url.as_deref()).unwrap_or("no address");
    let score = work.vetting.as_ref().map_or(String::new(), |vetting| format!(" {:.2}", vetting.score));
    let _ = writeln!(text, "  -{score} {flag}{} ({year}; {id})", line(&work.title));
    if let Some(vetting) = &work.vetting {
        let _ = writeln!(text, "      on its {}: {}", vetting.on, line(&vetting.why));
    }
    for version in &work.versions {
        let _ = writeln!(
            text,
            "      also as {}: {}",
            version.kind.as_deref().unwrap_or("another version"),
            version.doi.as_deref().unwrap_or_default()
        );
    }
}
