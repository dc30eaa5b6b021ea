//! How PDFs are read and drawn: the limits every subcommand that does has.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use techrag_cli::range::{LONGEST, MEMORY};
use techrag_pdf::worker;

/// Limits of the PDF readers.
#[derive(clap::Args)]
pub(crate) struct PdfArgs {
    /// Largest file that is read, in bytes
    #[arg(long, value_name = "N", default_value_t = 1 << 30, value_parser = techrag_cli::range::whole::<u64>(1..=1 << 50))]
    max_bytes: u64,
    /// Memory of a PDF reader, in MiB; a page whose images need more is named
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(16..=MEMORY))]
    max_memory: u64,
    /// Seconds for one page
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=LONGEST))]
    page_timeout: u64,
    /// Seconds for the text of one PDF
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=LONGEST))]
    file_timeout: u64,
    /// File whose first line is the password of encrypted PDFs
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

impl PdfArgs {
    /// The reader's configuration.
    pub(crate) fn config(&self) -> anyhow::Result<techrag_pdf::Config> {
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
            max_pages: u32::MAX,
            max_memory: self.max_memory.saturating_mul(1 << 20),
            password: password.transpose()?,
        })
    }
}
