//! `techrag-embed`: the same bytes however it is run, a model only when one is needed, a chunk's own failure its own.

use std::path::Path;

use serde_json::{Value, json};
use techrag_net::loopback::{Reply, Server};

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
fn vectors_that_a_chunk_brings_as_the_models_own_are_looked_at() {
    let place = Place::new();
    let chunk = |dim: usize, value: f32| {
        let windows = json!([{ "start": 0, "end": 4, "vector": vec![value; dim] }]);
        let vectors =
            json!({ "model": "all-MiniLM-L6-v2", "revision": "53aa51172d14", "dim": dim, "windows": windows });
        let mut chunk: Value = serde_json::from_str(&chunk(0, "slip")).unwrap();
        chunk["vectors"] = vectors;
        format!("{chunk}\n")
    };
    for (chunk, why) in [(chunk(3, 1.0), "3 dimensions of 384"), (chunk(384, 0.0), "window 0 is zero")] {
        let said = place.run_with("techrag-embed", &[], &[("TECHRAG_MODELS", "/nowhere")], &chunk);
        let record = &said.records()[0];
        let message = record["message"].as_str().unwrap_or_default();
        assert!(said.code == 3 && record["kind"] == "vectors" && message.contains(why), "{said}");
    }
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

/// A server whose vectors say only whether a text speaks of slip, so that the right order is known.
fn slip_server() -> Server {
    Server::start(|asked| {
        let body: Value = serde_json::from_slice(&asked.body).expect("JSON");
        let texts = body["input"].as_array().expect("texts").iter().enumerate();
        let entry = |(index, text): (usize, &Value)| {
            let slips = text.as_str().is_some_and(|text| text.contains("slip"));
            json!({ "index": index, "embedding": if slips { [3.0, 4.0] } else { [4.0, -3.0] } })
        };
        let data: Vec<Value> = texts.map(entry).collect();
        Reply::json(200, json!({ "object": "list", "data": data }).to_string())
    })
    .expect("a server on loopback")
}

#[test]
fn a_server_embeds_chunks_and_questions_and_its_library_takes_no_others() {
    let (place, server) = (Place::new(), slip_server());
    let url = server.url().as_str();
    let input = concat!(
        r#"{"_id": "a", "title": "Wheels", "text": "the rim of a wheel"}"#,
        "\n",
        r#"{"_id": "b", "title": "Tyres", "text": "the slip of a tyre"}"#,
        "\n"
    );
    place.file("corpus.jsonl", input);
    let chunks = place.run("techrag-chunk", &["--from", "jsonl", "corpus.jsonl"], "").ok().stdout;
    let flags = ["--endpoint", url, "--model", "small", "--context", "heading", "--endpoint-key-env", "OWN_KEY"];
    let embedded = place.run_with("techrag-embed", &flags, &[("OWN_KEY", "secret")], &chunks).ok().stdout;
    let asked = server.asked().remove(0);
    assert_eq!((asked.target.as_str(), asked.header("authorization")), ("/embeddings", Some("Bearer secret")));
    let body: Value = serde_json::from_slice(&asked.body).expect("JSON");
    assert_eq!(body["input"][0], "Wheels\n\nthe rim of a wheel", "the title once, as the chunk has it");
    assert!(!embedded.contains("secret"));
    let _ = place.run("techrag-index", &["add", "--library", "lib"], &embedded).ok();
    let search = ["--library", "lib", "--mode", "dense", "--rerank", "off"];
    let found = place.run("techrag-retrieve", &[&search[..], &["--endpoint", url]].concat(), "what is slip?").ok();
    let hits = found.records()[0]["hits"].clone();
    assert_eq!((&hits[0]["key"], hits[0]["scores"]["dense"].as_f64()), (&json!("b"), Some(1.0)), "{hits}");
    let lost = place.run("techrag-retrieve", &search, "what is slip?");
    assert!(lost.code == 2 && lost.stderr.contains("--endpoint"), "{lost}");
    let other = embedded.replace("\"small\"", "\"large\"").replace("the slip", "a slip");
    let other = other.replace("\"doc_id\":\"", "\"doc_id\":\"f").replace("\"uid\":\"", "\"uid\":\"f");
    let refused = place.run("techrag-index", &["add", "--library", "lib"], &other);
    assert_eq!(refused.code, 3, "{refused}");
    drop(server);
}

#[test]
fn a_server_that_is_not_there_is_exit_4_and_a_file_may_not_name_one() {
    let place = Place::new();
    let gone = slip_server().url().to_string();
    let said = place.run("techrag-embed", &["--endpoint", &gone, "--model", "small"], &chunk(0, "slip"));
    assert_eq!(said.code, 4, "{said}");
    place.file("techrag.toml", "[embed]\nendpoint = \"http://127.0.0.1:1\"\n");
    let said = place.run("techrag-embed", &[], "");
    assert!(said.code == 2 && said.stderr.contains("no option \"endpoint\""), "{said}");
}

#[test]
fn a_heading_is_read_from_the_document_before_whatever_the_workers() {
    if !models_or_skip("embedding") {
        return;
    }
    let place = Place::new();
    let document = |id: usize| {
        let title = if id.is_multiple_of(2) { "Tyres" } else { "Bridges" };
        format!(
            "{}\n",
            json!({ "type": "document", "v": 1, "doc_id": format!("d{id}"), "key": "k", "media_type": "text/plain",
                "bytes": 1, "title": title, "chunks": 1, "by": "test" })
        )
    };
    let of = |id: usize| chunk(0, "load and deflection").replace("\"d\"", &format!("\"d{id}\""));
    let stream: String = (0..24).map(|id| document(id) + &of(id)).collect();
    let run =
        |jobs: &str| place.run("techrag-embed", &["-j", jobs, "--batch", "1", "--context", "heading"], &stream).ok();
    let one = run("1");
    assert_eq!(one.stdout, run("2").stdout, "a chunk overtook its document");
    let vector = |at: usize| one.records()[2 * at + 1]["vectors"]["windows"][0]["vector"].clone();
    assert_eq!(vector(0), vector(2));
    assert_ne!(vector(0), vector(1), "the title takes part");
}

#[test]
fn a_document_whose_title_cannot_be_read_is_named_and_not_passed_over() {
    if !models_or_skip("embedding") {
        return;
    }
    let place = Place::new();
    let document = json!({ "type": "document", "v": 1, "doc_id": "d", "key": "k.pdf", "media_type": "text/plain", "bytes": 1,
        "title": ["Tyres"], "chunks": 1, "by": "test" });
    let stream = format!("{document}\n{}", chunk(0, "load and deflection"));
    let said = place.run("techrag-embed", &["--context", "title"], &stream);
    let records = said.records();
    assert_eq!(
        (said.code, &records[0]["of"], &records[0]["kind"]),
        (3, &json!("k.pdf"), &json!("malformed")),
        "{said}"
    );
    assert!(records[0]["message"].as_str().is_some_and(|message| message.contains("title")), "{said}");
    assert_eq!(records[1]["vectors"]["dim"], 384, "its chunks go on");
    let without = place.run("techrag-embed", &[], &stream).ok();
    assert!(without.stdout.starts_with(&document.to_string()), "nobody asked for its title");
}

/// The tiny sparse encoder gives each word itself and its neighbour in the vocabulary; the word `nan` is not a number.
#[test]
fn learned_sparse_vectors_are_stored_searched_fused_and_of_one_model() {
    if !models_or_skip("learned sparse vectors") {
        return;
    }
    let place = Place::new();
    let models = place.path().join("models");
    let here = crate::harness::models().expect("models are there");
    for name in ["onnxruntime", "all-MiniLM-L6-v2"] {
        copy(&here.join(name), &models.join(name));
    }
    copy(&Path::new(TINY).join("tiny-sparse"), &models.join("tiny-sparse"));
    std::fs::copy(Path::new(TINY).join("models.toml"), models.join("models.toml")).expect("copied");
    let models = models.to_str().expect("UTF-8");
    let corpus = [("a", "wheel sensor"), ("b", "slip of the road"), ("c", "nan"), ("d", "force model")];
    let corpus: String = corpus.iter().map(|(id, text)| format!("{}\n", json!({ "_id": id, "text": text }))).collect();
    place.file("corpus.jsonl", &corpus);
    let chunks = place.run("techrag-chunk", &["--from", "jsonl", "corpus.jsonl"], "").ok().stdout;
    let embedded = place.run("techrag-embed", &["--sparse", "tiny-sparse", "--models", models], &chunks);
    assert_eq!(embedded.code, 3, "the text that is not a number fails alone: {embedded}");
    let batch = ["--sparse", "tiny-sparse", "--models", models, "-j", "2", "--batch", "1"];
    assert_eq!(place.run("techrag-embed", &batch, &chunks).stdout, embedded.stdout, "batches change bytes");
    let again = place.run("techrag-embed", &["--sparse", "tiny-sparse", "--models", models], &embedded.stdout);
    assert_eq!(again.stdout, embedded.stdout, "what has them keeps them");
    let added = place.run("techrag-index", &["add", "--library", "lib"], &embedded.stdout);
    assert_eq!(added.code, 3, "{added}");
    let search = |flags: &[&str]| {
        let flags = [&["--library", "lib", "--models", models, "--rerank", "off"], flags].concat();
        place.run("techrag-retrieve", &flags, "friction").ok().records()[0].clone()
    };
    // `friction` leads to `slip`, which no text of words holds.
    let found = search(&["--mode", "sparse"]);
    assert_eq!((&found["hits"][0]["key"], &found["hits"][1]), (&json!("b"), &Value::Null), "{found}");
    assert_eq!(found["hits"][0]["scores"]["sparse_rank"], 1, "{found}");
    let fused = search(&["--sparse-weight", "9"]);
    assert_eq!(
        (&fused["hits"][0]["key"], &fused["trace"][0]["details"]["sparse"]),
        (&json!("b"), &json!(9.0)),
        "{fused}"
    );
    for command in [&["verify"][..], &["rebuild"], &["compact"], &["verify"]] {
        let _ = place.run("techrag-index", &[command, &["--library", "lib"]].concat(), "").ok();
    }
    assert_eq!(search(&["--mode", "sparse"])["hits"], found["hits"]);
    let export = place.run("techrag-index", &["export", "--library", "lib"], "").ok().stdout;
    let copy = place.run("techrag-index", &["add", "--library", "copy"], &export);
    assert!(copy.code == 0 || copy.code == 3, "{copy}");
    let from_copy = ["--library", "copy", "--models", models, "--rerank", "off", "--mode", "sparse"];
    assert_eq!(place.run("techrag-retrieve", &from_copy, "friction").ok().records()[0]["hits"], found["hits"]);
    // A document that nothing else is wrong with.
    place.file("more.jsonl", &format!("{}\n", json!({ "_id": "e", "text": "brush of the road" })));
    let chunks_of_more = place.run("techrag-chunk", &["--from", "jsonl", "more.jsonl"], "").ok().stdout;
    let more =
        place.run("techrag-embed", &["--sparse", "tiny-sparse", "--models", models], &chunks_of_more).ok().stdout;
    let other = more.replace("tiny-sparse", "other-sparse");
    let refused = place.run("techrag-index", &["add", "--library", "lib"], &other);
    let message = refused.records().iter().map(|record| record["message"].to_string()).collect::<String>();
    assert!(refused.code == 3 && message.contains("its sparse vectors are of other-sparse"), "{refused}");
    assert_eq!(place.run("techrag-index", &["add", "--library", "lib"], &more).code, 0, "of the library's model");
    let without = place.run("techrag-index", &["add", "--library", "plain"], &chunks).ok();
    drop(without);
    let plain = ["--library", "plain", "--mode", "sparse", "--rerank", "off"];
    let said = place.run("techrag-retrieve", &plain, "slip").ok().records()[0].clone();
    let note = said["trace"][0]["note"].as_str().unwrap_or_default().to_owned();
    assert!(note.contains("no learned sparse vectors") && said["hits"][0]["key"] == "b", "{said}");
}
