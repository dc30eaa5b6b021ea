//! What an export says of itself: the `preprocessor_config.json` that exporters leave beside the graph.
//!
//! The manifest decides how a page is prepared. Where this file is there and says otherwise, the vectors would be quietly
//! worse; so that is refused, naming both.

use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;

use crate::error::Error;
use crate::page::resize::Filter;
use crate::page::spec::TiledSpec;

const FILE: &str = "preprocessor_config.json";

/// The keys that matter; the file has many more.
#[derive(Deserialize)]
struct Config {
    size: Option<Longest>,
    max_image_size: Option<Longest>,
    image_mean: Option<[f32; 3]>,
    image_std: Option<[f32; 3]>,
    resample: Option<u8>,
}

#[derive(Deserialize)]
struct Longest {
    longest_edge: Option<u32>,
}

/// Holds the manifest's word against the file's, if there is one.
///
/// # Errors
/// [`Error::File`] naming the first key on which they differ, or if the file cannot be read.
pub(crate) fn agrees(id: &str, folder: &Path, spec: &TiledSpec) -> Result<(), Error> {
    let path = folder.join(FILE);
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other.map_err(|error| Error::file(id, &path, error))?,
    };
    let config: Config = serde_json::from_str(&text).map_err(|error| Error::file(id, &path, error))?;
    match difference(&config, spec) {
        Some((key, theirs, ours)) => {
            Err(Error::file(id, &path, format!("{key} is {theirs}; the manifest says {ours}")))
        }
        None => Ok(()),
    }
}

/// The first key on which they differ, the file's value, the manifest's.
fn difference(config: &Config, spec: &TiledSpec) -> Option<(&'static str, String, String)> {
    let edge = |given: &Option<Longest>| given.as_ref().and_then(|size| size.longest_edge);
    // Numbers are those of Pillow's constants.
    let resample = match spec.resample {
        Filter::Lanczos => 1,
        Filter::Bilinear => 2,
        Filter::Bicubic => 3,
    };
    differs("size", edge(&config.size), spec.longest_edge)
        .or_else(|| differs("max_image_size", edge(&config.max_image_size), spec.tile))
        .or_else(|| differs("image_mean", config.image_mean, spec.mean))
        .or_else(|| differs("image_std", config.image_std, spec.std))
        .or_else(|| differs("resample", config.resample, resample))
}

fn differs<T: PartialEq + std::fmt::Debug>(
    key: &'static str,
    theirs: Option<T>,
    ours: T,
) -> Option<(&'static str, String, String)> {
    let theirs = theirs.filter(|theirs| *theirs != ours)?;
    Some((key, format!("{theirs:?}"), format!("{ours:?}")))
}
