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
    "textarea", "title",
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

/// Elements whose inside is no markup, whatever brackets stand in it.
const RAW: &[&str] = &["script", "style", "textarea", "title"];

/// Attributes by attributes that the insides of comments and of [`RAW`] elements may cost, should they be markup after
/// all: some seconds.
const MOST_COMPARED: usize = 1_000_000_000;

/// The tags of a page, found by their brackets; not those in comments, nor what only looks like one within [`RAW`].
///
/// Brackets do not tell for certain what a parser takes for a comment or a script: within a drawing it reads them as
/// markup. So what is passed over is bounded by what it would cost then.
struct Tags<'a> {
    page: &'a str,
    at: usize,
    /// Elements of [`RAW`] that are not closed in what is left: each is looked for once.
    unclosed: Vec<&'static str>,
    /// Tags, and comparisons of attributes, in what was passed over.
    passed: (usize, usize),
}

fn tags(page: &str) -> Tags<'_> {
    Tags { page, at: 0, unclosed: Vec::new(), passed: (0, 0) }
}

impl Tags<'_> {
    /// Goes on with the closing tag of an element whose inside is no markup; where it has none, right behind it.
    fn pass_inside(&mut self, name: &str) {
        let open = |raw: &&&'static str| raw.eq_ignore_ascii_case(name) && !self.unclosed.contains(raw);
        let Some(raw) = RAW.iter().find(open) else { return };
        let bytes = self.page.as_bytes();
        let closing = |at: &usize| {
            let name = bytes.get(at + 2..at + 2 + raw.len());
            name.is_some_and(|name| name.eq_ignore_ascii_case(raw.as_bytes()))
                && bytes.get(at + 2 + raw.len()).is_none_or(|end| !end.is_ascii_alphanumeric())
        };
        let from = self.at;
        let found = self.page[from..].match_indices("</").map(|(at, _)| from + at).find(closing);
        match found {
            Some(end) => self.pass(end),
            None => self.unclosed.push(raw),
        }
    }

    /// Goes on behind the comment that begins at `start`; one that is never closed takes the rest of the page.
    fn pass_comment(&mut self, start: usize) {
        // `<!-->` is a whole one (HTML standard, 13.2.5.43).
        let inside = &self.page[start + 2..];
        let closes = |at: &usize| inside[..*at].ends_with("--") || inside[..*at].ends_with("--!");
        let end = inside.match_indices('>').map(|(at, _)| at).find(closes).map_or(inside.len(), |at| at + 1);
        self.at = start + 4;
        self.pass(start + 2 + end);
    }

    /// Goes on at `end`, where what lies before it would not cost too much as markup.
    fn pass(&mut self, end: usize) {
        let (mut tags, mut compared) = self.passed;
        let mut rest = self.page.get(self.at..end).unwrap_or_default();
        while let Some(start) = rest.find('<') {
            rest = &rest[start + 1..];
            if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
                continue;
            }
            let (attributes, end) = attributes(rest);
            tags += 1;
            compared = attributes.saturating_mul(attributes).saturating_add(compared);
            rest = &rest[end..];
        }
        if tags <= MOST && compared <= MOST_COMPARED && end > self.at {
            self.passed = (tags, compared);
            self.at = end;
        }
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let start = self.at + self.page[self.at..].find('<')?;
            let rest = &self.page[start..];
            if rest.starts_with("<!--") {
                self.pass_comment(start);
                continue;
            }
            let closes = rest[1..].starts_with('/');
            let inside = &rest[1 + usize::from(closes)..];
            self.at = start + 1;
            if !inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
                continue;
            }
            let (attributes, end) = attributes(inside);
            self.at = start + 1 + usize::from(closes) + end;
            let name = inside.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap_or_default();
            let range = start..self.at;
            if !closes {
                self.pass_inside(name);
            }
            return Some(Tag { range, name, closes, attributes });
        }
    }
}

