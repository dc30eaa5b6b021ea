//! Lines of stdin, bounded.

use std::io::{BufRead, BufReader, Read};
use std::thread;

use crossbeam_channel::{Receiver, bounded};
use techrag_core::codec::{self, LineError, Parsed, Wanted};
use techrag_core::record::{ErrorKind, ErrorRecord, Record};

/// Longest line that is read, in bytes. A page of text is some kilobytes, a chunk with its vectors some tens.
const LONGEST_LINE: u64 = 64 << 20;
/// Lines read ahead of the workers.
const READ_AHEAD: usize = 64;

/// What a line of the input stands for.
#[derive(Clone, Debug)]
pub enum Item {
    /// A record, wanted or not.
    Record(Record),
    /// A bare path.
    Path(String),
}

/// A line of the input, with its number.
#[derive(Debug)]
pub(crate) struct Line {
    number: u64,
    content: Result<String, String>,
}

/// Why a line ends the run or becomes an error record.
#[derive(Debug)]
pub(crate) enum LineFailure {
    Fatal(anyhow::Error),
    Record(Box<ErrorRecord>),
}

impl Line {
    /// What the line holds; `None` for a blank line.
    pub(crate) fn item(self, wanted: Wanted, stage: &str) -> Result<Option<Item>, LineFailure> {
        let of = format!("stdin:{}", self.number);
        let text = match self.content {
            Ok(text) => text,
            Err(message) => {
                let error = ErrorRecord::new(of, stage, ErrorKind::Malformed, message);
                return Err(LineFailure::Record(Box::new(error.hint("lines are UTF-8 of at most 64 MiB"))));
            }
        };
        match codec::parse(&text, wanted) {
            Ok(Parsed::Record(record)) => Ok(Some(Item::Record(record))),
            Ok(Parsed::Path(path)) => Ok(Some(Item::Path(path))),
            Ok(Parsed::Blank) => Ok(None),
            Err(error @ LineError::Version { .. }) => Err(LineFailure::Fatal(crate::hint(
                anyhow::Error::new(error).context(format!("{of} cannot be read")),
                "use tools of one version, or make the records again",
            ))),
            Err(error) => Err(LineFailure::Record(Box::new(error.into_record(of, stage)))),
        }
    }
}

/// Reads lines on a thread of its own, so that "nothing is there yet" can be told from "a line is there". The thread
/// is never joined: it may be blocked in a read when the run ends.
pub(crate) fn lines(input: impl Read + Send + 'static) -> Receiver<Line> {
    let (send, receive) = bounded(READ_AHEAD);
    thread::spawn(move || {
        let mut input = BufReader::with_capacity(1 << 16, input);
        for number in 1.. {
            match read_line(&mut input) {
                None => return,
                Some(content) => {
                    if send.send(Line { number, content }).is_err() {
                        return;
                    }
                }
            }
        }
    });
    receive
}

fn read_line(input: &mut impl BufRead) -> Option<Result<String, String>> {
    let mut bytes = Vec::new();
    match input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
        Ok(0) => None,
        Ok(_) if bytes.len() as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") => {
            drop(bytes);
            Some(Err(skip_line(input).map_or_else(|error| error.to_string(), |()| "the line is too long".to_owned())))
        }
        Ok(_) => Some(String::from_utf8(bytes).map_err(|_| "the line is not UTF-8".to_owned())),
        Err(error) => Some(Err(error.to_string())),
    }
}

fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, ended) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if ended {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use techrag_core::record::Kind;

    use super::*;
    use crate::Bare;

    const WANTED: Wanted = Wanted { kinds: &[Kind::Query], bare: Bare::Question };

    #[test]
    fn lines_are_numbered_and_bad_ones_do_not_end_the_input() {
        let input: &[u8] = b"a question\n\n\xff\xfe\nanother";
        let kinds: Vec<String> = lines(input)
            .iter()
            .map(|line| match line.item(WANTED, "t") {
                Ok(Some(Item::Record(Record::Query(query)))) => query.question,
                Ok(None) => "blank".into(),
                Err(LineFailure::Record(error)) => format!("{}: {}", error.of, error.message),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(kinds, ["a question", "blank", "stdin:3: the line is not UTF-8", "another"]);
    }

    #[test]
    fn a_line_beyond_the_limit_is_skipped_whole() {
        let long = std::io::repeat(b'x').take(LONGEST_LINE + 10).chain(&b"\nshort\n"[..]);
        let contents: Vec<_> = lines(long).iter().map(|line| line.content).collect();
        assert_eq!(contents, [Err("the line is too long".to_owned()), Ok("short\n".to_owned())]);
    }
}
