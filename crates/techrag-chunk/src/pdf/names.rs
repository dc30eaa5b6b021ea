//! Names of authors among the lines of a title page.

use techrag_pdf::{Block, Line, Run, Script};

use crate::references;

/// Beginnings of words that stand in affiliations and mastheads and not in names.
const AFFILIATION: &[&str] = &[
    "univ",
    "depart",
    "institut",
    "school",
    "laborator",
    "centre",
    "center",
    "college",
    "facult",
    "fakult",
    "lehrstuhl",
    "company",
    "corporation",
    "research",
    "technolog",
    "technisch",
    "hochschule",
    "polytech",
    "politecnico",
    "dipartimento",
    "academy",
    "hospital",
    "division",
    "network",
    "council",
    "agency",
    "ministry",
    "foundation",
    "science",
    "engineering",
    "street",
    "avenue",
    "germany",
    "editor",
    "member",
    "fellow",
    "student",
    "version",
    "report",
    "journal",
    "proceedings",
    "conference",
    "abstract",
    "keyword",
];

/// Whole words of the same kind, too short to be taken for beginnings.
const AFFILIATION_WORDS: &[&str] = &[
    "dept", "lab", "labs", "chair", "group", "inc", "ltd", "gmbh", "corp", "team", "road", "usa", "france", "italy",
    "china", "japan", "draft", "doi",
];

/// What raised digits, daggers and asterisks are read as; no name ends with one.
const MISREAD: &[char] = &['!', '?', '\'', '"', '’', '‘', '“', '”', '°', '^', '~', '«', '»'];

/// Letters of a word in capitals from which it may be the part of an address before its sign; fewer are initials.
const MAILBOX: usize = 3;

/// Most authors that are believed.
const MOST: usize = 60;

/// Font of a stretch of text.
type Look = (u32, bool, bool);

/// What is known of fonts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fonts {
    /// The file says them.
    Said,
    /// They are told by the heights and strokes of letters in a picture: sizes nearly, bold type now and then.
    Seen,
}

/// Sizes that differ by less than this share may be one where they are seen.
const SEEN: f32 = 0.12;

impl Fonts {
    fn are_one(self, a: Look, b: Look) -> bool {
        let nearly = || (a.0 as f32 / b.0.max(1) as f32 - 1.0).abs() < SEEN;
        a == b || self == Self::Seen && nearly()
    }
}

/// The names in the blocks between title and text. The first line that holds a name fixes the font of all of them:
/// affiliations are set otherwise.
pub(crate) fn read<'a>(blocks: impl Iterator<Item = &'a Block>, fonts: Fonts) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut look: Option<Look> = None;
    for line in blocks.flat_map(|block| &block.lines) {
        let Some(first) = line.runs.iter().find(|run| run.script == Script::None && !run.text.trim().is_empty()) else {
            continue;
        };
        let own = look_of(first);
        if look.is_some_and(|look| !fonts.are_one(look, own)) {
            continue;
        }
        let names = in_line(line, own, fonts);
        if !names.is_empty() {
            look = Some(own);
            found.extend(names.into_iter().filter(|name| !found.contains(name)).collect::<Vec<_>>());
        }
    }
    if found.len() > MOST { Vec::new() } else { found }
}

fn look_of(run: &Run) -> Look {
    ((run.size * 10.0).round().max(0.0) as u32, run.bold, run.italic)
}

/// The names of a line: what is set like its beginning, cut at raised marks.
fn in_line(line: &Line, look: Look, fonts: Fonts) -> Vec<String> {
    let mut text = String::new();
    for run in &line.runs {
        match run.script {
            Script::None if look_of(run) == look => text.push_str(&run.text),
            // Commas set apart in another font still part names.
            Script::None if run.text.trim().chars().all(|c| c.is_ascii_punctuation()) && !run.text.contains('@') => {
                text.push_str(&run.text);
            }
            Script::None => text.push_str(" , "),
            Script::Super | Script::Sub => text.push_str(" , "),
        }
    }
    // Where fonts are said, addresses are told by theirs and marks by their height.
    if fonts == Fonts::Seen { split(&without_misread_marks(&without_addresses(&text))) } else { split(&text) }
}

