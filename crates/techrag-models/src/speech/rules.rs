//! What may be said next (openai/whisper, decoding.py: `SuppressBlank`, `SuppressTokens`, `ApplyTimestampRules`).

use super::words::{Token, Words};

/// Latest first time, in steps of a time: one second.
const FIRST_TIME: usize = 50;

/// Replaces the logits of a next token by logarithms of probabilities, where what must not come has none.
pub(super) fn apply(words: &Words, said: &[Token], logits: &mut [f32]) {
    let forbid = |logits: &mut [f32], tokens: &[Token]| {
        tokens.iter().for_each(|&token| logits[token as usize] = f32::NEG_INFINITY);
    };
    forbid(logits, &words.unsaid);
    if said.is_empty() {
        forbid(logits, &words.blank);
    }
    times(words, said, logits);
    to_log_probabilities(logits);
    // A time is said where all of them together are likelier than any word.
    let (text, stamps) = logits.split_at(words.times as usize);
    let likeliest = text.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if log_sum(stamps) > likeliest {
        logits[..words.times as usize].fill(f32::NEG_INFINITY);
        to_log_probabilities(logits);
    }
}

/// Times come first, in pairs (but for the last), and never go back.
fn times(words: &Words, said: &[Token], logits: &mut [f32]) {
    let (first, end) = (words.times as usize, words.end as usize);
    let is_time = |back: usize| said.len().checked_sub(back).map(|at| words.is_time(said[at]));
    let (last, before) = (is_time(1).unwrap_or(false), is_time(2).unwrap_or(true));
    match (last, before) {
        (true, true) => logits[first..].fill(f32::NEG_INFINITY),
        (true, false) => logits[..end].fill(f32::NEG_INFINITY),
        _ => {}
    }
    if let Some(&latest) = said.iter().rev().find(|&&token| words.is_time(token)) {
        // A segment is not empty: the time that ends it lies behind the one that began it.
        let next = latest as usize + usize::from(!last || before);
        logits[first..next.max(first).min(words.count)].fill(f32::NEG_INFINITY);
    }
    if said.is_empty() {
        logits[..first].fill(f32::NEG_INFINITY);
        logits[(first + FIRST_TIME + 1).min(words.count)..].fill(f32::NEG_INFINITY);
    }
}

/// Logarithm of the sum of exponentials.
pub(super) fn log_sum(logits: &[f32]) -> f32 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if most == f32::NEG_INFINITY {
        return most;
    }
    most + logits.iter().map(|logit| (logit - most).exp()).sum::<f32>().ln()
}

fn to_log_probabilities(logits: &mut [f32]) {
    let sum = log_sum(logits);
    logits.iter_mut().for_each(|logit| *logit -= sum);
}

#[cfg(test)]
mod tests {
    use super::super::words::tests::small;
    use super::*;

    const COUNT: usize = 120;
    const FIRST: Token = 20;
    const WORDS: [Token; 6] = [0, 1, 2, 4, 8, 10];

    /// What may follow, where all is equally likely but words much more than times.
    fn may(said: &[Token]) -> Vec<Token> {
        let words = small(COUNT);
        let mut logits = vec![0.0; COUNT];
        logits[..FIRST as usize].fill(20.0);
        apply(&words, said, &mut logits);
        let sum: f32 = logits.iter().map(|log| log.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
        (0..).zip(logits).filter(|(_, log)| *log > f32::NEG_INFINITY).map(|(token, _)| token).collect()
    }

    #[test]
    fn a_window_begins_with_a_time_of_its_first_second() {
        assert_eq!(may(&[]), (FIRST..=FIRST + 50).collect::<Vec<_>>());
    }

    #[test]
    fn times_come_in_pairs_and_never_go_back() {
        let times = |from: Token| from..FIRST + 100;
        // After the first: words, or the end.
        assert_eq!(may(&[FIRST + 3]), WORDS);
        // Within a segment a later time only, which is not empty.
        assert_eq!(may(&[FIRST + 3, 0]), WORDS.into_iter().chain(times(FIRST + 4)).collect::<Vec<_>>());
        // The time that ends it is followed by the end or by one that begins the next, the same or later.
        assert_eq!(may(&[FIRST + 3, 0, FIRST + 9]), [10].into_iter().chain(times(FIRST + 9)).collect::<Vec<_>>());
        assert_eq!(may(&[FIRST + 3, 0, FIRST + 9, FIRST + 9]), WORDS);
    }

    #[test]
    fn a_time_is_said_where_times_together_are_likelier_than_any_word() {
        let words = small(COUNT);
        let mut logits = vec![0.0; COUNT];
        logits[0] = 3.0;
        apply(&words, &[FIRST, 1], &mut logits);
        assert!(logits[0] == f32::NEG_INFINITY && logits[FIRST as usize + 1].is_finite(), "99 times are above e^3");
        logits.fill(0.0);
        logits[0] = 6.0;
        apply(&words, &[FIRST, 1], &mut logits);
        assert!(logits[0].is_finite());
    }
}
