//! The data of a chart as a table: the values that the file keeps beside the drawing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use techrag_core::record::Table;
use techrag_core::text;

use super::archive::{Archive, Error};
use super::relations::Relations;
use super::xml::Node;

/// Every chart that a part refers to, by the identifier of the relation: a table for each set of categories.
///
/// # Errors
/// If the part of a chart is broken or too large, or the charts of the file claim too many cells.
pub(super) fn all(relations: &Relations, archive: &mut Archive<'_>) -> Result<HashMap<String, Vec<Table>>, Error> {
    let mut charts = HashMap::new();
    for (id, part) in relations.identified("chart") {
        if let Some(root) = archive.tree(&part)? {
            charts.insert(id, tables(&root, archive)?);
        }
    }
    Ok(charts)
}

/// Points of a series by their position.
type Points = BTreeMap<u32, String>;

struct Series {
    name: String,
    values: Points,
}

/// The tables of a `c:chartSpace`.
fn tables(root: &Node, archive: &mut Archive<'_>) -> Result<Vec<Table>, Error> {
    let Some(chart) = root.at(&["c:chart"]) else { return Ok(Vec::new()) };
    let title = chart.at(&["c:title"]).map(|title| text::squeeze(&words(title))).filter(|title| !title.is_empty());
    let Some(area) = chart.at(&["c:plotArea"]) else { return Ok(Vec::new()) };
    let mut tables = Vec::new();
    for plot in area.nodes().filter(|node| node.name.ends_with("Chart")) {
        let kind = plot.name.trim_start_matches("c:").trim_end_matches("Chart");
        let caption = match &title {
            Some(title) => format!("{title} ({kind} chart)"),
            None => format!("{kind} chart"),
        };
        tables.extend(of_plot(plot, archive)?.into_iter().map(|cells| Table {
            caption: Some(caption.clone()),
            cells,
            ..Table::default()
        }));
    }
    Ok(tables)
}

fn of_plot(plot: &Node, archive: &mut Archive<'_>) -> Result<Vec<Vec<Vec<String>>>, Error> {
    let mut groups: Vec<(Points, Vec<Series>)> = Vec::new();
    // Categories → their group: a file may give every series others, and there may be very many.
    let mut known: HashMap<Points, usize> = HashMap::new();
    for series in plot.all("c:ser") {
        let one_of =
            |names: [&str; 2]| names.iter().find_map(|name| series.at(&[name])).map(points).unwrap_or_default();
        let categories = one_of(["c:cat", "c:xVal"]);
        let name = series.at(&["c:tx"]).map(points).and_then(|points| points.into_values().next()).unwrap_or_default();
        let series = Series { name, values: one_of(["c:val", "c:yVal"]) };
        match known.get(&categories).and_then(|at| groups.get_mut(*at)) {
            Some((_, open)) => open.push(series),
            None => {
                known.insert(categories.clone(), groups.len());
                groups.push((categories, vec![series]));
            }
        }
    }
    groups.into_iter().map(|(categories, series)| grid(&categories, &series, archive)).collect()
}

/// A row a position, a column a series. Few bytes claim many cells: points may stand at any positions.
fn grid(categories: &Points, series: &[Series], archive: &mut Archive<'_>) -> Result<Vec<Vec<String>>, Error> {
    let header = std::iter::once(String::new()).chain(series.iter().map(|series| series.name.clone())).collect();
    let positions: BTreeSet<u32> =
        series.iter().flat_map(|series| series.values.keys()).chain(categories.keys()).copied().collect();
    archive.claim((positions.len() + 1).saturating_mul(series.len() + 1))?;
    let row = |at: u32| {
        let category = categories.get(&at).cloned().unwrap_or_else(|| (u64::from(at) + 1).to_string());
        let values = series.iter().map(|series| series.values.get(&at).cloned().unwrap_or_default());
        std::iter::once(category).chain(values).collect()
    };
    Ok(std::iter::once(header).chain(positions.into_iter().map(row)).collect())
}

/// The cached points of a reference, or the literal ones; of several levels of categories the innermost.
fn points(node: &Node) -> Points {
    let cache = ["c:strCache", "c:numCache", "c:lvl", "c:strLit", "c:numLit"].iter().find_map(|name| node.find(name));
    let point = |point: &Node| Some((point.number("idx")?, number(&point.at(&["c:v"])?.text())));
    match cache {
        Some(cache) => cache.all("c:pt").filter_map(point).collect(),
        None => node.at(&["c:v"]).map(|value| (0, text::squeeze(&value.text()))).into_iter().collect(),
    }
}

/// A number in its shortest form: the file holds 0.10000000000000001.
fn number(text: &str) -> String {
    let text = text::squeeze(text);
    // What only looks like a number (007, +1, 1e3 of a part number) must not change.
    let plain = text.contains('.') && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'));
    match text.parse::<f64>() {
        Ok(value) if plain && text.len() > 15 => value.to_string(),
        _ => text,
    }
}

/// The words of a title, whichever way it is written.
fn words(title: &Node) -> String {
    let runs: Vec<String> = title.every("a:t").into_iter().map(Node::text).collect();
    if runs.is_empty() { points(title).into_values().collect::<Vec<_>>().join(" ") } else { runs.concat() }
}
