//! What the paper fixes: the weights of the parts, the damping and the thresholds (its section 5.8). Frozen.

use techrag_core::record::Verdict;

/// A part of the rubric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Are the top chunks relevant?
    Retrieval,
    /// Do they hold the kind of thing that is asked for?
    Specificity,
    /// How many papers contribute?
    Diversity,
    /// Are section, page and year known?
    Metadata,
    /// Are they recent enough, and of the place that is asked for?
    Fit,
}

impl Part {
    /// All parts in the rubric's order.
    pub const ALL: [Self; 5] = [Self::Retrieval, Self::Specificity, Self::Diversity, Self::Metadata, Self::Fit];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Retrieval => "retrieval",
            Self::Specificity => "specificity",
            Self::Diversity => "diversity",
            Self::Metadata => "metadata",
            Self::Fit => "fit",
        }
    }

    /// The most points it gives; together 100.
    pub fn max(self) -> f64 {
        match self {
            Self::Retrieval => 40.0,
            Self::Specificity => 25.0,
            Self::Diversity => 15.0,
            Self::Metadata | Self::Fit => 10.0,
        }
    }
}

/// What the parts after the first are multiplied by: max(min(retrieval / 25, 1), 0.2), the paper's equation (1).
///
/// Off-topic chunks may have pages, years and numbers too; this keeps those from lifting the score.
pub fn damping(retrieval: f64) -> f64 {
    (retrieval / 25.0).clamp(0.2, 1.0)
}

/// What a score of 0 to 100 means.
pub fn verdict(score: f64) -> Verdict {
    match score {
        score if score >= 80.0 => Verdict::Strong,
        score if score >= 50.0 => Verdict::Moderate,
        _ => Verdict::Weak,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frozen_figures() {
        assert_eq!(Part::ALL.map(Part::max), [40.0, 25.0, 15.0, 10.0, 10.0]);
        assert_eq!([0.0, 5.0, 12.5, 25.0, 40.0].map(damping), [0.2, 0.2, 0.5, 1.0, 1.0]);
        let verdicts = [0.0, 49.9, 50.0, 79.9, 80.0, 100.0].map(verdict);
        use Verdict::*;
        assert_eq!(verdicts, [Weak, Weak, Moderate, Moderate, Strong, Strong]);
    }
}
