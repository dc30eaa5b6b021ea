//! The layout model on a page of our own papers. It is an optional model: without it these tests say so.

use techrag_models::{LayoutModel, LayoutRegion, Pixels};

use crate::places::{self, ALONE};

const ID: &str = "PP-DocLayout-S";

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn regions() -> Option<Vec<LayoutRegion>> {
    let (locator, manifest) = places::with(&[])?;
    if !locator.has(manifest.get(ID).unwrap()) {
        eprintln!("skipped: {ID}, an optional model, is not there; run `make models`");
        return None;
    }
    let model = LayoutModel::open(&locator, &manifest, ID, ALONE).unwrap();
    // fixtures/papers/yaw-mpc.pdf, page 2, at 72 dpi.
    let page = image::open(places::tiny().join("yaw-mpc-page-2.png")).unwrap().to_rgb8();
    let page = Pixels::new(page.width() as usize, page.height() as usize, page.into_raw()).unwrap();
    let regions = model.regions(&page).unwrap();
    assert_eq!(regions, model.regions(&page).unwrap(), "the same again");
    Some(regions)
}

/// Intersection over union.
fn shared(a: &[f32; 4], b: &[f32; 4]) -> f32 {
    let area = |x: [f32; 4]| (x[2] - x[0]).max(0.0) * (x[3] - x[1]).max(0.0);
    let both = area([a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])]);
    both / (area(*a) + area(*b) - both)
}

#[test]
fn figures_and_tables_of_a_page_are_found_where_they_are() {
    let Some(regions) = regions() else { return };
    // As measured by eye on the page of 596 × 842 pixels.
    for (labels, [left, top, right, bottom]) in [
        (&["table"][..], [50.0, 500.0, 289.0, 622.0]),
        (&["image", "chart"], [312.0, 70.0, 545.0, 310.0]),
        (&["image", "chart"], [312.0, 565.0, 545.0, 730.0]),
    ] {
        let expected = [left / 596.0, top / 842.0, right / 596.0, bottom / 842.0];
        let of_label = regions.iter().filter(|region| labels.contains(&region.label.as_str()));
        let best = of_label.map(|region| shared(&region.bbox, &expected)).fold(0.0, f32::max);
        assert!(best > 0.8, "{labels:?} at {expected:?}: {best} in {regions:?}");
    }
    let captions =
        regions.iter().filter(|region| region.label.ends_with("_title") && region.label != "paragraph_title");
    assert!(captions.count() >= 3, "{regions:?}");
}

#[test]
fn regions_fall_in_score_and_lie_on_the_page() {
    let Some(regions) = regions() else { return };
    assert!(regions.is_sorted_by(|a, b| a.score >= b.score));
    assert!(regions.iter().all(|region| region.score >= 0.5 && region.score <= 1.0));
    assert!(regions.iter().flat_map(|region| region.bbox).all(|side| (0.0..=1.0).contains(&side)));
}
