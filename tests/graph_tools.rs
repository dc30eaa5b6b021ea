//! The tools around the graph over real binaries: aliases, communities, relations, authors checked, a model asked.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use techrag_net::loopback::{Asked, Reply, Server};

use crate::graph::fixture_records;
use crate::harness::{Place, Run};

/// A place with the fixture papers indexed, and their graph in `lib`, extracted with more arguments.
fn loaded(more: &[&str]) -> Place {
    let place = Place::new();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], fixture_records()).ok();
    let entities = place.run("techrag-graph", &[&["extract"], more].concat(), fixture_records()).ok().stdout;
    let _ = place.run("techrag-graph", &["load", "--library", "lib"], &entities).ok();
    let _ = place.run("techrag-graph", &["resolve", "--library", "lib"], "").ok();
    place
}

fn graph(place: &Place, command: &[&str], input: &str) -> Run {
    place.run("techrag-graph", &[command, &["--library", "lib"]].concat(), input).ok()
}

fn export(place: &Place) -> String {
    graph(place, &["export"], "").stdout
}

/// What the hits of a question become under a stage.
fn asked(place: &Place, question: &str, stage: &[&str]) -> Value {
    let retrieve = ["--library", "lib", "--mode", "bm25", "-k", "8"];
    let hits = place.run("techrag-retrieve", &retrieve, &format!("{question}\n")).ok().stdout;
    graph(place, stage, &hits).records().remove(0)
}

#[test]
fn aliases_are_proposed_reviewed_applied_followed_and_taken_back() {
    let place = loaded(&[]);
    let before = export(&place);
    let proposals = graph(&place, &["alias", "propose"], "").records();
    let (sure, unsure): (Vec<&Value>, Vec<&Value>) = proposals.iter().partition(|proposal| proposal["apply"] == true);
    assert!(!sure.is_empty(), "the fixture papers explain acronyms: {proposals:?}");
    // A reader leaves one of the sure ones out.
    let (refused, kept) = sure.split_first().expect("a proposal");
    let mut refused: Value = (*refused).clone();
    refused["apply"] = false.into();
    let reviewed: String =
        std::iter::once(&refused).chain(kept.iter().copied()).chain(unsure).map(|line| format!("{line}\n")).collect();
    let _ = graph(&place, &["alias", "apply"], &reviewed);
    let applied = export(&place);
    let edges: BTreeSet<String> = applied.lines().filter(|line| line.contains("ALIAS_OF")).map(str::to_owned).collect();
    assert_eq!(edges.len(), kept.len(), "{edges:?}");
    let name = |proposal: &Value| proposal["name"].as_str().expect("a name").to_owned();
    assert!(edges.iter().all(|edge| !edge.contains(&format!("\"{}\"", name(&refused)))), "{edges:?}");
    // What is an alias is not proposed again; to apply again changes nothing.
    let again: Vec<String> = graph(&place, &["alias", "propose"], "").records().iter().map(name).collect();
    assert!(kept.iter().all(|proposal| !again.contains(&name(proposal))), "{again:?}");
    let _ = graph(&place, &["alias", "apply"], &reviewed);
    assert_eq!(export(&place), applied);
    // A question whose hits use the name is led over it.
    let followed = (0..8).find_map(|skip| {
        let proposal =
            kept.iter().filter(|proposal| ["Topic", "Method"].iter().any(|l| proposal["label"] == *l)).nth(skip)?;
        let query = asked(&place, &name(proposal), &["expand"]);
        let aliases = query["graph"]["aliases"].as_array()?.clone();
        aliases.into_iter().find(|alias| alias["name"] == proposal["name"])
    });
    let followed = followed.expect("an alias on the way of a question");
    assert!(kept.iter().any(|proposal| proposal["canonical"] == followed["canonical"]), "{followed}");
    let _ = graph(&place, &["alias", "undo"], &reviewed);
    assert_eq!(export(&place), before, "the same lines take it back");
}

#[test]
fn a_line_that_is_no_proposal_is_named_and_nothing_changes() {
    let place = loaded(&[]);
    let before = export(&place);
    for line in ["{\"label\":\"Topic\"}", "nonsense", "{\"label\":\"Planet\",\"name\":\"a\",\"canonical\":\"b\"}"] {
        let run = place.run("techrag-graph", &["alias", "apply", "--library", "lib"], &format!("{line}\n"));
        assert!(run.code == 2 && run.stderr.contains("stdin:1"), "{line}: {run}");
    }
    assert_eq!(export(&place), before);
}

