//! Patch models: a page as rows of raw squares, each a vector; one pass, no tiles (NeoMME, and scored by the mean of
//! the best matches, which ranks as their sum does).

use std::path::Path;

use ort::environment::Environment;

use crate::error::Error;
use crate::manifest::{GRAPH, TOKENIZER};
use crate::page::graph::{Feed, Graph, Values};
use crate::page::pixels::{Pixels, Scale};
use crate::page::resize::resize;
use crate::page::spec::PatchSpec;
use crate::page::tiled::region;
use crate::page::tokens::Tokens;
use crate::page::{Place, Rows};

/// The inputs that can be served, with the numbers of sides they may have.
const INPUTS: [(&str, &[usize]); 4] =
    [("input_ids", &[2]), ("attention_mask", &[2]), ("position_ids", &[3]), ("pixel_values", &[2])];

/// A patch network.
pub(crate) struct Patches {
    spec: PatchSpec,
    graph: Graph,
    tokens: Tokens,
    scale: Scale,
    marks: Marks,
}

/// Ids of the tokens of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks {
    pub(crate) document: i64,
    pub(crate) image: i64,
    pub(crate) row: i64,
}

/// What a page of `across` × `down` patches is to the network, beside its pixels.
pub(crate) struct Layout {
    pub(crate) ids: Vec<i64>,
    /// Rows first, then columns: [2, 1, tokens].
    pub(crate) positions: Vec<i64>,
    places: Vec<Place>,
}

impl Patches {
    /// Opens the graph and the tokeniser in a model's folder.
    ///
    /// # Errors
    /// [`Error::File`] if one of them cannot be used.
    pub(crate) fn open(
        environment: Environment,
        (id, folder): (&str, &Path),
        spec: &PatchSpec,
        most: usize,
    ) -> Result<Self, Error> {
        let path = folder.join(TOKENIZER);
        let tokens = Tokens::open(id, &path)?;
        let named =
            |token: &str| tokens.named(token).ok_or_else(|| Error::file(id, &path, format!("it has no token {token}")));
        let marks = Marks {
            document: named(&spec.document_token)?,
            image: named(&spec.image_token)?,
            row: named(&spec.row_token)?,
        };
        tokens.has_room(&path, (&spec.query_prefix, &spec.query_suffix), spec.max_tokens)?;
        let graph = open_graph(environment, (id, folder), spec, most)?;
        Ok(Self { spec: spec.clone(), scale: Scale::new(spec.mean, spec.std), graph, tokens, marks })
    }

    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The vectors of a page, one for each token.
    ///
    /// # Errors
    /// What the runtime says.
    pub(crate) fn page(&self, picture: &Pixels) -> Result<Rows, Error> {
        let picture = self.prepared(picture);
        let side = self.spec.patch as usize;
        let layout = layout(picture.width() / side, picture.height() / side, self.marks);
        let Layout { ids, positions, places } = layout;
        let values = run(&self.graph, ids, positions, self.pixel_values(&picture))?;
        Ok(Rows { values, places })
    }

    /// The vectors of a query, one for each token.
    ///
    /// # Errors
    /// What the tokeniser or the runtime says.
    pub(crate) fn query(&self, query: &str) -> Result<Vec<f32>, Error> {
        let spec = &self.spec;
        let ids = self.tokens.query((&spec.query_prefix, query, &spec.query_suffix), spec.max_tokens)?;
        let along = (0..).take(ids.len()).collect::<Vec<i64>>();
        // No token stands for a patch here: one that is never looked at keeps the graph content.
        let pixels = vec![0.0; self.values_a_patch()];
        run(&self.graph, ids, along.repeat(2), pixels)
    }

    /// The page at its size for the network: not longer than the manifest says, grown by black to whole patches.
    fn prepared(&self, picture: &Pixels) -> Pixels {
        let (width, height) = within(picture.width(), picture.height(), self.spec.longest_edge as usize);
        let side = self.spec.patch as usize;
        let resized = resize(picture, width, height, self.spec.resample);
        resized.padded(width.div_ceil(side) * side, height.div_ceil(side) * side)
    }

