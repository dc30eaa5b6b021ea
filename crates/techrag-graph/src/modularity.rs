//! Groups of a weighted graph by modularity: nodes belong together that are joined more than their degrees let expect.
//!
//! The method of Louvain (Blondel, Guillaume, Lambiotte, Lefebvre: Fast unfolding of communities in large networks, 2008):
//! each node moves to the neighbouring group that gains most, groups become nodes, and so on until nothing gains. What
//! falls apart is split at the end, as Traag, Waltman and van Eck (From Louvain to Leiden, 2019) ask: every group is
//! connected. Nodes are taken in their order and ties stay, so one graph gives one result.

use std::collections::BTreeMap;

/// For each node, the nodes it is joined to and how strongly; symmetric.
pub(crate) type Weights = Vec<BTreeMap<usize, f64>>;

/// Nodes that all join each other, each once, and how strongly.
pub(crate) type Clique = (Vec<usize>, f64);

/// The joins of `nodes` nodes by cliques, summed where several join the same two. Only the `most` strongest of each node
/// are kept, ties by the lower number, and those that are among the strongest of the other end: at most 2 · `nodes` ·
/// `most` numbers, where all would be the square of the nodes.
pub(crate) fn joins(nodes: usize, cliques: &[Clique], most: usize) -> Weights {
    let mut of: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (at, (members, _)) in cliques.iter().enumerate() {
        members.iter().for_each(|member| of[*member].push(at));
    }
    let mut weights: Weights = vec![BTreeMap::new(); nodes];
    let mut row = vec![0.0; nodes];
    for node in 0..nodes {
        let mut near: Vec<usize> = Vec::new();
        // In one order for both ends of a join, so that both have the same sum to the last bit.
        for (members, weight) in of[node].iter().map(|at| &cliques[*at]) {
            for other in members.iter().copied().filter(|other| *other != node) {
                if row[other] == 0.0 {
                    near.push(other);
                }
                row[other] += weight;
            }
        }
        let mut near: Vec<(usize, f64)> =
            near.into_iter().map(|other| (other, std::mem::take(&mut row[other]))).filter(|(_, w)| *w > 0.0).collect();
        near.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (other, weight) in near.into_iter().take(most) {
            weights[node].insert(other, weight);
            weights[other].insert(node, weight);
        }
    }
    weights
}

/// Rounds after which moving stops if it has not settled.
const ROUNDS: usize = 50;
/// Least gain that moves a node: rounding must not.
const LEAST: f64 = 1e-9;

/// The group of each node, numbered from 0 in the order of their first nodes.
pub(crate) fn groups(weights: &Weights) -> Vec<usize> {
    let mut smaller: Option<Weights> = None;
    let mut groups: Vec<usize> = (0..weights.len()).collect();
    loop {
        let graph = smaller.as_ref().unwrap_or(weights);
        let (labels, count) = numbered(&moved(graph));
        if count == graph.len() {
            return numbered(&connected(weights, &groups)).0;
        }
        groups.iter_mut().for_each(|group| *group = labels[*group]);
        smaller = Some(joined(graph, &labels, count));
    }
}

/// Each node in the group of its neighbours that gains most: the weight to it, less what chance would give.
fn moved(graph: &Weights) -> Vec<usize> {
    let degrees: Vec<f64> = graph.iter().map(|near| near.values().sum()).collect();
    let all: f64 = degrees.iter().sum();
    let mut labels: Vec<usize> = (0..graph.len()).collect();
    let mut totals = degrees.clone();
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (at, near) in graph.iter().enumerate() {
            let mut to: BTreeMap<usize, f64> = BTreeMap::from([(labels[at], 0.0)]);
            for (other, weight) in near.iter().filter(|(other, _)| **other != at) {
                *to.entry(labels[*other]).or_default() += weight;
            }
            totals[labels[at]] -= degrees[at];
            let gain = |label: usize| to[&label] - totals[label] * degrees[at] / all;
            let mut best = labels[at];
            for label in to.keys().copied() {
                if gain(label) > gain(best) + LEAST {
                    best = label;
                }
            }
            totals[best] += degrees[at];
            changed |= best != labels[at];
            labels[at] = best;
        }
        if !changed {
            break;
        }
    }
    labels
}

/// The graph of groups; what joins nodes of one group is a loop, counted from both ends.
fn joined(graph: &Weights, labels: &[usize], count: usize) -> Weights {
    let mut joined: Weights = vec![BTreeMap::new(); count];
    for (at, near) in graph.iter().enumerate() {
        for (other, weight) in near {
            *joined[labels[at]].entry(labels[*other]).or_default() += weight;
        }
    }
    joined
}

/// The groups with every part that hangs together a group of its own, named by its first node.
fn connected(weights: &Weights, groups: &[usize]) -> Vec<usize> {
    let mut parts: Vec<Option<usize>> = vec![None; groups.len()];
    for first in 0..groups.len() {
        let mut open = vec![first];
        while let Some(at) = open.pop() {
            if parts[at].is_none() {
                parts[at] = Some(first);
                open.extend(weights[at].keys().copied().filter(|other| groups[*other] == groups[at]));
            }
        }
    }
    parts.into_iter().enumerate().map(|(at, part)| part.unwrap_or(at)).collect()
}

