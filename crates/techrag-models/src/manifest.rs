//! The manifest: which models there are, what each one needs and how it is used.
//!
//! `models.toml` is shared with the script that fetches the files; unknown keys are refused on both sides, so that a
//! misspelt `query_prefix` is an error and not a silently worse embedding.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::LazyLock;

use serde::Deserialize;
use techrag_core::record::Vectors;

use crate::error::Error;
use crate::layout::LayoutSpec;
use crate::locate::Locator;
use crate::ocr::{DETECTOR, READER, RecogniserSpec};
use crate::page::PageSpec;

/// Name of a manifest beside models.
const FILE: &str = "models.toml";

/// The models that are known.
#[derive(Clone, Debug)]
pub struct Manifest {
    models: Vec<Model>,
}

/// One model.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name: of its folder, on the command line, and in every vector it made.
    pub id: String,
    /// Identity of its weights; vectors of two revisions are never compared.
    pub revision: String,
    /// Licence of the weights, as their publisher states it (SPDX).
    pub licence: String,
    /// When it is fetched.
    pub fetch: Fetch,
    /// What it computes.
    pub kind: Kind,
    /// How to use it as a page encoder too, where it is of another kind: see [`Model::page_encoder`].
    pub page: Option<PageSpec>,
    /// Names of the files it needs on this platform.
    pub files: Vec<String>,
    /// The script that makes it, where nobody publishes it.
    pub recipe: Option<String>,
    /// Whether the manifest says where its files come from.
    pub is_fetched: bool,
}

/// When a model is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fetch {
    /// Always; setting up fails without it.
    Required,
    /// Tried; its absence is a note.
    Optional,
    /// Only when named.
    Named,
}

/// What a model computes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// ONNX Runtime itself.
    Runtime,
    /// Texts to vectors.
    SentenceEncoder(SentenceSpec),
    /// Query and passage to a logit.
    CrossEncoder(PairSpec),
    /// Texts to weights of terms.
    SparseEncoder(SparseSpec),
    /// Pages to many vectors.
    PageEncoder(PageSpec),
    /// A page's picture to labelled boxes.
    Layout(LayoutSpec),
    /// A picture to words with their places.
    Recogniser(RecogniserSpec),
    /// Sound to text with times.
    Speech,
}

/// How a sentence encoder is used.
#[derive(Clone, Debug)]
pub struct SentenceSpec {
    /// Length of a vector.
    pub dim: usize,
    /// Longest input in word pieces, special tokens included.
    pub max_tokens: usize,
    /// Where token vectors come from and how they become one.
    pub body: Body,
    /// Whether vectors are scaled to length 1.
    pub normalise: bool,
    /// Put before a query.
    pub query_prefix: String,
    /// Put before a passage.
    pub passage_prefix: String,
}

/// Where the token vectors of a sentence encoder come from.
#[derive(Clone, Debug)]
pub enum Body {
    /// A network that reads the whole text.
    Graph {
        /// How token vectors become one.
        pooling: Pooling,
        /// Names of the output of token vectors; the first that the file has.
        outputs: Vec<String>,
        /// Most texts in a run. 1 where activations are quantised by ranges taken over the whole run: a vector would
        /// depend on its company.
        most: usize,
    },
    /// A table of one vector a word piece, whatever stands beside it; their mean is the text's (model2vec).
    Table,
}

/// How a cross-encoder is used.
#[derive(Clone, Debug)]
pub struct PairSpec {
    /// Longest pair in word pieces, special tokens included.
    pub max_tokens: usize,
    /// Names of the output of logits, shape [pairs, 1]; the first that the file has.
    pub outputs: Vec<String>,
}

/// How a learned sparse encoder is used.
#[derive(Clone, Debug)]
pub struct SparseSpec {
    /// Longest input in word pieces, special tokens included.
    pub max_tokens: usize,
    /// Most terms kept of a text, the heaviest.
    pub most_terms: usize,
    /// Names of the output of logits, shape [texts, tokens, words] or, the greatest of a text, [texts, words]; the first
    /// that the file has.
    pub outputs: Vec<String>,
}

/// How token vectors become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Mean over all tokens, special ones included (Reimers and Gurevych 2019, section 3).
    Mean,
    /// The vector of the first token.
    Cls,
}

static BUILTIN: LazyLock<Manifest> = LazyLock::new(|| {
    Manifest::parse(include_str!("../models.toml")).expect("the built-in manifest is right; a test reads it")
});

