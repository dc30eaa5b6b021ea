//! Workbooks: a section a sheet, its tables as grids with addresses, formulas beside the values they gave.
//!
//! What a sheet declares to be its size is never asked: cells are streamed and only those that hold something are kept.
//! The page of a table is the number of its sheet. A sheet that cannot be read is named as a failed page.

mod comments;
mod region;
mod value;

use std::collections::BTreeMap;
use std::io::Cursor;

use calamine::{Dimensions, Reader as _, SheetType, SheetVisible, Xlsx, XlsxError};
use serde_json::json;
use techrag_core::record::{Modality, Span, Table};
use techrag_core::text;

use super::archive::{Archive, Error};
use super::pptx::wording;
use super::relations::Relations;
use super::xml::Node;
use super::{LeftOut, chart};
use crate::address::{self, Area};
use crate::draft::{Draft, Paragraph, ParagraphKind, Section};
use crate::{role, table};
use region::Cell;

/// Filled cells of a workbook.
const MAX_CELLS: usize = 1_000_000;

/// Cells that a merged one may stand for; whole columns are merged for their looks.
const MAX_MERGED: u64 = 10_000;

/// Places of a grid for each filled cell from which on it is written as a list of addresses.
const SPARSE: u64 = 20;

/// A workbook as a draft.
///
/// # Errors
/// If the workbook as a whole is broken or too large.
pub(super) fn read(bytes: &[u8], root: &Node, main: &str, archive: &mut Archive<'_>) -> Result<Draft, Error> {
    // From here on another reader opens the archive, and it knows no budget.
    archive.measure()?;
    let mut book: Book<'_> = Xlsx::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    let sheets = book.sheets_metadata().to_vec();
    let parts = Parts { relations: Relations::of(main, archive)?, root };
    let mut draft = Draft {
        media_type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        pages: u32::try_from(sheets.len()).ok(),
        modality: Some(Modality::Sheet),
        ..Draft::default()
    };
    let (mut left_out, mut room) = (LeftOut::default(), MAX_CELLS);
    for (number, sheet) in (1..).zip(&sheets) {
        let mut section = Section { heading: sheet.name.clone(), role: role::of(&sheet.name), paragraphs: Vec::new() };
        if sheet.typ == SheetType::WorkSheet {
            match cells(&mut book, &sheet.name, &mut room) {
                Ok(cells) => section.paragraphs = paragraphs(cells, Place { number, name: &sheet.name }),
                Err(error) => draft.pages_failed.push((number, error.to_string())),
            }
        }
        match parts.beside(Place { number, name: &sheet.name }, archive, &mut left_out) {
            Ok(beside) => section.paragraphs.extend(beside),
            Err(error) => draft.pages_failed.push((number, format!("what stands beside its cells: {error}"))),
        }
        if section.paragraphs.is_empty() {
            draft.pages_without_text.push(number);
        } else {
            draft.sections.push(section);
        }
    }
    let hidden = sheets.iter().filter(|sheet| sheet.visible != SheetVisible::Visible);
    let hidden: Vec<&str> = hidden.map(|sheet| sheet.name.as_str()).collect();
    if !hidden.is_empty() {
        draft.provenance.insert("hidden_sheets".into(), json!(hidden));
    }
    left_out.write(&mut draft);
    Ok(draft)
}

fn commented(cell: &str, words: String, place: Place<'_>) -> Paragraph {
    let spans = vec![Span {
        start: 0,
        end: words.len(),
        page: Some(place.number),
        place: Some(place.named(cell)),
        ..Span::default()
    }];
    Paragraph { text: words, spans, kind: ParagraphKind::Prose, table: None }
}

/// The words of a text box; its sheet is its place.
fn boxed(shape: &Node, place: Place<'_>) -> Option<Paragraph> {
    let lines = shape.at(&["xdr:txBody"])?.all("a:p").map(wording::words).collect::<Vec<_>>();
    let lines: Vec<String> = lines.iter().map(|line| text::squeeze(line)).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return None;
    }
    let mut paragraph = commented("", lines.join("\n"), place);
    paragraph.spans.iter_mut().for_each(|span| span.place = Some(format!("sheet {}", place.name)));
    Some(paragraph)
}

