//! HTML pages: the main text without navigation, scripts and forms; headings, lists, tables, equations.
//!
//! What a page is about stands in its `main` or `article` element where it has one; otherwise in its body. The tree is
//! walked with a stack and not by recursion, since a page may nest as deep as it likes.

mod grid;
mod meta;
mod tame;

use std::collections::HashMap;

use ego_tree::NodeId;
use scraper::{ElementRef, Html, Node};
use serde_json::json;
use techrag_core::record::Table;
use techrag_core::text;

use crate::decode::Decoded;
use crate::draft::Draft;
use crate::flow::Flow;

/// Elements that hold no text of the page.
const SILENT: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "embed", "audio", "video",
    "button", "select", "textarea", "input", "nav", "footer", "head", "dialog", "map", "menu",
];

/// Classes that wikis give to what is no text of the page: links to edit a section, boxes of links, what is not printed.
const FURNITURE: &[&str] =
    &["mw-editsection", "mw-jump-link", "interlanguage-link", "navbox", "noprint", "printfooter"];

/// Elements that end a paragraph where they begin and where they end.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "form",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "ol",
    "p",
    "section",
    "summary",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Deepest nesting of lists that is shown.
const DEEPEST_LIST: usize = 8;

/// A page as a draft.
///
/// # Errors
/// Why it is too large to be read whole.
pub(crate) fn read(decoded: &Decoded) -> Result<Draft, String> {
    let tamed = tame::tamed(&decoded.text);
    let page = Html::parse_document(tamed.as_deref().unwrap_or(&decoded.text));
    let mut draft = Draft { media_type: "text/html", ..Draft::default() };
    if tamed.is_some() {
        draft.provenance.insert("tags".into(), json!("most left out: elements that are never closed"));
    }
    draft.provenance.insert("encoding".into(), json!(decoded.encoding));
    meta::fill(&page, &mut draft);
    let mut reader = Reader::default();
    reader.walk(main(&page));
    reader.flush();
    reader.flow.finish(&mut draft)?;
    if reader.asides > 0 {
        draft.provenance.insert("left_out".into(), json!({ "asides": reader.asides }));
    }
    if draft.title.is_none()
        && let Some(title) = elements(&page)
            .find(|element| element.value().name() == "title")
            .map(|title| title.text().collect::<String>())
        && !title.trim().is_empty()
    {
        draft.title = Some(text::squeeze(&title));
        draft.provenance.insert("title".into(), json!("title element"));
    }
    Ok(draft)
}

fn elements(page: &Html) -> impl Iterator<Item = ElementRef<'_>> {
    page.root_element().descendants().filter_map(ElementRef::wrap)
}

/// The element with the page's own text.
fn main(page: &Html) -> ElementRef<'_> {
    let elements = || elements(page);
    let named = |name: &str| {
        let mut found = elements().filter(|element| element.value().name() == name);
        // Several articles are a list of them, and the page is about all.
        found.next().filter(|_| found.next().is_none())
    };
    let role = || elements().find(|element| element.attr("role") == Some("main"));
    named("main")
        .or_else(role)
        .or_else(|| named("article"))
        .or_else(|| named("body"))
        .unwrap_or_else(|| page.root_element())
}

#[derive(Default)]
struct Reader {
    flow: Flow,
    /// The open paragraph.
    words: String,
    /// The open lists: the number of the next item, or `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The mark of the open item, until its first words are placed.
    mark: Option<String>,
    /// Asides with words that were left out.
    asides: u64,
}

