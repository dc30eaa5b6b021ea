//! How much work the checks of one record may be.
//!
//! Looking for every quotation in every passage, and every claim's words among those quoted for it, grows with the
//! product of the two. Records of ordinary answers stay far below; one that was made to keep us busy comes to an end,
//! and what was not looked at is said and not verified.

use std::cell::Cell;

/// Bytes of passages and of the answer's text that are searched for a record's quotations and sentences: seconds.
pub(super) const SEARCHED: u64 = 2_000_000_000;

/// Pairs of bytes, one of a claim and one of the words quoted for it, that are compared for a record: seconds. Forty
/// sentences of 300 bytes with quotations of 5,000 make 60 million.
pub(super) const COMPARED: u64 = 1_000_000_000;

/// What is left of an allowance.
pub(super) struct Effort(Cell<u64>);

impl Effort {
    pub(super) fn new(most: u64) -> Self {
        Self(Cell::new(most))
    }

    /// Takes `work` off what is left. False if there is less; a smaller piece of work may still be done then.
    pub(super) fn spend(&self, work: u64) -> bool {
        let left = self.0.get().checked_sub(work);
        if let Some(left) = left {
            self.0.set(left);
        }
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_gone() {
        let effort = Effort::new(5);
        assert!(effort.spend(3) && !effort.spend(3) && effort.spend(2) && !effort.spend(1) && effort.spend(0));
    }
}
