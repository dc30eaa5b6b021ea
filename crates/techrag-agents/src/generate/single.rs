//! One grounded call: the question and its evidence in, sentences with the numbers of their sources out.

use techrag_core::record::{Draft, Query};
use techrag_net::chat::Error;

use super::desk::{Agent, Desk};
use super::{Written, multi, read};

const SINGLE: Agent = Agent {
    name: "single",
    temperature: 0.2,
    max_tokens: 1000,
    max_chars: None,
    sees: true,
    template: "single/1",
    task: include_str!("../../prompts/single.task.md"),
};

/// Writes `draft`.
///
/// # Errors
/// What the call failed of.
pub(super) fn write(desk: &mut Desk<'_>, query: &mut Query) -> Result<Written, Error> {
    let sheet = desk.sheet(SINGLE, &[])?;
    let schema = multi::draft_schema(&sheet.sources, desk.most);
    let sentences = desk.ask(SINGLE, &sheet, schema, read::draft)?;
    let by = desk.model(SINGLE);
    let draft = Draft { sentences, prompt: sheet.prompt, by, ..Draft::default() };
    let written = multi::answer(desk, query, &draft);
    query.draft = Some(draft);
    Ok(written)
}
