//! Idefics3 pictures: a page in tiles with a small copy of the whole, each tile a square of vectors (ColSmol-500M and
//! 256M, ColModernVBERT).
//!
//! The page goes through two resamplings (to the length the manifest gives, then to whole tiles, the ratio not kept)
//! and the copy through a third, each rounded to bytes, because that is what the networks were trained with.

use std::fmt::Write;
use std::path::Path;

use ort::environment::Environment;

use crate::error::Error;
use crate::manifest::{GRAPH, TOKENIZER};
use crate::page::beside;
use crate::page::graph::{Feed, Graph, Values};
use crate::page::pixels::{Pixels, Scale};
use crate::page::resize::resize;
use crate::page::spec::TiledSpec;
use crate::page::tokens::Tokens;
use crate::page::{Place, Rows};

/// Where the picture stands in a prompt, and the token of one of its vectors.
pub(crate) const IMAGE: &str = "<image>";
const AROUND: &str = "<fake_token_around_image>";
const GLOBAL: &str = "<global-img>";

/// The inputs that can be served, with the numbers of sides they may have.
const INPUTS: [(&str, &[usize]); 4] =
    [("input_ids", &[2]), ("attention_mask", &[2]), ("pixel_values", &[5, 4]), ("pixel_attention_mask", &[4, 3])];

/// A tiled page network.
pub(crate) struct Tiled {
    spec: TiledSpec,
    graph: Graph,
    tokens: Tokens,
    scale: Scale,
    image: i64,
}

/// How many tiles a page makes down and across.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl Grid {
    /// Tiles, with the copy of the whole that a page of more than one has.
    pub(crate) fn count(self) -> usize {
        let tiles = self.rows * self.columns;
        if tiles > 1 { tiles + 1 } else { 1 }
    }

    fn is_cut(self) -> bool {
        self.count() > 1
    }
}

impl Tiled {
    /// Opens the graph and the tokeniser in a model's folder.
    ///
    /// # Errors
    /// [`Error::File`] if one of them cannot be used.
    pub(crate) fn open(
        environment: Environment,
        (id, folder): (&str, &Path),
        spec: &TiledSpec,
        most: usize,
    ) -> Result<Self, Error> {
        beside::agrees(id, folder, spec)?;
        let path = folder.join(TOKENIZER);
        let tokens = Tokens::open(id, &path)?;
        let lacking = |token: &str| Error::file(id, &path, format!("it has no token {token}"));
        let image = tokens.named(IMAGE).ok_or_else(|| lacking(IMAGE))?;
        let most_tiles = spec.longest_edge.div_ceil(spec.tile) as usize;
        let marks = (1..=most_tiles).flat_map(|row| (1..=most_tiles).map(move |column| cell(row, column)));
        for token in [AROUND, GLOBAL].map(str::to_owned).into_iter().chain(marks) {
            tokens.named(&token).ok_or_else(|| lacking(&token))?;
        }
        tokens.has_room(&path, (&spec.query_prefix, &spec.query_suffix), spec.max_tokens)?;
        let graph = Graph::open(environment, (id, folder.join(GRAPH)), &INPUTS, (&spec.outputs, spec.dim), most)?;
        let tiled = Self { spec: spec.clone(), scale: Scale::new(spec.mean, spec.std), graph, tokens, image };
        tiled.check_tiles()?;
        Ok(tiled)
    }

    /// The graph must take tiles of the manifest's size.
    fn check_tiles(&self) -> Result<(), Error> {
        let Some(pixels) = self.graph.input("pixel_values") else {
            return Err(self.graph.faulty("it has no input pixel_values: it cannot see a page"));
        };
        let tile = i64::from(self.spec.tile);
        let sides = &pixels.shape[pixels.shape.len() - 3..];
        let fits = sides.iter().zip([3, tile, tile]).all(|(&side, here)| side < 0 || side == here);
        if fits {
            return Ok(());
        }
        Err(self.graph.faulty(format!("it takes tiles of shape {sides:?}; the manifest says [3, {tile}, {tile}]")))
    }

    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The vectors of a page, one for each token of the prompt.
    ///
    /// # Errors
    /// [`Error::Page`] if the export takes another number of tiles than this page makes, or the tokeniser knows no
    /// place so far right or down.
    pub(crate) fn page(&self, picture: &Pixels) -> Result<Rows, Error> {
        let grid = self.grid(picture.width(), picture.height());
        self.check_count(picture, grid.count())?;
        self.seen(grid, &self.tiles(picture))
    }

    /// The vectors of a page that is cut up already.
    ///
    /// # Errors
    /// As [`Tiled::page`].
    pub(crate) fn seen(&self, grid: Grid, tiles: &[Pixels]) -> Result<Rows, Error> {
        let ids = self.ids(grid)?;
        let places = self.places(&ids, grid);
        let values = self.run(ids, tiles.len(), self.pixel_values(tiles), Values::Ones)?;
        Ok(Rows { values, places })
    }

