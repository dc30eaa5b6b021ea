//! The order in which a slide is read: bands from top to bottom, within a band from left to right.

use super::shapes::Shape;

/// Share of the lower of two heights that must overlap for shapes to stand side by side.
const BESIDE: f64 = 0.5;

/// Shapes in reading order; those without a place keep theirs, at the end.
pub(super) fn reading(shapes: Vec<Shape>) -> Vec<Shape> {
    let (mut placed, unplaced): (Vec<_>, Vec<_>) =
        shapes.into_iter().enumerate().partition(|(_, shape)| shape.frame.is_some());
    let frame = |shape: &Shape| shape.frame.unwrap_or_default();
    placed.sort_by(|(at, a), (bt, b)| frame(a)[1].total_cmp(&frame(b)[1]).then(at.cmp(bt)));
    let mut bands: Vec<Vec<(usize, Shape)>> = Vec::new();
    for (at, shape) in placed {
        let beside = |band: &Vec<(usize, Shape)>| band.iter().any(|(_, other)| is_beside(frame(other), frame(&shape)));
        match bands.last_mut().filter(|band| beside(band)) {
            Some(band) => band.push((at, shape)),
            None => bands.push(vec![(at, shape)]),
        }
    }
    for band in &mut bands {
        band.sort_by(|(at, a), (bt, b)| {
            let (a, b) = (frame(a), frame(b));
            a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(at.cmp(bt))
        });
    }
    bands.into_iter().flatten().chain(unplaced).map(|(_, shape)| shape).collect()
}

fn is_beside([ax, ay, aw, ah]: [f64; 4], [bx, by, bw, bh]: [f64; 4]) -> bool {
    let overlap = (ay + ah).min(by + bh) - ay.max(by);
    let apart = ax + aw <= bx || bx + bw <= ax;
    apart && overlap > 0.0 && overlap >= BESIDE * ah.min(bh)
}

#[cfg(test)]
mod tests {
    use super::super::shapes::Content;
    use super::super::wording::Line;
    use super::*;

    fn order(frames: &[[f64; 4]]) -> Vec<String> {
        let shape = |(at, frame): (usize, &[f64; 4])| Shape {
            content: Content::Text(vec![Line::plain(at.to_string())]),
            frame: Some(*frame),
            is_title: false,
        };
        let name = |shape: Shape| match shape.content {
            Content::Text(lines) => lines[0].text.clone(),
            other => format!("{other:?}"),
        };
        reading(frames.iter().enumerate().map(shape).collect()).into_iter().map(name).collect()
    }

    #[test]
    fn columns_go_from_left_to_right_and_bands_downwards() {
        // Drawn last to first: a footer, the right column in two parts, the left column, a headline.
        let frames = [
            [0.0, 90.0, 100.0, 5.0],
            [50.0, 50.0, 50.0, 30.0],
            [50.0, 20.0, 50.0, 25.0],
            [0.0, 21.0, 45.0, 60.0],
            [0.0, 0.0, 100.0, 15.0],
        ];
        assert_eq!(order(&frames), ["4", "3", "2", "1", "0"]);
    }

    #[test]
    fn shapes_in_the_same_place_keep_their_order() {
        assert_eq!(order(&[[0.0; 4], [0.0; 4], [0.0; 4]]), ["0", "1", "2"]);
    }
}
