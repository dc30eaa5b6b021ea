//! Lists of names, as reference lists and title pages print them.

use std::sync::LazyLock;

use regex::Regex;

const PARTICLES: &str = "(?:(?:[Vv]an|[Vv]on|[Dd]er|[Dd]en|[Dd]e|[Dd]el|[Dd]ella|[Ll]a|[Ll]e|[Dd]i|[Dd]a|[Dd]os|[Dd]u|[Tt]en|[Tt]er|zu|zur|[Ee]l|[Aa]l|[Bb]in)\\s+)*";
const WORD: &str = r"\p{Lu}[\p{L}\p{M}'’\-‐]*";
const INITIALS: &str = r"(?:\p{Lu}\p{Ll}?\.[\s\-‐]?)+";

fn pattern(text: &str) -> Regex {
    let text = text.replace("PARTICLES", PARTICLES).replace("WORD", WORD).replace("INITIALS", INITIALS);
    Regex::new(&text).expect("a constant pattern")
}

/// `I. J. M. Besselink, A. Cigada, and L. Del Re`, at the start of a text.
static INITIALS_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    let name = r"INITIALS\s?PARTICLESWORD(?:[\s-]WORD){0,2}(?:,? (?:Jr|Sr)\.?)?";
    pattern(&format!(r"^(?:{name}(?:,? and |,? & |, |; ))*{name}(?:,? (?:and )?(?:et al|others)\.?)?"))
});

/// `Besselink, I. J. M., Cigada, A., & Del Re, L.`
static FAMILY_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    let name = r"PARTICLESWORD(?:[\s-]WORD){0,2}, INITIALS";
    pattern(&format!(r"^(?:{name}(?:,? and |,? AND |,? & |, |; |\s)?)*{name}(?:,? (?:and )?(?:et al|others)\.?)?"))
});
static FAMILY_FIRST_NAME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"PARTICLESWORD(?:[\s-]WORD){0,2}, (?:\p{Lu}\p{Ll}?\.[\s\-‐]?)*\p{Lu}\p{Ll}?\."));

/// How long a list of names at the start of a text is, in bytes, where it is one of initials and family names.
pub(crate) fn with_initials(text: &str) -> Option<usize> {
    let found = FAMILY_FIRST.find(text).or_else(|| INITIALS_FIRST.find(text))?;
    Some(found.end())
}

/// The names of a list, as printed; `et al.` is no name.
pub(crate) fn split(list: &str) -> Vec<String> {
    let list = list.trim().trim_end_matches([',', ';', ':']).trim();
    if FAMILY_FIRST.find(list).is_some_and(|found| found.end() + 2 >= list.len()) {
        let list = list.replace(" AND ", " ").replace(" and ", " ");
        return FAMILY_FIRST_NAME.find_iter(&list).map(|name| name.as_str().trim().to_owned()).collect();
    }
    let list = list.replace(" and ", ", ").replace(" & ", ", ").replace(" AND ", ", ").replace(';', ",");
    let names = list.split(',').map(|name| name.trim().trim_start_matches("and "));
    names.filter_map(cleaned).collect()
}

fn cleaned(name: &str) -> Option<String> {
    let name = name.trim_end_matches("et al.").trim_end_matches("et al").trim();
    let known = !name.is_empty() && !matches!(name, "others" | "Jr." | "Jr" | "Sr." | "Eds." | "eds." | "editors");
    (known && name.chars().any(char::is_alphabetic)).then(|| name.to_owned())
}

/// Whether every word may belong to a list of names: capitalised, an initial, a particle or a conjunction.
pub(crate) fn are_names(text: &str) -> bool {
    let fits = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphabetic());
        bare.starts_with(char::is_uppercase)
            || matches!(
                bare,
                "and"
                    | "editors"
                    | "editor"
                    | "eds"
                    | "ed"
                    | "et"
                    | "al"
                    | "others"
                    | "van"
                    | "von"
                    | "der"
                    | "den"
                    | "de"
                    | "del"
                    | "della"
                    | "la"
                    | "le"
                    | "di"
                    | "da"
                    | "do"
                    | "dos"
                    | "du"
                    | "ten"
                    | "ter"
                    | "el"
                    | "bin"
                    | "y"
                    | "zu"
                    | "zur"
                    | "af"
            )
    };
    let shape = !text.contains(|c: char| c.is_ascii_digit() || matches!(c, ':' | '?' | '!' | '(' | '"'));
    shape && !text.trim().is_empty() && text.split_whitespace().all(|word| word == "&" || fits(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_where_the_title_begins() {
        for (text, list) in [
            ("H. B. Pacejka, Tire and Vehicle Dynamics, 3rd edn.", "H. B. Pacejka"),
            (
                "I. J. M. Besselink, A. J. C. Schmeitz, and H. B. Pacejka, An",
                "I. J. M. Besselink, A. J. C. Schmeitz, and H. B. Pacejka",
            ),
            ("Y.-H. J. Hsu, S. M. Laws, and L. Del Re. Title", "Y.-H. J. Hsu, S. M. Laws, and L. Del Re"),
            ("C. Canudas-de-Wit and B. von Schlippe, Title", "C. Canudas-de-Wit and B. von Schlippe"),
            (
                "Cheng, X., Smith-Jones, A. B., & van Zanten, T. (2017). Title",
                "Cheng, X., Smith-Jones, A. B., & van Zanten, T. ",
            ),
        ] {
            assert_eq!(with_initials(text).map(|end| &text[..end]), Some(list), "{text}");
        }
        assert_eq!(with_initials("Murad Abu-Khalaf and Daniela Rus. Title"), None);
    }

    #[test]
    fn names_are_kept_as_printed() {
        assert_eq!(split("A. Amini, W. Schwarting, and D. Rus,"), ["A. Amini", "W. Schwarting", "D. Rus"]);
        assert_eq!(split("Wenjing Zhao et al."), ["Wenjing Zhao"]);
        assert_eq!(split("Cheng, X., Smith, A. B., & Zed, T."), ["Cheng, X.", "Smith, A. B.", "Zed, T."]);
        assert_eq!(split("JIN, C., JIN, T., AND YU, T."), ["JIN, C.", "JIN, T.", "YU, T."]);
        assert_eq!(split(""), Vec::<String>::new());
    }

    #[test]
    fn names_are_told_from_titles() {
        assert!(are_names("Brian DO Anderson and John B Moore"));
        assert!(are_names("Erik W. van Zwet, Eric Cator, and Jelle J. Goeman"));
        assert!(!are_names("Fundamentals of Vehicle Dynamics"));
        assert!(!are_names("Optimal State Estimation: Kalman"));
    }
}
