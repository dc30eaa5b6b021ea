//! Resampling as Pillow does it, bit for bit.
//!
//! Page encoders were trained on pictures that Pillow resized. Other resamplers differ in up to 12 % of the bytes (the
//! order of passes, and clamping at the edges of glyphs), which moves embeddings in the second decimal; this one gives
//! the same bytes. From Pillow's `Resample.c`: coefficients in f64, normalised, rounded to 22 fractional bits; across
//! first, rounded to bytes, then down.

use serde::Deserialize;

use crate::page::pixels::Pixels;

/// Fractional bits of a coefficient: 32 less 8 of a byte less 2 for overshoot.
const BITS: u32 = 22;

/// Kernel of a resampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Filter {
    /// Windowed sinc of three lobes.
    Lanczos,
    /// Cubic with a = -0.5.
    Bicubic,
    /// Triangle, widened when reducing.
    Bilinear,
}

impl Filter {
    /// Half the width of the kernel, in pixels of the smaller picture.
    fn support(self) -> f64 {
        match self {
            Self::Lanczos => 3.0,
            Self::Bicubic => 2.0,
            Self::Bilinear => 1.0,
        }
    }

    fn at(self, x: f64) -> f64 {
        match self {
            Self::Lanczos if (-3.0..3.0).contains(&x) => sinc(x) * sinc(x / 3.0),
            Self::Lanczos => 0.0,
            Self::Bicubic => cubic(x.abs()),
            Self::Bilinear => (1.0 - x.abs()).max(0.0),
        }
    }
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let x = x * std::f64::consts::PI;
    x.sin() / x
}

fn cubic(x: f64) -> f64 {
    const A: f64 = -0.5;
    if x < 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * A
    } else {
        0.0
    }
}

/// Which input pixels make an output pixel: the first, and the weight of each from there.
struct Taps {
    first: usize,
    weights: Vec<i32>,
}

/// The picture at another size, both sides at least 1.
pub(crate) fn resize(picture: &Pixels, width: usize, height: usize, filter: Filter) -> Pixels {
    let across = (width != picture.width()).then(|| across(picture, width, filter));
    let picture = across.as_ref().unwrap_or(picture);
    if height == picture.height() { picture.clone() } else { down(picture, height, filter) }
}

fn across(picture: &Pixels, width: usize, filter: Filter) -> Pixels {
    let taps = taps(picture.width(), width, filter);
    let mut out = Vec::with_capacity(width * picture.height() * 3);
    for row in picture.rows() {
        for tap in &taps {
            let mut sums = [1_i32 << (BITS - 1); 3];
            for (pixel, &weight) in row[tap.first * 3..].chunks_exact(3).zip(&tap.weights) {
                for (sum, &value) in sums.iter_mut().zip(pixel) {
                    *sum += i32::from(value) * weight;
                }
            }
            out.extend(sums.map(byte));
        }
    }
    Pixels::of(width, picture.height(), out)
}

fn down(picture: &Pixels, height: usize, filter: Filter) -> Pixels {
    let stride = picture.width() * 3;
    let mut out = Vec::with_capacity(stride * height);
    let mut sums = vec![0_i32; stride];
    for tap in taps(picture.height(), height, filter) {
        sums.fill(1 << (BITS - 1));
        for (row, &weight) in picture.rows().skip(tap.first).zip(&tap.weights) {
            for (sum, &value) in sums.iter_mut().zip(row) {
                *sum += i32::from(value) * weight;
            }
        }
        out.extend(sums.iter().map(|&sum| byte(sum)));
    }
    Pixels::of(picture.width(), height, out)
}

#[expect(clippy::cast_sign_loss, reason = "clamped to a byte")]
fn byte(sum: i32) -> u8 {
    (sum >> BITS).clamp(0, 255) as u8
}

/// The taps of every output pixel along one axis.
#[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^52")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "Pillow truncates, and clamps first")]
fn taps(from: usize, to: usize, filter: Filter) -> Vec<Taps> {
    let scale = from as f64 / to as f64;
    let widened = scale.max(1.0);
    let support = filter.support() * widened;
    let one = |at: usize| {
        let centre = (at as f64 + 0.5) * scale;
        let first = (centre - support + 0.5).max(0.0) as usize;
        let end = ((centre + support + 0.5) as usize).min(from);
        let weights: Vec<f64> = (first..end).map(|x| filter.at((x as f64 - centre + 0.5) * (1.0 / widened))).collect();
        let sum: f64 = weights.iter().sum();
        let fixed = |weight: f64| {
            let scaled = if sum == 0.0 { weight } else { weight / sum } * f64::from(1_u32 << BITS);
            (scaled + if scaled < 0.0 { -0.5 } else { 0.5 }) as i32
        };
        Taps { first, weights: weights.into_iter().map(fixed).collect() }
    };
    (0..to).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_picture_stays_plain_at_any_size() {
        let picture = Pixels::new(7, 5, vec![200; 7 * 5 * 3]).unwrap();
        for filter in [Filter::Lanczos, Filter::Bicubic, Filter::Bilinear] {
            for (width, height) in [(1, 1), (3, 11), (7, 5), (40, 2)] {
                let out = resize(&picture, width, height, filter);
                assert_eq!((out.width(), out.height()), (width, height));
                assert!(out.bytes().iter().all(|&value| value == 200), "{filter:?} {width} {height}");
            }
        }
    }

    #[test]
    fn halving_with_a_triangle_weighs_one_three_three_one() {
        let row: Vec<u8> = [0, 0, 80, 80].iter().flat_map(|&v| [v; 3]).collect();
        let out = resize(&Pixels::new(4, 1, row).unwrap(), 2, 1, Filter::Bilinear);
        // The left of two: taps 0, 1, 2 with 3/7, 3/7, 1/7.
        assert_eq!(out.bytes()[0], 11);
        assert_eq!(out.bytes()[3], 69);
    }
}
