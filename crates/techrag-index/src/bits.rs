//! A plain set of small numbers: which slots of a segment are dead, or are wanted.

/// A set of slots `0..len`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// All of `0..len`.
    pub fn all(len: usize) -> Self {
        let mut words = vec![u64::MAX; len.div_ceil(64)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), len % 64) {
            *last = (1 << rest) - 1;
        }
        Self { words }
    }

    /// Whether `slot` is in the set.
    pub fn has(&self, slot: usize) -> bool {
        self.words.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// Puts `slot` in.
    pub fn insert(&mut self, slot: usize) {
        if self.words.len() <= slot / 64 {
            self.words.resize(slot / 64 + 1, 0);
        }
        self.words[slot / 64] |= 1 << (slot % 64);
    }

    /// Takes out what is in `other`.
    pub fn subtract(&mut self, other: &Self) {
        for (word, out) in self.words.iter_mut().zip(&other.words) {
            *word &= !out;
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Those that are in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }

    /// As little-endian bytes, for the catalog.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// From what [`Bits::to_bytes`] gave; a cut-off word is ignored.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        Self { words: words.iter().map(|word| u64::from_le_bytes(*word)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_set(slots in prop::collection::btree_set(0_usize..300, 0..40), out in prop::collection::btree_set(0_usize..300, 0..40)) {
            let mut bits = Bits::new();
            slots.iter().for_each(|slot| bits.insert(*slot));
            prop_assert_eq!(&Bits::from_bytes(&bits.to_bytes()), &bits);
            prop_assert_eq!(bits.iter().collect::<BTreeSet<_>>(), slots.clone());
            prop_assert_eq!(bits.count(), slots.len());
            let mut gone = Bits::new();
            out.iter().for_each(|slot| gone.insert(*slot));
            bits.subtract(&gone);
            prop_assert_eq!(bits.iter().collect::<BTreeSet<_>>(), &slots - &out);
            let all = Bits::all(slots.len());
            prop_assert_eq!(all.iter().collect::<Vec<_>>(), (0..slots.len()).collect::<Vec<_>>());
        }
    }
}
