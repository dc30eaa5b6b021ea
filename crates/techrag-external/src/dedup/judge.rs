//! Two records of works: the same work, two versions of one, or different works.
//!
//! The cascade, first rule that speaks wins:
//!
//! | rule | verdict |
//! |---|---|
//! | the same DOI, and neither title nor authors contradict | same |
//! | one names the DOI of the other as another version; DOIs that differ in `/v2` only | version |
//! | different DOIs | version or different, never same |
//! | another identifier in common | same; version where one is a preprint and the other is not |
//! | one corrects, comments on, reviews or supplements (by its title), the other does not | different |
//! | dataset, book, chapter, thesis against another kind; two chapters of different books | different |
//! | a title that tells nothing (`Editorial`) | different |
//! | titles equal (or equal but for a subtitle, a marker or a slip of the pen), an author in common, years close | same; version where kinds or markers differ (preprint, report, edition, `extended version`) |
//!
//! The measured ground for the last row is in `docs/EXTERNAL.md`.

use std::collections::BTreeSet;

use strsim::{levenshtein, normalized_levenshtein};
use techrag_core::record::Work;

use super::title::{Form, Title};
use crate::{ident, name};

/// How two records belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing says that they are one.
    Different,
    /// Preprint and journal article, or two editions of one text.
    Version,
    /// One work.
    Same,
}

/// Venues that differ in spelling only are at least this alike (Levenshtein, normalised).
const NEARLY: f64 = 0.9;
/// Below this, equal DOIs do not make two titles one.
const CONTRADICTS: f64 = 0.5;
/// Years between preprint and print, and between spellings of one work's year.
const YEARS: i32 = 4;
/// A title of so many words may be a year or two off without becoming another work's.
const LONG: usize = 5;

/// Identifiers that name one work each.
const STRONG: &[&str] = &["arxiv", "pmid", "pmcid", "openalex", "s2", "corpus"];
/// Beginnings of DOIs that only preprint servers register.
const PREPRINT_DOIS: &[&str] = &[
    "10.48550/",
    "10.64898/",
    "10.2139/ssrn",
    "10.31219/",
    "10.31234/",
    "10.20944/preprints",
    "10.21203/rs",
    "10.26434/",
    "10.36227/techrxiv",
    "10.22541/au",
    "10.1101/20",
];
const PREPRINT_VENUES: &[&str] = &[
    "arxiv",
    "biorxiv",
    "medrxiv",
    "ssrn",
    "research square",
    "preprints",
    "chemrxiv",
    "techrxiv",
    "osf",
    "hal",
    "corr",
    "engrxiv",
    "psyarxiv",
    "authorea",
];

/// A record, read once for many comparisons.
#[derive(Clone, Debug)]
pub(crate) struct Reading<'a> {
    pub(crate) work: &'a Work,
    pub(super) title: Title,
    pub(crate) doi: Option<String>,
    /// Identifiers of [`STRONG`] kinds, each in its one spelling.
    ids: BTreeSet<(&'static str, String)>,
    /// DOIs that it names as other versions of itself.
    related: BTreeSet<String>,
    preprint: bool,
}

impl<'a> Reading<'a> {
    pub(crate) fn of(work: &'a Work) -> Self {
        let listed = |kind: &str| work.ids.get(kind).map(Vec::as_slice).unwrap_or_default();
        let doi = work.doi.as_deref().or_else(|| listed("doi").first().map(String::as_str)).and_then(ident::doi);
        let mut ids: BTreeSet<(&'static str, String)> = STRONG
            .iter()
            .flat_map(|kind| listed(kind).iter().filter_map(|id| Some((*kind, ident::normal(kind, id)?))))
            .collect();
        let arxiv = doi.as_deref().filter(|doi| doi.starts_with("10.48550/")).and_then(ident::arxiv);
        ids.extend(arxiv.map(|id| ("arxiv", id)));
        let versions = work.versions.iter().filter_map(|version| version.doi.as_deref());
        let related = versions.chain(listed("journal_doi").iter().map(String::as_str)).filter_map(ident::doi).collect();
        let preprint = is_preprint(work, doi.as_deref());
        Self { work, title: Title::of(&work.title), doi, ids, related, preprint }
    }

    /// Whether it is a preprint, by kind, DOI or venue.
    pub(crate) fn is_preprint(&self) -> bool {
        self.preprint
    }

    /// Its title, read for comparison.
    pub(super) fn title(&self) -> &Title {
        &self.title
    }

    /// What only records of the same work or of its versions have in common.
    pub(super) fn names(&self) -> impl Iterator<Item = String> + '_ {
        let dois = self.doi.iter().chain(&self.related).map(|doi| format!("doi:{}", without_version(doi)));
        dois.chain(self.ids.iter().map(|(kind, id)| format!("{kind}:{id}")))
    }
}

