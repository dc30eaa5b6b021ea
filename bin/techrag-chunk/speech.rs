//! The options of listening.

use std::env;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use techrag_chunk::speech::Speech;
use techrag_cli::Cli;
use techrag_models::speech::SpeechConfig;
use techrag_pdf::worker;

/// How files of sound are listened to, in builds with the cargo feature `whisper`.
#[derive(Args)]
#[command(next_help_heading = "Listening (WAV, FLAC, MP3, M4A; cargo feature whisper)")]
pub(crate) struct SpeechArgs {
    /// Model of speech: whisper-base, or whisper-tiny.en for English at half the cost
    #[arg(long, value_name = "ID", default_value = "whisper-base")]
    speech_model: String,
    /// Language spoken, as two letters [default: told by the model]
    #[arg(long, value_name = "CODE")]
    speech_language: Option<String>,
    /// Seconds for one file
    #[arg(long, value_name = "N", default_value_t = 14_400, value_parser = techrag_cli::range::whole::<u64>(1..=techrag_cli::range::LONGEST))]
    speech_timeout: u64,
    /// Memory of the process that listens, in MiB
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = techrag_cli::range::whole::<u64>(16..=techrag_cli::range::MEMORY))]
    speech_memory: u64,
}

impl SpeechArgs {
    /// What the library is to do with sound; the model is looked for when the first file comes.
    ///
    /// # Errors
    /// If this executable, which listens as its own worker, cannot be found, or the language is none.
    pub(crate) fn speech(&self, cli: &Cli) -> anyhow::Result<Speech> {
        let this = env::current_exe().context("cannot find this executable, which listens as its own worker")?;
        let code = |code: &String| (2..=3).contains(&code.len()) && code.chars().all(|c| c.is_ascii_lowercase());
        anyhow::ensure!(
            self.speech_language.as_ref().is_none_or(code),
            "--speech-language is a code of two letters: en, de, …"
        );
        Ok(Speech {
            model: self.speech_model.clone(),
            models: cli.model_folders(),
            listening: SpeechConfig {
                worker: Some(vec![this.into_os_string(), worker::ARGUMENT.into()]),
                language: self.speech_language.clone(),
                timeout: Duration::from_secs(self.speech_timeout),
                memory: self.speech_memory << 20,
            },
        })
    }
}
