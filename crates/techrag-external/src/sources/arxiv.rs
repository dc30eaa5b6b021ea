//! arXiv's Atom feed: wrapped titles, errors as entries, the DOI of the journal beside the preprint.

use quick_xml::events::Event;
use quick_xml::reader::Reader;
use techrag_core::record::{Retraction, RetractionStatus, Work, WorkVersion};
use techrag_net::transport::{Request, Response};
use url::Url;

use super::fields::{self, Fault, add, address, begun, done, set_doi};
use super::{Search, Source};
use crate::{ident, markup};

pub(super) fn search(base: &Url, search: &Search) -> Request {
    let words = search.query.split(|c: char| !(c.is_alphanumeric() || c == '.')).filter(|word| !word.is_empty());
    let mut query = words.map(|word| format!("all:{word}")).collect::<Vec<_>>().join(" AND ");
    if search.since.is_some() || search.until.is_some() {
        let (since, until) = (search.since.unwrap_or(1991), search.until.unwrap_or(2200));
        query.push_str(&format!(" AND submittedDate:[{since}01010000 TO {until}12312359]"));
    }
    let rows = search.rows.to_string();
    let parameters = [("search_query", query.as_str()), ("max_results", &rows), ("sortBy", "relevance")];
    Request::get(address(base, "query", &parameters))
}

pub(super) fn lookup(base: &Url, id: &str) -> Request {
    Request::get(address(base, "query", &[("id_list", id)]))
}

/// What is read of an entry.
#[derive(Debug, Default)]
struct Entry {
    id: String,
    title: String,
    summary: String,
    published: String,
    comment: String,
    doi: String,
    names: Vec<String>,
}

pub(super) fn works(response: &Response) -> Result<Vec<Work>, Fault> {
    let text = response.text();
    let mut entries = Vec::new();
    let mut reader = Reader::from_str(&text);
    let (mut entry, mut field, mut content) = (None::<Entry>, String::new(), String::new());
    let mut feed = false;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                field = local(tag.local_name().as_ref());
                content.clear();
                feed |= field == "feed";
                if field == "entry" {
                    entry = Some(Entry::default());
                }
            }
            Ok(Event::Text(part)) => content.push_str(&String::from_utf8_lossy(&part)),
            Ok(Event::GeneralRef(name)) => content.push_str(&format!("&{};", String::from_utf8_lossy(&name))),
            Ok(Event::CData(part)) => content.push_str(&String::from_utf8_lossy(&part)),
            Ok(Event::End(tag)) => {
                let name = local(tag.local_name().as_ref());
                if name == "entry" {
                    entries.extend(entry.take());
                } else if let Some(entry) = entry.as_mut().filter(|_| name == field) {
                    entry.set(&name, &content);
                }
                content.clear();
            }
            Ok(Event::Eof) if feed && entry.is_none() => break,
            Ok(Event::Eof) => return Err(Fault::Malformed(format!("no whole feed: {}", response.excerpt()))),
            Ok(_) => {}
            Err(error) => return Err(Fault::Malformed(format!("no XML ({error}): {}", response.excerpt()))),
        }
    }
    // An error is a feed of one entry.
    if let Some(error) = entries.iter().find(|entry| entry.id.contains("/api/errors")) {
        return Err(Fault::Refused(techrag_core::clean::line(&error.summary)));
    }
    Ok(entries.into_iter().filter_map(work).collect())
}

fn local(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

impl Entry {
    fn set(&mut self, name: &str, content: &str) {
        let slot = match name {
            "id" => &mut self.id,
            "title" => &mut self.title,
            "summary" => &mut self.summary,
            "published" => &mut self.published,
            "comment" => &mut self.comment,
            "doi" => &mut self.doi,
            "name" => return self.names.push(markup::title(content)),
            _ => return,
        };
        content.trim().clone_into(slot);
    }
}

fn work(entry: Entry) -> Option<Work> {
    let id = ident::arxiv(&entry.id)?;
    let mut work = begun(Source::Arxiv.name(), &entry.title);
    set_doi(&mut work, Some(&ident::arxiv_doi(&id)));
    add(&mut work, "arxiv", Some(id.clone()));
    work.authors = entry.names;
    work.year = fields::year(&entry.published.into());
    work.year_online = work.year;
    work.kind = Some("preprint".into());
    work.venue = Some("arXiv".into());
    let summary = markup::text(&entry.summary);
    // Lines wrap where the author's did.
    work.summary = Some(summary.replace('\n', " ")).filter(|summary| !summary.is_empty());
    work.url = Some(format!("https://arxiv.org/abs/{id}"));
    if let Some(doi) = ident::doi(&entry.doi) {
        work.versions.push(WorkVersion { doi: Some(doi), kind: Some("article".into()), ..WorkVersion::default() });
    }
    let withdrawn = |text: &str| text.to_lowercase().contains("has been withdrawn");
    if withdrawn(&entry.comment) || withdrawn(&summary) || entry.comment.to_lowercase().starts_with("withdrawn") {
        let source = Source::Arxiv.name().into();
        work.retraction = Some(Retraction { status: RetractionStatus::Retracted, source, ..Retraction::default() });
    }
    done(work)
}