fn is_preprint(work: &Work, doi: Option<&str>) -> bool {
    if work.kind.as_deref() == Some("preprint") {
        return true;
    }
    if doi.is_some_and(|doi| PREPRINT_DOIS.iter().any(|start| doi.starts_with(start))) {
        return true;
    }
    let venue = work.venue.as_deref().unwrap_or_default().to_lowercase();
    let words = || venue.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let served = PREPRINT_VENUES.iter().any(|server| venue.starts_with(server) && words().count() <= 4);
    // A registered DOI of a publisher outweighs a venue that an index mixed up.
    let published = doi.is_some_and(|doi| !PREPRINT_DOIS.iter().any(|start| doi.starts_with(start)));
    (served && !published) || (doi.is_none() && venue.is_empty() && work.ids.contains_key("arxiv"))
}

/// The verdict on two records; the order does not matter.
pub fn judge(a: &Work, b: &Work) -> Verdict {
    verdict(&Reading::of(a), &Reading::of(b))
}

/// The same over records that were read before.
pub(crate) fn verdict(a: &Reading<'_>, b: &Reading<'_>) -> Verdict {
    if a.doi.is_some() && a.doi == b.doi {
        return same_doi(a, b);
    }
    if related(a, b) {
        return Verdict::Version;
    }
    if a.doi.is_some() && b.doi.is_some() {
        return two_dois(a, b);
    }
    if a.ids.intersection(&b.ids).next().is_some() && !forms_differ(a, b) {
        return if a.preprint == b.preprint { Verdict::Same } else { Verdict::Version };
    }
    if guarded(a, b) {
        return Verdict::Different;
    }
    let years = years_apart(a.work, b.work);
    let near = years.is_none_or(|years| years <= YEARS);
    if a.preprint != b.preprint {
        return if near && (alike(a, b) || retitled(a, b)) { Verdict::Version } else { Verdict::Different };
    }
    if !alike(a, b) || !close(a, b) {
        return Verdict::Different;
    }
    if versions_by_kind(a, b) { Verdict::Version } else { Verdict::Same }
}

/// Whether two records that are alike are two publications of one text: a report and an article, two editions, the same
/// preprint on two servers.
fn versions_by_kind(a: &Reading<'_>, b: &Reading<'_>) -> bool {
    let report = |reading: &Reading<'_>| reading.work.kind.as_deref() == Some("report");
    let arxiv = |reading: &Reading<'_>| reading.ids.iter().any(|(kind, _)| *kind == "arxiv");
    let servers = a.preprint && b.preprint && arxiv(a) != arxiv(b) && (a.doi.is_some() || b.doi.is_some());
    report(a) != report(b) || a.title.marker != b.title.marker || servers
}

fn related(a: &Reading<'_>, b: &Reading<'_>) -> bool {
    let names =
        |one: &Reading<'_>, other: &Reading<'_>| other.doi.as_ref().is_some_and(|doi| one.related.contains(doi));
    let stem = |reading: &Reading<'_>| reading.doi.as_deref().map(|doi| without_version(doi).to_owned());
    names(a, b) || names(b, a) || (a.doi.is_some() && stem(a) == stem(b))
}

/// `10.21203/rs.3.rs-1/v2` is a version of `10.21203/rs.3.rs-1/v1`.
fn without_version(doi: &str) -> &str {
    match doi.rsplit_once("/v") {
        Some((stem, version)) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => stem,
        _ => doi,
    }
}

