//! Bodies replayed by a loopback server: every one is read, every error becomes its outcome, nothing hangs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use techrag_core::record::{Outcome, SourceOutcome};
use techrag_net::clock::{Cancel, Clock};
use techrag_net::loopback::{Reply, Server};
use techrag_net::polite::{Answer, Desk, Freshness, Limits, Rate};
use techrag_net::transport::{Client, Config, Error, Request, Retry, Timeouts};

use crate::outcome;
use crate::sources::{self, Source};
use crate::web::Provider;

fn desk(folder: &Path) -> Desk {
    let second = Duration::from_secs(1);
    let client = Client::new(Config {
        user_agent: "techrag".into(),
        timeouts: Timeouts { connect: second, read: second, total: second * 20 },
        retry: Retry { attempts: 2, first: second, cap: second, patience: second * 5 },
        body_limit: 8 << 20,
        offline: false,
        clock: Clock::stopped(1_796_025_900),
        cancel: Cancel::default(),
    });
    Desk::new(client, folder, Freshness::Refresh, second * 5)
}

/// Asks for a path; each has its own counter, so that one that is closed does not close the next.
fn asked(desk: &Desk, server: &Server, path: &str) -> Result<Answer, Error> {
    let limits = Limits {
        name: path.replace(['/', '.'], "-"),
        rate: Rate { requests: 100, per: Duration::from_secs(1) },
        concurrent: 10,
        daily: None,
        cool_down: Duration::from_secs(60),
    };
    desk.ask(&limits, &Request::get(server.url().join(path).expect("a path")), Duration::ZERO)
}

/// Reads an answer as the service's own would be read.
fn read(api: &str, answer: Result<Answer, Error>) -> SourceOutcome {
    let indexed = |source: Source, answer| outcome::of(source.name(), answer, |response| source.works(response)).0;
    let paged = |provider: Provider, answer| outcome::of(api, answer, |response| provider.pages(response, 0)).0;
    let nowhere = || "http://127.0.0.1:9/".parse().expect("a URL");
    let key = techrag_net::transport::Secret::new("k");
    match api {
        "crossref" => indexed(Source::Crossref, answer),
        "openalex" => indexed(Source::OpenAlex, answer),
        "semanticscholar" | "s2" => indexed(Source::SemanticScholar, answer),
        "arxiv" => indexed(Source::Arxiv, answer),
        "europepmc" => indexed(Source::EuropePmc, answer),
        "tavily" => paged(Provider::Tavily(nowhere(), key), answer),
        "brave" => paged(Provider::Brave(nowhere(), key), answer),
        _ => paged(Provider::Searxng(nowhere()), answer),
    }
}

