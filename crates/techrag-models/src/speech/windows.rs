//! A stretch of sound heard window after window, each from where the last one ended (openai/whisper, transcribe.py).
//!
//! A window is not told what was said before (`condition_on_previous_text` is off, as it was with whisper.cpp): told, a
//! talk of two minutes lost 24 seconds to words that nobody said.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::mel;
use super::network::{Heard, Network, Past};
use super::rules;
use super::search::{Said, Speaker, Start};
use super::words::Token;

/// Frames of a step of time.
pub(super) const STAMP: usize = 2;
/// Tried one after the other until something believable was said (`temperature`).
const TEMPERATURES: [f32; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
/// Mean logarithm of probability under which what was said is not believed (`logprob_threshold`).
const UNSURE: f32 = -1.0;
/// Bytes of a text over those of it compressed, over which it repeats itself (`compression_ratio_threshold`).
const REPEATS: f32 = 2.4;
/// Probability of no speech over which something unsure was not said (`no_speech_threshold`).
const NO_SPEECH: f32 = 0.6;
/// Probability from which a language is believed (faster-whisper, `language_detection_threshold`).
const KNOWN: f32 = 0.5;

/// A part of a stretch: times in frames.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
    /// Mean probability of its words.
    pub(super) confidence: f32,
}

/// How well the language is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// The user tells it, or the model knows only one.
    Given,
    /// It was heard in a stretch.
    Heard,
    /// It was guessed, or not heard yet.
    Guessed,
}

/// What was said in a window, and how it came about.
struct Believed {
    said: Said,
    temperature: f32,
    /// Nothing was.
    silent: bool,
}

/// Hears stretches.
pub(super) struct Listener<'a> {
    speaker: Speaker<'a>,
    mel: mel::Mel,
    /// The code, and how well it is known.
    language: (Option<String>, Known),
}

impl<'a> Listener<'a> {
    /// With a model and what is known of the language; in words where the model does not know it.
    pub(super) fn new(speaker: Speaker<'a>, language: Option<&str>) -> Result<Self, String> {
        let languages = &speaker.words.languages;
        let language = match language {
            _ if languages.is_empty() => (Some("en".to_owned()), Known::Given),
            Some(code) if languages.iter().all(|(known, _)| known != code) => {
                return Err(format!("the model knows no language {code}"));
            }
            Some(code) => (Some(code.to_owned()), Known::Given),
            None => (None, Known::Guessed),
        };
        Ok(Self { mel: mel::Mel::new(speaker.network.window[0]), speaker, language })
    }

    /// The language that is known by now.
    pub(super) fn language(&self) -> Option<&str> {
        self.language.0.as_deref()
    }

    /// What is said in a stretch, in words why it cannot be told.
    pub(super) fn hear(&mut self, samples: &[f32]) -> Result<Vec<Piece>, String> {
        let sound = self.mel.hear(samples);
        let most = self.speaker.network.window[1];
        let (mut pieces, mut language, mut at) = (Vec::new(), None, 0);
        while at < sound.frames {
            let length = most.min(sound.frames - at);
            let heard = self.network().hear(&sound.window(at, most)).map_err(|error| error.to_string())?;
            if language.is_none() {
                language = self.tell_language(&heard)?;
            }
            let believed = self.window(&heard, language)?;
            if believed.silent {
                at += length;
                continue;
            }
            let (found, step) = self.pieces(&believed.said, length)?;
            pieces.extend(found.into_iter().map(|piece| Piece {
                start: at + piece.start,
                end: at + piece.end,
                ..piece
            }));
            at += step.clamp(1, length);
        }
        Ok(pieces)
    }

