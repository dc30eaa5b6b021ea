//! `techrag-visual crops`: figures and tables, for the pages a query found or of a document named by hand.

use std::path::Path;

use techrag_cli::{Bare, Cli, Outcome};
use techrag_core::record::{Crop, TraceEntry};
use techrag_index::PageReader;
use techrag_visual::{Looked, Original, Sight, crop};

/// Find figures and tables with their captions
///
/// Reads query records; a page hit without a crop gets the figure or table of its page whose caption shares most words
/// with the question (`search` has chosen by the page's own vectors already). With --document, prints the figures and
/// tables of a document, one JSON object a line.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  techrag-visual crops --library lib --document brush-model-extensions.pdf --page 4"
)]
pub(crate) struct Args {
    /// Key of a document whose figures and tables are printed
    #[arg(long, value_name = "KEY")]
    document: Option<String>,
    /// Only this page of it, from 1
    #[arg(long, value_name = "N", requires = "document", value_parser = clap::value_parser!(u32).range(1..))]
    page: Option<u32>,
    #[command(flatten)]
    look: super::look::LookArgs,
    #[command(flatten)]
    pdf: super::pdf::PdfArgs,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let finder = Finder { root: cli.library()?, config: args.pdf.config()?, sight: args.look.sight(cli)? };
    if let Some(key) = &args.document {
        return by_hand(key, args.page, &finder, cli);
    }
    cli.queries(Bare::Refused, |query| {
        let question = query.question.clone();
        let Some(pages) = query.visual.as_mut().filter(|pages| pages.iter().any(|hit| hit.crop.is_none())) else {
            return;
        };
        let (mut found, mut unseen) = (0, Vec::new());
        for hit in pages.iter_mut().filter(|hit| hit.crop.is_none()) {
            let place = format!("{}, page {}", hit.key, hit.page);
            match finder.of_document(&hit.doc_id, Some(hit.page)) {
                Ok((crops, why)) => {
                    unseen.extend(why.into_iter().map(|why| format!("{place}: {why}")));
                    if let Some(crop) = nearest(crops, &question) {
                        hit.caption.clone_from(&crop.caption);
                        hit.crop = Some(crop);
                        found += 1;
                    }
                }
                Err(error) => unseen.push(format!("{place}: {error}")),
            }
        }
        let (stage, version) = ("visual crops".into(), cli.version().into());
        let mut note = format!("{found} figures or tables found");
        if !unseen.is_empty() {
            note.push_str(&format!("; not looked at: {}", unseen.join("; ")));
        }
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

/// Where figures and tables are looked for, and how.
struct Finder<'a> {
    root: &'a Path,
    config: techrag_pdf::Config,
    sight: Sight,
}

impl Finder<'_> {
    /// The crops of a document or of one of its pages, and why the layout network did not look where it should have.
    fn of_document(&self, doc_id: &str, page: Option<u32>) -> anyhow::Result<(Vec<Crop>, Option<String>)> {
        let (reader, ()) = PageReader::open(self.root, |_| Ok(()))?;
        let Some(known) = reader.document(doc_id)? else { anyhow::bail!("there is no document {doc_id}") };
        let original = Original::of(&known, None)?;
        original.check(self.config.max_bytes)?;
        let path = original.path();
        let pdf = techrag_pdf::read(path, &self.config)?;
        let (mut crops, mut why) = (Vec::new(), None);
        for page in pdf.pages.iter().filter(|it| page.is_none_or(|page| page == it.number)) {
            let looked = self.sight.regions(path, &self.config, page, None).map_err(super::fatal)?;
            let Looked { regions, unseen } = looked;
            crops.extend(regions.iter().map(|region| crop(region, page.number, None)));
            why = why.or(unseen);
        }
        Ok((crops, why))
    }
}

fn by_hand(key: &str, page: Option<u32>, finder: &Finder<'_>, cli: &Cli) -> anyhow::Result<Outcome> {
    let (reader, ()) = PageReader::open(finder.root, |_| Ok(()))?;
    let Some(doc_id) = reader.named(key)? else {
        anyhow::bail!("no document of the library has the key {key}");
    };
    let (crops, unseen) = finder.of_document(&doc_id, page)?;
    if let Some(why) = unseen {
        cli.note(&format!("only what the PDF itself draws: {why}"));
    }
    let lines: Vec<String> = crops
        .iter()
        .map(|crop| Ok::<_, anyhow::Error>(serde_json::to_string(crop)? + "\n"))
        .collect::<Result<_, _>>()?;
    cli.print(&lines.concat())?;
    Ok(Outcome::Done)
}
