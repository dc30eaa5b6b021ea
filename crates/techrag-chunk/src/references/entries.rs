//! Where one entry of a reference list ends and the next begins.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::lines::TextLine;

static BRACKETED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*\[([\p{L}\d][\p{L}\d+*,.’' -]{0,24})\]").expect("a constant pattern"));
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*\(?(\d{1,3})[.)]\s").expect("a constant pattern"));

/// Points by which a continuation line must be indented to count as hanging.
const INDENT: f32 = 4.0;

/// The entries as ranges of lines.
pub(crate) fn split(lines: &[TextLine]) -> Vec<Range<usize>> {
    let starts = labelled(lines).or_else(|| hanging(lines)).unwrap_or_else(|| blocks(lines));
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Lines that carry a label, if the list has labels: its first line does, and so do others.
fn labelled(lines: &[TextLine]) -> Option<Vec<usize>> {
    let bracketed: Vec<usize> = (0..lines.len()).filter(|&at| BRACKETED.is_match(&lines[at].text)).collect();
    if bracketed.first() == Some(&0) {
        return Some(bracketed);
    }
    let mut expected = 1;
    let mut starts = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let number = NUMBERED.captures(&line.text).and_then(|found| found[1].parse::<u32>().ok());
        // A year or a page at the start of a continuation line is out of sequence.
        if number == Some(expected) {
            starts.push(at);
            expected += 1;
        }
    }
    (starts.first() == Some(&0) && (starts.len() > 1 || lines.len() < 6)).then_some(starts)
}

/// Lines at the left edge of their column, if the others are indented.
fn hanging(lines: &[TextLine]) -> Option<Vec<usize>> {
    let left = |line: &TextLine| line.bbox.map(|bbox| bbox[0]);
    let mut edges: Vec<f32> = Vec::new();
    for line in lines {
        let x = left(line)?;
        match edges.iter_mut().find(|edge| (**edge - x).abs() < INDENT * 10.0) {
            Some(edge) => *edge = edge.min(x),
            None => edges.push(x),
        }
    }
    let at_edge =
        |line: &TextLine| left(line).is_some_and(|x| edges.iter().any(|edge| x >= *edge && x - edge < INDENT));
    let starts: Vec<usize> = (0..lines.len()).filter(|&at| at_edge(&lines[at])).collect();
    // Without a fair share of indented lines there is no hanging indent, only a ragged edge.
    let indented = lines.len() - starts.len();
    (starts.first() == Some(&0) && indented * 5 >= lines.len()).then_some(starts)
}

/// Lines that open a block, as long as the line before ends an entry.
fn blocks(lines: &[TextLine]) -> Vec<usize> {
    let opens = |at: usize| {
        at == 0 || {
            let (before, line) = (&lines[at - 1], &lines[at]);
            let same_place = before.block == line.block && before.page == line.page;
            !same_place && before.text.trim_end().ends_with(['.', ']', ')'])
                || same_place && sentence_starts(before, line)
        }
    };
    (0..lines.len()).filter(|&at| opens(at)).collect()
}

/// In a block without any other sign: a line that ends with a year or page and a full stop, and then a name.
fn sentence_starts(before: &TextLine, line: &TextLine) -> bool {
    static END: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d[a-z]?\)?\.$").expect("a constant pattern"));
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:\p{Lu}\.[ -]?)*\p{Lu}[\p{L}’'-]+(?:,|\.\s| and |\s\p{Lu})").expect("a constant pattern")
    });
    END.is_match(before.text.trim_end()) && NAME.is_match(line.text.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[(&str, f32)]) -> Vec<TextLine> {
        let line = |(text, x): &(&str, f32)| TextLine {
            text: (*text).to_owned(),
            bbox: Some([*x, 0.0, x + 200.0, 9.0]),
            ..TextLine::default()
        };
        texts.iter().map(line).collect()
    }

    #[test]
    fn labels_come_first() {
        let list = lines(&[("[1] A", 10.0), ("2004. more", 10.0), ("[2] B", 10.0)]);
        assert_eq!(split(&list), [0..2, 2..3]);
        let list = lines(&[("1. A", 10.0), ("vol. 3, pp.", 10.0), ("12. x", 10.0), ("2. B", 10.0)]);
        assert_eq!(split(&list), [0..3, 3..4]);
    }

    #[test]
    fn a_hanging_indent_tells_entries_apart_in_both_columns() {
        let list = lines(&[("A one", 70.0), ("b", 82.0), ("C", 70.0), ("d", 310.0), ("E", 298.0), ("f", 310.0)]);
        assert_eq!(split(&list), [0..2, 2..4, 4..6]);
    }

    #[test]
    fn blocks_are_the_last_resort() {
        let mut list = lines(&[("A. Name. Title, 1999.", 70.0), ("B. Name. Title", 70.0), ("of it, 2001.", 70.0)]);
        assert_eq!(split(&list), [0..1, 1..3]);
        list[2].block = 1;
        assert_eq!(split(&list), [0..1, 1..3], "an entry goes on over a block that does not end it");
        assert_eq!(split(&[]), Vec::<Range<usize>>::new());
    }
}
