//! Encodings against those of an independent implementation, value for value.
//!
//! The data lie in the folder shared beside the project; where it is absent the tests say so on stderr, or fail with
//! `TECHRAG_REQUIRE_MODELS=1`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Fde, Setting, VERSION};

/// The golden folder, or nothing where this machine has none.
fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/colsmol_golden/fde");
    if folder.is_dir() {
        return Some(folder);
    }
    #[expect(clippy::disallowed_methods, reason = "the switch that turns a skipped test into a failed one")]
    let required = std::env::var_os("TECHRAG_REQUIRE_MODELS").is_some();
    assert!(!required, "{} is not there", folder.display());
    eprintln!("skipped: {} is not there", folder.display());
    None
}

/// The f32 values of a `.npy` file of version 1.
fn npy(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert!(String::from_utf8_lossy(&bytes[..header]).contains("'<f4'"));
    bytes[header..].as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect()
}

fn setting(case: &Value) -> Setting {
    let number = |name: &str| case[name].as_u64().map(|number| number as usize);
    Setting {
        version: VERSION,
        seed: number("seed").unwrap() as u64,
        dim: number("dim").unwrap(),
        repetitions: number("reps").unwrap(),
        bits: number("ksim").unwrap() as u32,
        projected: number("dproj"),
        sketch: number("final"),
    }
}

/// Every case of the manifest: its name and its encoder.
fn cases(folder: &Path) -> Vec<(String, Fde)> {
    let manifest: Value = serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let case = |case: &Value| (case["name"].as_str().unwrap().to_owned(), Fde::new(setting(case)).unwrap());
    let cases: Vec<_> = manifest["cases"].as_array().unwrap().iter().map(case).collect();
    assert!(cases.len() >= 4);
    cases
}

#[test]
fn golden_hyperplanes_are_equal() {
    let Some(folder) = folder() else { return };
    for (name, fde) in cases(&folder) {
        let setting = fde.setting();
        let (bits, stride) = (setting.bits as usize, setting.repetitions * setting.bits as usize);
        let first: Vec<f32> = fde.planes.chunks_exact(stride).flat_map(|row| &row[..bits]).copied().collect();
        assert_eq!(first, npy(&folder.join(format!("{name}.H0.npy"))), "{name}");
    }
}

#[test]
fn golden_page_encodings_are_equal() {
    let Some(folder) = folder() else { return };
    for (name, fde) in cases(&folder) {
        for page in ["doc", "small"] {
            let encoded = fde.document(&npy(&folder.join(format!("{page}.npy"))));
            same(&encoded, &npy(&folder.join(format!("{name}.{page}.npy"))), &format!("{name} {page}"));
        }
    }
}

#[test]
fn golden_query_encodings_are_equal() {
    let Some(folder) = folder() else { return };
    let query = npy(&folder.join("query.npy"));
    for (name, fde) in cases(&folder) {
        same(&fde.query(&query), &npy(&folder.join(format!("{name}.query.npy"))), &name);
    }
}

fn same(ours: &[f32], theirs: &[f32], name: &str) {
    assert_eq!(ours.len(), theirs.len(), "{name}");
    let worst = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert_eq!(worst, 0.0, "{name}: off by {worst}");
}
