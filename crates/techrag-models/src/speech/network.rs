//! Whisper's two networks, run by ONNX Runtime: one hears half a minute, the other says one token after the other.
//! `pipelines/convert-whisper.py` writes them and tells what goes in and comes out.

use std::path::Path;

use ort::environment::Environment;
use ort::session::{Session, SessionInputValue};
use ort::value::{DynValue, Tensor, TensorRef, ValueType};

use super::words::Token;
use crate::error::Error;
use crate::manifest::{HEARS, SAYS};
use crate::pool::{Memory, Pool};

/// Added to attention that is not paid: the exponential of it is zero, and it is finite, so that no sum is none.
const UNSEEN: f32 = -1e9;

/// The networks of a model.
pub(super) struct Network {
    hears: Pool,
    says: Pool,
    /// Layers of the network that says.
    layers: usize,
    /// Heads of a layer and values of a head.
    heads: [usize; 2],
    /// Bands of pitch and frames of a window.
    pub(super) window: [usize; 2],
    /// Tokens of the vocabulary.
    pub(super) tokens: usize,
}

/// What was heard in a window: keys and values of each layer, by the names under which they are asked for.
pub(super) struct Heard(Vec<(String, DynValue)>);

/// What was said so far, in rows that go on apart from each other.
pub(super) struct Past {
    values: Vec<(String, DynValue)>,
    /// Tokens of each row.
    pub(super) length: usize,
}

impl Network {
    /// Reads the networks out of a model's folder.
    ///
    /// # Errors
    /// [`Error::File`] where one does not load or is another network.
    pub(super) fn open(environment: &Environment, folder: &Path) -> Result<Self, Error> {
        let id = folder.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
        // Every token makes the past longer: another shape each time.
        let open = |name: &str| Pool::with_memory(environment.clone(), &id, folder.join(name), 1, Memory::Returned);
        let (hears, says) = (open(HEARS)?, open(SAYS)?);
        let window = hears.with(|session| sides::<3>(&hears, session, "mel", true))?;
        let (heads, layers, tokens) = says.with(|session| {
            let past = sides::<4>(&says, session, "past_key.0", true)?;
            let layers = session.inputs().iter().filter(|input| input.name().starts_with("past_key.")).count();
            Ok(([past[1], past[3]], layers, sides::<2>(&says, session, "logits", false)?[1]))
        })?;
        Ok(Self { hears, says, layers, heads, window: [window[1], window[2]], tokens })
    }

    /// Hears a window: [`Network::window`] bands times frames.
    ///
    /// # Errors
    /// [`Error::Run`] if the runtime fails.
    pub(super) fn hear(&self, mel: &[f32]) -> Result<Heard, Error> {
        let said = |error: ort::Error| Error::run(self.hears.id(), error);
        self.hears.with(|session| {
            let mel = TensorRef::from_array_view(([1, self.window[0], self.window[1]], mel)).map_err(said)?;
            let mut outputs = session.run(ort::inputs!["mel" => mel]).map_err(said)?;
            let names = (0..self.layers).flat_map(|at| ["cross_key", "cross_value"].map(|kind| format!("{kind}.{at}")));
            let take = |name: String| outputs.remove(&name).map(|value| (name.clone(), value)).ok_or(name);
            let taken = names.map(take).collect::<Result<_, _>>();
            taken.map(Heard).map_err(|name| self.hears.faulty(format!("it has no output {name}")))
        })
    }

    /// Nothing said yet, in one row.
    ///
    /// # Errors
    /// [`Error::Run`] if the runtime fails.
    pub(super) fn silence(&self) -> Result<Past, Error> {
        let empty = |kind: &str, at: usize| {
            let none = Tensor::from_array(([1, self.heads[0], 0, self.heads[1]], Vec::<f32>::new()));
            none.map(|none| (format!("past_{kind}.{at}"), none.into_dyn()))
        };
        let values = (0..self.layers).flat_map(|at| [("key", at), ("value", at)]).map(|(kind, at)| empty(kind, at));
        let values = values.collect::<ort::Result<_>>().map_err(|error| Error::run(self.says.id(), error))?;
        Ok(Past { values, length: 0 })
    }

    /// Says further tokens, as many in each row; row N goes on from row `from[N]` of the past. Gives the logits of what
    /// comes next, [`Network::tokens`] a row, and the past of it.
    ///
    /// # Errors
    /// [`Error::Run`] if the runtime fails.
    pub(super) fn say(
        &self,
        heard: &Heard,
        past: &Past,
        from: &[usize],
        tokens: &[Token],
    ) -> Result<(Vec<f32>, Past), Error> {
        let said = |error: ort::Error| Error::run(self.says.id(), error);
        let (rows, each) = (from.len(), tokens.len() / from.len().max(1));
        let length = past.length + each;
        let whole = |values: &[usize]| values.iter().filter_map(|&value| i64::try_from(value).ok()).collect::<Vec<_>>();
        let spoken: Vec<i64> = tokens.iter().map(|&token| i64::from(token)).collect();
        let mut inputs: Vec<(&str, SessionInputValue<'_>)> = vec![
            ("tokens", Tensor::from_array(([rows, each], spoken)).map_err(said)?.into()),
            (
                "positions",
                Tensor::from_array(([each], whole(&(past.length..length).collect::<Vec<_>>()))).map_err(said)?.into(),
            ),
            ("from", Tensor::from_array(([rows], whole(from))).map_err(said)?.into()),
            ("mask", Tensor::from_array(([each, length], mask(past.length, each))).map_err(said)?.into()),
        ];
        inputs.extend(past.values.iter().chain(&heard.0).map(|(name, value)| (name.as_str(), value.into())));
        self.says.with(|session| {
            let mut outputs = session.run(inputs).map_err(said)?;
            let logits = outputs["logits"].try_extract_tensor::<f32>().map_err(said)?.1.to_vec();
            let next = |(name, _): &(String, DynValue)| {
                let value = outputs.remove(name.trim_start_matches("past_"));
                value
                    .map(|value| (name.clone(), value))
                    .ok_or_else(|| self.says.faulty(format!("no output for {name}")))
            };
            let values = past.values.iter().map(next).collect::<Result<_, _>>()?;
            Ok((logits, Past { values, length }))
        })
    }
}

/// Each token sees those before it and itself.
fn mask(past: usize, each: usize) -> Vec<f32> {
    let row = |at: usize| (0..past + each).map(move |place| if place <= past + at { 0.0 } else { UNSEEN });
    (0..each).flat_map(row).collect()
}

/// The sides of an input or output, 0 where they may differ.
fn sides<const N: usize>(pool: &Pool, session: &Session, name: &str, input: bool) -> Result<[usize; N], Error> {
    let of = if input { session.inputs() } else { session.outputs() };
    let shape = of.iter().find(|one| one.name() == name).and_then(|one| match one.dtype() {
        ValueType::Tensor { shape, .. } => Some(shape.iter().map(|&side| usize::try_from(side).unwrap_or(0)).collect()),
        _ => None,
    });
    let shape: Vec<usize> = shape.ok_or_else(|| pool.faulty(format!("it has no {name}")))?;
    shape.try_into().map_err(|shape: Vec<usize>| pool.faulty(format!("its {name} has {} sides", shape.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_sees_what_was_said_and_itself() {
        assert_eq!(mask(1, 2), [0.0, 0.0, UNSEEN, 0.0, 0.0, 0.0]);
        assert_eq!(mask(2, 1), [0.0; 3]);
    }
}
