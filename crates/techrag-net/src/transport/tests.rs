//! The client against servers that behave and servers that do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::*;
use crate::clock::{Cancel, Clock};
use crate::loopback::{Reply, Server};

/// 30 November 2026, 08:05 UTC.
const NOW: u64 = 1_796_025_900;

fn config() -> Config {
    Config {
        user_agent: "techrag/0.1 (mailto:someone@techrag.invalid)".into(),
        timeouts: Timeouts {
            connect: Duration::from_millis(500),
            read: Duration::from_millis(400),
            total: Duration::from_secs(30),
        },
        retry: Retry {
            attempts: 3,
            first: Duration::from_secs(1),
            cap: Duration::from_secs(30),
            patience: Duration::from_secs(10),
        },
        body_limit: 100_000,
        offline: false,
        clock: Clock::stopped(NOW),
        cancel: Cancel::default(),
    }
}

fn client() -> Client {
    Client::new(config())
}

/// A server with one reply after the other, the last one for ever.
fn server(replies: Vec<Reply>) -> Server {
    let next = AtomicUsize::new(0);
    let last = replies.len() - 1;
    Server::start(move |_| replies[next.fetch_add(1, Ordering::Relaxed).min(last)].clone()).expect("a port")
}

fn get(server: &Server) -> Request {
    Request::get(server.url().join("works?q=a").expect("a URL"))
}

#[test]
fn each_status_has_its_kind() {
    let kinds = [
        (400, Kind::Refused),
        (401, Kind::Unauthorised),
        (403, Kind::Unauthorised),
        (404, Kind::NotFound),
        (418, Kind::Refused),
        (429, Kind::RateLimited),
        (500, Kind::Server),
        (503, Kind::Server),
    ];
    for (status, kind) in kinds {
        let server = server(vec![Reply::json(status, "{\"error\":\"so\"}")]);
        let error = client().send(&get(&server)).unwrap_err();
        assert_eq!((error.kind(), error.status()), (kind, Some(status)), "{error}");
        assert!(error.to_string().contains("so"), "{error}");
        let attempts = if matches!(status, 429 | 500 | 503) { 3 } else { 1 };
        assert_eq!(server.asked().len(), attempts, "{status}");
    }
}

#[test]
fn a_passing_failure_is_repeated_after_its_wait() {
    let busy = || Reply::json(429, "{}").header("Retry-After", "7");
    let server = server(vec![busy(), busy(), Reply::json(200, "{\"n\":1}")]);
    let client = client();
    let response = client.send(&get(&server)).unwrap();
    assert_eq!(response.json::<serde_json::Value>().unwrap()["n"], 1);
    assert_eq!(client.config().clock.seconds(), NOW + 14);
    assert_eq!(server.asked()[2].header("user-agent"), Some("techrag/0.1 (mailto:someone@techrag.invalid)"));
}

#[test]
fn a_long_retry_after_is_told_not_waited_for() {
    // As a spent daily budget answers: fifteen hours, in seconds or as a date.
    for value in ["54000", "Mon, 30 Nov 2026 23:05:00 GMT"] {
        let server = server(vec![Reply::json(429, "{}").header("Retry-After", value)]);
        let client = client();
        let error = client.send(&get(&server)).unwrap_err();
        assert_eq!(error.kind(), Kind::RateLimited, "{value}");
        assert_eq!(error.until().map(crate::clock::seconds), Some(NOW + 54_000), "{value}");
        assert_eq!((client.config().clock.seconds(), server.asked().len()), (NOW, 1));
    }
}

#[test]
fn a_post_is_repeated_only_where_nothing_was_done() {
    for (status, attempts) in [(429, 3), (503, 3), (500, 1)] {
        let server = server(vec![Reply::json(status, "{}")]);
        let request = Request::post_json(server.url().clone(), &serde_json::json!({ "a": 1 })).unwrap();
        assert!(client().send(&request).is_err());
        assert_eq!(server.asked().len(), attempts, "{status}");
        assert_eq!(server.asked()[0].body, b"{\"a\":1}");
        assert_eq!(server.asked()[0].header("content-type"), Some("application/json"));
    }
}

#[test]
fn keys_do_not_follow_a_redirect() {
    let second = server(vec![Reply::json(200, "{}")]);
    let to = second.url().join("elsewhere").expect("a URL");
    let first = server(vec![Reply::new(302, "text/plain", "").header("Location", to.as_str())]);
    let request = get(&first)
        .secret("x-api-key", &Secret::new(" k1 \n"))
        .bearer(&Secret::new("k2"))
        .header("accept", "application/json");
    assert!(!format!("{request:?}").contains("k1"));
    client().send(&request).unwrap();
    let (first, second) = (&first.asked()[0], &second.asked()[0]);
    assert_eq!((first.header("x-api-key"), first.header("authorization")), (Some("k1"), Some("Bearer k2")));
    assert_eq!((second.header("x-api-key"), second.header("authorization")), (None, None));
    assert_eq!(second.header("accept"), Some("application/json"));
}

