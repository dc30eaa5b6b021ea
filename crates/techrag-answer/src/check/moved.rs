//! Numbers of a claim that its quotation gives to something else.
//!
//! `0.8 on snow and 0.27 on dry road` has every number and every word of `0.27 on snow and 0.8 on dry road`. Two rules,
//! both of which need words in common to say anything, so that a free paraphrase is left alone:
//!
//! | rule | a number is out of place when |
//! |---|---|
//! | word for word | the claim stands in the quotation but for the order of its numbers, and nowhere in this order |
//! | neighbours | the two words before it stand in the quotation before other numbers only, or the two after it after other numbers only; one of the two must be telling, and a number that the quotation has beside either pair is in place |
//!
//! Numbers that stand together (`0.2, 0.3 and 0.4`, `between 3 and 5`) count as one place for the second rule.

use std::collections::{BTreeSet, HashMap};

use techrag_core::{text, token};

/// Words on a side that make a number's place.
const BESIDE: usize = 2;

/// Words that join numbers of one place.
const JOINTS: [&str; 6] = ["and", "or", "to", "resp", "respectively", "versus"];

/// What may stand between numbers of one place.
const BREAKS: [char; 6] = [',', '.', '(', ')', '[', ']'];

/// What parts places: the number in the heading `Time to 63 %` and that in its cell, `Time to 63 %: 192 s`.
const STOPS: [char; 3] = [';', ':', '|'];

/// A word or a number, folded, or what parts them: `0.8, on snow 0.27` says nothing of 0.8 on snow.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Word(String),
    Number(String),
    Break,
    Stop,
}

/// The numbers of a claim that are out of place, each once, in order.
pub(super) fn numbers(claim: &str, quoted: &str) -> Vec<String> {
    let (claim, quoted) = (pieces(claim), pieces(quoted));
    if claim.iter().filter(|piece| matches!(piece, Piece::Number(_))).count() == 0 {
        return Vec::new();
    }
    let mut moved = match word_for_word(&claim, &quoted) {
        Some(moved) => moved,
        None => beside_others(&claim, &quoted),
    };
    let mut seen = BTreeSet::new();
    moved.retain(|number| seen.insert(number.clone()));
    moved
}

fn pieces(words: &str) -> Vec<Piece> {
    let folded: Vec<char> = text::fold(words).chars().collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < folded.len() {
        let rest = &folded[at..];
        let length = if rest[0].is_numeric() {
            number_length(rest)
        } else {
            rest.iter().take_while(|c| c.is_alphabetic()).count().max(1)
        };
        let piece: String = rest[..length].iter().collect();
        if rest[0].is_numeric() {
            pieces.push(Piece::Number(value(&piece)));
        } else if rest[0].is_alphabetic() {
            pieces.push(Piece::Word(piece));
        } else if STOPS.contains(&rest[0]) {
            pieces.push(Piece::Stop);
        } else if BREAKS.contains(&rest[0]) && pieces.last().is_some_and(|last| *last != Piece::Break) {
            pieces.push(Piece::Break);
        }
        at += length;
    }
    pieces
}

/// Digits, with points and commas that have digits on both sides.
fn number_length(rest: &[char]) -> usize {
    let inside =
        |at: usize| matches!(rest.get(at), Some('.' | ',')) && rest.get(at + 1).is_some_and(|next| next.is_numeric());
    (1..rest.len()).find(|at| !rest[*at].is_numeric() && !inside(*at)).unwrap_or(rest.len())
}

/// A number without what typesetting adds.
fn value(number: &str) -> String {
    let plain = number.replace(',', "");
    if plain.contains('.') { plain.trim_end_matches('0').trim_end_matches('.').to_owned() } else { plain }
}

/// The numbers that differ where the claim stands word for word with the same numbers; `None` if it does nowhere.
fn word_for_word(claim: &[Piece], quoted: &[Piece]) -> Option<Vec<String>> {
    let without_breaks = |pieces: &[Piece]| -> Vec<Piece> {
        pieces.iter().filter(|piece| !matches!(piece, Piece::Break | Piece::Stop)).cloned().collect()
    };
    let (claim, quoted) = (without_breaks(claim), without_breaks(quoted));
    let same = |(own, other): (&Piece, &Piece)| match (own, other) {
        (Piece::Word(a), Piece::Word(b)) => a == b,
        (Piece::Number(_), Piece::Number(_)) => true,
        _ => false,
    };
    let own = sorted(&claim);
    let worded = quoted.windows(claim.len()).filter(|window| claim.iter().zip(*window).all(same));
    // Other numbers in the same words may be another sentence: `5 % at 2 kN` beside `3 % at 4 kN`.
    let places = worded.take(PLACES).filter(|window| sorted(window) == own);
    let differing = |window: &[Piece]| -> Vec<String> {
        let pairs = claim.iter().zip(window).filter(|(own, other)| own != other);
        pairs.filter_map(|(own, _)| number(own)).map(str::to_owned).collect()
    };
    places.map(differing).min_by_key(Vec::len)
}

/// Places of the same words whose numbers are compared: rows of numbers alone stand at every number of a table.
const PLACES: usize = 200;

