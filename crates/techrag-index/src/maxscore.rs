//! The best few of a segment without scoring all of it: MaxScore, a term at a time (Turtle and Flood 1995, *Query
//! evaluation: strategies and optimizations*).
//!
//! Lists of postings are summed from the shortest to the longest. What the lists still to come can add at most is
//! known; once that is less than what the k-th best has already, a chunk not met so far cannot be among the best, and
//! only those met that can still get there are looked up in the lists that remain, which are the long ones. What is
//! given is what summing everything gives, to the last bit: a chunk that stays has its shares added in the same order.

use crate::bits::Bits;
use crate::segment::Posting;
use crate::top::{Ranked, Top};

/// How much better than a bound a score must be to count as better: far above the rounding of a sum.
const SLACK: f64 = 1e-9;
/// A list is looked up rather than read when it is this many times as long as there are candidates: a look-up costs a
/// few comparisons.
const LOOK_UP: usize = 8;
/// A list shorter than this is read: finding out whether it needs to be costs as much.
const SHORT: usize = 512;

/// One term's postings in a segment, ascending by slot.
pub(crate) struct List<'a, S> {
    /// Where the term stands.
    pub(crate) postings: &'a [Posting],
    /// More than any of them can add to a score.
    pub(crate) bound: f64,
    /// What one of them adds; `None` if it is in no field that counts.
    pub(crate) share: S,
}

