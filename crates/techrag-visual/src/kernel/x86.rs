//! The kernels in x86-64 intrinsics. What each computes is said where it is called.
//!
//! Every function here is unsafe for one reason only: the processor must have the features it is compiled for. Loads
//! stay within slices whose lengths the callers have checked or that this file's loops divide exactly.

use std::arch::x86_64::*;

use half::f16;
use half::slice::HalfFloatSliceExt as _;

use super::maxsim::{self, Bytes, Halves, STEP};
use super::scan::{self, reduced};

/// # Safety
/// The processor must have AVX-512 F, BW and VNNI.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn maxsim_bytes_vnni(query: &Bytes, page: &[u8]) -> Vec<i32> {
    let group = maxsim::LANES * query.dim;
    let mut best = vec![i32::MIN; query.lanes.len() / query.dim];
    let (pairs, rest) = query.lanes.split_at(query.lanes.len() / (2 * group) * 2 * group);
    let (in_pairs, in_rest) = best.split_at_mut(pairs.len() / query.dim);
    for (best, lanes) in in_pairs.chunks_exact_mut(2 * maxsim::LANES).zip(pairs.chunks_exact(2 * group)) {
        // SAFETY: the caller's promise; a pair of groups and room for their results.
        unsafe { best_bytes_vnni::<2>(lanes, page, query.dim, best) };
    }
    if !rest.is_empty() {
        // SAFETY: as above, one group.
        unsafe { best_bytes_vnni::<1>(rest, page, query.dim, in_rest) };
    }
    best
}

/// The best of `GROUPS` groups of query vectors over all rows of a page, eight rows at a time.
///
/// # Safety
/// As [`maxsim_bytes_vnni`]; `lanes` holds `GROUPS` groups, `best` as many results, `dim` is a multiple of 4.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn best_bytes_vnni<const GROUPS: usize>(lanes: &[i8], page: &[u8], dim: usize, best: &mut [i32]) {
    const ROWS: usize = 8;
    let mut tops = [_mm512_set1_epi32(i32::MIN); GROUPS];
    let mut blocks = page.chunks_exact(ROWS * dim);
    for rows in blocks.by_ref() {
        // SAFETY: `rows` holds ROWS rows.
        unsafe { block_bytes_vnni::<GROUPS, ROWS>(lanes, rows, dim, &mut tops) };
    }
    for row in blocks.remainder().chunks_exact(dim) {
        // SAFETY: `row` is one row.
        unsafe { block_bytes_vnni::<GROUPS, 1>(lanes, row, dim, &mut tops) };
    }
    for (best, top) in best.chunks_exact_mut(maxsim::LANES).zip(tops) {
        // SAFETY: the chunk holds 16 integers.
        unsafe { _mm512_storeu_si512(best.as_mut_ptr().cast(), top) };
    }
}

/// # Safety
/// As [`best_bytes_vnni`]; `rows` holds `ROWS` rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn block_bytes_vnni<const GROUPS: usize, const ROWS: usize>(
    lanes: &[i8],
    rows: &[u8],
    dim: usize,
    tops: &mut [__m512i; GROUPS],
) {
    const REGISTER: usize = 64;
    let group = maxsim::LANES * dim;
    let mut sums = [[_mm512_setzero_si512(); GROUPS]; ROWS];
    for step in 0..dim / STEP {
        let mut queries = [_mm512_setzero_si512(); GROUPS];
        for (at, query) in queries.iter_mut().enumerate() {
            // SAFETY: step < dim / 4, and a group has dim / 4 registers.
            *query = unsafe { _mm512_loadu_si512(lanes.as_ptr().add(at * group + step * REGISTER).cast()) };
        }
        for (at, sums) in sums.iter_mut().enumerate() {
            // SAFETY: at < ROWS and 4 · step + 4 ≤ dim.
            let four = unsafe { rows.as_ptr().add(at * dim + step * STEP).cast::<i32>().read_unaligned() };
            let values = _mm512_set1_epi32(four);
            for (sum, query) in sums.iter_mut().zip(queries) {
                *sum = _mm512_dpbusd_epi32(*sum, values, query);
            }
        }
    }
    for sums in sums {
        for (top, sum) in tops.iter_mut().zip(sums) {
            *top = _mm512_max_epi32(*top, sum);
        }
    }
}

