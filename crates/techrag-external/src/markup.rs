//! Titles and abstracts as plain text: JATS, MathML, HTML and entities taken out without gluing words together.
//!
//! A scanner over tags, not a parser: fragments come with unbound prefixes, unclosed tags and text that looks like one
//! (`p < 0.05`), and a broken abstract is still worth reading. Entities are decoded once, after the tags are gone.

/// Tags after which a new line begins.
const BLOCKS: &[&str] = &[
    "p",
    "sec",
    "title",
    "list",
    "list-item",
    "abstract",
    "br",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "li",
    "ul",
    "ol",
    "tr",
    "disp-formula",
    "break",
    "label",
];
/// Elements whose content is another spelling of what is said already.
const ECHOES: &[&str] = &["tex-math", "annotation", "annotation-xml", "inline-graphic", "graphic", "script", "style"];
/// Headings that only say what the text is.
const HEADINGS: &[&str] = &["abstract", "summary", "zusammenfassung", "résumé", "resumen"];

/// An abstract: its paragraphs as lines, a heading that says only "Abstract" left out.
pub(crate) fn text(markup: &str) -> String {
    let lines = plain(markup);
    let mut lines: Vec<String> = lines.lines().map(|line| techrag_core::clean::line(line.trim())).collect();
    lines.retain(|line| !line.is_empty());
    if let Some(first) = lines.first_mut() {
        match without_heading(first) {
            Some(rest) if rest.is_empty() => drop(lines.remove(0)),
            Some(rest) => *first = rest,
            None => {}
        }
    }
    lines.join("\n")
}

/// A title: on one line, its closing full stop left out.
pub(crate) fn title(markup: &str) -> String {
    let line = techrag_core::clean::line(&plain(markup).replace('\n', " "));
    match line.strip_suffix('.') {
        Some(rest) if !rest.ends_with('.') => rest.to_owned(),
        _ => line,
    }
}

/// What follows a heading like `Abstract`, `Summary:`; `None` where there is none.
fn without_heading(line: &str) -> Option<String> {
    let (word, rest) = line.split_at(line.find(|c: char| !c.is_alphabetic()).unwrap_or(line.len()));
    let heading = HEADINGS.contains(&word.to_lowercase().as_str());
    let rest = rest.trim_start();
    // "Abstract interpretation is …" has no heading; "Abstract Tyres are …" and "ABSTRACT: tyres" have one.
    let ends = rest.is_empty() || rest.starts_with([':', '.', '-', '—', '–']) || rest.starts_with(char::is_uppercase);
    (heading && ends).then(|| rest.trim_start_matches([':', '.', '-', '—', '–', ' ']).to_owned())
}

fn plain(markup: &str) -> String {
    let mut out = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(tag) = Tag::read(rest) else {
            out.push('<');
            rest = &rest[1..];
            continue;
        };
        rest = &rest[tag.length..];
        if BLOCKS.contains(&tag.name) {
            out.push('\n');
        }
        if ECHOES.contains(&tag.name) && tag.opens {
            rest = after_end(rest, tag.name);
        }
    }
    out.push_str(rest);
    entities(&out)
}

/// A tag at the start of a text.
struct Tag<'a> {
    /// Without prefix; comments and declarations have none.
    name: &'a str,
    opens: bool,
    length: usize,
}

impl<'a> Tag<'a> {
    fn read(text: &'a str) -> Option<Self> {
        if let Some(comment) = text.strip_prefix("<!--") {
            let end = comment.find("-->").map_or(text.len(), |end| end + 7);
            return Some(Self { name: "", opens: false, length: end });
        }
        let inner = text.strip_prefix('<')?;
        let closing = inner.starts_with('/');
        let name = inner.trim_start_matches(['/', '!', '?']);
        // `p < 0.05` and `a<b` are no tags: a name is a letter, and a tag ends before another begins.
        name.chars().next().filter(char::is_ascii_alphabetic)?;
        let end = inner.find(['>', '<']).filter(|end| inner[*end..].starts_with('>'))?;
        let stop = name.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_')))?;
        let whole = &name[..stop];
        let rest = &inner[inner.len() - name.len() + stop..end];
        // `a<b but c > d` has no attributes where a tag has them.
        if !(rest.trim_matches(['/', ' ', '?']).is_empty() || rest.contains('=') || inner.starts_with(['!', '?'])) {
            return None;
        }
        let name = whole.rsplit(':').next().unwrap_or(whole);
        let opens = !closing && !inner[..end].ends_with('/');
        Some(Self { name, opens, length: end + 2 })
    }
}

/// What follows the closing tag of this name; everything where there is none.
fn after_end<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        rest = &rest[at..];
        match Tag::read(rest) {
            Some(tag) if tag.name == name => return &rest[tag.length..],
            _ => rest = &rest[2..],
        }
    }
    text
}

/// Decodes entities once: `&amp;lt;` becomes `&lt;`.
fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((entity(&rest[1..end])?, end))) {
            Some((decoded, end)) => {
                out.push(decoded);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    const NAMED: &[(&str, char)] = &[
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", ' '),
        ("ndash", '–'),
        ("mdash", '—'),
        ("hellip", '…'),
        ("lsquo", '‘'),
        ("rsquo", '’'),
        ("ldquo", '“'),
        ("rdquo", '”'),
        ("deg", '°'),
        ("plusmn", '±'),
        ("times", '×'),
        ("micro", 'µ'),
        ("middot", '·'),
        ("alpha", 'α'),
        ("beta", 'β'),
        ("gamma", 'γ'),
        ("delta", 'δ'),
        ("mu", 'μ'),
        ("sigma", 'σ'),
        ("omega", 'ω'),
        ("auml", 'ä'),
        ("ouml", 'ö'),
        ("uuml", 'ü'),
        ("szlig", 'ß'),
        ("eacute", 'é'),
    ];
    NAMED.iter().find(|(own, _)| *own == name).map(|(_, c)| *c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jats_becomes_lines_without_glued_words() {
        let jats = "<jats:title>Abstract</jats:title><jats:sec><jats:title>Aim</jats:title><jats:p>CO<jats:sub>2</jats:sub> \
                    &amp; H<jats:sub>2</jats:sub>O.</jats:p></jats:sec><jats:p>Second.</jats:p>";
        assert_eq!(text(jats), "Aim\nCO2 & H2O.\nSecond.");
        assert_eq!(text("<p>Abstract: Tyres grip.</p>"), "Tyres grip.");
        assert_eq!(text("Abstract Tyres grip."), "Tyres grip.");
        assert_eq!(text("Abstract interpretation of programs."), "Abstract interpretation of programs.");
        assert_eq!(text("<h4>Summary</h4>We <i>do</i> it."), "We do it.");
    }

    #[test]
    fn what_only_looks_like_a_tag_stays() {
        assert_eq!(text("p < 0.05 and a<b but x > y"), "p < 0.05 and a<b but x > y");
        assert_eq!(text("ends in <"), "ends in <");
        assert_eq!(text("&amp;lt;i&amp;gt; &unknown; &"), "&lt;i&gt; &unknown; &");
        assert_eq!(text("<jats:p>unclosed <jats:italic>here"), "unclosed here");
    }

    #[test]
    fn formulas_are_said_once() {
        let formula = "of <mml:math><mml:mi>x</mml:mi></mml:math><jats:tex-math>$x$</jats:tex-math> here";
        assert_eq!(text(formula), "of x here");
        assert_eq!(title("A <scp>DNA</scp>\n  study. "), "A DNA study");
        assert_eq!(title("On <i>α</i>-&lt;β&gt; …"), "On α-<β> …");
    }
}
