//! The desk over a loopback server and a stopped clock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::clock::{Cancel, Clock, seconds};
use crate::loopback::{Reply, Server};
use crate::tape::Tape;
use crate::transport::{Client, Config, Error, Kind, Request, Retry, Secret, Timeouts};

/// 30 November 2026, 08:05 UTC.
const NOW: u64 = 1_796_025_900;
const HOUR: Duration = Duration::from_secs(3600);
const MIDNIGHT: u64 = (NOW / 86_400 + 1) * 86_400;

fn client(clock: &Clock, offline: bool) -> Client {
    let second = Duration::from_secs(1);
    Client::new(Config {
        user_agent: "techrag".into(),
        timeouts: Timeouts { connect: second, read: second, total: second * 20 },
        retry: Retry { attempts: 3, first: second, cap: second * 8, patience: second * 5 },
        body_limit: 1 << 20,
        offline,
        clock: clock.clone(),
        cancel: Cancel::default(),
    })
}

fn limits() -> Limits {
    Limits {
        name: "service".into(),
        rate: Rate { requests: 2, per: Duration::from_secs(1) },
        concurrent: 1,
        daily: None,
        cool_down: Duration::from_secs(60),
    }
}

struct Setting {
    folder: tempfile::TempDir,
    clock: Clock,
    server: Server,
}

impl Setting {
    fn new(replies: Vec<Reply>) -> Self {
        let next = AtomicUsize::new(0);
        let last = replies.len() - 1;
        let server = Server::start(move |_| replies[next.fetch_add(1, Ordering::Relaxed).min(last)].clone());
        Self { folder: tempfile::tempdir().unwrap(), clock: Clock::stopped(NOW), server: server.unwrap() }
    }

    fn desk(&self, freshness: Freshness, offline: bool) -> Desk {
        Desk::new(client(&self.clock, offline), self.folder.path(), freshness, Duration::from_secs(5))
    }

    fn request(&self, of: &str) -> Request {
        Request::get(self.server.url().join(of).unwrap())
    }

    fn ask(&self, of: &str) -> Result<Answer, Error> {
        self.desk(Freshness::Stored, false).ask(&limits(), &self.request(of), HOUR)
    }
}

fn ok() -> Reply {
    Reply::json(200, "{}")
}

#[test]
fn what_is_stored_is_not_asked_again_until_it_is_old() {
    let setting = Setting::new(vec![ok()]);
    assert!(!setting.ask("a").unwrap().response.stored);
    assert!(setting.ask("a").unwrap().response.stored);
    assert_eq!(setting.server.asked().len(), 1);
    let refreshed = setting.desk(Freshness::Refresh, false).ask(&limits(), &setting.request("a"), HOUR).unwrap();
    assert!(!refreshed.response.stored);
    setting.clock.wait(HOUR * 2, &Cancel::default());
    assert!(!setting.ask("a").unwrap().response.stored);
    setting.clock.wait(HOUR * 200, &Cancel::default());
    let offline = setting.desk(Freshness::Stored, true);
    assert_eq!(offline.ask(&limits(), &setting.request("a"), HOUR).unwrap().fetched, NOW + 7200);
    assert_eq!(offline.ask(&limits(), &setting.request("b"), HOUR).unwrap_err().kind(), Kind::Offline);
    assert_eq!(setting.server.asked().len(), 3);
}

#[test]
fn refusals_are_not_stored_and_absence_is() {
    let setting = Setting::new(vec![Reply::json(400, "{}"), Reply::json(404, "{}"), ok()]);
    assert_eq!(setting.ask("a").unwrap_err().kind(), Kind::Refused);
    assert_eq!(setting.ask("a").unwrap().response.status, 404);
    assert_eq!(setting.ask("a").unwrap().response.status, 404);
    assert_eq!(setting.server.asked().len(), 2);
}

#[test]
fn keys_are_nowhere_on_disk() {
    let setting = Setting::new(vec![ok(), Reply::json(429, "{}").header("retry-after", "900")]);
    for of in ["a", "b"] {
        let request = setting.request(of).secret("x-api-key", &Secret::new("sesame"));
        let _ = setting.desk(Freshness::Stored, false).ask(&limits(), &request, HOUR);
    }
    assert_eq!(setting.server.asked()[0].header("x-api-key"), Some("sesame"));
    let mut seen = 0;
    let mut folders = vec![setting.folder.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                seen += 1;
                assert!(!std::fs::read_to_string(entry.path()).unwrap().contains("sesame"), "{:?}", entry.path());
            }
        }
    }
    assert!(seen >= 3, "{seen}");
}

#[test]
fn a_spent_budget_is_remembered_by_every_process() {
    let setting = Setting::new(vec![Reply::json(429, "{}").header("Retry-After", "54000"), ok()]);
    for _ in 0..3 {
        let error = setting.ask("a").unwrap_err();
        assert_eq!(error.kind(), Kind::RateLimited);
        assert_eq!(error.until().map(seconds), Some(NOW + 54_000), "{error}");
    }
    assert_eq!((setting.server.asked().len(), setting.clock.seconds()), (1, NOW));
    setting.clock.wait(Duration::from_secs(54_001), &Cancel::default());
    assert!(setting.ask("a").is_ok());
}

