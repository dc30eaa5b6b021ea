//! The request: the question in other words, by rules.
//!
//! | step | rule |
//! |---|---|
//! | drop | function words, words that only shape a question, and the thesaurus's modifiers |
//! | expand | abbreviations to their long forms and back |
//! | replace | synonyms of the words that the evidence lacks are added |
//! | keep | what is left of the question, in its order, the missing concepts among it |

use techrag_core::lexical;
use techrag_core::record::{Query, Retry};

use crate::Thesaurus;

pub(crate) fn request(query: &Query, missing: &[String], thesaurus: &Thesaurus) -> Retry {
    let question = &query.question;
    let words: Vec<String> = lexical::terms(question).into_iter().map(|term| term.word).collect();
    let (dropped, mut kept): (Vec<String>, Vec<String>) =
        words.into_iter().partition(|word| thesaurus.is_modifier(word));
    let added = thesaurus.expansions(question, missing);
    let made = format!("rules over {}: dropped {}, added {}", thesaurus.version, listed(&dropped), listed(&added));
    kept.extend(added);
    // A question of nothing but modifiers is asked again as it was.
    let text = if kept.is_empty() { question.clone() } else { kept.join(" ") };
    Retry { missing: missing.to_vec(), query: text, made, ..Retry::default() }
}

fn listed(words: &[String]) -> String {
    if words.is_empty() { "nothing".into() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_put_in_other_words() {
        let thesaurus = Thesaurus::shipped().unwrap();
        let query = Query::new("How quickly does ABS settle with little grip?");
        let retry = request(&query, &["grip".into()], &thesaurus);
        assert_eq!(retry.query, "abs settle grip anti-lock braking system friction adhesion");
        assert_eq!(
            retry.made,
            "rules over tyres/1: dropped quickly, little, added anti-lock braking system, friction, adhesion"
        );
        assert_eq!(request(&Query::new("Is it only so?"), &[], &thesaurus).query, "Is it only so?");
    }
}
