//! One ranking from two: the dense list and the BM25 list; from three, where learned sparse vectors have a weight.
//!
//! * [`Fusion::Rrf`]: reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): Σ 1/(constant + rank), ranks from 1,
//!   over the lists that hold the candidate. Scores take no part.
//! * [`Fusion::ZScore`]: z(BM25) + weight · z(dense), where z is the distance from the candidates' mean in standard
//!   deviations (of the population). A candidate that holds no term has BM25 score 0.
//! * [`Fusion::Convex`]: weight · m(dense) + (1 − weight) · m(BM25), where m scales the candidates' scores to 0…1
//!   (Bruch, Gai and Ingber 2023).
//!
//! The third list adds `sparse` times what it says in the same terms: 1/(constant + rank), z, or m.
//!
//! The two that read scores read those of every candidate in both channels, so the caller fills in what a channel's
//! list did not reach.

/// How two rankings become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fusion {
    /// Reciprocal rank fusion.
    Rrf {
        /// What is added to each rank; 60 by the book.
        constant: f64,
    },
    /// Sum of z-scores.
    ZScore {
        /// What the dense channel counts against BM25's 1.
        dense: f64,
    },
    /// Convex combination of scores scaled to 0…1.
    Convex {
        /// Share of the dense channel, 0 to 1.
        dense: f64,
    },
}

impl std::fmt::Display for Fusion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rrf { constant } => write!(f, "rrf({constant})"),
            Self::ZScore { dense } => write!(f, "z(bm25) + {dense} z(dense)"),
            Self::Convex { dense } => write!(f, "convex({dense} dense)"),
        }
    }
}

/// What both channels say of a candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Channels {
    /// Cosine; `None` where the chunk has no vectors.
    pub dense: Option<f32>,
    /// Rank in the dense list, from 1; `None` beyond its end.
    pub dense_rank: Option<u32>,
    /// BM25 score; `None` where the chunk holds no term.
    pub bm25: Option<f64>,
    /// Rank in the BM25 list, from 1; `None` beyond its end.
    pub bm25_rank: Option<u32>,
    /// Product of the learned sparse vectors; `None` where they share no term or were not asked.
    pub sparse: Option<f64>,
    /// Rank in the sparse list, from 1; `None` beyond its end.
    pub sparse_rank: Option<u32>,
}

/// The fused score of each candidate, in their order. `sparse` is the weight of learned sparse vectors; 0 leaves them out.
pub fn fuse(fusion: Fusion, sparse: f64, candidates: &[Channels]) -> Vec<f64> {
    let two = of_two(fusion, candidates);
    if sparse == 0.0 {
        return two;
    }
    let scores = || candidates.iter().map(|c| Some(c.sparse.unwrap_or(0.0))).collect::<Vec<_>>();
    let third: Vec<f64> = match fusion {
        Fusion::Rrf { constant } => candidates.iter().map(|c| share(constant, c.sparse_rank)).collect(),
        Fusion::ZScore { .. } => standardised(&scores()),
        Fusion::Convex { .. } => scaled(&scores()),
    };
    sum(&two, 1.0, &third, sparse)
}

fn share(constant: f64, rank: Option<u32>) -> f64 {
    rank.map_or(0.0, |rank| 1.0 / (constant + f64::from(rank)))
}

fn of_two(fusion: Fusion, candidates: &[Channels]) -> Vec<f64> {
    let dense = || candidates.iter().map(|c| c.dense.map(f64::from)).collect::<Vec<_>>();
    let bm25 = || candidates.iter().map(|c| Some(c.bm25.unwrap_or(0.0))).collect::<Vec<_>>();
    match fusion {
        Fusion::Rrf { constant } => {
            candidates.iter().map(|c| share(constant, c.dense_rank) + share(constant, c.bm25_rank)).collect()
        }
        Fusion::ZScore { dense: weight } => sum(&standardised(&bm25()), 1.0, &standardised(&dense()), weight),
        Fusion::Convex { dense: weight } => sum(&scaled(&bm25()), 1.0 - weight, &scaled(&dense()), weight),
    }
}

fn sum(a: &[f64], weight_a: f64, b: &[f64], weight_b: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| weight_a * a + weight_b * b).collect()
}

/// Distance from the mean in standard deviations; 0 for all where they do not differ. What has no score is as bad as
/// the worst that has one.
pub(crate) fn standardised(scores: &[Option<f64>]) -> Vec<f64> {
    let scores = filled(scores);
    let count = scores.len().max(1) as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let deviation = (scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count).sqrt();
    scores.iter().map(|score| if deviation > 0.0 { (score - mean) / deviation } else { 0.0 }).collect()
}

/// Scaled to 0…1; 0 for all where they do not differ.
fn scaled(scores: &[Option<f64>]) -> Vec<f64> {
    let scores = filled(scores);
    let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter().map(|score| if most > least { (score - least) / (most - least) } else { 0.0 }).collect()
}

