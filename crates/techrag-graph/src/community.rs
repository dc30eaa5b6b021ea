//! Communities: groups of papers closer to each other than to the rest, for questions about the whole library.
//!
//! Papers are joined by what they share (Σ idf of shared topics and methods, as in expansion) and by citations of each
//! other (ln N each, as much as a topic of one paper); groups are those of most modularity. A term of more than a tenth of
//! the papers joins nothing once there are a hundred: it would join everything.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use techrag_core::lexical::Bag;
use techrag_core::record::Role;
use techrag_core::sentence;
use techrag_index::Reader;

use crate::model::{EdgeType, Label};
use crate::modularity::{Clique, Weights, groups, joins};
use crate::store::{Result, Store};

/// A group of papers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Community {
    /// The terms that set it apart, the most telling first.
    pub terms: Vec<String>,
    /// Its papers, ascending.
    #[serde(default)]
    pub papers: Vec<String>,
    /// What its papers say, see [`summary`].
    #[serde(default)]
    pub summary: Vec<Said>,
}

/// A sentence and the paper that says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The paper.
    pub doc_id: String,
    /// The sentence.
    pub text: String,
}

impl Community {
    /// The papers that its summary reads.
    pub fn summarised(&self) -> &[String] {
        &self.papers[..self.papers.len().min(READ)]
    }

    /// What stores keep beside the papers.
    pub(crate) fn said(&self) -> Result<String> {
        Ok(serde_json::to_string(&Self { papers: Vec::new(), ..self.clone() })?)
    }

    /// A community of what [`Self::said`] gave and those of its papers that are still there. What a paper said goes with
    /// it.
    pub(crate) fn of_said(said: &str, papers: Vec<String>) -> Result<Self> {
        let mut kept: Self = serde_json::from_str(said)?;
        kept.summary.retain(|said| papers.contains(&said.doc_id));
        Ok(Self { papers, ..kept })
    }
}

/// Terms that name a community.
const NAMES: usize = 5;
/// Sentences of a summary.
const SENTENCES: usize = 3;
/// Strongest joins of a paper that count: below a hundred papers all of them, so that small libraries group as before.
const NEAREST: usize = 100;

/// The communities of two papers or more, the largest first, ties by their first paper.
///
/// # Errors
/// If the store fails.
pub fn communities(store: &dyn Store) -> Result<Vec<Community>> {
    let papers: Vec<String> = store.all(Label::Paper)?.into_iter().map(|node| node.key.id).collect();
    let terms = Terms::of(store)?;
    let weights = weights(store, &papers, &terms)?;
    let labels = groups(&weights);
    let mut members: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (paper, label) in papers.iter().zip(labels) {
        members.entry(label).or_default().push(paper.clone());
    }
    let mut found: Vec<Community> = members
        .into_values()
        .filter(|papers| papers.len() > 1)
        .map(|papers| Community { terms: terms.telling(&papers), papers, summary: Vec::new() })
        .collect();
    found.sort_by(|a, b| b.papers.len().cmp(&a.papers.len()).then_with(|| a.papers.cmp(&b.papers)));
    Ok(found)
}

/// Topics and methods by their canonical id, with the papers that have them.
struct Terms {
    papers: f64,
    holders: BTreeMap<String, BTreeSet<String>>,
    names: BTreeMap<String, String>,
}

impl Terms {
    fn of(store: &dyn Store) -> Result<Self> {
        let aliases: BTreeMap<String, String> =
            store.edges(EdgeType::AliasOf)?.into_iter().map(|edge| (edge.from.to_string(), edge.to.id)).collect();
        let (mut holders, mut names): (BTreeMap<String, BTreeSet<String>>, BTreeMap<String, String>) =
            Default::default();
        for (label, kind) in [(Label::Topic, EdgeType::BelongsTo), (Label::Method, EdgeType::UsesMethod)] {
            for node in store.all(label)? {
                names.entry(node.key.id.clone()).or_insert_with(|| node.shown().to_owned());
            }
            for edge in store.edges(kind)? {
                let id = aliases.get(&edge.to.to_string()).cloned().unwrap_or(edge.to.id);
                holders.entry(id).or_default().insert(edge.from.id);
            }
        }
        Ok(Self { papers: store.count(Label::Paper)? as f64, holders, names })
    }

