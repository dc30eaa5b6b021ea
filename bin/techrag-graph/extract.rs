//! `techrag-graph extract`: documents and chunks in, entities out.

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Step, Unread, Wanted};
use techrag_core::record::{Entities, ErrorKind, ErrorRecord};
use techrag_graph::extract::Extractor;
use techrag_graph::extract::llm::refine;
use techrag_net::chat::Chat;

pub(crate) use crate::extract_args::Args;
use crate::llm;

const WANTED: Wanted = Wanted { kinds: &[Kind::Document, Kind::Chunk], bare: Bare::Refused };

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let mut extractor = Some(Extractor::new(args.config(cli)?));
    let chat = args.chat(cli)?;
    let outcome = cli.fold(WANTED, Unread::Stop, |step| {
        Ok(match (step, extractor.as_mut()) {
            (Step::Record(Record::Document(document)), Some(extractor)) => {
                extractor.document(*document);
                Vec::new()
            }
            (Step::Record(Record::Chunk(chunk)), Some(extractor)) => {
                extractor.chunk(*chunk);
                Vec::new()
            }
            (Step::Record(other), _) => vec![other],
            (Step::Idle, _) => Vec::new(),
            (Step::End, _) => {
                let found = extractor.take().map_or_else(Vec::new, Extractor::finish_with_text);
                match &chat {
                    None => found.into_iter().map(|(entities, _)| entities.into()).collect(),
                    Some(chat) => refined(chat, found, cli)?,
                }
            }
        })
    })?;
    if let Some(chat) = &chat {
        llm::report(chat, cli);
    }
    Ok(outcome)
}

/// What the rules found, joined by what a model names. A paper it fails on keeps what the rules found, and an error
/// record says so.
fn refined(chat: &Chat, found: Vec<(Entities, String)>, cli: &Cli) -> anyhow::Result<Vec<Record>> {
    let mut records = Vec::new();
    for (mut entities, text) in found {
        let refined = refine(chat, &mut entities, &text);
        if let Err(error) = refined.outcome {
            if error.is_fatal() || error.is_unreachable() {
                return Err(llm::fatal(error));
            }
            if !chat.is_dry() {
                let error = ErrorRecord::new(&entities.doc_id, cli.stage(), ErrorKind::Service, error.to_string());
                records.push(error.into());
            }
        }
        if !refined.usage.is_empty() {
            entities.extra.insert("usage".into(), serde_json::to_value(&refined.usage)?);
        }
        records.push(entities.into());
    }
    Ok(records)
}
