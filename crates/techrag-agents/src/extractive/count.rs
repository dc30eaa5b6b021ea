//! Whether a text has a number of a thing: `41 procedures`, `five connected vehicles`, `a memory of 25 samples`.

use techrag_core::lexical::{Bag, Term};
use techrag_core::text;

/// Words before a thing within which its number stands, and after it.
const BEFORE: usize = 3;
const AFTER: usize = 2;

const WORDS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Whether a number stands beside the thing, in the same clause; or in a line of a table whose words name the thing.
pub(super) fn is_counted(passage: &str, thing: &Term) -> bool {
    let is_row = |line: &str| line.trim_start().starts_with('|');
    let (rows, prose): (Vec<&str>, Vec<&str>) = passage.lines().partition(|line| is_row(line));
    let in_table = rows.iter().any(|row| Bag::alike(row).holds(thing) >= 1.0)
        && rows.iter().any(|row| row.contains(|c: char| c.is_ascii_digit()));
    in_table || beside(&prose.join(" "), thing)
}

fn beside(prose: &str, thing: &Term) -> bool {
    let folded = text::fold(prose);
    let words: Vec<&str> = folded.split_whitespace().collect();
    let ends = |word: &&str| word.ends_with(['.', ';', ':', '!', '?']);
    words.iter().enumerate().filter(|(_, word)| Bag::alike(word).holds(thing) >= 1.0).any(|(at, word)| {
        let before = words[..at].iter().rev().take(BEFORE).take_while(|word| !ends(word));
        let after = words[at + 1..].iter().take(if ends(word) { 0 } else { AFTER });
        before.chain(after).any(|word| is_number(word))
    })
}

/// A number as it is written in running text; one in brackets is a reference or an equation's.
fn is_number(word: &str) -> bool {
    let bracketed = word.starts_with(['(', '[']) && word.trim_end_matches([',', '.']).ends_with([')', ']']);
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    !bracketed && (bare.starts_with(|c: char| c.is_ascii_digit()) || WORDS.contains(&bare))
}

/// Whether a number stands in a name: the 16 of `Periodic16`.
pub(super) fn in_name(text: &str, number: &str) -> bool {
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_digit() && !matches!(c, '.' | ','));
    text.match_indices(number).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + number.len()..].chars().next());
        before.is_some_and(char::is_alphabetic) && apart(after)
    })
}

#[cfg(test)]
mod tests {
    use techrag_core::lexical;

    use super::*;

    fn thing(word: &str) -> Term {
        lexical::terms(word).remove(0)
    }

    #[test]
    fn a_number_beside_the_thing_counts_it() {
        for (text, word) in [
            ("A total of 41 procedures were filmed.", "procedures"),
            ("We drove five connected vehicles for a day.", "vehicles"),
            ("This is a memory of 25 samples.", "memory"),
            ("| Setting | Samples |\n|---|---|\n| a | 7 |", "samples"),
        ] {
            assert!(is_counted(text, &thing(word)), "{text}");
        }
        for (text, word) in [
            ("The surgeons did 43 % of it in the morning, said the doctor.", "doctor"),
            ("Of the fuel nothing is said. It took 43 s.", "lubricant"),
            ("As (13) using parameters shows [7].", "parameters"),
            ("", "fuel"),
        ] {
            assert!(!is_counted(text, &thing(word)), "{text}");
        }
    }

    #[test]
    fn a_number_in_a_name_is_found() {
        assert!(in_name("| Periodic16 | 12.1 |", "16") && !in_name("a 16.", "16"));
        assert!(!in_name("| 16 |", "16") && !in_name("P160", "16") && !in_name("", "16"));
    }
}
