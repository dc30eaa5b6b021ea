//! Parity with the reference implementations, on tiny networks of random weights with the real signatures: the same
//! tiles, pixels and ids by hash, the same vectors within 1e-5. The data are not part of the project; without them
//! these tests are skipped, saying so, unless `TECHRAG_REQUIRE_MODELS` is 1.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::patches::{Marks, layout, open_graph, run};
use super::tiled::Tiled;
use super::*;
use crate::page::spec::TiledSpec;

const TOLERANCE: f32 = 1e-5;

/// A folder of reference data and the runtime, if both are there.
#[expect(clippy::disallowed_methods, reason = "the test harness reads what the command line would pass on")]
fn data(name: &str) -> Option<(PathBuf, ort::environment::Environment)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = std::env::var_os("TECHRAG_MODELS").map(PathBuf::from);
    let locator = Locator::new(named.into_iter().chain([here.join("../../.models")]));
    let folder = here.join("../../../shared/data").join(name);
    let environment = runtime::environment(&locator, Manifest::builtin());
    if let (true, Ok(environment)) = (folder.join("model.onnx").is_file(), environment) {
        return Some((folder, environment));
    }
    let required = std::env::var_os("TECHRAG_REQUIRE_MODELS").is_some_and(|value| value == "1");
    assert!(!required, "{} or the runtime is not there", folder.display());
    eprintln!("skipped: {} or the runtime is not there", folder.display());
    None
}

fn spec() -> TiledSpec {
    match Manifest::builtin().get("colSmol-500M").unwrap().page_encoder().unwrap() {
        PageSpec::Tiled(spec) => spec.clone(),
        other => panic!("{other:?}"),
    }
}

/// The tiny network with the manifest's own sizes and prompts.
fn colsmol(spec: &TiledSpec) -> Option<(PathBuf, Value, PageEncoder)> {
    let (folder, environment) = data("colsmol_golden")?;
    let network = Tiled::open(environment, ("golden", &folder), spec, 1).unwrap();
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    let spec = PageSpec::Tiled(spec.clone());
    let encoder = PageEncoder {
        id: "golden".to_owned(),
        revision: "golden".to_owned(),
        profile: spec.line(),
        dim: spec.dim(),
        looks: looks(&spec),
        network: Network::Tiled(network),
    };
    Some((folder, serde_json::from_str(&manifest).unwrap(), encoder))
}

fn tiled(encoder: &PageEncoder) -> &Tiled {
    match &encoder.network {
        Network::Tiled(network) => network,
        _ => panic!("tiled"),
    }
}

fn picture(folder: &Path, page: &Value) -> Pixels {
    let picture = image::open(folder.join(page["image"].as_str().unwrap())).unwrap().to_rgb8();
    Pixels::new(picture.width() as usize, picture.height() as usize, picture.into_raw()).unwrap()
}

fn sha256(bytes: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let mut hash = Sha256::new();
    bytes.into_iter().for_each(|part| hash.update(part));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The numbers of an `.npy` file of f32 or i64 in C order, as f64.
fn npy(bytes: &[u8]) -> Vec<f64> {
    assert_eq!(&bytes[..6], b"\x93NUMPY");
    let wide = bytes[6] > 1;
    let length = if wide {
        u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize
    } else {
        usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))
    };
    let start = if wide { 12 } else { 10 } + length;
    let header = std::str::from_utf8(&bytes[start - length..start]).unwrap();
    assert!(header.contains("'fortran_order': False"), "{header}");
    let body = &bytes[start..];
    if header.contains("<f4") {
        body.chunks_exact(4).map(|four| f64::from(f32::from_le_bytes(four.try_into().unwrap()))).collect()
    } else {
        assert!(header.contains("<i8"), "{header}");
        #[expect(clippy::cast_precision_loss, reason = "token ids")]
        body.chunks_exact(8).map(|eight| i64::from_le_bytes(eight.try_into().unwrap()) as f64).collect()
    }
}

/// The largest difference from a reference of the same size.
fn worst(found: &[f32], expected: &[f64]) -> f32 {
    assert_eq!(found.len(), expected.len());
    #[expect(clippy::cast_possible_truncation, reason = "it was f32")]
    found.iter().zip(expected).map(|(a, &b)| (a - b as f32).abs()).fold(0.0, f32::max)
}

