//! `pipelines/fetch-models.py`: verified by digest, atomic, sources in turn. The hub is a folder here, so that no network
//! is needed.

use std::path::PathBuf;

use crate::harness::{Place, Run};

const MANIFEST: &str = r#"
[[model]]
id = "needed"
kind = "cross-encoder"
fetch = "required"
revision = "1"
licence = "MIT"
[[model.source]]
with = "hub"
repository = "gone/away"
commit = "c0"
files = [{ name = "model.onnx", member = "onnx/model.onnx", sha256 = "DIGEST" }]
[[model.source]]
with = "hub"
repository = "our/model"
commit = "c1"
files = [{ name = "model.onnx", member = "onnx/model.onnx", sha256 = "DIGEST" }]

[[model]]
id = "nice"
kind = "cross-encoder"
fetch = "optional"
revision = "1"
licence = "MIT"
[[model.source]]
with = "hub"
repository = "gone/away"
commit = "c0"
files = [{ name = "model.onnx", member = "m.onnx" }]
"#;

/// sha256 of `weights`, by sha256sum.
const DIGEST: &str = "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c";

/// A manifest and a hub with one file in a place.
struct Hub(Place);

impl Hub {
    fn new(digest: &str) -> Self {
        let place = Place::new();
        place.file("hub/our/model/resolve/c1/onnx/model.onnx", "weights");
        place.file("models.toml", &MANIFEST.replace("DIGEST", digest));
        Self(place)
    }

    fn fetch(&self, arguments: &str) -> Run {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/pipelines/fetch-models.py");
        let here = self.0.path().display();
        self.0.shell(&format!("HF_ENDPOINT=file://{here}/hub {script} --manifest models.toml --dir into {arguments}"))
    }

    fn fetched(&self) -> PathBuf {
        self.0.path().join("into/needed/model.onnx")
    }
}

#[test]
fn sources_are_tried_in_turn_and_an_optional_model_is_a_note() {
    let hub = Hub::new(DIGEST);
    let said = hub.fetch("").ok();
    assert_eq!(std::fs::read_to_string(hub.fetched()).expect("fetched"), "weights");
    for expected in ["not from here", "from hub our/model", "nice: optional"] {
        assert!(said.stderr.contains(expected), "{expected}: {said}");
    }
    let again = hub.fetch("--only needed").ok();
    assert!(again.stderr.contains("there and verified") && !again.stderr.contains("from hub"), "{again}");
    let named = hub.fetch("--only nice");
    assert_eq!(named.code, 1, "what is asked for by name must come: {named}");
}

#[test]
fn a_wrong_digest_brings_nothing() {
    let hub = Hub::new(&"0".repeat(64));
    let said = hub.fetch("");
    assert_eq!(said.code, 1, "{said}");
    assert!(said.stderr.contains(DIGEST) && said.stderr.contains("not there: needed"), "{said}");
    assert!(!hub.fetched().exists());
}

#[test]
fn what_was_changed_is_noticed_and_replaced() {
    let hub = Hub::new(DIGEST);
    let _ = hub.fetch("").ok();
    std::fs::write(hub.fetched(), "other").expect("written");
    let said = hub.fetch("--check");
    assert_eq!(said.code, 1, "{said}");
    assert!(said.stderr.contains("expected"), "{said}");
    let _ = hub.fetch("").ok();
    assert_eq!(std::fs::read_to_string(hub.fetched()).expect("fetched"), "weights");
    assert_eq!(std::fs::read_dir(hub.fetched().parent().expect("a folder")).expect("read").count(), 2, "file, receipt");
}

#[test]
fn an_unpinned_file_is_held_to_the_digest_of_its_receipt() {
    let hub = Hub::new(DIGEST);
    hub.0.file("hub/gone/away/resolve/c0/m.onnx", "more weights");
    let said = hub.fetch("--only nice").ok();
    assert!(said.stderr.contains("unpinned"), "{said}");
    let _ = hub.fetch("--check --only nice").ok();
    hub.0.file("into/nice/model.onnx", "changed");
    assert_eq!(hub.fetch("--check --only nice").code, 1);
}

#[test]
fn a_manifest_with_an_unknown_key_or_a_name_it_lacks_is_refused() {
    let hub = Hub::new(DIGEST);
    assert_eq!(hub.fetch("--only oracle").code, 2);
    hub.0.file("models.toml", &MANIFEST.replace("repository = \"our/model\"", "repo = \"our/model\""));
    let said = hub.fetch("");
    assert!(said.code != 0 && said.stderr.contains("unknown key repo"), "{said}");
}
