//! Answers as one HTML page that needs nothing else: no network, no other file.
//!
//! What comes from documents and models is text to the templates, which escape it; a Content-Security-Policy with the
//! hashes of our own style and script refuses whatever would slip through. Images are `data:` URIs that the caller
//! read; nothing here opens a file.

mod answer;
mod article;
mod blocks;
mod catalog;
mod gallery;
mod passages;

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::{Environment, context};
use sha2::{Digest, Sha256};
use techrag_core::record::Query;

pub(super) use gallery::{Images, read_image};

const STYLE: &str = include_str!("../../../templates/page.css");
const SCRIPT: &str = include_str!("../../../templates/page.js");

/// A template of ours that cannot be filled: a fault of this build.
#[derive(Debug, thiserror::Error)]
#[error("the HTML page cannot be made: {0}")]
pub struct Error(#[from] minijinja::Error);

static TEMPLATES: LazyLock<Result<Environment<'static>, minijinja::Error>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_trim_blocks(false);
    // Names end in .html, so whatever is filled in is escaped.
    templates.add_template("head.html", include_str!("../../../templates/head.html"))?;
    templates.add_template("article.html", include_str!("../../../templates/article.html"))?;
    templates.add_template("failure.html", "<article><p class=\"not_found\">{{ said }}</p></article>")?;
    templates.add_template("foot.html", include_str!("../../../templates/foot.html"))?;
    Ok(templates)
});

fn fill(name: &str, context: minijinja::Value) -> Result<String, Error> {
    let templates = TEMPLATES.as_ref().map_err(|error| minijinja::Error::new(error.kind(), error.to_string()))?;
    Ok(templates.get_template(name)?.render(context)?)
}

/// What stands before the first answer.
///
/// # Errors
/// If a template of this build cannot be filled.
pub(super) fn head(title: &str) -> Result<String, Error> {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    let title = techrag_core::clean::line(title);
    fill("head.html", context! { title, style => STYLE, style_hash => hash(STYLE), script_hash => hash(SCRIPT) })
}

/// The answer of a record, the `number`th of the page, from 1.
///
/// # Errors
/// If a template of this build cannot be filled.
pub(super) fn article(query: &Query, number: usize, images: &Images<'_>) -> Result<String, Error> {
    fill("article.html", minijinja::Value::from_serialize(article::Article::of(query, number, images)))
}

/// What failed on the way to an answer.
///
/// # Errors
/// If a template of this build cannot be filled.
pub(super) fn failure(said: &str) -> Result<String, Error> {
    fill("failure.html", context! { said })
}

/// What stands after the last answer.
///
/// # Errors
/// If a template of this build cannot be filled.
pub(super) fn foot() -> Result<String, Error> {
    fill("foot.html", context! { script => SCRIPT })
}

#[cfg(test)]
#[path = "../../html_tests.rs"]
mod tests;