/// A chart has no cells; its sheet is its place.
fn drawn(chart: Table, place: Place<'_>) -> Paragraph {
    let mut paragraph = table::paragraph(Table { page: Some(place.number), ..chart }, None);
    paragraph.spans.iter_mut().for_each(|span| span.place = Some(format!("sheet {}", place.name)));
    paragraph
}

type Book<'a> = Xlsx<Cursor<&'a [u8]>>;

fn broken(error: &XlsxError) -> Error {
    match error {
        XlsxError::Password => Error::Encrypted,
        error => Error::Damaged(format!("the workbook cannot be read: {error}")),
    }
}

/// The filled cells of a sheet, and its formulas by address.
#[derive(Default)]
struct Sheet {
    cells: Vec<Cell>,
    formulas: BTreeMap<(u32, u32), String>,
}

fn cells(book: &mut Book<'_>, name: &str, room: &mut usize) -> Result<Sheet, Error> {
    let merged = book.merge_cells_by_sheet_name(name).map_err(|error| broken(&error))?;
    let mut sheet = Sheet::default();
    let mut reader = book.worksheet_cells_reader(name).map_err(|error| broken(&error))?;
    while let Some(cell) = reader.next_cell_with_formula().map_err(|error| broken(&error))? {
        let (row, column) = (cell.pos.0.saturating_add(1), cell.pos.1.saturating_add(1));
        let formula = cell.formula.filter(|formula| !formula.is_empty());
        let mut text = value::text(&cell.value);
        if let Some(formula) = formula {
            // Nobody has calculated it yet: better the formula than nothing.
            if text.is_empty() {
                text = format!("={formula}");
            }
            sheet.formulas.insert((row, column), formula);
        }
        if !text.trim().is_empty() {
            take_room(room)?;
            sheet.cells.push(Cell { row, column, text });
        }
    }
    fill(&mut sheet.cells, &merged, room)?;
    Ok(sheet)
}

fn take_room(room: &mut usize) -> Result<(), Error> {
    let too_many = || Error::TooLarge(format!("the workbook has more than {MAX_CELLS} filled cells"));
    *room = room.checked_sub(1).ok_or_else(too_many)?;
    Ok(())
}

/// A merged cell stands in every cell it covers, so that every row can be read alone.
fn fill(cells: &mut Vec<Cell>, merged: &[Dimensions], room: &mut usize) -> Result<(), Error> {
    cells.sort_unstable_by_key(|cell| (cell.row, cell.column));
    cells.dedup_by_key(|cell| (cell.row, cell.column));
    let mut filled = Vec::new();
    for range in merged {
        let ((top, left), (bottom, right)) = (range.start, range.end);
        let size = u64::from(bottom.saturating_sub(top) + 1) * u64::from(right.saturating_sub(left) + 1);
        let origin = cells.binary_search_by_key(&(top + 1, left + 1), |cell| (cell.row, cell.column));
        let (Ok(origin), true) = (origin, size <= MAX_MERGED) else { continue };
        let text = table::repeated(&cells[origin].text);
        for row in top..=bottom {
            for column in left..=right {
                if !text.is_empty() && (row, column) != (top, left) {
                    take_room(room)?;
                    filled.push(Cell { row: row + 1, column: column + 1, text: text.clone() });
                }
            }
        }
    }
    // What a covered cell holds itself nobody sees: of two for one place the first stays.
    filled.append(cells);
    *cells = filled;
    cells.sort_by_key(|cell| (cell.row, cell.column));
    cells.dedup_by_key(|cell| (cell.row, cell.column));
    Ok(())
}

/// A sheet as citations name it.
#[derive(Clone, Copy)]
struct Place<'a> {
    number: u32,
    name: &'a str,
}

impl Place<'_> {
    /// `Runs!A1:D9`, `'Run 2'!B7`: as a formula would refer to it.
    fn of(self, area: Area) -> String {
        let single = area.top == area.bottom && area.left == area.right;
        self.named(&if single { address::name(area.top, area.left) } else { area.to_string() })
    }

    fn named(self, cells: &str) -> String {
        let plain = self.name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let name = if plain { self.name.to_owned() } else { format!("'{}'", self.name.replace('\'', "''")) };
        format!("{name}!{cells}")
    }
}

fn paragraphs(sheet: Sheet, place: Place<'_>) -> Vec<Paragraph> {
    let formulas = sheet.formulas;
    region::regions(sheet.cells).into_iter().filter_map(|cells| paragraph(cells, &formulas, place)).collect()
}

