//! What is given to page retrieval and cannot be so: options beyond their range, records that claim what is not there,
//! files that are no files.

use crate::harness::{Place, models_or_skip};

const PAPER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/papers/brush-model-extensions.pdf");

/// A library with the paper, its records in `records.jsonl`.
fn library(place: &Place) {
    std::fs::copy(PAPER, place.path().join("paper.pdf")).expect("the paper is there");
    let _ =
        place.shell("techrag-chunk paper.pdf >records.jsonl && techrag-index add --library lib <records.jsonl").ok();
}

#[test]
fn an_option_beyond_its_range_is_a_usage_error() {
    let place = Place::new();
    let huge = "18446744073709551615";
    for (command, option, value) in [
        ("render", "--page-timeout", huge),
        ("crops", "--file-timeout", huge),
        ("index", "--page-timeout", "0"),
        ("render", "--max-memory", "17592186044416"),
        ("render", "--max-memory", "0"),
        ("render", "--max-bytes", "0"),
        ("index", "--batch", "4294967295"),
        ("search", "-k", huge),
        ("search", "--candidates", "0"),
        ("verify", "--queries", huge),
    ] {
        let said = place.run("techrag-visual", &[command, "--library", "lib", option, value], "");
        let why = ["is not in", "number too large"].iter().any(|why| said.stderr.contains(why));
        assert!(said.code == 2 && why && said.stderr.contains(option), "{option}: {said}");
    }
}

#[test]
fn a_file_that_is_no_file_or_another_is_refused_by_name() {
    let place = Place::new();
    library(&place);
    let crops = ["crops", "--library", "lib", "--document", "paper.pdf", "--page", "2", "--layout", "never"];
    let render = ["render", "--library", "lib", "--document", "paper.pdf", "--page", "2"];
    let refused = |why: &str| {
        for arguments in [&crops[..], &render] {
            let said = place.run("techrag-visual", arguments, "");
            assert!(said.code > 0 && (said.stderr.clone() + &said.stdout).contains(why), "{arguments:?}: {said}");
        }
    };
    let paper = place.path().join("paper.pdf");
    std::fs::write(&paper, "%PDF-1.4 another").expect("written");
    refused("is no longer the file that was indexed");
    std::fs::remove_file(&paper).expect("removed");
    let _ = place.shell("mkfifo paper.pdf").ok();
    refused("is no regular file");
}

#[test]
fn a_false_claim_and_a_broken_line_cost_nothing_but_themselves() {
    let place = Place::new();
    if !models_or_skip("page retrieval") {
        return;
    }
    library(&place);
    let line = "(echo '{\"type\":\"document\",'; echo '{\"type\":\"query\",\"v\":1,\"question\":\"slip\"}'; \
         sed 's/\"pages\":5\\([,}]\\)/\"pages\":4294967295\\1/' records.jsonl) >claims.jsonl; \
         grep -c 4294967295 claims.jsonl; \
         techrag-visual index --layout never --pages 4-4000000000 --library lib <claims.jsonl";
    let said = place.shell(line);
    assert_eq!(said.code, 3, "{said}");
    assert!(said.stdout.starts_with("1\n"), "the claim is in the record: {said}");
    let passed: Vec<&str> = said.stdout.lines().skip(1).collect();
    assert_eq!(passed.len(), 2, "{said}");
    assert!(passed[0].contains("\"type\":\"error\"") && passed[0].contains("stdin:1"), "{said}");
    assert!(passed[1].contains("\"question\":\"slip\""), "{said}");
    assert_eq!(said.stderr.matches("stdin:1").count(), 1, "{said}");
    assert!(said.stderr.contains("2 pages stored") && said.stderr.contains("fewer pages than their records"), "{said}");
}

#[test]
fn a_reader_that_leaves_costs_no_page() {
    let place = Place::new();
    if !models_or_skip("page retrieval") {
        return;
    }
    library(&place);
    let line = "(for i in $(seq 3000); do echo \"{\\\"type\\\":\\\"sighting\\\",\\\"v\\\":1,\\\"at\\\":\\\"$i and so on\\\"}\"; done; \
         cat records.jsonl) | techrag-visual index --layout never --pages 1-2 --library lib | head -1; echo ${PIPESTATUS[1]}";
    let said = place.shell(line).ok();
    assert!(said.stdout.ends_with("\n0\n") && said.stderr.contains("2 pages stored"), "{said}");
}
