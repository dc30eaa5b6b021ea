//! A network of texts: token ids in, one tensor of f32 out.

use std::path::PathBuf;

use ort::environment::Environment;
use ort::session::Session;
use ort::value::TensorRef;

use crate::error::Error;
use crate::pool::Pool;

/// Inputs of equal length, row after row.
pub(crate) struct Batch {
    /// Number of rows.
    pub(crate) rows: usize,
    /// Tokens a row.
    pub(crate) length: usize,
    /// Token ids.
    pub(crate) ids: Vec<i64>,
    /// Segment of each token: 0, or 1 in the second text of a pair.
    pub(crate) types: Vec<i64>,
}

/// An output of f32 with its shape.
pub(crate) struct Output {
    pub(crate) shape: Vec<i64>,
    pub(crate) values: Vec<f32>,
}

/// Sessions of one network of texts.
pub(crate) struct Sessions {
    pool: Pool,
    output: String,
    inputs: Vec<Input>,
}

/// What an input of a graph is filled with.
#[derive(Clone, Copy)]
enum Input {
    Ids,
    Mask,
    Types,
}

impl Input {
    const ALL: [(&str, Self); 3] =
        [("input_ids", Self::Ids), ("attention_mask", Self::Mask), ("token_type_ids", Self::Types)];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find_map(|(known, input)| (known == name).then_some(input))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ids => "input_ids",
            Self::Mask => "attention_mask",
            Self::Types => "token_type_ids",
        }
    }
}

impl Sessions {
    /// Opens the first session and finds its inputs and its output, the first of `outputs` that it has.
    ///
    /// # Errors
    /// [`Error::File`] if the graph does not load, needs an input we do not know, or has none of the outputs.
    pub(crate) fn open(
        environment: Environment,
        id: &str,
        graph: PathBuf,
        outputs: &[String],
        most: usize,
    ) -> Result<Self, Error> {
        let pool = Pool::open(environment, id, graph, most)?;
        let (inputs, output) = pool.with(|session| {
            let unknown = |name: &str| pool.faulty(format!("unknown input {name}"));
            let input = |name: &str| Input::named(name).ok_or_else(|| unknown(name));
            let inputs = session.inputs().iter().map(|one| input(one.name())).collect::<Result<Vec<_>, _>>()?;
            Ok((inputs, output(&pool, session, outputs)?))
        })?;
        Ok(Self { pool, output, inputs })
    }

    /// Manifest id of the network.
    pub(crate) fn id(&self) -> &str {
        self.pool.id()
    }

    /// Most sessions at a time.
    pub(crate) fn most(&self) -> usize {
        self.pool.most()
    }

    /// Runs the network on a batch, waiting for a session if all are busy.
    ///
    /// # Errors
    /// [`Error::Run`] if the runtime fails, [`Error::File`] if another session cannot be opened.
    pub(crate) fn run(&self, batch: &Batch) -> Result<Output, Error> {
        self.pool.with(|session| self.run_on(session, batch).map_err(|error| Error::run(self.id(), error)))
    }

    fn run_on(&self, session: &mut Session, batch: &Batch) -> ort::Result<Output> {
        let shape = [batch.rows, batch.length];
        // Rows of a batch are of one length, so that nothing is ever masked.
        let mask = vec![1_i64; batch.ids.len()];
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for input in &self.inputs {
            let values = match input {
                Input::Ids => &batch.ids,
                Input::Mask => &mask,
                Input::Types => &batch.types,
            };
            inputs.push((input.name(), TensorRef::from_array_view((shape, values.as_slice()))?));
        }
        let outputs = session.run(inputs)?;
        let (shape, values) = outputs[self.output.as_str()].try_extract_tensor::<f32>()?;
        Ok(Output { shape: shape.to_vec(), values: values.to_vec() })
    }

    /// What the output was expected to look like, as an error.
    pub(crate) fn misshapen(&self, found: &[i64], expected: &[usize]) -> Error {
        let expected = expected.iter().map(|&n| i64::try_from(n).unwrap_or(i64::MAX)).collect();
        Error::Shape { id: self.id().to_owned(), output: self.output.clone(), found: found.to_vec(), expected }
    }
}

/// The first of these outputs that a graph has.
///
/// # Errors
/// [`Error::File`] naming those it has.
pub(crate) fn output(pool: &Pool, session: &Session, names: &[String]) -> Result<String, Error> {
    let found: Vec<&str> = session.outputs().iter().map(|output| output.name()).collect();
    let known = names.iter().find(|name| found.contains(&name.as_str())).cloned();
    known.ok_or_else(|| pool.faulty(format!("no output {}; it has {}", names.join(" or "), found.join(", "))))
}
