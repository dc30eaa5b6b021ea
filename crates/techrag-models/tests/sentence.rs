//! Sentence encoders: parity with the reference, the same bytes in any company, no bad vector.

use serde::Deserialize;
use techrag_models::{Error, Limits, SentenceEncoder, Side};

use crate::places::{self, ALONE};

const MINILM: &str = "all-MiniLM-L6-v2";
const POTION: &str = "potion-base-8M";

fn open(id: &str, limits: Limits) -> Option<SentenceEncoder> {
    let (locator, manifest) = places::with(&[id])?;
    Some(SentenceEncoder::open(&locator, &manifest, id, limits).unwrap())
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[derive(Deserialize)]
struct Reference {
    text: String,
    vector: Vec<f32>,
}

#[test]
fn minilm_agrees_with_numpy_on_the_same_weights() {
    let Some(encoder) = open(MINILM, ALONE) else { return };
    agrees(&encoder, include_str!("data/minilm_reference.json"));
}

#[test]
fn potion_agrees_with_numpy_on_the_same_table() {
    let Some(encoder) = open(POTION, ALONE) else { return };
    assert_eq!(encoder.dim(), 256);
    agrees(&encoder, include_str!("data/potion_reference.json"));
}

fn agrees(encoder: &SentenceEncoder, reference: &str) {
    let reference: Vec<Reference> = serde_json::from_str(reference).unwrap();
    let texts: Vec<&str> = reference.iter().map(|row| row.text.as_str()).collect();
    for (row, vector) in reference.iter().zip(encoder.encode(Side::Passage, &texts).unwrap()) {
        let cosine = dot(&row.vector, &vector);
        assert!(cosine >= 0.9999, "{cosine} for {:?}", row.text);
        let worst = row.vector.iter().zip(&vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst < 2e-6, "{worst} for {:?}", row.text);
    }
}

#[test]
fn company_and_threads_never_change_a_bit() {
    let Some(alone) = open(MINILM, ALONE) else { return };
    let Some(together) = open(MINILM, Limits { sessions: 2, batch: 16 }) else { return };
    // Many of equal length, so that batches form, and others beside them.
    let mut texts: Vec<String> = (0..20).map(|n| format!("the load on wheel {} is high", n % 10)).collect();
    texts.extend((1..30).map(|n| "slip angle ".repeat(n * 4)));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let expected: Vec<Vec<f32>> =
        texts.iter().map(|text| alone.encode(Side::Passage, &[text]).unwrap().remove(0)).collect();
    assert!(expected == together.encode(Side::Passage, &texts).unwrap(), "a vector depends on its company");
}

#[test]
fn fastembed_107_batch_size_changes_nothing() {
    let Some(bug) = places::bug("embed/fastembed_107_batch.json") else { return };
    let texts = places::strings(&bug["texts"]);
    let sizes = bug["batch_sizes"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap());
    let vectors = sizes.filter_map(|size| {
        let encoder = open(MINILM, Limits { sessions: 1, batch: usize::try_from(size).unwrap() })?;
        Some(encoder.encode(Side::Passage, &texts).unwrap())
    });
    let vectors: Vec<_> = vectors.collect();
    assert!(vectors.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn odd_texts_have_finite_vectors_of_length_one() {
    let Some(encoder) = open(MINILM, ALONE) else { return };
    if let Some(bug) = places::bug("embed/nan_and_zero.json") {
        let known = ["empty string", "spaces only", "\0", "one 100k-token text", "emoji only 🛞🛞🛞"];
        assert_eq!(places::strings(&bug["cases"]), known, "each is among the texts below");
    }
    let long = "tread ".repeat(100_000);
    for text in ["", "   ", "\0", &long, "🛞🛞🛞", "\u{200b}\u{feff}", "ﬁ ﬂ \u{301}"] {
        let vector = encoder.encode(Side::Passage, &[text]).unwrap().remove(0);
        let length = dot(&vector, &vector).sqrt();
        assert!((length - 1.0).abs() < 1e-5, "{length} for {:?}", text.chars().take(20).collect::<String>());
    }
}

#[test]
fn a_vector_that_is_not_a_number_or_zero_is_refused_by_name() {
    let Some(encoder) = open("tiny-encoder", Limits { sessions: 2, batch: 4 }) else { return };
    assert_eq!(encoder.encode(Side::Query, &["tyre", "slip"]).unwrap().len(), 2);
    for (texts, problem) in [(["tyre", "nan"], "not finite"), (["tyre", "zero"], "zero")] {
        let error = encoder.encode(Side::Query, &texts).unwrap_err();
        assert!(matches!(&error, Error::BadResult { text: 1, problem: found, .. } if *found == problem), "{error}");
        assert!(error.is_about_a_text());
        assert_eq!(error.to_string(), format!("tiny-encoder: the result for text 1 is {problem}"));
    }
}

#[test]
fn a_prefix_stands_before_passages_only_where_the_manifest_says_so() {
    let Some(encoder) = open("tiny-encoder", ALONE) else { return };
    let [query, passage, spelt_out] = [(Side::Query, "tyre"), (Side::Passage, "tyre"), (Side::Query, "the tyre")]
        .map(|(side, text)| encoder.encode(side, &[text]).unwrap().remove(0));
    assert_ne!(query, passage);
    assert_eq!(passage, spelt_out);
}

#[test]
fn the_tokeniser_files_truncation_and_padding_are_off() {
    // The file says truncation 8 and padding 16; the manifest says 12.
    let Some(encoder) = open("tiny-encoder", ALONE) else { return };
    let of = |text: &str| encoder.encode(Side::Query, &[text]).unwrap().remove(0);
    assert_eq!(encoder.tokens_in("tyre").unwrap(), 3, "no padding");
    let [nine, ten, eleven] = [9, 10, 11].map(|n| of(&format!("{}slip", "tyre ".repeat(n - 1))));
    assert_ne!(nine, ten, "the tenth word counts");
    assert_eq!(eleven, of(&"tyre ".repeat(10)), "the eleventh is cut off");
}

#[test]
fn a_text_without_a_known_word_has_no_direction_in_a_table() {
    let Some(encoder) = open(POTION, ALONE) else { return };
    for text in ["", "  ", "🛞🛞🛞"] {
        let error = encoder.encode(Side::Passage, &["slip", text]).unwrap_err();
        assert!(matches!(error, Error::BadResult { text: 1, problem: "zero", .. }), "{error}");
    }
    let long = "tread ".repeat(100_000);
    assert_eq!(encoder.windows("", &long).unwrap().len(), 100_000_usize.div_ceil(256));
}

#[test]
fn quantised_networks_never_share_a_run() {
    let id = "bge-small-en-v1.5-int8";
    let Some(alone) = open(id, ALONE) else { return };
    let Some(together) = open(id, Limits { sessions: 2, batch: 16 }) else { return };
    let texts = ["load on wheel 1", "load on wheel 2", "load on wheel 3"];
    let expected: Vec<_> = texts.iter().map(|text| alone.encode(Side::Passage, &[text]).unwrap().remove(0)).collect();
    assert!(expected == together.encode(Side::Passage, &texts).unwrap(), "a vector depends on its company");
}
