//! What a library promises when things go wrong around it: an earlier format, a full disk, a disk that cannot be
//! written, a damaged byte, a reader among writers; and that an export is the library again.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Place, Run};

const FORMAT_1: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/index/format-1");

fn index(place: &Place, arguments: &[&str]) -> Run {
    place.run("techrag-index", arguments, "")
}

/// The text of the records the library of format 1 was made of.
fn records() -> String {
    fs::read_to_string(format!("{FORMAT_1}.jsonl")).expect("a fixture")
}

/// A place with a copy of the library of format 1, `old`, and one made today of the same records, `new`.
fn old_and_new() -> Place {
    let place = Place::new();
    let copied = place.shell(&format!("cp -R {FORMAT_1} old && chmod -R u+w old")).ok();
    assert_eq!(copied.stderr, "");
    let _ = place.run("techrag-index", &["add", "--library", "new"], &records()).ok();
    place
}

fn answers(place: &Place, library: &str) -> String {
    let questions = "tyre T1 on ice\nfriction coefficient 0.1\nTable S1\nnothing of the kind\n";
    place.run("techrag-retrieve", &["--library", library, "--mode", "bm25"], questions).ok().stdout
}

fn status(place: &Place, library: &str) -> Value {
    index(place, &["status", "--json", "--library", library]).ok().records().remove(0)
}

fn assert_clean(place: &Place, library: &str) {
    assert!(index(place, &["verify", "--library", library]).ok().stdout.starts_with("clean: "));
}

#[test]
fn a_library_of_the_format_before_is_brought_up_and_answers_as_one_made_today() {
    let place = old_and_new();
    let said = index(&place, &["status", "--library", "old"]);
    assert!(said.code == 2 && said.stderr.contains("`techrag-index migrate --library old`"), "{said}");
    let verified = index(&place, &["verify", "--library", "old"]);
    assert!(verified.code == 2 && verified.stderr.contains("migrate"), "{verified}");
    let migrated = index(&place, &["migrate", "--library", "old"]).ok();
    assert!(migrated.stderr.contains("from format 1 to 2"), "{migrated}");
    assert!(index(&place, &["migrate", "--library", "old"]).ok().stderr.contains("has format 2 already"));
    assert_clean(&place, "old");
    assert_eq!(status(&place, "old")["related"], json!({ "preprints": 1, "versions": 0, "supplements": 2 }));
    assert_eq!(status(&place, "old")["related"], status(&place, "new")["related"]);
    assert_eq!(answers(&place, "old"), answers(&place, "new"));
}

#[test]
fn whatever_writes_to_an_older_library_brings_it_up_first() {
    let place = old_and_new();
    let _ = index(&place, &["remove", "--library", "old", "pub-supp.pdf"]).ok();
    assert_eq!((&status(&place, "old")["documents"], &status(&place, "old")["format"]), (&json!(2), &json!(2)));
    assert_clean(&place, "old");
}

#[test]
fn an_export_added_to_a_new_library_is_the_library_again() {
    let place = old_and_new();
    let first = index(&place, &["export", "--library", "new"]).ok().stdout;
    let added = place.run("techrag-index", &["add", "--library", "again"], &first).ok();
    assert!(added.stderr.contains("3 documents added (5 chunks)"), "{added}");
    assert_eq!(index(&place, &["export", "--library", "again"]).ok().stdout, first);
    assert_eq!(answers(&place, "again"), answers(&place, "new"));
    assert_clean(&place, "again");
}

/// A corpus of one document a line, `size` words each.
fn corpus(documents: usize, size: usize) -> String {
    let line = |n: usize| format!("{}\n", json!({ "_id": format!("d{n}"), "text": format!("slip {n} ").repeat(size) }));
    (0..documents).map(line).collect()
}

/// Runs a script in a mount namespace of its own, where it may mount; `None` where the system does not let it.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn mounted(place: &Place, script: &str) -> Option<Run> {
    let allowed = place.shell("unshare -rm mount -t tmpfs -o size=1m tmpfs . 2>/dev/null");
    if allowed.code != 0 {
        eprintln!("skipped: no mount namespace here");
        return None;
    }
    place.file("script.sh", script);
    Some(place.shell("unshare -rm bash -eu script.sh"))
}

#[test]
fn a_full_disk_is_said_before_it_is_met_and_what_was_committed_stays() {
    let place = Place::new();
    place.file("few.jsonl", &corpus(5, 20));
    place.file("many.jsonl", &corpus(100, 2000));
    let script = "mkdir disk; mount -t tmpfs -o size=11m tmpfs disk\n\
        techrag-chunk --from jsonl few.jsonl | techrag-index add -q --library disk/lib\n\
        techrag-chunk --from jsonl many.jsonl | techrag-index add --library disk/lib || echo \"exit $?\"\n\
        techrag-index verify --library disk/lib; echo 'slip 3' | techrag-retrieve --library disk/lib --mode bm25 | wc -l";
    let Some(said) = mounted(&place, script) else { return };
    assert!(said.stdout.starts_with("exit 2\nclean: ") && said.stdout.ends_with("segments\n1\n"), "{said}");
    assert!(said.stderr.contains("bytes free and") && said.stderr.contains("what was committed is safe"), "{said}");
}

