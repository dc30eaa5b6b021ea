//! Europe PMC: refuses with status 200 and `errCode`; years are texts, titles end with a full stop.

use serde_json::Value;
use techrag_core::record::{Retraction, RetractionStatus, Work};
use techrag_net::transport::{Request, Response};
use url::Url;

use super::fields::{self, Fault, add, address, begun, done, list, set_doi, text};
use super::{Search, Source};
use crate::{ident, markup};

pub(super) fn search(base: &Url, search: &Search) -> Request {
    let mut query: String = search.query.chars().map(|c| if "\"()[]:".contains(c) { ' ' } else { c }).collect();
    if search.since.is_some() || search.until.is_some() {
        let (since, until) = (search.since.unwrap_or(1000), search.until.unwrap_or(2200));
        query = format!("({query}) AND PUB_YEAR:[{since} TO {until}]");
    }
    asked(base, &query, search.rows)
}

pub(super) fn lookup(base: &Url, doi: &str) -> Request {
    asked(base, &format!("DOI:\"{doi}\""), 5)
}

fn asked(base: &Url, query: &str, rows: u32) -> Request {
    let rows = rows.to_string();
    let parameters = [("query", query), ("format", "json"), ("resultType", "core"), ("pageSize", &rows)];
    Request::get(address(base, "search", &parameters))
}

pub(super) fn works(response: &Response) -> Result<Vec<Work>, Fault> {
    let body = fields::json(response)?;
    if body.get("errCode").is_some_and(|code| !code.is_null()) {
        return Err(Fault::Refused(text(&body["errMsg"]).unwrap_or_else(|| format!("error {}", body["errCode"]))));
    }
    match &body["resultList"]["result"] {
        Value::Array(items) => Ok(items.iter().filter_map(work).collect()),
        _ if body["source"].is_string() => Ok(work(&body).into_iter().collect()),
        _ => Err(Fault::Malformed("no list of results".into())),
    }
}

fn work(item: &Value) -> Option<Work> {
    let mut work = begun(Source::EuropePmc.name(), &text(&item["title"])?);
    set_doi(&mut work, item["doi"].as_str());
    let listed = list(&item["authorList"]["author"]).iter().filter_map(|author| text(&author["fullName"]));
    work.authors = listed.collect();
    if work.authors.is_empty() {
        let all = text(&item["authorString"]).unwrap_or_default();
        work.authors = all.trim_end_matches('.').split(',').map(|name| name.trim().to_owned()).collect();
    }
    work.year = fields::year(&item["pubYear"]);
    work.year_online = fields::year(&item["firstPublicationDate"]);
    let journal =
        [&item["journalInfo"]["journal"]["title"], &item["journalTitle"], &item["bookOrReportDetails"]["publisher"]];
    work.venue = journal.into_iter().find_map(text);
    let types = [text(&item["pubType"]), types(&item["pubTypeList"]["pubType"])];
    let types = types.into_iter().flatten().collect::<Vec<_>>().join(";").to_lowercase();
    work.kind = Some(if item["source"] == "PPR" { "preprint" } else { "article" }.into());
    work.summary =
        text(&item["abstractText"]).map(|summary| markup::text(&summary)).filter(|summary| !summary.is_empty());
    add(&mut work, "pmid", item["pmid"].as_str().and_then(ident::pmid));
    add(&mut work, "pmcid", item["pmcid"].as_str().and_then(ident::pmcid));
    work.url = work.doi.as_ref().map(|doi| format!("https://doi.org/{doi}"));
    if let Some(count) = item["citedByCount"].as_u64() {
        work.citations.insert(Source::EuropePmc.name().into(), count);
    }
    if types.contains("retracted publication") {
        let source = Source::EuropePmc.name().into();
        work.retraction = Some(Retraction { status: RetractionStatus::Retracted, source, ..Retraction::default() });
    }
    done(work)
}

fn types(value: &Value) -> Option<String> {
    let all: Vec<&str> = list(value).iter().filter_map(Value::as_str).collect();
    (!all.is_empty()).then(|| all.join(";"))
}