/// # Safety
/// The processor must have AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn maxsim_bytes_avx2(query: &Bytes, page: &[u8]) -> Vec<i32> {
    const HALF: usize = maxsim::LANES / 2;
    let dim = query.dim;
    let mut best = vec![i32::MIN; query.lanes.len() / dim];
    // Pairs of 16-bit integers, since sums of products of bytes would saturate.
    let mut row16 = vec![0_i16; dim];
    let pairs = as_pairs(query);
    for row in page.chunks_exact(dim) {
        row16.iter_mut().zip(row).for_each(|(wide, byte)| *wide = i16::from(*byte));
        for (best, pairs) in best.chunks_exact_mut(HALF).zip(pairs.chunks_exact(HALF * dim)) {
            let mut sum = _mm256_setzero_si256();
            for step in 0..dim / 2 {
                // SAFETY: 2 · step + 2 ≤ dim; a half group has dim / 2 registers of 16 integers; 8 results.
                unsafe {
                    let two = row16.as_ptr().add(2 * step).cast::<i32>().read_unaligned();
                    let query = _mm256_loadu_si256(pairs.as_ptr().add(step * 2 * HALF).cast());
                    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_set1_epi32(two), query));
                }
            }
            // SAFETY: the chunk holds 8 integers.
            unsafe {
                let top = _mm256_loadu_si256(best.as_ptr().cast());
                _mm256_storeu_si256(best.as_mut_ptr().cast(), _mm256_max_epi32(top, sum));
            }
        }
    }
    best
}

/// The query's integers laid out `[group of 8 vectors][length / 2][vector][2]`.
fn as_pairs(query: &Bytes) -> Vec<i16> {
    const HALF: usize = maxsim::LANES / 2;
    let dim = query.dim;
    let mut pairs = vec![0; query.lanes.len()];
    for (group, lanes) in query.lanes.chunks_exact(maxsim::LANES * dim).enumerate() {
        for (at, value) in lanes.iter().enumerate() {
            let (step, lane, place) = (at / (STEP * maxsim::LANES), at / STEP % maxsim::LANES, at % STEP);
            let place = step * STEP + place;
            let half = 2 * group + lane / HALF;
            pairs[half * HALF * dim + (place / 2 * HALF + lane % HALF) * 2 + place % 2] = i16::from(*value);
        }
    }
    pairs
}

/// # Safety
/// The processor must have AVX-512 F.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn maxsim_halves_avx512(query: &Halves, page: &[f16]) -> Vec<f32> {
    const ROWS: usize = 8;
    let dim = query.dim;
    let group = maxsim::LANES * dim;
    let mut best = vec![f32::NEG_INFINITY; query.lanes.len() / dim];
    let mut wide = vec![0.0; ROWS * dim];
    for rows in page.chunks(ROWS * dim) {
        let wide = &mut wide[..rows.len()];
        rows.convert_to_f32_slice(wide);
        let (pairs, rest) = query.lanes.split_at(query.lanes.len() / (2 * group) * 2 * group);
        let (in_pairs, in_rest) = best.split_at_mut(pairs.len() / dim);
        for (best, lanes) in in_pairs.chunks_exact_mut(2 * maxsim::LANES).zip(pairs.chunks_exact(2 * group)) {
            // SAFETY: the caller's promise; two groups and room for their results.
            unsafe { best_halves_avx512::<2>(lanes, wide, dim, best) };
        }
        if !rest.is_empty() {
            // SAFETY: as above, one group.
            unsafe { best_halves_avx512::<1>(rest, wide, dim, in_rest) };
        }
    }
    best
}

