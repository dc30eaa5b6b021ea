//! Lines to records and back.
//!
//! A line is parsed only as far as the tool needs: the header first, the body only for wanted kinds. Everything else
//! is passed on byte for byte, so that a stage cannot damage what it does not understand.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::record::{Document, ErrorKind, ErrorRecord, Extra, Kind, Query, Record, VERSION};

/// Which kinds a tool parses, and what a bare line of text means to it.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Kinds whose bodies are parsed; others pass as [`Record::Other`].
    pub kinds: &'static [Kind],
    /// What a line that is not a record of the wire stands for.
    pub bare: Bare,
}

/// What a line that is not a record of the wire stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bare {
    /// Nothing: it is an error.
    Refused,
    /// A question, as text, as `{"question": …}` or as a BEIR line `{"_id", "text"}`.
    Question,
    /// The path of a file.
    Path,
}

/// What a line turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed {
    /// A record, wanted or not.
    Record(Record),
    /// A bare path, where the tool takes paths.
    Path(String),
    /// A blank line: ignored.
    Blank,
}

/// Why a line cannot be used.
#[derive(Debug, Error)]
pub enum LineError {
    /// A record of a major version that this build does not read. Fatal: later lines would not be understood either.
    #[error("a {kind:?} record of wire version {version}, written by {by}; this build reads version {VERSION}")]
    Version {
        /// Its type.
        kind: String,
        /// Its version.
        version: u64,
        /// Who wrote it, as far as the record says.
        by: String,
    },
    /// A line that is neither a record nor what the tool takes bare. Becomes an error record.
    #[error("{0}")]
    Malformed(String),
}

impl LineError {
    /// The error record of a malformed line; `of` is `stdin:LINE` or `FILE:LINE`.
    pub fn into_record(self, of: String, stage: &str) -> ErrorRecord {
        ErrorRecord::new(of, stage, ErrorKind::Malformed, self.to_string())
            .hint("one JSON object a line is expected; `--schema` prints the records")
    }
}

#[derive(Deserialize)]
struct Header {
    #[serde(rename = "type")]
    kind: Option<Value>,
    v: Option<Value>,
}

/// What a line holds.
///
/// # Errors
/// [`LineError::Version`] for a record of another major version, [`LineError::Malformed`] for anything else that
/// cannot be used.
pub fn parse(line: &str, wanted: Wanted) -> Result<Parsed, LineError> {
    let line = line.trim_end_matches(['\r', '\n']).trim_start_matches('\u{feff}');
    if line.trim().is_empty() {
        return Ok(Parsed::Blank);
    }
    if !line.trim_start().starts_with('{') {
        return bare_line(line, wanted.bare);
    }
    let header: Header = serde_json::from_str(line).map_err(malformed)?;
    match header.kind {
        Some(Value::String(tag)) => {
            check_version(&tag, header.v.as_ref(), line)?;
            Ok(Parsed::Record(record(&tag, line, wanted.kinds)?))
        }
        Some(other) => Err(LineError::Malformed(format!("\"type\" is {other}, not a string"))),
        None => untyped(line, wanted.bare),
    }
}

fn bare_line(line: &str, bare: Bare) -> Result<Parsed, LineError> {
    match bare {
        Bare::Question => Ok(Parsed::Record(Query::new(line.trim()).into())),
        Bare::Path => Ok(Parsed::Path(line.to_owned())),
        Bare::Refused => Err(LineError::Malformed(format!("not a record: {}", preview(line)))),
    }
}

fn check_version(tag: &str, v: Option<&Value>, line: &str) -> Result<(), LineError> {
    match v.and_then(Value::as_u64) {
        Some(version) if version == u64::from(VERSION) => Ok(()),
        Some(version) => Err(LineError::Version { kind: tag.to_owned(), version, by: writer(line) }),
        None => Err(LineError::Malformed(format!("a {tag:?} record without \"v\": {VERSION}"))),
    }
}

/// Who wrote a record: its `by` or `stage`, or the last stage in its trace.
fn writer(line: &str) -> String {
    let value: Value = serde_json::from_str(line).unwrap_or_default();
    let said = |key: &str| value.get(key).and_then(Value::as_str);
    said("by")
        .or_else(|| said("stage"))
        .or_else(|| value.get("trace")?.as_array()?.last()?.get("stage")?.as_str())
        .unwrap_or("an unnamed tool")
        .to_owned()
}

