//! The marks of lists and the numbers of headings, which the file does not hold but Word counts.

use std::collections::{HashMap, HashSet};

use super::super::ordinal::written;
use super::super::xml::Node;
use super::styles::InList;

/// Levels of a list; the format knows nine.
const LEVELS: usize = 9;

/// The lists of a document and how far each was counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    /// By their number.
    instances: HashMap<String, Instance>,
    /// By list definition: its instances go on with each other's count.
    counters: HashMap<String, [Option<u32>; LEVELS]>,
    /// Instances met so far: what an instance sets anew it sets once.
    met: HashSet<String>,
}

/// A list as paragraphs name it.
#[derive(Clone, Debug)]
struct Instance {
    /// Its definition.
    list: String,
    levels: [Level; LEVELS],
    /// Levels that begin anew with it.
    anew: Vec<usize>,
}

impl Instance {
    fn read(node: &Node, lists: &HashMap<&str, [Level; LEVELS]>) -> Option<Self> {
        let list = node.at(&["w:abstractNumId"])?.attribute("val")?;
        let mut instance = Self { list: list.to_owned(), levels: lists.get(list)?.clone(), anew: Vec::new() };
        for over in node.all("w:lvlOverride") {
            let Some(at) = over.number::<usize>("ilvl").filter(|at| *at < LEVELS) else { continue };
            if let Some(node) = over.at(&["w:lvl"]) {
                instance.levels[at] = level(node);
            }
            // The start holds whenever the level begins again (ECMA-376 part 1, 17.9.27).
            if let Some(start) = over.at(&["w:startOverride"]).and_then(|node| node.number("val")) {
                instance.levels[at].start = start;
                instance.anew.push(at);
            }
        }
        Some(instance)
    }
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
        let mut lists = HashMap::new();
        for list in root.all("w:abstractNum") {
            let mut levels: [Level; LEVELS] = std::array::from_fn(|_| Level::default());
            for node in list.all("w:lvl") {
                if let Some(level) = node.number::<usize>("ilvl").and_then(|at| levels.get_mut(at)) {
                    *level = self::level(node);
                }
            }
            lists.insert(list.attribute("abstractNumId").unwrap_or_default(), levels);
        }
        let instance = |node: &Node| {
            let number = node.attribute("numId").unwrap_or_default().to_owned();
            Some((number, Instance::read(node, &lists)?))
        };
        numbering.instances = root.all("w:num").filter_map(instance).collect();
        numbering
    }

    /// The mark of the next paragraph of a list: `-` for a bullet, the number as Word writes it otherwise; `None` where
    /// the paragraph is in no list after all.
    pub(super) fn mark(&mut self, item: &InList) -> Option<String> {
        let number = item.number.as_deref().filter(|number| *number != "0")?;
        let Instance { list, levels, anew } = self.instances.get(number)?;
        let at = item.level.min(LEVELS - 1);
        let counters = self.counters.entry(list.clone()).or_default();
        if !anew.is_empty() && self.met.insert(number.to_owned()) {
            anew.iter().for_each(|level| counters[*level] = None);
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
    use super::super::super::xml;
    use super::*;

    fn numbering() -> Numbering {
        let level = |at: usize, format: &str, text: &str| {
            format!(
                "<w:lvl w:ilvl='{at}'><w:start w:val='1'/><w:numFmt w:val='{format}'/><w:lvlText w:val='{text}'/></w:lvl>"
            )
        };
        let levels = [level(0, "decimal", "%1."), level(1, "decimal", "%1.%2"), level(2, "lowerLetter", "(%3)")];
        let number = |number: usize, inside: &str| {
            format!("<w:num w:numId='{number}'><w:abstractNumId w:val='0'/>{inside}</w:num>")
        };
        let start = |at: usize, start: usize| {
            format!("<w:lvlOverride w:ilvl='{at}'><w:startOverride w:val='{start}'/></w:lvlOverride>")
        };
        let roman = format!("<w:lvlOverride w:ilvl='0'>{}</w:lvlOverride>", level(0, "upperRoman", "%1)"));
        let part = format!(
            "<w:numbering xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>\
             <w:abstractNum w:abstractNumId='0'>{}</w:abstractNum>{}{}{}{}</w:numbering>",
            levels.concat(),
            number(1, ""),
            number(2, &start(0, 7)),
            number(3, &(start(0, 0) + &start(1, 5))),
            number(4, &roman),
        );
        Numbering::read(Some(&xml::parse(part.as_bytes()).unwrap()))
    }

    #[test]
    fn an_instance_may_begin_with_nought_and_set_deeper_levels() {
        let mut numbering = numbering();
        let mut mark = |number: &str, level| numbering.mark(&InList { number: Some(number.into()), level });
        let marks = [("1", 0), ("1", 1), ("3", 0), ("3", 1), ("3", 1), ("3", 0), ("3", 1), ("4", 0)];
        let got: Vec<_> = marks.map(|(number, level)| mark(number, level).unwrap_or_default()).to_vec();
        assert_eq!(got, ["1.", "1.1", "0.", "0.5", "0.6", "1.", "1.5", "II)"]);
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
