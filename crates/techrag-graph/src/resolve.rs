//! Citation resolution: which cited titles are papers of the graph (CITES → CITES_PAPER).
//!
//! Titles alone mislead (containment is right in half of the hard cases, equal titles in three quarters), so every rule
//! has guards. The first that holds decides:
//!
//! | rule | guards |
//! |---|---|
//! | `doi` | equal DOIs; two that differ rule a match out |
//! | `title` | equal folded titles, a shared family name, years at most 4 apart (preprint and journal); a title of one or two words needs both known |
//! | `subtitle` | the shorter title has five words or more and is the longer up to its colon, dash or full stop; the first family name is equal, years at most 1 apart |
//! | `near` | equal but for a tenth of the letters (Levenshtein), the same digits; the first family name is equal, years at most 1 apart |
//!
//! A year or author list that is not known does not contradict `title`, and does `subtitle` and `near`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::json;
use strsim::normalized_levenshtein;

use crate::model::{Edge, EdgeType, Key, Label, Node};
use crate::name::{folded_name, split_person};
use crate::store::{Patch, Result, Store};

/// A cited title that is a paper of the graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Resolved {
    /// The citing paper.
    pub from: String,
    /// The cited paper.
    pub to: String,
    /// The rule that decided.
    pub rule: &'static str,
    /// The title as cited.
    pub cited: String,
    /// The paper's own title.
    pub title: String,
}

/// What resolving came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolution {
    /// Every citation that was resolved, by its papers.
    pub resolved: Vec<Resolved>,
    /// Cited works in all.
    pub works: usize,
    /// Edges that were not there before.
    pub added: usize,
    /// Edges that hold no more.
    pub removed: usize,
}

/// Resolves every cited work anew and makes the graph's CITES_PAPER edges what was found.
///
/// # Errors
/// If the store fails.
pub fn resolve(store: &dyn Store) -> Result<Resolution> {
    let papers: Vec<Work> = store.all(Label::Paper)?.iter().map(Work::of).collect();
    let works: Vec<Work> = store.all(Label::CitationPaper)?.iter().map(Work::of).collect();
    let index = Index::of(&papers);
    let matched: BTreeMap<&str, (&Work, &Work, &'static str)> = works
        .iter()
        .filter_map(|work| index.paper(work).map(|(paper, rule)| (work.id.as_str(), (work, paper, rule))))
        .collect();
    let mut resolved: Vec<Resolved> = store
        .edges(EdgeType::Cites)?
        .into_iter()
        .filter_map(|edge| {
            let (work, paper, rule) = matched.get(edge.to.id.as_str())?;
            let (cited, title) = (work.title.clone(), paper.title.clone());
            (edge.from.id != paper.id).then(|| Resolved {
                from: edge.from.id,
                to: paper.id.clone(),
                rule,
                cited,
                title,
            })
        })
        .collect();
    resolved.sort();
    resolved.dedup_by(|a, b| a.from == b.from && a.to == b.to);
    let patch = patch(&resolved, store.edges(EdgeType::CitesPaper)?);
    let (added, removed) = (patch.add.len(), patch.remove.len());
    if added + removed > 0 {
        store.apply(&patch)?;
    }
    Ok(Resolution { resolved, works: works.len(), added, removed })
}

fn patch(resolved: &[Resolved], there: Vec<Edge>) -> Patch {
    let edge = |resolved: &Resolved| Edge {
        from: Key::new(Label::Paper, &resolved.from),
        kind: EdgeType::CitesPaper,
        to: Key::new(Label::Paper, &resolved.to),
        props: json!({ "rule": resolved.rule, "cited": resolved.cited }).as_object().cloned().unwrap_or_default(),
    };
    let wanted: Vec<Edge> = resolved.iter().map(edge).collect();
    let ends = |edges: &[Edge]| -> BTreeSet<(String, String)> {
        edges.iter().map(|edge| (edge.from.id.clone(), edge.to.id.clone())).collect()
    };
    let kept = ends(&wanted);
    let add = wanted.into_iter().filter(|edge| !there.contains(edge)).collect();
    let remove = there.into_iter().filter(|edge| !kept.contains(&(edge.from.id.clone(), edge.to.id.clone()))).collect();
    Patch { remove, nodes: Vec::new(), add }
}

/// A paper or a cited work, as far as matching reads it.
#[derive(Clone, Debug)]
struct Work {
    id: String,
    title: String,
    folded: String,
    doi: Option<String>,
    year: Option<i32>,
    families: Vec<String>,
}

impl Work {
    fn of(node: &Node) -> Self {
        let title = node.text("title").unwrap_or_default().to_owned();
        let family = |name: &String| split_person(name).0;
        Self {
            id: node.key.id.clone(),
            folded: folded_name(&title),
            title,
            doi: node.text("doi").map(str::to_owned),
            year: node.number("year"),
            families: node.list("authors").iter().map(family).filter(|family| !family.is_empty()).collect(),
        }
    }

    fn years_apart(&self, other: &Self) -> Option<u32> {
        Some(self.year?.abs_diff(other.year?))
    }

    fn shares_author(&self, other: &Self) -> bool {
        self.families.iter().any(|family| other.families.contains(family))
    }

    fn same_first(&self, other: &Self) -> bool {
        self.families.first().is_some_and(|first| other.families.first() == Some(first))
    }

    fn digits(&self) -> String {
        self.folded.chars().filter(char::is_ascii_digit).collect()
    }
}

/// Papers by what a citation may share with them.
struct Index<'a> {
    by_doi: BTreeMap<&'a str, &'a Work>,
    by_title: BTreeMap<&'a str, Vec<&'a Work>>,
    by_family: BTreeMap<&'a str, Vec<&'a Work>>,
}

