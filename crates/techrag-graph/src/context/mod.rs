//! Context: what the graph knows of the papers of the hits, for the prompt and for bibliographic questions.

mod authors;
mod corpus;
mod papers;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, json};
use techrag_core::record::{CoCiting, Graph, GraphContext, Query, RouteName};

use crate::expand::{Library, Outcome};
use crate::model::{Direction, EdgeType, Label};
use crate::store::{self, Store, Supply};
use papers::Facts;

/// What context gives at most.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Hits whose papers are described.
    pub hits: usize,
    /// Co-citing papers.
    pub co_citing: usize,
    /// Papers of an author.
    pub of_author: usize,
    /// Relations between terms.
    pub relations: usize,
    /// Communities, for questions about the library as a whole.
    pub communities: usize,
}

/// Writes `graph.context` into queries. Shared by threads freely.
pub struct Contexts {
    supply: Supply,
    library: Option<Library>,
    config: Config,
}

impl Contexts {
    /// A stage over a store; `library` gives the scope where one is asked for.
    pub fn new(supply: Supply, library: Option<Library>, config: Config) -> Self {
        Self { supply, library, config }
    }

    /// Writes `graph.context`.
    ///
    /// # Errors
    /// If the library fails, or the store in another way than that a service failed.
    pub fn describe(&self, query: &mut Query) -> Result<Outcome, crate::expand::Error> {
        if let Some(why) = crate::expand::unwanted(query) {
            crate::expand::pushed(query, "graph context", why.into(), Map::new());
            return Ok(Outcome::Served);
        }
        let mut graph = query.graph.take().unwrap_or_default();
        let outcome = match self.supply.get()? {
            Err(why) => {
                degrade(query, &mut graph, "", &why);
                Outcome::Served
            }
            Ok(store) => match self.context(store, query, &graph) {
                Ok(context) => {
                    tell(query, &context);
                    graph.store = store.name().into();
                    graph.context = Some(context);
                    Outcome::Served
                }
                Err(crate::expand::Error::Store(error)) if error.is_only_the_graph() => {
                    degrade(query, &mut graph, store.name(), &error.to_string());
                    error.outcome()
                }
                Err(error) => return Err(error),
            },
        };
        query.graph = Some(graph);
        Ok(outcome)
    }

    fn context(&self, store: &dyn Store, query: &Query, graph: &Graph) -> Result<GraphContext, crate::expand::Error> {
        let view = self.library.as_ref().map(Library::now).transpose()?;
        let among = view.as_ref().and_then(|view| view.documents.as_ref());
        let hits = query.hits.as_deref().unwrap_or_default();
        let mut ids: Vec<String> = Vec::new();
        for hit in hits.iter().take(self.config.hits) {
            if !ids.contains(&hit.doc_id) && in_scope(among, &hit.doc_id) {
                ids.push(hit.doc_id.clone());
            }
        }
        let facts = Facts::of(store, &ids, among)?;
        let mut context = GraphContext {
            papers: ids.iter().filter_map(|id| facts.paper(id)).collect(),
            co_citing: co_citing(store, &ids, among, self.config.co_citing)?,
            relations: facts.relations(store, self.config.relations)?,
            ..GraphContext::default()
        };
        if query.takes(RouteName::Bibliometric) {
            context.authors = authors::named(store, &query.question, among, self.config.of_author)?;
        }
        if corpus::asks_about_all(&query.question) {
            context.communities = corpus::communities(store, &ids, among, self.config.communities)?;
        }
        context.titles = titles(store, &context, graph)?;
        Ok(context)
    }
}

pub(crate) fn in_scope(among: Option<&BTreeSet<String>>, doc_id: &str) -> bool {
    among.is_none_or(|among| among.contains(doc_id))
}

