//! Guardrail 2 by rules: sources beside the topic, terms nobody holds, sentences that disagree.
//!
//! | finding | rule |
//! |---|---|
//! | off topic | the passages and the title of the source hold less than [`OFF_TOPIC`] of those terms of the question that any source holds, weighed by their rarity among the sources |
//! | gap | a content term of the question that stands in no passage, title or section |
//! | contradiction | two chosen sentences of different papers share at least [`ALIKE`] of their content words and give, in the same unit, numbers of which none agrees |

use std::collections::BTreeSet;

use techrag_core::lexical::{self, Bag, Idf, Term};
use techrag_core::quantity::{Quantity, quantities};
use techrag_core::record::{EvidenceSentence, Source, Verification};
use techrag_core::token::{Config, tokens};

use crate::clean;

/// Share of the question's terms below which a source is beside the topic.
const OFF_TOPIC: f64 = 0.25;
/// Share of common words (Jaccard) from which two sentences speak of the same thing.
const ALIKE: f64 = 0.4;
/// Most pairs named.
const MOST: usize = 5;
/// Sentences compared with each other, in the order of the sources: more than ten papers have. Half a million pairs.
pub(super) const COMPARED: usize = 1000;

/// What is doubtful about the evidence.
pub(super) fn verify(question: &str, sources: &[Source]) -> Verification {
    let terms = lexical::terms(question);
    let bags: Vec<Bag> = sources.iter().map(words).collect();
    let idf = Idf::of(&bags);
    let (gaps, known): (Vec<Term>, Vec<Term>) =
        terms.into_iter().partition(|term| bags.iter().all(|bag| bag.holds(term) == 0.0));
    let off_topic = sources
        .iter()
        .zip(&bags)
        .filter(|(_, bag)| !known.is_empty() && lexical::coverage(&known, &idf, |term| bag.holds(term)) < OFF_TOPIC);
    Verification {
        off_topic: off_topic.map(|(source, _)| source.n).collect(),
        gaps: gaps.into_iter().map(|term| term.word).collect(),
        contradictions: contradictions(sources),
        by: "rules/1".into(),
        extra: Default::default(),
    }
}

/// The words of a source: its title, and the passages with their headings.
pub(super) fn words(source: &Source) -> Bag {
    let passages = source.passages.iter().map(|passage| format!("{}\n{}", passage.section, passage.text));
    Bag::alike(&passages.chain([source.title.clone()]).collect::<Vec<_>>().join("\n"))
}

fn contradictions(sources: &[Source]) -> Vec<String> {
    let chosen: Vec<(&Source, &EvidenceSentence, BTreeSet<String>, Vec<Quantity>)> = sources
        .iter()
        .flat_map(|source| source.sentences.iter().map(move |sentence| (source, sentence)))
        .take(COMPARED)
        .map(|(source, sentence)| {
            let words = tokens(&sentence.text, Config::WORDS).into_iter();
            let words = words.filter(|word| !word.chars().any(|c| c.is_ascii_digit())).collect();
            (source, sentence, words, quantities(&sentence.text))
        })
        .collect();
    let mut found = Vec::new();
    for (at, one) in chosen.iter().enumerate() {
        for other in &chosen[at + 1..] {
            if found.len() == MOST {
                return found;
            }
            if one.0.n == other.0.n || alike(&one.2, &other.2) < ALIKE {
                continue;
            }
            if let Some((a, b)) = disagreement(&one.3, &other.3) {
                found.push(format!(
                    "SOURCE {} says {a} where SOURCE {} says {b}: \"{}\" against \"{}\"",
                    one.0.n,
                    other.0.n,
                    clean::line(&one.1.text),
                    clean::line(&other.1.text)
                ));
            }
        }
    }
    found
}

fn alike(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let common = a.intersection(b).count();
    let all = a.union(b).count();
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

/// The first unit in which both give numbers and no two of them agree.
fn disagreement(a: &[Quantity], b: &[Quantity]) -> Option<(String, String)> {
    a.iter().filter(|one| one.unit.is_some()).find_map(|one| {
        let rivals: Vec<&Quantity> = b.iter().filter(|other| other.unit == one.unit).collect();
        let agreed = a.iter().filter(|x| x.unit == one.unit).any(|x| rivals.iter().any(|other| other.agrees(x)));
        let rival = rivals.first().filter(|_| !agreed)?;
        Some((written(one), written(rival)))
    })
}

fn written(quantity: &Quantity) -> String {
    format!("{} {}", quantity.value, quantity.unit.unwrap_or_default()).trim_end().to_owned()
}
