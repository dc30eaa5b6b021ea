//! The inner loops: exact MaxSim and the scan of encodings, in the widest form this processor has.
//!
//! Every level gives the same result as the portable one, bit for bit: integer sums are exact, and the float kernels
//! add in one fixed order, lane by lane, and multiply only numbers of 11 bits (f16), whose products an f32 holds
//! exactly, so that fusing multiplication and addition changes nothing.

pub mod maxsim;
pub mod scan;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

/// Which instructions a kernel may use; each level has those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Plain Rust.
    Portable,
    /// AVX2, FMA and F16C.
    Avx2,
    /// AVX-512 F and BW.
    Avx512,
    /// The same with VNNI: products of bytes summed in one instruction.
    Vnni,
}

impl Level {
    /// The best of this processor.
    pub fn best() -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(detect)
    }

    /// All levels of this processor, ascending.
    pub fn available() -> Vec<Self> {
        [Self::Portable, Self::Avx2, Self::Avx512, Self::Vnni].into_iter().filter(|it| *it <= Self::best()).collect()
    }

    /// A level at most as high as this processor's.
    #[must_use]
    pub fn supported(self) -> Self {
        self.min(Self::best())
    }
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
    let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    let vnni = is_x86_feature_detected!("avx512vnni");
    match (avx2, avx512, vnni) {
        (true, true, true) => Level::Vnni,
        (true, true, false) => Level::Avx512,
        (true, false, _) => Level::Avx2,
        (false, ..) => Level::Portable,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Portable
}

/// Bytes hold the integers −127 to 127 as 1 to 255, which is what the byte instructions want of one side.
pub const OFFSET: u8 = 128;

/// Largest magnitude of an integer in a byte.
pub const LARGEST: f32 = 127.0;

/// A number between −1 and 1 as an integer between −127 and 127; rounding halves away from zero.
pub fn to_integer(value: f32) -> i8 {
    (value * LARGEST).round().clamp(-LARGEST, LARGEST) as i8
}

/// The same as a byte, moved by [`OFFSET`].
pub fn to_byte(value: f32) -> u8 {
    to_integer(value).cast_unsigned().wrapping_add(OFFSET)
}