#[test]
fn a_write_that_fails_halfway_leaves_the_library_as_it_was() {
    let place = Place::new();
    place.file("few.jsonl", &corpus(5, 20));
    place.file("many.jsonl", &corpus(60, 4000));
    // Writes beyond 200 KB of a file fail; the signal that would end the process is ignored, so the error is met as on a full disk.
    let said = place.shell(
        "techrag-chunk --from jsonl many.jsonl >many; techrag-chunk --from jsonl few.jsonl | techrag-index add -q --library lib\n\
         (trap '' XFSZ; ulimit -f 200; techrag-index add --library lib <many) || echo \"exit $?\"\n\
         techrag-index verify --library lib; techrag-index add -q --library lib <many; techrag-index verify --library lib; ls lib/segments",
    );
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines.len() == 4 && lines[0] == "exit 2" && lines[1].starts_with("clean: 5 documents"), "{said}");
    assert!(lines[2].starts_with("clean: 60 documents"), "{said}");
    assert!(said.stderr.contains("error:") && !said.stderr.contains("panicked"), "{said}");
}

#[test]
fn a_library_on_a_disk_that_cannot_be_written_is_read_and_says_so_to_a_writer() {
    let place = Place::new();
    place.file("few.jsonl", &corpus(5, 20));
    let script = "mkdir disk; mount -t tmpfs -o size=24m tmpfs disk\n\
        techrag-chunk --from jsonl few.jsonl >few; techrag-index add -q --library disk/lib <few\n\
        mount -o remount,ro disk\n\
        techrag-index verify --library disk/lib\n\
        echo 'slip 3' | techrag-retrieve --library disk/lib --mode bm25 -k 1 | grep -c '\"key\":\"d3\"'\n\
        techrag-index add --library disk/lib <few || echo \"exit $?\"";
    let Some(said) = mounted(&place, script) else { return };
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines.len() == 3 && lines[0].starts_with("clean: 5 documents"), "{said}");
    assert_eq!(lines[1..], ["1", "exit 2"], "{said}");
    assert!(said.stderr.contains("Read-only file system"), "{said}");
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn a_damaged_byte_in_any_file_is_found_and_the_file_named() {
    let place = old_and_new();
    let library = place.path().join("new");
    let mut checked = Vec::new();
    for path in files(&library) {
        let whole = fs::read(&path).expect("a file");
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if whole.is_empty() || name == "lock" {
            continue;
        }
        // A byte that matters: of a stored text, of a term, of a vector.
        let marks: &[&[u8]] =
            if name == "catalog.sqlite" { &[b"The slip angle", b"Ada Lovelace", b"toy"] } else { &[b"coeffici"] };
        for mark in marks {
            let at = whole.windows(mark.len()).position(|window| window == *mark).expect("the mark");
            let mut bytes = whole.clone();
            bytes[at] ^= 0x20;
            fs::write(&path, &bytes).expect("written");
            let said = index(&place, &["verify", "--library", "new"]);
            assert!(said.code == 3 && said.stdout.contains(&name), "{name} {mark:?}: {said}");
        }
        fs::write(&path, &whole).expect("written");
        checked.push(name);
    }
    checked.sort();
    assert_eq!(checked, ["catalog.sqlite", "text-000001.seg"]);
    assert_clean(&place, "new");
}

#[test]
fn a_reader_among_writers_sees_whole_commits_only() {
    let place = Place::new();
    place.file("corpus.jsonl", &corpus(120, 3));
    let _ = place
        .shell("techrag-chunk --from jsonl corpus.jsonl >records; head -2 records | techrag-index add -q --library lib")
        .ok();
    let mut reader = place.talk("techrag-retrieve", &["--library", "lib", "--mode", "bm25", "-k", "200"]);
    let script = "techrag-index add -q --batch 30 --library lib <records; techrag-index compact --library lib";
    let place_ref = &place;
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || place_ref.shell(script).ok());
        let mut last = 1;
        loop {
            let done = writer.is_finished();
            let answer: Value = serde_json::from_str(&reader.ask("slip")).expect("a record");
            let hits = answer["hits"].as_array().map_or(0, Vec::len);
            assert!((last..=120).contains(&hits), "{hits} hits after {last}");
            last = hits;
            if done {
                break;
            }
        }
        assert_eq!(last, 120);
        assert!(writer.join().is_ok());
    });
}