    /// The vectors of a query, one for each token.
    ///
    /// # Errors
    /// What the tokeniser or the runtime says.
    pub(crate) fn query(&self, query: &str) -> Result<Vec<f32>, Error> {
        let ids = self.query_ids(query)?;
        // No token stands for a tile here: the tiles are empty, masked, and as few as the graph allows.
        let count = self.fixed_tiles().unwrap_or(1);
        let pixels = vec![0.0; count * 3 * self.tile() * self.tile()];
        let mask = vec![0; count * self.tile() * self.tile()];
        self.run(ids, count, pixels, Values::Whole(mask))
    }

    pub(crate) fn query_ids(&self, query: &str) -> Result<Vec<i64>, Error> {
        let spec = &self.spec;
        self.tokens.query((&spec.query_prefix, query, &spec.query_suffix), spec.max_tokens)
    }

    fn run(&self, ids: Vec<i64>, tiles: usize, pixels: Vec<f32>, mask: Values) -> Result<Vec<f32>, Error> {
        let (count, side) = (ids.len(), self.tile());
        let with_batch = |name: &str, most: usize| {
            self.graph.input(name).is_none_or(|input| input.shape.len() == most).then_some(1).into_iter()
        };
        let shape = with_batch("pixel_values", 5).chain([tiles, 3, side, side]).collect();
        let mask_shape = with_batch("pixel_attention_mask", 4).chain([tiles, side, side]).collect();
        let feeds = vec![
            Feed { name: "input_ids", shape: vec![1, count], values: Values::Whole(ids) },
            Feed { name: "attention_mask", shape: vec![1, count], values: Values::Ones },
            Feed { name: "pixel_values", shape, values: Values::Floats(pixels) },
            Feed { name: "pixel_attention_mask", shape: mask_shape, values: mask },
        ];
        self.graph.run(feeds, count)
    }

    fn tile(&self) -> usize {
        self.spec.tile as usize
    }

    /// The number of tiles that the export takes, if it is fixed.
    fn fixed_tiles(&self) -> Option<usize> {
        let pixels = self.graph.input("pixel_values")?;
        usize::try_from(pixels.shape[pixels.shape.len() - 4]).ok()
    }

    fn check_count(&self, picture: &Pixels, made: usize) -> Result<(), Error> {
        match self.fixed_tiles() {
            Some(fixed) if fixed != made => Err(Error::Page {
                id: self.graph.id().to_owned(),
                message: format!(
                    "this export takes exactly {fixed} tiles, a page of {} × {} pixels makes {made}; use an export \
                     whose number of tiles is free (pipelines/export-colsmol.py makes one)",
                    picture.width(),
                    picture.height()
                ),
            }),
            _ => Ok(()),
        }
    }

    /// The tiles that a page of this size makes.
    pub(crate) fn grid(&self, width: usize, height: usize) -> Grid {
        let (width, height) = longest(width, height, self.spec.longest_edge as usize);
        let (width, height) = whole_tiles(width, height, self.tile());
        Grid { rows: height / self.tile(), columns: width / self.tile() }
    }

    /// The page cut up: the tiles of its grid, row by row, then the copy of the whole.
    pub(crate) fn tiles(&self, picture: &Pixels) -> Vec<Pixels> {
        let (side, filter) = (self.tile(), self.spec.resample);
        let (width, height) = longest(picture.width(), picture.height(), self.spec.longest_edge as usize);
        let first = resize(picture, width, height, filter);
        let (width, height) = whole_tiles(width, height, side);
        let whole = resize(&first, width, height, filter);
        let grid = Grid { rows: height / side, columns: width / side };
        let corners = (0..grid.rows).flat_map(|row| (0..grid.columns).map(move |column| (column * side, row * side)));
        let mut pictures: Vec<Pixels> = corners.map(|(left, top)| whole.square(left, top, side)).collect();
        if grid.is_cut() {
            pictures.push(resize(&whole, side, side, filter));
        }
        pictures
    }

    /// The tiles as the graph takes them: [tiles, 3, side, side].
    pub(crate) fn pixel_values(&self, tiles: &[Pixels]) -> Vec<f32> {
        let mut values = Vec::with_capacity(tiles.len() * 3 * self.tile() * self.tile());
        tiles.iter().for_each(|picture| self.scale.planes(picture, &mut values));
        values
    }

    /// Token ids of the page's prompt.
    pub(crate) fn ids(&self, grid: Grid) -> Result<Vec<i64>, Error> {
        for (row, column) in [(grid.rows, 1), (1, grid.columns), (grid.rows, grid.columns)] {
            let token = cell(row, column);
            if grid.is_cut() && self.tokens.named(&token).is_none() {
                let message = format!("its tokeniser has no {token}: the page is too long for it");
                return Err(Error::Page { id: self.graph.id().to_owned(), message });
            }
        }
        self.tokens.of(&self.prompt(grid))
    }

