//! The loops and the decision over a loopback server: what is asked, what is kept, what is said.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use techrag_core::record::{Effort, Evidence, Outcome, Query, Retry as Again, Route, RouteName, Verdict};
use techrag_net::clock::{Cancel, Clock};
use techrag_net::loopback::{Asked, Reply, Server};
use techrag_net::polite::{Desk, Freshness};
use techrag_net::transport::{self, Client, Retry, Timeouts};

use crate::sources::Source;
use crate::web::Provider;
use crate::{Config, World, plan, run, skip};

const QUESTION: &str = "How does the relaxation length of a tyre change with the wheel load?";
const ABSTRACT: &str = "The relaxation length of the tyre grows with wheel load up to a limit.";

/// A world of one server: `/NAME/…` is the source NAME.
struct Setting {
    server: Server,
    folder: tempfile::TempDir,
}

impl Setting {
    fn new(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        Self { server: Server::start(answer).expect("a port"), folder: tempfile::tempdir().expect("a folder") }
    }

    fn world(&self, web: bool, offline: bool) -> World<'static> {
        let second = Duration::from_secs(1);
        let client = Client::new(transport::Config {
            user_agent: "techrag".into(),
            timeouts: Timeouts { connect: second, read: second, total: second * 20 },
            retry: Retry { attempts: 2, first: second, cap: second, patience: second * 5 },
            body_limit: 1 << 20,
            offline,
            clock: Clock::stopped(1_796_025_900),
            cancel: Cancel::default(),
        });
        let base = |name: &str| self.server.url().join(&format!("{name}/")).expect("a URL");
        World {
            config: Config {
                sources: vec![Source::Crossref, Source::OpenAlex, Source::SemanticScholar],
                bases: Source::ALL.into_iter().map(|source| (source, base(source.name()))).collect(),
                keys: BTreeMap::new(),
                web: web.then(|| Provider::Searxng(base("searxng"))),
                rows: 20,
                most: 10,
                rejected: false,
                per_question: second * 600,
                year: Some(2026),
                by: "test".into(),
            },
            desk: Desk::new(client, self.folder.path(), Freshness::Stored, second * 30),
            cosines: None,
        }
    }

    fn asked(&self, of: &str) -> Vec<String> {
        let start = format!("/{of}/");
        self.server.asked().into_iter().map(|asked| asked.target).filter(|target| target.starts_with(&start)).collect()
    }
}

fn query(routes: &[RouteName], verdict: Option<Verdict>) -> Query {
    let mut query = Query::new(QUESTION);
    query.route = Some(Route { routes: routes.to_vec(), ..Route::default() });
    query.evidence = verdict.map(|verdict| Evidence { verdict, ..Evidence::default() });
    query
}

fn crossref(works: &[(&str, &str)]) -> Reply {
    let item = |(n, (title, text)): (usize, &(&str, &str))| {
        json!({ "DOI": format!("10.1000/{n}"), "title": [title], "abstract": text, "type": "journal-article",
                "author": [{ "given": "A", "family": format!("Berg{n}") }] })
    };
    let items: Vec<_> = works.iter().enumerate().map(item).collect();
    Reply::json(200, json!({ "status": "ok", "message": { "items": items } }).to_string())
}

fn openalex(body: serde_json::Value) -> Reply {
    Reply::json(200, body.to_string())
}

