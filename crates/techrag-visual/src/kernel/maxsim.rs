//! Exact MaxSim: for each of a query's vectors the largest inner product with one of a page's, summed.
//!
//! The query's vectors lie side by side in the lanes of a register, a page's are broadcast one number at a time: so no
//! sum runs across lanes and a page's vectors are read once, in order.

use half::f16;
use half::slice::HalfFloatSliceExt as _;

use super::{LARGEST, Level, OFFSET, to_integer};

/// Query vectors in the lanes of a 512-bit register.
pub(super) const LANES: usize = 16;
/// Integers that the byte instructions sum at once; lengths of stored vectors are multiples of it.
pub const STEP: usize = 4;

/// A query's vectors as integers, laid out `[group of 16 vectors][length / 4][vector][4]`.
#[derive(Clone, Debug)]
pub struct Bytes {
    pub(super) count: usize,
    pub(super) dim: usize,
    pub(super) lanes: Vec<i8>,
    sums: Vec<i32>,
}

impl Bytes {
    /// From normalised vectors of `dim` numbers, one after the other; missing numbers up to a multiple of [`STEP`] are
    /// zeros.
    pub fn new(vectors: &[f32], dim: usize) -> Self {
        let padded = dim.next_multiple_of(STEP);
        let count = vectors.len() / dim.max(1);
        let mut lanes = vec![0; count.next_multiple_of(LANES) * padded];
        let mut sums = vec![0; count];
        for (at, vector) in vectors.chunks_exact(dim.max(1)).enumerate() {
            for (place, value) in vector.iter().enumerate() {
                let value = to_integer(*value);
                lanes[index(at, place, padded)] = value;
                sums[at] += i32::from(value);
            }
        }
        Self { count, dim: padded, lanes, sums }
    }

    /// MaxSim with a page: its vectors as bytes (see [`OFFSET`]), each padded to the query's length. 0 without vectors.
    pub fn score(&self, page: &[u8], level: Level) -> f32 {
        let sum: i64 = self.best(page, level).into_iter().map(i64::from).sum();
        (sum as f64 / f64::from(LARGEST * LARGEST)) as f32
    }

    /// The largest product of each of the query's vectors, in units of 1/127².
    fn best(&self, page: &[u8], level: Level) -> Vec<i32> {
        if page.len() < self.dim || self.dim == 0 {
            return vec![0; self.count];
        }
        let mut best = match level.supported() {
            // SAFETY: the level is one that this processor has.
            #[cfg(target_arch = "x86_64")]
            Level::Vnni => unsafe { super::x86::maxsim_bytes_vnni(self, page) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 | Level::Avx2 => unsafe { super::x86::maxsim_bytes_avx2(self, page) },
            _ => self.portable(page),
        };
        // Σ q·(v + 128) = Σ q·v + 128·Σ q
        best.iter_mut().zip(&self.sums).for_each(|(best, sum)| *best -= i32::from(OFFSET) * sum);
        best.truncate(self.count);
        best
    }

    fn portable(&self, page: &[u8]) -> Vec<i32> {
        let mut best = vec![i32::MIN; self.count.next_multiple_of(LANES)];
        for row in page.chunks_exact(self.dim) {
            for (best, group) in best.chunks_exact_mut(LANES).zip(self.lanes.chunks_exact(LANES * self.dim)) {
                let mut sums = [0_i32; LANES];
                for (values, block) in row.chunks_exact(STEP).zip(group.chunks_exact(LANES * STEP)) {
                    for (sum, query) in sums.iter_mut().zip(block.chunks_exact(STEP)) {
                        *sum += values.iter().zip(query).map(|(v, q)| i32::from(*v) * i32::from(*q)).sum::<i32>();
                    }
                }
                best.iter_mut().zip(&sums).for_each(|(best, sum)| *best = (*best).max(*sum));
            }
        }
        best
    }
}

/// Where a number of a vector stands among the lanes.
fn index(vector: usize, place: usize, padded: usize) -> usize {
    let (group, lane) = (vector / LANES, vector % LANES);
    ((group * (padded / STEP) + place / STEP) * LANES + lane) * STEP + place % STEP
}

/// A query's vectors as f16 widened to f32, laid out `[group of 16 vectors][length][vector]`.
#[derive(Clone, Debug)]
pub struct Halves {
    pub(super) count: usize,
    pub(super) dim: usize,
    pub(super) lanes: Vec<f32>,
}

impl Halves {
    /// From vectors of `dim` numbers, one after the other, padded as [`Bytes::new`] pads them.
    pub fn new(vectors: &[f32], dim: usize) -> Self {
        let padded = dim.next_multiple_of(STEP);
        let count = vectors.len() / dim.max(1);
        let mut lanes = vec![0.0; count.next_multiple_of(LANES) * padded];
        for (at, vector) in vectors.chunks_exact(dim.max(1)).enumerate() {
            for (place, value) in vector.iter().enumerate() {
                // Rounded to f16, so that every product with an f16 is exact.
                lanes[(at / LANES * padded + place) * LANES + at % LANES] = f16::from_f32(*value).to_f32();
            }
        }
        Self { count, dim: padded, lanes }
    }

