//! Tables of our own kind by kind, `fixtures/chunk/tables.typ`, and those of real papers, whose cells were read off
//! pictures of the pages: `fixtures/chunk/real-tables.json`.
//!
//! The test of the latter fails where a table labelled right is not, where one labelled wrong has become right, and where a grid is found that
//! the labels do not know, or not found that they do: what changes is to be looked at and labelled anew.

use std::fs;
use std::path::Path;

use serde_json::Value;
use techrag_core::record::Table;
use techrag_core::text;

/// Without spaces, in compatibility form, all dashes one.
fn folded(text: &str) -> String {
    text::unify(text).split_whitespace().collect()
}

/// The number of rows or columns, or of a row or column.
fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// What of a labelled grid a found one has not: its shape, or cells at their place.
fn faults(label: &Value, grid: &[Vec<String>]) -> Vec<String> {
    let wanted = (number(&label["rows"]), number(&label["columns"]));
    let shape = (grid.len(), grid.first().map_or(0, Vec::len));
    let wrong = (shape != wanted).then(|| format!("{shape:?} rows and columns, not {wanted:?}"));
    let cells = label["cells"].as_array().unwrap().iter().filter_map(|cell| {
        let (row, column, text) = (number(&cell[0]), number(&cell[1]), cell[2].as_str().unwrap());
        let got = grid.get(row).and_then(|row| row.get(column)).map_or("", String::as_str);
        (folded(got) != folded(text)).then(|| format!("[{row}, {column}]: {got:?}, not {text:?}"))
    });
    wrong.into_iter().chain(cells).collect()
}

fn hits(label: &Value, grid: &[Vec<String>]) -> usize {
    // A fault for each cell, and one for the shape.
    label["cells"].as_array().unwrap().len() + 1 - faults(label, grid).len()
}

/// Faults of a labelled table, and which of the grids found are its own.
fn compare(number: &str, label: &Value, tables: &[Table]) -> (Vec<String>, Vec<usize>) {
    let (mut wrong, mut own) = (Vec::new(), Vec::new());
    let page = label["page"].as_u64();
    for grid in label["grids"].as_array().unwrap() {
        let free = (0..tables.len()).filter(|at| tables[*at].page.map(u64::from) == page && !own.contains(at));
        // The first of equals.
        let best = free.rev().max_by_key(|&at| hits(grid, &tables[at].cells));
        let Some(best) = best else {
            wrong.push("not found".to_owned());
            continue;
        };
        own.push(best);
        wrong.extend(faults(grid, &tables[best].cells));
        let caption = tables[best].caption.as_deref().unwrap_or_default();
        if !text::fold_tight(caption).starts_with(&text::fold_tight(&format!("Table {number}"))) {
            wrong.push(format!("caption {caption:?}"));
        }
    }
    (wrong, own)
}

fn read(path: &Path, key: &str) -> Vec<Table> {
    let draft = super::read(path, key, &crate::test_config()).unwrap();
    let paragraphs = draft.sections.into_iter().flat_map(|section| section.paragraphs);
    paragraphs.filter_map(|paragraph| paragraph.table).collect()
}

#[test]
fn tables_of_our_own_are_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/chunk");
    let truth: Value = serde_json::from_slice(&fs::read(folder.join("tables.json")).unwrap()).unwrap();
    let tables = read(&folder.join("tables.pdf"), "tables");
    let wanted = truth["tables"].as_array().unwrap();
    for (got, wanted) in tables.iter().zip(wanted) {
        let cells: Vec<Vec<String>> = serde_json::from_value(wanted["cells"].clone()).unwrap();
        let form = |cells: &[Vec<String>]| -> Vec<Vec<String>> {
            cells.iter().map(|row| row.iter().map(|cell| folded(cell)).collect()).collect()
        };
        assert_eq!(form(&got.cells), form(&cells), "{}", wanted["caption"]);
        assert_eq!(got.caption.as_deref(), wanted["caption"].as_str());
        assert_eq!(got.page.map(u64::from), wanted["page"].as_u64(), "{}", wanted["caption"]);
    }
    assert_eq!(tables.len(), wanted.len());
}

#[test]
fn tables_of_real_papers_are_as_labelled() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let labels: Value =
        serde_json::from_slice(&fs::read(here.join("../../fixtures/chunk/real-tables.json")).unwrap()).unwrap();
    let folder = here.join("../../../shared/data/papers");
    if !folder.is_dir() {
        eprintln!("skipped: the real papers are not there ({})", folder.display());
        return;
    }
    let mut changed = Vec::new();
    let (mut right, mut all) = (0, 0);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|ending| ending != "pdf") {
            continue;
        }
        let tables = read(&path, &name);
        let mut known = Vec::new();
        for (number, label) in labels["papers"][&name].as_object().into_iter().flatten() {
            let (wrong, own) = compare(number, label, &tables);
            known.extend(own);
            all += 1;
            right += usize::from(wrong.is_empty());
            if wrong.is_empty() != label["right"].as_bool().unwrap() {
                changed.push(format!("{name}, table {number}: {wrong:#?}"));
            }
        }
        let others = (0..tables.len()).filter(|at| !known.contains(at)).count();
        let expected = labels["grids that are no tables"][&name].as_u64().unwrap_or(0);
        if u64::try_from(others).unwrap() != expected {
            changed.push(format!("{name}: {others} grids that are no labelled tables, not {expected}"));
        }
    }
    eprintln!("tables of real papers: {right} of {all} right");
    assert!(all >= 29, "only {all} tables");
    assert!(changed.is_empty(), "{changed:#?}");
}
