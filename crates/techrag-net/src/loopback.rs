//! A small HTTP server on this machine: what tests and rehearsals ask instead of the world.
//!
//! It listens on 127.0.0.1 only, speaks HTTP/1.1 with one request a connection, keeps a list of what it was asked, and
//! can misbehave as real servers do: be slow, break off, send more than announced.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use url::Url;

#[expect(clippy::disallowed_types, reason = "techrag-net owns the sockets")]
use std::net::{TcpListener, TcpStream};

/// Most bytes of a request's body that are read.
const LARGEST: usize = 16 << 20;

/// A request as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// `GET` or `POST`.
    pub method: String,
    /// Path and query, as sent.
    pub target: String,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Asked {
    /// The first header of this name (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// What is answered.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// Status.
    pub status: u16,
    /// Headers; the length is added unless one is here.
    pub headers: Vec<(String, String)>,
    /// The body in pieces, each after `pause`.
    pub pieces: Vec<Vec<u8>>,
    /// Wait before each piece.
    pub pause: Duration,
    /// Whether nothing is said at all and the connection closed.
    pub hang_up: bool,
}

impl Reply {
    /// A body at once.
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self { status, headers, pieces: vec![body.into()], ..Self::default() }
    }

    /// A JSON body.
    pub fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::new(status, "application/json", body)
    }

    /// With another header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A running server; dropping it stops it.
#[derive(Debug)]
pub struct Server {
    url: Url,
    asked: Arc<Mutex<Vec<Asked>>>,
    stop: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server that answers by `answer`.
    ///
    /// # Errors
    /// If the machine gives no port.
    #[expect(clippy::disallowed_types, reason = "techrag-net owns the sockets")]
    pub fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let url = Url::parse(&format!("http://{address}/")).map_err(io::Error::other)?;
        let (asked, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let server = Self { url, asked: Arc::clone(&asked), stop: Arc::clone(&stop) };
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let (answer, asked) = (Arc::clone(&answer), Arc::clone(&asked));
                // A client that leaves early is its own business.
                thread::spawn(move || drop(serve(&stream, &*answer, &asked)));
            }
        });
        Ok(server)
    }

    /// `http://127.0.0.1:PORT/`.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    #[expect(clippy::disallowed_types, reason = "techrag-net owns the sockets")]
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        if let Some(port) = self.url.port() {
            let _ = TcpStream::connect(("127.0.0.1", port));
        }
    }
}

#[expect(clippy::disallowed_types, reason = "techrag-net owns the sockets")]
fn serve(stream: &TcpStream, answer: &dyn Fn(&Asked) -> Reply, log: &Mutex<Vec<Asked>>) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let asked = read(stream)?;
    log.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
    let reply = answer(&asked);
    if reply.hang_up {
        return Ok(());
    }
    let mut out = stream;
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !reply.headers.iter().any(|(name, _)| name == "content-length") && reply.pause.is_zero() {
        let length: usize = reply.pieces.iter().map(Vec::len).sum();
        head.push_str(&format!("content-length: {length}\r\n"));
    }
    out.write_all(head.as_bytes())?;
    out.write_all(b"\r\n")?;
    for piece in &reply.pieces {
        thread::sleep(reply.pause);
        out.write_all(piece)?;
        out.flush()?;
    }
    Ok(())
}

#[expect(clippy::disallowed_types, reason = "techrag-net owns the sockets")]
fn read(stream: &TcpStream) -> io::Result<Asked> {
    let mut input = BufReader::new(stream);
    let mut line = String::new();
    input.read_line(&mut line)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut asked = Asked { method, target, ..Asked::default() };
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            asked.headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let length: usize = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    asked.body = vec![0; length.min(LARGEST)];
    input.read_exact(&mut asked.body)?;
    Ok(asked)
}
