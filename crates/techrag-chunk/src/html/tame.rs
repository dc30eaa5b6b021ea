//! Pages that would cost a parser more than they hold.
//!
//! The standard's own algorithm takes time, and memory, by the product of two lengths: formatting elements left open are
//! opened again in every later block, every block looks through all elements that are open, every attribute is compared
//! with all others of its tag. A page of a megabyte can so hold a processor for hours. No page that people write leaves
//! hundreds of elements open; of one that does only the tags are kept that close each other.

use std::ops::Range;

/// Elements of one name that may be left open, and attributes that a tag may have.
const MOST: usize = 1000;

/// Tags that cannot nest in themselves, and those whose inside is no text of the page.
const KEPT: &[&str] = &[
    "br", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "html", "body", "li", "meta", "p", "script", "style",
    "title",
];

/// Elements that are never closed.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr", "p",
    "li", "dd", "dt", "tr", "td", "th", "option", "thead", "tbody", "tfoot", "colgroup", "optgroup", "rp", "rt",
];

/// The page with fewer tags where it must be; `None` where it can be parsed as it is.
pub(super) fn tamed(page: &str) -> Option<String> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut wild = false;
    for tag in tags(page) {
        wild |= tag.attributes > MOST;
        if VOID.iter().any(|void| void.eq_ignore_ascii_case(tag.name)) {
            continue;
        }
        let at = open.iter().position(|(name, _)| name.eq_ignore_ascii_case(tag.name));
        match at {
            Some(at) if tag.closes => open[at].1 = open[at].1.saturating_sub(1),
            Some(at) => open[at].1 += 1,
            // Elements that nobody knows by name count together.
            None if !tag.closes && open.len() < 100 => open.push((tag.name, 1)),
            None if !tag.closes => open[0].1 += 1,
            None => {}
        }
        wild |= open.iter().any(|(_, count)| *count > MOST);
        if wild {
            break;
        }
    }
    wild.then(|| without_tags(page))
}

fn without_tags(page: &str) -> String {
    let mut rest = String::with_capacity(page.len());
    let mut from = 0;
    for tag in tags(page) {
        rest.push_str(&page[from..tag.range.start]);
        if KEPT.iter().any(|kept| kept.eq_ignore_ascii_case(tag.name)) {
            let slash = if tag.closes { "/" } else { "" };
            rest.push_str(&format!("<{slash}{}>", tag.name));
        } else {
            rest.push(' ');
        }
        from = tag.range.end;
    }
    rest.push_str(&page[from..]);
    rest
}

/// A tag, and the bytes of the page that it takes.
struct Tag<'a> {
    range: Range<usize>,
    name: &'a str,
    closes: bool,
    attributes: usize,
}

/// The tags of a page, found by their brackets.
struct Tags<'a> {
    page: &'a str,
    at: usize,
}

fn tags(page: &str) -> Tags<'_> {
    Tags { page, at: 0 }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let start = self.at + self.page[self.at..].find('<')?;
            let rest = &self.page[start..];
            let closes = rest[1..].starts_with('/');
            let inside = &rest[1 + usize::from(closes)..];
            self.at = start + 1;
            if !inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
                continue;
            }
            let whole = &rest[..rest.find('>').map_or(rest.len(), |end| end + 1)];
            self.at = start + whole.len();
            let name = inside.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap_or_default();
            // Attributes are parted by white space; their values may hold some too, which only counts them too high.
            let attributes = if whole.len() > MOST { whole.split_ascii_whitespace().count() } else { 0 };
            return Some(Tag { range: start..self.at, name, closes, attributes });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_pages_stay_as_they_are() {
        let page = format!("<ul>{}</ul><b>x</b>", "<li>one <b>two</b><p>three<br>".repeat(5000));
        assert_eq!(tamed(&page), None);
        assert_eq!(tamed("a < b and c > d"), None);
    }

    #[test]
    fn what_stays_open_loses_its_tags_and_keeps_its_words() {
        let page = format!("<p>slip{}<h1 id=a>Grip</h1>", "<div><font color=a>".repeat(2000));
        let got = tamed(&page).unwrap();
        assert_eq!(got.split_whitespace().collect::<String>(), "<p>slip<h1>Grip</h1>");
        let attributes: String = (0..2000).map(|at| format!(" a{at}=1")).collect();
        assert_eq!(tamed(&format!("<i{attributes}>slip</i>")).as_deref(), Some(" slip "));
    }
}
