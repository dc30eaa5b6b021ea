//! Text read off pictures: words with their places and how certain the reader is of each.
//!
//! Two readers, one face ([`Recogniser`]): the `tesseract` command of the system, and PP-OCR networks through ONNX
//! Runtime. What a picture needs before either can read it is done here once: pages that lie on their side or stand on
//! their head are turned upright, and lines that run askew are straightened ([`straighten`]).

mod gray;
mod ppocr;
mod straighten;
mod tesseract;
mod upright;

use std::path::Path;
use std::time::Duration;

use crate::error::Error;
use crate::locate::Locator;
use crate::manifest::Manifest;
use crate::page::Pixels;
use gray::Gray;
use ppocr::PpOcr;
use tesseract::Tesseract;
use upright::Guess;

pub use ppocr::RecogniserSpec;
pub(crate) use ppocr::{DETECTOR, READER};
pub use straighten::Turn;

/// Manifest id of the networks that read where tesseract is not asked to.
pub const PP_OCR: &str = "PP-OCRv6-small";

/// Pictures with a shorter side hold no line of text, in pixels.
const SMALLEST: usize = 8;
/// Mean confidence under which a page may stand on its head: upside down, both readers stay well below it, and above it
/// the right way up.
const DOUBT: f32 = 0.65;
/// Letters from which a doubtful reading is worth a second try; a photograph gives fewer.
const WORTHWHILE: usize = 20;

/// How the system's `tesseract` is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TesseractConfig {
    /// Languages as tesseract names them, joined by `+`: `eng`, `eng+deu`.
    pub languages: String,
    /// Time for one picture, after which the process is killed.
    pub timeout: Duration,
    /// Address space of the process, in bytes.
    pub memory: u64,
}

/// A reader of pictures. Shared by threads freely.
pub struct Recogniser(Reader);

enum Reader {
    Tesseract(Tesseract),
    PpOcr(Box<PpOcr>),
}

/// A word read off a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Its characters, no white space.
    pub text: String,
    /// Left, top, right, bottom in pixels of the straightened picture.
    pub bbox: [f32; 4],
    /// Words of one line share this number; lines come in the reader's order.
    pub line: usize,
    /// How certain the reader is, 0 to 1.
    pub confidence: f32,
    /// Mean width of its strokes in pixels, measured across: bold type has wider ones. 0 until it is measured.
    pub stroke: f32,
}

/// What was read off a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The words in the reader's order.
    pub words: Vec<Word>,
    /// Width and height of the straightened picture in pixels.
    pub size: [usize; 2],
    /// How the picture was turned before it was read.
    pub turn: Turn,
}

impl Reading {
    /// Mean confidence of the words weighed by their letters, 0 to 1; 0 where there are none.
    pub fn confidence(&self) -> f32 {
        let letters = self.letters();
        if letters == 0 { 0.0 } else { self.weight() / precise(letters) }
    }

    /// Letters and digits of all words.
    pub fn letters(&self) -> usize {
        self.words.iter().map(|word| letters(&word.text)).sum()
    }

    fn weight(&self) -> f32 {
        self.words.iter().map(|word| word.confidence * precise(letters(&word.text))).sum()
    }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

#[expect(clippy::cast_precision_loss, reason = "letters of a page are far below 2^24")]
fn precise(count: usize) -> f32 {
    count as f32
}

impl Recogniser {
    /// The `tesseract` on the search path, once it said that it has the languages.
    ///
    /// # Errors
    /// [`Error::NotInstalled`] without it or without one of the languages.
    pub fn tesseract(config: TesseractConfig) -> Result<Self, Error> {
        Tesseract::open(Path::new("tesseract"), config).map(|reader| Self(Reader::Tesseract(reader)))
    }

    /// The PP-OCR networks of the manifest ([`PP_OCR`]), at most `sessions` pictures at a time.
    ///
    /// # Errors
    /// [`Error::Missing`] (of the networks or of the runtime), [`Error::File`] if one does not load.
    pub fn pp_ocr(locator: &Locator, manifest: &Manifest, sessions: usize) -> Result<Self, Error> {
        PpOcr::open(locator, manifest, PP_OCR, sessions).map(|reader| Self(Reader::PpOcr(Box::new(reader))))
    }

    /// Which reader it is, with its version: `tesseract 5.3.0 (eng)`, `PP-OCRv6-small 090f04abcd9d`.
    pub fn name(&self) -> &str {
        match &self.0 {
            Reader::Tesseract(reader) => reader.name(),
            Reader::PpOcr(reader) => reader.name(),
        }
    }

    /// Reads a picture of `dpi` pixels an inch. The same picture gives the same words.
    ///
    /// # Errors
    /// [`Error::Page`] where the reader fails on this picture (out of time, out of memory, crashed), [`Error::Run`] where
    /// the runtime does.
    pub fn read(&self, picture: &Pixels, dpi: f32) -> Result<Reading, Error> {
        let gray = Gray::of(picture);
        if gray.width().min(gray.height()) < SMALLEST {
            return Ok(Reading { size: [gray.width(), gray.height()], ..Reading::default() });
        }
        surest(upright::guess(&gray), |quarters| self.turned(&gray, quarters, dpi))
    }

