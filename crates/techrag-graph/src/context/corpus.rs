//! Questions about the library as a whole, and the communities that answer them.
//!
//! No passage says what a library is about. A question that asks it gets the communities that `techrag-graph communities`
//! has kept: the ones of the papers of the hits first, those of most hits before the others, then the largest.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use techrag_core::record::ContextCommunity;

use super::in_scope;
use super::papers::Facts;
use crate::community::Community;
use crate::store::{Result, Store};

/// A library and its papers taken together.
const ALL: &str = r"(?:(?:this|the|my|our|your|whole|entire|all|these|those)\s+)+(?:library|corpus|collection|database|papers|documents|articles|publications)";

/// Nothing follows that picks some of them, as "the papers on friction" does.
const END: &str = r"\s*(?:[.?!,;]|$)";

static CUES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let themes = r"(?:themes?|topics?|subjects?|areas?|fields?|threads?|clusters?|communit(?:y|ies)|groups?|trends?)";
    let cues = [
        // "the main themes of the library", "which groups of papers are there"
        format!(r"\b{themes}\b.{{0,40}}\b(?:of|in|across|among|over)\s+{ALL}{END}"),
        format!(r"\b(?:groups|clusters|communities)\s+of\s+(?:papers|documents|articles|publications)\b"),
        // "what is this collection about", "what do the papers have in common"
        format!(r"\bwhat\s+(?:is|are|does|do)\s+{ALL}\b.{{0,20}}\b(?:about|in common|cover|deal with)\b"),
        // "summarise the library", "an overview of all papers"
        format!(r"\b(?:summari[sz]e|overview of|summary of|survey of|outline of)\s+{ALL}{END}"),
        // "which methods recur across all papers"
        format!(r"\b(?:across|throughout)\s+(?:all\s+of\s+)?{ALL}{END}"),
    ];
    // A test compiles it; a build whose pattern does not compile takes no question for one about the library.
    Regex::new(&format!("(?i){}", cues.join("|"))).ok()
});

/// Whether a question is about the library as a whole, by its words.
pub(super) fn asks_about_all(question: &str) -> bool {
    CUES.as_ref().is_some_and(|cues| cues.is_match(question))
}

/// At most `most` of the communities kept. Within a scope nothing tells of a paper outside it: members are counted,
/// sentences taken and terms named only as far as the scope has them.
pub(super) fn communities(
    store: &dyn Store,
    papers: &[String],
    facts: &Facts,
    among: Option<&BTreeSet<String>>,
    most: usize,
) -> Result<Vec<ContextCommunity>> {
    let terms = among.map(|_| facts.terms());
    let mut found: Vec<(usize, ContextCommunity)> = Vec::new();
    for community in store.communities()? {
        let hits = papers.iter().filter(|paper| community.papers.contains(paper)).count();
        if let Some(told) = told(community, among, terms.as_ref()) {
            found.push((hits, told));
        }
    }
    // The store gives the largest first; a stable sort keeps that among equals.
    found.sort_by(|a, b| b.0.cmp(&a.0));
    Ok(found.into_iter().take(most).map(|(_, told)| told).collect())
}

fn told(
    community: Community,
    among: Option<&BTreeSet<String>>,
    terms: Option<&BTreeSet<&str>>,
) -> Option<ContextCommunity> {
    let papers = community.papers.iter().filter(|paper| in_scope(among, paper)).count() as u64;
    let names = community.terms.into_iter().filter(|term| terms.is_none_or(|terms| terms.contains(term.as_str())));
    let said = community.summary.into_iter().filter(|said| in_scope(among, &said.doc_id));
    let (name, summary) = (names.collect::<Vec<_>>().join(", "), said.map(|said| said.text).collect());
    (papers > 0).then_some(ContextCommunity { name, papers, summary })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_about_the_library_is_told_from_one_about_its_matter() {
        assert!(CUES.is_some());
        for question in [
            "What are the main themes of this library?",
            "Which topics recur across the papers?",
            "What is this collection about?",
            "What do these papers have in common?",
            "Summarise the corpus.",
            "Give me an overview of all the papers.",
            "Which groups of papers are there?",
            "Which methods recur across all papers?",
        ] {
            assert!(asks_about_all(question), "{question}");
        }
        for question in [
            "How does the relaxation length delay the lateral force?",
            "What topics does the paper by Oldendorf cover?",
            "Which papers did Oldendorf write?",
            "Summarise the paper on brush models.",
            "What is the brush model about?",
            "How many papers are there?",
            "Which trends are there in the papers on friction?",
            "Why are groups of sensors calibrated together?",
        ] {
            assert!(!asks_about_all(question), "{question}");
        }
    }

    #[test]
    fn within_a_scope_a_community_tells_of_nothing_outside() {
        let said = |doc_id: &str| crate::community::Said { doc_id: doc_id.into(), text: format!("{doc_id} says so.") };
        let community = Community {
            terms: vec!["inside".into(), "outside".into()],
            papers: vec!["a".into(), "b".into(), "c".into()],
            summary: vec![said("b"), said("a")],
        };
        let among = BTreeSet::from(["a".to_owned()]);
        let told_within = told(community.clone(), Some(&among), Some(&BTreeSet::from(["inside"])));
        let expected = ContextCommunity { name: "inside".into(), papers: 1, summary: vec!["a says so.".into()] };
        assert_eq!(told_within, Some(expected));
        assert_eq!(told(community.clone(), Some(&BTreeSet::new()), Some(&BTreeSet::new())), None);
        assert_eq!(told(community, None, None).map(|told| told.papers), Some(3));
    }
}
