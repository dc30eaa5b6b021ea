//! `techrag-index hnsw`: graphs for approximate search, by choice.

use techrag_cli::{Cli, Outcome};
use techrag_index::Reader;
use techrag_index::hnsw::{self, Setup};

/// Make HNSW graphs over the vectors of a library, for approximate search; print what they miss
///
/// The exact search needs none and is fast up to about a million vectors. With graphs, `techrag-retrieve --hnsw BREADTH`
/// walks them instead; conditions of `--where` hold during the walk, and few wanted chunks are scanned. Segments made
/// later have none until this is run again. The recall printed is against the exact search, over the library's own
/// vectors as queries.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-index hnsw --library lib\n  \
    techrag-index hnsw --library lib --drop")]
pub(crate) struct Args {
    /// Neighbours of a vector (M)
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(2..=512))]
    connectivity: u16,
    /// Candidates kept while a vector finds its neighbours (efConstruction)
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..))]
    breadth: u16,
    /// Vectors that are asked with to measure the recall; 0 measures none
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = techrag_cli::range::whole::<usize>(1..=techrag_cli::range::MOST))]
    sample: usize,
    /// Take the graphs out
    #[arg(long)]
    drop: bool,
}

/// Breadths of a search that the recall is printed for.
const BREADTHS: [usize; 3] = [64, 128, 256];
/// Neighbours whose recall is measured.
const NEIGHBOURS: usize = 10;

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let (library, owner) = (cli.library()?, super::owner(cli, "hnsw"));
    if args.drop {
        cli.note(&format!("{} graphs taken out", hnsw::unmake(library, &owner)?));
        return Ok(Outcome::Done);
    }
    let setup = Setup { connectivity: usize::from(args.connectivity), breadth: usize::from(args.breadth) };
    let made = hnsw::make(library, &owner, setup)?;
    let mut text = format!("graphs made  {} over {} vectors, {} bytes\n", made.graphs, made.rows, made.bytes);
    if made.kept > 0 {
        cli.note(&format!("{} graphs are kept as they were made; --drop takes them out, to make others", made.kept));
    }
    let reader = Reader::open(library)?;
    for breadth in BREADTHS.into_iter().filter(|_| args.sample > 0) {
        if let Some(recall) = hnsw::recall(&reader, args.sample, NEIGHBOURS, breadth)? {
            text.push_str(&format!("recall@{NEIGHBOURS}    {recall:.4} at breadth {breadth}\n"));
        }
    }
    cli.print(&text)?;
    Ok(Outcome::Done)
}
