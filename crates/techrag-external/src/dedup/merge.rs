//! One work out of the records of a group: each field from the source that is best at it.
//!
//! | field | order of sources |
//! |---|---|
//! | title | Crossref, Europe PMC, OpenAlex, Semantic Scholar, arXiv |
//! | authors | the same; a list that names more people wins over one that is cut at its first three |
//! | abstract | Europe PMC, Semantic Scholar, Crossref, arXiv, OpenAlex (whose abstracts are rebuilt) |
//! | DOI, year, venue, type | all from one record, the first in the title's order that has a DOI: mixed, they make a work that was never published |
//! | identifiers | united; two of a kind stay two |
//! | citations | kept by source |
//! | retraction | the worst |

use techrag_core::record::{Retraction, Work};
use techrag_core::{id, text};

use crate::ident;

const TITLE: &[&str] = &["crossref", "europepmc", "openalex", "semanticscholar", "arxiv"];
const ABSTRACT: &[&str] = &["europepmc", "semanticscholar", "crossref", "arxiv", "openalex"];

/// Identifiers by strength: the first that is there names the work.
const NAMING: &[&str] = &["doi", "arxiv", "pmid", "pmcid", "openalex", "s2", "corpus"];

pub(super) fn merge<'a>(members: impl Iterator<Item = &'a Work>) -> Work {
    let mut members: Vec<&Work> = members.collect();
    members.sort_by_key(|work| rank(work, TITLE));
    let first = members.first().copied().cloned().unwrap_or_default();
    let bibliographic = members.iter().find(|work| work.doi.is_some()).copied().unwrap_or(&first).clone();
    let mut work = Work {
        title: members.iter().map(|work| work.title.clone()).find(|title| !title.is_empty()).unwrap_or_default(),
        authors: authors(&members),
        summary: best_abstract(&members),
        doi: bibliographic.doi.clone(),
        url: members.iter().find_map(|work| work.url.clone()),
        extra: first.extra,
        ..Work::default()
    };
    dates(&mut work, &bibliographic, &members);
    for member in &members {
        unite(&mut work, member);
    }
    work.retraction = worst(&members);
    work.work_id = work_id(&work);
    work
}

/// The id of a work: a hash of its strongest identifier, or of title, first author and year where it has none.
pub(crate) fn work_id(work: &Work) -> String {
    let named = NAMING.iter().find_map(|kind| work.ids.get(*kind)?.first().map(|id| format!("{kind}:{id}")));
    let named = named.unwrap_or_else(|| {
        let title = super::title::Title::of(&work.title).key;
        format!("title:{title}|{}|{}", work.authors.first().cloned().unwrap_or_default(), work.year.unwrap_or_default())
    });
    text::prefix(&id::sha256(named.as_bytes()), 16).to_owned()
}

fn rank(work: &Work, order: &[&str]) -> usize {
    let of = |source: &String| order.iter().position(|name| name == source).unwrap_or(order.len());
    work.sources.iter().map(of).min().unwrap_or(order.len())
}

fn authors(members: &[&Work]) -> Vec<String> {
    let longest = members.iter().map(|work| work.authors.len()).max().unwrap_or(0);
    let whole = members.iter().find(|work| work.authors.len() * 2 >= longest && !work.authors.is_empty());
    whole.map(|work| work.authors.clone()).unwrap_or_default()
}

fn best_abstract(members: &[&Work]) -> Option<String> {
    let with = members.iter().filter(|work| work.summary.as_ref().is_some_and(|text| !text.trim().is_empty()));
    with.min_by_key(|work| rank(work, ABSTRACT)).and_then(|work| work.summary.clone())
}

/// Year, venue and type of the record that gives the DOI; what it lacks, the next one with the same DOI gives, then any.
fn dates(work: &mut Work, from: &Work, members: &[&Work]) {
    let same = |other: &&&Work| other.doi == from.doi;
    let others = || members.iter().filter(same).chain(members.iter());
    work.year = from.year.or_else(|| others().find_map(|other| other.year));
    work.year_online = from.year_online.or_else(|| members.iter().filter(same).find_map(|other| other.year_online));
    work.year_print = from.year_print.or_else(|| members.iter().filter(same).find_map(|other| other.year_print));
    work.venue = from.venue.clone().or_else(|| others().find_map(|other| other.venue.clone()));
    work.kind = from.kind.clone().or_else(|| others().find_map(|other| other.kind.clone()));
}

fn unite(work: &mut Work, member: &Work) {
    for (kind, ids) in &member.ids {
        let own = work.ids.entry(kind.clone()).or_default();
        own.extend(ids.iter().cloned());
        own.sort();
        own.dedup();
    }
    if let Some(doi) = member.doi.as_deref().and_then(ident::doi) {
        let own = work.ids.entry("doi".into()).or_default();
        if !own.contains(&doi) {
            own.push(doi);
            own.sort();
        }
    }
    for (source, count) in &member.citations {
        let own = work.citations.entry(source.clone()).or_default();
        *own = (*own).max(*count);
    }
    work.sources.extend(member.sources.iter().cloned());
    work.sources.sort();
    work.sources.dedup();
    work.versions.extend(member.versions.iter().cloned());
    work.versions.sort_by(|a, b| (&a.doi, a.year).cmp(&(&b.doi, b.year)));
    work.versions.dedup();
}

fn worst(members: &[&Work]) -> Option<Retraction> {
    let all = members.iter().filter_map(|work| work.retraction.as_ref());
    all.max_by(|a, b| a.status.cmp(&b.status).then_with(|| b.source.cmp(&a.source))).cloned()
}
