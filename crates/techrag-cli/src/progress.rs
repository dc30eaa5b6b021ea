//! Progress on stderr: a bar for people, a JSON object a second for machines.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::common::{Cli, ProgressForm};
use crate::report;

const JSON_EVERY: Duration = Duration::from_secs(1);

pub(crate) enum Progress {
    Hidden,
    Bar(ProgressBar),
    Json { done: u64, total: Option<u64>, said: Instant },
}

impl Cli {
    /// Whether somebody watches: a total that costs something to know is worth asking for then.
    pub fn shows_progress(&self) -> bool {
        match self.common.progress {
            ProgressForm::Json => true,
            ProgressForm::None => false,
            // A bar and verbose messages interleave; and where stdout is the same terminal, so do bar and data.
            ProgressForm::Auto => {
                io::stderr().is_terminal()
                    && !io::stdout().is_terminal()
                    && !self.common.quiet
                    && self.common.verbose == 0
            }
        }
    }
}

impl Progress {
    /// `total` is the number of items where it is known.
    pub(crate) fn start(cli: &Cli, total: Option<u64>) -> Self {
        match cli.common.progress {
            _ if !cli.shows_progress() => Self::Hidden,
            ProgressForm::Json => Self::Json { done: 0, total, said: Instant::now() },
            ProgressForm::Auto | ProgressForm::None => Self::Bar(bar(cli.stage(), total)),
        }
    }

    pub(crate) fn advance(&mut self, by: u64) {
        match self {
            Self::Hidden => {}
            Self::Bar(bar) => bar.inc(by),
            Self::Json { done, total, said } => {
                *done += by;
                if said.elapsed() >= JSON_EVERY {
                    *said = Instant::now();
                    report::raw(&json(*done, *total));
                }
            }
        }
    }

    /// Says something without tearing the bar.
    pub(crate) fn say(&self, text: &str) {
        match self {
            Self::Bar(bar) => bar.suspend(|| report::raw(text)),
            Self::Hidden | Self::Json { .. } => report::raw(text),
        }
    }

    pub(crate) fn finish(&self) {
        match self {
            Self::Hidden => {}
            Self::Bar(bar) => bar.finish_and_clear(),
            Self::Json { done, total, .. } => report::raw(&json(*done, *total)),
        }
    }
}

fn json(done: u64, total: Option<u64>) -> String {
    format!("{}\n", serde_json::json!({ "progress": { "done": done, "total": total } }))
}

fn bar(stage: &str, total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (ProgressBar::new(total), "{prefix} {bar:30} {pos}/{len} {per_sec} ETA {eta}"),
        None => (ProgressBar::no_length(), "{prefix} {pos} {per_sec} {elapsed}"),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.with_prefix(stage.to_owned())
}
