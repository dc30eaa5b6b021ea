//! Shows what the reader makes of files: `dump FILE… [--text|--json] [--isolated]`, blocks with their
//! kinds, plain text or everything, read here or in a worker.

use std::io::Write;
use std::time::Duration;
use techrag_pdf::{Block, Config, Outcome};

fn main() -> std::io::Result<()> {
    if std::env::args().nth(1).as_deref() == Some(techrag_pdf::worker::ARGUMENT) {
        return techrag_pdf::worker::serve(std::io::stdin().lock(), std::io::stdout().lock());
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let (flags, files): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let plain = flags.iter().any(|flag| flag == "--text");
    let isolated = flags.iter().any(|flag| flag == "--isolated");
    let exe = std::env::current_exe()?;
    let config = Config {
        worker: isolated.then(|| vec![exe.into(), techrag_pdf::worker::ARGUMENT.into()]),
        file_timeout: Duration::from_secs(30),
        page_timeout: Duration::from_secs(10),
        max_bytes: 1 << 30,
        max_pages: 100_000,
        max_memory: 1 << 30,
        password: None,
    };
    for file in files {
        match techrag_pdf::read(file.as_ref(), &config) {
            Ok(pdf) if flags.iter().any(|flag| flag == "--json") => {
                serde_json::to_writer(&mut out, &pdf)?;
                writeln!(out)?;
            }
            Ok(pdf) => {
                for page in &pdf.pages {
                    if !plain {
                        writeln!(
                            out,
                            "=== {file} page {} {:?} unknown {:.3}",
                            page.number, page.outcome, page.unknown_glyphs
                        )?;
                    }
                    if let (true, Outcome::Failed(why)) = (plain, &page.outcome) {
                        writeln!(out, "FAILED {why}")?;
                    }
                    for block in &page.blocks {
                        show(&mut out, block, plain)?;
                    }
                }
            }
            Err(error) => writeln!(out, "=== {file}: {error}")?,
        }
    }
    out.flush()
}

fn show(out: &mut impl Write, block: &Block, plain: bool) -> std::io::Result<()> {
    if !plain {
        let [x0, y0, x1, y1] = block.bbox;
        let more = if block.continues { " continues" } else { "" };
        writeln!(out, "--- {:?}{more} [{x0:.0} {y0:.0} {x1:.0} {y1:.0}]", block.kind)?;
        for row in &block.cells {
            writeln!(out, "| {} |", row.join(" | "))?;
        }
    }
    for line in &block.lines {
        writeln!(out, "{}", line.text())?;
    }
    writeln!(out)
}
