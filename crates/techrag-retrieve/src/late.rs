//! Late interaction: every word piece of the question finds its nearest in the passage (ColBERT's MaxSim, Khattab and
//! Zaharia 2020), over the token vectors of the library's own sentence encoder.
//!
//! Such an encoder was not trained for it, so that MaxSim alone ranks worse than the fusion (docs/RETRIEVAL.md); it is
//! added to it as one more z-score. Token vectors are computed for the passages at hand and not stored: a thousand of
//! them a chunk would be a hundred times the chunk's text.

use crate::fusion::standardised;

/// Mean over the question's vectors of the greatest product with one of the passage's; 0 where either has none.
pub(crate) fn max_sim(question: &[Vec<f32>], passage: &[Vec<f32>]) -> f64 {
    if question.is_empty() || passage.is_empty() {
        return 0.0;
    }
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let nearest =
        |asked: &Vec<f32>| passage.iter().map(|found| product(asked, found)).fold(f32::NEG_INFINITY, f32::max);
    question.iter().map(|asked| f64::from(nearest(asked))).sum::<f64>() / question.len() as f64
}

/// Each score in standard deviations plus `weight` times its similarity in standard deviations.
pub(crate) fn blended(scores: &[f64], similarities: &[f64], weight: f64) -> Vec<f64> {
    let z = |values: &[f64]| standardised(&values.iter().map(|value| Some(*value)).collect::<Vec<_>>());
    z(scores).iter().zip(z(similarities)).map(|(score, similarity)| score + weight * similarity).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_asked_vector_takes_its_nearest() {
        let question = [vec![1.0, 0.0], vec![0.0, 1.0]];
        assert_eq!(max_sim(&question, &[vec![1.0, 0.0]]), 0.5);
        assert_eq!(max_sim(&question, &[vec![0.0, 1.0], vec![1.0, 0.0]]), 1.0);
        assert_eq!(max_sim(&question, &[vec![-1.0, 0.0]]), -0.5);
        assert_eq!((max_sim(&question, &[]), max_sim(&[], &question)), (0.0, 0.0));
    }

    #[test]
    fn a_blend_is_of_standard_deviations() {
        let near = |found: Vec<f64>, wanted: [f64; 2]| found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(blended(&[3.0, 1.0], &[0.2, 0.4], 0.5), [0.5, -0.5]));
        assert!(near(blended(&[3.0, 1.0], &[0.4, 0.4], 0.5), [1.0, -1.0]), "what does not differ decides nothing");
    }
}
