//! Info dictionary and XMP, from the objects that the reader has parsed already.

use super::marks::text_string;
use crate::page::Info;
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{self, Dict, Stream};

/// What Info and XMP say; XMP fills what Info leaves empty.
pub(super) fn info(pdf: &Pdf) -> Info {
    let data = pdf.metadata();
    let text = |bytes: &Option<Box<[u8]>>| bytes.as_deref().map(text_string).and_then(tidy);
    let xmp = xmp(pdf).unwrap_or_default();
    let subject = text(&data.subject).or_else(|| element(&xmp, "dc:description"));
    let keywords =
        text(&data.keywords).or_else(|| element(&xmp, "pdf:Keywords")).or_else(|| list(&xmp, "dc:subject", ", "));
    let named =
        ["prism:doi", "pdfx:doi", "crossmark:DOI", "dc:identifier"].iter().find_map(|name| doi(&element(&xmp, name)?));
    Info {
        title: text(&data.title).or_else(|| element(&xmp, "dc:title")),
        author: text(&data.author).or_else(|| list(&xmp, "dc:creator", "; ")),
        doi: named.or_else(|| info_doi(pdf)).or_else(|| doi(subject.as_deref()?)).or_else(|| doi(keywords.as_deref()?)),
        subject,
        keywords,
        year: data.creation_date.map(|date| i32::from(date.year)).filter(|year| (1980..2200).contains(year)),
        creator: text(&data.creator).or_else(|| element(&xmp, "xmp:CreatorTool")),
    }
}

/// Text on one line; `None` where nothing is left.
pub(super) fn tidy(text: String) -> Option<String> {
    let text = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let text = text.collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

fn xmp(pdf: &Pdf) -> Option<String> {
    let xref = pdf.xref();
    let catalog = xref.get::<Dict<'_>>(xref.root_id())?;
    let stream = catalog.get::<Stream<'_>>(b"Metadata".as_slice())?;
    let bytes = stream.decoded_data().ok()?;
    Some(match bytes.as_ref() {
        [0xfe, 0xff, ..] | [0xff, 0xfe, ..] => text_string(&bytes),
        bytes => String::from_utf8_lossy(bytes).into_owned(),
    })
}

/// The DOI under a key of its own in the Info dictionary, where some publishers put it.
fn info_doi(pdf: &Pdf) -> Option<String> {
    // The parser keeps the usual keys only, so that the dictionary is looked up among the objects by its neighbours.
    let has = |dict: &Dict<'_>| dict.contains_key(b"Producer".as_slice()) || dict.contains_key(b"Creator".as_slice());
    let dicts = pdf.objects().into_iter().filter_map(object::Object::into_dict).take(LOOKED_AT).filter(has);
    let value = |dict: Dict<'_>| {
        let keys: [&[u8]; 3] = [b"doi", b"DOI", b"WPS-ARTICLEDOI"];
        keys.iter()
            .find_map(|key| dict.get::<object::String<'_>>(*key))
            .and_then(|text| doi(&text_string(text.as_bytes())))
    };
    dicts.into_iter().find_map(value)
}

/// Most objects that are looked at for the Info dictionary: large files are books, which have no DOI of their own.
const LOOKED_AT: usize = 2000;

/// The content of an XMP property, as element or attribute; of alternatives the first.
fn element(xmp: &str, name: &str) -> Option<String> {
    items(xmp, name).into_iter().next()
}

fn list(xmp: &str, name: &str, between: &str) -> Option<String> {
    tidy(items(xmp, name).join(between))
}

fn items(xmp: &str, name: &str) -> Vec<String> {
    let Some(inner) = between(xmp, &format!("<{name}>"), &format!("</{name}>")) else {
        let attribute = between(xmp, &format!("{name}=\""), "\"").map(unescape);
        return attribute.and_then(tidy).into_iter().collect();
    };
    let mut out = Vec::new();
    let mut rest = inner;
    while let Some(start) = rest.find("<rdf:li") {
        let Some(open) = rest[start..].find('>') else { break };
        let content = &rest[start + open + 1..];
        let end = content.find("</rdf:li>").unwrap_or(content.len());
        out.extend(tidy(unescape(&content[..end])));
        rest = &content[end..];
    }
    if out.is_empty() && !inner.contains('<') {
        out.extend(tidy(unescape(inner)));
    }
    out
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let start = text.find(open)? + open.len();
    let end = text[start..].find(close)?;
    Some(&text[start..start + end])
}

fn unescape(text: &str) -> String {
    let named = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    named.replace("&amp;", "&")
}

/// The first DOI in a text (the form that Crossref recommends: `10.`, four to nine digits, `/`, no white space).
pub(super) fn doi(text: &str) -> Option<String> {
    let mut from = 0;
    while let Some(at) = text[from..].find("10.") {
        let start = from + at;
        let word = text[start..].split(char::is_whitespace).next().unwrap_or_default();
        let (prefix, suffix) = word.split_once('/').unwrap_or((word, ""));
        let digits = prefix[3..].chars().take_while(char::is_ascii_digit).count();
        let suffix = suffix.trim_end_matches(['.', ',', ';', ')', ']', '"', '\'', '>']);
        if (4..=9).contains(&digits) && !suffix.is_empty() && suffix.chars().any(char::is_alphanumeric) {
            return Some(format!("{prefix}/{suffix}"));
        }
        from = start + 3;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dois() {
        assert_eq!(
            doi("see https://doi.org/10.1016/j.ymssp.2020.106834."),
            Some("10.1016/j.ymssp.2020.106834".to_owned())
        );
        assert_eq!(doi("10.5 N and 10.1234/"), None);
        assert_eq!(doi("10.1 then doi:10.48550/arXiv.2101.00001v2)"), Some("10.48550/arXiv.2101.00001v2".to_owned()));
    }

    #[test]
    fn xmp_lists_and_attributes() {
        let xmp = "<dc:creator><rdf:Seq><rdf:li>A. Lee</rdf:li><rdf:li>B. Chen &amp; Co</rdf:li></rdf:Seq></dc:creator>\
                   <x pdf:Keywords=\"tyre\"/><dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">On\n Grip</rdf:li></rdf:Alt></dc:title>";
        assert_eq!(list(xmp, "dc:creator", "; "), Some("A. Lee; B. Chen & Co".to_owned()));
        assert_eq!(element(xmp, "pdf:Keywords"), Some("tyre".to_owned()));
        assert_eq!(element(xmp, "dc:title"), Some("On Grip".to_owned()));
        assert_eq!(element(xmp, "dc:absent"), None);
    }
}
