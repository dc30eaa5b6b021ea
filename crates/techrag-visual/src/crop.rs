//! Which figure or table of a page answers the question: the one whose own vectors match it best.
//!
//! Nothing is encoded again: a vector belongs to a region if its middle lies in the region's box or in its caption's.

use techrag_core::record::Crop;
use techrag_pdf::Bbox;

use crate::region::Region;
use crate::store::About;
use crate::store::segment::{Asked, Segment, Spot};

/// The region that matches best, the first of equals; `vectors` is the number of the query's.
pub(crate) fn best(
    about: &About,
    page: u32,
    query: &Asked,
    vectors: usize,
    (segment, slot): (&Segment, usize),
) -> Option<Crop> {
    let spots = segment.spots(slot);
    let mut best: Option<Crop> = None;
    for region in &about.regions {
        let within: Vec<usize> = (0..spots.len()).filter(|at| is_within(spots[*at], region, about)).collect();
        if within.is_empty() {
            continue;
        }
        let score = segment.maxsim(query, slot, Some(&within)) / vectors.max(1) as f32;
        if best.as_ref().is_none_or(|best| best.score.is_none_or(|highest| score > highest)) {
            best = Some(crop(region, page, Some(score)));
        }
    }
    best
}

/// A region as a record has it.
pub fn crop(region: &Region, page: u32, score: Option<f32>) -> Crop {
    let Region { kind, bbox, source, caption, .. } = region.clone();
    Crop { kind, page, bbox, source, caption, score, ..Crop::default() }
}

fn is_within(spot: Spot, region: &Region, about: &About) -> bool {
    if spot == Spot::default() {
        return false;
    }
    let middle = |a: u16, b: u16, whole: f32| (f32::from(a) + f32::from(b)) / 2.0 / f32::from(u16::MAX) * whole;
    let (x, y) = (middle(spot[0], spot[2], about.width), middle(spot[1], spot[3], about.height));
    let holds = |bbox: &Bbox| (bbox[0]..=bbox[2]).contains(&x) && (bbox[1]..=bbox[3]).contains(&y);
    holds(&region.bbox) || region.caption_bbox.as_ref().is_some_and(holds)
}
