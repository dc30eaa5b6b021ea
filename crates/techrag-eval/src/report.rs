//! From records to a report: per query, then means with intervals, then two runs side by side.
//!
//! Every judged query counts, whether it came in the run or not (trec_eval's `-c`): a query that failed on the way is
//! a failure of the system, and is counted under `missing` too. A query nobody judged is counted and left out.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use techrag_core::record::Query;
use thiserror::Error;

use crate::judgements::{Grades, Judgements};
use crate::measure::{Gains, Measure};
use crate::passage::{Held, PassageMeasure};
use crate::run::ranked;
use crate::statistics::{Interval, bootstrap, mean, permutation};

/// Two records of one query: which of them counts?
#[derive(Debug, Error, PartialEq)]
#[error("two records for the query {0}")]
pub struct Duplicate(pub String);

/// Takes query records one by one.
#[derive(Debug)]
pub struct Evaluation<'a> {
    judgements: &'a Judgements,
    measures: Vec<Measure>,
    passage_measures: Vec<PassageMeasure>,
    scores: BTreeMap<String, Vec<f64>>,
    unjudged: usize,
}

/// The values of every judged query.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Names of the measures, in the order of the values.
    pub names: Vec<String>,
    /// Values by query, in the order of the queries' names.
    pub scores: BTreeMap<String, Vec<f64>>,
    /// Judged queries that the run lacks; their values are 0.
    pub missing: Vec<String>,
    /// Judged queries without a relevant document; their values are 0, as trec_eval has it.
    pub without_relevant: usize,
    /// Records of queries nobody judged.
    pub unjudged: usize,
}

impl<'a> Evaluation<'a> {
    /// Measures at the cut-offs given, each at least 1; passages too where any are judged.
    pub fn new(judgements: &'a Judgements, cutoffs: &[usize]) -> Self {
        let passages = !judgements.passages.is_empty();
        let passage_measures = if passages { PassageMeasure::at(cutoffs) } else { Vec::new() };
        let measures = Measure::at(cutoffs);
        Self { judgements, measures, passage_measures, scores: BTreeMap::new(), unjudged: 0 }
    }

    /// Measures one query.
    ///
    /// # Errors
    /// [`Duplicate`] if the query came before.
    pub fn add(&mut self, query: &Query) -> Result<(), Duplicate> {
        let name = query.judged_name();
        let Some(grades) = self.judgements.documents.get(name) else {
            self.unjudged += 1;
            return Ok(());
        };
        let values = self.values(query, grades);
        match self.scores.insert(name.to_owned(), values) {
            Some(_) => Err(Duplicate(name.to_owned())),
            None => Ok(()),
        }
    }

    fn values(&self, query: &Query, grades: &Grades) -> Vec<f64> {
        let run = ranked(query);
        let gains = Gains::new(run.documents.iter().map(|(key, _)| key.as_str()), grades);
        let passages = self.judgements.passages.get(query.judged_name()).map_or(&[][..], Vec::as_slice);
        let held = Held::new(query.hits.as_deref().unwrap_or_default(), passages);
        let documents = self.measures.iter().map(|measure| measure.value(&gains));
        documents.chain(self.passage_measures.iter().map(|measure| measure.value(&held))).collect()
    }

    /// The report, judged queries that never came counted as 0.
    pub fn finish(mut self) -> Report {
        let judged = &self.judgements.documents;
        let missing: Vec<String> = judged.keys().filter(|query| !self.scores.contains_key(*query)).cloned().collect();
        let document_names = self.measures.iter().map(|measure| measure.name());
        let names: Vec<String> =
            document_names.chain(self.passage_measures.iter().map(|measure| measure.name())).collect();
        self.scores.extend(missing.iter().map(|query| (query.clone(), vec![0.0; names.len()])));
        let without_relevant =
            judged.values().filter(|grades| !Gains::new(std::iter::empty(), grades).answerable()).count();
        Report { names, scores: self.scores, missing, without_relevant, unjudged: self.unjudged }
    }
}

