//! Where the tests find models.

use std::path::{Path, PathBuf};

use techrag_models::{Fetch, Limits, Locator, Manifest};

/// One session, one text a run.
pub(crate) const ALONE: Limits = Limits { sessions: 1, batch: 1 };

/// The folder of the tests' own tiny models.
pub(crate) fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// The tests' places and the manifest they give, if these models (and the runtime) are there.
#[expect(clippy::disallowed_methods, reason = "the test harness reads what the command line would pass on")]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn with(ids: &[&str]) -> Option<(Locator, Manifest)> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.models");
    let named = std::env::var_os("TECHRAG_MODELS").map(PathBuf::from);
    let locator = Locator::new(std::iter::once(tiny()).chain(named).chain([project]));
    let manifest = Manifest::of(&locator).unwrap();
    let missing = ids.iter().chain(["onnxruntime"].iter()).find(|id| !locator.has(manifest.get(id).unwrap()));
    let Some(missing) = missing else { return Some((locator, manifest)) };
    let required = std::env::var_os("TECHRAG_REQUIRE_MODELS").is_some_and(|value| value == "1");
    // What `make models` brings only when it is named may be absent anywhere.
    let named = manifest.get(missing).is_ok_and(|model| model.fetch == Fetch::Named);
    assert!(!required || named, "{missing} is not there; run `make models`");
    eprintln!("skipped: {missing} is not there; run `make models`");
    None
}

/// The shared data of bugs of others, if it is there.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn bug(name: &str) -> Option<serde_json::Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bugs").join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Some(serde_json::from_slice(&bytes).unwrap()),
        Err(_) => {
            eprintln!("skipped: {} is not there", path.display());
            None
        }
    }
}

/// The strings of a JSON array.
pub(crate) fn strings(value: &serde_json::Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}
