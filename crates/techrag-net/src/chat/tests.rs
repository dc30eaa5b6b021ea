//! The client against servers that behave and servers that do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::clock::{Cancel, Clock};
use crate::loopback::{Reply as Http, Server};

fn said(text: &str) -> Http {
    let body = json!({
        "model": "tiny-1",
        "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 20, "completion_tokens": 5 },
    });
    Http::json(200, body.to_string())
}

fn failed(status: u16, message: &str) -> Http {
    Http::json(status, json!({ "error": { "message": message } }).to_string())
}

/// A server with one reply after the other, the last one for ever.
fn server(replies: Vec<Http>) -> Server {
    let next = AtomicUsize::new(0);
    let last = replies.len() - 1;
    Server::start(move |_| replies[next.fetch_add(1, Ordering::Relaxed).min(last)].clone()).unwrap()
}

fn opened(server: &Server, file: &str, calls: Calls) -> Chat {
    cancellable(server, file, calls, Clock::stopped(1_796_025_900), Cancel::default())
}

fn cancellable(server: &Server, file: &str, calls: Calls, clock: Clock, cancel: Cancel) -> Chat {
    let flags = Flags { base_url: Some(server.url().join("v1").unwrap().into()), ..Flags::default() };
    let table = format!("model = \"tiny\"\n{file}").parse().unwrap();
    let key = |_: &KeySource| Ok(Some(" sk-secret\n".to_owned()));
    let settings = settings(&flags, &[(table, Origin::User)], key).unwrap().unwrap();
    let conduct = Conduct { calls, offline: false, user_agent: "techrag/test".into(), timings: false, clock, cancel };
    Chat::open(settings, conduct).unwrap()
}

fn chat(server: &Server) -> Chat {
    opened(server, "", Calls::Made)
}

fn request() -> Request {
    let schema = Schema { name: "reply", schema: json!({ "type": "object" }) };
    let messages = vec![Message::new(Role::User, "How large?")];
    Request { agent: "writer", messages, temperature: 0.2, max_tokens: 50, schema: Some(schema) }
}

fn number(value: &Value) -> Result<i64, String> {
    value.get("n").and_then(Value::as_i64).ok_or_else(|| "n is no number".to_owned())
}

#[test]
fn an_answer_is_asked_for_with_the_key_and_booked() {
    let server = server(vec![said("{\"n\": 4}")]);
    let chat = opened(&server, "key_env = \"K\"\n[prices.tiny]\ninput = 1\noutput = 2", Calls::Made);
    let asked = chat.ask("generate", &request(), number);
    assert_eq!((asked.answer, asked.notes), (Ok(4), vec![]));
    let entry = &asked.usage[0];
    assert_eq!((entry.agent.as_str(), entry.model.as_str(), entry.prompt_tokens), ("writer", "tiny-1", 20));
    assert_eq!(entry.usd, Some(30e-6));
    let sent = &server.asked()[0];
    assert_eq!(
        (sent.target.as_str(), sent.header("authorization")),
        ("/v1/chat/completions", Some("Bearer sk-secret"))
    );
    let body: Value = serde_json::from_slice(&sent.body).unwrap();
    assert_eq!((&body["model"], &body["response_format"]["type"]), (&json!("tiny"), &json!("json_schema")));
    assert!(!format!("{chat:?}").contains("sk-secret"));
}

#[test]
fn a_reply_in_the_wrong_form_is_asked_for_once_more() {
    let wrong = server(vec![said("Four, I think."), said("```json\n{\"n\": 4}\n```")]);
    let asked = chat(&wrong).ask("generate", &request(), number);
    assert_eq!((asked.answer, asked.usage.len(), asked.notes.len()), (Ok(4), 2, 2));
    let body: Value = serde_json::from_slice(&wrong.asked()[1].body).unwrap();
    assert_eq!(body["messages"][1]["content"], "Four, I think.");
    let never = server(vec![said("{\"m\": 4}")]);
    let asked = chat(&never).ask("generate", &request(), number);
    assert_eq!(asked.answer.unwrap_err().kind(), Kind::Form);
    assert_eq!((asked.usage.len(), never.asked().len()), (2, 2));
}

