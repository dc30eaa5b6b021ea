//! Questions about the library as a whole, and the communities that answer them.
//!
//! No passage says what a library is about. A question that asks it gets the communities that `techrag-graph communities`
//! has kept: the ones of the papers of the hits first, those of most hits before the others, then the largest.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use techrag_core::record::ContextCommunity;

use super::in_scope;
use super::papers;
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
        r"\b(?:groups|clusters|communities)\s+of\s+(?:papers|documents|articles|publications)\b".to_owned(),
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
/// sentences taken and terms named only as far as the community's papers within it have them.
pub(super) fn communities(
    store: &dyn Store,
    papers: &[String],
    among: Option<&BTreeSet<String>>,
    most: usize,
) -> Result<Vec<ContextCommunity>> {
    let mut found: Vec<(usize, Community)> = Vec::new();
    for community in store.communities()? {
        let community = within(community, among);
        let hits = papers.iter().filter(|paper| community.papers.contains(paper)).count();
        if !community.papers.is_empty() {
            found.push((hits, community));
        }
    }
    // The store gives the largest first; a stable sort keeps that among equals.
    found.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    let told = found.into_iter().take(most).map(|(_, mut community)| {
        if among.is_some() {
            let theirs = papers::term_names(store, &community.papers)?;
            community.terms.retain(|term| theirs.contains(term));
        }
        Ok(told(community))
    });
    told.collect()
}

/// What of a community is in the scope: papers, and what they say. Its terms stay.
fn within(mut community: Community, among: Option<&BTreeSet<String>>) -> Community {
    community.papers.retain(|paper| in_scope(among, paper));
    community.summary.retain(|said| in_scope(among, &said.doc_id));
    community
}

fn told(community: Community) -> ContextCommunity {
    ContextCommunity {
        name: community.terms.join(", "),
        papers: community.papers.len() as u64,
        summary: community.summary.into_iter().map(|said| said.text).collect(),
    }
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
            terms: vec!["one".into(), "other".into()],
            papers: vec!["a".into(), "b".into(), "c".into()],
            summary: vec![said("b"), said("a")],
        };
        let among = BTreeSet::from(["a".to_owned()]);
        let name = || "one, other".to_owned();
        let expected = ContextCommunity { name: name(), papers: 1, summary: vec!["a says so.".into()] };
        assert_eq!(told(within(community.clone(), Some(&among))), expected);
        let nothing = ContextCommunity { name: name(), ..ContextCommunity::default() };
        assert_eq!(told(within(community.clone(), Some(&BTreeSet::new()))), nothing);
        assert_eq!(told(within(community, None)).papers, 3);
    }
}
