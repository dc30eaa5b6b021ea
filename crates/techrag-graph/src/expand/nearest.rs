//! Papers near some papers: those that share their topics and methods, the rarer the shared thing the nearer.
//!
//! score(p) = Σ ln(N / df(e)) over the canonical topics and methods e that p shares with a paper started from; N papers
//! in the graph, df(e) papers that have e under any of its names. A term that is both a topic and a method counts once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use techrag_core::record::{FollowedAlias, SharedEntity};

use crate::model::{Direction, EdgeType, Key, Label};
use crate::store::{Holders, Number, Result, Store};

/// Papers near others, the nearest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nearest {
    /// The papers.
    pub papers: Vec<Near>,
    /// Names that were followed to another on the way.
    pub aliases: Vec<FollowedAlias>,
}

/// A paper near others.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// The paper.
    pub doc_id: String,
    /// See the module.
    pub score: f64,
    /// What it shares, the rarest first.
    pub shared: Vec<SharedEntity>,
}

/// At most `most` papers near the `seeds`, none of them a seed; of `among` only, where that is given.
///
/// # Errors
/// If the store fails.
pub fn nearest(store: &dyn Store, seeds: &[String], among: Option<&BTreeSet<String>>, most: usize) -> Result<Nearest> {
    let topics = Canonical::of(store, Label::Topic, EdgeType::BelongsTo, seeds)?;
    let methods = Canonical::of(store, Label::Method, EdgeType::UsesMethod, seeds)?;
    let aliases = topics.followed().chain(methods.followed()).collect();
    let keys: Vec<Key> = topics.keys().chain(methods.keys()).collect();
    let holders = store.holders(&keys)?;
    let papers = store.count(Label::Paper)?;
    let terms: Vec<Term> =
        [&topics, &methods].into_iter().flat_map(|canonical| canonical.terms(&holders, papers)).collect();
    let wanted = |id: &String| !seeds.contains(id) && among.is_none_or(|among| among.contains(id));
    let best = best(store, &holders, scores(&terms), wanted, most)?;
    let mut papers: Vec<Near> =
        best.into_iter().map(|(score, doc_id, paper)| near(&terms, score, doc_id, paper)).collect();
    name(store, &mut papers)?;
    Ok(Nearest { papers, aliases })
}

/// A topic or method under its canonical name, rarer than in every paper.
struct Term {
    label: Label,
    id: String,
    /// Millionths: sums of whole numbers come out the same in any order.
    idf: u64,
    /// The papers that have it, ascending.
    holders: Vec<Number>,
}

/// What each paper shares, in millionths. A name that is both a topic and a method of a paper counts once, the rarer.
fn scores(terms: &[Term]) -> HashMap<Number, u64> {
    let mut scores: HashMap<Number, u64> = HashMap::new();
    let mut known: HashMap<&str, &Term> = HashMap::new();
    for term in terms {
        let twin = known.insert(&term.id, term);
        for holder in &term.holders {
            let counted = twin.filter(|twin| twin.holders.binary_search(holder).is_ok()).map_or(0, |twin| twin.idf);
            *scores.entry(*holder).or_default() += term.idf.saturating_sub(counted);
        }
    }
    scores
}

/// Papers whose ids are asked for at a time.
const AT_A_TIME: usize = 64;

/// The `most` best of the papers that are wanted, ties by id. Ids are read from the best on, only as far as is needed.
fn best(
    store: &dyn Store,
    holders: &Holders,
    scores: HashMap<Number, u64>,
    wanted: impl Fn(&String) -> bool,
    most: usize,
) -> Result<Vec<(u64, String, Number)>> {
    let mut ranked: Vec<(u64, Number)> = scores.into_iter().map(|(paper, score)| (score, paper)).collect();
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    let mut best: Vec<(u64, String, Number)> = Vec::new();
    for ranked in ranked.chunks(AT_A_TIME) {
        // What follows is no better than the first of these.
        let last = best.get(most.wrapping_sub(1)).map(|(score, _, _)| *score);
        if most == 0 || last.is_some_and(|last| ranked[0].0 < last) {
            break;
        }
        let numbers: Vec<Number> = ranked.iter().map(|(_, paper)| *paper).collect();
        let ids = store.paper_ids(holders, &numbers)?;
        let named = ranked.iter().zip(ids).filter_map(|((score, paper), id)| Some((*score, id?, *paper)));
        best.extend(named.filter(|(_, id, _)| wanted(id)));
        best.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    }
    best.truncate(most);
    Ok(best)
}

