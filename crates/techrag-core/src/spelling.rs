//! British and American spelling as one: a question about tires must find a paper about tyres.
//!
//! The rules map both spellings to the American one. They are applied to every word of index and question alike, so a
//! word they bend wrongly (`rise` → `rize`) still meets itself; only a collision of two different words would hurt.

use std::borrow::Cow;

/// Words that no ending rule covers: British form, American form.
const WORDS: &[(&str, &str)] = &[
    ("aluminium", "aluminum"),
    ("artefact", "artifact"),
    ("artefacts", "artifacts"),
    ("catalogue", "catalog"),
    ("centred", "centered"),
    ("defence", "defense"),
    ("draught", "draft"),
    ("fulfil", "fulfill"),
    ("grey", "gray"),
    ("kerb", "curb"),
    ("licence", "license"),
    ("mould", "mold"),
    ("offence", "offense"),
    ("plough", "plow"),
    ("programme", "program"),
    ("programmes", "programs"),
    ("sceptical", "skeptical"),
    ("sulphur", "sulfur"),
    ("tyre", "tire"),
    ("tyres", "tires"),
];

/// Endings, tried in order: British, American, least length of the whole word.
const ENDINGS: &[(&str, &str, usize)] = &[
    ("isations", "izations", 11),
    ("isation", "ization", 10),
    ("ising", "izing", 7),
    ("ised", "ized", 6),
    ("ises", "izes", 6),
    ("iser", "izer", 7),
    ("ise", "ize", 6),
    ("ysing", "yzing", 7),
    ("ysed", "yzed", 6),
    ("yse", "yze", 6),
    ("ours", "ors", 7),
    ("oured", "ored", 7),
    ("ouring", "oring", 8),
    ("oural", "oral", 8),
    ("our", "or", 6),
    ("metres", "meters", 6),
    ("metre", "meter", 5),
    ("litres", "liters", 6),
    ("litre", "liter", 5),
    ("centre", "center", 6),
    ("centres", "centers", 7),
    ("fibres", "fibers", 6),
    ("fibre", "fiber", 5),
    ("odelled", "odeled", 8),
    ("odelling", "odeling", 9),
    ("ravelled", "raveled", 9),
    ("ravelling", "raveling", 10),
    ("abelled", "abeled", 8),
    ("abelling", "abeling", 9),
    ("ancelled", "anceled", 9),
    ("ancelling", "anceling", 10),
    ("ignalled", "ignaled", 9),
    ("ignalling", "ignaling", 10),
    ("hannelled", "hanneled", 10),
];

/// A folded word in American spelling; other words unchanged.
pub fn american(word: &str) -> Cow<'_, str> {
    if let Ok(at) = WORDS.binary_search_by(|(british, _)| british.cmp(&word)) {
        return Cow::Borrowed(WORDS[at].1);
    }
    ENDINGS
        .iter()
        .filter(|(_, _, least)| word.len() >= *least)
        .find_map(|(british, american, _)| Some(format!("{}{american}", word.strip_suffix(british)?)))
        .map_or(Cow::Borrowed(word), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::token::{Config, tokens};

    #[test]
    fn words_are_sorted() {
        assert!(WORDS.is_sorted_by_key(|(british, _)| british));
    }

    #[test]
    fn both_spellings_meet() {
        for (british, american) in [
            ("tyres", "tires"),
            ("modelled", "modeled"),
            ("normalised stabilisation", "normalized stabilization"),
            ("the behaviour of vapour", "the behavior of vapor"),
            ("analysed kilometres of fibre", "analyzed kilometers of fiber"),
            ("centred at the kerb", "centered at the curb"),
        ] {
            assert_eq!(tokens(british, Config::INDEX), tokens(american, Config::INDEX));
        }
    }

    #[test]
    fn short_and_plain_words_stay() {
        for word in ["four", "hour", "rise", "wise", "analysis", "basis", "friction", "noise"] {
            assert_eq!(american(word), word);
        }
    }

    proptest! {
        #[test]
        fn the_american_form_is_a_fixed_point(word in "[a-z]{0,6}(isation|our|tre|lled|ysed|ise|tyre|)") {
            let once = american(&word).into_owned();
            prop_assert_eq!(american(&once).into_owned(), once);
        }
    }
}
