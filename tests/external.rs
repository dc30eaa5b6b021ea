//! Outside literature, end to end over real binaries and a server on this machine: who is asked when, and what is said.

use serde_json::{Value, json};
use techrag_net::loopback::{Asked, Reply, Server};

use crate::harness::{Place, Run, models_or_skip};
use crate::pipeline::library;

const WEAK: &str = "Which viscosity grade of engine oil do rally cars need in the arctic winter?";
const ABSTRACT: &str = "Rally cars need engine oil of a low viscosity grade in the arctic winter: 0W-20 or thinner.";

/// Every service at once, told apart by the first part of the path.
fn world() -> Server {
    Server::start(answer).expect("a port")
}

fn answer(asked: &Asked) -> Reply {
    let service = asked.target.split(['/', '?']).nth(1).unwrap_or_default();
    let body = match service {
        "crossref" => {
            let work = |n: u32, title: &str| {
                json!({ "DOI": format!("10.5555/oil.{n}"), "type": "journal-article", "title": [title],
                        "container-title": ["Journal of Cold Engines"], "abstract": format!("<jats:p>{ABSTRACT}</jats:p>"),
                        "author": [{ "given": "Aino", "family": format!("Korpi{n}") }],
                        "published-print": { "date-parts": [[2020 + n]] } })
            };
            let items = [work(1, "Engine oil for rally cars"), work(2, "Arctic winters and oil viscosity")];
            json!({ "status": "ok", "message": { "total-results": 2, "items": items } })
        }
        "openalex" if asked.target.contains("group_by") => {
            json!({ "group_by": [{ "key": "2024", "count": 12 }, { "key": "2025", "count": 17 }] })
        }
        "openalex" => {
            let work = |n: u32| {
                json!({ "id": format!("https://openalex.org/W{n}"), "publication_year": 2023, "type": "article",
                        "title": format!("Piezoelectric energy harvesting in intelligent tire sensor number {n}") })
            };
            json!({ "results": [work(1), work(2), work(3)] })
        }
        "searxng" => json!({ "results": [
            { "url": "https://example.invalid/label", "title": "EU tire labeling regulations", "content": "Labels since 2021." },
            { "url": "https://example.invalid/rules", "title": "Tire labeling in the EU", "content": "Regulations." }] }),
        _ => return Reply::json(429, "{\"code\":\"429\"}").header("Retry-After", "54000"),
    };
    Reply::json(200, body.to_string())
}

/// The services asked, each once, in order of their names.
fn services(server: &Server) -> Vec<String> {
    let mut asked: Vec<String> = server
        .asked()
        .iter()
        .map(|asked| asked.target.split(['/', '?']).nth(1).unwrap_or_default().to_owned())
        .collect();
    asked.sort();
    asked.dedup();
    asked
}

/// Options that send every request to the server.
fn options(server: &Server, place: &Place) -> Vec<String> {
    let base = |name: &str| format!("{}{name}/", server.url());
    let endpoints: Vec<String> = ["crossref", "openalex", "semanticscholar", "arxiv", "europepmc"]
        .into_iter()
        .map(|name| format!("{name}={}", base(name)))
        .collect();
    [
        "--search".into(),
        "always".into(),
        "--endpoint".into(),
        endpoints.join(","),
        "--searxng".into(),
        base("searxng"),
        "--cache".into(),
        place.path().join("cache").display().to_string(),
    ]
    .into()
}

fn external(place: &Place, server: &Server, more: &[&str], input: &str) -> Run {
    let options = options(server, place);
    let arguments: Vec<&str> = options.iter().map(String::as_str).chain(more.iter().copied()).collect();
    place.run("techrag-external", &arguments, input)
}

fn scored(verdict: &str) -> String {
    let evidence = json!({ "score": 10, "verdict": verdict, "parts": [], "damping": 1, "reviewer": "none", "version": "t", "by": "t" });
    let trace = json!([{ "stage": "score", "version": "t", "note": verdict }]);
    json!({ "type": "query", "v": 1, "question": WEAK, "evidence": evidence, "trace": trace }).to_string()
}

#[test]
fn strong_asks_nobody_and_weak_asks_all() {
    let (place, server) = (Place::new(), world());
    let strong = external(&place, &server, &[], &scored("STRONG")).ok().records().remove(0);
    assert!(server.asked().is_empty(), "{:?}", server.asked());
    assert!(strong["external"]["reason"].as_str().is_some_and(|reason| reason.contains("STRONG")), "{strong}");
    let weak = external(&place, &server, &[], &scored("WEAK")).ok().records().remove(0);
    assert_eq!(services(&server), ["crossref", "openalex", "semanticscholar"]);
    let said: Vec<&str> = weak["external"]["attempts"][0]["sources"]
        .as_array()
        .expect("sources")
        .iter()
        .filter_map(|said| said["outcome"].as_str())
        .collect();
    assert_eq!(said, ["ok", "ok", "rate_limited"], "{weak}");
    assert_eq!(weak["external"]["works"].as_array().map(Vec::len), Some(2), "{weak}");
    assert_eq!(weak["external"]["works"][0]["venue"], "Journal of Cold Engines", "{weak}");
    let table = external(&place, &server, &["--explain"], &scored("WEAK")).ok();
    for words in ["the library's evidence is WEAK", "semanticscholar is limited until", "10.5555/oil.1", "stored"] {
        assert!(table.stdout.contains(words), "{words}: {table}");
    }
}