const CORPUS: &str = "What are the main themes of this library?";

#[test]
fn communities_are_found_kept_and_given_to_questions_about_the_library() {
    let place = loaded(&[]);
    let plain = asked(&place, CORPUS, &["context"]);
    assert!(plain["graph"]["context"].get("communities").is_none(), "none are kept yet");
    let listed = graph(&place, &["communities"], "").records();
    assert!(listed.len() > 1, "{listed:?}");
    let (whole, stats) = (export(&place), graph(&place, &["stats"], "").stdout);
    let _ = graph(&place, &["communities", "--keep"], "");
    assert_eq!((whole, stats), (export(&place), graph(&place, &["stats"], "").stdout), "they are beside the graph");
    let given = asked(&place, CORPUS, &["context"])["graph"]["context"]["communities"].clone();
    let given = given.as_array().expect("communities");
    assert_eq!(given.len(), listed.len().min(5));
    for community in given {
        let same = listed.iter().find(|listed| listed["summary"] == community["summary"]).expect("one of those listed");
        let terms: Vec<&str> = same["terms"].as_array().expect("terms").iter().filter_map(Value::as_str).collect();
        assert_eq!(community["name"], terms.join(", "));
        assert_eq!(community["papers"], same["papers"].as_array().expect("papers").len());
        // Extractive: every sentence stands in a chunk.
        for sentence in community["summary"].as_array().expect("sentences") {
            let sentence = sentence.as_str().expect("text");
            let squeezed = fixture_records().replace("\\n", " ");
            assert!(sentence.len() > 20 && squeezed.contains(&sentence[..20].replace('"', "\\\"")), "{sentence}");
        }
    }
    // A question about a matter gets none.
    let narrow = asked(&place, "How does the relaxation length delay the lateral force?", &["context"]);
    assert!(narrow["graph"]["context"].get("communities").is_none());
    // Within a scope nothing tells of a paper outside it.
    let scoped = asked(&place, CORPUS, &["context", "--where", "key=brush-model-extensions.pdf|relaxation-length.pdf"]);
    let told = scoped["graph"]["context"]["communities"].as_array().cloned().unwrap_or_default();
    let papers: u64 = told.iter().filter_map(|community| community["papers"].as_u64()).sum();
    assert!((1..=2).contains(&papers), "{told:?}");
    // A paper that goes leaves its community.
    let of_it = |place: &Place| -> u64 {
        let context = asked(place, CORPUS, &["context", "--communities", "99"])["graph"]["context"].clone();
        context["communities"].as_array().expect("some").iter().filter_map(|c| c["papers"].as_u64()).sum()
    };
    let members = of_it(&place);
    let _ = place.run("techrag-index", &["remove", "--library", "lib", "relaxation-length.pdf"], "").ok();
    assert_eq!(of_it(&place), members - 1);
}

#[test]
fn what_a_community_says_of_a_paper_goes_with_the_paper() {
    let place = loaded(&[]);
    let _ = graph(&place, &["communities", "--keep"], "");
    let said = |place: &Place| -> Vec<String> {
        let context = asked(place, CORPUS, &["context", "--communities", "99"])["graph"]["context"].clone();
        let communities = context["communities"].as_array().cloned().unwrap_or_default();
        let said = communities.iter().flat_map(|community| community["summary"].as_array().expect("sentences"));
        said.map(|sentence| sentence.as_str().expect("text").to_owned()).collect()
    };
    let before = said(&place);
    // The paper whose abstract the first sentence stands in, as any of the summary could be.
    let first = before.first().expect("a sentence");
    let chunk = fixture_records()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .find(|record| record["type"] == "chunk" && squeezed(&record["text"]).contains(first))
        .expect("a chunk that says it");
    let document = fixture_records()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .find(|record| record["type"] == "document" && record["doc_id"] == chunk["doc_id"])
        .expect("its document");
    let key = document["key"].as_str().expect("a key");
    let _ = place.run("techrag-index", &["remove", "--library", "lib", key], "").ok();
    let after = said(&place);
    assert!(!after.contains(first), "{key} is gone: {after:?}");
    assert_eq!(
        after,
        before.iter().filter(|sentence| *sentence != first).cloned().collect::<Vec<_>>(),
        "nothing else went"
    );
}