fn near(terms: &[Term], score: u64, doc_id: String, paper: Number) -> Near {
    let mut held: BTreeMap<&str, &Term> = BTreeMap::new();
    for term in terms.iter().filter(|term| term.holders.binary_search(&paper).is_ok()) {
        let known = held.entry(&term.id).or_insert(term);
        if term.idf > known.idf {
            *known = term;
        }
    }
    let mut shared: Vec<SharedEntity> = held.into_values().map(Term::shared).collect();
    shared.sort_by(|a, b| b.idf.total_cmp(&a.idf).then_with(|| a.name.cmp(&b.name)));
    Near { doc_id, score: millionths(score), shared }
}

impl Term {
    fn shared(&self) -> SharedEntity {
        let (label, papers) = (self.label.name().into(), self.holders.len() as u64);
        SharedEntity { label, name: self.id.clone(), papers, idf: millionths(self.idf) }
    }
}

fn millionths(count: u64) -> f64 {
    count as f64 / 1e6
}

/// Ids to names, for the papers that are given out.
fn name(store: &dyn Store, papers: &mut [Near]) -> Result<()> {
    for label in [Label::Topic, Label::Method] {
        let of_label = |shared: &&mut SharedEntity| shared.label == label.name();
        let ids: BTreeSet<String> = papers
            .iter()
            .flat_map(|near| &near.shared)
            .filter(|shared| shared.label == label.name())
            .map(|shared| shared.name.clone())
            .collect();
        let nodes = store.nodes(label, &ids.into_iter().collect::<Vec<_>>())?;
        let names: BTreeMap<&str, &str> = nodes.iter().map(|node| (node.key.id.as_str(), node.shown())).collect();
        for shared in papers.iter_mut().flat_map(|near| &mut near.shared).filter(of_label) {
            if let Some(name) = names.get(shared.name.as_str()) {
                shared.name = (*name).to_owned();
            }
        }
    }
    Ok(())
}

/// The terms of some papers under the names they stand for, and all names of each.
pub(crate) struct Canonical {
    label: Label,
    /// Name → the name it stands for, where that is another.
    stands_for: BTreeMap<String, String>,
    /// Canonical id → every id that stands for it, itself included.
    names: BTreeMap<String, BTreeSet<String>>,
}

impl Canonical {
    /// The terms of one label that an edge leads to from some papers.
    pub(crate) fn of(store: &dyn Store, label: Label, edge: EdgeType, papers: &[String]) -> Result<Self> {
        let used: BTreeSet<String> =
            store.links(edge, Direction::Out, Label::Paper, papers)?.into_iter().map(|link| link.far.id).collect();
        let used: Vec<String> = used.into_iter().collect();
        let up = store.links(EdgeType::AliasOf, Direction::Out, label, &used)?;
        let stands_for: BTreeMap<String, String> = up.into_iter().map(|link| (link.near, link.far.id)).collect();
        let canonical: BTreeSet<String> = used.iter().map(|id| stands_for.get(id).unwrap_or(id).clone()).collect();
        let mut names: BTreeMap<String, BTreeSet<String>> =
            canonical.iter().map(|id| (id.clone(), BTreeSet::from([id.clone()]))).collect();
        let canonical: Vec<String> = canonical.into_iter().collect();
        for link in store.links(EdgeType::AliasOf, Direction::In, label, &canonical)? {
            names.entry(link.near).or_default().insert(link.far.id);
        }
        Ok(Self { label, stands_for, names })
    }

    pub(crate) fn canonical<'a>(&'a self, id: &'a str) -> &'a str {
        self.stands_for.get(id).map_or(id, String::as_str)
    }

    fn followed(&self) -> impl Iterator<Item = FollowedAlias> + '_ {
        let label = self.label.name();
        self.stands_for.iter().map(move |(name, canonical)| FollowedAlias {
            label: label.into(),
            name: name.clone(),
            canonical: canonical.clone(),
        })
    }

    /// The terms and all their names.
    fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        let names: BTreeSet<&String> = self.names.values().flatten().collect();
        names.into_iter().map(|name| Key::new(self.label, name))
    }

    /// The terms with the papers that have them under any of their names; those that every paper has are left out.
    fn terms(&self, holders: &Holders, papers: u64) -> Vec<Term> {
        let term = |(canonical, names): (&String, &BTreeSet<String>)| {
            let mut of_all: Vec<Number> = names.iter().flat_map(|name| holders.of(self.label, name)).copied().collect();
            of_all.sort_unstable();
            of_all.dedup();
            let idf = (papers as f64 / of_all.len() as f64).ln();
            (idf > 0.0 && !of_all.is_empty()).then(|| Term {
                label: self.label,
                id: canonical.clone(),
                idf: (idf * 1e6).round() as u64,
                holders: of_all,
            })
        };
        self.names.iter().filter_map(term).collect()
    }
}
