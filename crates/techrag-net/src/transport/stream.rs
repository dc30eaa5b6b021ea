//! A body as it comes, line by line: what server-sent events are made of.

use std::io::Read;
use std::time::SystemTime;

use super::client::{Config, cancelled};
use super::error::{self, Error, Kind};

const PIECE: usize = 4 * 1024;

/// An open body. Limits, deadline and cancellation are those of the client.
pub struct Stream {
    host: String,
    reader: Box<dyn Read + Send>,
    config: Config,
    deadline: SystemTime,
    read: usize,
    buffer: Vec<u8>,
    ended: bool,
}

impl Stream {
    pub(crate) fn new(host: String, reader: Box<dyn Read + Send>, config: &Config, deadline: SystemTime) -> Self {
        Self { host, reader, config: config.clone(), deadline, read: 0, buffer: Vec::new(), ended: false }
    }

    /// A body that was read before.
    pub(crate) fn of_bytes(host: String, body: Vec<u8>, config: &Config) -> Self {
        let config = Config { body_limit: config.body_limit.max(body.len()), ..config.clone() };
        let deadline = config.clock.now() + config.timeouts.total;
        Self::new(host, Box::new(std::io::Cursor::new(body)), &config, deadline)
    }

    /// The next line without its end; `None` at the end of the body. Bytes that are no UTF-8 are replaced.
    ///
    /// # Errors
    /// [`Kind::Timeout`] at the deadline or where nothing comes, [`Kind::TooLarge`] beyond the limit of a body,
    /// [`Kind::Malformed`] where the body breaks off, [`Kind::Cancelled`].
    pub fn next_line(&mut self) -> Result<Option<String>, Error> {
        loop {
            if let Some(at) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=at).collect();
                return Ok(Some(text(&line)));
            }
            if self.ended {
                let rest = std::mem::take(&mut self.buffer);
                return Ok((!rest.is_empty()).then(|| text(&rest)));
            }
            self.more()?;
        }
    }

    fn more(&mut self) -> Result<(), Error> {
        if self.config.cancel.is_set() {
            return Err(cancelled(&self.host));
        }
        if self.config.clock.now() >= self.deadline {
            return Err(Error::new(Kind::Timeout, format!("{}: the answer took too long", self.host)));
        }
        let mut piece = [0; PIECE];
        let count = self.reader.read(&mut piece).map_err(|error| error::of_read(&self.host, &error))?;
        self.ended = count == 0;
        self.read += count;
        if self.read > self.config.body_limit {
            let limit = self.config.body_limit;
            return Err(Error::new(Kind::TooLarge, format!("{}: the body is over {limit} bytes", self.host)));
        }
        self.buffer.extend_from_slice(&piece[..count]);
        Ok(())
    }
}

fn text(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned()
}
