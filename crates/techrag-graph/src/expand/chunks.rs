//! The chunks of near papers, in the order a reader would want them: abstract, introduction, method, results.

use std::collections::{BTreeMap, BTreeSet};

use techrag_core::id;
use techrag_core::record::Role;

use crate::model::{Direction, EdgeType, Label, Node};
use crate::store::{Result, Store};

/// The uids of each paper's chunks, the sections of SPEC section 6 first, then the rest in reading order; of `wanted`
/// ones at most `most` a paper.
///
/// # Errors
/// If the store fails.
pub fn chunks(
    store: &dyn Store,
    papers: &[String],
    most: usize,
    wanted: impl Fn(&str) -> bool,
) -> Result<BTreeMap<String, Vec<String>>> {
    let mut of_paper: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if most == 0 {
        return Ok(of_paper);
    }
    for link in store.links(EdgeType::HasChunk, Direction::Out, Label::Paper, papers)? {
        if wanted(&link.far.id) {
            of_paper.entry(link.near).or_default().push(link.far.id);
        }
    }
    let uids: BTreeSet<String> = of_paper.values().flatten().cloned().collect();
    let nodes = store.nodes(Label::Chunk, &uids.into_iter().collect::<Vec<_>>())?;
    let ranks: BTreeMap<&str, (u8, u32)> = nodes.iter().map(|node| (node.key.id.as_str(), rank(node))).collect();
    for uids in of_paper.values_mut() {
        uids.sort_by_key(|uid| ranks.get(uid.as_str()).copied().unwrap_or((u8::MAX, u32::MAX)));
        uids.truncate(most);
    }
    Ok(of_paper)
}

fn rank(node: &Node) -> (u8, u32) {
    let role: Role =
        node.props.get("role").and_then(|role| serde_json::from_value(role.clone()).ok()).unwrap_or_default();
    let ordinal = id::split_uid(&node.key.id).map_or(u32::MAX, |(_, ordinal)| ordinal);
    let section = match role {
        Role::Abstract => 0,
        Role::Introduction => 1,
        Role::Method => 2,
        Role::Results => 3,
        Role::Conclusion | Role::Discussion => 4,
        Role::Background | Role::Other => 5,
        Role::FrontMatter | Role::Acknowledgements | Role::Appendix => 6,
    };
    (section, ordinal)
}