    fn network(&self) -> &'a Network {
        self.speaker.network
    }

    /// The language of a stretch: the one given, the one heard here, or where that is unsure, the one heard before.
    fn tell_language(&mut self, heard: &Heard) -> Result<Option<Token>, String> {
        let languages = &self.speaker.words.languages;
        let known = languages.iter().find(|(code, _)| self.language.0.as_ref() == Some(code)).map(|&(_, token)| token);
        if self.language.1 == Known::Given {
            return Ok(known);
        }
        let logits = self.say(heard, None, &[self.speaker.words.start])?.logits;
        let likeliest = languages.iter().fold(None, |best: Option<&(String, Token)>, one| {
            if best.is_some_and(|best| logits[best.1 as usize] >= logits[one.1 as usize]) { best } else { Some(one) }
        });
        let Some((code, token)) = likeliest else { return Ok(None) };
        let all: Vec<f32> = languages.iter().map(|&(_, token)| logits[token as usize]).collect();
        let sure = logits[*token as usize] - rules::log_sum(&all) >= KNOWN.ln();
        if !sure && self.language.1 == Known::Heard {
            return Ok(known);
        }
        self.language = (Some(code.clone()), if sure { Known::Heard } else { Known::Guessed });
        Ok(Some(*token))
    }

    /// Says something for the model.
    fn say(&self, heard: &Heard, past: Option<&Past>, tokens: &[Token]) -> Result<Start, String> {
        let said = |error: crate::error::Error| error.to_string();
        let silence = self.network().silence().map_err(said)?;
        let (logits, past) = self.network().say(heard, past.unwrap_or(&silence), &[0], tokens).map_err(said)?;
        Ok(Start { past, logits })
    }

    /// What was said in a window.
    fn window(&self, heard: &Heard, language: Option<Token>) -> Result<Believed, String> {
        let words = self.speaker.words;
        let begun = self.say(heard, None, &[words.start])?;
        let silence = (begun.logits[words.silence as usize] - rules::log_sum(&begun.logits)).exp();
        let task = words.task(language);
        let start = if task.is_empty() { begun } else { self.say(heard, Some(&begun.past), &task)? };
        self.believable(heard, &start, silence)
    }

    /// Tries one temperature after the other; where none convinces, the surest that does not repeat itself
    /// (faster-whisper, `generate_with_fallback`).
    fn believable(&self, heard: &Heard, start: &Start, silence: f32) -> Result<Believed, String> {
        let mut tried: Vec<(bool, Believed)> = Vec::new();
        for temperature in TEMPERATURES {
            let said = self.speaker.listen(heard, start, temperature).map_err(|error| error.to_string())?;
            let unsure = said.mean() < UNSURE;
            let silent = silence > NO_SPEECH && unsure;
            let repeats = ratio(self.speaker.words.text(&said.tokens)?.trim()) > REPEATS;
            let believed = Believed { said, temperature, silent };
            if silent || !(unsure || repeats) {
                return Ok(believed);
            }
            tried.push((!repeats, believed));
        }
        let surer = |a: &(bool, Believed), b: &(bool, Believed)| {
            a.0.cmp(&b.0)
                .then(a.1.said.mean().total_cmp(&b.1.said.mean()))
                .then(b.1.temperature.total_cmp(&a.1.temperature))
        };
        let best = tried.into_iter().max_by(surer).ok_or("no temperature")?;
        Ok(best.1)
    }

    /// The pieces between times of a window of so many frames, and how far it was heard.
    fn pieces(&self, said: &Said, length: usize) -> Result<(Vec<Piece>, usize), String> {
        let words = self.speaker.words;
        let (cuts, step) = cut(&said.tokens, length, words.times);
        let mut pieces = Vec::new();
        for Cut { tokens, start, end } in cuts {
            let text = words.text(&said.tokens[tokens.clone()])?.trim().to_owned();
            if text.is_empty() || start == end {
                continue;
            }
            let confidence = confidence(&said.tokens[tokens.clone()], &said.each[tokens.clone()], words.end);
            pieces.push(Piece { start, end, text, confidence });
        }
        Ok((pieces, step))
    }
}

/// A range of tokens between two times, in frames of the window.
#[derive(Debug, PartialEq)]
struct Cut {
    tokens: std::ops::Range<usize>,
    start: usize,
    end: usize,
}