fn record(tag: &str, line: &str, wanted: &[Kind]) -> Result<Record, LineError> {
    let kind = match Kind::of(tag) {
        Some(kind) if wanted.contains(&kind) => kind,
        _ => return Ok(Record::Other(line.to_owned())),
    };
    Ok(match kind {
        Kind::Document => Record::Document(Box::new(body(line, |record: &mut Document| &mut record.extra)?)),
        Kind::Chunk => Record::Chunk(Box::new(body(line, |record: &mut crate::record::Chunk| &mut record.extra)?)),
        Kind::Removed => Record::Removed(body(line, |record: &mut crate::record::Removed| &mut record.extra)?),
        Kind::Entities => {
            Record::Entities(Box::new(body(line, |record: &mut crate::record::Entities| &mut record.extra)?))
        }
        Kind::Query => Record::Query(Box::new(query(line)?)),
        Kind::Error => Record::Error(body(line, |record: &mut ErrorRecord| &mut record.extra)?),
    })
}

fn query(line: &str) -> Result<Query, LineError> {
    let mut query: Query = body(line, |record: &mut Query| &mut record.extra)?;
    if query.query_id.is_empty() {
        query.query_id = crate::id::query_id(&query.question);
    }
    Ok(query)
}

/// The flattened rest of a record also catches the header, which the codec writes itself.
fn body<T: DeserializeOwned>(line: &str, extra: impl Fn(&mut T) -> &mut Extra) -> Result<T, LineError> {
    let mut record: T = serde_json::from_str(line).map_err(malformed)?;
    let rest = extra(&mut record);
    rest.shift_remove("type");
    rest.shift_remove("v");
    Ok(record)
}

fn untyped(line: &str, bare: Bare) -> Result<Parsed, LineError> {
    let mut object: Map<String, Value> = serde_json::from_str(line).map_err(malformed)?;
    if bare != Bare::Question {
        return Err(LineError::Malformed(format!("an object without \"type\": {}", preview(line))));
    }
    let Some(Value::String(question)) = object.shift_remove("question").or_else(|| object.shift_remove("text")) else {
        return Err(LineError::Malformed("an object with neither \"question\" nor \"text\" as a string".into()));
    };
    let mut query = Query::new(question);
    query.name = match object.shift_remove("_id") {
        None => None,
        Some(Value::String(id)) => Some(id),
        Some(Value::Number(id)) => Some(id.to_string()),
        Some(other) => return Err(LineError::Malformed(format!("\"_id\" is {other}, not a string or a number"))),
    };
    query.extra = object;
    Ok(Parsed::Record(query.into()))
}

fn malformed(error: serde_json::Error) -> LineError {
    LineError::Malformed(error.to_string())
}

/// The first 60 characters of a line, for a message.
fn preview(line: &str) -> String {
    let mut preview: String = line.chars().take(60).collect();
    if preview.len() < line.len() {
        preview.push('…');
    }
    preview
}

#[derive(Serialize)]
struct Tagged<'a, T> {
    #[serde(rename = "type")]
    kind: &'static str,
    v: u32,
    #[serde(flatten)]
    body: &'a T,
}

/// Appends the record as one line, with its line end.
///
/// # Errors
/// Only if a value cannot be written as JSON, which no record of [`crate::record`] causes.
pub fn write(record: &Record, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    match record {
        Record::Document(body) => tagged(Kind::Document, body.as_ref(), out)?,
        Record::Chunk(body) => tagged(Kind::Chunk, body.as_ref(), out)?,
        Record::Removed(body) => tagged(Kind::Removed, body, out)?,
        Record::Entities(body) => tagged(Kind::Entities, body.as_ref(), out)?,
        Record::Query(body) => tagged(Kind::Query, body.as_ref(), out)?,
        Record::Error(body) => tagged(Kind::Error, body, out)?,
        Record::Other(line) => out.extend_from_slice(line.as_bytes()),
    }
    out.push(b'\n');
    Ok(())
}

fn tagged<T: Serialize>(kind: Kind, body: &T, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    serde_json::to_writer(out, &Tagged { kind: kind.tag(), v: VERSION, body })
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
