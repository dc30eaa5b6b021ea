//! The options of reading pictures.

use std::time::Duration;

use clap::{Args, ValueEnum};
use techrag_chunk::scan::{Ocr, OcrConfig, OcrReader};
use techrag_cli::Cli;

/// How pages without a text layer, and pictures, are read.
#[derive(Args)]
#[command(next_help_heading = "Reading pictures")]
pub(crate) struct OcrArgs {
    /// What reads pages without a text layer, and PNG, JPEG and TIFF files
    #[arg(long, value_enum, default_value = "auto")]
    ocr: Reader,
    /// Languages that tesseract reads, by its own names
    #[arg(long, value_name = "NAME[+NAME…]", default_value = "eng")]
    ocr_languages: String,
    /// Seconds for reading one page off its picture
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = techrag_cli::range::whole::<u64>(1..=techrag_cli::range::LONGEST))]
    ocr_timeout: u64,
    /// Confidence from 0 to 1 under which a page read off its picture is named
    #[arg(long, value_name = "SHARE", default_value_t = 0.75, value_parser = techrag_cli::range::decimal::<f32>(0.0..=1.0))]
    ocr_doubt: f32,
}

/// Which reader of pictures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reader {
    /// The tesseract command if it is installed, else the PP-OCR networks if they are there
    Auto,
    /// None: such pages are named and left
    Off,
    /// The tesseract command
    Tesseract,
    /// The PP-OCR networks
    PpOcr,
}

impl OcrArgs {
    /// The reader; opened now where it was asked for by name.
    ///
    /// # Errors
    /// If it was asked for by name and is not there, or an option makes no sense.
    pub(crate) fn open(&self, cli: &Cli, memory: u64) -> anyhow::Result<Ocr> {
        anyhow::ensure!((0.0..=1.0).contains(&self.ocr_doubt), "--ocr-doubt is a share, from 0 to 1");
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/');
        let named = |name: &str| !name.is_empty() && name.chars().all(plain) && !name.starts_with('/');
        anyhow::ensure!(
            self.ocr_languages.split('+').all(named),
            "--ocr-languages are names of tesseract's languages, joined by +"
        );
        let ocr = Ocr::new(OcrConfig {
            reader: match self.ocr {
                Reader::Auto => OcrReader::Auto,
                Reader::Off => OcrReader::Off,
                Reader::Tesseract => OcrReader::Tesseract,
                Reader::PpOcr => OcrReader::PpOcr,
            },
            languages: self.ocr_languages.clone(),
            timeout: Duration::from_secs(self.ocr_timeout),
            memory,
            models: cli.model_folders(),
            sessions: cli.jobs(),
            doubt: self.ocr_doubt,
        });
        ocr.demand().map_err(|error| match error.hint() {
            Some(hint) => techrag_cli::hint(anyhow::Error::msg(error.to_string()), hint),
            None => error.into(),
        })?;
        Ok(ocr)
    }
}
