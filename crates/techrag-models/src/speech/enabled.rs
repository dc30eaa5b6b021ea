//! Listening by Whisper through ONNX Runtime: one thread, no chance but a fixed one.

use super::audio::Sound;
use super::blocks::{self, RATE};
use super::mel::FRAMES;
use super::network::Network;
use super::search::Speaker;
use super::windows::{self, Piece};
use super::words::Words;
use super::{Request, Segment, Transcript};
use crate::locate::Locator;
use crate::manifest::{Manifest, TOKENIZER};
use crate::runtime;

/// What is said in a file, in words why it cannot be told.
pub(super) fn listen(request: &Request) -> Result<Transcript, String> {
    let mut sound = Sound::open(&request.listen)?;
    let said = |error: crate::Error| error.to_string();
    let environment = runtime::environment(&Locator::new(&request.places), Manifest::builtin()).map_err(said)?;
    let network = Network::open(&environment, &request.model).map_err(said)?;
    let words = Words::open(&request.model.join(TOKENIZER), network.tokens)?;
    let speaker = Speaker { network: &network, words: &words };
    let mut listener = windows::Listener::new(speaker, request.language.as_deref())?;
    let mut transcript = Transcript::default();
    let mut heard = 0;
    while let Some(block) = sound.block()? {
        for stretch in blocks::stretches(&block) {
            let samples = &block[stretch.clone()];
            let segments =
                listener.hear(samples)?.into_iter().filter_map(|piece| segment(piece, samples, heard + stretch.start));
            transcript.segments.extend(segments);
        }
        heard += block.len();
    }
    transcript.language = listener.language().filter(|_| !transcript.segments.is_empty()).map(str::to_owned);
    transcript.seconds = seconds(heard);
    transcript.damaged = sound.damaged();
    Ok(transcript)
}

/// A piece of a stretch that begins at sample `from` of the file, without the silence at its ends; `None` where it is
/// no speech.
fn segment(piece: Piece, stretch: &[f32], from: usize) -> Option<Segment> {
    let at = |frame: usize| (frame * RATE / FRAMES).min(stretch.len());
    let (start, end) = (at(piece.start), at(piece.end).max(at(piece.start)));
    let loud = blocks::loud(&stretch[start..end]);
    let silent = blocks::is_silent(&stretch[start..end]);
    (!silent && !is_a_noise(&piece.text)).then(|| Segment {
        start: seconds(from + start + loud.start),
        end: seconds(from + start + loud.end),
        text: piece.text,
        confidence: piece.confidence.clamp(0.0, 1.0),
    })
}

/// `[BLANK_AUDIO]`, `(music)`, `♪`, nothing.
fn is_a_noise(text: &str) -> bool {
    let bracketed = |open, close| text.starts_with(open) && text.ends_with(close);
    !text.contains(char::is_alphanumeric) || bracketed('[', ']') || bracketed('(', ')')
}

#[expect(clippy::cast_precision_loss, reason = "samples of a file are below 2^52")]
fn seconds(samples: usize) -> f64 {
    samples as f64 / RATE as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noises_are_no_words() {
        assert!(is_a_noise("[BLANK_AUDIO]") && is_a_noise(" ♪ ") && is_a_noise("(coughs)") && is_a_noise(""));
        assert!(!is_a_noise("The tyre (of rubber)."));
    }
}
