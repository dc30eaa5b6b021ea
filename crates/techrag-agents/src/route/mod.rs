//! Which stages serve a question, by rules (SPEC section 1), or by a model that the rules stand behind ([`model`]).
//!
//! # The rules
//!
//! | step | rule |
//! |---|---|
//! | score | each route sums the weights of its cues ([`cues`]) that match the question; a route is on from 2 points |
//! | absorb | with `trend` on, cues that only count or date publications no longer speak for `bibliometric` |
//! | topic | a bare topic of the form "… in tyres" (no verb, no question word) may be a field or a subject: `bibliometric` joins `content` |
//! | content | on when nothing else is; beside another route when a clause free of that route's cues asks a question of its own, or when the question asks why, or for an explanation or derivation |
//! | strategies | content and bibliometric: vector, graph; trend: vector; current_world: web; sql joins where the question counts or lists what the library holds |
//! | text query | the question itself; with [`Rewrite::Terms`] the long forms of known abbreviations are added, nothing is taken away |
//! | visual query | content only: "figure or chart showing" and the question without its leading question words |
//! | effort | as asked for; `auto` is high when the question compares, asks why or how, names several things or takes several routes |
//!
//! Measured on `fixtures/routes/questions.jsonl` by the tests beside this module.

mod cues;
mod effort;
pub mod model;
mod rewrite;

use techrag_core::record::{Effort, Query, Route, RouteName, Strategy, TraceEntry};

use cues::Cue;
pub use rewrite::Rewrite;

/// Who wrote a route.
pub const BY: &str = "rules/1";

/// How routing is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// `None` lets the question decide.
    pub effort: Option<Effort>,
    /// What retrieval reads.
    pub rewrite: Rewrite,
}

/// Writes `route` and one trace entry.
pub fn run(query: &mut Query, config: Config) {
    let route = route(&query.question, config);
    query.trace.push(TraceEntry { stage: "route".into(), note: route.reason.clone(), ..TraceEntry::default() });
    query.route = Some(route);
}

/// The route of a question.
pub fn route(question: &str, config: Config) -> Route {
    let matched = cues::matching(question);
    let (routes, mut reasons) = routes(question, &matched);
    let (strategies, counting) = strategies(question, &routes);
    reasons.extend(counting);
    let (effort, why) = match config.effort {
        Some(effort) => (effort, "effort as asked for".to_owned()),
        None => effort::effort(question, &routes),
    };
    reasons.push(why);
    let content = routes.contains(&RouteName::Content);
    Route {
        strategies,
        text_query: rewrite::text_query(question, config.rewrite),
        visual_query: content.then(|| rewrite::visual_query(question)),
        effort,
        effort_fixed: config.effort.is_some(),
        reason: reasons.join("; "),
        by: BY.into(),
        routes,
        extra: Default::default(),
    }
}

/// Points from which a route is on.
const ON: u32 = 2;

fn routes(question: &str, matched: &[&'static Cue]) -> (Vec<RouteName>, Vec<String>) {
    let trend = points(matched, RouteName::Trend, |_| true) >= ON;
    let speaks = |cue: &Cue| !(trend && cue.counts_only);
    let mut routes = Vec::new();
    let mut reasons = Vec::new();
    for name in [RouteName::Bibliometric, RouteName::Trend, RouteName::CurrentWorld] {
        if points(matched, name, speaks) >= ON {
            routes.push(name);
            let names: Vec<&str> =
                matched.iter().filter(|cue| cue.route == name && speaks(cue)).map(|cue| cue.name).collect();
            reasons.push(format!("{}: {}", label(name), names.join(", ")));
        }
    }
    if routes.is_empty() && cues::is_field_name(question) {
        routes.push(RouteName::Bibliometric);
        reasons.push("bibliometric: a bare field name".into());
        routes.insert(0, RouteName::Content);
        reasons.insert(0, "content: a bare topic".into());
    } else if let Some(reason) = cues::content(question, !routes.is_empty()) {
        routes.insert(0, RouteName::Content);
        reasons.insert(0, format!("content: {reason}"));
    }
    (routes, reasons)
}

fn points(matched: &[&'static Cue], route: RouteName, speaks: impl Fn(&Cue) -> bool) -> u32 {
    matched.iter().filter(|cue| cue.route == route && speaks(cue)).map(|cue| cue.weight).sum()
}

fn strategies(question: &str, routes: &[RouteName]) -> (Vec<Strategy>, Option<String>) {
    let mut strategies: Vec<Strategy> = routes
        .iter()
        .flat_map(|route| match route {
            RouteName::Content | RouteName::Bibliometric => &[Strategy::Vector, Strategy::Graph][..],
            RouteName::Trend => &[Strategy::Vector],
            RouteName::CurrentWorld => &[Strategy::Web],
        })
        .copied()
        .collect();
    let sql = cues::asks_the_catalog(question) && routes != [RouteName::CurrentWorld];
    if sql {
        strategies.push(Strategy::Sql);
    }
    strategies.sort_unstable();
    strategies.dedup();
    (strategies, sql.then(|| "sql: counts or lists what the library holds".to_owned()))
}

/// The name of a route as the wire writes it.
fn label(route: RouteName) -> &'static str {
    match route {
        RouteName::Content => "content",
        RouteName::Bibliometric => "bibliometric",
        RouteName::Trend => "trend",
        RouteName::CurrentWorld => "current_world",
    }
}

#[cfg(test)]
#[path = "../route_tests.rs"]
mod tests;