/// Papers that cite what these cite: works by title, and papers of the graph. Most in common first, ties by id.
fn co_citing(
    store: &dyn Store,
    papers: &[String],
    among: Option<&BTreeSet<String>>,
    most: usize,
) -> store::Result<Vec<CoCiting>> {
    let mut shared: BTreeMap<String, BTreeSet<(Label, String)>> = BTreeMap::new();
    for (edge, label) in [(EdgeType::Cites, Label::CitationPaper), (EdgeType::CitesPaper, Label::Paper)] {
        let named = |id: &String| label != Label::Paper || in_scope(among, id);
        let cited = store.links(edge, Direction::Out, Label::Paper, papers)?.into_iter().map(|link| link.far.id);
        let cited: Vec<String> = cited.filter(named).collect::<BTreeSet<_>>().into_iter().collect();
        for link in store.links(edge, Direction::In, label, &cited)? {
            if !papers.contains(&link.far.id) && in_scope(among, &link.far.id) {
                shared.entry(link.far.id).or_default().insert((label, link.near));
            }
        }
    }
    let mut found: Vec<(String, BTreeSet<(Label, String)>)> = shared.into_iter().collect();
    found.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
    found.truncate(most);
    let titles = titles_of(store, found.iter().map(|(id, _)| id.clone()).collect())?;
    let mut works: BTreeMap<(Label, String), String> = BTreeMap::new();
    for label in [Label::CitationPaper, Label::Paper] {
        let keys = found.iter().flat_map(|(_, shared)| shared);
        let ids: BTreeSet<String> = keys.filter(|key| key.0 == label).map(|key| key.1.clone()).collect();
        for node in store.nodes(label, &ids.into_iter().collect::<Vec<_>>())? {
            works.insert((label, node.key.id.clone()), node.shown().to_owned());
        }
    }
    let made = |(doc_id, shared): (String, BTreeSet<(Label, String)>)| {
        // A cited paper of the graph is there under its title too.
        let names: BTreeSet<String> = shared.iter().filter_map(|key| works.get(key).cloned()).collect();
        CoCiting { title: titles.get(&doc_id).cloned(), doc_id, shared: names.into_iter().collect() }
    };
    Ok(found.into_iter().map(made).collect())
}

/// The title of every paper that the context or the expansion names.
fn titles(store: &dyn Store, context: &GraphContext, graph: &Graph) -> store::Result<techrag_core::record::Extra> {
    let of_papers = context.papers.iter().chain(context.authors.iter().flat_map(|author| &author.papers));
    let ids = of_papers
        .flat_map(|paper| std::iter::once(&paper.doc_id).chain(&paper.cites).chain(&paper.cited_by))
        .chain(context.co_citing.iter().map(|paper| &paper.doc_id))
        .chain(graph.expansions.iter().map(|paper| &paper.doc_id));
    let titles = titles_of(store, ids.cloned().collect())?;
    Ok(titles.into_iter().map(|(id, title)| (id, title.into())).collect())
}

fn titles_of(store: &dyn Store, ids: Vec<String>) -> store::Result<BTreeMap<String, String>> {
    let titled = |node: crate::Node| Some((node.key.id.clone(), node.text("title")?.to_owned()));
    Ok(store.nodes(Label::Paper, &ids)?.into_iter().filter_map(titled).collect())
}

fn degrade(query: &mut Query, graph: &mut Graph, store: &str, why: &str) {
    graph.store = store.into();
    graph.note = Some(why.into());
    crate::expand::pushed(query, "graph context", format!("no context: {why}"), Map::new());
}

fn tell(query: &mut Query, context: &GraphContext) {
    let mut details = Map::new();
    details.insert("papers".into(), json!(context.papers.len()));
    details.insert("co_citing".into(), json!(context.co_citing.len()));
    details.insert("authors".into(), json!(context.authors.len()));
    details.insert("communities".into(), json!(context.communities.len()));
    let mut note = format!("{} papers described, {} co-citing", context.papers.len(), context.co_citing.len());
    for (count, what) in
        [(context.authors.len(), "authors looked up"), (context.communities.len(), "communities of the library")]
    {
        if count > 0 {
            note.push_str(&format!(", {count} {what}"));
        }
    }
    crate::expand::pushed(query, "graph context", note, details);
}