#[test]
fn our_own_budget_ends_at_midnight() {
    let setting = Setting::new(vec![ok()]);
    let limits = Limits { daily: Some(2), ..limits() };
    let desk = setting.desk(Freshness::Stored, false);
    for of in ["a", "b"] {
        assert!(desk.ask(&limits, &setting.request(of), HOUR).is_ok());
    }
    let error = desk.ask(&limits, &setting.request("c"), HOUR).unwrap_err();
    assert_eq!((error.kind(), error.until().map(seconds)), (Kind::RateLimited, Some(MIDNIGHT)), "{error}");
    setting.clock.wait(Duration::from_secs(MIDNIGHT - NOW), &Cancel::default());
    assert!(desk.ask(&limits, &setting.request("c"), HOUR).is_ok());
}

#[test]
fn headers_set_the_pace_and_close_what_is_empty() {
    let slow = ok().header("x-rate-limit-limit", "1").header("x-rate-limit-interval", "4s");
    let setting =
        Setting::new(vec![slow, ok(), ok().header("x-ratelimit-remaining", "0").header("x-ratelimit-reset", "77")]);
    setting.ask("a").unwrap();
    setting.ask("b").unwrap();
    assert_eq!(setting.clock.seconds(), NOW + 4);
    setting.ask("c").unwrap();
    let error = setting.ask("d").unwrap_err();
    assert_eq!(error.until().map(seconds), Some(NOW + 8 + 77), "{error}");
}

#[test]
fn an_unreachable_service_is_not_tried_by_each_question() {
    let setting = Setting::new(vec![Reply { hang_up: true, ..ok() }]);
    let url = setting.server.url().clone();
    drop(setting.server);
    let desk = Desk::new(client(&setting.clock, false), setting.folder.path(), Freshness::Stored, HOUR);
    let started = Instant::now();
    for _ in 0..50 {
        let error = desk.ask(&limits(), &Request::get(url.clone()), HOUR).unwrap_err();
        assert_eq!(error.kind(), Kind::Unreachable, "{error}");
    }
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_passing_failure_is_repeated_and_a_lasting_one_reported() {
    let setting = Setting::new(vec![Reply::json(503, "{}"), Reply::json(429, "{}").header("retry-after", "3"), ok()]);
    assert!(setting.ask("a").is_ok());
    let setting = Setting::new(vec![Reply::json(500, "{\"status\":\"error\"}")]);
    assert_eq!(setting.ask("a").unwrap_err().kind(), Kind::Server);
    assert_eq!(setting.server.asked().len(), 3);
}

/// In real time and with many threads: the server counts.
#[test]
fn the_limit_holds_across_threads() {
    let arrivals = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = std::sync::Arc::clone(&arrivals);
    let server = Server::start(move |_| {
        log.lock().unwrap().push(Instant::now());
        ok()
    })
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { rate: Rate { requests: 3, per: Duration::from_millis(200) }, concurrent: 2, ..limits() };
    thread::scope(|scope| {
        for worker in 0..6 {
            let (server, limits, folder) = (&server, &limits, folder.path());
            scope.spawn(move || {
                let desk = Desk::new(client(&Clock::system(), false), folder, Freshness::Stored, HOUR);
                for n in 0..3 {
                    let url = server.url().join(&format!("{worker}/{n}")).unwrap();
                    desk.ask(limits, &Request::get(url), HOUR).unwrap();
                }
            });
        }
    });
    let mut arrivals = arrivals.lock().unwrap().clone();
    arrivals.sort();
    assert_eq!(arrivals.len(), 18);
    for four in arrivals.windows(4) {
        assert!(four[3] - four[0] >= Duration::from_millis(199), "{:?}", four[3] - four[0]);
    }
}

#[test]
fn a_busy_service_is_skipped_not_queued_for() {
    let setting = Setting::new(vec![ok()]);
    let limits = Limits { rate: Rate { requests: 1, per: HOUR }, ..limits() };
    let desk = setting.desk(Freshness::Stored, false);
    assert!(desk.ask(&limits, &setting.request("a"), HOUR).is_ok());
    let error = desk.ask(&limits, &setting.request("b"), HOUR).unwrap_err();
    assert_eq!((error.kind(), setting.clock.seconds()), (Kind::RateLimited, NOW));
}

#[test]
fn a_tape_repeats_a_run_without_the_server() {
    let setting = Setting::new(vec![Reply::json(200, "{\"n\":1}"), Reply::json(422, "{\"error\":\"no\"}")]);
    let tape = setting.folder.path().join("tape");
    let record = client(&setting.clock, false).with_tape(Tape::Record(tape.clone()));
    let replay = client(&setting.clock, true).with_tape(Tape::Replay(tape));
    let (good, bad) = (setting.request("good").secret("k", &Secret::new("sesame")), setting.request("bad"));
    assert!(record.send(&good).is_ok() && record.send(&bad).is_err());
    let again = replay.send(&good).unwrap();
    assert_eq!((again.text().as_str(), again.stored), ("{\"n\":1}", true));
    assert_eq!(replay.send(&bad).unwrap_err().kind(), Kind::Refused);
    assert_eq!(replay.send(&setting.request("other")).unwrap_err().kind(), Kind::NotRecorded);
    assert_eq!(replay.stream(&good).unwrap().next_line().unwrap().as_deref(), Some("{\"n\":1}"));
    assert_eq!(setting.server.asked().len(), 2);
}
