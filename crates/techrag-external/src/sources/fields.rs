//! Reading JSON whose fields are absent, null, empty or of another type than promised.

use serde_json::Value;
use techrag_core::record::Work;
use techrag_net::transport::Response;
use url::Url;

use crate::ident;

/// Why an answer with a good status gives no works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It says no in words.
    Refused(String),
    /// It cannot be read.
    Malformed(String),
}

/// The body as JSON, an error page told by how it begins.
pub(super) fn json(response: &Response) -> Result<Value, Fault> {
    response.json().map_err(|error| Fault::Malformed(error.to_string()))
}

/// An address below a base, with parameters.
pub(super) fn address(base: &Url, path: &str, parameters: &[(&str, &str)]) -> Url {
    let mut url = base.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path.split('\u{0}'));
    }
    if !parameters.is_empty() {
        url.query_pairs_mut().extend_pairs(parameters);
    }
    url
}

/// A text that is not blank.
pub(super) fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The first text of a list, or the text itself.
pub(super) fn first(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(text),
        other => text(other),
    }
}

/// A list, or nothing.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A year, as number or text, also out of a date; only such as can be one.
pub(super) fn year(value: &Value) -> Option<i32> {
    let year = match value {
        Value::String(text) => text.get(..4)?.parse().ok()?,
        other => i32::try_from(other.as_i64()?).ok()?,
    };
    (1000..=2200).contains(&year).then_some(year)
}

/// Adds an identifier to a work.
pub(super) fn add(work: &mut Work, kind: &str, id: Option<String>) {
    if let Some(id) = id {
        let ids = work.ids.entry(kind.to_owned()).or_default();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
}

/// Sets the DOI of a work, and the arXiv id that it may contain.
pub(super) fn set_doi(work: &mut Work, doi: Option<&str>) {
    work.doi = doi.and_then(ident::doi);
    add(work, "doi", work.doi.clone());
    let arxiv = work.doi.as_deref().filter(|doi| doi.starts_with("10.48550/")).and_then(ident::arxiv);
    add(work, "arxiv", arxiv);
}

/// What every work of a source begins with.
pub(super) fn begun(source: &str, title: &str) -> Work {
    Work { title: crate::markup::title(title), sources: vec![source.to_owned()], ..Work::default() }
}

/// Gives a work that is ready its id; one without a title is none.
pub(super) fn done(mut work: Work) -> Option<Work> {
    if work.title.is_empty() {
        return None;
    }
    work.authors.retain(|name| !name.is_empty());
    work.work_id = crate::dedup::work_id(&work);
    Some(work)
}
