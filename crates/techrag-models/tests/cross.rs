//! Cross-encoders, by a tiny one of random weights: logits equal to numpy's, pairs never too long.

use serde::Deserialize;
use techrag_models::{CrossEncoder, Limits};

use crate::places::{self, ALONE};

const TINY: &str = "tiny-cross-encoder";

fn open(limits: Limits) -> Option<CrossEncoder> {
    let (locator, manifest) = places::with(&[TINY])?;
    Some(CrossEncoder::open(&locator, &manifest, TINY, limits).unwrap())
}

#[derive(Deserialize)]
struct Pair {
    query: String,
    passage: String,
    logit: f32,
}

fn reference() -> Vec<Pair> {
    serde_json::from_str(include_str!("data/tiny-cross-encoder/logits.json")).unwrap()
}

#[test]
fn logits_agree_with_numpy() {
    let Some(encoder) = open(ALONE) else { return };
    for pair in reference() {
        let logit = encoder.score(&pair.query, &[&pair.passage]).unwrap()[0];
        assert!((logit - pair.logit).abs() < 1e-4, "{logit} for {} of {:?}", pair.logit, pair.query);
    }
}

#[test]
fn scores_come_in_the_order_of_the_passages_and_not_of_their_company() {
    let Some(alone) = open(ALONE) else { return };
    let Some(together) = open(Limits { sessions: 2, batch: 8 }) else { return };
    let passages: Vec<String> = reference().into_iter().map(|pair| pair.passage).collect();
    let passages: Vec<&str> = passages.iter().map(String::as_str).cycle().take(40).collect();
    let expected: Vec<f32> = passages.iter().map(|passage| alone.score("road load", &[passage]).unwrap()[0]).collect();
    assert!(expected.iter().any(|logit| *logit != expected[0]), "the passages matter");
    assert_eq!(together.score("road load", &passages).unwrap(), expected);
    assert!(together.score("road load", &[]).unwrap().is_empty());
}

#[test]
fn tokenizers_174_a_pair_is_never_longer_than_the_model_takes() {
    let Some(bug) = places::bug("tokenizers/174_pair.json") else { return };
    let Some(encoder) = open(ALONE) else { return };
    let most = usize::try_from(bug["max_length"].as_u64().unwrap()).unwrap();
    for pair in bug["pairs"].as_array().unwrap() {
        let [query, passage] = places::strings(pair)[..] else { panic!("not a pair") };
        assert!(encoder.tokens_seen(query, passage).unwrap() <= most);
        assert!(encoder.score(query, &[passage]).unwrap()[0].is_finite());
    }
}

#[test]
fn the_end_of_a_passage_is_what_gives_way() {
    let Some(encoder) = open(ALONE) else { return };
    let passage = "tyre ".repeat(200);
    assert_eq!(encoder.tokens_seen("road load", &passage).unwrap(), 128);
    let longer = format!("{passage} friction");
    assert_eq!(encoder.score("road load", &[&passage]).unwrap(), encoder.score("road load", &[&longer]).unwrap());
}
