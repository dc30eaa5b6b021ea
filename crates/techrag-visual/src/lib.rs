//! Pages seen, not only read: render, multi-vector page store, fixed-dimensional encodings, MaxSim, crops.
//!
//! * [`Indexer`] turns documents into stored pages, page by page;
//! * [`GivenPages`] stores pages whose vectors were made elsewhere;
//! * [`Searcher`] turns a question into pages: [`fde`] makes one vector of a page's many, so that a flat scan finds
//!   candidates, and exact MaxSim orders them ([`kernel`] holds both loops);
//! * [`Pictures`] draws pages and crops into the library, [`Sight`] finds figures and tables;
//! * [`verify`](fn@verify) proves that the pages are what was stored and says what the encodings lose.
//!
//! **Architecture invariant:** of a page's vectors only the candidates' are read; what is scanned is the matrix of
//! encodings.

mod crop;
mod error;
pub mod fde;
mod fuse;
mod given;
mod index;
mod jobs;
mod kept;
pub mod kernel;
mod original;
mod picture;
mod region;
mod search;
mod sight;
mod store;
mod verify;
mod words;

pub use crop::crop;
pub use error::{Error, Result};
pub use given::{Given, GivenPages};
pub use index::{Failure, IndexConfig, Indexed, Indexer, Job, Plan, open_encoder};
pub use jobs::Jobs;
pub use original::Original;
pub use picture::{Encoding, PictureConfig, Pictures};
pub use region::Region;
pub use search::{Order, SearchConfig, Searcher};
pub use sight::{Look, Looked, Sight};
pub use store::{About, Form, Layout, Scanned};
pub use verify::{Recall, Verified, verify};
pub use words::{Word, words};
