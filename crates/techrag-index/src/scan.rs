//! Exact dense search over f16 rows.
//!
//! One pass over the memory-mapped rows gives each chunk the inner product of its best window with the query, in f16
//! precision. Those products are off by at most [`SLACK`], so every chunk of the true top k lies within twice that of
//! the k-th best product: exactly these are kept as candidates, and the caller scores them again in full precision.
//! The kernel is chosen at run time; since the kept candidates are scored again, every kernel gives the same ranking.

use std::sync::OnceLock;

use half::f16;
use half::slice::HalfFloatSliceExt as _;
use rayon::prelude::*;

use crate::bits::Bits;
use crate::segment::Segment;
use crate::top::{Ranked, Top};

/// Most that an f16 product of two normalised vectors is off. Rounding to f16 changes a component by a factor of at
/// most 2⁻¹¹, or by 2⁻²⁵ below 2⁻¹⁴, so the product by at most Σ|q·v|·2⁻¹¹ + Σ|q|·2⁻²⁵ ≤ 4.883e-4 + √dim·3e-8; summing
/// a few hundred products in f32 adds below 5e-5 for any order of the additions.
pub(crate) const SLACK: f32 = 6e-4;

/// Chunks scored by one task.
const BLOCK: usize = 4096;

/// A kernel: the inner product of a query with each row; `rows` holds `out.len()` rows of the query's length.
type Kernel = fn(&[f32], &[f16], &mut [f32]);

/// The inner product of two rows of equal length.
type Product = fn(&[f16], &[f16]) -> f32;

/// The best product of each slot that is in `wanted`, as far as it may be among the best `k` of the segment: all
/// slots within twice [`SLACK`] of the k-th best. In no order.
pub(crate) fn candidates(segment: &Segment, query: &[f32], k: usize, wanted: &Bits) -> Vec<(u32, f32)> {
    let starts: Vec<usize> = (0..segment.len()).step_by(BLOCK).collect();
    let blocks: Vec<Vec<(u32, f32)>> = starts.par_iter().map(|start| block(segment, query, *start, wanted)).collect();
    let mut top = Top::new(k);
    for (slot, score) in blocks.iter().flatten() {
        if !top.is_below(f64::from(*score)) {
            top.offer(Ranked { score: f64::from(*score), uid: (u64::from(*slot), 0), item: () });
        }
    }
    let best = top.into_sorted();
    let least = if best.len() < k { f32::NEG_INFINITY } else { best.last().map_or(f32::INFINITY, |r| r.score as f32) };
    blocks.into_iter().flatten().filter(|(_, score)| *score >= least - 2.0 * SLACK).collect()
}

/// Scores of the wanted slots of one block that have vectors.
fn block(segment: &Segment, query: &[f32], start: usize, wanted: &Bits) -> Vec<(u32, f32)> {
    let end = (start + BLOCK).min(segment.len());
    let (rows, vectors, dim) = (segment.rows(), segment.vectors(), query.len());
    // A damaged list of rows must not ask for more memory than there are vectors.
    let most = vectors.len() / dim.max(1);
    let row = |slot: usize| (rows.get(slot).copied().unwrap_or(0) as usize).min(most);
    let mut best = Vec::with_capacity(end - start);
    let mut products = vec![0.0; row(end).saturating_sub(row(start))];
    let all = vectors.get(row(start) * dim..row(end) * dim).unwrap_or_default();
    // Where few are wanted, only their rows are read.
    let dense = (start..end).filter(|slot| wanted.has(*slot)).count() * 2 > end - start;
    if dense && all.len() == products.len() * dim {
        kernel()(query, all, &mut products);
    }
    for slot in (start..end).filter(|slot| wanted.has(*slot)) {
        let range = row(slot) - row(start).min(row(slot))..row(slot + 1).saturating_sub(row(start));
        let Some(own) = products.get_mut(range) else { continue };
        if !dense {
            let vectors = segment.rows_of(slot);
            if vectors.len() == own.len() * dim {
                kernel()(query, vectors, own);
            }
        }
        if let Some(product) = own.iter().copied().reduce(f32::max) {
            best.push((slot as u32, product));
        }
    }
    best
}

