//! Who writes when: the modes without a server. What a server does is tested over HTTP in `tests/llm.rs`.

use techrag_core::record::{Passage, Source, Span};
use techrag_net::chat::{Calls, Conduct, Flags};
use techrag_net::clock::{Cancel, Clock};

use super::*;

const TEXT: &str = "On packed snow the friction coefficient is 0.27. The test speed was 50 km/h.";

fn query() -> Query {
    let span = Span { start: 0, end: TEXT.len(), page: Some(2), ..Span::default() };
    let passage =
        Passage { uid: "d:0".into(), pages: Some([2, 2]), spans: vec![span], text: TEXT.into(), ..Passage::default() };
    let source =
        Source { n: 1, key: "a.pdf".into(), title: "Snow".into(), passages: vec![passage], ..Source::default() };
    let user = format!("EVIDENCE\n[SOURCE 1: Snow] (a.pdf)\n<<<m\n(p. 2) {TEXT}\nm>>>");
    let prompt = techrag_core::record::Prompt { user, ..Default::default() };
    let question = "How large is the friction coefficient on packed snow?";
    Query { sources: Some(vec![source]), prompt: Some(prompt), ..Query::new(question) }
}

fn config(mode: Mode) -> Config<'static> {
    let extractive = extractive::Config { max_sentences: 3, floor: extractive::FLOOR };
    Config {
        mode,
        extractive,
        fallback: Fallback::default(),
        max_sentences: 3,
        max_prompt_tokens: None,
        images: None,
        model_needed: false,
    }
}

/// A model that may not be asked.
fn offline() -> Chat {
    let flags = Flags { base_url: Some("http://127.0.0.1:1/v1".into()), model: Some("m".into()), ..Flags::default() };
    let settings = chat::settings(&flags, &[], |_| Ok(None)).unwrap().unwrap();
    let conduct = Conduct {
        calls: Calls::Made,
        offline: true,
        user_agent: "techrag/test".into(),
        timings: false,
        clock: Clock::stopped(0),
        cancel: Cancel::default(),
    };
    Chat::open(settings, conduct).unwrap()
}

#[test]
fn without_a_model_the_extractive_writer_writes_whatever_the_mode() {
    for mode in [Mode::Auto, Mode::Extractive, Mode::Single] {
        let mut query = query();
        run(&mut query, config(mode), None, None).unwrap();
        assert_eq!(query.answer.unwrap().by, extractive::BY);
        assert_eq!(query.trace.len(), 1);
    }
}

#[test]
fn a_model_that_may_not_be_asked_is_a_note_or_the_end() {
    let chat = offline();
    let mut degraded = query();
    run(&mut degraded, config(Mode::Auto), Some(&chat), None).unwrap();
    assert_eq!(degraded.answer.unwrap().by, extractive::BY);
    assert!(degraded.trace[0].note.contains("was not asked: offline"), "{}", degraded.trace[0].note);
    let needed = Config { model_needed: true, ..config(Mode::Single) };
    assert_eq!(run(&mut query(), needed, Some(&chat), None).unwrap_err().kind(), chat::Kind::Offline);
}

#[test]
fn effort_decides_between_one_call_and_four_agents() {
    let chat = offline();
    let route = |effort| techrag_core::record::Route { effort, ..Default::default() };
    let mode = |route| writer(&Query { route, ..query() }, Mode::Auto, Some(&chat)).map(|(_, mode)| mode);
    assert_eq!(mode(None), Some(Mode::Single));
    assert_eq!(mode(Some(route(Effort::Low))), Some(Mode::Single));
    assert_eq!(mode(Some(route(Effort::High))), Some(Mode::Multi));
    assert!(writer(&query(), Mode::Extractive, Some(&chat)).is_none());
}

/// A model on loopback whose planner writes more than a prompt holds.
#[test]
fn a_plan_that_leaves_no_room_for_evidence_is_left_out() {
    use techrag_net::loopback::{Asked, Reply, Server};
    let caveats: Vec<String> = (0..20).map(|n| format!("{n} {}", "the surface may be wet or dry ".repeat(8))).collect();
    let plan =
        serde_json::json!({ "sections": [{ "heading": "Snow", "sources": [1] }], "gaps": [], "caveats": caveats })
            .to_string();
    let reply = move |asked: &Asked| {
        let body: serde_json::Value = serde_json::from_slice(&asked.body).unwrap();
        let text = match body["response_format"]["json_schema"]["name"].as_str().unwrap() {
            "planner" => plan.as_str(),
            "researcher" => r#"{"claims":[],"contradictions":[],"gaps":[]}"#,
            "critic" => r#"{"verdict":"pass","feedback":[]}"#,
            _ => r#"{"sentences":[{"text":"On packed snow the friction coefficient is 0.27.","cite":[1]}]}"#,
        };
        let choices = serde_json::json!([{ "message": { "content": text }, "finish_reason": "stop" }]);
        Reply::json(200, serde_json::json!({ "model": "m", "choices": choices }).to_string())
    };
    let server = Server::start(reply).unwrap();
    let flags =
        Flags { base_url: Some(server.url().join("v1").unwrap().into()), model: Some("m".into()), ..Flags::default() };
    let conduct = Conduct {
        calls: Calls::Made,
        offline: false,
        user_agent: "techrag/test".into(),
        timings: false,
        clock: Clock::stopped(0),
        cancel: Cancel::default(),
    };
    let chat = Chat::open(chat::settings(&flags, &[], |_| Ok(None)).unwrap().unwrap(), conduct).unwrap();
    let mut query = query();
    run(&mut query, Config { max_prompt_tokens: Some(700), ..config(Mode::Multi) }, Some(&chat), None).unwrap();
    assert_eq!(query.answer.unwrap().by, "m");
    let draft = query.draft.unwrap();
    assert!(draft.prompt.tokens <= 700 && !draft.prompt.user.contains("wet or dry"), "{}", draft.prompt.user);
    let notes = query.trace.last().unwrap().details["notes"].to_string();
    assert!(notes.contains("writer: without the plan"), "{notes}");
}
