//! Reading a question that counts or lists: what is asked for, and what limits it.
//!
//! A question is read whole or not at all. A word that no pattern explains, or one that denies, means that no template
//! fits: a number for another question than the one asked is worse than none.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use techrag_core::{text, token};

/// Longer texts are no such question.
const LONGEST: usize = 600;
/// Most limits of a question.
const MOST_LIMITS: usize = 8;
/// How many the newest are, where no number is said.
const SEVERAL: usize = 10;
/// Most words of a person's name.
const NAME_WORDS: usize = 5;

/// What a question asks of the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub(super) wanted: Wanted,
    pub(super) limits: Vec<Limit>,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Count(Thing),
    Documents,
    /// With the number of their documents, most first.
    Authors,
    Keywords,
    /// Documents a year.
    Years,
    /// So many; all of the last year.
    Newest(usize),
    Oldest(usize),
}

/// What can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    Documents,
    Authors,
    Keywords,
    Pages,
    Chunks,
}

/// What a document must meet. Of several words or names between "or", one is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    From(i64),
    To(i64),
    Author(Vec<String>),
    Keyword(Vec<String>),
    /// In title, keywords or abstract.
    About(Vec<String>),
    Titled(Vec<String>),
}

const DOCUMENTS: &str =
    r"(?:papers?|documents?|publications?|articles?|files?|works|reports?|sources?|studies|books?|theses|titles?)";
const LIBRARY: &str = r"(?:the|my|our|this) (?:library|corpus|collection|folder|database|index|catalog(?:ue)?)";
const YEAR: &str = r"(?:1[5-9]|20)\d\d";
const FILLER: &str = r"(?:are|is|was|were|be|been|being|there|that|which|who|have|has|had|do|does|did|we|i|you|they|total|altogether|exists?|available|stored|held|published|written|wrote|authored|appeared|of|the|all|any|them|please|and|also|only|in)";

static DENIES: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:not|no|never|but|except|excluding|without|neither|nor|other than|n't)\b|n['’]t\b"));
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:(?:that|which) )?(?:(?:are|is|were|do|does|has|have|did) )?(?:(?:there|we|i|you) (?:have )?)?(?:(?:stored|contained|held|included) )?(?:(?:in|within|of|from|inside) )?LIBRARY(?: (?:holds?|contains?|have|has|includes?|knows?))?\b",
    )
});
static NOUN: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:(?P<documents>DOCUMENTS)|(?P<authors>authors?|researchers?)|(?P<keywords>key ?words?)|(?P<pages>pages)|(?P<chunks>chunks|passages))\b",
    )
});
static OF_DOCUMENTS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^\W*(?:of|in|from|do|have|are in|are there in) (?:all )?(?:the |these |my |our )?DOCUMENTS\b")
});
static VERB: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\W*(?:(?:please|and|so|then|now|can you|could you|would you|tell me|i want to know|i need|i'd like|i would like)\b\W*)*(?:(?P<count>how many|(?:what(?:'s| is| are) )?(?:the )?(?:total |overall )?number of|count(?: of)?)|list|show(?: me)?|give(?: me)?|name|enumerate|print|find(?: me)?|display|which|what(?:'s| is| are| was)?|whose|(?:are|is) there|do (?:we|i|you) have)?(?:\b|$)",
    )
});
static A_YEAR: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:per|by|(?:for |in )?each|(?:for |in )?every) (?:publication )?years?\b"));
static THE_MOST: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:(?:with|has|have|wrote|written|published|who|that) )*the most DOCUMENTS\b"));
static EXTREME: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(?:is|are|was|were) (?:the )?(?:(?P<newest>newest|latest)|(?P<oldest>oldest|earliest))\b")
});
static HAS_WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(?:did|has|have|had) (?P<name>[^?]+?) (?:write|written|wrote|publish(?:ed)?|(?:co-?)?author(?:ed)?)\b")
});
static LEFT: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:\W+|\bFILLER\b)*$"));
static OR: LazyLock<Regex> = LazyLock::new(|| regex(r",? \bor\b "));
static AND: LazyLock<Regex> = LazyLock::new(|| regex(r"\s*(?:,? \band\b |[,;&])\s*"));
/// What no name of a person holds.
static NO_NAME: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:from|the|at|with|in|of|for|to|on|authors?|researchers?|same|each|several|more|than|one|two|three|year)\b|\d",
    )
});
/// Where a limit begins. One on years is whole; the value of another goes on to the next limit.
static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\b(?:(?:between|from|in|during|over) )?(?P<first>YEAR) ?(?:and|to|until|till|through|[-–—]) ?(?P<last>YEAR)\b",
        r"|\b(?:in|from|of|during) the (?P<decade>(?:1[5-9]|20)\d)0s\b",
        r"|\b(?:since(?: the year)? (?P<since>YEAR)\b|from (?P<onward>YEAR) (?:onwards?|on|to (?:now|today|date))\b)",
        r"|\b(?:after|later than|newer than) (?P<after>YEAR)\b",
        r"|\b(?:before|prior to|earlier than|older than) (?P<before>YEAR)\b",
        r"|\b(?:until|till|up to|by) (?P<until>YEAR)\b",
        r"|\b(?:in|from|of|during|dated|published)(?: the year)? (?P<exact>YEAR)\b",
        r"|(?P<author>\b(?:(?:(?:co-?)?authored|written|published) )?by (?:the )?(?:author )?|\bwith (?:the )?author |\bwhose authors? (?:is|are|include) )",
        r"|(?P<keyword>\b(?:with|having|under|tagged(?: with)?) (?:the )?key ?words? )",
        r"|(?P<titled>\b(?:with|whose|having) titles? (?:that )?(?:contain(?:s|ing)?|ha(?:s|ve|ving)|includ(?:es?|ing)) (?:the words? )?|\btitled )",
        r"|(?P<about>\b(?:about|on|concerning|regarding|deal(?:s|ing|t)? with|relat(?:es?|ed|ing) to|discuss(?:es|ed|ing)?|cover(?:s|ed|ing)?|treat(?:s|ed|ing)?|stud(?:y|ied|ying)|investigat(?:es?|ed|ing)|describ(?:es?|ed|ing)|address(?:es|ed|ing)?|analy[sz](?:es?|ed|ing)|work(?:s|ed|ing)? on) (?:the (?:topic|subject) (?:of )?)?)",
    ))
});

