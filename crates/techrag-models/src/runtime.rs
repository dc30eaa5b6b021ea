//! ONNX Runtime, loaded once and only when a model is opened.
//!
//! `ort` panics when it has to look for the library itself and finds none; given a file it returns an error. So the
//! file always comes from the [`Locator`]. It allows one environment a process and never a second, even after the
//! first is dropped, so that ours lives in a static.

use std::path::PathBuf;
use std::sync::Mutex;

use ort::environment::Environment;

use crate::error::Error;
use crate::locate::Locator;
use crate::manifest::Manifest;

static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// The environment of this process, made on the first call.
///
/// # Errors
/// [`Error::Missing`] if the library is in none of the places, [`Error::Runtime`] if it does not load.
pub(crate) fn environment(locator: &Locator, manifest: &Manifest) -> Result<Environment, Error> {
    let mut slot = ENVIRONMENT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(environment) = &*slot {
        return Ok(environment.clone());
    }
    let path = library(locator, manifest)?;
    let failed = |message: String| Error::Runtime { path: path.clone(), message };
    let environment = ort::init_from(&path)
        .map_err(|error| failed(error.to_string()))?
        .with_telemetry(false)
        .build()
        .map_err(|error| failed(error.to_string()))?;
    Ok(slot.insert(environment).clone())
}

fn library(locator: &Locator, manifest: &Manifest) -> Result<PathBuf, Error> {
    let runtime = manifest.runtime()?;
    let folder = locator.folder(runtime)?;
    let path = folder.join(&runtime.files[0]);
    // Absolute, because ort reads a relative one from the folder of the executable.
    std::path::absolute(&path).map_err(|error| Error::Runtime { path, message: error.to_string() })
}
