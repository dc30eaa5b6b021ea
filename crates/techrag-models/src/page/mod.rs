//! Page encoders: a page to many vectors, a query to many, matched late (Khattab and Zaharia 2020; Faysse et al. 2024).
//!
//! Three kinds, told apart by the manifest ([`PageSpec`]): two see the page's picture, one reads its words. All give a
//! [`MultiVector`] of unit vectors; a page's relevance is the sum over the query's vectors of the best inner product
//! among the page's (MaxSim).

mod beside;
mod graph;
mod patches;
mod pixels;
mod projection;
mod resize;
mod spec;
mod tiled;
mod tokens;
mod words;

#[cfg(test)]
mod golden;

use std::sync::Mutex;

use crate::encoder::{Limits, in_parallel};
use crate::error::Error;
use crate::locate::Locator;
use crate::manifest::{Body, GRAPH, Kind, Manifest, Model, TOKENIZER};
use crate::pieces::Pieces;
use crate::runtime;
use crate::session::Sessions;
use patches::Patches;
use projection::Projection;
use tiled::Tiled;
use words::Words;

pub(crate) use pixels::Scale;
pub(crate) use resize::resize;

pub use pixels::Pixels;
pub use resize::Filter;
pub use spec::{PageSpec, PatchSpec, TiledSpec, WordSpec};

/// Below this a vector has no direction.
const SHORTEST: f32 = 1e-12;

/// A page as its encoder takes it; what an encoder does not look at may be left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageInput<'a> {
    /// The page's picture; see [`Looks::At`] for its size.
    pub picture: Option<&'a Pixels>,
    /// The page's words in reading order. A place in the result names a word by its index here.
    pub words: &'a [&'a str],
}

/// What an encoder needs of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// The picture, best rendered with a longer side of this many pixels: it is resampled to that anyway.
    At {
        /// Pixels.
        longest_edge: u32,
    },
    /// The words only: it reads and does not see.
    Words,
}

/// Where on the page a vector comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// The word of that index in [`PageInput::words`].
    Word(usize),
    /// That part of the page: left, top, right, bottom, as fractions of width and height from the upper left corner.
    Region([f32; 4]),
    /// No place: a word of the prompt, or a mark between parts of the picture.
    Prompt,
}

/// Vectors of a page or of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiVector {
    /// Values a vector.
    pub dim: usize,
    /// The vectors, one after the other, `dim` values each, of length 1. A page without a word has none.
    pub values: Vec<f32>,
    /// Where each vector comes from; empty for a query.
    pub places: Vec<Place>,
}

impl MultiVector {
    /// The vectors, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dim)
    }
}

/// Vectors as a network gave them, with their places.
#[derive(Default)]
pub(crate) struct Rows {
    values: Vec<f32>,
    places: Vec<Place>,
}

/// Turns pages and queries into vectors. Shared by threads freely.
pub struct PageEncoder {
    id: String,
    revision: String,
    profile: String,
    dim: usize,
    looks: Looks,
    network: Network,
}

enum Network {
    Tiled(Tiled),
    Patches(Patches),
    Words(Words),
}

impl PageEncoder {
    /// Opens a page encoder of the manifest: a model of that kind, or a sentence encoder with a `page` table.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::WrongKind`], [`Error::Missing`] (of the model or of the runtime), and
    /// [`Error::File`] saying why an export cannot be used.
    pub fn open(locator: &Locator, manifest: &Manifest, id: &str, limits: Limits) -> Result<Self, Error> {
        let model = manifest.get(id)?;
        let spec = model.page_encoder()?;
        let folder = locator.folder(model)?;
        let environment = runtime::environment(locator, manifest)?;
        let most = limits.sessions;
        let network = match spec {
            PageSpec::Tiled(spec) => Network::Tiled(Tiled::open(environment, (id, &folder), spec, most)?),
            PageSpec::Patches(spec) => Network::Patches(Patches::open(environment, (id, &folder), spec, most)?),
            PageSpec::Words(spec) => {
                let sentence = model.sentence_encoder()?.clone();
                let Body::Graph { outputs, .. } = &sentence.body else {
                    return Err(Error::WrongKind { id: id.to_owned(), wanted: "network" });
                };
                let projection = Projection::named(spec.projection.as_deref(), sentence.dim, spec.dim)
                    .map_err(|problem| Error::Manifest(format!("{id}: {problem}")))?;
                let pieces = Pieces::open(id, &folder.join(TOKENIZER))?;
                let sessions = Sessions::open(environment, id, folder.join(GRAPH), outputs, most)?;
                Network::Words(Words::new(sentence, pieces, sessions, projection))
            }
        };
        Ok(Self {
            id: id.to_owned(),
            revision: model.revision.clone(),
            profile: spec.line(),
            dim: spec.dim(),
            looks: looks(spec),
            network,
        })
    }

