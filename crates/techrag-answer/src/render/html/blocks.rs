//! What the other stages added, in titled lists: doubts, the graph, the agents' notes.

use serde::Serialize;
use techrag_core::clean;
use techrag_core::record::{ContextPaper, CriticVerdict, Graph, Query, Strength};

use crate::render::view::View;

/// A titled list of lines.
#[derive(Debug, Serialize)]
pub(super) struct Block {
    title: &'static str,
    lines: Vec<String>,
}

/// The lists that have lines.
pub(super) fn blocks(query: &Query, view: &View) -> Vec<Block> {
    let all = [
        ("Doubts about the evidence", view.notes.clone()),
        ("Knowledge graph", query.graph.as_deref().map(graph).unwrap_or_default()),
        ("Outline", outline(query)),
        ("Evidence map", evidence_map(query)),
        ("Critique", critique(query)),
    ];
    let clean = |lines: Vec<String>| lines.iter().map(|line| clean::line(line)).collect::<Vec<_>>();
    all.into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(title, lines)| Block { title, lines: clean(lines) })
        .collect()
}

fn graph(graph: &Graph) -> Vec<String> {
    let mut lines: Vec<String> = graph.note.clone().into_iter().collect();
    lines.extend(graph.aliases.iter().map(|alias| format!("{} read as {}", alias.name, alias.canonical)));
    for near in &graph.expansions {
        let shared: Vec<&str> = near.shared.iter().map(|entity| entity.name.as_str()).collect();
        let title = near.title.as_deref().unwrap_or(&near.doc_id);
        let merged = match near.merged.len() {
            0 => "none of its chunks relevant enough".to_owned(),
            1 => "one chunk added".to_owned(),
            n => format!("{n} chunks added"),
        };
        lines.push(format!("near: {title}, shares {} ({merged})", shared.join(", ")));
    }
    let Some(context) = &graph.context else { return lines };
    lines.extend(context.papers.iter().map(paper));
    lines.extend(context.co_citing.iter().map(|other| {
        format!("{} cites the same: {}", other.title.as_deref().unwrap_or(&other.doc_id), other.shared.join("; "))
    }));
    for author in &context.authors {
        let papers: Vec<&str> = author.papers.iter().filter_map(|paper| paper.title.as_deref()).collect();
        lines.push(format!("{}: {}", author.name, papers.join("; ")));
    }
    lines.extend(
        context
            .communities
            .iter()
            .map(|group| format!("community “{}”, {} papers: {}", group.name, group.papers, group.summary.join(" "))),
    );
    lines
}

fn paper(paper: &ContextPaper) -> String {
    let list = |name: &str, items: &[String]| (!items.is_empty()).then(|| format!("{name} {}", items.join(", ")));
    let about = [
        list("topics", &paper.topics),
        list("methods", &paper.methods),
        list("metrics", &paper.metrics),
        list("applications", &paper.applications),
    ];
    let about: Vec<String> = about.into_iter().flatten().collect();
    let title = paper.title.as_deref().unwrap_or(&paper.doc_id);
    if about.is_empty() { title.to_owned() } else { format!("{title}: {}", about.join("; ")) }
}

fn outline(query: &Query) -> Vec<String> {
    let Some(outline) = &query.outline else { return Vec::new() };
    let section = |section: &techrag_core::record::OutlineSection| {
        let sources: Vec<String> = section.sources.iter().map(u32::to_string).collect();
        format!("{} (sources {})", section.heading, sources.join(", "))
    };
    let sections = outline.sections.iter().map(section);
    let gaps = outline.gaps.iter().map(|gap| format!("gap: {gap}"));
    sections.chain(gaps).chain(outline.caveats.iter().map(|caveat| format!("caveat: {caveat}"))).collect()
}

fn evidence_map(query: &Query) -> Vec<String> {
    let Some(map) = &query.evidence_map else { return Vec::new() };
    let claim = |mapped: &techrag_core::record::MappedClaim| {
        let strength = match mapped.strength {
            Strength::Strong => "strong",
            Strength::Moderate => "moderate",
            Strength::Weak => "weak",
        };
        format!("{} (source {}, {strength})", mapped.claim, mapped.source)
    };
    let claims = map.claims.iter().map(claim);
    let against = map.contradictions.iter().map(|pair| format!("contradiction: {pair}"));
    claims.chain(against).chain(map.gaps.iter().map(|gap| format!("gap: {gap}"))).collect()
}

fn critique(query: &Query) -> Vec<String> {
    let Some(critique) = &query.critique else { return Vec::new() };
    let verdict = match critique.verdict {
        CriticVerdict::Pass => "pass",
        CriticVerdict::Revise => "revise",
        CriticVerdict::MissingEvidence => "evidence is missing",
    };
    let revised = if critique.revisions > 0 { ", after a revision" } else { "" };
    let mut lines = vec![format!("{verdict}{revised} ({})", critique.by)];
    lines.extend(critique.failed.iter().map(|why| format!("the critic failed: {why}")));
    lines.extend(critique.feedback.iter().cloned());
    lines
}
