//! Ranking measures, each by the formula of trec_eval 9.
//!
//! A grade above 0 is relevant; an unjudged document counts as not relevant. Sums run over ranks i from 1.

use crate::judgements::Grades;

/// One measure; a cut-off counts documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Normalised discounted cumulated gain: Σ grade / log2(i + 1) over the first k, over the same sum of the best
    /// possible ranking (Järvelin and Kekäläinen 2002, linear gain as `ndcg_cut`).
    Ndcg(usize),
    /// Share of relevant ones among k (`P`); a shorter list is not excused.
    Precision(usize),
    /// Share of the relevant ones that are among the first k (`recall`).
    Recall(usize),
    /// 1 / rank of the first relevant one, 0 if it is not among the first k; without k, `recip_rank`.
    ReciprocalRank(Option<usize>),
    /// Mean of the precisions at the ranks of the relevant ones, those not found counting 0 (`map`).
    AveragePrecision,
}

/// The grades of a ranking and of the best ranking there could be.
#[derive(Clone, Debug, PartialEq)]
pub struct Gains {
    /// Grade by rank; unjudged and negative as 0.
    retrieved: Vec<i32>,
    /// Grades above 0, highest first.
    ideal: Vec<i32>,
}

impl Gains {
    /// The grades of `documents`, best first, by `grades`.
    pub fn new<'a>(documents: impl Iterator<Item = &'a str>, grades: &Grades) -> Self {
        let mut ideal: Vec<i32> = grades.values().copied().filter(|&grade| grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        let retrieved = documents.map(|key| grades.get(key).copied().unwrap_or(0).max(0)).collect();
        Self { retrieved, ideal }
    }

    /// Whether any document is relevant.
    pub fn answerable(&self) -> bool {
        !self.ideal.is_empty()
    }

    fn relevant_among(&self, k: usize) -> usize {
        self.retrieved.iter().take(k).filter(|&&grade| grade > 0).count()
    }
}

impl Measure {
    /// The measures of a report: nDCG, P, R and MRR at each cut-off, then MRR and MAP over the whole ranking.
    pub fn at(cutoffs: &[usize]) -> Vec<Self> {
        let cut: [fn(usize) -> Self; 4] =
            [Self::Ndcg, Self::Precision, Self::Recall, |k| Self::ReciprocalRank(Some(k))];
        let whole = [Self::ReciprocalRank(None), Self::AveragePrecision];
        cut.iter().flat_map(|measure| cutoffs.iter().copied().map(measure)).chain(whole).collect()
    }

    /// The name in reports: `ndcg@10`, `p@10`, `r@100`, `mrr`, `map`.
    pub fn name(self) -> String {
        match self {
            Self::Ndcg(k) => format!("ndcg@{k}"),
            Self::Precision(k) => format!("p@{k}"),
            Self::Recall(k) => format!("r@{k}"),
            Self::ReciprocalRank(Some(k)) => format!("mrr@{k}"),
            Self::ReciprocalRank(None) => "mrr".into(),
            Self::AveragePrecision => "map".into(),
        }
    }

    /// The value for one query, 0 to 1; 0 where nothing is relevant, as trec_eval has it.
    pub fn value(self, gains: &Gains) -> f64 {
        match self {
            Self::Ndcg(k) => share(dcg(&gains.retrieved, k), dcg(&gains.ideal, k)),
            Self::Precision(k) => share(gains.relevant_among(k) as f64, k as f64),
            Self::Recall(k) => share(gains.relevant_among(k) as f64, gains.ideal.len() as f64),
            Self::ReciprocalRank(k) => reciprocal_rank(&gains.retrieved, k.unwrap_or(usize::MAX)),
            Self::AveragePrecision => average_precision(gains),
        }
    }
}

fn dcg(grades: &[i32], k: usize) -> f64 {
    grades.iter().take(k).enumerate().map(|(index, &grade)| f64::from(grade) / (index as f64 + 2.0).log2()).sum()
}

fn reciprocal_rank(grades: &[i32], k: usize) -> f64 {
    grades.iter().take(k).position(|&grade| grade > 0).map_or(0.0, |index| 1.0 / (index as f64 + 1.0))
}

fn average_precision(gains: &Gains) -> f64 {
    let ranks = gains.retrieved.iter().enumerate().filter(|(_, grade)| **grade > 0).map(|(index, _)| index + 1);
    let sum: f64 = ranks.enumerate().map(|(found, rank)| (found as f64 + 1.0) / rank as f64).sum();
    share(sum, gains.ideal.len() as f64)
}

/// `part / whole`, 0 where the whole is.
fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight judged documents by hand: grades 3, 2, 1, 1 relevant, 0 and −1 judged not, ranking d2 x d1 d5 d4 y d6 d3.
    ///
    /// | rank | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
    /// |---|---|---|---|---|---|---|---|---|
    /// | grade | 2 | – | 3 | 0 | 1 | – | −1 | 1 |
    fn by_hand() -> Gains {
        let grades = [("d1", 3), ("d2", 2), ("d3", 1), ("d4", 1), ("d5", 0), ("d6", -1)];
        let grades = grades.into_iter().map(|(key, grade)| (key.to_owned(), grade)).collect();
        Gains::new(["d2", "x", "d1", "d5", "d4", "y", "d6", "d3"].into_iter(), &grades)
    }

    #[track_caller]
    fn assert_value(measure: Measure, expected: f64) {
        let value = measure.value(&by_hand());
        assert!((value - expected).abs() < 5e-5, "{} is {value}, not {expected}", measure.name());
    }

    #[test]
    fn eight_lines_by_hand() {
        // (2/1 + 3/2 + 1/2.58496) / (3/1 + 2/1.58496 + 1/2 + 1/2.32193)
        assert_value(Measure::Ndcg(5), 3.88685 / 5.19254);
        // (2/1 + 3/2) / (3 + 2/1.58496 + 1/2)
        assert_value(Measure::Ndcg(3), 3.5 / 4.76186);
        // 3.88685 + 1/log2(9) = 3.88685 + 0.31546
        assert_value(Measure::Ndcg(10), 4.20231 / 5.19254);
        assert_value(Measure::Precision(3), 2.0 / 3.0);
        assert_value(Measure::Precision(10), 0.4);
        assert_value(Measure::Recall(3), 0.5);
        assert_value(Measure::Recall(100), 1.0);
        assert_value(Measure::ReciprocalRank(None), 1.0);
        // (1/1 + 2/3 + 3/5 + 4/8) / 4
        assert_value(Measure::AveragePrecision, 0.69167);
    }

    #[test]
    fn a_cut_reciprocal_rank_forgets_what_comes_later() {
        let grades = Grades::from([("d".to_owned(), 1)]);
        let gains = Gains::new(["x", "y", "d"].into_iter(), &grades);
        assert_eq!(Measure::ReciprocalRank(Some(2)).value(&gains), 0.0);
        assert_eq!(Measure::ReciprocalRank(Some(3)).value(&gains), 1.0 / 3.0);
    }

    #[test]
    fn nothing_relevant_and_nothing_found_are_zero() {
        let irrelevant = Gains::new(["d"].into_iter(), &Grades::from([("d".to_owned(), 0)]));
        let empty = Gains::new(std::iter::empty(), &Grades::from([("d".to_owned(), 1)]));
        assert!(!irrelevant.answerable() && empty.answerable());
        for measure in Measure::at(&[1, 10]) {
            assert_eq!((measure.value(&irrelevant), measure.value(&empty)), (0.0, 0.0), "{}", measure.name());
        }
    }
}
