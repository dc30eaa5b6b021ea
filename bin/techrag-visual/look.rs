//! Whether the layout network looks for figures and tables, for every subcommand that finds them.

use clap::ValueEnum;
use techrag_cli::Cli;
use techrag_models::{Limits, Locator};
use techrag_visual::{Look, Sight};

/// The layout network.
#[derive(clap::Args)]
pub(crate) struct LookArgs {
    /// Which pages the layout network looks at for figures and tables; pages that `index` stored before keep what was
    /// found on them then
    #[arg(long, value_name = "WHEN", default_value = "silent")]
    layout: When,
    /// The layout network, a model of the manifest
    #[arg(long, value_name = "MODEL", default_value = "PP-DocLayout-S")]
    layout_model: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum When {
    /// None: only what the PDF itself draws counts
    Never,
    /// Those whose own objects say nothing: scans, captions without a drawing; none where the network is absent
    Silent,
    /// All
    Always,
}

impl LookArgs {
    /// The network, not opened yet.
    pub(crate) fn sight(&self, cli: &Cli) -> anyhow::Result<Sight> {
        let look = match self.layout {
            When::Never => Look::Never,
            When::Silent => Look::Silent,
            When::Always => Look::Always,
        };
        let limits = Limits { sessions: cli.jobs(), batch: 1 };
        Sight::new(Locator::new(cli.model_folders()), &self.layout_model, limits, look).map_err(super::fatal)
    }
}
