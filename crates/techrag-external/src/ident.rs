//! Identifiers of works in one spelling each, so that equal ones are equal.

use std::sync::LazyLock;

use regex::Regex;

#[expect(clippy::expect_used, reason = "the pattern is a constant, and the tests compile it")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

static DOI: LazyLock<Regex> = LazyLock::new(|| pattern(r"^10\.\d{4,9}(?:\.\d+)*/\S+$"));
static ARXIV: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:(\d{4}\.\d{4,5})|([a-z-]+(?:\.[a-z]{2})?/\d{7}))(?:v\d+)?$"));

/// What may stand before a DOI.
const BEFORE_DOI: &[&str] = &[
    "https://doi.org/",
    "http://doi.org/",
    "https://dx.doi.org/",
    "http://dx.doi.org/",
    "doi:",
    "info:doi/",
    "urn:doi:",
];

/// A DOI: without address, ASCII lower case (DOI Handbook 2.4 folds ASCII only), without what a sentence puts behind it.
pub fn doi(text: &str) -> Option<String> {
    let mut text = text.trim().trim_matches(['"', '\'', ' ']);
    let lower = text.to_ascii_lowercase();
    if let Some(before) = BEFORE_DOI.iter().find(|before| lower.starts_with(**before)) {
        text = text[before.len()..].trim_start();
        if before.starts_with("http") {
            // What an address has behind it is the address's: a DOI's own `?` and `#` are encoded there.
            text = text.split(['?', '#']).next().unwrap_or(text);
        }
    }
    let encoded = text.contains('%') && (lower.starts_with("http") || lower.contains("%2f"));
    let text = if encoded { decoded(text)? } else { text.to_owned() };
    let text = balanced(text.trim_end_matches(['.', ',', ';', '"', '\'']));
    DOI.is_match(text).then(|| text.to_ascii_lowercase())
}

/// Percent-decoded once.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// Without closing brackets that nothing opens. SICI DOIs hold balanced ones, which stay.
fn balanced(mut text: &str) -> &str {
    for (open, close) in [('(', ')'), ('[', ']'), ('<', '>')] {
        while text.ends_with(close) && text.matches(close).count() > text.matches(open).count() {
            text = &text[..text.len() - 1];
        }
    }
    text
}

/// An arXiv id without version: `2302.03495`, `astro-ph/0601001`; also read off its DOI or address.
pub fn arxiv(text: &str) -> Option<String> {
    let lower = text.trim().to_ascii_lowercase();
    let tail = ["arxiv.org/abs/", "arxiv.org/pdf/", "10.48550/arxiv.", "arxiv:"];
    let tail =
        tail.iter().find_map(|before| lower.find(before).map(|at| &lower[at + before.len()..])).unwrap_or(&lower);
    let found = ARXIV.captures(tail.trim_end_matches(".pdf").trim())?;
    found.get(1).or_else(|| found.get(2)).map(|id| id.as_str().to_owned())
}

/// A PubMed id: digits.
pub fn pmid(text: &str) -> Option<String> {
    let tail = text.trim().trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    (!tail.is_empty() && tail.bytes().all(|byte| byte.is_ascii_digit())).then(|| tail.to_owned())
}

/// A PubMed Central id, with `PMC`.
pub fn pmcid(text: &str) -> Option<String> {
    let tail = text.trim().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_ascii_uppercase();
    let digits = tail.strip_prefix("PMC").unwrap_or(&tail);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| format!("PMC{digits}"))
}

/// An OpenAlex id: `W2755950973`.
pub fn openalex(text: &str) -> Option<String> {
    let tail = text.trim().rsplit('/').next().unwrap_or_default().to_ascii_uppercase();
    let digits = tail.strip_prefix(['W', 'A'])?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| tail.clone())
}

/// An identifier of a kind in its one spelling; `None` where it is none.
pub fn normal(kind: &str, text: &str) -> Option<String> {
    match kind {
        "doi" => doi(text),
        "arxiv" => arxiv(text),
        "pmid" => pmid(text),
        "pmcid" => pmcid(text),
        "openalex" => openalex(text),
        _ => Some(text.trim().to_ascii_lowercase()).filter(|id| !id.is_empty()),
    }
}

/// The DOI that arXiv registers for an id.
pub fn arxiv_doi(id: &str) -> String {
    format!("10.48550/arxiv.{id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doi_has_one_spelling() {
        let same = [
            "10.1016/S0140-6736(97)11096-0",
            " https://doi.org/10.1016/s0140-6736(97)11096-0. ",
            "doi: 10.1016/S0140-6736(97)11096-0),",
            "http://dx.doi.org/10.1016%2FS0140-6736%2897%2911096-0",
            "\"10.1016/S0140-6736(97)11096-0\"",
            "https://doi.org/10.1016/S0140-6736(97)11096-0?utm_source=x#y",
        ];
        for written in same {
            assert_eq!(doi(written).as_deref(), Some("10.1016/s0140-6736(97)11096-0"), "{written}");
        }
        let sici = "10.1002/(SICI)1099-1050(199601)5:1<1::AID-HEC1>3.0.CO;2-X";
        assert_eq!(doi(sici).as_deref(), Some("10.1002/(sici)1099-1050(199601)5:1<1::aid-hec1>3.0.co;2-x"));
        for none in ["", "10.1/x", "11.1000/x", "10.1000/", "10.1000/a b", "doi:"] {
            assert_eq!(doi(none), None, "{none}");
        }
        // ASCII folding only: the Turkish dotted capital stays itself.
        assert_eq!(doi("10.1000/İX").as_deref(), Some("10.1000/İx"));
    }

    #[test]
    fn other_ids_are_read_off_their_addresses() {
        for written in ["arXiv:2302.03495v2", "http://arxiv.org/abs/2302.03495v1", "10.48550/arXiv.2302.03495"] {
            assert_eq!(arxiv(written).as_deref(), Some("2302.03495"), "{written}");
        }
        assert_eq!(arxiv("http://arxiv.org/abs/astro-ph/0601001v1").as_deref(), Some("astro-ph/0601001"));
        assert_eq!(arxiv("10.1000/2302.03495"), None);
        assert_eq!(pmid("https://pubmed.ncbi.nlm.nih.gov/28815543").as_deref(), Some("28815543"));
        assert_eq!(pmcid("https://www.ncbi.nlm.nih.gov/pmc/articles/5551").as_deref(), Some("PMC5551"));
        assert_eq!(openalex("https://openalex.org/w27").as_deref(), Some("W27"));
        assert_eq!((pmid("x1"), pmcid(""), openalex("27")), (None, None, None));
    }
}