fn nothing(asked: &Asked) -> Reply {
    match asked.target.split('/').nth(1) {
        Some("crossref") => crossref(&[]),
        Some("openalex") => openalex(json!({ "results": [], "group_by": [] })),
        _ => Reply::json(200, r#"{"total":0,"data":[],"results":[]}"#),
    }
}

#[test]
fn strong_evidence_asks_nobody_and_says_so() {
    let setting = Setting::new(nothing);
    let mut query = query(&[RouteName::Content], Some(Verdict::Strong));
    run(&mut query, &setting.world(true, false));
    let external = query.external.unwrap();
    assert!(setting.server.asked().is_empty() && external.attempts.is_empty());
    assert!(external.reason.contains("STRONG") && query.trace[0].note.contains("STRONG"), "{external:?}");
}

#[test]
fn low_effort_that_was_asked_for_stays_inside() {
    let mut low = query(&[RouteName::Content], Some(Verdict::Weak));
    assert_eq!(plan(&low).loops, [RouteName::Content]);
    let route = low.route.as_mut().unwrap();
    (route.effort, route.effort_fixed) = (Effort::Low, true);
    assert!(plan(&low).loops.is_empty());
}

#[test]
fn what_the_catalog_answers_is_not_searched_for_outside() {
    let mut counted = query(&[RouteName::Content], Some(Verdict::Weak));
    counted.sql = Some(Box::default());
    let plan = plan(&counted);
    assert!(plan.loops.is_empty() && plan.reason.contains("the library's catalog answers"), "{}", plan.reason);
    counted.route = query(&[RouteName::Bibliometric], None).route;
    assert_eq!(super::plan(&counted).loops, [RouteName::Bibliometric], "what OpenAlex counts is another question");
}

#[test]
fn two_vetted_works_end_the_loop_and_a_refusing_source_does_not() {
    let setting = Setting::new(|asked| match asked.target.split('/').nth(1) {
        Some("crossref") => crossref(&[("Tyre transients", ABSTRACT), ("Load and lag", ABSTRACT), ("Bees", "Honey.")]),
        Some("openalex") => Reply::json(429, "{}").header("Retry-After", "54000"),
        _ => Reply::json(429, "{\"code\":\"429\"}"),
    });
    let mut query = query(&[RouteName::Content], Some(Verdict::Moderate));
    run(&mut query, &setting.world(true, false));
    let external = query.external.unwrap();
    assert_eq!((external.attempts.len(), external.works.len()), (1, 2), "{external:?}");
    let said: Vec<_> = external.attempts[0].sources.iter().map(|said| (said.source.as_str(), said.outcome)).collect();
    let expected =
        [("crossref", Outcome::Ok), ("openalex", Outcome::RateLimited), ("semanticscholar", Outcome::RateLimited)];
    assert_eq!(said, expected);
    assert_eq!(external.attempts[0].sources[1].until.as_deref(), Some("2026-11-30 23:05 UTC"));
    assert!(external.notes.iter().any(|note| note.contains("openalex is limited until 2026-11-30 23:05")));
    assert!(external.works.iter().all(|work| work.vetting.as_ref().is_some_and(|vetting| vetting.passed)));
    assert!(query.trace[0].note.contains("2 works vetted in 1 attempt"), "{}", query.trace[0].note);
}

#[test]
fn a_retracted_work_is_shown_and_does_not_count() {
    let setting = Setting::new(|asked| match asked.target.split('/').nth(1) {
        Some("crossref") => {
            let item = json!({ "DOI": "10.1000/r", "title": ["Tyre transients"], "abstract": ABSTRACT, "type": "journal-article",
                               "updated-by": [{ "type": "retraction", "DOI": "10.1000/n" }] });
            Reply::json(200, json!({ "status": "ok", "message": { "items": [item] } }).to_string())
        }
        _ => nothing(asked),
    });
    let mut query = query(&[RouteName::Content], Some(Verdict::Weak));
    run(&mut query, &setting.world(true, false));
    let external = query.external.unwrap();
    assert!(external.attempts.iter().all(|attempt| attempt.vetted == 0), "{external:?}");
    let vetting = external.works[0].vetting.as_ref().unwrap();
    assert!(!vetting.passed && vetting.why.contains("retracted"), "{vetting:?}");
    assert!(query.trace[0].note.contains("nothing vetted"), "{}", query.trace[0].note);
}

#[test]
fn the_query_is_reformulated_and_the_best_attempt_kept() {
    let round = AtomicUsize::new(0);
    let setting = Setting::new(move |asked| match asked.target.split('/').nth(1) {
        Some("crossref") => match round.fetch_add(1, Ordering::Relaxed) {
            1 => crossref(&[("Tyre transients", ABSTRACT)]),
            _ => crossref(&[("Bees", "Honey and wheel.")]),
        },
        _ => nothing(asked),
    });
    let mut query = query(&[RouteName::Content], Some(Verdict::Weak));
    query.retry = Some(Box::new(Again { query: "relaxation length vertical force".into(), ..Again::default() }));
    run(&mut query, &setting.world(true, false));
    let external = query.external.unwrap();
    let vetted: Vec<u32> = external.attempts.iter().map(|attempt| attempt.vetted).collect();
    assert_eq!((vetted, external.works.len()), (vec![0, 1, 0], 1), "{external:?}");
    assert_eq!(external.attempts[1].query, "relaxation length vertical force");
    for source in ["crossref", "openalex", "semanticscholar"] {
        assert_eq!(setting.asked(source).len(), 3, "all sources are asked on each attempt");
    }
}

#[test]
fn a_world_that_does_not_answer_is_asked_once() {
    let setting = Setting::new(|_| Reply::json(400, "{\"status\":\"failed\",\"message\":\"no\",\"error\":\"no\"}"));
    let mut query = query(&[RouteName::Content], Some(Verdict::Weak));
    run(&mut query, &setting.world(true, false));
    let external = query.external.unwrap();
    assert_eq!(external.attempts.len(), 1);
    assert!(external.notes.iter().any(|note| note.contains("no source answered")), "{:?}", external.notes);
}

#[test]
fn offline_opens_no_socket_and_says_so() {
    let setting = Setting::new(nothing);
    let mut query = query(&[RouteName::Content], Some(Verdict::Weak));
    run(&mut query, &setting.world(true, true));
    let external = query.external.unwrap();
    assert!(setting.server.asked().is_empty());
    assert!(external.attempts[0].sources.iter().all(|said| said.outcome == Outcome::NotAsked), "{external:?}");
    assert!(external.notes.iter().any(|note| note.starts_with("offline")));
}

#[test]
fn a_pipeline_that_may_not_search_says_why() {
    let mut weak = query(&[RouteName::Content], Some(Verdict::Weak));
    skip(&mut weak, "test", "nothing is configured");
    assert_eq!(weak.external.unwrap().notes, ["nothing outside was asked: nothing is configured"]);
    let mut strong = query(&[RouteName::Content], Some(Verdict::Strong));
    skip(&mut strong, "test", "nothing is configured");
    assert!(strong.external.unwrap().notes.is_empty());
}

#[test]
fn the_bibliometric_loop_grows_broader_over_openalex_alone() {
    let setting = Setting::new(|asked| match asked.target.contains("from_publication_date") {
        true => openalex(json!({ "results": [] })),
        false => openalex(json!({ "results": [
            { "id": "https://openalex.org/W1", "title": "Tyre friction estimation on ice", "publication_year": 2011 },
            { "id": "https://openalex.org/W2", "title": "Estimation of tyre road friction", "publication_year": 2014 },
            { "id": "https://openalex.org/W3", "title": "Bees and honey", "publication_year": 2014 }] })),
    });
    let mut query = query(&[RouteName::Bibliometric], None);
    query.question = "Which papers on tyre friction estimation appeared since 2024?".into();
    run(&mut query, &setting.world(true, false));
    let external = query.external.unwrap();
    assert_eq!(
        (external.attempts.len(), external.attempts[0].since, external.attempts[1].since),
        (2, Some(2024), None)
    );
    assert_eq!(external.works.len(), 2, "{:?}", external.works);
    assert_eq!(setting.server.asked().len(), setting.asked("openalex").len());
}

#[test]
fn an_author_is_looked_up_and_filtered_for() {
    let setting = Setting::new(|asked| match asked.target.starts_with("/openalex/authors") {
        true => openalex(json!({ "results": [
            { "id": "https://openalex.org/A7", "display_name": "H. B. Pacejka" },
            { "id": "https://openalex.org/A8", "display_name": "Hans Other" }] })),
        false => openalex(json!({ "results": [
            { "id": "https://openalex.org/W1", "title": "Spin", "authorships": [{ "author": { "display_name": "Hans Pacejka" } }] },
            { "id": "https://openalex.org/W2", "title": "Slip", "authorships": [{ "author": { "display_name": "Hans Pacejka" } }] }] })),
    });
    let mut query = query(&[RouteName::Bibliometric], None);
    query.question = "List papers by Hans Pacejka".into();
    run(&mut query, &setting.world(true, false));
    assert_eq!(query.external.unwrap().works.len(), 2);
    let works = setting.asked("openalex").pop().unwrap();
    assert!(works.contains("authorships.author.id%3AA7") && !works.contains("A8"), "{works}");
}

#[test]
fn trends_are_counts_by_year() {
    let setting = Setting::new(|_| {
        openalex(json!({ "group_by": [
            { "key": "2025", "count": 30 }, { "key": "2024", "count": 20 }, { "key": "2026", "count": 4 }] }))
    });
    let mut query = query(&[RouteName::Trend], None);
    query.question = "How has research on tyre friction estimation developed over the years?".into();
    run(&mut query, &setting.world(true, false));
    let external = query.external.unwrap();
    let counts: Vec<_> = external.counts.iter().map(|count| (count.year, count.works, count.partial)).collect();
    assert_eq!(counts, [(2024, 20, false), (2025, 30, false), (2026, 4, true)]);
    assert!(setting.asked("openalex")[0].contains("group_by=publication_year"));
}

#[test]
fn current_world_asks_the_web_only_and_no_web_is_an_outcome() {
    let setting = Setting::new(|_| {
        Reply::json(
            200,
            json!({ "results": [
                { "url": "https://a.invalid/1", "title": "Tyre label rules in Europe", "content": "The tyre label changed in Europe.",
                  "publishedDate": "2026-05-01T00:00:00" },
                { "url": "https://a.invalid/2", "title": "Tyre label Europe 2026", "content": "Label and tyre." },
                { "url": "javascript:alert(1)", "title": "Tyre label Europe", "content": "tyre label" },
                { "url": "https://a.invalid/3", "title": "Cheap flights", "content": "Europe" }] })
            .to_string(),
        )
    });
    let mut query = query(&[RouteName::CurrentWorld], None);
    query.question = "Which tyre label rules apply in Europe today?".into();
    let mut unconfigured = query.clone();
    run(&mut query, &setting.world(true, false));
    let external = query.external.unwrap();
    let pages: Vec<_> = external.pages.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(pages, ["https://a.invalid/1", "https://a.invalid/2"], "{external:?}");
    assert_eq!(external.pages[0].published.as_deref(), Some("2026-05-01T00:00:00"));
    assert_eq!(setting.server.asked().len(), 1);
    run(&mut unconfigured, &setting.world(false, false));
    let external = unconfigured.external.unwrap();
    assert_eq!(external.attempts[0].sources[0].outcome, Outcome::NotAsked);
    assert!(external.notes.iter().any(|note| note.contains("no web search is configured")));
}
