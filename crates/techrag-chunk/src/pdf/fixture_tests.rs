//! The fixture papers, whose content is known exactly from their sources, through the whole of the PDF room.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use techrag_core::text;

use super::*;

fn papers() -> Vec<(String, Draft, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/papers");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "pdf"));
    paths.sort();
    assert!(paths.len() >= 12, "only {} fixture papers", paths.len());
    let paper = |path: PathBuf| {
        let key = path.file_stem().unwrap().to_string_lossy().into_owned();
        let truth = fs::read(folder.join("truth").join(format!("{key}.json"))).unwrap();
        let draft = read(&path, &key, &crate::test_config()).unwrap();
        (key, draft, serde_json::from_slice(&truth).unwrap())
    };
    paths.into_iter().map(paper).collect()
}

fn texts<'a>(truth: &'a Value, name: &str) -> Vec<&'a str> {
    truth[name].as_array().unwrap().iter().map(|value| value.as_str().unwrap()).collect()
}

fn folded(text: &str) -> String {
    text::fold_tight(text)
}

/// Hits and total of a score; `--nocapture` prints it.
#[derive(Default)]
struct Score {
    hits: usize,
    total: usize,
    missed: Vec<String>,
}

impl Score {
    fn count(&mut self, hit: bool, what: impl FnOnce() -> String) {
        self.total += 1;
        if hit { self.hits += 1 } else { self.missed.push(what()) }
    }

    fn at_least(&self, share: f64, name: &str) {
        let got = self.hits as f64 / self.total as f64;
        eprintln!("{name}: {}/{} = {got:.3}", self.hits, self.total);
        assert!(got >= share, "{name}: {}/{} = {got:.3} < {share}; missed: {:#?}", self.hits, self.total, self.missed);
    }
}

#[test]
fn bibliographic_values_are_exact() {
    for (key, draft, truth) in papers() {
        assert_eq!(draft.title.as_deref(), truth["title"].as_str(), "{key}");
        assert_eq!(draft.authors, texts(&truth, "authors"), "{key}");
        assert_eq!(draft.year.map(i64::from), truth["year"].as_i64(), "{key}");
        assert_eq!(draft.doi.as_deref(), truth["doi"].as_str(), "{key}");
        assert_eq!(draft.keywords, texts(&truth, "keywords"), "{key}");
        let summary = draft.summary.unwrap_or_default();
        assert_eq!(folded(&summary), folded(truth["abstract"].as_str().unwrap()), "{key}");
    }
}

#[test]
fn headings_are_found_and_nothing_else_is_one() {
    let (mut recall, mut precision) = (Score::default(), Score::default());
    for (key, draft, truth) in papers() {
        let wanted: Vec<String> = truth["sections"]
            .as_array()
            .unwrap()
            .iter()
            .map(|section| {
                let number = section["number"].as_str().map(|number| format!("{number} ")).unwrap_or_default();
                number + section["title"].as_str().unwrap()
            })
            .filter(|heading| heading != "References")
            .collect();
        let found: Vec<&str> = draft.sections.iter().map(|section| section.heading.as_str()).collect();
        for heading in &wanted {
            recall.count(found.iter().any(|found| folded(found) == folded(heading)), || format!("{key}: {heading}"));
        }
        for heading in found.into_iter().filter(|found| !matches!(*found, "" | "Abstract")) {
            precision
                .count(wanted.iter().any(|wanted| folded(wanted) == folded(heading)), || format!("{key}: {heading}"));
        }
    }
    recall.at_least(0.95, "recall of headings");
    precision.at_least(0.98, "precision of headings");
}

#[test]
fn references_are_counted_and_taken_apart() {
    let (mut titles, mut years, mut dois, mut families) =
        (Score::default(), Score::default(), Score::default(), Score::default());
    for (key, draft, truth) in papers() {
        let wanted = truth["references"].as_array().unwrap();
        assert_eq!(draft.references.len(), wanted.len(), "references of {key}");
        for (at, (got, wanted)) in draft.references.iter().zip(wanted).enumerate() {
            let what = || format!("{key} [{}]: {got:?}", at + 1);
            assert_eq!(got.label, Some((at + 1).to_string()), "{key}");
            titles.count(
                folded(got.title.as_deref().unwrap_or_default()) == folded(wanted["title"].as_str().unwrap()),
                what,
            );
            years.count(got.year.map(i64::from) == wanted["year"].as_i64(), what);
            dois.count(got.doi == wanted["doi"].as_str().map(str::to_lowercase), what);
            let family = |name: &str| folded(name.split_whitespace().last().unwrap_or_default());
            let printed: Vec<String> = got.authors.iter().map(|name| family(name)).collect();
            families.count(printed == texts(wanted, "authors").into_iter().map(family).collect::<Vec<_>>(), what);
        }
    }
    titles.at_least(0.95, "titles");
    years.at_least(0.98, "years");
    dois.at_least(0.98, "DOIs");
    families.at_least(0.95, "family names");
}

#[test]
fn captions_stand_in_the_text_and_furniture_does_not() {
    let mut captions = Score::default();
    for (key, draft, truth) in papers() {
        let paragraphs = || draft.sections.iter().flat_map(|section| &section.paragraphs);
        for caption in truth["captions"].as_array().unwrap() {
            let wanted = folded(caption["text"].as_str().unwrap());
            let page = caption["page"].as_u64();
            let found = paragraphs().any(|paragraph| {
                folded(&paragraph.text).contains(&wanted)
                    && paragraph.spans.iter().any(|span| span.page.map(u64::from) == page)
            });
            captions.count(found, || format!("{key}: {}", caption["text"]));
        }
        let venue = folded(truth["venue"].as_str().unwrap());
        let late = paragraphs().filter(|paragraph| paragraph.spans.iter().all(|span| span.page > Some(1)));
        for paragraph in late {
            assert!(!folded(&paragraph.text).contains(&venue), "{key}: {}", paragraph.text);
        }
    }
    captions.at_least(0.9, "captions");
}

#[test]
fn tables_keep_their_cells() {
    let mut cells = Score::default();
    for (key, draft, truth) in papers() {
        let paragraphs = draft.sections.iter().flat_map(|section| &section.paragraphs);
        let grids: Vec<_> = paragraphs.filter_map(|paragraph| paragraph.table.as_ref()).collect();
        for table in truth["tables"].as_array().unwrap() {
            let rows = std::iter::once(&table["header"]).chain(table["rows"].as_array().unwrap());
            let wanted: Vec<Vec<String>> = rows
                .map(|row| row.as_array().unwrap().iter().map(|cell| folded(cell.as_str().unwrap())).collect())
                .collect();
            let got = |row: usize, column: usize| {
                let cell = |cells: &Vec<Vec<String>>| cells.get(row)?.get(column).map(|cell| folded(cell));
                grids.iter().any(|grid| cell(&grid.cells).as_ref() == Some(&wanted[row][column]))
            };
            for (row, wanted) in wanted.iter().enumerate() {
                for (column, text) in wanted.iter().enumerate() {
                    cells.count(got(row, column), || format!("{key} [{row}, {column}]: {text}"));
                }
            }
        }
    }
    cells.at_least(0.95, "cells of tables");
}
