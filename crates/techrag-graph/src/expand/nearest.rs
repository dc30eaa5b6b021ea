//! Papers near some papers: those that share their topics and methods, the rarer the shared thing the nearer.
//!
//! score(p) = Σ ln(N / df(e)) over the canonical topics and methods e that p shares with a paper started from; N papers
//! in the graph, df(e) papers that have e under any of its names. A term that is both a topic and a method counts once.

use std::collections::{BTreeMap, BTreeSet};

use techrag_core::record::{FollowedAlias, SharedEntity};

use crate::model::{Direction, EdgeType, Label};
use crate::store::{Result, Store};

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
    let papers = store.count(Label::Paper)? as f64;
    let mut found: BTreeMap<String, BTreeMap<String, SharedEntity>> = BTreeMap::new();
    let mut aliases = Vec::new();
    for (label, edge) in [(Label::Topic, EdgeType::BelongsTo), (Label::Method, EdgeType::UsesMethod)] {
        let canonical = Canonical::of(store, label, edge, seeds)?;
        aliases.extend(canonical.followed());
        for (id, holders) in canonical.holders(store, edge)? {
            let idf = (papers / holders.len() as f64).ln();
            if idf <= 0.0 {
                continue;
            }
            let shared = SharedEntity {
                label: label.name().into(),
                name: id.clone(),
                papers: holders.len() as u64,
                idf: rounded(idf),
            };
            for holder in holders.into_iter().filter(|holder| among.is_none_or(|among| among.contains(holder))) {
                let known = found.entry(holder).or_default().entry(id.clone()).or_insert_with(|| shared.clone());
                if shared.idf > known.idf {
                    known.clone_from(&shared);
                }
            }
        }
    }
    seeds.iter().for_each(|seed| {
        found.remove(seed);
    });
    let mut papers: Vec<Near> = found.into_iter().map(|(doc_id, shared)| near(doc_id, shared)).collect();
    papers.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.doc_id.cmp(&b.doc_id)));
    papers.truncate(most);
    name(store, &mut papers)?;
    Ok(Nearest { papers, aliases })
}

fn near(doc_id: String, shared: BTreeMap<String, SharedEntity>) -> Near {
    let mut shared: Vec<SharedEntity> = shared.into_values().collect();
    shared.sort_by(|a, b| b.idf.total_cmp(&a.idf).then_with(|| a.name.cmp(&b.name)));
    Near { doc_id, score: rounded(shared.iter().map(|shared| shared.idf).sum()), shared }
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

    /// The papers that have each term, under any of its names.
    fn holders(&self, store: &dyn Store, edge: EdgeType) -> Result<BTreeMap<String, BTreeSet<String>>> {
        let all: Vec<String> = self.names.values().flatten().cloned().collect();
        let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for link in store.links(edge, Direction::In, self.label, &all)? {
            by_name.entry(link.near).or_default().push(link.far.id);
        }
        let holders =
            |names: &BTreeSet<String>| names.iter().filter_map(|name| by_name.get(name)).flatten().cloned().collect();
        Ok(self.names.iter().map(|(canonical, names)| (canonical.clone(), holders(names))).collect())
    }
}

/// Six decimals, as records have it.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
