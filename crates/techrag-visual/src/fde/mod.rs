//! MUVERA: a set of vectors as one vector, whose inner product with a query's approximates MaxSim.
//!
//! Dhulipala, Hadian, Jayaram, Lee and Mirrokni, "MUVERA: Multi-Vector Retrieval via Fixed Dimensional Encodings"
//! (NeurIPS 2024), with the semantics of the authors' `fixed_dimensional_encoding.cc`: each repetition cuts the space
//! by `bits` random hyperplanes into 2^bits partitions; a query's vectors are summed a partition, a page's averaged;
//! an empty partition of a page takes the vector whose signs are nearest to the partition's. The blocks of all
//! repetitions follow one another; each vector may be hashed onto fewer coordinates first, and the whole at the end.
//!
//! Not normalised: the inner product divided by the number of repetitions approximates MaxSim.

mod random;

#[cfg(test)]
mod golden_tests;

use serde::{Deserialize, Serialize};

/// Version of how an encoding is made from its setting.
pub const VERSION: u32 = 1;

/// Longest encoding, in coordinates: beyond it a page's encoding would be larger than its vectors.
pub const LONGEST: usize = 1 << 20;

/// Everything that decides an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// See [`VERSION`].
    pub version: u32,
    /// Seed of hyperplanes and hashes.
    pub seed: u64,
    /// Length of a vector.
    pub dim: usize,
    /// Repetitions.
    pub repetitions: usize,
    /// Hyperplanes a repetition, 0 to 16.
    pub bits: u32,
    /// Coordinates each vector is hashed onto; `None` keeps all.
    pub projected: Option<usize>,
    /// Coordinates the whole is hashed onto (count sketch); `None` keeps all.
    pub sketch: Option<usize>,
}

/// Seed of the settings below; any other would do.
const SEED: u64 = 42;

impl Setting {
    /// The paper's: 10 repetitions of 64 partitions, sketched to 4,096 coordinates.
    pub fn paper(dim: usize) -> Self {
        let sketch = Some(4096);
        Self { version: VERSION, seed: SEED, dim, repetitions: 10, bits: 6, projected: None, sketch }
    }

    /// The better one at a thirteenth of the bytes once it is cut to signs (docs/VISUAL.md): 20 repetitions of 32
    /// partitions of 16 coordinates, 10,240 in all for vectors of more than 16.
    pub fn wide(dim: usize) -> Self {
        let projected = Some(16);
        Self { version: VERSION, seed: SEED, dim, repetitions: 20, bits: 5, projected, sketch: None }
    }

    /// Coordinates of an encoding.
    pub fn length(&self) -> usize {
        self.sketch.unwrap_or_else(|| self.full())
    }

    /// Whether an encoding of this build can be made of it.
    pub fn is_sound(&self) -> bool {
        let parts = self.repetitions.checked_mul(1 << self.bits.min(16));
        let full = parts.and_then(|parts| parts.checked_mul(self.block()));
        let sizes = self.dim > 0 && self.repetitions > 0 && self.block() > 0 && self.sketch != Some(0);
        self.version == VERSION && self.bits <= 16 && sizes && full.is_some_and(|full| full <= LONGEST)
    }

    /// Coordinates of one vector within a partition.
    fn block(&self) -> usize {
        self.projected.map_or(self.dim, |projected| projected.min(self.dim))
    }

    fn full(&self) -> usize {
        self.repetitions * (1 << self.bits) * self.block()
    }

    /// Seed of the `stream`-th thing of this setting.
    fn stream(&self, stream: u64) -> u64 {
        self.seed.wrapping_mul(1_000_003).wrapping_add(stream)
    }
}

/// A setting with its hyperplanes and hashes.
///
/// They are stored with an index: the logarithm and cosine of another platform could turn a bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fde {
    setting: Setting,
    /// Hyperplanes `[dim][repetition][bit]`.
    planes: Vec<f32>,
    /// Targets `[repetition][dim]` of the projection; empty without one.
    projection: Vec<i32>,
    /// Targets of the final sketch; empty without one.
    sketch: Vec<i32>,
}

/// The tables of an encoding, as an index stores them.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a> {
    /// Hyperplanes.
    pub planes: &'a [f32],
    /// Targets of the projection.
    pub projection: &'a [i32],
    /// Targets of the sketch.
    pub sketch: &'a [i32],
}

