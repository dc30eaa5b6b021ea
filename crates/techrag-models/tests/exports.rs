//! Exports of page networks as they are met: each loads, or says exactly why not.

use std::fs;

use techrag_models::{Error, Locator, Manifest, MultiVector, PageEncoder, PageInput, Pixels, Place};

use crate::places::{self, ALONE};

/// A place with the tiny network of that name.
fn place(variant: &str) -> Option<(tempfile::TempDir, Locator, Manifest)> {
    let (locator, manifest) = places::with(&[])?;
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("tiny-pages");
    fs::create_dir(&folder).unwrap();
    let exports = places::tiny().join("page-exports");
    fs::copy(exports.join(format!("{variant}.onnx")), folder.join("model.onnx")).unwrap();
    fs::copy(exports.join("tokenizer.json"), folder.join("tokenizer.json")).unwrap();
    let locator = Locator::new(std::iter::once(place.path()).chain(locator.places().iter().map(AsRef::as_ref)));
    Some((place, locator, manifest))
}

fn open(variant: &str) -> Option<Result<PageEncoder, Error>> {
    let (_place, locator, manifest) = place(variant)?;
    Some(PageEncoder::open(&locator, &manifest, "tiny-pages", ALONE))
}

/// A page of 8 × `height` pixels, dark above and light below.
fn picture(height: usize) -> Pixels {
    let bytes = (0..8 * height).flat_map(|at| [u8::try_from(at * 255 / (8 * height)).unwrap(); 3]).collect();
    Pixels::new(8, height, bytes).unwrap()
}

fn encoded(encoder: &PageEncoder, height: usize) -> Result<MultiVector, Error> {
    encoder.encode_page(&PageInput { picture: Some(&picture(height)), words: &[] })
}

