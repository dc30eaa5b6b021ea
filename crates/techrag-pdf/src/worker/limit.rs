//! What a worker forbids itself: more address space than its parent grants, and endless pages.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Exit code of a worker whose watchdog ended it.
pub(crate) const OVERDUE: i32 = 124;

/// How often the watchdog looks; short against any page's time.
const LOOK: Duration = Duration::from_millis(200);

/// Bounds the address space of this process to `bytes`, where the system can; an allocation beyond aborts.
///
/// The soft limit only: a later request may raise it again.
pub fn memory(bytes: u64) {
    #[cfg(unix)]
    {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: both calls get a valid pointer to a `rlimit` that outlives them, and touch nothing else.
        unsafe {
            if libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) == 0 {
                limit.rlim_cur = libc::rlim_t::try_from(bytes).unwrap_or(limit.rlim_max).min(limit.rlim_max);
                libc::setrlimit(libc::RLIMIT_AS, &raw const limit);
            }
        }
    }
    #[cfg(not(unix))]
    let _ = bytes;
}

/// Ends the process when what was allowed a time has not finished in it.
pub struct Watchdog(Arc<Mutex<Option<Instant>>>);

impl Watchdog {
    /// Starts to watch; nothing is under way yet.
    #[must_use]
    pub fn start() -> Self {
        let deadline = Arc::new(Mutex::new(None));
        let seen = Arc::downgrade(&deadline);
        std::thread::spawn(move || {
            while let Some(deadline) = seen.upgrade() {
                let overdue = deadline.lock().unwrap_or_else(PoisonError::into_inner);
                if overdue.is_some_and(|at| Instant::now() > at) {
                    #[expect(clippy::disallowed_methods, reason = "the thread that hangs cannot be ended otherwise")]
                    std::process::exit(OVERDUE);
                }
                drop(overdue);
                drop(deadline);
                std::thread::sleep(LOOK);
            }
        });
        Self(deadline)
    }

    /// Gives the work that starts now `time`.
    pub fn allow(&self, time: Duration) {
        self.set(Instant::now().checked_add(time));
    }

    /// Nothing is under way.
    pub fn rest(&self) {
        self.set(None);
    }

    fn set(&self, deadline: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }
}
