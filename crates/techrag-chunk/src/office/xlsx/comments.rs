//! What readers wrote beside the cells: notes, and the threads of newer editions.
//!
//! A file with threads holds each of them twice, once as a note that tells old programs to be updated; the thread counts.

use std::collections::{BTreeMap, HashMap};

use techrag_core::text;

use super::super::archive::{Archive, Error};
use super::super::relations::Relations;
use super::super::xml::Node;

/// The comments of a sheet by the address of their cell, in the order of the file, each as `Comment by NAME: …`.
///
/// # Errors
/// If a part is broken or too large.
pub(super) fn of(
    book: &Relations,
    sheet: &Relations,
    archive: &mut Archive<'_>,
) -> Result<BTreeMap<String, Vec<String>>, Error> {
    let mut comments: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut people = HashMap::new();
    for part in book.of_kind("person") {
        let root = archive.tree(part)?;
        let person = |node: &Node| Some((node.attribute("id")?.to_owned(), node.attribute("displayName")?.to_owned()));
        people.extend(root.iter().flat_map(Node::nodes).filter_map(person));
    }
    for part in sheet.of_kind("threadedComment") {
        let Some(root) = archive.tree(part)? else { continue };
        for node in root.nodes() {
            let author = node.attribute("personId").and_then(|id| people.get(id));
            take(node, author.map(String::as_str), &node.text(), &mut comments);
        }
    }
    let threads: Vec<String> = comments.keys().cloned().collect();
    for part in sheet.of_kind("comments") {
        let Some(root) = archive.tree(part)? else { continue };
        let authors: Vec<String> =
            root.at(&["x:authors"]).into_iter().flat_map(|list| list.all("x:author")).map(Node::text).collect();
        let notes = root.at(&["x:commentList"]).into_iter().flat_map(|list| list.all("x:comment"));
        let own = notes.filter(|note| !threads.iter().any(|cell| note.attribute("ref") == Some(cell)));
        for note in own {
            let author = note.number::<usize>("authorId").and_then(|at| authors.get(at));
            let words = note.at(&["x:text"]).map(Node::text).unwrap_or_default();
            take(note, author.map(String::as_str), &words, &mut comments);
        }
    }
    Ok(comments)
}

fn take(node: &Node, author: Option<&str>, words: &str, comments: &mut BTreeMap<String, Vec<String>>) {
    let words = text::squeeze(words);
    let Some(cell) = node.attribute("ref").filter(|_| !words.is_empty()) else { return };
    let author = author.map(str::trim).filter(|author| !author.is_empty()).unwrap_or("someone");
    comments.entry(cell.to_owned()).or_default().push(format!("Comment by {author}: {words}"));
}