/// How many attributes a tag has and where it ends, told from behind its opening bracket and slash. As the standard's
/// tokenizer has it (HTML standard, 13.2.5.32 to 13.2.5.40): white space need not part them, and a value may hold a bracket.
fn attributes(tag: &str) -> (usize, usize) {
    let bytes = tag.as_bytes();
    let space = |byte: u8| byte.is_ascii_whitespace();
    let parts = |byte: u8| space(byte) || byte == b'/';
    let mut count = 0;
    let mut at = run(bytes, 0, |byte| !parts(byte) && byte != b'>');
    loop {
        at = run(bytes, at, parts);
        match bytes.get(at) {
            None => return (count, bytes.len()),
            Some(b'>') => return (count, at + 1),
            Some(_) => count += 1,
        }
        // An equals sign in front belongs to the name.
        at = run(bytes, at + 1, |byte| !parts(byte) && !matches!(byte, b'>' | b'='));
        let equals = run(bytes, at, space);
        if bytes.get(equals) != Some(&b'=') {
            continue;
        }
        at = run(bytes, equals + 1, space);
        at = match bytes.get(at) {
            Some(&quote @ (b'"' | b'\'')) => (run(bytes, at + 1, |byte| byte != quote) + 1).min(bytes.len()),
            _ => run(bytes, at, |byte| !space(byte) && byte != b'>'),
        };
    }
}

/// The end of the bytes from `at` on for which `holds`.
fn run(bytes: &[u8], at: usize, holds: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !holds(*byte)).unwrap_or(rest.len())
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
    fn scripts_and_comments_hold_no_tags() {
        let list: Vec<String> = (0..1500).map(|at| format!("{at}, ")).collect();
        let script = format!("<script>for(i=0;i<n;i++)d=[{}];y()</script>", list.concat());
        let some = "<b><div ".repeat(60);
        for page in [
            format!("{script}<p>slip"),
            format!("<SCRIPT>{some}</Script ><p>slip").repeat(15),
            format!("<style>{some}</style><title>{some}</title><textarea>{some}</textarea><p>slip").repeat(5),
            format!("<!-- {some} --><p>slip<!-->").repeat(15),
            format!("<p>slip<!--{}", "<b>".repeat(900)),
        ] {
            assert_eq!(tamed(&page), None, "{}", &page[..40]);
        }
        let wild = format!("{script}{}slip<!-- <i> -->", "<b>".repeat(2000));
        let got = tamed(&wild).unwrap();
        assert!(got.starts_with(&script) && got.trim_end().ends_with("slip<!-- <i> -->"), "{got}");
    }

    #[test]
    fn what_may_be_markup_after_all_is_bounded() {
        // In a drawing a style is markup, and an attribute may hold what looks like a comment.
        let many = "<b>".repeat(5000);
        assert!(tamed(&format!("<svg><style>{many}</style>")).is_some());
        assert!(tamed(&format!("<a title='><!--'>{many}-->")).is_some());
        let attributes: String = (0..100_000).map(|at| format!(" a{at}=1")).collect();
        assert!(tamed(&format!("<svg><title><i{attributes}></title>")).is_some());
    }

    #[test]
    fn a_script_that_is_never_closed_is_looked_for_once() {
        assert!(tamed(&"<script><style>".repeat(200_000)).is_some());
    }

    #[test]
    fn what_stays_open_loses_its_tags_and_keeps_its_words() {
        let page = format!("<p>slip{}<h1 id=a>Grip</h1>", "<div><font color=a>".repeat(2000));
        let got = tamed(&page).unwrap();
        assert_eq!(got.split_whitespace().collect::<String>(), "<p>slip<h1>Grip</h1>");
        let attributes: String = (0..2000).map(|at| format!(" a{at}=1")).collect();
        assert_eq!(tamed(&format!("<i{attributes}>slip</i>")).as_deref(), Some(" slip "));
    }

    #[test]
    fn attributes_are_counted_as_a_parser_takes_them_apart() {
        assert_eq!(attributes("a>"), (0, 2));
        assert_eq!(attributes("a href = 'x>y' b=/c/d e/f\t=g>rest"), (4, 29));
        assert_eq!(attributes("a x=\"1\"y='2'z/w==3/=>"), (4, 21));
        assert_eq!(attributes("a é=1 x='never closed>"), (2, 23));
        for part in ["a{}='1'", "a{}/", "a{}=\"\""] {
            let many: String = (0..2000).map(|at| part.replace("{}", &at.to_string())).collect();
            assert_eq!(tamed(&format!("<i {many}>slip</i>")).as_deref(), Some(" slip "), "{part}");
            assert_eq!(tamed(&format!("<i t='>'{many}>slip</i>")).as_deref(), Some(" slip "), "{part}");
        }
        let picture = format!("<img alt='a > b' src='data:image/png;base64,{}'>", "ab/ ".repeat(5000));
        assert_eq!(tamed(&picture), None);
    }
}
