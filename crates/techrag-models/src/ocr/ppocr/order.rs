//! Lines in the order they are read: the page is cut along its white (Nagy and Seth 1984, recursive X-Y cut).
//!
//! The network gives lines from the top, whatever column they are in. Where a white band runs through a part of the page
//! from top to bottom, what is left of it comes first; else the part is cut at its widest white band across.

/// Narrowest band between columns, in heights of a line.
const GUTTER: f32 = 0.6;
/// Band, in heights of a line, that parts what stands side by side in rows: names and addresses. Columns are nearer.
const APART: f32 = 4.0;

/// The boxes `[left, top, right, bottom]` in reading order.
pub(super) fn reading(boxes: Vec<[usize; 4]>) -> Vec<[usize; 4]> {
    let mut heights: Vec<usize> = boxes.iter().map(|b| b[3] - b[1]).collect();
    heights.sort_unstable();
    let Some(&height) = heights.get(heights.len() / 2) else { return boxes };
    #[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few dozen pixels")]
    let [gutter, apart] = [GUTTER, APART].map(|share| (height as f32 * share) as usize);
    let (mut ordered, mut parts) = (Vec::with_capacity(boxes.len()), vec![boxes]);
    while let Some(mut part) = parts.pop() {
        if let Some(rows) = rows(&part, height, apart.max(1)) {
            ordered.extend(rows);
            continue;
        }
        match cut(&part, gutter.max(1)) {
            // The second half waits.
            Some((first, second)) => parts.extend([second, first]),
            None => {
                part.sort_unstable_by_key(|b| (b[1] + b[3], b[0]));
                ordered.extend(part);
            }
        }
    }
    ordered
}

type Halves = (Vec<[usize; 4]>, Vec<[usize; 4]>);

/// The lines of a part row by row, if it is of two columns far apart whose lines stand at the same heights, each beside
/// one of the other.
fn rows(part: &[[usize; 4]], height: usize, apart: usize) -> Option<Vec<[usize; 4]>> {
    let at = widest(part, 0, apart)?;
    let (mut left, mut right): Halves = part.iter().partition(|b| b[0] < at);
    // Twice the height of its middle.
    let middle = |b: &[usize; 4]| b[1] + b[3];
    left.sort_unstable_by_key(middle);
    right.sort_unstable_by_key(middle);
    let beside = left.iter().zip(&right).all(|(a, b)| middle(a).abs_diff(middle(b)) < height);
    (left.len() == right.len() && beside).then(|| left.into_iter().zip(right).flat_map(<[_; 2]>::from).collect())
}

/// Two halves of a part, left and right or upper and lower; `None` where no white runs through.
fn cut(part: &[[usize; 4]], gutter: usize) -> Option<Halves> {
    let split = |axis: usize, least: usize| {
        let at = widest(part, axis, least)?;
        Some(part.iter().partition(|b| b[axis] < at))
    };
    split(0, gutter).or_else(|| split(1, 1))
}

/// Where the widest white band of at least `least` pixels ends, along an axis; the first of equals.
fn widest(part: &[[usize; 4]], axis: usize, least: usize) -> Option<usize> {
    let mut sides: Vec<(usize, usize)> = part.iter().map(|b| (b[axis], b[axis + 2])).collect();
    sides.sort_unstable();
    let (mut end, mut best) = (sides.first()?.1, None);
    for (from, to) in sides {
        let white = from.saturating_sub(end);
        if white >= least && best.is_none_or(|(widest, _)| white > widest) {
            best = Some((white, from));
        }
        end = end.max(to);
    }
    best.map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_over_two_columns_is_read_before_them_and_the_left_one_first() {
        let line = |left: usize, top: usize, width: usize| [left, top, left + width, top + 10];
        let title = line(10, 0, 380);
        let left = [line(10, 30, 180), line(10, 45, 180), line(10, 60, 90)];
        let right = [line(210, 31, 180), line(210, 46, 170)];
        let mut boxes = vec![title];
        boxes.extend(left.iter().chain(&right));
        boxes.sort_unstable_by_key(|b| (b[1], b[0]));
        assert_eq!(reading(boxes), [&[title][..], &left, &right].concat());
        assert!(reading(Vec::new()).is_empty());
    }

    #[test]
    fn names_are_read_with_the_addresses_beside_them_and_columns_one_by_one() {
        let line = |left: usize, top: usize, width: usize| [left, top, left + width, top + 10];
        let names = [line(10, 0, 90), line(10, 14, 70), line(10, 28, 80)];
        let addresses = [line(200, 1, 90), line(200, 13, 70), line(200, 28, 80)];
        let boxes = [names, addresses].concat();
        let rows: Vec<_> = names.into_iter().zip(addresses).flat_map(<[_; 2]>::from).collect();
        assert_eq!(reading(boxes.clone()), rows);
        let columns: Vec<_> = [names, addresses.map(|[l, t, r, b]| [l - 85, t, r - 85, b])].concat();
        assert_eq!(reading(columns.clone()), columns, "a gutter");
        let ragged: Vec<_> = [names, addresses.map(|[l, t, r, b]| [l, t + 7, r, b + 7])].concat();
        assert_eq!(reading(ragged.clone()), ragged, "not beside each other");
    }

    #[test]
    fn lines_that_touch_are_read_from_the_top() {
        let boxes = vec![[0, 20, 50, 41], [0, 0, 60, 22], [10, 39, 40, 60]];
        assert_eq!(reading(boxes), [[0, 0, 60, 22], [0, 20, 50, 41], [10, 39, 40, 60]]);
    }
}
