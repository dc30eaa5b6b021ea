//! One work, one row: records of several sources grouped, merged and linked.
//!
//! Records that are [`Verdict::Same`] are united; those that are [`Verdict::Version`] stay apart and one names the
//! other, the published one in front. The order in which records come does not change the result.

mod judge;
mod merge;
mod title;

use std::collections::BTreeMap;

use techrag_core::record::{Work, WorkVersion};

use judge::{Reading, verdict};
pub use judge::{Verdict, judge};
pub(crate) use merge::work_id;

/// A group of records that are one work.
#[derive(Clone, Debug, Default)]
struct Group {
    members: Vec<usize>,
    dois: Vec<String>,
}

/// The works behind some records, in an order that depends on nothing but their content; preprints of a published
/// work among them stand in its `versions`.
pub fn merged(mut records: Vec<Work>) -> Vec<Work> {
    // A canonical order first: equal inputs in another order then take the same way through.
    records.sort_by_cached_key(canonical);
    records.dedup();
    let readings: Vec<Reading<'_>> = records.iter().map(Reading::of).collect();
    let verdicts = compared(&readings);
    let groups = united(&readings, &verdicts);
    let mut works: Vec<Work> =
        groups.iter().map(|group| merge::merge(group.members.iter().map(|at| &records[*at]))).collect();
    let links = linked(&groups, &verdicts);
    fold_versions(&mut works, &links);
    works.sort_by_cached_key(canonical);
    works
}

fn canonical(work: &Work) -> (String, String, String) {
    let ids = work.ids.iter().map(|(kind, ids)| format!("{kind}:{}", ids.join(","))).collect::<Vec<_>>().join(";");
    let rest = serde_json::to_string(work).unwrap_or_default();
    (title::Title::of(&work.title).key, ids, rest)
}

/// Every pair that is not different. Pairs with neither an identifier nor a word of the title in common are not looked
/// at.
fn compared(readings: &[Reading<'_>]) -> BTreeMap<(usize, usize), Verdict> {
    let mut blocks: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, reading) in readings.iter().enumerate() {
        let words = longest_words(&reading.title().key).into_iter().map(|word| format!("word:{word}"));
        for block in reading.names().chain(words) {
            blocks.entry(block).or_default().push(at);
        }
    }
    let mut pairs = BTreeMap::new();
    for block in blocks.values() {
        for (n, one) in block.iter().enumerate() {
            for other in &block[n + 1..] {
                let pair = (*one.min(other), *one.max(other));
                if pair.0 != pair.1 {
                    pairs.entry(pair).or_insert_with(|| verdict(&readings[pair.0], &readings[pair.1]));
                }
            }
        }
    }
    pairs.retain(|_, verdict| *verdict != Verdict::Different);
    pairs
}

/// The four longest words: titles that are nearly equal have one of them in common.
fn longest_words(key: &str) -> Vec<&str> {
    let mut words: Vec<&str> = key.split(' ').filter(|word| !word.is_empty()).collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    words.dedup();
    words.truncate(4);
    words
}

/// Union over the pairs that are the same; a union that would put two DOIs into one group is not made.
fn united(readings: &[Reading<'_>], verdicts: &BTreeMap<(usize, usize), Verdict>) -> Vec<Group> {
    let mut of: Vec<usize> = (0..readings.len()).collect();
    let doi = |reading: &Reading<'_>| reading.doi.clone().into_iter().collect();
    let mut groups: Vec<Group> =
        readings.iter().enumerate().map(|(at, reading)| Group { members: vec![at], dois: doi(reading) }).collect();
    let mut pairs: Vec<(usize, usize)> =
        verdicts.iter().filter(|(_, verdict)| **verdict == Verdict::Same).map(|(pair, _)| *pair).collect();
    // Pairs that share a DOI first: what they decide, a title may not undo.
    pairs.sort_by_key(|pair| (readings[pair.0].doi.is_none() || readings[pair.0].doi != readings[pair.1].doi, *pair));
    for (a, b) in pairs {
        let (to, from) = (of[a].min(of[b]), of[a].max(of[b]));
        if to == from {
            continue;
        }
        let mut dois = groups[to].dois.clone();
        dois.extend(groups[from].dois.iter().filter(|doi| !groups[to].dois.contains(doi)).cloned());
        if dois.len() > 1 {
            continue;
        }
        let members = std::mem::take(&mut groups[from].members);
        members.iter().for_each(|member| of[*member] = to);
        groups[to].members.extend(members);
        groups[to].dois = dois;
    }
    groups.retain(|group| !group.members.is_empty());
    groups
}

/// Pairs of groups of which some members are versions of one another (or the same, where a union was not made).
fn linked(groups: &[Group], verdicts: &BTreeMap<(usize, usize), Verdict>) -> Vec<(usize, usize)> {
    let of: BTreeMap<usize, usize> = groups
        .iter()
        .enumerate()
        .flat_map(|(at, group)| group.members.iter().map(move |member| (*member, at)))
        .collect();
    let mut links: Vec<(usize, usize)> = verdicts
        .keys()
        .filter_map(|(a, b)| Some((*of.get(a)?, *of.get(b)?)))
        .filter(|(a, b)| a != b)
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect();
    links.sort_unstable();
    links.dedup();
    links
}

/// Puts each version behind the work that stands for it: published before preprint, then with an abstract, then by
/// title and identifiers. What stands behind another heads nothing itself, so that nothing is lost.
fn fold_versions(works: &mut Vec<Work>, links: &[(usize, usize)]) {
    let rank: Vec<_> =
        works.iter().map(|work| (Reading::of(work).is_preprint(), work.summary.is_none(), canonical(work))).collect();
    let mut order: Vec<usize> = (0..works.len()).collect();
    order.sort_by(|a, b| rank[*a].cmp(&rank[*b]));
    let mut behind: Vec<Option<usize>> = vec![None; works.len()];
    let mut seen = vec![false; works.len()];
    for at in &order {
        let neighbours = links.iter().filter_map(|(a, b)| if a == at { Some(*b) } else { (b == at).then_some(*a) });
        let heads = neighbours.filter(|other| seen[*other] && behind[*other].is_none());
        behind[*at] = heads.min_by(|a, b| rank[*a].cmp(&rank[*b]));
        seen[*at] = true;
    }
    for tail in 0..works.len() {
        if let Some(head) = behind[tail] {
            let (version, sources) = (version(&works[tail], &works[head].title), works[tail].sources.clone());
            name_version(&mut works[head], version, sources);
        }
    }
    let mut behind = behind.into_iter();
    works.retain(|_| behind.next().flatten().is_none());
    works.iter_mut().for_each(|work| work.versions.sort_by(|a, b| (&a.doi, a.year).cmp(&(&b.doi, b.year))));
}

/// A version that a source only named by its DOI is replaced by what is known of it.
fn name_version(head: &mut Work, version: WorkVersion, sources: Vec<String>) {
    match head.versions.iter_mut().find(|own| own.doi.is_some() && own.doi == version.doi) {
        Some(own) => *own = version,
        None => head.versions.push(version),
    }
    head.sources.extend(sources);
    head.sources.sort();
    head.sources.dedup();
}

fn version(work: &Work, title: &str) -> WorkVersion {
    WorkVersion {
        title: (work.title != title).then(|| work.title.clone()),
        year: work.year,
        doi: work.doi.clone(),
        kind: work.kind.clone(),
        venue: work.venue.clone(),
    }
}

#[cfg(test)]
mod pairs_tests;
#[cfg(test)]
mod tests;
