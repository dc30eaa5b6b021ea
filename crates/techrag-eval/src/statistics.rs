//! How far a mean can be trusted, and whether two runs differ: bootstrap intervals and paired permutation tests.
//!
//! Both draw from a seeded generator, so that the same values give the same interval on every machine.

/// Resamples of an interval (SPEC section 13).
pub const RESAMPLES: usize = 1_000;
/// Sign flips of a permutation test (SPEC section 13).
pub const PERMUTATIONS: usize = 10_000;
/// Seed of both.
pub const SEED: u64 = 0;

/// A 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// `SplitMix64` (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): a few lines, any seed.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, by multiplication (Lemire 2019, its bias of at most n / 2^64 left in).
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

/// The mean; 0 of no values.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The 95 % percentile interval of the mean (Efron 1979): the mean itself where there are fewer than two values.
pub fn bootstrap(values: &[f64]) -> Interval {
    if values.len() < 2 {
        return Interval { low: mean(values), high: mean(values) };
    }
    let mut generator = Generator(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES).map(|_| resampled_mean(values, &mut generator)).collect();
    means.sort_unstable_by(f64::total_cmp);
    let cut = RESAMPLES / 40;
    Interval { low: means[cut], high: means[RESAMPLES - 1 - cut] }
}

fn resampled_mean(values: &[f64], generator: &mut Generator) -> f64 {
    (0..values.len()).map(|_| values[generator.below(values.len())]).sum::<f64>() / values.len() as f64
}

/// Two-sided p of the paired permutation test: how often random signs give a mean difference at least as large.
///
/// The observed signs count as one of the permutations, so p is never 0 (Phipson and Smyth 2010).
pub fn permutation(differences: &[f64]) -> f64 {
    let observed = differences.iter().sum::<f64>().abs();
    let mut generator = Generator(SEED);
    // A hair of slack: the same values summed with other signs may differ in the last bits.
    let extreme = (0..PERMUTATIONS).filter(|_| flipped_sum(differences, &mut generator) >= observed - 1e-12).count();
    (extreme as f64 + 1.0) / (PERMUTATIONS as f64 + 1.0)
}

fn flipped_sum(differences: &[f64], generator: &mut Generator) -> f64 {
    let mut sum = 0.0;
    for chunk in differences.chunks(64) {
        let signs = generator.next();
        for (bit, value) in chunk.iter().enumerate() {
            sum += if signs >> bit & 1 == 1 { *value } else { -value };
        }
    }
    sum.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // First outputs of the reference implementation for seed 1234567.
        let mut generator = Generator(1_234_567);
        assert_eq!(generator.next(), 6_457_827_717_110_365_317);
        assert_eq!(generator.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn an_interval_holds_the_mean_and_narrows_with_more_values() {
        let few: Vec<f64> = (0..20).map(|i| f64::from(i % 5)).collect();
        let many: Vec<f64> = (0..2000).map(|i| f64::from(i % 5)).collect();
        let (wide, narrow) = (bootstrap(&few), bootstrap(&many));
        assert!(wide.low < 2.0 && 2.0 < wide.high && narrow.low < 2.0 && 2.0 < narrow.high);
        assert!(narrow.high - narrow.low < (wide.high - wide.low) / 5.0);
        // Normal theory: 1.96 σ / √n on either side, σ = √2.
        let expected = 2.0 * 1.96 * 2f64.sqrt() / 2000f64.sqrt();
        assert!((narrow.high - narrow.low - expected).abs() < 0.1 * expected);
    }

    #[test]
    fn equal_values_have_no_width() {
        assert_eq!(bootstrap(&[0.5; 9]), Interval { low: 0.5, high: 0.5 });
        assert_eq!(bootstrap(&[]), Interval { low: 0.0, high: 0.0 });
    }

    #[test]
    fn p_is_exact_where_all_permutations_can_be_counted() {
        // Ten equal differences: only all-plus and all-minus are as extreme, 2 of 1,024.
        let p = permutation(&[1.0; 10]);
        assert!((p - 2.0 / 1024.0).abs() < 1e-3, "{p}");
        assert_eq!(permutation(&[0.0; 10]), 1.0);
        assert!(permutation(&[1.0, -1.0, 0.5, -0.5, 0.1]) > 0.9);
    }
}