    fn prompt(&self, grid: Grid) -> String {
        let vectors = IMAGE.repeat(self.spec.tokens_a_tile);
        let mut picture = String::new();
        if grid.is_cut() {
            for row in 1..=grid.rows {
                for column in 1..=grid.columns {
                    // Writing to a string cannot fail.
                    let _ = write!(picture, "{AROUND}{}{vectors}", cell(row, column));
                }
                picture.push('\n');
            }
            picture.push('\n');
        }
        let _ = write!(picture, "{AROUND}{GLOBAL}{vectors}{AROUND}");
        self.spec.image_prompt.replacen(IMAGE, &picture, 1)
    }

    /// Where each token's vector comes from.
    fn places(&self, ids: &[i64], grid: Grid) -> Vec<Place> {
        let mut regions = self.regions(grid).into_iter();
        ids.iter()
            .map(
                |&id| {
                    if id == self.image { regions.next().map_or(Place::Prompt, Place::Region) } else { Place::Prompt }
                },
            )
            .collect()
    }

    /// The part of the page that each vector of a tile covers, in the order of the vectors.
    fn regions(&self, grid: Grid) -> Vec<[f32; 4]> {
        let side = self.spec.tokens_a_tile.isqrt();
        let mut regions = Vec::new();
        if grid.is_cut() {
            for (row, column) in (0..grid.rows).flat_map(|row| (0..grid.columns).map(move |column| (row, column))) {
                let cells = (0..side * side).map(|at| (column * side + at % side, row * side + at / side));
                regions.extend(cells.map(|cell| region(cell, (grid.columns * side, grid.rows * side))));
            }
        }
        regions.extend((0..side * side).map(|at| region((at % side, at / side), (side, side))));
        regions
    }
}

fn cell(row: usize, column: usize) -> String {
    format!("<row_{row}_col_{column}>")
}

/// A cell of a grid over the page as [left, top, right, bottom] in 0..1.
#[expect(clippy::cast_precision_loss, reason = "a grid has a few hundred cells")]
pub(crate) fn region((x, y): (usize, usize), (across, down): (usize, usize)) -> [f32; 4] {
    let (across, down) = (across as f32, down as f32);
    [x as f32 / across, y as f32 / down, (x + 1) as f32 / across, (y + 1) as f32 / down]
}

/// The size with the longer side brought to `most`, the shorter one truncated and made even (as the reference does).
#[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^52")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the reference truncates")]
fn longest(width: usize, height: usize, most: usize) -> (usize, usize) {
    let ratio = width as f64 / height as f64;
    let even = |side: f64| ((side as usize) + (side as usize) % 2).max(1);
    if width >= height { (most, even(most as f64 / ratio)) } else { (even(most as f64 * ratio), most) }
}

/// The size with both sides up to whole tiles; the shorter side follows the longer one before it is rounded up.
#[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^52")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the reference truncates")]
fn whole_tiles(width: usize, height: usize, tile: usize) -> (usize, usize) {
    let ratio = width as f64 / height as f64;
    let up = |side: usize| side.div_ceil(tile).max(1) * tile;
    if width >= height {
        let width = up(width);
        (width, up((width as f64 / ratio) as usize))
    } else {
        let height = up(height);
        (up((height as f64 * ratio) as usize), height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_notes() {
        // Letter, A4 and a wide crop at 100 dpi.
        assert_eq!(longest(850, 1100, 2048), (1582, 2048));
        assert_eq!(longest(714, 1011, 2048), (1446, 2048));
        assert_eq!(longest(850, 300, 2048), (2048, 722));
        assert_eq!(whole_tiles(1582, 2048, 512), (2048, 2048));
        assert_eq!(whole_tiles(1446, 2048, 512), (1536, 2048));
        assert_eq!(whole_tiles(2048, 722, 512), (2048, 1024));
    }

    #[test]
    fn a_line_of_pixels_is_one_row_of_tiles() {
        assert_eq!(longest(100_000, 1, 2048), (2048, 1));
        assert_eq!(whole_tiles(2048, 1, 512), (2048, 512));
        assert_eq!(Grid { rows: 1, columns: 4 }.count(), 5);
        assert_eq!(Grid { rows: 1, columns: 1 }.count(), 1);
    }

    #[test]
    fn regions_tile_the_page() {
        assert_eq!(region((0, 0), (2, 4)), [0.0, 0.0, 0.5, 0.25]);
        assert_eq!(region((1, 3), (2, 4)), [0.5, 0.75, 1.0, 1.0]);
    }
}