fn filled(scores: &[Option<f64>]) -> Vec<f64> {
    let least = scores.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let least = if least.is_finite() { least } else { 0.0 };
    scores.iter().map(|score| score.unwrap_or(least)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RRF: Fusion = Fusion::Rrf { constant: 60.0 };

    fn ranks(dense: Option<u32>, bm25: Option<u32>) -> Channels {
        Channels { dense_rank: dense, bm25_rank: bm25, ..Channels::default() }
    }

    /// Document B's worked example contradicts itself: it lets D (ranks 1 and 8) win over E (ranks 3 and 3), but
    /// 1/61 + 1/68 = 0.03110 is less than 2/63 = 0.03175.
    #[test]
    fn in_the_worked_example_e_comes_before_d() {
        let scores = fuse(RRF, 0.0, &[ranks(Some(1), Some(8)), ranks(Some(3), Some(3))]);
        assert_eq!(scores.iter().map(|score| format!("{score:.5}")).collect::<Vec<_>>(), ["0.03110", "0.03175"]);
        assert!(scores[1] > scores[0]);
    }

    #[test]
    fn a_list_that_does_not_hold_a_candidate_adds_nothing() {
        assert_eq!(fuse(RRF, 0.0, &[ranks(Some(1), None), ranks(None, None)]), [1.0 / 61.0, 0.0]);
        assert_eq!(fuse(RRF, 0.0, &[]), Vec::<f64>::new());
    }

    #[test]
    fn z_scores_and_convex_sums_are_what_the_formulas_say() {
        let of = |dense, bm25| Channels { dense: Some(dense), bm25, ..Channels::default() };
        let candidates = [of(0.75, Some(4.0)), of(0.25, None)];
        // Means 0.5 and 2, deviations 0.25 and 2.
        assert_eq!(fuse(Fusion::ZScore { dense: 1.5 }, 0.0, &candidates), [2.5, -2.5]);
        assert_eq!(fuse(Fusion::Convex { dense: 0.3 }, 0.0, &candidates), [1.0, 0.0]);
    }

    #[test]
    fn a_third_list_adds_its_weight_in_the_same_terms() {
        let of = |sparse, rank| Channels { sparse, sparse_rank: rank, ..Channels::default() };
        let candidates = [of(Some(4.0), Some(1)), of(None, None)];
        assert_eq!(fuse(RRF, 2.0, &candidates), [2.0 / 61.0, 0.0]);
        assert_eq!(fuse(Fusion::ZScore { dense: 1.0 }, 0.5, &candidates), [0.5, -0.5]);
        assert_eq!(fuse(Fusion::Convex { dense: 0.5 }, 0.5, &candidates), [0.5, 0.0]);
        assert_eq!(fuse(RRF, 0.0, &candidates), [0.0, 0.0], "without a weight it is not asked");
    }

    #[test]
    fn scores_that_do_not_differ_decide_nothing() {
        let same = [Channels { dense: Some(0.5), bm25: Some(1.0), ..Channels::default() }; 3];
        for fusion in [Fusion::ZScore { dense: 1.0 }, Fusion::Convex { dense: 0.5 }] {
            assert_eq!(fuse(fusion, 1.0, &same), [0.0; 3]);
            assert_eq!(fuse(fusion, 1.0, &[Channels::default()]), [0.0]);
        }
    }

    proptest! {
        /// Whoever is at least as good in every channel is at least as good in the fusion.
        #[test]
        fn no_fusion_puts_the_better_in_all_below(
            scores in prop::collection::vec((-1.0_f32..1.0, 0.0_f64..30.0, 0.0_f64..50.0), 2..20), weight in 0.0_f64..1.0
        ) {
            let rank = |at: usize, key: &dyn Fn(usize) -> f64| {
                1 + (0..scores.len()).filter(|other| key(*other) > key(at)).count() as u32
            };
            let candidates: Vec<Channels> = (0..scores.len()).map(|at| Channels {
                dense: Some(scores[at].0),
                dense_rank: Some(rank(at, &|at| f64::from(scores[at].0))),
                bm25: Some(scores[at].1),
                bm25_rank: Some(rank(at, &|at| scores[at].1)),
                sparse: Some(scores[at].2),
                sparse_rank: Some(rank(at, &|at| scores[at].2)),
            }).collect();
            for fusion in [RRF, Fusion::ZScore { dense: weight }, Fusion::Convex { dense: weight }] {
                let fused = fuse(fusion, weight, &candidates);
                for (a, of_a) in candidates.iter().zip(&fused) {
                    for (b, of_b) in candidates.iter().zip(&fused) {
                        if a.dense >= b.dense && a.bm25 >= b.bm25 && a.sparse >= b.sparse {
                            prop_assert!(*of_a >= of_b - 1e-9, "{fusion:?}");
                        }
                    }
                }
            }
        }
    }
}
