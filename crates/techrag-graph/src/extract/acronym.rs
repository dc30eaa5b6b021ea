//! Acronyms and their long forms, where a text gives both: `extended Kalman filter (EKF)`.
//!
//! The long form is found as Schwartz and Hearst do (A simple algorithm for identifying abbreviation definitions in
//! biomedical text, 2003): the letters of the acronym are sought backwards in the words before it, the first at the start
//! of a word.

/// A short form and the long form a text gives for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Acronym {
    pub(super) short: String,
    pub(super) long: String,
}

/// Every acronym that the text explains, in order.
pub(super) fn acronyms(text: &str) -> Vec<Acronym> {
    let mut found: Vec<Acronym> = Vec::new();
    for (open, _) in text.match_indices('(') {
        let Some(inside) = text[open + 1..].split(')').next() else { continue };
        let short = inside.trim().trim_end_matches('s');
        if !is_short_form(short) {
            continue;
        }
        let before = &text[..open];
        let start = before.char_indices().rev().nth(200).map_or(0, |(at, _)| at);
        if let Some(long) = long_form(short, &before[start..])
            && found.iter().all(|known| known.short != short)
        {
            found.push(Acronym { short: short.to_owned(), long });
        }
    }
    found
}

fn is_short_form(text: &str) -> bool {
    let capitals = text.chars().filter(|c| c.is_uppercase()).count();
    (2..=8).contains(&text.chars().count())
        && capitals >= 2
        && text.chars().all(|c| c.is_alphanumeric() || c == '-')
        && text.starts_with(char::is_alphabetic)
}

fn long_form(short: &str, before: &str) -> Option<String> {
    let most = (short.chars().count() + 5).min(short.chars().count() * 2);
    let words: Vec<&str> = before.split_whitespace().collect();
    let words = &words[words.len().saturating_sub(most)..];
    // A sentence or clause that ended before the parenthesis is no part of the long form.
    let clause = words.iter().rposition(|word| word.ends_with(['.', ',', ';', ':', ')'])).map_or(0, |at| at + 1);
    let text: Vec<char> = words[clause..].join(" ").chars().collect();
    let letters: Vec<char> = short.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let lower: Vec<char> = text.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let mut at = text.len();
    for (number, letter) in letters.iter().enumerate().rev() {
        at = (0..at).rev().find(|&place| {
            let starts_word = place == 0 || !lower[place - 1].is_alphanumeric();
            lower[place] == *letter && (number > 0 || starts_word)
        })?;
    }
    let long: String = text[at..].iter().collect();
    (long.split_whitespace().count() >= 2).then(|| long.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_forms_are_found_and_other_brackets_are_not() {
        let text = "We compare an extended Kalman filter (EKF) with model predictive control (MPC); see Section (IV), a \
                    polyvinylidene fluoride (PVDF) patch and results (RMSE). The anti-lock braking systems (ABSs) work.";
        let found: Vec<(String, String)> = acronyms(text).into_iter().map(|a| (a.short, a.long)).collect();
        let expected = [
            ("EKF", "extended Kalman filter"),
            ("MPC", "model predictive control"),
            ("PVDF", "polyvinylidene fluoride"),
            ("ABS", "anti-lock braking systems"),
        ];
        assert_eq!(found, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
