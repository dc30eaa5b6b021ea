//! Pages without text replaced by what is read off their pictures.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use serde_json::json;
use techrag_core::record::ErrorKind;
use techrag_models::Pixels;
use techrag_models::ocr::{Reading, Recogniser};
use techrag_pdf::recognised::{self, Recognition, Word};
use techrag_pdf::{Bbox, Line, Outcome, Page, Picture, Renderer, Size};

use super::budget::Budget;
use super::ocr::{Absent, Ocr};
use crate::draft::Draft;
use crate::pdf::is_garbled;

/// Dots an inch at which pages are drawn to be read: letters of 10 points are then some 30 pixels high, what both readers
/// were made for.
const DPI: f32 = 300.0;
/// Fewer signs than this on a page that is one image are a stamp: a page number, a library's mark, a line of licence.
const STAMP: usize = 400;
/// How many times the letters of such a stamp a reading must have to stand in its place.
const MORE: usize = 2;
/// Points an inch.
const POINTS: f32 = 72.0;

/// Why a page could not be drawn or read.
pub(super) type Refusal = (ErrorKind, String);

/// What came of the pages that needed it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mended {
    /// Why nothing could be read off pages: there is no reader.
    pub(crate) unread: Option<Absent>,
    /// The pages that needed it.
    pub(crate) needing: Vec<u32>,
    /// Pages on whose picture the reader found no words.
    pub(crate) wordless: Vec<u32>,
    /// Pages whose picture could not be drawn or read, with the kind and reason.
    pub(crate) failed: Vec<(u32, ErrorKind, String)>,
    /// Pages that were drawn in part only, and what they lack.
    pub(crate) partial: Vec<(u32, Vec<String>)>,
}

/// Reads the pages that have no usable text and show something, as many at a time as the configuration allows.
pub(crate) fn mend(renderer: &mut Renderer<'_>, ocr: &Ocr, budget: &Budget, pages: &mut [Page]) -> Mended {
    let mut mended = Mended::default();
    let needing: Vec<&mut Page> = pages.iter_mut().filter(|page| needs(page)).collect();
    if needing.is_empty() {
        return mended;
    }
    match ocr.reader() {
        Ok(reader) => {
            let numbers: Vec<u32> = needing.iter().map(|page| page.number).collect();
            let readings = together(renderer, ocr, reader, budget, &numbers, &mut mended.partial);
            needing.into_iter().zip(readings).for_each(|(page, reading)| settle(page, reading, &mut mended));
        }
        Err(absent) => {
            mended.unread = Some(absent.clone());
            mended.needing = needing.iter().map(|page| page.number).collect();
        }
    }
    mended
}

