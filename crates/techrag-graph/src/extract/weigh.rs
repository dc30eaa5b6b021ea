//! Which candidates a paper is about: the evidence of the paper, weighed over the corpus.

use std::collections::{BTreeMap, HashMap, HashSet};

use techrag_core::record::Entity;

use super::{Candidate, Config, Mined};
use crate::model::Label;

/// Most terms of each kind that a paper gets.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most topics.
    pub topics: usize,
    /// Most methods.
    pub methods: usize,
    /// Most metrics.
    pub metrics: usize,
    /// Most applications.
    pub applications: usize,
    /// Least weight of a term, 0 to 1.
    pub least: f64,
}

/// In how many papers a candidate stands, and which are keywords somewhere.
pub(super) struct Corpus {
    papers: usize,
    found: HashMap<String, usize>,
    keywords: HashSet<String>,
}

impl Corpus {
    pub(super) fn of(mined: &[Mined]) -> Self {
        let (mut found, mut keywords) = (HashMap::new(), HashSet::new());
        for (id, candidate) in mined.iter().flat_map(|mined| &mined.candidates) {
            *found.entry(id.clone()).or_default() += 1;
            if candidate.evidence.keyword {
                keywords.insert(id.clone());
            }
        }
        Self { papers: mined.len(), found, keywords }
    }

    /// What a term is worth for telling papers apart and bringing them together, 0.5 to 1.
    fn worth(&self, id: &str) -> f64 {
        let found = self.found.get(id).copied().unwrap_or(1);
        if found <= 1 && self.papers > 1 {
            0.75
        } else if self.papers >= 8 && found * 2 > self.papers {
            0.5
        } else {
            1.0
        }
    }
}

pub(super) struct Kinds {
    pub(super) topics: Vec<Entity>,
    pub(super) methods: Vec<Entity>,
    pub(super) metrics: Vec<Entity>,
    pub(super) applications: Vec<Entity>,
}

pub(super) fn ranked(candidates: &BTreeMap<String, Candidate>, corpus: &Corpus, config: &Config) -> Kinds {
    let mut kinds: BTreeMap<Label, Vec<Entity>> = BTreeMap::new();
    for (id, candidate) in candidates {
        let told = config.vocabulary.kind(id);
        let (weight, by) = weight(id, candidate, corpus, config);
        // A term of no known kind is a topic where the paper itself puts it forward.
        let evidence = candidate.evidence;
        let forward = evidence.keyword || evidence.title || evidence.name || corpus.keywords.contains(id);
        let Some(kind) = told.or(forward.then_some(Label::Topic)) else { continue };
        if weight >= config.limits.least {
            let entity = Entity { name: candidate.name.clone(), weight, by, also: candidate.also.clone() };
            // Printed keywords are what the authors hold to be the subjects, whatever else they are.
            if candidate.evidence.keyword && kind != Label::Topic {
                kinds.entry(Label::Topic).or_default().push(entity.clone());
            }
            kinds.entry(kind).or_default().push(entity);
        }
    }
    let mut best = |label: Label, most: usize| {
        let mut terms = kinds.remove(&label).unwrap_or_default();
        terms.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.name.cmp(&b.name)));
        terms.truncate(most);
        terms
    };
    let limits = config.limits;
    Kinds {
        topics: best(Label::Topic, limits.topics),
        methods: best(Label::Method, limits.methods),
        metrics: best(Label::Metric, limits.metrics),
        applications: best(Label::Application, limits.applications),
    }
}

/// Weight 0 to 1, rounded to three decimals, and what it rests on.
fn weight(id: &str, candidate: &Candidate, corpus: &Corpus, config: &Config) -> (f64, Vec<String>) {
    let evidence = candidate.evidence;
    let known = config.vocabulary.term(id).is_some();
    let shared = !evidence.keyword && corpus.keywords.contains(id);
    let marks = [
        ("keyword", evidence.keyword, 0.45),
        ("title", evidence.title, 0.25),
        ("abstract", evidence.summary, 0.15),
        ("heading", evidence.heading, 0.1),
        ("priority", evidence.priority, 0.05),
        ("acronym", evidence.acronym, 0.1),
        ("name", evidence.name, 0.3),
        ("vocabulary", known, 0.15),
        ("keyword elsewhere", shared, 0.2),
    ];
    let marked: f64 = marks.iter().filter(|(_, there, _)| *there).map(|(_, _, gain)| gain).sum();
    // 0.2 at about twenty mentions.
    let often = (f64::from(candidate.count).ln_1p() / 15.0).min(0.25);
    let weight = ((marked + often).min(1.0) * corpus.worth(id) * 1e3).round() / 1e3;
    let by = marks.iter().filter(|(_, there, _)| *there).map(|(name, _, _)| (*name).to_owned()).collect();
    (weight, by)
}
