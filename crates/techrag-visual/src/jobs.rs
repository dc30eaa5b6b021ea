//! The pages of a document that are still to be done, told one after the other: how many there are is what a record
//! claims, until the file has been read.

use std::collections::BTreeSet;
use std::iter;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::index::{Job, Source};

/// Pages to be done, ascending; none beyond the file's own end once the file has been read, and none behind the first
/// ones of a file that cannot be.
#[derive(Clone, Debug)]
pub struct Jobs {
    source: Arc<Source>,
    /// What is wanted and not yet told: apart from one another, ascending.
    ranges: Vec<RangeInclusive<u32>>,
    done: BTreeSet<u32>,
}

impl Jobs {
    /// The pages 1 to `claimed` within the wanted ranges (all where there are none), without those that are done.
    pub(crate) fn new(source: Arc<Source>, claimed: u32, wanted: &[RangeInclusive<u32>], done: BTreeSet<u32>) -> Self {
        let all = [1..=claimed];
        let wanted = if wanted.is_empty() { &all[..] } else { wanted };
        Self { source, ranges: apart(wanted, claimed), done }
    }

    /// How many are left, by what is known of the document.
    pub fn left(&self) -> u64 {
        let end = self.source.end();
        let within = |range: &RangeInclusive<u32>| {
            let (first, last) = (*range.start(), (*range.end()).min(end));
            let done = if first <= last { self.done.range(first..=last).count() as u64 } else { 0 };
            (u64::from(last) + 1).saturating_sub(u64::from(first)).saturating_sub(done)
        };
        self.ranges.iter().filter(|range| !range.is_empty()).map(within).sum()
    }
}

impl Iterator for Jobs {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        let end = self.source.end();
        loop {
            let range = self.ranges.first_mut()?;
            match range.next() {
                Some(page) if page > end => return None,
                Some(page) if self.done.contains(&page) => {}
                Some(page) => return Some(Job { source: Arc::clone(&self.source), page }),
                None => drop(self.ranges.remove(0)),
            }
        }
    }
}

/// The ranges, cut to `1..=last` and joined where they touch.
fn apart(ranges: &[RangeInclusive<u32>], last: u32) -> Vec<RangeInclusive<u32>> {
    let cut = |range: &RangeInclusive<u32>| (*range.start()).max(1)..=(*range.end()).min(last);
    let mut sorted: Vec<RangeInclusive<u32>> = ranges.iter().map(cut).filter(|range| !range.is_empty()).collect();
    sorted.sort_by_key(|range| *range.start());
    let mut sorted = sorted.into_iter().peekable();
    iter::from_fn(|| {
        let (first, mut end) = sorted.next()?.into_inner();
        while let Some(next) = sorted.next_if(|next| *next.start() <= end.saturating_add(1)) {
            end = end.max(*next.end());
        }
        Some(first..=end)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use techrag_pdf::{Page, Pdf};

    use super::*;
    use crate::index::Failure;

    fn jobs(claimed: u32, wanted: &[RangeInclusive<u32>], done: &[u32]) -> Jobs {
        Jobs::new(Arc::new(Source::default()), claimed, wanted, done.iter().copied().collect())
    }

    fn pages(jobs: Jobs) -> Vec<u32> {
        jobs.map(|job| job.page).collect()
    }

    #[test]
    fn what_is_wanted_and_not_done_is_told_once_in_order() {
        for (claimed, wanted, done, told) in [
            (5, &[][..], &[][..], &[1, 2, 3, 4, 5][..]),
            (5, &[4..=9, 1..=2, 2..=2], &[1], &[2, 4, 5]),
            (0, &[], &[], &[]),
            (3, &[7..=9], &[], &[]),
            (3, &[], &[1, 2, 3, 4], &[]),
        ] {
            let jobs = jobs(claimed, wanted, done);
            assert_eq!(jobs.left(), told.len() as u64, "{claimed} {wanted:?} {done:?}");
            assert_eq!(pages(jobs), told, "{claimed} {wanted:?} {done:?}");
        }
    }

    #[test]
    fn a_claim_beyond_the_file_costs_nothing_once_the_file_is_read() {
        let mut claims = jobs(u32::MAX, &[], &[2]);
        assert_eq!(claims.left(), u64::from(u32::MAX) - 1);
        assert_eq!(claims.next().map(|job| job.page), Some(1));
        let three = Pdf { pages: vec![Page::default(); 3], ..Pdf::default() };
        claims.source.text.set(Ok(three)).unwrap();
        assert_eq!(claims.left(), 1);
        assert_eq!(pages(claims), [3]);
        let mut unreadable = jobs(u32::MAX, &[], &[]);
        assert!(unreadable.next().is_some());
        let failure = Failure { kind: techrag_core::record::ErrorKind::Damaged, message: "no PDF".into() };
        unreadable.source.text.set(Err(failure)).unwrap();
        assert_eq!((unreadable.left(), pages(unreadable)), (0, Vec::new()));
    }
}
