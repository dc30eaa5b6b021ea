//! Addresses of cells as spreadsheets write them.

use std::fmt::{self, Display};

/// A rectangle of cells; rows and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) top: u32,
    pub(crate) left: u32,
    pub(crate) bottom: u32,
    pub(crate) right: u32,
}

impl Area {
    /// `B2:D9`, the first of several separated by commas.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split(',').next()?.split_once(':')?;
        let ((top, left), (bottom, right)) = (cell(from)?, cell(to)?);
        Some(Self { top, left, bottom, right })
    }
}

impl Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", name(self.top, self.left), name(self.bottom, self.right))
    }
}

/// `D9`: row and column from 1.
pub(crate) fn name(row: u32, column: u32) -> String {
    let (mut left, mut letters) = (column, Vec::new());
    while left > 0 {
        letters.push(b'A' + ((left - 1) % 26) as u8);
        left = (left - 1) / 26;
    }
    let letters: String = letters.iter().rev().map(|&letter| char::from(letter)).collect();
    format!("{letters}{row}")
}

fn cell(text: &str) -> Option<(u32, u32)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let column = text[..digits].chars().try_fold(0_u32, |column, c| {
        let letter = u32::from(c.to_ascii_uppercase()).checked_sub(u32::from('A')).filter(|letter| *letter < 26)?;
        column.checked_mul(26)?.checked_add(letter + 1)
    })?;
    Some((text[digits..].parse().ok()?, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for (row, column, address) in [(1, 1, "A1"), (9, 26, "Z9"), (9, 27, "AA9"), (1_048_576, 16_384, "XFD1048576")] {
            assert_eq!(name(row, column), address);
            assert_eq!(cell(address), Some((row, column)));
        }
        let area = Area { top: 2, left: 2, bottom: 9, right: 4 };
        assert_eq!(area.to_string(), "B2:D9");
        assert_eq!(Area::parse("B2:D9,B12:D14"), Some(area));
        assert_eq!(Area::parse("B2"), None);
    }
}
