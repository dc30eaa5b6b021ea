//! The likeliest thing that was said: beams at first, and where they fail, chance (openai/whisper, decoding.py:
//! `BeamSearchDecoder`, `GreedyDecoder`, `MaximumLikelihoodRanker`).
//!
//! Beams go on with the likeliest tokens, where whisper.cpp draws them by lot. Chance is a fixed row of numbers, so that
//! the same sound gives the same words.

use super::network::{Heard, Network, Past};
use super::rules;
use super::words::{Token, Words};
use crate::error::Error;

/// Beginnings that are followed at a time, and ends that are waited for: openai/whisper's `beam_size` with a patience of 1.
const BEAMS: usize = 5;
/// Tries where chance decides: its `best_of`.
const TRIES: usize = 5;
/// Most tokens that the network takes, with what it was told.
const CONTEXT: usize = 448;
/// Most tokens of a window: half of them (`sample_len`).
const LONGEST: usize = CONTEXT / 2;

/// Where saying begins: what the network was told, and the logits of what comes first.
pub(super) struct Start {
    pub(super) past: Past,
    pub(super) logits: Vec<f32>,
}

impl Start {
    /// Tokens that may be said.
    fn room(&self) -> usize {
        CONTEXT.saturating_sub(self.past.length).min(LONGEST)
    }
}

/// Something said, without its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    pub(super) tokens: Vec<Token>,
    /// Logarithm of the probability of each token.
    pub(super) each: Vec<f32>,
    /// Their sum, the end's included.
    pub(super) sum: f32,
}

impl Said {
    /// Mean of the logarithms, the end's included (`avg_logprob`).
    #[expect(clippy::cast_precision_loss, reason = "tokens of a window")]
    pub(super) fn mean(&self) -> f32 {
        self.sum / (self.tokens.len() + 1) as f32
    }

    /// By which the best is chosen: the sum over the length, without a penalty of lengths.
    #[expect(clippy::cast_precision_loss, reason = "tokens of a window")]
    fn rank(&self) -> f32 {
        self.sum / self.tokens.len().max(1) as f32
    }

    fn and(&self, token: Token, log: f32) -> Self {
        let mut next = self.clone();
        next.tokens.push(token);
        next.each.push(log);
        next.sum += log;
        next
    }
}

/// What the networks and rules of a model are asked with.
#[derive(Clone, Copy)]
pub(super) struct Speaker<'a> {
    pub(super) network: &'a Network,
    pub(super) words: &'a Words,
}

/// Ways on: their sum, the row they come from, the token and its logarithm.
type Way = (f32, usize, Token, f32);

impl Speaker<'_> {
    /// What was said in a window. A temperature of 0 follows beams; others divide the logits before chance decides.
    ///
    /// # Errors
    /// [`Error::Run`] if the runtime fails.
    pub(super) fn listen(&self, heard: &Heard, start: &Start, temperature: f32) -> Result<Said, Error> {
        let said = if temperature > 0.0 { self.chance(heard, start, temperature) } else { self.beams(heard, start) };
        // The first of equals.
        let best = said?.into_iter().fold(None, |best: Option<Said>, one| match best {
            Some(best) if best.rank() >= one.rank() => Some(best),
            _ => Some(one),
        });
        Ok(best.unwrap_or_default())
    }

    fn beams(&self, heard: &Heard, start: &Start) -> Result<Vec<Said>, Error> {
        let mut rows = vec![Said::default()];
        let mut ended: Vec<Said> = Vec::new();
        let (mut logits, mut kept) = (start.logits.clone(), None);
        for _ in 0..start.room() {
            let (ends, next) = choose(self.words.end, self.ways(&rows, &mut logits));
            ended.extend(ends.iter().map(|&(sum, row, ..)| Said { sum, ..rows[row].clone() }));
            ended.truncate(BEAMS);
            rows = next.iter().map(|&(_, row, token, log)| rows[row].and(token, log)).collect();
            if ended.len() == BEAMS || rows.is_empty() {
                break;
            }
            let from: Vec<usize> = next.iter().map(|way| way.1).collect();
            let tokens: Vec<Token> = next.iter().map(|way| way.2).collect();
            let past = kept.as_ref().unwrap_or(&start.past);
            let (following, past) = self.network.say(heard, past, &from, &tokens)?;
            (logits, kept) = (following, Some(past));
        }
        // Where too few have ended, the likeliest of the others end here.
        let lacking = BEAMS - ended.len();
        ended.extend(rows.into_iter().take(lacking));
        Ok(ended)
    }

    /// The likeliest ways on of every row, one more than there are beams, since one may be the end.
    fn ways(&self, rows: &[Said], logits: &mut [f32]) -> Vec<Way> {
        let mut ways = Vec::new();
        for (row, (said, logits)) in rows.iter().zip(logits.chunks_exact_mut(self.words.count)).enumerate() {
            rules::apply(self.words, &said.tokens, logits);
            let next = likeliest(logits, BEAMS + 1).into_iter();
            ways.extend(next.map(|(token, log)| (said.sum + log, row, token, log)));
        }
        ways
    }

    fn chance(&self, heard: &Heard, start: &Start, temperature: f32) -> Result<Vec<Said>, Error> {
        let mut numbers = Numbers(0);
        let mut open: Vec<Said> = vec![Said::default(); TRIES];
        let mut ended = Vec::new();
        let (mut logits, mut kept) = (start.logits.repeat(TRIES), None);
        for _ in 0..start.room() {
            let (mut next, mut from) = (Vec::new(), Vec::new());
            for (row, logits) in logits.chunks_exact_mut(self.words.count).enumerate() {
                rules::apply(self.words, &open[row].tokens, logits);
                let token = numbers.draw(logits, temperature);
                let log = logits[token];
                let token = Token::try_from(token).unwrap_or(self.words.end);
                if token == self.words.end {
                    ended.push(Said { sum: open[row].sum + log, ..open[row].clone() });
                } else {
                    next.push(open[row].and(token, log));
                    from.push(row);
                }
            }
            open = next;
            let tokens: Vec<Token> = open.iter().filter_map(|said| said.tokens.last().copied()).collect();
            if tokens.is_empty() {
                break;
            }
            // At first all go on from the one row there is.
            let first: Vec<usize> = if kept.is_none() { vec![0; from.len()] } else { from };
            let past = kept.as_ref().unwrap_or(&start.past);
            let (following, past) = self.network.say(heard, past, &first, &tokens)?;
            (logits, kept) = (following, Some(past));
        }
        ended.extend(open);
        Ok(ended)
    }
}

