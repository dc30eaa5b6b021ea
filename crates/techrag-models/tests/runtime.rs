//! A runtime that does not load is an error and not a panic. A binary of its own: a process loads one runtime.

use std::fs;
use std::path::Path;

use techrag_models::{CrossEncoder, Error, Limits, Locator, Manifest};

#[test]
fn a_library_that_is_none_is_named() {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let place = tempfile::tempdir().unwrap();
    let locator = Locator::new([place.path(), &tiny]);
    let manifest = Manifest::of(&locator).unwrap();
    let limits = Limits { sessions: 1, batch: 1 };
    let open = || CrossEncoder::open(&locator, &manifest, "tiny-cross-encoder", limits).err().unwrap();
    assert!(matches!(open(), Error::Missing { ref id, .. } if id == "onnxruntime"));

    let runtime = manifest.runtime().unwrap();
    let folder = place.path().join(&runtime.id);
    fs::create_dir(&folder).unwrap();
    let library = folder.join(&runtime.files[0]);
    fs::write(&library, b"not a library").unwrap();
    let error = open();
    assert!(matches!(&error, Error::Runtime { path, .. } if *path == library), "{error}");
    assert!(error.hint().unwrap().contains("make models"));
}
