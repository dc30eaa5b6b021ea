//! Which reader reads pictures, opened when the first picture comes.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use techrag_models::ocr::{Recogniser, TesseractConfig};
use techrag_models::{Error, Locator, Manifest};

/// Which reader of pictures is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OcrReader {
    /// The tesseract command if it is there, else the networks, else none.
    Auto,
    /// None: pages without a text layer are named and left.
    Off,
    /// The tesseract command.
    Tesseract,
    /// The PP-OCR networks.
    PpOcr,
}

/// Everything the caller decides about reading pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct OcrConfig {
    /// Which reader.
    pub reader: OcrReader,
    /// Languages, as tesseract names them, joined by `+`.
    pub languages: String,
    /// Time for one page.
    pub timeout: Duration,
    /// Memory of a tesseract process, in bytes.
    pub memory: u64,
    /// Folders of models, in the order they are searched.
    pub models: Vec<PathBuf>,
    /// Most pictures at a time.
    pub sessions: usize,
    /// Confidence from 0 to 1 under which a page is named.
    pub doubt: f32,
}

/// A reader of pictures that is opened when it is first needed. Clones share it.
#[derive(Clone)]
pub struct Ocr {
    pub(crate) config: OcrConfig,
    opened: Arc<OnceLock<Result<Recogniser, Absent>>>,
    /// Pictures that are being read, of all files.
    busy: Arc<(Mutex<usize>, Condvar)>,
}

/// Why there is no reader, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Absent {
    pub(crate) why: String,
    pub(crate) hint: String,
}

impl fmt::Debug for Ocr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ocr").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Ocr {
    /// Opens nothing yet.
    pub fn new(config: OcrConfig) -> Self {
        Self { config, opened: Arc::default(), busy: Arc::default() }
    }

    /// Opens the reader now, where one was asked for by name.
    ///
    /// # Errors
    /// That of the model or program that is missing.
    pub fn demand(&self) -> Result<(), Error> {
        if matches!(self.config.reader, OcrReader::Tesseract | OcrReader::PpOcr) {
            let reader = self.named()?;
            // Whoever was first has opened the same reader.
            let _ = self.opened.set(Ok(reader));
        }
        Ok(())
    }

    /// The reader, or why there is none.
    pub(crate) fn reader(&self) -> Result<&Recogniser, &Absent> {
        self.opened.get_or_init(|| self.open()).as_ref()
    }

    /// Does something with a picture once fewer are being read than may be.
    pub(crate) fn in_turn<T>(&self, read: impl FnOnce() -> T) -> T {
        let _turn = Turn::of(self);
        read()
    }

    fn named(&self) -> Result<Recogniser, Error> {
        let config = &self.config;
        if config.reader == OcrReader::PpOcr {
            let locator = Locator::new(config.models.iter());
            return Recogniser::pp_ocr(&locator, &Manifest::of(&locator)?, config.sessions);
        }
        Recogniser::tesseract(TesseractConfig {
            languages: config.languages.clone(),
            timeout: config.timeout,
            memory: config.memory,
        })
    }

    fn open(&self) -> Result<Recogniser, Absent> {
        let with = |reader| Self::new(OcrConfig { reader, ..self.config.clone() }).named();
        match self.config.reader {
            OcrReader::Off => Err(Absent {
                why: "reading pictures is off".into(),
                hint: "leave out --ocr off to have them read".into(),
            }),
            OcrReader::Tesseract | OcrReader::PpOcr => self.named().map_err(|error| absent(&[error])),
            OcrReader::Auto => with(OcrReader::Tesseract)
                .or_else(|first| with(OcrReader::PpOcr).map_err(|second| absent(&[first, second]))),
        }
    }
}

/// Leave to read a picture; given back when dropped, also when the reading panicked.
struct Turn<'a>(&'a (Mutex<usize>, Condvar));

impl<'a> Turn<'a> {
    fn of(ocr: &'a Ocr) -> Self {
        let (busy, freed) = &*ocr.busy;
        let most = ocr.config.sessions.max(1);
        let full = |busy: &mut usize| *busy >= most;
        let open = freed.wait_while(busy.lock().unwrap_or_else(PoisonError::into_inner), full);
        *open.unwrap_or_else(PoisonError::into_inner) += 1;
        Self(&ocr.busy)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.1.notify_one();
    }
}

fn absent(errors: &[Error]) -> Absent {
    let join = |words: Vec<String>, by: &str| words.join(by);
    let hints = errors.iter().filter_map(|error| error.hint().map(str::to_owned));
    Absent { why: join(errors.iter().map(Error::to_string).collect(), "; "), hint: join(hints.collect(), "; or ") }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn no_more_pictures_are_read_at_a_time_than_may_be() {
        let config = OcrConfig { sessions: 2, ..crate::test_config().ocr.config };
        let ocr = Ocr::new(config);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    ocr.clone().in_turn(|| {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(5));
                        now.fetch_sub(1, Ordering::SeqCst);
                    });
                });
            }
        });
        assert_eq!(most.into_inner(), 2);
    }

    #[test]
    fn without_a_reader_it_is_said_why_and_what_to_do() {
        let config = crate::test_config().ocr.config;
        let off = Ocr::new(config.clone());
        assert!(off.reader().err().unwrap().why.contains("off"));
        assert!(off.demand().is_ok());
        let nowhere = OcrConfig { reader: OcrReader::PpOcr, models: vec!["nowhere".into()], ..config };
        let nowhere = Ocr::new(nowhere);
        assert!(nowhere.demand().is_err());
        let absent = nowhere.reader().err().unwrap();
        assert!(absent.why.contains("nowhere") && absent.hint.contains("fetch-models"), "{absent:?}");
    }
}
