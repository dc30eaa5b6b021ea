//! When a call is repeated, and after which wait.

use std::time::{Duration, SystemTime};

use super::request::{Method, Response};

/// How often and how patiently a call is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Most times a request is sent, at least 1.
    pub attempts: u32,
    /// Wait before the second attempt; it doubles from there.
    pub first: Duration,
    /// Longest wait that grows so.
    pub cap: Duration,
    /// Longest `Retry-After` that is waited for. A longer one fails the call and says until when.
    pub patience: Duration,
}

impl Retry {
    /// One attempt, no wait.
    pub const NEVER: Self = Self { attempts: 1, first: Duration::ZERO, cap: Duration::ZERO, patience: Duration::ZERO };

    /// The wait before attempt `next` (from 2) of a request with this digest: half of the doubled wait and up to half
    /// more, by the digest. Clients with different requests so spread out, and the same request waits the same.
    pub(crate) fn wait(self, next: u32, digest: u8) -> Duration {
        let doubled = self.first.saturating_mul(1 << next.saturating_sub(2).min(16)).min(self.cap);
        doubled / 2 + doubled / 2 * u32::from(digest) / 255
    }
}

/// Whether a status is worth another attempt. A POST is repeated only where the server said that it was not served.
pub(crate) fn is_passing(status: u16, method: Method) -> bool {
    match status {
        429 | 502..=504 => true,
        500 => method == Method::Get,
        _ => false,
    }
}

/// `Retry-After`: seconds (a fraction is rounded up) or an HTTP date; dates in the past mean now.
pub(crate) fn retry_after(response: &Response, now: SystemTime) -> Option<Duration> {
    let value = response.header("retry-after")?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        // Longer than a year is a mistake, not a limit.
        let seconds = seconds.clamp(0.0, 366.0 * 86_400.0);
        return seconds.is_finite().then(|| Duration::from_secs(seconds.ceil() as u64));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}
