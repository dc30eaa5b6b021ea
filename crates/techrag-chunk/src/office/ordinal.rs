//! Numbers of list items as office programs write them.

/// The number in the format of this OOXML name; in digits where the format cannot write it.
pub(super) fn written(count: u32, format: &str) -> String {
    match format {
        "lowerLetter" => letters(count),
        "upperLetter" => letters(count).to_uppercase(),
        "lowerRoman" => roman(count).to_lowercase(),
        "upperRoman" => roman(count),
        "decimalZero" => format!("{count:02}"),
        _ => count.to_string(),
    }
}

/// a … z, aa, bb, …: the letter is repeated.
fn letters(count: u32) -> String {
    let (Some(zero_based), Ok(most)) = (count.checked_sub(1), usize::try_from(count.div_ceil(26).min(40))) else {
        return count.to_string();
    };
    char::from_u32('a' as u32 + zero_based % 26).map_or_else(String::new, |letter| letter.to_string().repeat(most))
}

fn roman(count: u32) -> String {
    const SIGNS: &[(u32, &str)] = &[
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..4000).contains(&count) {
        return count.to_string();
    }
    let (mut left, mut text) = (count, String::new());
    for (value, sign) in SIGNS {
        while left >= *value {
            text.push_str(sign);
            left -= value;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_word_writes_them() {
        let all = |format| [1, 4, 27].map(|count| written(count, format));
        assert_eq!(all("lowerLetter"), ["a", "d", "aa"]);
        assert_eq!(all("upperRoman"), ["I", "IV", "XXVII"]);
        assert_eq!(all("decimal"), ["1", "4", "27"]);
        assert_eq!(written(0, "lowerLetter"), "0");
    }
}
