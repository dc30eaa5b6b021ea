//! The marks of lists and the numbers of headings, which the file does not hold but Word counts.

use std::collections::HashMap;

use super::super::ordinal::written;
use super::super::xml::Node;
use super::styles::InList;

/// Levels of a list; the format knows nine.
const LEVELS: usize = 9;

/// The lists of a document and how far each was counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    lists: HashMap<String, [Level; LEVELS]>,
    /// List instance → list definition, and the starts that the instance sets anew.
    instances: HashMap<String, (String, HashMap<usize, u32>)>,
    counters: HashMap<String, [Option<u32>; LEVELS]>,
    /// Instances met so far: the starts of an instance count once.
    met: Vec<String>,
}

#[derive(Clone, Debug)]
struct Level {
    start: u32,
    format: String,
    text: String,
}

impl Default for Level {
    fn default() -> Self {
        Self { start: 1, format: "bullet".into(), text: String::new() }
    }
}

impl Numbering {
    pub(super) fn read(root: Option<&Node>) -> Self {
        let mut numbering = Self::default();
        let Some(root) = root else { return numbering };
        for list in root.all("w:abstractNum") {
            let mut levels: [Level; LEVELS] = std::array::from_fn(|_| Level::default());
            for node in list.all("w:lvl") {
                if let Some(level) = node.number::<usize>("ilvl").and_then(|at| levels.get_mut(at)) {
                    *level = self::level(node);
                }
            }
            numbering.lists.insert(list.attribute("abstractNumId").unwrap_or_default().to_owned(), levels);
        }
        for instance in root.all("w:num") {
            let Some(list) = instance.at(&["w:abstractNumId"]).and_then(|node| node.attribute("val")) else { continue };
            let start = |node: &Node| Some((node.number("ilvl")?, node.at(&["w:startOverride"])?.number("val")?));
            let starts = instance.all("w:lvlOverride").filter_map(start).collect();
            numbering
                .instances
                .insert(instance.attribute("numId").unwrap_or_default().to_owned(), (list.to_owned(), starts));
        }
        numbering
    }

    /// The mark of the next paragraph of a list: `-` for a bullet, the number as Word writes it otherwise; `None` where
    /// the paragraph is in no list after all.
    pub(super) fn mark(&mut self, item: &InList) -> Option<String> {
        let number = item.number.as_deref().filter(|number| *number != "0")?;
        let (list, starts) = self.instances.get(number)?.clone();
        let levels = self.lists.get(&list)?;
        let at = item.level.min(LEVELS - 1);
        let counters = self.counters.entry(list).or_default();
        if !starts.is_empty() && !self.met.iter().any(|met| met == number) {
            self.met.push(number.to_owned());
            for (level, start) in starts {
                if let Some(counter) = counters.get_mut(level) {
                    *counter = start.checked_sub(1);
                }
            }
        }
        // A level that was skipped counts as begun.
        for level in 0..at {
            counters[level].get_or_insert(levels[level].start);
        }
        counters[at] = Some(counters[at].map_or(levels[at].start, |count| count.saturating_add(1)));
        counters[at + 1..].fill(None);
        match levels[at].format.as_str() {
            "bullet" => Some("-".into()),
            "none" => None,
            _ => Some(label(levels, counters, at)).filter(|label| !label.is_empty()),
        }
    }
}

fn level(node: &Node) -> Level {
    let value = |name| node.at(&[name]).and_then(|node| node.attribute("val")).map(str::to_owned);
    Level {
        start: value("w:start").and_then(|start| start.parse().ok()).unwrap_or(1),
        format: value("w:numFmt").unwrap_or_else(|| "decimal".into()),
        text: value("w:lvlText").unwrap_or_default(),
    }
}

/// `%1.%2` with the counters put in.
fn label(levels: &[Level; LEVELS], counters: &[Option<u32>; LEVELS], at: usize) -> String {
    let mut label = String::new();
    let mut chars = levels[at].text.chars().peekable();
    while let Some(c) = chars.next() {
        let level = chars.peek().and_then(|c| c.to_digit(10)).filter(|digit| c == '%' && (1..=9).contains(digit));
        match level {
            Some(level) => {
                chars.next();
                let level = level as usize - 1;
                let count = counters[level].unwrap_or(levels[level].start);
                label.push_str(&written(count, &levels[level].format));
            }
            None => label.push(c),
        }
    }
    label.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbering() -> Numbering {
        let level = |format: &str, text: &str| Level { start: 1, format: format.into(), text: text.into() };
        let mut levels: [Level; LEVELS] = std::array::from_fn(|_| Level::default());
        levels[0] = level("decimal", "%1.");
        levels[1] = level("decimal", "%1.%2");
        levels[2] = level("lowerLetter", "(%3)");
        Numbering {
            lists: HashMap::from([("0".into(), levels)]),
            instances: HashMap::from([
                ("1".into(), ("0".into(), HashMap::new())),
                ("2".into(), ("0".into(), HashMap::from([(0, 7)]))),
            ]),
            ..Numbering::default()
        }
    }

    #[test]
    fn levels_count_restart_and_begin_where_they_were_skipped() {
        let mut numbering = numbering();
        let mut mark = |number: &str, level| numbering.mark(&InList { number: Some(number.into()), level });
        let marks = [("1", 0), ("1", 1), ("1", 1), ("1", 2), ("1", 0), ("1", 2), ("1", 1), ("1", 3), ("2", 0)];
        let got: Vec<_> = marks.map(|(number, level)| mark(number, level).unwrap_or_default()).to_vec();
        assert_eq!(got, ["1.", "1.1", "1.2", "(a)", "2.", "(a)", "2.2", "-", "7."]);
        assert_eq!(mark("0", 0), None);
        assert_eq!(mark("9", 0), None);
    }
}
