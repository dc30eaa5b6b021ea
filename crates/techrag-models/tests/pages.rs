//! Page encoders as their users see them.

use techrag_models::{Error, Limits, Looks, MultiVector, PageEncoder, PageInput, Place};

use crate::places::{self, ALONE};

const MINILM: &str = "all-MiniLM-L6-v2";

fn open(limits: Limits) -> Option<PageEncoder> {
    let (locator, manifest) = places::with(&[MINILM])?;
    Some(PageEncoder::open(&locator, &manifest, MINILM, limits).unwrap())
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn max_sim(query: &MultiVector, page: &MultiVector) -> f32 {
    query.rows().map(|row| page.rows().map(|other| dot(row, other)).fold(-1.0, f32::max)).sum()
}

const WORDS: [&str; 9] = ["The", "tyre's", "slip", "angle", "is", "estimated", "by", "unscented", "filtering"];

#[test]
fn the_embedded_encoder_gives_every_piece_of_a_word_a_unit_vector_that_knows_it() {
    let Some(encoder) = open(ALONE) else { return };
    assert_eq!((encoder.dim(), encoder.looks()), (128, Looks::Words));
    assert_eq!(encoder.profile(), "words minilm-pca128-v1");
    let page = encoder.encode_page(&PageInput { words: &WORDS, ..PageInput::default() }).unwrap();
    assert_eq!(page.rows().len(), page.places.len());
    assert!(page.rows().all(|row| row.len() == 128 && (dot(row, row) - 1.0).abs() < 1e-5));
    let mut words: Vec<usize> = Vec::new();
    for place in &page.places {
        let Place::Word(word) = place else { panic!("{place:?}") };
        words.push(*word);
    }
    assert!(words.is_sorted(), "reading order: {words:?}");
    words.dedup();
    assert_eq!(words, [0, 1, 2, 3, 4, 5, 6, 7, 8], "every word has one");
}

#[test]
fn a_query_finds_the_page_that_speaks_of_it() {
    let Some(encoder) = open(ALONE) else { return };
    let other = ["Matrices", "are", "multiplied", "in", "blocks", "to", "use", "the", "cache"];
    let pages = [&WORDS, &other].map(|words| PageInput { words, ..PageInput::default() });
    let pages: Vec<MultiVector> = encoder.encode_pages(&pages).into_iter().map(Result::unwrap).collect();
    let query = encoder.encode_query("estimating the slip of tires").unwrap();
    assert!(query.places.is_empty());
    assert!(max_sim(&query, &pages[0]) > max_sim(&query, &pages[1]) + 0.5);
}

#[test]
fn a_long_page_is_read_to_its_end_and_an_empty_one_has_no_vector() {
    let Some(encoder) = open(ALONE) else { return };
    let long: Vec<&str> = WORDS.iter().copied().cycle().take(900).collect();
    let page = encoder.encode_page(&PageInput { words: &long, ..PageInput::default() }).unwrap();
    assert_eq!(page.places.last(), Some(&Place::Word(899)));
    let empty = encoder.encode_page(&PageInput::default()).unwrap();
    assert!(empty.values.is_empty() && empty.places.is_empty());
    assert!(encoder.encode_query("").unwrap().values.is_empty());
}

#[test]
fn threads_and_company_never_change_a_bit_of_a_page() {
    let Some(alone) = open(ALONE) else { return };
    let Some(together) = open(Limits { sessions: 2, batch: 16 }) else { return };
    let texts: Vec<Vec<&str>> = (1..8).map(|n| WORDS.iter().copied().cycle().take(n * 40).collect()).collect();
    let pages: Vec<PageInput<'_>> = texts.iter().map(|words| PageInput { words, ..PageInput::default() }).collect();
    let found: Vec<MultiVector> = together.encode_pages(&pages).into_iter().map(Result::unwrap).collect();
    for (page, found) in pages.iter().zip(found) {
        assert!(alone.encode_page(page).unwrap() == found);
    }
}

#[test]
fn a_model_of_another_kind_and_one_that_must_be_made_are_refused_with_what_to_do() {
    let Some((locator, manifest)) = places::with(&[]) else { return };
    let error = |id: &str| PageEncoder::open(&locator, &manifest, id, ALONE).err().unwrap();
    assert_eq!(error("ms-marco-MiniLM-L-6-v2").to_string(), "ms-marco-MiniLM-L-6-v2 is not a page encoder");
    let missing = error("colSmol-500M");
    assert!(matches!(missing, Error::Missing { .. }), "{missing}");
    assert!(missing.hint().unwrap().contains("pipelines/export-colsmol.py"), "{missing:?}");
}