/// # Safety
/// As [`maxsim_halves_avx512`]; `lanes` holds `GROUPS` groups, `best` as many results, `rows` whole rows.
#[target_feature(enable = "avx512f")]
unsafe fn best_halves_avx512<const GROUPS: usize>(lanes: &[f32], rows: &[f32], dim: usize, best: &mut [f32]) {
    const ROWS: usize = 8;
    if rows.len() == ROWS * dim {
        // SAFETY: eight rows.
        unsafe { block_halves_avx512::<GROUPS, ROWS>(lanes, rows, dim, best) };
    } else {
        for row in rows.chunks_exact(dim) {
            // SAFETY: one row.
            unsafe { block_halves_avx512::<GROUPS, 1>(lanes, row, dim, best) };
        }
    }
}

/// # Safety
/// As [`best_halves_avx512`]; `rows` holds `ROWS` rows.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn block_halves_avx512<const GROUPS: usize, const ROWS: usize>(
    lanes: &[f32],
    rows: &[f32],
    dim: usize,
    best: &mut [f32],
) {
    let group = maxsim::LANES * dim;
    let mut sums = [[_mm512_setzero_ps(); GROUPS]; ROWS];
    for place in 0..dim {
        let mut queries = [_mm512_setzero_ps(); GROUPS];
        for (at, query) in queries.iter_mut().enumerate() {
            // SAFETY: place < dim, and a group has dim registers.
            *query = unsafe { _mm512_loadu_ps(lanes.as_ptr().add(at * group + place * maxsim::LANES)) };
        }
        for (at, sums) in sums.iter_mut().enumerate() {
            // SAFETY: at < ROWS and place < dim.
            let value = _mm512_set1_ps(unsafe { *rows.get_unchecked(at * dim + place) });
            for (sum, query) in sums.iter_mut().zip(queries) {
                *sum = _mm512_fmadd_ps(query, value, *sum);
            }
        }
    }
    for (at, best) in best.chunks_exact_mut(maxsim::LANES).enumerate() {
        // SAFETY: the chunk holds 16 floats; at < GROUPS.
        unsafe {
            let mut top = _mm512_loadu_ps(best.as_ptr());
            for sums in &sums {
                top = _mm512_max_ps(top, sums[at]);
            }
            _mm512_storeu_ps(best.as_mut_ptr(), top);
        }
    }
}

/// # Safety
/// The processor must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn maxsim_halves_avx2(query: &Halves, page: &[f16]) -> Vec<f32> {
    const ROWS: usize = 4;
    let dim = query.dim;
    let mut best = vec![f32::NEG_INFINITY; query.lanes.len() / dim];
    let mut wide = vec![0.0; ROWS * dim];
    for rows in page.chunks(ROWS * dim) {
        let wide = &mut wide[..rows.len()];
        rows.convert_to_f32_slice(wide);
        for (best, lanes) in best.chunks_exact_mut(maxsim::LANES).zip(query.lanes.chunks_exact(maxsim::LANES * dim)) {
            if wide.len() == ROWS * dim {
                // SAFETY: the caller's promise; four rows.
                unsafe { block_halves_avx2::<ROWS>(lanes, wide, dim, best) };
            } else {
                // SAFETY: as above, one row each.
                wide.chunks_exact(dim).for_each(|row| unsafe { block_halves_avx2::<1>(lanes, row, dim, best) });
            }
        }
    }
    best
}

/// # Safety
/// As [`maxsim_halves_avx2`]; one group of 16 vectors, `rows` holds `ROWS` rows, `best` 16 results.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn block_halves_avx2<const ROWS: usize>(lanes: &[f32], rows: &[f32], dim: usize, best: &mut [f32]) {
    const HALF: usize = maxsim::LANES / 2;
    let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
    for place in 0..dim {
        // SAFETY: place < dim, and a group has dim · 16 floats.
        let queries = unsafe {
            let start = lanes.as_ptr().add(place * maxsim::LANES);
            [_mm256_loadu_ps(start), _mm256_loadu_ps(start.add(HALF))]
        };
        for (at, sums) in sums.iter_mut().enumerate() {
            // SAFETY: at < ROWS and place < dim.
            let value = _mm256_set1_ps(unsafe { *rows.get_unchecked(at * dim + place) });
            for (sum, query) in sums.iter_mut().zip(queries) {
                *sum = _mm256_fmadd_ps(query, value, *sum);
            }
        }
    }
    for (at, best) in best.chunks_exact_mut(HALF).enumerate() {
        // SAFETY: the chunk holds 8 floats; at < 2.
        unsafe {
            let mut top = _mm256_loadu_ps(best.as_ptr());
            for sums in &sums {
                top = _mm256_max_ps(top, sums[at]);
            }
            _mm256_storeu_ps(best.as_mut_ptr(), top);
        }
    }
}