    fn turned(&self, gray: &Gray, quarters: u8, dpi: f32) -> Result<Reading, Error> {
        let (straight, turn) = straighten::straighten(gray, quarters);
        let mut words = match &self.0 {
            Reader::Tesseract(reader) => reader.read(&straight, dpi)?,
            Reader::PpOcr(reader) => reader.read(&straight)?,
        };
        let threshold = straight.threshold();
        words.iter_mut().for_each(|word| word.stroke = straight.stroke(word.bbox, threshold));
        Ok(Reading { words, size: [straight.width(), straight.height()], turn })
    }
}

/// The best of the readings that a page deserves. The guess says which one is tried first; since letters that stand on
/// their head are not understood, a wrong guess costs time and no answer. Where neither way of a page that seems to lie on
/// its side is understood it may only have seemed so (rules from top to bottom make the same sharp sums), and it is read
/// upright, and what is doubtful still, upside down.
fn surest(guess: Guess, mut read: impl FnMut(u8) -> Result<Reading, Error>) -> Result<Reading, Error> {
    let first = u8::from(guess.sideways) + 2 * u8::from(guess.flipped);
    let mut best = read(first)?;
    let again = if first == 0 { is_doubtful(&best) } else { !is_clear(&best) };
    if again {
        best = better(best, read(first ^ 2)?);
    }
    if guess.sideways && best.confidence() < DOUBT {
        best = better(best, read(0)?);
        if is_doubtful(&best) {
            best = better(best, read(2)?);
        }
    }
    Ok(best)
}

/// Certain of a page's worth of letters.
fn is_clear(reading: &Reading) -> bool {
    reading.confidence() >= DOUBT && reading.letters() >= WORTHWHILE
}

/// Enough letters to be worth another try, and uncertain of them.
fn is_doubtful(reading: &Reading) -> bool {
    reading.confidence() < DOUBT && reading.letters() >= WORTHWHILE
}

/// The reading that is certain of more letters, the first one of equals.
fn better(one: Reading, other: Reading) -> Reading {
    if other.weight() > one.weight() { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(words: &[(&str, f32)]) -> Reading {
        let word = |&(text, confidence): &(&str, f32)| Word {
            text: text.into(),
            bbox: [0.0; 4],
            line: 0,
            confidence,
            stroke: 0.0,
        };
        Reading { words: words.iter().map(word).collect(), size: [9, 9], ..Reading::default() }
    }

    #[test]
    fn confidence_weighs_by_letters_and_the_more_certain_reading_wins() {
        let long = reading(&[("friction", 0.9), ("—", 0.1), ("of", 0.4)]);
        assert!((long.confidence() - 0.8).abs() < 1e-6);
        let doubtful = reading(&[("uoᴉʇɔᴉɹɟ", 0.3)]);
        assert_eq!(better(doubtful.clone(), long.clone()), long);
        assert_eq!(better(long.clone(), doubtful), long);
        assert_eq!(Reading::default().confidence(), 0.0);
    }

    /// The quarters that were tried and the one whose reading was kept, where these are the readings.
    fn tried(sideways: bool, flipped: bool, readings: [(&str, f32); 4]) -> (Vec<u8>, u8) {
        let mut tried = Vec::new();
        let best = surest(Guess { sideways, flipped }, |quarters| {
            tried.push(quarters);
            let turn = Turn { quarters, slope: 0.0 };
            Ok(Reading { turn, ..reading(&[readings[usize::from(quarters)]]) })
        });
        (tried, best.unwrap().turn.quarters)
    }

    const CLEAR: (&str, f32) = ("the relaxation length of a tyre", 0.95);
    const GARBLED: (&str, f32) = ("oqbdpoqbdpoqbdpoqbdpoqbdp", 0.3);

    #[test]
    fn a_page_wrongly_taken_for_sideways_is_read_upright_too() {
        let nothing = ("", 0.0);
        assert_eq!(tried(true, false, [CLEAR, GARBLED, GARBLED, GARBLED]), (vec![1, 3, 0], 0));
        assert_eq!(tried(true, false, [CLEAR, nothing, GARBLED, nothing]), (vec![1, 3, 0], 0), "nothing is read");
        assert_eq!(tried(true, true, [GARBLED, GARBLED, CLEAR, GARBLED]), (vec![3, 1, 0, 2], 2));
        assert_eq!(tried(false, false, [CLEAR, GARBLED, GARBLED, GARBLED]), (vec![0], 0));
        assert_eq!(tried(false, false, [GARBLED, GARBLED, CLEAR, GARBLED]), (vec![0, 2], 2));
        assert_eq!(tried(false, false, [("tree", 0.2), GARBLED, CLEAR, GARBLED]), (vec![0], 0), "a photograph");
    }

    #[test]
    fn a_page_is_read_once_where_the_guess_is_right_and_rightly_where_it_is_not() {
        assert_eq!(tried(true, false, [GARBLED, CLEAR, GARBLED, GARBLED]), (vec![1], 1));
        assert_eq!(tried(true, true, [GARBLED, GARBLED, GARBLED, CLEAR]), (vec![3], 3));
        assert_eq!(tried(true, false, [GARBLED, GARBLED, GARBLED, CLEAR]), (vec![1, 3], 3));
        assert_eq!(tried(false, true, [GARBLED, GARBLED, CLEAR, GARBLED]), (vec![2], 2));
        assert_eq!(tried(false, true, [CLEAR, GARBLED, GARBLED, GARBLED]), (vec![2, 0], 0));
        assert_eq!(tried(false, true, [("tree", 0.9), GARBLED, ("ee", 0.7), GARBLED]), (vec![2, 0], 0), "few letters");
    }
}
