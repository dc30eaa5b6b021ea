//! Planner, researcher, writer, critic, with the constants of SPEC section 11.
//!
//! | agent | fails | then |
//! |---|---|---|
//! | planner, researcher | any way | the writer goes without; a note says so |
//! | writer | any way | there is no answer of the model |
//! | writer, revising | any way | the first draft stands, with `issues_found` |
//! | critic | any way | counts as `pass`, and `critique.failed` says why |
//!
//! A server that is not there fails them all alike, so the first of them ends the work; so does a spent budget or a
//! timeout before there is a draft.

use serde_json::{Value, json};
use techrag_core::record::{
    Answer, CriticVerdict, Critique, Draft, DraftSentence, EvidenceMap, Outline, Query, Strength,
};
use techrag_net::chat::{Error, Kind};

use super::desk::{Agent, Desk, fenced, list, object};
use super::{Written, ground, read};

const PLANNER: Agent = Agent {
    name: "planner",
    temperature: 0.3,
    max_tokens: 800,
    max_chars: Some(6000),
    sees: false,
    template: "planner/1",
    task: include_str!("../../prompts/planner.task.md"),
};
const RESEARCHER: Agent = Agent {
    name: "researcher",
    temperature: 0.1,
    max_tokens: 1000,
    max_chars: Some(6000),
    sees: false,
    template: "researcher/1",
    task: include_str!("../../prompts/researcher.task.md"),
};
const WRITER: Agent = Agent {
    name: "writer",
    temperature: 0.2,
    max_tokens: 1200,
    max_chars: None,
    sees: true,
    template: "writer/1",
    task: include_str!("../../prompts/writer.task.md"),
};
const CRITIC: Agent = Agent {
    name: "critic",
    temperature: 0.0,
    max_tokens: 400,
    max_chars: None,
    sees: false,
    template: "critic/1",
    task: include_str!("../../prompts/critic.task.md"),
};

/// Most sections, claims and points of feedback asked for.
const SECTIONS: usize = 4;
const CLAIMS: usize = 8;
const POINTS: usize = 3;

/// Writes `outline`, `evidence_map`, `draft` and `critique`.
///
/// # Errors
/// What the writer failed of, or what fails all agents alike.
pub(super) fn write(desk: &mut Desk<'_>, query: &mut Query) -> Result<Written, Error> {
    query.outline = optional(desk, "planner", plan)?;
    query.evidence_map = optional(desk, "researcher", research)?;
    let plan = plan_lines(desk, query);
    let mut draft = draft(desk, &plan, "")?;
    let mut critique = criticise(desk, &draft)?;
    if critique.verdict == CriticVerdict::Revise && !draft.sentences.is_empty() {
        critique.revisions = 1;
        match self::draft(desk, &plan, &revision(&draft, &critique.feedback)) {
            Ok(revised) => {
                draft = revised;
                let second = criticise(desk, &draft)?;
                critique.verdict = second.verdict;
                critique.feedback.extend(second.feedback);
                critique.failed = second.failed;
                critique.issues_found = second.verdict == CriticVerdict::Revise;
            }
            Err(error) if ends(&error) => return Err(error),
            Err(error) => {
                desk.notes.push(format!("writer: the revision failed, the first draft stands: {error}"));
                critique.issues_found = true;
            }
        }
    }
    let mut written = answer(desk, query, &draft);
    if critique.verdict == CriticVerdict::MissingEvidence && !written.answer.abstained {
        let misses = critique.feedback.last().map_or(String::new(), |feedback| format!(": {feedback}"));
        written.answer.missing = Some(format!("the critic says that the evidence is not enough{misses}"));
    }
    written.note = format!("{}; {}", written.note, said(&critique));
    (query.draft, query.critique) = (Some(draft), Some(critique));
    Ok(written)
}

/// Whether a failure ends the work, a draft that stands included.
fn ends(error: &Error) -> bool {
    error.is_unreachable() || error.is_fatal() || error.kind() == Kind::Cancelled
}

/// Whether a failure will meet the next agent too: before there is a draft, going on would only cost.
fn is_common(error: &Error) -> bool {
    ends(error) || matches!(error.kind(), Kind::Budget | Kind::Timeout)
}

