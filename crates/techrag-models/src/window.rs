//! Cutting a long text into windows that a network can take, losing nothing.

use std::ops::Range;

/// Cuts words (number of pieces, bytes) into windows of at most `most` pieces, as few as possible and as even as
/// possible: a tail of three words would make a vector of three words, which is near nothing and to nothing near.
///
/// A single word of more pieces than `most` is a window of its own.
pub fn even(words: &[(usize, Range<usize>)], most: usize) -> Vec<Range<usize>> {
    let most = most.max(1);
    let fewest = fill(words, most).len();
    let total: usize = words.iter().map(|(count, _)| count).sum();
    // `most` itself gives the fewest, so that the search always ends.
    let tightest = total.div_ceil(fewest.max(1)).clamp(1, most);
    (tightest..=most).map(|limit| fill(words, limit)).find(|windows| windows.len() == fewest).unwrap_or_default()
}

/// Fills windows to the limit, one after the other.
fn fill(words: &[(usize, Range<usize>)], limit: usize) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut room = 0;
    for (count, bytes) in words {
        match windows.last_mut() {
            Some(window) if *count <= room => {
                window.end = window.end.max(bytes.end);
                room -= count;
            }
            _ => {
                windows.push(bytes.clone());
                room = limit.saturating_sub(*count);
            }
        }
    }
    windows
}

/// Widens a range to the characters it touches: a tokeniser's offsets may lie inside one.
pub(crate) fn whole_characters(text: &str, bytes: Range<usize>) -> Range<usize> {
    text.floor_char_boundary(bytes.start)..text.ceil_char_boundary(bytes.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of one byte and the given numbers of pieces, a byte of space between.
    fn words(counts: &[usize]) -> Vec<(usize, Range<usize>)> {
        counts.iter().enumerate().map(|(at, &count)| (count, at * 2..at * 2 + 1)).collect()
    }

    fn sizes(counts: &[usize], most: usize) -> Vec<usize> {
        let words = words(counts);
        let inside =
            |window: &Range<usize>, bytes: &Range<usize>| window.start <= bytes.start && bytes.end <= window.end;
        even(&words, most)
            .iter()
            .map(|window| words.iter().filter(|(_, bytes)| inside(window, bytes)).map(|(count, _)| count).sum())
            .collect()
    }

    #[test]
    fn windows_are_as_few_and_as_even_as_can_be() {
        assert_eq!(sizes(&[1; 10], 10), [10]);
        assert_eq!(sizes(&[1; 11], 10), [6, 5]);
        assert_eq!(sizes(&[1; 50], 10), [10; 5]);
        assert_eq!(sizes(&[3, 3, 3, 3], 10), [6, 6]);
        // Nine pieces in fours: the words allow no more than 3 + 3 + 3.
        assert_eq!(sizes(&[3, 3, 3], 5), [3, 3, 3]);
    }

    #[test]
    fn a_word_too_long_stands_alone_and_nothing_is_lost() {
        assert_eq!(sizes(&[1, 30, 1, 1], 10), [1, 30, 2]);
        assert_eq!(sizes(&[30], 10), [30]);
        assert!(even(&[], 10).is_empty());
    }

    #[test]
    fn ranges_are_widened_to_characters() {
        assert_eq!(whole_characters("aé🛞b", 2..5), 1..7);
        assert_eq!(whole_characters("ab", 1..9), 1..2);
    }
}