#[test]
fn golden_tiles_and_pixels_by_hash_and_vectors_within_1e_5_are_those_of_the_reference() {
    let Some((folder, manifest, encoder)) = colsmol(&spec()) else { return };
    for (name, page) in manifest["pages"].as_object().unwrap() {
        let picture = picture(&folder, page);
        let grid = tiled(&encoder).grid(picture.width(), picture.height());
        assert_eq!(serde_json::json!([grid.rows, grid.columns]), page["rows_cols"], "{name}");
        let tiles = tiled(&encoder).tiles(&picture);
        assert_eq!(tiles.len() as u64, page["n_tiles"], "{name}");
        // The reference hashes channel by channel.
        let channel =
            |tile: &Pixels, channel| tile.bytes().iter().skip(channel).step_by(3).copied().collect::<Vec<u8>>();
        let planes = tiles.iter().flat_map(|tile| (0..3).map(move |at| channel(tile, at)));
        let bytes = sha256(planes);
        assert_eq!(bytes, page["tiles_u8_sha256"], "{name}: tiles");
        assert_eq!(sha256([tiles.last().unwrap().bytes()]), page["global_sha256"], "{name}: the whole");
        let values = tiled(&encoder).pixel_values(&tiles);
        let values = sha256(values.iter().map(|value| value.to_le_bytes()));
        assert_eq!(values, page["pixel_values_sha256"], "{name}: pixel values");
        let found = encoder.of_unit_length(tiled(&encoder).seen(grid, &tiles).unwrap()).unwrap();
        let expected = npy(&std::fs::read(folder.join(format!("{name}.embeddings.npy"))).unwrap());
        let worst = worst(&found.values, &expected);
        assert!(worst < TOLERANCE, "{name}: {worst}");
    }
}

#[test]
fn golden_normalisation_is_the_references_for_every_byte() {
    let Some((_, manifest, _)) = colsmol(&spec()) else { return };
    let scale = pixels::Scale::new([0.5; 3], [0.5; 3]);
    for byte in 0..=255_u8 {
        let value = scale.interleaved(&[byte]).next().unwrap();
        assert_eq!(u64::from(value.to_bits()), manifest["norm_lut_f32_bits"][byte.to_string()], "{byte}");
    }
}

#[test]
fn golden_page_ids_are_those_of_the_reference() {
    let Some((folder, manifest, encoder)) = colsmol(&spec()) else { return };
    for (name, page) in manifest["pages"].as_object().unwrap() {
        let [width, height] = [0, 1].map(|at| usize::try_from(page["size_wh"][at].as_u64().unwrap()).unwrap());
        let ids = tiled(&encoder).ids(tiled(&encoder).grid(width, height)).unwrap();
        let text = std::fs::read_to_string(folder.join(format!("{name}.input_ids.json"))).unwrap();
        assert_eq!(serde_json::json!(ids), serde_json::from_str::<Value>(&text).unwrap(), "{name}");
        assert_eq!(ids.len() as u64, page["n_tokens"], "{name}");
    }
}

#[test]
fn golden_page_as_its_users_encode_it() {
    let Some((folder, manifest, encoder)) = colsmol(&spec()) else { return };
    let picture = picture(&folder, &manifest["pages"]["crop_wide"]);
    let page = encoder.encode_page(&PageInput { picture: Some(&picture), words: &[] }).unwrap();
    let expected = npy(&std::fs::read(folder.join("crop_wide.embeddings.npy")).unwrap());
    assert!(worst(&page.values, &expected) < TOLERANCE);
    let seen = page.places.iter().filter(|place| matches!(place, Place::Region(_))).count();
    assert_eq!((page.places.len(), seen), (page.rows().len(), 9 * 64), "every tile has its 64 places");
}

#[test]
fn golden_queries_of_every_prompt_have_the_ids_and_vectors_of_the_reference() {
    let end = "<end_of_utterance>".repeat(10);
    let prompts = [
        ("engine_0.3.18", String::new(), end.clone()),
        ("engine_0.3.8_to_0.3.10", "Query: ".to_owned(), format!("{end}\n")),
        ("embedanything", String::new(), String::new()),
    ];
    for (prompt, query_prefix, query_suffix) in prompts {
        let spec = TiledSpec { query_prefix, query_suffix, ..spec() };
        let Some((folder, manifest, encoder)) = colsmol(&spec) else { return };
        for query in manifest["queries"][prompt].as_array().unwrap() {
            let text = query["query"].as_str().unwrap();
            assert_eq!(serde_json::json!(tiled(&encoder).query_ids(text).unwrap()), query["ids"], "{prompt}: {text}");
            let expected = npy(&std::fs::read(folder.join(query["emb"].as_str().unwrap())).unwrap());
            let found = encoder.encode_query(text).unwrap();
            let worst = worst(&found.values, &expected);
            assert!(worst < TOLERANCE, "{prompt}: {text}: {worst}");
        }
    }
}

#[test]
fn golden_queries_too_long_lose_their_end_and_keep_what_is_around_them() {
    let spec = TiledSpec { max_tokens: 40, ..spec() };
    let Some((_, _, encoder)) = colsmol(&spec) else { return };
    let ids = tiled(&encoder).query_ids(&"naïve café 日本語 ".repeat(500)).unwrap();
    assert!((35..=40).contains(&ids.len()), "{}", ids.len());
    assert!(ids[ids.len() - 10..].iter().all(|&id| id == 49279), "{ids:?}");
}

/// numpy's `default_rng(seed).uniform(-1, 1)`: PCG64 (XSL RR 128/64, O'Neill 2014) seeded by `SeedSequence`.
struct Numpy {
    state: u128,
    step: u128,
}

impl Numpy {
    const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

