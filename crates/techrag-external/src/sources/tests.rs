//! Bodies of our own in the shape each index gives, and what becomes of them.

use techrag_core::record::RetractionStatus;

use super::*;

fn said(status: u16, content_type: &str, body: &str) -> Response {
    let headers = vec![("content-type".to_owned(), content_type.to_owned())];
    Response { status, headers, body: body.as_bytes().to_vec(), ..Response::default() }
}

fn json(body: &str) -> Response {
    said(200, "application/json", body)
}

#[test]
fn crossref_gives_a_work_with_both_years_and_its_retraction() {
    let body = r#"{"status":"ok","message-type":"work-list","message":{"total-results":2,"items":[
      {"DOI":"10.1000/A","type":"journal-article","title":["Grip of <i>tyres</i>"],"container-title":["Snow"],
       "author":[{"given":"Anna","family":"Berg"},{"name":"The Snow Group"},{"family":"Li"}],
       "published-online":{"date-parts":[[2019,12,3]]},"published-print":{"date-parts":[[2020]]},
       "issued":{"date-parts":[[2019,12,3]]},"created":{"date-parts":[[2031,1,1]]},
       "abstract":"<jats:title>Abstract</jats:title><jats:p>Snow &amp; ice.</jats:p>",
       "relation":{"has-preprint":[{"id-type":"doi","id":"10.48550/arXiv.1901.00001"}]},
       "updated-by":[{"type":"correction","DOI":"10.1000/c"},
                     {"type":"retraction","DOI":"10.1000/r","source":"publisher","updated":{"date-parts":[[2022,5,7]]}}]},
      {"DOI":"10.1000/j","type":"journal","title":["Snow"]},
      {"DOI":"10.1000/d","type":"posted-content","title":["A draft"],"issued":{"date-parts":[[null]]}}]}}"#;
    let works = Source::Crossref.works(&json(body)).unwrap();
    assert_eq!(works.len(), 2);
    let work = &works[0];
    assert_eq!((work.title.as_str(), work.doi.as_deref()), ("Grip of tyres", Some("10.1000/a")));
    assert_eq!((work.year, work.year_online, work.year_print), (Some(2020), Some(2019), Some(2020)));
    assert_eq!(work.authors, ["Anna Berg", "The Snow Group", "Li"]);
    assert_eq!(work.summary.as_deref(), Some("Snow & ice."));
    assert_eq!(work.versions[0].doi.as_deref(), Some("10.48550/arxiv.1901.00001"));
    let retraction = work.retraction.as_ref().unwrap();
    assert_eq!((retraction.status, retraction.date.as_deref()), (RetractionStatus::Retracted, Some("2022-05-07")));
    assert_eq!((works[1].year, works[1].kind.as_deref()), (None, Some("preprint")));
}

#[test]
fn a_notice_is_not_the_work_it_retracts() {
    let notice = r#"{"status":"ok","message":{"DOI":"10.1000/r","type":"journal-article","title":["Retraction Note"],
        "update-to":[{"type":"retraction","DOI":"10.1000/a"}]}}"#;
    assert_eq!(Source::Crossref.works(&json(notice)).unwrap()[0].retraction, None);
    let in_place = notice.replace("10.1000/a", "10.1000/R");
    assert!(Source::Crossref.works(&json(&in_place)).unwrap()[0].retraction.is_some());
}

#[test]
fn openalex_abstracts_are_put_together_and_holes_do_no_harm() {
    let body = r#"{"meta":{"count":1},"results":[{"id":"https://openalex.org/W1","doi":null,"title":"Grip","publication_year":2020,
      "type":"article","is_retracted":true,"authorships":[{"author":{"display_name":"A. Berg"}},{"author":{"display_name":null}}],
      "primary_location":null,"ids":{"pmid":"https://pubmed.ncbi.nlm.nih.gov/77"},"cited_by_count":4,
      "abstract_inverted_index":{"Abstract":[0],"Snow":[1],"is":[2,9000000000],"cold.":[7]}}]}"#;
    let work = Source::OpenAlex.works(&json(body)).unwrap().remove(0);
    assert_eq!(work.summary.as_deref(), Some("Snow is cold."));
    assert_eq!((work.ids["openalex"][0].as_str(), work.ids["pmid"][0].as_str()), ("W1", "77"));
    assert_eq!((work.authors.len(), work.retraction.unwrap().status), (1, RetractionStatus::Retracted));
}

