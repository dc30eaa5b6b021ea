//! Year, DOI, arXiv identifier, keywords, abstract: from where a publisher prints them.
//!
//! Read are the bands at the top and bottom of the first page, its margins and what stands before the first section;
//! never the running text or the reference list, whose years and identifiers are those of other works.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;
use techrag_core::record::Role;
use techrag_core::text;
use techrag_pdf::{Block, BlockKind, Page, Pdf};

use super::item::{self, Item, ItemKind};
use crate::draft::Draft;
use crate::lines::{Words, weld};
use crate::references::{arxiv, doi};

/// Share of the page's height that is a band.
const BAND: f32 = 0.1;

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

static STAMP: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)arxiv:\S+.{0,20}\b\d{1,2} [a-z]{3,9} (1[6-9]\d\d|20\d\d)\b"));
static DATED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:published|accepted|received|presented)\b[^.]{0,40}?\b(1[6-9]\d\d|20\d\d)\b"));
static COPYRIGHT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?:©|\(c\)|copyright)[^.]{0,20}?\b(1[6-9]\d\d|20\d\d)\b"));
static YEAR: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(1[6-9]\d\d|20\d\d)[a-z]?\b"));
static KEYWORDS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:key\s?-?words?(?: and phrases)?|index terms)\s*[:.—–-]*\s*"));
static ARXIV_FILE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|[^\d.])(\d{4}\.\d{4,5})(?:v\d+)?(?:\.pdf)?$"));

/// Fills year, DOI, arXiv identifier, keywords and abstract; `front` are the items before the first section.
pub(crate) fn fill(pdf: &Pdf, key: &str, items: &[Item<'_>], front: &[Item<'_>], draft: &mut Draft) {
    let bands = bands(pdf);
    let front: Vec<String> = front.iter().map(Item::text).collect();
    let edge: Vec<&str> = bands.iter().chain(&front).map(String::as_str).collect();
    set(&mut draft.year, year(&edge, pdf), "year", &mut draft.provenance);
    let printed = edge.iter().find_map(|text| doi(text)).map(|doi| (doi, "page 1"));
    let embedded = pdf.info.doi.as_deref().and_then(doi).map(|doi| (doi, "info"));
    set(&mut draft.doi, printed.or(embedded), "doi", &mut draft.provenance);
    let stamp = edge.iter().find_map(|text| arxiv(text)).map(|id| (id, "page 1"));
    let file = ARXIV_FILE.captures(key).map(|found| (found[1].to_owned(), "file name"));
    set(&mut draft.arxiv, stamp.or(file), "arxiv", &mut draft.provenance);
    let printed = keywords(items);
    if !printed.is_empty() {
        draft.provenance.insert("keywords".into(), json!("page 1"));
        draft.keywords = printed;
    }
    let summary = summary(draft).map(|summary| (summary, "section"));
    set(&mut draft.summary, summary, "abstract", &mut draft.provenance);
}

