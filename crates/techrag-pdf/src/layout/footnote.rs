//! Footnotes: small text that ends a column, under a short rule or marked by a raised number.

use super::block::Draft;
use super::kind::{Class, Context};
use super::order::Zone;
use crate::glyphs::Rule;

/// Largest size of a footnote as a share of the body's.
const SMALL: f32 = 0.93;
/// Above this share of the page's height nothing is a footnote.
const LOWEST: f32 = 0.45;

/// Marks the blocks that are footnotes.
pub(super) fn mark(drafts: &mut [Draft], rules: &[Rule], height: f32, context: &Context) {
    let zones: Vec<Zone> = drafts.iter().map(|draft| draft.zone).collect();
    for zone in [Zone::Span].into_iter().chain((0..8).map(Zone::Column)) {
        // From the last block of the zone upwards, as long as the text is small.
        for index in (0..drafts.len()).rev().filter(|&index| zones[index] == zone) {
            let draft = &drafts[index];
            let foot = draft.rows.last().is_some_and(|row| row.base > 0.93 * height);
            if draft.class != Class::Text || !small(draft, context) {
                // A page number may stand under the footnotes.
                if foot && draft.rows.len() == 1 {
                    continue;
                }
                break;
            }
            if top(draft) < LOWEST * height {
                break;
            }
            let ruled = under_rule(draft, rules, context);
            if ruled || raised_mark(draft) {
                mark_from(drafts, &zones, index, context);
            }
            if ruled {
                break;
            }
        }
    }
}

fn mark_from(drafts: &mut [Draft], zones: &[Zone], from: usize, context: &Context) {
    for index in from..drafts.len() {
        if zones[index] == zones[from] && drafts[index].class == Class::Text && small(&drafts[index], context) {
            drafts[index].class = Class::Footnote;
        }
    }
}

fn small(draft: &Draft, context: &Context) -> bool {
    draft.rows.iter().all(|row| row.size <= SMALL * context.body)
}

fn top(draft: &Draft) -> f32 {
    draft.rows.first().map_or(0.0, |row| row.base)
}

/// Whether a rule shorter than the column stands closely above, at its left end.
fn under_rule(draft: &Draft, rules: &[Rule], context: &Context) -> bool {
    let Some(first) = draft.rows.first() else { return false };
    rules.iter().filter(|rule| rule.horizontal()).any(|rule| {
        let above = first.bbox[1] - rule.bbox[1];
        let length = rule.length();
        (-2.0..1.6 * first.size).contains(&above)
            && (rule.bbox[0] - first.bbox[0]).abs() < 2.5 * first.size
            && length > 20.0
            && length < 0.75 * context.column
    })
}

/// Whether it starts with a mark smaller and higher than its text.
fn raised_mark(draft: &Draft) -> bool {
    let Some(first) = draft.rows.first() else { return false };
    first.parts.first().is_some_and(|part| {
        let height = part.bbox[3] - part.bbox[1];
        // The box of a raised mark reaches above the box of the text.
        height > 1.08 * first.size * (super::fragment::ASCENT + super::fragment::DESCENT)
            || part.size < 0.8 * first.size
    })
}
