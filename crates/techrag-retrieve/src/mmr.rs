//! Maximal marginal relevance (Carbonell and Goldstein 1998): the next hit is the one whose own score, scaled to 0…1,
//! less its likeness to the nearest of the hits before it is greatest.

/// The order of the candidates, whose scores come best first: λ · score − (1 − λ) · greatest likeness, the first of
/// equals. `share` is λ; `likeness` of two candidates is −1 to 1. All scores are of one scale.
pub(crate) fn order(scores: &[f64], share: f64, likeness: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let scaled = |score: f64| if most > least { (score - least) / (most - least) } else { 0.0 };
    let mut left: Vec<(usize, Option<f64>)> = (0..scores.len()).map(|at| (at, None)).collect();
    let mut order = Vec::with_capacity(scores.len());
    let worth =
        |(at, nearest): &(usize, Option<f64>)| share * scaled(scores[*at]) - (1.0 - share) * nearest.unwrap_or(0.0);
    while let Some(best) = first_greatest(&left, worth) {
        let (taken, _) = left.remove(best);
        order.push(taken);
        for (at, nearest) in &mut left {
            let likeness = likeness(*at, taken);
            *nearest = Some(nearest.map_or(likeness, |nearest| nearest.max(likeness)));
        }
    }
    order
}

fn first_greatest<T>(of: &[T], worth: impl Fn(&T) -> f64) -> Option<usize> {
    let worths: Vec<f64> = of.iter().map(worth).collect();
    (0..worths.len()).reduce(|best, at| if worths[at] > worths[best] { at } else { best })
}

/// The greatest cosine of a window of one with a window of the other, both of length 1; 0 where one has none.
pub(crate) fn likeness(a: &[Vec<f32>], b: &[Vec<f32>]) -> f64 {
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    a.iter().flat_map(|a| b.iter().map(move |b| cosine(a, b))).reduce(f64::max).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_what_was_taken_gives_way_to_something_new() {
        let near = |a: usize, b: usize| if a / 2 == b / 2 { 1.0 } else { 0.0 };
        let scores = [1.0, 0.9, 0.5, 0.0];
        assert_eq!(order(&scores, 1.0, near), [0, 1, 2, 3], "the score alone");
        assert_eq!(order(&scores, 0.5, near), [0, 2, 1, 3]);
        assert_eq!(order(&scores, 0.0, near), [0, 2, 1, 3], "equals in their order");
        assert_eq!(order(&[], 0.5, near), Vec::<usize>::new());
        assert_eq!(order(&[0.3, 0.3], 0.5, |_, _| 1.0), [0, 1]);
    }

    #[test]
    fn likeness_is_of_the_nearest_windows() {
        let (x, y) = (vec![1.0, 0.0], vec![0.0, 1.0]);
        assert_eq!(likeness(&[x.clone(), y.clone()], std::slice::from_ref(&y)), 1.0);
        assert_eq!(likeness(std::slice::from_ref(&x), &[y]), 0.0);
        assert_eq!(likeness(&[x], &[]), 0.0);
    }
}
