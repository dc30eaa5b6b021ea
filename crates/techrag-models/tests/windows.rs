//! Windows: every word piece is in one, none is longer than the model takes.

use techrag_core::record::Vectors;
use techrag_core::vector::Form;
use techrag_models::{ChunkEncoder, Error, Passage, SentenceEncoder, Side, Windows};

use crate::places::{self, ALONE};

const MINILM: &str = "all-MiniLM-L6-v2";

fn open(id: &str) -> Option<SentenceEncoder> {
    let (locator, manifest) = places::with(&[id])?;
    Some(SentenceEncoder::open(&locator, &manifest, id, ALONE).unwrap())
}

fn embed(id: &str, windows: Windows, texts: &[&str]) -> Vec<Result<Vectors, Error>> {
    let passages: Vec<_> = texts.iter().map(|text| Passage { context: "", text }).collect();
    ChunkEncoder::new(open(id).unwrap(), windows, Form::Base64).vectors(&passages).unwrap()
}

/// Checks the windows of a text and gives the number of tokens in each.
fn check(encoder: &SentenceEncoder, text: &str, most: usize) -> Vec<usize> {
    let windows = encoder.windows("", text).unwrap();
    let specials = encoder.tokens_in("").unwrap();
    let tokens: Vec<usize> = windows.iter().map(|bytes| encoder.tokens_in(&text[bytes.clone()]).unwrap()).collect();
    assert!(windows.windows(2).all(|pair| pair[0].end <= pair[1].start), "{windows:?} overlap");
    assert!(tokens.iter().all(|&count| count <= most), "{tokens:?}");
    let pieces: usize = tokens.iter().map(|count| count - specials).sum();
    assert_eq!(pieces, encoder.tokens_in(text).unwrap() - specials, "pieces were lost or made");
    tokens
}

#[test]
fn tokenizers_2091_windows_cover_all_tokens() {
    let Some(bug) = places::bug("tokenizers/2091_overflow.json") else { return };
    let Some(encoder) = open("tiny-encoder") else { return };
    let text = bug["text"].as_str().unwrap();
    // Twelve less two special tokens and one of the prefix.
    assert_eq!(check(&encoder, text, 11).len(), text.split_whitespace().count().div_ceil(9));
}

/// Nothing is cut by stride here, so that what panics in the tokeniser cannot be asked for.
#[test]
fn tokenizers_1326_a_text_of_many_times_the_length_is_cut_without_a_stride() {
    let Some(bug) = places::bug("tokenizers/1326_stride.json") else { return };
    let Some(encoder) = open("tiny-encoder") else { return };
    let text = bug["text"].as_str().unwrap();
    assert_eq!(check(&encoder, text, 11).len(), text.split_whitespace().count().div_ceil(9));
    assert_eq!(encoder.encode(Side::Passage, &[text]).unwrap()[0].len(), 4);
}

#[test]
fn a_long_text_loses_nothing_and_ends_in_no_stump() {
    let Some(encoder) = open(MINILM) else { return };
    let sentence = "At 4.2 kN the cornering stiffness C_α of the 205/55R16 tyre is ≈ 85 kN/rad (naïve Übermaß). ";
    for repeats in [1, 7, 8, 9, 25, 100] {
        let tokens = check(&encoder, &sentence.repeat(repeats), 256);
        let (least, most) = (tokens.iter().min().unwrap(), tokens.iter().max().unwrap());
        assert!(least * 10 >= most * 7, "uneven: {tokens:?}");
    }
}

#[test]
fn any_text_is_covered() {
    let Some(encoder) = open(MINILM) else { return };
    let alphabet: Vec<char> = "ab z.,-µαé\u{301}ß ﬁ 轮胎 🛞\n\t\u{0}\u{200b}İ0-9".chars().collect();
    // A linear congruential generator (Knuth): the texts are the same in every run.
    let mut state = 20_261_130_u64;
    for length in [0, 1, 5, 300, 900, 2500] {
        let text: String = (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                alphabet[usize::try_from(state >> 33).unwrap() % alphabet.len()]
            })
            .collect();
        check(&encoder, &text, 256);
    }
}

#[test]
fn a_chunk_has_a_vector_for_each_window() {
    let Some(encoder) = open(MINILM) else { return };
    let text = "The brush model divides the contact patch into adhesion and sliding. ".repeat(40);
    let ranges = encoder.windows("", &text).unwrap();
    let texts: Vec<&str> = ranges.iter().map(|range| &text[range.clone()]).collect();
    let expected = encoder.encode(Side::Passage, &texts).unwrap();
    let head = encoder.head("", &text).unwrap();
    let first = encoder.encode(Side::Passage, &[&text]).unwrap();

    let all = embed(MINILM, Windows::All, &[&text]).remove(0).unwrap();
    assert!(all.windows.len() > 1);
    assert_eq!((all.model.as_str(), all.dim), (MINILM, 384));
    let found: Vec<_> =
        all.windows.iter().map(|window| (window.start..window.end, window.vector.values.clone())).collect();
    assert_eq!(found, ranges.into_iter().zip(expected).collect::<Vec<_>>());

    let one = embed(MINILM, Windows::First, &[&text]).remove(0).unwrap();
    assert_eq!(one.windows.len(), 1);
    assert_eq!((one.windows[0].start..one.windows[0].end, &one.windows[0].vector.values), (head.clone(), &first[0]));
    assert_eq!(encoder.tokens_in(&text[head]).unwrap(), 256);
}

#[test]
fn a_bad_text_does_not_spoil_the_others() {
    if open("tiny-encoder").is_none() {
        return;
    }
    let found =
        embed("tiny-encoder", Windows::All, &["tyre slip", "nan", "angle force load wheel ".repeat(9).as_str()]);
    assert_eq!(found[0].as_ref().unwrap().windows.len(), 1);
    assert!(found[1].as_ref().unwrap_err().to_string().contains("not finite"));
    assert_eq!(found[2].as_ref().unwrap().windows.len(), 4);
}

#[test]
fn a_context_stands_before_every_window_and_costs_it_room() {
    let Some(encoder) = open("tiny-encoder") else { return };
    // Twelve less two special tokens and one of the prefix leave nine, two of them for a context.
    let (context, text) = (encoder.context("tyre slip angle").unwrap(), "tyre ".repeat(20));
    assert_eq!(context, "tyre slip");
    let windows = encoder.windows(context, &text).unwrap();
    assert_eq!(windows.len(), 20_usize.div_ceil(7));
    let expected: Vec<Vec<f32>> = windows
        .iter()
        .map(|range| SentenceEncoder::joined(context, &text[range.clone()]))
        .map(|joined| encoder.encode(Side::Passage, &[&joined]).unwrap().remove(0))
        .collect();
    let passage = Passage { context: "tyre slip angle", text: &text };
    let chunks = ChunkEncoder::new(encoder, Windows::All, Form::Base64);
    let vectors = chunks.vectors(&[passage]).unwrap().remove(0).unwrap();
    let ranges: Vec<_> = vectors.windows.iter().map(|window| window.start..window.end).collect();
    assert_eq!(ranges, windows, "windows are ranges of the text, not of what stands before it");
    assert!(vectors.windows.iter().zip(&expected).all(|(window, expected)| window.vector.values == *expected));
    let without = chunks.vectors(&[Passage { context: "", ..passage }]).unwrap().remove(0).unwrap();
    assert_ne!(without.windows[0].vector, vectors.windows[0].vector);
}
