//! Whether a claim says what its quotations say, word by word.
//!
//! Most words may be others, since a paraphrase is no fault. What turns a claim into another one may not: its numbers,
//! its names, a negation more or less, a direction where the quotation has the contrary, and numbers that changed places
//! ([`moved`]).

use std::collections::{BTreeSet, HashMap};

use techrag_core::quantity::{Quantity, quantities};
use techrag_core::token::{self, Config, tokens};
use techrag_core::{lexical, sentence, text};

use super::moved;

/// Share of a claim's words that its quotations must hold. Numbers and names must all be there.
const TERMS: f64 = 0.8;

/// A name of so many letters must stand as a word of its own; `ABS` stands in `absorbs` too.
const SHORT: usize = 4;

/// Words that deny a statement. `without` and the like deny a part of it only.
const DENIALS: [&str; 6] = ["cannot", "neither", "never", "no", "nor", "not"];

/// Words of contrary directions. A paraphrase may take another word of the same side, not one of the other.
const DIRECTIONS: [(&[&str], &[&str]); 6] = [
    (&["increase", "rise", "grow", "raise", "gain"], &["decrease", "fall", "drop", "reduce", "decline", "shrink"]),
    (
        &[
            "higher", "larger", "greater", "more", "bigger", "longer", "highest", "largest", "greatest", "most",
            "longest",
        ],
        &["lower", "smaller", "fewer", "less", "shorter", "lowest", "smallest", "fewest", "least", "shortest"],
    ),
    (&["faster", "earlier", "sooner", "fastest", "earliest"], &["slower", "later", "slowest", "latest"]),
    (&["better", "improve", "best"], &["worse", "degrade", "worsen", "worst", "deteriorate"]),
    (&["above", "over", "exceed", "maximum", "upper"], &["below", "under", "minimum"]),
    (&["before", "stable", "accurate", "overestimate"], &["after", "unstable", "inaccurate", "underestimate"]),
];

/// What of a claim its quotations do not hold; empty when it stands.
pub(super) fn missing(claim: &str, quoted: &str) -> Vec<String> {
    let given = by_value(quantities(quoted));
    let absent = |quantity: &Quantity| {
        given.get(magnitude(quantity)).is_none_or(|them| !them.iter().any(|it| it.agrees(quantity)))
    };
    let mut missing: Vec<String> = quantities(claim)
        .into_iter()
        .filter(absent)
        .map(|quantity| format!("{} {}", quantity.value, quantity.unit.unwrap_or_default()).trim_end().to_owned())
        .collect();
    let said = (text::fold(quoted), text::fold_tight(quoted));
    missing.extend(names(claim).into_iter().filter(|name| !has_name(&said, name)));
    let bag = lexical::Bag::of(quoted);
    let words: BTreeSet<String> = tokens(claim, Config::WORDS).into_iter().collect();
    let unheld: Vec<&String> = words.iter().filter(|word| !bag.has(word)).collect();
    if (unheld.len() as f64) > (1.0 - TERMS) * words.len() as f64 {
        missing.extend(unheld.into_iter().cloned());
    }
    if words.is_empty() && !said.1.contains(&text::fold_tight(claim)) {
        missing.push(claim.trim().to_owned());
    }
    missing.extend(turned(&words, &bag));
    missing.extend(moved::numbers(claim, quoted).into_iter().map(|number| format!("{number} in this place")));
    missing.extend(denied(claim, quoted));
    missing.sort();
    missing.dedup();
    missing
}

/// Quantities by their number, each with the units it has: those that could agree with another stand together.
fn by_value(quantities: Vec<Quantity>) -> HashMap<String, BTreeSet<Quantity>> {
    let mut found: HashMap<String, BTreeSet<Quantity>> = HashMap::new();
    for quantity in quantities {
        found.entry(magnitude(&quantity).to_owned()).or_default().insert(quantity);
    }
    found
}

fn magnitude(quantity: &Quantity) -> &str {
    quantity.value.trim_start_matches('-')
}

/// Names in a claim, each once: words with a capital inside, and capitalised words after the first that are no function words.
fn names(claim: &str) -> BTreeSet<String> {
    let is_name = |(at, word): &(usize, &str)| {
        let letters: Vec<char> = word.chars().filter(|c| c.is_alphabetic()).collect();
        let inner = letters.iter().skip(1).any(|c| c.is_uppercase());
        let plain = token::is_stop_word(&text::fold(word));
        letters.len() > 1 && !plain && (inner || (*at > 0 && letters[0].is_uppercase()))
    };
    let words = claim.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.enumerate().filter(is_name).map(|(_, word)| word.to_owned()).collect()
}

