//! What kind of thing a term names: by the whole term, else by its last word.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Deserialize;
use thiserror::Error;

use crate::model::Label;
use crate::name::folded_name;

const SHIPPED: &str = include_str!("vocabulary.toml");

/// Why a vocabulary cannot be used.
#[derive(Debug, Error)]
#[error("the vocabulary is malformed: {0}")]
pub struct Error(#[from] Box<toml::de::Error>);

/// Words that tell what a term is.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Names of the files it was read from, for the record.
    pub version: String,
    terms: HashMap<String, Label>,
    /// As the vocabulary writes it, by id.
    shown: BTreeMap<String, String>,
    heads: HashMap<String, Label>,
    left_out: HashSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: String,
    #[serde(default)]
    left_out: Vec<String>,
    #[serde(default)]
    method: Kind,
    #[serde(default)]
    metric: Kind,
    #[serde(default)]
    application: Kind,
    #[serde(default)]
    topic: Kind,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Kind {
    #[serde(default)]
    heads: Vec<String>,
    #[serde(default)]
    terms: Vec<String>,
}

impl Vocabulary {
    /// The one this build ships.
    ///
    /// # Errors
    /// If the file in the source does not parse, which a test rules out.
    pub fn shipped() -> Result<Self, Error> {
        let mut vocabulary = Self::default();
        vocabulary.extend(SHIPPED)?;
        Ok(vocabulary)
    }

    /// Adds a file of the same form; it wins where both name a term.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn extend(&mut self, text: &str) -> Result<(), Error> {
        let file: File = toml::from_str(text).map_err(Box::new)?;
        let join = if self.version.is_empty() { "" } else { " + " };
        self.version = format!("{}{join}{}", self.version, file.version);
        self.left_out.extend(file.left_out.iter().map(|phrase| folded_name(phrase)));
        for (label, kind) in [
            (Label::Method, file.method),
            (Label::Metric, file.metric),
            (Label::Application, file.application),
            (Label::Topic, file.topic),
        ] {
            for term in kind.terms {
                self.terms.insert(folded_name(&term), label);
                self.shown.insert(folded_name(&term), term);
            }
            self.heads.extend(kind.heads.iter().map(|head| (folded_name(head), label)));
        }
        Ok(())
    }

    /// The kind of a term by its whole name, if the vocabulary has it.
    pub(super) fn term(&self, id: &str) -> Option<Label> {
        self.terms.get(id).copied()
    }

    /// How the vocabulary writes a term it has.
    pub(super) fn shown(&self, id: &str) -> Option<&str> {
        self.shown.get(id).map(String::as_str)
    }

    /// The kind of a term: by its whole name, else by its last word.
    pub(super) fn kind(&self, id: &str) -> Option<Label> {
        let head = || id.rsplit(' ').next().and_then(|word| self.heads.get(word));
        self.terms.get(id).or_else(head).copied()
    }

    pub(super) fn leaves_out(&self, id: &str) -> bool {
        self.left_out.contains(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_vocabulary_parses_and_a_users_adds_to_it() {
        let mut vocabulary = Vocabulary::shipped().unwrap();
        assert_eq!(vocabulary.kind("unscented kalman filter"), Some(Label::Method));
        assert_eq!(vocabulary.kind("lateral acceleration"), Some(Label::Metric));
        assert_eq!(vocabulary.kind("relaxation"), None);
        vocabulary
            .extend("version = \"mine/1\"\nleft_out = [\"odd phrase\"]\n[topic]\nterms = [\"Relaxation\"]")
            .unwrap();
        assert_eq!(vocabulary.kind("relaxation"), Some(Label::Topic));
        assert!(vocabulary.leaves_out("odd phrase") && vocabulary.version.ends_with("+ mine/1"));
        assert!(vocabulary.extend("version = 1").is_err());
    }
}
