//! `techrag-visual crops`: figures and tables, for the pages a query found or of a document named by hand.

use techrag_cli::{Bare, Cli, Outcome};
use techrag_core::record::{Crop, TraceEntry};
use techrag_index::PageReader;
use techrag_visual::regions;

/// Find figures and tables with their captions
///
/// Reads query records; a page hit without a crop gets the figure or table of its page whose caption shares most words
/// with the question (`search` has chosen by the page's own vectors already). With --document, prints the figures and
/// tables of a document, one JSON object a line.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  techrag-visual crops --library lib --document brush.pdf --page 4")]
pub(crate) struct Args {
    /// Key of a document whose figures and tables are printed
    #[arg(long, value_name = "KEY")]
    document: Option<String>,
    /// Only this page of it, from 1
    #[arg(long, value_name = "N", requires = "document", value_parser = clap::value_parser!(u32).range(1..))]
    page: Option<u32>,
    #[command(flatten)]
    pdf: super::pdf::PdfArgs,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let config = args.pdf.config()?;
    if let Some(key) = &args.document {
        return by_hand(key, args.page, &config, cli);
    }
    let root = cli.library()?;
    cli.queries(Bare::Refused, |query| {
        let question = query.question.clone();
        let Some(pages) = query.visual.as_mut().filter(|pages| pages.iter().any(|hit| hit.crop.is_none())) else {
            return;
        };
        let mut found = 0;
        for hit in pages.iter_mut().filter(|hit| hit.crop.is_none()) {
            let crops = of_document(root, &hit.doc_id, Some(hit.page), &config).unwrap_or_default();
            if let Some(crop) = nearest(crops, &question) {
                hit.caption.clone_from(&crop.caption);
                hit.crop = Some(crop);
                found += 1;
            }
        }
        let (stage, version) = ("visual crops".into(), cli.version().into());
        let note = format!("{found} figures or tables found");
        query.trace.push(TraceEntry { stage, version, note, ..TraceEntry::default() });
    })
}

/// The crop whose caption holds most of the question's words; the first of equals.
fn nearest(crops: Vec<Crop>, question: &str) -> Option<Crop> {
    let tokens = |text: &str| techrag_core::token::tokens(text, techrag_core::token::Config::INDEX);
    let asked = tokens(question);
    let shared = |crop: &Crop| {
        let caption = tokens(crop.caption.as_deref().unwrap_or_default());
        asked.iter().filter(|word| caption.contains(word)).count()
    };
    crops.into_iter().rev().max_by_key(shared)
}

/// The crops of a document, or of one of its pages.
fn of_document(
    root: &std::path::Path,
    doc_id: &str,
    page: Option<u32>,
    config: &techrag_pdf::Config,
) -> anyhow::Result<Vec<Crop>> {
    let (reader, ()) = PageReader::open(root, |_| Ok(()))?;
    let known = reader.document(doc_id)?;
    let path = known.and_then(|known| known.document.path);
    let path = path.ok_or_else(|| anyhow::anyhow!("the library does not say where the file is"))?;
    let pdf = techrag_pdf::read(path.as_ref(), config)?;
    let pages = pdf.pages.iter().filter(|it| page.is_none_or(|page| page == it.number));
    Ok(pages
        .flat_map(|page| {
            regions(page).into_iter().map(|region| Crop {
                kind: region.kind,
                page: page.number,
                bbox: region.bbox,
                caption: region.caption,
                ..Crop::default()
            })
        })
        .collect())
}

fn by_hand(key: &str, page: Option<u32>, config: &techrag_pdf::Config, cli: &Cli) -> anyhow::Result<Outcome> {
    let root = cli.library()?;
    let (reader, ()) = PageReader::open(root, |_| Ok(()))?;
    let Some(doc_id) = reader.named(key)? else {
        anyhow::bail!("no document of the library has the key {key}");
    };
    let lines: Vec<String> = of_document(root, &doc_id, page, config)?
        .iter()
        .map(|crop| Ok::<_, anyhow::Error>(serde_json::to_string(crop)? + "\n"))
        .collect::<Result<_, _>>()?;
    cli.print(&lines.concat())?;
    Ok(Outcome::Done)
}