/// Compiles a pattern of this module; a test compiles them all.
#[expect(clippy::expect_used, reason = "the patterns are constants, and a test compiles every one")]
fn regex(pattern: &str) -> Regex {
    let named = [("DOCUMENTS", DOCUMENTS), ("LIBRARY", LIBRARY), ("YEAR", YEAR), ("FILLER", FILLER)];
    let pattern = named.iter().fold(pattern.to_owned(), |pattern, (name, stands)| pattern.replace(name, stands));
    Regex::new(&format!("(?i){pattern}")).expect("a constant pattern")
}

/// What the question asks of the catalog; `None` where no template fits it whole.
pub(super) fn read(question: &str) -> Option<Ask> {
    if question.len() > LONGEST || DENIES.is_match(question) {
        return None;
    }
    let asked = text::squeeze(question).replace("most recent", "newest");
    let asked = PLACE.replace_all(asked.trim_matches(|c: char| c.is_whitespace() || ".?!".contains(c)), " ");
    let noun = NOUN.captures(&asked)?;
    let found = noun.get(0)?;
    let mut limits = Vec::new();
    let head = Head::read(&asked[..found.start()], &mut limits)?;
    let rest = text::squeeze(&asked[found.end()..]);
    let rest = OF_DOCUMENTS.replace(&rest, " ").into_owned();
    let (wanted, rest) = wanted(head, thing(&noun), found.as_str(), rest)?;
    take_limits(&rest, &mut limits)?;
    (limits.len() <= MOST_LIMITS).then_some(Ask { wanted, limits })
}

fn thing(noun: &Captures<'_>) -> Thing {
    let things = [
        ("authors", Thing::Authors),
        ("keywords", Thing::Keywords),
        ("pages", Thing::Pages),
        ("chunks", Thing::Chunks),
    ];
    things.into_iter().find(|(name, _)| noun.name(name).is_some()).map_or(Thing::Documents, |(_, thing)| thing)
}

/// What stands before the noun.
#[derive(Default)]
struct Head {
    counts: bool,
    extreme: Option<Extreme>,
    number: Option<usize>,
}

#[derive(Clone, Copy)]
enum Extreme {
    Newest,
    Oldest,
}

impl Head {
    /// `None` where a word is not understood.
    fn read(head: &str, limits: &mut Vec<Limit>) -> Option<Self> {
        let verb = VERB.captures(head)?;
        let mut read = Self { counts: verb.name("count").is_some(), ..Self::default() };
        let rest = &head[verb.get(0)?.end()..];
        for word in rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            match word.to_lowercase().as_str() {
                "all" | "of" | "the" | "any" | "every" | "me" | "my" | "our" | "a" | "list" | "different"
                | "distinct" | "unique" | "various" | "single" | "is" | "are" => {}
                "newest" | "latest" => read.extreme = Some(Extreme::Newest),
                "oldest" | "earliest" => read.extreme = Some(Extreme::Oldest),
                word => match (word.parse::<i64>(), small(word)) {
                    (Ok(year @ 1500..2100), _) => limits.extend([Limit::From(year), Limit::To(year)]),
                    (Ok(number @ 1..=100), _) => read.number = usize::try_from(number).ok(),
                    (_, Some(number)) => read.number = Some(number),
                    _ => return None,
                },
            }
        }
        Some(read)
    }
}

fn small(word: &str) -> Option<usize> {
    let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    words.iter().position(|known| *known == word).map(|at| at + 1)
}