/// The best product of each of the slots that have vectors, in f16 precision.
pub(crate) fn best_of(segment: &Segment, query: &[f32], slots: &[u32]) -> Vec<(u32, f32)> {
    let best = |slot: &u32| {
        let rows = segment.rows_of(*slot as usize);
        let mut products = vec![0.0; rows.len() / query.len().max(1)];
        kernel()(query, rows, &mut products);
        Some((*slot, products.into_iter().reduce(f32::max)?))
    };
    slots.iter().filter_map(best).collect()
}

/// The fastest inner product of two rows of equal length this processor has.
pub(crate) fn halves() -> Product {
    vectorised_halves().unwrap_or(portable_halves)
}

/// The inner product of a query with each row, in f64.
fn products<'a>(query: &'a [f32], rows: &'a [f32]) -> impl Iterator<Item = f64> + 'a {
    let product = |row: &[f32]| query.iter().zip(row).map(|(q, v)| f64::from(*q) * f64::from(*v)).sum::<f64>();
    rows.chunks_exact(query.len().max(1)).map(product)
}

/// The best product of several rows, rounded once: the score a hit reports.
pub(crate) fn exact(query: &[f32], rows: &[f32]) -> Option<f32> {
    products(query, rows).reduce(f64::max).map(|best| best as f32)
}

/// Which row has it; the first of equals.
pub(crate) fn exact_best(query: &[f32], rows: &[f32]) -> Option<usize> {
    let best = products(query, rows).reduce(f64::max)?;
    products(query, rows).position(|product| product == best)
}

/// The fastest kernel this processor has.
fn kernel() -> Kernel {
    static KERNEL: OnceLock<Kernel> = OnceLock::new();
    *KERNEL.get_or_init(|| vectorised().unwrap_or(portable))
}

#[cfg(target_arch = "x86_64")]
fn vectorised() -> Option<Kernel> {
    let here = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
    // SAFETY: the features the kernel is compiled for were just detected.
    here.then_some((|query, rows, out| unsafe { avx2(query, rows, out) }) as Kernel)
}

#[cfg(not(target_arch = "x86_64"))]
fn vectorised() -> Option<Kernel> {
    None
}

/// Four accumulators of eight lanes, so that the multiplications do not wait for one another.
///
/// # Safety
/// The processor must have AVX2, FMA and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2(query: &[f32], rows: &[f16], out: &mut [f32]) {
    use std::arch::x86_64::{
        _mm_loadu_si128, _mm256_add_ps, _mm256_cvtph_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_setzero_ps,
        _mm256_storeu_ps,
    };
    const LANES: usize = 8;
    let dim = query.len();
    let whole = dim - dim % (4 * LANES);
    for (row, out) in rows.chunks_exact(dim.max(1)).zip(out) {
        let mut sums = [_mm256_setzero_ps(); 4];
        for at in (0..whole).step_by(4 * LANES) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let at = at + lane * LANES;
                // SAFETY: at + 8 ≤ whole ≤ dim, the length of both slices.
                unsafe {
                    let values = _mm256_cvtph_ps(_mm_loadu_si128(row.as_ptr().add(at).cast()));
                    *sum = _mm256_fmadd_ps(_mm256_loadu_ps(query.as_ptr().add(at)), values, *sum);
                }
            }
        }
        let sum = _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
        let mut lanes = [0.0_f32; LANES];
        // SAFETY: `lanes` holds eight floats.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), sum) };
        let tail: f32 = (whole..dim).map(|at| query[at] * row[at].to_f32()).sum();
        *out = lanes.iter().sum::<f32>() + tail;
    }
}

#[cfg(target_arch = "x86_64")]
fn vectorised_halves() -> Option<Product> {
    let here = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
    // SAFETY: the features the function is compiled for were just detected.
    here.then_some((|a, b| unsafe { avx2_halves(a, b) }) as Product)
}

