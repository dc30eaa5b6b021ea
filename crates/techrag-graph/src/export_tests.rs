//! Exports of a small graph, and of the same graph loaded in another order.

use techrag_core::record::{CitedWork, Entities, Entity, EntityAuthor, PaperFacts};

use super::*;
use crate::rows::Rows;
use crate::store::{Embedded, Loaded};

fn paper(doc_id: &str, title: &str, method: &str) -> Entities {
    Entities {
        doc_id: doc_id.into(),
        key: format!("{doc_id}.pdf"),
        paper: PaperFacts { title: Some(title.into()), year: Some(2020), ..PaperFacts::default() },
        authors: vec![EntityAuthor { name: "Ada O'Neill".into(), ..EntityAuthor::default() }],
        methods: vec![Entity { name: method.into(), weight: 0.5, ..Entity::default() }],
        cited: vec![CitedWork { title: "A <work> & \"more\"".into(), year: Some(1999), ..CitedWork::default() }],
        ..Entities::default()
    }
}

fn graph(papers: &[Entities]) -> (tempfile::TempDir, Embedded) {
    let folder = tempfile::tempdir().unwrap();
    let store = Embedded::open_for_writing(folder.path(), "test").unwrap();
    for paper in papers {
        assert_eq!(store.replace(&Rows::of(paper)).unwrap(), Loaded::Written);
        assert_eq!(store.replace(&Rows::of(paper)).unwrap(), Loaded::Unchanged);
    }
    (folder, store)
}

#[test]
fn the_order_of_loading_does_not_show() {
    let (a, b) =
        (paper("aaaaaaaaaaaaaaaa", "First", "Kalman filter"), paper("bbbbbbbbbbbbbbbb", "Second", "kalman filters"));
    let (_f, one) = graph(&[a.clone(), b.clone()]);
    let (_g, two) = graph(&[b, a]);
    for format in [Format::Jsonl, Format::GraphMl, Format::Cypher, Format::Dot] {
        let text = export(&one, format, &Label::ALL).unwrap();
        assert_eq!(text, export(&two, format, &Label::ALL).unwrap());
        assert!(text.contains("Kalman filter") && text.contains("USES_METHOD"), "{text}");
    }
}

#[test]
fn each_format_escapes_what_it_must() {
    let (_f, store) = graph(&[paper("aaaaaaaaaaaaaaaa", "Say \"yes\"\\", "Kalman filter")]);
    let graphml = export(&store, Format::GraphMl, &Label::ALL).unwrap();
    let mut reader = quick_xml::Reader::from_str(&graphml);
    let mut nodes = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(tag) if tag.name().as_ref() == b"node" => nodes += 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(nodes, 4);
    let cypher = export(&store, Format::Cypher, &Label::ALL).unwrap();
    assert!(cypher.contains(r"'Ada O\'Neill'") && cypher.contains(r#"'Say "yes"\\'"#), "{cypher}");
    let dot = export(&store, Format::Dot, &[Label::Paper]).unwrap();
    assert!(dot.contains(r#"label="Say \"yes\"\\""#) && !dot.contains("->"), "{dot}");
}

#[test]
fn a_key_moves_to_the_paper_that_has_it_now() {
    let (_f, store) = graph(&[paper("aaaaaaaaaaaaaaaa", "First", "Kalman filter")]);
    let newer = Entities { key: "aaaaaaaaaaaaaaaa.pdf".into(), ..paper("bbbbbbbbbbbbbbbb", "Second", "brush model") };
    store.replace(&Rows::of(&newer)).unwrap();
    let text = export(&store, Format::Jsonl, &Label::ALL).unwrap();
    assert!(!text.contains("First") && !text.contains("alman") && text.contains("Second"), "{text}");
    assert!(store.remove("bbbbbbbbbbbbbbbb", "aaaaaaaaaaaaaaaa.pdf").unwrap());
    assert_eq!(store.stats().unwrap(), crate::Stats::default());
}
