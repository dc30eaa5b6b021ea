//! The rubric of a query as a table for people.

use std::fmt::Write as _;

use techrag_core::record::{Evidence, Query, Retry};

/// The table of a scored query, several lines, ending in a line end; a sentence where there is no score.
pub fn table(query: &Query) -> String {
    let mut text = format!("{}\n", line(&query.question));
    match &query.evidence {
        Some(evidence) => rubric(evidence, &mut text),
        None => text.push_str("  not scored\n"),
    }
    if let Some(asked) = &query.retry {
        retry(asked, &mut text);
    }
    text
}

fn rubric(evidence: &Evidence, text: &mut String) {
    let verdict = serde_json::to_value(evidence.verdict).unwrap_or_default();
    let verdict = verdict.as_str().unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "  {verdict} {:.1} of 100 ({}; reviewer: {})",
        evidence.score, evidence.version, evidence.reviewer
    );
    for (at, part) in evidence.parts.iter().enumerate() {
        let damping = if at == 0 { 1.0 } else { evidence.damping };
        let _ = writeln!(
            text,
            "  {:<12} {:>5.1} of {:>2.0}  x {damping:.2}  {}",
            part.name,
            part.points,
            part.max,
            line(&part.why)
        );
    }
    if !evidence.missing.is_empty() {
        let _ = writeln!(text, "  not found: {}", line(&evidence.missing.join(", ")));
    }
}

fn retry(retry: &Retry, text: &mut String) {
    let _ = writeln!(text, "  retry: {} ({})", line(&retry.query), line(&retry.made));
    if let Some(drift) = &retry.drift {
        let _ = writeln!(
            text,
            "  drift: {:.0} % of the terms held, {:.0} % needed",
            100.0 * drift.share,
            100.0 * drift.threshold
        );
    }
    let said = retry.reason.as_deref().unwrap_or("not decided yet");
    let _ = writeln!(text, "  {}", line(said));
}

/// One line, control characters out: keys and titles come out of documents.
fn line(text: &str) -> String {
    let spaced = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}
