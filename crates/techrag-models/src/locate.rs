//! Where the files of models lie.
//!
//! A place is a folder with one folder a model, named by its id. Which places there are (`--models`, the environment,
//! beside the executable, the project, the user's data) is decided by the command line, which passes them on in order.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::manifest::Model;

/// The places to search, the first that has all files of a model wins.
#[derive(Clone, Debug)]
pub struct Locator {
    places: Vec<PathBuf>,
}

impl Locator {
    /// Searches these folders, in order.
    pub fn new(places: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { places: places.into_iter().map(Into::into).collect() }
    }

    /// The places, in order.
    pub fn places(&self) -> &[PathBuf] {
        &self.places
    }

    /// The folder that holds every file of the model.
    ///
    /// # Errors
    /// [`Error::Missing`], with the places searched and the command that brings the model.
    pub fn folder(&self, model: &Model) -> Result<PathBuf, Error> {
        let complete = |folder: &PathBuf| !model.files.is_empty() && has_all(folder, &model.files);
        self.places.iter().map(|place| place.join(&model.id)).find(complete).ok_or_else(|| Error::Missing {
            id: model.id.clone(),
            looked_in: self.places.clone(),
            hint: model.hint(),
        })
    }

    /// Whether the model is there.
    pub fn has(&self, model: &Model) -> bool {
        self.folder(model).is_ok()
    }
}

fn has_all(folder: &Path, files: &[String]) -> bool {
    files.iter().all(|name| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Manifest;

    fn put(place: &Path, id: &str, files: &[&str]) {
        let folder = place.join(id);
        std::fs::create_dir_all(&folder).unwrap();
        for name in files {
            std::fs::write(folder.join(name), b"").unwrap();
        }
    }

    #[test]
    fn the_first_place_with_all_files_wins() {
        let root = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| root.path().join(name));
        let model = Manifest::builtin().get("all-MiniLM-L6-v2").unwrap();
        put(&a, &model.id, &["model.onnx"]);
        put(&b, &model.id, &["model.onnx", "tokenizer.json"]);
        put(&c, &model.id, &["model.onnx", "tokenizer.json"]);
        assert_eq!(Locator::new([&a, &b, &c]).folder(model).unwrap(), b.join(&model.id));
    }

    #[test]
    fn a_missing_model_says_where_it_was_looked_for_and_what_brings_it() {
        let locator = Locator::new(["first", "second"]);
        for (id, command) in [
            ("all-MiniLM-L6-v2", "make models"),
            ("onnxruntime", "make models"),
            ("bge-small-en-v1.5", "--only bge-small-en-v1.5"),
        ] {
            let error = locator.folder(Manifest::builtin().get(id).unwrap()).unwrap_err();
            assert_eq!(error.to_string(), format!("the model {id} is not there (looked in first, second)"));
            assert!(error.hint().unwrap().contains(command), "{error:?}");
        }
    }
}
