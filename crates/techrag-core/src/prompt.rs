//! What every prompt for a language model needs: templates filled in one pass, an estimate of tokens, evidence cut to a
//! budget. How documents are kept from acting inside a prompt is in [`crate::fence`].

use std::fmt::Write as _;

/// Estimated tokens of a text: a word counts one per four characters begun, any other visible character one. Byte-pair
/// vocabularies need about 0.75 to 1 of this for English prose, so the estimate errs to the safe side.
pub fn tokens(text: &str) -> u64 {
    let mut tokens = 0;
    let mut word = 0_u64;
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() {
            word += 1;
            continue;
        }
        tokens += word.div_ceil(4) + u64::from(!c.is_whitespace());
        word = 0;
    }
    tokens
}

/// A template with its placeholders `{{name}}` filled, in one pass: a placeholder inside a value stays what it is. A
/// name that has no value is filled with nothing.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    filled(template, values).0
}

/// The same, with where each placeholder's value ends: `(name, first byte after it)`, in the order of the template.
pub fn filled<'a>(template: &'a str, values: &[(&str, &str)]) -> (String, Vec<(&'a str, usize)>) {
    let mut out = String::with_capacity(template.len());
    let mut ends = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        out.push_str(before);
        out.push_str(values.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value));
        ends.push((name, out.len()));
        rest = after;
    }
    out.push_str(rest);
    (out, ends)
}

/// Evidence cut until it fits, and what was left out, in words. Quotations leave from the end of the longest block, of
/// equals the last one; then blocks leave from the end. What is not inside a block stays, and may not fit.
///
/// Blocks are as [`crate::fence`] and the assembler make them: a label line, `<<<mark`, quotations (`(p. 2) …`, each up
/// to the next), `mark>>>`.
pub fn shorten(evidence: &str, fits: impl Fn(&str) -> bool) -> (String, Vec<String>) {
    let mut parts = parts(evidence);
    let mut dropped = Vec::new();
    while !fits(&joined(&parts)) {
        let longest = parts
            .iter()
            .enumerate()
            .filter_map(|(at, part)| Some((at, part.quotations()?.len())))
            .max_by_key(|(at, count)| (*count, *at));
        let Some((at, count)) = longest else { break };
        if count > 1 {
            if let Part::Block { quotations, label, .. } = &mut parts[at]
                && let Some(gone) = quotations.pop()
            {
                let words: String = gone.chars().take(60).collect();
                dropped.push(format!("{}: {}", name(label), words.replace('\n', " ")));
            }
        } else if let Some(Part::Block { label, .. }) = parts.get(at) {
            dropped.push(format!("{} altogether", name(label)));
            parts.remove(at);
        }
    }
    (joined(&parts), dropped)
}

/// A stretch of evidence.
enum Part {
    /// Lines that are no block.
    Plain(String),
    /// A fenced block.
    Block { label: String, open: String, quotations: Vec<String>, close: String },
}

impl Part {
    fn quotations(&self) -> Option<&[String]> {
        match self {
            Self::Plain(_) => None,
            Self::Block { quotations, .. } => Some(quotations),
        }
    }
}

/// `SOURCE 2` of `[SOURCE 2: Title] (…)`.
fn name(label: &str) -> &str {
    label.trim_start_matches('[').split([':', ']']).next().unwrap_or(label)
}

fn parts(evidence: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut lines = evidence.lines().peekable();
    while let Some(line) = lines.next() {
        let opens = lines.peek().and_then(|next| next.strip_prefix("<<<"));
        let Some(mark) = opens.filter(|mark| !mark.is_empty()) else {
            match parts.last_mut() {
                Some(Part::Plain(text)) => {
                    text.push('\n');
                    text.push_str(line);
                }
                _ => parts.push(Part::Plain(line.to_owned())),
            }
            continue;
        };
        let (open, close) = (format!("<<<{mark}"), format!("{mark}>>>"));
        lines.next();
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != close).collect();
        parts.push(Part::Block { label: line.to_owned(), open, quotations: quotations(&inside), close });
    }
    parts
}

/// Lines of a block by quotation: one begins where a page is named, or at every line where none is.
fn quotations(lines: &[&str]) -> Vec<String> {
    let paged = lines.iter().any(|line| line.starts_with("(p. "));
    let mut quotations: Vec<String> = Vec::new();
    for line in lines {
        match quotations.last_mut().filter(|_| paged && !line.starts_with("(p. ")) {
            Some(last) => {
                last.push('\n');
                last.push_str(line);
            }
            None => quotations.push((*line).to_owned()),
        }
    }
    quotations
}

fn joined(parts: &[Part]) -> String {
    let mut out = String::new();
    for part in parts {
        if !out.is_empty() {
            out.push('\n');
        }
        match part {
            Part::Plain(text) => out.push_str(text),
            Part::Block { label, open, quotations, close } => {
                let _ = write!(out, "{label}\n{open}\n{}\n{close}", quotations.join("\n"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIDENCE: &str = "EVIDENCE\nEach block is a paper.\n\n[SOURCE 1: A] (a.pdf)\n<<<m1\n(p. 2) One is long.\n\
        | a | b |\n(p. 3) Two.\nm1>>>\n\n[SOURCE 2: B] (b.pdf)\n<<<m1\n(p. 1) Three.\nm1>>>\n\nNOTES\n- gap";

    #[test]
    fn placeholders_are_filled_in_one_pass() {
        let (text, ends) = filled("a {{x}} b {{y}}{{z}}", &[("x", "{{y}}"), ("y", "1")]);
        assert_eq!((text.as_str(), ends), ("a {{y}} b 1", vec![("x", 7), ("y", 11), ("z", 11)]));
    }

    #[test]
    fn evidence_that_fits_is_left_as_it_is() {
        assert_eq!(shorten(EVIDENCE, |_| true), (EVIDENCE.to_owned(), vec![]));
    }

    #[test]
    fn quotations_go_before_blocks_and_the_rest_stays() {
        let all = tokens(EVIDENCE);
        let (text, dropped) = shorten(EVIDENCE, |text| tokens(text) < all);
        assert!(!text.contains("Two.") && text.contains("| a | b |") && text.contains("Three."), "{text}");
        assert_eq!(dropped, ["SOURCE 1: (p. 3) Two."]);
        let (text, dropped) = shorten(EVIDENCE, |_| false);
        assert_eq!(dropped, ["SOURCE 1: (p. 3) Two.", "SOURCE 2 altogether", "SOURCE 1 altogether"]);
        assert!(text.starts_with("EVIDENCE\nEach") && text.ends_with("NOTES\n- gap"), "{text}");
    }
}