    /// Manifest id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Weight revision.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// Everything beside the weights that a vector depends on (sizes, prompts, projection), in one line. Vectors of
    /// another id, revision or profile must not be compared.
    pub fn profile(&self) -> &str {
        &self.profile
    }

    /// Length of a vector.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// What it needs of a page.
    pub fn looks(&self) -> Looks {
        self.looks
    }

    /// The vectors of pages, in their order, on as many threads as there are sessions. What is wrong with one page is
    /// that page's error; where [`Error::is_about_a_text`] is false the next one will fail too.
    pub fn encode_pages(&self, pages: &[PageInput<'_>]) -> Vec<Result<MultiVector, Error>> {
        let done = Mutex::new(Vec::with_capacity(pages.len()));
        let groups: Vec<Vec<usize>> = (0..pages.len()).map(|page| vec![page]).collect();
        // Each page's error stays with the page, so that this never fails as a whole.
        let _ = in_parallel(self.sessions(), &groups, |group| {
            for &page in group {
                let result = self.encode_page(&pages[page]);
                done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((page, result));
            }
            Ok(())
        });
        let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        done.sort_by_key(|&(page, _)| page);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// The vectors of one page.
    ///
    /// # Errors
    /// [`Error::Page`] if the picture is lacking or the export does not take pages of its shape, or a vector is not
    /// finite or zero; otherwise what the tokeniser or the runtime says.
    pub fn encode_page(&self, page: &PageInput<'_>) -> Result<MultiVector, Error> {
        let picture =
            || page.picture.ok_or_else(|| self.refused("the page has no picture, and this encoder only sees"));
        let rows = match &self.network {
            Network::Tiled(network) => network.page(picture()?)?,
            Network::Patches(network) => network.page(picture()?)?,
            Network::Words(network) => network.page(page.words)?,
        };
        self.of_unit_length(rows)
    }

    /// The vectors of a query: one for each of its tokens and of those the manifest puts around it.
    ///
    /// # Errors
    /// As [`PageEncoder::encode_page`].
    pub fn encode_query(&self, query: &str) -> Result<MultiVector, Error> {
        let values = match &self.network {
            Network::Tiled(network) => network.query(query)?,
            Network::Patches(network) => network.query(query)?,
            Network::Words(network) => network.query(query)?,
        };
        self.of_unit_length(Rows { values, places: Vec::new() })
    }

    fn sessions(&self) -> usize {
        match &self.network {
            Network::Tiled(network) => network.graph().most(),
            Network::Patches(network) => network.graph().most(),
            Network::Words(network) => network.sessions().most(),
        }
    }

    fn of_unit_length(&self, rows: Rows) -> Result<MultiVector, Error> {
        let Rows { mut values, places } = rows;
        for (at, row) in values.chunks_exact_mut(self.dim).enumerate() {
            let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
            if !length.is_finite() || length < SHORTEST {
                let problem = if length.is_finite() { "zero" } else { "not finite" };
                return Err(self.refused(&format!("vector {at} is {problem}")));
            }
            row.iter_mut().for_each(|value| *value /= length);
        }
        Ok(MultiVector { dim: self.dim, values, places })
    }

    fn refused(&self, message: &str) -> Error {
        Error::Page { id: self.id.clone(), message: message.to_owned() }
    }
}

fn looks(spec: &PageSpec) -> Looks {
    match spec {
        PageSpec::Tiled(spec) => Looks::At { longest_edge: spec.longest_edge },
        PageSpec::Patches(spec) => Looks::At { longest_edge: spec.longest_edge },
        PageSpec::Words(_) => Looks::Words,
    }
}

impl Model {
    /// How to use it as a page encoder.
    ///
    /// # Errors
    /// [`Error::WrongKind`].
    pub fn page_encoder(&self) -> Result<&PageSpec, Error> {
        let spec = match &self.kind {
            Kind::PageEncoder(spec) => Some(spec),
            _ => self.page.as_ref(),
        };
        spec.ok_or_else(|| Error::WrongKind { id: self.id.clone(), wanted: "page encoder" })
    }
}
