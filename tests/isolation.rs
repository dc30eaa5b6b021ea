//! A file that takes too much memory or time, or that ends its reader, costs itself: `techrag-chunk` on heavy input.

use serde_json::Value;

use crate::harness::{Place, Run};

/// Kind of the failure, or key of the document, of every file in the order of the output; chunks are left out.
fn became(run: &Run) -> Vec<String> {
    let records = run.records();
    let of = |record: &Value| match record["type"].as_str() {
        Some("error") => Some(format!("{}: {}", record["of"].as_str()?, record["kind"].as_str()?)),
        Some("document") => Some(record["key"].as_str()?.to_owned()),
        _ => None,
    };
    records.iter().filter_map(of).collect()
}

#[test]
fn a_page_that_takes_too_much_memory_costs_itself() {
    let place = Place::new();
    place.file("d/a.md", "# Slip\n\nThe tyre slips.\n");
    // Each of these elements is a node of its own with its words in another: some hundreds of bytes for four.
    place.file("d/b.html", &format!("<!doctype html><h1>Slip</h1>{}", "<p>a".repeat(1_000_000)));
    place.file("d/c.md", "# Grip\n\nThe tyre grips.\n");
    let run = place.run("techrag-chunk", &["--max-memory", "256", "--file-timeout", "600", "--jobs", "1", "d"], "");
    assert_eq!(became(&run), ["a.md", "b.html: too_large", "c.md"], "{}", run.stderr);
    assert!(run.stdout.contains("bytes of memory needed") && run.stdout.contains("raise --max-memory"));
}

#[test]
fn a_text_that_takes_too_long_costs_itself() {
    let place = Place::new();
    // More than any machine cuts into sentences in the time given.
    place.file("d/a.txt", &"The slip angle of the wheel decides how large the lateral force becomes. ".repeat(850_000));
    place.file("d/b.txt", "The tyre grips.\n");
    let run = place.run("techrag-chunk", &["--file-timeout", "1", "--jobs", "1", "d"], "");
    assert_eq!(became(&run), ["a.txt: timeout", "b.txt"], "{}", run.stderr);
}

#[test]
fn a_worker_that_was_ended_while_idle_is_replaced() {
    let place = Place::new();
    place.file("a.md", "# Slip\n\nThe tyre slips.\n");
    place.file("b.md", "# Grip\n\nThe tyre grips.\n");
    let mut talk = place.talk("techrag-chunk", &["--jobs", "1"]);
    assert!(talk.ask("a.md").contains("\"key\":\"a.md\""));
    let worker = place.shell(&format!("pgrep -P {}", talk.id())).ok().stdout;
    let _ = place.shell(&format!("kill -9 {worker}")).ok();
    // The answers are one behind: the first question had two.
    assert!(talk.ask("b.md").contains("The tyre slips."));
    let next = talk.ask("none.md");
    assert!(next.contains("\"key\":\"b.md\""), "{next}");
    assert_eq!(talk.end(), 3, "some failed");
}
