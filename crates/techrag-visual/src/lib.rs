//! Pages seen, not only read: render, multi-vector page store, fixed-dimensional encodings, MaxSim, crops.
//!
//! * [`Indexer`] turns documents into stored pages, page by page;
//! * [`Searcher`] turns a question into pages: [`fde`] makes one vector of a page's many, so that a flat scan finds
//!   candidates, and exact MaxSim orders them ([`kernel`] holds both loops);
//! * [`Pictures`] draws pages and crops into the library, [`regions`] finds figures and tables;
//! * [`verify`](fn@verify) proves that the pages are what was stored and says what the encodings lose.
//!
//! **Architecture invariant:** of a page's vectors only the candidates' are read; what is scanned is the matrix of
//! encodings.

mod crop;
mod error;
pub mod fde;
mod fuse;
mod index;
pub mod kernel;
mod picture;
mod region;
mod search;
mod store;
mod verify;
mod words;

pub use error::{Error, Result};
pub use index::{Failure, IndexConfig, Indexed, Indexer, Job, Plan, open_encoder};
pub use picture::{Encoding, PictureConfig, Pictures};
pub use region::{Region, regions};
pub use search::{Order, SearchConfig, Searcher};
pub use store::{About, Form, Layout, Scanned};
pub use verify::{Recall, Verified, verify};
pub use words::{Word, words};
