//! The best few of many scores, ties broken by uid.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A score and what has it. Ordered best first: the higher score, then the lower uid. A score that is not a number
/// comes last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked<T> {
    /// The score.
    pub score: f64,
    /// The uid as a number pair, for ties.
    pub uid: (u64, u32),
    /// What was scored.
    pub item: T,
}

impl<T> Ranked<T> {
    /// Best first.
    pub fn order(&self, other: &Self) -> Ordering {
        let score = |ranked: &Self| if ranked.score.is_nan() { f64::NEG_INFINITY } else { ranked.score };
        score(other).total_cmp(&score(self)).then(self.uid.cmp(&other.uid))
    }
}

struct Worst<T>(Ranked<T>);

impl<T> PartialEq for Worst<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Worst<T> {}

impl<T> PartialOrd for Worst<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Worst<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

/// Keeps the best `k` of what it is offered.
pub struct Top<T> {
    k: usize,
    heap: BinaryHeap<Worst<T>>,
}

impl<T> Top<T> {
    /// Room for `k`.
    pub fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::with_capacity(k.min(4096) + 1) }
    }

    /// Whether a score cannot be among the best any more, whatever its uid.
    pub fn is_below(&self, score: f64) -> bool {
        self.heap.len() >= self.k && self.heap.peek().is_none_or(|worst| score < worst.0.score)
    }

    /// How many it keeps.
    pub fn room(&self) -> usize {
        self.k
    }

    /// The worst score it keeps; `None` while it has room for more.
    pub fn worst(&self) -> Option<f64> {
        self.heap.peek().filter(|_| self.heap.len() >= self.k).map(|worst| worst.0.score)
    }

    /// Takes it if it is among the best so far.
    pub fn offer(&mut self, ranked: Ranked<T>) {
        self.heap.push(Worst(ranked));
        if self.heap.len() > self.k {
            self.heap.pop();
        }
    }

    /// The best, best first.
    pub fn into_sorted(self) -> Vec<Ranked<T>> {
        self.heap.into_sorted_vec().into_iter().map(|worst| worst.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_those_a_full_sort_puts_first(scores in prop::collection::vec(-3_i32..3, 0..60), k in 0_usize..12) {
            let mut all: Vec<Ranked<()>> = scores
                .iter()
                .enumerate()
                .map(|(at, score)| Ranked { score: f64::from(*score), uid: (at as u64 * 7 % 61, 0), item: () })
                .collect();
            let mut top = Top::new(k);
            for ranked in &all {
                if !top.is_below(ranked.score) {
                    top.offer(*ranked);
                }
            }
            all.sort_by(Ranked::order);
            all.truncate(k);
            prop_assert_eq!(top.into_sorted(), all);
        }
    }

    #[test]
    fn what_is_not_a_number_comes_last() {
        let mut top = Top::new(2);
        for (at, score) in [f64::NAN, 1.0, -5.0].into_iter().enumerate() {
            top.offer(Ranked { score, uid: (at as u64, 0), item: at });
        }
        assert_eq!(top.into_sorted().iter().map(|ranked| ranked.item).collect::<Vec<_>>(), [1, 2]);
    }
}
