//! What Whisper hears of sound: the loudness of bands of pitch, a hundred times a second, as it was trained with
//! (openai/whisper, audio.py, `log_mel_spectrogram`).

use std::f64::consts::TAU;

use super::blocks::RATE;

/// Samples that a frame is computed of.
const WINDOW: usize = 400;
/// Samples from frame to frame.
const HOP: usize = 160;
/// Frames a second.
pub(super) const FRAMES: usize = RATE / HOP;
/// Pitches that a window tells apart.
const BINS: usize = WINDOW / 2 + 1;

/// Turns sound into bands.
pub(super) struct Mel {
    bands: usize,
    window: Vec<f32>,
    /// Cosine and sine of each place on the circle.
    circle: Vec<(f32, f32)>,
    /// Of each band: its first pitch and the weights from there.
    filters: Vec<(usize, Vec<f32>)>,
}

/// The bands of some sound: `bands` rows of `frames`.
pub(super) struct Heard {
    bands: usize,
    pub(super) frames: usize,
    values: Vec<f32>,
}

impl Heard {
    /// `length` frames from frame `at`, band after band, with zeros where there are none (audio.py, `pad_or_trim`).
    pub(super) fn window(&self, at: usize, length: usize) -> Vec<f32> {
        let mut out = vec![0.0; self.bands * length];
        let there = self.frames.saturating_sub(at).min(length);
        for (band, row) in out.chunks_exact_mut(length).enumerate() {
            let from = band * self.frames + at;
            row[..there].copy_from_slice(&self.values[from..from + there]);
        }
        out
    }
}

impl Mel {
    /// For a model that hears so many bands.
    pub(super) fn new(bands: usize) -> Self {
        let angle = |at: usize| at as f64 / WINDOW as f64 * TAU;
        let window = (0..WINDOW).map(|at| (0.5 - 0.5 * angle(at).cos()) as f32).collect();
        let circle = (0..WINDOW).map(|at| (angle(at).cos() as f32, angle(at).sin() as f32)).collect();
        Self { bands, window, circle, filters: filters(bands) }
    }

    /// Base-ten logarithms of power, no lower than eight below the highest, and brought near -1 to 1.
    pub(super) fn hear(&self, samples: &[f32]) -> Heard {
        let frames = samples.len() / HOP;
        let mut values = vec![0.0; self.bands * frames];
        let mut power = vec![0.0; BINS];
        for frame in 0..frames {
            self.power(samples, frame, &mut power);
            for (band, (first, weights)) in self.filters.iter().enumerate() {
                let energy: f32 = power[*first..].iter().zip(weights).map(|(power, weight)| power * weight).sum();
                values[band * frames + frame] = energy.max(1e-10).log10();
            }
        }
        let floor = values.iter().copied().fold(f32::NEG_INFINITY, f32::max) - 8.0;
        values.iter_mut().for_each(|value| *value = (value.max(floor) + 4.0) / 4.0);
        Heard { bands: self.bands, frames, values }
    }

    /// Power of each pitch around the start of a frame: mirrored before the first sample, silent after the last.
    fn power(&self, samples: &[f32], frame: usize, power: &mut [f32]) {
        let sample = |at: usize| {
            let place = (frame * HOP + at).abs_diff(WINDOW / 2);
            samples.get(place).copied().unwrap_or(0.0) * self.window[at]
        };
        // Of a real signal the halves of the circle mirror each other: sums turn with cosines, differences with sines.
        let half = WINDOW / 2;
        let (first, middle) = (sample(0), sample(half));
        let pairs: Vec<(f32, f32)> = (1..half)
            .map(|at| {
                let (a, b) = (sample(at), sample(WINDOW - at));
                (a + b, a - b)
            })
            .collect();
        for (bin, power) in power.iter_mut().enumerate() {
            let (mut real, mut imaginary) = (if bin % 2 == 0 { first + middle } else { first - middle }, 0.0);
            let mut turn = 0;
            for (sum, difference) in &pairs {
                turn += bin;
                turn -= if turn >= WINDOW { WINDOW } else { 0 };
                let (cosine, sine) = self.circle[turn];
                real += sum * cosine;
                imaginary += difference * sine;
            }
            *power = real * real + imaginary * imaginary;
        }
    }
}

