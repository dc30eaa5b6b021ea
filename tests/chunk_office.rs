//! `techrag-chunk` on office files, pages, tables and source code: ours, and those of the world with a truth file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{Place, Run, models_or_skip};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/office");

/// Shared test data beside the project; a test that needs it says where it is missing.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/office").join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

fn read(path: &Path) -> Run {
    Place::new().run("techrag-chunk", &[&path.display().to_string()], "")
}

fn chunks(records: &[Value]) -> impl Iterator<Item = &Value> {
    records.iter().filter(|record| record["type"] == "chunk")
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn the_kind_is_told_by_content_and_said_in_every_record() {
    let place = Place::new();
    for (name, kind, modality) in [
        ("report.docx", "wordprocessingml.document", "text"),
        ("deck.pptx", "presentationml.presentation", "slide"),
        ("sheet.xlsx", "spreadsheetml.sheet", "sheet"),
    ] {
        std::fs::copy(Path::new(FIXTURES).join(name), place.path().join("nameless.txt")).expect("a copy");
        let records = place.run("techrag-chunk", &["nameless.txt"], "").ok().records();
        assert!(string(&records[0]["media_type"]).ends_with(kind), "{}", records[0]);
        assert_eq!(records[0]["chunks"], records.len() - 1);
        assert!(chunks(&records).any(|chunk| chunk["modality"] == modality), "{name}");
    }
}

#[test]
fn pages_tables_and_code_are_read_in_a_walk() {
    let place = Place::new();
    place.file("d/page.html", "<!doctype html><title>T</title><nav>Menu</nav><h1>Slip</h1><p>Tyres slip.</p>");
    place.file("d/runs.csv", "run;friction\n1;0,98\n2;0,61\n");
    place.file("d/tyre.py", "def slip(angle):\n    \"\"\"Slip of a tyre.\"\"\"\n    return angle\n");
    let records = place.run("techrag-chunk", &["d"], "").ok().records();
    let got: Vec<_> = chunks(&records)
        .map(|chunk| (string(&chunk["section"]), string(&chunk["modality"]), string(&chunk["text"])))
        .collect();
    assert_eq!(
        got,
        [
            ("Slip", "text", "Tyres slip."),
            ("", "table", "| run | friction |\n| --- | --- |\n| 1 | 0,98 |\n| 2 | 0,61 |"),
            ("slip (lines 1–3)", "code", "def slip(angle):\n    \"\"\"Slip of a tyre.\"\"\"\n    return angle"),
        ]
    );
}

/// Letters and digits in lower case.
fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The text without equations, which are judged apart.
fn without_equations(text: &str) -> String {
    text.split('$').step_by(2).collect::<Vec<_>>().join(" ")
}

/// The truth file without what only its maker puts there: marks of pictures, entities, addresses of links, the time and
/// the initials behind the name of somebody who comments.
fn truth(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a truth file");
    let made = [
        (r"<!-- image -->", " "),
        (r"&lt;", "<"),
        (r"&gt;", ">"),
        (r"&amp;", "&"),
        (r"\]\(\S+?\)", "]"),
        (r"\[author: (.*?)(?: \(\w+\))?, time: \S+?\]", "$1"),
    ];
    let without = |text: String, (mark, other): &(&str, &str)| {
        regex::Regex::new(mark).expect("a pattern").replace_all(&text, *other).into_owned()
    };
    without_equations(&made.iter().fold(text, without).replace("$$", "$"))
}

/// Words of the truth that were not read, each asked for as often as it stands there; once where `repeats`, since a chunk
/// that repeats another stands once. Its makers part what is raised or bold from its word: a line of some length may be
/// there by its letters.
fn missing_words(truth: &str, got: &str, repeats: bool) -> Vec<String> {
    let got = without_equations(&got.replace("$$", "$"));
    let words = |text: &str| text.split_whitespace().map(folded).filter(|word| !word.is_empty()).collect::<Vec<_>>();
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    words(&got).into_iter().for_each(|word| *left.entry(word).or_default() += 1);
    let whole = folded(&got);
    let mut missing = Vec::new();
    for line in truth.lines() {
        let cells: Vec<String> = line.trim_matches('|').split('|').map(folded).collect();
        let parted = cells.iter().map(String::len).sum::<usize>() > 20 && cells.iter().all(|cell| whole.contains(cell));
        for word in words(line) {
            match left.get_mut(&word).filter(|count| **count > 0) {
                Some(count) => *count -= usize::from(!repeats),
                None if parted => {}
                None => missing.push(word),
            }
        }
    }
    missing
}

/// Rows of the truth's tables that stand in no table that was read, cell by cell and in order.
fn missing_rows(truth: &str, records: &[Value]) -> Vec<String> {
    let rows: Vec<Vec<String>> = chunks(records)
        .flat_map(|chunk| chunk["tables"].as_array().into_iter().flatten())
        .flat_map(|table| table["cells"].as_array().into_iter().flatten())
        .map(|row| row.as_array().into_iter().flatten().map(|cell| folded(string(cell))).collect())
        .collect();
    let holds = |row: &Vec<String>, cells: &[String]| {
        let mut left = row.iter();
        cells.iter().all(|cell| left.any(|own| own == cell))
    };
    let of_truth =
        truth.lines().filter(|line| line.starts_with('|') && !line.starts_with("| -") && !line.starts_with("|--"));
    of_truth
        .filter(|line| {
            let cells: Vec<String> = line.trim_matches('|').split('|').map(folded).collect();
            !rows.iter().any(|row| holds(row, &cells))
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn files_of_the_world_give_what_their_truth_files_say() {
    let Some(folder) = shared("") else { return };
    let mut judged = 0;
    for kind in ["docx", "pptx", "xlsx", "text"] {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder.join(kind)).expect("a folder").flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.with_added_extension("md").exists()) {
            let truth = truth(&path.with_added_extension("md"));
            let records = read(path).ok().records();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text: String = chunks(&records)
                .flat_map(|chunk| [string(&chunk["section"]), string(&chunk["text"])])
                .chain([string(&records[0]["title"])])
                .map(|text| format!("{text}\n"))
                .collect();
            let repeats = !records[0]["provenance"]["duplicates"].is_null();
            let missing = missing_words(&truth, &text, repeats);
            let share = missing.len() as f64 / truth.split_whitespace().count().max(1) as f64;
            assert!(share <= 0.01, "{name}: {share:.3}, missing {missing:?}");
            // The form of this sheet is kept in one piece here, and torn into columns there.
            if name != "xlsx_07_gap_tolerance_.xlsx" {
                assert_eq!(missing_rows(&truth, &records), Vec::<String>::new(), "{name}");
            }
            judged += 1;
        }
    }
    assert!(judged >= 17, "only {judged} truth files were found");
}

#[test]
fn every_other_file_is_read_or_named() {
    let Some(folder) = shared("") else { return };
    for kind in ["docx", "pptx", "xlsx"] {
        for entry in std::fs::read_dir(folder.join(kind)).expect("a folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let run = read(&path);
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("ppt" | "xls") => {
                    assert_eq!(run.code, 3, "{name}: {run}");
                    assert_eq!(run.records()[0]["kind"], "unsupported", "{name}");
                }
                Some("md") => {}
                _ => {
                    let records = run.ok().records();
                    // A slide without a word is named as a page without text.
                    let silent = records[0]["pages_without_text"] == serde_json::json!([1]);
                    assert!(silent || chunks(&records).count() > 0, "{name}");
                }
            }
        }
    }
}

#[test]
fn every_line_of_code_is_in_one_chunk() {
    let Some(folder) = shared("code") else { return };
    let records = Place::new().run("techrag-chunk", &[&folder.display().to_string()], "").ok().records();
    let documents = records.iter().filter(|record| record["type"] == "document");
    let mut files = 0;
    for document in documents {
        let bytes = std::fs::read(folder.join(string(&document["key"]))).expect("a source");
        let text = String::from_utf8_lossy(&bytes);
        let wanted: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let own = chunks(&records).filter(|chunk| chunk["doc_id"] == document["doc_id"]);
        let read = own.flat_map(|chunk| string(&chunk["text"]).lines()).filter(|line| !line.trim().is_empty()).count();
        // The same text twice in a file is one chunk, and says so.
        if document["provenance"]["duplicates"].is_null() {
            assert_eq!(read, wanted.len(), "{}", document["key"]);
        }
        files += 1;
    }
    assert!(files >= 40, "only {files} sources were read");
}

const CODE: &str = "def relaxation_length(stiffness, lateral):
    \"\"\"Relaxation length of a tyre in metres, from its cornering stiffness and its lateral stiffness.\"\"\"
    return stiffness / lateral


def camber_thrust(load, camber):
    \"\"\"Camber thrust of a motorcycle tyre in newtons, for a load in newtons and a camber angle in radians.\"\"\"
    return 0.9 * load * camber
";

#[test]
fn a_citation_names_the_slide_the_cells_and_the_lines() {
    if !models_or_skip("citations of office files") {
        return;
    }
    let place = Place::new();
    place.file("d/tyre.py", CODE);
    place.file(
        "d/drums.csv",
        "drum,surface,peak friction\nD1,safety walk,1.12\nD2,polished basalt,0.37\nD3,wet asphalt,0.74\n",
    );
    for name in ["report.docx", "deck.pptx", "sheet.xlsx"] {
        std::fs::copy(Path::new(FIXTURES).join(name), place.path().join("d").join(name)).expect("a copy");
    }
    let _ = place.pipeline("ingest.sh", &["d", "lib"], "").ok();
    for (question, key, cited) in [
        ("By how many milliseconds does the slip estimate lag?", "deck.pptx", "slide 1"),
        ("What peak friction does the polished basalt drum have?", "drums.csv", "line 3"),
        ("What is the friction of run 2 with the date 2024-03-02?", "sheet.xlsx", "Runs!A3:F3"),
        ("What is the camber thrust of a motorcycle tyre in newtons?", "tyre.py", "lines 6–8"),
    ] {
        let said = place.pipeline("ask.sh", &["lib", question], "");
        assert_eq!(said.code, 0, "{said}");
        // The answer is wrapped to the width of a terminal.
        let shown = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        let marker = format!(", {cited}]");
        assert!(shown.contains(&marker) && shown.contains(&format!("{key}, ")), "{marker}: {said}");
        let record = place.pipeline("ask.sh", &["--records", "lib", question], "").records().remove(0);
        let checks = record["checks"]["claims"].as_array().expect("checks");
        assert!(checks.iter().any(|check| check["result"] == "verified"), "{checks:?}");
        assert!(checks.iter().all(|check| check["result"] != "wrong_page"), "{checks:?}");
    }
}
