//! The `tesseract` command: a picture on its input, a table of words on its output.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::gray::Gray;
use super::{TesseractConfig, Word};
use crate::child::{self, Fault, Said};
use crate::error::Error;

/// Time to say its version and languages.
const ASKED: Duration = Duration::from_secs(20);
/// Row of a word in its table; others are of pages, blocks, paragraphs and lines.
const WORD: &str = "5";

/// The command, known to be there and to have the languages.
pub(super) struct Tesseract {
    program: PathBuf,
    config: TesseractConfig,
    name: String,
}

impl Tesseract {
    /// Asks the program for its version and languages.
    ///
    /// # Errors
    /// [`Error::NotInstalled`].
    pub(super) fn open(program: &Path, config: TesseractConfig) -> Result<Self, Error> {
        let missing = |what: String| Error::NotInstalled {
            what,
            hint: "install it (Debian: apt-get install tesseract-ocr, and tesseract-ocr-LANGUAGE for each language)"
                .into(),
        };
        let ask = |argument: &str| {
            child::run(program, &[argument], b"", ASKED, config.memory)
                .map_err(|fault| missing(format!("tesseract is not installed: {fault}")))
        };
        let version = text(&ask("--version")?);
        let version =
            version.lines().next().and_then(|line| line.strip_prefix("tesseract ")).unwrap_or_default().trim();
        if version.is_empty() {
            return Err(missing("tesseract does not say its version".into()));
        }
        let listed = text(&ask("--list-langs")?);
        let has = |language: &&str| listed.lines().skip(1).any(|line| line.trim() == *language);
        if let Some(lacking) = config.languages.split('+').find(|language| !has(language)) {
            return Err(missing(format!("tesseract has no language {lacking:?}")));
        }
        let name = format!("tesseract {version} ({})", config.languages);
        Ok(Self { program: program.to_owned(), config, name })
    }

    /// With its version and languages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The words of an upright picture.
    ///
    /// # Errors
    /// [`Error::Page`].
    pub(super) fn read(&self, picture: &Gray, dpi: f32) -> Result<Vec<Word>, Error> {
        let page = |message: String| Error::Page { id: "tesseract".to_owned(), message };
        let mut input = format!("P5\n{} {}\n255\n", picture.width(), picture.height()).into_bytes();
        input.extend_from_slice(picture.bytes());
        let dpi = format!("{:.0}", dpi.clamp(70.0, 2400.0));
        // The setting and not the configuration file `tsv`, which a bare installation may lack.
        let args = ["stdin", "stdout", "-l", &self.config.languages, "--psm", "3", "--dpi", &dpi];
        let args: Vec<&str> = args.into_iter().chain(["-c", "tessedit_create_tsv=1"]).collect();
        let said = child::run(&self.program, &args, &input, self.config.timeout, self.config.memory)
            .map_err(|fault| page(fault_words(&fault, &self.config)))?;
        if !said.status.success() {
            let last = said.complaint.lines().next_back().unwrap_or("no message");
            return Err(page(format!("it ended with {}: {last}", said.status)));
        }
        Ok(words(&text(&said)))
    }
}

fn fault_words(fault: &Fault, config: &TesseractConfig) -> String {
    match fault {
        Fault::Time(_) => format!("{fault}; {} bytes of memory were allowed", config.memory),
        Fault::Start(_) => fault.to_string(),
    }
}

fn text(said: &Said) -> String {
    // Older versions say their version on stderr.
    let output = if said.output.is_empty() { said.complaint.as_bytes() } else { &said.output };
    String::from_utf8_lossy(output).into_owned()
}

/// The words of its table: level, page, block, paragraph, line, word, left, top, width, height, confidence in hundredths,
/// text, parted by tabs.
fn words(table: &str) -> Vec<Word> {
    let mut lines: Vec<&str> = Vec::new();
    let mut words = Vec::new();
    for row in table.lines() {
        let Some((place, rest)) = row.match_indices('\t').nth(4).map(|(at, _)| row.split_at(at)) else { continue };
        let mut rest = rest.trim_start_matches('\t').splitn(7, '\t');
        let mut number = || rest.next().and_then(|value| value.parse::<f32>().ok()).filter(|value| value.is_finite());
        let (_, left, top, width, height, confidence) = (number(), number(), number(), number(), number(), number());
        let numbers = (left, top, width, height, confidence);
        let (Some(left), Some(top), Some(width), Some(height), Some(confidence)) = numbers else { continue };
        let text = rest.next().unwrap_or_default().trim();
        if !place.starts_with(WORD) || text.is_empty() || confidence < 0.0 {
            continue;
        }
        if lines.last() != Some(&place) {
            lines.push(place);
        }
        words.push(Word {
            text: text.to_owned(),
            bbox: [left, top, left + width, top + height],
            line: lines.len(),
            confidence: (confidence / 100.0).clamp(0.0, 1.0),
            stroke: 0.0,
        });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext
1\t1\t0\t0\t0\t0\t0\t0\t640\t480\t-1\t
4\t1\t1\t1\t1\t0\t36\t92\t582\t30\t-1\t
5\t1\t1\t1\t1\t1\t36\t92\t60\t24\t95.5\tThe
5\t1\t1\t1\t1\t2\t109\t92\t20\t24\t40\ttyre
5\t1\t1\t1\t2\t1\t36\t126\t90\t30\t96\tslips.
5\t1\t1\t1\t2\t2\t36\t126\t90\t30\t-1\t \n";

    #[test]
    fn words_come_with_lines_boxes_and_confidence() {
        let words = words(TABLE);
        let got: Vec<_> = words.iter().map(|word| (word.text.as_str(), word.line)).collect();
        assert_eq!(got, [("The", 1), ("tyre", 1), ("slips.", 2)]);
        assert_eq!((words[0].bbox, words[0].confidence), ([36.0, 92.0, 96.0, 116.0], 0.955));
    }

    #[test]
    fn a_table_cut_short_or_of_another_form_loses_rows_only() {
        assert_eq!(words("5\t1\t1").len(), 0);
        assert_eq!(words(&TABLE[..TABLE.len() - 20]).len(), 3);
        assert_eq!(words(&TABLE.replace("95.5", "NaN")).len(), 2);
    }

    #[test]
    fn a_program_that_is_not_there_is_said_with_what_to_do() {
        let config = TesseractConfig { languages: "eng".into(), timeout: ASKED, memory: 1 << 30 };
        let error = Tesseract::open(Path::new("/no/such/tesseract"), config).err().unwrap();
        assert!(error.to_string().starts_with("tesseract is not installed"), "{error}");
        assert!(error.hint().unwrap().contains("tesseract-ocr"));
    }
}
