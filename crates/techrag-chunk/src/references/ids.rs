//! Identifiers of works: DOI and arXiv.

use std::sync::LazyLock;

use regex::Regex;

/// Crossref's own pattern, which finds 99.3 % of the DOIs registered there, with the older suffixes' brackets added.
static DOI: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b10\.\d{4,9}(?:\.\d+)*/[-._;()/:<>\[\]a-z0-9]+").expect("a constant pattern"));

/// New identifiers (`2302.03495`) after the word arXiv, old ones (`cs/0112017`) too.
static ARXIV: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)arxiv(?:\.org/(?:abs|pdf)/|\s*(?:preprint\s*)?(?:arxiv\s*)?:?\s*)(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})")
        .expect("a constant pattern")
});

/// Placeholders of publishers' templates.
const TEMPLATES: &[&str] = &["10.1145/nnnnnnn.nnnnnnn", "10.1145/1122445.1122456", "10.475/123_4"];

/// The first DOI of a text, in lower case.
pub(crate) fn doi(text: &str) -> Option<String> {
    dois(text).next()
}

/// Every DOI of a text, in order, in lower case.
pub(crate) fn dois(text: &str) -> impl Iterator<Item = String> {
    DOI.find_iter(text).map(|found| trimmed(found.as_str())).filter(|doi| !TEMPLATES.contains(&doi.as_str()))
}

/// Without the punctuation of the sentence around it, a closing bracket that was opened outside, or a word that the
/// typesetter glued to it (`…590Copyright`).
fn trimmed(found: &str) -> String {
    let mut doi = found;
    let glued = found.char_indices().zip(found.chars().skip(1)).zip(found.chars().skip(2));
    for (((at, before), capital), after) in glued {
        if before.is_ascii_digit() && capital.is_ascii_uppercase() && after.is_ascii_lowercase() {
            doi = &found[..=at];
            break;
        }
    }
    loop {
        let unbalanced =
            |open: char, close: char| doi.ends_with(close) && doi.matches(close).count() > doi.matches(open).count();
        if doi.ends_with(['.', ',', ';', ':'])
            || unbalanced('(', ')')
            || unbalanced('[', ']')
            || doi.ends_with(['<', '>'])
        {
            doi = &doi[..doi.len() - 1];
        } else {
            return doi.to_ascii_lowercase();
        }
    }
}

/// The first arXiv identifier of a text, without its version.
pub(crate) fn arxiv(text: &str) -> Option<String> {
    ARXIV.captures(text).and_then(|found| found.get(1)).map(|id| id.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dois_lose_what_the_sentence_put_around_them() {
        for (text, wanted) in [
            ("doi: 10.1016/S0005-1098(97)00003-4.", Some("10.1016/s0005-1098(97)00003-4")),
            ("(see https://doi.org/10.1109/TAC.2002.805680)", Some("10.1109/tac.2002.805680")),
            ("10.1145/1122445.1122456", None),
            ("10.1002/acs.590Copyright 2001", Some("10.1002/acs.590")),
            ("ISSN 0001-0001, p. 10.5", None),
        ] {
            assert_eq!(doi(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn arxiv_identifiers_lose_their_version() {
        assert_eq!(arxiv("arXiv:2302.03495v2 [cs.LG] 7 Feb 2023").as_deref(), Some("2302.03495"));
        assert_eq!(arxiv("arXiv preprint arXiv:2103.10888, 2021").as_deref(), Some("2103.10888"));
        assert_eq!(arxiv("https://arxiv.org/abs/2305.05587.").as_deref(), Some("2305.05587"));
        assert_eq!(arxiv("arXiv cs/0112017").as_deref(), Some("cs/0112017"));
        assert_eq!(arxiv("1999.12345"), None);
    }
}