    /// MaxSim with a page: its vectors as f16, each padded to the query's length. 0 without vectors.
    pub fn score(&self, page: &[f16], level: Level) -> f32 {
        if page.len() < self.dim || self.dim == 0 {
            return 0.0;
        }
        let best = match level.supported() {
            // SAFETY: the level is one that this processor has.
            #[cfg(target_arch = "x86_64")]
            Level::Vnni | Level::Avx512 => unsafe { super::x86::maxsim_halves_avx512(self, page) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { super::x86::maxsim_halves_avx2(self, page) },
            _ => self.portable(page),
        };
        best[..self.count].iter().map(|best| f64::from(*best)).sum::<f64>() as f32
    }

    fn portable(&self, page: &[f16]) -> Vec<f32> {
        let mut best = vec![f32::NEG_INFINITY; self.count.next_multiple_of(LANES)];
        let mut row = vec![0.0; self.dim];
        for halves in page.chunks_exact(self.dim) {
            halves.convert_to_f32_slice(&mut row);
            for (best, group) in best.chunks_exact_mut(LANES).zip(self.lanes.chunks_exact(LANES * self.dim)) {
                let mut sums = [0.0_f32; LANES];
                for (value, query) in row.iter().zip(group.as_chunks::<LANES>().0) {
                    sums.iter_mut().zip(query).for_each(|(sum, q)| *sum += q * value);
                }
                best.iter_mut().zip(&sums).for_each(|(best, sum)| *best = best.max(*sum));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::to_byte;

    fn exact(query: &[f32], page: &[f32], dim: usize) -> f64 {
        let product = |q: &[f32], v: &[f32]| q.iter().zip(v).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        let best = |q: &[f32]| page.chunks_exact(dim).map(|v| product(q, v)).fold(f64::NEG_INFINITY, f64::max);
        query.chunks_exact(dim).map(best).sum()
    }

    fn vectors(count: std::ops::Range<usize>, dim: usize) -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(-1.0_f32..1.0, count.start * dim..count.end * dim).prop_map(move |mut values| {
            values.truncate(values.len() / dim * dim);
            for vector in values.chunks_exact_mut(dim) {
                let norm = vector.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-6);
                vector.iter_mut().for_each(|v| *v /= norm);
            }
            values
        })
    }

    fn padded(vectors: &[f32], dim: usize) -> Vec<f32> {
        let pad = |vector: &[f32]| {
            let mut vector = vector.to_vec();
            vector.resize(dim.next_multiple_of(STEP), 0.0);
            vector
        };
        vectors.chunks_exact(dim).flat_map(pad).collect()
    }

    proptest! {
        #[test]
        fn every_level_gives_what_the_portable_one_gives(
            dim in prop::sample::select(vec![3_usize, 4, 20, 96, 128]),
            (query, page) in (1_usize..40, 1_usize..30).prop_flat_map(|(q, p)| (vectors(q..q + 1, 128), vectors(p..p + 1, 128)))
        ) {
            let cut = |all: &[f32]| all.chunks_exact(128).flat_map(|v| v[..dim].to_vec()).collect::<Vec<f32>>();
            let (query, page) = (cut(&query), cut(&page));
            let wide = padded(&page, dim);
            let bytes: Vec<u8> = wide.iter().map(|v| to_byte(*v)).collect();
            let halves: Vec<f16> = wide.iter().map(|v| f16::from_f32(*v)).collect();
            let (as_bytes, as_halves) = (Bytes::new(&query, dim), Halves::new(&query, dim));
            let first = (as_bytes.score(&bytes, Level::Portable), as_halves.score(&halves, Level::Portable));
            for level in Level::available() {
                prop_assert_eq!((as_bytes.score(&bytes, level), as_halves.score(&halves, level)), first, "{:?}", level);
            }
            let (exact, count) = (exact(&query, &page, dim), query.len() / dim);
            prop_assert!((f64::from(first.0) - exact).abs() < 0.05 * count as f64, "{} {exact}", first.0);
            prop_assert!((f64::from(first.1) - exact).abs() < 2e-3 * count as f64, "{} {exact}", first.1);
        }
    }

    #[test]
    fn no_vectors_score_nothing() {
        for level in Level::available() {
            assert_eq!(Bytes::new(&[0.5; 8], 8).score(&[], level), 0.0);
            assert_eq!(Halves::new(&[], 8).score(&[f16::ONE; 8], level), 0.0);
        }
    }
}
