//! Which part an identifier leads to: the `.rels` part beside each part.

use std::collections::HashMap;

use super::archive::{Archive, Error};

/// The relations of one part.
#[derive(Clone, Debug, Default)]
pub(super) struct Relations(HashMap<String, Relation>);

/// Where a relation leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relation {
    /// The last word of its type: `slide`, `notesSlide`, `image`, …
    pub(super) kind: String,
    /// Name of the part.
    pub(super) target: String,
}

impl Relations {
    /// The relations of the part of this name; of the package for the empty name.
    ///
    /// # Errors
    /// Those of [`Archive::tree`].
    pub(super) fn of(part: &str, archive: &mut Archive<'_>) -> Result<Self, Error> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let slash = if folder.is_empty() { "" } else { "/" };
        let Some(root) = archive.tree(&format!("{folder}{slash}_rels/{file}.rels"))? else {
            return Ok(Self::default());
        };
        let relation = |node: &super::xml::Node| {
            // What lies outside the file is no part of it.
            if node.attribute("TargetMode") == Some("External") {
                return None;
            }
            let kind = node.attribute("Type")?.rsplit('/').next()?.to_owned();
            let target = resolve(folder, node.attribute("Target")?);
            Some((node.attribute("Id")?.to_owned(), Relation { kind, target }))
        };
        Ok(Self(root.nodes().filter_map(relation).collect()))
    }

    /// The part that an identifier leads to.
    pub(super) fn target(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(|relation| relation.target.as_str())
    }

    /// The identifiers of a kind with the parts they lead to, in the order of the parts' names.
    pub(super) fn identified(&self, kind: &str) -> Vec<(String, String)> {
        let of_kind = self.0.iter().filter(|(_, relation)| relation.kind == kind);
        let mut found: Vec<_> = of_kind.map(|(id, relation)| (id.clone(), relation.target.clone())).collect();
        found.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
        found
    }

    /// The parts of a kind, in the order of their names.
    pub(super) fn of_kind(&self, kind: &str) -> Vec<&str> {
        let mut targets: Vec<&str> =
            self.0.values().filter(|relation| relation.kind == kind).map(|relation| relation.target.as_str()).collect();
        targets.sort_unstable();
        targets
    }
}

/// A target as a name from the top of the archive: `../media/image1.png` seen from `ppt/slides`.
fn resolve(folder: &str, target: &str) -> String {
    let from_top = target.starts_with('/');
    let mut parts: Vec<&str> = if from_top { Vec::new() } else { folder.split('/').collect() };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_seen_from_the_folder_of_the_part() {
        assert_eq!(resolve("ppt/slides", "../notesSlides/n1.xml"), "ppt/notesSlides/n1.xml");
        assert_eq!(resolve("ppt/slides", "/ppt/charts/c.xml"), "ppt/charts/c.xml");
        assert_eq!(resolve("", "word/document.xml"), "word/document.xml");
        assert_eq!(resolve("a", "../../../b"), "b");
    }
}