/// Cuts tokens between times that follow each other. What stands after the last of them was cut off by the window's end
/// and is heard again, unless a single time ends it: then nothing is said behind it.
fn cut(tokens: &[Token], length: usize, times: Token) -> (Vec<Cut>, usize) {
    let is_time = |at: usize| tokens.get(at).is_some_and(|&token| token >= times);
    let frame = |at: usize| (tokens[at] - times) as usize * STAMP;
    let ends_in_one = tokens.len() >= 2 && !is_time(tokens.len() - 2) && is_time(tokens.len() - 1);
    let mut ends: Vec<usize> = (1..tokens.len()).filter(|&at| is_time(at - 1) && is_time(at)).collect();
    if ends.is_empty() {
        // One segment; the only time in it but the first may tell its end.
        let last = (0..tokens.len()).rev().find(|&at| is_time(at) && frame(at) > 0);
        let end = last.map_or(length, |at| frame(at).min(length));
        return (vec![Cut { tokens: 0..tokens.len(), start: 0, end }], length);
    }
    if ends_in_one {
        ends.push(tokens.len());
    }
    let bounds = [0].into_iter().chain(ends.iter().copied()).zip(ends.iter().copied());
    let time = |at: usize| if is_time(at) { frame(at).min(length) } else { 0 };
    let cuts = bounds.map(|(from, to)| Cut { tokens: from..to, start: time(from), end: time(to - 1) }).collect();
    let last = ends.last().map_or(length, |&to| time(to - 1));
    (cuts, if ends_in_one { length } else { last })
}

/// Mean probability of the words.
#[expect(clippy::cast_precision_loss, reason = "tokens of a window")]
fn confidence(tokens: &[Token], each: &[f32], end: Token) -> f32 {
    let words = tokens.iter().zip(each).filter(|&(&token, _)| token < end).map(|(_, log)| log.exp());
    let (sum, count) = words.fold((0.0, 0_usize), |(sum, count), one| (sum + one, count + 1));
    sum / count.max(1) as f32
}

/// Bytes of a text over those of it compressed (utils.py, `compression_ratio`).
#[expect(clippy::cast_precision_loss, reason = "bytes of a sentence")]
fn ratio(text: &str) -> f32 {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed = packed.write_all(text.as_bytes()).and_then(|()| packed.finish());
    packed.map_or(0.0, |packed| text.len() as f32 / packed.len().max(1) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Token = 1000;

    fn cuts(tokens: &[Token]) -> (Vec<(usize, usize, usize)>, usize) {
        let (cuts, step) = cut(tokens, 3000, TIMES);
        (cuts.into_iter().map(|cut| (cut.tokens.len(), cut.start, cut.end)).collect(), step)
    }

    #[test]
    fn what_the_end_of_a_window_cut_off_is_heard_again() {
        let at = |seconds: Token| TIMES + seconds * 50;
        assert_eq!(cuts(&[at(0), 1, 2, at(3), at(3), 4, at(9), at(9), 5]), (vec![(4, 0, 300), (3, 300, 900)], 900));
        // A single time at the end: nothing follows.
        assert_eq!(cuts(&[at(0), 1, at(3), at(4), 4, at(9)]), (vec![(3, 0, 300), (3, 400, 900)], 3000));
    }

    #[test]
    fn without_times_between_there_is_one_piece() {
        assert_eq!(cuts(&[TIMES, 1, 2]), (vec![(3, 0, 3000)], 3000));
        assert_eq!(cuts(&[TIMES, 1, 2, TIMES + 100]), (vec![(4, 0, 200)], 3000));
        assert_eq!(cuts(&[TIMES + 40]), (vec![(1, 0, 80)], 3000));
        assert_eq!(cuts(&[]), (vec![(0, 0, 3000)], 3000));
    }

    #[test]
    fn a_time_beyond_the_window_is_its_end() {
        assert_eq!(cut(&[TIMES, 1, TIMES + 1500], 200, TIMES).0[0].end, 200);
    }

    #[test]
    fn text_that_repeats_itself_is_compressed_well() {
        assert!(ratio(&"the tyre and ".repeat(20)) > REPEATS);
        assert!(ratio("Last week we looked at the brush model of the contact patch.") < 1.2);
        assert!(ratio("") < REPEATS);
    }

    #[test]
    fn confidence_is_that_of_words() {
        let half = 0.5_f32.ln();
        assert!((confidence(&[TIMES, 1, 2, TIMES], &[-9.0, half, 0.0, -9.0], 900) - 0.75).abs() < 1e-6);
        assert!(confidence(&[], &[], 900).abs() < f32::EPSILON);
    }
}