/// The best ways by their sums: those that end before enough go on, and those that go on.
fn choose(end: Token, mut ways: Vec<Way>) -> (Vec<Way>, Vec<Way>) {
    ways.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let (mut ends, mut next) = (Vec::new(), Vec::new());
    for way in ways {
        if way.2 == end {
            ends.push(way);
        } else {
            next.push(way);
        }
        if next.len() == BEAMS {
            break;
        }
    }
    (ends, next)
}

/// The tokens of the highest logarithms, from the highest; what must not come is none of them.
fn likeliest(logs: &[f32], most: usize) -> Vec<(Token, f32)> {
    let mut best: Vec<(Token, f32)> = Vec::with_capacity(most + 1);
    for (token, &log) in (0..).zip(logs) {
        let fits = best.len() < most || best.last().is_some_and(|last| last.1 < log);
        if log > f32::NEG_INFINITY && fits {
            let at = best.partition_point(|one| one.1 >= log);
            best.insert(at, (token, log));
            best.truncate(most);
        }
    }
    best
}

/// A fixed row of numbers (SplitMix64; Steele, Lea and Flood 2014).
struct Numbers(u64);

impl Numbers {
    /// From 0 to below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A place by its probability at a temperature.
    fn draw(&mut self, logs: &[f32], temperature: f32) -> usize {
        let most = logs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weight = |log: f32| f64::from((log - most) / temperature).exp();
        let all: f64 = logs.iter().map(|&log| weight(log)).sum();
        let mut rest = self.next() * all;
        let crosses = |&(_, &log): &(usize, &f32)| {
            rest -= weight(log);
            rest < 0.0
        };
        logs.iter().enumerate().find(crosses).map_or(0, |(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_that_end_among_the_best_end_and_the_others_go_on() {
        let end = 9;
        let ways: Vec<Way> = [(-1.0, 0, 3), (-0.5, 0, 9), (-2.0, 1, 9), (-1.0, 0, 2), (-3.0, 1, 1), (-4.0, 1, 2)]
            .iter()
            .map(|&(sum, row, token)| (sum, row, token, sum))
            .chain([(-5.0, 1, 4, -1.0), (-6.0, 1, 9, -1.0), (-7.0, 1, 5, -1.0)])
            .collect();
        let (ends, next) = choose(end, ways);
        assert_eq!(
            ends.iter().map(|way| way.0).collect::<Vec<_>>(),
            [-0.5, -2.0],
            "the last end is behind five others"
        );
        assert_eq!(next.iter().map(|way| way.2).collect::<Vec<_>>(), [2, 3, 1, 2, 4]);
    }

    #[test]
    fn the_likeliest_are_few_and_allowed() {
        let none = f32::NEG_INFINITY;
        assert_eq!(likeliest(&[-3.0, none, -1.0, -1.0, -2.0], 3), [(2, -1.0), (3, -1.0), (4, -2.0)]);
        assert_eq!(likeliest(&[none, -1.0, none], 3), [(1, -1.0)]);
    }

    #[test]
    fn the_rank_is_a_mean_and_counts_the_end() {
        let said = Said::default().and(1, -1.0).and(2, -2.0);
        let said = Said { sum: said.sum - 3.0, ..said };
        assert_eq!((said.mean(), said.rank(), &said.each[..]), (-2.0, -3.0, &[-1.0, -2.0][..]));
    }

    #[test]
    fn chance_follows_probability_and_is_the_same_each_time() {
        let logs = [0.7_f32.ln(), f32::NEG_INFINITY, 0.3_f32.ln()];
        let drawn = |temperature| {
            let mut numbers = Numbers(0);
            (0..2000).map(|_| numbers.draw(&logs, temperature)).collect::<Vec<_>>()
        };
        let share = |drawn: Vec<usize>| drawn.iter().filter(|&&at| at == 0).count();
        assert!(share(drawn(1.0)).abs_diff(1400) < 60);
        assert!(share(drawn(0.2)) > 1950, "0.7^5 against 0.3^5");
        assert!(drawn(1.0).iter().all(|&at| at != 1));
        assert_eq!(drawn(1.0), drawn(1.0));
    }
}