/// A text with every run of white space one blank, as summaries quote it.
fn squeezed(text: &Value) -> String {
    text.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn within_a_scope_a_community_keeps_its_name_whatever_the_hits_are_of() {
    let place = loaded(&[]);
    let _ = graph(&place, &["communities", "--keep"], "");
    let query = json!({ "type": "query", "v": 1, "question": CORPUS, "hits": [] });
    let told = |scope: &[&str]| -> Vec<String> {
        let context = [&["context", "--communities", "99"], scope].concat();
        let query = graph(&place, &context, &format!("{query}\n")).records().remove(0);
        let communities = query["graph"]["context"]["communities"].as_array().cloned().unwrap_or_default();
        communities.iter().map(|community| community["name"].as_str().expect("a name").to_owned()).collect()
    };
    let all = told(&[]);
    assert!(!all.is_empty() && all.iter().all(|name| !name.is_empty()), "{all:?}");
    assert_eq!(told(&["--where", "year>=1900"]), all, "every paper is in this scope");
    assert!(told(&["--where", "year>=2900"]).is_empty());
}

#[test]
fn relations_are_there_where_they_are_asked_for_and_go_with_the_papers_that_say_them() {
    const RELATIONS: [&str; 4] = ["USED_FOR", "MEASURES", "RELATED_TO", "BROADER_THAN"];
    let relations = |place: &Place| -> Vec<Value> {
        let whole = export(place);
        let edges = whole.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["edge"].clone());
        edges.filter(|edge| RELATIONS.iter().any(|kind| edge["type"] == *kind)).collect()
    };
    assert!(relations(&loaded(&[])).is_empty(), "an opt-in layer");
    let place = loaded(&["--relations"]);
    let with = relations(&place);
    assert!(!with.is_empty(), "{}", graph(&place, &["stats"], "").stdout);
    let says = |edge: &Value| edge["props"]["papers"].as_array().map_or(0, Vec::len);
    assert!(with.iter().all(|edge| says(edge) > 0), "{with:?}");
    // The papers of the hits are quoted with what they say.
    let context =
        asked(&place, "Which observers estimate the sideslip angle?", &["context"])["graph"]["context"].clone();
    let said = context["relations"].as_array().expect("relations");
    let described: Vec<&Value> =
        context["papers"].as_array().expect("papers").iter().map(|paper| &paper["doc_id"]).collect();
    for relation in said {
        assert!(RELATIONS.contains(&relation["relation"].as_str().expect("a type")), "{relation}");
        let papers = relation["papers"].as_array().expect("papers");
        assert!(!papers.is_empty() && papers.iter().all(|paper| described.contains(&paper)), "{relation}");
    }
    assert!(!said.is_empty());
    // The nine types beside it are the same with and without.
    let nine = |place: &Place| {
        let text = graph(place, &["stats"], "").stdout;
        text.lines()
            .filter(|line| !RELATIONS.iter().any(|kind| line.starts_with(kind)))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(nine(&place), nine(&loaded(&[])));
    let removed: String = fixture_records()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|record| record["type"] == "document")
        .map(|document| {
            let (doc_id, key) = (&document["doc_id"], &document["key"]);
            format!("{}\n", json!({ "type": "removed", "v": 1, "doc_id": doc_id, "key": key, "by": "t" }))
        })
        .collect();
    let _ = graph(&place, &["load"], &removed);
    assert_eq!(export(&place), "");
}

/// An `entities` record of a paper.
fn paper(n: usize, title: &str, doi: Option<&str>, authors: &[&str]) -> String {
    let authors: Vec<Value> = authors.iter().map(|name| json!({ "name": name })).collect();
    let record = json!({ "type": "entities", "v": 1, "doc_id": format!("{n:016x}"), "key": format!("{n}.pdf"), "by": "t",
        "paper": { "title": title, "year": 2021, "doi": doi }, "authors": authors, "authors_checked": "unchecked" });
    format!("{record}\n")
}