/// What was read of each of these pages. One renderer draws them one after the other; what is drawn is read meanwhile.
fn together(
    renderer: &mut Renderer<'_>,
    ocr: &Ocr,
    reader: &Recogniser,
    budget: &Budget,
    numbers: &[u32],
    partial: &mut Vec<(u32, Vec<String>)>,
) -> Vec<Result<Page, Refusal>> {
    let lost = || Err((ErrorKind::Other, "no text could be read off it".to_owned()));
    let read: Vec<Mutex<Result<Page, Refusal>>> = numbers.iter().map(|_| Mutex::new(lost())).collect();
    let keep = |at: usize, page| *read[at].lock().unwrap_or_else(PoisonError::into_inner) = page;
    thread::scope(|scope| {
        // Holds nothing: a picture is drawn when somebody is free to read it, and one more.
        let (drawn, waiting) = mpsc::sync_channel::<(usize, u32, Picture)>(0);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..ocr.config.sessions.clamp(1, numbers.len().max(1)) {
            let waiting = Arc::clone(&waiting);
            scope.spawn(move || {
                let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                // The turn comes first: of many files at once, each would else have its pictures waiting in memory.
                let one = || {
                    next().map(|(at, number, picture)| {
                        keep(at, budget.read(picture, |picture| look(reader, number, picture)));
                    })
                };
                while ocr.in_turn(one).is_ok() {}
            });
        }
        drop(waiting);
        for (at, &number) in numbers.iter().enumerate() {
            let sent = match budget.left().and_then(|()| draw(renderer, number, partial)) {
                Ok(picture) => drawn.send((at, number, picture)),
                Err(refusal) => {
                    keep(at, Err(refusal));
                    Ok(())
                }
            };
            // Nobody takes a picture where every reader panicked.
            if sent.is_err() {
                break;
            }
        }
    });
    read.into_iter().map(|page| page.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Reads page `number` of a file that is a picture.
pub(crate) fn mend_picture(
    renderer: &mut Renderer<'_>,
    ocr: &Ocr,
    reader: &Recogniser,
    budget: &Budget,
    number: u32,
    mended: &mut Mended,
) -> Page {
    let mut page = Page { number, outcome: Outcome::NoText { images: true }, ..Page::default() };
    let picture = budget.left().and_then(|()| budget.draw(|| draw(renderer, number, &mut mended.partial)));
    let read = |picture| ocr.in_turn(|| budget.read(picture, |picture| look(reader, number, picture)));
    let reading = picture.and_then(read);
    settle(&mut page, reading, mended);
    page
}

/// Tells the draft which pages were not read, which failed, and of which the reader was not certain.
pub(crate) fn say(mended: &Mended, doubt: f32, draft: &mut Draft) {
    if let Some(Absent { why, hint }) = &mended.unread {
        draft.provenance.insert("ocr".into(), json!({ "unread": why, "hint": hint, "pages": mended.needing }));
    }
    if !mended.wordless.is_empty() {
        draft.provenance.insert("pages_without_words".into(), json!(mended.wordless));
    }
    if !mended.partial.is_empty() {
        let partial = mended.partial.iter().map(|(page, lacking)| json!({ "page": page, "lacking": lacking }));
        draft.provenance.insert("pages_drawn_in_part".into(), partial.collect());
    }
    let doubtful = draft.recognised.iter().filter(|page| page.confidence < doubt).map(|page| page.page);
    let doubtful: Vec<u32> = doubtful.collect();
    if !doubtful.is_empty() {
        draft.provenance.insert("pages_read_with_low_confidence".into(), json!(doubtful));
    }
    draft.pages_failed.extend(mended.failed.iter().map(|(page, _, why)| (*page, why.clone())));
    draft.pages_failed.sort();
    draft.pages_without_text.retain(|page| !mended.failed.iter().any(|failed| failed.0 == *page));
}

/// A blank page shows nothing; one whose characters are unknown shows them.
fn needs(page: &Page) -> bool {
    match page.outcome {
        Outcome::NoText { images } => images || !page.graphics.is_empty(),
        Outcome::Text => is_garbled(page) || page.quality.is_garbled() || says_little(page),
        Outcome::Failed(_) => false,
    }
}

/// Whether the text of a page is none: a stamp on a scan, or signs without a word of a font that says not what it shows.
fn says_little(page: &Page) -> bool {
    let text = || page.blocks.iter().flat_map(|block| &block.lines).map(Line::text);
    let signs = || text().flat_map(|line| line.chars().filter(|c| !c.is_whitespace()).collect::<Vec<_>>());
    let wordless = || !text().any(|line| is_wordy(&line)) && !signs().all(|c| c.is_ascii_digit());
    if page.is_covered { signs().count() < STAMP } else { wordless() }
}

/// Whether a word is in it: two letters that follow each other, or one of a script that needs no second.
fn is_wordy(line: &str) -> bool {
    let letters: Vec<bool> = line.chars().map(char::is_alphabetic).collect();
    letters.windows(2).any(|pair| pair[0] && pair[1]) || line.chars().any(|c| c.is_alphabetic() && c > '\u{2e80}')
}

/// Takes a reading in the place of the page, if it is better.
fn settle(page: &mut Page, reading: Result<Page, Refusal>, mended: &mut Mended) {
    // A page of formulas or of another script may look garbled and is not.
    let is_little = page.outcome == Outcome::Text && says_little(page);
    let had = if page.outcome == Outcome::Text && !is_garbled(page) && !is_little { page.quality.words } else { 0.0 };
    match reading {
        Ok(read) if is_little && read.worth() < MORE * page.worth().max(1) => {}
        Ok(read) if read.outcome == Outcome::Text && !is_better(&read, page, had) => {}
        Ok(read) if read.outcome == Outcome::Text => *page = Page { graphics: page.graphics.clone(), ..read },
        _ if had > 0.0 || is_little => {}
        Ok(_) => mended.wordless.push(page.number),
        Err((kind, why)) => mended.failed.push((page.number, kind, why)),
    }
}

/// Whether a reading is more of a language than what a page had of one (a share, 0 where its text says nothing), and not
/// merely a few words of a full page: of so few it cannot be told what they are.
fn is_better(reading: &Page, page: &Page, had: f32) -> bool {
    reading.quality.words > had && (had <= 0.0 || reading.worth() > page.worth())
}

fn draw(renderer: &mut Renderer<'_>, number: u32, partial: &mut Vec<(u32, Vec<String>)>) -> Result<Picture, Refusal> {
    let drawn = renderer.page(number, Size::Dpi(DPI));
    let picture = drawn.map_err(|error| (error.kind(), error.to_string()))?;
    if !picture.lacking.is_empty() {
        partial.push((number, picture.lacking.clone()));
    }
    Ok(picture)
}

/// One page. Pictures come from anywhere: where a reader gives up on one that it did not foresee, that costs the page.
fn look(reader: &Recogniser, number: u32, picture: Picture) -> Result<Page, Refusal> {
    let refusal = || (ErrorKind::Crashed, "the reader of pictures gave up on it".to_owned());
    catch_unwind(AssertUnwindSafe(|| recognise(reader, number, picture))).unwrap_or_else(|_| Err(refusal()))
}

fn recognise(reader: &Recogniser, number: u32, picture: Picture) -> Result<Page, Refusal> {
    let Picture { width, height, points, rgb, .. } = picture;
    let failed = |error: techrag_models::Error| (ErrorKind::Model, format!("no text could be read off it: {error}"));
    let side = |pixels: u32| usize::try_from(pixels).unwrap_or(usize::MAX);
    let pixels = Pixels::new(side(width), side(height), rgb).map_err(failed)?;
    let scale = points[0].max(points[1]) / exact(pixels.width().max(pixels.height()));
    let reading = reader.read(&pixels, POINTS / scale).map_err(failed)?;
    Ok(lay_out(&reading, reader.name(), number, points, scale))
}

/// `scale` is points a pixel.
fn lay_out(reading: &Reading, by: &str, number: u32, size: [f32; 2], scale: f32) -> Page {
    let straight = reading.size.map(|side| exact(side) * scale);
    let turn = reading.turn;
    let back = |bbox: Bbox| turn.back(bbox, straight);
    let words = reading.words.iter().map(|word| Word {
        text: word.text.clone(),
        bbox: word.bbox.map(|side| side * scale),
        line: word.line,
        confidence: word.confidence,
        stroke: word.stroke * scale,
    });
    let words: Vec<Word> = words.collect();
    let confidence = reading.confidence();
    recognised::page(&Recognition { number, size, straight, back: &back, words: &words, confidence, by })
}

#[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
fn exact(pixels: usize) -> f32 {
    pixels as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page with these words, in lines of fifteen.
    fn written(words: &str) -> Page {
        let place = |at: usize, text: &str| {
            let (left, top) = (20.0 + 37.0 * exact(at % 15), 20.0 + 14.0 * exact(at / 15));
            [left, top, left + 5.0 * exact(text.len()), top + 9.0]
        };
        let word = |(at, text): (usize, &str)| Word {
            text: text.into(),
            bbox: place(at, text),
            line: at / 15,
            confidence: 0.9,
            stroke: 1.0,
        };
        let words: Vec<Word> = words.split_whitespace().enumerate().map(word).collect();
        let size = [600.0, 800.0];
        let back = |bbox: Bbox| bbox;
        recognised::page(&Recognition {
            number: 1,
            size,
            straight: size,
            back: &back,
            words: &words,
            confidence: 0.9,
            by: "x",
        })
    }

    #[test]
    fn a_few_words_do_not_replace_a_full_page() {
        let garbled = written(&"xqzt wvkj qqpr zzkd tqxw slip tyre ".repeat(40));
        assert!(garbled.quality.is_garbled(), "{:?}", garbled.quality);
        let whole = written(&"the tyre slips on a wet road and the load of it falls ".repeat(20));
        let few = written("Fig 3");
        let had = garbled.quality.words;
        assert!(had > 0.0 && is_better(&whole, &garbled, had));
        assert!(few.quality.words > 0.99, "of so few nothing can be told");
        assert!(!is_better(&few, &garbled, had));
        assert!(is_better(&few, &garbled, 0.0), "better than text that is left out");
    }

    #[test]
    fn without_a_reader_the_pages_that_need_one_are_named_and_no_blank_ones() {
        let page = |number, outcome| Page { number, outcome, ..Page::default() };
        let garbled = Page { number: 4, unknown_glyphs: 0.9, ..written("xqzt") };
        let mut pages = vec![
            page(1, Outcome::NoText { images: false }),
            page(2, Outcome::NoText { images: true }),
            page(3, Outcome::Text),
            garbled,
        ];
        let config = crate::test_config();
        let mended = {
            let budget = Budget::new(config.pdf.file_timeout);
            mend(&mut Renderer::new(std::path::Path::new("none"), &config.pdf), &config.ocr, &budget, &mut pages)
        };
        assert_eq!(mended.needing, [2, 4]);
        let mut draft = Draft::default();
        say(&mended, 0.7, &mut draft);
        assert_eq!(draft.provenance["ocr"]["pages"], json!([2, 4]));
    }

    #[test]
    fn what_could_not_be_drawn_of_a_page_is_said() {
        let mended = Mended { partial: vec![(3, vec!["its lower part".into()])], ..Mended::default() };
        let mut draft = Draft::default();
        say(&mended, 0.7, &mut draft);
        let said = json!([{ "page": 3, "lacking": ["its lower part"] }]);
        assert_eq!(draft.provenance["pages_drawn_in_part"], said);
    }

    #[test]
    fn only_pages_that_show_something_without_saying_it_are_read() {
        let page = |outcome, graphics: Vec<Bbox>, unknown_glyphs| Page {
            outcome,
            graphics,
            unknown_glyphs,
            ..Page::default()
        };
        let area = vec![[0.0, 0.0, 9.0, 9.0]];
        assert!(needs(&page(Outcome::NoText { images: true }, vec![], 0.0)));
        assert!(needs(&page(Outcome::NoText { images: false }, area.clone(), 0.0)), "letters drawn as curves");
        assert!(!needs(&page(Outcome::NoText { images: false }, vec![], 0.0)), "blank");
        assert!(needs(&page(Outcome::Text, vec![], 0.9)));
        assert!(!needs(&Page { graphics: area, ..written("the tyre slips") }));
        assert!(!needs(&page(Outcome::Failed("x".into()), vec![], 0.0)));
        let stamp = "Downloaded by the library of a college on 3 May 2019, page 7";
        assert!(needs(&Page { is_covered: true, ..written(stamp) }), "a scan with a stamp");
        assert!(!needs(&written(stamp)) && !needs(&written("17")) && !needs(&written("車")));
        assert!(
            !needs(&Page { is_covered: true, ..written(&"the tyre slips on a wet road ".repeat(30)) }),
            "has its text"
        );
        assert!(needs(&written("\"7+%-")), "signs of a font that says not what it shows");
    }
}
