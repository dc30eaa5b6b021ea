//! The literature indexes: how each is asked, and works out of what it says.

mod arxiv;
mod crossref;
mod europepmc;
mod fields;
mod openalex;
mod s2;

use std::time::Duration;

use techrag_core::record::Work;
use techrag_net::polite::{Limits, Rate};
use techrag_net::transport::{Request, Response, Secret};
use url::Url;

pub use fields::Fault;

const SECOND: Duration = Duration::from_secs(1);

/// A literature index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Crossref: what publishers register.
    Crossref,
    /// OpenAlex: what crawls and publishers give, with counts.
    OpenAlex,
    /// Semantic Scholar.
    SemanticScholar,
    /// arXiv: preprints.
    Arxiv,
    /// Europe PMC: life sciences, abstracts.
    EuropePmc,
}

/// What is asked of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Plain words.
    pub query: String,
    /// First year.
    pub since: Option<i32>,
    /// Last year.
    pub until: Option<i32>,
    /// Only this author, by name.
    pub author: Option<String>,
    /// Most works, 1 to 100.
    pub rows: u32,
}

impl Source {
    /// Every index.
    pub const ALL: [Self; 5] = [Self::Crossref, Self::OpenAlex, Self::SemanticScholar, Self::Arxiv, Self::EuropePmc];

    /// Its name in records and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crossref => "crossref",
            Self::OpenAlex => "openalex",
            Self::SemanticScholar => "semanticscholar",
            Self::Arxiv => "arxiv",
            Self::EuropePmc => "europepmc",
        }
    }

    /// Where it is.
    #[expect(clippy::expect_used, reason = "the addresses are constants, and a test parses each")]
    pub fn home(self) -> Url {
        let home = match self {
            Self::Crossref => "https://api.crossref.org/",
            Self::OpenAlex => "https://api.openalex.org/",
            Self::SemanticScholar => "https://api.semanticscholar.org/graph/v1/",
            Self::Arxiv => "https://export.arxiv.org/api/",
            Self::EuropePmc => "https://www.ebi.ac.uk/europepmc/webservices/rest/",
        };
        Url::parse(home).expect("a constant address")
    }

    /// What it permits until its headers say otherwise: published limits of 2026, or below them. Where a key buys more,
    /// `keyed` says that there is one.
    pub fn limits(self, keyed: bool) -> Limits {
        let (requests, per, concurrent, daily) = match self {
            // Lists: public pool one a second; the polite pool's three are read off the headers.
            Self::Crossref => (1, SECOND, 1, None),
            // A search costs $0.001 of a daily $0.10 without key (measured September 2026), $1 with a free one.
            Self::OpenAlex => (5, SECOND, 2, Some(if keyed { 1000 } else { 100 })),
            // One a second over all endpoints; 429 was seen at a spacing of 1.3 s.
            Self::SemanticScholar => (1, SECOND * 3 / 2, 1, None),
            // Terms of use: one request every three seconds, one connection.
            Self::Arxiv => (1, SECOND * 3, 1, None),
            Self::EuropePmc => (5, SECOND, 2, None),
        };
        let cool_down = if self == Self::Arxiv { SECOND * 600 } else { SECOND * 60 };
        Limits { name: self.name().into(), rate: Rate { requests, per }, concurrent, daily, cool_down }
    }

    /// A search.
    pub fn search(self, base: &Url, search: &Search, key: &Secret) -> Request {
        match self {
            Self::Crossref => crossref::search(base, search),
            Self::OpenAlex => openalex::search(base, search, key),
            Self::SemanticScholar => s2::search(base, search, key),
            Self::Arxiv => arxiv::search(base, search),
            Self::EuropePmc => europepmc::search(base, search),
        }
    }

    /// The look-up of one work by its DOI; `None` where the index has no such DOIs.
    pub fn lookup(self, base: &Url, doi: &str, key: &Secret) -> Option<Request> {
        let arxiv = crate::ident::arxiv(doi).filter(|_| doi.starts_with("10.48550/"));
        match self {
            // DataCite's DOIs are not Crossref's.
            Self::Crossref if ["10.48550/", "10.5281/"].iter().any(|other| doi.starts_with(other)) => None,
            Self::Crossref => Some(crossref::lookup(base, doi)),
            Self::OpenAlex => Some(openalex::lookup(base, doi, key)),
            Self::SemanticScholar => Some(s2::lookup(base, doi, key)),
            Self::Arxiv => arxiv.map(|id| arxiv::lookup(base, &id)),
            Self::EuropePmc => Some(europepmc::lookup(base, doi)),
        }
    }

    /// Works out of an answer. Entries that are no works (journals, grants, paratext) are left out.
    ///
    /// # Errors
    /// [`Fault`] where the answer says no, or cannot be read.
    pub fn works(self, response: &Response) -> Result<Vec<Work>, Fault> {
        if response.status == 404 {
            return Ok(Vec::new());
        }
        match self {
            Self::Crossref => crossref::works(response),
            Self::OpenAlex => openalex::works(response),
            Self::SemanticScholar => s2::works(response),
            Self::Arxiv => arxiv::works(response),
            Self::EuropePmc => europepmc::works(response),
        }
    }
}

pub(crate) use openalex::author_ids;
pub use openalex::{authors, by_year, counts};

#[cfg(test)]
mod tests;