#[cfg(not(target_arch = "x86_64"))]
fn vectorised_halves() -> Option<Product> {
    None
}

/// # Safety
/// The processor must have AVX2, FMA and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2_halves(a: &[f16], b: &[f16]) -> f32 {
    use std::arch::x86_64::{
        _mm_loadu_si128, _mm256_add_ps, _mm256_cvtph_ps, _mm256_fmadd_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    };
    const LANES: usize = 8;
    let dim = a.len().min(b.len());
    let whole = dim - dim % (2 * LANES);
    let mut sums = [_mm256_setzero_ps(); 2];
    for at in (0..whole).step_by(2 * LANES) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let at = at + lane * LANES;
            // SAFETY: at + 8 ≤ whole ≤ dim, which both slices have.
            unsafe {
                let left = _mm256_cvtph_ps(_mm_loadu_si128(a.as_ptr().add(at).cast()));
                let right = _mm256_cvtph_ps(_mm_loadu_si128(b.as_ptr().add(at).cast()));
                *sum = _mm256_fmadd_ps(left, right, *sum);
            }
        }
    }
    let mut lanes = [0.0_f32; LANES];
    // SAFETY: `lanes` holds eight floats.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), _mm256_add_ps(sums[0], sums[1])) };
    lanes.iter().sum::<f32>() + portable_halves(&a[whole..dim], &b[whole..dim])
}

fn portable_halves(a: &[f16], b: &[f16]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.to_f32() * b.to_f32()).sum()
}

/// The same without intrinsics: a row is widened, then summed in 32 lanes that the compiler can keep in registers.
fn portable(query: &[f32], rows: &[f16], out: &mut [f32]) {
    const LANES: usize = 32;
    let dim = query.len();
    let mut wide = vec![0.0_f32; dim];
    for (row, out) in rows.chunks_exact(dim.max(1)).zip(out) {
        row.convert_to_f32_slice(&mut wide);
        let (query_blocks, query_tail) = query.as_chunks::<LANES>();
        let (blocks, tail) = wide.as_chunks::<LANES>();
        let mut sums = [0.0_f32; LANES];
        for (q, v) in query_blocks.iter().zip(blocks) {
            for lane in 0..LANES {
                sums[lane] += q[lane] * v[lane];
            }
        }
        let tail: f32 = query_tail.iter().zip(tail).map(|(q, v)| q * v).sum();
        *out = sums.iter().sum::<f32>() + tail;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn normalised(values: Vec<f32>) -> Vec<f32> {
        let norm = values.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-9);
        values.into_iter().map(|v| v / norm).collect()
    }

    proptest! {
        #[test]
        fn each_kernel_is_within_the_slack_of_the_exact_product(
            values in prop::collection::vec(-1.0_f32..1.0, 2 * 70), dim in 1_usize..70, small in 0_i32..6
        ) {
            // Some components small enough to be subnormal in f16.
            let shrink = |(at, v): (usize, f32)| if at % 3 == 0 { v * 10.0_f32.powi(-small) } else { v };
            let values: Vec<f32> = values.into_iter().enumerate().map(shrink).collect();
            let (query, row) = (normalised(values[..dim].to_vec()), normalised(values[70..70 + dim].to_vec()));
            let half: Vec<f16> = row.iter().map(|v| f16::from_f32(*v)).collect();
            let exact = exact(&query, &row).unwrap();
            for kernel in [Some(portable as Kernel), vectorised()].into_iter().flatten() {
                let mut out = [0.0];
                kernel(&query, &half, &mut out);
                prop_assert!((out[0] - exact).abs() <= SLACK, "{} {exact}", out[0]);
            }
            let other: Vec<f16> = query.iter().map(|v| f16::from_f32(*v)).collect();
            for product in [halves(), portable_halves] {
                prop_assert!((product(&other, &half) - exact).abs() <= 2.0 * SLACK);
            }
        }
    }
}
