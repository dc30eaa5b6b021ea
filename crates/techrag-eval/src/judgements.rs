//! Judgements: which documents and passages answer which question.
//!
//! Three forms are read, told apart by their first line: TREC qrels (query, iteration, document, grade), BEIR's TSV
//! (query, document, grade, with or without a header) and our own JSONL
//! (`{"query", "document", "page", "span", "grade"}`), which judges passages too.

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

/// Grades of the documents of one query, by document key.
pub type Grades = BTreeMap<String, i32>;

/// What is known to be right, by query name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgements {
    /// Grade of each judged document; above 0 is relevant, as trec_eval counts.
    pub documents: BTreeMap<String, Grades>,
    /// Judged passages; empty unless the judgements are in our JSONL form.
    pub passages: BTreeMap<String, Vec<JudgedPassage>>,
}

/// Words of a document that answer a query.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct JudgedPassage {
    /// Key of the document.
    pub document: String,
    /// Page the words stand on, from 1; absent for formats without pages.
    #[serde(default)]
    pub page: Option<u32>,
    /// The words, verbatim.
    pub span: String,
    /// How well they answer: 1 partly, 2 fully.
    pub grade: i32,
}

/// A line that is no judgement, or contradicts another.
#[derive(Debug, Error, PartialEq)]
#[error("line {line}: {message}")]
pub struct Error {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

#[derive(Deserialize)]
struct Line {
    query: String,
    #[serde(flatten)]
    passage: JudgedPassage,
}

impl Judgements {
    /// Reads a whole file of judgements in any of the three forms.
    ///
    /// # Errors
    /// [`Error`] names the first line that is not a judgement of the file's form, or that gives a document another
    /// grade than an earlier line did (in JSONL the best passage grades its document).
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut judgements = Self::default();
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
        let json = lines.peek().is_some_and(|(_, line)| line.trim_start().starts_with('{'));
        for (position, (index, line)) in lines.enumerate() {
            let read = if json { judgements.passage(line) } else { judgements.column_line(line, position == 0) };
            read.map_err(|message| Error { line: index + 1, message })?;
        }
        Ok(judgements)
    }

    /// Number of judged queries.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether nothing is judged.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    fn passage(&mut self, line: &str) -> Result<(), String> {
        let Line { query, passage } = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let grade = self.documents.entry(query.clone()).or_default().entry(passage.document.clone()).or_insert(0);
        *grade = passage.grade.max(*grade);
        self.passages.entry(query).or_default().push(passage);
        Ok(())
    }

    fn column_line(&mut self, line: &str, first: bool) -> Result<(), String> {
        let (query, document, grade) = match columns(line)[..] {
            [query, document, grade] if !(first && grade.parse::<i32>().is_err()) => (query, document, grade),
            [_, _, _] => return Ok(()), // BEIR's header
            [query, _, document, grade] => (query, document, grade),
            ref other => return Err(format!("{} columns; TREC qrels have 4, BEIR's have 3", other.len())),
        };
        let grade: i32 = grade.parse().map_err(|_| format!("the grade {grade:?} is not a whole number"))?;
        match self.documents.entry(query.to_owned()).or_default().insert(document.to_owned(), grade) {
            Some(before) if before != grade => {
                Err(format!("query {query} gives {document} the grade {grade}, an earlier line {before}"))
            }
            _ => Ok(()),
        }
    }
}

/// Tabs separate where there are any, since a document's key may hold blanks.
fn columns(line: &str) -> Vec<&str> {
    if line.contains('\t') { line.split('\t').map(str::trim).collect() } else { line.split_whitespace().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grade(judgements: &Judgements, query: &str, document: &str) -> i32 {
        judgements.documents[query][document]
    }

    #[test]
    fn trec_columns_by_tab_or_blank() {
        let read = Judgements::parse("1\t0\ta paper.pdf\t1\n1 0 b -1\n\n2 0 a 2\n").unwrap();
        assert_eq!((grade(&read, "1", "a paper.pdf"), grade(&read, "1", "b"), grade(&read, "2", "a")), (1, -1, 2));
        assert_eq!(read.len(), 2);
    }

    #[test]
    fn beir_with_and_without_header() {
        for header in ["query-id\tcorpus-id\tscore\n", ""] {
            let read = Judgements::parse(&format!("{header}1\td1\t1\n1\td2\t0\n")).unwrap();
            assert_eq!((grade(&read, "1", "d1"), grade(&read, "1", "d2"), read.len()), (1, 0, 1));
        }
    }

    #[test]
    fn passages_grade_their_document_by_the_best() {
        let text = r#"{"query":"q","document":"a.pdf","page":2,"span":"x","grade":1}
{"query":"q","document":"a.pdf","page":3,"span":"y","grade":2}
{"query":"q","document":"b.txt","span":"z","grade":1}"#;
        let read = Judgements::parse(text).unwrap();
        assert_eq!((grade(&read, "q", "a.pdf"), grade(&read, "q", "b.txt")), (2, 1));
        assert_eq!(read.passages["q"].len(), 3);
        assert_eq!(read.passages["q"][2].page, None);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let wrong = |text: &str| Judgements::parse(text).unwrap_err();
        assert_eq!(wrong("1 0 a 1\n1 0 b x").line, 2);
        assert_eq!(wrong("1 0 a 1\n\n1 0 a 2").to_string(), "line 3: query 1 gives a the grade 2, an earlier line 1");
        assert_eq!(wrong("1 a").line, 1);
        assert_eq!(wrong("{\"query\":\"q\"}").line, 1);
        assert_eq!(wrong("1 a 1\n1 b c").line, 2);
    }
}
