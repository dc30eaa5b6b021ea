//! A page network: whichever of the known inputs it has, one tensor of vectors out.
//!
//! Exports of one model differ: with or without a mask of pixels, of integers or booleans, with sides fixed when it was
//! traced, vectors in f32 or f16. What a file needs is read from the file; what cannot be served is said when it opens,
//! or, where it depends on the page, with that page.

use std::path::PathBuf;

use ort::environment::Environment;
use ort::session::{Session, SessionInputValue};
use ort::value::{DynTensorValueType, DynValue, Tensor, TensorElementType, ValueType};

use crate::error::Error;
use crate::pool::Pool;
use crate::session::output;

/// A tensor to run on: its name, its shape, its values.
pub(crate) struct Feed {
    pub(crate) name: &'static str,
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Values,
}

/// Values of a tensor, in the order of its shape.
pub(crate) enum Values {
    Floats(Vec<f32>),
    /// Whole numbers; given as booleans (not 0) where the graph wants those.
    Whole(Vec<i64>),
    /// As many ones; given as booleans where the graph wants those.
    Ones,
}

/// What a graph says of one of its inputs.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    kind: TensorElementType,
    /// Its sides, -1 where any will do.
    pub(crate) shape: Vec<i64>,
}

/// Sessions of one page network.
pub(crate) struct Graph {
    pool: Pool,
    inputs: Vec<Declared>,
    output: String,
    dim: usize,
}

impl Graph {
    /// Opens the first session. `known` are the inputs that can be served, with the ranks each may have.
    ///
    /// # Errors
    /// [`Error::File`] if the graph does not load, needs an input that is not known, or one of a rank or type that
    /// cannot be served, lacks `input_ids`, or has no output to take.
    pub(crate) fn open(
        environment: Environment,
        (id, path): (&str, PathBuf),
        known: &[(&str, &[usize])],
        (outputs, dim): (&[String], usize),
        most: usize,
    ) -> Result<Self, Error> {
        let pool = Pool::open(environment, id, path, most)?;
        let (inputs, output) = pool.with(|session| {
            let inputs = session.inputs().iter().map(|input| declared(&pool, input.name(), input.dtype(), known));
            Ok((inputs.collect::<Result<Vec<_>, _>>()?, only_output(&pool, session, outputs, dim)?))
        })?;
        if !inputs.iter().any(|input| input.name == "input_ids") {
            return Err(pool.faulty("it has no input input_ids"));
        }
        Ok(Self { pool, inputs, output, dim })
    }

    /// Manifest id of the network.
    pub(crate) fn id(&self) -> &str {
        self.pool.id()
    }

    /// Most sessions at a time.
    pub(crate) fn most(&self) -> usize {
        self.pool.most()
    }

    /// Something wrong with the graph's file.
    pub(crate) fn faulty(&self, problem: impl std::fmt::Display) -> Error {
        self.pool.faulty(problem)
    }

    /// What the graph says of an input, if it has it.
    pub(crate) fn input(&self, name: &str) -> Option<&Declared> {
        self.inputs.iter().find(|input| input.name == name)
    }