#[test]
fn a_source_that_said_tomorrow_is_left_alone_and_answers_are_kept() {
    let (place, server) = (Place::new(), world());
    let _ = external(&place, &server, &[], &scored("WEAK")).ok();
    let before = server.asked().len();
    let again = external(&place, &server, &[], &format!("{}\n", scored("WEAK")).repeat(5)).ok();
    assert_eq!(server.asked().len(), before, "nothing is asked twice");
    for record in again.records() {
        assert_eq!(record["external"]["works"].as_array().map(Vec::len), Some(2), "{record}");
    }
    let offline = external(&place, &server, &["--offline"], &scored("WEAK")).ok().records().remove(0);
    assert_eq!(offline["external"]["works"].as_array().map(Vec::len), Some(2), "what is stored is there: {offline}");
    let refreshed = external(&place, &server, &["--refresh"], &scored("WEAK")).ok();
    assert!(server.asked().len() > before, "{refreshed}");
}

#[test]
fn a_pipeline_sends_nothing_unasked_and_a_typed_question_does() {
    let (place, server) = (Place::new(), world());
    let bare = ["--cache", "cache", "--encoder", "off"];
    let record = place.run("techrag-external", &bare, &scored("WEAK")).ok().records().remove(0);
    assert!(
        record["external"]["notes"][0].as_str().is_some_and(|note| note.contains("none is configured")),
        "{record}"
    );
    let options = options(&server, &place);
    let auto: Vec<&str> = options.iter().map(String::as_str).skip(2).collect();
    let typed = place.run("techrag-external", &auto, &format!("{WEAK}\n")).ok().records().remove(0);
    assert_eq!(typed["external"]["works"].as_array().map(Vec::len), Some(2), "{typed}");
}

#[test]
fn a_tape_gives_the_same_bytes_without_a_server() {
    let (place, server) = (Place::new(), world());
    let recorded = external(&place, &server, &["--record", "tape"], &scored("WEAK")).ok();
    let replayed = place.run("techrag-external", &["--replay", "tape", "--offline"], &scored("WEAK"));
    // The address is part of what was asked: a tape is replayed with the endpoints it was recorded with.
    assert!(replayed.stdout.contains("not on tape"), "{replayed}");
    let options = options(&server, &place);
    let arguments: Vec<&str> = options.iter().map(String::as_str).chain(["--replay", "tape", "--offline"]).collect();
    let before = server.asked().len();
    let once = place.run("techrag-external", &arguments, &scored("WEAK")).ok();
    let twice = place.run("techrag-external", &arguments, &scored("WEAK")).ok();
    assert_eq!((server.asked().len(), &once.stdout), (before, &twice.stdout));
    let works = |run: &Run| run.records()[0]["external"]["works"].clone();
    assert_eq!(works(&once), works(&recorded));
}

#[test]
fn a_doi_is_looked_up_and_no_doi_refused() {
    let (place, server) = (Place::new(), world());
    let found = external(&place, &server, &["--doi", "https://doi.org/10.5555/OIL.1"], "").ok().records().remove(0);
    assert_eq!(found["question"], "doi:10.5555/oil.1");
    assert!(server.asked()[0].target.ends_with("works/10.5555%2Foil.1"), "{:?}", server.asked()[0]);
    let refused = external(&place, &server, &["--doi", "oil"], "");
    assert!(refused.code == 2 && refused.stderr.contains("is no DOI"), "{refused}");
}

#[test]
fn a_contact_is_told_and_a_key_goes_to_its_service_only() {
    let (place, server) = (Place::new(), world());
    let options = options(&server, &place);
    let arguments: Vec<&str> = options.iter().map(String::as_str).chain(["--contact", "me@example.org"]).collect();
    let keys = [("SEMANTIC_SCHOLAR_API_KEY", " k-s2 "), ("OPENALEX_API_KEY", "k-oa")];
    let run = place.run_with("techrag-external", &arguments, &keys, &scored("WEAK")).ok();
    assert!(!run.stdout.contains("k-s2") && !run.stdout.contains("k-oa"), "{run}");
    for asked in server.asked() {
        assert!(asked.header("user-agent").is_some_and(|agent| agent.contains("mailto:me@example.org")), "{asked:?}");
        let (own, bearer) = (asked.header("x-api-key"), asked.header("authorization"));
        match asked.target.split('/').nth(1) {
            Some("semanticscholar") => assert_eq!((own, bearer), (Some("k-s2"), None)),
            Some("openalex") => assert_eq!((own, bearer), (None, Some("Bearer k-oa"))),
            _ => assert_eq!((own, bearer), (None, None)),
        }
    }
    // A project's file may not redirect a service, and with it a key.
    let _ = place.file("techrag.toml", "[external]\nendpoint = [\"openalex=http://127.0.0.1:1/\"]\n");
    let refused = place.run("techrag-external", &["--cache", "cache"], &scored("WEAK"));
    assert!(refused.code == 2 && refused.stderr.contains("endpoint"), "{refused}");
}