    fn new(seed: u32) -> Self {
        let words = seed_sequence(seed);
        let wide = |at: usize| (u128::from(words[at]) << 64) | u128::from(words[at + 1]);
        let step = (wide(2) << 1) | 1;
        let state = step.wrapping_add(wide(0)).wrapping_mul(Self::MULTIPLIER).wrapping_add(step);
        Self { state, step }
    }

    #[expect(clippy::cast_possible_truncation, reason = "XSL RR folds 128 bits into 64")]
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    fn uniform(&mut self) -> f32 {
        self.state = self.state.wrapping_mul(Self::MULTIPLIER).wrapping_add(self.step);
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        let bits = folded.rotate_right((self.state >> 122) as u32);
        let unit = (bits >> 11) as f64 / (1_u64 << 53) as f64;
        (-1.0 + 2.0 * unit) as f32
    }
}

/// The four 64-bit words that a seed of one 32-bit word gives.
fn seed_sequence(seed: u32) -> [u64; 4] {
    const MIX: [u32; 2] = [0xca01_f9dd, 0x4973_f715];
    let mut constant = 0x43b0_d7e5_u32;
    let mut hash = |value: u32| {
        let value = value ^ constant;
        constant = constant.wrapping_mul(0x931e_8875);
        let value = value.wrapping_mul(constant);
        value ^ (value >> 16)
    };
    let mix = |x: u32, y: u32| {
        let value = MIX[0].wrapping_mul(x).wrapping_sub(MIX[1].wrapping_mul(y));
        value ^ (value >> 16)
    };
    let mut pool = [seed, 0, 0, 0].map(&mut hash);
    for from in 0..4 {
        for to in (0..4).filter(|&to| to != from) {
            pool[to] = mix(pool[to], hash(pool[from]));
        }
    }
    let mut constant = 0x8b51_f9dd_u32;
    let mut out = (0..8).map(|at| {
        let value = pool[at % 4] ^ constant;
        constant = constant.wrapping_mul(0x58f3_8ded);
        let value = value.wrapping_mul(constant);
        value ^ (value >> 16)
    });
    let mut word = || u64::from(out.next().unwrap());
    [(); 4].map(|()| word() | (word() << 32))
}

#[test]
fn golden_random_numbers_are_numpys() {
    // numpy.random.default_rng(0).uniform(-1, 1, 3)
    let mut numpy = Numpy::new(0);
    let first: Vec<f32> = (0..3).map(|_| numpy.uniform()).collect();
    assert_eq!(first, [0.273_923_37, -0.460_426_57, -0.918_053]);
}

/// The members of an archive whose members are stored, not compressed, as `numpy.savez` writes it.
fn npz(bytes: &[u8]) -> std::collections::BTreeMap<String, Vec<f64>> {
    let number = |at: usize, count: usize| {
        bytes[at..at + count].iter().rev().fold(0_usize, |sum, &byte| (sum << 8) | usize::from(byte))
    };
    let mut members = std::collections::BTreeMap::new();
    // The directory at the end knows the sizes; the headers before the members may not.
    let end = bytes.windows(4).rposition(|four| four == b"PK\x05\x06").unwrap();
    let mut entry = number(end + 16, 4);
    for _ in 0..number(end + 10, 2) {
        let (size, name, extra, comment) =
            (number(entry + 24, 4), number(entry + 28, 2), number(entry + 30, 2), number(entry + 32, 2));
        let header = number(entry + 42, 4);
        assert_eq!(number(entry + 10, 2), 0, "stored");
        let start = header + 30 + number(header + 26, 2) + number(header + 28, 2);
        let key = std::str::from_utf8(&bytes[entry + 46..entry + 46 + name]).unwrap();
        if key != "a_seed.npy" {
            members.insert(key.trim_end_matches(".npy").to_owned(), npy(&bytes[start..start + size]));
        }
        entry += 46 + name + extra + comment;
    }
    members
}

#[test]
fn golden_patch_model_has_the_ids_positions_and_vectors_of_the_reference() {
    let Some((folder, environment)) = data("neomme_golden") else { return };
    let reference = npz(&std::fs::read(folder.join("ref.npz")).unwrap());
    let (across, down) = (30, 40);
    let layout = layout(across, down, Marks { document: 5, image: 6, row: 7 });
    #[expect(clippy::cast_precision_loss, reason = "token ids and positions")]
    let as_numbers = |values: &[i64]| values.iter().map(|&value| value as f64).collect::<Vec<_>>();
    assert_eq!(as_numbers(&layout.ids), reference["a_input_ids"]);
    assert_eq!(as_numbers(&layout.positions), reference["a_position_ids"]);
    let PageSpec::Patches(spec) = Manifest::builtin().get("NeoMME-260M-Retriever").unwrap().page_encoder().unwrap()
    else {
        panic!("patches")
    };
    let graph = open_graph(environment, ("golden", &folder), spec, 1).unwrap();
    let mut numpy = Numpy::new(0);
    let pixels: Vec<f32> = (0..across * down * 3072).map(|_| numpy.uniform()).collect();
    let values = run(&graph, layout.ids, layout.positions, pixels).unwrap();
    let worst = worst(&values, &reference["a_emb"]);
    assert!(worst < TOLERANCE, "{worst}");
}