/// Whether a name stands in a quotation, given as its fold and its tight fold.
fn has_name((folded, tight): &(String, String), name: &str) -> bool {
    let short = name.chars().count() <= SHORT && name.chars().all(char::is_alphabetic);
    if !short {
        return tight.contains(&text::fold_tight(name));
    }
    let name = text::fold(name);
    let inside = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    folded.match_indices(&name).any(|(at, _)| {
        let after = &folded[at + name.len()..];
        let after = after.strip_prefix('s').unwrap_or(after); // a plural
        !inside(folded[..at].chars().next_back()) && !inside(after.chars().next())
    })
}

/// Words of a direction where the quotation has the contrary one instead.
fn turned(words: &BTreeSet<String>, bag: &lexical::Bag) -> Vec<String> {
    let stems = |side: &[&str]| side.iter().flat_map(|word| tokens(word, Config::WORDS)).collect::<Vec<_>>();
    let mut turned = Vec::new();
    for (up, down) in DIRECTIONS {
        let (up, down) = (stems(up), stems(down));
        for (side, contrary) in [(&up, &down), (&down, &up)] {
            let same = side.iter().any(|word| bag.has(word));
            let other = contrary.iter().any(|word| bag.has(word) && !words.contains(word));
            if other && !same {
                turned.extend(side.iter().filter(|word| words.contains(*word)).cloned());
            }
        }
    }
    turned
}

/// `not` where the claim denies what no quotation denies, or says what the sentence quoted for it denies.
fn denied(claim: &str, quoted: &str) -> Option<String> {
    let own = lexical::Bag::of(claim);
    if denies(claim) {
        return (!denies(quoted)).then(|| "not".to_owned());
    }
    let parts = quoted.lines().flat_map(sentence::split).map(|part| (part, own.share_in(&lexical::Bag::of(part))));
    let nearest = parts.max_by(|a, b| a.1.total_cmp(&b.1));
    nearest.filter(|(part, _)| denies(part)).map(|_| "not, as quoted".to_owned())
}

fn denies(words: &str) -> bool {
    let folded = text::fold(words);
    let mut words =
        folded.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        // `not only` denies nothing, and `No. 5` is a number.
        let only = word == "not" && words.peek() == Some(&"only");
        let number = word == "no" && words.peek().is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
        if !only && !number && (DENIALS.contains(&word) || word.ends_with("n't")) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_was_turned_round_is_not_held() {
        for (quoted, claim, lacking) in [
            (
                "The braking distance of the loaded truck increases on the wet road.",
                "The braking distance of the loaded truck decreases on the wet road.",
                "decreas",
            ),
            (
                "The estimate of the second filter is worse on packed snow in winter.",
                "The estimate of the second filter is better on packed snow in winter.",
                "better",
            ),
            (
                "The estimate drifts on a road with constant slope and low slip.",
                "The estimate never drifts on a road with constant slope and low slip.",
                "not",
            ),
            (
                "The filter of the second stage does not converge on polished ice.",
                "The filter of the second stage converges on polished ice.",
                "not, as quoted",
            ),
            (
                "The observer isn't stable above the speed of 30 m/s.",
                "The observer is stable above the speed of 30 m/s.",
                "not, as quoted",
            ),
            (
                "The rubber absorbs the load of the wheel.",
                "The rubber of the ABS absorbs the load of the wheel.",
                "ABS",
            ),
            ("The tyre slips.", "It is so.", "It is so."),
        ] {
            let missing = missing(claim, quoted);
            assert!(missing.iter().any(|what| what == lacking), "{claim}: {missing:?}");
        }
    }

    #[test]
    fn a_paraphrase_is_held() {
        for (quoted, claim) in [
            (
                "The braking distance of the truck rises on wet roads.",
                "The braking distance of the truck increases on wet roads.",
            ),
            ("The error rises with speed while the gain falls.", "The gain falls while the error rises with speed."),
            ("Not only does the load grow, the slip grows too.", "The load grows, and the slip grows too."),
            ("The sensor fails. It does not drift.", "The sensor fails."),
            ("The ABS of both cars, EKFs and ABS-based ones", "ABS and EKF of both cars"),
            ("See No. 5 of the tests of the tyre.", "See 5 of the tests of the tyre."),
            ("| Drift | no |", "Drift: no."),
        ] {
            assert_eq!(missing(claim, quoted), Vec::<String>::new(), "{claim}");
        }
    }
}
