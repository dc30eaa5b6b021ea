//! `techrag-embed`: the same bytes however it is run, a model only when one is needed, a chunk's own failure its own.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Place, models_or_skip};

const TINY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/techrag-models/tests/data");

fn chunk(ordinal: usize, text: &str) -> String {
    format!(
        "{}\n",
        json!({ "type": "chunk", "v": 1, "uid": format!("d:{ordinal}"), "doc_id": "d", "text": text, "sha1": "x" })
    )
}

/// Short texts of equal length, which share runs, between longer ones, one of several windows.
fn mixed() -> String {
    let text = |n: usize| match n % 5 {
        4 => format!("The cornering stiffness of tyre {n} falls with the load. ").repeat(1 + n * 2),
        _ => format!("load on wheel {}", n % 10),
    };
    (0..30).map(|n| chunk(n, &text(n))).collect()
}

#[test]
fn neither_workers_nor_batches_change_a_byte() {
    if !models_or_skip("embedding") {
        return;
    }
    let place = Place::new();
    let with = |arguments: &[&str]| place.run("techrag-embed", arguments, &mixed()).ok().stdout;
    let one = with(&["-j", "1", "--batch", "1"]);
    let windows = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("a record");
        record["vectors"]["windows"].as_array().map_or(0, Vec::len)
    };
    assert!(one.lines().map(windows).any(|count| count > 1), "a text of several windows is among them");
    assert!(one == with(&["-j", "1", "--batch", "8"]), "batches change bytes");
    assert!(one == with(&["-j", "2", "--batch", "3"]), "workers change bytes");
}

#[test]
fn what_is_embedded_already_needs_no_model() {
    if !models_or_skip("embedding") {
        return;
    }
    let place = Place::new();
    let done = place.run("techrag-embed", &["--vectors", "array"], &chunk(0, "slip angle")).ok().stdout;
    let again = place.run_with("techrag-embed", &[], &[("TECHRAG_MODELS", "/nowhere")], &done).ok();
    assert_eq!(again.stdout, done);
    let of_another_model = done.replace("all-MiniLM-L6-v2", "e5-small-v2");
    let said = place.run("techrag-embed", &[], &of_another_model).ok();
    assert_eq!(said.records()[0]["vectors"]["model"], "all-MiniLM-L6-v2");
}

#[test]
fn an_unknown_model_is_refused_before_anything_is_read() {
    let said = Place::new().run("techrag-embed", &["--model", "oracle"], "");
    assert_eq!(said.code, 2, "{said}");
    assert!(said.stderr.contains("no model is named oracle") && said.stderr.contains("all-MiniLM-L6-v2"), "{said}");
}

/// The tiny encoder's word `nan` is not a number; it stands beside its manifest, which the tool finds by `--models`.
#[test]
fn a_chunk_without_a_vector_is_an_error_and_the_others_go_on() {
    if !models_or_skip("embedding") {
        return;
    }
    let place = Place::new();
    let models = place.path().join("models");
    let from = crate::harness::models().expect("models are there").join("onnxruntime");
    copy(&from, &models.join("onnxruntime"));
    copy(&Path::new(TINY).join("tiny-encoder"), &models.join("tiny-encoder"));
    std::fs::copy(Path::new(TINY).join("models.toml"), models.join("models.toml")).expect("copied");
    let input = [chunk(0, "tyre slip"), chunk(1, "nan"), chunk(2, "angle")].concat();
    let models = models.to_str().expect("UTF-8");
    let said = place.run("techrag-embed", &["--model", "tiny-encoder", "--models", models], &input);
    assert_eq!(said.code, 3, "{said}");
    let records = said.records();
    let summary: Vec<_> = records.iter().map(|record| (&record["type"], &record["vectors"]["dim"])).collect();
    assert_eq!(summary, [(&json!("chunk"), &json!(4)), (&json!("error"), &Value::Null), (&json!("chunk"), &json!(4))]);
    assert_eq!((&records[1]["of"], &records[1]["kind"]), (&json!("d:1"), &json!("vectors")), "{said}");
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}
