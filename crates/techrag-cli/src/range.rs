//! What numeric options may be. A number that no machine can mean ends the run with exit 2 and names its range, before it
//! is multiplied, allocated or waited for.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::builder::RangedU64ValueParser;

/// Most of anything that is counted: hits, rows, cells of a list.
pub const MOST: u64 = 1_000_000;
/// Longest time, in seconds: a week.
pub const LONGEST: u64 = 7 * 24 * 3600;
/// The same where parts of seconds are taken.
pub const LONGEST_S: f64 = LONGEST as f64;
/// Most memory, in MiB: 16 TiB, more than any machine has.
pub const MEMORY: u64 = 1 << 24;
/// Most parallel workers.
const WORKERS: usize = 1024;

/// A whole number within a range.
pub fn whole<T: TryFrom<u64> + Clone + Send + Sync>(range: RangeInclusive<u64>) -> RangedU64ValueParser<T> {
    RangedU64ValueParser::from(range)
}

/// A decimal number within a range; what is not a number is in none.
pub fn decimal<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| match text.parse::<T>() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!("a number from {} to {} is expected", range.start(), range.end())),
    }
}

/// A number of parallel workers.
pub(crate) fn workers(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse::<NonZeroUsize>().ok().filter(|number| number.get() <= WORKERS);
    number.ok_or_else(|| format!("a number from 1 to {WORKERS} is expected"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_and_workers_keep_to_their_ranges() {
        let share = decimal(0.0..=1.0_f64);
        assert_eq!((share("0.5"), share("1")), (Ok(0.5), Ok(1.0)));
        for wrong in ["1.01", "-0.1", "NaN", "inf", "1e999", "", "x", "0,5"] {
            assert_eq!(share(wrong), Err("a number from 0 to 1 is expected".to_owned()), "{wrong}");
        }
        assert_eq!(workers("1024").map(NonZeroUsize::get), Ok(1024));
        for wrong in ["0", "1025", "-1", "18446744073709551615", "18446744073709551616"] {
            assert!(workers(wrong).is_err(), "{wrong}");
        }
    }
}