/// Publishers register one DOI for a whole issue's front matter now and then.
fn same_doi(a: &Reading<'_>, b: &Reading<'_>) -> Verdict {
    let empty = a.title.key.is_empty() || b.title.key.is_empty();
    let contradicts = !empty
        && normalized_levenshtein(&a.title.key, &b.title.key) < CONTRADICTS
        && !a.title.is_part_of(&b.title)
        && !b.title.is_part_of(&a.title)
        && authors_in_common(a, b) == Some(0);
    if contradicts { Verdict::Different } else { Verdict::Same }
}

/// Two registered texts are two records. They belong together if one is the other's preprint, edition or translation.
fn two_dois(a: &Reading<'_>, b: &Reading<'_>) -> Verdict {
    if a.ids.intersection(&b.ids).next().is_some() && !forms_differ(a, b) {
        return Verdict::Version;
    }
    if guarded(a, b) || authors_in_common(a, b).unwrap_or(0) == 0 {
        return Verdict::Different;
    }
    let years = years_apart(a.work, b.work);
    let near = years.is_none_or(|years| years <= YEARS);
    let linked = match (a.preprint, b.preprint) {
        (true, true) => near && alike(a, b),
        (false, false) => published_twice(a, b, years, near),
        _ => near && (alike(a, b) || retitled(a, b)),
    };
    if linked { Verdict::Version } else { Verdict::Different }
}

/// Conference paper and article, report and article, editions of a book, versions of a data set, translations.
fn published_twice(a: &Reading<'_>, b: &Reading<'_>, years: Option<i32>, near: bool) -> bool {
    let kinds = (a.work.kind.as_deref().unwrap_or_default(), b.work.kind.as_deref().unwrap_or_default());
    let pair = |one: &str, other: &str| kinds == (one, other) || kinds == (other, one);
    let exact = a.title.key == b.title.key;
    match kinds {
        ("book", "book") => exact,
        ("dataset", "dataset") => exact && years.is_none_or(|years| years <= 1) && !venues_differ(a.work, b.work),
        _ if pair("proceedings", "article") || pair("report", "article") || pair("report", "proceedings") => {
            near && (exact || a.title.is_part_of(&b.title) || b.title.is_part_of(&a.title))
        }
        _ => exact && years.is_some_and(|years| years <= 1) && editions_of_a_journal(a, b),
    }
}

/// `Angewandte Chemie` and its `International Edition`.
fn editions_of_a_journal(a: &Reading<'_>, b: &Reading<'_>) -> bool {
    let venue = |reading: &Reading<'_>| Title::of(reading.work.venue.as_deref().unwrap_or_default()).key;
    let (a, b) = (venue(a), venue(b));
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let edition = long.contains("edition") || long.contains("english") || long.contains("international");
    !short.is_empty() && short != long && long.starts_with(&short) && edition
}

fn forms_differ(a: &Reading<'_>, b: &Reading<'_>) -> bool {
    a.title.form != b.title.form
}

/// Whether something other than title and authors says that they are two works.
fn guarded(a: &Reading<'_>, b: &Reading<'_>) -> bool {
    forms_differ(a, b)
        || a.title.form == Form::Comment
        || !a.title.is_telling()
        || !b.title.is_telling()
        || kinds_differ(a.work, b.work)
        || (two_of(a.work, b.work, "chapter") && venues_differ(a.work, b.work))
}

fn two_of(a: &Work, b: &Work, kind: &str) -> bool {
    a.kind.as_deref() == Some(kind) && b.kind.as_deref() == Some(kind)
}

/// Kinds that are never another's version. Articles, proceedings and preprints are told apart badly by the indexes.
fn kinds_differ(a: &Work, b: &Work) -> bool {
    let class = |work: &Work| match work.kind.as_deref() {
        Some("dataset" | "software") => Some("data"),
        Some("book") => Some("book"),
        Some("thesis") => Some("thesis"),
        Some("chapter") => Some("chapter"),
        Some("article" | "proceedings" | "preprint" | "report") => Some("article"),
        _ => None,
    };
    match (class(a), class(b)) {
        // Proceedings of a series are chapters to one index and articles to another.
        (Some("chapter"), Some("article")) | (Some("article"), Some("chapter")) => false,
        (Some(a), Some(b)) => a != b,
        _ => false,
    }
}

