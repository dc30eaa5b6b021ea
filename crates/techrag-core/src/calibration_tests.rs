//! What the features of a hit are, and what the model makes of them.

use super::*;
use crate::record::Scores;

fn hit(text: &str, dense: Option<f32>, bm25: Option<f64>) -> Hit {
    Hit { text: text.into(), scores: Scores { dense, bm25, ..Scores::default() }, ..Hit::default() }
}

fn of(question: &str, hits: &[Hit]) -> Vec<Features> {
    features(&Reading::of(question, hits), hits)
}

const QUESTION: &str = "What is the relaxation length of a worn tyre?";

fn hits() -> Vec<Hit> {
    vec![
        hit("The relaxation length of a worn tyre is 0.35 m. It grows with load.", Some(0.8), Some(9.0)),
        hit("The length of the test was an hour. The tyre was new.", Some(0.4), Some(3.0)),
        hit("Snow is cold.", None, None),
    ]
}

#[test]
fn the_shipped_fit_parses_and_weighs_every_feature() {
    let model = Model::shipped().unwrap();
    assert!(model.features.iter().all(|weight| weight.weight.is_finite() && weight.scale.is_finite()));
}

#[test]
fn features_follow_the_words_and_the_channels() {
    let features = of(QUESTION, &hits());
    assert_eq!(features[0].coverage, 1.0);
    assert_eq!(features[0].sentence, 1.0);
    assert_eq!(features[0].bm25, Some(10f64.ln()));
    assert!(features[1].coverage < 0.6 && features[1].sentence < features[1].coverage, "{features:?}");
    assert_eq!(features[2].cosine, features[1].cosine, "no better than the worst the channel returned");
    assert_eq!(features[2].bm25, Some(0.0));
    let bare = of(QUESTION, &[hit("The tyre.", None, None)]);
    assert_eq!(bare[0].wire().len(), 2, "channels that did not run are left out");
}

#[test]
fn what_answers_is_more_relevant_than_what_does_not() {
    let model = Model::shipped().unwrap();
    let mut hits = hits();
    model.annotate(&Reading::of(QUESTION, &hits), &mut hits);
    let relevance: Vec<f64> = hits.iter().filter_map(|hit| hit.scores.relevance).collect();
    assert!(relevance[0] > relevance[1] && relevance[1] > 0.0, "{relevance:?}");
}

#[test]
fn a_logit_takes_the_place_of_the_features() {
    let model = Model::shipped().unwrap();
    let features = Features { rerank: Some(0.0), cosine: Some(1.0), ..Features::default() };
    assert_eq!(model.relevance(&features), 0.5);
}

#[test]
fn only_the_first_hits_are_calibrated_and_none_is_fine() {
    let model = Model::shipped().unwrap();
    let mut many = vec![hit("a", Some(0.5), None); DEPTH + 3];
    model.annotate(&Reading::of(QUESTION, &many), &mut many);
    assert_eq!(many.iter().filter(|hit| hit.scores.relevance.is_some()).count(), DEPTH);
    model.annotate(&Reading::of("", &[]), &mut []);
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    let missing =
        r#"{"version":"x","fitted":{},"intercept":0,"features":[],"cross_encoder":{"slope":1,"intercept":0}}"#;
    assert!(matches!(Model::parse(missing), Err(Error::Features(_))));
    let unscaled = SHIPPED.replacen("\"scale\": ", "\"scale\": -", 1);
    assert!(matches!(Model::parse(&unscaled), Err(Error::Features(_))));
    assert!(matches!(Model::parse("{}"), Err(Error::Malformed(_))));
}
