//! Speech: a file of sound to segments of text with their times.
//!
//! Whisper through ONNX Runtime, a cargo feature because of the decoders of audio files, which most builds do without:
//! there the module has the same face and refuses. What a hostile file breaks costs that file: listening happens in a
//! process of its own ([`serve`]), bounded in time and memory.
//!
//! What is said is searched for as openai/whisper does it, with its rules and figures; each says which. whisper.cpp,
//! which did it here before, draws the words that its beams go on with by lot (`whisper_sample_token_topk`), does not
//! ask for a time at the start of a window, and misheard more.

#[cfg(feature = "whisper")]
mod audio;
#[cfg(feature = "whisper")]
mod blocks;
#[cfg(not(feature = "whisper"))]
#[path = "disabled.rs"]
mod engine;
#[cfg(feature = "whisper")]
#[path = "enabled.rs"]
mod engine;
#[cfg(feature = "whisper")]
mod mel;
#[cfg(feature = "whisper")]
mod network;
#[cfg(feature = "whisper")]
mod resample;
#[cfg(feature = "whisper")]
mod rules;
#[cfg(feature = "whisper")]
mod search;
#[cfg(feature = "whisper")]
mod windows;
#[cfg(feature = "whisper")]
mod words;

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::child;
use crate::error::Error;
use crate::locate::Locator;
use crate::manifest::{Kind, Manifest};

/// Whether this build can listen.
pub const PRESENT: bool = cfg!(feature = "whisper");

/// What to do where it cannot.
pub const HINT: &str = "build the tools with the cargo feature `whisper` (make build FEATURES='mupdf whisper')";

/// How files of sound are listened to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeechConfig {
    /// Command (program, then arguments) of a process that calls [`serve`]; `None` listens in this process.
    pub worker: Option<Vec<OsString>>,
    /// Language spoken, as ISO 639-1 has it; `None` lets the model tell.
    pub language: Option<String>,
    /// Time for one file.
    pub timeout: Duration,
    /// Address space of the process, in bytes.
    pub memory: u64,
}

/// What was said in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// In the order of time.
    pub segments: Vec<Segment>,
    /// Length of the sound in seconds.
    pub seconds: f64,
    /// The language, as ISO 639-1 has it, where something was said.
    pub language: Option<String>,
    /// Parts that could not be decoded and were left out.
    pub damaged: u32,
}

/// Words said without a long pause, a sentence or a part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Begin in seconds from the start of the file.
    pub start: f64,
    /// End in seconds.
    pub end: f64,
    /// The words.
    pub text: String,
    /// Mean probability of its tokens, 0 to 1.
    pub confidence: f32,
}

/// A model of speech, found but not loaded. Shared by threads freely.
#[derive(Clone, Debug)]
pub struct Listener {
    model: PathBuf,
    places: Vec<PathBuf>,
    name: String,
    config: SpeechConfig,
}

/// What the process that listens is told; one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    listen: PathBuf,
    /// The model's folder.
    model: PathBuf,
    /// Where ONNX Runtime is looked for.
    places: Vec<PathBuf>,
    language: Option<String>,
}

type Answer = Result<Transcript, String>;

impl Listener {
    /// Finds a model of speech of the manifest.
    ///
    /// # Errors
    /// [`Error::NotInstalled`] in a build without speech, [`Error::Unknown`], [`Error::WrongKind`], [`Error::Missing`].
    pub fn open(locator: &Locator, manifest: &Manifest, id: &str, config: SpeechConfig) -> Result<Self, Error> {
        if !PRESENT {
            let what = "this build has no speech recognition".to_owned();
            return Err(Error::NotInstalled { what, hint: HINT.to_owned() });
        }
        let model = manifest.get(id)?;
        if !matches!(model.kind, Kind::Speech) {
            return Err(Error::WrongKind { id: id.to_owned(), wanted: "model of speech" });
        }
        let folder = locator.folder(model)?;
        locator.folder(manifest.runtime()?)?;
        let name = format!("{id} {}", model.revision);
        Ok(Self { model: folder, places: locator.places().to_vec(), name, config })
    }

    /// The model with its revision.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is said in a file (WAV, FLAC, MP3, M4A). The same file gives the same words.
    ///
    /// # Errors
    /// [`Error::Page`] where this file cannot be decoded or listened to, and why.
    pub fn listen(&self, path: &Path) -> Result<Transcript, Error> {
        let request = Request {
            // The process has the same working directory; an absolute path holds whatever it does.
            listen: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            model: self.model.clone(),
            places: self.places.clone(),
            language: self.config.language.clone(),
        };
        let answer = match &self.config.worker {
            Some(command) => self.apart(command, &request),
            None => here(&request),
        };
        answer.map_err(|message| Error::Page { id: self.name.clone(), message })
    }

    fn apart(&self, command: &[OsString], request: &Request) -> Answer {
        let (program, args) = command.split_first().ok_or("no command to listen with")?;
        let line = serde_json::to_string(request).map_err(|error| error.to_string())? + "\n";
        let SpeechConfig { timeout, memory, .. } = self.config;
        let said = child::run(Path::new(program), args, line.as_bytes(), timeout, memory);
        let said = said.map_err(|fault| fault.to_string())?;
        serde_json::from_slice(&said.output).unwrap_or_else(|_| {
            let last = said.complaint.lines().next_back().unwrap_or("no message");
            Err(format!("the process that listens ended ({}): {last}", said.status))
        })
    }
}

/// Whether a line asks a worker to listen; such a line is for [`serve`].
pub fn is_request(line: &str) -> bool {
    line.starts_with("{\"listen\":")
}

/// Answers the request of a line. Call it in a process of its own.
///
/// # Errors
/// Where the output cannot be written.
pub fn serve(line: &str, mut output: impl Write) -> io::Result<()> {
    // A panic's message travels in the answer, not on stderr.
    std::panic::set_hook(Box::new(|_| {}));
    let request = serde_json::from_str::<Request>(line).map_err(|error| format!("bad request: {error}"));
    let answer: Answer = request.and_then(|request| here(&request));
    serde_json::to_writer(&mut output, &answer)?;
    output.flush()
}

fn here(request: &Request) -> Answer {
    let listened = catch_unwind(AssertUnwindSafe(|| engine::listen(request)));
    listened.unwrap_or_else(|_| Err("the decoder panicked".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_told_from_others_and_a_bad_one_answered() {
        let request = Request { listen: "a.wav".into(), model: "m".into(), places: vec![], language: None };
        assert!(is_request(&serde_json::to_string(&request).unwrap()));
        assert!(!is_request(r#"{"path":"a.pdf"}"#));
        let mut output = Vec::new();
        serve("{\"listen\":1}", &mut output).unwrap();
        let answer: Answer = serde_json::from_slice(&output).unwrap();
        assert!(answer.unwrap_err().starts_with("bad request"));
    }

    #[test]
    fn a_build_without_speech_says_how_to_get_one() {
        let config = SpeechConfig { worker: None, language: None, timeout: Duration::from_secs(1), memory: 1 << 30 };
        let opened = Listener::open(&Locator::new(["nowhere"]), Manifest::builtin(), "whisper-base", config);
        let error = opened.unwrap_err();
        let expected = if PRESENT { "fetch-models.py --only whisper-base" } else { "cargo feature `whisper`" };
        assert!(error.hint().unwrap().contains(expected), "{error:?}");
    }
}