fn set<T>(
    field: &mut Option<T>,
    value: Option<(T, &'static str)>,
    name: &str,
    provenance: &mut techrag_core::record::Extra,
) {
    if let Some((value, source)) = value {
        *field = Some(value);
        provenance.insert(name.to_owned(), json!(source));
    }
}

/// Texts at the top, bottom and sides of the first page.
fn bands(pdf: &Pdf) -> Vec<String> {
    let Some(page) = pdf.pages.first() else { return Vec::new() };
    let blocks = page.blocks.iter().filter(|block| is_band(block, page));
    blocks.map(|block| block.lines.iter().map(item::line_text).collect::<Vec<_>>().join(" ")).collect()
}

fn is_band(block: &Block, page: &Page) -> bool {
    let edge = block.bbox[3] < page.height * BAND || block.bbox[1] > page.height * (1.0 - BAND);
    match block.kind {
        BlockKind::Header | BlockKind::Footer | BlockKind::Marginal | BlockKind::Footnote => true,
        BlockKind::Body => edge && block.lines.len() <= 3,
        _ => false,
    }
}

fn year(edge: &[&str], pdf: &Pdf) -> Option<(i32, &'static str)> {
    // A work is not younger than its file. Publishers date ahead by a year at most.
    let latest = pdf.info.year.map_or(i32::MAX, |year| year + 1);
    let by = |regex: &Regex| {
        let years = edge.iter().filter_map(|text| regex.captures(text)?[1].parse::<i32>().ok());
        years.filter(|year| *year <= latest).max()
    };
    let named = [(&STAMP, "arxiv stamp"), (&COPYRIGHT, "copyright line"), (&DATED, "dated line")];
    let named = named.into_iter().find_map(|(regex, source)| Some((by(regex)?, source)));
    let loose = || edge.iter().flat_map(|text| loose_years(text)).filter(|year| *year <= latest).max();
    named.or_else(|| Some((loose()?, "page 1"))).or_else(|| Some((pdf.info.year?, "info")))
}

/// Years that are no pages: `PMLR 161:1927–1937` holds none.
fn loose_years(text: &str) -> Vec<i32> {
    let years = YEAR.captures_iter(text).filter_map(|found| found.get(1));
    let years = years.filter(|year| {
        let before = text[..year.start()].chars().next_back();
        let after = text[year.end()..].chars().next();
        // Parts of a DOI or an address, a range, a volume's pages.
        !before.is_some_and(|c| matches!(c, '–' | '-' | ':' | '/' | '.'))
            && !after.is_some_and(|c| matches!(c, '–' | '-' | '/' | '.'))
            || before == Some('(')
            || after == Some(')')
    });
    years.filter_map(|year| year.as_str().parse().ok()).collect()
}

/// The list after `Keywords`, in the same item or, where the word stands alone, in the next.
fn keywords(items: &[Item<'_>]) -> Vec<String> {
    let early = || items.iter().enumerate().filter(|(_, item)| item.page <= 2 && item.kind == ItemKind::Text);
    let Some((at, label)) = early().find_map(|(at, item)| Some((at, KEYWORDS.find(&item.text())?.end()))) else {
        return Vec::new();
    };
    let welded = |item: &Item<'_>| weld(&item.text_lines(), &Words::default()).text;
    let text = welded(&items[at]);
    let list = match text.get(label..).unwrap_or_default().trim() {
        "" => items.get(at + 1).map(welded).unwrap_or_default(),
        list => list.to_owned(),
    };
    let words = list.split([',', ';', '·', '•']).map(text::squeeze);
    let words = words.map(|word| word.trim_end_matches('.').to_owned());
    words.filter(|word| (2..=80).contains(&word.chars().count())).collect()
}

fn summary(draft: &Draft) -> Option<String> {
    let section = draft.sections.iter().find(|section| section.role == Role::Abstract)?;
    let paragraphs = section.paragraphs.iter().map(|paragraph| paragraph.text.as_str());
    let texts: Vec<&str> = paragraphs.filter(|text| !KEYWORDS.is_match(text)).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_identifiers_are_no_years() {
        for (text, years) in [
            ("(UAI 2021), PMLR 161:1927–1937.", vec![2021]),
            ("Proceedings of Machine Learning Research vol 242:1502–1512, 2024", vec![2024]),
            ("doi: 10.5555/tyre.2021.2", vec![]),
            ("Archive of Rolling Contact 10 (2017) 44–48", vec![2017]),
            ("(Version 2020a)", vec![2020]),
        ] {
            assert_eq!(loose_years(text), years, "{text}");
        }
    }

    #[test]
    fn a_named_date_goes_before_a_loose_one() {
        let pdf = Pdf::default();
        assert_eq!(year(&["Vol. 3, 2019", "© 2018 A. Name"], &pdf), Some((2018, "copyright line")));
        assert_eq!(year(&["arXiv:2302.03495v2 [cs.LG] 7 Feb 2023", "© 2018"], &pdf), Some((2023, "arxiv stamp")));
        let info = techrag_pdf::Info { year: Some(2004), ..Default::default() };
        assert_eq!(year(&["seen in 2031"], &Pdf { info, ..Pdf::default() }), Some((2004, "info")));
    }
}