/// Triangles on Slaney's scale (linear to 1 kHz, then logarithmic), each of area one (Auditory Toolbox, 1998).
fn filters(bands: usize) -> Vec<(usize, Vec<f32>)> {
    let step = 6.4_f64.ln() / 27.0;
    let to_mel = |hertz: f64| if hertz < 1000.0 { hertz * 3.0 / 200.0 } else { 15.0 + (hertz / 1000.0).ln() / step };
    let to_hertz = |mel: f64| if mel < 15.0 { mel * 200.0 / 3.0 } else { 1000.0 * (step * (mel - 15.0)).exp() };
    let top = to_mel(RATE as f64 / 2.0);
    let edges: Vec<f64> = (0..bands + 2).map(|at| to_hertz(top * at as f64 / (bands + 1) as f64)).collect();
    edges.windows(3).map(triangle).collect()
}

/// The pitches under a triangle, from its first.
fn triangle(edges: &[f64]) -> (usize, Vec<f32>) {
    let &[low, peak, high] = edges else { return (0, Vec::new()) };
    let height = |bin: usize| {
        let hertz = (bin * RATE) as f64 / WINDOW as f64;
        ((hertz - low) / (peak - low)).min((high - hertz) / (high - peak)).max(0.0) * 2.0 / (high - low)
    };
    let first = (0..BINS).find(|&bin| height(bin) > 0.0).unwrap_or(0);
    let last = (0..BINS).rev().find(|&bin| height(bin) > 0.0).map_or(first, |last| last + 1);
    (first, (first..last).map(|bin| height(bin) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_is_loud_in_its_band_only_and_what_lacks_is_zero() {
        let tone: Vec<f32> = (0..RATE).map(|at| (at as f64 * 1000.0 / RATE as f64 * TAU).sin() as f32 * 0.5).collect();
        let heard = Mel::new(80).hear(&tone);
        assert_eq!(heard.frames, FRAMES);
        let window = heard.window(FRAMES / 2, FRAMES);
        let frame = |at: usize| (0..80).map(|band| window[band * FRAMES + at]).collect::<Vec<_>>();
        let loudest = (0..80).max_by(|&a, &b| frame(10)[a].total_cmp(&frame(10)[b])).unwrap();
        // 80 bands share 45.2 mel; 1 kHz is 15 of them.
        assert_eq!(loudest, 26);
        assert!(frame(10)[loudest] - frame(10)[60] > 1.9, "{:?}", frame(10));
        assert!(frame(FRAMES / 2).iter().all(|&value| value == 0.0));
    }

    #[test]
    fn power_is_that_of_a_fourier_transform() {
        let samples: Vec<f32> = (0_usize..900).map(|at| ((at * at) % 97) as f32 / 97.0 - 0.5).collect();
        let mel = Mel::new(80);
        let mut power = vec![0.0; BINS];
        mel.power(&samples, 3, &mut power);
        for bin in [0, 1, 37, 100, 199, 200] {
            let (mut real, mut imaginary) = (0.0, 0.0);
            for at in 0..WINDOW {
                let angle = (at * bin) as f64 / WINDOW as f64 * TAU;
                let value = f64::from(samples[3 * HOP + at - WINDOW / 2] * mel.window[at]);
                (real, imaginary) = (real + value * angle.cos(), imaginary + value * angle.sin());
            }
            let expected = (real * real + imaginary * imaginary) as f32;
            assert!((power[bin] - expected).abs() < 1e-3 * expected.max(1.0), "{bin}: {} {expected}", power[bin]);
        }
    }

    #[test]
    fn filters_have_area_one() {
        for (bands, filters) in [80, 128].map(|bands| (bands, filters(bands))) {
            assert_eq!(filters.len(), bands);
            let wide = &filters[bands - 1].1;
            let area = wide.iter().sum::<f32>() * RATE as f32 / WINDOW as f32;
            assert!((area - 1.0).abs() < 0.05, "{area}");
        }
    }
}
