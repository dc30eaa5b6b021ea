//! Boxes drawn in to the ink they hold: the network's boxes are as high as its line, with room to spare, and sizes of type
//! are told from boxes.

use crate::ocr::gray::Gray;

/// Widest white inside a letter from top to bottom, as a share of the line's height: under the dot of an i.
const INSIDE: f32 = 0.18;

/// The box without the white above and below, nor the ink of the lines next to it.
#[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the picture")]
pub(super) fn hug(picture: &Gray, threshold: u8, bbox: [f32; 4]) -> [f32; 4] {
    let clamp = |at: f32, most: usize| (at.max(0.0) as usize).min(most);
    let [left, right] = [bbox[0].floor(), bbox[2].ceil()].map(|at| clamp(at, picture.width()));
    let [top, bottom] = [bbox[1].floor(), bbox[3].ceil()].map(|at| clamp(at, picture.height()));
    if left >= right || top >= bottom {
        return bbox;
    }
    let rows = picture.bytes().chunks_exact(picture.width()).skip(top).take(bottom - top);
    let inked: Vec<bool> = rows.map(|row| row[left..right].iter().any(|&value| value <= threshold)).collect();
    let middle = inked.len() / 2;
    // The ink nearest to the middle, and what goes on from there.
    let seed = (0..inked.len()).filter(|&row| inked[row]).min_by_key(|&row| row.abs_diff(middle));
    let Some(seed) = seed else { return bbox };
    let white = (inked.len() as f32 * INSIDE) as usize;
    let reach = |rows: &mut dyn Iterator<Item = usize>| {
        let mut last = seed;
        for row in rows {
            if inked[row] {
                last = row;
            } else if row.abs_diff(last) > white {
                break;
            }
        }
        last
    };
    let first = reach(&mut (0..seed).rev());
    let last = reach(&mut (seed + 1..inked.len()));
    [bbox[0], (top + first) as f32, bbox[2], (top + last + 1) as f32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_hugs_its_letters_and_not_the_next_line() {
        // Rows: the foot of the line above, white, a dot, white, a stroke, white.
        let rows = [0, 255, 255, 255, 0, 255, 0, 0, 0, 0, 255, 255];
        let picture = Gray::new(2, rows.iter().flat_map(|&value| [value, 255]).collect());
        assert_eq!(hug(&picture, 128, [0.0, 0.0, 2.0, 12.0]), [0.0, 4.0, 2.0, 10.0]);
        assert_eq!(hug(&picture, 128, [0.0, 10.0, 2.0, 12.0]), [0.0, 10.0, 2.0, 12.0], "nothing to hug");
    }
}
