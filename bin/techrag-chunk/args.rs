//! The options of `techrag-chunk`: names, defaults, and what they mean to the libraries.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Parser;
use techrag_chunk::Config;
use techrag_cli::Cli;
use techrag_pdf::worker;

use crate::from::From;
use crate::ocr::OcrArgs;
use crate::speech::SpeechArgs;

/// Read files and cut them into chunks
///
/// A document record comes first, then its chunks. PDF, pictures (PNG, JPEG, TIFF), sound (WAV, FLAC, MP3, M4A), Word,
/// PowerPoint, Excel, HTML, Markdown, CSV, source code and plain text are told by their content, kinds of text by their
/// names where the content cannot tell. Pages without a text layer are read off their picture.
/// Directories are walked in sorted order, hidden files left out; a kind of file that no reader knows is named on
/// stderr there, and is an error where it was named on the command line.
#[derive(Parser)]
#[command(
    name = "techrag-chunk",
    version = crate::version::version(),
    after_help = "Examples:
  techrag-chunk papers/ >chunks.jsonl
  techrag-chunk --from jsonl corpus.jsonl | techrag-embed | techrag-index add --library LIB
  techrag-index plan papers/ --library LIB | techrag-chunk --root papers/"
)]
pub(crate) struct Args {
    /// Files and directories; without any, paths are read from stdin, one a line, and records there pass through
    pub(crate) paths: Vec<PathBuf>,
    /// What the input is: files of any kind, or corpora of JSON lines {"_id", "title", "text", …}
    #[arg(long, value_enum, default_value = "files")]
    pub(crate) from: From,
    /// Folder that the keys of the files below it are relative to; may be given again, the first that holds a file counts
    /// [default: the directory given]
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,
    /// Characters a chunk should have
    #[arg(long, value_name = "N", default_value_t = 3500, value_parser = techrag_cli::range::whole::<usize>(1..=1_000_000_000))]
    target: usize,
    /// Characters under which the last chunk of a section joins the one before
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = techrag_cli::range::whole::<usize>(0..=1_000_000_000))]
    min: usize,
    /// Most characters of a chunk; only a single sentence or table row may be longer
    #[arg(long, value_name = "N", default_value_t = 6000, value_parser = techrag_cli::range::whole::<usize>(1..=1_000_000_000))]
    max: usize,
    /// Characters of the end of a chunk, in whole sentences, that the next one of its section repeats
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = techrag_cli::range::whole::<usize>(0..=1_000_000_000))]
    overlap: usize,
    /// Largest file that is read, in bytes
    #[arg(long, value_name = "N", default_value_t = 1 << 30, value_parser = techrag_cli::range::whole::<u64>(1..=1 << 50))]
    max_bytes: u64,
    /// Most pages of a PDF
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = techrag_cli::range::whole::<u32>(1..=10_000_000))]
    max_pages: u32,
    /// Memory of a reader, in MiB
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = techrag_cli::range::whole::<u64>(16..=techrag_cli::range::MEMORY))]
    max_memory: u64,
    /// Seconds for one page of a PDF
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = techrag_cli::range::whole::<u64>(1..=techrag_cli::range::LONGEST))]
    page_timeout: u64,
    /// Seconds for one file; pages not read by then are recorded as failed. A page read off its picture has --ocr-timeout
    /// besides, a picture too small for a page has not
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = techrag_cli::range::whole::<u64>(1..=techrag_cli::range::LONGEST))]
    file_timeout: u64,
    /// File whose first line is the password of encrypted PDFs
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    #[command(flatten)]
    ocr: OcrArgs,
    #[command(flatten)]
    speech: SpeechArgs,
}

impl Args {
    /// The libraries' configuration.
    ///
    /// # Errors
    /// If the sizes contradict each other or the password's file cannot be read.
    pub(crate) fn config(&self, cli: &Cli) -> anyhow::Result<Config> {
        anyhow::ensure!(
            self.min <= self.target && self.target <= self.max && self.overlap < self.target,
            "the sizes must satisfy min ≤ target ≤ max and overlap < target"
        );
        Ok(Config {
            target: self.target,
            min: self.min,
            max: self.max,
            overlap: self.overlap,
            max_bytes: self.max_bytes,
            pdf: self.pdf()?,
            ocr: self.ocr.open(cli, self.max_memory << 20)?,
            speech: self.speech.speech(cli)?,
            by: cli.by(),
        })
    }

    fn pdf(&self) -> anyhow::Result<techrag_pdf::Config> {
        let this = env::current_exe().context("cannot find this executable, which reads PDFs as its own worker")?;
        let password = self.password_file.as_ref().map(|path| {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            Ok::<_, anyhow::Error>(text.lines().next().unwrap_or_default().to_owned())
        });
        Ok(techrag_pdf::Config {
            worker: Some(vec![this.into_os_string(), worker::ARGUMENT.into()]),
            file_timeout: Duration::from_secs(self.file_timeout),
            page_timeout: Duration::from_secs(self.page_timeout),
            max_bytes: self.max_bytes,
            max_pages: self.max_pages,
            max_memory: self.max_memory << 20,
            password: password.transpose()?,
        })
    }
}
