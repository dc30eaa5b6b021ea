//! What stands beside the evidence in a prompt: what the catalog says to a question that counts or lists, how the papers
//! hang together in the knowledge graph, and the pages whose pictures may show the answer.
//!
//! They inform a writer and are not cited: rows and relations have no page to be looked up on, and a picture no words. They get a
//! fixed share of the prompt's budget ([`SHARE`]); what does not fit is left out from the end, where the least telling
//! stands. All of it comes from documents, so all of it is fenced.

use serde_json::Value;
use techrag_core::prompt::tokens;
use techrag_core::record::{CatalogAnswer, ContextPaper, CropKind, Graph, GraphContext, PageHit, Query, Source};
use techrag_core::{clean, fence};

/// One in so many tokens of a prompt's budget is for context.
const SHARE: u64 = 6;
/// Most lines on the graph; papers come first.
const MOST_LINES: usize = 30;
/// Most pages named, as many as are shown (SPEC section 10).
const MOST_PAGES: usize = 5;
/// Most characters of a line.
const LENGTH: usize = 400;
/// Most names of a list in a line.
const NAMES: usize = 8;

/// Heading of the catalog's block.
const CATALOG: &str = "CATALOG: rows of the library's catalog for this question. They inform and are not cited.";
/// Heading of the graph's block; up to the colon it is the block's name.
const GRAPH: &str = "GRAPH CONTEXT: how the papers hang together. For orientation; cite the sources, not the graph.";
/// Heading of the pages' block.
const PAGES: &str =
    "VISUAL EVIDENCE: pages that may show the answer, as images where you get any. They inform and are not cited.";

/// Lines for a prompt, the most telling first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Context {
    /// How the catalog was asked, and its rows.
    pub(super) catalog: Vec<String>,
    /// On the graph.
    pub(super) graph: Vec<String>,
    /// One a page.
    pub(super) pages: Vec<String>,
}

impl Context {
    /// What a record has of both.
    pub(super) fn of(query: &Query, sources: &[Source]) -> Self {
        let pages = query.visual.as_deref().unwrap_or_default();
        let mut graph = query.graph.as_deref().map(|graph| graph_lines(graph, sources)).unwrap_or_default();
        graph.truncate(MOST_LINES);
        let catalog = query.sql.as_deref().map(catalog_lines).unwrap_or_default();
        Self {
            catalog,
            graph,
            pages: (1..).zip(pages).take(MOST_PAGES).map(|(n, hit)| page(n, hit, sources)).collect(),
        }
    }

    /// The same within its share of the budget, and what was left out, in words.
    pub(super) fn within(mut self, budget: Option<u64>) -> (Self, Vec<String>) {
        let Some(room) = budget.map(|budget| budget / SHARE) else { return (self, Vec::new()) };
        let mut dropped = Vec::new();
        while tokens(&self.blocks("0123456789")) > room {
            // Of the longest list, so that none drives another out.
            let lists = [
                ("visual evidence", &mut self.pages),
                ("graph context", &mut self.graph),
                ("catalog", &mut self.catalog),
            ];
            let Some((name, list)) = lists.into_iter().max_by_key(|(_, list)| list.len()) else { break };
            let Some(line) = list.pop() else { break };
            dropped.push(format!("{name}: {}", line.chars().take(60).collect::<String>()));
        }
        (self, dropped)
    }

    /// Every line, for the mark of the fences.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.catalog.iter().chain(&self.graph).chain(&self.pages).map(String::as_str)
    }

    /// As it stands in a prompt; empty where there is none.
    pub(super) fn blocks(&self, mark: &str) -> String {
        let block = |(heading, lines): (&str, &Vec<String>)| {
            (!lines.is_empty()).then(|| format!("\n{heading}\n<<<{mark}\n{}\n{mark}>>>\n", lines.join("\n")))
        };
        [(CATALOG, &self.catalog), (GRAPH, &self.graph), (PAGES, &self.pages)].into_iter().filter_map(block).collect()
    }
}

/// A line as it may stand between fences.
fn quoted(line: &str) -> String {
    fence::quote(&clean::line(line)).chars().take(LENGTH).collect()
}

/// How the catalog was asked, then its rows.
fn catalog_lines(answer: &CatalogAnswer) -> Vec<String> {
    let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let row = |row: &Vec<Value>| {
        let cells = answer.columns.iter().zip(row).filter(|(_, value)| !value.is_null());
        cells.map(|(column, value)| format!("{column} {}", cell(value))).collect::<Vec<_>>().join("; ")
    };
    let more = answer.truncated || answer.rows.len() > MOST_LINES;
    let asked = format!("{}{}", answer.meaning, if more { " (not all of them)" } else { "" });
    std::iter::once(asked).chain(answer.rows.iter().take(MOST_LINES).map(row)).map(|line| quoted(&line)).collect()
}

