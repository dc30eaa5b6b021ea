//! Words that stand for each other, for a second look that the first one's words did not serve.
//!
//! A small list in TOML. The shipped one covers this project's own field; `--thesaurus` names another.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use techrag_core::text;
use techrag_core::token::{Config, tokens};
use thiserror::Error;

const SHIPPED: &str = include_str!("../thesaurus.toml");

/// Why a thesaurus cannot be used.
#[derive(Debug, Error)]
#[error("the thesaurus is malformed: {0}")]
pub struct Error(#[from] toml::de::Error);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: String,
    #[serde(default)]
    modifiers: Vec<String>,
    #[serde(default)]
    abbreviations: BTreeMap<String, String>,
    #[serde(default)]
    synonyms: Vec<Vec<String>>,
}

/// Synonyms, long forms of abbreviations, and words that narrow a question without being what it is about.
#[derive(Clone, Debug)]
pub struct Thesaurus {
    /// Name and version, as a retry quotes it.
    pub version: String,
    modifiers: BTreeSet<String>,
    abbreviations: BTreeMap<String, String>,
    synonyms: Vec<Vec<String>>,
}

impl Thesaurus {
    /// The list that this build ships.
    ///
    /// # Errors
    /// If the file in the source does not parse, which a test rules out.
    pub fn shipped() -> Result<Self, Error> {
        Self::parse(SHIPPED)
    }

    /// Reads a list.
    ///
    /// # Errors
    /// If it is not TOML of the expected tables.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let file: File = toml::from_str(source)?;
        Ok(Self {
            version: file.version,
            modifiers: file.modifiers.iter().map(|word| stem(word)).collect(),
            abbreviations: file.abbreviations.into_iter().map(|(short, long)| (text::fold(&short), long)).collect(),
            synonyms: file.synonyms,
        })
    }

    /// Whether a word narrows a question without being what it is about.
    pub(crate) fn is_modifier(&self, word: &str) -> bool {
        self.modifiers.contains(&stem(word))
    }

    /// What a question may also be worded as: long forms of its abbreviations, abbreviations of its long forms, and
    /// the synonyms of its words; nothing that it says itself. In the order of the list.
    pub(crate) fn expansions(&self, question: &str, lacking: &[String]) -> Vec<String> {
        let folded = text::fold(question);
        let words: BTreeSet<String> = tokens(question, Config::INDEX).into_iter().collect();
        let says = |phrase: &str| tokens(phrase, Config::WORDS).iter().all(|word| words.contains(word));
        let mut found = Vec::new();
        // `saw` is a word too: only capitals are an abbreviation.
        let written: BTreeSet<&str> = question.split(|c: char| !c.is_alphanumeric()).collect();
        for (short, long) in &self.abbreviations {
            match (written.contains(short.to_uppercase().as_str()), folded.contains(&text::fold(long))) {
                (true, false) => found.push(long.clone()),
                (false, true) => found.push(short.clone()),
                _ => {}
            }
        }
        let lacking: BTreeSet<String> = lacking.iter().map(|word| stem(word)).collect();
        for group in &self.synonyms {
            let missed = |phrase: &String| tokens(phrase, Config::WORDS).iter().any(|word| lacking.contains(word));
            if group.iter().any(|phrase| says(phrase) && missed(phrase)) {
                found.extend(group.iter().filter(|phrase| !says(phrase)).cloned());
            }
        }
        found
    }
}

fn stem(word: &str) -> String {
    tokens(word, Config::WORDS).into_iter().next().unwrap_or_else(|| text::fold(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_list_parses() {
        let thesaurus = Thesaurus::shipped().unwrap();
        assert!(thesaurus.is_modifier("suddenly") && !thesaurus.is_modifier("friction"));
    }

    #[test]
    fn abbreviations_expand_both_ways_and_synonyms_only_where_something_lacks() {
        let thesaurus = Thesaurus::parse(
            "version = \"t\"\nsynonyms = [[\"grip\", \"friction\"]]\n[abbreviations]\nabs = \"anti-lock braking\"",
        )
        .unwrap();
        assert_eq!(thesaurus.expansions("Does ABS need grip?", &[]), ["anti-lock braking"]);
        assert_eq!(thesaurus.expansions("Does ABS need grip?", &["grip".into()]), ["anti-lock braking", "friction"]);
        assert_eq!(thesaurus.expansions("Is anti-lock braking safe?", &["safe".into()]), ["abs"]);
    }

    #[test]
    fn a_misspelt_table_is_refused() {
        assert!(Thesaurus::parse("version = \"t\"\nsynonym = []").is_err());
    }
}
