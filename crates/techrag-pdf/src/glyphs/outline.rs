//! The outline (bookmarks) with the pages it points to (ISO 32000-1, 12.3.3 and 12.3.2).

use super::info::tidy;
use super::marks::text_string;
use crate::page::OutlineItem;
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{self, Array, Dict, MaybeRef, Object, ObjectIdentifier};
use std::collections::{HashMap, HashSet};

/// Most entries that are read; circular outlines end here at the latest.
const MOST: usize = 5000;
/// Deepest level.
const DEEPEST: u8 = 16;

/// The entries in order of reading.
pub(super) fn outline(pdf: &Pdf) -> Vec<OutlineItem> {
    let xref = pdf.xref();
    let Some(catalog) = xref.get::<Dict<'_>>(xref.root_id()) else { return Vec::new() };
    let Some(root) = catalog.get::<Dict<'_>>(b"Outlines".as_slice()) else { return Vec::new() };
    let Some(first) = root.get::<Dict<'_>>(b"First".as_slice()) else { return Vec::new() };
    let pages = pdf.pages().iter().zip(1..).filter_map(|(page, number)| Some((page.raw().obj_id()?, number)));
    let walk = &mut Walk { pages: pages.collect(), names: names(&catalog), seen: HashSet::new(), out: Vec::new() };
    walk.siblings(first, 1);
    std::mem::take(&mut walk.out)
}

struct Walk<'a> {
    pages: HashMap<ObjectIdentifier, u32>,
    names: HashMap<Vec<u8>, Object<'a>>,
    seen: HashSet<ObjectIdentifier>,
    out: Vec<OutlineItem>,
}

impl<'a> Walk<'a> {
    fn siblings(&mut self, first: Dict<'a>, level: u8) {
        let mut next = Some(first);
        while let Some(item) = next {
            let fresh = item.obj_id().is_none_or(|id| self.seen.insert(id));
            if !fresh || self.out.len() >= MOST {
                return;
            }
            let title = item.get::<object::String<'_>>(b"Title".as_slice());
            if let Some(title) = title.and_then(|title| tidy(text_string(title.as_bytes()))) {
                let page = self.page(&item);
                self.out.push(OutlineItem { level, title, page });
            }
            if let Some(child) = item.get::<Dict<'a>>(b"First".as_slice()).filter(|_| level < DEEPEST) {
                self.siblings(child, level + 1);
            }
            next = item.get::<Dict<'a>>(b"Next".as_slice());
        }
    }

    fn page(&self, item: &Dict<'a>) -> Option<u32> {
        let direct = item.get::<Object<'a>>(b"Dest".as_slice());
        let action = || item.get::<Dict<'a>>(b"A".as_slice())?.get::<Object<'a>>(b"D".as_slice());
        self.resolve(direct.or_else(action)?, 0)
    }

    fn resolve(&self, destination: Object<'a>, depth: u8) -> Option<u32> {
        if depth > 3 {
            return None;
        }
        match destination {
            Object::Array(array) => self.page_of(&array),
            Object::Dict(dict) => self.resolve(dict.get::<Object<'a>>(b"D".as_slice())?, depth + 1),
            Object::Name(name) => self.resolve(self.names.get::<[u8]>(name.as_ref())?.clone(), depth + 1),
            Object::String(name) => self.resolve(self.names.get(name.as_bytes())?.clone(), depth + 1),
            _ => None,
        }
    }

    fn page_of(&self, array: &Array<'a>) -> Option<u32> {
        match array.raw_iter().next()? {
            MaybeRef::Ref(id) => self.pages.get(&id.into()).copied(),
            MaybeRef::NotRef(Object::Number(number)) => u32::try_from(number.as_i64()).ok().map(|index| index + 1),
            MaybeRef::NotRef(_) => None,
        }
    }
}

/// Named destinations, old style and new.
fn names<'a>(catalog: &Dict<'a>) -> HashMap<Vec<u8>, Object<'a>> {
    let mut out = HashMap::new();
    if let Some(old) = catalog.get::<Dict<'a>>(b"Dests".as_slice()) {
        for key in old.keys() {
            if let Some(value) = old.get::<Object<'a>>(key.as_ref()) {
                out.insert(AsRef::<[u8]>::as_ref(&key).to_vec(), value);
            }
        }
    }
    let tree =
        catalog.get::<Dict<'a>>(b"Names".as_slice()).and_then(|names| names.get::<Dict<'a>>(b"Dests".as_slice()));
    let mut nodes: Vec<Dict<'a>> = tree.into_iter().collect();
    let mut visited = 0;
    while let Some(node) = nodes.pop() {
        visited += 1;
        if visited > MOST {
            break;
        }
        if let Some(pairs) = node.get::<Array<'a>>(b"Names".as_slice()) {
            let items: Vec<Object<'a>> = pairs.iter::<Object<'a>>().collect();
            out.extend(items.chunks_exact(2).filter_map(|pair| match &pair[0] {
                Object::String(name) => Some((name.as_bytes().to_vec(), pair[1].clone())),
                _ => None,
            }));
        }
        if let Some(kids) = node.get::<Array<'a>>(b"Kids".as_slice()) {
            nodes.extend(kids.iter::<Dict<'a>>());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn circular_bookmarks_end() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/data/nasty/pdfium__bookmarks_circular.pdf");
        let Ok(bytes) = std::fs::read(path) else {
            writeln!(std::io::stderr(), "skipped: no shared data").ok();
            return;
        };
        let pdf = Pdf::new(bytes).expect("it opens");
        assert!(outline(&pdf).len() < 10);
    }
}
