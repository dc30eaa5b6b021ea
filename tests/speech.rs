//! Sound: heard and cited by the minute in builds with the cargo feature `whisper`, named in others.

use std::fs;

use crate::harness::Place;

const TALK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/speech/talk.m4a");

/// A WAV file of one channel of bytes.
fn wav(rate: u32, samples: &[u8]) -> Vec<u8> {
    let length = u32::try_from(samples.len()).expect("a short file");
    let format = [&1_u16.to_le_bytes()[..], &1_u16.to_le_bytes(), &rate.to_le_bytes(), &rate.to_le_bytes()].concat();
    let format = [&format[..], &1_u16.to_le_bytes(), &8_u16.to_le_bytes()].concat();
    let parts =
        [b"WAVEfmt ".as_slice(), &16_u32.to_le_bytes(), &format, b"data", &length.to_le_bytes(), samples].concat();
    [b"RIFF".as_slice(), &u32::try_from(parts.len()).expect("a short file").to_le_bytes(), &parts].concat()
}

fn write(place: &Place, name: &str, bytes: &[u8]) {
    fs::write(place.path().join(name), bytes).expect("a file can be written");
}

#[cfg(not(feature = "whisper"))]
#[test]
fn a_build_without_speech_names_sound_and_what_would_have_it_heard() {
    let place = Place::new();
    write(&place, "silence.wav", &wav(8000, &[128; 8000]));
    fs::copy(TALK, place.path().join("talk.m4a")).expect("the fixture");
    let named = place.run("techrag-chunk", &["talk.m4a"], "");
    let error = named.records().remove(0);
    assert_eq!((named.code, &error["kind"]), (3, &serde_json::json!("unsupported")), "{named}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("cargo feature `whisper`")), "{error}");
    let walked = place.run("techrag-chunk", &["."], "").ok();
    for name in ["silence.wav: no reader for audio/wav", "talk.m4a: no reader for audio/mp4"] {
        assert!(walked.stderr.contains(name), "{walked}");
    }
}

#[cfg(feature = "whisper")]
mod heard {
    use serde_json::{Value, json};

    use super::*;
    use crate::harness::{Run, models, models_or_skip};

    const QUESTION: &str = "How large is the relaxation length of the tyre?";

    /// The model that is there: the larger one, or the one for English.
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    fn model() -> Option<&'static str> {
        let there = |id: &&str| models().is_some_and(|folder| folder.join(id).join("encoder.onnx").is_file());
        let model = ["whisper-tiny.en", "whisper-base"].into_iter().find(there);
        if model.is_none() {
            eprintln!("skipped: no model of speech is there (pipelines/fetch-models.py --only whisper-base)");
        }
        model
    }

    fn chunk(place: &Place, model: &str, files: &[&str]) -> Run {
        place.run("techrag-chunk", &[&["--speech-model", model], files].concat(), "")
    }

    fn text(records: &[Value]) -> String {
        let chunks = records.iter().filter(|record| record["type"] == "chunk");
        chunks.filter_map(|chunk| chunk["text"].as_str()).collect::<Vec<_>>().join(" ").to_lowercase()
    }

    #[test]
    fn words_come_with_their_times() {
        let Some(model) = model() else { return };
        let run = chunk(&Place::new(), model, &[TALK]).ok();
        let records = run.records();
        assert_eq!(records[0]["media_type"], "audio/mp4");
        assert!(records[0]["provenance"]["speech"]["by"].as_str().is_some_and(|by| by.starts_with(model)), "{run}");
        let text = text(&records);
        for words in ["lecture", "brush model", "relaxation length", "sampling rate"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        let truth: Value = serde_json::from_str(include_str!("../fixtures/speech/truth.json")).expect("truth");
        let third = truth["talk.m4a"]["sentences"][2]["start"].as_f64().expect("a time");
        let spans = records.iter().filter(|record| record["type"] == "chunk").flat_map(|chunk| {
            assert_eq!(chunk["modality"], "speech");
            chunk["spans"].as_array().expect("spans").iter()
        });
        let mut before = 0.0;
        let mut near = f64::INFINITY;
        for span in spans {
            let [start, end] = [0, 1].map(|at| span["time"][at].as_f64().expect("a time"));
            assert!(before <= start && start <= end && end < 90.0, "{span}");
            assert!(span["confidence"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)), "{span}");
            near = near.min((start - third).abs());
            before = start;
        }
        assert!(near < 2.0, "no segment begins near {third} s: {near}");
        assert_eq!(chunk(&Place::new(), model, &[TALK]).ok().stdout, run.stdout, "the same again");
    }

    #[test]
    fn an_answer_cites_the_time() {
        if !models_or_skip("asking a talk") {
            return;
        }
        let Some(model) = model() else { return };
        let place = Place::new();
        fs::copy(TALK, place.path().join("talk.m4a")).expect("the fixture");
        let line = format!(
            "techrag-chunk --speech-model {model} talk.m4a | techrag-embed | techrag-index add -q --library lib"
        );
        let _ = place.shell(&format!("set -o pipefail; {line}")).ok();
        let said = place.pipeline("ask.sh", &["lib", QUESTION], "").ok();
        assert!(said.stdout.contains("thirty") || said.stdout.contains("35"), "{said}");
        assert!(said.stdout.contains("talk.m4a, 1:0"), "{said}");
        let page = place.pipeline("ask.sh", &["lib", "--format", "html", QUESTION], "").ok();
        assert!(page.stdout.contains("1:0"), "{page}");
    }

    #[test]
    fn silence_and_hostile_files_cost_themselves_only() {
        let Some(model) = model() else { return };
        let place = Place::new();
        write(&place, "a-header-only.wav", &wav(16_000, &[])[..44]);
        write(&place, "b-silence.wav", &wav(16_000, &vec![128; 16_000 * 600]));
        write(&place, "c-named-so.mp3", &wav(8000, &[128; 800]));
        write(&place, "d-noise.m4a", &[b"\0\0\0\x1cftypM4A \0\0\0\0".as_slice(), &[0x5a; 4000]].concat());
        write(&place, "e-cut.flac", b"fLaC\0\0\0\x22\x10\0");
        let run = chunk(&place, model, &["."]);
        assert_eq!(run.code, 3, "{run}");
        let records = run.records();
        assert_eq!(text(&records), "", "{run}");
        let of = |kind: &str, field: &str| -> Vec<Value> {
            records.iter().filter(|record| record["type"] == kind).map(|record| record[field].clone()).collect()
        };
        assert_eq!(
            of("document", "key"),
            [json!("a-header-only.wav"), json!("b-silence.wav"), json!("c-named-so.mp3")],
            "{run}"
        );
        assert_eq!(of("document", "provenance")[1]["speech"]["seconds"], json!(600.0), "{run}");
        assert_eq!(of("error", "of"), [json!("d-noise.m4a"), json!("e-cut.flac")], "{run}");
        assert!(of("error", "kind").iter().all(|kind| kind == "damaged"), "{run}");
    }
}
