//! The matrix that shortens token vectors.
//!
//! Shipped with the program, so that the embedded page encoder needs no file beyond the sentence encoder's own. Made by
//! `pipelines/fit-projection.py` (principal components of token vectors; how and of which texts stands there and in
//! docs/VISUAL.md). The name carries the version: a matrix is never changed, a better one gets another name.

use std::borrow::Cow;

/// Name, bytes (f16, little-endian, one row of outputs for each input) and outputs of the matrices there are.
const MATRICES: [(&str, &[u8], usize); 1] =
    [("minilm-pca128-v1", include_bytes!("../../data/minilm-pca128-v1.f16"), 128)];

/// Brings token vectors to unit length, through a matrix where there is one.
pub(crate) struct Projection {
    /// Outputs of each input, input after input; empty for none.
    matrix: Vec<f32>,
    outputs: usize,
}

impl Projection {
    /// The matrix of that name, from vectors of `inputs` values to `outputs`; with no name, none.
    ///
    /// # Errors
    /// A sentence saying why there is no such matrix.
    pub(crate) fn named(name: Option<&str>, inputs: usize, outputs: usize) -> Result<Self, Cow<'static, str>> {
        let Some(name) = name else {
            let same = inputs == outputs;
            return same
                .then_some(Self { matrix: Vec::new(), outputs })
                .ok_or(Cow::Borrowed("a page encoder of words without a projection has the sentence encoder's dim"));
        };
        let known = MATRICES.iter().find(|&&(known, _, _)| known == name);
        let &(_, bytes, columns) = known.ok_or_else(|| Cow::Owned(format!("no projection is named {name}")))?;
        if columns != outputs || bytes.len() != inputs * outputs * 2 {
            return Err(Cow::Owned(format!("the projection {name} does not lead from {inputs} to {outputs} values")));
        }
        let half = |pair: &[u8]| half::f16::from_le_bytes([pair[0], pair[1]]).to_f32();
        Ok(Self { matrix: bytes.chunks_exact(2).map(half).collect(), outputs })
    }

    /// The vector shortened; its length is not 1 yet.
    pub(crate) fn of(&self, vector: &[f32]) -> Vec<f32> {
        if self.matrix.is_empty() {
            return vector.to_vec();
        }
        let mut out = vec![0.0; self.outputs];
        for (value, row) in vector.iter().zip(self.matrix.chunks_exact(self.outputs)) {
            for (sum, weight) in out.iter_mut().zip(row) {
                *sum += value * weight;
            }
        }
        out
    }
}
