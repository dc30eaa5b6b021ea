//! A text to the tree of its grammar, with a budget: recovery from errors may take any time.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use super::grammar::Grammar;

/// Times that the parser reports, in a text without any error, for so many bytes: it does so every hundred steps, and
/// reads about four bytes in one. Twenty times as many are allowed, and so many for a start.
const BYTES_PER_REPORT: usize = 20;
const REPORTS: usize = 10_000;

/// The tree of a text; `None` where the parser gives up or takes too long.
pub(super) fn parse(text: &str, grammar: Grammar) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language()).ok()?;
    let mut left = REPORTS + text.len() / BYTES_PER_REPORT;
    let mut report = |_: &_| match left.checked_sub(1) {
        Some(less) => {
            left = less;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let bytes = text.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut report);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}
