//! The `sql` key of a query: a counting or listing question answered from the catalog by one SELECT.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Extra;

/// One read-only SELECT over the published views of the catalog, and what it gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CatalogAnswer {
    /// The kind of question: `count documents`, `list documents`, `newest documents`, `list authors`, …
    pub template: String,
    /// How the question was read, in words: a reader sees whether the rows are what was meant.
    pub meaning: String,
    /// The SELECT. Values of the question are never part of it.
    pub select: String,
    /// What its question marks stand for, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Value>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows, a value a column.
    pub rows: Vec<Vec<Value>>,
    /// The documents that the rows come from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<CatalogDocument>,
    /// There are more rows, or more documents, than stand here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A document that a row of the catalog comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CatalogDocument {
    /// The document.
    pub doc_id: String,
    /// Its key.
    pub key: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its authors, as printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Its year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// Its DOI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
}
