//! Aliases: names of one thing. Proposed for review, applied as ALIAS_OF edges, undone by the same file.
//!
//! | why | rule | applied unless a reader says no |
//! |---|---|---|
//! | `acronym` | a paper explains the short form by the long one, and no paper explains it otherwise | yes |
//! | `form` | the same words but for their order, endings, hyphens and spaces | yes |
//! | `meaning` | names whose embeddings are near (cosine), each to the most used of its cluster | no |
//!
//! The canonical name is the one that more papers use, of equals the longer, then the first by letters; for an acronym it
//! is the long form. Chains are followed when they are applied, so every alias points at a name that is none.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use techrag_core::record::AliasProposal;
use techrag_core::token;

use crate::model::{Direction, Edge, EdgeType, Key, Label, Node};
use crate::name::folded_name;
use crate::store::{Patch, Result, Store};

/// A term with what deciding reads.
struct Term {
    node: Node,
    papers: usize,
}

/// Gives the vectors of names, each of length 1.
pub type Embed<'a, E> = &'a dyn Fn(&[&str]) -> std::result::Result<Vec<Vec<f32>>, E>;

/// Every proposal, by label, canonical name and name. `embed` gives the vectors of names, where meanings are compared;
/// `least` is the least cosine of two names of one cluster.
///
/// # Errors
/// If the store fails.
pub fn propose<E>(
    store: &dyn Store,
    embed: Option<Embed<'_, E>>,
    least: f32,
) -> std::result::Result<Vec<AliasProposal>, E>
where
    E: From<crate::store::Error>,
{
    let mut proposals = Vec::new();
    for label in Label::TERMS {
        let terms = terms(store, label)?;
        let mut taken: BTreeSet<String> = store
            .edges(EdgeType::AliasOf)?
            .into_iter()
            .filter(|edge| edge.from.label == label)
            .map(|edge| edge.from.id)
            .collect();
        let mut found = acronyms(&terms);
        found.extend(forms(&terms));
        if let Some(embed) = embed {
            let names: Vec<&str> = terms.iter().map(|term| term.node.shown()).collect();
            found.extend(meanings(&terms, &embed(&names)?, least));
        }
        // The first rule that speaks of a name decides.
        found.retain(|proposal| proposal.name != proposal.canonical && taken.insert(proposal.name.clone()));
        proposals.extend(found);
    }
    Ok(proposals)
}

fn terms(store: &dyn Store, label: Label) -> Result<Vec<Term>> {
    let nodes = store.all(label)?;
    let ids: Vec<String> = nodes.iter().map(|node| node.key.id.clone()).collect();
    let mut papers: BTreeMap<String, usize> = BTreeMap::new();
    if let Some(edge) = EdgeType::to_term(label) {
        for link in store.links(edge, Direction::In, label, &ids)? {
            *papers.entry(link.near).or_default() += 1;
        }
    }
    let term = |node: Node| Term { papers: papers.get(&node.key.id).copied().unwrap_or(0), node };
    Ok(nodes.into_iter().map(term).collect())
}

fn proposal(name: &Term, canonical: &Term, why: &str, score: f64, apply: bool) -> AliasProposal {
    AliasProposal {
        label: name.node.key.label.name().into(),
        name: name.node.key.id.clone(),
        canonical: canonical.node.key.id.clone(),
        why: why.into(),
        score: (score * 1e4).round() / 1e4,
        apply,
        ..AliasProposal::default()
    }
}

fn acronyms(terms: &[Term]) -> Vec<AliasProposal> {
    let mut long_forms: BTreeMap<String, Vec<&Term>> = BTreeMap::new();
    for term in terms {
        if let Some(short) = term.node.text("also") {
            long_forms.entry(folded_name(short)).or_default().push(term);
        }
    }
    let known = |term: &&Term| long_forms.contains_key(&term.node.key.id);
    let mut proposals = Vec::new();
    for short in terms.iter().filter(known) {
        let long = &long_forms[&short.node.key.id];
        let (score, sure) = (1.0 / long.len() as f64, long.len() == 1);
        proposals.extend(long.iter().map(|long| proposal(short, long, "acronym", score, sure)));
    }
    proposals
}

fn forms(terms: &[Term]) -> Vec<AliasProposal> {
    let mut groups: BTreeMap<String, Vec<&Term>> = BTreeMap::new();
    for term in terms {
        let mut stems: Vec<String> =
            term.node.key.id.split(' ').flat_map(|word| token::tokens(word, token::Config::WORDS)).collect();
        let joined = stems.concat();
        stems.sort_unstable();
        groups.entry(stems.concat()).or_default().push(term);
        if joined != stems.concat() {
            groups.entry(joined).or_default().push(term);
        }
    }
    let mut proposals = Vec::new();
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let Some(canonical) = most_used(&group) else { continue };
        proposals.extend(group.iter().map(|term| proposal(term, canonical, "form", 1.0, true)));
    }
    proposals.sort_by(|a, b| (&a.canonical, &a.name).cmp(&(&b.canonical, &b.name)));
    proposals
}