impl<'a> Index<'a> {
    fn of(papers: &'a [Work]) -> Self {
        let mut index = Self { by_doi: BTreeMap::new(), by_title: BTreeMap::new(), by_family: BTreeMap::new() };
        for paper in papers {
            if let Some(doi) = &paper.doi {
                index.by_doi.entry(doi).or_insert(paper);
            }
            if !paper.folded.is_empty() {
                index.by_title.entry(&paper.folded).or_default().push(paper);
            }
            if let Some(first) = paper.families.first() {
                index.by_family.entry(first).or_default().push(paper);
            }
        }
        index
    }

    /// The paper that a cited work is, and the rule that says so; of several the first by id.
    fn paper(&self, work: &Work) -> Option<(&'a Work, &'static str)> {
        if let Some(paper) = work.doi.as_deref().and_then(|doi| self.by_doi.get(doi)) {
            return Some((paper, "doi"));
        }
        let contradicts = |paper: &&&Work| matches!((&work.doi, &paper.doi), (Some(a), Some(b)) if a != b);
        let titled = self.by_title.get(work.folded.as_str()).map(Vec::as_slice).unwrap_or_default();
        if let Some(paper) = titled.iter().filter(|paper| !contradicts(paper)).find(|paper| same_title(work, paper)) {
            return Some((paper, "title"));
        }
        let first = work.families.first()?;
        let of_family = self.by_family.get(first.as_str()).map(Vec::as_slice).unwrap_or_default();
        let close = |paper: &&&&Work| work.years_apart(paper).is_some_and(|years| years <= 1) && work.same_first(paper);
        let candidates = || of_family.iter().filter(|paper| !contradicts(paper)).filter(|paper| close(&paper));
        if let Some(paper) = candidates().find(|paper| is_subtitled(&work.title, &paper.title)) {
            return Some((paper, "subtitle"));
        }
        let near = |paper: &&&Work| {
            work.digits() == paper.digits() && normalized_levenshtein(&work.folded, &paper.folded) >= 0.9
        };
        candidates().find(near).map(|paper| (*paper, "near"))
    }
}

fn same_title(work: &Work, paper: &Work) -> bool {
    let (years, shares) = (work.years_apart(paper), work.shares_author(paper));
    let known = !work.families.is_empty() && !paper.families.is_empty();
    if work.folded.split(' ').count() < 3 {
        return shares && years.is_some_and(|years| years <= 1);
    }
    (shares || !known) && years.is_none_or(|years| years <= 4)
}

/// Whether one title is the other up to its subtitle.
fn is_subtitled(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let short = folded_name(short);
    if short.split(' ').count() < 5 {
        return false;
    }
    let ends = long.char_indices().filter(|(_, c)| matches!(c, ':' | '—' | '–' | '.'));
    ends.into_iter().any(|(at, _)| folded_name(&long[..at]) == short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(id: &str, title: &str, authors: &[&str], year: Option<i32>, doi: Option<&str>) -> Work {
        let props = json!({ "title": title, "authors": authors, "year": year, "doi": doi });
        Work::of(&Node { key: Key::new(Label::Paper, id), props: props.as_object().cloned().unwrap() })
    }

    #[test]
    fn each_rule_has_its_guards() {
        let papers = [
            work("1", "Attention is all you need", &["A. Vaswani", "N. Shazeer"], Some(2017), Some("10.1/x")),
            work("2", "Tire and Vehicle Dynamics", &["Hans Pacejka"], Some(2012), None),
            work("3", "A Study of Slip Angle Estimation: From Kalman to Transformers", &["Ada Ott"], Some(2020), None),
            work("4", "Editorial", &["Ada Ott"], Some(2020), None),
        ];
        let index = Index::of(&papers);
        let found = |cited: Work| index.paper(&cited).map(|(paper, rule)| (paper.id.clone(), rule));
        let is = |id: &str, rule| Some((id.to_owned(), rule));
        assert_eq!(found(work("", "Wrong title", &[], None, Some("10.1/x"))), is("1", "doi"));
        assert_eq!(found(work("", "Attention Is All You Need.", &["Vaswani, A."], Some(2018), None)), is("1", "title"));
        assert_eq!(found(work("", "Attention is all you need", &["N. Other"], Some(2017), None)), None);
        assert_eq!(found(work("", "Attention is all you need", &["A. Vaswani"], Some(2017), Some("10.1/y"))), None);
        assert_eq!(found(work("", "Attention is all you need", &["A. Vaswani"], Some(2025), None)), None);
        assert_eq!(found(work("", "Is attention all you need", &["A. Vaswani"], Some(2017), None)), None);
        assert_eq!(
            found(work("", "Tyre and vehicle dynamics", &["H. B. Pacejka"], Some(2012), None)),
            is("2", "title")
        );
        let cited = "A study of slip angle estimation";
        assert_eq!(found(work("", cited, &["A. Ott"], Some(2021), None)), is("3", "subtitle"));
        assert_eq!(found(work("", cited, &["A. Ott"], None, None)), None);
        assert_eq!(
            found(work(
                "",
                "A Study of Slip Angle Estimaton: From Kalman to Transformer",
                &["A. Ott"],
                Some(2020),
                None
            )),
            is("3", "near")
        );
        assert_eq!(found(work("", "Editorial", &[], Some(2020), None)), None);
        assert_eq!(found(work("", "Editorial", &["A. Ott"], Some(2020), None)), is("4", "title"));
    }
}
