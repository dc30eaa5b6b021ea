//! Files that are there and wrong: errors that name the file, never a panic.

use std::fs;
use std::path::Path;

use techrag_models::{CrossEncoder, Error, Locator, Manifest, SentenceEncoder};

use crate::places::{self, ALONE};

/// A place with copies of the tiny models, and the places of the runtime after it.
fn copy() -> Option<(tempfile::TempDir, Locator, Manifest)> {
    let (locator, manifest) = places::with(&["tiny-encoder"])?;
    let place = tempfile::tempdir().unwrap();
    for id in ["tiny-encoder", "tiny-cross-encoder"] {
        fs::create_dir(place.path().join(id)).unwrap();
        for name in ["model.onnx", "tokenizer.json"] {
            fs::copy(places::tiny().join(id).join(name), place.path().join(id).join(name)).unwrap();
        }
    }
    let locator = Locator::new(std::iter::once(place.path()).chain(locator.places().iter().map(AsRef::as_ref)));
    Some((place, locator, manifest))
}

fn refusal(locator: &Locator, manifest: &Manifest, id: &str) -> Error {
    match id {
        "tiny-encoder" => SentenceEncoder::open(locator, manifest, id, ALONE).err().expect("refused"),
        _ => CrossEncoder::open(locator, manifest, id, ALONE).err().expect("refused"),
    }
}

#[test]
fn a_file_that_is_no_graph_or_tokeniser_is_named() {
    for id in ["tiny-encoder", "tiny-cross-encoder"] {
        for name in ["model.onnx", "tokenizer.json"] {
            let Some((place, locator, manifest)) = copy() else { return };
            let path = place.path().join(id).join(name);
            fs::write(&path, "{}").unwrap();
            let error = refusal(&locator, &manifest, id);
            assert!(error.to_string().contains(&path.display().to_string()), "{error}");
            assert!(error.hint().unwrap().contains("make models"));
        }
    }
}

#[test]
fn a_graph_without_the_output_of_the_manifest_says_which_it_has() {
    let Some((place, locator, manifest)) = copy() else { return };
    let graph = |id: &str| place.path().join(id).join("model.onnx");
    fs::copy(graph("tiny-encoder"), graph("tiny-cross-encoder")).unwrap();
    let error = refusal(&locator, &manifest, "tiny-cross-encoder").to_string();
    assert!(error.contains("no output logits; it has last_hidden_state"), "{error}");
}

#[test]
fn an_output_of_another_dimension_is_refused() {
    let Some((_place, locator, _)) = copy() else { return };
    let text = fs::read_to_string(places::tiny().join("models.toml")).unwrap().replace("dim = 4", "dim = 5");
    let runtime = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("models.toml")).unwrap();
    let manifest = Manifest::parse(&format!("{text}\n{runtime}")).unwrap();
    let encoder = SentenceEncoder::open(&locator, &manifest, "tiny-encoder", ALONE).unwrap();
    let error = encoder.encode(techrag_models::Side::Query, &["tyre"]).unwrap_err().to_string();
    assert_eq!(error, "tiny-encoder: output last_hidden_state has shape [1, 3, 4], expected [1, 3, 5]");
}

#[test]
fn tokenizers_1326_a_length_without_room_is_an_error_when_opening() {
    let Some((_place, locator, _)) = copy() else { return };
    let text =
        fs::read_to_string(places::tiny().join("models.toml")).unwrap().replace("max_tokens = 12", "max_tokens = 3");
    let runtime = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("models.toml")).unwrap();
    let manifest = Manifest::parse(&format!("{text}\n{runtime}")).unwrap();
    assert!(refusal(&locator, &manifest, "tiny-encoder").to_string().contains("no room for a Passage"));
}