#[test]
fn authors_are_checked_by_doi_first_and_title_second() {
    let work = |title: &str, authors: &[&str]| {
        let authorship = |name: &&str| json!({ "author": { "display_name": name, "id": "https://openalex.org/A7" } });
        json!({ "title": title, "publication_year": 2021, "authorships": authors.iter().map(authorship).collect::<Vec<_>>() })
    };
    let server = Server::start(move |asked: &Asked| {
        let target = asked.target.to_lowercase();
        if target.contains("doi:10.5555") {
            Reply::json(200, work("Slip and grip", &["Ada Ott", "Bo Li"]).to_string())
        } else if target.contains("title.search") && target.contains("brush") {
            let results = [work("Brush models of the future", &["X. Y."]), work("Brush models", &["C. Rho", "D. Tau"])];
            Reply::json(200, json!({ "results": results }).to_string())
        } else if target.contains("refused") {
            Reply::json(403, "{\"error\":\"no\"}")
        } else {
            Reply::json(200, "{\"results\":[]}")
        }
    });
    let server = server.expect("a port");
    let place = Place::new();
    let records = [
        paper(1, "Slip and Grip", Some("10.5555/1"), &["A. Ott", "B. Li"]),
        paper(2, "Brush models", None, &["C. Rho"]),
        paper(3, "Nobody knows this", None, &["E. F."]),
        paper(4, "This is refused", None, &["G. H."]),
    ]
    .concat();
    let url = server.url().to_string();
    let arguments = ["validate", "--cache", "cache", "--openalex", &url];
    let said = place.run("techrag-graph", &arguments, &records).ok();
    let checked: Vec<String> =
        said.records().iter().map(|record| record["authors_checked"].as_str().expect("a word").to_owned()).collect();
    assert_eq!(checked, ["confirmed", "replaced", "not found", "unchecked"], "{said}");
    let replaced = &said.records()[1]["authors"];
    assert_eq!((replaced.as_array().map(Vec::len), &replaced[1]["name"]), (Some(2), &json!("D. Tau")), "{replaced}");
    assert!(said.stderr.contains("unchecked"), "{said}");
    let first = server.asked()[0].target.clone();
    assert!(server.asked().iter().any(|asked| asked.target.contains("doi:10.5555")), "{first}");
    // What is stored is not asked again, and offline nothing is asked at all.
    let before = server.asked().len();
    let stored = place.run("techrag-graph", &arguments, &paper(2, "Brush models", None, &["C. Rho"])).ok();
    assert_eq!((stored.records()[0]["authors_checked"].clone(), server.asked().len()), (json!("replaced"), before));
    let offline =
        place.run("techrag-graph", &[&arguments[..], &["--offline"]].concat(), &paper(9, "New", None, &["I. J."]));
    assert_eq!((offline.code, offline.records()[0]["authors_checked"].clone()), (0, json!("unchecked")), "{offline}");
    assert_eq!(server.asked().len(), before);
}

/// A model that names one term of the paper it is shown and one that is in no paper.
fn model(asked: &Asked) -> Reply {
    let body: Value = serde_json::from_slice(&asked.body).expect("JSON");
    let user = body["messages"][1]["content"].as_str().unwrap_or_default();
    let title = user.lines().next().unwrap_or_default().trim_start_matches("Title: ").to_owned();
    let reply = json!({ "topics": [title, "perpetual motion"], "methods": [], "metrics": [], "applications": [],
        "keywords": [], "cited_titles": [] });
    let body = json!({ "model": "tiny", "usage": { "prompt_tokens": 900, "completion_tokens": 30 },
        "choices": [{ "message": { "content": reply.to_string() }, "finish_reason": "stop" }] });
    Reply::json(200, body.to_string())
}

