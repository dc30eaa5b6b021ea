//! Pinned numbers: a file says what was measured, and a drift in either direction is one.
//!
//! A better number is a drift too: either something improved and the pin is out of date, or the measurement broke.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

/// What a run gave when it was last looked at; a file of `tests/regressions/`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    /// What is measured, and how.
    pub about: String,
    /// Largest absolute difference that is no drift.
    pub tolerance: f64,
    /// Values by path: keys of nested objects joined by `/`, as in `test/gold`.
    pub values: BTreeMap<String, f64>,
}

/// A value and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Path of the value.
    pub path: String,
    /// As pinned.
    pub pinned: f64,
    /// As measured now; `None` if the run did not give it.
    pub measured: Option<f64>,
    /// Whether the two differ by more than the tolerance.
    pub drifted: bool,
}

/// A file of pinned numbers that cannot be used.
#[derive(Debug, Error)]
pub enum Error {
    /// Not the form of [`Pinned`].
    #[error(transparent)]
    Form(#[from] toml::de::Error),
    /// It would pass whatever is measured.
    #[error("it pins no value: it could not fail")]
    Empty,
    /// A tolerance that is negative or no number.
    #[error("the tolerance {0} is not a number of at least 0")]
    Tolerance(f64),
}

impl Pinned {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Error`] if it is not of this form, or could not fail.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let pinned: Self = toml::from_str(text)?;
        if pinned.values.is_empty() {
            return Err(Error::Empty);
        }
        if !(pinned.tolerance >= 0.0 && pinned.tolerance.is_finite()) {
            return Err(Error::Tolerance(pinned.tolerance));
        }
        Ok(pinned)
    }

    /// Each pinned value against the measured object, by path.
    pub fn findings(&self, measured: &Value) -> Vec<Finding> {
        let finding = |(path, &pinned): (&String, &f64)| {
            let measured = at_path(measured, path);
            // Written so that NaN drifts.
            let same = measured.is_some_and(|measured| (measured - pinned).abs() <= self.tolerance);
            Finding { path: path.clone(), pinned, measured, drifted: !same }
        };
        self.values.iter().map(finding).collect()
    }

    /// The same file with the values measured now, to four decimals; a value that was not measured keeps its pin.
    pub fn repinned(&self, measured: &Value) -> String {
        let mut text = format!("about = {}\ntolerance = {}\n\n[values]\n", quoted(&self.about), self.tolerance);
        for (path, pinned) in &self.values {
            let value = at_path(measured, path).unwrap_or(*pinned);
            let _ = writeln!(text, "{} = {value:.4}", quoted(path));
        }
        text
    }
}

/// A line for people: what was pinned, what is now, and whether that is a drift.
pub fn line(finding: &Finding) -> String {
    let Finding { path, pinned, measured, drifted } = finding;
    let now = measured.map_or("absent".to_owned(), |value| format!("{value:.4}"));
    let verdict = if *drifted { "DRIFTED" } else { "as pinned" };
    format!("{path:28}  {pinned:.4}  {now:>6}  {verdict}")
}

fn at_path(measured: &Value, path: &str) -> Option<f64> {
    path.split('/').try_fold(measured, |value, key| value.get(key))?.as_f64()
}

/// A basic string of TOML; JSON's escapes are a subset of TOML's.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FILE: &str =
        "about = \"a \\\"run\\\"\"\ntolerance = 0.001\n\n[values]\n\"ndcg@10\" = 0.5000\n\"test/gold\" = 0.9000\n";

    fn drifted(measured: &Value) -> Vec<bool> {
        Pinned::parse(FILE).unwrap().findings(measured).iter().map(|finding| finding.drifted).collect()
    }

    #[test]
    fn better_and_worse_and_absent_are_drifts() {
        assert_eq!(drifted(&json!({ "ndcg@10": 0.5005, "test": { "gold": 0.9 } })), [false, false]);
        assert_eq!(drifted(&json!({ "ndcg@10": 0.502, "test": { "gold": 0.898 } })), [true, true]);
        assert_eq!(drifted(&json!({ "ndcg@10": "0.5", "test": {} })), [true, true]);
        assert_eq!(drifted(&json!(null)), [true, true]);
    }

    #[test]
    fn repinning_the_pinned_values_changes_nothing() {
        let pinned = Pinned::parse(FILE).unwrap();
        assert_eq!(pinned.repinned(&json!({ "ndcg@10": 0.5, "test": { "gold": 0.9 } })), FILE);
        let moved = Pinned::parse(&pinned.repinned(&json!({ "ndcg@10": 0.61234 }))).unwrap();
        assert_eq!((moved.values["ndcg@10"], moved.values["test/gold"]), (0.6123, 0.9));
    }

    #[test]
    fn a_file_that_cannot_fail_is_refused() {
        assert!(matches!(Pinned::parse("about = \"\"\ntolerance = 0\n[values]"), Err(Error::Empty)));
        assert!(matches!(Pinned::parse("about = \"\"\ntolerance = nan\n[values]\na = 1.0"), Err(Error::Tolerance(_))));
        assert!(matches!(Pinned::parse("about = \"\"\ntolerance = 1.0"), Err(Error::Form(_))));
    }
}
