//! Listening by whisper.cpp: one thread, the most probable sentences, no chance.

use std::path::Path;

use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperSegment, get_lang_str,
};

use super::audio::Sound;
use super::blocks::{self, RATE};
use super::{Segment, Transcript};

/// Probability of no speech from which an uncertain segment is taken for none.
const NO_SPEECH: f32 = 0.6;
/// Confidence under which a segment is uncertain.
const UNCERTAIN: f32 = 0.5;
/// Beginnings of a sentence that are followed at a time, as many as the model's authors took. The likeliest next word alone
/// leads astray where the sound is poor.
const BEAM: i32 = 5;
/// whisper.cpp refuses less than a second of sound.
const SHORTEST: usize = RATE + RATE / 5;
/// Steps of a time stamp a second.
const STAMPS: f64 = 100.0;

/// What is said in a file, in words why it cannot be told.
pub(super) fn listen(path: &Path, model: &Path, language: Option<&str>) -> Result<Transcript, String> {
    whisper_rs::install_logging_hooks();
    let mut sound = Sound::open(path)?;
    let context = WhisperContext::new_with_params(model, WhisperContextParameters::default())
        .map_err(|error| format!("{}: {error}", model.display()))?;
    let mut transcript = Transcript::default();
    let mut heard = 0;
    while let Some(block) = sound.block()? {
        for stretch in blocks::stretches(&block) {
            hear(&context, &block[stretch.clone()], heard + stretch.start, language, &mut transcript)?;
        }
        heard += block.len();
    }
    transcript.seconds = seconds(heard);
    transcript.damaged = sound.damaged();
    Ok(transcript)
}

/// Adds the segments of a stretch that begins at sample `from`. Every stretch has a state of its own, so that it is
/// heard the same whatever came before.
fn hear(
    context: &WhisperContext,
    block: &[f32],
    from: usize,
    language: Option<&str>,
    transcript: &mut Transcript,
) -> Result<(), String> {
    let said = |error: whisper_rs::WhisperError| error.to_string();
    let mut samples = block.to_vec();
    samples.resize(samples.len().max(SHORTEST), 0.0);
    let mut state = context.create_state().map_err(said)?;
    let language = if context.is_multilingual() { language.unwrap_or("auto") } else { "en" };
    state.full(params(language), &samples).map_err(said)?;
    for segment in state.as_iter() {
        let mut one = one(context, &segment, seconds(from), seconds(from + block.len()))?;
        let at = |time: f64| blocks::sample(time - seconds(from)).min(block.len());
        let range = at(one.start)..at(one.end).max(at(one.start));
        let silent = blocks::is_silent(&block[range.clone()]);
        let loud = blocks::loud(&block[range.clone()]);
        one.end = seconds(from + range.start + loud.end);
        one.start = seconds(from + range.start + loud.start);
        let none = segment.no_speech_probability() > NO_SPEECH && one.confidence < UNCERTAIN;
        if !(silent || none || is_a_noise(&one.text)) {
            transcript.segments.push(one);
        }
    }
    if transcript.language.is_none() && !transcript.segments.is_empty() {
        transcript.language = get_lang_str(state.full_lang_id_from_state()).map(str::to_owned);
    }
    Ok(())
}

fn params(language: &str) -> FullParams<'_, 'static> {
    let mut params = FullParams::new(SamplingStrategy::BeamSearch { beam_size: BEAM, patience: -1.0 });
    params.set_language(Some(language));
    params.set_n_threads(1);
    params.set_no_context(true);
    params.set_suppress_nst(true);
    params.set_print_special(false);
    params.set_print_progress(false);
    params.set_print_realtime(false);
    params.set_print_timestamps(false);
    params
}

#[expect(clippy::cast_precision_loss, reason = "hundredths of a second, and tokens of a sentence")]
fn one(context: &WhisperContext, segment: &WhisperSegment<'_>, from: f64, to: f64) -> Result<Segment, String> {
    let text = segment.to_str_lossy().map_err(|error| error.to_string())?.trim().to_owned();
    let words = (0..segment.n_tokens()).filter_map(|at| segment.get_token(at));
    let words = words.filter(|token| token.token_id() < context.token_eot());
    let (sum, count) = words.fold((0.0, 0_u16), |(sum, count), token| (sum + token.token_probability(), count + 1));
    let time = |stamp: i64| (from + stamp as f64 / STAMPS).clamp(from, to);
    let (start, end) = (time(segment.start_timestamp()), time(segment.end_timestamp()));
    Ok(Segment { start, end, text, confidence: sum / f32::from(count.max(1)) })
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
