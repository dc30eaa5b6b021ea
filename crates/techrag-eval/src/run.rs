//! A run: the documents a query's hits stand for, best first, each once.

use std::collections::HashSet;
use std::fmt::Write as _;

use techrag_core::record::Query;

/// The documents of one query, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Name of the query in the judgements.
    pub query: String,
    /// Key and score of each document, in the order of its best hit; further keys of a hit follow its first.
    pub documents: Vec<(String, f64)>,
}

/// The documents of a query record by the order of its hits; scores are carried, never sorted by.
pub fn ranked(query: &Query) -> Ranked {
    let mut seen = HashSet::new();
    let hits = query.hits.iter().flatten();
    let documents = hits
        .flat_map(|hit| std::iter::once(&hit.key).chain(&hit.also).map(|key| (key, hit.scores.score)))
        .filter(|(key, _)| seen.insert(*key))
        .map(|(key, score)| (key.clone(), score))
        .collect();
    Ranked { query: query.judged_name().to_owned(), documents }
}

/// The six-column TREC form of a run, one line a document.
///
/// trec_eval ignores the rank column, sorts by score as f32 and breaks ties by the document's name, descending. So
/// where a score does not fall from one rank to the next, the next smaller f32 is written: its order is then ours.
pub fn trec_run(ranked: &Ranked, tag: &str) -> String {
    let mut lines = String::new();
    let mut last = f32::INFINITY;
    for (index, (key, score)) in ranked.documents.iter().enumerate() {
        last = (*score as f32).min(last.next_down());
        let key = key.replace(char::is_whitespace, "_");
        let _ = writeln!(lines, "{} Q0 {key} {} {last:?} {tag}", ranked.query, index + 1);
    }
    lines
}

#[cfg(test)]
mod tests {
    use techrag_core::record::{Hit, Scores};

    use super::*;

    fn hit(key: &str, also: &[&str], score: f64) -> Hit {
        let also = also.iter().map(|&key| key.to_owned()).collect();
        Hit { key: key.into(), also, scores: Scores { score, ..Scores::default() }, ..Hit::default() }
    }

    fn query() -> Query {
        let hits = vec![hit("b", &[], 2.0), hit("a", &["c"], 2.0), hit("b", &["d"], 1.0), hit("e", &[], 3.0)];
        Query { name: Some("7".into()), hits: Some(hits), ..Query::new("why") }
    }

    #[test]
    fn a_document_counts_once_by_its_best_hit() {
        let keys: Vec<_> = ranked(&query()).documents.into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["b", "a", "c", "d", "e"]);
    }

    #[test]
    fn trec_eval_sorts_the_export_as_we_ranked() {
        let text = trec_run(&ranked(&query()), "t");
        let mut rows: Vec<(f32, &str)> = text
            .lines()
            .map(|line| line.split(' ').collect::<Vec<_>>())
            .map(|columns| (columns[4].parse().unwrap(), columns[2]))
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(a.1)));
        assert_eq!(rows.iter().map(|row| row.1).collect::<Vec<_>>(), ["b", "a", "c", "d", "e"]);
        assert!(text.starts_with("7 Q0 b 1 2.0 t\n"));
    }

    #[test]
    fn a_query_without_hits_is_an_empty_run() {
        assert!(ranked(&Query::new("why")).documents.is_empty());
        assert_eq!(trec_run(&ranked(&Query::new("why")), "t"), "");
    }
}
