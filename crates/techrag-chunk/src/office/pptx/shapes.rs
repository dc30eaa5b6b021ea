//! What stands on a slide: text, tables, charts and diagrams with their frames.

use std::collections::HashMap;

use techrag_core::record::Table;

use super::super::LeftOut;
use super::super::xml::Node;
use super::template::Template;
use super::wording::{self, Line};

/// Something to read, and where it stands: `[x, y, width, height]` in English Metric Units.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) content: Content,
    pub(super) frame: Option<[f64; 4]>,
    pub(super) is_title: bool,
}

/// What a shape says.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Its paragraphs.
    Text(Vec<Line>),
    /// A table, or the data of a chart.
    Tables(Vec<Table>),
    /// A diagram, by the identifier of the part with its words.
    Diagram(String),
}

/// The role a shape plays in its layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placeholder {
    /// `title`, `body`, `pic`, …; `obj` where the file names none.
    pub(super) kind: String,
    /// Its number, by which the layout knows it.
    pub(super) index: String,
}

/// The placeholder that a shape fills.
pub(super) fn placeholder(shape: &Node) -> Option<Placeholder> {
    let properties = shape.nodes().find(|node| node.name.starts_with("p:nv"))?;
    let place = properties.at(&["p:nvPr", "p:ph"])?;
    Some(Placeholder {
        kind: place.attribute("type").unwrap_or("obj").to_owned(),
        index: place.attribute("idx").unwrap_or("0").to_owned(),
    })
}

/// What the shapes of a slide are read with.
pub(super) struct Around<'a> {
    pub(super) template: &'a Template,
    /// Charts by the identifier of their relation.
    pub(super) charts: &'a HashMap<String, Vec<Table>>,
    pub(super) left_out: &'a mut LeftOut,
    /// Cells of all tables of the deck so far.
    pub(super) taken: &'a mut usize,
}

/// The shapes of a tree in reading order within groups, in drawing order otherwise.
///
/// # Errors
/// Why there are too many cells in their tables.
pub(super) fn read(tree: &Node, around: &mut Around<'_>) -> Result<Vec<Shape>, String> {
    let mut shapes = Vec::new();
    for node in tree.nodes() {
        match &*node.name {
            "p:sp" => shapes.extend(text(node, around.template)),
            "p:graphicFrame" => shapes.extend(graphic(node, around)?),
            "p:grpSp" => {
                // A group is read as one: it stands where its frame stands.
                let inside = super::order::reading(read(node, around)?);
                let frame = node.at(&["p:grpSpPr", "a:xfrm"]).and_then(frame);
                shapes.extend(inside.into_iter().map(|shape| Shape { frame: frame.or(shape.frame), ..shape }));
            }
            "mc:AlternateContent" => {
                if let Some(node) = node.at(&["mc:Choice"]).or_else(|| node.at(&["mc:Fallback"])) {
                    shapes.extend(read(node, around)?);
                }
            }
            "p:pic" => {
                around.left_out.count("pictures");
                shapes.extend(picture(node, around.template));
            }
            "p:contentPart" => around.left_out.count("drawings in ink"),
            _ => {}
        }
    }
    Ok(shapes)
}

/// What a picture says to those who cannot see it; programs put the name of a file there.
fn picture(node: &Node, template: &Template) -> Option<Shape> {
    let said = node.at(&["p:nvPicPr", "p:cNvPr"])?.attribute("descr")?.trim();
    if !said.contains(' ') {
        return None;
    }
    let frame = node.at(&["p:spPr", "a:xfrm"]).and_then(frame).or_else(|| template.frame(&placeholder(node)?));
    let line = Line::plain(format!("Picture: {}", techrag_core::text::squeeze(said)));
    Some(Shape { content: Content::Text(vec![line]), frame, is_title: false })
}

/// A shape with text; furniture gives nothing.
fn text(node: &Node, template: &Template) -> Option<Shape> {
    let place = placeholder(node);
    let kind = place.as_ref().map(|place| place.kind.as_str());
    if matches!(kind, Some("dt" | "ftr" | "sldNum" | "hdr")) {
        return None;
    }
    let lines = wording::lines(node.at(&["p:txBody"])?, node, template);
    if lines.is_empty() {
        return None;
    }
    let own = node.at(&["p:spPr", "a:xfrm"]).and_then(frame);
    let frame = own.or_else(|| template.frame(place.as_ref()?));
    Some(Shape { content: Content::Text(lines), frame, is_title: matches!(kind, Some("title" | "ctrTitle")) })
}

fn graphic(node: &Node, around: &mut Around<'_>) -> Result<Option<Shape>, String> {
    let frame = node.at(&["p:xfrm"]).and_then(frame).or_else(|| around.template.frame(&placeholder(node)?));
    let Some(data) = node.at(&["a:graphic", "a:graphicData"]) else { return Ok(None) };
    let content = if let Some(table) = data.at(&["a:tbl"]) {
        Content::Tables(vec![Table { cells: cells(table, around.taken)?, ..Table::default() }])
    } else if let Some(chart) = data.at(&["c:chart"]) {
        match chart.attribute("r:id").and_then(|id| around.charts.get(id)) {
            Some(tables) => Content::Tables(tables.clone()),
            None => {
                around.left_out.count("charts");
                return Ok(None);
            }
        }
    } else if let Some(diagram) = data.at(&["dgm:relIds"]) {
        let Some(part) = diagram.attribute("r:dm") else { return Ok(None) };
        Content::Diagram(part.to_owned())
    } else {
        around.left_out.count("embedded objects");
        return Ok(None);
    };
    Ok(Some(Shape { content, frame, is_title: false }))
}

/// Every cell of the grid; one that spans several stands in each of them, so that every row can be read alone.
fn cells(table: &Node, taken: &mut usize) -> Result<Vec<Vec<String>>, String> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in table.all("a:tr") {
        let mut cells: Vec<String> = Vec::new();
        for cell in row.all("a:tc") {
            let goes_on = |name| matches!(cell.attribute(name), Some("1" | "true"));
            let above =
                rows.last().and_then(|above: &Vec<String>| above.get(cells.len())).filter(|_| goes_on("vMerge"));
            let left = cells.last().filter(|_| goes_on("hMerge"));
            let words = left.or(above).map(|words| crate::table::repeated(words));
            cells.push(words.unwrap_or_else(|| {
                let paragraphs: Vec<String> = cell.every("a:p").into_iter().map(wording::words).collect();
                techrag_core::text::squeeze(&paragraphs.join(" "))
            }));
        }
        rows.push(cells);
    }
    crate::flow::rectangular(&mut rows, taken)?;
    Ok(rows)
}

/// `[x, y, width, height]` of a transform.
pub(super) fn frame(transform: &Node) -> Option<[f64; 4]> {
    let (offset, extent) = (transform.at(&["a:off"])?, transform.at(&["a:ext"])?);
    let frame = [offset.number("x")?, offset.number("y")?, extent.number("cx")?, extent.number("cy")?];
    frame.iter().all(|value: &f64| value.is_finite()).then_some(frame)
}
