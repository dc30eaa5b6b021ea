//! What a line of text says: characters by connectionist temporal classification (Graves et al. 2006), read greedily.

use ort::session::Session;
use ort::value::TensorRef;

use super::RecogniserSpec;
use crate::error::Error;
use crate::ocr::Word;
use crate::ocr::gray::Gray;
use crate::page::{Filter, Pixels, Scale, resize};
use crate::pool::Pool;

/// Key of the characters among the network's metadata, one a line.
const CHARACTERS: &str = "character";
/// Widest line, as a multiple of its height; beyond, it is read narrower.
const WIDEST: usize = 80;
/// Height to which the picture of a line is reduced at most, in pixels.
const LOWEST: f32 = 24.0;

pub(super) struct Reader {
    pool: Pool,
    /// Character of each class; class 0 is none.
    characters: Vec<String>,
    height: usize,
    width: usize,
    scale: Scale,
}

impl Reader {
    /// Reads the characters out of the network.
    ///
    /// # Errors
    /// [`Error::File`] if it has none.
    pub(super) fn new(pool: Pool, spec: &RecogniserSpec) -> Result<Self, Error> {
        let characters = pool.with(|session| {
            let metadata = session.metadata().map_err(|error| pool.faulty(error))?;
            metadata.custom(CHARACTERS).ok_or_else(|| pool.faulty("it names no characters"))
        })?;
        // The last class is the space, which the list leaves out.
        let characters = characters.lines().map(str::to_owned).chain([" ".to_owned()]).collect();
        let scale = Scale::new([0.5; 3], [0.5; 3]);
        Ok(Self { pool, characters, height: spec.height as usize, width: spec.width as usize, scale })
    }

    /// The words of a line whose picture was cut out at `place`.
    ///
    /// It is brought to `share` of its pixels a side first, as the network was trained: its own pipeline cuts lines out of
    /// the picture on which it found them. Of pages at 300 dots an inch that smooths what scanners leave ragged, and a fifth
    /// fewer letters are misread on a scan in black and white than with the finer picture.
    ///
    /// # Errors
    /// [`Error::Run`], [`Error::Shape`].
    #[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
    pub(super) fn read(&self, picture: &Gray, place: [usize; 4], line: usize, share: f32) -> Result<Vec<Word>, Error> {
        let across = (picture.width() * self.height).div_ceil(picture.height()).clamp(1, WIDEST * self.height);
        let pixels = resize(&smoothed(picture, share), across, self.height, Filter::Bilinear);
        let full = across.max(self.width);
        let mut dense = Vec::with_capacity(3 * across * self.height);
        self.scale.planes(&pixels, &mut dense);
        // What is added at the right is zero after scaling, as in training.
        let mut values = vec![0.0; 3 * full * self.height];
        for (to, from) in values.chunks_exact_mut(full).zip(dense.chunks_exact(across)) {
            to[..across].copy_from_slice(from);
        }
        let steps = self.pool.with(|session| self.run(session, &values, full))?;
        let step = full as f32 / steps.len().max(1) as f32 * picture.width() as f32 / across as f32;
        Ok(words(&steps, &self.characters, step, place.map(|side| side as f32), line))
    }

    /// Class and probability of each step.
    fn run(&self, session: &mut Session, values: &[f32], width: usize) -> Result<Vec<(usize, f32)>, Error> {
        let said = |error: ort::Error| Error::run(self.pool.id(), error);
        let image = TensorRef::from_array_view(([1, 3, self.height, width], values)).map_err(said)?;
        let outputs = session.run(ort::inputs![image]).map_err(said)?;
        let (shape, values) = outputs[0].try_extract_tensor::<f32>().map_err(said)?;
        let classes = self.characters.len() + 1;
        if shape.last().copied() != i64::try_from(classes).ok() {
            return Err(Error::Shape {
                id: self.pool.id().to_owned(),
                output: "characters".to_owned(),
                found: shape.to_vec(),
                expected: vec![1, -1, i64::try_from(classes).unwrap_or(i64::MAX)],
            });
        }
        let best = |step: &[f32]| {
            let first = (0, f32::NEG_INFINITY);
            step.iter().copied().enumerate().fold(first, |best, one| if one.1 > best.1 { one } else { best })
        };
        Ok(values.chunks_exact(classes).map(best).collect())
    }
}

/// The picture of a line with `share` of its pixels a side, but no lower than small type can be read from.
#[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sides that were usize and grow no larger")]
fn smoothed(picture: &Gray, share: f32) -> Pixels {
    let share = share.max(LOWEST / picture.height() as f32);
    if share >= 1.0 {
        return picture.pixels();
    }
    let side = |pixels: usize| ((pixels as f32 * share).round() as usize).max(1);
    resize(&picture.pixels(), side(picture.width()), side(picture.height()), Filter::Bilinear)
}

/// Steps as words: a class that repeats is one character, class 0 parts equal ones, spaces part words. `step` is the
/// width of a step in pixels of the picture.
#[expect(clippy::cast_precision_loss, reason = "steps of a line are far below 2^24")]
fn words(steps: &[(usize, f32)], characters: &[String], step: f32, place: [f32; 4], line: usize) -> Vec<Word> {
    let mut words: Vec<(Word, usize)> = Vec::new();
    let (mut before, mut apart) = (0, true);
    for (at, &(class, probability)) in steps.iter().enumerate() {
        let fresh = class != before;
        before = class;
        let character = class.checked_sub(1).and_then(|class| characters.get(class)).filter(|_| fresh);
        let Some(character) = character else {
            // A wide stroke lasts: the word reaches to the end of it.
            if let Some((word, _)) = words.last_mut().filter(|_| class != 0 && !apart) {
                word.bbox[2] = place[0] + (at + 1) as f32 * step;
            }
            continue;
        };
        if character.trim().is_empty() {
            apart = true;
            continue;
        }
        let (left, right) = (place[0] + at as f32 * step, place[0] + (at + 1) as f32 * step);
        match words.last_mut().filter(|_| !apart) {
            Some((word, count)) => {
                word.text.push_str(character);
                word.bbox[2] = right;
                word.confidence += probability;
                *count += 1;
            }
            None => {
                let bbox = [left, place[1], right, place[3]];
                words.push((Word { text: character.clone(), bbox, line, confidence: probability, stroke: 0.0 }, 1));
            }
        }
        apart = false;
    }
    let mean = |(word, count): (Word, usize)| {
        let confidence = (word.confidence / count.max(1) as f32).clamp(0.0, 1.0);
        Word { confidence, bbox: [word.bbox[0], word.bbox[1], word.bbox[2].min(place[2]), word.bbox[3]], ..word }
    };
    words.into_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_one_character_and_spaces_part_words() {
        let characters: Vec<String> = ["a", "b", " "].map(str::to_owned).into();
        let steps = [(0, 0.9), (1, 1.0), (1, 1.0), (0, 0.9), (1, 0.5), (3, 0.9), (2, 0.8), (0, 1.0)];
        let words = words(&steps, &characters, 10.0, [100.0, 0.0, 170.0, 20.0], 4);
        let got: Vec<_> = words.iter().map(|word| (word.text.as_str(), word.bbox, word.line)).collect();
        assert_eq!(got, [("aa", [110.0, 0.0, 150.0, 20.0], 4), ("b", [160.0, 0.0, 170.0, 20.0], 4)]);
        assert_eq!(words.iter().map(|word| word.confidence).collect::<Vec<_>>(), [0.75, 0.8]);
    }
}
