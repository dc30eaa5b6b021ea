//! Tables in plain text (CSV, TSV and their kin): which sign parts the cells is told by the rows themselves.

use csv::ReaderBuilder;
use serde_json::json;
use techrag_core::record::Table;

use crate::decode::Decoded;
use crate::draft::{Draft, Section};
use crate::{flow, table};

/// Signs that part cells, the surer ones first: of two that fit equally well the first wins.
const SIGNS: [u8; 4] = [b'\t', b';', b'|', b','];

/// Rows that are looked at.
const SAMPLE: usize = 200;

/// Bytes that are looked at.
const SAMPLE_BYTES: usize = 1 << 17;

/// Share of the rows that must have as many cells as most have.
const SAME_WIDTH: f64 = 0.9;

/// Rows that a text without a telling name must have to be taken for a table.
const ROWS_OF_UNNAMED: usize = 4;

/// Line ends within a cell: more are no cell.
const MOST_LINES: usize = 200;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    sign: u8,
    /// Cells that most rows have.
    width: usize,
    rows: usize,
}

impl Dialect {
    /// The dialect of a text that is called a table; `None` where no sign parts its rows alike.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut end = text.len().min(SAMPLE_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // The last line of a sample may be cut.
        let sample = if end < text.len() { text[..end].rsplit_once('\n').map_or("", |(whole, _)| whole) } else { text };
        let fits = |sign| {
            let widths: Vec<usize> =
                reader(sample, sign).records().take(SAMPLE).map_while(Result::ok).map(|row| row.len()).collect();
            let width = most_common(&widths)?;
            let same = widths.iter().filter(|own| **own == width).count() as f64 / widths.len() as f64;
            (width > 1 && same >= SAME_WIDTH).then_some((Self { sign, width, rows: widths.len() }, same))
        };
        let best = SIGNS.into_iter().filter_map(fits).reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(dialect, _)| dialect)
    }

    /// The dialect of a text whose name says nothing: prose has commas too, so more is asked of it.
    pub(crate) fn of_unnamed(text: &str) -> Option<Self> {
        let dialect = Self::of(text)?;
        let least = if dialect.sign == b'\t' { 2 } else { 3 };
        (dialect.rows >= ROWS_OF_UNNAMED && dialect.width >= least).then_some(dialect)
    }

    /// The media type of its tables.
    pub(crate) fn media_type(self) -> &'static str {
        if self.sign == b'\t' { "text/tab-separated-values" } else { "text/csv" }
    }
}

fn most_common(widths: &[usize]) -> Option<usize> {
    let count = |width: usize| widths.iter().filter(|own| **own == width).count();
    widths.iter().copied().max_by_key(|width| (count(*width), *width))
}

fn reader(text: &str, sign: u8) -> csv::Reader<&[u8]> {
    quoting(text, sign, true)
}

fn quoting(text: &str, sign: u8, quotes: bool) -> csv::Reader<&[u8]> {
    let mut builder = ReaderBuilder::new();
    builder.delimiter(sign).has_headers(false).flexible(true).quoting(quotes).from_reader(text.as_bytes())
}

/// Whether quotation marks quote: of one that is never closed (`5" pipe`) the rest of the file would be a cell.
fn quotes(text: &str, sign: u8) -> bool {
    let swallows = |row: csv::StringRecord| row.iter().any(|cell| cell.matches('\n').count() > MOST_LINES);
    !reader(text, sign).records().map_while(Result::ok).any(swallows)
}

