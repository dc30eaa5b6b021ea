//! The one clock. Waits, limits and ages of what is cached read it, so that tests can stop it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often a wait looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(25);

/// The system's clock, or one that stands still but for the waits.
#[derive(Clone, Debug, Default)]
pub struct Clock(Option<Arc<Mutex<SystemTime>>>);

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self(None)
    }

    /// A clock that shows `seconds` since 1970 and advances only by the waits, which then take no time. Copies share it.
    pub fn stopped(seconds: u64) -> Self {
        Self(Some(Arc::new(Mutex::new(UNIX_EPOCH + Duration::from_secs(seconds)))))
    }

    /// Now.
    #[expect(clippy::disallowed_methods, reason = "techrag-net owns the clock of waits, limits and ages")]
    pub fn now(&self) -> SystemTime {
        match &self.0 {
            None => SystemTime::now(),
            Some(at) => *at.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Seconds since 1970.
    pub fn seconds(&self) -> u64 {
        seconds(self.now())
    }

    /// Waits; false if it was cancelled before the end.
    pub fn wait(&self, duration: Duration, cancel: &Cancel) -> bool {
        if let Some(at) = &self.0 {
            *at.lock().unwrap_or_else(PoisonError::into_inner) += duration;
            return !cancel.is_set();
        }
        let mut left = duration;
        while !left.is_zero() && !cancel.is_set() {
            let step = left.min(LOOK);
            thread::sleep(step);
            left -= step;
        }
        !cancel.is_set()
    }
}

/// Seconds since 1970 of a time; 0 for times before.
pub fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A time as people and records read it: `2026-11-30 08:05 UTC`.
pub fn written(seconds: u64) -> String {
    let date = httpdate::HttpDate::from(UNIX_EPOCH + Duration::from_secs(seconds)).to_string();
    // "Mon, 30 Nov 2026 08:05:00 GMT"
    let parts: Vec<&str> = date.split([' ', ',', ':']).filter(|part| !part.is_empty()).collect();
    let [_, day, month, year, hour, minute, ..] = parts.as_slice() else { return date };
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months.iter().position(|name| name == month).map_or(0, |at| at + 1);
    format!("{year}-{month:02}-{day} {hour}:{minute} UTC")
}

/// A wish to stop, shared by whoever has it and those who work.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks all who hold a copy to stop. A read that blocks ends with its own timeout at the latest.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_clock_advances_by_its_waits_only() {
        let clock = Clock::stopped(1_796_025_900);
        assert!(clock.clone().wait(Duration::from_secs(90), &Cancel::default()));
        assert_eq!(clock.seconds(), 1_796_025_990);
        assert_eq!(written(1_796_025_990), "2026-11-30 08:06 UTC");
    }

    #[test]
    fn a_cancelled_wait_ends_at_once() {
        let cancel = Cancel::default();
        cancel.set();
        assert!(!Clock::system().wait(Duration::from_secs(3600), &cancel));
    }
}