/// A step of the walk.
enum Step<'a> {
    Enter(ego_tree::NodeRef<'a, Node>),
    Leave(&'a str),
}

impl Reader {
    fn walk(&mut self, root: ElementRef<'_>) {
        let mut steps = vec![Step::Enter(*root)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Leave(name) => self.leave(name),
                Step::Enter(node) => match node.value() {
                    Node::Text(text) => self.words.push_str(text),
                    Node::Element(element) if self.enter(element.name(), node) => {
                        steps.push(Step::Leave(element.name()));
                        steps.extend(node.children().rev().map(Step::Enter));
                    }
                    _ => {}
                },
            }
        }
    }

    /// Whether the children are to be walked.
    fn enter(&mut self, name: &str, node: ego_tree::NodeRef<'_, Node>) -> bool {
        let Some(element) = ElementRef::wrap(node) else { return false };
        if is_silent(element) {
            self.asides += u64::from(is_worded_aside(element));
            return false;
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.flush();
                self.asides += asides_within(element);
                self.flow.heading(&words(element), name[1..].parse().unwrap_or(1));
            }
            "table" => {
                self.flush();
                self.asides += asides_within(element);
                match table(element) {
                    Ok(table) => self.flow.table(table),
                    Err(why) => self.flow.refuse(why),
                }
            }
            "pre" => {
                self.flush();
                self.flow.preformatted(&element.text().collect::<String>());
            }
            "math" => self.words.push_str(&equation(element)),
            "br" => self.words.push('\n'),
            "img" => {
                if let Some(alt) = alt(element) {
                    self.words.push_str(&format!(" {alt} "));
                }
            }
            "ul" | "ol" => {
                self.flush();
                let start = element.attr("start").and_then(|start| start.parse().ok()).unwrap_or(1);
                self.lists.push((name == "ol").then_some(start));
                return true;
            }
            "li" => {
                self.flush();
                self.mark = Some(self.next_mark());
                return true;
            }
            _ => {
                if BLOCKS.contains(&name) {
                    self.flush();
                }
                return true;
            }
        }
        false
    }

    fn leave(&mut self, name: &str) {
        if BLOCKS.contains(&name) {
            self.flush();
        }
        match name {
            "ul" | "ol" => drop(self.lists.pop()),
            "li" => self.mark = None,
            _ => {}
        }
    }

    fn next_mark(&mut self) -> String {
        match self.lists.last_mut() {
            Some(Some(number)) => {
                *number = number.saturating_add(1);
                format!("{}.", *number - 1)
            }
            _ => "-".into(),
        }
    }

    /// Places the open paragraph.
    fn flush(&mut self) {
        let words = std::mem::take(&mut self.words);
        // Line ends of the source are white space, those of `br` were put in on purpose; both look alike here, and a
        // sentence broken over lines is worse than an address on one.
        let words = text::squeeze(&words);
        if words.is_empty() {
            return;
        }
        if self.lists.is_empty() {
            self.flow.prose(&words);
        } else {
            let depth = (self.lists.len() - 1).min(DEEPEST_LIST);
            match self.mark.take() {
                Some(mark) => self.flow.item(depth, &mark, &words),
                // A further paragraph of an item is an item without a mark of its own.
                None => self.flow.item(depth, " ", &words),
            }
        }
    }
}

fn is_silent(element: ElementRef<'_>) -> bool {
    let hidden = element.attr("hidden").is_some() || element.attr("aria-hidden") == Some("true");
    // Wikis write the LaTeX of an equation into a hidden element beside its picture; `math` itself is never hidden.
    let name = element.value().name();
    let role = matches!(element.attr("role"), Some("navigation" | "search" | "banner" | "contentinfo"));
    let class = || element.value().classes().any(|class| FURNITURE.contains(&class));
    SILENT.contains(&name) || is_aside(element) || role || (hidden && name != "math") || class()
}

/// What stands beside the text; footnotes belong to it.
fn is_aside(element: ElementRef<'_>) -> bool {
    let role =
        element.attr("role").is_some_and(|role| role.starts_with("doc-footnote") || role.starts_with("doc-endnote"));
    let class = || element.value().classes().any(|class| class.to_ascii_lowercase().contains("footnote"));
    element.value().name() == "aside" && !role && !class()
}