#[test]
fn counts_by_year_are_in_order_and_the_running_year_is_marked() {
    let body = r#"{"group_by":[{"key":"2025","count":9},{"key":"2024","count":12},{"key":"2031","count":1},{"key":null,"count":3}]}"#;
    let counts = counts(&json(body), Some(2025)).unwrap();
    let read: Vec<_> = counts.iter().map(|count| (count.year, count.works, count.partial)).collect();
    assert_eq!(read, [(2024, 12, false), (2025, 9, true)]);
}

#[test]
fn refusals_with_a_good_status_are_refusals() {
    let cases = [
        (Source::EuropePmc, r#"{"errCode":404,"errMsg":"Invalid query"}"#),
        (Source::OpenAlex, r#"{"error":"Invalid query parameters error.","message":"x is no filter"}"#),
        (Source::SemanticScholar, r#"{"error":"Unrecognized or unsupported fields"}"#),
        (Source::Crossref, r#"{"status":"failed","message":[{"type":"x","value":"y","message":"Integer expected"}]}"#),
    ];
    for (source, body) in cases {
        assert!(matches!(source.works(&json(body)), Err(Fault::Refused(_))), "{source:?}");
    }
    let feed = r#"<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>https://arxiv.org/api/errors#x</id>
        <title>Error</title><summary>incorrect id</summary></entry></feed>"#;
    assert_eq!(
        Source::Arxiv.works(&said(200, "application/atom+xml", feed)),
        Err(Fault::Refused("incorrect id".into()))
    );
}

#[test]
fn nothing_found_is_empty_and_a_page_of_html_malformed() {
    assert_eq!(Source::SemanticScholar.works(&json(r#"{"total":0,"offset":0}"#)), Ok(vec![]));
    assert_eq!(Source::SemanticScholar.works(&json(r#"{"data":[]}"#)), Ok(vec![]));
    assert_eq!(Source::Crossref.works(&said(404, "text/plain", "Resource not found.")), Ok(vec![]));
    for source in Source::ALL {
        for body in ["<!doctype html><title>Wait</title>", "", "[1,2", "null", "7", "\u{0}"] {
            let result = source.works(&said(200, "text/html", body));
            assert!(matches!(result, Err(Fault::Malformed(_))), "{source:?} {body:?} {result:?}");
        }
    }
}

#[test]
fn arxiv_gives_preprint_and_the_doi_of_its_article() {
    let feed = r#"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"><title>q</title><entry>
        <id>http://arxiv.org/abs/2001.00001v3</id><title>Grip of
          tyres &amp; snow</title><published>2020-01-02T00:00:00Z</published>
        <summary>  Snow
        is cold &lt; 0.</summary><author><name>Anna Berg</name></author><arxiv:doi>10.1000/A</arxiv:doi></entry></feed>"#;
    let work = Source::Arxiv.works(&said(200, "application/atom+xml", feed)).unwrap().remove(0);
    assert_eq!((work.title.as_str(), work.year), ("Grip of tyres & snow", Some(2020)));
    assert_eq!((work.doi.as_deref(), work.ids["arxiv"][0].as_str()), (Some("10.48550/arxiv.2001.00001"), "2001.00001"));
    assert_eq!(work.versions[0].doi.as_deref(), Some("10.1000/a"));
    assert_eq!((work.summary.as_deref(), work.authors[0].as_str()), (Some("Snow is cold < 0."), "Anna Berg"));
}

#[test]
fn requests_are_encoded_and_carry_keys_in_headers_only() {
    let base = Url::parse("http://127.0.0.1:1/api/").unwrap();
    let key = Secret::new("sesame");
    let search =
        Search { query: "μ-split & \"grip, snow\"?".into(), since: Some(2019), until: None, author: None, rows: 20 };
    for source in Source::ALL {
        let request = source.search(&base, &search, &key);
        assert!(!request.url.as_str().contains("sesame") && request.url.as_str().contains("2019"), "{}", request.url);
        assert_eq!(request.has_secret(), matches!(source, Source::OpenAlex | Source::SemanticScholar));
        assert!(!request.url.query().unwrap_or_default().contains('"'), "{}", request.url);
    }
    let doi = "10.1002/(sici)1<1::a>3.0.co;2-x&b?c#d";
    let request = Source::Crossref.lookup(&base, doi, &key).unwrap();
    assert_eq!(request.url.path_segments().unwrap().count(), 3, "{}", request.url);
    assert!(Source::Crossref.lookup(&base, "10.48550/arxiv.2001.00001", &key).is_none());
    assert!(by_year(&base, &search, &key).url.as_str().contains("group_by=publication_year"));
    assert!(!by_year(&base, &search, &key).url.as_str().contains("snow%22%3F"), "the value's comma splits the filter");
}