#[test]
fn redirects_end_and_bodies_do_not_follow_them() {
    let circle = server(vec![Reply::new(301, "text/plain", "").header("Location", "/works?q=a")]);
    assert_eq!(client().send(&get(&circle)).unwrap_err().kind(), Kind::Refused);
    assert!(circle.asked().len() <= 6);
    let request = Request::post_json(circle.url().clone(), &1).unwrap();
    assert_eq!(client().send(&request).unwrap_err().status(), Some(301));
}

#[test]
fn bodies_are_bounded_whatever_the_server_announces() {
    let server = server(vec![Reply::json(200, vec![b' '; 100_001])]);
    assert_eq!(client().send(&get(&server)).unwrap_err().kind(), Kind::TooLarge);
}

#[test]
fn slow_broken_and_absent_servers_cost_their_timeout_and_no_more() {
    let started = Instant::now();
    let slow = server(vec![Reply { pause: Duration::from_secs(5), ..Reply::json(200, "{}") }]);
    assert_eq!(client().send(&get(&slow)).unwrap_err().kind(), Kind::Timeout);
    let short = server(vec![Reply::json(200, "{}").header("content-length", "999")]);
    assert_eq!(client().send(&get(&short)).unwrap_err().kind(), Kind::Malformed);
    let silent = server(vec![Reply { hang_up: true, ..Reply::default() }]);
    let error = client().send(&get(&silent)).unwrap_err();
    assert!(matches!(error.kind(), Kind::Malformed | Kind::Unreachable), "{error}");
    let gone = server(vec![Reply::json(200, "{}")]);
    let request = get(&gone);
    drop(gone);
    assert_eq!(client().send(&request).unwrap_err().kind(), Kind::Unreachable);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn what_is_not_json_says_how_it_begins() {
    let server = server(vec![Reply::new(200, "text/html", "<html>\u{1b}[31m<title>Wait</title>")]);
    let error = client().send(&get(&server)).unwrap().json::<serde_json::Value>().unwrap_err();
    assert_eq!(error.kind(), Kind::Malformed);
    assert!(error.to_string().contains("text/html") && error.to_string().contains("<title>Wait"), "{error}");
    assert!(!error.to_string().contains('\u{1b}'));
}

#[test]
fn offline_and_cancelled_open_no_socket() {
    let server = server(vec![Reply::json(200, "{}")]);
    let offline = Client::new(Config { offline: true, ..config() });
    assert_eq!(offline.send(&get(&server)).unwrap_err().kind(), Kind::Offline);
    let cancelled = client();
    cancelled.config().cancel.set();
    assert_eq!(cancelled.send(&get(&server)).unwrap_err().kind(), Kind::Cancelled);
    assert!(server.asked().is_empty());
}

#[test]
fn a_key_is_not_sent_over_plain_http() {
    let url = |text: &str| url::Url::parse(text).expect("a URL");
    let keyed = Request::get(url("http://api.techrag.invalid/x")).bearer(&Secret::new("k"));
    assert_eq!(client().send(&keyed).unwrap_err().kind(), Kind::Unsafe);
    assert_eq!(client().send(&Request::get(url("file:///etc/passwd"))).unwrap_err().kind(), Kind::Unsafe);
}

#[test]
fn lines_come_as_they_are_sent() {
    let pieces = ["data: a\r\nda", "ta: b\n\n", "data: [DONE]"].map(|piece| piece.as_bytes().to_vec()).to_vec();
    let server =
        server(vec![Reply { pieces, pause: Duration::from_millis(20), ..Reply::new(200, "text/event-stream", "") }]);
    let mut stream = client().stream(&Request::post_json(server.url().clone(), &1).unwrap()).unwrap();
    let mut lines = Vec::new();
    while let Some(line) = stream.next_line().unwrap() {
        lines.push(line);
    }
    assert_eq!(lines, ["data: a", "data: b", "", "data: [DONE]"]);
}

#[test]
fn a_stream_ends_at_its_deadline_limit_or_cancellation() {
    let endless = |pause| Reply {
        pieces: vec![b"data: x\n".repeat(500); 100],
        pause,
        ..Reply::new(200, "text/event-stream", "")
    };
    let drain = |client: &Client, server: &Server| {
        let mut stream = client.stream(&Request::post_json(server.url().clone(), &1).unwrap()).unwrap();
        loop {
            match stream.next_line() {
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => return Some(error.kind()),
            }
        }
    };
    let large = server(vec![endless(Duration::from_millis(1))]);
    assert_eq!(drain(&client(), &large), Some(Kind::TooLarge));
    let slow = server(vec![endless(Duration::from_millis(100))]);
    let timeouts = Timeouts { total: Duration::from_millis(600), ..config().timeouts };
    let hurried = Client::new(Config { timeouts, clock: Clock::system(), ..config() });
    assert_eq!(drain(&hurried, &slow), Some(Kind::Timeout));
    let cancel = Cancel::default();
    let stopped = Client::new(Config { cancel: cancel.clone(), ..config() });
    let canceller = Arc::new(cancel);
    let handle = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(250));
        canceller.set();
    });
    assert_eq!(drain(&stopped, &slow), Some(Kind::Cancelled));
    handle.join().expect("it ends");
}