impl Report {
    /// The values of one measure, in the order of the queries' names.
    fn column(&self, index: usize) -> Vec<f64> {
        self.scores.values().map(|values| values[index]).collect()
    }

    fn columns(&self) -> impl Iterator<Item = (&String, Vec<f64>)> {
        self.names.iter().enumerate().map(|(index, name)| (name, self.column(index)))
    }

    /// What was counted, for a person: who is missing and who was left out.
    fn counts(&self) -> String {
        let mut counts = format!("{} judged queries", self.scores.len());
        let notes = [
            (self.missing.len(), "missing from the run, counted as 0"),
            (self.without_relevant, "without a relevant document, counted as 0"),
            (self.unjudged, "more in the run not judged, left out"),
        ];
        for (count, note) in notes.into_iter().filter(|(count, _)| *count > 0) {
            let _ = write!(counts, "; {count} {note}");
        }
        counts
    }

    /// One object: counts, the mean of each measure by its name, and the 95 % intervals under `interval`.
    pub fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("queries".into(), json!(self.scores.len()));
        object.insert("missing".into(), json!(self.missing.len()));
        object.insert("without_relevant".into(), json!(self.without_relevant));
        object.insert("unjudged".into(), json!(self.unjudged));
        object.extend(self.columns().map(|(name, column)| (name.clone(), json!(mean(&column)))));
        let intervals: Map<String, Value> = self
            .columns()
            .map(|(name, column)| (name.clone(), bootstrap(&column)))
            .map(|(name, Interval { low, high })| (name, json!([low, high])))
            .collect();
        object.insert("interval".into(), intervals.into());
        object.into()
    }

    /// A table for people: a line a measure with its mean and 95 % interval.
    pub fn table(&self) -> String {
        let width = self.names.iter().map(String::len).max().unwrap_or(0);
        let mut table = format!("{}\n", self.counts());
        for (name, column) in self.columns() {
            let Interval { low, high } = bootstrap(&column);
            let _ = writeln!(table, "{name:width$}  {:.4}  [{low:.4}, {high:.4}]", mean(&column));
        }
        table
    }

    /// One object a query, in the order of their names: `query`, then each measure.
    pub fn per_query(&self) -> impl Iterator<Item = Value> {
        self.scores.iter().map(|(query, values)| {
            let named = self.names.iter().cloned().zip(values.iter().map(|value| json!(value)));
            let object: Map<String, Value> = std::iter::once(("query".to_owned(), json!(query))).chain(named).collect();
            object.into()
        })
    }
}

/// Two runs of the same queries, by one measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The measure.
    pub name: String,
    /// Mean of the first run.
    pub a: f64,
    /// Mean of the second.
    pub b: f64,
    /// 95 % interval of the mean of b − a.
    pub interval: Interval,
    /// Two-sided p of the paired permutation test.
    pub p: f64,
}

impl Comparison {
    /// As one object.
    pub fn json(&self) -> Value {
        let Interval { low, high } = self.interval;
        json!({ "a": self.a, "b": self.b, "difference": self.b - self.a, "interval": [low, high], "p": self.p })
    }

    /// As one line of a table.
    pub fn line(&self) -> String {
        let Interval { low, high } = self.interval;
        let difference = self.b - self.a;
        let Self { name, a, b, p, .. } = self;
        format!("{name:13}  {a:.4}  {b:.4}  {difference:+.4}  [{low:+.4}, {high:+.4}]  {p:.4}")
    }
}

/// Compares two reports over the same judgements and cut-offs, query by query.
pub fn compare(a: &Report, b: &Report) -> Vec<Comparison> {
    a.columns()
        .zip(b.columns())
        .map(|((name, a), (_, b))| {
            let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
            let (interval, p) = (bootstrap(&differences), permutation(&differences));
            Comparison { name: name.clone(), a: mean(&a), b: mean(&b), interval, p }
        })
        .collect()
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
