//! What each stage did and each check found, in lines.

use super::view::View;

/// Titled lists of lines; empty ones are left out.
pub(super) fn sections(view: &View) -> Vec<(String, Vec<String>)> {
    let steps = view.steps.iter().map(|step| {
        let ms = step.ms.map_or(String::new(), |ms| format!(" ({ms:.1} ms)"));
        let details: Vec<String> = step.details.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let details = if details.is_empty() { String::new() } else { format!(" [{}]", details.join(", ")) };
        format!("{}{ms}: {}{details}", step.stage, step.note)
    });
    let calls = view.usage.iter().map(|call| {
        let usd = call.usd.map_or(String::new(), |usd| format!(", {usd:.4} USD"));
        crate::clean::line(&format!(
            "{} {} {}: {} tokens in, {} out{usd}",
            call.stage, call.agent, call.model, call.prompt_tokens, call.completion_tokens
        ))
    });
    [
        ("Steps", steps.collect::<Vec<_>>()),
        ("Asked of the catalog", view.asked.clone()),
        ("Evidence notes", view.notes.clone()),
        ("Checks", view.findings.clone()),
        ("Model calls", calls.collect()),
    ]
    .into_iter()
    .filter(|(_, lines)| !lines.is_empty())
    .map(|(title, lines)| (title.to_owned(), lines))
    .collect()
}
