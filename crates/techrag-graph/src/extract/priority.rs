//! The part of a paper that says what it is about: its first chunk always, then abstract, introduction, conclusion, up to
//! a number of characters (SPEC section 6).

use techrag_core::record::{Chunk, Role};

/// The text of the priority sections, at most `most` characters of it; the last chunk that reaches the limit is cut.
pub(super) fn text(chunks: &[Chunk], most: usize) -> String {
    let of = |role: Role| chunks.iter().skip(1).filter(move |chunk| chunk.role == role);
    let order =
        chunks.iter().take(1).chain([Role::Abstract, Role::Introduction, Role::Conclusion].into_iter().flat_map(of));
    let (mut text, mut left) = (String::new(), most);
    for chunk in order {
        let part: String = chunk.text.chars().take(left).collect();
        left -= part.chars().count();
        text.push_str(&part);
        text.push_str("\n\n");
        if left == 0 {
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_chunk_leads_and_the_limit_holds() {
        let chunk = |role, text: &str| Chunk { role, text: text.into(), ..Chunk::default() };
        let chunks = [
            chunk(Role::Method, "first"),
            chunk(Role::Conclusion, "last"),
            chunk(Role::Results, "never"),
            chunk(Role::Abstract, "abstract"),
        ];
        assert_eq!(text(&chunks, 100), "first\n\nabstract\n\nlast\n\n");
        assert_eq!(text(&chunks, 7), "first\n\nab\n\n");
    }
}