impl Manifest {
    /// The manifest that comes with the program.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Reads a manifest (the format is described at the top of `models.toml`).
    ///
    /// # Errors
    /// [`Error::Manifest`] on a key that is unknown, missing or of the wrong type, or an id that is there twice.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let raw: RawManifest = toml::from_str(text).map_err(|error| Error::Manifest(error.to_string()))?;
        let models = raw.model.into_iter().map(Model::try_from).collect::<Result<Vec<_>, _>>()?;
        let mut seen = BTreeSet::new();
        match models.iter().find(|model| !seen.insert(model.id.as_str())) {
            Some(twice) => Err(Error::Manifest(format!("{} is there twice", twice.id))),
            None => Ok(Self { models }),
        }
    }

    /// The manifest that comes with the program, after the entries of every `models.toml` in a place of models: so a
    /// network of one's own is used by putting its folder there and saying what it is. The first entry of a name wins.
    ///
    /// # Errors
    /// [`Error::Manifest`] naming the file that is wrong.
    pub fn of(locator: &Locator) -> Result<Self, Error> {
        let mut models: Vec<Model> = Vec::new();
        for place in locator.places() {
            let path = place.join(FILE);
            let named = |error: &dyn std::fmt::Display| Error::Manifest(format!("{}: {error}", path.display()));
            match std::fs::read_to_string(&path) {
                Ok(text) => match Self::parse(&text) {
                    Ok(manifest) => models.extend(manifest.models),
                    Err(Error::Manifest(why)) => return Err(named(&why)),
                    Err(other) => return Err(other),
                },
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(named(&error)),
            }
        }
        models.extend(Self::builtin().models.iter().cloned());
        let mut seen = BTreeSet::new();
        models.retain(|model| seen.insert(model.id.clone()));
        Ok(Self { models })
    }

    /// The models, in the manifest's order.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// The model of that name.
    ///
    /// # Errors
    /// [`Error::Unknown`], with the names there are.
    pub fn get(&self, id: &str) -> Result<&Model, Error> {
        self.models.iter().find(|model| model.id == id).ok_or_else(|| Error::Unknown {
            id: id.to_owned(),
            known: self.models.iter().map(|model| model.id.clone()).collect(),
        })
    }

    /// ONNX Runtime.
    ///
    /// # Errors
    /// [`Error::Manifest`] if none is listed.
    pub fn runtime(&self) -> Result<&Model, Error> {
        let is_runtime = |model: &&Model| matches!(model.kind, Kind::Runtime);
        self.models.iter().find(is_runtime).ok_or_else(|| Error::Manifest("no runtime is listed".to_owned()))
    }
}

impl Model {
    /// How to use it as a sentence encoder.
    ///
    /// # Errors
    /// [`Error::WrongKind`].
    pub fn sentence_encoder(&self) -> Result<&SentenceSpec, Error> {
        match &self.kind {
            Kind::SentenceEncoder(spec) => Ok(spec),
            _ => Err(Error::WrongKind { id: self.id.clone(), wanted: "sentence encoder" }),
        }
    }

    /// How to use it as a cross-encoder.
    ///
    /// # Errors
    /// [`Error::WrongKind`].
    pub fn cross_encoder(&self) -> Result<&PairSpec, Error> {
        match &self.kind {
            Kind::CrossEncoder(spec) => Ok(spec),
            _ => Err(Error::WrongKind { id: self.id.clone(), wanted: "cross-encoder" }),
        }
    }

    /// How to use it as a sparse encoder.
    ///
    /// # Errors
    /// [`Error::WrongKind`].
    pub fn sparse_encoder(&self) -> Result<&SparseSpec, Error> {
        match &self.kind {
            Kind::SparseEncoder(spec) => Ok(spec),
            _ => Err(Error::WrongKind { id: self.id.clone(), wanted: "sparse encoder" }),
        }
    }

    /// Whether these vectors are of this model and of these weights.
    pub fn made(&self, vectors: &Vectors) -> bool {
        vectors.model == self.id && vectors.revision == self.revision
    }

