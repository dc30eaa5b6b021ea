//! The cues by which routes are told, in one table.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use techrag_core::record::RouteName;

use RouteName::{Bibliometric, CurrentWorld, Trend};

/// A pattern that speaks for a route.
#[derive(Debug)]
pub(super) struct Cue {
    /// The route it speaks for.
    pub(super) route: RouteName,
    /// What it stands for, in the record's reason.
    pub(super) name: &'static str,
    /// Points; a route is on from 2.
    pub(super) weight: u32,
    /// Whether it only counts or dates publications, which is `trend`'s business where that is on.
    pub(super) counts_only: bool,
    pattern: Regex,
}

/// Things that are published, in the plural: "the paper" is a source, "papers" are a search.
const WORKS: &str = r"(?:papers|publications|articles|literature|references|bibliograph\w+|reading list|surveys?|review articles|reviews|studies|works|theses|proceedings|preprints)";

/// Route, name, weight, counts only, pattern (`WORKS` is put in; case is ignored).
type Row = (RouteName, &'static str, u32, bool, &'static str);

#[rustfmt::skip]
const CUES: &[Row] = &[
    (Bibliometric, "asks for works", 2, false, r"^\W*(?:please )?(?:can you |could you )?(?:find|list|show|give|recommend|suggest|search|look up|get|collect|name|i(?:'m| am) looking for|i need|are there|is there|do we have|what)\b.{0,60}\bWORKS\b"),
    (Bibliometric, "which works or authors", 2, false, r"\b(?:which|what|whose) (?:\w+[- ]){0,2}(?:papers|publications|articles|studies|works|documents|authors|researchers|groups|books)\b"),
    (Bibliometric, "works on a topic", 2, true, r"\bWORKS (?:by|on|about|from|of|that|which|dealing|related|concerning|since|in the (?:area|field))\b"),
    (Bibliometric, "recent or key works", 2, false, r"\b(?:recent|latest|newest|key|main|seminal|important|state[- ]of[- ]the[- ]art|classic|foundational)\b(?: [\w-]+){0,5} WORKS\b"),
    (Bibliometric, "who published", 2, false, r"\bwho (?:has |have |had |else )?(?:published|wrote|written|works? on|worked on|researche[sd]|studie[sd])\b"),
    (Bibliometric, "published by", 2, true, r"\b(?:has|have|did|was|were|else)\b.{0,60}\b(?:publish(?:ed)?|written|authored)\b"),
    (Bibliometric, "citations and authors", 2, false, r"\b(?:most[- ]cited|highly cited|cited by|cites?\b|citing|citation counts?|co-?authors?|h-index)"),
    (Bibliometric, "authors", 1, false, r"\b(?:authors|researchers)\b"),
    (Bibliometric, "counts works", 2, true, r"\bhow many (?:\w+ )?(?:papers|publications|articles|studies|documents|works|authors)\b"),
    (Trend, "counts over years", 2, false, r"\b(?:papers|publications?|articles|WORKS|output|research)\b.{0,80}\b(?:per|by|each|every) year\b|\bby year\b.{0,40}\bWORKS\b"),
    (Trend, "yearly counts", 2, false, r"\b(?:annual|yearly)\b.{0,30}\b(?:number|count|volume|output|papers|publications|articles)"),
    (Trend, "research over time", 2, false, r"\b(?:research|literature|field|discipline|interest|publications|scientific output|research activity|studies|science|papers)\b.{0,80}\b(?:evolv\w+|develop(?:ed|s)?\b|chang(?:ed|ing)|grow(?:n|ing|s|th)?\b|grew|declin\w+|slow\w* down|take off|took off|emerg\w+|gain\w* momentum|over (?:time|the (?:years|last|past))|(?:in|over|during) the (?:past|last) (?:\w+ )?(?:years|decades?))"),
    (Trend, "development of research", 2, false, r"\b(?:evolution|history|development|growth|rise|decline|trajectory|timeline|emergence|grew|growth)\b.{0,60}\b(?:research|literature|field|publications|science|scholarship|studies)\b"),
    (Trend, "research trends", 2, false, r"\b(?:research|publication|publishing|scientific|scholarly|emerging|bibliometric)\s+(?:trends?|topics|areas|themes|fronts?|volumes?|counts?|activity|output|directions)\b.{0,80}(?:\b(?:emerg\w+|momentum|over time|year|slow\w*|trend\w*|grow\w*|in|on|for|between|since|of|has|have)\b)"),
    (Trend, "emerging topics", 2, false, r"\b(?:topics|areas|directions|themes)\b.{0,40}\b(?:emerging|gaining|trending|rising|growing)\b"),
    (Trend, "when a field began", 2, false, r"\bwhen did\b.{0,40}\b(?:research|interest|work|publications|the field)\b"),
    (Trend, "since a year", 1, false, r"\b(?:since (?:19|20)\d\d|(?:19|20)\d\d ?(?:to|-|–|and) ?(?:19|20)\d\d|over the (?:last|past) (?:\w+ )?(?:years|decades?))"),
    (Trend, "number of works", 1, false, r"\bnumber of (?:papers|publications|articles|studies)\b"),
    (CurrentWorld, "companies", 2, false, r"\b(?:which|what|who|whose|any|list|name)\b.{0,30}\b(?:companies|manufacturers|suppliers|vendors|start-?ups|car ?makers|automakers|firms|producers|oems|brands|retailers)\b"),
    (CurrentWorld, "business", 2, false, r"\b(?:ceo|cfo|chief executive|stock price|share price|market (?:size|share|value|data|leaders?|price)|acquisition|mergers?|take-?overs?|revenues?|quarterly|earnings|layoffs|investors?)\b"),
    (CurrentWorld, "prices and trade", 2, false, r"\b(?:current|today's|retail|list) prices?\b|\bprices? of\b|\b(?:what|how much) (?:do|does|did) .{0,40}\bcost\b|\b(?:exports?|imports?|sales) (?:of|from|to|in|figures|rise|fall)\b|\b(?:sell|sells|selling|sold|buy)\b"),
    (CurrentWorld, "news", 2, false, r"\b(?:news|announce[ds]?|announcements?|press release|headlines?|recalls? of|recalled|product launch)\b"),
    (CurrentWorld, "law", 2, false, r"\b(?:legislation|laws?\b(?: in| of the| require)|come into force|comes into force|enter into force|legally|by law|homologation|regulator)\b"),
    (CurrentWorld, "regulation", 1, false, r"\b(?:regulations?|regulatory|directives?|rules|mandat\w+|label(?:l?ing)|legal|safety standards|compliance|required|require|ban|banned|subsid\w+|tariffs?)\b"),
    (CurrentWorld, "regulation of products", 1, false, r"\bregulations\b|\blabell?ing regulation|\bnew rules\b|\bregulation on\b"),
    (CurrentWorld, "authorities and places", 1, false, r"\b(?:eu|european union|european commission|nhtsa|unece|un ?r\d+|fmvss|epa|euro [67]|ncap|germany|china|japan|france|uk|usa?|united states|europe)\b"),
    (CurrentWorld, "now", 1, false, r"\b(?:today|today's|currently|right now|nowadays|this (?:year|month|week|quarter)|last (?:year|month|week|quarter)|next year|on the market|latest)\b"),
    (CurrentWorld, "strategy", 2, false, r"'s (?:\w+ )?(?:strategy|roadmap|business model)\b|\b(?:business|corporate|market) strategy\b"),
    (CurrentWorld, "market", 1, false, r"\b(?:markets?|industry|manufacturers|suppliers|companies|car ?makers|offer|supply)\b"),
];

