//! Every quotable unit of the passages, with what is measured of it against the question.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use techrag_core::lexical::{self, Bag, Idf};
use techrag_core::record::{Passage, Source};
use techrag_core::unit::{self, Kind, Unit};
use techrag_core::{text, token};

use super::Cosines;
use super::question::{Question, Want, numbers};
use super::thread::Thread;

/// A unit that may be quoted.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Index of the source.
    pub(super) source: usize,
    /// Index of the passage in the source.
    pub(super) passage: usize,
    /// Where it stands.
    pub(super) unit: Unit,
    /// What an encoder reads: title, section, caption, heading row, itself.
    pub(super) in_context: String,
    /// Its words and those of its caption and heading row.
    pub(super) words: Bag,
    /// The words of its neighbourhood: the units before and after it, section and title too.
    pub(super) around: Bag,
    /// What it goes on with and what it begins.
    pub(super) thread: Thread,
    /// The distinct numbers of its own text.
    pub(super) given: Vec<String>,
    /// What is measured of it.
    pub(super) features: Features,
}

/// What is measured of a candidate. Shares are weighed by rarity among the candidates.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Features {
    /// Share of the question's terms in its own words.
    pub(super) own: f64,
    /// The same with its neighbours', section's and title's words.
    pub(super) around: f64,
    /// The same of section and title alone.
    pub(super) heading: f64,
    /// Cosine of question and candidate in context; absent where nothing was encoded.
    pub(super) meaning: Option<f64>,
    /// Rank of its passage among all, from 0.
    pub(super) rank: usize,
    /// Share of the question's numbers among its own.
    pub(super) numbers: f64,
    /// What else is true of it.
    pub(super) marks: Vec<Mark>,
}

/// What is true of a candidate or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Its section is one the question points to.
    Section,
    /// It is a table's row.
    Row,
    /// It is a caption.
    Caption,
    /// A number is wanted, and it gives one the question did not.
    Number,
    /// A number is wanted, and it gives none.
    NoNumber,
    /// A cause is wanted, and it speaks of one.
    Cause,
    /// Several things are wanted, and it announces or numbers them.
    Listed,
    /// The meaning of a word is wanted, and it says what something is called.
    Defines,
}

/// Candidates by source, passage and place.
pub(super) fn candidates(asked: &Question, sources: &[Source]) -> Vec<Candidate> {
    let ranks = ranks(sources);
    let mut found = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let short = abbreviations(source);
        for (inside, passage) in source.passages.iter().enumerate() {
            let heading = format!("{}. {}", source.title, section_name(&passage.section));
            let from = found.len();
            for unit in unit::units(&passage.text) {
                let unit = Unit { range: trimmed(&passage.text, unit.range), ..unit };
                let own = in_context(&unit, &passage.text);
                let words = Bag::alike(&own).explained(&short);
                let in_context = text::squeeze(&format!("{heading}. {own}"));
                let given = numbers(&passage.text[unit.range.clone()]);
                let thread = Thread::of(&passage.text[unit.range.clone()], unit.kind);
                let features = Features { rank: ranks[at][inside], ..Features::default() };
                found.push(Candidate {
                    source: at,
                    passage: inside,
                    unit,
                    in_context,
                    words,
                    around: Bag::default(),
                    thread,
                    given,
                    features,
                });
            }
            add_neighbours(&mut found[from..], &Bag::alike(&heading));
        }
    }
    measure_all(&mut found, asked, sources);
    found.retain(|candidate| is_quotable(candidate, &sources[candidate.source]));
    found
}

/// Bytes of a caption, and of a heading row, that each row of a table brings along.
const BESIDE: usize = 2000;

/// A unit's words with those that give it meaning, as [`Unit::with_context`], long ones cut.
fn in_context(unit: &Unit, passage: &str) -> String {
    let beside = [unit.caption.as_ref(), unit.header.as_ref()].into_iter().flatten();
    let beside = beside.map(|range| text::prefix(&passage[range.clone()], BESIDE));
    beside.chain([&passage[unit.range.clone()]]).collect::<Vec<_>>().join("\n")
}