/// # Safety
/// The processor must have AVX-512 F, BW and VNNI; `rows` holds `out.len()` rows of `values.len()` bits, whole words.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn signs_vnni(values: &[i8], rows: &[u64], out: &mut [i32]) {
    const ROWS: usize = 8;
    let words = (values.len() / scan::LANES).max(1);
    let (blocks, rest) = out.as_chunks_mut::<ROWS>();
    let (in_blocks, in_rest) = rows.split_at(blocks.len() * ROWS * words);
    for (rows, out) in in_blocks.chunks_exact(ROWS * words).zip(blocks) {
        // SAFETY: the caller's promise; eight rows.
        *out = unsafe { block_signs_vnni::<ROWS>(values, rows) };
    }
    for (row, out) in in_rest.chunks_exact(words).zip(rest) {
        // SAFETY: as above, one row.
        [*out] = unsafe { block_signs_vnni::<1>(values, row) };
    }
}

/// The bits of the integers, lowest first, as [`signs_planes`] reads them: `[block of 8 words][bit][word]`.
fn planes(values: &[i8]) -> Vec<u64> {
    let blocks = values.len().div_ceil(8 * scan::LANES);
    let mut planes = vec![0; blocks * 64];
    for (at, value) in values.iter().enumerate() {
        let (word, place) = (at / scan::LANES, at % scan::LANES);
        for bit in 0..8 {
            let set = u64::from(value.cast_unsigned() >> bit & 1);
            planes[word / 8 * 64 + bit * 8 + word % 8] |= set << place;
        }
    }
    planes
}

/// The sum of the set integers by their bits: counted together, each bit's count is worth a power of two, and the
/// highest bit's is negative. Three instructions a bit and 512 signs, where masking takes three and 64.
///
/// # Safety
/// The processor must have AVX-512 F, BW and VPOPCNTDQ; `rows` holds `out.len()` rows of `values.len()` bits, whole
/// words.
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq")]
pub(super) unsafe fn signs_planes(values: &[i8], rows: &[u64], out: &mut [i32]) {
    const BITS: usize = 8;
    let planes = planes(values);
    let words = (values.len() / scan::LANES).max(1);
    for (row, out) in rows.chunks_exact(words).zip(out) {
        let mut sums = [_mm512_setzero_si512(); BITS];
        for (row, planes) in row.chunks(8).zip(planes.chunks_exact(8 * BITS)) {
            // SAFETY: words beyond the row are masked out; a block has eight planes of eight words.
            let signs = unsafe { _mm512_maskz_loadu_epi64((0xff_u16 >> (8 - row.len())) as u8, row.as_ptr().cast()) };
            for (bit, sum) in sums.iter_mut().enumerate() {
                // SAFETY: as above.
                let plane = unsafe { _mm512_loadu_si512(planes.as_ptr().add(bit * 8).cast()) };
                *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(_mm512_and_si512(signs, plane)));
            }
        }
        // Horner's scheme from the highest bit, which counts negative.
        let mut total = _mm512_sub_epi64(_mm512_setzero_si512(), sums[BITS - 1]);
        for sum in sums[..BITS - 1].iter().rev() {
            total = _mm512_add_epi64(_mm512_add_epi64(total, total), *sum);
        }
        *out = _mm512_reduce_add_epi64(total) as i32;
    }
}

