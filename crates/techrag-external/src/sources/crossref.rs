//! Crossref's REST interface, as of 2026: `message` is an object, a list or a text, by case; dates may be null.

use serde_json::Value;
use techrag_core::record::{Retraction, RetractionStatus, Work, WorkVersion};
use techrag_net::transport::{Request, Response};
use url::Url;

use super::fields::{self, Fault, add, address, begun, done, first, list, set_doi, text};
use super::{Search, Source};
use crate::{ident, markup};

/// Without `updated-by` a retracted work comes back clean.
const FIELDS: &str = "DOI,title,subtitle,author,issued,published,published-print,published-online,posted,type,subtype,\
                      container-title,institution,abstract,relation,update-to,updated-by,is-referenced-by-count,URL";
/// Entries that crowd searches and are no works.
const NO_WORKS: &[&str] =
    &["component", "journal-issue", "journal", "journal-volume", "peer-review", "grant", "book-series"];

pub(super) fn search(base: &Url, search: &Search) -> Request {
    let rows = search.rows.to_string();
    let mut filters = Vec::new();
    filters.extend(search.since.map(|year| format!("from-pub-date:{year}")));
    filters.extend(search.until.map(|year| format!("until-pub-date:{year}")));
    let filter = filters.join(",");
    let mut parameters = vec![("query.bibliographic", search.query.as_str()), ("rows", &rows), ("select", FIELDS)];
    if !filter.is_empty() {
        parameters.push(("filter", &filter));
    }
    if let Some(author) = &search.author {
        parameters.push(("query.author", author));
    }
    Request::get(address(base, "works", &parameters))
}

pub(super) fn lookup(base: &Url, doi: &str) -> Request {
    Request::get(address(base, &format!("works\u{0}{doi}"), &[]))
}

pub(super) fn works(response: &Response) -> Result<Vec<Work>, Fault> {
    let body = fields::json(response)?;
    let message = &body["message"];
    match body["status"].as_str() {
        Some("ok") => {}
        // A dump holds works without the envelope of an answer.
        None if body["DOI"].is_string() => return Ok(work(&body).into_iter().collect()),
        Some(_) => return Err(Fault::Refused(complaint(message))),
        None => return Err(Fault::Malformed("no status in the answer".into())),
    }
    let items = match &message["items"] {
        Value::Array(items) => items.iter().collect(),
        _ if message["DOI"].is_string() => vec![message],
        _ => return Err(Fault::Malformed("neither a list of works nor a work".into())),
    };
    Ok(items.into_iter().filter_map(work).collect())
}

fn complaint(message: &Value) -> String {
    let one = |value: &Value| text(&value["message"]).or_else(|| text(value));
    let said = list(message).iter().find_map(one).or_else(|| one(message));
    said.map_or_else(|| "an error without words".into(), |said| techrag_core::clean::line(&said))
}

fn work(item: &Value) -> Option<Work> {
    let kind = item["type"].as_str().unwrap_or_default();
    if NO_WORKS.contains(&kind) {
        return None;
    }
    let mut title = first(&item["title"])?;
    if let Some(subtitle) = first(&item["subtitle"]).filter(|subtitle| !title.contains(subtitle.as_str())) {
        title = format!("{title}: {subtitle}");
    }
    let mut work = begun(Source::Crossref.name(), &title);
    set_doi(&mut work, item["DOI"].as_str());
    work.authors = list(&item["author"]).iter().filter_map(author).collect();
    work.kind = Some(named(kind).into());
    work.year_print = year(&item["published-print"]);
    work.year_online = year(&item["published-online"]).or_else(|| year(&item["posted"]));
    let others = ["published", "issued", "published-online", "posted"].iter().find_map(|date| year(&item[*date]));
    work.year = work.year_print.or(others);
    let institution = list(&item["institution"]).iter().find_map(|one| text(&one["name"]));
    work.venue = first(&item["container-title"]).map(|venue| markup::title(&venue)).or(institution);
    work.summary = text(&item["abstract"]).map(|summary| markup::text(&summary)).filter(|summary| !summary.is_empty());
    work.url = text(&item["URL"]);
    if let Some(count) = item["is-referenced-by-count"].as_u64() {
        work.citations.insert(Source::Crossref.name().into(), count);
    }
    work.versions = versions(&item["relation"]);
    work.retraction = retraction(item, work.doi.as_deref());
    if let Some(id) = work.doi.as_deref().and_then(ident::arxiv).filter(|_| kind == "posted-content") {
        add(&mut work, "arxiv", Some(id));
    }
    done(work)
}

fn author(author: &Value) -> Option<String> {
    let part = |name: &str| text(&author[name]).map(|part| markup::title(&part));
    match (part("given"), part("family")) {
        (Some(given), Some(family)) => Some(format!("{given} {family}")),
        (None, Some(family)) => Some(family),
        (given, None) => part("name").or(given),
    }
}

/// The year of `{"date-parts": [[2024, 5]]}`; the parts may be null.
fn year(date: &Value) -> Option<i32> {
    fields::year(date["date-parts"].get(0)?.get(0)?)
}

fn named(kind: &str) -> &'static str {
    match kind {
        "journal-article" => "article",
        "proceedings-article" => "proceedings",
        "posted-content" => "preprint",
        "book-chapter" | "book-section" | "book-part" | "reference-entry" => "chapter",
        "book" | "monograph" | "edited-book" | "reference-book" | "proceedings" => "book",
        "dataset" | "database" => "dataset",
        "dissertation" => "thesis",
        "report" | "report-component" | "standard" => "report",
        _ => "other",
    }
}

fn versions(relation: &Value) -> Vec<WorkVersion> {
    let kinds = [
        ("has-preprint", Some("preprint")),
        ("is-preprint-of", Some("article")),
        ("has-version", None),
        ("is-version-of", None),
    ];
    let mut versions = Vec::new();
    for (relation_kind, kind) in kinds {
        for other in list(&relation[relation_kind]) {
            let doi = other["id"].as_str().and_then(ident::doi);
            if doi.is_some() && versions.iter().all(|own: &WorkVersion| own.doi != doi) {
                versions.push(WorkVersion { doi, kind: kind.map(str::to_owned), ..WorkVersion::default() });
            }
        }
    }
    versions
}

/// `updated-by` speaks of this work. `update-to` speaks of another, unless it names this work's own DOI, as publishers
/// do that retract in place.
fn retraction(item: &Value, own: Option<&str>) -> Option<Retraction> {
    let in_place = list(&item["update-to"])
        .iter()
        .filter(|update| own.is_some() && update["DOI"].as_str().and_then(ident::doi).as_deref() == own);
    let updates = list(&item["updated-by"]).iter().chain(in_place);
    let read = |update: &Value| {
        let status = match update["type"].as_str()? {
            "retraction" | "partial_retraction" | "withdrawal" | "removal" => RetractionStatus::Retracted,
            "expression_of_concern" | "concern" => RetractionStatus::Concern,
            _ => RetractionStatus::Corrected,
        };
        let source = text(&update["source"]).unwrap_or_else(|| "publisher".into());
        let date = list(&update["updated"]["date-parts"][0]).iter().filter_map(Value::as_u64);
        let date = date.map(|part| format!("{part:02}")).collect::<Vec<_>>().join("-");
        Some(Retraction {
            status,
            source: format!("crossref ({source})"),
            notice_doi: update["DOI"].as_str().and_then(ident::doi),
            date: (!date.is_empty()).then_some(date),
        })
    };
    updates.filter_map(read).max_by(|a, b| a.status.cmp(&b.status).then_with(|| b.notice_doi.cmp(&a.notice_doi)))
}