fn is_worded_aside(element: ElementRef<'_>) -> bool {
    is_aside(element) && element.text().any(|text| !text.trim().is_empty())
}

/// The asides with words that [`words`] leaves out of an element.
fn asides_within(element: ElementRef<'_>) -> u64 {
    let (mut count, mut open) = (0, vec![element]);
    while let Some(element) = open.pop() {
        for child in element.child_elements().filter(|child| child.value().name() != "math") {
            if is_silent(child) {
                count += u64::from(is_worded_aside(child));
            } else {
                open.push(child);
            }
        }
    }
    count
}

/// What a picture says to those who cannot see it; not where it stands for an equation that the page gives as such.
fn alt(element: ElementRef<'_>) -> Option<String> {
    let of_equation = element.value().classes().any(|class| class.contains("math"));
    let alt = text::squeeze(element.attr("alt").filter(|_| !of_equation)?);
    // One word is a file's name or an ornament's.
    alt.contains(' ').then_some(alt)
}

/// The words of an element in one line, without what is silent in it.
pub(super) fn words(element: ElementRef<'_>) -> String {
    let (mut words, mut open) = (String::new(), vec![*element]);
    // Items so far of each list: counted here, since looking back from each would take the square of their number.
    let mut items: HashMap<NodeId, usize> = HashMap::new();
    while let Some(node) = open.pop() {
        match node.value() {
            Node::Text(text) => words.push_str(text),
            Node::Element(inner) => {
                let Some(element) = ElementRef::wrap(node) else { continue };
                if inner.name() == "math" {
                    words.push_str(&equation(element));
                } else if inner.name() == "img" {
                    words.extend(alt(element).map(|alt| format!(" {alt} ")));
                } else if !is_silent(element) {
                    if inner.name() == "li" {
                        let count = node.parent().map(|list| items.entry(list.id()).or_default());
                        words.push_str(&format!(" {}", mark(element, count.map_or(0, next))));
                    }
                    if BLOCKS.contains(&inner.name()) || inner.name() == "br" {
                        words.push(' ');
                    }
                    open.extend(node.children().rev());
                }
            }
            _ => {}
        }
    }
    text::squeeze(&words)
}

/// The number that was there, which is one more from now on.
fn next(count: &mut usize) -> usize {
    *count += 1;
    *count - 1
}

/// The mark of an item of a list behind so many others.
fn mark(item: ElementRef<'_>, before: usize) -> String {
    let list = item.parent().and_then(ElementRef::wrap).filter(|list| list.value().name() == "ol");
    let Some(list) = list else { return "-".into() };
    let start: usize = list.attr("start").and_then(|start| start.parse().ok()).unwrap_or(1);
    format!("{}.", start.saturating_add(before))
}

/// The LaTeX that a page gives beside the drawn formula, else the characters.
fn equation(element: ElementRef<'_>) -> String {
    let annotation = element
        .descendants()
        .filter_map(ElementRef::wrap)
        .find(|inner| inner.value().name() == "annotation" && inner.attr("encoding") == Some("application/x-tex"))
        .map(|annotation| annotation.text().collect::<String>());
    match annotation.or_else(|| element.attr("alttext").map(str::to_owned)) {
        Some(latex) => format!("${}$", text::squeeze(&latex)),
        None => text::squeeze(&element.text().collect::<String>()),
    }
}

