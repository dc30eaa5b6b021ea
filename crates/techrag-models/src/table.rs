//! Static encoders: a table of one vector a word piece, distilled from a network (model2vec, Tulkens and van Dongen 2024).
//!
//! The file is one of the safetensors format: eight bytes of little-endian length, a JSON header of that length naming
//! each tensor's type, shape and bytes, then the bytes (<https://github.com/huggingface/safetensors>). It is kept as it
//! is: a query touches a few rows of it, and no runtime is loaded.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::error::Error;

/// Name of the table in the file.
const TENSOR: &str = "embeddings";

/// A table of word vectors.
pub(crate) struct Table {
    dim: usize,
    /// Little-endian f32, row after row.
    rows: Vec<u8>,
    /// What stands for words that are not in the vocabulary: it says nothing of them.
    unknown: Option<u32>,
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl Table {
    /// Reads a table of vectors of `dim` values. Rows of the token `unknown` are passed over.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read or is no such table.
    pub(crate) fn open(id: &str, path: &Path, dim: usize, unknown: Option<u32>) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|error| Error::file(id, path, error))?;
        let rows = embeddings(bytes, dim).map_err(|message| Error::file(id, path, message))?;
        Ok(Self { dim, rows, unknown })
    }

    /// The mean of the tokens' vectors; all 0 where none is known. In f64, so that the order of a long text's words
    /// hardly matters.
    pub(crate) fn mean(&self, tokens: &[u32]) -> Vec<f32> {
        let mut sum = vec![0.0_f64; self.dim];
        let mut count = 0.0;
        for row in tokens.iter().filter(|token| Some(**token) != self.unknown).filter_map(|token| self.row(*token)) {
            let (values, _) = row.as_chunks::<4>();
            for (total, value) in sum.iter_mut().zip(values) {
                *total += f64::from(f32::from_le_bytes(*value));
            }
            count += 1.0;
        }
        sum.iter().map(|total| (total / f64::max(count, 1.0)) as f32).collect()
    }

    fn row(&self, token: u32) -> Option<&[u8]> {
        let size = self.dim * 4;
        let start = usize::try_from(token).ok()?.checked_mul(size)?;
        self.rows.get(start..start.checked_add(size)?)
    }
}

/// The bytes of the table in a safetensors file.
fn embeddings(mut bytes: Vec<u8>, dim: usize) -> Result<Vec<u8>, String> {
    let cut_short = || "it is cut short".to_owned();
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(cut_short)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut_short())?;
    let header = rest.get(..length).ok_or_else(cut_short)?;
    let start = 8 + length;
    let mut header: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(header).map_err(|error| format!("its header: {error}"))?;
    let tensor = header.remove(TENSOR).ok_or_else(|| format!("it has no tensor {TENSOR}"))?;
    let tensor: Tensor = serde_json::from_value(tensor).map_err(|error| format!("its header: {error}"))?;
    if tensor.dtype != "F32" || tensor.shape.get(1) != Some(&dim) || tensor.shape.len() != 2 {
        return Err(format!("{TENSOR} is {} {:?}, expected F32 of {dim} columns", tensor.dtype, tensor.shape));
    }
    let [from, to] = tensor.data_offsets;
    let expected = tensor.shape[0].saturating_mul(dim).saturating_mul(4);
    if from > to || to - from != expected || bytes.len() - start < to {
        return Err(cut_short());
    }
    bytes.truncate(start + to);
    bytes.drain(..start + from);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(shape: &str, values: &[f32]) -> Vec<u8> {
        let header = format!(
            r#"{{"__metadata__":{{"format":"pt"}},"embeddings":{{"dtype":"F32","shape":{shape},"data_offsets":[0,{}]}}}}"#,
            values.len() * 4
        );
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes
    }

    #[test]
    fn the_mean_is_over_known_tokens() {
        let rows = embeddings(file("[3,2]", &[1.0, 2.0, 9.0, 9.0, 3.0, 6.0]), 2).unwrap();
        let table = Table { dim: 2, rows, unknown: Some(1) };
        assert_eq!(table.mean(&[0, 1, 2]), [2.0, 4.0]);
        assert_eq!(table.mean(&[2, 2, 0, 99]), [7.0 / 3.0, 14.0 / 3.0], "99 is in no row");
        assert_eq!(table.mean(&[1]), [0.0, 0.0]);
    }

    #[test]
    fn a_file_that_is_no_table_is_refused() {
        let right = file("[2,2]", &[0.0; 4]);
        assert_eq!(embeddings(right.clone(), 2).map(|rows| rows.len()), Ok(16));
        for (bytes, why) in [
            (right[..right.len() - 1].to_vec(), "cut short"),
            (right[..6].to_vec(), "cut short"),
            (u64::MAX.to_le_bytes().to_vec(), "cut short"),
            (file("[2,3]", &[0.0; 4]), "expected F32 of 2 columns"),
            (file("[9,2]", &[0.0; 4]), "cut short"),
            ([3_u64.to_le_bytes().as_slice(), b"{}}"].concat(), "header"),
            ([2_u64.to_le_bytes().as_slice(), b"{}"].concat(), "no tensor"),
        ] {
            let error = embeddings(bytes, 2).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
