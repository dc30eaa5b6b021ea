//! `document` and `removed`: what a file is, and that it is gone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Extra;

/// A source file, or one line of a JSONL corpus. Comes before its chunks in a stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// First 16 hex digits of the SHA-256 of the file's bytes (of the line, in a JSONL corpus).
    pub doc_id: String,
    /// The user's own name for it: the path relative to the folder given, or the path as given, or the `_id` of a
    /// JSONL line.
    pub key: String,
    /// Where the file was read, as given on the command line joined with what the walk found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// IANA media type, decided by content: `application/pdf`, `text/markdown`, `text/plain`, `application/json`.
    pub media_type: String,
    /// Size of the source in bytes.
    pub bytes: u64,
    /// Title; absent where unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Authors in the order printed, given names first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Year of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// DOI in lower case, without a resolver in front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// arXiv identifier without version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arxiv: Option<String>,
    /// The abstract as printed.
    #[serde(default, rename = "abstract", skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Keywords as printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Number of pages; absent where the format has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Pages (from 1) that hold no text layer; they are named, not silently skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages_without_text: Vec<u32>,
    /// Pages (from 1) that could not be read; an `error` record says why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages_failed: Vec<u32>,
    /// Its headings in the order printed, those without text of their own included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<Heading>,
    /// Pages whose text was read off their picture (OCR), and how well; they are not in `pages_without_text`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recognised: Vec<RecognisedPage>,
    /// The entries of its own reference list, in the order printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// Free map: folder, series, and whatever a corpus line carried beside `_id`, `title` and `text`.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub metadata: Extra,
    /// Where each bibliographic value came from, for example `title: "layout"` or `year: "info"`.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub provenance: Extra,
    /// How many chunk records follow. The document is committed when this many were stored or failed.
    pub chunks: u32,
    /// Who wrote it: tool and version.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A heading of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heading {
    /// As printed, with its number; the `section` of the chunks under it.
    pub text: String,
    /// Depth, from 1.
    pub level: u32,
    /// Page, from 1; absent where the format has no pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A page whose text was read off its picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecognisedPage {
    /// The page, from 1.
    pub page: u32,
    /// Which reader it was, with its version: `tesseract 5.3.0 (eng)`.
    pub by: String,
    /// Mean confidence of its words weighed by their letters, 0 to 1.
    pub confidence: f32,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// One entry of a reference list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// The entry as printed, hyphens and line ends repaired.
    pub raw: String,
    /// Its label: `12` of `[12]`, or absent in an author-year list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Title of the cited work; absent where it could not be told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Authors as printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Year of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// DOI in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A document that is gone or replaced; every stage between `index plan` and the stores passes it through.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Removed {
    /// The id it had.
    pub doc_id: String,
    /// The key that is gone; the document itself goes when its last key does.
    pub key: String,
    /// Who wrote it: tool and version.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}
