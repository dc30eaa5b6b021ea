//! Semantic Scholar's graph interface: titles of preprint and article under one id, errors in three shapes.

use serde_json::Value;
use techrag_core::record::Work;
use techrag_net::transport::{Request, Response, Secret};
use url::Url;

use super::fields::{self, Fault, add, address, begun, done, list, set_doi, text};
use super::{Search, Source};
use crate::{ident, markup};

const FIELDS: &str = "title,abstract,year,publicationDate,authors,venue,publicationVenue,journal,externalIds,\
                      publicationTypes,citationCount,openAccessPdf,url";
const KEY: &str = "x-api-key";

pub(super) fn search(base: &Url, search: &Search, key: &Secret) -> Request {
    let rows = search.rows.min(100).to_string();
    // Operators are not understood, and a hyphen finds nothing.
    let words: String = search.query.chars().map(|c| if c.is_alphanumeric() || c == '.' { c } else { ' ' }).collect();
    let words = techrag_core::text::squeeze(&words);
    let year = match (search.since, search.until) {
        (None, None) => String::new(),
        (since, until) => {
            let part = |year: Option<i32>| year.map_or(String::new(), |year| year.to_string());
            format!("{}-{}", part(since), part(until))
        }
    };
    let mut parameters = vec![("query", words.as_str()), ("limit", &rows), ("fields", FIELDS)];
    if !year.is_empty() {
        parameters.push(("year", &year));
    }
    Request::get(address(base, "paper\u{0}search", &parameters)).secret(KEY, key)
}

pub(super) fn lookup(base: &Url, doi: &str, key: &Secret) -> Request {
    let id = ident::arxiv(doi).filter(|_| doi.starts_with("10.48550/"));
    let id = id.map_or_else(|| format!("DOI:{doi}"), |id| format!("ARXIV:{id}"));
    Request::get(address(base, &format!("paper\u{0}{id}"), &[("fields", FIELDS)])).secret(KEY, key)
}

pub(super) fn works(response: &Response) -> Result<Vec<Work>, Fault> {
    let body = fields::json(response)?;
    if let Some(said) = text(&body["error"]).or_else(|| text(&body["message"])) {
        return Err(Fault::Refused(said));
    }
    let items: &[Value] = match &body {
        Value::Array(items) => items,
        Value::Object(fields) => match (&body["data"], fields.contains_key("paperId"), fields.get("total")) {
            (Value::Array(items), ..) => items,
            (_, true, _) => std::slice::from_ref(&body),
            // Nothing found comes without `data`.
            (_, _, Some(total)) if total.as_u64() == Some(0) => &[],
            _ => return Err(Fault::Malformed("neither a list of papers nor a paper".into())),
        },
        _ => return Err(Fault::Malformed("neither a list of papers nor a paper".into())),
    };
    // References and snippets wrap the paper.
    let inner =
        |item| ["citedPaper", "citingPaper", "paper"].iter().find_map(|name| Value::get(item, name)).unwrap_or(item);
    Ok(items.iter().map(inner).filter_map(work).collect())
}

fn work(item: &Value) -> Option<Work> {
    let mut work = begun(Source::SemanticScholar.name(), &text(&item["title"])?);
    let ids = &item["externalIds"];
    set_doi(&mut work, ids["DOI"].as_str());
    work.authors =
        list(&item["authors"]).iter().filter_map(|author| text(&author["name"]).or_else(|| text(author))).collect();
    work.year = fields::year(&item["year"]).or_else(|| fields::year(&item["publicationDate"]));
    let venues = [&item["venue"], &item["publicationVenue"]["name"], &item["journal"]["name"]];
    work.venue = venues.into_iter().find_map(text).map(|venue| markup::title(&venue));
    work.kind = kind(&item["publicationTypes"], work.venue.as_deref());
    work.summary = text(&item["abstract"]).map(|summary| markup::text(&summary)).filter(|summary| !summary.is_empty());
    work.url = text(&item["openAccessPdf"]["url"]).or_else(|| text(&item["url"]));
    add(&mut work, "arxiv", ids["ArXiv"].as_str().and_then(ident::arxiv));
    add(&mut work, "pmid", ids["PubMed"].as_str().and_then(ident::pmid));
    add(&mut work, "pmcid", ids["PubMedCentral"].as_str().and_then(ident::pmcid));
    // A number, unlike the others.
    add(&mut work, "corpus", ids["CorpusId"].as_u64().map(|id| id.to_string()));
    add(&mut work, "s2", text(&item["paperId"]));
    if let Some(count) = item["citationCount"].as_u64() {
        work.citations.insert(Source::SemanticScholar.name().into(), count);
    }
    done(work)
}

fn kind(types: &Value, venue: Option<&str>) -> Option<String> {
    if venue.is_some_and(|venue| venue.to_lowercase().starts_with("arxiv")) {
        return Some("preprint".into());
    }
    let named = list(types).iter().filter_map(Value::as_str).find_map(|name| match name {
        "Conference" => Some("proceedings"),
        "JournalArticle" | "Review" | "LettersAndComments" | "CaseReport" => Some("article"),
        "BookSection" => Some("chapter"),
        "Book" => Some("book"),
        "Dataset" => Some("dataset"),
        _ => None,
    });
    named.map(str::to_owned)
}