#[test]
fn a_server_without_schemas_is_asked_without() {
    let server = server(vec![
        failed(400, "response_format json_schema is not supported"),
        failed(422, "unknown field response_format"),
        failed(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        said("{\"n\": 4}"),
    ]);
    let chat = chat(&server);
    assert_eq!(chat.ask("generate", &request(), number).answer, Ok(4));
    assert_eq!(chat.ask("generate", &request(), number).answer, Ok(4));
    let bodies: Vec<Value> = server.asked().iter().map(|asked| serde_json::from_slice(&asked.body).unwrap()).collect();
    assert_eq!(bodies.len(), 5, "the dialect is remembered");
    assert_eq!(bodies[1]["response_format"]["type"], "json_object");
    assert!(bodies[3].get("response_format").is_none() && bodies[4]["max_completion_tokens"] == 50);
}

#[test]
fn a_busy_server_is_waited_for_and_a_broken_one_asked_again() {
    // The stopped clock advances by the waits: half a minute costs no time here.
    let date = "Mon, 30 Nov 2026 08:05:20 GMT";
    for reply in [
        failed(429, "slow down").header("retry-after", "30"),
        failed(429, "slow down").header("retry-after", date),
        failed(503, "loading"),
        failed(500, "oops"),
        Http { hang_up: true, ..Http::default() },
        Http::json(200, "{\"choices\": [{\"mess"),
    ] {
        let server = server(vec![reply.clone(), said("{\"n\": 4}")]);
        assert_eq!(chat(&server).ask("generate", &request(), number).answer, Ok(4), "{reply:?}");
        assert_eq!(server.asked().len(), 2);
    }
    let patient = server(vec![failed(429, "tomorrow").header("retry-after", "86400")]);
    let error = chat(&patient).call(&request()).unwrap_err();
    assert_eq!((error.kind(), patient.asked().len()), (Kind::RateLimited, 1));
}

#[test]
fn each_misfortune_has_its_kind() {
    let too_long = "This model's maximum context length is 4096 tokens";
    for (reply, kind) in [
        (failed(400, too_long), Kind::ContextLength),
        (failed(500, "the request exceeds the available context size"), Kind::ContextLength),
        (failed(401, "wrong key"), Kind::Unauthorised),
        (failed(404, "model tiny not found"), Kind::NotFound),
        (failed(400, "no"), Kind::Refused),
        (failed(500, "oops"), Kind::Server),
        (said("  "), Kind::Empty),
        (Http::new(200, "text/html", "<html>"), Kind::Malformed),
        (Http::json(200, "{}"), Kind::Malformed),
        (Http { hang_up: true, ..Http::default() }, Kind::Malformed),
    ] {
        let server = server(vec![reply.clone()]);
        let error = chat(&server).call(&request()).unwrap_err();
        assert_eq!(error.kind(), kind, "{reply:?}: {error}");
        assert!(!error.to_string().contains("sk-secret"));
    }
}

#[test]
fn a_slow_server_costs_no_more_than_the_timeout() {
    let slow = Http { pieces: vec![b" ".to_vec(); 200], pause: Duration::from_millis(50), ..said("") };
    let server = server(vec![slow]);
    let chat = opened(&server, "timeout = 0.3", Calls::Made);
    let error = chat.call(&request()).unwrap_err();
    assert_eq!(error.kind(), Kind::Timeout, "{error}");
}

#[test]
fn a_cancelled_call_ends_while_it_waits() {
    let busy = failed(429, "slow down").header("retry-after", "30");
    let server = server(vec![busy, said("{\"n\": 4}")]);
    let cancel = Cancel::default();
    let chat = cancellable(&server, "", Calls::Made, Clock::system(), cancel.clone());
    let started = std::time::Instant::now();
    let error = std::thread::scope(|scope| {
        let call = scope.spawn(|| chat.call(&request()).unwrap_err());
        // Set once the server was asked: the call then waits for half a minute.
        while server.asked().is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        cancel.set();
        call.join().unwrap()
    });
    assert_eq!((error.kind(), server.asked().len()), (Kind::Cancelled, 1), "{error}");
    assert!(started.elapsed() < Duration::from_secs(25));
}

#[test]
fn nobody_there_is_unreachable() {
    let server = server(vec![said("")]);
    let chat = chat(&server);
    drop(server);
    // The thread that accepts may take one more connection, which it closes unanswered.
    let kinds: Vec<Kind> = (0..3).map(|_| chat.call(&request()).unwrap_err().kind()).collect();
    assert_eq!(kinds.last(), Some(&Kind::Unreachable), "{kinds:?}");
}

#[test]
fn the_budget_and_the_dry_run_send_nothing() {
    let server = Arc::new(server(vec![said("{\"n\": 4}")]));
    let prices = "[prices.tiny]\ninput = 1\noutput = 2";
    let poor = opened(&server, &format!("max_usd = 0.00001\n{prices}"), Calls::Made);
    assert_eq!(poor.call(&request()).unwrap_err().kind(), Kind::Budget);
    let once = opened(&server, "max_calls = 1", Calls::Made);
    assert!(once.call(&request()).is_ok());
    assert_eq!(once.call(&request()).unwrap_err().kind(), Kind::Budget);
    let dry = opened(&server, prices, Calls::Counted);
    assert_eq!(dry.call(&request()).unwrap_err().kind(), Kind::DryRun);
    let spent = dry.spent();
    assert_eq!((spent.calls, spent.completion_tokens, server.asked().len()), (1, 50, 1));
    assert!(spent.usd > 100e-6 && spent.prompt_tokens > 0);
}

#[test]
fn a_replay_needs_no_server_and_knows_failures_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    let server = server(vec![said("{\"n\": 4}"), failed(400, "maximum context length is 4096")]);
    let other = Request { max_tokens: 51, ..request() };
    let run = |chat: &Chat| {
        let asked = chat.ask("generate", &request(), number);
        (asked.answer, asked.usage, chat.call(&other).map_err(|error| error.kind()))
    };
    let recorded = run(&opened(&server, "", Calls::Recorded(path.clone())));
    assert_eq!(recorded.2, Err(Kind::ContextLength));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("sk-secret") && !text.contains("How large"));
    let replay = opened(&server, "", Calls::Replayed(path.clone()));
    assert_eq!(run(&replay), recorded);
    assert_eq!((server.asked().len(), replay.spent().calls), (2, 0));
    let new = Request { max_tokens: 52, ..request() };
    assert_eq!(replay.call(&new).unwrap_err().kind(), Kind::NotRecorded);
}

#[test]
fn an_agent_has_settings_of_its_own() {
    let server = server(vec![said("{\"n\": 4}")]);
    let chat = opened(&server, "[agents.writer]\nmodel = \"big\"\ntemperature = 0.7\nmax_tokens = 9", Calls::Made);
    assert!(chat.call(&request()).is_ok());
    let body: Value = serde_json::from_slice(&server.asked()[0].body).unwrap();
    assert_eq!((&body["model"], &body["temperature"], &body["max_tokens"]), (&json!("big"), &json!(0.7), &json!(9)));
}
