//! The scan of encodings: one query's encoding against many pages', row after row.
//!
//! Rows are padded to multiples of [`LANES`] coordinates. A scan is bound by memory, so the bytes of a row decide: an
//! encoding cut to its signs is a thirty-second of one in f32.

use half::f16;
use half::slice::HalfFloatSliceExt as _;

use super::{Level, OFFSET};

/// Rows are padded to multiples of this many coordinates.
pub const LANES: usize = 64;

/// A query's encoding as integers with one scale: `value ≈ integer · scale`.
#[derive(Clone, Debug, PartialEq)]
pub struct Integers {
    /// The integers, padded with zeros.
    pub values: Vec<i8>,
    /// What one is worth.
    pub scale: f32,
    sum: i32,
}

impl Integers {
    /// Scales so that the largest magnitude is 127.
    pub fn new(encoding: &[f32]) -> Self {
        let largest = encoding.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let scale = if largest > 0.0 { largest / super::LARGEST } else { 1.0 };
        let mut values: Vec<i8> = encoding.iter().map(|value| (value / scale).round() as i8).collect();
        values.resize(encoding.len().next_multiple_of(LANES), 0);
        let sum = values.iter().map(|value| i32::from(*value)).sum();
        Self { values, scale, sum }
    }
}

/// Σ ±q: for each row of signs (64 a word, lowest bit first; 1 is +) the inner product with the integers.
///
/// # Panics
/// If the rows are not `out.len()` rows of the query's length.
pub fn signs(query: &Integers, rows: &[u64], out: &mut [i32], level: Level) {
    let words = query.values.len() / LANES;
    assert_eq!(rows.len(), words * out.len(), "rows of another length");
    match level.supported() {
        // SAFETY: the instructions were just detected.
        #[cfg(target_arch = "x86_64")]
        Level::Vnni if is_x86_feature_detected!("avx512vpopcntdq") => unsafe {
            super::x86::signs_planes(&query.values, rows, out);
        },
        // SAFETY: the level is one that this processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Vnni => unsafe { super::x86::signs_vnni(&query.values, rows, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx2 => unsafe { super::x86::signs_avx2(&query.values, rows, out) },
        _ => rows.chunks_exact(words.max(1)).zip(&mut *out).for_each(|(row, out)| *out = set(&query.values, row)),
    }
    // Σ ±q = 2·Σ q where the bit is set − Σ q
    out.iter_mut().for_each(|sum| *sum = 2 * *sum - query.sum);
}