impl Fde {
    /// Makes hyperplanes and hashes; `None` if the setting is not sound.
    pub fn new(setting: Setting) -> Option<Self> {
        if !setting.is_sound() {
            return None;
        }
        let Setting { dim, repetitions, .. } = setting;
        let bits = setting.bits as usize;
        let mut planes = vec![0.0; dim * repetitions * bits];
        let mut projection = Vec::new();
        for repetition in 0..repetitions {
            let seed = setting.stream(2 * repetition as u64 + 1);
            for at in 0..dim * bits {
                planes[(at / bits * repetitions + repetition) * bits + at % bits] = random::normal(seed, at);
            }
            if setting.block() < dim {
                projection.extend(random::targets(seed.wrapping_add(1), dim, setting.block()));
            }
        }
        let sketch = setting.sketch.map_or(Vec::new(), |onto| {
            let full = setting.full();
            random::targets(setting.stream(999_983), full, onto)
        });
        Some(Self { setting, planes, projection, sketch })
    }

    /// An encoding from stored tables; `None` if they do not fit the setting.
    pub fn of(setting: Setting, tables: Tables<'_>) -> Option<Self> {
        let Tables { planes, projection, sketch } = tables;
        let projected = if setting.block() < setting.dim { setting.repetitions * setting.dim } else { 0 };
        let sketched = setting.sketch.map_or(0, |_| setting.full());
        let within =
            |targets: &[i32], onto: usize| targets.iter().all(|at| (1..=onto as u32).contains(&at.unsigned_abs()));
        let fits = setting.is_sound()
            && planes.len() == setting.dim * setting.repetitions * setting.bits as usize
            && projection.len() == projected
            && sketch.len() == sketched
            && within(projection, setting.block())
            && within(sketch, setting.length());
        let (planes, projection, sketch) = (planes.to_vec(), projection.to_vec(), sketch.to_vec());
        fits.then_some(Self { setting, planes, projection, sketch })
    }

    /// Its setting.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Its tables.
    pub fn tables(&self) -> Tables<'_> {
        Tables { planes: &self.planes, projection: &self.projection, sketch: &self.sketch }
    }

    /// The encoding of a query's vectors, one after the other: sums, empty partitions left empty.
    pub fn query(&self, vectors: &[f32]) -> Vec<f32> {
        let mut whole = vec![0.0; self.setting.full()];
        let codes = self.codes(vectors);
        for (repetition, block) in whole.chunks_exact_mut(self.repetition_len()).enumerate() {
            self.add_up(vectors, &codes, repetition, block);
        }
        self.sketched(whole)
    }

    /// The encoding of a page's vectors, one after the other: means, empty partitions filled.
    pub fn document(&self, vectors: &[f32]) -> Vec<f32> {
        let mut whole = vec![0.0; self.setting.full()];
        let codes = self.codes(vectors);
        for (repetition, block) in whole.chunks_exact_mut(self.repetition_len()).enumerate() {
            let counts = self.add_up(vectors, &codes, repetition, block);
            for (part, count) in block.chunks_exact_mut(self.setting.block()).zip(&counts) {
                if *count > 1 {
                    part.iter_mut().for_each(|value| *value /= *count as f32);
                }
            }
            self.fill(vectors, &codes, repetition, &counts, block);
        }
        self.sketched(whole)
    }

    fn repetition_len(&self) -> usize {
        (1 << self.setting.bits) * self.setting.block()
    }

    /// The signs of every vector against every hyperplane: `[vector][repetition]`, the first hyperplane's bit highest.
    fn codes(&self, vectors: &[f32]) -> Vec<u32> {
        let Setting { dim, repetitions, .. } = self.setting;
        let bits = self.setting.bits as usize;
        let width = repetitions * bits;
        let mut products = vec![0.0_f32; width];
        let mut codes = Vec::with_capacity(vectors.len() / dim * repetitions);
        for vector in vectors.chunks_exact(dim) {
            products.fill(0.0);
            // One coordinate after the other: the same order of additions on every machine.
            for (value, planes) in vector.iter().zip(self.planes.chunks_exact(width.max(1))) {
                products.iter_mut().zip(planes).for_each(|(product, plane)| *product += value * plane);
            }
            let code = |signs: &[f32]| signs.iter().fold(0, |code, sign| code << 1 | u32::from(*sign > 0.0));
            codes.extend((0..repetitions).map(|at| code(&products[at * bits..(at + 1) * bits])));
        }
        codes
    }

    /// Adds every vector to its partition and counts them.
    fn add_up(&self, vectors: &[f32], codes: &[u32], repetition: usize, block: &mut [f32]) -> Vec<u32> {
        let Setting { dim, repetitions, bits, .. } = self.setting;
        let size = self.setting.block();
        let mut counts = vec![0; 1 << bits];
        let mut projected = vec![0.0; size];
        for (vector, code) in vectors.chunks_exact(dim).zip(codes.iter().skip(repetition).step_by(repetitions)) {
            let part = partition(*code, bits);
            self.project(vector, repetition, &mut projected);
            let sums = &mut block[part * size..(part + 1) * size];
            sums.iter_mut().zip(&projected).for_each(|(sum, value)| *sum += value);
            counts[part] += 1;
        }
        counts
    }

    fn project(&self, vector: &[f32], repetition: usize, into: &mut [f32]) {
        if self.projection.is_empty() {
            into.copy_from_slice(vector);
            return;
        }
        into.fill(0.0);
        let dim = self.setting.dim;
        for (value, target) in vector.iter().zip(&self.projection[repetition * dim..]) {
            into[target.unsigned_abs() as usize - 1] += if *target > 0 { *value } else { -*value };
        }
    }

    /// Gives each empty partition the vector whose signs differ least from the partition's, the first of equals.
    fn fill(&self, vectors: &[f32], codes: &[u32], repetition: usize, counts: &[u32], block: &mut [f32]) {
        let Setting { dim, repetitions, bits, .. } = self.setting;
        let size = self.setting.block();
        let mut first: Vec<Option<usize>> = vec![None; 1 << bits];
        for (at, code) in codes.iter().skip(repetition).step_by(repetitions).enumerate() {
            first[*code as usize].get_or_insert(at);
        }
        for part in (0..1_usize << bits).filter(|part| counts[*part] == 0) {
            // The signs of a partition: the inverse of the Gray decoding.
            let signs = part ^ (part >> 1);
            let known = first.iter().enumerate().filter_map(|(code, at)| Some(((code ^ signs).count_ones(), (*at)?)));
            if let Some((_, at)) = known.min() {
                let vector = &vectors[at * dim..(at + 1) * dim];
                self.project(vector, repetition, &mut block[part * size..(part + 1) * size]);
            }
        }
    }

    fn sketched(&self, whole: Vec<f32>) -> Vec<f32> {
        let Some(length) = self.setting.sketch else { return whole };
        let mut sketch = vec![0.0; length];
        for (value, target) in whole.iter().zip(&self.sketch) {
            sketch[target.unsigned_abs() as usize - 1] += if *target > 0 { *value } else { -*value };
        }
        sketch
    }
}

