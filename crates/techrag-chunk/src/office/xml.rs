//! A part of an office file as a tree, with one name for an element whatever prefix and edition the file uses.
//!
//! Names are `w:p`, `a:t`, `m:r`, …: the prefix of the standard, told from the namespace (the transitional and the
//! strict edition differ in it), then the local name. Attributes go by their local name, except those of
//! relationships (`r:id`). A document type declaration, which office files must not have, ends the reading: without it
//! there are no entities to expand.

use std::collections::HashMap;
use std::rc::Rc;

use quick_xml::NsReader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::ResolveResult;

use crate::decode;

/// Elements within elements; Word itself stops at far fewer, and whoever walks the tree may recurse.
const MAX_DEPTH: usize = 200;

/// Elements and attributes of one part.
const MAX_NODES: usize = 2_000_000;

/// An element.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    pub(super) name: Name,
    attributes: Vec<(Name, String)>,
    pub(super) children: Vec<Child>,
}

/// A name, shared by all that have it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name(Rc<str>);

impl Default for Name {
    fn default() -> Self {
        Self(Rc::from(""))
    }
}

impl std::ops::Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// What an element holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Child {
    /// An element.
    Node(Node),
    /// Characters.
    Text(String),
}

impl Node {
    /// An attribute's value.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| &**own == name).map(|(_, value)| value.as_str())
    }

    /// An attribute as a number.
    pub(super) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.attribute(name)?.trim().parse().ok()
    }

    /// The elements directly inside.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|child| match child {
            Child::Node(node) => Some(node),
            Child::Text(_) => None,
        })
    }

    /// The elements of this name directly inside.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.nodes().filter(move |node| &*node.name == name)
    }

    /// The first element down a path of names.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, name| node.nodes().find(|child| &*child.name == *name))
    }

    /// The first element of this name anywhere below.
    pub(super) fn find(&self, name: &str) -> Option<&Self> {
        self.nodes().find_map(|node| if &*node.name == name { Some(node) } else { node.find(name) })
    }

    /// Every element of this name below, in order; not those inside another of them.
    pub(super) fn every<'a>(&'a self, name: &str) -> Vec<&'a Self> {
        let mut found = Vec::new();
        for node in self.nodes() {
            if &*node.name == name {
                found.push(node);
            } else {
                found.extend(node.every(name));
            }
        }
        found
    }

    /// All characters below.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        self.gather(&mut text);
        text
    }

    fn gather(&self, text: &mut String) {
        for child in &self.children {
            match child {
                Child::Node(node) => node.gather(text),
                Child::Text(own) => text.push_str(own),
            }
        }
    }
}

