//! The words of a question and of the hits found for it, read once for everything that weighs them.

use crate::lexical::{self, Bag, Idf, Term};
use crate::record::Hit;
use crate::unit::{self, Unit};

/// How many hits are read, from the best on. What stands behind them is no evidence that anybody reads.
pub const DEPTH: usize = 20;

/// The words of a question and of its first [`DEPTH`] hits.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The question's content terms.
    pub terms: Vec<Term>,
    /// How rare words are among the hits: one that all of them hold says nothing about which one answers.
    pub idf: Idf,
    /// The hits, in their order.
    pub hits: Vec<HitWords>,
}

/// The words of a hit.
#[derive(Clone, Debug, Default)]
pub struct HitWords {
    /// Of its text, title and section heading.
    pub bag: Bag,
    /// Of its title and section heading.
    pub around: Bag,
    /// Of each of its sentences, captions and rows.
    pub units: Vec<UnitWords>,
}

/// The words of a sentence, caption or row.
#[derive(Clone, Debug)]
pub struct UnitWords {
    /// Where it stands in the hit's text.
    pub unit: Unit,
    /// Its own words, a row's with its heading row and caption.
    pub bag: Bag,
}

impl Reading {
    /// Reads the question and its first hits.
    pub fn of(question: &str, hits: &[Hit]) -> Self {
        Self::deep(question, hits, DEPTH)
    }

    /// Reads the question and its first `depth` hits: for a stage that decides which chunks become hits.
    pub fn deep(question: &str, hits: &[Hit], depth: usize) -> Self {
        let hits: Vec<HitWords> = hits.iter().take(depth).map(HitWords::of).collect();
        let idf = Idf::of(hits.iter().map(|hit| &hit.bag));
        Self { terms: lexical::terms(question), idf, hits }
    }

    /// The idf-weighted share of the question's terms that are held, 0 to 1.
    pub fn coverage(&self, held: impl Fn(&Term) -> f64) -> f64 {
        lexical::coverage(&self.terms, &self.idf, held)
    }
}

impl HitWords {
    fn of(hit: &Hit) -> Self {
        let around = format!("{}\n{}", hit.title.as_deref().unwrap_or_default(), hit.section);
        let read = |unit: Unit| UnitWords { bag: Bag::of(&unit.with_context(&hit.text)), unit };
        Self {
            bag: Bag::of(&format!("{around}\n{}", hit.text)),
            around: Bag::of(&around),
            units: unit::units(&hit.text).into_iter().map(read).collect(),
        }
    }
}
