//! A TIFF as far as its directories say what is where (TIFF 6.0, section 2).

use std::collections::HashSet;

/// Most pages looked for in a TIFF.
pub(super) const MOST_PAGES: usize = 20_000;
/// Most values of an entry that are read: a map of 65,536 colours.
const MOST_VALUES: usize = 3 << 16;
/// Bytes of an entry: tag, type, how many values, and the values or where they are.
const ENTRY: usize = 12;
/// Types of whole numbers.
const BYTE: u16 = 1;
const SHORT: u16 = 3;
const LONG: u16 = 4;

/// A TIFF whose directories form a chain, one a page.
pub(super) struct Tiff<'a> {
    bytes: &'a [u8],
    little: bool,
}

impl<'a> Tiff<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        match bytes.get(..4)? {
            b"II*\0" => Some(Self { bytes, little: true }),
            b"MM\0*" => Some(Self { bytes, little: false }),
            _ => None,
        }
    }

    fn word(&self, at: usize) -> Option<u32> {
        let word: [u8; 4] = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if self.little { u32::from_le_bytes(word) } else { u32::from_be_bytes(word) })
    }

    fn short(&self, at: usize) -> Option<u16> {
        let short: [u8; 2] = self.bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if self.little { u16::from_le_bytes(short) } else { u16::from_be_bytes(short) })
    }

    /// Where the directories begin, at most [`MOST_PAGES`] of them; a chain that runs in a circle is followed round it.
    fn directories(&self) -> impl Iterator<Item = u32> {
        let mut next = self.word(4);
        let follow = move || {
            let at = next.filter(|at| *at != 0)?;
            let offset = usize::try_from(at).ok()?;
            // One that the file has not got is a page that cannot be drawn, and not none: the file was cut off.
            let entries = self.short(offset).map(usize::from);
            next = entries.and_then(|entries| offset.checked_add(2 + 12 * entries)).and_then(|at| self.word(at));
            Some(at)
        };
        std::iter::from_fn(follow).take(MOST_PAGES)
    }

    /// How many directories there are; a circle ends where it closes.
    pub(super) fn count(&self) -> usize {
        let mut met = HashSet::new();
        self.directories().take_while(|at| met.insert(*at)).count()
    }

    /// The file with a later page first; a page it has, so nobody needs to ask again whether the chain is a circle.
    pub(super) fn beginning_with(&self, page: u32) -> Option<Vec<u8>> {
        let at = self.directories().nth(usize::try_from(page).ok()?.checked_sub(1)?)?;
        let mut bytes = self.bytes.to_vec();
        bytes[4..8].copy_from_slice(&if self.little { at.to_le_bytes() } else { at.to_be_bytes() });
        Some(bytes)
    }

    /// The whole numbers of an entry of the first directory; `None` without it.
    pub(super) fn numbers(&self, tag: u16) -> Option<Vec<u32>> {
        let at = self.entry(tag)?;
        let (kind, count) = (self.short(at + 2)?, usize::try_from(self.word(at + 4)?).ok()?);
        let width = match kind {
            BYTE => 1,
            SHORT => 2,
            LONG => 4,
            _ => return None,
        };
        let bytes = count.checked_mul(width).filter(|_| count <= MOST_VALUES)?;
        let from = if bytes <= 4 { at + 8 } else { usize::try_from(self.word(at + 8)?).ok()? };
        let value = |at: usize| match kind {
            BYTE => self.bytes.get(at).copied().map(u32::from),
            SHORT => self.short(at).map(u32::from),
            _ => self.word(at),
        };
        (0..count).map(|index| value(from.checked_add(index * width)?)).collect()
    }

    /// The first number of an entry of the first directory.
    pub(super) fn number(&self, tag: u16) -> Option<u32> {
        self.numbers(tag)?.first().copied()
    }

    /// The file with entries of its first directory changed to one number each; those it has not are left out.
    pub(super) fn saying(&self, changes: &[(u16, u32)]) -> Vec<u8> {
        let mut bytes = self.bytes.to_vec();
        for &(tag, number) in changes {
            let Some(at) = self.entry(tag) else { continue };
            let short = u16::try_from(number).ok();
            let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
            put(at + 2, &self.in_order(short.map_or(LONG, |_| SHORT).into())[..2]);
            put(at + 4, &self.long(1));
            put(at + 8, &[0; 4]);
            match short {
                Some(short) => put(at + 8, &self.in_order(short.into())[..2]),
                None => put(at + 8, &self.long(number)),
            }
        }
        bytes
    }

    /// Where an entry of the first directory begins, all of it within the file.
    fn entry(&self, tag: u16) -> Option<usize> {
        let directory = usize::try_from(self.word(4)?).ok()?;
        let entries = usize::from(self.short(directory)?);
        let begin = directory.checked_add(2)?;
        let mut places = (0..entries).map(|index| begin + ENTRY * index);
        places.find(|&at| self.short(at) == Some(tag)).filter(|at| at + ENTRY <= self.bytes.len())
    }

    fn long(&self, number: u32) -> [u8; 4] {
        if self.little { number.to_le_bytes() } else { number.to_be_bytes() }
    }

    /// The bytes of a number below 2^16, its two first.
    fn in_order(&self, number: u32) -> [u8; 4] {
        if self.little { number.to_le_bytes() } else { (number << 16).to_be_bytes() }
    }
}
