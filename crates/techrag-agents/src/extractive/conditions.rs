//! Whether a quotation speaks of a number that a question gives as a condition: `at 100 km/h`, `on 4 mm of water`.
//!
//! In running text the number must stand there with its unit, or bare before one that has it (`between 2 and 6 kN`). A
//! cell of a table is bare for a reason: its unit stands in the heading of its column or in the caption (`in km/h`). A
//! bare 3 under `n` is no 3 mm.

use techrag_core::quantity::{Dimension, Quantity, quantities};
use techrag_core::unit::{Kind, Unit, cells};

/// Whether a unit of a passage, or the caption and the heading row of a table's row, hold the condition.
pub(super) fn holds(unit: &Unit, passage: &str, condition: &Quantity) -> bool {
    let beside = [unit.caption.as_ref(), unit.header.as_ref()].into_iter().flatten();
    let says = |text: &str| in_prose(&quantities(text), condition);
    if beside.map(|range| &passage[range.clone()]).any(says) {
        return true;
    }
    let text = &passage[unit.range.clone()];
    match unit.kind {
        Kind::Row => in_a_cell(unit, passage, text, condition),
        Kind::Sentence | Kind::Caption => says(text),
    }
}

/// Numbers of a list, the last of which has the unit of all: `3, 4 and 5 kN`.
const LIST: usize = 3;

fn in_prose(quantities: &[Quantity], condition: &Quantity) -> bool {
    quantities.iter().enumerate().filter(|(_, quantity)| quantity.agrees(condition)).any(|(at, quantity)| {
        let next = || quantities[at + 1..].iter().take(LIST).find_map(|later| later.unit);
        condition.unit.is_none() || quantity.unit.is_some() || next() == condition.unit
    })
}

/// Whether a unit of a passage gives a number of a kind, or stands in a table whose caption or heading row names a unit of
/// it.
pub(super) fn measures(unit: &Unit, passage: &str, wanted: Dimension) -> bool {
    let is_wanted = |quantity: &Quantity| quantity.dimension() == Some(wanted);
    let beside = [unit.caption.as_ref(), unit.header.as_ref()].into_iter().flatten();
    let named = |word: &str| quantities(&format!("1 {word}")).first().is_some_and(is_wanted);
    let beside = beside.map(|range| passage[range.clone()].replace("per cent", "percent"));
    beside.into_iter().any(|text| words(&text).any(named))
        || quantities(&passage[unit.range.clone()]).iter().any(is_wanted)
}

fn in_a_cell(unit: &Unit, passage: &str, row: &str, condition: &Quantity) -> bool {
    let header = unit.header.as_ref().map_or(Vec::new(), |range| cells(&passage[range.clone()]));
    let caption = unit.caption.as_ref().map_or("", |range| &passage[range.clone()]);
    let is_of = |at: usize, quantity: &Quantity| match (quantity.unit, condition.unit) {
        (None, Some(wanted)) => {
            header.get(at).is_some_and(|name| words(name).any(|word| is_unit(word, wanted)))
                || given_in(caption, wanted)
        }
        _ => true,
    };
    let cells = cells(row).into_iter().enumerate();
    let mut agreeing = cells.flat_map(|(at, cell)| quantities(cell).into_iter().map(move |quantity| (at, quantity)));
    agreeing.any(|(at, quantity)| quantity.agrees(condition) && is_of(at, &quantity))
}

/// Whether a caption says that its table is given `in` a unit.
fn given_in(caption: &str, wanted: &str) -> bool {
    let caption = caption.replace("per cent", "percent");
    let words: Vec<&str> = words(&caption).collect();
    words.windows(2).any(|pair| pair[0] == "in" && is_unit(pair[1], wanted))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | ',' | ';'));
    words.map(|word| word.trim_end_matches(['.', ':'])).filter(|word| !word.is_empty())
}

fn is_unit(word: &str, wanted: &str) -> bool {
    quantities(&format!("1 {word}")).first().is_some_and(|one| one.unit == Some(wanted))
}

#[cfg(test)]
mod tests {
    use techrag_core::unit::units;

    use super::*;

    const TEXT: &str = "It stops from 100 km/h within 40 m, on loads between 2 and 6 kN, see (7).\n\n\
        Table 1. Speeds in km/h at 220 kPa.\n\n| Water (mm) | n | Onset | Angle |\n|---|---|---|---|\n| 4 | 3 | 61.7 | 8\u{b0} |";

    #[test]
    fn a_condition_has_its_unit_beside_it_above_it_or_in_the_caption() {
        let held = |condition: &str| {
            let condition = quantities(condition).remove(0);
            units(TEXT).iter().any(|unit| holds(unit, TEXT, &condition))
        };
        for condition in ["100 km/h", "40 m", "2 kN", "4 mm", "61.7 km/h", "8 degrees", "220 kPa", "3"] {
            assert!(held(condition), "{condition}");
        }
        for condition in ["100 m", "3 mm", "7 mm", "4 kN", "61.7 mm", "6 km/h", "41 m"] {
            assert!(!held(condition), "{condition}");
        }
        let given = |wanted| units(TEXT).iter().map(|unit| measures(unit, TEXT, wanted)).collect::<Vec<_>>();
        assert_eq!(given(Dimension::Force), [true, false, false]);
        assert_eq!(given(Dimension::Speed), [true, false, true]);
        assert_eq!(given(Dimension::Time), [false; 3]);
    }
}
