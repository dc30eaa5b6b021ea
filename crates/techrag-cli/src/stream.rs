//! Filters: records in, records out, in order.

use std::io::{self, IsTerminal, Write as _};

use techrag_core::codec::{self, Bare, Wanted};
use techrag_core::parallel::{Batches, Event, Width, map_ordered};
use techrag_core::record::{ErrorKind, ErrorRecord, Kind, Query, Record};

use crate::common::Cli;
use crate::input::{self, Item, Line, LineFailure};
use crate::outcome::Outcome;
use crate::output::Output;
use crate::progress::Progress;
use crate::report;

/// Lines that one worker takes at a time: enough that handing them over costs little beside reading them, few enough
/// that the last ones of a short input are spread over the workers.
const HANDFUL: usize = 4;

/// What a tool does once nobody reads its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It ends: its output was all it was for.
    Stop,
    /// It goes on in silence: it writes something else besides, and that must be whole.
    GoOn,
}

/// What becomes of a line that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unreadable {
    /// Its error record is written in its place.
    Written,
    /// The tool gets its error record.
    Heard,
}

/// What a sequential reader of the stream hears; see [`Cli::fold`].
#[derive(Debug)]
pub enum Step {
    /// The next record.
    Record(Record),
    /// The input has nothing ready; a good moment to commit.
    Idle,
    /// The input has ended.
    End,
}

impl Cli {
    /// Maps every wanted record on several workers; records of other kinds pass untouched. Order is kept.
    ///
    /// # Errors
    /// If `map` fails (such an error ends the run; a failure of one record is an [`ErrorRecord`] in the result), or if
    /// the output cannot be written.
    pub fn each(
        &self,
        wanted: Wanted,
        map: impl Fn(Record) -> anyhow::Result<Vec<Record>> + Sync,
    ) -> anyhow::Result<Outcome> {
        self.items(wanted, |item| match item {
            Item::Record(Record::Other(line)) => Ok(vec![Record::Other(line)]),
            Item::Record(record) => map(record),
            Item::Path(path) => Ok(vec![self.stray_path(path).into()]),
        })
    }

    /// Changes every query in place on several workers; its trace entry is stamped as by [`Cli::timed`]. `bare` says what
    /// a line that is no record is.
    ///
    /// # Errors
    /// As [`Cli::each`].
    pub fn queries(&self, bare: Bare, step: impl Fn(&mut Query) + Sync) -> anyhow::Result<Outcome> {
        self.each(Wanted { kinds: &[Kind::Query], bare }, |mut record| {
            if let Record::Query(query) = &mut record {
                self.timed(query, &step);
            }
            Ok(vec![record])
        })
    }

    /// The same as [`Cli::each`] where a line may also be a bare path.
    ///
    /// # Errors
    /// As [`Cli::each`].
    pub fn items(
        &self,
        wanted: Wanted,
        map: impl Fn(Item) -> anyhow::Result<Vec<Record>> + Sync,
    ) -> anyhow::Result<Outcome> {
        let one = |line: Line| match line.item(wanted, self.stage()) {
            Ok(Some(item)) => map(item),
            Ok(None) => Ok(Vec::new()),
            Err(LineFailure::Record(error)) => Ok(vec![(*error).into()]),
            Err(LineFailure::Fatal(error)) => Err(error),
        };
        self.map(Batches::new(self.stdin()?, HANDFUL), None, |lines| {
            let mut records = Vec::with_capacity(lines.len());
            for line in lines {
                records.extend(one(line)?);
            }
            Ok(records)
        })
    }