fn paragraph(cells: Vec<Cell>, formulas: &BTreeMap<(u32, u32), String>, place: Place<'_>) -> Option<Paragraph> {
    let area = region::area(&cells)?;
    let places = u64::from(area.bottom - area.top + 1) * u64::from(area.right - area.left + 1);
    if places == 1 || places > SPARSE * cells.len() as u64 + MAX_MERGED {
        let line = |cell: &Cell| format!("{}: {}", address::name(cell.row, cell.column), text::squeeze(&cell.text));
        let words = if places == 1 {
            text::squeeze(&cells[0].text)
        } else {
            cells.iter().map(line).collect::<Vec<_>>().join("\n")
        };
        let page = Some(place.number);
        let spans = vec![Span { start: 0, end: words.len(), page, place: Some(place.of(area)), ..Span::default() }];
        return Some(Paragraph { text: words, spans, kind: ParagraphKind::Lines, table: None });
    }
    let width = (area.right - area.left + 1) as usize;
    let mut grid = vec![vec![String::new(); width]; (area.bottom - area.top + 1) as usize];
    for cell in cells {
        grid[(cell.row - area.top) as usize][(cell.column - area.left) as usize] = cell.text;
    }
    let within = |row: u32, column: u32, Area { top, left, bottom, right }: Area| {
        (top..=bottom).contains(&row) && (left..=right).contains(&column)
    };
    let own = formulas
        .range((area.top, 0)..=(area.bottom, u32::MAX))
        .filter(|((row, column), _)| within(*row, *column, area));
    let formulas = own.map(|((row, column), formula)| (address::name(*row, *column), formula.clone())).collect();
    let rows = (area.top..=area.bottom).map(|row| place.of(Area { top: row, bottom: row, ..area })).collect();
    let page = Some(place.number);
    let table = Table { page, cells: grid, range: Some(area.to_string()), formulas, ..Table::default() };
    Some(table::placed(table, rows))
}

/// The workbook's parts, for what stands beside the cells.
struct Parts<'a> {
    relations: Relations,
    root: &'a Node,
}

impl Parts<'_> {
    /// The comments, text boxes and charts of a sheet; pictures, diagrams and embedded objects are counted.
    fn beside(
        &self,
        place: Place<'_>,
        archive: &mut Archive<'_>,
        left_out: &mut LeftOut,
    ) -> Result<Vec<Paragraph>, Error> {
        let sheets = self.root.at(&["x:sheets"]).into_iter().flat_map(|sheets| sheets.all("x:sheet"));
        let own = |sheet: &&Node| sheet.attribute("name") == Some(place.name);
        let Some(part) = sheets
            .filter(own)
            .find_map(|sheet| sheet.attribute("r:id"))
            .and_then(|id| self.relations.target(id))
            .map(str::to_owned)
        else {
            return Ok(Vec::new());
        };
        let sheet = Relations::of(&part, archive)?;
        let mut paragraphs = Vec::new();
        for (cell, comments) in comments::of(&self.relations, &sheet, archive)? {
            paragraphs.extend(comments.into_iter().map(|words| commented(&cell, words, place)));
        }
        for kind in ["oleObject", "package"] {
            sheet.of_kind(kind).iter().for_each(|_| left_out.count("embedded objects"));
        }
        let mut charts = Vec::new();
        for drawing in sheet.of_kind("drawing") {
            let inside = Relations::of(drawing, archive)?;
            inside.of_kind("image").iter().for_each(|_| left_out.count("pictures"));
            // Charts of the newer kind (waterfall, box and whisker, …) keep their data in another way.
            inside.of_kind("chartEx").iter().for_each(|_| left_out.count("charts"));
            inside.of_kind("diagramData").iter().for_each(|_| left_out.count("diagrams"));
            if let Some(root) = archive.tree(drawing)? {
                paragraphs.extend(root.every("xdr:sp").into_iter().filter_map(|shape| boxed(shape, place)));
            }
            let all: BTreeMap<String, Vec<Table>> = chart::all(&inside, archive)?.into_iter().collect();
            charts.extend(all.into_values().flatten());
        }
        paragraphs.extend(charts.into_iter().map(|chart| drawn(chart, place)));
        Ok(paragraphs)
    }
}
