//! Authors checked against OpenAlex: by DOI first, by title second, replaced on a confident match only.
//!
//! A match is confident where the folded titles are equal (or differ in a twentieth of their letters with the same
//! digits), the years are at most one apart, and the author lists share a family name; what is not known does not
//! contradict. A DOI does not excuse a strange title: reference managers and PDFs carry wrong ones.

use std::time::Duration;

use serde_json::Value;
use strsim::normalized_levenshtein;
use techrag_core::record::{Entities, EntityAuthor};
use techrag_net::polite::{Desk, Limits, Rate};
use techrag_net::transport::{Request, Secret};
use url::Url;

use crate::name::{folded_name, person, split_person};

/// What a check came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The authors are those of the source; identifiers were added.
    Confirmed,
    /// The source has others, which took their place.
    Replaced,
    /// The source has no such work.
    NotFound,
    /// The source was not asked or did not answer, for this reason.
    Unchecked(String),
}

impl Checked {
    /// As records have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Replaced => "replaced",
            Self::NotFound => "not found",
            Self::Unchecked(_) => "unchecked",
        }
    }
}

/// OpenAlex, asked politely.
pub struct OpenAlex {
    desk: Desk,
    base: Url,
    key: Secret,
    limits: Limits,
}

/// How old a stored answer may be: authors of a published work hardly change.
const AGE: Duration = Duration::from_secs(180 * 24 * 3600);
/// The fields that are asked for.
const FIELDS: &str = "id,doi,title,publication_year,authorships";
/// Works looked at where a title is searched.
const RESULTS: &str = "5";

impl OpenAlex {
    /// The source at a base address; an empty key asks as a stranger, who may ask a tenth as often.
    pub fn new(desk: Desk, base: Url, key: Secret) -> Self {
        let daily = Some(if key.is_empty() { 100 } else { 1000 });
        let rate = Rate { requests: 5, per: Duration::from_secs(1) };
        let limits = Limits { name: "openalex".into(), rate, concurrent: 2, daily, cool_down: Duration::from_secs(60) };
        Self { desk, base, key, limits }
    }

    /// Checks the authors of a paper and writes what it came to into the record.
    pub fn check(&self, entities: &mut Entities) -> Checked {
        let checked = match self.find(entities) {
            Ok(Some(work)) => take(entities, &work),
            Ok(None) => Checked::NotFound,
            Err(why) => Checked::Unchecked(why),
        };
        checked.name().clone_into(&mut entities.authors_checked);
        checked
    }

    fn find(&self, entities: &Entities) -> Result<Option<Value>, String> {
        if let Some(doi) = &entities.paper.doi
            && let Some(work) = self.get(&format!("works/doi:{doi}"), &[])?
            && fits(entities, &work)
        {
            return Ok(Some(work));
        }
        let Some(title) = &entities.paper.title else { return Ok(None) };
        // Commas and bars part the filters of this interface.
        let words: String = title.chars().map(|c| if matches!(c, ',' | '|' | ':' | '!') { ' ' } else { c }).collect();
        let filter = format!("title.search:{}", words.split_whitespace().collect::<Vec<_>>().join(" "));
        let found = self.get("works", &[("filter", &filter), ("per-page", RESULTS)])?;
        let works = found.as_ref().and_then(|found| found["results"].as_array()).map(Vec::as_slice).unwrap_or_default();
        Ok(works.iter().find(|work| fits(entities, work)).cloned())
    }

    /// One answer; `None` where there is no such thing.
    fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Option<Value>, String> {
        let mut url = self.base.join(path).map_err(|error| error.to_string())?;
        url.query_pairs_mut().extend_pairs(query).append_pair("select", FIELDS);
        let answer = self
            .desk
            .ask(&self.limits, &Request::get(url).bearer(&self.key), AGE)
            .map_err(|error| error.to_string())?;
        if answer.response.status == 404 {
            return Ok(None);
        }
        answer.response.json().map(Some).map_err(|error| error.to_string())
    }
}

fn authors(work: &Value) -> Vec<EntityAuthor> {
    let listed = work["authorships"].as_array().map(Vec::as_slice).unwrap_or_default();
    let last = |url: &Value| Some(url.as_str()?.rsplit('/').next()?.to_owned());
    let author = |entry: &Value| {
        let author = &entry["author"];
        let name = author["display_name"].as_str().filter(|name| !name.trim().is_empty())?;
        Some(EntityAuthor { name: name.to_owned(), orcid: last(&author["orcid"]), openalex: last(&author["id"]) })
    };
    listed.iter().filter_map(author).collect()
}

/// Whether a work is the paper, with confidence.
fn fits(entities: &Entities, work: &Value) -> bool {
    let (Some(ours), Some(theirs)) = (&entities.paper.title, work["title"].as_str()) else { return false };
    let (ours, theirs) = (folded_name(ours), folded_name(theirs));
    let digits = |title: &str| title.chars().filter(char::is_ascii_digit).collect::<String>();
    let titled = ours == theirs || digits(&ours) == digits(&theirs) && normalized_levenshtein(&ours, &theirs) >= 0.95;
    let year = entities.paper.year.zip(work["publication_year"].as_i64());
    let dated = year.is_none_or(|(ours, theirs)| (i64::from(ours) - theirs).abs() <= 1);
    let families: Vec<String> = authors(work).iter().map(|author| split_person(&author.name).0).collect();
    let known = !entities.authors.is_empty() && !families.is_empty();
    let shared = entities.authors.iter().any(|author| families.contains(&split_person(&author.name).0));
    titled && dated && (shared || !known)
}

fn take(entities: &mut Entities, work: &Value) -> Checked {
    let theirs = authors(work);
    if theirs.is_empty() {
        return Checked::NotFound;
    }
    let ids = |authors: &[EntityAuthor]| authors.iter().map(|author| person(&author.name)).collect::<Vec<_>>();
    if ids(&theirs) == ids(&entities.authors) {
        for (ours, theirs) in entities.authors.iter_mut().zip(theirs) {
            (ours.orcid, ours.openalex) = (theirs.orcid, theirs.openalex);
        }
        return Checked::Confirmed;
    }
    entities.authors = theirs;
    Checked::Replaced
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