/// What is wanted, and what of the question is left to read.
fn wanted(head: Head, thing: Thing, noun: &str, mut rest: String) -> Option<(Wanted, String)> {
    let mut extreme = head.extreme;
    if let Some(found) = EXTREME.captures(&rest) {
        extreme = Some(if found.name("newest").is_some() { Extreme::Newest } else { Extreme::Oldest });
        rest = EXTREME.replace(&rest, " ").into_owned();
    }
    let yearly = A_YEAR.is_match(&rest);
    rest = A_YEAR.replace_all(&rest, " ").into_owned();
    let most = THE_MOST.is_match(&rest);
    rest = THE_MOST.replace_all(&rest, " ").into_owned();
    let several = noun.to_lowercase().ends_with('s');
    let number = head.number.unwrap_or(if several { SEVERAL } else { 1 });
    let wanted = match (thing, extreme) {
        (Thing::Documents, Some(Extreme::Newest)) if !head.counts => Wanted::Newest(number),
        (Thing::Documents, Some(Extreme::Oldest)) if !head.counts => Wanted::Oldest(number),
        (_, Some(_)) => return None,
        // A number without an order of time says how many to show, which no template knows.
        _ if head.number.is_some() || (most && thing != Thing::Authors) => return None,
        (Thing::Documents, None) if yearly => Wanted::Years,
        _ if yearly => return None,
        (thing, None) if head.counts && !most => Wanted::Count(thing),
        (Thing::Documents, None) => Wanted::Documents,
        (Thing::Authors, None) => Wanted::Authors,
        (Thing::Keywords, None) => Wanted::Keywords,
        (Thing::Pages | Thing::Chunks, None) => return None,
    };
    Some((wanted, rest))
}

/// Reads every limit; `None` where something is left that says nothing known.
fn take_limits(rest: &str, limits: &mut Vec<Limit>) -> Option<()> {
    let named = |found: &Captures<'_>| {
        if LEFT.is_match(&found["name"]) { found[0].to_owned() } else { format!("by {}", &found["name"]) }
    };
    let rest = HAS_WRITTEN.replace_all(rest, named);
    let found: Vec<Captures<'_>> = LIMIT.captures_iter(&rest).collect();
    let ends = found.iter().skip(1).filter_map(|next| Some(next.get(0)?.start())).chain([rest.len()]);
    let mut left =
        rest[..found.first().and_then(|first| first.get(0)).map_or(rest.len(), |first| first.start())].to_owned();
    for (found, end) in found.iter().zip(ends) {
        let value = &rest[found.get(0)?.end()..end];
        match of_years(found) {
            Some(years) => {
                limits.extend(years);
                left.push(' ');
                left.push_str(value);
            }
            None => limits.extend(of_words(found, value)?),
        }
    }
    LEFT.is_match(&left).then_some(())
}

fn of_years(found: &Captures<'_>) -> Option<Vec<Limit>> {
    let year = |name: &str| found.name(name).and_then(|year| year.as_str().parse::<i64>().ok());
    let both = |first: i64, last: i64| vec![Limit::From(first.min(last)), Limit::To(first.max(last))];
    let between = year("first").zip(year("last")).map(|(first, last)| both(first, last));
    between
        .or_else(|| year("decade").map(|decade| both(10 * decade, 10 * decade + 9)))
        .or_else(|| year("since").or(year("onward")).map(|year| vec![Limit::From(year)]))
        .or_else(|| year("after").map(|year| vec![Limit::From(year + 1)]))
        .or_else(|| year("before").map(|year| vec![Limit::To(year - 1)]))
        .or_else(|| year("until").map(|year| vec![Limit::To(year)]))
        .or_else(|| year("exact").map(|year| both(year, year)))
}

/// The limits that a value makes; `None` where it is none.
fn of_words(found: &Captures<'_>, value: &str) -> Option<Vec<Limit>> {
    let value = trimmed(value);
    let any = |value: &str| -> Vec<String> { OR.split(value).map(|value| trimmed(value).to_owned()).collect() };
    if found.name("author").is_some() {
        let names: Vec<Vec<String>> = AND.split(value).map(any).collect();
        let is_name = |name: &String| {
            !NO_NAME.is_match(name)
                && (1..=NAME_WORDS).contains(&name.split_whitespace().count())
                && name.chars().any(char::is_alphabetic)
        };
        let plain = names.len() == 1 || names.iter().all(|names| names.len() == 1);
        let good = plain && names.iter().flatten().all(is_name);
        return good.then(|| names.into_iter().map(Limit::Author).collect());
    }
    let values = any(value);
    let said = values.iter().all(|value| !token::tokens(value, token::Config::WORDS).is_empty());
    let limit = if found.name("keyword").is_some() {
        Limit::Keyword
    } else if found.name("titled").is_some() {
        Limit::Titled
    } else {
        Limit::About
    };
    said.then(|| vec![limit(values)])
}

/// Without quotation marks, and without words at the end that say nothing.
fn trimmed(value: &str) -> &str {
    let mut value = bare(value);
    while let Some((before, last)) = value.rsplit_once(' ') {
        if !LEFT.is_match(last) {
            break;
        }
        value = bare(before);
    }
    value
}

fn bare(value: &str) -> &str {
    value.trim_matches(|c: char| c.is_whitespace() || "\"'“”‘’„«»,;:".contains(c))
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