    /// Changes records in place, many at a time: a batch is closed when it holds `size` records or when the input has
    /// nothing ready. Records of kinds that are not wanted are in the batch as [`Record::Other`]; leave them alone. A
    /// record that fails is replaced by an error record.
    ///
    /// # Errors
    /// As [`Cli::each`].
    pub fn batches(
        &self,
        wanted: Wanted,
        size: usize,
        map: impl Fn(&mut [Record]) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<Outcome> {
        self.batches_after(wanted, size, |_| {}, map)
    }

    /// As [`Cli::batches`], for tools that need something of what came before: `notice` hears every line as it was read,
    /// in the order of the stream and before the batch that holds it is mapped.
    ///
    /// # Errors
    /// As [`Cli::each`].
    pub fn batches_after(
        &self,
        wanted: Wanted,
        size: usize,
        mut notice: impl FnMut(&str) + Send,
        map: impl Fn(&mut [Record]) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<Outcome> {
        let noticed = |lines: &Vec<Line>| lines.iter().filter_map(Line::text).for_each(&mut notice);
        self.map(Batches::new(self.stdin()?, size).inspect(noticed), None, |lines| {
            let mut records = Vec::with_capacity(lines.len());
            for line in lines {
                records.extend(self.record(line, wanted)?.map(|read| read.unwrap_or_else(Record::from)));
            }
            map(&mut records)?;
            Ok(records)
        })
    }

    /// Maps items of any source on several workers, writes the resulting records in order, counts and echoes those
    /// that are errors. `total` is the number of items where it is known, for the progress bar.
    ///
    /// # Errors
    /// As [`Cli::each`]. The process ends at once then: the source may be blocked in a read.
    pub fn map<I: Send>(
        &self,
        source: impl Iterator<Item = I> + Send,
        total: Option<u64>,
        map: impl Fn(I) -> anyhow::Result<Vec<Record>> + Sync,
    ) -> anyhow::Result<Outcome> {
        self.map_unread(Unread::Stop, source, total, map)
    }

    /// The same, and what is done once nobody reads the output.
    ///
    /// # Errors
    /// As [`Cli::map`].
    pub fn map_unread<I: Send>(
        &self,
        unread: Unread,
        source: impl Iterator<Item = I> + Send,
        total: Option<u64>,
        map: impl Fn(I) -> anyhow::Result<Vec<Record>> + Sync,
    ) -> anyhow::Result<Outcome> {
        let mut sink = Sink { unread, ..Sink::open(self, total)? };
        map_ordered(Width::of(self.jobs()), source, map, |event| {
            let result = match event {
                Event::Idle => sink.flush(),
                Event::Item(Ok(records)) => sink.write(&records),
                Event::Item(Err(error)) => Err(error),
            };
            if let Err(error) = result {
                sink.abort(&error);
            }
            Ok::<_, std::convert::Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
        sink.finish()
    }

    /// Reads the stream in order and makes of each record any number of items, which are mapped on several workers:
    /// records pass while others are still worked on, and none is held. `spread` sees records of every kind, those not
    /// wanted as [`Record::Other`]; a line that cannot be read is an error record in its place. For tools that also write
    /// a library: it goes on when nobody reads ([`Unread::GoOn`]).
    ///
    /// # Errors
    /// As [`Cli::each`], or if `spread` fails.
    pub fn spread<I: Send, S: IntoIterator<Item = I>>(
        &self,
        wanted: Wanted,
        mut spread: impl FnMut(Record) -> anyhow::Result<S> + Send,
        map: impl Fn(I) -> anyhow::Result<Vec<Record>> + Sync,
    ) -> anyhow::Result<Outcome>
    where
        S::IntoIter: Send,
    {
        let lines = self.stdin()?.into_iter();
        let items = lines.flat_map(|line| {
            let (items, other) = match self.record(line, wanted) {
                Ok(Some(Ok(record))) => match spread(record) {
                    Ok(items) => (Some(items.into_iter()), None),
                    Err(error) => (None, Some(Err(error))),
                },
                Ok(Some(Err(error))) => (None, Some(Ok(error))),
                Ok(None) => (None, None),
                Err(error) => (None, Some(Err(error))),
            };
            let other = other.map(|read| read.map(Err));
            other.into_iter().chain(items.into_iter().flatten().map(|item| Ok(Ok(item))))
        });
        self.map_unread(Unread::GoOn, items, None, |item: anyhow::Result<Result<I, ErrorRecord>>| match item? {
            Ok(item) => map(item),
            Err(error) => Ok(vec![error.into()]),
        })
    }

    /// Reads the stream in order on the caller's thread; what `step` returns is written. For tools with a state, such
    /// as the writer of a library. `step` sees records of every kind, those not wanted as [`Record::Other`].
    ///
    /// # Errors
    /// As [`Cli::each`].
    pub fn fold(
        &self,
        wanted: Wanted,
        unread: Unread,
        step: impl FnMut(Step) -> anyhow::Result<Vec<Record>>,
    ) -> anyhow::Result<Outcome> {
        self.folded(wanted, unread, Unreadable::Written, step)
    }

    /// As [`Cli::fold`], for tools that write what a person reads: a line that cannot be read is echoed and counted, and
    /// `step` gets its error record like any other, so that no line of JSON with words of the input stands raw in a page
    /// or a list.
    ///
    /// # Errors
    /// As [`Cli::each`].
    pub fn shown(
        &self,
        wanted: Wanted,
        step: impl FnMut(Step) -> anyhow::Result<Vec<Record>>,
    ) -> anyhow::Result<Outcome> {
        self.folded(wanted, Unread::Stop, Unreadable::Heard, step)
    }

    fn folded(
        &self,
        wanted: Wanted,
        unread: Unread,
        unreadable: Unreadable,
        mut step: impl FnMut(Step) -> anyhow::Result<Vec<Record>>,
    ) -> anyhow::Result<Outcome> {
        let lines = self.stdin()?;
        let mut sink = Sink { unread, ..Sink::open(self, None)? };
        loop {
            let line = match lines.try_recv() {
                Ok(line) => line,
                Err(crossbeam_channel::TryRecvError::Disconnected) => break,
                Err(crossbeam_channel::TryRecvError::Empty) => {
                    let records = step(Step::Idle)?;
                    sink.write(&records)?;
                    sink.flush()?;
                    match lines.recv() {
                        Ok(line) => line,
                        Err(_) => break,
                    }
                }
            };
            match self.record(line, wanted)? {
                Some(Ok(record)) => sink.write(&step(Step::Record(record))?)?,
                Some(Err(error)) if unreadable == Unreadable::Heard => {
                    sink.failure(&error);
                    sink.write(&step(Step::Record(error.into()))?)?;
                }
                Some(Err(error)) => sink.write(&[error.into()])?,
                None => {}
            }
        }
        sink.write(&step(Step::End)?)?;
        sink.finish()
    }

    /// Reads the stream in order and writes no record: for tools whose output is a report. A line that cannot be read is
    /// echoed on stderr and counted; `step` sees records of every kind, those not wanted as [`Record::Other`].
    ///
    /// # Errors
    /// If `step` fails, or at a record of another major version.
    pub fn consume(
        &self,
        wanted: Wanted,
        mut step: impl FnMut(Record) -> anyhow::Result<()>,
    ) -> anyhow::Result<Outcome> {
        let mut failed = 0;
        for line in self.stdin()? {
            match self.record(line, wanted)? {
                Some(Ok(record)) => step(record)?,
                Some(Err(error)) => {
                    failed += 1;
                    report::raw(&report::record(&error, self.stderr_colour()));
                }
                None => {}
            }
        }
        Ok(Outcome::of_failures(failed))
    }

    /// Writes text to stdout or the output file: for tools whose output is not records.
    ///
    /// # Errors
    /// If the output cannot be written; a broken pipe is none.
    pub fn print(&self, text: &str) -> anyhow::Result<()> {
        let mut sink = Sink::open(self, None)?;
        sink.bytes(text.as_bytes())?;
        sink.finish().map(drop)
    }

    /// The record of a line, or what is wrong with the line; `None` for a blank one. An error record that came as a line
    /// is a record like any other: it is not this tool's failure.
    fn record(&self, line: Line, wanted: Wanted) -> anyhow::Result<Option<Result<Record, ErrorRecord>>> {
        match line.item(wanted, self.stage()) {
            Ok(Some(Item::Record(record))) => Ok(Some(Ok(record))),
            Ok(Some(Item::Path(path))) => Ok(Some(Err(self.stray_path(path)))),
            Ok(None) => Ok(None),
            Err(LineFailure::Record(error)) => Ok(Some(Err(*error))),
            Err(LineFailure::Fatal(error)) => Err(error),
        }
    }

    fn stray_path(&self, path: String) -> ErrorRecord {
        ErrorRecord::new(path, self.stage(), ErrorKind::Malformed, "a bare path is not a record here")
    }

    /// The lines of stdin; if that is a terminal, nobody meant to type records: the help instead.
    fn stdin(&self) -> anyhow::Result<crossbeam_channel::Receiver<Line>> {
        if io::stdin().is_terminal() {
            report::raw(&self.help);
            anyhow::bail!("records are expected on stdin");
        }
        Ok(input::lines(io::stdin()))
    }
}

/// The end of a stream: writes, counts, echoes.
struct Sink<'a> {
    cli: &'a Cli,
    /// `None` once it is closed.
    output: Option<Output>,
    unread: Unread,
    progress: Progress,
    failed: u64,
    buffer: Vec<u8>,
}

impl<'a> Sink<'a> {
    fn open(cli: &'a Cli, total: Option<u64>) -> anyhow::Result<Self> {
        let output = Some(Output::open(cli.common.output.as_deref())?);
        Ok(Self {
            cli,
            output,
            unread: Unread::Stop,
            progress: Progress::start(cli, total),
            failed: 0,
            buffer: Vec::new(),
        })
    }

    fn write(&mut self, records: &[Record]) -> anyhow::Result<()> {
        for record in records {
            if let Record::Error(error) = record {
                self.failure(error);
            }
            self.buffer.clear();
            codec::write(record, &mut self.buffer)?;
            let line = std::mem::take(&mut self.buffer);
            self.bytes(&line)?;
            self.buffer = line;
        }
        self.progress.advance(1);
        Ok(())
    }

    /// Counts a failure and says it on stderr.
    fn failure(&mut self, error: &ErrorRecord) {
        self.failed += 1;
        self.progress.say(&report::record(error, self.cli.stderr_colour()));
    }

    fn bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let result = self.output.as_mut().map_or(Ok(()), |output| output.write_all(bytes));
        self.check(result)
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let result = self.output.as_mut().map_or(Ok(()), io::Write::flush);
        self.check(result)
    }

    /// A broken pipe is success: whoever read us has seen enough.
    fn check(&mut self, result: io::Result<()>) -> anyhow::Result<()> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                if self.unread == Unread::Stop {
                    self.leave(0);
                }
                self.close();
                Ok(())
            }
            result => Ok(result?),
        }
    }

    fn finish(mut self) -> anyhow::Result<Outcome> {
        self.flush()?;
        self.progress.finish();
        if let Some(output) = self.output.take() {
            output.finish()?;
        }
        Ok(Outcome::of_failures(self.failed))
    }

    /// Reports an error that ends the run. What was written before it is flushed to stdout; an output file is dropped.
    fn abort(&mut self, error: &anyhow::Error) -> ! {
        if let Some(Output::Stdout(stdout)) = &mut self.output {
            let _ = stdout.flush();
        }
        self.progress.finish();
        report::fatal(error, self.cli.stderr_colour());
        self.leave(if report::is_unreachable(error) { 4 } else { i32::from(report::FATAL) })
    }

    /// An output file is temporary until it is finished: dropping removes it. Stdout must not be flushed again.
    fn close(&mut self) {
        if let Some(Output::Stdout(writer)) = self.output.take() {
            std::mem::forget(writer);
        }
    }

    /// Ends the process although a reader thread may be blocked on stdin, which nothing can interrupt.
    ///
    /// Workers may be inside a model just now: the exit handlers of its library would pull it down under them, so on Unix
    /// none is run.
    #[cfg_attr(not(unix), expect(clippy::disallowed_methods, reason = "techrag-cli owns the exit of the process"))]
    fn leave(&mut self, code: i32) -> ! {
        self.close();
        #[cfg(unix)]
        // SAFETY: it only ends the process. What must not be left behind is gone: see above.
        unsafe {
            libc::_exit(code)
        }
        #[cfg(not(unix))]
        std::process::exit(code)
    }
}
