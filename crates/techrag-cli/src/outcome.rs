//! How a run ended, and the exit code that says so.

use std::process::ExitCode;

/// How a run ended. The exit codes are a contract (DESIGN section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All records done, degraded services noted in the record included: exit code 0.
    #[default]
    Done,
    /// A gate asked for was false, or some record abstained: exit code 1.
    Refused,
    /// Finished, but some records failed: exit code 3.
    SomeFailed,
    /// A service asked for by name is unreachable: exit code 4.
    Unreachable,
    /// A pinned figure moved: exit code 5.
    Regression,
}

impl Outcome {
    /// [`Outcome::SomeFailed`] if anything failed.
    pub fn of_failures(failed: u64) -> Self {
        if failed > 0 { Self::SomeFailed } else { Self::Done }
    }

    /// The outcome that decides when both happened: 4 before 3 before 1.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::SomeFailed => 3,
            Self::Unreachable => 4,
            Self::Regression => 5,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome::*;

    #[test]
    fn the_graver_outcome_decides() {
        assert_eq!(Refused.and(SomeFailed), SomeFailed);
        assert_eq!(Unreachable.and(SomeFailed), Unreachable);
        assert_eq!(Done.and(Refused), Refused);
    }
}