/// What the abbreviations of a source stand for, as its passages explain them.
fn abbreviations(source: &Source) -> Vec<(String, Vec<String>)> {
    let mut known: Vec<(String, Vec<String>)> =
        source.passages.iter().flat_map(|passage| lexical::abbreviations(&passage.text)).collect();
    known.sort();
    known.dedup_by(|later, first| later.0 == first.0);
    known
}

/// A sentence without the scraps of a figure that the extractor left behind it: last lines of one or two characters.
/// Behind what ends no sentence they are its end (`Number of runs on ice:` and the number below it).
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let mut sentence = &text[range.clone()];
    while let Some((before, last)) = sentence.rsplit_once('\n') {
        if last.trim().chars().count() > SCRAP {
            break;
        }
        sentence = before.trim_end();
    }
    let ended = sentence.trim_end_matches(CLOSING).ends_with(['.', '?', '!']);
    if ended { range.start..range.start + sentence.len() } else { range }
}

/// What may stand behind the full stop of a sentence.
const CLOSING: [char; 6] = ['"', '\u{201d}', '\'', '\u{2019}', ')', ']'];

/// Most characters of a line that is a scrap.
const SCRAP: usize = 2;

/// Measures every candidate against a question. Meanings that were computed stay.
pub(super) fn measure_all(candidates: &mut [Candidate], asked: &Question, sources: &[Source]) {
    let idf = Idf::of(candidates.iter().map(|candidate| &candidate.words));
    for candidate in candidates {
        let source = &sources[candidate.source];
        measure(candidate, asked, &idf, source, &source.passages[candidate.passage]);
    }
}

fn add_neighbours(passage: &mut [Candidate], heading: &Bag) {
    let bags: Vec<Bag> = passage.iter().map(|candidate| candidate.words.clone()).collect();
    for (at, candidate) in passage.iter_mut().enumerate() {
        let neighbours = &bags[at.saturating_sub(1)..bags.len().min(at + 2)];
        candidate.around = neighbours.iter().fold(heading.clone(), Bag::with);
    }
}

/// Rank of each passage by its score, ties by source and place.
fn ranks(sources: &[Source]) -> Vec<Vec<usize>> {
    let mut order: Vec<(usize, usize, f64)> = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        order.extend(source.passages.iter().enumerate().map(|(inside, passage)| (at, inside, passage.score)));
    }
    // Stable: equal scores stay in the order of sources.
    order.sort_by(|a, b| b.2.total_cmp(&a.2));
    let mut ranks: Vec<Vec<usize>> = sources.iter().map(|source| vec![0; source.passages.len()]).collect();
    for (rank, (at, inside, _)) in order.into_iter().enumerate() {
        ranks[at][inside] = rank;
    }
    ranks
}

fn section_name(section: &str) -> &str {
    section.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim_start()
}

fn measure(candidate: &mut Candidate, asked: &Question, idf: &Idf, source: &Source, passage: &Passage) {
    let heading = Bag::alike(&format!("{}\n{}", source.title, passage.section));
    let share = |bag: &Bag| lexical::coverage(&asked.terms, idf, |term| bag.holds(term));
    let own_text = &passage.text[candidate.unit.range.clone()];
    let shared = asked.numbers.iter().filter(|number| candidate.given.contains(number)).count();
    let new_number = candidate.given.iter().any(|number| !asked.numbers.contains(number));
    let section = if passage.section.is_empty() { "abstract".into() } else { text::fold(&passage.section) };
    let features = &mut candidate.features;
    features.own = share(&candidate.words);
    features.around = share(&candidate.around);
    features.heading = share(&heading);
    features.numbers = if asked.numbers.is_empty() { 0.0 } else { shared as f64 / asked.numbers.len() as f64 };
    let marks = [
        (Mark::Section, asked.sections.iter().any(|wanted| section.contains(wanted))),
        (Mark::Row, candidate.unit.kind == Kind::Row),
        (Mark::Caption, candidate.unit.kind == Kind::Caption),
        (Mark::Number, asked.wants(Want::Number) && new_number),
        (Mark::NoNumber, asked.wants(Want::Number) && !new_number),
        (Mark::Cause, asked.wants(Want::Cause) && matches(&CAUSAL, own_text)),
        (Mark::Defines, asked.wants(Want::Definition) && defines(own_text, asked)),
        (Mark::Listed, asked.wants(Want::List) && (matches(&ORDINAL, own_text) || candidate.thread.announced > 0)),
    ];
    features.marks = marks.into_iter().filter(|(_, holds)| *holds).map(|(mark, _)| mark).collect();
}