fn far(a: &MultiVector, b: &MultiVector) -> f32 {
    assert_eq!(a.values.len(), b.values.len());
    a.values.iter().zip(&b.values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn masks_batches_and_types_may_be_any_an_exporter_writes() {
    let Some(plain) = open("plain") else { return };
    let plain = plain.unwrap();
    let (page, query) = (encoded(&plain, 8).unwrap(), plain.encode_query("slip tyre").unwrap());
    // User, four tiles with a mark and a place each, the whole, its end, page.
    assert_eq!(page.rows().len(), 1 + 4 * (2 + 4) + (2 + 4) + 1 + 1);
    assert_eq!(query.rows().len(), 4);
    for variant in ["no-mask", "bool-mask", "no-batch", "flat", "half", "five-tiles"] {
        let encoder = open(variant).unwrap().unwrap();
        let tolerance = if variant == "half" { 2e-3 } else { 1e-6 };
        assert!(far(&page, &encoded(&encoder, 8).unwrap()) < tolerance, "{variant}");
        assert!(far(&query, &encoder.encode_query("slip tyre").unwrap()) < tolerance, "{variant}");
    }
}

#[test]
fn an_export_that_cannot_be_used_says_why_when_it_opens() {
    for (variant, why) in [
        ("other-tile", "it takes tiles of shape [3, 6, 6]; the manifest says [3, 4, 4]"),
        ("half-pixels", "its input pixel_values is of f16; only f32 can be given"),
        ("blind", "it has no input pixel_values: it cannot see a page"),
        ("unknown-input", "unknown input past_key_values; known are input_ids, attention_mask, pixel_values"),
        ("two-outputs", "no output embeddings; it has logits, hidden"),
        ("no-ids", "unknown input tokens"),
        ("other-dim", "its output embeddings has 5 values a vector; the manifest says 4"),
        ("whole-output", "its output embeddings is of i64, not of f32 or f16"),
    ] {
        let Some(encoder) = open(variant) else { return };
        let error = encoder.err().unwrap_or_else(|| panic!("{variant} opened"));
        assert!(matches!(error, Error::File { .. }), "{variant}: {error:?}");
        assert!(error.to_string().contains(why), "{variant}: {error}");
        assert!(error.to_string().contains("model.onnx"), "{variant}: {error}");
    }
}

#[test]
fn an_export_that_fails_on_a_page_says_why_with_the_page() {
    for (variant, height, why) in [
        ("five-tiles", 4, "this export takes exactly 5 tiles, a page of 8 × 4 pixels makes 3"),
        ("five-tokens", 8, "this export takes input_ids of shape [-1, 5] only; here it is [1, 33]"),
    ] {
        let Some(encoder) = open(variant) else { return };
        let error = encoded(&encoder.unwrap(), height).unwrap_err();
        assert!(error.to_string().contains(why), "{variant}: {error}");
        assert!(error.is_about_a_text(), "{variant}: the next page may do better");
    }
}

#[test]
fn a_page_or_a_query_that_cannot_be_encoded_costs_itself_only() {
    let Some(encoder) = open("plain") else { return };
    let encoder = encoder.unwrap();
    let page = picture(8);
    let pages = [
        PageInput { picture: Some(&page), words: &[] },
        PageInput { picture: None, words: &["slip"] },
        PageInput { picture: Some(&page), words: &[] },
    ];
    let results = encoder.encode_pages(&pages);
    assert!(results[0].is_ok() && results[0].as_ref().unwrap() == results[2].as_ref().unwrap());
    let error = results[1].as_ref().unwrap_err();
    assert!(error.to_string().contains("the page has no picture"), "{error}");
    let error = encoder.encode_query("slip nan").unwrap_err();
    assert_eq!(error.to_string(), "tiny-pages: vector 1 is not finite");
    assert!(error.is_about_a_text());
}

#[test]
fn a_vector_knows_its_part_of_the_page() {
    let Some(encoder) = open("plain") else { return };
    let page = encoded(&encoder.unwrap(), 8).unwrap();
    let regions: Vec<[f32; 4]> = page
        .places
        .iter()
        .filter_map(|place| match place {
            Place::Region(region) => Some(*region),
            _ => None,
        })
        .collect();
    assert_eq!(regions.len(), 5 * 4);
    assert_eq!(regions[0], [0.0, 0.0, 0.25, 0.25]);
    // The second vector of the second tile, above at the right end.
    assert_eq!(regions[5], [0.75, 0.0, 1.0, 0.25]);
    // The last of the whole.
    assert_eq!(regions[19], [0.5, 0.5, 1.0, 1.0]);
}

#[test]
fn a_tokeniser_without_the_marks_of_tiles_and_a_file_cut_short_are_named() {
    let Some((place, locator, manifest)) = place("plain") else { return };
    let folder = place.path().join("tiny-pages");
    let refusal = || PageEncoder::open(&locator, &manifest, "tiny-pages", ALONE).err().unwrap().to_string();
    let whole = fs::read_to_string(folder.join("tokenizer.json")).unwrap();
    fs::write(folder.join("tokenizer.json"), whole.replace("<row_1_col_1>", "<other>")).unwrap();
    assert!(refusal().contains("it has no token <row_1_col_1>"), "{}", refusal());
    fs::write(folder.join("tokenizer.json"), whole).unwrap();
    let graph = fs::read(folder.join("model.onnx")).unwrap();
    fs::write(folder.join("model.onnx"), &graph[..graph.len() / 2]).unwrap();
    assert!(refusal().contains("model.onnx"), "{}", refusal());
}

#[test]
fn a_preparation_that_the_export_does_not_want_is_refused() {
    let Some((place, locator, manifest)) = place("plain") else { return };
    let path = place.path().join("tiny-pages/preprocessor_config.json");
    let opened = || PageEncoder::open(&locator, &manifest, "tiny-pages", ALONE);
    fs::write(&path, r#"{"size": {"longest_edge": 8}, "max_image_size": {"longest_edge": 4}, "resample": 1}"#).unwrap();
    assert!(opened().is_ok());
    for (config, why) in [
        (r#"{"size": {"longest_edge": 2048}}"#, "size is 2048; the manifest says 8"),
        (r#"{"image_std": [0.5, 0.5, 0.25]}"#, "image_std is [0.5, 0.5, 0.25]; the manifest says [0.5, 0.5, 0.5]"),
        (r#"{"resample": 3}"#, "resample is 3; the manifest says 1"),
        ("{", "EOF"),
    ] {
        fs::write(&path, config).unwrap();
        let error = opened().err().unwrap().to_string();
        assert!(error.contains(why) && error.contains("preprocessor_config.json"), "{error}");
    }
}

#[test]
fn pictures_are_checked_before_they_reach_a_network() {
    for (width, height, bytes) in [(0, 4, 0), (2, 2, 11), (usize::MAX, 3, 9)] {
        let error = Pixels::new(width, height, vec![0; bytes]).unwrap_err();
        assert!(matches!(error, Error::Picture { .. }), "{error}");
    }
}

#[test]
fn a_manifest_that_cannot_be_meant_is_refused_before_anything_is_opened() {
    let whole = fs::read_to_string(places::tiny().join("models.toml")).unwrap();
    let at = whole.find("id = \"tiny-pages\"").unwrap();
    let (others, ours) = whole.split_at(at);
    assert!(Manifest::parse(&whole).is_ok());
    for (from, to, why) in [
        ("longest_edge = 8", "longest_edge = 4000000000", "at most 16384"),
        ("longest_edge = 8", "longest_edge = 16384", "at most 64 tiles"),
        ("longest_edge = 8", "longest_edge = 2", "at most longest_edge"),
        ("tokens_a_tile = 4", "tokens_a_tile = 3", "a square number"),
        ("dim = 4", "dim = 0", "dim must be at least 1"),
        ("max_tokens = 12", "max_tokens = 0", "max_tokens must be at least 1"),
        ("User <image> page", "<image> <image>", "<image> once"),
        ("User <image> page", "User page", "<image> once"),
        ("mean = [0.5", "mean = [nan", "mean must be finite"),
        ("std = [0.5", "std = [0.0", "std must be positive"),
        ("id = \"tiny-pages\"", "id = \"../tiny\"", "cannot be the name of a folder"),
        ("tile = 4", "tiles = 4", "tile"),
    ] {
        assert!(ours.contains(from), "{from}");
        let error = Manifest::parse(&format!("{others}{}", ours.replacen(from, to, 1))).err();
        let error = error.unwrap_or_else(|| panic!("{to} was taken")).to_string();
        assert!(error.contains(why), "{to}: {error}");
    }
}

#[test]
fn a_query_without_room_for_a_word_and_a_file_that_is_missing_are_named() {
    let Some((place, locator, _)) = place("plain") else { return };
    let whole = fs::read_to_string(places::tiny().join("models.toml")).unwrap();
    let crowded = whole.replace("\"<end><end>\"", &format!("\"{}\"", "<end>".repeat(12)));
    let manifest = Manifest::parse(&crowded).unwrap();
    let error = PageEncoder::open(&locator, &manifest, "tiny-pages", ALONE).err().unwrap().to_string();
    assert!(error.contains("the manifest allows 12 in all"), "{error}");
    fs::remove_file(place.path().join("tiny-pages/model.onnx")).unwrap();
    let error = PageEncoder::open(&locator, &manifest, "tiny-pages", ALONE).err().unwrap();
    assert!(error.hint().is_some_and(|hint| hint.contains("tiny-pages with model.onnx, tokenizer.json")), "{error}");
}
