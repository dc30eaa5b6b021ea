//! Relations between the terms of a paper: the opt-in layer beside the nine edge types.
//!
//! | relation | rule |
//! |---|---|
//! | `BROADER_THAN` | a term ends another of its kind: `Kalman filter`, `extended Kalman filter` |
//! | `USED_FOR` | a sentence says that a method is (used, applied, proposed) for or to an application |
//! | `MEASURES` | a sentence says a metric of a topic or method |
//! | `RELATED_TO` | two topics stand in three sentences or more together |

use std::collections::BTreeMap;

use techrag_core::record::{Entities, EntityRelation};
use techrag_core::sentence;

use crate::name::folded_name;

/// Sentences that two topics must share.
const TOGETHER: usize = 3;

/// The relations that the text shown says hold between the paper's terms.
pub(super) fn relations(entities: &Entities, text: &str) -> Vec<EntityRelation> {
    let named = |label: &'static str, terms: &[techrag_core::record::Entity]| -> Vec<(&'static str, String)> {
        terms.iter().map(|term| (label, folded_name(&term.name))).collect()
    };
    let kinds = [
        named("Topic", &entities.topics),
        named("Method", &entities.methods),
        named("Metric", &entities.metrics),
        named("Application", &entities.applications),
    ];
    let mut found: BTreeMap<(String, String, &'static str), usize> = BTreeMap::new();
    let mut say = |relation: &'static str, from: &(&str, String), to: &(&str, String), times: usize| {
        let key = (format!("{}:{}", from.0, from.1), format!("{}:{}", to.0, to.1), relation);
        *found.entry(key).or_default() += times;
    };
    for terms in &kinds {
        for (broad, narrow) in terms.iter().flat_map(|a| terms.iter().map(move |b| (a, b))) {
            if narrow.1.ends_with(&format!(" {}", broad.1)) {
                say("BROADER_THAN", broad, narrow, TOGETHER);
            }
        }
    }
    let [topics, methods, metrics, applications] = &kinds;
    for said in sentence::split(text).into_iter().map(folded_name) {
        let at = |term: &(&str, String)| said.find(&term.1).map(|at| (at, at + term.1.len()));
        let between = |from: &(&str, String), to: &(&str, String), words: &[&str]| {
            at(from).zip(at(to)).is_some_and(|((_, end), (start, _))| {
                end < start
                    && said[end..start].split(' ').count() <= 5
                    && said[end..start].split(' ').any(|word| words.contains(&word))
            })
        };
        for (method, application) in methods.iter().flat_map(|a| applications.iter().map(move |b| (a, b))) {
            if between(method, application, &["for", "to", "in"]) {
                say("USED_FOR", method, application, TOGETHER);
            }
        }
        for (metric, of) in metrics.iter().flat_map(|a| topics.iter().chain(methods).map(move |b| (a, b))) {
            if between(metric, of, &["of"]) {
                say("MEASURES", metric, of, TOGETHER);
            }
        }
        for (a, b) in topics.iter().flat_map(|a| topics.iter().map(move |b| (a, b))).filter(|(a, b)| a.1 < b.1) {
            if at(a).is_some() && at(b).is_some() {
                say("RELATED_TO", a, b, 1);
            }
        }
    }
    let often = found.into_iter().filter(|(_, times)| *times >= TOGETHER);
    often.map(|((from, to, relation), _)| EntityRelation { relation: relation.into(), from, to }).collect()
}

#[cfg(test)]
mod tests {
    use techrag_core::record::Entity;

    use super::*;

    #[test]
    fn sentences_say_what_is_used_for_what() {
        let terms = |names: &[&str]| -> Vec<Entity> {
            names.iter().map(|name| Entity { name: (*name).into(), ..Entity::default() }).collect()
        };
        let entities = Entities {
            topics: terms(&["slip angle"]),
            methods: terms(&["Kalman filter", "extended Kalman filter"]),
            metrics: terms(&["variance"]),
            applications: terms(&["emergency braking"]),
            ..Entities::default()
        };
        let text = "An extended Kalman filter is proposed for emergency braking. The variance of the slip angle falls.";
        let found: Vec<String> =
            relations(&entities, text).iter().map(|r| format!("{} {} {}", r.from, r.relation, r.to)).collect();
        assert!(
            found.contains(&"Method:kalman filter BROADER_THAN Method:extended kalman filter".to_owned()),
            "{found:?}"
        );
        assert!(
            found.contains(&"Method:extended kalman filter USED_FOR Application:emergency braking".to_owned()),
            "{found:?}"
        );
        assert!(found.contains(&"Metric:variance MEASURES Topic:slip angle".to_owned()), "{found:?}");
    }
}
