//! From ranked chunks to hits: equal texts of different documents become one hit that names them all.

use std::collections::HashMap;

use techrag_core::record::{Hit, Origin, Scores};
use techrag_index::Stored;

use crate::search::Candidate;

/// The first `k` distinct texts, best first. `rerank` is the logit of each candidate that was read again.
pub(crate) fn hits(ranked: Vec<(Candidate, Stored, Option<f32>)>, k: usize) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    let mut first: HashMap<String, usize> = HashMap::new();
    for (candidate, stored, rerank) in ranked {
        match first.get(&stored.chunk.sha1).filter(|_| !stored.chunk.sha1.is_empty()) {
            Some(at) => merge(&mut hits[*at], stored.keys),
            None if hits.len() < k => {
                first.insert(stored.chunk.sha1.clone(), hits.len());
                hits.push(hit(&candidate, stored, rerank));
            }
            None => {}
        }
    }
    hits
}

/// At most `most` of a document first, in their order; what is beyond comes behind them, so that nothing is lost where
/// the others are few.
pub(crate) fn spread(
    ranked: Vec<(Candidate, Stored, Option<f32>)>,
    most: Option<usize>,
) -> Vec<(Candidate, Stored, Option<f32>)> {
    let Some(most) = most else { return ranked };
    let mut seen: HashMap<String, usize> = HashMap::new();
    let (mut first, behind): (Vec<_>, Vec<_>) = ranked.into_iter().partition(|(_, stored, _)| {
        let count = seen.entry(stored.chunk.doc_id.clone()).or_default();
        *count += 1;
        *count <= most
    });
    first.extend(behind);
    first
}

fn merge(hit: &mut Hit, keys: Vec<String>) {
    for key in keys {
        if key != hit.key && !hit.also.contains(&key) {
            hit.also.push(key);
        }
    }
}

fn hit(candidate: &Candidate, stored: Stored, rerank: Option<f32>) -> Hit {
    let channels = candidate.channels;
    let scores = Scores {
        score: candidate.score,
        dense: channels.dense,
        dense_rank: channels.dense_rank,
        bm25: channels.bm25,
        bm25_rank: channels.bm25_rank,
        sparse: channels.sparse,
        sparse_rank: channels.sparse_rank,
        fused: candidate.fused,
        rerank,
        ..Scores::default()
    };
    Hit { scores, ..stored.into_hit(Origin::Vector) }
}

#[cfg(test)]
mod tests {
    use techrag_core::record::{Chunk, Document};
    use techrag_index::Place;

    use super::*;
    use crate::fusion::Channels;

    fn ranked(key: &str, also: &[&str], sha1: &str) -> (Candidate, Stored, Option<f32>) {
        let place = Place { segment: 0, slot: 0 };
        let candidate = Candidate { place, uid: (0, 0), channels: Channels::default(), fused: None, score: 1.0 };
        let chunk = Chunk { uid: format!("{key}:0"), sha1: sha1.into(), ..Chunk::default() };
        let document = Document { key: key.into(), ..Document::default() };
        let keys = std::iter::once(key).chain(also.iter().copied()).map(str::to_owned).collect();
        (candidate, Stored { chunk, document, keys }, None)
    }

    #[test]
    fn equal_texts_are_one_hit_under_all_their_keys() {
        let found = vec![
            ranked("a", &["a2"], "1"),
            ranked("b", &[], "2"),
            ranked("c", &["a"], "1"),
            ranked("d", &[], "3"),
            ranked("e", &[], "2"),
        ];
        let hits = hits(found, 2);
        let seen: Vec<(&str, Vec<&str>)> =
            hits.iter().map(|hit| (hit.key.as_str(), hit.also.iter().map(String::as_str).collect())).collect();
        assert_eq!(seen, [("a", vec!["a2", "c"]), ("b", vec!["e"])]);
    }

    #[test]
    fn a_document_gives_way_after_its_share_and_nothing_is_lost() {
        let found = |documents: &[&str]| {
            let mut found: Vec<_> = documents.iter().map(|document| ranked(document, &[], "")).collect();
            found.iter_mut().enumerate().for_each(|(at, (_, stored, _))| {
                stored.chunk.doc_id = stored.document.key.clone();
                stored.chunk.uid = at.to_string();
            });
            found
        };
        let order = |most| -> Vec<String> {
            spread(found(&["a", "a", "a", "b", "a", "b"]), most)
                .into_iter()
                .map(|(_, stored, _)| stored.chunk.uid)
                .collect()
        };
        assert_eq!(order(Some(1)), ["0", "3", "1", "2", "4", "5"]);
        assert_eq!(order(Some(2)), ["0", "1", "3", "5", "2", "4"]);
        assert_eq!(order(None), ["0", "1", "2", "3", "4", "5"]);
    }

    #[test]
    fn chunks_without_a_hash_are_never_merged() {
        assert_eq!(hits(vec![ranked("a", &[], ""), ranked("b", &[], "")], 5).len(), 2);
    }
}
