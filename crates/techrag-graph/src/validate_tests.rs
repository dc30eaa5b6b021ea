//! Authors checked against a server that answers as OpenAlex does.

use serde_json::json;
use techrag_core::record::PaperFacts;
use techrag_net::clock::{Cancel, Clock};
use techrag_net::loopback::{Reply, Server};
use techrag_net::polite::Freshness;
use techrag_net::transport::{Client, Config, Retry, Timeouts};

use super::*;

fn source(folder: &std::path::Path, base: Url, offline: bool) -> OpenAlex {
    let second = Duration::from_secs(2);
    let config = Config {
        user_agent: "techrag-test".into(),
        timeouts: Timeouts { connect: second, read: second, total: 2 * second },
        retry: Retry::NEVER,
        body_limit: 1 << 20,
        offline,
        clock: Clock::system(),
        cancel: Cancel::default(),
    };
    OpenAlex::new(Desk::new(Client::new(config), folder, Freshness::Stored, second), base, Secret::new(""))
}

fn work(title: &str, authors: &[&str]) -> Value {
    let authorship =
        |name: &&str| json!({ "author": { "display_name": name, "id": "https://openalex.org/A1", "orcid": null } });
    json!({ "title": title, "publication_year": 2021, "authorships": authors.iter().map(authorship).collect::<Vec<_>>() })
}

fn paper(title: &str, doi: Option<&str>, authors: &[&str]) -> Entities {
    let author = |name: &&str| EntityAuthor { name: (*name).to_owned(), ..EntityAuthor::default() };
    Entities {
        paper: PaperFacts {
            title: Some(title.into()),
            year: Some(2021),
            doi: doi.map(Into::into),
            ..PaperFacts::default()
        },
        authors: authors.iter().map(author).collect(),
        ..Entities::default()
    }
}

#[test]
fn authors_are_confirmed_replaced_or_left_as_they_are() {
    let server = Server::start(|asked| {
        let target = &asked.target;
        if target.contains("doi:10.1/wrong") {
            return Reply::json(200, work("Something else", &["X. Y."]).to_string());
        }
        if target.contains("doi:10.1/right") {
            return Reply::json(200, work("Slip and Grip", &["Ada Ott", "Bo Li"]).to_string());
        }
        if target.contains("refused") {
            return Reply::json(403, "{}");
        }
        if target.contains("doi:") {
            return Reply::json(404, "{}");
        }
        Reply::json(200, json!({ "results": [work("Slip and grip", &["Ada Ott", "Bo Li", "Cy Wu"])] }).to_string())
    })
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path(), server.url().clone(), false);

    let mut confirmed = paper("Slip and Grip", Some("10.1/right"), &["A. Ott", "B. Li"]);
    assert_eq!(source.check(&mut confirmed), Checked::Confirmed);
    assert_eq!((confirmed.authors[0].name.as_str(), confirmed.authors[0].openalex.as_deref()), ("A. Ott", Some("A1")));

    // A wrong DOI is not believed: the title is searched.
    let mut replaced = paper("Slip and Grip", Some("10.1/wrong"), &["A. Ott", "B. Li"]);
    assert_eq!(source.check(&mut replaced), Checked::Replaced);
    assert_eq!((replaced.authors.len(), replaced.authors_checked.as_str()), (3, "replaced"));

    let mut strange = paper("Another title", None, &["A. Ott"]);
    assert_eq!(source.check(&mut strange), Checked::NotFound);
    let mut namesake = paper("Slip and Grip", Some("10.1/none"), &["Z. Nobody"]);
    assert_eq!((source.check(&mut namesake), namesake.authors.len()), (Checked::NotFound, 1));

    let mut refused = paper("Any", Some("10.1/refused"), &["A. Ott"]);
    assert!(matches!(source.check(&mut refused), Checked::Unchecked(_)));
    assert_eq!((refused.authors_checked.as_str(), refused.authors.len()), ("unchecked", 1));
}

#[test]
fn offline_nothing_is_checked_and_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path(), Url::parse("http://127.0.0.1:9/").unwrap(), true);
    let mut entities = paper("Slip and Grip", None, &["A. Ott"]);
    assert!(matches!(source.check(&mut entities), Checked::Unchecked(why) if why.contains("offline")));
    assert_eq!(entities.authors_checked, "unchecked");
}