/// The root element of a part.
///
/// # Errors
/// What is wrong, to stand behind the part's name.
pub(super) fn parse(bytes: &[u8]) -> Result<Node, String> {
    let decoded = decode::decode(bytes).ok_or("is no text")?;
    let mut reader = NsReader::from_str(&decoded.text);
    let mut builder = Builder::default();
    loop {
        let (space, event) = reader.read_resolved_event().map_err(|error| format!("is no XML: {error}"))?;
        let prefix = prefix(&space);
        match event {
            Event::Start(start) => {
                let node = builder.node(prefix, &start, &reader)?;
                builder.open.push(node);
            }
            Event::Empty(start) => {
                let node = builder.node(prefix, &start, &reader)?;
                builder.close(node);
            }
            Event::End(_) => {
                if let Some(node) = builder.open.pop() {
                    builder.close(node);
                }
            }
            Event::Text(text) => builder.text(&text.decode().map_err(|error| format!("is no text: {error}"))?),
            Event::CData(data) => builder.text(&data.decode().map_err(|error| format!("is no text: {error}"))?),
            Event::GeneralRef(reference) => builder.reference(&reference)?,
            Event::DocType(_) => {
                return Err("declares a document type, which office files must not do".into());
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    if !builder.open.is_empty() {
        return Err("ends in the middle of an element".into());
    }
    builder.root.ok_or_else(|| "holds no element".into())
}

#[derive(Default)]
struct Builder {
    open: Vec<Node>,
    root: Option<Node>,
    names: HashMap<String, Name>,
    nodes: usize,
}

impl Builder {
    fn node(&mut self, prefix: &str, start: &BytesStart<'_>, reader: &NsReader<&[u8]>) -> Result<Node, String> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(format!("has more than {MAX_NODES} elements and attributes"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("has more than {MAX_DEPTH} elements within each other"));
        }
        let name = self.name(prefix, &String::from_utf8_lossy(start.local_name().as_ref()));
        let mut attributes = Vec::new();
        for attribute in start.attributes().with_checks(false).flatten() {
            let (space, local) = reader.resolve_attribute(attribute.key);
            // Word stamps every run with the session it was typed in; nobody asks for that.
            if local.as_ref().starts_with(b"rsid") {
                continue;
            }
            self.nodes += 1;
            let prefix = if self::prefix(&space) == "r" { "r" } else { "" };
            let value = attribute.unescape_value().map_err(|error| format!("has a broken attribute: {error}"))?;
            attributes.push((self.name(prefix, &String::from_utf8_lossy(local.as_ref())), value.into_owned()));
        }
        Ok(Node { name, attributes, children: Vec::new() })
    }

    fn name(&mut self, prefix: &str, local: &str) -> Name {
        let full = if prefix.is_empty() { local.to_owned() } else { format!("{prefix}:{local}") };
        if let Some(name) = self.names.get(&full) {
            return name.clone();
        }
        let name = Name(Rc::from(full.as_str()));
        self.names.insert(full, name.clone());
        name
    }

    fn close(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(parent) => parent.children.push(Child::Node(node)),
            None => self.root = Some(node),
        }
    }

    fn text(&mut self, text: &str) {
        let Some(node) = self.open.last_mut() else { return };
        match node.children.last_mut() {
            Some(Child::Text(own)) => own.push_str(text),
            _ => node.children.push(Child::Text(text.to_owned())),
        }
    }

    /// The five entities that XML itself defines, and characters by number.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), String> {
        let broken = || "refers to an entity that nothing defines".to_owned();
        if let Some(c) = reference.resolve_char_ref().map_err(|_| broken())? {
            self.text(c.encode_utf8(&mut [0; 4]));
            return Ok(());
        }
        let name = reference.decode().map_err(|_| broken())?;
        let text = match &*name {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "apos" => "'",
            _ => return Err(broken()),
        };
        self.text(text);
        Ok(())
    }
}

/// The usual prefix of a namespace; empty for one that no reader asks for.
fn prefix(space: &ResolveResult<'_>) -> &'static str {
    let ResolveResult::Bound(space) = space else { return "" };
    let space = String::from_utf8_lossy(space.as_ref());
    let has = |part: &str| space.contains(part);
    match () {
        () if has("markup-compatibility") => "mc",
        () if has("officeDocument") && has("/math") => "m",
        () if has("officeDocument") && has("relationships") => "r",
        () if has("drawingml") && has("/chart") => "c",
        () if has("drawingml") && has("/diagram") => "dgm",
        () if has("wordprocessingDrawing") => "wp",
        () if has("wordprocessingShape") => "wps",
        () if has("drawingml") && has("/picture") => "pic",
        () if has("spreadsheetDrawing") => "xdr",
        () if has("drawingml") => "a",
        () if has("wordprocessingml") => "w",
        () if has("presentationml") => "p",
        () if has("spreadsheetml") => "x",
        () if has("schemas-microsoft-com:vml") => "v",
        () if has("schemas-microsoft-com:office:office") => "o",
        () => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRANSITIONAL: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    const STRICT: &str = "http://purl.oclc.org/ooxml/wordprocessingml/main";

    #[test]
    fn names_do_not_depend_on_prefix_or_edition() {
        for space in [TRANSITIONAL, STRICT] {
            let part =
                format!("<?xml version='1.0'?><z:p xmlns:z='{space}' z:val='1 &amp; 2'><z:t>a &lt; &#x62;</z:t></z:p>");
            let root = parse(part.as_bytes()).unwrap();
            assert_eq!((&*root.name, root.attribute("val")), ("w:p", Some("1 & 2")));
            assert_eq!(root.at(&["w:t"]).unwrap().text(), "a < b");
        }
    }

    #[test]
    fn bombs_are_refused() {
        let lol = "<!DOCTYPE l [<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;'>]><l>&b;</l>";
        assert!(parse(lol.as_bytes()).unwrap_err().contains("document type"));
        assert!(parse("<a>".repeat(100_000).as_bytes()).unwrap_err().contains("within each other"));
        assert!(parse(b"<a>&b;</a>").unwrap_err().contains("nothing defines"));
        assert!(parse(b"<a><b></b>").is_err());
    }
}
