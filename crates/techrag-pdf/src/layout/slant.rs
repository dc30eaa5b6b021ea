//! Text by the way it runs: a page scanned askew, stamps and labels at an angle are read along their own lines.
//!
//! Recognised text stands askew in three ways: turned as a whole, every line turned by an angle of its own, or every
//! word upright and the line a stair of words.

use super::frame::{DIRECTIONS, Direction, Frame};
use crate::glyphs::{Glyph, Raw};

/// Least slant in degrees; less is rounding.
const LEVEL: f32 = 0.06;
/// Furthest that lines of one direction differ, in degrees: each is levelled about its middle, and a short line moves
/// against a long one by less than lines stand apart.
const TOGETHER: f32 = 1.5;
/// Width in degrees of the classes by which the most common slants are found.
const CLASS: f32 = 0.5;
/// Most slants of a page; letters at others are set along a curve.
const SLANTS: usize = 12;
/// Fewest glyphs that make a direction.
const FEWEST: usize = 3;
/// Least slant in degrees of a stair of words; a line of few words may step by its formulas.
const STAIR: f32 = 0.2;
/// Shortest line in em by which a stair is measured.
const LONG: f32 = 8.0;
/// Furthest that glyphs of one line step up or down between each other, in em.
const STEP: f32 = 0.35;
/// Widest gap between glyphs of one line, in em.
const APART: f32 = 1.5;
/// Size of a glyph against its line's from which it stands on the base line.
const FULL: f32 = 0.86;

/// Turned pages' frames, each with its glyphs turned, the one with most glyphs first.
pub(super) fn split(raw: &Raw) -> Vec<(Frame, Vec<Glyph>)> {
    let groups = groups(&raw.glyphs);
    let mut frames: Vec<(Frame, Vec<Glyph>)> = groups.into_iter().map(|group| group.upright(raw)).collect();
    frames.retain(|(_, glyphs)| glyphs.iter().any(|glyph| !glyph.text.is_blank()));
    // Stable: on a tie the usual direction leads.
    frames.sort_by_key(|(_, glyphs)| std::cmp::Reverse(glyphs.len()));
    frames
}

/// Glyphs that run the same way.
struct Group<'g> {
    direction: Direction,
    /// Degrees by which most of it descends against the direction.
    slant: f32,
    /// Whether its glyphs do not all have this slant.
    uneven: bool,
    /// Whether each has a slant of its own, as along a curve.
    curved: bool,
    glyphs: Vec<&'g Glyph>,
}

impl Group<'_> {
    /// Its frame, and its glyphs turned, their lines level.
    fn upright(self, raw: &Raw) -> (Frame, Vec<Glyph>) {
        let mut frame = Frame::new(self.direction, raw.width, raw.height).slanted(self.slant);
        if self.curved {
            return (frame, unbent(&self.glyphs));
        }
        let mut turned: Vec<Glyph> = self.glyphs.iter().map(|glyph| frame.glyph(glyph)).collect();
        let stair = stair(&turned);
        if let Some(stair) = stair {
            frame = frame.slanted(stair);
            turned = self.glyphs.iter().map(|glyph| frame.glyph(glyph)).collect();
        }
        if self.uneven || stair.is_some() {
            level(&mut turned);
        }
        (frame, turned)
    }
}

/// Which way a glyph runs: its quarter, and degrees by which it descends against that; `None` where it has no advance.
fn lean(glyph: &Glyph) -> Option<(usize, f32)> {
    let (dx, dy) = (glyph.end.0 - glyph.x, glyph.end.1 - glyph.y);
    if dx.abs() + dy.abs() < 1e-3 {
        return None;
    }
    let (quarter, along, across) = match (dx.abs() >= dy.abs(), dx > 0.0, dy > 0.0) {
        (true, true, _) => (0, dx, dy),
        (false, _, true) => (1, dy, -dx),
        (true, false, _) => (2, -dx, -dy),
        (false, _, false) => (3, -dy, dx),
    };
    Some((quarter, across.atan2(along).to_degrees()))
}

/// Degrees clockwise from the usual direction.
fn whole((quarter, slant): (usize, f32)) -> f32 {
    90.0 * f32::from(u8::try_from(quarter).unwrap_or(0)) + slant
}

