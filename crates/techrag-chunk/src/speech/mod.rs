//! Sound: what is said in a file, as paragraphs that know when.
//!
//! A stretch of speech has a time where a page has a number: each segment that the listener tells apart is a span with
//! its begin and end, and is cited by its begin, as `12:31`. What counts as a paragraph is told by pauses.

use std::path::{Path, PathBuf};

use serde_json::json;
use techrag_core::record::{ErrorKind, ErrorRecord, Modality, Span};
use techrag_models::speech::{Listener, Segment, SpeechConfig, Transcript};
use techrag_models::{Error, Locator, Manifest};

use crate::draft::{Draft, Paragraph, ParagraphKind, Section, chars};
use crate::{Config, STAGE};

/// Sound that is read.
const MEDIA: [&str; 4] = ["audio/wav", "audio/flac", "audio/mpeg", "audio/mp4"];
/// Silence between two paragraphs, in seconds: who goes on pauses less.
const PAUSE: f64 = 1.5;
/// Characters from which the end of a sentence ends a paragraph: talks have few pauses.
const LONG: usize = 700;

/// Everything the caller decides about sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speech {
    /// Manifest id of the model.
    pub model: String,
    /// Folders of models, in the order they are searched.
    pub models: Vec<PathBuf>,
    /// How files are listened to.
    pub listening: SpeechConfig,
}

/// Whether files of this media type are listened to.
pub(crate) fn is_sound(media_type: &str) -> bool {
    MEDIA.contains(&media_type)
}

/// A file of sound as a draft.
///
/// # Errors
/// An error record where this build cannot listen, the model is not there, or the file cannot be decoded.
pub(crate) fn read(path: &Path, key: &str, media_type: &'static str, config: &Config) -> Result<Draft, ErrorRecord> {
    let Speech { model, models, listening } = &config.speech;
    let failed = |error: &Error| {
        let absent = matches!(error, Error::NotInstalled { .. } | Error::Missing { .. });
        let (kind, why) = match absent {
            true => (ErrorKind::Unsupported, format!("no reader for {media_type}: {error}")),
            false => (ErrorKind::Damaged, error.to_string()),
        };
        ErrorRecord { hint: error.hint().map(str::to_owned), ..ErrorRecord::new(key, STAGE, kind, why) }
    };
    let locator = Locator::new(models);
    let listener = Manifest::of(&locator)
        .and_then(|manifest| Listener::open(&locator, &manifest, model, listening.clone()))
        .map_err(|error| failed(&error))?;
    let transcript = listener.listen(path).map_err(|error| failed(&error))?;
    Ok(draft(&transcript, listener.name(), media_type))
}

fn draft(transcript: &Transcript, by: &str, media_type: &'static str) -> Draft {
    let section = Section { paragraphs: paragraphs(&transcript.segments), ..Section::default() };
    let mut draft = Draft { media_type, modality: Some(Modality::Speech), sections: vec![section], ..Draft::default() };
    let mut said = json!({ "by": by, "seconds": hundredths(transcript.seconds) });
    if let Some(language) = &transcript.language {
        said["language"] = json!(language);
    }
    if transcript.damaged > 0 {
        said["damaged_parts"] = json!(transcript.damaged);
    }
    draft.provenance.insert("speech".into(), said);
    if transcript.segments.is_empty() {
        draft.provenance.insert("note".into(), json!("no speech was heard in it"));
    }
    draft
}

/// Segments joined where one goes on with the other.
fn paragraphs(segments: &[Segment]) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let mut ended = f64::NEG_INFINITY;
    for segment in segments {
        let open = paragraphs.last_mut().filter(|open| {
            let full = chars(&open.text) > LONG && open.text.ends_with(['.', '!', '?', '。', '！', '？']);
            segment.start - ended < PAUSE && !full
        });
        match open {
            Some(paragraph) => {
                paragraph.text.push(' ');
                say(segment, paragraph);
            }
            None => {
                let mut paragraph = Paragraph { kind: ParagraphKind::Prose, ..Paragraph::default() };
                say(segment, &mut paragraph);
                paragraphs.push(paragraph);
            }
        }
        ended = segment.end;
    }
    paragraphs
}

fn say(segment: &Segment, paragraph: &mut Paragraph) {
    let start = paragraph.text.len();
    paragraph.text.push_str(&segment.text);
    paragraph.spans.push(Span {
        start,
        end: paragraph.text.len(),
        place: Some(clock(segment.start)),
        time: Some([hundredths(segment.start), hundredths(segment.end)]),
        confidence: Some((segment.confidence * 1000.0).round() / 1000.0),
        ..Span::default()
    });
}

fn hundredths(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}

/// `0:07`, `12:31`, `1:02:31`: as players show it.
fn clock(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time of at most a day")]
    let seconds = seconds.max(0.0) as u32;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(start: f64, end: f64, text: &str) -> Segment {
        Segment { start, end, text: text.into(), confidence: 0.98765 }
    }

    #[test]
    fn times_are_as_players_show_them() {
        assert_eq!([0.0, 7.9, 751.0, 3751.5].map(clock), ["0:00", "0:07", "12:31", "1:02:31"]);
    }

    #[test]
    fn pauses_part_paragraphs_and_every_segment_keeps_its_time() {
        let found = paragraphs(&[
            segment(751.0, 753.0, "The tyre slips"),
            segment(753.2, 755.004, "on wet roads."),
            segment(758.0, 759.0, "Next slide."),
        ]);
        let text: Vec<_> = found.iter().map(|paragraph| paragraph.text.as_str()).collect();
        assert_eq!(text, ["The tyre slips on wet roads.", "Next slide."]);
        let spans: Vec<_> = found[0].spans.iter().map(|span| (span.start, span.place.as_deref(), span.time)).collect();
        assert_eq!(spans, [(0, Some("12:31"), Some([751.0, 753.0])), (15, Some("12:33"), Some([753.2, 755.0]))]);
        assert_eq!(found[1].spans[0].confidence, Some(0.988));
    }

    #[test]
    fn a_long_talk_is_parted_at_the_ends_of_sentences() {
        let sentence = format!("{}.", "word ".repeat(40).trim());
        let talk: Vec<Segment> = (0..20).map(|at| segment(f64::from(at), f64::from(at) + 1.0, &sentence)).collect();
        let found = paragraphs(&talk);
        assert!(found.len() > 3 && found.iter().all(|paragraph| chars(&paragraph.text) < 1200), "{}", found.len());
    }

    #[test]
    fn silence_is_a_document_with_nothing_in_it() {
        let silent = draft(&Transcript { seconds: 3600.0, ..Transcript::default() }, "m", "audio/wav");
        assert_eq!(silent.provenance["note"], json!("no speech was heard in it"));
        assert_eq!(silent.provenance["speech"]["seconds"], json!(3600.0));
    }
}