/// A line without its mail addresses, also where their parts stand apart, as readers of pictures have them:
/// `Béla Takarics TAKARICS. BELA @ SZTAKI.HU`.
fn without_addresses(line: &str) -> String {
    let has_address = line.contains('@');
    let mixed = |word: &&str| word.chars().any(char::is_lowercase);
    let mut kept: Vec<&str> = Vec::new();
    for word in line.split_whitespace() {
        let shouted = !mixed(&word) && letters(word) >= MAILBOX;
        let address = shouted && kept.iter().filter(|word| mixed(word)).count() >= 2;
        if !(word.contains('@') || has_address && (address || is_dotted(word))) {
            kept.push(word);
        }
    }
    kept.join(" ")
}

/// `sztaki.hu`, and no `A.B.`
fn is_dotted(word: &str) -> bool {
    let parts: Vec<&str> = word.trim_end_matches('.').split('.').collect();
    parts.len() > 1 && parts.iter().all(|part| letters(part) > 1)
}

fn letters(word: &str) -> usize {
    word.chars().filter(|c| c.is_alphabetic()).count()
}

/// The names of a list as a title page or the Info dictionary has it; nothing if it reads as an affiliation.
pub(crate) fn split(list: &str) -> Vec<String> {
    let words = list.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    if words.filter(|word| !word.is_empty()).any(|word| is_affiliation(&word)) {
        return Vec::new();
    }
    // A line that opens with a digit is a numbered affiliation; digits behind a name are marks.
    if list.trim_start().starts_with(|c: char| c.is_numeric()) {
        return Vec::new();
    }
    let list = list.replace(|c: char| c.is_numeric(), ",");
    let list = list.replace(['·', '•', '|', '†', '‡', '∗', '*', '§', '¶'], ",").replace(",,", ",");
    references::split_authors(&list).into_iter().filter(|name| is_name(name)).map(|name| uncapitalised(&name)).collect()
}

/// A list with commas for the raised marks that a reader of pictures took for signs of another kind: `Adam D. Cobb!`.
fn without_misread_marks(list: &str) -> String {
    let one = |word: &str| {
        let name = word.trim_end_matches([',', ';']).trim_end_matches(MISREAD);
        // `D' Andrea` has no mark.
        let marked = letters(name) > 1 && name.ends_with(char::is_alphabetic) && word[name.len()..].contains(MISREAD);
        if marked { format!("{name},") } else { word.to_owned() }
    };
    list.split_whitespace().map(one).collect::<Vec<_>>().join(" ")
}

fn is_affiliation(word: &str) -> bool {
    AFFILIATION_WORDS.contains(&word) || AFFILIATION.iter().any(|start| word.starts_with(start))
}

/// Two to six words, each a capitalised word, an initial or a particle, without digits.
fn is_name(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let shape =
        (2..=6).contains(&words.len()) && !name.contains(|c: char| c.is_ascii_digit() || matches!(c, ':' | '/' | '('));
    shape
        && references::are_names(name)
        && words.iter().any(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1)
}