/// The paper's Table 6, as its text (not its table) says: STRONG skips the search.
#[test]
fn the_six_questions_of_table_6_ask_whom_they_should() {
    let questions = [
        ("Friction estimation for AEB", "content"),
        ("Tire slip angle from accelerometer", "content"),
        ("Pacejka vs. brush model comparison", "content"),
        ("Recent intelligent tire sensor papers", "bibliometric"),
        ("Find papers on piezoelectric energy harvesting in tires", "bibliometric"),
        ("EU tire labeling regulations", "current_world"),
    ];
    for (question, route) in questions {
        let (place, server) = (Place::new(), world());
        let mut record = place.run("techrag-agents", &["route"], &format!("{question}\n")).ok().records().remove(0);
        assert_eq!(record["route"]["routes"], json!([route]), "{question}");
        if route == "content" {
            let strong: Value = serde_json::from_str(&scored("STRONG")).expect("JSON");
            record["evidence"] = strong["evidence"].clone();
        }
        let found = external(&place, &server, &["--year", "2026"], &record.to_string()).ok().records().remove(0);
        let asked = services(&server);
        match route {
            "content" => assert!(asked.is_empty(), "{question}: {asked:?}"),
            "bibliometric" => assert_eq!(asked, ["openalex"], "{question}"),
            _ => assert_eq!(asked, ["searxng"], "{question}"),
        }
        let kept = if route == "current_world" { "pages" } else { "works" };
        let count = found["external"][kept].as_array().map_or(0, Vec::len);
        assert_eq!(count >= 2, route != "content", "{question}: {found}");
    }
}

#[test]
fn the_whole_pipe_retries_searches_and_says_so() {
    if !models_or_skip("the whole pipe with outside literature") {
        return;
    }
    let (place, server) = (Place::new(), world());
    let options = options(&server, &place);
    let mut arguments = vec![library(), "--records", WEAK];
    arguments.extend(options.iter().map(String::as_str));
    let said = place.pipeline("ask.sh", &arguments, "");
    let record = said.records().remove(0);
    assert_eq!(record["evidence"]["verdict"], "WEAK", "{said}");
    assert!(record["retry"]["accepted"].is_boolean(), "the retry was decided: {}", record["retry"]);
    assert_eq!(record["external"]["works"].as_array().map(Vec::len), Some(2), "{}", record["external"]);
    let outside: Vec<&Value> =
        record["sources"].as_array().expect("sources").iter().filter(|source| source["origin"] == "external").collect();
    assert_eq!(outside.len(), 2, "{}", record["sources"]);
    assert_eq!((&outside[0]["venue"], &outside[0]["doi"]), (&json!("Journal of Cold Engines"), &outside[0]["key"]));
    arguments[1] = "--explain";
    let shown = place.pipeline("ask.sh", &arguments, "");
    assert!(shown.stdout.contains("external") && shown.stdout.contains("semanticscholar is limited"), "{shown}");
    assert!(shown.stdout.contains("[EXTERNAL ") && shown.stdout.contains("0W-20"), "{shown}");
}

#[test]
fn a_drifted_retry_is_rejected_and_the_search_goes_on() {
    if !models_or_skip("a drifted retry") {
        return;
    }
    let (place, server) = (Place::new(), world());
    let run = |tool: &str, arguments: &[&str], input: &str| place.run(tool, arguments, input).ok().stdout;
    let routed = run("techrag-agents", &["route"], &format!("{WEAK}\n"));
    let found = run("techrag-retrieve", &["--library", library()], &routed);
    let mut record: Value = serde_json::from_str(&run("techrag-score", &[], &found)).expect("JSON");
    // A model that reformulates may lose the question; these words do.
    record["retry"]["query"] = json!("Kalman filter covariance");
    let retried = run("techrag-retrieve", &["--library", library(), "--retry"], &record.to_string());
    let decided = run("techrag-score", &["--retry"], &retried);
    let record = external(&place, &server, &[], &decided).ok().records().remove(0);
    assert_eq!(record["retry"]["accepted"], false, "{}", record["retry"]);
    assert!(
        record["retry"]["reason"].as_str().is_some_and(|reason| reason.starts_with("drifted")),
        "{}",
        record["retry"]
    );
    assert_eq!(record["external"]["attempts"][0]["loop"], "content");
    let notes: Vec<&str> =
        record["trace"].as_array().expect("a trace").iter().filter_map(|entry| entry["note"].as_str()).collect();
    assert!(notes.iter().any(|note| note.starts_with("drifted")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("evidence is WEAK; 2 works vetted")), "{notes:?}");
}