fn table(element: ElementRef<'_>) -> Result<Table, String> {
    let caption = element.child_elements().find(|child| child.value().name() == "caption").map(words);
    let caption = caption.filter(|caption| !caption.is_empty());
    Ok(Table { caption, cells: grid::cells(element)?, ..Table::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(page: &str) -> Draft {
        read(&Decoded { text: page.into(), encoding: "UTF-8" }).unwrap()
    }

    #[test]
    fn spans_that_ask_for_billions_of_cells_are_an_error() {
        let page = format!("<table><tr>{}{}</table>", "<td colspan=1000>".repeat(400), "<tr><td>".repeat(90_000));
        let why = read(&Decoded { text: page, encoding: "UTF-8" }).unwrap_err();
        assert!(why.contains("cells"), "{why}");
        let many = "<table><tr><td colspan=1000>a<tr><td rowspan=0>b<tr>".repeat(500);
        assert!(read(&Decoded { text: many, encoding: "UTF-8" }).is_err(), "tables count together");
    }

    fn texts(draft: &Draft) -> Vec<(&str, Vec<&str>)> {
        draft
            .sections
            .iter()
            .map(|section| {
                (section.heading.as_str(), section.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect())
            })
            .collect()
    }

    #[test]
    fn the_main_text_keeps_its_shape_and_loses_the_rest() {
        let draft = draft(
            "<!doctype html><html><head><title>Slip | Site</title><meta name=citation_author content='Fiala, E.'></head>\
             <body><nav>Home</nav><script>var x;</script><main><h1>Slip</h1><p>The <b>slip</b>\n of a tyre.<p>More<br>of it.\
             <ul><li>one<ol><li>deep</ol><li>two</ul><pre>x = 1\n  y</pre></main><footer>Imprint</footer>",
        );
        assert_eq!(
            texts(&draft),
            [("Slip", vec!["The slip of a tyre.", "More of it.", "- one\n  1. deep\n- two", "x = 1\n  y"])]
        );
        assert_eq!((draft.title.as_deref(), draft.authors.as_slice()), (Some("Slip"), &["E. Fiala".to_owned()][..]));
    }

    #[test]
    fn cells_keep_marks_and_pictures_their_words() {
        let page = "<table><tr><td><ul><li>pond<li>marsh</ul><td><ol start=3><li>fly</ol><img alt='a white duck'></table>\
                    <h2>Slip<span class=mw-editsection>[edit]</span></h2><p>It <img alt=logo>slips.";
        let draft = draft(page);
        assert_eq!(texts(&draft)[0].1, ["| - pond - marsh | 3. fly a white duck |\n| --- | --- |"]);
        assert_eq!(texts(&draft)[1], ("Slip", vec!["It slips."]));
    }

    #[test]
    fn asides_are_counted_and_footnotes_kept() {
        let draft = draft(
            "<main><p>It slips.<aside class=related>More of it.</aside><aside> </aside>\
             <aside role=doc-footnote>1 At 20 °C.</aside><aside class='note footnotes'><p>2 Wet.</aside><p>End.</main>",
        );
        assert_eq!(texts(&draft), [("", vec!["It slips.", "1 At 20 °C.", "2 Wet.", "End."])]);
        assert_eq!(draft.provenance["left_out"], json!({ "asides": 1 }));
        let inside = "<aside>Note.</aside>";
        let draft = self::draft(&format!(
            "<h1>Slip{inside}</h1><table><caption>Grip{inside}</caption><tr><td>dry<nav>{inside}</nav><p>{inside}</table>"
        ));
        assert_eq!(texts(&draft), [("Slip", vec!["Grip\n\n| dry |\n| --- |"])]);
        assert_eq!(draft.provenance["left_out"], json!({ "asides": 3 }));
    }

    #[test]
    fn equations_are_latex_and_depth_is_no_danger() {
        let page = "<p>So <math alttext='x^2'><mi>x</mi><mn>2</mn></math> grows.";
        assert_eq!(texts(&draft(page)), [("", vec!["So $x^2$ grows."])]);
        let deep = format!("{}end", "<div>".repeat(50_000));
        assert_eq!(texts(&draft(&deep)), [("", vec!["end"])]);
        let shifted: String = (0..20_000).map(|at| format!("<font color=a{at}>")).collect();
        let blown = draft(&format!("{shifted}{}", "<p>slip".repeat(20_000)));
        assert_eq!(blown.sections[0].paragraphs.len(), 20_000);
    }
}