/// Offers to `top` the chunks of a segment of `len` slots that are in `wanted` and in one of the lists; `named` gives
/// what a slot is offered as. Those that cannot be among the best may be left out.
pub(crate) fn search<T, S: Fn(Posting) -> Option<f64>>(
    lists: &[List<'_, S>],
    len: usize,
    wanted: &Bits,
    top: &mut Top<T>,
    named: impl Fn(u32) -> ((u64, u32), T),
) {
    let mut met = Met::new(len);
    let mut at = 0;
    while at < lists.len() {
        if met.can_stop(&lists[at..], top) {
            break;
        }
        met.read(&lists[at], wanted);
        at += 1;
    }
    met.look_up(&lists[at..], top);
    for slot in met.slots {
        let score = met.scores[slot as usize];
        if !top.is_below(score) {
            let (uid, item) = named(slot);
            top.offer(Ranked { score, uid, item });
        }
    }
}

/// The chunks met so far, with the sums of their shares.
struct Met {
    scores: Vec<f64>,
    seen: Bits,
    slots: Vec<u32>,
}

impl Met {
    fn new(len: usize) -> Self {
        Self { scores: vec![0.0; len], seen: Bits::new(), slots: Vec::new() }
    }

    /// Adds a whole list.
    fn read<S: Fn(Posting) -> Option<f64>>(&mut self, list: &List<'_, S>, wanted: &Bits) {
        for posting in list.postings {
            let slot = posting.slot as usize;
            let (true, Some(share)) = (wanted.has(slot), (list.share)(*posting)) else { continue };
            let Some(score) = self.scores.get_mut(slot) else { continue };
            if !self.seen.has(slot) {
                self.seen.insert(slot);
                self.slots.push(posting.slot);
            }
            *score += share;
        }
    }

    /// Whether no chunk that was not met can be among the best any more, where it pays to know.
    fn can_stop<T, S>(&self, rest: &[List<'_, S>], top: &Top<T>) -> bool {
        let next = rest.first().map_or(0, |list| list.postings.len());
        // A share below 0 (an Okapi idf of a tiny library) breaks the reasoning.
        if next < SHORT || next < self.slots.len() || rest.iter().any(|list| list.bound < 0.0) {
            return false;
        }
        falls_short(self.worst_of_best(top), 0.0, rest)
    }

    /// What a chunk needs at least to be among the best of those met and those in `top`; below all if they are fewer.
    fn worst_of_best<T>(&self, top: &Top<T>) -> f64 {
        let known = top.worst().unwrap_or(f64::NEG_INFINITY);
        let mut scores: Vec<f64> = self.slots.iter().map(|slot| self.scores[*slot as usize]).collect();
        match top.room().checked_sub(1).filter(|at| *at < scores.len()) {
            Some(at) => scores.select_nth_unstable_by(at, |one, other| other.total_cmp(one)).1.max(known),
            None => known,
        }
    }

    /// Adds the remaining lists for those that can still be among the best, and forgets the others.
    fn look_up<T, S: Fn(Posting) -> Option<f64>>(&mut self, rest: &[List<'_, S>], top: &Top<T>) {
        if !rest.is_empty() {
            self.slots.sort_unstable();
        }
        for (at, list) in rest.iter().enumerate() {
            let worst = self.worst_of_best(top);
            let scores = &self.scores;
            self.slots.retain(|slot| !falls_short(worst, scores[*slot as usize], &rest[at..]));
            if list.postings.len() < LOOK_UP * self.slots.len() {
                self.merge(list);
            } else {
                self.find(list);
            }
        }
    }

    /// Adds what a list has of the candidates, reading it.
    fn merge<S: Fn(Posting) -> Option<f64>>(&mut self, list: &List<'_, S>) {
        let mut slots = self.slots.iter().copied().peekable();
        for posting in list.postings {
            while slots.next_if(|slot| *slot < posting.slot).is_some() {}
            match slots.peek() {
                None => break,
                Some(slot) if *slot == posting.slot => {
                    self.scores[*slot as usize] += (list.share)(*posting).unwrap_or(0.0);
                }
                Some(_) => {}
            }
        }
    }

    /// Adds what a list has of the candidates, looking them up.
    fn find<S: Fn(Posting) -> Option<f64>>(&mut self, list: &List<'_, S>) {
        let mut rest = list.postings;
        for slot in &self.slots {
            rest = &rest[rest.partition_point(|posting| posting.slot < *slot)..];
            match rest.first() {
                None => break,
                Some(posting) if posting.slot == *slot => {
                    self.scores[*slot as usize] += (list.share)(*posting).unwrap_or(0.0);
                }
                Some(_) => {}
            }
        }
    }
}

/// Whether a score that all of `rest` may still be added to stays below `worst`.
fn falls_short<S>(worst: f64, score: f64, rest: &[List<'_, S>]) -> bool {
    let most = score + rest.iter().map(|list| list.bound).sum::<f64>();
    most < worst - SLACK * worst.abs()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    const SLOTS: usize = 6000;

    /// Lists of every n-th slot; the share depends on the slot, at most `bound`.
    fn postings(step: usize, start: usize) -> Vec<Posting> {
        (start % step..SLOTS)
            .step_by(step)
            .map(|slot| Posting::new(slot as u32, [0, 0, 1 + (slot / step) as u32 % 7]))
            .collect()
    }

    fn share(posting: Posting, bound: f64) -> f64 {
        let frequency = f64::from(posting.counts()[2]);
        bound * frequency / (frequency + 1.3)
    }

    fn everything(lists: &[(Vec<Posting>, f64)], wanted: &Bits, k: usize) -> Vec<Ranked<u32>> {
        let mut scores = vec![None; SLOTS];
        for (postings, bound) in lists {
            for posting in postings.iter().filter(|posting| wanted.has(posting.slot as usize)) {
                let score: &mut Option<f64> = &mut scores[posting.slot as usize];
                *score = Some(score.unwrap_or(0.0) + share(*posting, *bound));
            }
        }
        let mut top = Top::new(k);
        for (slot, score) in scores.into_iter().enumerate() {
            if let Some(score) = score {
                top.offer(Ranked { score, uid: (slot as u64, 0), item: slot as u32 });
            }
        }
        top.into_sorted()
    }

    fn searched(lists: &[(Vec<Posting>, f64)], wanted: &Bits, k: usize) -> (Vec<Ranked<u32>>, usize) {
        let scored = Cell::new(0);
        let lists: Vec<_> = lists
            .iter()
            .map(|(postings, bound)| List {
                postings,
                bound: *bound,
                share: |posting| {
                    scored.set(scored.get() + 1);
                    Some(share(posting, *bound))
                },
            })
            .collect();
        let mut top = Top::new(k);
        search(&lists, SLOTS, wanted, &mut top, |slot| ((u64::from(slot), 0), slot));
        drop(lists);
        (top.into_sorted(), scored.get())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn what_it_gives_is_what_summing_everything_gives(
            made in prop::collection::vec((1_usize..400, 0_usize..400, 0.0_f64..9.0), 1..7),
            k in 1_usize..60,
            left_out in 0_usize..9,
        ) {
            let mut lists: Vec<_> = made.into_iter().map(|(step, start, bound)| (postings(step, start), bound)).collect();
            lists.sort_by_key(|(postings, _)| postings.len());
            let mut wanted = Bits::all(SLOTS);
            let mut out = Bits::new();
            (0..SLOTS).filter(|slot| left_out > 1 && slot % left_out == 0).for_each(|slot| out.insert(slot));
            wanted.subtract(&out);
            let (found, _) = searched(&lists, &wanted, k);
            prop_assert_eq!(found, everything(&lists, &wanted, k));
        }
    }

    #[test]
    fn long_lists_of_little_weight_are_not_read() {
        let lists = [(postings(200, 0), 9.0), (postings(100, 3), 8.0), (postings(1, 0), 0.5), (postings(2, 1), 0.25)];
        let mut sorted = lists.to_vec();
        sorted.sort_by_key(|(postings, _)| postings.len());
        let (found, scored) = searched(&sorted, &Bits::all(SLOTS), 5);
        assert_eq!(found, everything(&sorted, &Bits::all(SLOTS), 5));
        assert!(
            scored < 300,
            "{scored} postings scored of {}",
            sorted.iter().map(|(postings, _)| postings.len()).sum::<usize>()
        );
    }

    #[test]
    fn shares_below_zero_are_all_added() {
        let lists = [(postings(200, 0), 9.0), (postings(1, 0), -3.0)];
        let (found, _) = searched(&lists, &Bits::all(SLOTS), 40);
        assert_eq!(found, everything(&lists, &Bits::all(SLOTS), 40));
    }
}
