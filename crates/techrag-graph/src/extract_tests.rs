//! Extraction on two small papers.

use techrag_core::record::Reference;

use super::*;

fn config() -> Config {
    let limits = Limits { topics: 8, methods: 8, metrics: 8, applications: 4, least: 0.2 };
    Config {
        vocabulary: Vocabulary::shipped().unwrap(),
        priority: 6000,
        limits,
        names: false,
        relations: false,
        by: "test".into(),
    }
}

fn paper(extractor: &mut Extractor, doc_id: &str, title: &str, keywords: &[&str], texts: &[(&str, Role)]) {
    let references = vec![
        Reference { title: Some("Vehicle Dynamics".into()), raw: "…".into(), ..Reference::default() },
        Reference { raw: "without a title".into(), ..Reference::default() },
    ];
    extractor.document(Document {
        doc_id: doc_id.into(),
        key: format!("{doc_id}.pdf"),
        title: Some(title.into()),
        keywords: keywords.iter().map(|keyword| (*keyword).to_owned()).collect(),
        authors: vec!["Ada Lovelace".into()],
        references,
        chunks: texts.len() as u32,
        ..Document::default()
    });
    for (ordinal, (text, role)) in texts.iter().enumerate() {
        let uid = techrag_core::id::uid(doc_id, ordinal as u32);
        extractor.chunk(Chunk { uid, doc_id: doc_id.into(), text: (*text).into(), role: *role, ..Chunk::default() });
    }
}

fn names(terms: &[techrag_core::record::Entity]) -> Vec<&str> {
    terms.iter().map(|term| term.name.as_str()).collect()
}

#[test]
fn terms_are_told_apart_and_long_forms_stand_for_acronyms() {
    let mut extractor = Extractor::new(config());
    let first = [
        ("An extended Kalman filter (EKF) estimates the sideslip angle of a vehicle. The EKF is fast.", Role::Abstract),
        ("The sideslip angle error of the EKF is small. The sideslip angle grows.", Role::Results),
    ];
    paper(&mut extractor, "aaaaaaaaaaaaaaaa", "Kalman Filters for the Sideslip Angle", &["friction limit"], &first);
    let second = [("Near the friction limit the friction limit is met by control. The friction limit.", Role::Method)];
    paper(&mut extractor, "bbbbbbbbbbbbbbbb", "Control at High Speed", &[], &second);
    let found = extractor.finish();
    assert_eq!(found.len(), 2);
    let ekf = found[0].methods.iter().find(|term| term.name == "extended Kalman filter").expect("a method");
    assert_eq!(ekf.also.as_deref(), Some("EKF"));
    assert!(names(&found[0].metrics).contains(&"sideslip angle"), "{:?}", found[0].metrics);
    assert_eq!(names(&found[0].topics), ["friction limit"]);
    // A keyword of one paper is a topic of another that speaks of it.
    assert!(names(&found[1].topics).contains(&"friction limit"), "{:?}", found[1].topics);
    assert_eq!(found[0].cited.len(), 1);
    assert_eq!(found[0].chunks.len(), 2);
}

#[test]
fn a_paper_with_missing_chunks_is_taken_with_what_came() {
    let mut extractor = Extractor::new(config());
    let document = Document { doc_id: "cccccccccccccccc".into(), chunks: 3, ..Document::default() };
    extractor.document(document);
    extractor.chunk(Chunk { uid: "x:0".into(), doc_id: "unknown".into(), ..Chunk::default() });
    let found = extractor.finish();
    assert_eq!((found.len(), found[0].chunks.len()), (1, 0));
}
