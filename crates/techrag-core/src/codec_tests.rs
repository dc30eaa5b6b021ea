//! What a line may be, and what comes of it.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::record::Chunk;

const CHUNKS: Wanted = Wanted { kinds: &[Kind::Chunk], bare: Bare::Refused };
const QUESTIONS: Wanted = Wanted { kinds: &[Kind::Query], bare: Bare::Question };

fn line(record: &Record) -> String {
    let mut out = Vec::new();
    write(record, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn parsed(line: &str, wanted: Wanted) -> Record {
    match parse(line, wanted).unwrap() {
        Parsed::Record(record) => record,
        other => panic!("{other:?}"),
    }
}

#[test]
fn type_and_version_come_first_and_unknown_fields_survive() {
    let text =
        r#"{"my_own":7,"type":"chunk","v":1,"uid":"a:0","doc_id":"a","text":"t","sha1":"s","later":{"b":[1,null]}}"#;
    let written = line(&parsed(text, CHUNKS));
    assert!(written.starts_with(r#"{"type":"chunk","v":1,"uid":"a:0""#), "{written}");
    assert!(written.trim_end().ends_with(r#""my_own":7,"later":{"b":[1,null]}}"#), "{written}");
    assert_eq!(written.matches("\"type\"").count(), 1);
    assert_eq!(line(&parsed(&written, CHUNKS)), written, "a second pass changes nothing");
}

#[test]
fn a_kind_that_is_not_wanted_passes_byte_for_byte() {
    let odd = r#"{ "type" : "entities", "v":1 , "x": 1e400 }"#;
    assert_eq!(line(&parsed(odd, CHUNKS)).trim_end(), odd);
    let error = r#"{"type":"error","v":1,"of":"x","stage":"chunk","kind":"empty","message":"m"}"#;
    assert_eq!(parsed(error, CHUNKS), Record::Other(error.into()));
}

#[test]
fn another_major_version_names_its_writer() {
    for (text, who) in [
        (r#"{"type":"chunk","v":2,"by":"techrag-chunk 9.0"}"#, "techrag-chunk 9.0"),
        (r#"{"type":"query","v":3,"trace":[{"stage":"route"},{"stage":"score"}]}"#, "score"),
        (r#"{"type":"new","v":2}"#, "an unnamed tool"),
    ] {
        match parse(text, CHUNKS) {
            Err(LineError::Version { by, .. }) => assert_eq!(by, who),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_question_comes_in_three_forms() {
    let plain = parsed("What is slip?\r\n", QUESTIONS);
    assert_eq!(plain, parsed(r#"{"question":"What is slip?"}"#, QUESTIONS));
    let Record::Query(beir) = parsed(r#"{"_id":12,"text":"What is slip?","metadata":{}}"#, QUESTIONS) else { panic!() };
    assert_eq!((beir.name.as_deref(), beir.question.as_str()), (Some("12"), "What is slip?"));
    assert_eq!(beir.extra.get("metadata"), Some(&json!({})));
    let Record::Query(plain) = plain else { panic!() };
    assert_eq!(plain.query_id, beir.query_id);
}

#[test]
fn what_cannot_be_used_is_named() {
    for (text, wanted, why) in [
        ("not json", CHUNKS, "not a record"),
        ("{\"type\":\"chunk\",\"v\":1,", CHUNKS, "EOF"),
        ("{\"type\":5,\"v\":1}", CHUNKS, "not a string"),
        ("{\"type\":\"chunk\"}", CHUNKS, "without \"v\""),
        ("{\"type\":\"chunk\",\"v\":1}", CHUNKS, "missing field `uid`"),
        ("{\"a\":1}", CHUNKS, "without \"type\""),
        ("{\"a\":1}", QUESTIONS, "neither"),
        ("{\"_id\":[],\"text\":\"x\"}", QUESTIONS, "_id"),
    ] {
        match parse(text, wanted) {
            Err(LineError::Malformed(message)) => assert!(message.contains(why), "{text}: {message}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

proptest! {
    #[test]
    fn any_line_is_parsed_or_refused_without_a_panic(text in "\\PC{0,200}") {
        for bare in [Bare::Refused, Bare::Question, Bare::Path] {
            let _ = parse(&text, Wanted { kinds: &Kind::ALL, bare });
        }
    }

    #[test]
    fn a_chunk_round_trips(text in "\\PC{0,80}", score in prop::num::f32::NORMAL) {
        let chunk = Chunk {
            uid: "a:0".into(),
            text,
            spans: vec![crate::record::Span { bbox: Some([score; 4]), ..Default::default() }],
            ..Chunk::default()
        };
        let record = Record::from(chunk);
        prop_assert_eq!(parsed(&line(&record), CHUNKS), record);
    }
}
