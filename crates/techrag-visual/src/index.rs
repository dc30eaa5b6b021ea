//! Documents to stored pages, page by page.
//!
//! What is done is done: a page's vectors are committed with a few others, and a run that ends at any instant is taken
//! up behind the last of them. A page that cannot be drawn, read or encoded is remembered with why and named once.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use techrag_core::record::{Document, ErrorKind, Removed};
use techrag_index::NewPage;
use techrag_models::{Looks, MultiVector, PageEncoder, PageInput, Pixels, Place};
use techrag_pdf::{Outcome, Page, Pdf, Picture, Renderer, Size};

use crate::error::{Error, Result};
use crate::fde::Setting;
use crate::jobs::Jobs;
use crate::kept;
use crate::original::Original;
use crate::sight::{Looked, Sight};
use crate::store::layout::{About, Form, Layout, Scanned};
use crate::store::segment::{Draft, Key, Spot};
use crate::store::writer::{Store, new_page};
use crate::words::{Word, words};

/// What of a PDF is looked at, and how it is kept. No defaults here: they are the binary's.
#[derive(Clone, Debug)]
pub struct IndexConfig {
    /// How PDFs are read and drawn.
    pub pdf: techrag_pdf::Config,
    /// How vectors are kept.
    pub form: Form,
    /// How encodings are made, for vectors of this length.
    pub fde: fn(usize) -> Setting,
    /// How they are scanned.
    pub scanned: Scanned,
    /// Begin anew where the library's pages are of another kind.
    pub anew: bool,
    /// Try pages again that failed before.
    pub again: bool,
    /// The only pages wanted, as ranges; empty for all.
    pub pages: Vec<std::ops::RangeInclusive<u32>>,
    /// Pages committed together.
    pub batch: usize,
    /// The tool, for the message a second writer gets.
    pub owner: String,
}

/// A page still to be done.
#[derive(Clone, Debug)]
pub struct Job {
    pub(crate) source: Arc<Source>,
    /// The page, from 1.
    pub page: u32,
}

impl Job {
    /// The page in words: key and number.
    pub fn name(&self) -> String {
        format!("{}: page {}", self.source.key, self.page)
    }
}

/// A document whose pages are done; its text is read when the first of them is.
#[derive(Debug, Default)]
pub(crate) struct Source {
    doc_id: String,
    key: String,
    original: Original,
    /// How many pages its record claims.
    claimed: u32,
    pub(crate) text: OnceLock<std::result::Result<Pdf, Failure>>,
    /// Whether it was named as unreadable already.
    named: AtomicBool,
}

impl Source {
    /// The last page that may be there: any, until the file has been read.
    pub(crate) fn end(&self) -> u32 {
        match self.text.get() {
            None => u32::MAX,
            Some(Ok(pdf)) => u32::try_from(pdf.pages.len()).unwrap_or(u32::MAX),
            Some(Err(_)) => 0,
        }
    }
}

/// What is wrong with a document or a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// In words.
    pub message: String,
}