/// # Safety
/// As [`signs_vnni`]; `rows` holds `ROWS` rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn block_signs_vnni<const ROWS: usize>(values: &[i8], rows: &[u64]) -> [i32; ROWS] {
    let words = values.len() / scan::LANES;
    let one = _mm512_set1_epi8(1);
    let mut sums = [_mm512_setzero_si512(); ROWS];
    for word in 0..words {
        // SAFETY: word < words.
        let query = unsafe { _mm512_loadu_si512(values.as_ptr().add(word * scan::LANES).cast()) };
        for (at, sum) in sums.iter_mut().enumerate() {
            // SAFETY: at < ROWS, the number of rows.
            let mask = unsafe { *rows.get_unchecked(at * words + word) };
            *sum = _mm512_dpbusd_epi32(*sum, one, _mm512_maskz_mov_epi8(mask, query));
        }
    }
    sums.map(|sum| _mm512_reduce_add_epi32(sum))
}

/// # Safety
/// The processor must have AVX2; `rows` holds `out.len()` rows of `values.len()` bits, whole words.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn signs_avx2(values: &[i8], rows: &[u64], out: &mut [i32]) {
    const HALF: usize = 32;
    let words = values.len() / scan::LANES;
    let (ones, pairs) = (_mm256_set1_epi8(1), _mm256_set1_epi16(1));
    // Byte i of the register gets byte i / 8 of the word, and its bit i % 8 is looked at.
    let spread = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
    for (row, out) in rows.chunks_exact(words.max(1)).zip(out) {
        let mut sum = _mm256_setzero_si256();
        for (word, values) in row.iter().zip(values.chunks_exact(scan::LANES)) {
            for (half, values) in values.chunks_exact(HALF).enumerate() {
                let here = _mm256_shuffle_epi8(_mm256_set1_epi32((word >> (HALF * half)) as i32), spread);
                let set = _mm256_cmpeq_epi8(_mm256_and_si256(here, bits), bits);
                // SAFETY: the chunk holds 32 bytes.
                let query = unsafe { _mm256_loadu_si256(values.as_ptr().cast()) };
                let two = _mm256_maddubs_epi16(ones, _mm256_and_si256(query, set));
                sum = _mm256_add_epi32(sum, _mm256_madd_epi16(two, pairs));
            }
        }
        *out = across_avx2(sum);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn across_avx2(sum: __m256i) -> i32 {
    let mut lanes = [0_i32; 8];
    // SAFETY: eight integers.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum) };
    lanes.iter().sum()
}

/// # Safety
/// The processor must have AVX-512 F; `rows` holds `out.len()` rows of `query.len()` bits, whole words.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn signs_of_floats_avx512(query: &[f32], rows: &[u64], out: &mut [f32]) {
    const REGISTERS: usize = scan::LANES / 16;
    let words = query.len() / scan::LANES;
    for (row, out) in rows.chunks_exact(words.max(1)).zip(out) {
        let mut sums = [_mm512_setzero_ps(); REGISTERS];
        for (word, values) in row.iter().zip(query.chunks_exact(scan::LANES)) {
            for (at, sum) in sums.iter_mut().enumerate() {
                // SAFETY: 16 · at + 16 ≤ 64.
                let values = unsafe { _mm512_loadu_ps(values.as_ptr().add(16 * at)) };
                *sum = _mm512_mask_add_ps(*sum, (word >> (16 * at)) as u16, *sum, values);
            }
        }
        *out = across_avx512(sums);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn across_avx512(sums: [__m512; 4]) -> f32 {
    let mut lanes = [0.0_f32; scan::LANES];
    for (lanes, sum) in lanes.chunks_exact_mut(16).zip(sums) {
        // SAFETY: sixteen floats.
        unsafe { _mm512_storeu_ps(lanes.as_mut_ptr(), sum) };
    }
    reduced(&lanes)
}

/// # Safety
/// The processor must have AVX-512 F, BW and VNNI; `rows` holds `out.len()` rows of `values.len()` bytes, a multiple
/// of 64.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn bytes_vnni(values: &[i8], rows: &[u8], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(values.len().max(1)).zip(out) {
        let (rows, last) = row.as_chunks::<{ 2 * scan::LANES }>();
        let (queries, last_query) = values.as_chunks::<{ 2 * scan::LANES }>();
        // Two sums, so that one addition need not wait for the other.
        let mut sums = [_mm512_setzero_si512(); 2];
        for (row, query) in rows.iter().zip(queries) {
            for (at, sum) in sums.iter_mut().enumerate() {
                // SAFETY: both blocks hold 128 bytes, and at < 2.
                *sum =
                    unsafe { dot_vnni(*sum, row.as_ptr().add(at * scan::LANES), query.as_ptr().add(at * scan::LANES)) };
            }
        }
        if !last.is_empty() {
            // SAFETY: lengths are multiples of 64, so that 64 bytes are left of both.
            sums[0] = unsafe { dot_vnni(sums[0], last.as_ptr(), last_query.as_ptr()) };
        }
        *out = _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]));
    }
}