    /// Vectors of `rows` tokens, [`Graph::dim`] values each. Feeds the graph has no input for are left out.
    ///
    /// # Errors
    /// [`Error::Page`] where a side that the graph has fixed is another here, [`Error::Shape`] if the output has
    /// another shape, [`Error::Run`] if the runtime fails.
    pub(crate) fn run(&self, mut feeds: Vec<Feed>, rows: usize) -> Result<Vec<f32>, Error> {
        let mut inputs: Vec<(String, SessionInputValue<'_>)> = Vec::with_capacity(self.inputs.len());
        for input in &self.inputs {
            let at = feeds.iter().position(|feed| feed.name == input.name);
            let at = at.ok_or_else(|| self.faulty(format!("nothing to give its input {}", input.name)))?;
            let feed = feeds.swap_remove(at);
            self.fits(input, &feed.shape)?;
            let value = tensor(feed, input.kind).map_err(|error| Error::run(self.id(), error))?;
            inputs.push((input.name.clone(), value.into()));
        }
        self.pool.with(|session| {
            let outputs = session.run(inputs).map_err(|error| Error::run(self.id(), error))?;
            self.vectors(&outputs[self.output.as_str()], rows)
        })
    }

    /// Whether a tensor has the sides that the graph has fixed.
    fn fits(&self, input: &Declared, shape: &[usize]) -> Result<(), Error> {
        let fits = |(&side, &here): (&i64, &usize)| side < 0 || usize::try_from(side) == Ok(here);
        if input.shape.len() == shape.len() && input.shape.iter().zip(shape).all(fits) {
            return Ok(());
        }
        let message = format!("this export takes {} of shape {:?} only; here it is {shape:?}", input.name, input.shape);
        Err(Error::Page { id: self.id().to_owned(), message })
    }

    fn vectors(&self, value: &DynValue, rows: usize) -> Result<Vec<f32>, Error> {
        let ValueType::Tensor { ty, shape, .. } = value.dtype() else {
            return Err(self.faulty(format!("its output {} is no tensor", self.output)));
        };
        // A batch of one may be left out of the shape.
        let sides: Vec<i64> = shape.iter().copied().skip_while(|&side| side == 1 && shape.len() == 3).collect();
        let expected = [rows, self.dim].map(|side| i64::try_from(side).unwrap_or(i64::MAX));
        if sides != expected && **shape != [1, expected[0], expected[1]] {
            let (id, output) = (self.id().to_owned(), self.output.clone());
            return Err(Error::Shape {
                id,
                output,
                found: shape.to_vec(),
                expected: vec![1, expected[0], expected[1]],
            });
        }
        match ty {
            TensorElementType::Float32 => {
                let values = value.try_extract_tensor::<f32>().map_err(|error| Error::run(self.id(), error))?;
                Ok(values.1.to_vec())
            }
            TensorElementType::Float16 => halves(value, rows * self.dim).map_err(|error| Error::run(self.id(), error)),
            other => Err(self.faulty(format!("its output {} is of {other}, not of f32 or f16", self.output))),
        }
    }
}

/// What a graph says of an input, if it can be served.
fn declared(pool: &Pool, name: &str, kind: &ValueType, known: &[(&str, &[usize])]) -> Result<Declared, Error> {
    let names = || known.iter().map(|&(name, _)| name).collect::<Vec<_>>().join(", ");
    let ranks = known.iter().find(|&&(known, _)| known == name).map(|&(_, ranks)| ranks);
    let ranks = ranks.ok_or_else(|| pool.faulty(format!("unknown input {name}; known are {}", names())))?;
    let ValueType::Tensor { ty, shape, .. } = kind else {
        return Err(pool.faulty(format!("its input {name} is no tensor")));
    };
    if !ranks.contains(&shape.len()) {
        return Err(pool.faulty(format!("its input {name} has {} sides; known are {ranks:?}", shape.len())));
    }
    let served = match ty {
        TensorElementType::Float32 => name == "pixel_values",
        TensorElementType::Int64 | TensorElementType::Bool => name != "pixel_values",
        _ => false,
    };
    if !served {
        let wanted = if name == "pixel_values" { "f32" } else { "i64 or bool" };
        return Err(pool.faulty(format!("its input {name} is of {ty}; only {wanted} can be given")));
    }
    Ok(Declared { name: name.to_owned(), kind: *ty, shape: shape.to_vec() })
}

/// The output of one of these names, or the only one there is, of numbers and of this many values a vector.
fn only_output(pool: &Pool, session: &Session, names: &[String], dim: usize) -> Result<String, Error> {
    let name = match session.outputs() {
        [only] => only.name().to_owned(),
        _ => output(pool, session, names)?,
    };
    let kind = session.outputs().iter().find(|output| output.name() == name).map(|output| output.dtype());
    let Some(ValueType::Tensor { ty, shape, .. }) = kind else {
        return Err(pool.faulty(format!("its output {name} is no tensor")));
    };
    if !matches!(ty, TensorElementType::Float32 | TensorElementType::Float16) {
        return Err(pool.faulty(format!("its output {name} is of {ty}, not of f32 or f16")));
    }
    match shape.last() {
        Some(&values) if values >= 0 && usize::try_from(values) != Ok(dim) => {
            Err(pool.faulty(format!("its output {name} has {values} values a vector; the manifest says {dim}")))
        }
        _ => Ok(name),
    }
}

fn tensor(feed: Feed, kind: TensorElementType) -> ort::Result<DynValue> {
    let Feed { shape, values, .. } = feed;
    let count = shape.iter().product();
    Ok(match (values, kind) {
        (Values::Floats(values), _) => Tensor::from_array((shape, values))?.into_dyn(),
        (Values::Whole(values), TensorElementType::Bool) => {
            Tensor::from_array((shape, values.iter().map(|&value| value != 0).collect::<Vec<bool>>()))?.into_dyn()
        }
        (Values::Whole(values), _) => Tensor::from_array((shape, values))?.into_dyn(),
        (Values::Ones, TensorElementType::Bool) => Tensor::from_array((shape, vec![true; count]))?.into_dyn(),
        (Values::Ones, _) => Tensor::from_array((shape, vec![1_i64; count]))?.into_dyn(),
    })
}

/// The values of a tensor of f16.
#[expect(unsafe_code, reason = "ort gives typed access to f16 only with another feature of it")]
fn halves(value: &DynValue, count: usize) -> ort::Result<Vec<f32>> {
    let tensor = value.view().downcast::<DynTensorValueType>()?;
    let ptr = tensor.data_ptr().cast::<u16>();
    if ptr.is_null() || count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the caller has checked that the value is a dense CPU tensor of 16-bit floats with `count` elements; it
    // lives, unmodified, as long as the borrow of `value`.
    let bits = unsafe { std::slice::from_raw_parts(ptr, count) };
    Ok(bits.iter().map(|&bits| half::f16::from_bits(bits).to_f32()).collect())
}