    fn idf(&self, holders: usize) -> f64 {
        (self.papers / holders as f64).ln()
    }

    /// The terms that most of some papers have and few others: share among them times idf.
    fn telling(&self, papers: &[String]) -> Vec<String> {
        let papers: BTreeSet<&String> = papers.iter().collect();
        let mut scored: Vec<(f64, &String)> = self
            .holders
            .iter()
            .filter_map(|(id, holders)| {
                let here = holders.iter().filter(|holder| papers.contains(holder)).count();
                (here > 1).then(|| (here as f64 / papers.len() as f64 * self.idf(holders.len()), id))
            })
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        scored.into_iter().take(NAMES).map(|(_, id)| self.names.get(id).unwrap_or(id).clone()).collect()
    }
}

/// For each paper, the papers it is joined to and how strongly: its [`NEAREST`], ties by id.
fn weights(store: &dyn Store, papers: &[String], terms: &Terms) -> Result<Weights> {
    let number: BTreeMap<&str, usize> = papers.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let mut cliques: Vec<Clique> = Vec::new();
    let most = if papers.len() >= 100 { papers.len() / 10 } else { papers.len() };
    for holders in terms.holders.values().filter(|holders| holders.len() > 1 && holders.len() <= most) {
        let holders: Vec<usize> = holders.iter().filter_map(|id| number.get(id.as_str()).copied()).collect();
        let idf = terms.idf(holders.len().max(1));
        cliques.push((holders, idf));
    }
    for edge in store.edges(EdgeType::CitesPaper)? {
        if let (Some(a), Some(b)) = (number.get(edge.from.id.as_str()), number.get(edge.to.id.as_str())) {
            cliques.push((vec![*a, *b], terms.papers.ln()));
        }
    }
    Ok(joins(papers.len(), &cliques, NEAREST))
}

/// Most papers of a community that its summary reads, and shortest sentence in tokens.
const READ: usize = 40;
const SHORTEST: u32 = 8;

/// The sentences of the papers' abstracts (of the first chunk, where there is none) whose words most of the others share,
/// each of another paper. `chunks` are the uids of each paper.
///
/// # Errors
/// If the library cannot be read.
pub fn summary(reader: &Reader, chunks: &BTreeMap<String, Vec<String>>) -> techrag_index::Result<Vec<Said>> {
    let mut sentences: Vec<(&String, String, Bag)> = Vec::new();
    for (paper, uids) in chunks {
        let places: Vec<_> = uids.iter().filter_map(|uid| reader.place_of(uid)).collect();
        let stored = reader.stored(&places)?;
        let text = stored.iter().find(|stored| stored.chunk.role == Role::Abstract).or(stored.first());
        for said in text.map(|stored| sentence::split(&stored.chunk.text)).unwrap_or_default() {
            let bag = Bag::of(said);
            if bag.length() >= SHORTEST && !is_list_of_keywords(said) {
                sentences.push((paper, techrag_core::text::squeeze(said), bag));
            }
        }
    }
    let shared = |(at, (paper, _, bag)): (usize, &(&String, String, Bag))| {
        let others = sentences.iter().filter(|(other, _, _)| other != paper).map(|(_, _, other)| bag.share_in(other));
        (others.sum::<f64>(), at)
    };
    let mut scored: Vec<(f64, usize)> = sentences.iter().enumerate().map(shared).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut from = BTreeSet::new();
    let best = scored.into_iter().map(|(_, at)| &sentences[at]).filter(|(paper, _, _)| from.insert(*paper));
    Ok(best.take(SENTENCES).map(|(paper, text, _)| Said { doc_id: (*paper).clone(), text: text.clone() }).collect())
}

/// Keywords printed below an abstract share words with everything and say nothing.
fn is_list_of_keywords(said: &str) -> bool {
    let said = said.trim_start().to_lowercase();
    ["keywords", "key words", "index terms"].iter().any(|head| said.starts_with(head))
}
