//! Is a fact said: a gold fact is found in an answer token by token.
//!
//! Tokens, not characters, so that `0.62` is not found in `0.625` and `63.2 %` equals `63.2%`. What typesetting adds is
//! dropped: case, hyphens inside words, thousands separators, blanks between a number and its unit. A word at the end of
//! a fact may go on, as questions name facts by a stem: `insensitiv` is said by `insensitive` and `insensitivity`.

use techrag_core::text::fold;

/// Letters from which the last word of a fact may go on.
const STEM: usize = 5;

/// Whether `text` says the fact: any of its alternatives, separated by `|`, as a run of tokens.
pub fn says(text: &str, fact: &str) -> bool {
    let text = tokens(text);
    let says = |alternative: &str| {
        let wanted = tokens(alternative);
        !wanted.is_empty() && text.windows(wanted.len()).any(|window| is_run(window, &wanted))
    };
    fact.split('|').any(says)
}

fn is_run(window: &[String], wanted: &[String]) -> bool {
    let (Some((own, before)), Some((last, first))) = (window.split_last(), wanted.split_last()) else { return false };
    let is_stem = last.chars().count() >= STEM && last.chars().all(char::is_alphabetic);
    before == first && (own == last || (is_stem && own.starts_with(last.as_str())))
}

/// Numbers, words and symbols of folded text.
fn tokens(text: &str) -> Vec<String> {
    let characters: Vec<char> = fold(text).chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let length = token_length(&characters, at);
        tokens.extend(token(&characters, at, length));
        at += length;
    }
    tokens
}

fn token(characters: &[char], at: usize, length: usize) -> Option<String> {
    let token = &characters[at..at + length];
    match token[0] {
        c if c.is_whitespace() => None,
        '-' if !is_sign(characters, at) => None,
        c if c.is_numeric() => Some(token.iter().filter(|c| **c != ',').collect()),
        _ => Some(token.iter().collect()),
    }
}

/// A minus sign stands before a digit and after nothing that it could join to it.
fn is_sign(characters: &[char], at: usize) -> bool {
    let joined = at > 0 && characters[at - 1].is_alphanumeric();
    !joined && characters.get(at + 1).is_some_and(|c| c.is_numeric())
}

fn token_length(characters: &[char], at: usize) -> usize {
    let rest = &characters[at..];
    if rest[0].is_numeric() {
        number_length(rest)
    } else if rest[0].is_alphabetic() {
        rest.iter().take_while(|c| c.is_alphabetic()).count()
    } else {
        1
    }
}

/// Digits with decimal points, and with commas where three digits follow, as thousands have.
fn number_length(rest: &[char]) -> usize {
    let digits = |from: usize| rest[from..].iter().take_while(|c| c.is_numeric()).count();
    let mut length = digits(0);
    while let Some(separator) = rest.get(length) {
        let more = digits(length + 1);
        if more == 0 || !(*separator == '.' || *separator == ',' && more == 3) {
            break;
        }
        length += 1 + more;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_whole_or_not_at_all() {
        assert!(says("The ratio is 0.62.", "0.62"));
        assert!(!says("The ratio is 0.625.", "0.62"));
        assert!(!says("The ratio is 10.62.", "0.62"));
        assert!(!says("in 2015", "15"));
        assert!(says("63.2 % of it", "63.2%"));
        assert!(says("a contact 110mm long", "110 mm"));
        assert!(says("1,200 revolutions", "1200"));
        assert!(!says("at 1,20", "120"));
    }

    #[test]
    fn typesetting_does_not_matter() {
        assert!(says("The ﬁrst Stick–Slip regime", "stick-slip"));
        assert!(says("The first stick slip regime", "stick-slip"));
        assert!(says("a friction of −0.4", "-0.4"));
        assert!(!says("a friction of 0.4", "-0.4"));
        assert!(says("10–20 km/h", "10-20 km/h"));
        assert!(says("µ‑split", "μ-split"));
    }

    #[test]
    fn any_alternative_will_do_and_an_empty_one_does_not() {
        assert!(says("about seven metres", "7 m|seven metres"));
        assert!(!says("about six metres", "7 m|seven metres"));
        assert!(says("PIT is insensitive to it", "PIT is insensitiv") && !says("the mass", "the mas"));
        assert!(!says("insensitive to PIT", "insensitiv PIT"));
        assert!(!says("anything", ""));
        assert!(!says("anything", "a thing|"));
    }
}
