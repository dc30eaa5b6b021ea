//! The prompt of a writer: system role, question, evidence, task; within a budget of tokens.

use techrag_core::prompt::{filled, tokens};
use techrag_core::record::{EvidenceSentence, Prompt, Query, Source, Verification};
use techrag_core::{clean, fence, id, place};

use super::context::Context;

/// Name and version of the template; a change of a file under `prompts/` is a new version.
const TEMPLATE: &str = "answer/2";
const SYSTEM: &str = include_str!("../../prompts/answer.system.md");
const USER: &str = include_str!("../../prompts/answer.user.md");

/// Estimated tokens kept free of the question's words when a question alone would fill the budget.
const LEAST_QUESTION: usize = 200;

/// What a prompt shows beside the question.
struct Shown<'a> {
    kept: Vec<(&'a Source, Vec<&'a EvidenceSentence>)>,
    context: Context,
    notes: &'a Verification,
}

/// The prompt, shortened to `budget` estimated tokens: context to its share, then the weakest sentences first; what was
/// left out is named in `dropped`.
pub(super) fn prompt(query: &Query, sources: &[Source], notes: &Verification, budget: Option<u64>) -> Prompt {
    let (context, mut dropped) = Context::of(query, sources).within(budget);
    let kept = sources.iter().map(|source| (source, source.sentences.iter().collect())).collect();
    let mut shown = Shown { kept, context, notes };
    let mut question = clean::block(&query.question);
    let (mut user, mut evidence) = render(&question, &shown);
    let over = |user: &str| budget.is_some_and(|budget| tokens(SYSTEM) + tokens(user) > budget);
    while over(&user) && drop_weakest(&mut shown.kept, &mut dropped) {
        (user, evidence) = render(&question, &shown);
    }
    while over(&user) && question.chars().count() > LEAST_QUESTION {
        let half: String = question.chars().take((question.chars().count() / 2).max(LEAST_QUESTION)).collect();
        dropped.push(format!("the question after its first {} characters", half.chars().count()));
        question = half;
        (user, evidence) = render(&question, &shown);
    }
    if over(&user) {
        dropped.push("nothing more can be left out: the prompt is over the budget".into());
    }
    Prompt {
        tokens: tokens(SYSTEM) + tokens(&user),
        system: SYSTEM.to_owned(),
        user,
        template: TEMPLATE.into(),
        template_sha256: id::sha256(format!("{SYSTEM}\u{0}{USER}").as_bytes()),
        dropped,
        evidence: Some(evidence),
        extra: Default::default(),
    }
}

/// Leaves out the sentence of the lowest score, of equals the one of the last source. False if none is left.
fn drop_weakest(kept: &mut Vec<(&Source, Vec<&EvidenceSentence>)>, dropped: &mut Vec<String>) -> bool {
    let weakest = kept
        .iter()
        .enumerate()
        .filter_map(|(at, (_, sentences))| Some((at, sentences.last()?.score)))
        .min_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    let Some((at, _)) = weakest else { return false };
    let (source, sentences) = &mut kept[at];
    if let Some(sentence) = sentences.pop() {
        let words: String = clean::line(&sentence.text).chars().take(60).collect();
        let place = place::printed(sentence.page, sentence.place.as_deref());
        let place = place.map_or(String::new(), |place| format!(", {place}"));
        dropped.push(format!("source {}{place}, score {:.3}: {words}", source.n, sentence.score));
    }
    if sentences.is_empty() {
        dropped.push(format!("source {} altogether", source.n));
        kept.remove(at);
    }
    true
}

/// The user's part, and where in it evidence and notes stand.
fn render(question: &str, shown: &Shown<'_>) -> (String, [usize; 2]) {
    let texts = shown.kept.iter().flat_map(|(_, sentences)| sentences.iter().map(|sentence| sentence.text.as_str()));
    let mark = fence::mark(texts.chain(shown.context.lines()));
    let blocks: Vec<String> = shown.kept.iter().map(|(source, sentences)| block(source, sentences, &mark)).collect();
    let evidence = if blocks.is_empty() { "(no source was found)".to_owned() } else { blocks.join("\n\n") };
    let (context, notes) = (shown.context.blocks(&mark), notes_block(shown.notes));
    let values =
        [("question", question), ("evidence", &evidence), ("mark", &mark), ("context", &context), ("notes", &notes)];
    let (user, ends) = filled(USER, &values);
    let end_of = |name: &str| ends.iter().rev().find(|(own, _)| *own == name).map_or(user.len(), |(_, end)| *end);
    let range = [end_of("question"), end_of("notes")];
    (user, range)
}

fn block(source: &Source, sentences: &[&EvidenceSentence], mark: &str) -> String {
    let mut block = format!("[{}: {}]", source.label(), fence::quote(&clean::title(&source.title)));
    let about: Vec<String> = [
        (!source.authors.is_empty()).then(|| fence::quote(&clean::line(&source.authors.join(", ")))),
        source.year.map(|year| year.to_string()),
        source.venue.as_ref().map(|venue| fence::quote(&clean::line(venue))),
        Some(fence::quote(&clean::line(&source.key))),
    ]
    .into_iter()
    .flatten()
    .collect();
    block.push_str(&format!(" ({})\n<<<{mark}\n", about.join("; ")));
    for sentence in sentences {
        let place = place::printed(sentence.page, sentence.place.as_deref());
        let place = place.map_or(String::new(), |place| format!("({}) ", fence::quote(&place)));
        block.push_str(&format!("{place}{}\n", fence::quote(&sentence.text)));
    }
    block.push_str(&format!("{mark}>>>"));
    block
}

fn notes_block(notes: &Verification) -> String {
    let mut lines: Vec<String> = Vec::new();
    for n in &notes.off_topic {
        lines.push(format!("- SOURCE {n} does not seem to speak of the question."));
    }
    if !notes.gaps.is_empty() {
        lines.push(format!("- No source mentions: {}.", fence::quote(&clean::line(&notes.gaps.join(", ")))));
    }
    lines.extend(notes.contradictions.iter().map(|pair| format!("- {}", fence::quote(&clean::line(pair)))));
    if lines.is_empty() { String::new() } else { format!("\nCITATION VERIFICATION NOTES\n{}\n", lines.join("\n")) }
}