/// The partition of a code: Gray-decoded, which only orders the blocks.
fn partition(code: u32, bits: u32) -> usize {
    let bit = |part: usize, at: u32| part << 1 | ((code >> at & 1) as usize ^ (part & 1));
    (0..bits).rev().fold(0, bit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn small() -> Setting {
        Setting { version: VERSION, seed: 3, dim: 8, repetitions: 4, bits: 3, projected: Some(4), sketch: None }
    }

    #[test]
    fn the_named_settings_have_the_sizes_they_say() {
        assert_eq!((Setting::paper(128).length(), Setting::wide(128).length()), (4096, 10_240));
        assert_eq!(Setting::paper(128).full(), 81_920);
        assert!(Fde::new(Setting { bits: 30, ..small() }).is_none());
        assert!(Fde::new(Setting { repetitions: usize::MAX, ..small() }).is_none());
    }

    #[test]
    fn the_gray_code_is_turned_back() {
        for part in 0..64_usize {
            assert_eq!(partition((part ^ (part >> 1)) as u32, 6), part);
        }
    }

    #[test]
    fn tables_are_taken_back_and_wrong_ones_refused() {
        for setting in [small(), Setting { sketch: Some(5), projected: None, ..small() }] {
            let fde = Fde::new(setting).unwrap();
            assert_eq!(Fde::of(setting, fde.tables()), Some(fde.clone()));
            assert!(Fde::of(setting, Tables { planes: &[], ..fde.tables() }).is_none());
            assert!(Fde::of(Setting { dim: 9, ..setting }, fde.tables()).is_none());
        }
        let fde = Fde::new(small()).unwrap();
        let mut wrong = fde.projection.clone();
        wrong[3] = 99;
        assert!(Fde::of(small(), Tables { projection: &wrong, ..fde.tables() }).is_none());
    }

    #[test]
    fn nothing_is_encoded_as_nothing() {
        let fde = Fde::new(small()).unwrap();
        assert!(fde.query(&[]).iter().chain(&fde.document(&[])).all(|value| *value == 0.0));
    }

    proptest! {
        /// Without projection each repetition's block of a single-vector page holds that vector everywhere, so the
        /// inner product is exactly repetitions × MaxSim.
        #[test]
        fn one_vector_is_encoded_without_loss(
            page in prop::collection::vec(-1.0_f32..1.0, 8), query in prop::collection::vec(-1.0_f32..1.0, 24)
        ) {
            let fde = Fde::new(Setting { projected: None, ..small() }).unwrap();
            let product: f32 = fde.query(&query).iter().zip(fde.document(&page)).map(|(q, d)| q * d).sum();
            let maxsim: f32 = query.chunks(8).map(|q| q.iter().zip(&page).map(|(a, b)| a * b).sum::<f32>()).sum();
            prop_assert!((product / 4.0 - maxsim).abs() < 1e-3, "{product} {maxsim}");
        }
    }
}