/// Whether a sentence says what one of the question's words means: `…, or utilisation, is`, `is called`, `defined as`.
fn defines(sentence: &str, asked: &Question) -> bool {
    let folded = text::fold(sentence);
    let named = |term: &lexical::Term| {
        ["or ", "called ", "means ", "by "].iter().any(|before| folded.contains(&format!("{before}{}", term.word)))
            || ["is the ", "is a ", "is an ", "means ", "denotes "]
                .iter()
                .any(|after| folded.contains(&format!("{} {after}", term.word)))
    };
    matches(&DEFINED, sentence) || asked.terms.iter().filter(|term| !term.weak).any(named)
}

static DEFINED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:(?:defined|known|referred to) as|we (?:speak of|call|define)|stands? for)\b").ok()
});

fn matches(pattern: &Option<Regex>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

static CAUSAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:because|since|due to|owing to|as a result|therefore|thus|so that|the reason|the cause|caused by|",
        r"for this reason|hence|follows from|which is why|results? from|in order to)\b"
    ))
    .ok()
});

static ORDINAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:the )?(?:first|second|third|fourth|fifth|firstly|secondly|thirdly|finally|last|lastly)\b[, ]")
        .ok()
});

/// Titles, keywords and scraps of figures are not sentences. One that runs into a formula ends without a full stop.
fn is_quotable(candidate: &Candidate, source: &Source) -> bool {
    let quoted = &source.passages[candidate.passage].text[candidate.unit.range.clone()];
    if candidate.unit.kind != Kind::Sentence {
        return true;
    }
    let folded = text::fold(quoted);
    let ended = quoted.trim_end_matches(CLOSING).ends_with(['.', '?', '!', ':']);
    let words: Vec<&str> = folded.split_whitespace().collect();
    let prose = words.iter().filter(|word| token::is_stop_word(word)).count() >= FUNCTION_WORDS;
    words.len() >= 4
        && (ended || (words.len() >= UNENDED && prose))
        && !folded.starts_with("keywords")
        && !folded.starts_with(&text::fold(&source.title))
}

/// Words, and function words among them, from which a text without a full stop is taken for a sentence.
const UNENDED: usize = 8;
const FUNCTION_WORDS: usize = 3;

/// Most candidates that are compared by meaning: the best ones by the words alone. The best 16 give the same facts as 40
/// on all 328 answerable questions for tuning, 10 lose five of them; encoding is most of what an answer costs.
const COMPARED: usize = 20;

/// Adds the cosine to the candidates that look best without it; tells how many.
pub(super) fn add_meaning(
    question: &str,
    candidates: &mut [Candidate],
    cosines: &Cosines<'_>,
) -> Result<usize, String> {
    let chosen = super::score::best(candidates, COMPARED);
    let texts: Vec<&str> = chosen.iter().map(|at| candidates[*at].in_context.as_str()).collect();
    let values = cosines(question, &texts)?;
    if values.len() != texts.len() {
        return Err(format!("{} cosines of {} texts", values.len(), texts.len()));
    }
    for (at, value) in chosen.iter().zip(values) {
        candidates[*at].features.meaning = Some(f64::from(value));
    }
    Ok(chosen.len())
}

/// A stretch of a passage's text.
pub(super) fn quoted<'a>(passage: &'a Passage, range: &Range<usize>) -> &'a str {
    &passage.text[range.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrap_is_dropped_only_behind_a_sentence() {
        let kept = |text: &'static str| &text[trimmed(text, 0..text.len())];
        assert_eq!(kept("Number of runs on ice:\n12"), "Number of runs on ice:\n12");
        assert_eq!(kept("The load of the tyre was\n5.\n12"), "The load of the tyre was\n5.\n12");
        assert_eq!(kept("The tyre slips.\n12\nx"), "The tyre slips.");
        assert_eq!(kept("\u{201c}The tyre slips.\u{201d}\n3"), "\u{201c}The tyre slips.\u{201d}");
        assert_eq!(kept("The tyre slips.\nAnd grips"), "The tyre slips.\nAnd grips");
    }
}
