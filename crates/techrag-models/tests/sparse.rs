//! Learned sparse vectors: by a tiny table whose weights are known, and by splade-tiny against numpy where it is there.

use std::collections::BTreeMap;

use serde::Deserialize;
use techrag_models::{Error, Limits, SparseEncoder, Terms};

use crate::places::{self, ALONE};

const TINY: &str = "tiny-sparse";
/// log(1 + 1), in thousandths.
const NEXT: f32 = 0.693;

fn open(id: &str, limits: Limits) -> Option<SparseEncoder> {
    let (locator, manifest) = places::with(&[id])?;
    Some(SparseEncoder::open(&locator, &manifest, id, limits).unwrap())
}

fn terms(of: &[(&str, f32)]) -> Terms {
    of.iter().map(|(term, weight)| ((*term).to_owned(), *weight)).collect()
}

fn encoded(encoder: &SparseEncoder, text: &str) -> Terms {
    encoder.encode(&[text]).unwrap().pop().unwrap()
}

#[test]
fn a_weight_is_the_greatest_of_its_word_and_what_is_below_zero_has_none() {
    let Some(encoder) = open(TINY, ALONE) else { return };
    assert_eq!(encoded(&encoder, "slip"), terms(&[("slip", 1.0), ("angle", NEXT)]));
    assert_eq!(encoded(&encoder, "slip angle"), terms(&[("slip", 1.0), ("angle", 1.0), ("force", NEXT)]));
    assert_eq!(encoded(&encoder, ""), Terms::new());
}

#[test]
fn a_long_text_is_read_to_its_end_and_its_heaviest_terms_are_kept() {
    let Some(encoder) = open(TINY, ALONE) else { return };
    // Twelve tokens a window, two of them special.
    let long = format!("{} slip", "road ".repeat(25));
    let expected = terms(&[("road", 1.0), ("model", NEXT), ("slip", 1.0), ("angle", NEXT)]);
    assert_eq!(encoded(&encoder, &long), expected);
    // Seven terms, of which five are kept: the heavy ones, then the first by name.
    assert_eq!(
        encoded(&encoder, "tyre slip braking sensor"),
        terms(&[("tyre", 1.0), ("slip", 1.0), ("braking", 1.0), ("sensor", 1.0), ("angle", NEXT)])
    );
}

#[test]
fn a_logit_that_is_no_number_is_that_text_s_fault() {
    let Some(encoder) = open(TINY, ALONE) else { return };
    let error = encoder.encode(&["slip", "nan"]).unwrap_err();
    assert!(matches!(error, Error::BadResult { text: 1, .. }) && error.is_about_a_text(), "{error}");
}

/// What a text gives depends on nothing that stands beside it: texts of every length up to three windows, in every
/// company.
#[test]
fn company_changes_nothing() {
    let Some(alone) = open(TINY, ALONE) else { return };
    let Some(together) = open(TINY, Limits { sessions: 2, batch: 4 }) else { return };
    let words = ["tyre", "slip", "angle", "road", "model", "wheel"];
    let text = |n: usize| (0..n % 31).map(|at| words[(at * at + n) % words.len()]).collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = (0..90).map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let one_by_one: Vec<Terms> = texts.iter().map(|text| encoded(&alone, text)).collect();
    for size in [2, 7, 90] {
        let found: Vec<Terms> = texts.chunks(size).flat_map(|texts| together.encode(texts).unwrap()).collect();
        assert_eq!(found, one_by_one, "{size} together");
    }
}

#[derive(Deserialize)]
struct Row {
    text: String,
    count: usize,
    terms: BTreeMap<String, f32>,
}

#[test]
fn splade_tiny_agrees_with_numpy() {
    let Some(encoder) = open("splade-tiny", ALONE) else { return };
    let rows: Vec<Row> = serde_json::from_str(include_str!("data/splade_reference.json")).unwrap();
    for row in rows {
        let found = encoded(&encoder, &row.text);
        assert!(found.len().abs_diff(row.count) <= 1, "{} terms of {} in {:?}", found.len(), row.count, row.text);
        for (term, weight) in row.terms {
            let here = found.get(&term).copied().unwrap_or_default();
            assert!((here - weight).abs() < 2e-3, "{term} {here} for {weight} in {:?}", row.text);
        }
    }
}

#[test]
fn another_kind_of_model_is_refused() {
    let Some((locator, manifest)) = places::with(&[]) else { return };
    let error = SparseEncoder::open(&locator, &manifest, "potion-base-8M", ALONE).err().unwrap();
    assert_eq!(error.to_string(), "potion-base-8M is not a sparse encoder");
}
