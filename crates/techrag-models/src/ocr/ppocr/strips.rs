//! Pictures far longer than the network looks at, in pieces: a strip of text and the picture of a long web page would
//! else be reduced until nothing is left of their letters.

use crate::ocr::gray::Gray;

/// How many times as long as it is wide a picture is a strip. Pages are not, and stay whole: a cut across two columns
/// would go through lines.
const STRIP: usize = 3;
/// Longest piece, in pixels.
const LONGEST: usize = 3360;
/// Share of a piece's length within which the whitest place for a cut is looked for.
const REACH: usize = 4;

/// The picture as boxes `[left, top, right, bottom]` along its longer side, cut where it is whitest; one where it is no
/// strip.
pub(super) fn pieces(picture: &Gray) -> Vec<[usize; 4]> {
    let (width, height) = (picture.width(), picture.height());
    let length = width.max(height);
    let count = if length < STRIP * width.min(height) { 1 } else { length.div_ceil(LONGEST) };
    let ink = if count > 1 { ink(picture) } else { Vec::new() };
    let reach = length / count / REACH;
    let cut = |index: usize| match index {
        0 => 0,
        _ if index == count => length,
        _ => {
            let middle = index * length / count;
            middle - reach + whitest(&ink[middle - reach..middle + reach])
        }
    };
    let piece = |index: usize| {
        let (from, to) = (cut(index), cut(index + 1));
        if width >= height { [from, 0, to, height] } else { [0, from, width, to] }
    };
    (0..count).map(piece).collect()
}

/// How dark the picture is at each place along its longer side.
fn ink(picture: &Gray) -> Vec<u32> {
    let mut sums = vec![0; picture.width().max(picture.height())];
    for (y, row) in picture.bytes().chunks_exact(picture.width()).enumerate() {
        for (x, &value) in row.iter().enumerate() {
            sums[if picture.width() >= picture.height() { x } else { y }] += u32::from(255 - value);
        }
    }
    sums
}

/// The middle of the longest run of the least ink: between words rather than between letters.
fn whitest(ink: &[u32]) -> usize {
    let Some(&least) = ink.iter().min() else { return 0 };
    let (mut begin, mut best) = (0, (0, 0));
    for (at, &value) in ink.iter().chain([&u32::MAX]).enumerate() {
        if value != least {
            best = if at - begin > best.1 - best.0 { (begin, at) } else { best };
            begin = at + 1;
        }
    }
    best.0.midpoint(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_is_cut_between_words_and_a_page_not_at_all() {
        let (width, height) = (7000, 20);
        let mut bytes = vec![255; width * height];
        // Letters of six pixels with gaps of two, words of ten letters with gaps of twenty.
        let inked = |x: usize| x % 100 < 80 && x % 8 < 6;
        bytes.iter_mut().enumerate().filter(|(at, _)| inked(at % width)).for_each(|(_, value)| *value = 0);
        let strip = Gray::new(width, bytes);
        let pieces = pieces(&strip);
        assert_eq!(pieces.len(), 3);
        assert!(pieces.windows(2).all(|pair| pair[0][2] == pair[1][0] && pair[0][2] % 100 >= 80), "{pieces:?}");
        assert_eq!((pieces[0][0], pieces[2][2], pieces[1][3]), (0, width, height));
        let upright: Vec<_> =
            super::pieces(&strip.quarters(1)).into_iter().map(|[_, top, _, bottom]| [top, bottom]).collect();
        assert_eq!(upright, pieces.iter().map(|&[left, _, right, _]| [left, right]).collect::<Vec<_>>());
        let whole = |width, height| super::pieces(&Gray::new(width, vec![255; width * height]));
        assert_eq!(whole(400, 500), [[0, 0, 400, 500]]);
        assert_eq!(whole(5000, 3000), [[0, 0, 5000, 3000]]);
        assert_eq!(whole(300, 10), [[0, 0, 300, 10]]);
    }
}
