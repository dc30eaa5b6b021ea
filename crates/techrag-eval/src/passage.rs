//! Passages: do the hits themselves hold the words that answer, on the page where they stand.
//!
//! A hit holds a judged passage when the document is right, its pages include the page, and its text contains the
//! quoted words, compared without case, white space and hyphens (`techrag_core::text::fold_tight`).

use techrag_core::record::Hit;
use techrag_core::text::fold_tight;

use crate::judgements::JudgedPassage;

/// One measure of passages; a cut-off counts hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageMeasure {
    /// Share of the judged passages held by the first k hits (C A34).
    Recall(usize),
    /// Share of the first k hits that hold a judged passage, of k.
    Precision(usize),
    /// 1 / rank of the first hit that holds one.
    ReciprocalRank,
}

impl PassageMeasure {
    /// Recall and precision at each cut-off, then the reciprocal rank.
    pub fn at(cutoffs: &[usize]) -> Vec<Self> {
        let cut: [fn(usize) -> Self; 2] = [Self::Recall, Self::Precision];
        let measures = cut.iter().flat_map(|measure| cutoffs.iter().copied().map(measure));
        measures.chain([Self::ReciprocalRank]).collect()
    }

    /// The name in reports: `passage_r@10`, `passage_p@10`, `passage_mrr`.
    pub fn name(self) -> String {
        match self {
            Self::Recall(k) => format!("passage_r@{k}"),
            Self::Precision(k) => format!("passage_p@{k}"),
            Self::ReciprocalRank => "passage_mrr".into(),
        }
    }

    /// The value for one query, 0 to 1.
    pub fn value(self, held: &Held) -> f64 {
        match self {
            Self::Recall(k) => {
                let found = held.first_rank.iter().flatten().filter(|&&rank| rank <= k).count();
                if held.first_rank.is_empty() { 0.0 } else { found as f64 / held.first_rank.len() as f64 }
            }
            Self::Precision(k) => held.holding.iter().take(k).filter(|&&holds| holds).count() as f64 / k as f64,
            Self::ReciprocalRank => held.first_rank.iter().flatten().min().map_or(0.0, |&rank| 1.0 / rank as f64),
        }
    }
}

/// Which hits of a query hold which of its passages.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Rank from 1 of the first hit that holds the passage, by passage; only those of a grade above 0.
    first_rank: Vec<Option<usize>>,
    /// Whether the hit holds any, by hit.
    holding: Vec<bool>,
}

impl Held {
    /// Looks for every relevant passage in every hit, best hit first.
    pub fn new(hits: &[Hit], passages: &[JudgedPassage]) -> Self {
        let texts: Vec<String> = hits.iter().map(|hit| fold_tight(&hit.text)).collect();
        let relevant = passages.iter().filter(|passage| passage.grade > 0);
        let mut held = Self { first_rank: Vec::new(), holding: vec![false; hits.len()] };
        for passage in relevant {
            let words = fold_tight(&passage.span);
            let ranks: Vec<usize> = (0..hits.len())
                .filter(|&index| in_place(&hits[index], passage) && texts[index].contains(&words))
                .collect();
            held.first_rank.push(ranks.first().map(|index| index + 1));
            ranks.into_iter().for_each(|index| held.holding[index] = true);
        }
        held
    }
}

/// Formats without pages are judged by their words alone.
fn in_place(hit: &Hit, passage: &JudgedPassage) -> bool {
    let document = hit.key == passage.document || hit.also.contains(&passage.document);
    let page = match (hit.pages, passage.page) {
        (Some([first, last]), Some(page)) => (first..=last).contains(&page),
        _ => true,
    };
    document && page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(key: &str, pages: [u32; 2], text: &str) -> Hit {
        Hit { key: key.into(), pages: Some(pages), text: text.into(), ..Hit::default() }
    }

    fn judged(document: &str, page: u32, span: &str) -> JudgedPassage {
        JudgedPassage { document: document.into(), page: Some(page), span: span.into(), grade: 1 }
    }

    #[test]
    fn words_page_and_document_must_agree() {
        let passages = [judged("a.pdf", 2, "fric-tion of 0.62")];
        let rank = |hit: Hit| Held::new(&[hit], &passages).first_rank[0];
        assert_eq!(rank(hit("a.pdf", [1, 2], "A Friction\nof 0.62 was found")), Some(1));
        assert_eq!(rank(hit("a.pdf", [3, 4], "friction of 0.62")), None);
        assert_eq!(rank(hit("b.pdf", [1, 2], "friction of 0.62")), None);
        assert_eq!(rank(hit("a.pdf", [1, 2], "friction of 0.26")), None);
        assert_eq!(rank(Hit { also: vec!["a.pdf".into()], ..hit("b.pdf", [2, 2], "friction of 0.62") }), Some(1));
    }

    #[test]
    fn measures_by_hand() {
        let hits = [hit("a", [1, 1], "none"), hit("a", [1, 1], "x y"), hit("a", [1, 1], "y z"), hit("b", [1, 1], "w")];
        let passages = [judged("a", 1, "x"), judged("a", 1, "y"), judged("b", 1, "w"), judged("b", 1, "absent")];
        let held = Held::new(&hits, &passages);
        assert_eq!(PassageMeasure::Recall(2).value(&held), 0.5);
        assert_eq!(PassageMeasure::Recall(10).value(&held), 0.75);
        assert_eq!(PassageMeasure::Precision(3).value(&held), 2.0 / 3.0);
        assert_eq!(PassageMeasure::Precision(10).value(&held), 0.3);
        assert_eq!(PassageMeasure::ReciprocalRank.value(&held), 0.5);
        assert_eq!(PassageMeasure::Recall(5).value(&Held::new(&[], &[])), 0.0);
    }
}
