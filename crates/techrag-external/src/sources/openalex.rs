//! OpenAlex, as of 2026: metered, abstracts as inverted indexes, almost any field null.

use std::collections::BTreeMap;

use serde_json::Value;
use techrag_core::record::{Retraction, RetractionStatus, Work, YearCount};
use techrag_net::transport::{Request, Response, Secret};
use url::Url;

use super::fields::{self, Fault, add, address, begun, done, list, set_doi, text};
use super::{Search, Source};
use crate::{ident, markup};

/// An inverted index that names places beyond this is broken; it must not make us allocate.
const LONGEST_ABSTRACT: u64 = 20_000;

pub(super) fn search(base: &Url, search: &Search, key: &Secret) -> Request {
    let rows = search.rows.to_string();
    let filter = filters(search, Vec::new());
    let query = plain(&search.query);
    let mut parameters = vec![("per_page", rows.as_str())];
    if !query.is_empty() {
        parameters.push(("search", &query));
    }
    if !filter.is_empty() {
        parameters.push(("filter", &filter));
    }
    Request::get(address(base, "works", &parameters)).bearer(key)
}

fn filters(search: &Search, mut filters: Vec<String>) -> String {
    filters.extend(search.since.map(|year| format!("from_publication_date:{year}-01-01")));
    filters.extend(search.until.map(|year| format!("to_publication_date:{year}-12-31")));
    filters.extend(search.author.as_ref().map(|ids| format!("authorships.author.id:{ids}")));
    filters.join(",")
}

pub(super) fn lookup(base: &Url, doi: &str, key: &Secret) -> Request {
    // `doi:` is free of charge; the whole address would cost a credit.
    Request::get(address(base, &format!("works\u{0}doi:{doi}"), &[])).bearer(key)
}

/// Works by year of publication, for a topic.
pub fn by_year(base: &Url, search: &Search, key: &Secret) -> Request {
    // A comma in a value splits the filter even when encoded: the value stands in quotes, and has none itself.
    let topic = format!("title_and_abstract.search:\"{}\"", plain(&search.query).replace(['"', ','], " "));
    let filter = filters(search, vec![topic]);
    Request::get(address(base, "works", &[("filter", &filter), ("group_by", "publication_year")])).bearer(key)
}

/// Authors of a name, who has most works first.
pub fn authors(base: &Url, name: &str, key: &Secret) -> Request {
    Request::get(address(base, "authors", &[("search", &plain(name)), ("per_page", "5")])).bearer(key)
}

/// The ids of authors out of an answer, with names.
pub(crate) fn author_ids(response: &Response) -> Result<Vec<(String, String)>, Fault> {
    let body = fields::json(response)?;
    let read = |author: &Value| Some((ident::openalex(author["id"].as_str()?)?, text(&author["display_name"])?));
    Ok(list(&body["results"]).iter().filter_map(read).collect())
}

/// Words without what the query language reads: quotes, wildcards, brackets.
fn plain(query: &str) -> String {
    let words = query.replace(['’', '‘'], "'");
    let words: String = words.chars().map(|c| if "\"*?~()[]{}|!\\".contains(c) { ' ' } else { c }).collect();
    techrag_core::text::squeeze(&words)
}

pub(super) fn works(response: &Response) -> Result<Vec<Work>, Fault> {
    let body = fields::json(response)?;
    if let Some(error) = text(&body["error"]) {
        let message = text(&body["message"]).unwrap_or_default();
        return Err(Fault::Refused(format!("{error} {message}").trim().to_owned()));
    }
    let items = match &body["results"] {
        Value::Array(items) => items.iter().collect(),
        _ if body["id"].is_string() => vec![&body],
        _ => return Err(Fault::Malformed("neither a list of works nor a work".into())),
    };
    Ok(items.into_iter().filter_map(work).collect())
}

/// Counts of an answer to [`by_year`], oldest first. `now` is the running year, whose count is not whole; years after it
/// are mistakes of the index and left out.
pub fn counts(response: &Response, now: Option<i32>) -> Result<Vec<YearCount>, Fault> {
    let body = fields::json(response)?;
    let Value::Array(groups) = &body["group_by"] else {
        return Err(Fault::Malformed("no groups in the answer".into()));
    };
    let read = |group: &Value| {
        let year = fields::year(&group["key"])?;
        let works = group["count"].as_u64()?;
        Some(YearCount { year, works, partial: now == Some(year) })
    };
    let mut counts: Vec<YearCount> =
        groups.iter().filter_map(read).filter(|count| now.is_none_or(|now| count.year <= now)).collect();
    counts.sort_by_key(|count| count.year);
    Ok(counts)
}

fn work(item: &Value) -> Option<Work> {
    if item["is_paratext"].as_bool() == Some(true) {
        return None;
    }
    let title = text(&item["title"]).or_else(|| text(&item["display_name"]))?;
    let mut work = begun(Source::OpenAlex.name(), &title);
    set_doi(&mut work, item["doi"].as_str());
    let author = |entry: &Value| text(&entry["author"]["display_name"]).or_else(|| text(&entry["raw_author_name"]));
    work.authors = list(&item["authorships"]).iter().filter_map(author).collect();
    work.year = fields::year(&item["publication_year"]);
    work.kind = item["type"].as_str().map(|kind| named(kind).to_owned());
    let place = &item["primary_location"];
    work.venue = text(&place["source"]["display_name"]).map(|venue| markup::title(&venue));
    work.url = text(&place["landing_page_url"]).or_else(|| text(&item["doi"]));
    work.summary = summary(&item["abstract_inverted_index"]);
    let ids = &item["ids"];
    add(&mut work, "openalex", item["id"].as_str().and_then(ident::openalex));
    add(&mut work, "pmid", ids["pmid"].as_str().and_then(ident::pmid));
    add(&mut work, "pmcid", ids["pmcid"].as_str().and_then(ident::pmcid));
    for place in list(&item["locations"]) {
        let address = place["landing_page_url"].as_str().unwrap_or_default();
        if address.contains("arxiv.org/abs/") || address.to_ascii_lowercase().contains("10.48550/arxiv.") {
            add(&mut work, "arxiv", ident::arxiv(address));
        }
    }
    if let Some(count) = item["cited_by_count"].as_u64() {
        work.citations.insert(Source::OpenAlex.name().into(), count);
    }
    if item["is_retracted"].as_bool() == Some(true) {
        let source = Source::OpenAlex.name().into();
        work.retraction = Some(Retraction { status: RetractionStatus::Retracted, source, ..Retraction::default() });
    }
    done(work)
}

fn named(kind: &str) -> &'static str {
    match kind {
        "article" | "review" | "letter" | "editorial" => "article",
        "preprint" => "preprint",
        "book-chapter" => "chapter",
        "book" => "book",
        "dataset" => "dataset",
        "dissertation" => "thesis",
        "report" | "standard" => "report",
        _ => "other",
    }
}

/// The abstract of an inverted index: each word at its places, gaps skipped.
fn summary(index: &Value) -> Option<String> {
    let mut words: BTreeMap<u64, &str> = BTreeMap::new();
    for (word, places) in index.as_object()? {
        for place in list(places).iter().filter_map(Value::as_u64).filter(|place| *place < LONGEST_ABSTRACT) {
            words.insert(place, word);
        }
    }
    let text = markup::text(&words.into_values().collect::<Vec<_>>().join(" "));
    (!text.is_empty()).then_some(text)
}