fn venues_differ(a: &Work, b: &Work) -> bool {
    let key = |work: &Work| work.venue.as_deref().map(|venue| Title::of(venue).key).filter(|key| !key.is_empty());
    key(a).zip(key(b)).is_some_and(|(a, b)| a != b && normalized_levenshtein(&a, &b) < NEARLY)
}

/// Whether the titles are one and somebody wrote both.
fn alike(a: &Reading<'_>, b: &Reading<'_>) -> bool {
    let (one, other) = (&a.title, &b.title);
    let exact = one.key == other.key || one.is_part_of(other) || other.is_part_of(one);
    if !exact && !misspelt(one, other) {
        return false;
    }
    match authors_in_common(a, b) {
        Some(common) => common > 0,
        // Nobody is named on one side: a long title, the same year and no other venue have to do.
        None => exact && one.words() > LONG && years_apart(a.work, b.work) == Some(0) && !venues_differ(a.work, b.work),
    }
}

/// Whether two titles differ by a slip of the pen: the same numbers, and word by word the same but for one or two
/// letters inside a word. `Linear` and `nonlinear`, `rats` and `bats`, `dry` and `wet` are no slips.
fn misspelt(one: &Title, other: &Title) -> bool {
    if one.numbers() != other.numbers() {
        return false;
    }
    // A word joined or split.
    let joined = |title: &Title| title.key.replace(' ', "");
    if joined(one) == joined(other) {
        return true;
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (one.key.split(' ').collect(), other.key.split(' ').collect());
    if a.len() != b.len() || a.len() < 4 {
        return false;
    }
    let differing: Vec<(&str, &str)> = a.into_iter().zip(b).filter(|(a, b)| a != b).collect();
    let slip = |(a, b): &(&str, &str)| {
        let long = a.chars().count().min(b.chars().count());
        a.chars().next() == b.chars().next() && long >= 5 && levenshtein(a, b) <= if long >= 8 { 2 } else { 1 }
    };
    differing.len() <= 2 && differing.iter().all(slip)
}

/// A preprint's title often changes in print: most words, most authors and the numbers stay.
fn retitled(a: &Reading<'_>, b: &Reading<'_>) -> bool {
    let words = |title: &Title| title.key.split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
    let (one, other) = (words(&a.title), words(&b.title));
    let share = one.intersection(&other).count() as f64 / (one.union(&other).count() as f64).max(1.0);
    let fewest = a.work.authors.len().min(b.work.authors.len());
    let people = authors_in_common(a, b).unwrap_or(0);
    let enough = (share >= 0.6 && people >= 2) || (share >= 0.75 && people >= 1);
    enough && a.title.numbers() == b.title.numbers() && people * 3 >= fewest * 2
}

fn close(a: &Reading<'_>, b: &Reading<'_>) -> bool {
    let years = years_apart(a.work, b.work);
    let long = a.title.words().min(b.title.words()) >= LONG;
    years.is_none_or(|years| years <= if long { YEARS } else { 1 })
}

/// How many authors both name; `None` where one names nobody.
fn authors_in_common(a: &Reading<'_>, b: &Reading<'_>) -> Option<usize> {
    let named = !a.work.authors.is_empty() && !b.work.authors.is_empty();
    named.then(|| name::shared(&a.work.authors, &b.work.authors))
}

/// The smallest distance between any years of both; `None` where one has none.
fn years_apart(a: &Work, b: &Work) -> Option<i32> {
    let years = |work: &Work| [work.year, work.year_online, work.year_print].into_iter().flatten().collect::<Vec<_>>();
    let others = years(b);
    years(a).into_iter().flat_map(|year| others.iter().map(move |other| (year - other).abs())).min()
}