    /// The command that brings it.
    pub(crate) fn hint(&self) -> String {
        match (self.fetch, &self.recipe) {
            (_, Some(recipe)) => format!("nobody publishes it in this form; `{recipe}` makes it, see there"),
            (Fetch::Required, None) => "run `make models`".to_owned(),
            (Fetch::Optional | Fetch::Named, None) if self.is_fetched => {
                format!("run `pipelines/fetch-models.py --only {}`", self.id)
            }
            (Fetch::Optional | Fetch::Named, None) => {
                format!(
                    "nothing fetches it: a folder {} with {} must be in one of these",
                    self.id,
                    self.files.join(", ")
                )
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawManifest {
    model: Vec<RawModel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawModel {
    id: String,
    kind: String,
    fetch: Fetch,
    revision: String,
    licence: String,
    recipe: Option<String>,
    page: Option<PageSpec>,
    layout: Option<LayoutSpec>,
    recogniser: Option<RecogniserSpec>,
    #[serde(default)]
    source: Vec<RawSource>,
    dim: Option<usize>,
    max_tokens: Option<usize>,
    pooling: Option<Pooling>,
    normalise: Option<bool>,
    outputs: Option<Vec<String>>,
    most_a_run: Option<usize>,
    most_terms: Option<usize>,
    #[serde(default)]
    query_prefix: String,
    #[serde(default)]
    passage_prefix: String,
}

/// Of a source only the names of the files matter here; the rest is read by the fetching script.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "named so that a misspelt key is refused")]
struct RawSource {
    with: String,
    package: Option<String>,
    #[serde(default)]
    beside: Vec<String>,
    repository: Option<String>,
    commit: Option<String>,
    inside: Option<String>,
    python: Option<String>,
    platform: Option<String>,
    convert: Option<String>,
    #[serde(default)]
    made: Vec<RawFile>,
    files: Vec<RawFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "named so that a misspelt key is refused")]
struct RawFile {
    name: String,
    member: Option<String>,
    sha256: Option<String>,
}

impl TryFrom<RawModel> for Model {
    type Error = Error;

    fn try_from(raw: RawModel) -> Result<Self, Error> {
        let lacking = |key: &str| Error::Manifest(format!("{} has no {key}", raw.id));
        let max_tokens = || raw.max_tokens.ok_or_else(|| lacking("max_tokens"));
        let outputs = || raw.outputs.clone().ok_or_else(|| lacking("outputs"));
        let (kind, files) = match raw.kind.as_str() {
            "runtime" => (Kind::Runtime, libraries(&raw.source)),
            "sentence-encoder" => {
                let pooling = raw.pooling.ok_or_else(|| lacking("pooling"))?;
                let body = Body::Graph { pooling, outputs: outputs()?, most: raw.most_a_run.unwrap_or(usize::MAX) };
                (Kind::SentenceEncoder(raw.sentence(body)?), files_beside_tokenizer(GRAPH))
            }
            "static-encoder" => (Kind::SentenceEncoder(raw.sentence(Body::Table)?), files_beside_tokenizer(TABLE)),
            "cross-encoder" => {
                let spec = PairSpec { max_tokens: max_tokens()?, outputs: outputs()? };
                (Kind::CrossEncoder(spec), files_beside_tokenizer(GRAPH))
            }
            "sparse-encoder" => {
                let most_terms = raw.most_terms.ok_or_else(|| lacking("most_terms"))?;
                let spec = SparseSpec { max_tokens: max_tokens()?, most_terms, outputs: outputs()? };
                (Kind::SparseEncoder(spec), files_beside_tokenizer(GRAPH))
            }
            "page-encoder" => {
                let spec = raw.page.clone().ok_or_else(|| lacking("page"))?;
                (Kind::PageEncoder(spec), files_beside_tokenizer(GRAPH))
            }
            "layout" => {
                let spec = raw.layout.clone().ok_or_else(|| lacking("layout"))?;
                (Kind::Layout(spec), vec![GRAPH.to_owned()])
            }
            "recogniser" => {
                let spec = raw.recogniser.clone().ok_or_else(|| lacking("recogniser"))?;
                (Kind::Recogniser(spec), vec![DETECTOR.to_owned(), READER.to_owned()])
            }
            "speech" => (Kind::Speech, [HEARS, SAYS, TOKENIZER].map(str::to_owned).to_vec()),
            other => return Err(Error::Manifest(format!("{} is of unknown kind {other}", raw.id))),
        };
        let of_recogniser = raw.recogniser.as_ref().and_then(RecogniserSpec::complaint);
        if let Some(complaint) = raw.page.as_ref().and_then(PageSpec::complaint).or(of_recogniser) {
            return Err(Error::Manifest(format!("{}: {complaint}", raw.id)));
        }
        if matches!(&kind, Kind::Layout(spec) if !(1..=4096).contains(&spec.side)) {
            return Err(Error::Manifest(format!("{}: side must be 1 to 4096", raw.id)));
        }
        let is_fetched = !raw.source.is_empty();
        let RawModel { id, revision, licence, fetch, page, recipe, .. } = raw;
        // It names a folder.
        if id.is_empty() || id.starts_with('.') || id.contains(['/', '\\']) {
            return Err(Error::Manifest(format!("{id:?} cannot be the name of a folder")));
        }
        Ok(Self { id, revision, licence, fetch, kind, page, files, recipe, is_fetched })
    }
}

impl RawModel {
    fn sentence(&self, body: Body) -> Result<SentenceSpec, Error> {
        let lacking = |key: &str| Error::Manifest(format!("{} has no {key}", self.id));
        Ok(SentenceSpec {
            dim: self.dim.ok_or_else(|| lacking("dim"))?,
            max_tokens: self.max_tokens.ok_or_else(|| lacking("max_tokens"))?,
            body,
            normalise: self.normalise.ok_or_else(|| lacking("normalise"))?,
            query_prefix: self.query_prefix.clone(),
            passage_prefix: self.passage_prefix.clone(),
        })
    }
}

/// Name of the graph with its weights, the same for every network.
pub(crate) const GRAPH: &str = "model.onnx";
/// Name of the table of a static encoder.
pub(crate) const TABLE: &str = "model.safetensors";
/// Names of the two networks of a model of speech: the one that hears and the one that says.
pub(crate) const HEARS: &str = "encoder.onnx";
pub(crate) const SAYS: &str = "decoder.onnx";
/// Name of the tokeniser, the same for every network.
pub(crate) const TOKENIZER: &str = "tokenizer.json";

fn files_beside_tokenizer(weights: &str) -> Vec<String> {
    vec![weights.to_owned(), TOKENIZER.to_owned()]
}

/// The runtime's library for this platform.
fn libraries(sources: &[RawSource]) -> Vec<String> {
    let here = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let fits = |source: &&RawSource| source.platform.as_ref().is_none_or(|platform| *platform == here);
    let names: BTreeSet<&str> =
        sources.iter().filter(fits).flat_map(|source| &source.files).map(|file| file.name.as_str()).collect();
    names.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const ONE: &str = "[[model]]\nid = 'a'\nkind = 'cross-encoder'\nfetch = 'named'\nrevision = 'r'\nlicence = 'MIT'\n\
                       max_tokens = 8\noutputs = ['logits']\nsource = []\n";

    #[test]
    fn the_builtin_manifest_lists_what_the_tools_name() {
        let manifest = Manifest::builtin();
        let minilm = manifest.get("all-MiniLM-L6-v2").unwrap();
        let spec = minilm.sentence_encoder().unwrap();
        assert_eq!((spec.dim, spec.max_tokens), (384, 256));
        assert!(matches!(spec.body, Body::Graph { pooling: Pooling::Mean, most: usize::MAX, .. }));
        let body = |id: &str| manifest.get(id).unwrap().sentence_encoder().unwrap().body.clone();
        assert!(matches!(body("bge-small-en-v1.5"), Body::Graph { pooling: Pooling::Cls, .. }));
        for quantised in ["all-MiniLM-L6-v2-int8", "bge-small-en-v1.5-int8", "e5-small-v2-int8"] {
            assert!(matches!(body(quantised), Body::Graph { most: 1, .. }), "{quantised}");
        }
        assert!(matches!(body("potion-base-8M"), Body::Table));
        assert_eq!(manifest.get("e5-small-v2").unwrap().sentence_encoder().unwrap().query_prefix, "query: ");
        assert_eq!(manifest.get("ms-marco-MiniLM-L-6-v2").unwrap().cross_encoder().unwrap().max_tokens, 512);
        assert_eq!(manifest.runtime().unwrap().files.len(), 1, "one library for this platform");
    }

    #[test]
    fn a_wrong_name_or_kind_is_said_with_what_there_is() {
        let manifest = Manifest::builtin();
        let error = manifest.get("all-minilm").unwrap_err().to_string();
        assert!(error.contains("all-MiniLM-L6-v2"), "{error}");
        let error = manifest.get("onnxruntime").unwrap().sentence_encoder().unwrap_err().to_string();
        assert_eq!(error, "onnxruntime is not a sentence encoder");
    }

    #[test]
    fn a_manifest_beside_models_comes_first() {
        let place = tempfile::tempdir().unwrap();
        let locator = Locator::new([Path::new("nowhere"), place.path()]);
        let path = place.path().join(FILE);
        std::fs::write(&path, format!("{ONE}{}", ONE.replace("'a'", "'all-MiniLM-L6-v2'"))).unwrap();
        let manifest = Manifest::of(&locator).unwrap();
        assert!(manifest.get("a").unwrap().cross_encoder().is_ok());
        assert!(manifest.get("all-MiniLM-L6-v2").unwrap().cross_encoder().is_ok(), "the place's own entry wins");
        assert!(manifest.runtime().is_ok());
        std::fs::write(&path, "[[model]]\nid = 1").unwrap();
        let error = Manifest::of(&locator).unwrap_err().to_string();
        assert!(error.contains(&path.display().to_string()), "{error}");
    }

    #[test]
    fn a_manifest_that_is_wrong_is_refused_by_name() {
        assert!(Manifest::parse(ONE).is_ok());
        for (text, why) in [
            (ONE.replace("max_tokens", "max_token"), "max_token"),
            (ONE.replace("max_tokens = 8\n", ""), "a has no max_tokens"),
            (ONE.replace("cross-encoder", "oracle"), "unknown kind oracle"),
            (format!("{ONE}{ONE}"), "a is there twice"),
        ] {
            let error = Manifest::parse(&text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
