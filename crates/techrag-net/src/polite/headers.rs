//! What response headers say of a service's limits.
//!
//! | headers | who writes them so |
//! |---|---|
//! | `x-rate-limit-limit: 3`, `x-rate-limit-interval: 1s`, `x-concurrency-limit: 1` | Crossref |
//! | `x-ratelimit-policy: 1;w=1, 15000;w=2592000` | Brave; draft-ietf-httpapi-ratelimit-headers |
//! | `x-ratelimit-remaining: 0`, `x-ratelimit-reset: 4211` (seconds; lists go together) | OpenAlex, Brave |

use std::time::Duration;

use super::limiter::Rate;
use crate::transport::Response;

/// Windows longer than this are budgets: `remaining` and `reset` speak of them.
const LONGEST: Duration = Duration::from_secs(60);

/// What a response states of limits; fields it does not speak of are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stated {
    /// Requests a window.
    pub rate: Option<Rate>,
    /// Requests at the same time.
    pub concurrent: Option<u32>,
    /// Nothing is left: until then nothing need be asked.
    pub spent: Option<Duration>,
}

/// Reads the headers of a response. What makes no sense is not said.
pub fn stated(response: &Response) -> Stated {
    let number = |name: &str| response.header(name)?.trim().parse::<u32>().ok().filter(|n| *n > 0);
    let crossref = number("x-rate-limit-limit")
        .zip(response.header("x-rate-limit-interval").and_then(interval))
        .map(|(requests, per)| Rate { requests, per });
    Stated {
        rate: crossref.or_else(|| policy(response)),
        concurrent: number("x-concurrency-limit"),
        spent: spent(response),
    }
}

/// `1s`, `500ms`, `2m`, or bare seconds.
fn interval(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let count: u64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim() {
        "ms" => Duration::from_millis(1),
        "" | "s" => Duration::from_secs(1),
        "m" => Duration::from_secs(60),
        _ => return None,
    };
    u32::try_from(count).ok().and_then(|count| unit.checked_mul(count)).filter(|per| !per.is_zero())
}

/// The shortest window of a policy.
fn policy(response: &Response) -> Option<Rate> {
    let entry = |text: &str| {
        let mut parts = text.split(';').map(str::trim);
        let requests = parts.next()?.parse().ok().filter(|n| *n > 0)?;
        let seconds = parts.find_map(|part| part.strip_prefix("w=")?.parse().ok()).filter(|s| *s > 0)?;
        Some(Rate { requests, per: Duration::from_secs(seconds) })
    };
    let rates = response.header("x-ratelimit-policy")?.split(',').filter_map(entry);
    rates.filter(|rate| rate.per <= LONGEST).min_by_key(|rate| rate.per)
}

/// The longest wait among the windows of which nothing is left.
fn spent(response: &Response) -> Option<Duration> {
    let list = |name: &str| -> Option<Vec<f64>> {
        response.header(name)?.split(',').map(|part| part.trim().parse().ok()).collect()
    };
    let (left, reset) = (list("x-ratelimit-remaining")?, list("x-ratelimit-reset")?);
    let empty = left.iter().zip(&reset).filter(|(left, reset)| **left <= 0.0 && reset.is_finite() && **reset > 0.0);
    let seconds = empty.map(|(_, reset)| reset.min(366.0 * 86_400.0)).fold(0.0, f64::max);
    (seconds > 0.0).then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(headers: &[(&str, &str)]) -> Stated {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        stated(&Response { headers, ..Response::default() })
    }

    #[test]
    fn limits_are_read_as_each_service_writes_them() {
        let second = Duration::from_secs(1);
        let crossref =
            with(&[("x-rate-limit-limit", "3"), ("x-rate-limit-interval", "1s"), ("x-concurrency-limit", "1")]);
        assert_eq!(crossref.rate, Some(Rate { requests: 3, per: second }));
        assert_eq!(crossref.concurrent, Some(1));
        let brave = with(&[
            ("x-ratelimit-policy", "1;w=1, 15000;w=2592000"),
            ("x-ratelimit-remaining", "0, 0"),
            ("x-ratelimit-reset", "1, 1419704"),
        ]);
        assert_eq!(brave.rate, Some(Rate { requests: 1, per: second }));
        assert_eq!(brave.spent, Some(Duration::from_secs(1_419_704)));
        let openalex = with(&[("x-ratelimit-remaining", "9990"), ("x-ratelimit-reset", "4211")]);
        assert_eq!(openalex, Stated::default());
    }

    #[test]
    fn nonsense_is_not_a_limit() {
        for value in ["0", "-1", "many", "", "99999999999999999999"] {
            let said = with(&[
                ("x-rate-limit-limit", value),
                ("x-rate-limit-interval", "1s"),
                ("x-ratelimit-policy", value),
                ("x-ratelimit-remaining", value),
            ]);
            assert_eq!(said, Stated::default(), "{value}");
        }
        assert_eq!(with(&[("x-rate-limit-limit", "5"), ("x-rate-limit-interval", "µ")]).rate, None);
    }
}