/// The sum of the integers whose bits are set.
fn set(values: &[i8], row: &[u64]) -> i32 {
    let word = |(word, values): (&u64, &[i8])| {
        let (mut left, mut sum) = (*word, 0_i32);
        while left != 0 {
            sum += i32::from(values[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
        sum
    };
    row.iter().zip(values.chunks_exact(LANES)).map(word).sum()
}

/// The same with a query in f32, padded to a multiple of [`LANES`].
///
/// # Panics
/// If the rows are not `out.len()` rows of the query's length.
pub fn signs_of_floats(query: &[f32], rows: &[u64], out: &mut [f32], level: Level) {
    let words = query.len() / LANES;
    assert_eq!(rows.len(), words * out.len(), "rows of another length");
    let total: f32 = lanes(query.as_chunks::<LANES>().0.iter());
    match level.supported() {
        // SAFETY: the level is one that this processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Vnni | Level::Avx512 => unsafe { super::x86::signs_of_floats_avx512(query, rows, out) },
        _ => {
            for (row, out) in rows.chunks_exact(words.max(1)).zip(&mut *out) {
                let mut sums = [0.0; LANES];
                for (word, values) in row.iter().zip(query.as_chunks::<LANES>().0) {
                    for (bit, (sum, value)) in sums.iter_mut().zip(values).enumerate() {
                        *sum += if word >> bit & 1 == 1 { *value } else { 0.0 };
                    }
                }
                *out = reduced(&sums);
            }
        }
    }
    out.iter_mut().for_each(|sum| *sum = 2.0 * *sum - total);
}

fn lanes<'a>(blocks: impl Iterator<Item = &'a [f32; LANES]>) -> f32 {
    let mut sums = [0.0; LANES];
    blocks.for_each(|block| sums.iter_mut().zip(block).for_each(|(sum, value)| *sum += value));
    reduced(&sums)
}

/// The sum of all lanes, halving their number each time: one order for every level.
pub(super) fn reduced(sums: &[f32; LANES]) -> f32 {
    let mut sums = *sums;
    let mut half = LANES / 2;
    while half > 0 {
        for at in 0..half {
            sums[at] += sums[at + half];
        }
        half /= 2;
    }
    sums[0]
}

/// For each row of bytes (see [`OFFSET`]) the inner product with the integers.
///
/// # Panics
/// If the rows are not `out.len()` rows of the query's length.
pub fn bytes(query: &Integers, rows: &[u8], out: &mut [i32], level: Level) {
    let length = query.values.len();
    assert_eq!(rows.len(), length * out.len(), "rows of another length");
    match level.supported() {
        // SAFETY: the level is one that this processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Vnni => unsafe { super::x86::bytes_vnni(&query.values, rows, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx2 => unsafe { super::x86::bytes_avx2(&query.values, rows, out) },
        _ => {
            for (row, out) in rows.chunks_exact(length.max(1)).zip(&mut *out) {
                *out = row.iter().zip(&query.values).map(|(v, q)| i32::from(*v) * i32::from(*q)).sum();
            }
        }
    }
    out.iter_mut().for_each(|sum| *sum -= i32::from(OFFSET) * query.sum);
}

/// For each row of f16 the inner product with the query, which is rounded to f16 and padded to a multiple of [`LANES`].
///
/// # Panics
/// If the rows are not `out.len()` rows of the query's length.
pub fn halves(query: &[f16], rows: &[f16], out: &mut [f32], level: Level) {
    let length = query.len();
    assert_eq!(rows.len(), length * out.len(), "rows of another length");
    let wide = query.to_f32_vec();
    match level.supported() {
        // SAFETY: the level is one that this processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Vnni | Level::Avx512 => unsafe { super::x86::halves_avx512(&wide, rows, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { super::x86::halves_avx2(&wide, rows, out) },
        _ => {
            let mut row = vec![0.0; length];
            for (halves, out) in rows.chunks_exact(length.max(1)).zip(&mut *out) {
                halves.convert_to_f32_slice(&mut row);
                let mut sums = [0.0; LANES];
                for (values, query) in row.as_chunks::<LANES>().0.iter().zip(wide.as_chunks::<LANES>().0) {
                    sums.iter_mut().zip(values).zip(query).for_each(|((sum, v), q)| *sum += v * q);
                }
                *out = reduced(&sums);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agree<T: PartialEq + std::fmt::Debug + Clone + Default>(rows: usize, scan: impl Fn(&mut [T], Level)) -> Vec<T> {
        let mut first = vec![T::default(); rows];
        scan(&mut first, Level::Portable);
        for level in Level::available() {
            let mut out = vec![T::default(); rows];
            scan(&mut out, level);
            assert_eq!(out, first, "{level:?}");
        }
        first
    }

    proptest! {
        #[test]
        fn every_level_gives_what_the_portable_one_gives(
            query in prop::collection::vec(-3.0_f32..3.0, 1..300), count in 1_usize..7, seed in any::<u64>()
        ) {
            let integers = Integers::new(&query);
            let length = integers.values.len();
            let mut state = seed;
            let mut next = move || { state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1); state >> 33 };
            let words: Vec<u64> = (0..length / LANES * count).map(|_| next() << 32 | next()).collect();
            let signed = agree(count, |out, level| signs(&integers, &words, out, level));
            #[cfg(target_arch = "x86_64")]
            if Level::best() == Level::Vnni {
                let mut masked = vec![0; count];
                // SAFETY: the level is this processor's.
                unsafe { super::super::x86::signs_vnni(&integers.values, &words, &mut masked) };
                masked.iter_mut().for_each(|sum| *sum = 2 * *sum - integers.sum);
                prop_assert_eq!(&masked, &signed);
            }
            for (row, sum) in words.chunks_exact(length / LANES).zip(&signed) {
                let sign = |at: usize| if row[at / 64] >> (at % 64) & 1 == 1 { 1 } else { -1 };
                let exact: i32 = integers.values.iter().enumerate().map(|(at, q)| sign(at) * i32::from(*q)).sum();
                prop_assert_eq!(*sum, exact);
            }
            let mut padded = query.clone();
            padded.resize(length, 0.0);
            let floats = agree(count, |out, level| signs_of_floats(&padded, &words, out, level));
            for (float, integer) in floats.iter().zip(&signed) {
                prop_assert!((float - *integer as f32 * integers.scale).abs() <= 0.51 * integers.scale * length as f32);
            }
            let row: Vec<u8> = (0..length * count).map(|_| (next() % 255) as u8 + 1).collect();
            let products = agree(count, |out, level| bytes(&integers, &row, out, level));
            let exact = |row: &[u8]| row.iter().zip(&integers.values).map(|(v, q)| (i32::from(*v) - 128) * i32::from(*q)).sum::<i32>();
            prop_assert_eq!(products, row.chunks_exact(length).map(exact).collect::<Vec<_>>());
            let half: Vec<f16> = row.iter().map(|v| f16::from_f32(f32::from(*v) / 255.0 - 0.5)).collect();
            let query: Vec<f16> = padded.iter().map(|v| f16::from_f32(*v)).collect();
            let products = agree(count, |out, level| halves(&query, &half, out, level));
            for (row, product) in half.chunks_exact(length).zip(products) {
                let exact: f64 = row.iter().zip(&query).map(|(v, q)| v.to_f64() * q.to_f64()).sum();
                prop_assert!((f64::from(product) - exact).abs() < 1e-3, "{product} {exact}");
            }
        }
    }

    #[test]
    fn nothing_but_zeros_has_a_scale() {
        assert_eq!(Integers::new(&[0.0; 3]).scale, 1.0);
    }
}
