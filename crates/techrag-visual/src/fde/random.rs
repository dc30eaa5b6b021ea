//! The random numbers of an encoding: counter streams of splitmix64, so that any language can make the same ones.
//!
//! Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014): the i-th number of a stream is
//! the finaliser of `seed + i · 0x9E3779B97F4A7C15`.

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
/// 2⁻⁵³, the distance between neighbours among the numbers in [0, 1) that 53 bits make.
const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;

/// The `at`-th number (from 0) of the stream of a seed.
pub(super) fn number(seed: u64, at: usize) -> u64 {
    let mut z = seed.wrapping_add((at as u64 + 1).wrapping_mul(STEP));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The `at`-th normal deviate of a stream (Box and Muller 1958, the cosine half): two numbers each, in f64.
pub(super) fn normal(seed: u64, at: usize) -> f32 {
    let unit = |number: u64| (number >> 11) as f64 * UNIT;
    let (first, second) = (number(seed, 2 * at), number(seed, 2 * at + 1));
    // In (0, 1], so that its logarithm is finite.
    let u = unit(first) + UNIT;
    ((-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * unit(second)).cos()) as f32
}

/// Where a coordinate goes when `from` coordinates are hashed onto `onto`: `index + 1`, negative where its sign turns.
pub(super) fn targets(seed: u64, from: usize, onto: usize) -> Vec<i32> {
    let target = |at| {
        let number = number(seed, at);
        let index = ((number >> 1) % onto as u64) as i32 + 1;
        if number & 1 == 1 { index } else { -index }
    };
    (0..from).map(target).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64() {
        // The first numbers of seed 0, as the reference implementation prints them.
        assert_eq!([number(0, 0), number(0, 1)], [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]);
    }

    #[test]
    fn deviates_are_normal() {
        let values: Vec<f64> = (0..20_000).map(|at| f64::from(normal(7, at))).collect();
        let mean = values.iter().sum::<f64>() / 20_000.0;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