/// Difference of two angles in degrees, -180 to 180.
fn between(a: f32, b: f32) -> f32 {
    (a - b + 540.0).rem_euclid(360.0) - 180.0
}

/// The glyphs by the way they run; those without advance go with the one before.
fn groups(glyphs: &[Glyph]) -> Vec<Group<'_>> {
    let mut last = 0.0;
    let angle = |glyph| {
        last = lean(glyph).map_or(last, whole);
        last
    };
    let angles: Vec<f32> = glyphs.iter().map(angle).collect();
    let modes = modes(&angles);
    let mut groups: Vec<Group<'_>> = modes.iter().map(|&mode| group(mode)).collect();
    let mut rest = Group { curved: true, ..group(0.0) };
    let mut places: Vec<Option<usize>> = angles.iter().map(|&angle| nearest(angle, &modes)).collect();
    curve(&mut places);
    for ((glyph, &angle), place) in glyphs.iter().zip(&angles).zip(places) {
        match place {
            Some(at) => {
                groups[at].uneven |= between(angle, modes[at]).abs() > LEVEL;
                groups[at].glyphs.push(glyph);
            }
            None => rest.glyphs.push(glyph),
        }
    }
    groups.push(rest);
    groups
}

/// The most common angle nearest to one, if it is near.
fn nearest(angle: f32, modes: &[f32]) -> Option<usize> {
    let distance = |at: &usize| between(angle, modes[*at]).abs();
    let near = (0..modes.len()).filter(|at| distance(at) <= TOGETHER);
    near.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// A letter or two between letters along a curve belong to it, though they have one of the common angles.
fn curve(places: &mut [Option<usize>]) {
    let mut at = 0;
    for run in places.to_vec().chunk_by(|a, b| a == b) {
        let (start, end) = (at, at + run.len());
        let alone = |place: Option<&Option<usize>>| place.is_some_and(Option::is_none);
        let between = start > 0 && alone(places.get(start - 1)) && alone(places.get(end));
        if run.len() < FEWEST && between {
            places[start..end].fill(None);
        }
        at = end;
    }
}

fn group<'g>(angle: f32) -> Group<'g> {
    let quarter =
        (0..4).min_by(|&a, &b| between(angle, whole((a, 0.0))).abs().total_cmp(&between(angle, whole((b, 0.0))).abs()));
    let quarter = quarter.unwrap_or(0);
    let slant = between(angle, whole((quarter, 0.0)));
    Group { direction: DIRECTIONS[quarter], slant, uneven: false, curved: false, glyphs: Vec::new() }
}

/// The most common angles, the usual directions first where they are as common; those that are all but a direction are
/// it.
fn modes(angles: &[f32]) -> Vec<f32> {
    let class = |angle: f32| {
        #[expect(clippy::cast_possible_truncation, reason = "a class of angles")]
        let class = ((angle.rem_euclid(360.0)) / CLASS).round() as i32;
        class.rem_euclid(CLASSES)
    };
    let mut counts: Vec<(usize, f32)> = vec![(0, 0.0); usize::try_from(CLASSES).unwrap_or(0)];
    for &angle in angles {
        let class = class(angle);
        let middle = f32::from(i16::try_from(class).unwrap_or(0)) * CLASS;
        if let Some(count) = usize::try_from(class).ok().and_then(|class| counts.get_mut(class)) {
            *count = (count.0 + 1, count.1 + between(angle, middle));
        }
    }
    let mut modes: Vec<f32> = Vec::new();
    while modes.len() < SLANTS {
        let best = counts.iter().enumerate().max_by_key(|(class, count)| (count.0, std::cmp::Reverse(*class)));
        let Some((best, &(count, sum))) = best.filter(|(_, count)| count.0 >= FEWEST) else { break };
        let mean = f32::from(i16::try_from(best).unwrap_or(0)) * CLASS + sum / count as f32;
        let axis = (mean / 90.0).round() * 90.0;
        let mode = if (mean - axis).abs() < LEVEL { axis } else { mean };
        modes.push(mode.rem_euclid(360.0));
        for (class, count) in counts.iter_mut().enumerate() {
            let middle = f32::from(i16::try_from(class).unwrap_or(0)) * CLASS;
            if between(middle, mode).abs() <= TOGETHER {
                *count = (0, 0.0);
            }
        }
    }
    modes
}

/// Classes of angles in a full turn.
const CLASSES: i32 = 720;

/// Ranges of glyphs that stand on one line, in content order; `glyphs` run from left to right, more or less.
fn lines(glyphs: &[Glyph]) -> Vec<std::ops::Range<usize>> {
    let mut lines: Vec<std::ops::Range<usize>> = Vec::new();
    // The last glyph of the open line that stands on its base line.
    let mut base = 0;
    for (index, glyph) in glyphs.iter().enumerate() {
        let before = &glyphs[index.saturating_sub(1)];
        let (full, size) = (glyph.size >= FULL * glyphs[base].size, glyphs[base].size.max(glyph.size));
        let step = (glyph.y - glyphs[base].end.1).abs();
        let goes_on = (-APART / 2.0 * size..APART * size).contains(&(glyph.x - before.end.0))
            && step < if full { STEP } else { 2.0 * STEP } * size;
        match lines.last_mut() {
            Some(line) if goes_on => line.end = index + 1,
            _ => {
                lines.push(index..index + 1);
                base = index;
            }
        }
        if full {
            base = index;
        }
    }
    lines
}

/// Slope of a line by the places of its letters (least squares), its length and its middle in points.
fn slope(glyphs: &[Glyph]) -> Option<(f32, f32, f32)> {
    let size = glyphs.iter().map(|glyph| glyph.size).fold(0.0, f32::max);
    let letters = || glyphs.iter().filter(|glyph| !glyph.text.is_blank() && glyph.size >= FULL * size);
    let count = letters().count() as f32;
    let (x, y) =
        (letters().map(|glyph| glyph.x).sum::<f32>() / count, letters().map(|glyph| glyph.y).sum::<f32>() / count);
    let spread = letters().map(|glyph| (glyph.x - x).powi(2)).sum::<f32>();
    let length = glyphs.last()?.end.0 - glyphs.first()?.x;
    let slope = letters().map(|glyph| (glyph.x - x) * (glyph.y - y)).sum::<f32>() / spread;
    (count >= 4.0 && slope.is_finite()).then_some((slope, length, x))
}

/// Degrees by which the lines of a page descend though their glyphs are upright, where they do so together.
fn stair(glyphs: &[Glyph]) -> Option<f32> {
    let measured = lines(glyphs).into_iter().filter_map(|line| {
        let (slope, length, _) = slope(&glyphs[line.clone()])?;
        (length > LONG * glyphs[line.start].size).then_some((slope.atan().to_degrees(), length))
    });
    let mut measured: Vec<(f32, f32)> = measured.collect();
    measured.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f32 = measured.iter().map(|(_, length)| length).sum();
    let mut seen = 0.0;
    let median = measured.iter().find(|(_, length)| {
        seen += length;
        seen >= all / 2.0
    })?;
    let near =
        measured.iter().filter(|(slope, _)| (slope - median.0).abs() < 0.35).map(|(_, length)| length).sum::<f32>();
    (median.0.abs() > STAIR && measured.len() > 2 && near > 0.6 * all).then_some(median.0)
}

/// Levels each line about its middle.
fn level(glyphs: &mut [Glyph]) {
    for line in lines(glyphs) {
        let line = &mut glyphs[line];
        let Some((slope, length, middle)) = slope(line) else { continue };
        if slope.abs() * length > 0.5 {
            for glyph in line {
                glyph.y -= slope * (glyph.x - middle);
                glyph.end.1 -= slope * (glyph.end.0 - middle);
            }
        }
    }
}

/// Letters along a curve, each with a slant of its own: those that follow each other closely are put on one line.
fn unbent(glyphs: &[&Glyph]) -> Vec<Glyph> {
    let mut out: Vec<Glyph> = Vec::with_capacity(glyphs.len());
    for (index, glyph) in glyphs.iter().enumerate() {
        let length = (glyph.end.0 - glyph.x).hypot(glyph.end.1 - glyph.y);
        let before = index.checked_sub(1).map(|before| glyphs[before]);
        let gap = before.map(|before| (glyph.x - before.end.0).hypot(glyph.y - before.end.1));
        let (x, y) = match (gap, out.last()) {
            (Some(gap), Some(last)) if gap < glyph.size => (last.end.0 + gap, last.y),
            _ => (glyph.x, glyph.y),
        };
        out.push(Glyph { x, y, end: (x + length, y), ..(*glyph).clone() });
    }
    out
}
