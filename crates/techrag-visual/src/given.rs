//! Pages whose vectors were made elsewhere, stored as the indexer stores its own.
//!
//! For libraries of any size without a day of encoding: what a search takes of time and memory depends on how many
//! pages there are, not on what they say (`examples/fill.rs`).

use std::path::Path;

use rayon::prelude::*;
use techrag_models::MultiVector;

use crate::error::Result;
use crate::index::spot;
use crate::store::layout::{About, Layout};
use crate::store::segment::{Draft, Key};
use crate::store::writer::{Store, new_page};

/// A page with its vectors.
#[derive(Clone, Debug)]
pub struct Given {
    /// The document, which should be in the library: pages of others are not found.
    pub doc_id: String,
    /// The page, from 1.
    pub page: u32,
    /// What is kept of it beside its vectors.
    pub about: About,
    /// The vectors, as long as the layout's; a place that is a word is no place here.
    pub vectors: MultiVector,
}

/// The pages of a library, open for vectors made elsewhere.
pub struct GivenPages {
    store: Store,
}

impl GivenPages {
    /// Opens the pages of the library at `root`. `owner` is the tool, for the message a second writer gets.
    ///
    /// # Errors
    /// If there is no library, another process writes pages, or the library's pages are of another layout.
    pub fn open(root: &Path, owner: &str, layout: Layout) -> Result<Self> {
        Ok(Self { store: Store::open(root, owner, layout, false)? })
    }

    /// Documents of the library that have pages, by id, and how many.
    ///
    /// # Errors
    /// If the library cannot be read.
    pub fn documents(&self) -> Result<Vec<(String, u32)>> {
        let documents = self.store.writer.documents()?.into_iter().map(|known| known.document);
        Ok(documents.filter_map(|document| Some((document.doc_id, document.pages?))).collect())
    }

    /// Stores pages in one file and one transaction.
    ///
    /// # Errors
    /// If the library cannot be written.
    pub fn add(&mut self, pages: &[Given]) -> Result<()> {
        let Store { fde, layout, .. } = &self.store;
        let draft = |given: &Given| {
            let doc = u64::from_str_radix(&given.doc_id, 16).unwrap_or_default();
            let spots = given.vectors.places.iter().map(|place| spot(*place, &[], &given.about)).collect();
            let key = Key { doc, page: given.page, pad: 0 };
            let encoding = fde.document(&given.vectors.values);
            let draft = Draft::new(key, &given.vectors.values, spots, &encoding, layout);
            (new_page(&given.doc_id, given.page, &given.about), draft)
        };
        let drafts: Vec<_> = pages.par_iter().map(draft).collect();
        self.store.add(&drafts, &[])
    }

    /// Makes the matrix of encodings anew where that is due.
    ///
    /// # Errors
    /// If the library cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.store.finish()
    }
}
