//! The folders where models are looked for, in order: `--models` or the environment, beside the executable, the
//! project, the user's data.

use std::path::{Path, PathBuf};

use crate::common::Cli;

/// Name of a project's folder of models, found upward from the working directory.
const OF_PROJECT: &str = ".models";

impl Cli {
    /// Folders of models, the first to be searched first. They need not exist.
    #[expect(clippy::disallowed_methods, reason = "techrag-cli is the room that reads the environment")]
    pub fn model_folders(&self) -> Vec<PathBuf> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let executable = std::env::current_exe().ok();
        let working = std::env::current_dir().ok();
        let data = variable("XDG_DATA_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/share")));
        folders(self.models(), executable.as_deref(), working.as_deref(), data.as_deref())
    }

    /// The user's folder for what can be had again; `None` where the environment names none.
    #[expect(clippy::disallowed_methods, reason = "techrag-cli is the room that reads the environment")]
    pub fn cache_folder(&self) -> Option<PathBuf> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let base = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
        base.map(|base| base.join("techrag"))
    }
}

fn folders(
    named: Option<&Path>,
    executable: Option<&Path>,
    working: Option<&Path>,
    data: Option<&Path>,
) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = named.map(Path::to_owned).into_iter().collect();
    if let Some(bin) = executable.and_then(Path::parent) {
        folders.push(bin.join("models"));
        // Where `make install` puts data: PREFIX/bin/tool beside PREFIX/share/techrag.
        folders.extend(bin.parent().map(|prefix| prefix.join("share/techrag/models")));
    }
    let project =
        working.and_then(|here| here.ancestors().map(|folder| folder.join(OF_PROJECT)).find(|it| it.is_dir()));
    // With none there yet, the place where `make models` would put it is still named in the error.
    folders.extend(project.or_else(|| working.map(|here| here.join(OF_PROJECT))));
    folders.extend(data.map(|data| data.join("techrag/models")));
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_the_one_of_the_design() {
        let found = folders(
            Some(Path::new("/named")),
            Some(Path::new("/opt/bin/techrag-embed")),
            Some(Path::new("/nowhere/at/all")),
            Some(Path::new("/home/data")),
        );
        let expected = [
            "/named",
            "/opt/bin/models",
            "/opt/share/techrag/models",
            "/nowhere/at/all/.models",
            "/home/data/techrag/models",
        ];
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn a_project_is_found_upward() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join(".models")).unwrap();
        let deep = root.path().join("a/b");
        assert_eq!(folders(None, None, Some(&deep), None), [root.path().join(".models")]);
    }
}