static TABLE: LazyLock<Vec<Cue>> = LazyLock::new(|| {
    let compile = |(route, name, weight, counts_only, pattern): &Row| Cue {
        route: *route,
        name,
        weight: *weight,
        counts_only: *counts_only,
        pattern: regex(&pattern.replace("WORKS", WORKS)),
    };
    CUES.iter().map(compile).collect()
});

/// Compiles a pattern of this module; a test compiles them all.
#[expect(clippy::expect_used, reason = "the patterns are constants, and a test compiles every one")]
fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).case_insensitive(true).build().expect("a constant pattern")
}

/// Questions are read this far: nobody asks more, and patterns stay fast on hostile input.
const READ: usize = 2000;

fn read(question: &str) -> &str {
    techrag_core::text::prefix(question, READ)
}

/// The cues that match, in the order of the table.
pub(super) fn matching(question: &str) -> Vec<&'static Cue> {
    TABLE.iter().filter(|cue| cue.pattern.is_match(read(question))).collect()
}

/// Asks for an explanation wherever it stands.
static EXPLAIN: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:why|explain|derive|how (?:does|do|is|are|can) .{1,60}\b(?:work|works|function|defined|measured|modell?ed|computed|calculated|estimated|compare))\b|\bwhat do (?:they|these|recent)\b.{0,40}\b(?:say|conclude|report|find)\b",
    )
});