impl Failure {
    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    fn of_pdf(error: &techrag_pdf::Error) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

/// What is to be done of a document.
#[derive(Clone, Debug)]
pub enum Plan {
    /// These pages; none if all are done.
    Jobs(Jobs),
    /// It has no pages of its own.
    NoPages,
    /// It cannot be worked on.
    Failed(Failure),
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Indexed {
    /// Pages stored.
    pub stored: usize,
    /// Of these, without a vector: a page encoder of words finds none on a scan.
    pub empty: usize,
    /// Pages that could not be stored.
    pub failed: usize,
    /// Vectors stored.
    pub vectors: usize,
    /// Pages that the layout network should have looked at and did not, or not to any end.
    pub unseen: usize,
    /// Documents whose file has fewer pages than their record claims; the claim counts for nothing.
    pub fewer: usize,
    /// Pages of removed documents forgotten.
    pub forgotten: usize,
}

/// Encodes and stores pages. Shared by threads freely.
pub struct Indexer {
    root: PathBuf,
    encoder: PageEncoder,
    sight: Sight,
    config: IndexConfig,
    state: Mutex<State>,
    forgotten: AtomicUsize,
}

struct State {
    store: Store,
    pages: Vec<(NewPage, Draft)>,
    failures: Vec<(NewPage, String)>,
    done: Indexed,
}

impl Indexer {
    /// Opens the pages of the library at `root` for writing with this encoder and what looks for their figures.
    ///
    /// # Errors
    /// If there is no library, another process writes pages, or the library's pages are of another kind.
    pub fn open(root: &Path, encoder: PageEncoder, sight: Sight, config: IndexConfig) -> Result<Self> {
        let layout = Layout::of(&encoder, config.form, config.fde, config.scanned);
        let store = Store::open(root, &config.owner, layout, config.anew)?;
        let state = State { store, pages: Vec::new(), failures: Vec::new(), done: Indexed::default() };
        Ok(Self {
            root: root.to_owned(),
            encoder,
            sight,
            config,
            state: Mutex::new(state),
            forgotten: AtomicUsize::new(0),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be done of a document, which must be in the library.
    ///
    /// # Errors
    /// If the library cannot be read.
    pub fn plan(&self, document: &Document) -> Result<Plan> {
        if document.media_type != "application/pdf" {
            return Ok(Plan::NoPages);
        }
        let state = self.state();
        let Some(known) = state.store.writer.document(&document.doc_id)? else {
            return Ok(Plan::Failed(Failure::new(ErrorKind::Incomplete, "the document is not in the library")));
        };
        let done = state.store.writer.done(&document.doc_id)?;
        let is_done = |failure: &Option<String>| failure.is_none() || !self.config.again;
        let done = done.into_iter().filter(|(_, failure)| is_done(failure)).map(|(page, _)| page).collect();
        let claimed = document.pages.unwrap_or(0);
        let jobs = |original| {
            let (doc_id, key) = (document.doc_id.clone(), document.key.clone());
            let source = Source { doc_id, key, original, claimed, ..Source::default() };
            Jobs::new(Arc::new(source), claimed, &self.config.pages, done)
        };
        Ok(match Original::of(&known, document.path.as_deref()) {
            Ok(original) => Plan::Jobs(jobs(original)),
            Err(failure) => match jobs(Original::default()) {
                // Where all is done nobody needs the file.
                none if none.left() == 0 => Plan::Jobs(none),
                _ => Plan::Failed(failure),
            },
        })
    }

    /// All documents of the library; the pages and pictures of those that have left it are forgotten.
    ///
    /// # Errors
    /// If the library cannot be read or written.
    pub fn documents(&self) -> Result<Vec<Document>> {
        let mut state = self.state();
        let gone = state.store.writer.forget_gone()?;
        self.forgotten.fetch_add(gone, Ordering::Relaxed);
        let documents: Vec<Document> =
            state.store.writer.documents()?.into_iter().map(|known| known.document).collect();
        kept::forget_but(&self.root, &documents.iter().map(|document| document.doc_id.clone()).collect())?;
        Ok(documents)
    }

    /// Forgets the pages and pictures of a document that has left the library.
    ///
    /// # Errors
    /// If the library cannot be written.
    pub fn removed(&self, removed: &Removed) -> Result<()> {
        let mut state = self.state();
        let gone = state.store.writer.forget(&removed.doc_id)?;
        self.forgotten.fetch_add(gone, Ordering::Relaxed);
        if state.store.writer.document(&removed.doc_id)?.is_none() {
            kept::forget(&self.root, &removed.doc_id)?;
        }
        Ok(())
    }

    /// Does a page: draws it where the encoder sees, reads its words, encodes and stores it. What is wrong with the page
    /// is given back, once a document where all of it cannot be read.
    ///
    /// # Errors
    /// What the next page would meet again.
    pub fn page(&self, job: &Job) -> Result<Option<Failure>> {
        let source = &job.source;
        let text = source.text.get_or_init(|| self.text(source));
        let pdf = match text {
            Ok(pdf) => pdf,
            Err(failure) => return Ok((!source.named.swap(true, Ordering::Relaxed)).then(|| failure.clone())),
        };
        // What the record claims beyond the file's end is counted when the file is read.
        let Some(page) = pdf.pages.get(job.page as usize - 1) else { return Ok(None) };
        match self.encoded(source, page)? {
            Ok((about, words, vectors)) => self.keep(source, page, &about, &words, &vectors).map(|()| None),
            Err(failure) => {
                let about = About { width: page.width, height: page.height, ..About::default() };
                self.fail(source, job.page, &about, &failure)?;
                Ok(Some(failure))
            }
        }
    }

    /// The document's text, if its file is still the one that was indexed.
    fn text(&self, source: &Source) -> std::result::Result<Pdf, Failure> {
        source.original.check(self.config.pdf.max_bytes)?;
        let pdf = techrag_pdf::read(source.original.path(), &self.config.pdf)?;
        self.state().done.fewer += usize::from(pdf.pages.len() < source.claimed as usize);
        Ok(pdf)
    }

    #[expect(clippy::type_complexity, reason = "what keep takes")]
    fn encoded(
        &self,
        source: &Source,
        page: &Page,
    ) -> Result<std::result::Result<(About, Vec<Word>, MultiVector), Failure>> {
        let (picture, mut about) = match (self.encoder.looks(), &page.outcome) {
            (Looks::Words, Outcome::Failed(why)) => return Ok(Err(Failure::new(ErrorKind::Damaged, why.clone()))),
            (Looks::Words, _) => (None, About { width: page.width, height: page.height, ..About::default() }),
            (Looks::At { longest_edge }, _) => {
                let mut renderer = Renderer::new(source.original.path(), &self.config.pdf);
                match renderer.page(page.number, Size::Longest(longest_edge)) {
                    Ok(picture) => {
                        let about = drawn(&picture);
                        (Some(picture), about)
                    }
                    Err(error) => return Ok(Err(Failure::of_pdf(&error))),
                }
            }
        };
        let pixels = match picture {
            Some(Picture { width, height, rgb, .. }) => Some(Pixels::new(width as usize, height as usize, rgb)?),
            None => None,
        };
        let Looked { regions, unseen } =
            self.sight.regions(source.original.path(), &self.config.pdf, page, pixels.as_ref())?;
        about.regions = regions;
        self.state().done.unseen += usize::from(unseen.is_some());
        let words = words(page);
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        match self.encoder.encode_page(&PageInput { picture: pixels.as_ref(), words: &texts }) {
            Ok(vectors) => Ok(Ok((about, words, vectors))),
            Err(error) if error.is_about_a_text() => Ok(Err(Failure::new(ErrorKind::Model, error.to_string()))),
            Err(error) => Err(error.into()),
        }
    }

    fn keep(&self, source: &Source, page: &Page, about: &About, words: &[Word], vectors: &MultiVector) -> Result<()> {
        let spots: Vec<Spot> = vectors.places.iter().map(|place| spot(*place, words, about)).collect();
        let key = Key { doc: u64::from_str_radix(&source.doc_id, 16).unwrap_or_default(), page: page.number, pad: 0 };
        let mut state = self.state();
        let encoding = state.store.fde.document(&vectors.values);
        let draft = Draft::new(key, &vectors.values, spots, &encoding, &state.store.layout);
        state.done.stored += 1;
        state.done.empty += usize::from(vectors.values.is_empty());
        state.done.vectors += vectors.places.len();
        state.pages.push((new_page(&source.doc_id, page.number, about), draft));
        state.flush(self.config.batch)
    }

    fn fail(&self, source: &Source, page: u32, about: &About, failure: &Failure) -> Result<()> {
        let mut state = self.state();
        state.done.failed += 1;
        state.failures.push((new_page(&source.doc_id, page, about), failure.message.clone()));
        state.flush(self.config.batch)
    }

    /// Stores what is left and makes the matrix of encodings anew where that is due.
    ///
    /// # Errors
    /// If the library cannot be written.
    pub fn finish(self) -> Result<Indexed> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.flush(1)?;
        state.store.finish()?;
        Ok(Indexed { forgotten: self.forgotten.into_inner(), ..state.done })
    }
}

impl State {
    /// Commits what waits if it is at least so many pages.
    fn flush(&mut self, least: usize) -> Result<()> {
        if self.pages.len() + self.failures.len() < least.max(1) {
            return Ok(());
        }
        let (pages, failures) = (std::mem::take(&mut self.pages), std::mem::take(&mut self.failures));
        self.store.add(&pages, &failures)
    }
}

fn drawn(picture: &Picture) -> About {
    let [width, height] = picture.points;
    About { width, height, lacking: picture.lacking.clone(), ..About::default() }
}

/// A vector's place on its page.
pub(crate) fn spot(place: Place, words: &[Word], about: &About) -> Spot {
    let share = |value: f32, whole: f32| {
        if whole > 0.0 {
            (value / whole * f32::from(u16::MAX)).round().clamp(0.0, f32::from(u16::MAX)) as u16
        } else {
            0
        }
    };
    match place {
        Place::Word(at) => words.get(at).map_or(Spot::default(), |word| {
            let [x0, y0, x1, y1] = word.bbox;
            [share(x0, about.width), share(y0, about.height), share(x1, about.width), share(y1, about.height)]
        }),
        Place::Region(edges) => edges.map(|edge| share(edge, 1.0)),
        Place::Prompt => Spot::default(),
    }
}

impl From<techrag_pdf::Error> for Failure {
    fn from(error: techrag_pdf::Error) -> Self {
        Self::of_pdf(&error)
    }
}

/// Opens a page encoder of the manifest.
///
/// # Errors
/// If it is unknown or missing.
pub fn open_encoder(
    locator: &techrag_models::Locator,
    id: &str,
    limits: techrag_models::Limits,
) -> Result<PageEncoder, Error> {
    let manifest = techrag_models::Manifest::of(locator)?;
    Ok(PageEncoder::open(locator, &manifest, id, limits)?)
}