/// An agent that the others can do without.
fn optional<T>(
    desk: &mut Desk<'_>,
    name: &str,
    agent: impl Fn(&mut Desk<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    match agent(desk) {
        Ok(made) => Ok(Some(made)),
        Err(error) if is_common(&error) => Err(error),
        Err(error) => {
            if error.kind() != Kind::DryRun {
                desk.notes.push(format!("{name}: failed, the others go on: {error}"));
            }
            Ok(None)
        }
    }
}

fn plan(desk: &mut Desk<'_>) -> Result<Outline, Error> {
    let sheet = desk.sheet(PLANNER, &[])?;
    let section = object(&[("heading", json!({ "type": "string" })), ("sources", numbers(&sheet.sources))]);
    let texts = list(&json!({ "type": "string" }), SECTIONS);
    let schema = object(&[("sections", list(&section, SECTIONS)), ("gaps", texts.clone()), ("caveats", texts)]);
    let by = desk.model(PLANNER);
    desk.ask(PLANNER, &sheet, schema, |value| read::outline(value, &by))
}

fn research(desk: &mut Desk<'_>) -> Result<EvidenceMap, Error> {
    let sheet = desk.sheet(RESEARCHER, &[])?;
    let claim = object(&[
        ("claim", json!({ "type": "string" })),
        ("source", json!({ "type": "integer", "enum": sheet.sources })),
        ("strength", json!({ "type": "string", "enum": ["strong", "moderate", "weak"] })),
    ]);
    let texts = list(&json!({ "type": "string" }), POINTS);
    let schema = object(&[("claims", list(&claim, CLAIMS)), ("contradictions", texts.clone()), ("gaps", texts)]);
    let by = desk.model(RESEARCHER);
    desk.ask(RESEARCHER, &sheet, schema, |value| read::map(value, &by))
}

fn draft(desk: &mut Desk<'_>, plan: &str, revision: &str) -> Result<Draft, Error> {
    let sheet = match desk.sheet(WRITER, &[("plan", plan), ("revision", revision)]) {
        // A plan that leaves no room for evidence is worth less than the evidence.
        Err(error) if error.kind() == Kind::ContextLength && !plan.is_empty() => {
            desk.notes.push("writer: without the plan, which leaves no room for evidence".into());
            desk.sheet(WRITER, &[("plan", ""), ("revision", revision)])?
        }
        sheet => sheet?,
    };
    let schema = draft_schema(&sheet.sources, desk.most);
    let sentences = match desk.ask(WRITER, &sheet, schema, read::draft) {
        // A dry run counts what the critic would read too: a draft of full length.
        Err(error) if error.kind() == Kind::DryRun && revision.is_empty() => {
            let full = DraftSentence { text: filler(WRITER), cite: Vec::new() };
            let draft = Draft { sentences: vec![full], ..Draft::default() };
            let _ = criticise(desk, &draft)?;
            let _ = self::draft(desk, plan, &self::revision(&draft, &[]));
            let _ = criticise(desk, &draft)?;
            return Err(error);
        }
        asked => asked?,
    };
    Ok(Draft { sentences, prompt: sheet.prompt, by: desk.model(WRITER), ..Draft::default() })
}

/// The critic's judgement; one that fails passes, and says so.
fn criticise(desk: &mut Desk<'_>, draft: &Draft) -> Result<Critique, Error> {
    let by = desk.model(CRITIC);
    let passed = |failed: String| Critique { failed: Some(failed), by: by.clone(), ..Critique::default() };
    if draft.sentences.is_empty() {
        return Ok(passed("the draft is a refusal: there is nothing to judge".into()));
    }
    let verdicts = json!({ "type": "string", "enum": ["pass", "revise", "missing_evidence"] });
    let schema = object(&[("verdict", verdicts), ("feedback", list(&json!({ "type": "string" }), POINTS))]);
    let shown = fenced("", &lines(draft));
    let judged = desk
        .sheet(CRITIC, &[("draft", shown.trim())])
        .and_then(|sheet| desk.ask(CRITIC, &sheet, schema, read::judgement));
    match judged {
        Ok((verdict, feedback)) => Ok(Critique { verdict, feedback, by, ..Critique::default() }),
        Err(error) if ends(&error) => Err(error),
        Err(error) => Ok(passed(error.to_string())),
    }
}

/// `[1, 3] It slips.` for each sentence.
fn lines(draft: &Draft) -> Vec<String> {
    let cited = |cite: &[u32]| cite.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    draft.sentences.iter().map(|sentence| format!("({}) {}", cited(&sentence.cite), sentence.text)).collect()
}

fn revision(draft: &Draft, feedback: &[String]) -> String {
    let earlier = fenced("REVISION\nYour earlier draft, with the sources in front:", &lines(draft));
    let asked = fenced("A reviewer asks to change this; do so where the evidence allows it:", feedback);
    format!("{earlier}\n{asked}")
}

/// Outline and map as the writer reads them.
fn plan_lines(desk: &Desk<'_>, query: &Query) -> String {
    if desk.is_dry() {
        return fenced("PLAN", &[filler(PLANNER), filler(RESEARCHER)]);
    }
    let mut lines = Vec::new();
    let numbers = |sources: &[u32]| sources.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    if let Some(outline) = &query.outline {
        lines.extend(
            outline.sections.iter().map(|part| format!("Part: {} (sources {})", part.heading, numbers(&part.sources))),
        );
        lines.extend(outline.caveats.iter().map(|caveat| format!("Caveat: {caveat}")));
    }
    if let Some(map) = &query.evidence_map {
        let strength = |strength| match strength {
            Strength::Strong => "strong",
            Strength::Moderate => "moderate",
            Strength::Weak => "weak",
        };
        let claim = |claim: &techrag_core::record::MappedClaim| {
            format!("Claim of source {} ({}): {}", claim.source, strength(claim.strength), claim.claim)
        };
        lines.extend(map.claims.iter().map(claim));
        lines.extend(map.contradictions.iter().map(|pair| format!("Disagreement: {pair}")));
        lines.extend(map.gaps.iter().map(|gap| format!("Gap: {gap}")));
    }
    if lines.is_empty() {
        String::new()
    } else {
        fenced("PLAN, made from the evidence; check it against the evidence", &lines)
    }
}

/// As many words as an agent may write.
fn filler(agent: Agent) -> String {
    "word ".repeat(agent.max_tokens as usize)
}

fn said(critique: &Critique) -> String {
    let verdict = match critique.verdict {
        _ if critique.failed.is_some() => "critic gave no judgement, which counts as pass",
        CriticVerdict::Pass if critique.revisions == 0 => "critic: pass",
        CriticVerdict::Pass => "critic: pass after a revision",
        CriticVerdict::Revise => "critic: issues found after the revision",
        CriticVerdict::MissingEvidence => "critic: missing evidence",
    };
    verdict.to_owned()
}

/// What any writer's reply looks like: sentences with the numbers of sources that it was shown.
pub(super) fn draft_schema(sources: &[u32], most: usize) -> Value {
    let sentence = object(&[("text", json!({ "type": "string" })), ("cite", numbers(sources))]);
    object(&[("sentences", list(&sentence, most))])
}

fn numbers(sources: &[u32]) -> Value {
    json!({ "type": "array", "items": { "type": "integer", "enum": sources }, "minItems": 1, "maxItems": 3 })
}

/// The answer that a draft is; the refusal where it is empty.
pub(super) fn answer(desk: &mut Desk<'_>, query: &Query, draft: &Draft) -> Written {
    if draft.sentences.is_empty() {
        let answer = Answer::not_found(&draft.by, "the model found no answer in the evidence");
        return Written { answer, note: format!("{} refused", draft.by) };
    }
    let sources = query.sources.as_deref().unwrap_or_default();
    let kept = draft.sentences.len().min(desk.most);
    if kept < draft.sentences.len() {
        desk.notes.push(format!("{} sentences over the limit were left out", draft.sentences.len() - kept));
    }
    let (answer, mut notes) = ground::answer(&draft.sentences[..kept], sources, &draft.by);
    desk.notes.append(&mut notes);
    let note = format!("{} sentences of {}", answer.sentences.len(), draft.by);
    Written { answer, note }
}
