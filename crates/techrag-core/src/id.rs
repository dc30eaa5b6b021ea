//! Content-hash ids: no clock, no randomness, the same input gives the same id on every machine.

use sha1::{Digest as _, Sha1};
use sha2::Sha256;

use crate::text;

/// Hex digits kept of a SHA-256 for document and query ids. 64 bits: a collision among a million documents has a
/// probability of about 3e-8.
const ID_DIGITS: usize = 16;

/// Id of a document: the first 16 hex digits of the SHA-256 of its bytes.
pub fn doc_id(bytes: &[u8]) -> String {
    let mut digest = sha256(bytes);
    digest.truncate(ID_DIGITS);
    digest
}

/// Id of a query: the same of the question's bytes.
pub fn query_id(question: &str) -> String {
    doc_id(question.as_bytes())
}

/// Id of a chunk: `<doc_id>:<ordinal>`.
pub fn uid(doc_id: &str, ordinal: u32) -> String {
    format!("{doc_id}:{ordinal}")
}

/// The document id and the ordinal of a chunk's uid, or `None` if it is not of that form.
pub fn split_uid(uid: &str) -> Option<(&str, u32)> {
    let (doc_id, ordinal) = uid.rsplit_once(':')?;
    Some((doc_id, ordinal.parse().ok()?))
}

/// SHA-256 in lower-case hex, 64 digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-1 in lower-case hex of the text folded by [`text::fold`]: equal for texts that differ only in case, white
/// space, ligatures or compatibility forms. Used to find duplicates (SPEC section 2), not for security.
pub fn text_sha1(text: &str) -> String {
    hex(&Sha1::digest(text::fold(text).as_bytes()))
}

/// Lower-case hex of bytes.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_prefixes_of_known_digests() {
        // SHA-256("abc") and SHA-1("abc"), FIPS 180 examples.
        assert_eq!(doc_id(b"abc"), "ba7816bf8f01cfea");
        assert_eq!(text_sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    }

    #[test]
    fn a_uid_splits_into_what_it_was_made_of() {
        assert_eq!(split_uid(&uid("ba7816bf8f01cfea", 12)), Some(("ba7816bf8f01cfea", 12)));
        assert_eq!(split_uid("ba7816bf8f01cfea"), None);
        assert_eq!(split_uid("ba78:x"), None);
    }

    #[test]
    fn duplicates_are_told_by_folded_text() {
        assert_eq!(text_sha1("The  ﬁrst\nCASE"), text_sha1("the first case"));
        assert_ne!(text_sha1("the first case"), text_sha1("the second case"));
    }
}