/// A clause that asks: a question word or an order to describe.
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\W*(?:and |or |also |please )*(?:what|how|which|why|when|where|describe|explain|compare|summari[sz]e|derive|define|in what)\b",
    )
});

/// Where one clause ends and the next begins.
static CLAUSE: LazyLock<Regex> = LazyLock::new(|| regex(r"[?;.]\s+|,?\s+(?:and|but)\s+(?:also )?|,\s+"));

/// Why a question takes the content route, if it does; `beside` another route it needs a reason of its own.
pub(super) fn content(question: &str, beside: bool) -> Option<&'static str> {
    let question = read(question);
    if !beside {
        return Some("no cue of another route");
    }
    if EXPLAIN.is_match(question) {
        return Some("asks for an explanation");
    }
    let clauses: Vec<&str> = CLAUSE.split(question).collect();
    let own = |clause: &&str| {
        ASKS.is_match(clause)
            && clause.split_whitespace().count() >= 4
            && !TABLE.iter().any(|cue| cue.pattern.is_match(clause))
    };
    (clauses.len() > 1 && clauses.iter().any(own)).then_some("a clause asks a question of its own")
}

/// A bare field name: no question word, no verb of asking, and "… in" with a plural at the end.
pub(super) fn is_field_name(question: &str) -> bool {
    static FIELD: LazyLock<Regex> = LazyLock::new(|| regex(r"^[\w-]+(?: [\w-]+){1,5} in (?:[\w-]+ )?[\w-]+s\W*$"));
    static VERB: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:what|how|why|which|who|when|where|is|are|was|were|do|does|did|can|has|have|the|a|an|explain|describe|compare|give|derive|state|list)\b|\d",
        )
    });
    let question = read(question).trim();
    FIELD.is_match(question) && !VERB.is_match(question)
}

/// Whether the catalog can answer: how many documents, or a list of those in the library.
pub(super) fn asks_the_catalog(question: &str) -> bool {
    static CATALOG: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\bhow many (?:\w+ )?(?:papers|documents|publications|articles|pages|chunks|files|authors|sources|reports)\b|\b(?:papers|documents|publications|articles|files|authors|reports)\b.{0,40}\bin (?:the|my|our|this) (?:library|corpus|collection|folder|database|index)\b|\blist (?:all )?(?:the )?(?:papers|documents|files|authors|titles|keywords)\b|\b(?:newest|latest|most recent|oldest|earliest) (?:paper|document|article|report)\b.{0,40}\bin (?:the|my|our|this) (?:library|corpus|collection|folder|database|index)\b",
        )
    });
    CATALOG.is_match(read(question))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_has_a_name() {
        assert_eq!(TABLE.len(), CUES.len());
        assert!(TABLE.iter().all(|cue| !cue.name.is_empty() && (1..=2).contains(&cue.weight)));
    }

    #[test]
    fn a_bare_field_is_told_from_a_relation_and_a_question() {
        assert!(is_field_name("Piezoelectric energy harvesting in tires"));
        for other in ["Friction estimation for AEB", "What is used in tyres?", "Force of 3 kN in tyres"] {
            assert!(!is_field_name(other), "{other}");
        }
    }
}
