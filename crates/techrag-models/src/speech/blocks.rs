//! Sound in blocks of a few minutes: what a long file needs of memory is that of a block.
//!
//! A block ends where it is quietest, so that no word is cut. Blocks and segments without any sound are not listened to:
//! Whisper makes up words for silence.

use std::ops::Range;

/// Samples a second that Whisper hears.
pub(super) const RATE: usize = 16_000;
/// Longest block.
pub(super) const LONGEST: usize = 240 * RATE;
/// At the end of a full block, the part in which the quietest moment is looked for.
const TAIL: usize = 60 * RATE;
/// Shortest silence that parts two stretches.
const PAUSE: usize = 4 * RATE;
/// A moment.
const MOMENT: usize = RATE / 10;
/// Loudness under which a moment is silent: -60 dB of full scale, under the noise of a quiet room.
const SILENT: f32 = 1e-3;

/// The parts of a block between long silences. Whisper gives words the time of the silence before them, and makes some up
/// where it is long.
pub(super) fn stretches(block: &[f32]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, moment) in block.chunks(MOMENT).enumerate().filter(|(_, moment)| loudness(moment) >= SILENT) {
        let (start, end) = (at * MOMENT, at * MOMENT + moment.len());
        match found.last_mut().filter(|open| start - open.end < PAUSE) {
            Some(open) => open.end = end,
            None => found.push(start..end),
        }
    }
    // A word may begin and end softly.
    let soft = |range: Range<usize>| range.start.saturating_sub(MOMENT)..(range.end + MOMENT).min(block.len());
    found.into_iter().map(soft).collect()
}

/// Where in a part of a block there is sound: without the silence at its ends.
pub(super) fn loud(samples: &[f32]) -> Range<usize> {
    let mut moments = samples.chunks(MOMENT).enumerate().filter(|(_, moment)| loudness(moment) >= SILENT);
    let Some((first, moment)) = moments.next() else { return 0..samples.len() };
    let (last, length) = moments.next_back().map_or((first, moment.len()), |(last, moment)| (last, moment.len()));
    first * MOMENT..last * MOMENT + length
}

/// Whether no moment of the sound is loud enough to be speech.
pub(super) fn is_silent(samples: &[f32]) -> bool {
    samples.chunks(MOMENT).all(|moment| loudness(moment) < SILENT)
}

/// Where a full block ends best: in the middle of the quietest moment of its tail, the last of equals.
pub(super) fn quietest(block: &[f32]) -> usize {
    let tail = block.len().saturating_sub(TAIL);
    let moments = block[tail..].chunks_exact(MOMENT).enumerate();
    let quietest = moments.map(|(at, moment)| (at, loudness(moment))).fold(None, |best: Option<(usize, f32)>, one| {
        if best.is_some_and(|best| best.1 < one.1) { best } else { Some(one) }
    });
    quietest.map_or(block.len(), |(at, _)| tail + at * MOMENT + MOMENT / 2)
}

/// Root of the mean square.
#[expect(clippy::cast_precision_loss, reason = "samples of a moment")]
fn loudness(moment: &[f32]) -> f32 {
    (moment.iter().map(|sample| sample * sample).sum::<f32>() / moment.len().max(1) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_silences_part_stretches_and_are_no_part_of_what_is_said() {
        let mut block = vec![0.0; 30 * RATE];
        for range in [2 * RATE..5 * RATE, 7 * RATE..8 * RATE, 20 * RATE..30 * RATE] {
            block[range].fill(0.2);
        }
        let seconds: Vec<(usize, usize)> =
            stretches(&block).iter().map(|r| (r.start / MOMENT, r.end / MOMENT)).collect();
        assert_eq!(seconds, [(19, 81), (199, 300)]);
        assert_eq!(loud(&block[..6 * RATE]), 2 * RATE..5 * RATE);
        assert_eq!((loud(&block[..RATE]), stretches(&block[..RATE])), (0..RATE, vec![]));
    }

    #[test]
    fn a_block_ends_in_its_quietest_moment() {
        let mut block = vec![0.2; LONGEST];
        let at = LONGEST - 20 * RATE;
        block[at..at + MOMENT].fill(0.0);
        assert_eq!(quietest(&block), at + MOMENT / 2);
        assert!(!is_silent(&block) && is_silent(&block[at..at + MOMENT]) && is_silent(&[]));
    }
}
