//! Web search for what journals do not say: companies, markets, regulation, news.
//!
//! One provider is used, the first that is configured: SearXNG by its address, Brave or Tavily by a key. None is an
//! outcome of its own, not an empty list.

use std::time::Duration;

use serde_json::{Value, json};
use techrag_core::clean;
use techrag_core::record::WebPage;
use techrag_net::clock::written;
use techrag_net::polite::{Limits, Rate};
use techrag_net::transport::{Error, Kind, Request, Response, Secret};
use url::Url;

use crate::markup;
use crate::sources::Fault;

/// Longest query that Brave and Tavily take, in characters.
const LONGEST: usize = 400;

/// A web search.
#[derive(Clone, Debug)]
pub enum Provider {
    /// An instance of SearXNG; `json` must be among its `search.formats`.
    Searxng(Url),
    /// Brave's interface, by key.
    Brave(Url, Secret),
    /// Tavily's interface, by key.
    Tavily(Url, Secret),
}

impl Provider {
    /// Where Brave and Tavily are.
    pub const BRAVE: &str = "https://api.search.brave.com/res/v1/web/search";
    /// See [`Provider::BRAVE`].
    pub const TAVILY: &str = "https://api.tavily.com/search";

    /// Its name in records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Searxng(_) => "searxng",
            Self::Brave(..) => "brave",
            Self::Tavily(..) => "tavily",
        }
    }

    /// What it permits: published limits of 2026; headers say more.
    pub fn limits(&self) -> Limits {
        let rate = Rate { requests: 1, per: Duration::from_secs(1) };
        Limits { name: self.name().into(), rate, concurrent: 1, daily: None, cool_down: Duration::from_secs(60) }
    }

    /// A search for at most `rows` pages.
    ///
    /// # Errors
    /// None that is expected: a body that cannot be written.
    pub fn search(&self, query: &str, rows: u32) -> Result<Request, Error> {
        let short: String = query.chars().take(LONGEST).collect();
        Ok(match self {
            Self::Searxng(base) => {
                let mut url = base.clone();
                if !url.path().ends_with("/search") {
                    url.path_segments_mut().map_err(|()| unsafe_url(base))?.pop_if_empty().push("search");
                }
                url.query_pairs_mut().extend_pairs([("q", query), ("format", "json"), ("categories", "general")]);
                Request::get(url)
            }
            Self::Brave(base, key) => {
                let mut url = base.clone();
                let count = rows.clamp(1, 20).to_string();
                url.query_pairs_mut().extend_pairs([
                    ("q", short.as_str()),
                    ("count", &count),
                    ("text_decorations", "false"),
                ]);
                Request::get(url).header("accept", "application/json").secret("x-subscription-token", key)
            }
            Self::Tavily(base, key) => {
                let body = json!({ "query": short, "search_depth": "basic", "max_results": rows.clamp(1, 20) });
                Request::post_json(base.clone(), &body)?.bearer(key)
            }
        })
    }

    /// Pages out of an answer of the time `fetched` (seconds since 1970).
    ///
    /// # Errors
    /// [`Fault`], also where every engine behind SearXNG refused: that is not "nothing found".
    pub fn pages(&self, response: &Response, fetched: u64) -> Result<Vec<WebPage>, Fault> {
        let body: Value = response.json().map_err(|error| Fault::Malformed(error.to_string()))?;
        let results = match self {
            Self::Searxng(_) | Self::Tavily(..) => &body["results"],
            // Nothing found comes without `web`.
            Self::Brave(..) if body["type"] == "search" && body["web"].is_null() => return Ok(Vec::new()),
            Self::Brave(..) => &body["web"]["results"],
        };
        let Value::Array(results) = results else {
            return Err(Fault::Malformed(format!("no list of results: {}", response.excerpt())));
        };
        let pages: Vec<WebPage> = results.iter().filter_map(|result| self.page(result, fetched)).collect();
        let refused = refusing_engines(&body["unresponsive_engines"]);
        if pages.is_empty() && !refused.is_empty() {
            return Err(Fault::Refused(format!("every engine refused: {}", refused.join(", "))));
        }
        Ok(pages)
    }

    fn page(&self, result: &Value, fetched: u64) -> Option<WebPage> {
        let text =
            |names: &[&str]| names.iter().find_map(|name| result[*name].as_str()).map(markup::text).unwrap_or_default();
        let url = Url::parse(result["url"].as_str()?).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let mut content = text(&["content", "description"]);
        for more in result["extra_snippets"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            content.push('\n');
            content.push_str(&markup::text(more));
        }
        let published = ["publishedDate", "published_date", "page_age"].iter().find_map(|name| result[*name].as_str());
        let page = WebPage {
            url: url.to_string(),
            title: clean::line(&text(&["title"])),
            text: content,
            published: published.map(|date| clean::line(date).chars().take(19).collect()),
            fetched: written(fetched),
            source: self.name().into(),
            ..WebPage::default()
        };
        (!page.title.is_empty()).then_some(page)
    }
}

/// `[["google", "CAPTCHA"], …]`.
fn refusing_engines(value: &Value) -> Vec<String> {
    let one = |engine: &Value| {
        let parts: Vec<&str> = engine.as_array()?.iter().filter_map(Value::as_str).collect();
        Some(clean::line(&parts.join(" ")))
    };
    value.as_array().into_iter().flatten().filter_map(one).collect()
}

fn unsafe_url(url: &Url) -> Error {
    Error::of(Kind::Unsafe, format!("{url} has no path"))
}

/// Whether a failure is SearXNG's way of saying that it gives pages, not JSON.
pub(crate) fn refuses_json(provider: &Provider, status: Option<u16>) -> bool {
    matches!((provider, status), (Provider::Searxng(_), Some(403)))
}
