//! What calls cost: a price table from the configuration, and the budget that ends a run before it is overspent.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;

use super::error::{Error, Kind};

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Of tokens read.
    pub input: f64,
    /// Of tokens written.
    pub output: f64,
}

/// Prices by model. A model that is not listed has the price of the longest name it begins with
/// (`m-mini-2026-01-01` that of `m-mini`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices(pub BTreeMap<String, Price>);

impl Prices {
    /// Cost in US dollars; `None` where no price is known.
    pub fn usd(&self, model: &str, prompt_tokens: u64, completion_tokens: u64) -> Option<f64> {
        let named = self.0.iter().filter(|(name, _)| model.starts_with(name.as_str()));
        let (_, price) = named.max_by_key(|(name, _)| name.len())?;
        Some((prompt_tokens as f64 * price.input + completion_tokens as f64 * price.output) / 1e6)
    }
}

/// What may be spent in a run; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// US dollars.
    pub usd: Option<f64>,
    /// Calls that reach a server.
    pub calls: Option<u64>,
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Calls made, or estimated in a dry run.
    pub calls: u64,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// US dollars, of the calls whose price is known.
    pub usd: f64,
    /// Calls whose price is not known.
    pub unpriced: u64,
}

impl fmt::Display for Spent {
    /// `12 calls, 3400 tokens in, 560 out, 0.0100 USD`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, prompt_tokens, completion_tokens, usd, unpriced } = self;
        write!(f, "{calls} calls, {prompt_tokens} tokens in, {completion_tokens} out")?;
        match (calls - unpriced, unpriced) {
            (0, _) => f.write_str(", no price known"),
            (_, 0) => write!(f, ", {usd:.4} USD"),
            _ => write!(f, ", {usd:.4} USD and {unpriced} calls without a known price"),
        }
    }
}

/// Counts what was spent, and holds back calls that could overspend.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    budget: Budget,
    state: Mutex<(Spent, f64)>,
}

impl Ledger {
    pub(super) fn new(budget: Budget) -> Self {
        Self { budget, state: Mutex::default() }
    }

    /// Sets aside what a call may cost at most.
    ///
    /// # Errors
    /// [`Kind::Budget`] if it could overspend; then nothing was set aside.
    pub(super) fn reserve(&self, usd: Option<f64>) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (spent, reserved) = &mut *state;
        if let Some(most) = self.budget.calls.filter(|most| spent.calls >= *most) {
            return Err(Error::new(Kind::Budget, format!("the {most} calls allowed are made")));
        }
        if let Some(most) = self.budget.usd {
            let usd = usd.unwrap_or_default();
            if spent.usd + *reserved + usd > most {
                let left = (most - spent.usd - *reserved).max(0.0);
                let message = format!("a call of up to {usd:.4} USD, {left:.4} of {most} USD are left");
                return Err(Error::new(Kind::Budget, message));
            }
        }
        spent.calls += 1;
        *reserved += usd.unwrap_or_default();
        Ok(())
    }

    /// Books what a call did cost and frees what was set aside for it.
    pub(super) fn settle(&self, reserved: Option<f64>, prompt_tokens: u64, completion_tokens: u64, usd: Option<f64>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 -= reserved.unwrap_or_default();
        state.0.prompt_tokens += prompt_tokens;
        state.0.completion_tokens += completion_tokens;
        state.0.usd += usd.unwrap_or_default();
        state.0.unpriced += u64::from(usd.is_none());
    }

    pub(super) fn spent(&self) -> Spent {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_gives_the_price() {
        let price = |input, output| Price { input, output };
        let prices = Prices([("m".to_owned(), price(1.0, 2.0)), ("m-mini".to_owned(), price(0.1, 0.4))].into());
        assert_eq!(prices.usd("m-mini-2026", 1_000_000, 500_000), Some(0.3));
        assert_eq!(prices.usd("m", 1_000_000, 0), Some(1.0));
        assert_eq!(prices.usd("other", 1, 1), None);
    }

    #[test]
    fn a_call_that_could_overspend_is_not_made() {
        let ledger = Ledger::new(Budget { usd: Some(1.0), calls: None });
        ledger.reserve(Some(0.7)).unwrap();
        let error = ledger.reserve(Some(0.4)).unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (Kind::Budget, "a call of up to 0.4000 USD, 0.3000 of 1 USD are left")
        );
        ledger.settle(Some(0.7), 10, 5, Some(0.1));
        ledger.reserve(Some(0.4)).unwrap();
        let spent = ledger.spent();
        assert_eq!((spent.calls, spent.prompt_tokens, spent.usd), (2, 10, 0.1));
        let ledger = Ledger::new(Budget { usd: None, calls: Some(1) });
        ledger.reserve(None).unwrap();
        ledger.settle(None, 7, 3, None);
        assert_eq!(ledger.spent().to_string(), "1 calls, 7 tokens in, 3 out, no price known");
        assert_eq!(ledger.reserve(None).unwrap_err().to_string(), "the 1 calls allowed are made");
    }
}