fn numbered(labels: &[usize]) -> (Vec<usize>, usize) {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let number = |label: &usize| {
        let next = numbers.len();
        *numbers.entry(*label).or_insert(next)
    };
    let numbered: Vec<usize> = labels.iter().map(number).collect();
    (numbered, numbers.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(nodes: usize, edges: &[(usize, usize, f64)]) -> Weights {
        let mut weights: Weights = vec![BTreeMap::new(); nodes];
        for (a, b, weight) in edges.iter().filter(|(a, b, _)| a != b) {
            *weights[*a].entry(*b).or_default() += weight;
            *weights[*b].entry(*a).or_default() += weight;
        }
        weights
    }

    #[test]
    fn groups_with_a_thin_bridge_are_apart_however_strongly_all_are_joined() {
        let edges: Vec<(usize, usize, f64)> = (0..5)
            .flat_map(|group| {
                let of = move |n: usize| group * 4 + n;
                let inner = (0..4).flat_map(move |a| (a + 1..4).map(move |b| (of(a), of(b), 1.0)));
                inner.chain([(of(3), of(4) % 20, 0.5)])
            })
            .collect();
        let expected: Vec<usize> = (0..20).map(|node| node / 4).collect();
        assert_eq!(groups(&graph(20, &edges)), expected);
    }

    #[test]
    fn each_node_keeps_its_strongest_joins_and_those_it_is_among_the_strongest_of() {
        // 0 and 1 by 3, both and 2 by 1; 3 and 4 hang on 0.
        let cliques = vec![(vec![0, 1], 2.0), (vec![0, 1, 2], 1.0), (vec![0, 3], 0.5), (vec![4, 0], 0.5)];
        let all = joins(5, &cliques, 9);
        assert_eq!(all[0], BTreeMap::from([(1, 3.0), (2, 1.0), (3, 0.5), (4, 0.5)]));
        assert_eq!(all[2], BTreeMap::from([(0, 1.0), (1, 1.0)]));
        let one = joins(5, &cliques, 1);
        assert_eq!(one[0], BTreeMap::from([(1, 3.0), (2, 1.0), (3, 0.5), (4, 0.5)]), "the strongest of theirs");
        assert_eq!(one[1], BTreeMap::from([(0, 3.0)]));
        assert_eq!(one[2], BTreeMap::from([(0, 1.0)]), "of equals the lower number");
    }

    #[test]
    fn what_is_kept_grows_with_the_nodes_and_not_with_their_square() {
        let cliques = [((0..400).collect(), 1.0), ((400..800).collect(), 1.0), (vec![0, 400], 0.5)];
        let weights = joins(800, &cliques, 20);
        let kept: usize = weights.iter().map(BTreeMap::len).sum();
        assert!(kept <= 2 * 800 * 20, "{kept}");
        let labels = groups(&weights);
        assert!(labels.iter().enumerate().all(|(node, label)| *label == usize::from(node >= 400)), "{labels:?}");
    }

    #[test]
    fn nodes_without_edges_stay_alone() {
        assert_eq!(groups(&graph(3, &[])), [0, 1, 2]);
        assert_eq!(groups(&graph(3, &[(0, 2, 1.0)])), [0, 1, 0]);
        assert_eq!(groups(&Vec::new()), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn joins_are_symmetric_and_within_bounds_all_of_them(
            cliques in prop::collection::vec((prop::collection::btree_set(0..12_usize, 2..6), 0.1..3.0), 0..12), most in 1..14_usize
        ) {
            let cliques: Vec<Clique> = cliques.into_iter().map(|(set, weight)| (set.into_iter().collect(), weight)).collect();
            let edges: Vec<(usize, usize, f64)> = cliques.iter().flat_map(|(members, weight)| {
                members.iter().enumerate().flat_map(move |(at, a)| members[at + 1..].iter().map(move |b| (*a, *b, *weight)))
            }).collect();
            let (all, kept) = (graph(12, &edges), joins(12, &cliques, most));
            for (node, near) in kept.iter().enumerate() {
                prop_assert!(near.iter().all(|(other, weight)| kept[*other].get(&node) == Some(weight) && all[node][other] == *weight));
                prop_assert!(near.len() >= all[node].len().min(most));
            }
            prop_assert!(most < 12 || kept == all);
        }

        #[test]
        fn every_group_is_connected_and_the_result_is_one(edges in prop::collection::vec((0..12_usize, 0..12_usize, 0.1..3.0), 0..40)) {
            let graph = graph(12, &edges);
            let found = groups(&graph);
            prop_assert_eq!(&found, &groups(&graph));
            prop_assert_eq!(numbered(&connected(&graph, &found)).0, found);
        }
    }
}