fn sorted(pieces: &[Piece]) -> Vec<&str> {
    let mut numbers: Vec<&str> = pieces.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

fn number(piece: &Piece) -> Option<&str> {
    match piece {
        Piece::Number(value) => Some(value),
        Piece::Word(_) | Piece::Break | Piece::Stop => None,
    }
}

/// Numbers whose neighbours stand beside other numbers in the quotation.
fn beside_others(claim: &[Piece], quoted: &[Piece]) -> Vec<String> {
    let places = groups(quoted);
    let before = beside(places.iter().map(|place| (place.before, &place.numbers)));
    let after = beside(places.iter().map(|place| (place.after, &place.numbers)));
    let mut moved = Vec::new();
    for group in groups(claim) {
        let sides = [group.before.and_then(|pair| before.get(&pair)), group.after.and_then(|pair| after.get(&pair))];
        if sides.iter().any(Option::is_some) {
            let out_of_place = |own: &&str| !sides.iter().flatten().any(|there| there.contains(own));
            moved.extend(group.numbers.iter().copied().filter(out_of_place).map(str::to_owned));
        }
    }
    moved
}

/// Two words on a side of a number; `None` where less stands there.
type Pair<'a> = Option<[&'a str; BESIDE]>;

/// The numbers that the quotation has beside each pair of words that says what a number is of.
fn beside<'a>(
    places: impl Iterator<Item = (Pair<'a>, &'a Vec<&'a str>)>,
) -> HashMap<[&'a str; BESIDE], BTreeSet<&'a str>> {
    let mut found: HashMap<[&str; BESIDE], BTreeSet<&str>> = HashMap::new();
    for (pair, numbers) in places {
        if let Some(pair) = pair.filter(is_telling) {
            found.entry(pair).or_default().extend(numbers.iter().copied());
        }
    }
    found
}

/// Numbers that stand together, and the words on both sides.
struct Group<'a> {
    numbers: Vec<&'a str>,
    before: Pair<'a>,
    after: Pair<'a>,
}

fn groups(pieces: &[Piece]) -> Vec<Group<'_>> {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        if number(piece).is_none() {
            continue;
        }
        match groups.last_mut() {
            // Joined where nothing but joints, commas and units (words of at most three letters) lies between.
            Some((_, last)) if pieces[*last + 1..at].iter().all(is_joint) => *last = at,
            _ => groups.push((at, at)),
        }
    }
    let pair = |from: usize| match pieces.get(from..from + BESIDE) {
        Some([Piece::Word(one), Piece::Word(two)]) => Some([one.as_str(), two.as_str()]),
        _ => None,
    };
    let group = |(first, last): (usize, usize)| Group {
        numbers: pieces[first..=last].iter().filter_map(number).collect(),
        before: first.checked_sub(BESIDE).and_then(pair),
        after: pair(last + 1),
    };
    groups.into_iter().map(group).collect()
}

fn is_joint(piece: &Piece) -> bool {
    match piece {
        Piece::Number(_) | Piece::Break => true,
        Piece::Stop => false,
        Piece::Word(word) => {
            JOINTS.contains(&word.as_str()) || (word.chars().count() <= 3 && !token::is_stop_word(word))
        }
    }
}

/// Whether a pair of words says what a number is of.
fn is_telling(pair: &[&str; BESIDE]) -> bool {
    pair.iter().any(|word| word.chars().count() > 3 && !token::is_stop_word(word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SURFACES: &str =
        "The friction is 0.27 on snow and 0.8 on asphalt, and the error of the load is 5 % at 80 km/h.";

    #[test]
    fn numbers_that_changed_places_are_named() {
        for (claim, quoted, moved) in [
            (
                "The friction is 0.8 on snow and 0.27 on asphalt, and the error of the load is 5 % at 80 km/h.",
                SURFACES,
                &["0.8", "0.27"][..],
            ),
            ("With 0.8 on snow the friction is low.", SURFACES, &["0.8"]),
            ("At 5 km/h the load is 80 % off.", "At 80 km/h the load is 5 % off.", &["5", "80"]),
            ("It has an error of 3 m.", "An error of 7 m remains, a bias of 3 m is removed.", &["3"]),
            ("Rows 2 and 1 agree.", "Rows 1 and 2 agree.", &["2", "1"]),
        ] {
            assert_eq!(numbers(claim, quoted), moved, "{claim}");
        }
    }

    #[test]
    fn what_a_paraphrase_does_with_numbers_is_left_alone() {
        for (claim, quoted) in [
            ("On asphalt the friction reaches 0.8, on snow 0.27.", SURFACES),
            ("The load has an error of 5 % and the friction on snow is 0.27.", SURFACES),
            ("The friction is 0.270 on snow.", SURFACES),
            ("It is 0.27 on snow.", "It is 0.27, 0.3 or 0.4 on snow."),
            ("It takes between 3 and 5 s on ice.", "It takes between 5 s and 3 s on ice."),
            ("The error is 3 % at 4 kN.", "The error is 5 % at 2 kN. At 4 kN the error is 3 %."),
            ("Surface: snow; Friction: 0.27.", "| Surface | Friction |\n| snow | 0.27 |"),
            (
                "Speed: 50 km/h; Time to 63%: 192 s.",
                "Table 2. Time to 63% of the rise.\n| Speed | Time to 63% |\n| 50 km/h | 192 s |",
            ),
            ("No number here.", SURFACES),
            ("", ""),
        ] {
            assert_eq!(numbers(claim, quoted), Vec::<String>::new(), "{claim}");
        }
    }

    proptest! {
        #[test]
        fn what_is_quoted_word_for_word_is_in_place(
            before in "[a-z0-9 .,]{0,30}", claim in "[a-z0-9 .,%]{0,40}", after in "[a-z0-9 .,]{0,30}",
        ) {
            prop_assert_eq!(numbers(&claim, &format!("{before} ; {claim} ; {after}")), Vec::<String>::new());
        }
    }
}