/// A table as a draft.
///
/// # Errors
/// Why it is too large to be read whole.
pub(crate) fn read(decoded: &Decoded, dialect: Dialect) -> Result<Draft, String> {
    let (mut cells, mut places, mut count) = (Vec::new(), Vec::new(), 0);
    let quotes = quotes(&decoded.text, dialect.sign);
    for row in quoting(&decoded.text, dialect.sign, quotes).records() {
        let row = row.map_err(|error| format!("row {}: {error}", cells.len() + 1))?;
        let place = row.position().map_or_else(String::new, |position| {
            // The reader was there before it passed over blank lines.
            let from = usize::try_from(position.byte()).unwrap_or(usize::MAX);
            let rest = decoded.text.as_bytes().get(from..).unwrap_or_default();
            let blank = rest.iter().take_while(|byte| **byte == b'\n').count();
            format!("line {}", position.line().saturating_add(blank as u64))
        });
        let row: Vec<String> = row.iter().map(|cell| cell.trim().to_owned()).collect();
        count += row.len().max(dialect.width);
        if count > flow::MAX_CELLS {
            return Err(flow::too_many_cells());
        }
        if row.iter().any(|cell| !cell.is_empty()) {
            cells.push(row);
            places.push(place);
        }
    }
    flow::rectangular(&mut cells, &mut 0)?;
    let paragraphs = vec![table::placed(Table { cells, ..Table::default() }, places)];
    let mut draft = Draft {
        media_type: dialect.media_type(),
        sections: vec![Section { paragraphs, ..Section::default() }],
        ..Draft::default()
    };
    draft.provenance.insert("encoding".into(), json!(decoded.encoding));
    draft.provenance.insert("delimiter".into(), json!(char::from(dialect.sign).to_string()));
    Ok(draft)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<Vec<String>> {
        let decoded = Decoded { text: text.into(), encoding: "UTF-8" };
        let draft = read(&decoded, Dialect::of(text).unwrap()).unwrap();
        draft.sections[0].paragraphs[0].table.clone().unwrap().cells
    }

    #[test]
    fn the_sign_is_told_by_the_rows() {
        let wanted = [["a", "b"], ["1,5", "x"], ["2,5", "y"]];
        assert_eq!(cells("a;b\n1,5;x\n2,5;y\n"), wanted);
        assert_eq!(cells("a\tb\n1,5\tx\n2,5\ty\n"), wanted);
        assert_eq!(cells("a,b\n\"1,5\",x\n\"2,5\",y\n"), wanted);
        assert_eq!(cells("a,b\n\"two\nlines \"\"q\"\"\",x\n"), [["a", "b"], ["two\nlines \"q\"", "x"]]);
    }

    #[test]
    fn short_rows_are_filled_and_empty_ones_go() {
        let rows: String = (0..20).map(|row| format!("{row},x,y\n")).collect();
        let got = cells(&format!("{rows},,\n20,x\n"));
        assert_eq!((got.len(), got[20].as_slice()), (21, &["20".to_owned(), "x".into(), String::new()][..]));
    }

    #[test]
    fn a_quotation_mark_that_is_never_closed_swallows_nothing() {
        let rows: String = (0..300).map(|row| format!("{row},pipe\n")).collect();
        let got = cells(&format!("n,size\n0,\"5 inch\n{rows}"));
        assert_eq!((got.len(), got[1][1].as_str()), (302, "\"5 inch"));
    }

    #[test]
    fn a_row_is_cited_by_its_own_line() {
        let text = "a,b\n\n\n1,2\n\n\"3\nx\",4\n5,6\n";
        let decoded = Decoded { text: text.into(), encoding: "UTF-8" };
        let draft = read(&decoded, Dialect::of(text).unwrap()).unwrap();
        let places = draft.sections[0].paragraphs[0].spans.iter().filter_map(|span| span.place.as_deref());
        assert_eq!(places.collect::<Vec<_>>(), ["line 1", "line 4", "line 6", "line 8"]);
    }

    #[test]
    fn prose_is_no_table() {
        assert_eq!(Dialect::of("Tyres slip, roads are wet.\nNothing else is known of it.\nOr is it?"), None);
        assert_eq!(Dialect::of_unnamed("a, b, c\nd, e, f\n"), None);
        assert!(Dialect::of_unnamed("a,b,c\n1,2,3\n4,5,6\n7,8,9\n").is_some());
    }
}
