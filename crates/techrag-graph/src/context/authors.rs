//! Authors that a question names, and their papers.

use std::collections::BTreeSet;

use techrag_core::record::{AuthorPapers, ContextPaper};

use super::in_scope;
use super::papers::Facts;
use crate::model::{Direction, EdgeType, Label, Node};
use crate::name::split_person;
use crate::store::{Result, Store};

/// The authors whose names stand in the question, each with at most `most` papers, the latest first.
///
/// A family name counts where the question writes it with a capital; given names or initials right before it must not
/// contradict the author's.
pub(super) fn named(
    store: &dyn Store,
    question: &str,
    among: Option<&BTreeSet<String>>,
    most: usize,
) -> Result<Vec<AuthorPapers>> {
    let words = words(question);
    let named: Vec<Node> = store.all(Label::Author)?.into_iter().filter(|author| stands_in(author, &words)).collect();
    let mut found = Vec::new();
    for author in named {
        let links =
            store.links(EdgeType::Authored, Direction::Out, Label::Author, std::slice::from_ref(&author.key.id))?;
        let ids: Vec<String> = links.into_iter().map(|link| link.far.id).filter(|id| in_scope(among, id)).collect();
        let facts = Facts::of(store, &ids, among)?;
        let mut papers: Vec<ContextPaper> = ids.iter().filter_map(|id| facts.paper(id)).collect();
        papers.sort_by(|a, b| b.year.cmp(&a.year).then_with(|| a.doc_id.cmp(&b.doc_id)));
        papers.truncate(most);
        if !papers.is_empty() {
            found.push(AuthorPapers { name: author.shown().to_owned(), papers });
        }
    }
    Ok(found)
}

/// A word of the question, folded, and whether it was written with a capital.
struct Word {
    folded: String,
    capital: bool,
}

fn words(question: &str) -> Vec<Word> {
    let plain =
        question.split(|c: char| !(c.is_alphabetic() || c == '\'')).map(|word| word.strip_suffix("'s").unwrap_or(word));
    let word = |word: &str| {
        let (family, _) = split_person(word);
        Word { folded: family, capital: word.starts_with(char::is_uppercase) }
    };
    plain.filter(|word| !word.is_empty()).map(word).collect()
}

fn stands_in(author: &Node, words: &[Word]) -> bool {
    let (family, given) = split_person(author.shown());
    let family: Vec<&str> = family.split(' ').filter(|part| !part.is_empty()).collect();
    if family.is_empty() || family.len() > words.len() {
        return false;
    }
    (0..=words.len() - family.len()).any(|at| {
        let here = &words[at..at + family.len()];
        let same = here.iter().zip(&family).all(|(word, part)| word.folded == *part);
        same && here.last().is_some_and(|word| word.capital) && agree(&words[..at], &given)
    })
}

/// Whether capitalised words before a family name can be its given names; the first word of a question begins it.
fn agree(before: &[Word], given: &[String]) -> bool {
    let names: Vec<&str> = before
        .iter()
        .enumerate()
        .rev()
        .take_while(|(at, word)| word.capital && *at > 0)
        .map(|(_, word)| word.folded.as_str())
        .collect();
    let fits = |name: &str, given: &String| given.starts_with(name) || name.starts_with(given.as_str());
    names.is_empty() || given.is_empty() || names.iter().any(|name| given.iter().any(|given| fits(name, given)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Key;

    #[test]
    fn names_are_found_where_the_question_means_them() {
        let author = |name: &str| {
            let props = json!({ "name": name }).as_object().cloned().unwrap();
            Node { key: Key::new(Label::Author, "x"), props }
        };
        for (name, question, expected) in [
            ("Henrike Oldendorf", "Which papers did Oldendorf write?", true),
            ("Henrike Oldendorf", "papers by Henrike Oldendorf", true),
            ("Henrike Oldendorf", "papers by H. Oldendorf", true),
            ("Henrike Oldendorf", "papers by Peter Oldendorf", false),
            ("Andrew H. Song", "what song is it?", false),
            ("Anton T. van Zanten", "What did van Zanten publish?", true),
            ("Jürgen Müller", "papers of J. Muller", true),
        ] {
            assert_eq!(stands_in(&author(name), &words(question)), expected, "{name}: {question}");
        }
    }
}
