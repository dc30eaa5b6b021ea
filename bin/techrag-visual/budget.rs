//! How many pages a run of `techrag-visual index` may still do.

use std::sync::{Mutex, MutexGuard, PoisonError};

use techrag_visual::{Job, Jobs};

/// What a run may still do, and what it has left out.
#[derive(Default)]
pub(crate) struct Budget {
    /// Pages that may still be done; none where there is no end.
    pub(crate) room: Option<u64>,
    /// Pages beyond it.
    pub(crate) over: u64,
    /// Documents that have no pages.
    pub(crate) without: usize,
}

/// The pages of a document, as far as the budget goes: asked for when the page before is on its way, since what a record
/// claims need not be there.
pub(crate) struct Within<'a> {
    pub(crate) jobs: Option<Jobs>,
    pub(crate) budget: &'a Mutex<Budget>,
}

impl Iterator for Within<'_> {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        let jobs = self.jobs.as_mut()?;
        let mut budget = of(self.budget);
        if budget.room == Some(0) {
            budget.over += jobs.left();
            self.jobs = None;
            return None;
        }
        let job = jobs.next()?;
        budget.room = budget.room.map(|room| room - 1);
        Some(job)
    }
}

/// The budget, for an instant.
pub(crate) fn of(budget: &Mutex<Budget>) -> MutexGuard<'_, Budget> {
    budget.lock().unwrap_or_else(PoisonError::into_inner)
}