    fn values_a_patch(&self) -> usize {
        3 * (self.spec.patch as usize).pow(2)
    }

    /// Patches row by row, each by rows of pixels: [patches, side × side × 3].
    fn pixel_values(&self, picture: &Pixels) -> Vec<f32> {
        let side = self.spec.patch as usize;
        let (across, down) = (picture.width() / side, picture.height() / side);
        let mut values = Vec::with_capacity(picture.bytes().len());
        for (x, y) in (0..down).flat_map(|y| (0..across).map(move |x| (x, y))) {
            values.extend(self.scale.interleaved(picture.square(x * side, y * side, side).bytes()));
        }
        values
    }
}

/// Opens the graph of a patch network.
pub(crate) fn open_graph(
    environment: Environment,
    (id, folder): (&str, &Path),
    spec: &PatchSpec,
    most: usize,
) -> Result<Graph, Error> {
    Graph::open(environment, (id, folder.join(GRAPH)), &INPUTS, (&spec.outputs, spec.dim), most)
}

/// Vectors of tokens at positions, with the patches some of them stand for.
pub(crate) fn run(graph: &Graph, ids: Vec<i64>, positions: Vec<i64>, pixels: Vec<f32>) -> Result<Vec<f32>, Error> {
    let count = ids.len();
    let patch = graph.input("pixel_values").and_then(|input| usize::try_from(input.shape[1]).ok());
    let patch = patch.filter(|&patch| patch > 0 && pixels.len().is_multiple_of(patch));
    let patch = patch.ok_or_else(|| graph.faulty("its pixel_values are no patches of the manifest's size"))?;
    let feeds = vec![
        Feed { name: "input_ids", shape: vec![1, count], values: Values::Whole(ids) },
        Feed { name: "attention_mask", shape: vec![1, count], values: Values::Ones },
        Feed { name: "position_ids", shape: vec![2, 1, count], values: Values::Whole(positions) },
        Feed { name: "pixel_values", shape: vec![pixels.len() / patch, patch], values: Values::Floats(pixels) },
    ];
    graph.run(feeds, count)
}

/// The tokens of a page: it opens at (0, 0), the picture at (1, 1), patches and the ends of their rows from (2, 2).
pub(crate) fn layout(across: usize, down: usize, marks: Marks) -> Layout {
    let mut ids = vec![marks.document, marks.image];
    let mut places = vec![Place::Prompt; 2];
    let (mut rows, mut columns) = (vec![0, 1], vec![0, 1]);
    for (y, row) in (0..down).zip(2..) {
        for (x, column) in (0..=across).zip(2..) {
            let end = x == across;
            ids.push(if end { marks.row } else { marks.image });
            places.push(if end { Place::Prompt } else { Place::Region(region((x, y), (across, down))) });
            rows.push(row);
            columns.push(column);
        }
    }
    rows.extend(columns);
    Layout { ids, positions: rows, places }
}

/// The size with the longer side at most `most`, rounded to whole pixels, halves to even (as the reference does).
#[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^52")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded, and at least 1")]
fn within(width: usize, height: usize, most: usize) -> (usize, usize) {
    let longer = width.max(height);
    if longer <= most {
        return (width, height);
    }
    let scale = most as f64 / longer as f64;
    let scaled = |side: usize| (side as f64 * scale).round_ties_even().max(1.0) as usize;
    (scaled(width), scaled(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_made_smaller_and_never_larger() {
        assert_eq!(within(800, 600, 1536), (800, 600));
        assert_eq!(within(1700, 2200, 1536), (1187, 1536));
        assert_eq!(within(1, 100_000, 1536), (1, 1536));
    }

    #[test]
    fn rows_of_patches_end_in_a_mark() {
        let layout = layout(2, 1, Marks { document: 5, image: 6, row: 7 });
        assert_eq!(layout.ids, [5, 6, 6, 6, 7]);
        assert_eq!(layout.positions, [0, 1, 2, 2, 2, 0, 1, 2, 3, 4]);
        assert_eq!(layout.places[2], Place::Region([0.0, 0.0, 0.5, 1.0]));
        assert_eq!(layout.places[4], Place::Prompt);
    }
}