/// # Safety
/// As [`bytes_vnni`]; 64 bytes can be read at both places.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn dot_vnni(sum: __m512i, row: *const u8, query: *const i8) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_dpbusd_epi32(sum, _mm512_loadu_si512(row.cast()), _mm512_loadu_si512(query.cast())) }
}

/// # Safety
/// The processor must have AVX2; `rows` holds `out.len()` rows of `values.len()` bytes, a multiple of 64.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn bytes_avx2(values: &[i8], rows: &[u8], out: &mut [i32]) {
    const WIDE: usize = 16;
    for (row, out) in rows.chunks_exact(values.len().max(1)).zip(out) {
        let mut sum = _mm256_setzero_si256();
        for (row, query) in row.chunks_exact(WIDE).zip(values.chunks_exact(WIDE)) {
            // SAFETY: both chunks hold 16 bytes.
            unsafe {
                let row = _mm256_cvtepu8_epi16(_mm_loadu_si128(row.as_ptr().cast()));
                let query = _mm256_cvtepi8_epi16(_mm_loadu_si128(query.as_ptr().cast()));
                sum = _mm256_add_epi32(sum, _mm256_madd_epi16(row, query));
            }
        }
        *out = across_avx2(sum);
    }
}

/// # Safety
/// The processor must have AVX-512 F; `rows` holds `out.len()` rows of `query.len()` numbers, a multiple of 64.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn halves_avx512(query: &[f32], rows: &[f16], out: &mut [f32]) {
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        let mut sums = [_mm512_setzero_ps(); 4];
        for (row, query) in row.chunks_exact(scan::LANES).zip(query.chunks_exact(scan::LANES)) {
            for (at, sum) in sums.iter_mut().enumerate() {
                // SAFETY: 16 · at + 16 ≤ 64, the length of both chunks.
                unsafe {
                    let row = _mm512_cvtph_ps(_mm256_loadu_si256(row.as_ptr().add(16 * at).cast()));
                    *sum = _mm512_fmadd_ps(row, _mm512_loadu_ps(query.as_ptr().add(16 * at)), *sum);
                }
            }
        }
        *out = across_avx512(sums);
    }
}

/// # Safety
/// The processor must have AVX2, FMA and F16C; `rows` holds `out.len()` rows of `query.len()` numbers, a multiple of 64.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn halves_avx2(query: &[f32], rows: &[f16], out: &mut [f32]) {
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        let mut sums = [_mm256_setzero_ps(); 8];
        for (row, query) in row.chunks_exact(scan::LANES).zip(query.chunks_exact(scan::LANES)) {
            for (at, sum) in sums.iter_mut().enumerate() {
                // SAFETY: 8 · at + 8 ≤ 64, the length of both chunks.
                unsafe {
                    let row = _mm256_cvtph_ps(_mm_loadu_si128(row.as_ptr().add(8 * at).cast()));
                    *sum = _mm256_fmadd_ps(row, _mm256_loadu_ps(query.as_ptr().add(8 * at)), *sum);
                }
            }
        }
        let mut lanes = [0.0_f32; scan::LANES];
        for (lanes, sum) in lanes.chunks_exact_mut(8).zip(sums) {
            // SAFETY: eight floats.
            unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), sum) };
        }
        *out = reduced(&lanes);
    }
}