/// `JANE VAN DOE` as people write it.
fn uncapitalised(name: &str) -> String {
    if name.chars().any(char::is_lowercase) || !name.split_whitespace().any(|word| word.chars().count() > 3) {
        return name.to_owned();
    }
    let mut start = true;
    name.chars()
        .flat_map(|c| {
            let out: Vec<char> = if start { vec![c] } else { c.to_lowercase().collect() };
            start = !c.is_alphabetic();
            out
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(runs: &[(&str, f32, bool, Script)]) -> Line {
        let runs = runs.iter().map(|(text, size, bold, script)| Run {
            text: (*text).into(),
            size: *size,
            bold: *bold,
            script: *script,
            ..Run::default()
        });
        Line { runs: runs.collect(), ..Line::default() }
    }

    fn names(lines: Vec<Line>) -> Vec<String> {
        read([Block { lines, ..Block::default() }].iter(), Fonts::Said)
    }

    fn seen(lines: Vec<Line>) -> Vec<String> {
        read([Block { lines, ..Block::default() }].iter(), Fonts::Seen)
    }

    #[test]
    fn addresses_beside_names_and_affiliations_below_are_left_out() {
        let lines = vec![
            line(&[
                ("Murad Abu-Khalaf ", 10.9, true, Script::None),
                ("MURAD", 8.0, false, Script::None),
                ("@", 10.0, false, Script::None),
            ]),
            line(&[("Cambridge, New Haven", 10.0, false, Script::None)]),
            line(&[("Daniela Rus ", 10.9, true, Script::None)]),
        ];
        assert_eq!(names(lines), ["Murad Abu-Khalaf", "Daniela Rus"]);
    }

    #[test]
    fn raised_marks_part_names() {
        let lines = vec![line(&[
            ("David S. Watson", 10.0, true, Script::None),
            ("1 ", 7.0, false, Script::Super),
            ("Limor Gultchin", 10.0, true, Script::None),
            ("2,3", 7.0, false, Script::Super),
        ])];
        assert_eq!(names(lines), ["David S. Watson", "Limor Gultchin"]);
    }

    #[test]
    fn raised_marks_that_were_misread_part_names() {
        let seen = |text| seen(vec![line(&[(text, 10.0, true, Script::None)])]);
        assert_eq!(seen("Adam D. Cobb! Brian Jalaian!"), ["Adam D. Cobb", "Brian Jalaian"]);
        assert_eq!(seen("Adam D. Cobb?, Brian O'Hara’"), ["Adam D. Cobb", "Brian O'Hara"]);
        assert_eq!(seen("Raffaello D' Andrea, Mark M. Muller"), split("Raffaello D' Andrea, Mark M. Muller"));
        assert_eq!(split("Raffaello D' Andrea, Mark M. Muller").len(), 2);
    }

    #[test]
    fn names_of_a_picture_need_not_look_the_same_to_the_last_stroke() {
        let line = |text, size, bold| line(&[(text, size, bold, Script::None)]);
        let lines = vec![line("Adam D. Cobb", 11.6, true), line("Brian Jalaian", 11.0, false)];
        let blocks = [Block { lines: [lines, vec![line("New Haven", 9.0, false)]].concat(), ..Block::default() }];
        assert_eq!(read(blocks.iter(), Fonts::Seen), ["Adam D. Cobb", "Brian Jalaian"]);
        assert_eq!(read(blocks.iter(), Fonts::Said), ["Adam D. Cobb"]);
    }

    #[test]
    fn addresses_whose_parts_stand_apart_are_no_names() {
        let read = |text| seen(vec![line(&[(text, 10.0, false, Script::None)])]);
        assert_eq!(read("Béla Takarics TAKARICS. BELA @ SZTAKI.HU"), ["Béla Takarics"]);
        assert_eq!(read("Bence Zs. Hadlaczky HADLACZKY.BENCE.ZSOMBOR @ SZTAKI.HU"), ["Bence Zs. Hadlaczky"]);
        assert_eq!(read("Noémi Friedman FRIEDMAN.NOEM@I SZTAKI.HU"), ["Noémi Friedman"]);
        assert_eq!(read("A.B. VANEK, Jean DUPONT jean@sztaki.hu"), ["A.B. Vanek", "Jean DUPONT"]);
    }

    #[test]
    fn what_reads_as_an_affiliation_is_none() {
        assert_eq!(split("Stanford University, Palo Alto"), Vec::<String>::new());
        assert_eq!(split("Jonas Veldhuis, Samir Belkacemi"), ["Jonas Veldhuis", "Samir Belkacemi"]);
        assert_eq!(split("JANE VAN DOE and Bence Zs. Hadlaczky"), ["Jane Van Doe", "Bence Zs. Hadlaczky"]);
        assert_eq!(split("FAA"), Vec::<String>::new());
    }
}
