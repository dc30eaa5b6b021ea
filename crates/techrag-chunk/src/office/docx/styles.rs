//! What a paragraph style says of a paragraph: whether it is a heading, a title, a caption, an item of a list.

use std::collections::HashMap;

use super::super::xml::Node;

/// Styles based on styles; a chain that long is a loop.
const LONGEST_CHAIN: usize = 20;

/// The paragraph styles of a document by their identifier.
#[derive(Clone, Debug, Default)]
pub(super) struct Styles(HashMap<String, Style>);

#[derive(Clone, Debug, Default)]
struct Style {
    /// In lower case; the names of built-in styles are English in every edition of the program.
    name: String,
    based_on: Option<String>,
    outline: Option<usize>,
    list: Option<InList>,
}

/// Which list a paragraph is an item of, and how deep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct InList {
    /// Absent in a style that only sets the depth.
    pub(super) number: Option<String>,
    pub(super) level: usize,
}

impl Styles {
    pub(super) fn read(root: Option<&Node>) -> Self {
        let style = |node: &Node| {
            let properties = node.at(&["w:pPr"]);
            let value = |path: &[&str]| node.at(path).and_then(|node| node.attribute("val")).map(str::to_owned);
            let style = Style {
                name: value(&["w:name"]).unwrap_or_default().to_lowercase(),
                based_on: value(&["w:basedOn"]),
                outline: properties.and_then(outline),
                list: properties.and_then(in_list),
            };
            Some((node.attribute("styleId")?.to_owned(), style))
        };
        Self(root.into_iter().flat_map(|root| root.all("w:style")).filter_map(style).collect())
    }

    /// The style and those it is based on, nearest first.
    fn chain<'a>(&'a self, id: &str) -> impl Iterator<Item = &'a Style> {
        let first = self.0.get(id);
        std::iter::successors(first, |style| self.0.get(style.based_on.as_deref()?)).take(LONGEST_CHAIN)
    }

    /// Level of heading, from 1: by the outline level, or by the name of a built-in style.
    pub(super) fn heading(&self, id: &str) -> Option<usize> {
        self.chain(id).find_map(|style| {
            let named = || style.name.strip_prefix("heading ")?.trim().parse().ok();
            style.outline.or_else(named)
        })
    }

    /// Whether the style is the built-in one of this English name, or based on it.
    pub(super) fn is(&self, id: &str, name: &str) -> bool {
        self.chain(id).any(|style| style.name == name)
    }

    /// The list that the style puts a paragraph in.
    pub(super) fn list(&self, id: &str) -> Option<InList> {
        self.chain(id).find_map(|style| style.list.clone())
    }
}

/// The outline level of paragraph properties, from 1; the tenth level is body text.
pub(super) fn outline(properties: &Node) -> Option<usize> {
    let level: usize = properties.at(&["w:outlineLvl"])?.number("val")?;
    (level < 9).then_some(level + 1)
}

/// The list of paragraph properties.
pub(super) fn in_list(properties: &Node) -> Option<InList> {
    let list = properties.at(&["w:numPr"])?;
    let number = list.at(&["w:numId"]).and_then(|node| node.attribute("val")).map(str::to_owned);
    let level = list.at(&["w:ilvl"]).and_then(|node| node.number("val")).unwrap_or_default();
    Some(InList { number, level })
}