fn graph_lines(graph: &Graph, sources: &[Source]) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(context) = &graph.context {
        let names = Names { sources, context };
        // What is known of the sources themselves first, then of what lies around them.
        let (cited, others): (Vec<_>, Vec<_>) =
            context.papers.iter().partition(|paper| sources.iter().any(|source| source.doc_id == paper.doc_id));
        lines.extend(cited.into_iter().filter_map(|paper| names.paper(paper)));
        lines.extend(context.authors.iter().map(|author| {
            let papers: Vec<String> = author.papers.iter().take(NAMES).map(|paper| names.work(paper)).collect();
            format!("{} wrote {}", author.name, papers.join("; "))
        }));
        lines.extend(
            context.co_citing.iter().map(|other| {
                format!("{} cites the same works: {}", names.of(&other.doc_id), list(&other.shared, "; "))
            }),
        );
        lines.extend(context.relations.iter().map(|said| {
            let papers: Vec<String> = said.papers.iter().map(|id| names.of(id)).collect();
            let relation = said.relation.to_lowercase().replace('_', " ");
            format!("{} {relation} {} ({})", said.from, said.to, list(&papers, "; "))
        }));
        lines.extend(context.communities.iter().map(|group| {
            let name = if group.name.is_empty() { String::new() } else { format!(" ({})", group.name) };
            let said = if group.summary.is_empty() { String::new() } else { format!(": {}", group.summary.join(" ")) };
            format!("{} papers belong together{name}{said}", group.papers)
        }));
        lines.extend(others.into_iter().filter_map(|paper| names.paper(paper)));
    }
    lines.extend(graph.expansions.iter().map(|near| {
        let shared: Vec<String> = near.shared.iter().map(|entity| entity.name.clone()).collect();
        format!("near: {}, shares {}", near.title.as_deref().unwrap_or(&near.doc_id), list(&shared, ", "))
    }));
    lines.iter().map(|line| quoted(line)).collect()
}

fn list(names: &[String], between: &str) -> String {
    names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(between)
}

/// What papers are called in a prompt.
struct Names<'a> {
    sources: &'a [Source],
    context: &'a GraphContext,
}

impl Names<'_> {
    /// `SOURCE 2` for a source, else the title.
    fn of(&self, doc_id: &str) -> String {
        let source = self.sources.iter().find(|source| source.doc_id == doc_id).map(Source::label);
        let title = || self.context.titles.get(doc_id).and_then(|title| title.as_str()).unwrap_or(doc_id).to_owned();
        source.unwrap_or_else(title)
    }

    /// A work of an author.
    fn work(&self, paper: &ContextPaper) -> String {
        let year = paper.year.map_or(String::new(), |year| format!(" ({year})"));
        let name = self.of(&paper.doc_id);
        let title = paper.title.as_deref().filter(|title| *title != name);
        format!("{}{}{year}", name, title.map_or(String::new(), |title| format!(" {title}")))
    }

    /// What the graph knows of a paper; nothing where that is its name alone.
    fn paper(&self, paper: &ContextPaper) -> Option<String> {
        let named = |ids: &[String]| ids.iter().map(|id| self.of(id)).collect::<Vec<_>>();
        let parts = [
            ("topics", paper.topics.clone(), ", "),
            ("methods", paper.methods.clone(), ", "),
            ("metrics", paper.metrics.clone(), ", "),
            ("applications", paper.applications.clone(), ", "),
            ("cites", named(&paper.cites), "; "),
            ("is cited by", named(&paper.cited_by), "; "),
        ];
        let parts = parts.iter().filter(|(_, names, _)| !names.is_empty());
        let parts: Vec<String> =
            parts.map(|(what, names, between)| format!("{what} {}", list(names, between))).collect();
        let title = paper.title.as_deref().filter(|_| self.sources.iter().all(|source| source.doc_id != paper.doc_id));
        let name = title.map_or_else(|| self.of(&paper.doc_id), str::to_owned);
        (!parts.is_empty()).then(|| format!("{name}: {}", parts.join("; ")))
    }
}

/// `[VISUAL 1: Title] (a.pdf, p. 3, SOURCE 2) figure: Caption`.
fn page(n: usize, hit: &PageHit, sources: &[Source]) -> String {
    let title = fence::quote(&clean::title(hit.title.as_deref().unwrap_or(&hit.key)));
    let source = sources.iter().find(|source| source.doc_id == hit.doc_id);
    let source = source.map_or(String::new(), |source| format!(", {}", source.label()));
    let crop = hit.crop.as_ref().filter(|crop| crop.caption.is_some() || hit.caption.is_none());
    let kind = match crop.map(|crop| crop.kind) {
        Some(CropKind::Figure) => " figure",
        Some(CropKind::Table) => " table",
        Some(CropKind::Other) | None => "",
    };
    let caption = crop.and_then(|crop| crop.caption.as_deref()).or(hit.caption.as_deref());
    let caption = caption.map_or(String::new(), |caption| format!(": {}", quoted(caption)));
    format!("[VISUAL {n}: {title}] ({}, p. {}{source}){kind}{caption}", quoted(&hit.key), hit.page)
}

#[cfg(test)]
#[path = "../context_tests.rs"]
mod tests;