/// Small bodies of our own in the shapes that services send, for machines without the recorded ones.
#[test]
fn each_shape_of_answer_has_its_outcome() {
    use Outcome::{Empty, Malformed, Ok, RateLimited, Refused, Unauthorised, Unreachable};
    let json = "application/json";
    let cases: &[(&str, u16, &str, &str, Outcome)] = &[
        ("crossref", 200, json, r#"{"status":"ok","message":{"items":[{"DOI":"10.1000/a","title":["Grip"]}]}}"#, Ok),
        ("crossref", 200, json, r#"{"status":"ok","message":{"total-results":0,"items":[]}}"#, Empty),
        ("crossref", 400, json, r#"{"status":"failed","message":[{"message":"Integer expected"}]}"#, Refused),
        ("crossref", 404, "text/plain", "Resource not found.", Empty),
        ("crossref", 500, json, r#"{"status":"error","message":{"message":"Response Exception"}}"#, Unreachable),
        ("crossref", 504, "text/html", "<html><h1>504 Gateway Time-out</h1></html>", Unreachable),
        ("crossref", 200, "text/html", "<html>Back soon</html>", Malformed),
        ("openalex", 400, json, r#"{"error":"Invalid query parameters error.","message":"no such field"}"#, Refused),
        ("openalex", 401, json, r#"{"error":"Invalid API key"}"#, Unauthorised),
        ("openalex", 429, json, r#"{"error":"Rate limit exceeded","message":"Insufficient budget."}"#, RateLimited),
        ("s2", 200, json, r#"{"total":0,"offset":0}"#, Empty),
        ("s2", 403, json, r#"{"message":"Forbidden"}"#, Unauthorised),
        ("s2", 404, json, r#"{"error":"Title match not found"}"#, Empty),
        ("s2", 429, json, r#"{"message":"Too Many Requests.","code":"429"}"#, RateLimited),
        ("arxiv", 429, "text/html", "Rate exceeded.", RateLimited),
        ("arxiv", 200, "application/atom+xml", "<feed><title>t</title></feed>", Empty),
        ("arxiv", 200, "application/atom+xml", "<feed><entry><title>", Malformed),
        ("europepmc", 200, json, r#"{"errCode":500,"errMsg":"Internal"}"#, Refused),
        ("europepmc", 503, "text/plain", "This API is temporarily unavailable due to maintenance.", Unreachable),
        ("searxng", 200, json, r#"{"results":[],"unresponsive_engines":[["google","CAPTCHA"]]}"#, Refused),
        ("searxng", 200, json, r#"{"results":[],"unresponsive_engines":[]}"#, Empty),
        ("searxng", 200, json, r#"{"results":[{"url":"https://a.invalid/","title":"A","content":"b"}]}"#, Ok),
        ("brave", 200, json, r#"{"type":"search"}"#, Empty),
        ("brave", 200, json, r#"{"type":"search","web":{"results":[{"url":"https://a.invalid/","title":"A"}]}}"#, Ok),
        ("tavily", 432, json, r#"{"detail":{"error":"plan limit"}}"#, RateLimited),
        ("tavily", 400, json, r#"{"detail":{"error":"Query is too long."}}"#, Refused),
    ];
    let bodies: Vec<(u16, String, String)> =
        cases.iter().map(|(_, status, kind, body, _)| (*status, (*kind).to_owned(), (*body).to_owned())).collect();
    let server = Server::start(move |asked| {
        let at: usize = asked.target.trim_start_matches('/').parse().expect("a number");
        let (status, kind, body) = &bodies[at];
        Reply::new(*status, kind, body.as_bytes())
    })
    .expect("a port");
    let folder = tempfile::tempdir().expect("a folder");
    let desk = desk(folder.path());
    for (at, (api, status, _, body, outcome)) in cases.iter().enumerate() {
        let said = read(api, asked(&desk, &server, &at.to_string()));
        assert_eq!(said.outcome, *outcome, "{api} {status} {body}: {said:?}");
        assert_eq!(said.note.is_some(), !matches!(outcome, Ok | Empty), "{said:?}");
    }
}

fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/external");
    folder.is_dir().then_some(folder)
}

/// What a recorded body must become; `None` where it is none of these services' answers.
fn expected(file: &str) -> Option<(&'static str, &'static [Outcome])> {
    use Outcome::{Empty, Malformed, Ok, RateLimited, Refused, Unauthorised, Unreachable};
    let by_name: &[(&str, &str, &[Outcome])] = &[
        ("crossref/agency", "", &[]),
        ("crossref/csl_json", "", &[]),
        ("crossref/", "crossref", &[Ok]),
        ("openalex/work_", "openalex", &[Ok]),
        // Fields that were not asked for are not there: papers without titles are no works.
        ("semanticscholar/search_publication_types", "semanticscholar", &[Empty]),
        ("semanticscholar/search_year_range", "semanticscholar", &[Empty]),
        ("semanticscholar/paper_null_values", "semanticscholar", &[Empty]),
        ("semanticscholar/", "semanticscholar", &[Ok]),
        ("arxiv/empty_feed", "arxiv", &[Empty]),
        ("arxiv/error_400", "arxiv", &[Refused]),
        ("arxiv/", "arxiv", &[Ok]),
        ("europepmc/", "europepmc", &[Ok]),
        ("web/searxng_all_engines_refused", "searxng", &[Refused]),
        ("web/searxng", "searxng", &[Ok]),
        ("web/tavily", "tavily", &[Ok]),
        ("errors/arxiv_429", "arxiv", &[RateLimited]),
        ("errors/crossref_200_zero", "crossref", &[Empty]),
        ("errors/crossref_400", "crossref", &[Refused]),
        ("errors/crossref_404", "crossref", &[Empty]),
        ("errors/crossref_50", "crossref", &[Unreachable]),
        ("errors/europepmc_503", "europepmc", &[Unreachable]),
        ("errors/openalex_400", "openalex", &[Refused]),
        ("errors/openalex_404", "openalex", &[Empty]),
        ("errors/openalex_429", "openalex", &[RateLimited]),
        ("errors/s2_200_match_empty", "semanticscholar", &[Empty]),
        ("errors/s2_400", "semanticscholar", &[Refused]),
        ("errors/s2_403", "semanticscholar", &[Unauthorised]),
        ("errors/s2_404", "semanticscholar", &[Empty]),
        ("errors/searxng_403", "searxng", &[Unauthorised]),
        ("errors/tavily_400", "tavily", &[Refused]),
        ("errors/doiorg_400", "crossref", &[Refused]),
        ("errors/doiorg_404", "crossref", &[Empty]),
        ("errors/unpaywall_422", "crossref", &[Refused]),
    ];
    if let Some(name) = file.strip_prefix("crosssource/") {
        let ends = |ending: &str| name.ends_with(ending);
        return match () {
            () if ends(".crossref.json") => Some(("crossref", &[Ok])),
            () if ends(".openalex.json") => Some(("openalex", &[Ok])),
            () if ends(".s2.json") || ends(".semanticscholar.json") => Some(("semanticscholar", &[Ok])),
            // Unpaywall and BibTeX are not asked for; read as an index's answer they are malformed, never a panic.
            () => Some(("openalex", &[Malformed, Ok, Empty])),
        };
    }
    by_name.iter().find(|(start, ..)| file.starts_with(start)).map(|(_, api, outcomes)| (*api, *outcomes))
}

#[test]
fn every_recorded_body_is_read_and_every_error_has_its_outcome() {
    let Some(folder) = shared() else {
        eprintln!("skipped: the recorded bodies are not here");
        return;
    };
    let manifest = std::fs::read(folder.join("manifest.json")).expect("a manifest");
    let manifest: Vec<Value> = serde_json::from_slice(&manifest).expect("a list");
    let status: BTreeMap<String, u16> = manifest
        .iter()
        .filter_map(|entry| Some((entry["file"].as_str()?.to_owned(), u16::try_from(entry["status"].as_u64()?).ok()?)))
        .collect();
    let files: Vec<String> = manifest.iter().filter_map(|entry| Some(entry["file"].as_str()?.to_owned())).collect();
    let (root, statuses) = (folder, status);
    let server = Server::start(move |asked| {
        let file = asked.target.trim_start_matches('/').to_owned();
        let body = std::fs::read(root.join(&file)).expect("a recorded body");
        Reply::json(statuses.get(&file).copied().unwrap_or(200), body)
    })
    .expect("a port");
    let scratch = tempfile::tempdir().expect("a folder");
    let (desk, started, mut seen) = (desk(scratch.path()), Instant::now(), 0);
    let mut wrong = Vec::new();
    for file in &files {
        let Some((api, outcomes)) = expected(file).filter(|(_, outcomes)| !outcomes.is_empty()) else { continue };
        let said = read(api, asked(&desk, &server, file));
        seen += 1;
        if !outcomes.contains(&said.outcome) {
            wrong.push(format!("{file}: {said:?}, expected {outcomes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 60, "only {seen} of {} bodies were read", files.len());
    assert!(started.elapsed() < Duration::from_secs(60));
}

/// The same five works as four services tell them: one row each, with the publisher's year and title.
#[test]
fn one_work_of_many_sources_is_one_row() {
    let Some(folder) = shared().map(|folder| folder.join("crosssource")) else {
        eprintln!("skipped: the recorded bodies are not here");
        return;
    };
    let read = |file: String, source: Source| {
        let body = std::fs::read(folder.join(file)).ok()?;
        let response = techrag_net::transport::Response { status: 200, body, ..Default::default() };
        source.works(&response).ok()?.into_iter().next()
    };
    let mut rows = 0;
    for (name, year) in [
        ("primeedit_xgen_2025", 2025),
        ("iodide_peroxidase_1997", 2001),
        ("plasma_news_2023", 2023),
        ("addr_2015", 2015),
        ("pnas_2014_correction", 2014),
    ] {
        let records: Vec<_> = [
            read(format!("{name}.crossref.json"), Source::Crossref),
            read(format!("{name}.openalex.json"), Source::OpenAlex),
            read(format!("{name}.s2.json"), Source::SemanticScholar),
        ]
        .into_iter()
        .flatten()
        .collect();
        let count = records.len();
        let works = crate::dedup::merged(records);
        assert_eq!(
            works.len(),
            1,
            "{name}: {:?}",
            works.iter().map(|work| (&work.title, &work.ids)).collect::<Vec<_>>()
        );
        assert_eq!((works[0].year, works[0].sources.len()), (Some(year), count), "{name}");
        assert!(works[0].summary.as_ref().is_none_or(|text| !text.contains("<jats")), "{name}");
        rows += 1;
    }
    assert_eq!(rows, 5);
    // An abstract that an index gives as places of words comes out as text.
    let response = |file: &str| {
        let body = std::fs::read(folder.join("../openalex").join(file)).expect("a recorded body");
        techrag_net::transport::Response { status: 200, body, ..Default::default() }
    };
    assert!(sources::author_ids(&response("authors_3_from_openalexR.json")).is_ok_and(|ids| ids.len() == 3));
}
