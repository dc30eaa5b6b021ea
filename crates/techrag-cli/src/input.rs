//! Lines of stdin, bounded.

use std::io::{self, BufRead, BufReader, Read};
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
    content: Result<String, Unreadable>,
}

/// Why there is no text in a line.
#[derive(Debug)]
enum Unreadable {
    /// The line is at fault; the next one may be well.
    Line(&'static str),
    /// The input itself cannot be read: nothing comes after this.
    Input(io::Error),
}

/// Why a line ends the run or becomes an error record.
#[derive(Debug)]
pub(crate) enum LineFailure {
    Fatal(anyhow::Error),
    Record(Box<ErrorRecord>),
}

impl Line {
    /// The line as it was read; `None` if it could not be.
    pub(crate) fn text(&self) -> Option<&str> {
        self.content.as_deref().ok()
    }

    /// What the line holds; `None` for a blank line.
    pub(crate) fn item(self, wanted: Wanted, stage: &str) -> Result<Option<Item>, LineFailure> {
        let of = format!("stdin:{}", self.number);
        let text = match self.content {
            Ok(text) => text,
            Err(Unreadable::Line(message)) => {
                let error = ErrorRecord::new(of, stage, ErrorKind::Malformed, message);
                return Err(LineFailure::Record(Box::new(error.hint("lines are UTF-8 of at most 64 MiB"))));
            }
            Err(Unreadable::Input(error)) => {
                return Err(LineFailure::Fatal(anyhow::Error::new(error).context(format!("{of} cannot be read"))));
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
/// is never joined: it may be blocked in a read when the run ends. An input that cannot be read ends there: a failing read
/// (of a folder, of a disk) fails again and again.
pub(crate) fn lines(input: impl Read + Send + 'static) -> Receiver<Line> {
    let (send, receive) = bounded(READ_AHEAD);
    thread::spawn(move || {
        let mut input = BufReader::with_capacity(1 << 16, input);
        for number in 1.. {
            match read_line(&mut input) {
                None => return,
                Some(content) => {
                    let last = matches!(content, Err(Unreadable::Input(_)));
                    if send.send(Line { number, content }).is_err() || last {
                        return;
                    }
                }
            }
        }
    });
    receive
}

fn read_line(input: &mut impl BufRead) -> Option<Result<String, Unreadable>> {
    let mut bytes = Vec::new();
    match input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
        Ok(0) => None,
        Ok(_) if bytes.len() as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") => {
            drop(bytes);
            Some(Err(skip_line(input).map_or_else(Unreadable::Input, |()| Unreadable::Line("the line is too long"))))
        }
        Ok(_) => Some(String::from_utf8(bytes).map_err(|_| Unreadable::Line("the line is not UTF-8"))),
        Err(error) => Some(Err(Unreadable::Input(error))),
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
        assert!(
            matches!(&contents[..], [Err(Unreadable::Line("the line is too long")), Ok(short)] if short == "short\n"),
            "{contents:?}"
        );
    }

    /// Reads fail for ever after the text.
    struct Broken(&'static [u8]);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("the disk is gone")),
                read => Ok(read),
            }
        }
    }

    #[test]
    fn an_input_that_cannot_be_read_ends_the_run() {
        for (text, whole) in [(&b""[..], 0), (b"a question\n", 1), (b"a question\nhalf a li", 1)] {
            let failures: Vec<_> = lines(Broken(text)).iter().map(|line| line.item(WANTED, "t")).collect();
            assert_eq!(failures.len(), whole + 1, "{failures:?}");
            let Some(Err(LineFailure::Fatal(error))) = failures.last() else { panic!("{failures:?}") };
            assert_eq!(format!("{error:#}"), format!("stdin:{} cannot be read: the disk is gone", whole + 1));
        }
    }
}