#[test]
fn a_model_is_asked_once_a_paper_and_a_run_cut_short_goes_on_where_it_was() {
    const PAPERS: usize = 13;
    let server = Server::start(model).expect("a port");
    let place = Place::new();
    let url = server.url().join("v1").expect("a URL").to_string();
    let asking = ["extract", "--llm", &url, "--llm-model", "tiny"];
    let run = |more: &[&str]| place.run("techrag-graph", &[&asking[..], more].concat(), fixture_records());
    // What it would cost: nothing is sent.
    let dry = run(&["--dry-run"]).ok();
    assert!(dry.stderr.contains(&format!("{PAPERS} calls")) && dry.stderr.contains("at most"), "{dry}");
    assert_eq!((server.asked().len(), dry.records().len()), (0, PAPERS), "the rules' findings leave all the same");
    // Cut short by a budget: what was answered is kept.
    let cut = run(&["--llm-record", "calls.jsonl", "--max-calls", "5"]);
    let unasked = cut.records().iter().filter(|record| record["type"] == "error").count();
    assert_eq!((cut.code, server.asked().len(), unasked), (3, 5, PAPERS - 5), "{cut}");
    let whole = run(&["--llm-record", "calls.jsonl"]).ok();
    assert_eq!(server.asked().len(), PAPERS, "only the rest is asked");
    let records = whole.records();
    assert_eq!(records.len(), PAPERS);
    for record in &records {
        let named: Vec<&Value> = record["topics"]
            .as_array()
            .expect("topics")
            .iter()
            .filter(|topic| topic["by"] == json!(["model"]))
            .collect();
        assert!(named.iter().all(|topic| topic["name"] != "perpetual motion"), "{named:?}");
        assert!(record["by"].as_str().expect("by").contains("tiny") && record["usage"][0]["prompt_tokens"] == 900);
    }
    assert!(records.iter().any(|record| record["topics"].to_string().contains("\"model\"")));
    // And again from what was recorded alone: the same, and nobody is asked.
    let replayed = place.run(
        "techrag-graph",
        &["extract", "--llm-replay", "calls.jsonl", "--llm-model", "tiny"],
        fixture_records(),
    );
    assert_eq!((replayed.ok().stdout, server.asked().len()), (whole.stdout, PAPERS));
}

#[test]
fn a_paper_that_the_model_fails_on_keeps_what_the_rules_found() {
    let server = Server::start(|asked: &Asked| {
        if String::from_utf8_lossy(&asked.body).contains("elaxation length") {
            return Reply::json(400, "{\"error\":{\"message\":\"too strange\"}}");
        }
        model(asked)
    });
    let server = server.expect("a port");
    let url = server.url().join("v1").expect("a URL").to_string();
    let place = Place::new();
    let plain = place.run("techrag-graph", &["extract"], fixture_records()).ok().records();
    let run = place.run("techrag-graph", &["extract", "--llm", &url, "--llm-model", "tiny"], fixture_records());
    assert_eq!(run.code, 3, "{run}");
    let (errors, entities): (Vec<Value>, Vec<Value>) =
        run.records().into_iter().partition(|record| record["type"] == "error");
    assert!(!errors.is_empty() && entities.len() == plain.len(), "{run}");
    for error in &errors {
        let same = |record: &&Value| record["doc_id"] == error["of"];
        let (ours, rules) = (entities.iter().find(same).expect("kept"), plain.iter().find(same).expect("there"));
        assert_eq!((&ours["topics"], &ours["cited"]), (&rules["topics"], &rules["cited"]));
    }
}

#[test]
fn a_stage_that_was_there_before_the_first_load_finds_the_graph_after_it() {
    let place = Place::new();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], fixture_records()).ok();
    let retrieve = ["--library", "lib", "--mode", "bm25", "-k", "8"];
    let hits = place.run("techrag-retrieve", &retrieve, "relaxation length of a tyre\n").ok().stdout;
    let mut talks: Vec<_> =
        ["expand", "context"].map(|stage| place.talk("techrag-graph", &[stage, "--library", "lib"])).into();
    for talk in &mut talks {
        let before: Value = serde_json::from_str(&talk.ask(hits.trim_end())).expect("a query");
        assert!(before["graph"]["note"].as_str().expect("a note").contains("no graph"), "{}", before["graph"]);
    }
    let entities = place.run("techrag-graph", &["extract"], fixture_records()).ok().stdout;
    let _ = place.run("techrag-graph", &["load", "--library", "lib"], &entities).ok();
    let after: Vec<Value> =
        talks.iter_mut().map(|talk| serde_json::from_str(&talk.ask(hits.trim_end())).expect("a query")).collect();
    assert!(after.iter().all(|query| query["graph"].get("note").is_none()), "{after:?}");
    assert!(after[0]["graph"]["expansions"].as_array().is_some_and(|near| !near.is_empty()));
    assert!(after[1]["graph"]["context"]["papers"].as_array().is_some_and(|papers| !papers.is_empty()));
    for talk in talks {
        assert_eq!(talk.end(), 0);
    }
}