fn most_used<'a>(group: &[&'a Term]) -> Option<&'a Term> {
    let key = |term: &&&'a Term| (term.papers, term.node.key.id.len(), std::cmp::Reverse(term.node.key.id.clone()));
    group.iter().max_by_key(key).copied()
}

/// Clusters around the most used names: each name joins the nearest cluster that is near enough, else begins one.
fn meanings(terms: &[Term], vectors: &[Vec<f32>], least: f32) -> Vec<AliasProposal> {
    let mut order: Vec<usize> = (0..terms.len().min(vectors.len())).collect();
    order.sort_by(|a, b| {
        terms[*b].papers.cmp(&terms[*a].papers).then_with(|| terms[*a].node.key.cmp(&terms[*b].node.key))
    });
    let (mut centres, mut proposals): (Vec<usize>, Vec<AliasProposal>) = Default::default();
    for at in order {
        let near = centres.iter().map(|centre| (cosine(&vectors[at], &vectors[*centre]), *centre));
        match near.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(cosine, _)| *cosine >= least) {
            Some((cosine, centre)) => {
                proposals.push(proposal(&terms[at], &terms[centre], "meaning", f64::from(cosine), false));
            }
            None => centres.push(at),
        }
    }
    proposals
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What applying or undoing came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Edges that came or went.
    pub edges: usize,
    /// Proposals whose names the graph does not have, or which would make a name stand for itself.
    pub left_out: usize,
}

/// Makes every proposal that says `apply` an edge.
///
/// # Errors
/// If the store fails.
pub fn apply(store: &dyn Store, proposals: &[AliasProposal]) -> Result<Changed> {
    let there = store.edges(EdgeType::AliasOf)?;
    let mut stands_for: BTreeMap<Key, Key> = there.iter().map(|edge| (edge.from.clone(), edge.to.clone())).collect();
    let mut changed = Changed::default();
    for proposal in proposals.iter().filter(|proposal| proposal.apply) {
        let Some(label) = Label::of(&proposal.label) else {
            changed.left_out += 1;
            continue;
        };
        let (name, canonical) = (Key::new(label, &proposal.name), Key::new(label, &proposal.canonical));
        let known = store.nodes(label, &[name.id.clone(), canonical.id.clone()])?.len() == 2;
        if !known || end(&stands_for, &canonical) == name {
            changed.left_out += 1;
            continue;
        }
        stands_for.insert(name, canonical);
    }
    // Every chain ends at a name that is none.
    let wanted: BTreeMap<Key, Key> = stands_for.keys().map(|name| (name.clone(), end(&stands_for, name))).collect();
    let edge = |(from, to): (&Key, &Key)| alias(from.clone(), to.clone());
    let add: Vec<Edge> = wanted.iter().map(edge).filter(|edge| !there.contains(edge)).collect();
    let remove = there.into_iter().filter(|edge| wanted.get(&edge.from) != Some(&edge.to)).collect();
    changed.edges = add.len();
    store.apply(&Patch { remove, nodes: Vec::new(), add })?;
    Ok(changed)
}

fn alias(from: Key, to: Key) -> Edge {
    Edge { from, kind: EdgeType::AliasOf, to, props: json!({}).as_object().cloned().unwrap_or_default() }
}

/// Where a chain of names ends. Names are never their own, so it does end.
fn end(stands_for: &BTreeMap<Key, Key>, name: &Key) -> Key {
    let mut at = name;
    let mut seen = BTreeSet::new();
    while let Some(next) = stands_for.get(at).filter(|_| seen.insert(at)) {
        at = next;
    }
    at.clone()
}

/// Takes the edges of all proposals away again.
///
/// # Errors
/// If the store fails.
pub fn undo(store: &dyn Store, proposals: &[AliasProposal]) -> Result<Changed> {
    let names: BTreeSet<(&str, &str)> =
        proposals.iter().map(|proposal| (proposal.label.as_str(), proposal.name.as_str())).collect();
    let there = store.edges(EdgeType::AliasOf)?;
    let remove: Vec<Edge> =
        there.into_iter().filter(|edge| names.contains(&(edge.from.label.name(), edge.from.id.as_str()))).collect();
    let changed = Changed { edges: remove.len(), left_out: proposals.len() - remove.len().min(proposals.len()) };
    store.apply(&Patch { remove, ..Patch::default() })?;
    Ok(changed)
}
