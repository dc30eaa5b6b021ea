//! Sound at another rate: a windowed sinc, evaluated between its samples (Smith, Digital Audio Resampling).
//!
//! Speech is told by what lies under 8 kHz; what lies above must be gone before it is folded down there. The filter is
//! tabulated for every place an output sample can take between two input samples, of which two rates have few.

use super::blocks::RATE;

/// Zero crossings of the sinc on each side.
const CROSSINGS: usize = 16;

/// From one rate to [`RATE`], as samples come.
pub(super) struct Resampler {
    /// Input samples an output sample, as a fraction in lowest terms.
    step: (usize, usize),
    /// Samples on each side that take part.
    half: usize,
    /// Weights of each place, `2 * half` each.
    table: Vec<f32>,
    /// Input not yet used up; begins with zeros, so that the first sample has a past.
    waiting: Vec<f32>,
    /// Place of the next output sample: whole samples into `waiting`, and parts of `step.1`.
    at: (usize, usize),
}

impl Resampler {
    /// From `rate` samples a second; `None` for a rate that no file of speech has.
    pub(super) fn new(rate: u32) -> Option<Self> {
        let rate = usize::try_from(rate).ok().filter(|rate| (1_000..=768_000).contains(rate))?;
        let common = gcd(rate, RATE);
        let step = (rate / common, RATE / common);
        let cutoff = (RATE.min(rate) as f64) / rate as f64;
        let half = ((CROSSINGS as f64) / cutoff).ceil() as usize;
        let mut table = Vec::with_capacity(step.1 * 2 * half);
        for place in 0..step.1 {
            let between = place as f64 / step.1 as f64;
            let weights: Vec<f64> = (0..2 * half)
                .map(|tap| weight(tap as f64 - (half as f64 - 1.0) - between, cutoff, half as f64))
                .collect();
            let sum: f64 = weights.iter().sum();
            table.extend(weights.iter().map(|weight| (weight / sum) as f32));
        }
        Some(Self { step, half, table, waiting: vec![0.0; half - 1], at: (0, 0) })
    }

    /// Takes input and appends what comes out.
    pub(super) fn push(&mut self, input: &[f32], out: &mut Vec<f32>) {
        self.waiting.extend_from_slice(input);
        let taps = 2 * self.half;
        while self.at.0 + taps <= self.waiting.len() {
            let weights = &self.table[self.at.1 * taps..(self.at.1 + 1) * taps];
            let samples = &self.waiting[self.at.0..self.at.0 + taps];
            out.push(samples.iter().zip(weights).map(|(sample, weight)| sample * weight).sum());
            let parts = self.at.1 + self.step.0;
            self.at = (self.at.0 + parts / self.step.1, parts % self.step.1);
        }
        let used = self.at.0.min(self.waiting.len());
        self.waiting.drain(..used);
        self.at.0 -= used;
    }

    /// The last samples, whose future is silence.
    pub(super) fn finish(&mut self, out: &mut Vec<f32>) {
        self.push(&vec![0.0; self.half], out);
    }
}

/// A sinc of this cutoff under a Hann window.
fn weight(at: f64, cutoff: f64, half: f64) -> f64 {
    let x = at * cutoff * std::f64::consts::PI;
    let sinc = if x == 0.0 { 1.0 } else { x.sin() / x };
    let window = 0.5 + 0.5 * (std::f64::consts::PI * (at / half).clamp(-1.0, 1.0)).cos();
    sinc * window
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(hertz: f64, rate: u32, seconds: f64) -> Vec<f32> {
        let count = (seconds * f64::from(rate)) as usize;
        (0..count).map(|at| (at as f64 * hertz * std::f64::consts::TAU / f64::from(rate)).sin() as f32).collect()
    }

    fn resampled(input: &[f32], rate: u32, piece: usize) -> Vec<f32> {
        let mut resampler = Resampler::new(rate).unwrap();
        let mut out = Vec::new();
        input.chunks(piece).for_each(|piece| resampler.push(piece, &mut out));
        resampler.finish(&mut out);
        out
    }

    #[test]
    fn a_tone_stays_the_tone_at_every_rate() {
        for rate in [8_000, 11_025, 16_000, 22_050, 44_100, 48_000] {
            let out = resampled(&tone(440.0, rate, 0.5), rate, 777);
            let expected = tone(440.0, 16_000, 0.5);
            assert!(out.len().abs_diff(expected.len()) <= 2, "{rate}: {} {}", out.len(), expected.len());
            let worst = out.iter().zip(&expected).skip(400).take(7_000).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(worst < 2e-3, "{rate}: {worst}");
        }
    }

    #[test]
    fn what_cannot_be_heard_is_gone_and_pieces_do_not_matter() {
        let high = tone(12_000.0, 44_100, 0.3);
        let out = resampled(&high, 44_100, 1_000);
        assert!(out[400..4_000].iter().all(|sample| sample.abs() < 0.01));
        assert_eq!(resampled(&high, 44_100, 13), out);
        assert!(Resampler::new(0).is_none() && Resampler::new(u32::MAX).is_none());
    }
}
