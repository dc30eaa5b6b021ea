//! What a page says of itself in its head: title, authors, year, DOI.

use scraper::{ElementRef, Html};
use serde_json::json;
use techrag_core::text;

use crate::draft::Draft;
use crate::references;

/// Fills the draft from the tags that publishers write for indexes (`citation_*`, Dublin Core), the title otherwise from
/// the `title` element only where the page has no heading to take it from.
pub(super) fn fill(page: &Html, draft: &mut Draft) {
    let tags: Vec<(String, String)> = page
        .root_element()
        .descendants()
        .filter_map(ElementRef::wrap)
        .filter(|element| element.value().name() == "meta")
        .filter_map(|element| {
            let name = element.attr("name").or_else(|| element.attr("property"))?.to_lowercase();
            Some((name, text::squeeze(element.attr("content")?))).filter(|(_, content)| !content.is_empty())
        })
        .collect();
    let first =
        |names: &[&str]| names.iter().find_map(|name| tags.iter().find(|(own, _)| own == name)).map(|(_, value)| value);
    let mut found = Vec::new();
    if let Some(title) = first(&["citation_title", "dc.title"]) {
        draft.title = Some(title.clone());
        found.push("title");
    }
    let authors = tags.iter().filter(|(name, _)| name == "citation_author").map(|(_, author)| given_first(author));
    draft.authors = authors.collect();
    if !draft.authors.is_empty() {
        found.push("authors");
    }
    let date = first(&["citation_publication_date", "citation_date", "citation_year", "dc.date"]);
    draft.year = date.and_then(|date| date.get(..4)?.parse().ok());
    if draft.year.is_some() {
        found.push("year");
    }
    draft.doi = first(&["citation_doi", "dc.identifier"]).and_then(|doi| references::doi(doi));
    if draft.doi.is_some() {
        found.push("doi");
    }
    for field in found {
        draft.provenance.insert(field.to_owned(), json!("meta tags"));
    }
}

/// `Fiala, E.` as `E. Fiala`.
fn given_first(author: &str) -> String {
    match author.split_once(',') {
        Some((family, given)) => format!("{} {}", given.trim(), family.trim()),
        None => author.to_owned(),
    }
}
